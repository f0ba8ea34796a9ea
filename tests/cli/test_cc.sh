#!/bin/sh
# gmmu cc: what it makes, what it refuses, what it leaves behind (nothing).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

wants 2 'no file given' "no file" cc
wants 2 'unknown option "-nonsense"' "an unknown option" cc -nonsense x.cu
wants 2 'into one .cu file' "-rdc=true" cc -rdc=true x.cu
wants 2 'into one .cu file' "-dc" cc -dc x.cu
wants 2 'only PTX' "-cubin" cc -cubin x.cu
wants 2 'needs a value' "-o without a file" cc x.cu -o
wants 2 'is none' "--ptx of something else" cc --ptx x.cpp
wants 2 'one program' "-o with several objects" cc -c a.cu b.cu -o x.o
wants 1 'none.cu' "a file that is not there" cc "$dir/none.cu" -o "$dir/none"
command -v clang >/dev/null || command -v clang-14 >/dev/null || { finish; exit; }

# Spaces in launches, nvcc's options, a quoted include next to the source; from another folder.
mkdir "$dir/src" "$dir/tmp" "$dir/work"
echo '#define TIMES 3' >"$dir/src/times.h"
cat >"$dir/src/a.cu" <<'END'
#include <cstdio>
#include <vector>
#include "times.h"
template <class T> struct keep { T v; };
int helper(int);
__global__ void k(int *p) { p[threadIdx.x] = TIMES * EXTRA + (int)threadIdx.x; }
int main() {
  std::vector<keep<keep<int> > > v(2); /* not a launch: << < in a comment */
  int *d, h[32];
  cudaMalloc(&d, sizeof h);
  k << <1, 32>> >(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d %d << < %d\n", h[0], helper(h[31]), (int)v.size());
}
END
echo 'int helper(int x) { return x + 1; }' >"$dir/src/b.cpp"
cd "$dir/work" || exit 1
export TMPDIR="$dir/tmp"
try "two files become a program" "$gmmu" cc -O3 -std=c++14 -DEXTRA=7 -gencode arch=compute_60,code=sm_60 -lineinfo \
  -Xptxas -v --maxrregcount=32 -Xcompiler -Wall,-fno-common -lcudart -lm ../src/a.cu ../src/b.cpp -o prog
try "which runs" sh -c "'$gmmu' run --functional -- ./prog | grep -x '21 53 << < 2'"
try "objects are named after their sources" "$gmmu" cc -c -DEXTRA=1 ../src/a.cu ../src/b.cpp
try "and can be linked" "$gmmu" cc a.o b.o -o linked
try "PTX for the target asked for" sh -c "'$gmmu' cc --ptx -arch=sm_61 -DEXTRA=1 ../src/a.cu && grep -q 'target sm_61' a.ptx"
try "--keep keeps" sh -c "'$gmmu' cc --keep -DEXTRA=1 -c ../src/a.cu -o kept.o && test -s a.fatbin"
try "--dryrun only talks" sh -c "'$gmmu' cc --dryrun ../src/b.cpp -o not 2>&1 | grep -q clang && ! test -e not"
"$gmmu" cc ../src/a.cu -o wrong >out 2>err
try "errors of the compiler name the user's file and line" grep -q '^../src/a.cu:6:.*EXTRA' err
try "a failed build leaves no program" test ! -e wrong
sh -c "'$gmmu' cc --dryrun ../src/a.cu -o not 2>&1 >/dev/null | true" # nobody reads what it says
try "nothing stays in the temporary folder" sh -c "test -z \"\$(ls '$dir/tmp')\""
finish
