#!/bin/sh
# Structures and numbers of src/cudart/abi.h against an installed CUDA toolkit: test_abi.sh ROOT. 77: there is none.
set -eu
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || exit 77
major=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\).*/\1/p')
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$nvcc" -DCUDA_MAJOR="$major" -I "$1/src" -I "$1/include" -c "$1/tests/cudart/abi.cu" -o "$out/abi.o"
