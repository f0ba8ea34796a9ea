#!/bin/sh
# The net is the same in builds whose own suites do not run: by clang, without optimisation,
# ticking every block in every cycle, without any fast path, and with blocks, receivers of messages and
# pools from the last to the first. With `all`, every GPU under every design, and live kernels of more builds.
[ -n "${GMMU_BUILDS:-}" ] || { echo "1..0 # SKIP GMMU_BUILDS is not set"; exit; }
golden=$(dirname "$0")/golden
out=$(mktemp)
trap 'rm -f "$out"' EXIT
n=0
cast() { # build, program, part, dealt
  n=$((n + 1))
  # shellcheck disable=SC2086  # a word or none
  "$GMMU_BUILDS/$1/tests/net/$2" "$3" "$golden/$3.net" ${4:-} >"$out" 2>&1 && echo "ok $n - $1: $3" && return
  echo "not ok $n - $1: $3"
  grep -v '^ok' "$out" | head -n 20 | sed 's/^/# /'
}
for build in clang debug tick general backwards; do
  for part in features random; do cast $build test_machines $part; done
  if [ -n "${1:-}" ]; then cast $build test_machines presets; else cast $build test_machines presets dealt; fi
  # Atomics of a live kernel are performed in the order in which SMs issue, which is not that of messages.
  case $build${1:-} in backwards* | debug | tick | general) ;; *) cast $build test_live live ;; esac
done
echo "1..$n"
