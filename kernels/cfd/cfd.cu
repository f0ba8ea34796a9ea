/* CFD: the Euler equations of a compressible gas on an unstructured mesh of tetrahedra, finite
 * volumes with three Runge-Kutta stages per iteration. Five variables per cell lie in five arrays;
 * the flux kernel reads those of the four neighbours through an index, while coalesced streams of
 * normals, areas and fluxes pass by. */
#include "../common/app.h"

#define BLOCK  192
#define FACES  4
#define VARS   5 /* density, momentum along x, y, z, energy */
#define STAGES 3

/* Beyond a face there is a cell, or one of these. */
#define WALL (-1)
#define FAR  (-2)

/* The domain is a cube of side^3 boxes, six tetrahedra each, around a solid cube a quarter as wide:
 * 129 654 cells at side 28, between the public meshes of 97 and 193 thousand. */
static const struct { uint32_t side, iterations; } sizes[APP_SIZES] = {{4, 1}, {28, 1}, {36, 1}};

#define GAMMA   1.4f
#define COURANT 0.4f
/* Undisturbed gas: sound travels at 1, the gas at Mach 1.2, three degrees upwards. */
static const float far_state[VARS] = {1.4f, 1.4f * 1.198355f, 1.4f * 0.0628031f, 0, 3.508f};
__constant__ float far_field[VARS];

/* ---- the physics, on the device in single and in the reference in double precision ---- */

template <typename T> struct gas {
  T u[VARS];
  T velocity[3], pressure, fastest; /* fastest: speed of the gas plus that of sound */
};

__host__ __device__ static inline float root(float x) { return sqrtf(x); }
__host__ __device__ static inline double root(double x) { return sqrt(x); }

/* The variables of cell i: u[v * cells + i]. */
template <typename T>
__host__ __device__ static inline gas<T> gas_of(const T *u, uint32_t cells, uint32_t i) {
  gas<T> g;
  for (int v = 0; v < VARS; v++) g.u[v] = u[v * cells + i];
  T square = 0;
  for (int d = 0; d < 3; d++) {
    g.velocity[d] = g.u[1 + d] / g.u[0];
    square += g.velocity[d] * g.velocity[d];
  }
  g.pressure = (T)(GAMMA - 1) * (g.u[4] - (T)0.5 * g.u[0] * square);
  g.fastest = root(square) + root((T)GAMMA * g.pressure / g.u[0]);
  return g;
}

/* Half of what one side's gas carries through a face: both sides' halves are the central flux. */
template <typename T>
__host__ __device__ static inline void add_half_flux(T *sum, const gas<T> &g, const T *normal) {
  T through = 0;
  for (int d = 0; d < 3; d++) through += g.velocity[d] * normal[d];
  through *= (T)0.5;
  for (int v = 0; v < VARS; v++) sum[v] -= through * g.u[v];
  for (int d = 0; d < 3; d++) sum[1 + d] -= (T)0.5 * g.pressure * normal[d];
  sum[4] -= through * g.pressure;
}

