/* Functions of the program's own around shuffles: values that one lane sets, undefined in the
 * others, go through them as parameters. */
#include "check.h"

template <class T> __device__ T mine(T v, int from) { return __shfl_sync(0xffffffffu, v, from); }
__device__ __noinline__ int not_inlined(int v, int from) { return mine(v, from); }
__device__ int leader_sets(int lane, int leader, int v) {
  int r;
  if (lane == leader) r = v * 3;
  return mine(r, leader);
}
struct point {
  float x, y, z;
};
__device__ point mine(point p, int from) {
  point r;
  r.x = mine(p.x, from), r.y = mine(p.y, from), r.z = mine(p.z, from);
  return r;
}
/* One atomic operation for all lanes that come here. */
__device__ int take(int *counter) {
  unsigned active = __activemask();
  int leader = __ffs(active) - 1, lane = threadIdx.x & 31, base;
  if (lane == leader) base = atomicAdd(counter, __popc(active));
  base = __shfl_sync(active, base, leader);
  return base + __popc(active & ((1u << lane) - 1));
}
template <class F> __device__ double one_does(int lane, F f) {
  double r;
  if (lane == 2) r = f();
  return mine(r, 2);
}

__global__ void kernel(const int *in, int *out, int *counter, int *list) {
  int t = threadIdx.x, lane = t & 31, v;
  point p;
  out += 5 * t;
  out[0] = leader_sets(lane, 5, in[t]);
  if (lane == 7) v = in[t] + 1;
  out[1] = not_inlined(v, 7);
  if (in[t] % 3 == 0) list[take(counter)] = in[t];
  if (lane == 0) p = point{(float)in[t], 2, 3};
  p = mine(p, 0);
  out[2] = (int)(p.x + p.y + p.z);
  out[3] = (int)one_does(lane, [&] { return in[t] * 0.5 + 1; });
  int best;
  switch (lane) { /* set in some cases only */
  case 11: best = in[t]; break;
  case 12: best = -1; break;
  default: break;
  }
  out[4] = not_inlined(best, 11);
}

int main() {
  const int n = 128;
  std::vector<int> in(n), expect(5 * n), some;
  for (int i = 0; i < n; i++) {
    in[i] = i * 7 % 50;
    if (in[i] % 3 == 0) some.push_back(in[i]);
  }
  for (int i = 0; i < n; i++) {
    const int *w = &in[i / 32 * 32];
    int e[] = {w[5] * 3, w[7] + 1, w[0] + 5, (int)(w[2] * 0.5 + 1), w[11]};
    std::copy(e, e + 5, &expect[5 * i]);
  }
  int *out = device_zeros<int>(5 * n), *counter = device_zeros<int>(1),
      *list = device_zeros<int>(n);
  kernel<<<1, n>>>(to_device(in), out, counter, list);
  LAUNCHED();
  same("shuffles", to_host(out, 5 * n), expect);
  same("counter", to_host(counter, 1), std::vector<int>{(int)some.size()});
  int sum = 0, want_sum = 0;
  for (int v : to_host(list, some.size())) sum += v;
  for (int v : some) want_sum += v;
  want(sum == want_sum, "the list has what was put there");
  return pass("own_shuffles", expect);
}
