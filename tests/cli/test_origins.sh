#!/bin/sh
# Who is responsible: the array that is gathered at random, the line that does it, by name, whichever compiler.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
work=$dir

cat >"$work/three.cu" <<'EOF'
#include <cstdio>
#include <cuda_runtime.h>
__device__ float scale[256];
__global__ void mix(const int *index, const float *table, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int k = index[i];
  float v =
      table[k];
  out[i] = v * scale[i & 255];
}
static void *get(size_t bytes) {
  void *p;
  return cudaMalloc(&p, bytes) ? nullptr : p;
}
int main() {
  const int n = 1 << 15, m = 1 << 24;
  int *index, *host = new int[n];
  float *table, *out;
  unsigned x = 1;
  for (int i = 0; i < n; i++) host[i] = (x = x * 1664525u + 1013904223u) >> 8;
  cudaMalloc(&index, n * sizeof(int));
  cudaMalloc(
      (void **)&table, m * sizeof(float));
  out = (float *)get(n * sizeof(float));
  cudaMemcpy(index, host, n * sizeof(int), cudaMemcpyHostToDevice);
  mix<<<n / 256, 256>>>(index, table, out, n);
  return cudaDeviceSynchronize();
}
EOF
cp "$work/three.cu" "$work/named.cu"
sed -i 's/#include <cstdio>/#include "gmmu_name.h"/; s/  cudaMemcpy(index/  gmmu_name(table + 5, "my table");\n&/' "$work/named.cu"
line=$(grep -n 'table\[k\]' "$work/three.cu" | cut -d: -f1)

# The row of a table whose first cell is $2: its share of the walks, without the point.
share() { # file, row
  awk -v row="$2" 'index($0, row) == 1 { rest = substr($0, length(row) + 1); n = split(rest, cell, " "); print cell[n - 2] * 10; exit }' "$1"
}
most() { # what, file, row: more than 95 % of the walks
  s=$(share "$2" "$3")
  if [ "${s:-0}" -gt 950 ]; then pass "$1"; else fail "$1" "$(cat "$2")"; fi
}

both() { # compiler
  "$gmmu" run --by array --design sharedtlb -- "$work/three" >"$work/array" 2>"$work/err" || cat "$work/err"
  "$gmmu" run --by line --design sharedtlb -- "$work/three" >"$work/line" 2>>"$work/err" || cat "$work/err"
  "$gmmu" run --by kernel --design sharedtlb -- "$work/three" >"$work/kernel" 2>>"$work/err" || cat "$work/err"
  most "$1: the array that is gathered has the walks, under its name" "$work/array" "table "
  most "$1: and its line" "$work/line" "three.cu:$line "
  most "$1: and its kernel, as it is written" "$work/kernel" "mix "
  try "$1: a variable of the device has its name" grep -q "^scale " "$work/array"
  "$gmmu" record -o "$work/three.gmt" -- "$work/three" >"$work/out" 2>&1 || cat "$work/out"
  "$gmmu" run --by array --design sharedtlb "$work/three.gmt" >"$work/array"
  most "$1: a recording keeps names" "$work/array" "table "
}

"$gmmu" cc -o "$work/three" "$work/three.cu" && both "gmmu cc"
"$gmmu" cc -o "$work/three" "$work/named.cu" && "$gmmu" run --by array --design sharedtlb -- "$work/three" >"$work/array"
most "gmmu_name() names an array" "$work/array" "my table "
# several allocations in one line, and no others: each has its own name
cat >"$work/line.cu" <<'EOF'
#include <cuda_runtime.h>
__global__ void sum(const int *a, const int *b, int *c) { c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
int main() {
  int *a, *b, *c;
  cudaMalloc(&a, 256); cudaMalloc(&b, 512); cudaMalloc(&c, 768);
  sum<<<1, 32>>>(a, b, c);
  return cudaDeviceSynchronize();
}
EOF
"$gmmu" cc -o "$work/line" "$work/line.cu" && "$gmmu" run --by array --design sharedtlb -- "$work/line" >"$work/array"
for a in a b c; do try "three allocations in one line have their names: $a" grep -q "^$a  " "$work/array"; done
# without line numbers, whether or not libc has them: an array is a row of its own
strip -g "$work/line" && "$gmmu" run --by array --design sharedtlb -- "$work/line" >"$work/array"
rows=$(sed -n '/by array:/,$p' "$work/array" | grep -c '^cudaMalloc')
if [ "$rows" = 3 ]; then pass "without names, three arrays are three rows"; else fail "without names, three arrays are three rows" "$(cat "$work/array")"; fi
# what --by shows a store keeps, and a report of it has
rm -f "$work/runs.db"
"$gmmu" run --by line --store "$work/runs.db" --design sharedtlb "$work/three.gmt" >"$work/line"
"$gmmu" export "$work/runs.db" --table counters >"$work/counters"
try "--by is stored" grep -q 'by_line\[0\].walks' "$work/counters"
if command -v nvcc >/dev/null && nvcc -cudart shared -lineinfo -g -O1 -o "$work/three" "$work/three.cu" >/dev/null 2>&1; then
  both nvcc
else
  skip "nvcc" "there is no nvcc"
fi
finish
