/* KMEANS: clustering of points of 34 features into 5 (Rodinia's kdd-cup shape). The points come in
 * rows; a first kernel turns them into columns, where every lane of a warp reads a row of its own;
 * then each thread finds the centre that is nearest to its point. */
#include "../common/scaled.h"

#define BLOCK    256
#define FEATURES 34
#define CENTRES  5

__global__ void turn(const float *rows, float *columns, uint64_t points) {
  uint64_t p = spread_block(points / BLOCK) * BLOCK + threadIdx.x;
  for (uint32_t f = 0; f < FEATURES; f++) columns[f * points + p] = rows[p * FEATURES + f];
}

__global__ void assign(const float *columns, const float *centre, uint32_t *member,
                       uint64_t points) {
  uint64_t p = spread_block(points / BLOCK) * BLOCK + threadIdx.x;
  float best = 3.4e38f;
  uint32_t nearest = 0;
  for (uint32_t c = 0; c < CENTRES; c++) {
    float sum = 0;
    for (uint32_t f = 0; f < FEATURES; f++) {
      float d = columns[f * points + p] - centre[c * FEATURES + f];
      sum += d * d;
    }
    if (sum < best) best = sum, nearest = c;
  }
  member[p] = nearest;
}

static std::vector<uint32_t> reference(const std::vector<float> &rows,
                                       const std::vector<float> &centre, uint64_t points) {
  std::vector<uint32_t> member(points);
  for (uint64_t p = 0; p < points; p++) {
    float best = 3.4e38f;
    for (uint32_t c = 0; c < CENTRES; c++) {
      float sum = 0;
      for (uint32_t f = 0; f < FEATURES; f++) {
        float d = rows[p * FEATURES + f] - centre[c * FEATURES + f];
        sum += d * d;
      }
      if (sum < best) best = sum, member[p] = c;
    }
  }
  return member;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("KMEANS", argc, argv, 1 << 19, false);
  uint64_t points = s.bytes / (2 * FEATURES * 4 + 4) / BLOCK * BLOCK, seed = s.self.seed;
  if (!points) points = BLOCK;
  spread part = spread_over(s, points / BLOCK, BLOCK * FEATURES);
  scaled_whole(s, part.count == part.all);
  rng r(seed);
  std::vector<float> centre = random_floats(r, CENTRES * FEATURES, 0, 1);
  float *rows = table_new<float>(points * FEATURES, GMMU_CONTENT_UNIT32, seed, 0);
  float *columns = device_new<float>(points * FEATURES), *dcentre = device_copy(centre);
  uint32_t *member = device_new<uint32_t>(points);
  turn<<<part.count, BLOCK>>>(rows, columns, points);
  CHECK_LAUNCH();
  assign<<<part.count, BLOCK>>>(columns, dcentre, member, points);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify) {
    std::vector<float> h = table_host<float>(points * FEATURES, GMMU_CONTENT_UNIT32, seed, 0);
    std::vector<uint32_t> got = from_device(member, points), want = reference(h, centre, points);
    uint64_t apart = 0; /* a compiler may fuse a multiplication: ties can go the other way */
    for (uint64_t p = 0; p < points; p++) apart += got[p] != want[p];
    right = apart * 1000 <= points;
  }
  free_all({rows, columns, dcentre, member});
  return app_end(s.self, right);
}
