/* Fields of a signed number that reach beyond its top bit, where the sign is repeated: clang 14 has
 * the instruction for unsigned ones, which gmmu cc must not let pass; written by hand it may. */
#include "check.h"

typedef long long wide;

__device__ static wide by_hand(wide x) {
  wide field;
  asm("bfe.u64 %0, %1, 60, 9;" : "=l"(field) : "l"(x));
  return field;
}

__global__ void fields(const wide *x, wide *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[4 * i] = x[i] < 0 ? 7 : 0;
  out[4 * i + 1] = (x[i] >> 60) & 31;
  out[4 * i + 2] = (wide)(((unsigned long long)x[i] >> 60) & 31);
  out[4 * i + 3] = by_hand(x[i]);
}

int main() {
  const int n = 256;
  std::vector<wide> x(n), expect(4 * n);
  for (int i = 0; i < n; i++) {
    x[i] = (wide)((unsigned long long)random_u32() << 40 ^ random_u32());
    expect[4 * i] = x[i] < 0 ? 7 : 0;
    expect[4 * i + 1] = (x[i] >> 60) & 31;
    expect[4 * i + 2] = expect[4 * i + 3] = (wide)((unsigned long long)x[i] >> 60);
  }
  wide *d = to_device(x), *out = device_zeros<wide>(4 * n);
  fields<<<2, 128>>>(d, out, n);
  LAUNCHED();
  same("fields", to_host(out, 4 * n), expect);
  return pass("sign_fields", expect);
}
