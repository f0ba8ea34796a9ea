/* QTC: quality-threshold clustering. Around every point a cluster grows by the point that keeps its
 * diameter least, up to a threshold; the largest one is taken out, and again. Candidates of a point
 * come from a list of its near neighbours, and their distances are read from rows of a large matrix
 * through it. */
#include "../common/app.h"

static const struct {
  unsigned points, clusters; /* points a multiple of BLOCK */
  float threshold;
} sizes[APP_SIZES] = {{128, 2, 0.35f}, {2048, 2, 0.03f}, {4096, 2, 0.035f}};

#define BLOCK 64

/* distance[i * n + j]; near[i * degree + k]: candidates of i in order of their number. */
__global__ void distances(const float2 *p, float *distance, unsigned n) {
  unsigned i = blockIdx.x;
  for (unsigned j = threadIdx.x; j < n; j += BLOCK) {
    float dx = p[i].x - p[j].x, dy = p[i].y - p[j].y;
    distance[(size_t)i * n + j] = sqrtf(dx * dx + dy * dy);
  }
}

__global__ void neighbours(const float *distance, int *near, int *count, unsigned n,
                           unsigned degree, float threshold) {
  unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  unsigned k = 0;
  for (unsigned j = 0; j < n && k < degree; j++)
    if (j != i && distance[(size_t)i * n + j] <= threshold) near[(size_t)i * degree + k++] = (int)j;
  count[i] = (int)k;
}

/* A block grows the cluster of its point; diameter[] holds, per candidate, the cluster's diameter
 * if it joined, or a negative number once it is in, taken, or too far. Members go to `member` if
 * given. */
__global__ void grow(const float *distance, const int *near, const int *count, const uint8_t *taken,
                     float *diameter, int *size, int *member, unsigned n, unsigned degree,
                     float threshold, int only) {
  __shared__ float best[BLOCK];
  __shared__ int who[BLOCK];
  unsigned i = only >= 0 ? (unsigned)only : blockIdx.x, t = threadIdx.x, c = (unsigned)count[i];
  float *mine = diameter + (size_t)i * degree;
  const int *list = near + (size_t)i * degree;
  if (taken[i]) {
    if (t == 0) size[i] = 0;
    return;
  }
  for (unsigned k = t; k < c; k += BLOCK)
    mine[k] = taken[list[k]] ? -1.0f : distance[(size_t)i * n + list[k]];
  int members = 1;
  if (member && t == 0) member[0] = (int)i;
  for (;;) {
    best[t] = 2 * threshold, who[t] = -1;
    for (unsigned k = t; k < c; k += BLOCK)
      if (mine[k] >= 0 && mine[k] < best[t]) best[t] = mine[k], who[t] = (int)k;
    for (unsigned half = BLOCK / 2; half; half /= 2) {
      __syncthreads();
      if (t >= half || who[t + half] < 0) continue;
      bool less = best[t + half] < best[t] || (best[t + half] == best[t] && who[t + half] < who[t]);
      if (who[t] < 0 || less) best[t] = best[t + half], who[t] = who[t + half];
    }
    __syncthreads();
    int k = who[0];
    float reached = best[0];
    __syncthreads();
    if (k < 0 || reached > threshold) break;
    if (member && t == 0) member[members] = list[k];
    members++;
    const float *row = distance + (size_t)list[k] * n;
    for (unsigned m = t; m < c; m += BLOCK) {
      if ((int)m == k)
        mine[m] = -1;
      else if (mine[m] >= 0)
        mine[m] = fmaxf(mine[m], row[list[m]]);
    }
    __syncthreads();
  }
  if (t == 0) size[i] = members;
}

__global__ void take(uint8_t *taken, const int *member, int members) {
  for (int k = (int)threadIdx.x; k < members; k += BLOCK) taken[member[k]] = 1;
}

/* The same by the definition, with the matrix the device made. */
static std::vector<int> cluster_of(const std::vector<float> &d, const std::vector<uint8_t> &taken,
                                   unsigned n, unsigned degree, float threshold, unsigned i) {
  std::vector<int> list, members(1, (int)i);
  for (unsigned j = 0; j < n && list.size() < degree; j++)
    if (j != i && d[(size_t)i * n + j] <= threshold) list.push_back((int)j);
  std::vector<float> reach(list.size());
  for (size_t k = 0; k < list.size(); k++)
    reach[k] = taken[list[k]] ? -1.0f : d[(size_t)i * n + list[k]];
  for (;;) {
    int best = -1;
    for (size_t k = 0; k < list.size(); k++)
      if (reach[k] >= 0 && (best < 0 || reach[k] < reach[best])) best = (int)k;
    if (best < 0 || reach[best] > threshold) return members;
    members.push_back(list[best]);
    for (size_t k = 0; k < list.size(); k++)
      if (reach[k] >= 0) reach[k] = fmaxf(reach[k], d[(size_t)list[best] * n + list[k]]);
    reach[best] = -1;
  }
}

int main(int argc, char **argv) {
  app self = app_begin("QTC", argc, argv);
  unsigned n = sizes[self.size].points, degree = n / 8;
  float threshold = sizes[self.size].threshold;
  rng r(self.seed);
  std::vector<float2> p(n);
  for (unsigned i = 0; i < n; i++) { /* clouds around some centres */
    unsigned c = r.below(32);
    p[i].x = (float)(c % 8) / 8 + 0.05f * (r.unit() + r.unit());
    p[i].y = (float)(c / 8) / 4 + 0.05f * (r.unit() + r.unit());
  }
  std::vector<uint8_t> none(n, 0);
  float2 *dp = device_copy(p);
  float *distance = device_new<float>((size_t)n * n),
        *diameter = device_new<float>((size_t)n * degree);
  int *near = device_new<int>((size_t)n * degree), *count = device_new<int>(n),
      *size = device_new<int>(n), *member = device_new<int>(n);
  uint8_t *taken = device_copy(none);
  distances<<<n, BLOCK>>>(dp, distance, n);
  CHECK_LAUNCH();
  neighbours<<<n / BLOCK, BLOCK>>>(distance, near, count, n, degree, threshold);
  CHECK_LAUNCH();
  std::vector<float> d;
  if (self.verify) d = from_device(distance, (size_t)n * n);
  bool right = true;
  for (unsigned c = 0; c < sizes[self.size].clusters; c++) {
    grow<<<n, BLOCK>>>(distance, near, count, taken, diameter, size, NULL, n, degree, threshold,
                       -1);
    CHECK_LAUNCH();
    std::vector<int> got = from_device(size, n);
    unsigned best = 0;
    for (unsigned i = 1; i < n; i++)
      if (got[i] > got[best]) best = i;
    grow<<<1, BLOCK>>>(distance, near, count, taken, diameter, size, member, n, degree, threshold,
                       (int)best);
    CHECK_LAUNCH();
    take<<<1, BLOCK>>>(taken, member, got[best]);
    CHECK_LAUNCH();
    if (!self.verify || !right) continue;
    std::vector<int> members = from_device(member, (size_t)got[best]);
    for (unsigned i = 0; right && i < n; i += n < 512 ? 1 : n / 256) {
      int want = none[i] ? 0 : (int)cluster_of(d, none, n, degree, threshold, i).size();
      right = same_values("size", &got[i], &want, 1);
    }
    right =
        right && same_values("member", members, cluster_of(d, none, n, degree, threshold, best));
    for (int m : members) none[m] = 1;
  }
  void *all[] = {dp, distance, diameter, near, count, size, member, taken};
  for (void *q : all) CHECK(cudaFree(q));
  return app_end(self, right);
}
