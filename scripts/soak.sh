#!/usr/bin/env bash
# The long tests (suite "soak") in the release and the sanitizer build. SOAK_TIMEOUTS multiplies
# the time each test allows itself.
set -u
cd "$(dirname "$0")/.." || exit 1
. scripts/steps.sh

steps build-release build-san build-clang build-debug build-tick build-general build-backwards # the last five: soak-builds
for name in release san; do
  if passed build-$name; then steps soak-$name; fi
done
report
