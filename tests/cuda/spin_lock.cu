/* A lock between blocks, one thread of each; and a ticket that hands a turn from block to block. */
#include "check.h"

__device__ int lock;
__device__ volatile int turn;

__global__ void locked(int *count, int *sum) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {
    }
    __threadfence();
    int c = *(volatile int *)count;
    *(volatile int *)count = c + 1;
    *(volatile int *)sum = *(volatile int *)sum + c;
    __threadfence();
    atomicExch(&lock, 0);
  }
  __syncthreads();
}
__global__ void in_turn(int *order) {
  if (threadIdx.x == 0) {
    while (turn != blockIdx.x) {
    }
    order[blockIdx.x] = blockIdx.x ? order[blockIdx.x - 1] * 3 + 1 : 1;
    __threadfence();
    turn = blockIdx.x + 1;
  }
}
__global__ void per_lane(int *count) { /* neighbours of one warp take the same lock */
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

int main() {
  const int blocks = 24;
  int *d = device_zeros<int>(2), *order = device_zeros<int>(blocks), *lanes = device_zeros<int>(1);
  locked<<<blocks, 64>>>(d, d + 1);
  in_turn<<<blocks, 32>>>(order);
  per_lane<<<2, 64>>>(lanes);
  LAUNCHED();
  same("count", to_host(d, 2), std::vector<int>{blocks, blocks * (blocks - 1) / 2});
  std::vector<int> expect(blocks, 1);
  for (int i = 1; i < blocks; i++) expect[i] = (int)(expect[i - 1] * 3u + 1);
  same("order", to_host(order, blocks), expect);
  same("lanes", to_host(lanes, 1), std::vector<int>{128});
  return pass("spin_lock", expect);
}
