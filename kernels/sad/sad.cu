/* SAD: sums of absolute differences for motion estimation: for every 4 x 4 block of a frame and
 * every displacement in a window around it, then sums of those for the larger block shapes of a
 * video encoder. The reference frame is a texture; the results are long streams of 16-bit numbers.
 */
#include "../common/app.h"

static const struct {
  unsigned width, height; /* of the frame, multiples of 16 */
  int range;              /* displacements from -range to range */
} sizes[APP_SIZES] = {{32, 32, 2}, {176, 144, 13}, {352, 288, 16}};

#define BLOCK 128

/* sad[(block * displacements) + displacement], blocks row by row. */
__global__ void differences(cudaTextureObject_t reference, const uint8_t *frame, uint16_t *sad,
                            unsigned width, unsigned blocks_x, int range, unsigned displacements) {
  unsigned block = blockIdx.x, bx = block % blocks_x * 4, by = block / blocks_x * 4;
  __shared__ uint8_t cur[16];
  if (threadIdx.x < 16)
    cur[threadIdx.x] = frame[(by + threadIdx.x / 4) * width + bx + threadIdx.x % 4];
  __syncthreads();
  unsigned side = 2 * (unsigned)range + 1;
  for (unsigned d = threadIdx.x; d < displacements; d += BLOCK) {
    int x0 = (int)bx + (int)(d % side) - range, y0 = (int)by + (int)(d / side) - range;
    unsigned sum = 0;
    for (int y = 0; y < 4; y++)
      for (int x = 0; x < 4; x++) {
        int a = cur[4 * y + x],
            b = tex2D<unsigned char>(reference, (float)(x0 + x), (float)(y0 + y));
        sum += (unsigned)(a > b ? a - b : b - a);
      }
    sad[(size_t)block * displacements + d] = (uint16_t)sum;
  }
}

/* One level up: a block of the new level is 2 x 2 of the one below. */
__global__ void combine(const uint16_t *low, uint16_t *high, unsigned low_x, unsigned high_x,
                        unsigned displacements) {
  unsigned block = blockIdx.x, x = block % high_x * 2, y = block / high_x * 2;
  const uint16_t *a = low + ((size_t)y * low_x + x) * displacements, *b = a + displacements,
                 *c = a + (size_t)low_x * displacements, *d = c + displacements;
  for (unsigned i = threadIdx.x; i < displacements; i += BLOCK)
    high[(size_t)block * displacements + i] = (uint16_t)(a[i] + b[i] + c[i] + d[i]);
}

static int clamp(int v, int n) { return v < 0 ? 0 : v >= n ? n - 1 : v; }

/* Of the blocks of `size` pixels, straight from the frames. */
static bool verified(const std::vector<uint8_t> &ref, const std::vector<uint8_t> &frame,
                     const std::vector<uint16_t> &got, unsigned width, unsigned height, int range,
                     unsigned size) {
  unsigned across = width / size, side = 2 * (unsigned)range + 1;
  std::vector<uint16_t> want(got.size());
  for (size_t k = 0; k < got.size(); k++) {
    unsigned block = (unsigned)(k / (side * side)), d = (unsigned)(k % (side * side)), sum = 0;
    for (unsigned p = 0; p < size * size; p++) {
      int x = (int)(block % across * size + p % size), y = (int)(block / across * size + p / size);
      int rx = clamp(x + (int)(d % side) - range, (int)width),
          ry = clamp(y + (int)(d / side) - range, (int)height);
      int diff = frame[(size_t)y * width + x] - ref[(size_t)ry * width + rx];
      sum += (unsigned)(diff < 0 ? -diff : diff);
    }
    want[k] = (uint16_t)sum;
  }
  return same_values("sad", got, want);
}

int main(int argc, char **argv) {
  app self = app_begin("SAD", argc, argv);
  unsigned width = sizes[self.size].width, height = sizes[self.size].height;
  int range = sizes[self.size].range;
  unsigned side = 2 * (unsigned)range + 1, displacements = side * side;
  rng r(self.seed);
  std::vector<uint8_t> ref((size_t)width * height), frame(ref.size());
  for (size_t i = 0; i < ref.size(); i++) /* a gradient with grain; the frame is it, shifted */
    ref[i] = (uint8_t)(i % width / 2 + i / width / 2 + r.below(32));
  for (size_t i = 0; i < ref.size(); i++) frame[i] = ref[i + 3 < ref.size() ? i + 3 : i];
  cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, ref.data(), width, width, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  memset(&resource, 0, sizeof resource);
  memset(&texture, 0, sizeof texture);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModePoint;
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, NULL));
  uint8_t *dframe = device_copy(frame);
  uint16_t *level[3];
  for (unsigned l = 0; l < 3; l++)
    level[l] =
        device_new<uint16_t>((size_t)(width / (4 << l)) * (height / (4 << l)) * displacements);
  differences<<<width / 4 * (height / 4), BLOCK>>>(object, dframe, level[0], width, width / 4,
                                                   range, displacements);
  CHECK_LAUNCH();
  for (unsigned l = 1; l < 3; l++) {
    combine<<<width / (4 << l) * (height / (4 << l)), BLOCK>>>(
        level[l - 1], level[l], width / (2 << l), width / (4 << l), displacements);
    CHECK_LAUNCH();
  }
  bool right = true;
  for (unsigned l = 0; l < 3; l++) {
    size_t n = (size_t)(width / (4 << l)) * (height / (4 << l)) * displacements;
    std::vector<uint16_t> got = from_device(level[l], n);
    if (self.verify && right) right = verified(ref, frame, got, width, height, range, 4 << l);
    CHECK(cudaFree(level[l]));
  }
  CHECK(cudaFree(dframe));
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));
  return app_end(self, right);
}
