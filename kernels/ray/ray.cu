/* RAY: traces rays into a scene of spheres over a floor, with reflections and shadows, one thread
 * per pixel. Much arithmetic, constants, a small stack per thread; global memory sees the picture
 * only. */
#include "../common/app.h"

static const struct {
  unsigned width, height, frames;
} sizes[APP_SIZES] = {{64, 32, 1}, {512, 512, 2}, {2048, 1536, 1}};

#define SPHERES 4
#define BOUNCES 4
#define BX      16
#define BY      8

struct vec {
  float x, y, z;
};
struct sphere {
  vec center;
  float radius, mirror;
  vec color;
};
struct hit {
  float t;
  vec at, normal, color;
  float mirror;
};
/* What is seen of a ray: the part of the light its mirror passes on. */
struct bounce {
  vec color;
  float mirror;
};

#define BOTH __host__ __device__ inline
BOTH vec add(vec a, vec b) { return vec{a.x + b.x, a.y + b.y, a.z + b.z}; }
BOTH vec sub(vec a, vec b) { return vec{a.x - b.x, a.y - b.y, a.z - b.z}; }
BOTH vec mul(vec a, float s) { return vec{a.x * s, a.y * s, a.z * s}; }
BOTH float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BOTH vec unit(vec a) { return mul(a, 1.0f / sqrtf(dot(a, a))); }

/* Nearest hit of the ray beyond a small distance; false if it leaves the scene. */
BOTH bool nearest(const sphere *scene, vec from, vec dir, hit *h) {
  h->t = 1e30f;
  for (int i = 0; i < SPHERES; i++) {
    vec to = sub(scene[i].center, from);
    float b = dot(to, dir), d = b * b - dot(to, to) + scene[i].radius * scene[i].radius;
    if (d < 0) continue;
    float t = b - sqrtf(d);
    if (t < 1e-3f || t >= h->t) continue;
    h->t = t;
    h->at = add(from, mul(dir, t));
    h->normal = mul(sub(h->at, scene[i].center), 1.0f / scene[i].radius);
    h->color = scene[i].color;
    h->mirror = scene[i].mirror;
  }
  if (dir.y < -1e-3f) { /* the floor, y = 0, in squares of two colours */
    float t = -from.y / dir.y;
    if (t > 1e-3f && t < h->t) {
      h->t = t;
      h->at = add(from, mul(dir, t));
      h->normal = vec{0, 1, 0};
      int odd = ((int)floorf(h->at.x) + (int)floorf(h->at.z)) & 1;
      h->color = odd ? vec{0.9f, 0.9f, 0.9f} : vec{0.1f, 0.1f, 0.2f};
      h->mirror = 0.2f;
    }
  }
  return h->t < 1e30f;
}

BOTH vec shade(const sphere *scene, const hit *h) {
  vec light = unit(vec{-0.5f, 1.0f, -0.7f});
  float strength = dot(h->normal, light);
  hit block;
  if (strength <= 0 || nearest(scene, add(h->at, mul(h->normal, 1e-2f)), light, &block))
    strength = 0;
  return mul(h->color, 0.2f + 0.8f * strength);
}

BOTH vec trace(const sphere *scene, vec from, vec dir) {
  bounce stack[BOUNCES];
  int depth = 0;
  vec seen = {0.5f, 0.7f, 1.0f}; /* the sky */
  hit h;
  while (depth < BOUNCES && nearest(scene, from, dir, &h)) {
    stack[depth].color = shade(scene, &h);
    stack[depth++].mirror = h.mirror;
    from = add(h.at, mul(h.normal, 1e-2f));
    dir = sub(dir, mul(h.normal, 2 * dot(dir, h.normal)));
  }
  while (depth-- > 0)
    seen = add(mul(stack[depth].color, 1 - stack[depth].mirror), mul(seen, stack[depth].mirror));
  return seen;
}

BOTH vec pixel(const sphere *scene, unsigned x, unsigned y, unsigned width, unsigned height) {
  float u = ((float)x + 0.5f - 0.5f * (float)width) / (float)height,
        v = (0.5f * (float)height - (float)y - 0.5f) / (float)height;
  return trace(scene, vec{0, 1.5f, -4}, unit(vec{u, v, 1.2f}));
}

/* Of a screen: 0 .. 255. */
BOTH unsigned char level(float x) { return (unsigned char)(255 * fminf(fmaxf(x, 0.0f), 1.0f)); }

__constant__ sphere spheres[SPHERES];

__global__ void render(uchar4 *picture, unsigned width, unsigned height) {
  unsigned x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  if (x >= width || y >= height) return;
  vec c = pixel(spheres, x, y, width, height);
  picture[(size_t)y * width + x] = make_uchar4(level(c.x), level(c.y), level(c.z), 255);
}

/* Rays that graze an edge may fall on either side of it when roundings differ: few do. */
static bool verified(const sphere *scene, const std::vector<uchar4> &got, unsigned width,
                     unsigned height) {
  size_t off = 0;
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      vec w = pixel(scene, x, y, width, height);
      uchar4 g = got[(size_t)y * width + x];
      off += abs(g.x - level(w.x)) + abs(g.y - level(w.y)) + abs(g.z - level(w.z)) > 3;
    }
  if (off * 500 <= got.size()) return true;
  fprintf(stderr, "%zu of %zu pixels differ\n", off, got.size());
  return false;
}

int main(int argc, char **argv) {
  app self = app_begin("RAY", argc, argv);
  unsigned width = sizes[self.size].width, height = sizes[self.size].height;
  rng r(self.seed);
  sphere scene[SPHERES];
  for (int i = 0; i < SPHERES; i++) {
    float radius = r.between(0.4f, 0.9f);
    scene[i].center = vec{-2.4f + 1.6f * (float)i, radius, r.between(-0.5f, 2)};
    scene[i].radius = radius;
    scene[i].mirror = r.between(0.1f, 0.6f);
    scene[i].color = vec{r.unit(), r.unit(), r.unit()};
  }
  CHECK(cudaMemcpyToSymbol(spheres, scene, sizeof scene));
  uchar4 *picture = device_new<uchar4>((size_t)width * height);
  for (unsigned f = 0; f < sizes[self.size].frames; f++) {
    render<<<dim3(blocks_for(width, BX), blocks_for(height, BY)), dim3(BX, BY)>>>(picture, width,
                                                                                  height);
    CHECK_LAUNCH();
  }
  std::vector<uchar4> got = from_device(picture, (size_t)width * height);
  CHECK(cudaFree(picture));
  return app_end(self, !self.verify || verified(scene, got, width, height));
}
