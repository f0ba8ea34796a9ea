/* IC: an image classifier of AlexNet's shape: five convolutions with rectifiers, three poolings,
 * three fully connected layers, generated weights. `large` has AlexNet's own sizes; the others are
 * the same network with fewer maps and pixels. */
#include "../common/app.h"

struct conv {
  unsigned maps, kernel, step, border;
  bool pool; /* 3 x 3 with steps of 2 behind it */
};
#define CONVS 5
#define FULLS 3
struct network {
  unsigned side, channels;
  conv c[CONVS];
  unsigned full[FULLS]; /* outputs */
};

static const network sizes[APP_SIZES] = {{35,
                                          3,
                                          {{4, 5, 2, 0, true},
                                           {8, 3, 1, 1, true},
                                           {8, 3, 1, 1, false},
                                           {8, 3, 1, 1, false},
                                           {8, 3, 1, 1, false}},
                                          {32, 32, 10}},
                                         {67,
                                          3,
                                          {{24, 11, 4, 2, true},
                                           {48, 5, 1, 2, false},
                                           {64, 3, 1, 1, false},
                                           {64, 3, 1, 1, false},
                                           {48, 3, 1, 1, true}},
                                          {1024, 1024, 1000}},
                                         {227,
                                          3,
                                          {{96, 11, 4, 0, true},
                                           {256, 5, 1, 2, true},
                                           {384, 3, 1, 1, false},
                                           {384, 3, 1, 1, false},
                                           {256, 3, 1, 1, true}},
                                          {4096, 4096, 1000}}};

#define BLOCK 256

/* A thread per pixel of a map (blockIdx.y); weights of a map: bias, then kernels by channel. */
__global__ void convolve(const float *in, unsigned channels, unsigned side, const float *w,
                         float *out, unsigned out_side, unsigned kernel, unsigned step,
                         unsigned border) {
  unsigned p = blockIdx.x * BLOCK + threadIdx.x, map = blockIdx.y, taps = kernel * kernel;
  if (p >= out_side * out_side) return;
  int x0 = (int)(p % out_side * step) - (int)border, y0 = (int)(p / out_side * step) - (int)border;
  const float *k = w + (size_t)map * (1 + channels * taps);
  float sum = *k++;
  for (unsigned c = 0; c < channels; c++)
    for (unsigned t = 0; t < taps; t++, k++) {
      int x = x0 + (int)(t % kernel), y = y0 + (int)(t / kernel);
      if (x >= 0 && y >= 0 && x < (int)side && y < (int)side)
        sum += in[((size_t)c * side + y) * side + x] * *k;
    }
  out[(size_t)map * out_side * out_side + p] = sum > 0 ? sum : 0;
}

__global__ void pool(const float *in, unsigned side, float *out, unsigned out_side) {
  unsigned p = blockIdx.x * BLOCK + threadIdx.x, map = blockIdx.y;
  if (p >= out_side * out_side) return;
  const float *from = in + ((size_t)map * side + p / out_side * 2) * side + p % out_side * 2;
  float best = from[0];
  for (unsigned t = 1; t < 9; t++) best = fmaxf(best, from[t / 3 * side + t % 3]);
  out[(size_t)map * out_side * out_side + p] = best;
}

