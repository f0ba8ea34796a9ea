/* Memory that kernels allocate: new and delete of objects with virtual functions and of arrays, one
 * block's memory by one thread, aligned memory, memory that is used up, memset and memcpy in it. */
#include "check.h"
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unistd.h>

struct shape {
  int id;
  __device__ shape(int i) : id(i) {}
  __device__ virtual int area() const = 0;
  __device__ virtual ~shape() {}
};
struct square : shape {
  int side;
  __device__ square(int i, int s) : shape(i), side(s) {}
  __device__ int area() const { return side * side; }
};
struct box : shape {
  int a, b;
  __device__ box(int i, int x, int y) : shape(i), a(x), b(y) {}
  __device__ int area() const { return a * b; }
};
__device__ shape *kept[64];

__global__ void make() {
  int t = threadIdx.x;
  kept[t] = t & 1 ? (shape *)new square(t, t + 1) : (shape *)new box(t, t, 3);
}
__global__ void measure(int *out) {
  out[threadIdx.x] = kept[threadIdx.x]->area() + kept[threadIdx.x]->id;
}
__global__ void drop() { delete kept[threadIdx.x]; }

__global__ void arrays(int *out) { /* each thread's own, of its own length */
  int t = threadIdx.x, n = t + 1, *a = new int[n], *b = (int *)malloc(n * sizeof(int)), sum = 0;
  for (int i = 0; i < n; i++) a[i] = t * i;
  memcpy(b, a, n * sizeof(int));
  memset(a, 0, n * sizeof(int));
  for (int i = 0; i < n; i++) sum += b[i] + a[i];
  out[t] = sum;
  delete[] a;
  free(b);
  free(NULL);
}
__global__ void block(int *out) { /* one thread allocates for its block */
  __shared__ int *data;
  if (threadIdx.x == 0) data = (int *)malloc(blockDim.x * sizeof(int));
  __syncthreads();
  data[threadIdx.x] = threadIdx.x * (blockIdx.x + 1);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(data);
}
__global__ void aligned(int *out) {
  size_t align = (size_t)16 << threadIdx.x;
  char *p = (char *)__nv_aligned_device_malloc(100, align);
  p[99] = 7;
  out[threadIdx.x] = (uintptr_t)p % align == 0 && p[99] == 7;
  free(p);
}
__device__ void *volatile seen; /* a compiler may leave out memory that nobody looks at */
__global__ void used_up(int *out) {
  seen = malloc((size_t)1 << 40); /* what is not there is NULL; what was freed is there again */
  out[0] = seen == NULL;
  for (int i = 0; i < 100; i++) {
    seen = malloc(1 << 20);
    out[1] += seen != NULL;
    free(seen);
  }
}

/* What setting the heap's size says on the error stream. */
static std::string said(size_t bytes) {
  char text[512];
  int at[2], kept = dup(2);
  want(!pipe(at) && kept >= 0 && dup2(at[1], 2) == 2, "a pipe for the error stream");
  CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes));
  dup2(kept, 2), close(kept), close(at[1]);
  ssize_t n = read(at[0], text, sizeof text);
  close(at[0]);
  return std::string(text, n > 0 ? n : 0);
}

int main() {
  const int n = 64;
  int *d = device_zeros<int>(n);
  std::vector<int> expect(n);
  want(said(16 << 20).empty(), "a heap that is there needs no word");
  if (getenv("GMMU_WIRE")) /* a GPU has a heap of any size */
    want(said(128 << 20).find("heap of 64 MB") != std::string::npos,
         "a heap that is not there does");
  make<<<1, n>>>();
  measure<<<1, n>>>(d);
  drop<<<1, n>>>();
  LAUNCHED();
  for (int t = 0; t < n; t++) expect[t] = (t & 1 ? (t + 1) * (t + 1) : t * 3) + t;
  same("objects", to_host(d, n), expect);
  arrays<<<1, n>>>(d);
  LAUNCHED();
  for (int t = 0; t < n; t++) expect[t] = t * t * (t + 1) / 2;
  same("arrays", to_host(d, n), expect);
  block<<<4, 16>>>(d);
  LAUNCHED();
  for (int t = 0; t < n; t++) expect[t] = (15 - t % 16) * (t / 16 + 1);
  same("blocks", to_host(d, n), expect);
  aligned<<<1, 8>>>(d);
  LAUNCHED();
  same("aligned", to_host(d, 8), std::vector<int>(8, 1));
  CUDA(cudaMemset(d, 0, 2 * sizeof(int)));
  used_up<<<1, 1>>>(d);
  LAUNCHED();
  want(to_host(d, 1)[0] == 1 && to_host(d, 2)[1] == 100, "memory that is used up");
  return pass("device_new", expect);
}
