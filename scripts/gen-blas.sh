#!/bin/sh
# The PTX of our cuBLAS and cuFFT, from src/cudart/blas/blas.cu: gen-blas.sh [GMMU]
set -eu
cd "$(dirname "$0")/.."
"${1:-build/release/tools/gmmu}" cc -arch=sm_70 --ptx -o src/cudart/blas/blas.ptx src/cudart/blas/blas.cu
