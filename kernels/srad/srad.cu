/* SRAD: speckle-reducing anisotropic diffusion of an image. Per step: the image and its squares are
 * written and summed up, which gives the noise; then a diffusion coefficient per pixel from its
 * four neighbours, found through index arrays; then the update. Many streams over the image's size.
 */
#include "../common/app.h"

static const struct {
  unsigned rows, columns, steps;
} sizes[APP_SIZES] = {{64, 64, 1}, {502, 458, 5}, {1600, 1200, 2}};

#define BLOCK  512
#define LAMBDA 0.5f

/* Neighbours of row i and column j; the border's are themselves. Pixels are stored by columns. */
struct neighbours {
  int *north, *south, *west, *east;
};

__global__ void extract(float *image, unsigned n) {
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) image[i] = expf(image[i] / 255);
}

__global__ void prepare(const float *image, float *sum, float *square, unsigned n) {
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  sum[i] = image[i];
  square[i] = image[i] * image[i];
}

/* Each block adds up its BLOCK elements of both arrays; results go to the front, `stride` apart. */
__global__ void reduce(float *sum, float *square, unsigned count, unsigned stride) {
  __shared__ float a[BLOCK], b[BLOCK];
  unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t;
  a[t] = i < count ? sum[(size_t)i * stride] : 0;
  b[t] = i < count ? square[(size_t)i * stride] : 0;
  for (unsigned half = BLOCK / 2; half; half /= 2) {
    __syncthreads();
    if (t < half) a[t] += a[t + half], b[t] += b[t + half];
  }
  if (t) return;
  sum[(size_t)blockIdx.x * BLOCK * stride] = a[0];
  square[(size_t)blockIdx.x * BLOCK * stride] = b[0];
}

__global__ void coefficient(const float *image, neighbours nb, float *dn, float *ds, float *dw,
                            float *de, float *c, float noise, unsigned rows, unsigned n) {
  unsigned e = blockIdx.x * BLOCK + threadIdx.x;
  if (e >= n) return;
  unsigned row = e % rows, column = e / rows;
  float v = image[e], north = image[nb.north[row] + rows * column] - v,
        south = image[nb.south[row] + rows * column] - v,
        west = image[row + rows * nb.west[column]] - v,
        east = image[row + rows * nb.east[column]] - v;
  float g2 = (north * north + south * south + west * west + east * east) / (v * v),
        l = (north + south + west + east) / v, num = 0.5f * g2 - (1.0f / 16.0f) * (l * l),
        den = 1 + 0.25f * l, q = num / (den * den);
  float k = 1 / (1 + (q - noise) / (noise * (1 + noise)));
  dn[e] = north, ds[e] = south, dw[e] = west, de[e] = east;
  c[e] = k < 0 ? 0 : k > 1 ? 1 : k;
}

__global__ void update(float *image, neighbours nb, const float *dn, const float *ds,
                       const float *dw, const float *de, const float *c, unsigned rows,
                       unsigned n) {
  unsigned e = blockIdx.x * BLOCK + threadIdx.x;
  if (e >= n) return;
  unsigned row = e % rows, column = e / rows;
  float here = c[e], south = c[nb.south[row] + rows * column],
        east = c[row + rows * nb.east[column]];
  image[e] += 0.25f * LAMBDA * (here * dn[e] + south * ds[e] + here * dw[e] + east * de[e]);
}

__global__ void compress(float *image, unsigned n) {
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) image[i] = logf(image[i]) * 255;
}

static float noise_of(double sum, double square, unsigned n) {
  double mean = sum / n, variance = square / n - mean * mean;
  return (float)(variance / (mean * mean));
}

