#!/usr/bin/env bash
# Everything that must hold before a change goes in; the last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
FUZZ_SEED=${FUZZ_SEED:-1} # a check is to be repeatable; `make fuzz` is the one that explores
. scripts/steps.sh

# The longest first; those that ccache makes from the release's objects last.
steps format includes build-release build-san build-fuzz build-clang build-debug build-tick build-general build-backwards

# Tests may compare the builds with each other, so they begin when all are there.
# The sanitizers' come last, when most programs of tests/cuda are compiled.
next=()
if passed build-release; then next+=(test-release); fi
if passed build-fuzz; then mapfile -t -O ${#next[@]} next < <(fuzz_targets); fi
if passed build-san; then next+=(test-san); fi
steps "${next[@]}"
report