/* A warp per output: lanes read the row of weights together. */
__global__ void full(const float *in, unsigned inputs, const float *w, float *out, unsigned outputs,
                     bool rectify) {
  unsigned o = (blockIdx.x * BLOCK + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (o >= outputs) return;
  const float *k = w + (size_t)o * inputs;
  float sum = 0;
  for (unsigned i = lane; i < inputs; i += 32) sum += in[i] * k[i];
  for (unsigned step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) out[o] = rectify && sum < 0 ? 0 : sum;
}

static unsigned conv_side(const conv &c, unsigned side) {
  return (side + 2 * c.border - c.kernel) / c.step + 1;
}
static unsigned pool_side(unsigned side) { return (side - 3) / 2 + 1; }

/* Weights that keep the size of activations, layer by layer. */
static std::vector<float> weights(rng &r, size_t rows, size_t taps, bool bias) {
  float range = sqrtf(6.0f / (float)taps);
  std::vector<float> w = random_floats(r, rows * (taps + bias), -range, range);
  for (size_t i = 0; bias && i < rows; i++) w[i * (taps + 1)] = 0.01f;
  return w;
}

static std::vector<double> reference(const network &n, const std::vector<float> &image,
                                     const std::vector<float> *w) {
  std::vector<double> a(image.begin(), image.end()), b;
  unsigned side = n.side, channels = n.channels;
  for (unsigned l = 0; l < CONVS; l++) {
    const conv &c = n.c[l];
    unsigned s = conv_side(c, side), taps = c.kernel * c.kernel;
    b.assign((size_t)c.maps * s * s, 0);
    for (size_t o = 0; o < b.size(); o++) {
      const float *k = &w[l][o / (s * s) * (1 + channels * taps)];
      int x0 = (int)(o % s * c.step) - (int)c.border,
          y0 = (int)(o / s % s * c.step) - (int)c.border;
      double sum = *k++;
      for (unsigned t = 0; t < channels * taps; t++, k++) {
        int x = x0 + (int)(t % c.kernel), y = y0 + (int)(t / c.kernel % c.kernel);
        if (x >= 0 && y >= 0 && x < (int)side && y < (int)side)
          sum += a[((size_t)(t / taps) * side + y) * side + x] * *k;
      }
      b[o] = sum > 0 ? sum : 0;
    }
    a.swap(b), side = s, channels = c.maps;
    if (!c.pool) continue;
    s = pool_side(side);
    b.assign((size_t)channels * s * s, 0);
    for (size_t o = 0; o < b.size(); o++)
      for (unsigned t = 0; t < 9; t++)
        b[o] =
            fmax(b[o], a[(o / (s * s) * side + o / s % s * 2 + t / 3) * side + o % s * 2 + t % 3]);
    a.swap(b), side = s;
  }
  for (unsigned l = 0; l < FULLS; l++) {
    b.assign(n.full[l], 0);
    for (size_t o = 0; o < b.size(); o++) {
      for (size_t i = 0; i < a.size(); i++) b[o] += a[i] * w[CONVS + l][o * a.size() + i];
      if (l + 1 < FULLS && b[o] < 0) b[o] = 0;
    }
    a.swap(b);
  }
  return a;
}

int main(int argc, char **argv) {
  app self = app_begin("IC", argc, argv);
  const network &n = sizes[self.size];
  rng r(self.seed);
  std::vector<float> image = random_floats(r, (size_t)n.channels * n.side * n.side, 0, 1),
                     w[CONVS + FULLS];
  float *dw[CONVS + FULLS], *a = device_copy(image);
  unsigned side = n.side, channels = n.channels;
  for (unsigned l = 0; l < CONVS; l++) { /* all weights are there before the first image */
    w[l] = weights(r, n.c[l].maps, (size_t)channels * n.c[l].kernel * n.c[l].kernel, true);
    dw[l] = device_copy(w[l]);
    side = conv_side(n.c[l], side), channels = n.c[l].maps;
    if (n.c[l].pool) side = pool_side(side);
  }
  size_t inputs = (size_t)channels * side * side;
  for (unsigned l = 0; l < FULLS; l++) {
    w[CONVS + l] = weights(r, n.full[l], inputs, false);
    dw[CONVS + l] = device_copy(w[CONVS + l]);
    inputs = n.full[l];
  }
  side = n.side, channels = n.channels;
  for (unsigned l = 0; l < CONVS; l++) {
    const conv &c = n.c[l];
    unsigned s = conv_side(c, side);
    float *b = device_new<float>((size_t)c.maps * s * s);
    convolve<<<dim3(blocks_for(s * s, BLOCK), c.maps), BLOCK>>>(a, channels, side, dw[l], b, s,
                                                                c.kernel, c.step, c.border);
    CHECK_LAUNCH();
    CHECK(cudaFree(a));
    a = b, side = s, channels = c.maps;
    if (!c.pool) continue;
    s = pool_side(side);
    b = device_new<float>((size_t)channels * s * s);
    pool<<<dim3(blocks_for(s * s, BLOCK), channels), BLOCK>>>(a, side, b, s);
    CHECK_LAUNCH();
    CHECK(cudaFree(a));
    a = b, side = s;
  }
  unsigned width = channels * side * side;
  for (unsigned l = 0; l < FULLS; l++) {
    float *b = device_new<float>(n.full[l]);
    full<<<blocks_for((size_t)n.full[l] * 32, BLOCK), BLOCK>>>(a, width, dw[CONVS + l], b,
                                                               n.full[l], l + 1 < FULLS);
    CHECK_LAUNCH();
    CHECK(cudaFree(a));
    a = b, width = n.full[l];
  }
  std::vector<float> got = from_device(a, width);
  CHECK(cudaFree(a));
  for (float *p : dw) CHECK(cudaFree(p));
  /* eight layers of sums of up to 10^4 terms in single precision */
  return app_end(self, !self.verify || near_values("output", got, reference(n, image, w), 1e-3));
}
