/* CONS: separable convolution of an image, radius 8: one kernel along rows, one along columns, both
 * through a tile in shared memory. Rows are coalesced runs; a tile of the second kernel is 48 rows
 * high, and every row of the image lies in other pages. */
#include "../common/app.h"

#define RADIUS 8
#define TAPS   (2 * RADIUS + 1)

/* Rows: 16 x 4 threads, eight results each, and a halo of one run of 16 at each side.
 * Columns: 16 x 8 threads, four results each, and a halo of eight rows above and below. */
#define ROWS_X 16
#define ROWS_Y 4
#define ROWS_N 8
#define COLS_X 16
#define COLS_Y 8
#define COLS_N 4

static const struct {
  uint32_t width, height, repeats; /* multiples of 128 and 32 */
} sizes[APP_SIZES] = {{256, 64, 1}, {2048, 1280, 1}, {3072, 1536, 1}};

__constant__ float tap[TAPS];

/* Into registers, once for all of a thread's results. */
__device__ static void load_taps(float *taps) {
#pragma unroll
  for (int k = 0; k < TAPS; k++) taps[k] = tap[k];
}

__global__ void __launch_bounds__(ROWS_X *ROWS_Y)
    convolve_rows(const float *from, float *to, uint32_t width) {
  __shared__ float tile[ROWS_Y][(ROWS_N + 2) * ROWS_X];
  float *line = tile[threadIdx.y], taps[TAPS];
  load_taps(taps);
  uint32_t tx = threadIdx.x, x = blockIdx.x * ROWS_X * ROWS_N + tx;
  size_t row = (size_t)(blockIdx.y * ROWS_Y + threadIdx.y) * width;
  line[tx] = x >= ROWS_X ? from[row + x - ROWS_X] : 0;
#pragma unroll
  for (int i = 0; i < ROWS_N; i++) line[(i + 1) * ROWS_X + tx] = from[row + x + i * ROWS_X];
  bool right = x + ROWS_N * ROWS_X < width;
  line[(ROWS_N + 1) * ROWS_X + tx] = right ? from[row + x + ROWS_N * ROWS_X] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ROWS_N; i++) {
    float sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
      sum += taps[RADIUS - k] * line[(i + 1) * ROWS_X + (int)tx + k];
    to[row + x + i * ROWS_X] = sum;
  }
}

__global__ void __launch_bounds__(COLS_X *COLS_Y)
    convolve_columns(const float *from, float *to, uint32_t width, uint32_t height) {
  __shared__ float tile[COLS_X][(COLS_N + 2) * COLS_Y + 1]; /* + 1: other banks */
  float *line = tile[threadIdx.x], taps[TAPS];
  load_taps(taps);
  uint32_t ty = threadIdx.y, x = blockIdx.x * COLS_X + threadIdx.x;
  uint32_t y = blockIdx.y * COLS_Y * COLS_N + ty;
  const float *at = from + (size_t)y * width + x;
  int64_t run = (int64_t)COLS_Y * width;
  line[ty] = y >= COLS_Y ? at[-run] : 0;
#pragma unroll
  for (int i = 0; i < COLS_N; i++) line[(i + 1) * COLS_Y + ty] = at[i * run];
  line[(COLS_N + 1) * COLS_Y + ty] = y + COLS_N * COLS_Y < height ? at[COLS_N * run] : 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < COLS_N; i++) {
    float sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
      sum += taps[RADIUS - k] * line[(i + 1) * COLS_Y + (int)ty + k];
    to[(size_t)(y + i * COLS_Y) * width + x] = sum;
  }
}

/* Along one axis, `stride` elements apart; zero outside. */
static std::vector<float> reference(const std::vector<float> &from, const std::vector<float> &taps,
                                    size_t stride, size_t length) {
  std::vector<float> to(from.size());
  for (size_t i = 0; i < from.size(); i++) {
    double sum = 0;
    int64_t at = (int64_t)(i / stride % length);
    for (int64_t k = -RADIUS; k <= RADIUS; k++)
      if (at + k >= 0 && at + k < (int64_t)length)
        sum += (double)taps[RADIUS - k] * from[i + k * (int64_t)stride];
    to[i] = (float)sum;
  }
  return to;
}

int main(int argc, char **argv) {
  app self = app_begin("CONS", argc, argv);
  uint32_t width = sizes[self.size].width, height = sizes[self.size].height;
  size_t pixels = (size_t)width * height;
  rng r(self.seed);
  std::vector<float> taps = random_floats(r, TAPS, 0, 1.0f / TAPS);
  std::vector<float> image = random_floats(r, pixels, 0, 255);
  float *in = device_new<float>(pixels), *out = device_new<float>(pixels);
  float *between = device_new<float>(pixels);
  CHECK(cudaMemcpyToSymbol(tap, taps.data(), TAPS * sizeof(float)));
  to_device(in, image);
  dim3 rows(width / (ROWS_X * ROWS_N), height / ROWS_Y);
  dim3 columns(width / COLS_X, height / (COLS_Y * COLS_N));
  for (uint32_t i = 0; i < sizes[self.size].repeats; i++) {
    convolve_rows<<<rows, dim3(ROWS_X, ROWS_Y)>>>(in, between, width);
    CHECK_LAUNCH();
    convolve_columns<<<columns, dim3(COLS_X, COLS_Y)>>>(between, out, width, height);
    CHECK_LAUNCH();
  }
  std::vector<float> got = from_device(out, pixels);
  CHECK(cudaFree(out));
  CHECK(cudaFree(between));
  CHECK(cudaFree(in));
  if (!self.verify) return app_end(self, true);
  std::vector<float> want = reference(reference(image, taps, 1, width), taps, width, height);
  /* Two sums of 17 terms in single precision. */
  return app_end(self, near_values("image", got, want, 1e-5));
}
