/* Cache policies and other hints change no result: createpolicy in its three forms, loads, stores
 * and atomics with a policy, prefetches, and the waits of launches that depend on each other. */
#include "check.h"

__global__ void hinted(const int *in, int *out, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v, w;
  unsigned long long part, whole, range, same;
  asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;"
               : "=l"(part));
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(whole));
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 128, 256;"
               : "=l"(range)
               : "l"(in));
  asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(same) : "l"(0x10f0000000000000ull));
  asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(v) : "l"(in + i), "l"(part));
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.s32 %0, [%1], %2;"
               : "=r"(w)
               : "l"(in + i), "l"(range));
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + i));
  asm volatile("st.global.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(out + i), "r"(v + w), "l"(whole)
               : "memory");
  asm volatile("red.global.add.L2::cache_hint.s32 [%0], %1, %2;" ::"l"(sum), "r"(v), "l"(same)
               : "memory");
}
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900 && !defined __clang__
#define DEPENDS(what) /* nvcc has it from sm_90 on */
#else
#define DEPENDS(what) asm volatile("griddepcontrol." what ";" ::: "memory")
#endif
__global__ void second(const int *out, int *copy) {
  DEPENDS("wait");
  copy[threadIdx.x] = out[threadIdx.x] + 1;
  DEPENDS("launch_dependents");
}

int main() {
  const int n = 256;
  std::vector<int> in(n), twice(n), more(n);
  int total = 0;
  for (int i = 0; i < n; i++) in[i] = 7 * i - 300, twice[i] = 2 * in[i], total += in[i];
  for (int i = 0; i < n; i++) more[i] = twice[i] + 1;
  int *out = device_zeros<int>(n), *copy = device_zeros<int>(n), *sum = device_zeros<int>(1);
  hinted<<<n / 64, 64>>>(to_device(in), out, sum);
  LAUNCHED();
  second<<<1, n>>>(out, copy);
  LAUNCHED();
  same("loads and stores", to_host(out, n), twice);
  same("sum", to_host(sum, 1), std::vector<int>{total});
  same("the launch behind", to_host(copy, n), more);
  puts("cache_hints: PASS");
}
