/* cuda::pipeline: of a block whose threads fill and read, of producers and consumers apart, of one
 * thread; and tiles of several warps that reduce. */
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
enum { BATCHES = 12, THREADS = 128 };

template <int STAGES> __global__ void together(const int *in, int *out) {
  __shared__ int box[STAGES][THREADS];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int b = 0, ahead = 0; b < BATCHES; b++) {
    for (; ahead < BATCHES && ahead < b + STAGES; ahead++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, box[ahead % STAGES], in + ahead * THREADS, sizeof box[0], pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[b * THREADS + threadIdx.x] = 2 * box[b % STAGES][threadIdx.x ^ 1];
    pipe.consumer_release();
  }
}
/* The first warp copies, the others read. */
__global__ void apart(const int *in, int *out) {
  __shared__ int box[2][96];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  bool copies = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  for (int b = 0; b < BATCHES; b++) {
    if (copies) {
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < 96; i += 32)
        cuda::memcpy_async(&box[b % 2][i], &in[b * 96 + i], sizeof(int), pipe);
      pipe.producer_commit();
    } else {
      int i = (int)threadIdx.x - 32;
      pipe.consumer_wait();
      out[b * 96 + i] = box[b % 2][95 - i];
      pipe.consumer_release();
    }
  }
}
__global__ void alone(const int *in, int *out) {
  __shared__ int box[THREADS];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&box[threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  out[threadIdx.x] = box[threadIdx.x] + 1;
  pipe.consumer_release();
}
template <int SIZE> __global__ void tiles(const int *in, int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block(memory));
  out[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  out[threadIdx.x] += cg::reduce(tile, in[threadIdx.x], cg::greater<int>());
}

int main() {
  const int n = BATCHES * THREADS;
  std::vector<int> in(n), expect(n);
  for (int &x : in) x = (int)(random_u32() & 0xffff);
  int *d = to_device(in), *out = device_zeros<int>(n);
  for (int i = 0; i < n; i++) expect[i] = 2 * in[i ^ 1];
  together<2><<<1, THREADS>>>(d, out);
  LAUNCHED();
  same("two stages", to_host(out, n), expect);
  CUDA(cudaMemset(out, 0, n * sizeof(int)));
  together<4><<<1, THREADS>>>(d, out);
  LAUNCHED();
  same("four stages", to_host(out, n), expect);
  apart<<<1, THREADS>>>(d, out);
  LAUNCHED();
  expect.resize(BATCHES * 96);
  for (int i = 0; i < BATCHES * 96; i++) expect[i] = in[i / 96 * 96 + 95 - i % 96];
  same("producers and consumers", to_host(out, BATCHES * 96), expect);
  alone<<<1, THREADS>>>(d, out);
  LAUNCHED();
  expect.resize(THREADS);
  for (int i = 0; i < THREADS; i++) expect[i] = in[i] + 1;
  same("one thread", to_host(out, THREADS), expect);
  tiles<128><<<1, 256>>>(d, out);
  LAUNCHED();
  expect.resize(256);
  for (int i = 0; i < 256; i++) {
    int sum = 0, most = 0;
    for (int k = i / 128 * 128; k < i / 128 * 128 + 128; k++)
      sum += in[k], most = in[k] > most ? in[k] : most;
    expect[i] = sum + most;
  }
  same("tiles of four warps", to_host(out, 256), expect);
  return pass("pipelines", to_host(out, 256));
}
