/* BH: the force phase of Barnes-Hut: every body walks an octree from the root; a cell that is far
 * enough away counts as one body, else its eight children are visited. The host builds the tree.
 * Bodies follow Plummer's model and are sorted along the tree, so neighbours walk alike. */
#include "../common/scaled.h"
#include <algorithm>

#define BLOCK  64    /* small: of a part of the bodies, 64 blocks walk at least */
#define DEPTH  64    /* of the stack, in cells that wait */
#define THETA2 0.25f /* opening angle 0.5, squared */
#define SOFT   1e-4f
#define NONE   0xffffffffu

struct cell {
  float x, y, z, mass, size2; /* centre of mass; edge length squared, 0: a body */
  uint32_t child[8];
  uint32_t unused[3]; /* 64 bytes */
};

__host__ __device__ static inline void walk(const cell *tree, float x, float y, float z,
                                            float out[3]) {
  uint32_t stack[DEPTH * 8], top = 0;
  stack[top++] = 0;
  out[0] = out[1] = out[2] = 0;
  while (top) {
    const cell &c = tree[stack[--top]];
    float dx = c.x - x, dy = c.y - y, dz = c.z - z, d2 = dx * dx + dy * dy + dz * dz + SOFT;
    if (c.size2 < THETA2 * d2 || c.size2 == 0) {
      float inverse = 1 / sqrtf(d2), f = c.mass * inverse * inverse * inverse;
      out[0] += f * dx, out[1] += f * dy, out[2] += f * dz;
      continue;
    }
    for (uint32_t k = 0; k < 8; k++)
      if (c.child[k] != NONE) stack[top++] = c.child[k];
  }
}

__global__ void forces(const cell *tree, const float4 *body, float4 *force, uint64_t blocks) {
  uint64_t i = spread_block(blocks) * BLOCK + threadIdx.x;
  float4 b = body[i];
  float f[3];
  walk(tree, b.x, b.y, b.z, f);
  force[i] = make_float4(f[0], f[1], f[2], 0);
}

/* Bodies [from, to) of a cube; returns the cell's number. Bodies are sorted into octants in place.
 */
struct builder {
  std::vector<float4> &body;
  std::vector<cell> &tree;
  uint32_t build(uint64_t from, uint64_t to, float x, float y, float z, float half,
                 uint32_t depth) {
    uint32_t self = (uint32_t)tree.size();
    cell c = {0, 0, 0, 0, 4 * half * half, {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}, {0}};
    tree.push_back(c);
    if (to - from == 1 || depth == DEPTH / 2) {
      for (uint64_t i = from; i < to; i++) add(c, body[i].x, body[i].y, body[i].z, body[i].w);
      c.size2 = 0;
    } else {
      uint64_t begin[9];
      split(from, to, x, y, z, begin);
      for (uint32_t k = 0; k < 8; k++) {
        if (begin[k] == begin[k + 1]) continue;
        float h = half / 2;
        uint32_t kid = build(begin[k], begin[k + 1], x + (k & 1 ? h : -h), y + (k & 2 ? h : -h),
                             z + (k & 4 ? h : -h), h, depth + 1);
        c.child[k] = kid;
        add(c, tree[kid].x, tree[kid].y, tree[kid].z, tree[kid].mass);
      }
    }
    c.x /= c.mass, c.y /= c.mass, c.z /= c.mass;
    tree[self] = c;
    return self;
  }
  static void add(cell &c, float x, float y, float z, float m) {
    c.x += x * m, c.y += y * m, c.z += z * m, c.mass += m;
  }
  void split(uint64_t from, uint64_t to, float x, float y, float z, uint64_t begin[9]) {
    auto octant = [&](const float4 &b) { return (b.x >= x) | (b.y >= y) << 1 | (b.z >= z) << 2; };
    begin[0] = from;
    for (int k = 0; k < 8; k++)
      begin[k + 1] =
          (uint64_t)(std::partition(body.begin() + (long)begin[k], body.begin() + (long)to,
                                    [&](const float4 &b) { return octant(b) == k; }) -
                     body.begin());
  }
};

int main(int argc, char **argv) {
  scaled s = scaled_begin("BH", argc, argv, 1 << 18, false);
  /* A body has one leaf of 64 bytes, half a cell above it, and 32 bytes of place and force. */
  uint64_t bodies = s.bytes / 128 / BLOCK * BLOCK;
  spread part = spread_over(s, bodies / BLOCK, BLOCK * 128);
  scaled_whole(s, part.count == part.all);
  if (bodies < BLOCK) bodies = BLOCK;
  rng r(s.self.seed);
  std::vector<float4> body(bodies);
  for (float4 &b : body) {
    float radius = 1 / sqrtf(powf(r.between(0.001f, 0.999f), -2.0f / 3) - 1), u = r.between(-1, 1),
          phi = r.between(0, 6.2831853f), flat = sqrtf(1 - u * u);
    b = make_float4(radius * flat * cosf(phi), radius * flat * sinf(phi), radius * u,
                    1.0f / (float)bodies);
  }
  std::vector<cell> tree;
  tree.reserve(2 * bodies); /* more than there are: pages that are not written cost nothing */
  builder{body, tree}.build(0, bodies, 0, 0, 0, 64, 0);
  cell *dtree = device_move(tree, s.self.verify);
  float4 *dbody = device_move(body, s.self.verify), *force = device_new<float4>(bodies);
  forces<<<part.count, BLOCK>>>(dtree, dbody, force, part.all);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  if (s.self.verify) {
    std::vector<float4> got = from_device(force, bodies);
    std::vector<float> g(3 * bodies), want(3 * bodies);
    for (uint64_t i = 0; i < bodies; i++) {
      walk(tree.data(), body[i].x, body[i].y, body[i].z, &want[3 * i]);
      g[3 * i] = got[i].x, g[3 * i + 1] = got[i].y, g[3 * i + 2] = got[i].z;
    }
    right = near_values("force", g, want, 1e-3);
  }
  free_all({dtree, dbody, force});
  return app_end(s.self, right);
}
