#!/usr/bin/env bash
# Fuzz every reader of outside input, FUZZ_SECONDS each (20 minutes), or only the targets named.
set -u
cd "$(dirname "$0")/.." || exit 1
FUZZ_SECONDS=${FUZZ_SECONDS:-1200}
. scripts/steps.sh

steps build-fuzz
if passed build-fuzz; then
  mapfile -t targets < <(fuzz_targets)
  [ $# = 0 ] || targets=("$@")
  steps "${targets[@]}"
fi
report
