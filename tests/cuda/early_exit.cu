/* Threads that leave early, loops with breaks and continues, nested branches around barriers. */
#include "check.h"

__global__ void collatz(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0) {
    out[0] = -1;
    return;
  }
  int steps = 0;
  for (unsigned v = i; v != 1; steps++) {
    if (v & 1) {
      v = 3 * v + 1;
      continue;
    }
    v /= 2;
    if (steps > 150) break;
  }
  out[i] = steps;
}
__global__ void leave(int *out) { /* half of the warps are gone when the rest meets */
  __shared__ int s[128];
  s[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x >= 64) return;
  s[threadIdx.x] = threadIdx.x * 2;
  __syncthreads();
  int t = 0;
  for (int i = 0; i < 4; i++) {
    if ((threadIdx.x >> i) & 1) {
      if (i == 2) continue;
      t += s[63 - threadIdx.x] << i;
    } else if (threadIdx.x % 5 == 0)
      break;
    else
      t -= i;
  }
  out[threadIdx.x] = t;
}

int main() {
  const int n = 700;
  std::vector<int> a(n), b(64);
  for (int i = 0; i < n; i++) {
    int steps = i ? 0 : -1;
    for (unsigned v = i; i && v != 1; steps++) {
      if (v & 1) {
        v = 3 * v + 1;
        continue;
      }
      v /= 2;
      if (steps > 150) break;
    }
    a[i] = steps;
  }
  for (int k = 0; k < 64; k++)
    for (int i = 0; i < 4; i++) {
      if (k >> i & 1)
        b[k] += i == 2 ? 0 : (2 * (63 - k)) << i;
      else if (k % 5 == 0)
        break;
      else
        b[k] -= i;
    }
  int *da = device_zeros<int>(n), *db = device_zeros<int>(64);
  collatz<<<(n + 95) / 96, 96>>>(da, n);
  leave<<<1, 128>>>(db);
  LAUNCHED();
  same("collatz", to_host(da, n), a);
  same("leave", to_host(db, 64), b);
  return pass("early_exit", a);
}
