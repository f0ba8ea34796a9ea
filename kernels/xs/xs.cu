/* XS: macroscopic cross-sections of random particles, the pattern of XSBench: a binary search in
 * the unionised energy grid, then, for each nuclide of the material, its place from the index grid
 * and two neighbouring points of its own grid. The index grid has an entry for every energy and
 * nuclide and is nearly all of the footprint. */
#include "../common/scaled.h"

#define THREADS   256
#define MATERIALS 12
#define CHANNELS  5 /* total, elastic, absorption, fission, nu-fission */

/* XSBench's Hoogenboom-Martin core: nuclides of a material, and how often a particle is in it. */
static const uint32_t material_nuclides[MATERIALS] = {321, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9};
static const double material_share[MATERIALS] = {.140, .052, .275, .134, .154, .064,
                                                 .066, .055, .008, .015, .025, .013};

struct point {
  double energy, xs[CHANNELS];
};
struct problem {
  const double *energy;     /* [nuclides * points], ascending: all grids merged */
  const uint32_t *index;    /* [nuclides * points][nuclides] */
  const point *grid;        /* [nuclides][points] */
  const uint32_t *nuclide;  /* lists of all materials */
  const double *density;    /* of these */
  const uint32_t *material; /* [MATERIALS + 1]: where a list begins */
  uint64_t nuclides, points;
};

__host__ __device__ static inline void macroscopic(const problem &p, double e, uint32_t mat,
                                                   double out[CHANNELS]) {
  uint64_t low = 0, high = p.nuclides * p.points - 1;
  while (high - low > 1) {
    uint64_t mid = (low + high) / 2;
    if (p.energy[mid] > e)
      high = mid;
    else
      low = mid;
  }
  for (int c = 0; c < CHANNELS; c++) out[c] = 0;
  for (uint32_t k = p.material[mat]; k < p.material[mat + 1]; k++) {
    uint64_t n = p.nuclide[k], at = p.index[low * p.nuclides + n];
    if (at > p.points - 2) at = p.points - 2;
    const point *a = p.grid + n * p.points + at, *b = a + 1;
    double f = (b->energy - e) / (b->energy - a->energy);
    for (int c = 0; c < CHANNELS; c++)
      out[c] += (b->xs[c] - f * (b->xs[c] - a->xs[c])) * p.density[k];
  }
}

__global__ void look_up(problem p, const double *energy, const uint32_t *material, double *out,
                        uint32_t count) {
  uint32_t i = blockIdx.x * THREADS + threadIdx.x;
  double xs[CHANNELS], sum = 0;
  if (i >= count) return;
  macroscopic(p, energy[i], material[i], xs);
  for (int c = 0; c < CHANNELS; c++) sum += (c + 1) * xs[c];
  out[i] = sum;
}

int main(int argc, char **argv) {
  scaled s = scaled_begin("XS", argc, argv, 400000, false);
  uint64_t nuclides = s.tiny ? 24 : 355; /* XSBench "large": 355 */
  uint64_t points = s.bytes / (nuclides * (sizeof(double) + sizeof(point) + 4 * nuclides));
  if (points < 8) points = 8;
  uint64_t all = nuclides * points;
  /* A look-up visits 59 nuclides on average, each 1 index and 2 points. */
  uint32_t count = s.work ? scaled_count(s.work / 64) : 2048;
  rng r(s.self.seed);
  std::vector<point> grid(all);
  uint64_t seed = r.next();
  for (uint64_t n = 0; n < nuclides; n++)
    for (uint64_t k = 0; k < points; k++) {
      point &p = grid[n * points + k];
      uint64_t bits = gmmu_content_word64(GMMU_CONTENT_SORTED64, seed, all, k * nuclides + n);
      memcpy(&p.energy, &bits, 8);
      for (double &x : p.xs) x = r.unit_double();
    }
  std::vector<uint32_t> list, begin(1, 0);
  std::vector<double> density;
  for (uint32_t m = 0; m < MATERIALS; m++) {
    uint32_t n = material_nuclides[m] < nuclides ? material_nuclides[m] : (uint32_t)nuclides - 1;
    for (uint32_t k = 0; k < n; k++) {
      list.push_back(m == 0 ? k : r.below((uint32_t)nuclides));
      density.push_back(r.unit_double());
    }
    begin.push_back((uint32_t)list.size());
  }
  std::vector<double> energy(count), want(count);
  std::vector<uint32_t> material(count);
  for (uint32_t i = 0; i < count; i++) {
    double u = r.unit_double();
    uint32_t m = 0;
    for (; m + 1 < MATERIALS && u >= material_share[m]; m++) u -= material_share[m];
    energy[i] = r.unit_double(), material[i] = m;
  }
  double *denergy = table_new<double>(all, GMMU_CONTENT_SORTED64, seed, all);
  uint32_t *dindex = table_new<uint32_t>(all * nuclides, GMMU_CONTENT_MERGED32, 0, nuclides);
  point *dgrid = device_copy(grid);
  uint32_t *dlist = device_copy(list), *dbegin = device_copy(begin),
           *dmaterial = device_copy(material);
  double *ddensity = device_copy(density), *dparticle = device_copy(energy),
         *dout = device_new<double>(count);
  problem p = {denergy, dindex, dgrid, dlist, ddensity, dbegin, nuclides, points};
  look_up<<<blocks_for(count, THREADS), THREADS>>>(p, dparticle, dmaterial, dout, count);
  CHECK_LAUNCH();
  std::vector<double> got = from_device(dout, count);
  bool right = true;
  if (s.self.verify) {
    std::vector<double> e = table_host<double>(all, GMMU_CONTENT_SORTED64, seed, all);
    std::vector<uint32_t> index =
        table_host<uint32_t>(all * nuclides, GMMU_CONTENT_MERGED32, 0, nuclides);
    problem h = {e.data(),       index.data(), grid.data(), list.data(),
                 density.data(), begin.data(), nuclides,    points};
    for (uint32_t i = 0; i < count; i++) {
      double xs[CHANNELS];
      macroscopic(h, energy[i], material[i], xs);
      want[i] = 0;
      for (int c = 0; c < CHANNELS; c++) want[i] += (c + 1) * xs[c];
    }
    right = near_values("xs", got, want, 1e-9);
  }
  free_all({denergy, dindex, dgrid, dlist, dbegin, dmaterial, ddensity, dparticle, dout});
  return app_end(s.self, right);
}
