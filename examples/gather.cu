// out[i] = sum of some elements of a large table, at random places: the kind of access that
// translation hurts.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void gather(float *out, const unsigned *index, const float *table, unsigned count,
                       unsigned rounds) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned at = index[i];
  float sum = 0;
  for (unsigned r = 0; r < rounds; r++) {
    sum += table[at & (count * 64 - 1)];
    at = at * 1664525u + 1013904223u;
  }
  out[i] = sum;
}

int main(int argc, char **argv) {
  const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 1u << 15; // a power of two
  const unsigned places = count * 64;
  unsigned *index, *host = (unsigned *)malloc(count * sizeof *host);
  float *table, *out, first = 0;
  cudaMalloc(&index, count * sizeof *index);
  cudaMalloc(&table, places * sizeof *table);
  cudaMalloc(&out, count * sizeof *out);
  for (unsigned i = 0; i < count; i++) host[i] = i * 2654435761u;
  cudaMemcpy(index, host, count * sizeof *host, cudaMemcpyHostToDevice);
  cudaMemset(table, 0, places * sizeof *table);
  gather<<<(count + 255) / 256, 256>>>(out, index, table, count, 4);
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  printf("%u elements gathered, the first sum is %g\n", count, first);
  cudaFree(index), cudaFree(table), cudaFree(out);
  free(host);
  return first == 0 ? 0 : 1;
}
