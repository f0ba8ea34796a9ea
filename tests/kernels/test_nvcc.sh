#!/bin/sh
# The applications are CUDA for NVIDIA's compiler too, where it is installed: some, so that each header of theirs is compiled. With
# $GMMU_NVCC_RUNS all of them, and they run, at size tiny: each gives what its reference gives.
# shellcheck source-path=SCRIPTDIR/../cli source=lib.sh
. "$(dirname "$0")/../cli/lib.sh"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
  skip "nvcc compiles the applications" "no nvcc here"
  finish
  exit
fi
verified() { # source
  "$nvcc" -O2 -std=c++14 -cudart shared -gencode arch=compute_75,code=compute_75 -o "$dir/x" "$1" &&
    "$gmmu" run --functional -- "$dir/x" --size tiny --verify | grep -qx '.*: verified'
}
# The first application that includes a header which none before did.
sample() {
  for file in "$root"/kernels/*/*.cu; do
    for header in $(sed -n 's/^#include [<"]\(.*\)[>"].*/\1/p' "$file"); do
      ! grep -qxF "$header" "$dir/headers" || continue
      echo "$header" >>"$dir/headers"
      echo "$file"
    done
  done | uniq
}
touch "$dir/headers"
if [ -n "${GMMU_NVCC_RUNS:-}" ]; then files=$(ls "$root"/kernels/*/*.cu); else files=$(sample); fi
for file in $files; do
  name=$(basename "$file")
  if [ -z "${GMMU_NVCC_RUNS:-}" ]; then # the device's part alone: a third of the time
    try "nvcc: $name" "$nvcc" -ptx -arch=compute_75 -o "$dir/x.ptx" "$file"
  elif [ "$name" != db.cu ]; then # kernels alone
    try "nvcc: $name, tiny: verified" verified "$file"
  fi
done
finish