/* Gas on both sides: central flux and a dissipation by the faster wave (Rusanov's scheme). */
template <typename T>
__host__ __device__ static inline void add_face(T *sum, const gas<T> &own, const gas<T> &other,
                                                const T *normal) {
  T area = root(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  T fastest = own.fastest > other.fastest ? own.fastest : other.fastest;
  T mix = (T)0.5 * area * fastest;
  add_half_flux(sum, own, normal);
  add_half_flux(sum, other, normal);
  for (int v = 0; v < VARS; v++) sum[v] += mix * (other.u[v] - own.u[v]);
}

/* What flows into cell i, as a rate: normals point outwards and are as long as the face is large.
 */
template <typename T, typename N>
__host__ __device__ static inline void cell_flux(T *flux, const T *u, const int32_t *beyond,
                                                 const N *normals, const T *far_u, uint32_t cells,
                                                 uint32_t i) {
  gas<T> own = gas_of(u, cells, i);
  for (int v = 0; v < VARS; v++) flux[v] = 0;
  for (int f = 0; f < FACES; f++) {
    T normal[3];
    for (int d = 0; d < 3; d++) normal[d] = normals[(f * 3 + d) * cells + i];
    int32_t other = beyond[f * cells + i];
    if (other >= 0) {
      add_face(flux, own, gas_of(u, cells, (uint32_t)other), normal);
    } else if (other == FAR) {
      add_face(flux, own, gas_of(far_u, 1, 0), normal);
    } else {
      for (int d = 0; d < 3; d++) flux[1 + d] -= own.pressure * normal[d];
    }
  }
}

/* The gas starts a little disturbed, by 1/1024 to 15/1024: in equal cells any neighbour would do.
 */
__host__ __device__ static inline float disturbed(float far_value, uint32_t i, int v) {
  return far_value * (1 + (float)((i * 7 + (uint32_t)v) % 16) / 1024);
}

/* ---- kernels, a thread per cell ---- */

__global__ void initialise(float *u, uint32_t cells) {
  uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= cells) return;
  for (int v = 0; v < VARS; v++) u[v * cells + i] = disturbed(far_field[v], i, v);
}

/* Every cell has a step in time of its own, divided by its volume: no wave may cross a cell. */
__global__ void step_factors(const float *u, const float *area, float *factor, uint32_t cells) {
  uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= cells) return;
  factor[i] = 2 * COURANT / (area[i] * gas_of(u, cells, i).fastest);
}

__global__ void fluxes(const float *u, const int32_t *beyond, const float *normals, float *flux,
                       uint32_t cells) {
  uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= cells) return;
  float sum[VARS];
  cell_flux(sum, u, beyond, normals, far_field, cells, i);
  for (int v = 0; v < VARS; v++) flux[v * cells + i] = sum[v];
}

__global__ void time_step(const float *old, const float *flux, const float *factor, float *u,
                          float part, uint32_t cells) {
  uint32_t i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= cells) return;
  float f = factor[i] * part;
  for (int v = 0; v < VARS; v++) u[v * cells + i] = old[v * cells + i] + f * flux[v * cells + i];
}

/* ---- the mesh ---- */

struct mesh {
  uint32_t cells;
  std::vector<int32_t> beyond; /* [FACES][cells] */
  std::vector<float> normal;   /* [FACES * 3][cells], outwards */
  std::vector<float> area;     /* [cells], of all faces together */
};

struct point {
  double at[3];
};

/* Boxes and their corners: a box is gas (numbered in order), solid, or outside. */
struct boxes {
  int32_t side;
  uint32_t gas;
  std::vector<int32_t> number; /* by x, y, z; WALL in the solid */
  std::vector<point> corner;
  int32_t of(const int32_t *b) const {
    for (int d = 0; d < 3; d++)
      if (b[d] < 0 || b[d] >= side) return FAR;
    return number[((size_t)b[2] * side + b[1]) * side + b[0]];
  }
  const point &corner_at(const int32_t *c) const {
    return corner[((size_t)c[2] * (side + 1) + c[1]) * (side + 1) + c[0]];
  }
};

/* Corners are moved a little, so that no two faces are alike. */
static boxes make_boxes(rng &r, int32_t side) {
  boxes b;
  b.side = side;
  b.gas = 0;
  int32_t low = side * 3 / 8, high = side * 5 / 8;
  for (int32_t z = 0; z < side; z++)
    for (int32_t y = 0; y < side; y++)
      for (int32_t x = 0; x < side; x++) {
        bool solid = x >= low && x < high && y >= low && y < high && z >= low && z < high;
        b.number.push_back(solid ? WALL : (int32_t)b.gas++);
      }
  for (int32_t z = 0; z <= side; z++)
    for (int32_t y = 0; y <= side; y++)
      for (int32_t x = 0; x <= side; x++) {
        point p = {
            {x + r.between(-.15f, .15f), y + r.between(-.15f, .15f), z + r.between(-.15f, .15f)}};
        b.corner.push_back(p);
      }
  return b;
}

