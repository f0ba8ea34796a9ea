#!/bin/sh
# scripts/limit.py: what a test has for a limit, and when it is over.
set -u
root=$1 n=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/meson-info" "$dir/meson-logs"
cat >"$dir/meson-info/intro-tests.json" <<END
[{"name": "hangs", "cmd": ["sh", "-c", "sleep 1000 & echo \$! >$dir/pid; wait"], "env": {}, "timeout": 1},
 {"name": "pauses", "cmd": ["sleep", "3"], "env": {}, "timeout": 1},
 {"name": "short", "cmd": ["sleep", "2"], "env": {"LONG": "no"}, "timeout": 0},
 {"name": "long", "cmd": ["sleep", "2"], "env": {"LONG": "yes"}, "timeout": 60}]
END
limited() { python3 "$root/scripts/limit.py" "$dir" "$@" 2>"$dir/err"; }
expect() { # status, name
  got=$? n=$((n + 1))
  if [ $got = "$1" ]; then echo "ok $n - $2"; else echo "not ok $n - $2: status $got, $(cat "$dir/err")"; fi
}
limited 1 sh -c 'exit 3'
expect 3 "the status is the command's"
limited 1 sh -c 'kill -9 $$'
expect 137 "a signal's, too"
limited 1 sh -c "sleep 1000 & echo \$! >$dir/pid; wait"
expect 124 "what hangs is ended"
! grep -q '^State:.[RSD]' "/proc/$(cat "$dir/pid")/status" 2>/dev/null && grep -q '^limit.py: TIMEOUT' "$dir/err"
expect 0 "with all it started, and that is said"
LONG=no limited 1 sleep 2
expect 124 "tests of one command are told apart by their environment"
LONG=yes limited 1 sleep 2
expect 0 "each has its own limit"
limited 60 sleep 3
expect 0 "the factor multiplies it"
grep -q "^ *[0-9.]* sleep 3$" "$dir/meson-logs/processor.txt"
expect 0 "what a test took is noted"
loops=
for _ in $(seq $((6 * $(nproc)))); do
  sh -c 'while :; do :; done' &
  loops="$loops $!"
done
limited 1 sleep 3
got=$?
# shellcheck disable=SC2086  # numbers
kill $loops
(exit $got)
expect 0 "time that others take does not count"
echo "1..$n"
