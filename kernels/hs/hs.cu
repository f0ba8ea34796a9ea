/* HS: hotspot, the temperature of a chip under its power, an explicit five-point stencil. Blocks of
 * 16 x 16 threads do two steps at once on tiles that overlap by four cells, so that the inner 12 x
 * 12 are right. A row of the grid is 1 KB, a tile 4 pages of each of the three arrays; neighbouring
 * tiles share them. */
#include "../common/app.h"

#define TILE    16
#define PYRAMID 2 /* steps of a kernel, at most */
#define INNER   (TILE - 2 * PYRAMID)

static const struct { int32_t side, steps; } sizes[APP_SIZES] = {{60, 3}, {256, 12}, {1024, 3}};

/* What a cell gains in a step from power, from neighbours along y and x, and from the air above. */
struct conduction {
  float power, y, x, air, ambient;
};

__global__ void heat(const float *power, const float *from, float *to, int32_t side, int32_t steps,
                     conduction c) {
  __shared__ float tile[TILE][TILE];
  int32_t tx = (int32_t)threadIdx.x, ty = (int32_t)threadIdx.y;
  int32_t x = (int32_t)blockIdx.x * INNER + tx - PYRAMID;
  int32_t y = (int32_t)blockIdx.y * INNER + ty - PYRAMID;
  bool inside = x >= 0 && x < side && y >= 0 && y < side;
  float watts = 0;
  if (inside) {
    tile[ty][tx] = from[y * side + x];
    watts = power[y * side + x];
  }
  __syncthreads();
  /* No heat crosses the edge of the chip: there a cell is its own neighbour. */
  int32_t north = y > 0 ? ty - 1 : ty, south = y < side - 1 ? ty + 1 : ty;
  int32_t west = x > 0 ? tx - 1 : tx, east = x < side - 1 ? tx + 1 : tx;
  for (int32_t s = 1; s <= steps; s++) {
    bool valid = inside && tx >= s && tx < TILE - s && ty >= s && ty < TILE - s;
    float t = 0;
    if (valid) {
      t = tile[ty][tx];
      t += c.power * watts + c.y * (tile[north][tx] + tile[south][tx] - 2 * t) +
           c.x * (tile[ty][west] + tile[ty][east] - 2 * t) + c.air * (c.ambient - t);
    }
    __syncthreads();
    if (valid) tile[ty][tx] = t;
    __syncthreads();
  }
  bool own = tx >= PYRAMID && tx < TILE - PYRAMID && ty >= PYRAMID && ty < TILE - PYRAMID;
  if (inside && own) to[y * side + x] = tile[ty][tx];
}

/* A silicon die of 16 mm x 16 mm x 0.5 mm: conductivity 100 W/(m K), heat capacity 1.75e6 J/(m^3
 * K); the package takes 1 W per 4 K. A step is a tenth of what stability allows. */
static conduction make_conduction(int32_t side) {
  const double size_m = 0.016, height_m = 0.0005, conductivity = 100, capacity = 1.75e6;
  double cell_m = size_m / side, cell_capacity = capacity * height_m * cell_m * cell_m;
  double sideways = conductivity * height_m, up = 0.25 / ((double)side * side);
  double step_s = 0.1 * cell_capacity / (4 * sideways + up);
  conduction c;
  c.power = (float)(step_s / cell_capacity);
  c.y = c.x = (float)(step_s * sideways / cell_capacity);
  c.air = (float)(step_s * up / cell_capacity);
  c.ambient = 318;
  return c;
}

/* A floor plan: 64 units, each with its power per cell; 100 W in all, on average. */
static std::vector<float> make_power(rng &r, int32_t side) {
  float mean_w = 100.0f / ((float)side * (float)side), unit_w[8][8];
  for (int i = 0; i < 64; i++) unit_w[i / 8][i % 8] = r.between(0, 2 * mean_w);
  std::vector<float> power;
  for (int32_t y = 0; y < side; y++)
    for (int32_t x = 0; x < side; x++) power.push_back(unit_w[y * 8 / side][x * 8 / side]);
  return power;
}

static void reference_step(const std::vector<float> &power, const std::vector<float> &from,
                           std::vector<float> &to, int32_t side, const conduction &c) {
  for (int32_t y = 0; y < side; y++)
    for (int32_t x = 0; x < side; x++) {
      int32_t i = y * side + x;
      double t = from[i], north = y > 0 ? from[i - side] : t, west = x > 0 ? from[i - 1] : t;
      double south = y < side - 1 ? from[i + side] : t, east = x < side - 1 ? from[i + 1] : t;
      to[i] = (float)(t + (double)c.power * power[i] + c.y * (north + south - 2 * t) +
                      c.x * (west + east - 2 * t) + c.air * (c.ambient - t));
    }
}

int main(int argc, char **argv) {
  app self = app_begin("HS", argc, argv);
  int32_t side = sizes[self.size].side, steps = sizes[self.size].steps;
  size_t cells = (size_t)side * side;
  rng r(self.seed);
  std::vector<float> power = make_power(r, side), start = random_floats(r, cells, 320, 340);
  conduction c = make_conduction(side);
  float *from = device_new<float>(cells), *to = device_new<float>(cells);
  to_device(from, start);
  float *dpower = device_copy(power);
  dim3 blocks(blocks_for(side, INNER), blocks_for(side, INNER));
  for (int32_t left = steps; left > 0; left -= PYRAMID) {
    heat<<<blocks, dim3(TILE, TILE)>>>(dpower, from, to, side, left < PYRAMID ? left : PYRAMID, c);
    CHECK_LAUNCH();
    std::swap(from, to);
  }
  std::vector<float> got = from_device(from, cells);
  CHECK(cudaFree(dpower));
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  if (!self.verify) return app_end(self, true);
  std::vector<float> want = start, next(cells);
  for (int32_t s = 0; s < steps; s++) {
    reference_step(power, want, next, side, c);
    want.swap(next);
  }
  /* A few units in the last place of numbers of 330, which are 1e-7 of them. */
  return app_end(self, near_values("temperature", got, want, 1e-6));
}
