/* Open addressing with compare-and-swap: insert, count, look up. */
#include "check.h"
#include <map>

#define EMPTY 0xffffffffu

__device__ unsigned slot_of(unsigned key, unsigned mask) {
  key ^= key >> 16, key *= 0x85ebca6bu, key ^= key >> 13, key *= 0xc2b2ae35u;
  return (key ^ key >> 16) & mask;
}
__global__ void insert(const unsigned *in, unsigned *keys, unsigned *counts, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned s = slot_of(in[i], mask);; s = (s + 1) & mask) {
    unsigned old = atomicCAS(&keys[s], EMPTY, in[i]);
    if (old == EMPTY || old == in[i]) {
      atomicAdd(&counts[s], 1u);
      return;
    }
  }
}
__global__ void look_up(const unsigned *in, const unsigned *keys, const unsigned *counts,
                        unsigned *out, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = slot_of(in[i], mask);
  while (keys[s] != in[i] && keys[s] != EMPTY) s = (s + 1) & mask;
  out[i] = keys[s] == EMPTY ? 0 : counts[s];
}

int main() {
  const int n = 5000, slots = 4096;
  std::vector<unsigned> v(n), empty(slots, EMPTY), expect(n);
  std::map<unsigned, unsigned> counts;
  for (unsigned &x : v) x = random_u32() % 2500, counts[x]++;
  for (int i = 0; i < n; i++) expect[i] = counts[v[i]];
  unsigned *in = to_device(v), *keys = to_device(empty), *c = device_zeros<unsigned>(slots);
  unsigned *out = device_zeros<unsigned>(n);
  insert<<<(n + 127) / 128, 128>>>(in, keys, c, n, slots - 1);
  look_up<<<(n + 127) / 128, 128>>>(in, keys, c, out, n, slots - 1);
  LAUNCHED();
  same("counts", to_host(out, n), expect);
  return pass("hash_table", expect);
}
