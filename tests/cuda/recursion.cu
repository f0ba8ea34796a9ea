/* Recursive device functions: Ackermann, quicksort of a thread's own piece, a tree of calls. */
#include "check.h"
#include <algorithm>

__host__ __device__ int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ void quicksort(int *v, int lo, int hi) {
  if (lo >= hi) return;
  int pivot = v[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (v[i] < pivot) i++;
    while (v[j] > pivot) j--;
    if (i <= j) {
      int t = v[i];
      v[i++] = v[j], v[j--] = t;
    }
  }
  quicksort(v, lo, j);
  quicksort(v, i, hi);
}
__global__ void recurse(int *out) { out[threadIdx.x] = ackermann(2, threadIdx.x % 4); }
__global__ void sort(int *v, int each) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  quicksort(v + t * each, 0, each - 1);
}

int main() {
  const int each = 24, threads = 64;
  CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  std::vector<int> v(each * threads), a(32);
  for (int &x : v) x = random_u32() % 1000;
  int *d = to_device(v), *o = device_zeros<int>(32);
  recurse<<<1, 32>>>(o);
  sort<<<2, 32>>>(d, each);
  LAUNCHED();
  for (int i = 0; i < 32; i++) a[i] = ackermann(2, i % 4);
  for (int t = 0; t < threads; t++) std::sort(v.begin() + t * each, v.begin() + (t + 1) * each);
  same("ackermann", to_host(o, 32), a);
  same("sorted", to_host(d, each * threads), v);
  return pass("recursion", v);
}
