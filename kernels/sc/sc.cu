/* SC: stream clustering: would it pay to open a centre at point x? A launch asks every point what
 * it would save by moving there; the host adds up and decides. Coordinates are stored dimension by
 * dimension, so a warp reads a line of each, a whole array of points apart. */
#include "../common/app.h"

static const struct {
  unsigned points, dimensions, tries;
} sizes[APP_SIZES] = {{1024, 16, 2}, {65536, 64, 6}, {131072, 128, 2}};

#define BLOCK 512

struct point {
  float weight, cost; /* cost: weighted distance to its centre */
  int center;         /* index of that point */
};

/* lower[i]: what point i would save; for each centre the sum of what its other points would pay. */
__global__ void gain(const float *coordinates, const point *points, const int *center_number,
                     float *work, int *moves, unsigned n, unsigned dimensions, unsigned x,
                     unsigned stride) {
  __shared__ float there[256];
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  for (unsigned d = threadIdx.x; d < dimensions; d += BLOCK)
    there[d] = coordinates[(size_t)d * n + x];
  __syncthreads();
  if (i >= n) return;
  float distance = 0;
  for (unsigned d = 0; d < dimensions; d++) {
    float diff = coordinates[(size_t)d * n + i] - there[d];
    distance += diff * diff;
  }
  float cost = distance * points[i].weight, saved = points[i].cost - cost;
  float *mine = work + (size_t)i * stride;
  moves[i] = saved > 0;
  mine[stride - 1] = saved > 0 ? saved : 0;
  if (saved <= 0) mine[center_number[points[i].center]] += saved;
}

static float distance_host(const std::vector<float> &c, unsigned n, unsigned dimensions, unsigned a,
                           unsigned b) {
  float sum = 0;
  for (unsigned d = 0; d < dimensions; d++) {
    float diff = c[(size_t)d * n + a] - c[(size_t)d * n + b];
    sum += diff * diff;
  }
  return sum;
}

int main(int argc, char **argv) {
  app self = app_begin("SC", argc, argv);
  const unsigned n = sizes[self.size].points, dims = sizes[self.size].dimensions, centers = 16,
                 stride = centers + 1;
  rng r(self.seed);
  std::vector<float> c = random_floats(r, (size_t)n * dims, 0, 1);
  std::vector<point> points(n);
  std::vector<int> number(n, 0);
  for (unsigned i = 0; i < n; i++) { /* any centre will do to begin with */
    unsigned k = r.below(centers), center = k * (n / centers);
    number[center] = (int)k;
    points[i].weight = 1;
    points[i].center = (int)center;
    points[i].cost = distance_host(c, n, dims, i, center);
  }
  float *dc = device_copy(c), *work = device_new<float>((size_t)n * stride);
  int *dnumber = device_copy(number), *dmoves = device_new<int>(n);
  point *dpoints = device_copy(points);
  bool right = true;
  unsigned opened = 0;
  for (unsigned t = 0; t < sizes[self.size].tries; t++) {
    unsigned x = r.below(n);
    CHECK(cudaMemcpy(dpoints, points.data(), n * sizeof(point), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(work, 0, (size_t)n * stride * sizeof(float)));
    gain<<<blocks_for(n, BLOCK), BLOCK>>>(dc, dpoints, dnumber, work, dmoves, n, dims, x, stride);
    CHECK_LAUNCH();
    std::vector<float> w = from_device(work, (size_t)n * stride);
    std::vector<int> moves = from_device(dmoves, n);
    double saved = 0;
    for (unsigned i = 0; i < n; i++) {
      saved += w[(size_t)i * stride + stride - 1];
      if (!self.verify || !right) continue;
      double want = points[i].cost - (double)distance_host(c, n, dims, i, x),
             got = moves[i] ? w[(size_t)i * stride + stride - 1]
                            : w[(size_t)i * stride + number[points[i].center]];
      right = near_values("saved", &got, &want, 1, 1e-4); /* sums of up to 128 squares */
    }
    if (saved < 0.5 * n / centers) continue; /* a centre costs as much as it serves */
    opened++;
    for (unsigned i = 0; i < n; i++)
      if (moves[i]) points[i].center = (int)x, points[i].cost = distance_host(c, n, dims, i, x);
    number[x] = (int)(opened % centers);
    CHECK(cudaMemcpy(dnumber, number.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  }
  void *all[] = {dc, work, dnumber, dmoves, dpoints};
  for (void *p : all) CHECK(cudaFree(p));
  return app_end(self, right);
}
