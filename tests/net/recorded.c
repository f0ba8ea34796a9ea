/* A CUDA program as a compiler and libcudart see one, whose kernels are PTX of this tree and not of
 * some version of a compiler: recorded kernels|mixed PTX. What it asks of the GPU is a golden. */
#include "../cudart/api.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 32u /* of a matrix */
#define N    (SIDE * SIDE)
#define CHECK(call)                                                                                \
  if ((call) != 0) return fprintf(stderr, "recorded: line %d: %s\n", __LINE__, #call), 1

/* A region of one image (src/host/fatbin.h) that is plain PTX. */
static uint8_t fatbin[1 << 16];
static struct {
  uint32_t magic, version;
  const void *fatbin;
  const void *more;
} wrapper = {0x466243B1u, 1, fatbin, NULL};

static void put(size_t at, uint64_t v, size_t bytes) { memcpy(fatbin + at, &v, bytes); }

static int read_ptx(const char *path) {
  const size_t image = 16, text = image + 64;
  FILE *f = fopen(path, "rb");
  if (!f) return perror(path), 1;
  size_t n = fread(fatbin + text, 1, sizeof fatbin - text - 8, f), padded = (n + 8) & ~(size_t)7;
  fclose(f);
  put(0, 0xBA55ED50u, 4), put(4, 1, 2), put(6, 16, 2), put(8, 64 + padded, 8);
  put(image, 1, 2), put(image + 4, 64, 4), put(image + 8, padded, 8), put(image + 28, 35, 4);
  put(image + 40, 0x11, 8);
  return 0;
}

static const char stub[16];
static const char counter_shadow;

static int launch(uint32_t i, dim3_t grid, dim3_t block, void **args) {
  CHECK(cudaLaunchKernel(&stub[i], grid, block, args, 0, NULL));
  CHECK(cudaDeviceSynchronize());
  return 0;
}

/* ---- the kernels of tests/ptx/data/kernels.ptx ---- */

static const char *const names[] = {"vadd",    "gemm",   "tiled", "sum",     "collatz",
                                    "stencil", "gather", "dpoly", "special", "fibs"};

static int run_kernels(void **module) {
  static uint32_t index[N];
  static float a[N];
  static double wide[N];
  void *da, *db, *dc, *dd, *di;
  uint32_t n = N, side = SIDE;
  for (uint32_t i = 0; i < 10; i++)
    __cudaRegisterFunction(module, &stub[i], NULL, names[i], -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterFatBinaryEnd(module);
  for (uint32_t i = 0; i < N; i++)
    a[i] = (float)(i % 13), wide[i] = (double)(i % 100) / 100, index[i] = i * 40503u % N;
  CHECK(cudaMalloc(&da, sizeof a));
  CHECK(cudaMalloc(&db, sizeof a));
  CHECK(cudaMalloc(&dc, sizeof wide));
  CHECK(cudaMalloc(&dd, sizeof wide));
  CHECK(cudaMalloc(&di, sizeof index));
  CHECK(cudaMemcpy(da, a, sizeof a, 1));
  CHECK(cudaMemcpy(db, da, sizeof a, 3));
  CHECK(cudaMemcpy(dd, wide, sizeof wide, 1));
  CHECK(cudaMemcpy(di, index, sizeof index, 1));
  CHECK(cudaMemset(dc, 0, sizeof wide));
  const dim3_t flat = {N / 256, 1, 1}, row = {256, 1, 1}, one = {1, 1, 1}, few = {64, 1, 1};
  const dim3_t tall = {SIDE / 32, SIDE / 8, 1}, tile = {32, 8, 1};
  const dim3_t square = {SIDE / 16, SIDE / 16, 1}, sixteen = {16, 16, 1}, half = {128, 1, 1};
  CHECK(launch(0, flat, row, (void *[]){&da, &db, &dc, &n}));
  CHECK(launch(1, tall, tile, (void *[]){&da, &db, &dc, &side}));
  CHECK(launch(2, square, sixteen, (void *[]){&da, &db, &dc, &side}));
  CHECK(launch(3, flat, row, (void *[]){&da, &dc, &n}));
  CHECK(launch(4, flat, row, (void *[]){&dc, &n}));
  CHECK(launch(5, tall, tile, (void *[]){&da, &dc, &side, &side}));
  CHECK(launch(6, flat, row, (void *[]){&di, &da, &dc, &n}));
  CHECK(launch(7, (dim3_t){N / 128, 1, 1}, half, (void *[]){&dd, &dc, &n}));
  CHECK(launch(8, flat, row, (void *[]){&da, &dc, &n}));
  CHECK(launch(9, one, few, (void *[]){&dc}));
  CHECK(cudaMemcpy(wide, dc, sizeof wide, 2));
  CHECK(cudaFree(db));
  CHECK(cudaMalloc(&db, 2 * sizeof a));
  CHECK(cudaFree(da) || cudaFree(db) || cudaFree(dc) || cudaFree(dd) || cudaFree(di));
  return 0;
}

/* ---- the kernel of more.ptx: device, mapped and managed memory, a variable ---- */

static int run_mixed(void **module) {
  void *data, *host, *mapped, *managed;
  uint32_t n = N - 7, counted;
  __cudaRegisterFunction(module, &stub[0], NULL, "mixed", -1, NULL, NULL, NULL, NULL, NULL);
  __cudaRegisterVar(module, (char *)(uintptr_t)&counter_shadow, NULL, "counter", 0, 4, 0, 0);
  __cudaRegisterFatBinaryEnd(module);
  const dim3_t grid = {N / 128, 1, 1}, block = {128, 1, 1};
  CHECK(cudaMalloc(&data, N * 16));
  CHECK(cudaMemset(data, 3, N * 16));
  CHECK(cudaMallocHost(&host, N * 4));
  CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
  memset(host, 1, N * 4);
  CHECK(launch(0, grid, block, (void *[]){&data, &mapped, &n}));
  CHECK(cudaMallocManaged(&managed, N * 4, 1));
  memset(managed, 2, N * 4);
  CHECK(launch(0, grid, block, (void *[]){&data, &managed, &n}));
  CHECK(cudaMemcpyFromSymbol(&counted, &counter_shadow, 4, 0, 2));
  if (counted != 7 + 2 * n) return fprintf(stderr, "recorded: counted %u\n", counted), 1;
  CHECK(cudaFree(managed) || cudaFreeHost(host) || cudaFree(data));
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 3 || read_ptx(argv[2])) return 2;
  void **module = __cudaRegisterFatBinary(&wrapper);
  return strcmp(argv[1], "kernels") == 0 ? run_kernels(module) : run_mixed(module);
}
