#!/bin/sh
# The PTX in src/cudart/blas is what `gmmu cc` makes of the .cu files there: test_blas.sh ROOT GMMU. Output is TAP.
# Another version of clang makes other code, so the comparison needs the one that made the file.
set -u
root=$1 gmmu=$(realpath "$2")
clang=$(command -v "${GMMU_CLANG:-clang}" || command -v clang-14) || { echo "1..0 # SKIP no clang"; exit 0; }
"$clang" --version | grep -q 'version 14\.' || { echo "1..0 # SKIP the PTX is made by clang 14"; exit 0; }
if said=$("$root/scripts/gen-blas.sh" --check "$gmmu" 2>&1); then
  echo "ok 1 - the PTX is current"
else
  echo "not ok 1 - the PTX is not current: scripts/gen-blas.sh makes it"
  printf '%s\n' "$said" | head -n 10 | sed 's/^/# /'
fi
echo "1..1"
