/* cuda::atomic and cuda::atomic_ref: counters, floating point, a lock, a hand-over between blocks,
 * the same object on the host; cuda::barrier. */
#include "check.h"
#include <cuda/atomic>
#include <cuda/barrier>

struct pair_of {
  float a, b;
};
typedef cuda::atomic<int, cuda::thread_scope_device> counter;
__global__ void count(counter *c, cuda::atomic<unsigned long long> *wide, float *sum, int *most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c->fetch_add(1, cuda::std::memory_order_relaxed);
  ++*wide;
  cuda::atomic_ref<float, cuda::thread_scope_device> s(*sum);
  s.fetch_add(0.5f);
  cuda::atomic_ref<int, cuda::thread_scope_device> m(*most);
  m.fetch_max((i * 37) % 1000);
}
__global__ void locked(counter *lock, int *value) {
  for (int turn = 0; turn < 3; turn++) {
    int zero = 0;
    while (!lock->compare_exchange_weak(zero, 1, cuda::std::memory_order_acquire)) zero = 0;
    *(volatile int *)value = *(volatile int *)value + 1;
    lock->store(0, cuda::std::memory_order_release);
  }
}
__global__ void hand_over(counter *flag, int *data, int *out) {
  if (blockIdx.x == 1) {
    data[0] = 42;
    flag->store(1, cuda::std::memory_order_release);
  } else {
    while (flag->load(cuda::std::memory_order_acquire) == 0) {
    }
    out[0] = data[0];
  }
}
__global__ void two_words(cuda::atomic<pair_of, cuda::thread_scope_device> *p) {
  pair_of old = p->load(), next;
  do {
    next.a = old.a + 1, next.b = old.b + 2;
  } while (!p->compare_exchange_strong(old, next));
}
__global__ void meet(int *out) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int box[64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  for (int r = 0; r < 3; r++) {
    box[threadIdx.x] = (int)threadIdx.x + r;
    bar.arrive_and_wait();
    out[threadIdx.x] += box[63 - threadIdx.x];
    auto token = bar.arrive();
    bar.wait(std::move(token));
  }
}
int main() {
  counter *c;
  CUDA(cudaMallocManaged(&c, sizeof *c * 4));
  for (int i = 0; i < 4; i++) new (&c[i]) counter(0);
  cuda::atomic<unsigned long long> *wide;
  CUDA(cudaMallocManaged(&wide, sizeof *wide));
  new (wide) cuda::atomic<unsigned long long>(1ull << 40);
  float *sum = device_zeros<float>(1);
  int *ints = device_zeros<int>(64);
  count<<<4, 64>>>(&c[0], wide, sum, ints);
  LAUNCHED();
  want(c[0].load() == 256 && wide->load() == (1ull << 40) + 256, "counters");
  want(to_host(sum, 1)[0] == 128.0f, "sum");
  int most = 0;
  for (int i = 0; i < 256; i++) most = (i * 37) % 1000 > most ? (i * 37) % 1000 : most;
  want(to_host(ints, 1)[0] == most, "most");
  c[0] += 4;
  want(c[0].exchange(7) == 260 && c[0].load() == 7, "host");
  locked<<<2, 32>>>(&c[1], ints + 1);
  want(to_host(ints + 1, 1)[0] == 192, "lock");
  hand_over<<<2, 1>>>(&c[2], ints + 2, ints + 3);
  want(to_host(ints + 3, 1)[0] == 42, "hand over");
  cuda::atomic<pair_of, cuda::thread_scope_device> *p;
  CUDA(cudaMallocManaged(&p, sizeof *p));
  pair_of zero = {0, 0};
  new (p) cuda::atomic<pair_of, cuda::thread_scope_device>(zero);
  two_words<<<2, 32>>>(p);
  LAUNCHED();
  want(p->load().a == 64 && p->load().b == 128, "two words");
  CUDA(cudaMemset(ints, 0, 256));
  meet<<<1, 64>>>(ints);
  std::vector<int> got = to_host(ints, 64), expect(64);
  for (int i = 0; i < 64; i++) expect[i] = 3 * (63 - i) + 3;
  same("barrier", got, expect);
  LAUNCHED();
  return pass("cuda_atomic", got);
}
