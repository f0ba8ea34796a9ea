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
# The counters of a run without what is only a name.
numbers() { sed '/"name":/d; /"sources": \[/,/\]/d' "$1"; }