/* Kuhn's division of a box: a tetrahedron for each order (a, b, c) of the axes, with the corners
 * 0, a, a + b, a + b + c. This numbers the orders 0..5. */
static uint32_t order_number(int a, int b, int c) { return 2 * (uint32_t)a + (b > c); }

/* The outward area vector of the triangle of three corners, seen from the fourth. */
static point outward(const point &p, const point &q, const point &s, const point &fourth) {
  double e[3], f[3], away = 0;
  point n;
  for (int d = 0; d < 3; d++) {
    e[d] = q.at[d] - p.at[d];
    f[d] = s.at[d] - p.at[d];
  }
  for (int d = 0; d < 3; d++) {
    int g = (d + 1) % 3, h = (d + 2) % 3;
    n.at[d] = 0.5 * (e[g] * f[h] - e[h] * f[g]);
    away += n.at[d] * (p.at[d] - fourth.at[d]);
  }
  for (int d = 0; d < 3 && away < 0; d++) n.at[d] = -n.at[d];
  return n;
}

/* Face f lies opposite corner f. */
static void set_faces(mesh &m, const boxes &all, const int32_t *box, const int *axis, uint32_t i) {
  point corner[4];
  int32_t c[3] = {box[0], box[1], box[2]};
  for (int k = 0; k < 4; k++) {
    if (k > 0) c[axis[k - 1]]++;
    corner[k] = all.corner_at(c);
  }
  double area = 0;
  for (int f = 0; f < FACES; f++) {
    point n = outward(corner[(f + 1) % 4], corner[(f + 2) % 4], corner[(f + 3) % 4], corner[f]);
    for (int d = 0; d < 3; d++) m.normal[(size_t)(f * 3 + d) * m.cells + i] = (float)n.at[d];
    area += sqrt(n.at[0] * n.at[0] + n.at[1] * n.at[1] + n.at[2] * n.at[2]);
  }
  m.area[i] = (float)area;
}

/* Two neighbours are in the same box, one in the next box along the first axis, one in the box
 * before along the last. */
static void set_neighbours(mesh &m, const boxes &all, const std::vector<uint32_t> &name,
                           const int32_t *box, const int *axis, uint32_t i) {
  int a = axis[0], b = axis[1], c = axis[2];
  int32_t own = all.of(box), next[3], last[3];
  for (int d = 0; d < 3; d++) {
    next[d] = box[d] + (d == a);
    last[d] = box[d] - (d == c);
  }
  int32_t in_box[FACES] = {all.of(next), own, own, all.of(last)};
  uint32_t order[FACES] = {order_number(b, c, a), order_number(b, a, c), order_number(a, c, b),
                           order_number(c, a, b)};
  for (int f = 0; f < FACES; f++)
    m.beyond[(size_t)f * m.cells + i] =
        in_box[f] < 0 ? in_box[f] : (int32_t)name[6 * (uint32_t)in_box[f] + order[f]];
}

/* Mesh generators work through the domain region by region: cells are in order from run to run and
 * in no order within a run. */
static std::vector<uint32_t> make_names(rng &r, uint32_t cells) {
  const uint32_t run = 2048;
  std::vector<uint32_t> name(cells);
  for (uint32_t i = 0; i < cells; i++) name[i] = i;
  for (uint32_t i = 0; i < cells; i++) {
    uint32_t left = run - i % run < cells - i ? run - i % run : cells - i;
    std::swap(name[i], name[i + r.below(left)]);
  }
  return name;
}

