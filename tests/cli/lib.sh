# shellcheck shell=sh
# What the tests of the command share; sourced. $gmmu is the command, $dir a directory of the test's
# own, $json says whether its input is JSON. Output is TAP; `finish` ends it.
set -u
# shellcheck disable=SC2034  # used by those who source this
root=$1 gmmu=$(realpath "$2") json=$(realpath "$3")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
n=0

pass() { n=$((n + 1)); echo "ok $n - $1"; }
fail() { # name, what was seen
  n=$((n + 1))
  echo "not ok $n - $1"
  printf '%s\n' "${2:-}" | head -n 40 | sed 's/^/# /'
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
finish() { echo "1..$n"; }

# try NAME COMMAND...: the command succeeds
try() {
  label=$1
  shift
  if seen=$("$@" 2>&1); then pass "$label"; else fail "$label" "$seen"; fi
}
# wants STATUS PATTERN NAME ARGUMENTS...: gmmu ends so and says exactly one line, on stderr, that matches
wants() {
  status=$1 pattern=$2 label=$3
  shift 3
  "$gmmu" "$@" >"$dir/out" 2>"$dir/err"
  got=$?
  if [ $got = "$status" ] && [ ! -s "$dir/out" ] && [ "$(wc -l <"$dir/err")" = 1 ] &&
    grep -q -e "^gmmu: .*$pattern" "$dir/err"; then
    pass "$label"
  else
    fail "$label" "status $got: $(cat "$dir/err" "$dir/out")"
  fi
}

# ---- waiting
# await SECONDS COMMAND...: until it succeeds; false if that takes longer on a machine with nothing else to do. Time in
# which others have the processors does not count, and a slow machine has longer (GMMU_SLOWNESS, from steps.sh).
cpus=$(nproc)
await() {
  left=$(($1 * 1000000 * ${GMMU_SLOWNESS:-1})) # microseconds
  shift
  until "$@"; do
    [ $left -gt 0 ] || return 1
    sleep 0.02
    read -r _ _ _ tasks _ </proc/loadavg
    left=$((left - 20000 * cpus / (${tasks%/*} > cpus ? ${tasks%/*} : cpus)))
  done
}
state() { sed -n 's/^State:[^A-Z]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null; } # process
process_ended() { case $(state "$1") in Z | "") ;; *) return 1 ;; esac; }             # or waits for us
sleeps() { [ "$(state "$1")" = S ]; }
listens() { # catches SIGINT, the second bit of the mask
  case $(sed -n 's/^SigCgt:.*\(.\)$/\1/p' "/proc/$1/status" 2>/dev/null) in [2367abef]) ;; *) return 1 ;; esac
}
# stop SIGNAL PROCESS: sends it once and returns the status; one that does not hear is killed
stop() {
  kill -s "$1" "$2"
  await 30 process_ended "$2" || kill -9 "$2"
  wait "$2"
}

# on_terminal PATTERN COLUMNS ROWS COMMAND...: on a terminal of that size, with Ctrl-C when its screen, in $dir/screen, has
# the pattern; returns its status
on_terminal() {
  pattern=$1 size="cols $2 rows $3"
  shift 3
  rm -f "$dir/on-terminal"
  : >"$dir/screen"
  script -qec "stty $size; echo \$\$ >'$dir/on-terminal'; exec $*" /dev/null >"$dir/screen" </dev/null &
  terminal=$!
  await 60 grep -q -e "$pattern" "$dir/screen"
  kill -s INT "$(cat "$dir/on-terminal")"
  await 30 process_ended $terminal || kill -9 "$(cat "$dir/on-terminal")"
  wait $terminal
}

# The counters of a run without what is only a name.
numbers() { sed '/"name":/d; /"sources": \[/,/\]/d' "$1"; }
