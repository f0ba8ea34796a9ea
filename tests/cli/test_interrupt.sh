#!/bin/sh
# Ctrl-C prints what is known so far; a terminal sees progress, a pipe does not.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
endless="-j 1 --design sharedtlb,ideal compute:steps=1000000"

# interrupt SIGNAL ARGUMENTS...: runs gmmu, sends the signal when it listens and has worked a little, and returns
# its status.
interrupt() {
  signal=$1
  shift
  "$gmmu" "$@" &
  pid=$!
  await 30 listens $pid
  sleep 0.5
  stop "$signal" $pid
}

# Under nohup, which a check may be started with, SIGHUP is ignored, and nobody can change that for us.
signals="INT TERM HUP"
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status) in [13579bdf]) signals="INT TERM" ;; esac
for s in $signals; do
  # shellcheck disable=SC2086  # words
  interrupt $s run $endless >"$dir/table" 2>"$dir/err"
  try "SIG$s: status 130" test $? = 130
  try "SIG$s: the table so far" grep -q "^sharedtlb (partial)  *compute " "$dir/table"
  try "SIG$s: it says that it is partial" grep -q "^PARTIAL: .*1 of 2 designs" "$dir/table"
  try "SIG$s: and that is all" sh -c "[ ! -s '$dir/err' ] && ! grep -q '^ideal' '$dir/table'"
done
interrupt TERM run -j 2 --design sharedtlb,ideal compute:steps=1000000 >"$dir/table" 2>"$dir/err"
try "two at once: status 130" test $? = 130
try "two at once: both so far" test "$(grep -c '(partial)  *compute .*\*' "$dir/table")" = 2
try "two at once: it says so" grep -q "^PARTIAL: 2 runs were ended early; 2 of 2 designs are here" "$dir/table"
# shellcheck disable=SC2086  # words
interrupt INT run --json -o "$dir/x.json" $endless
try "JSON: status 130" test $? = 130
try "JSON: valid" sh -c "'$json' <'$dir/x.json'"
try "JSON: marked as partial" grep -q '^      "partial": true' "$dir/x.json"
try "JSON: the counters add up all the same" awk '
  /"stall": \{/ { on = 1 } on && /: [0-9]/ { v = $2; sub(",", "", v); s += v } on && /\}/ { on = 0 }
  /"warp_instructions":/ && !w++ { v = $2; sub(",", "", v); s += v }
  /"slot_cycles":/ { v = $2; sub(",", "", v); all = v }
  END { exit s != all || !s }' "$dir/x.json"
interrupt INT record -o "$dir/x.gmt" compute:steps=1000000 2>"$dir/err"
try "record: status 130" test $? = 130
try "record: it says so" grep -q "^gmmu: interrupted; .*x.gmt was not written" "$dir/err"
try "record: nothing is left behind" sh -c "! ls '$dir'/x.gmt* 2>/dev/null"

# A processor ends the run in hand: each is short, and there are many.
many=1M,1M,1M,1M,1M,1M,1M,1M
interrupt INT db sample --device cpu --size $many,$many,$many,$many --accesses 40000000 --json -o "$dir/db.json"
try "db: status 130" test $? = 130
try "db: the runs so far, valid and marked" sh -c "'$json' <'$dir/db.json' && grep -q '\"partial\": true' '$dir/db.json'"
try "db: and no others" sh -c "[ \$(grep -c '\"checked\"' '$dir/db.json') -lt 32 ]"
interrupt INT reproduce fgpu/fig8 --store "$dir/fgpu.db" >"$dir/table" 2>"$dir/err"
try "a probe of reproduce: status 130" test $? = 130
try "a probe of reproduce: no row of what was not measured" sh -c "[ ! -s '$dir/table' ]"

if script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
  progress="sharedtlb (1 of 2): .*cycles, .*warp instructions/s, .*%"
  on_terminal "$progress" 200 50 "'$gmmu' run --cycles 2000000000 $endless >'$dir/table'"
  try "a terminal sees cycles, rate, share and time left" grep -q "$progress" "$dir/screen"
  try "the progress line is removed" sh -c "tail -c 20 '$dir/screen' | grep -q '\[K'"
else
  skip "a terminal sees progress" "script(1) has no pseudo-terminal to give"
fi
# A pipe hears where a long run is, so often: of one machine, of several at once, and of explain.
told() { grep -q -e "$1" "$dir/err"; }
pipe() { # name, what is told, arguments
  what=$1 line=$2
  shift 2
  GMMU_PROGRESS=1 "$gmmu" "$@" >"$dir/out" 2>"$dir/err" &
  pid=$!
  if await 60 told "$line"; then pass "on a pipe $what says where it is"; else fail "on a pipe $what says where it is" "$(cat "$dir/err")"; fi
  try "on a pipe $what says it in whole lines" sh -c "! grep -v '^gmmu: [ -~]*\$' '$dir/err'"
  stop INT $pid
}
pipe "a run" '^gmmu: sharedtlb: .* cycles, .*warp instructions/s' run --design sharedtlb compute:steps=1000000
pipe "a run of two machines" '^gmmu: .*warp instructions/s' run -j 2 --design sharedtlb,ideal compute:steps=1000000
pipe explain '^gmmu: explain' explain compute:steps=1000000
GMMU_PROGRESS=0 "$gmmu" run --design sharedtlb --cycles 200000 compute:steps=1000000 >/dev/null 2>"$dir/err"
try "never, if that is wished" test ! -s "$dir/err"

finish
