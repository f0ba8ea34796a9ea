/* Allocations of half a gigabyte: zeroes and computed values cost nothing, and whoever copies,
 * fills or writes, host or kernel, sees what one memory would hold. */
#include "check.h"
#include <dlfcn.h>
#include <gmmu_content.h>

#define BYTES ((size_t)512 << 20)
#define WORDS (BYTES / 4)
#define N     20000

__global__ void write(unsigned *p, unsigned step) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) p[(size_t)i * step % WORDS] = i + 1;
}
/* Lanes of a warp write one page, each another 128 bytes: some move it while others hold it. */
__global__ void crowd(unsigned *p) { p[blockIdx.x * 4096 + threadIdx.x * 32] = threadIdx.x + 7; }
__global__ void gather(const unsigned *p, unsigned *out, unsigned step) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) out[i] = p[(size_t)i * step % WORDS];
}
__global__ void add(unsigned *p, unsigned step) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) atomicAdd(&p[(size_t)i * step % WORDS], 5u);
}

static unsigned at(const unsigned *p, size_t i) {
  unsigned v;
  CUDA(cudaMemcpy(&v, p + i, 4, cudaMemcpyDeviceToHost));
  return v;
}
static void expect(const char *what, unsigned got, unsigned want) {
  if (got == want) return;
  printf("%s: %u, not %u\n", what, got, want);
  exit(1);
}

int main(void) {
  const unsigned step = 99991; /* words; odd, so all are apart */
  const unsigned blocks = (N + 255) / 256;
  unsigned *p, *q, *out = device_zeros<unsigned>(N);
  CUDA(cudaMalloc(&p, BYTES));
  CUDA(cudaMalloc(&q, BYTES));
  CUDA(cudaMemset(p, 0, BYTES));
  gather<<<blocks, 256>>>(p, out, step);
  write<<<blocks, 256>>>(p, step);
  crowd<<<8, 32>>>(q);
  LAUNCHED();
  expect("a kernel's word", at(p, (size_t)1234 * step % WORDS), 1235);
  expect("beside it", at(p, (size_t)1234 * step % WORDS + 1), 0);
  for (unsigned i = 0; i < 8 * 32; i++)
    expect("a crowded page", at(q, i / 32 * 4096 + i % 32 * 32), i % 32 + 7);
  add<<<blocks, 256>>>(p, step);
  gather<<<blocks, 256>>>(p, out, step);
  LAUNCHED();
  std::vector<unsigned> got(N);
  CUDA(cudaMemcpy(got.data(), out, N * 4, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < N; i++) expect("after atomics", got[i], i + 6);

  std::vector<unsigned> host(100000, 42);
  CUDA(cudaMemcpy(p + 1000001, host.data(), 400000, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(q + 3000001, p + 1000000, 400008, cudaMemcpyDeviceToDevice));
  expect("copied on the device", at(q, 3000002), 42);
  expect("its end", at(q, 3000001 + 100001), at(p, 1000000 + 100001));
  CUDA(cudaMemset((char *)p + 8000005, 0x11, 70000));
  expect("filled", at(p, 2000100), 0x11111111u);
  CUDA(cudaMemset(p, 0, BYTES));
  expect("zero again", at(p, 1000010), 0);
  write<<<blocks, 256>>>(p, 31);
  LAUNCHED();
  expect("written after that", at(p, 31 * 77), 78);

  typedef cudaError_t (*content_t)(void *, unsigned, unsigned long long, unsigned long long);
  content_t content = (content_t)dlsym(RTLD_DEFAULT, "cudaGmmuContent");
  if (content) {
    static const unsigned kinds[] = {GMMU_CONTENT_BELOW32, GMMU_CONTENT_UNIT32,
                                     GMMU_CONTENT_PERMUTED32};
    for (unsigned k = 0; k < 3; k++) {
      unsigned long long n = k == 0 ? 1000 : 27;
      CUDA(content(p, kinds[k], 3, n));
      gather<<<blocks, 256>>>(p, out, step);
      LAUNCHED();
      CUDA(cudaMemcpy(got.data(), out, N * 4, cudaMemcpyDeviceToHost));
      for (unsigned i = 0; i < N; i++)
        expect("computed", got[i], gmmu_content_word32(kinds[k], 3, n, (size_t)i * step % WORDS));
      expect("copied", at(p, 12345678), gmmu_content_word32(kinds[k], 3, n, 12345678));
    }
    add<<<blocks, 256>>>(p, step);
    LAUNCHED();
    size_t i = (size_t)5 * step % WORDS;
    expect("computed and added", at(p, i),
           5 + gmmu_content_word32(GMMU_CONTENT_PERMUTED32, 3, 27, i));
    expect("a small allocation", content(out, GMMU_CONTENT_BELOW32, 1, 10), cudaSuccess);
    expect("holds it", at(out, 17), gmmu_content_word32(GMMU_CONTENT_BELOW32, 1, 10, 17));
    expect("no kind", content(p, 99, 0, 0), cudaErrorInvalidValue);
    expect("no allocation", content(p + 1, 0, 0, 0), cudaErrorInvalidValue);
    expect("n is 0", content(p, GMMU_CONTENT_MERGED32, 0, 0), cudaErrorInvalidValue);
    cudaGetLastError();
  }
  CUDA(cudaFree(p));
  CUDA(cudaFree(q));
  CUDA(cudaFree(out));
  printf("large_memory: PASS\n");
  return 0;
}
