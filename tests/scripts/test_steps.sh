#!/usr/bin/env bash
# scripts/steps.sh: what a step of tests counts, by meson's own log of three tests.
set -u
root=$1 n=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$root/scripts" "$dir"
cd "$dir" || exit 1
cat >meson.build <<'END'
project('three tests')
test('passes', find_program('true'))
test('fails', find_program('false'))
test('is skipped', find_program('sh'), args: ['-c', 'exit 77'])
END
expect() { # what, got, name
  n=$((n + 1))
  if [ "$2" = "$1" ]; then echo "ok $n - $3"; else echo "not ok $n - $3: $2"; fi
}
unset MESON_TEST_ITERATION
# A step writes its result and its line; the functions are those of a check.
check() { # shell commands
  bash -c '. scripts/steps.sh; jobs=1; meson setup build/san >/dev/null 2>&1 || exit 1; '"$1" 2>&1
}
expect "1 1 1" "$(check 'run_step test-san >/dev/null; cat build/logs/test-san.result')" "passed, failed and skipped tests are counted"
expect "FAIL" "$(check 'run_step test-san | sed -n "1s/ .*//p"')" "the step fails with its test"
expect "no test ran" "$(check 'step() { echo counts 0 0 0; }; run_step test-san | sed -n "1s/.* s  //p"')" "a step without a test says so"
echo "1..$n"
