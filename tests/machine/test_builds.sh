#!/bin/sh
# Random machines have the same statistics in every build: gcc and clang, -O3 and -O0, sanitizers,
# the one that ticks every block in every cycle against those that sleep, and the one that ticks them
# backwards.
[ -n "${GMMU_BUILDS:-}" ] || { echo "1..0 # SKIP GMMU_BUILDS is not set"; exit; }
digest() { GMMU_MACHINES=60 GMMU_DIGEST=1 "$GMMU_BUILDS/$1/tests/machine/test_random_machines" 2>&1 | sed -n 's/.*digest //p'; }
want=$(digest release)
n=0
for build in clang debug san tick backwards; do
  n=$((n + 1))
  got=$(digest $build)
  if [ -n "$got" ] && [ "$got" = "$want" ]; then ok=ok; else ok="not ok"; fi
  echo "$ok $n - $build is release"
done
echo "1..$n"
