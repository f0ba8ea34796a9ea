#!/bin/sh
# clang-format over every C file: format.sh rewrites, format.sh --check only complains.
set -eu
cd "$(dirname "$0")/.."
mode=-i
[ "${1:-}" != --check ] || mode="--dry-run -Werror"
dirs=
for dir in include src tools tests fuzz bench kernels examples; do [ ! -d $dir ] || dirs="$dirs $dir"; done
# shellcheck disable=SC2086  # lists of words on purpose
find $dirs \( -name "*.[ch]" -o -name "*.cu" \) -print0 | xargs -0 -r clang-format $mode
