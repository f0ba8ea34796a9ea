# shellcheck shell=bash
# The steps that check.sh, soak.sh and fuzz.sh are made of; sourced from the root of the tree.
#
# A step is a name. Its output goes to build/logs/NAME.log and its result, "passed failed skipped",
# to build/logs/NAME.result. Two steps run at a time, each with half of the processors; tests, which wait now and then,
# with as many processes as there are processors.

logs=build/logs
jobs=$((($(nproc) + 1) / 2))
fuzz_seconds=${FUZZ_SECONDS:-4}
export GMMU_BUILDS=$PWD/build # for tests that compare the builds with each other
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# How much longer this machine computes than the one the limits were set on, from processor time, at least 1.
slowness() {
  local TIMEFORMAT=%U seconds
  seconds=$({ time awk 'BEGIN { for (i = 0; i < 3000000; i++) s += i % 7; exit !s }'; } 2>&1)
  awk -v s="$seconds" 'BEGIN { n = int(s / 0.18 + 0.5); print (n > 1 ? n : 1) }'
}
GMMU_SLOWNESS=$(slowness)
export GMMU_SLOWNESS # for limits in tests
trap 'kill 0' INT # background jobs of a script do not see Ctrl-C
rm -rf "$logs" build/programs
mkdir -p "$logs" build/programs # the latter: tests/cuda/program.sh

# A build in which the compiler or the linker warns has failed. (Meson's advice, in capitals, is not meant:
# it dislikes -fsanitize=fuzzer, for which it has no option of its own.)
build() {
  local output status=0
  output=$(CC=gcc scripts/build.sh "$1" -j "$jobs" 2>&1) || status=$?
  echo "$output"
  [ $status = 0 ] && ! grep -q 'warning:' <<<"$output"
}

# Limits of tests are limit.py's: meson's own are of the clock on the wall.
run_tests() { # build, log name, factor of the limits, meson arguments
  local dir=build/$1 log=$2 factor=$(($3 * GMMU_SLOWNESS))
  shift 3
  rm -f "$dir/meson-logs/$log"*.json "$dir/meson-logs/processor.txt"
  meson test -C "$dir" --no-rebuild --print-errorlogs --num-processes "$(nproc)" --logbase "$log" \
    --timeout-multiplier 0 --wrapper "$PWD/scripts/limit.py $PWD/$dir $factor" "$@"
  local status=$?
  # Meson adds the wrapper's name to the log's: check-limit.py.json.
  cat "$dir/meson-logs/$log"*.json | awk -f scripts/count-tests.awk
  return $status
}

fuzz_targets() { find build/fuzz/fuzz -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' 2>/dev/null | sort; }

# Starts from fuzz/corpus/TARGET if the tree has it. Inputs that crash are kept in build/fuzz/.
fuzz() {
  local corpus=build/fuzz/corpus/$1 seeds=fuzz/corpus/$1
  mkdir -p "$corpus"
  [ -d "$seeds" ] || seeds=
  "build/fuzz/fuzz/$1" -max_total_time="$fuzz_seconds" -timeout=$((60 * GMMU_SLOWNESS)) -rss_limit_mb=2048 -verbosity=1 \
    -print_final_stats=1 ${FUZZ_SEED:+-seed=$FUZZ_SEED} -artifact_prefix="build/fuzz/$1-" \
    "$corpus" ${seeds:+"$seeds"}
}

step() {
  case $1 in
  format) scripts/format.sh --check ;;
  includes) scripts/check-includes.sh ;;
  build-*) build "${1#build-}" ;;
  test-san) run_tests san check 3 --no-suite soak ;;
  test-*) run_tests "${1#test-}" check 1 --no-suite soak ;;
  soak-*) run_tests "${1#soak-}" soak "${SOAK_TIMEOUTS:-20}" --suite soak ;;
  fuzz_*) fuzz "$1" ;;
  *) echo "no step called '$1'"; return 1 ;;
  esac
}

say() { # passed failed skipped
  echo "$1 passed, $2 failed$([ "$3" = 0 ] || echo ", $3 skipped")"
}

# Run one step and note its result.
run_step() {
  local name=$1 start=$SECONDS status=0 passed=1 failed=0 skipped=0 what=
  step "$name" >"$logs/$name.log" 2>&1 || status=$?
  if grep -q '^counts ' "$logs/$name.log"; then
    read -r passed failed skipped < <(sed -n 's/^counts //p' "$logs/$name.log" | tail -n 1)
    what=$(say "$passed" "$failed" "$skipped")
  elif [ $status != 0 ]; then
    passed=0 failed=1
  fi
  if [[ $name == fuzz_* ]]; then what=$(sed -n 's/^stat::number_of_executed_units: *\(.*\)/\1 runs/p' "$logs/$name.log"); fi
  # A runner that failed without a failing test, and tests that have all gone missing, are no success.
  if [ $status != 0 ] && [ "$failed" = 0 ]; then failed=1; fi
  if [[ $name == test-* ]] && [ $((passed + failed)) = 0 ]; then failed=1 what="no test ran"; fi
  echo "$passed $failed $skipped" >"$logs/$name.result"
  show "$name" "$failed" $((SECONDS - start)) "$what"
}

# The part of a log that tells why: from the first sign of trouble on, without the good news.
excerpt() {
  local from
  from=$(grep -anm1 -E 'FAIL |FAILED: |TIMEOUT|ERROR|error:|warning:' "$1" | cut -d: -f1)
  tail -n "+${from:-1}" "$1" | sed -E '/^\[[0-9]+\/[0-9]+\] | OK  |: YES/d; /^Shadow bytes around/,/ABORTING/d' |
    head -n 60
}

# One line, and that part of the log if the step failed; in one piece, as two steps may end together.
show() { # name failed seconds what
  local mark=ok part=
  if [ "$2" != 0 ]; then
    mark=FAIL
    part=$(excerpt "$logs/$1.log" | sed 's/^/      | /'; printf '      (log: %s)' "$logs/$1.log")
  fi
  printf '%s\n' "$(printf '%-4s  %-16s %4d s  %s' $mark "$1" "$3" "$4")${part:+$'\n'$part}"
}

# Run the steps, two at a time; returns when all are done.
steps() {
  local name
  for name; do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    run_step "$name" &
  done
  wait
}

# Did the step pass?
passed() { [ "$(cut -d' ' -f2 "$logs/$1.result" 2>/dev/null)" = 0 ]; }

# The last line, and the exit status.
report() {
  local total
  total=$(cat "$logs"/*.result | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }')
  # shellcheck disable=SC2086  # three numbers
  say $total
  [ "$(cut -d' ' -f2 <<<"$total")" = 0 ]
}
