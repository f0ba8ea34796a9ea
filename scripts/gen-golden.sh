#!/bin/sh
# gen-golden.sh [gmmu]: makes tests/cli/golden/*.json anew, after an intended change of the model.
set -eu
cd "$(dirname "$0")/.."
gmmu=${1:-build/release/tools/gmmu}
golden=tests/cli/golden
grep -v '^#' $golden/cases | while read -r name args; do
  # shellcheck disable=SC2086  # words
  "$gmmu" run --json -o "$golden/$name.json" $args
done
