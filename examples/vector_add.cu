/* Vector addition on a part of a GPU: c = a + b, as a plain kernel and as one of gmmu_fgpu.h.
 *
 *   vector_add [PART PARTS [ELEMENTS]]     (0 2 65536)
 *
 * Prints what a launch takes on simulated time: of the plain kernel on all SMs, of the other on all
 * SMs (what its persistent blocks cost) and on its part of them; then the same of a kernel that
 * does nothing, with one block. */
#include <gmmu_fgpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

enum { THREADS = 256, LAUNCHES = 4 };

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) {                                                                    \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                               \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)

__global__ void add(const float *a, const float *b, float *c, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void add_part(fgpu_grid gridDim, const float *a, const float *b, float *c, unsigned n) {
  for (fgpu_block blockIdx(gridDim); blockIdx.next();) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
  }
}

__global__ void nothing() {}
__global__ void nothing_part(fgpu_grid gridDim) {
  for (fgpu_block blockIdx(gridDim); blockIdx.next();) continue;
}

/* Cycles that a launch takes on average; the first one, which finds cold caches, is not counted. */
template <typename Launch> static double cycles(Launch launch) {
  cudaEvent_t begin, end;
  float ms = 0;
  int khz = 0;
  launch();
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaEventRecord(begin));
  for (int i = 0; i < LAUNCHES; i++) launch();
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  return (double)ms * khz / LAUNCHES;
}

static void print(const char *what, double plain, double all, double part) {
  printf("%-16s plain %8.0f   persistent blocks %8.0f (%+.0f)   on the part %8.0f\n", what, plain,
         all, all - plain, part);
}

static void measure(fgpu *all, fgpu *part, const float *a, const float *b, float *c, unsigned n) {
  unsigned blocks = (n + THREADS - 1) / THREADS;
  double plain = cycles([&] { add<<<blocks, THREADS>>>(a, b, c, n); });
  print("vector addition", plain,
        cycles([&] { CHECK(fgpu_launch(all, add_part, blocks, THREADS, 0, a, b, c, n)); }),
        cycles([&] { CHECK(fgpu_launch(part, add_part, blocks, THREADS, 0, a, b, c, n)); }));
  plain = cycles([&] { nothing<<<1, THREADS>>>(); });
  print("nothing", plain, cycles([&] { CHECK(fgpu_launch(all, nothing_part, 1, THREADS, 0)); }),
        cycles([&] { CHECK(fgpu_launch(part, nothing_part, 1, THREADS, 0)); }));
}

int main(int argc, char **argv) {
  unsigned part = argc > 2 ? (unsigned)atoi(argv[1]) : 0, parts = argc > 2 ? atoi(argv[2]) : 2;
  unsigned n = argc > 3 ? (unsigned)atoi(argv[3]) : 65536;
  std::vector<float> host(n), result(n);
  float *a, *b, *c;
  fgpu all, mine;
  for (unsigned i = 0; i < n; i++) host[i] = (float)(i % 1000);
  CHECK(fgpu_open(&mine, part, parts));
  CHECK(fgpu_open_part(&all, 0, mine.all_sms, mine.colours));
  for (float **p : {&a, &b, &c}) CHECK(fgpu_malloc(&mine, p, n * sizeof(float)));
  CHECK(cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  printf("part %u of %u: SMs %u to %u", part, parts, mine.first_sm, mine.first_sm + mine.sms - 1);
  if (mine.colours) printf(", page colours 0x%llx", mine.colours);
  puts("; cycles per launch");
  measure(&all, &mine, a, b, c, n);
  CHECK(cudaMemset(c, 0, n * sizeof(float)));
  CHECK(fgpu_launch(&mine, add_part, (n + THREADS - 1) / THREADS, THREADS, 0, a, b, c, n));
  CHECK(cudaMemcpy(result.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; i++)
    if (result[i] != host[i] + host[i]) return printf("c[%u] is wrong\n", i), 1;
  CHECK(fgpu_close(&mine));
  CHECK(fgpu_close(&all));
  puts("right");
  return 0;
}
