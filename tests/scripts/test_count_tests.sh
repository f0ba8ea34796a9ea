#!/bin/sh
# scripts/count-tests.awk turns meson's testlog.json into the numbers of the last line of a check.
set -u
root=$1
n=0

# One test as meson logs it, of the result and the output given. What stands in stderr must not count.
log() {
  printf '{"name": "t", "stdout": "%s", "result": "%s", "command": ["t"], ' "$2" "$1"
  printf '"stderr": "[  FAILED  ] f\\n[  FAILED  ] 1 test(s), listed below:\\n"}\n'
}
# expect 'PASSED FAILED SKIPPED' RESULT OUTPUT NAME
expect() {
  n=$((n + 1))
  got=$(log "$2" "$3" | awk -f "$root/scripts/count-tests.awk")
  if [ "$got" = "counts $1" ]; then echo "ok $n - $4"; else echo "not ok $n - $4: $got"; fi
}

echo 1..9
expect "2 0 0" OK '[==========] Running 2 test(s).\n[ RUN      ] f\n[       OK ] f\n[       OK ] g\n' "cmocka functions are counted"
expect "1 1 1" FAIL '[       OK ] f\n[  FAILED  ] g\n[  SKIPPED ] h\n' "failed and skipped functions are counted apart"
expect "1 1 0" FAIL '[       OK ] f\n[ RUN      ] g\n' "a crash after a good function is a failure"
expect "0 1 0" TIMEOUT '' "a timeout is a failure"
expect "1 1 0" ERROR '1..3\nok 1 - f\n' "a broken plan is a failure"
expect "0 1 0" OK '[  FAILED  ] f\n' "a failed function counts even if the exit status hides it"
expect "1 0 1" OK '1..2\nok 1 - f\nok 2 - g # SKIP no network\n' "TAP is counted too"
expect "1 0 0" OK 'said \"result\": \"FAIL\", no\n' "quotes in the output mislead nobody"
expect "0 0 1" SKIP '' "a skipped executable is one skipped test"