static std::vector<double> reference(const std::vector<float> &in, unsigned rows, unsigned columns,
                                     unsigned steps) {
  unsigned n = rows * columns;
  std::vector<double> v(n), c(n), d[4];
  for (unsigned i = 0; i < n; i++) v[i] = exp((double)in[i] / 255);
  for (auto &x : d) x.resize(n);
  for (unsigned s = 0; s < steps; s++) {
    double sum = 0, square = 0;
    for (double x : v) sum += x, square += x * x;
    double noise = noise_of(sum, square, n);
    for (unsigned e = 0; e < n; e++) {
      unsigned row = e % rows, column = e / rows;
      d[0][e] = v[row ? e - 1 : e] - v[e], d[1][e] = v[row + 1 < rows ? e + 1 : e] - v[e];
      d[2][e] = v[column ? e - rows : e] - v[e],
      d[3][e] = v[column + 1 < columns ? e + rows : e] - v[e];
      double g2 = 0, l = 0;
      for (auto &x : d) g2 += x[e] * x[e], l += x[e];
      g2 /= v[e] * v[e], l /= v[e];
      double den = 1 + 0.25 * l, q = (0.5 * g2 - l * l / 16) / (den * den);
      c[e] = fmin(1, fmax(0, 1 / (1 + (q - noise) / (noise * (1 + noise)))));
    }
    for (unsigned e = 0; e < n; e++) {
      double south = c[e % rows + 1 < rows ? e + 1 : e],
             east = c[e / rows + 1 < columns ? e + rows : e];
      v[e] += 0.25 * (double)LAMBDA *
              (c[e] * d[0][e] + south * d[1][e] + c[e] * d[2][e] + east * d[3][e]);
    }
  }
  for (double &x : v) x = log(x) * 255;
  return v;
}

static int *clamped(unsigned n, int step) {
  std::vector<int> at(n);
  for (int i = 0; i < (int)n; i++)
    at[i] = i + step < 0 ? 0 : i + step >= (int)n ? (int)n - 1 : i + step;
  return device_copy(at);
}

int main(int argc, char **argv) {
  app self = app_begin("SRAD", argc, argv);
  unsigned rows = sizes[self.size].rows, columns = sizes[self.size].columns, n = rows * columns,
           blocks = blocks_for(n, BLOCK), steps = sizes[self.size].steps;
  rng r(self.seed);
  std::vector<float> image(n);
  for (unsigned e = 0; e < n; e++) { /* smooth shapes under speckle */
    float x = (float)(e % rows) / (float)rows, y = (float)(e / rows) / (float)columns;
    image[e] = 60 + 120 * x * y + (x * x + y * y < 0.5f ? 40.0f : 0.0f) + r.between(0, 30);
  }
  float *dimage = device_copy(image), *buffer[7];
  neighbours nb = {clamped(rows, -1), clamped(rows, 1), clamped(columns, -1), clamped(columns, 1)};
  for (float *&b : buffer) b = device_new<float>(n);
  float *dn = buffer[0], *ds = buffer[1], *dw = buffer[2], *de = buffer[3], *c = buffer[4],
        *sum = buffer[5], *square = buffer[6];
  extract<<<blocks, BLOCK>>>(dimage, n);
  CHECK_LAUNCH();
  for (unsigned s = 0; s < steps; s++) {
    prepare<<<blocks, BLOCK>>>(dimage, sum, square, n);
    CHECK_LAUNCH();
    for (unsigned count = n, stride = 1; count > 1;
         count = blocks_for(count, BLOCK), stride *= BLOCK) {
      reduce<<<blocks_for(count, BLOCK), BLOCK>>>(sum, square, count, stride);
      CHECK_LAUNCH();
    }
    float total[2];
    CHECK(cudaMemcpy(&total[0], sum, sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&total[1], square, sizeof(float), cudaMemcpyDeviceToHost));
    coefficient<<<blocks, BLOCK>>>(dimage, nb, dn, ds, dw, de, c, noise_of(total[0], total[1], n),
                                   rows, n);
    CHECK_LAUNCH();
    update<<<blocks, BLOCK>>>(dimage, nb, dn, ds, dw, de, c, rows, n);
    CHECK_LAUNCH();
  }
  compress<<<blocks, BLOCK>>>(dimage, n);
  CHECK_LAUNCH();
  std::vector<float> got = from_device(dimage, n);
  void *all[] = {dimage, nb.north, nb.south, nb.west, nb.east};
  for (void *p : all) CHECK(cudaFree(p));
  for (float *p : buffer) CHECK(cudaFree(p));
  /* the noise comes from single-precision sums and steers every pixel */
  return app_end(self, !self.verify ||
                           near_values("image", got, reference(image, rows, columns, steps), 1e-3));
}
