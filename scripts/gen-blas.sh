#!/bin/sh
# The PTX of our cuBLAS, cuFFT and cuRAND, from src/cudart/blas/*.cu: gen-blas.sh [--check] [GMMU].
# With --check it only tells whether the files are current. Places in the source, which name the
# machine's folders, are left out.
set -eu
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=1; shift; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for name in blas rand; do
  "${1:-build/release/tools/gmmu}" cc -arch=sm_70 --ptx -o "$dir/raw.ptx" "src/cudart/blas/$name.cu"
  sed -e '/^\t\.loc[[:space:]]/d' -e '/^\t\.file[[:space:]]/d' -e '/^\t*\.section/,$d' -e '/^L[a-z_]*[0-9]*:/d' "$dir/raw.ptx" >"$dir/$name.ptx"
  if [ -z "$check" ]; then
    cp "$dir/$name.ptx" "src/cudart/blas/$name.ptx"
  else
    diff "src/cudart/blas/$name.ptx" "$dir/$name.ptx"
  fi
done
