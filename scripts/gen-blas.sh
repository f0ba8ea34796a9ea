#!/bin/sh
# The PTX of our cuBLAS and cuFFT, from src/cudart/blas/blas.cu: gen-blas.sh [--check] [GMMU]. With
# --check it only tells whether the file is current. Places in the source, which name the machine's
# folders, are left out.
set -eu
cd "$(dirname "$0")/.."
check=
[ "${1:-}" != --check ] || { check=1; shift; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"${1:-build/release/tools/gmmu}" cc -arch=sm_70 --ptx -o "$dir/raw.ptx" src/cudart/blas/blas.cu
sed -e '/^\t\.loc/d' -e '/^\t\.file/d' -e '/^\t*\.section/,$d' -e '/^L[a-z_]*[0-9]*:/d' "$dir/raw.ptx" >"$dir/blas.ptx"
[ -n "$check" ] || exec cp "$dir/blas.ptx" src/cudart/blas/blas.ptx
diff src/cudart/blas/blas.ptx "$dir/blas.ptx"
