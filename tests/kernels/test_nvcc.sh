#!/bin/sh
# The applications are CUDA for NVIDIA's compiler too, where it is installed.
# shellcheck source-path=SCRIPTDIR/../cli source=lib.sh
. "$(dirname "$0")/../cli/lib.sh"
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
  skip "nvcc compiles the applications" "no nvcc here"
  finish
  exit
fi
# The device's part alone: a third of the time.
for file in "$root"/kernels/*/*.cu; do
  try "nvcc: $(basename "$file")" "$nvcc" -ptx -arch=compute_75 -o "$dir/x.ptx" "$file"
done
finish
