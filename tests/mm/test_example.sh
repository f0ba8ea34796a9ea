#!/bin/sh
# docs/mm.md shows a program and what it prints: test_example.sh ROOT DRIVER. Both are what is there.
set -u
root=$1 driver=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# block FROM: the fenced block that follows the line
block() { awk -v from="$1" '$0 == from { on = 1; next } on && /^```$/ { exit } on' "$root/docs/mm.md"; }
judge() { # number, name, status
  [ "$3" = 0 ] && echo "ok $1 - $2" || echo "not ok $1 - $2"
}
echo 1..3
block '```c' | diff - "$root/tests/mm/example/driver.c" >"$dir/diff"
judge 1 "the page shows the program" $?
"$driver" >"$dir/out"
judge 2 "the program succeeds" $?
awk '/^It prints$/ { on = 1 } on && /^```$/ { if (n++) exit; next } n' "$root/docs/mm.md" | diff - "$dir/out" >"$dir/diff"
judge 3 "it prints what the page says" $?