static mesh make_mesh(rng &r, int32_t side) {
  static const int axes[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  boxes all = make_boxes(r, side);
  mesh m;
  m.cells = 6 * all.gas;
  m.beyond.resize((size_t)FACES * m.cells);
  m.normal.resize((size_t)FACES * 3 * m.cells);
  m.area.resize(m.cells);
  std::vector<uint32_t> name = make_names(r, m.cells);
  int32_t box[3];
  for (box[2] = 0; box[2] < side; box[2]++)
    for (box[1] = 0; box[1] < side; box[1]++)
      for (box[0] = 0; box[0] < side; box[0]++) {
        int32_t number = all.of(box);
        for (int o = 0; o < 6 && number >= 0; o++) {
          const int *axis = axes[o];
          uint32_t i = name[6 * (uint32_t)number + order_number(axis[0], axis[1], axis[2])];
          set_faces(m, all, box, axis, i);
          set_neighbours(m, all, name, box, axis, i);
        }
      }
  return m;
}

/* ---- the reference ---- */

static void reference_iteration(const mesh &m, std::vector<double> &u) {
  uint32_t cells = m.cells;
  std::vector<double> old = u, flux(u.size()), factor(cells);
  double far_u[VARS];
  for (int v = 0; v < VARS; v++) far_u[v] = far_state[v];
  for (uint32_t i = 0; i < cells; i++)
    factor[i] = 2 * COURANT / (m.area[i] * gas_of(u.data(), cells, i).fastest);
  for (int stage = 0; stage < STAGES; stage++) {
    for (uint32_t i = 0; i < cells; i++) {
      double sum[VARS];
      cell_flux(sum, u.data(), m.beyond.data(), m.normal.data(), far_u, cells, i);
      for (int v = 0; v < VARS; v++) flux[(size_t)v * cells + i] = sum[v];
    }
    for (size_t k = 0; k < u.size(); k++)
      u[k] = old[k] + factor[k % cells] / (STAGES - stage) * flux[k];
  }
}

static std::vector<double> reference(const mesh &m, uint32_t iterations) {
  std::vector<double> u;
  for (int v = 0; v < VARS; v++)
    for (uint32_t i = 0; i < m.cells; i++) u.push_back(disturbed(far_state[v], i, v));
  for (uint32_t n = 0; n < iterations; n++) reference_iteration(m, u);
  return u;
}

int main(int argc, char **argv) {
  app self = app_begin("CFD", argc, argv);
  rng r(self.seed);
  mesh m = make_mesh(r, (int32_t)sizes[self.size].side);
  uint32_t cells = m.cells, blocks = blocks_for(cells, BLOCK);
  size_t values = (size_t)VARS * cells;
  CHECK(cudaMemcpyToSymbol(far_field, far_state, sizeof far_state));
  float *area = device_copy(m.area), *normal = device_copy(m.normal);
  int32_t *beyond = device_copy(m.beyond);
  float *u = device_new<float>(values), *old = device_new<float>(values);
  float *flux = device_new<float>(values), *factor = device_new<float>(cells);
  float *filled[] = {u, old, flux};
  for (float *p : filled) {
    initialise<<<blocks, BLOCK>>>(p, cells);
    CHECK_LAUNCH();
  }
  for (uint32_t n = 0; n < sizes[self.size].iterations; n++) {
    CHECK(cudaMemcpy(old, u, values * sizeof(float), cudaMemcpyDeviceToDevice));
    step_factors<<<blocks, BLOCK>>>(u, area, factor, cells);
    CHECK_LAUNCH();
    for (int stage = 0; stage < STAGES; stage++) {
      fluxes<<<blocks, BLOCK>>>(u, beyond, normal, flux, cells);
      CHECK_LAUNCH();
      time_step<<<blocks, BLOCK>>>(old, flux, factor, u, 1.0f / (float)(STAGES - stage), cells);
      CHECK_LAUNCH();
    }
  }
  std::vector<float> got = from_device(u, values);
  void *all[] = {area, normal, beyond, u, old, flux, factor};
  for (void *p : all) CHECK(cudaFree(p));
  if (!self.verify) return app_end(self, true);
  /* Fluxes through the faces of a cell nearly cancel: their rounding, some 1e-6, remains. */
  return app_end(self, near_values("u", got, reference(m, sizes[self.size].iterations), 2e-5));
}
