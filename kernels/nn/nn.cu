/* NN: a small convolutional network that reads digits, one image per launch row: two layers of 5 x
 * 5 kernels with steps of two, two fully connected ones. Weights are small and used again by every
 * image. */
#include "../common/app.h"

static const struct { unsigned images; } sizes[APP_SIZES] = {{1}, {10}, {600}};

/* Layers: 29 x 29 -> 6 of 13 x 13 -> 50 of 5 x 5 -> 100 -> 10. */
#define IN    29
#define MAPS1 6
#define SIDE1 13
#define MAPS2 50
#define SIDE2 5
#define OUT3  100
#define OUT4  10
#define N1    (MAPS1 * SIDE1 * SIDE1)
#define N2    (MAPS2 * SIDE2 * SIDE2)

__host__ __device__ inline float squash(float x) { return 1.7159f * tanhf(0.66666667f * x); }

/* A block is a map of an image, a thread one of its pixels; weights: bias first. */
__global__ void layer1(const float *in, const float *w, float *out) {
  unsigned map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const float *p = in + (size_t)image * IN * IN + 2 * y * IN + 2 * x, *k = w + map * 26;
  float sum = k[0];
  for (unsigned i = 0; i < 25; i++) sum += p[i / 5 * IN + i % 5] * k[1 + i];
  out[(size_t)image * N1 + map * SIDE1 * SIDE1 + y * SIDE1 + x] = squash(sum);
}

__global__ void layer2(const float *in, const float *w, float *out) {
  unsigned map = blockIdx.x, image = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  const float *k = w + map * (1 + 25 * MAPS1);
  float sum = k[0];
  for (unsigned m = 0; m < MAPS1; m++) {
    const float *p = in + (size_t)image * N1 + m * SIDE1 * SIDE1 + 2 * y * SIDE1 + 2 * x;
    for (unsigned i = 0; i < 25; i++) sum += p[i / 5 * SIDE1 + i % 5] * k[1 + m * 25 + i];
  }
  out[(size_t)image * N2 + map * SIDE2 * SIDE2 + y * SIDE2 + x] = squash(sum);
}

/* A block of one thread per output. */
__global__ void full(const float *in, const float *w, float *out, unsigned inputs,
                     unsigned outputs) {
  unsigned o = blockIdx.x, image = blockIdx.y;
  const float *k = w + (size_t)o * (inputs + 1), *p = in + (size_t)image * inputs;
  float sum = k[0];
  for (unsigned i = 0; i < inputs; i++) sum += p[i] * k[1 + i];
  out[(size_t)image * outputs + o] = squash(sum);
}

static void full_host(const std::vector<double> &in, const std::vector<float> &w,
                      std::vector<double> &out, unsigned outputs) {
  out.assign(outputs, 0);
  for (unsigned o = 0; o < outputs; o++) {
    double sum = w[(size_t)o * (in.size() + 1)];
    for (size_t i = 0; i < in.size(); i++) sum += in[i] * w[(size_t)o * (in.size() + 1) + 1 + i];
    out[o] = 1.7159 * tanh(0.66666667 * sum);
  }
}

static void convolve_host(const double *in, unsigned maps_in, unsigned side_in,
                          const std::vector<float> &w, std::vector<double> &out, unsigned maps,
                          unsigned side) {
  out.assign((size_t)maps * side * side, 0);
  for (unsigned o = 0; o < out.size(); o++) {
    unsigned map = o / (side * side), y = o / side % side, x = o % side;
    const float *k = &w[(size_t)map * (1 + 25 * maps_in)];
    double sum = k[0];
    for (unsigned m = 0; m < maps_in; m++)
      for (unsigned i = 0; i < 25; i++)
        sum +=
            in[((size_t)m * side_in + 2 * y + i / 5) * side_in + 2 * x + i % 5] * k[1 + m * 25 + i];
    out[o] = 1.7159 * tanh(0.66666667 * sum);
  }
}

int main(int argc, char **argv) {
  app self = app_begin("NN", argc, argv);
  unsigned images = sizes[self.size].images;
  rng r(self.seed);
  std::vector<float> in = random_floats(r, (size_t)images * IN * IN, 0, 1),
                     w1 = random_floats(r, MAPS1 * 26, -0.2f, 0.2f),
                     w2 = random_floats(r, MAPS2 * (1 + 25 * MAPS1), -0.1f, 0.1f),
                     w3 = random_floats(r, OUT3 * (N2 + 1), -0.05f, 0.05f),
                     w4 = random_floats(r, OUT4 * (OUT3 + 1), -0.2f, 0.2f);
  float *din = device_copy(in), *d1 = device_copy(w1), *d2 = device_copy(w2), *d3 = device_copy(w3),
        *d4 = device_copy(w4), *a1 = device_new<float>((size_t)images * N1),
        *a2 = device_new<float>((size_t)images * N2),
        *a3 = device_new<float>((size_t)images * OUT3),
        *a4 = device_new<float>((size_t)images * OUT4);
  layer1<<<dim3(MAPS1, images), dim3(SIDE1, SIDE1)>>>(din, d1, a1);
  CHECK_LAUNCH();
  layer2<<<dim3(MAPS2, images), dim3(SIDE2, SIDE2)>>>(a1, d2, a2);
  CHECK_LAUNCH();
  full<<<dim3(OUT3, images), 1>>>(a2, d3, a3, N2, OUT3);
  CHECK_LAUNCH();
  full<<<dim3(OUT4, images), 1>>>(a3, d4, a4, OUT3, OUT4);
  CHECK_LAUNCH();
  std::vector<float> got = from_device(a4, (size_t)images * OUT4);
  void *all[] = {din, d1, d2, d3, d4, a1, a2, a3, a4};
  for (void *p : all) CHECK(cudaFree(p));
  bool right = true;
  for (unsigned i = 0; self.verify && right && i < images; i++) {
    std::vector<double> x(in.begin() + (size_t)i * IN * IN, in.begin() + (size_t)(i + 1) * IN * IN),
        y1, y2, y3, y4;
    convolve_host(x.data(), 1, IN, w1, y1, MAPS1, SIDE1);
    convolve_host(y1.data(), MAPS1, SIDE1, w2, y2, MAPS2, SIDE2);
    full_host(y2, w3, y3, OUT3);
    full_host(y3, w4, y4, OUT4);
    right = near_values("output", &got[(size_t)i * OUT4], y4.data(), OUT4,
                        1e-4); /* sums of 1250 terms */
  }
  return app_end(self, right);
}
