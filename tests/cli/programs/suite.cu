// In the manner of the benchmark suites of ten years ago: a file in, a file out, a texture
// reference, constants by symbol, pitched memory, timers by event and by gettimeofday, calls that
// CUDA has long since renamed. A grid of temperatures that even out: suite IN OUT STEPS
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/time.h>

#define CUDA_SAFE_CALL(call)                                                                       \
  do {                                                                                             \
    cudaError err = call;                                                                          \
    if (cudaSuccess != err) {                                                                      \
      fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__, __LINE__,            \
              cudaGetErrorString(err));                                                            \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)
#define CUT_CHECK_ERROR(message)                                                                   \
  if (cudaGetLastError() != cudaSuccess) fprintf(stderr, "%s\n", message), exit(EXIT_FAILURE)

texture<float, 1, cudaReadModeElementType> warm;
__constant__ float rate[2];
__device__ int steps_done;

static double seconds() {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + t.tv_usec * 1e-6;
}

__global__ void step(float *to, size_t pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float c = tex1Dfetch(warm, y * w + x);
  float n = tex1Dfetch(warm, (y ? y - 1 : y) * w + x),
        s = tex1Dfetch(warm, (y + 1 < h ? y + 1 : y) * w + x);
  float l = tex1Dfetch(warm, y * w + (x ? x - 1 : x)),
        r = tex1Dfetch(warm, y * w + (x + 1 < w ? x + 1 : x));
  ((float *)((char *)to + y * pitch))[x] = rate[0] * c + rate[1] * (n + s + l + r);
  if (!x && !y) steps_done++;
}

static float *read_grid(const char *name, int *w, int *h) {
  FILE *f = fopen(name, "r");
  if (!f || fscanf(f, "%d %d", w, h) != 2)
    fprintf(stderr, "cannot read %s\n", name), exit(EXIT_FAILURE);
  float *g = (float *)malloc(sizeof(float) * *w * *h);
  for (int i = 0; i < *w * *h; i++)
    if (fscanf(f, "%f", &g[i]) != 1) exit(EXIT_FAILURE);
  fclose(f);
  return g;
}

static void host_step(float *to, const float *g, int w, int h) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float n = g[(y ? y - 1 : y) * w + x], s = g[(y + 1 < h ? y + 1 : y) * w + x];
      float l = g[y * w + (x ? x - 1 : x)], r = g[y * w + (x + 1 < w ? x + 1 : x)];
      to[y * w + x] = 0.5f * g[y * w + x] + 0.125f * (n + s + l + r);
    }
}

int main(int argc, char **argv) {
  int w, h, steps = argc > 3 ? atoi(argv[3]) : 1, done, device, bad = 0;
  if (argc < 4) return fprintf(stderr, "usage: %s IN OUT STEPS\n", argv[0]), 1;
  cudaDeviceProp prop;
  CUDA_SAFE_CALL(cudaSetDevice(0));
  CUDA_SAFE_CALL(cudaGetDevice(&device));
  CUDA_SAFE_CALL(cudaGetDeviceProperties(&prop, device));
  float *g = read_grid(argv[1], &w, &h), *a, *b, *want = (float *)malloc(4 * w * h),
        rates[2] = {0.5f, 0.125f};
  size_t pitch;
  CUDA_SAFE_CALL(cudaMemcpyToSymbol(rate, rates, sizeof rates));
  CUDA_SAFE_CALL(cudaMalloc((void **)&a, 4 * w * h));
  CUDA_SAFE_CALL(cudaMallocPitch((void **)&b, &pitch, 4 * w, h));
  CUDA_SAFE_CALL(cudaMemcpy(a, g, 4 * w * h, cudaMemcpyHostToDevice));
  CUDA_SAFE_CALL(cudaBindTexture(0, warm, a, 4 * w * h));
  cudaEvent_t start, stop;
  CUDA_SAFE_CALL(cudaEventCreate(&start));
  CUDA_SAFE_CALL(cudaEventCreate(&stop));
  double before = seconds();
  CUDA_SAFE_CALL(cudaEventRecord(start, 0));
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  for (int i = 0; i < steps; i++) {
    step<<<grid, block>>>(b, pitch, w, h);
    CUT_CHECK_ERROR("Kernel execution failed");
    CUDA_SAFE_CALL(cudaThreadSynchronize());
    CUDA_SAFE_CALL(cudaMemcpy2D(a, 4 * w, b, pitch, 4 * w, h, cudaMemcpyDeviceToDevice));
  }
  CUDA_SAFE_CALL(cudaEventRecord(stop, 0));
  CUDA_SAFE_CALL(cudaEventSynchronize(stop));
  float ms;
  CUDA_SAFE_CALL(cudaEventElapsedTime(&ms, start, stop));
  fprintf(stderr, "%s: %f ms simulated, %f s\n", prop.name, ms, seconds() - before);
  CUDA_SAFE_CALL(cudaMemcpyFromSymbol(&done, steps_done, sizeof done));
  for (int i = 0; i < steps; i++) {
    host_step(want, g, w, h);
    float *t = g;
    g = want, want = t;
  }
  CUDA_SAFE_CALL(cudaMemcpy(want, a, 4 * w * h, cudaMemcpyDeviceToHost));
  FILE *f = fopen(argv[2], "w");
  for (int i = 0; i < w * h; i++)
    fprintf(f, "%d\t%g\n", i, want[i]), bad += want[i] - g[i] > 1e-4f || g[i] - want[i] > 1e-4f;
  fclose(f);
  CUDA_SAFE_CALL(cudaUnbindTexture(warm));
  CUDA_SAFE_CALL(cudaFree(a));
  CUDA_SAFE_CALL(cudaFree(b));
  CUDA_SAFE_CALL(cudaThreadExit());
  printf("%s %d steps\n", bad || ms <= 0 ? "Test FAILED" : "Test PASSED", done);
  return 0;
}
