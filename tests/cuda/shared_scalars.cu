/* Single variables in shared memory: one thread writes, all read behind the barrier. What a
 * compiler reads before the barrier is the value of before. */
#include "check.h"

__global__ void broadcast(const int *in, int *out) {
  __shared__ int value;
  if (threadIdx.x == 5) value = in[blockIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void until_done(int *left, int *rounds) { /* a flag that all look at, and one clears */
  __shared__ bool again;
  int n = 0;
  do {
    __syncthreads();
    if (threadIdx.x == 0) again = false;
    __syncthreads();
    if (left[threadIdx.x] > 0) left[threadIdx.x]--, again = true;
    n++;
    __syncthreads();
  } while (again);
  rounds[threadIdx.x] = n;
}
__global__ void best(const int *in, int *out, int n) { /* a pair, and votes of the block */
  __shared__ int at, most;
  if (threadIdx.x == 0) at = -1, most = -1;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicMax(&most, in[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] == most) at = i;
  int seen = __syncthreads_count(at >= 0);
  if (threadIdx.x == 1) out[0] = at, out[1] = most, out[2] = seen;
}
__global__ void turns(int *out) { /* a warp after the other */
  __shared__ int turn, sum;
  if (threadIdx.x == 0) turn = 0, sum = 1;
  __syncthreads();
  for (int w = 0; w < (int)blockDim.x / 32; w++) {
    if ((int)threadIdx.x == 32 * turn) sum = 3 * sum + w;
    __syncthreads();
    if (threadIdx.x == 0) turn++;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

int main() {
  const int n = 128;
  std::vector<int> in(n), expect(n);
  for (int i = 0; i < n; i++) in[i] = (int)(random_u32() % 1000);
  in[77] = 5000;
  int *d = to_device(in), *out = device_zeros<int>(4 * n);
  broadcast<<<4, 32>>>(d, out);
  LAUNCHED();
  for (int i = 0; i < n; i++) expect[i] = in[i / 32];
  same("broadcast", to_host(out, n), expect);
  std::vector<int> left(64);
  for (int i = 0; i < 64; i++) left[i] = i % 9;
  until_done<<<1, 64>>>(to_device(left), out);
  LAUNCHED();
  same("until done", to_host(out, 64), std::vector<int>(64, 9));
  best<<<1, 64>>>(d, out, n);
  LAUNCHED();
  same("best", to_host(out, 2), std::vector<int>{77, 5000});
  turns<<<1, n>>>(out);
  LAUNCHED();
  same("turns", to_host(out, n), std::vector<int>(n, 81 + 0 * 27 + 1 * 9 + 2 * 3 + 3));
  return pass("shared_scalars", expect);
}
