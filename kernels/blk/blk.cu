/* BLK: Black-Scholes prices of European options. Three coalesced streams in, two out, without
 * reuse; a grid of fixed size strides over them, so that an SM comes by a page once. Arithmetic
 * (logarithm, exponentials, a polynomial; the device's fast ones) lies between the accesses. */
#include "../common/app.h"

#define BLOCKS  480
#define THREADS 128

static const struct {
  uint32_t options, repeats;
} sizes[APP_SIZES] = {{8000, 1}, {2000000, 1}, {6000000, 1}};

/* Risk-free rate and volatility, per year. */
#define RATE       0.03f
#define VOLATILITY 0.25f

/* Standard normal distribution: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17;
 * the error is below 7.5e-8. */
__device__ static float normal(float x) {
  float t = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(x));
  float p = 1.330274429f;
  p = p * t - 1.821255978f;
  p = p * t + 1.781477937f;
  p = p * t - 0.356563782f;
  p = p * t + 0.319381530f;
  float tail = 0.3989422804f * __expf(-0.5f * x * x) * p * t;
  return x > 0 ? 1.0f - tail : tail;
}

__global__ void price(const float *spot, const float *strike, const float *years, float *call,
                      float *put, uint32_t n) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = spot[i], k = strike[i], t = years[i];
    float deviation = VOLATILITY * sqrtf(t);
    float d1 = (__logf(s / k) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * t) / deviation;
    float n1 = normal(d1), n2 = normal(d1 - deviation);
    float discounted = k * __expf(-RATE * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

struct prices {
  std::vector<double> call, put;
};

static prices reference(const std::vector<float> &spot, const std::vector<float> &strike,
                        const std::vector<float> &years) {
  prices p;
  for (size_t i = 0; i < spot.size(); i++) {
    double s = spot[i], k = strike[i], t = years[i], rate = RATE, v = VOLATILITY;
    double d1 = (log(s / k) + (rate + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
    double n1 = 0.5 * erfc(-d1 / sqrt(2.0)), n2 = 0.5 * erfc(-d2 / sqrt(2.0));
    double discounted = k * exp(-rate * t);
    p.call.push_back(s * n1 - discounted * n2);
    p.put.push_back(discounted * (1 - n2) - s * (1 - n1));
  }
  return p;
}

int main(int argc, char **argv) {
  app self = app_begin("BLK", argc, argv);
  uint32_t n = sizes[self.size].options;
  rng r(self.seed);
  std::vector<float> spot = random_floats(r, n, 10, 50), strike = random_floats(r, n, 10, 60);
  std::vector<float> years = random_floats(r, n, 0.25f, 5);
  float *dcall = device_new<float>(n), *dput = device_new<float>(n);
  float *dspot = device_copy(spot), *dstrike = device_copy(strike), *dyears = device_copy(years);
  for (uint32_t i = 0; i < sizes[self.size].repeats; i++) {
    price<<<BLOCKS, THREADS>>>(dspot, dstrike, dyears, dcall, dput, n);
    CHECK_LAUNCH();
  }
  std::vector<float> call = from_device(dcall, n), put = from_device(dput, n);
  void *all[] = {dyears, dstrike, dspot, dput, dcall};
  for (void *p : all) CHECK(cudaFree(p));
  if (!self.verify) return app_end(self, true);
  prices want = reference(spot, strike, years);
  /* The fast logarithm is right to 2^-21, which short terms magnify eightfold and prices of 50
   * twentyfold. */
  return app_end(self, near_values("call", call, want.call, 2e-4) &&
                           near_values("put", put, want.put, 2e-4));
}
