/* Every atomic function of every type, on global and on shared memory; each with a result that does
 * not depend on the order. */
#include "check.h"

template <class T> __global__ void additions(T *g) {
  __shared__ T s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(g, (T)threadIdx.x);
  atomicAdd(&s, (T)1);
  atomicAdd_block(&s, (T)1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd_system(g + 1, s);
}
template <class T> __global__ void limits(T *g) {
  T v = (T)(threadIdx.x * 37 % 101) - (T)50;
  atomicMin(g, v);
  atomicMax(g + 1, v);
  atomicAnd(g + 2, (T) ~((T)1 << (threadIdx.x % 20)));
  atomicOr(g + 3, (T)1 << (threadIdx.x % 20));
  atomicXor(g + 4, (T)threadIdx.x);
}
template <class T> __global__ void swaps(T *g, T *seen) {
  T old = atomicExch(g, (T)(threadIdx.x + 1)); /* a chain: each value is seen once */
  atomicAdd(seen + (int)old, (T)1);
}
__global__ void others(unsigned *g, int *s, unsigned long long *c) {
  atomicInc(g, 9u);
  atomicDec(g + 1, 6u);
  atomicSub(s, 3);
  atomicSub(g + 2, 2u);
  unsigned long long old = *c, assumed;
  do {
    assumed = old;
    old = atomicCAS(c, assumed, assumed * 3 + 1);
  } while (old != assumed);
}
__global__ void float_max(float *g) { /* the usual loop around atomicCAS */
  int *p = (int *)g, old = *p;
  float v = (float)(threadIdx.x * 29 % 97);
  while (v > __int_as_float(old)) {
    int seen = atomicCAS(p, old, __float_as_int(v));
    if (seen == old) break;
    old = seen;
  }
}

template <class T> void check_additions(const char *name) {
  T *d = device_zeros<T>(2);
  additions<T><<<4, 96>>>(d);
  std::vector<T> expect = {(T)(4 * 96 * 95 / 2), (T)(4 * 96 * 2)};
  same(name, to_host(d, 2), expect);
}
template <class T> void check_limits(const char *name) {
  std::vector<T> v = {(T)1000000, (T)0, (T)-1, (T)0, (T)0};
  bool is_signed = (T)-1 < (T)0;
  T lo = v[0], hi = v[1], x = 0;
  for (int t = 0; t < 128; t++) {
    T w = (T)(t * 37 % 101) - (T)50;
    lo = w < lo ? w : lo, hi = w > hi ? w : hi, x ^= (T)t;
  }
  (void)is_signed;
  T *d = to_device(v);
  limits<T><<<1, 128>>>(d);
  std::vector<T> expect = {lo, hi, (T) ~(T)0xfffff, (T)0xfffff, x};
  same(name, to_host(d, 5), expect);
}
template <class T> void check_swaps(const char *name) {
  T *d = device_zeros<T>(1), *seen = device_zeros<T>(65);
  swaps<T><<<1, 64>>>(d, seen);
  std::vector<T> s = to_host(seen, 65), last = to_host(d, 1);
  for (int i = 0; i <= 64; i++) want(s[i] == (T)((T)i == last[0] ? 0 : 1), name);
}

int main() {
  check_additions<int>("add int");
  check_additions<unsigned>("add unsigned");
  check_additions<unsigned long long>("add unsigned long long");
  check_additions<float>("add float");
  check_additions<double>("add double");
  check_limits<int>("int");
  check_limits<unsigned>("unsigned");
  check_limits<long long>("long long");
  check_limits<unsigned long long>("unsigned long long");
  check_swaps<int>("swap int");
  check_swaps<unsigned>("swap unsigned");
  check_swaps<float>("swap float");
  unsigned *u = device_zeros<unsigned>(3);
  int *s = device_zeros<int>(1);
  unsigned long long *c = device_zeros<unsigned long long>(1), chain = 0;
  others<<<1, 23>>>(u, s, c);
  for (int i = 0; i < 23; i++) chain = chain * 3 + 1;
  same("inc, dec, sub", to_host(u, 3),
       std::vector<unsigned>{23 % 10, (7 - 23 % 7) % 7, (unsigned)-46});
  same("sub", to_host(s, 1), std::vector<int>{-69});
  same("cas", to_host(c, 1), std::vector<unsigned long long>{chain});
  float *f = device_zeros<float>(1);
  float_max<<<2, 64>>>(f);
  float most = 0;
  for (int t = 0; t < 64; t++) most = std::max(most, (float)(t * 29 % 97));
  same("float max", to_host(f, 1), std::vector<float>{most});
  LAUNCHED();
  return pass("atomics");
}
