/* HISTO: histogram of an image's bytes, 256 bins. The first kernel reads the image once, in order,
 * and every warp counts in bins of its own in shared memory; the second sums the blocks' bins,
 * which lie 1 KB apart. */
#include "../common/app.h"

#define BINS    256
#define WARPS   6 /* of a block */
#define THREADS (WARPS * 32)

/* Pixels are words of four bytes; blocks of the first kernel. */
static const struct {
  uint32_t width, height, blocks;
} sizes[APP_SIZES] = {{160, 120, 16}, {1920, 1080, 240}, {5120, 2880, 240}};

__device__ static void count_word(uint32_t *bins, uint32_t word) {
  atomicAdd(&bins[word & 255], 1u);
  atomicAdd(&bins[word >> 8 & 255], 1u);
  atomicAdd(&bins[word >> 16 & 255], 1u);
  atomicAdd(&bins[word >> 24], 1u);
}

__global__ void count(const uint32_t *image, uint32_t *partial, uint32_t words) {
  __shared__ uint32_t bins[WARPS][BINS];
  uint32_t *all = &bins[0][0], *own = bins[threadIdx.x / 32];
  for (uint32_t i = threadIdx.x; i < WARPS * BINS; i += THREADS) all[i] = 0;
  __syncthreads();
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < words; i += gridDim.x * THREADS)
    count_word(own, image[i]);
  __syncthreads();
  for (uint32_t bin = threadIdx.x; bin < BINS; bin += THREADS) {
    uint32_t sum = 0;
    for (uint32_t w = 0; w < WARPS; w++) sum += bins[w][bin];
    partial[blockIdx.x * BINS + bin] = sum;
  }
}

/* A block per bin, a thread for every 256th part. */
__global__ void merge(const uint32_t *partial, uint32_t *histogram, uint32_t parts) {
  __shared__ uint32_t sums[BINS];
  uint32_t t = threadIdx.x, sum = 0;
  for (uint32_t i = t; i < parts; i += BINS) sum += partial[i * BINS + blockIdx.x];
  sums[t] = sum;
  for (uint32_t half = BINS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) sums[t] += sums[t + half];
  }
  if (t == 0) histogram[blockIdx.x] = sums[0];
}

/* Near pixels are alike: each channel wanders along the rows. */
static std::vector<uint32_t> make_image(rng &r, size_t pixels) {
  std::vector<uint32_t> image(pixels);
  uint32_t channel[4] = {64, 128, 160, 255};
  for (uint32_t &pixel : image) {
    uint64_t noise = r.next();
    for (int c = 0; c < 3; c++) channel[c] = (15 * channel[c] + (noise >> 8 * c & 255)) / 16;
    pixel = channel[0] | channel[1] << 8 | channel[2] << 16 | channel[3] << 24;
  }
  return image;
}

static std::vector<uint32_t> reference(const std::vector<uint32_t> &image) {
  std::vector<uint32_t> histogram(BINS, 0);
  for (uint32_t pixel : image)
    for (int c = 0; c < 4; c++) histogram[pixel >> 8 * c & 255]++;
  return histogram;
}

int main(int argc, char **argv) {
  app self = app_begin("HISTO", argc, argv);
  uint32_t pixels = sizes[self.size].width * sizes[self.size].height;
  uint32_t blocks = sizes[self.size].blocks;
  rng r(self.seed);
  std::vector<uint32_t> image = make_image(r, pixels);
  uint32_t *dimage = device_copy(image), *histogram = device_new<uint32_t>(BINS);
  uint32_t *partial = device_new<uint32_t>((size_t)blocks * BINS);
  count<<<blocks, THREADS>>>(dimage, partial, pixels);
  CHECK_LAUNCH();
  merge<<<BINS, BINS>>>(partial, histogram, blocks);
  CHECK_LAUNCH();
  std::vector<uint32_t> got = from_device(histogram, BINS);
  CHECK(cudaFree(partial));
  CHECK(cudaFree(histogram));
  CHECK(cudaFree(dimage));
  return app_end(self, !self.verify || same_values("histogram", got, reference(image)));
}
