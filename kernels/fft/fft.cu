/* FFT: a batch of complex transforms of 256 points, radix 2, one kernel per pass from one buffer in
 * global memory into the other (Stockham's order, so nothing is reversed). A block does one pass of
 * one transform and stays within 2 KB of each buffer; a pass walks through both buffers. */
#include "../common/app.h"

#define POINTS 256 /* of a transform; a thread does two */
#define PASSES 8

static const struct { uint32_t transforms; } sizes[APP_SIZES] = {{16}, {2048}, {8192}};

#define PI 3.14159265f

/* Sub-transforms of `done` points become sub-transforms of twice as many. */
__global__ void pass(const float2 *from, float2 *to, uint32_t done) {
  const float2 *in = from + (size_t)blockIdx.x * POINTS;
  float2 *out = to + (size_t)blockIdx.x * POINTS;
  uint32_t i = threadIdx.x, k = i & (done - 1), at = 2 * i - k;
  float angle = -PI * (float)k / (float)done, c = __cosf(angle), s = __sinf(angle);
  float2 a = in[i], b = in[i + POINTS / 2];
  float2 turned = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
  out[at] = make_float2(a.x + turned.x, a.y + turned.y);
  out[at + done] = make_float2(a.x - turned.x, a.y - turned.y);
}

/* By the definition: a sum over all points for every frequency. */
static std::vector<float2> reference(const std::vector<float2> &data) {
  double c[POINTS], s[POINTS];
  for (int i = 0; i < POINTS; i++) {
    c[i] = cos(2 * 3.14159265358979324 * i / POINTS);
    s[i] = -sin(2 * 3.14159265358979324 * i / POINTS);
  }
  std::vector<float2> out(data.size());
  for (size_t i = 0; i < data.size(); i++) {
    const float2 *in = &data[i / POINTS * POINTS];
    double x = 0, y = 0;
    for (size_t j = 0; j < POINTS; j++) {
      size_t w = i * j % POINTS;
      x += in[j].x * c[w] - in[j].y * s[w];
      y += in[j].x * s[w] + in[j].y * c[w];
    }
    out[i] = make_float2((float)x, (float)y);
  }
  return out;
}

int main(int argc, char **argv) {
  app self = app_begin("FFT", argc, argv);
  uint32_t transforms = sizes[self.size].transforms;
  size_t points = (size_t)transforms * POINTS;
  rng r(self.seed);
  std::vector<float2> data(points);
  for (float2 &d : data) {
    d.x = r.between(-1, 1);
    d.y = r.between(-1, 1);
  }
  float2 *from = device_copy(data), *to = device_new<float2>(points);
  for (uint32_t p = 0; p < PASSES; p++) {
    pass<<<transforms, POINTS / 2>>>(from, to, 1u << p);
    CHECK_LAUNCH();
    std::swap(from, to);
  }
  std::vector<float2> got = from_device(from, points);
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  if (!self.verify) return app_end(self, true);
  std::vector<float2> want = reference(data);
  /* The device's fast sine is right to 2^-21, and there are eight passes; results are about 16. */
  return app_end(self, near_values("frequency", &got[0].x, &want[0].x, 2 * points, 1e-4));
}
