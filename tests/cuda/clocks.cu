/* Clocks, the SM's number and a wait of a given length, as micro-benchmarks use them. */
#include "check.h"

__global__ void chase(const int *next, int steps, int *last, long long *cycles) {
  int at = threadIdx.x;
  long long start = clock64();
  for (int i = 0; i < steps; i++) at = next[at];
  *last = at;
  *cycles = clock64() - start;
}
__global__ void places(unsigned *sm, unsigned *lane) {
  unsigned s, l, w;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(l));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(w));
  if (threadIdx.x == 0) sm[blockIdx.x] = s;
  lane[threadIdx.x] = l + (w > 64 ? 1000 : 0);
}
__global__ void wait(int cycles, int *done) {
  clock_t start = clock();
  while (clock() - start < cycles) {
  }
  *done = 1;
}

int main() {
  const int n = 1024, steps = 200;
  std::vector<int> next(n);
  for (int i = 0; i < n; i++) next[i] = (i + 37) % n;
  int *last = device_zeros<int>(1);
  long long *cycles = device_zeros<long long>(1);
  chase<<<1, 1>>>(to_device(next), steps, last, cycles);
  LAUNCHED();
  want(to_host(last, 1)[0] == 37 * steps % n, "where the chase ends");
  want(to_host(cycles, 1)[0] >= steps, "time passes");
  unsigned *sm = device_zeros<unsigned>(8), *lane = device_zeros<unsigned>(64);
  places<<<8, 64>>>(sm, lane);
  wait<<<1, 1>>>(1000, last);
  LAUNCHED();
  int sms;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  for (unsigned s : to_host(sm, 8)) want(s < (unsigned)sms, "number of an SM");
  std::vector<unsigned> l = to_host(lane, 64);
  for (int i = 0; i < 64; i++) want(l[i] == i % 32u, "lane");
  want(to_host(last, 1)[0] == 1, "the wait ends");
  return pass("clocks");
}
