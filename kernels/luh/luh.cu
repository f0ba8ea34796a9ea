/* LUH: hydrodynamics of an explosion on hexahedra, the structure of the LULESH proxy: an
 * unstructured mesh by lists of nodes, per time step some twenty small kernels that gather the
 * corners of an element, scatter forces to corners, sum them up at the nodes, move the nodes and
 * update the state of the elements. Double precision; temporaries come and go with every step. */
#include "../common/app.h"

static const struct {
  unsigned side, steps; /* side^3 elements */
} sizes[APP_SIZES] = {{6, 1}, {42, 1}, {64, 1}};

#define BLOCK   128
#define GAMMA   1.4
#define Q_LINE  0.5 /* artificial viscosity: linear and quadratic part */
#define Q_SQR   0.7
#define DAMPING 0.05 /* against modes of corners that change no volume */
#define BOTH    __host__ __device__ inline

struct vec3 {
  double x, y, z;
};
BOTH vec3 operator+(vec3 a, vec3 b) { return vec3{a.x + b.x, a.y + b.y, a.z + b.z}; }
BOTH vec3 operator-(vec3 a, vec3 b) { return vec3{a.x - b.x, a.y - b.y, a.z - b.z}; }
BOTH vec3 operator*(double s, vec3 a) { return vec3{s * a.x, s * a.y, s * a.z}; }
BOTH double dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
BOTH vec3 cross(vec3 a, vec3 b) {
  return vec3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Three components in arrays of their own. */
struct field {
  double *x, *y, *z;
  BOTH vec3 get(size_t i) const { return vec3{x[i], y[i], z[i]}; }
  BOTH void set(size_t i, vec3 v) const { x[i] = v.x, y[i] = v.y, z[i] = v.z; }
};

struct mesh {
  unsigned elements, nodes;
  int *corner;       /* [8 * elements] nodes, corner by corner of an element */
  int *at, *corners; /* [nodes + 1], [8 * elements]: which corners meet in a node */
  int *beside;       /* [6 * elements] neighbours, itself at the border */
  int *plane;        /* [nodes] bits: on a plane x, y or z = 0, which it cannot leave */
};

struct state {
  field x, v;          /* nodes: where, how fast */
  double *mass;        /* nodes */
  double *e, *p, *q;   /* elements: energy, pressure, viscosity, */
  double *volume, *v0; /* volume now and at first, */
  double *sound, *div; /* speed of sound, divergence of the velocity */
};

/* Nodes of each face, turning so that its normal points outwards. */
BOTH int face_corner(int face, int k) {
  const unsigned faces[6] = {0x0321, 0x4567, 0x0154, 0x1265, 0x2376, 0x3047};
  return (int)(faces[face] >> (12 - 4 * k) & 15);
}

BOTH void face_of(const vec3 c[8], int face, vec3 *middle, vec3 *normal) {
  vec3 a = c[face_corner(face, 0)], b = c[face_corner(face, 1)], d = c[face_corner(face, 2)],
       e = c[face_corner(face, 3)];
  *middle = 0.25 * (a + b + d + e);
  *normal = 0.5 * cross(d - a, e - b);
}

BOTH double volume_of(const vec3 c[8]) {
  double sum = 0;
  for (int f = 0; f < 6; f++) {
    vec3 middle, normal;
    face_of(c, f, &middle, &normal);
    sum += dot(middle - c[0], normal);
  }
  return sum / 3;
}

BOTH void gather(const mesh &m, const field &f, size_t e, vec3 c[8]) {
  for (int k = 0; k < 8; k++) c[k] = f.get((size_t)m.corner[8 * e + k]);
}

/* ---- what happens to one element or node; the host's reference calls the same ---- */

BOTH void stress(const mesh &m, const state &s, const field &force, size_t e) {
  vec3 c[8], sum[8] = {};
  gather(m, s.x, e, c);
  for (int f = 0; f < 6; f++) {
    vec3 middle, normal;
    face_of(c, f, &middle, &normal);
    for (int k = 0; k < 4; k++) {
      int n = face_corner(f, k);
      sum[n] = sum[n] + 0.25 * (s.p[e] + s.q[e]) * normal;
    }
  }
  for (int k = 0; k < 8; k++) force.set(8 * e + k, sum[k]);
}

/* Corners that move against each other without changing the volume are held back. */
BOTH void hourglass(const mesh &m, const state &s, const field &force, size_t e) {
  const unsigned modes[4] = {0xc3, 0x69, 0xa5, 0x96}; /* bit k: corner k moves the other way */
  vec3 v[8], sum[8] = {};
  double strength = DAMPING * s.sound[e] * s.volume[e] / (s.v0[e] > 0 ? cbrt(s.volume[e]) : 1);
  gather(m, s.v, e, v);
  for (int i = 0; i < 4; i++) {
    vec3 part = {0, 0, 0};
    for (int k = 0; k < 8; k++) part = modes[i] >> k & 1 ? part - v[k] : part + v[k];
    for (int k = 0; k < 8; k++)
      sum[k] = modes[i] >> k & 1 ? sum[k] + 0.125 * part : sum[k] - 0.125 * part;
  }
  for (int k = 0; k < 8; k++) force.set(8 * e + k, strength * sum[k]);
}

BOTH void sum_corners(const mesh &m, const field &corner, const field &force, size_t n,
                      bool first) {
  vec3 sum = first ? vec3{0, 0, 0} : force.get(n);
  for (int i = m.at[n]; i < m.at[n + 1]; i++) sum = sum + corner.get((size_t)m.corners[i]);
  force.set(n, sum);
}

BOTH void accelerate(const state &s, const field &force, size_t n) {
  force.set(n, (1 / s.mass[n]) * force.get(n));
}
BOTH void hold(const mesh &m, const field &force, size_t n) {
  vec3 a = force.get(n);
  int planes = m.plane[n];
  force.set(n, vec3{planes & 1 ? 0 : a.x, planes & 2 ? 0 : a.y, planes & 4 ? 0 : a.z});
}
BOTH void change_speed(const state &s, const field &force, double dt, size_t n) {
  s.v.set(n, s.v.get(n) + dt * force.get(n));
}
BOTH void change_place(const state &s, double dt, size_t n) {
  s.x.set(n, s.x.get(n) + dt * s.v.get(n));
}

BOTH void kinematics(const mesh &m, const state &s, double *fresh, double dt, size_t e) {
  vec3 c[8];
  gather(m, s.x, e, c);
  fresh[e] = volume_of(c);
  s.div[e] = (fresh[e] - s.volume[e]) / (dt * fresh[e]);
}

/* Viscosity where it is compressed, less where the neighbours are compressed as much. */
BOTH void viscosity(const mesh &m, const state &s, const double *fresh, size_t e) {
  double around = 0, d = s.div[e];
  for (int k = 0; k < 6; k++) around += s.div[m.beside[6 * e + k]];
  double limit = d < 0 ? 1 - 0.5 * fmin(1.0, fmax(0.0, around / (6 * d))) : 0;
  double length = cbrt(fresh[e]), rho = s.v0[e] / fresh[e];
  s.q[e] = limit * rho * (Q_LINE * s.sound[e] * length * -d + Q_SQR * length * length * d * d);
}

BOTH double pressure_of(double e, double v0, double volume) {
  return fmax(0.0, (GAMMA - 1) * e * v0 / volume);
}
BOTH void half_energy(const state &s, const double *fresh, double *half, size_t e) {
  half[e] = fmax(0.0, s.e[e] - 0.5 * (fresh[e] - s.volume[e]) / s.v0[e] * (s.p[e] + s.q[e]));
}
BOTH void half_pressure(const state &s, const double *fresh, const double *half, double *p,
                        size_t e) {
  p[e] = pressure_of(half[e], s.v0[e], 0.5 * (fresh[e] + s.volume[e]));
}
BOTH void energy(const state &s, const double *fresh, const double *p, size_t e) {
  s.e[e] = fmax(0.0, s.e[e] - (fresh[e] - s.volume[e]) / s.v0[e] * (p[e] + s.q[e]));
}
BOTH void pressure(const state &s, const double *fresh, size_t e) {
  s.p[e] = pressure_of(s.e[e], s.v0[e], fresh[e]);
}
BOTH void speed_of_sound(const state &s, const double *fresh, size_t e) {
  s.sound[e] = sqrt(fmax(1e-12, GAMMA * s.p[e] * fresh[e] / s.v0[e]));
}
BOTH void new_volume(const state &s, const double *fresh, size_t e) { s.volume[e] = fresh[e]; }
BOTH void courant(const state &s, double *limit, size_t e) {
  double length = cbrt(s.volume[e]);
  limit[e] = 0.3 * length / (s.sound[e] + length * fabs(s.div[e]) + 1e-9);
}

/* ---- the same as kernels: a thread per element or node ---- */

#define KERNEL(name, count, args, call)                                                            \
  __global__ void k_##name args {                                                                  \
    size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;                                           \
    if (i < (count)) call;                                                                         \
  }
KERNEL(stress, m.elements, (mesh m, state s, field f), stress(m, s, f, i))
KERNEL(hourglass, m.elements, (mesh m, state s, field f), hourglass(m, s, f, i))
KERNEL(sum, m.nodes, (mesh m, field c, field f, bool first), sum_corners(m, c, f, i, first))
KERNEL(accelerate, m.nodes, (mesh m, state s, field f), accelerate(s, f, i))
KERNEL(hold, m.nodes, (mesh m, field f), hold(m, f, i))
KERNEL(speed, m.nodes, (mesh m, state s, field f, double dt), change_speed(s, f, dt, i))
KERNEL(place, m.nodes, (mesh m, state s, double dt), change_place(s, dt, i))
KERNEL(kinematics, m.elements, (mesh m, state s, double *v, double dt), kinematics(m, s, v, dt, i))
KERNEL(viscosity, m.elements, (mesh m, state s, double *v), viscosity(m, s, v, i))
KERNEL(half_energy, m.elements, (mesh m, state s, double *v, double *h), half_energy(s, v, h, i))
KERNEL(half_pressure, m.elements, (mesh m, state s, double *v, double *h, double *p),
       half_pressure(s, v, h, p, i))
KERNEL(energy, m.elements, (mesh m, state s, double *v, double *p), energy(s, v, p, i))
KERNEL(pressure, m.elements, (mesh m, state s, double *v), pressure(s, v, i))
KERNEL(sound, m.elements, (mesh m, state s, double *v), speed_of_sound(s, v, i))
KERNEL(volume, m.elements, (mesh m, state s, double *v), new_volume(s, v, i))
KERNEL(courant, m.elements, (mesh m, state s, double *l), courant(s, l, i))

__global__ void least(const double *in, double *out, unsigned n) {
  __shared__ double part[BLOCK];
  unsigned t = threadIdx.x;
  double v = 1e30;
  for (unsigned i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK) v = fmin(v, in[i]);
  part[t] = v;
  for (unsigned half = BLOCK / 2; half; half /= 2) {
    __syncthreads();
    if (t < half) part[t] = fmin(part[t], part[t + half]);
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

/* ---- a time step, on the device or on the host ---- */

static double step_device(const mesh &m, const state &s, double dt) {
  unsigned ne = m.elements, nn = m.nodes, eb = blocks_for(ne, BLOCK), nb = blocks_for(nn, BLOCK);
  field corner = {device_new<double>(8 * ne), device_new<double>(8 * ne),
                  device_new<double>(8 * ne)};
  field force = {device_new<double>(nn), device_new<double>(nn), device_new<double>(nn)};
#define RUN(name, blocks, ...)                                                                     \
  k_##name<<<blocks, BLOCK>>>(m, __VA_ARGS__);                                                     \
  CHECK_LAUNCH()
  RUN(stress, eb, s, corner);
  RUN(sum, nb, corner, force, true);
  RUN(hourglass, eb, s, corner);
  RUN(sum, nb, corner, force, false);
  RUN(accelerate, nb, s, force);
  RUN(hold, nb, force);
  RUN(speed, nb, s, force, dt);
  RUN(place, nb, s, dt);
  void *forces[] = {corner.x, corner.y, corner.z, force.x, force.y, force.z};
  for (void *p : forces) CHECK(cudaFree(p));
  double *fresh = device_new<double>(ne), *half = device_new<double>(ne),
         *p = device_new<double>(ne), *limit = device_new<double>(ne),
         *part = device_new<double>(64);
  RUN(kinematics, eb, s, fresh, dt);
  RUN(viscosity, eb, s, fresh);
  RUN(half_energy, eb, s, fresh, half);
  RUN(half_pressure, eb, s, fresh, half, p);
  RUN(energy, eb, s, fresh, p);
  RUN(pressure, eb, s, fresh);
  RUN(sound, eb, s, fresh);
  RUN(volume, eb, s, fresh);
  RUN(courant, eb, s, limit);
  least<<<64, BLOCK>>>(limit, part, ne);
  CHECK_LAUNCH();
  least<<<1, BLOCK>>>(part, part, 64);
  CHECK_LAUNCH();
  double next;
  CHECK(cudaMemcpy(&next, part, sizeof next, cudaMemcpyDeviceToHost));
  void *all[] = {fresh, half, p, limit, part};
  for (void *q : all) CHECK(cudaFree(q));
  return fmin(next, 1.2 * dt);
}

static double step_host(const mesh &m, const state &s, double dt) {
  size_t ne = m.elements, nn = m.nodes;
  std::vector<double> cx(8 * ne), cy(8 * ne), cz(8 * ne), fx(nn), fy(nn), fz(nn), fresh(ne),
      half(ne), p(ne), limit(ne);
  field corner = {cx.data(), cy.data(), cz.data()}, force = {fx.data(), fy.data(), fz.data()};
  for (size_t e = 0; e < ne; e++) stress(m, s, corner, e);
  for (size_t n = 0; n < nn; n++) sum_corners(m, corner, force, n, true);
  for (size_t e = 0; e < ne; e++) hourglass(m, s, corner, e);
  for (size_t n = 0; n < nn; n++) {
    sum_corners(m, corner, force, n, false);
    accelerate(s, force, n);
    hold(m, force, n);
    change_speed(s, force, dt, n);
    change_place(s, dt, n);
  }
  for (size_t e = 0; e < ne; e++) kinematics(m, s, fresh.data(), dt, e);
  for (size_t e = 0; e < ne; e++) viscosity(m, s, fresh.data(), e);
  double next = 1e30;
  for (size_t e = 0; e < ne; e++) {
    half_energy(s, fresh.data(), half.data(), e);
    half_pressure(s, fresh.data(), half.data(), p.data(), e);
    energy(s, fresh.data(), p.data(), e);
    pressure(s, fresh.data(), e);
    speed_of_sound(s, fresh.data(), e);
    new_volume(s, fresh.data(), e);
    courant(s, limit.data(), e);
    next = fmin(next, limit[e]);
  }
  return fmin(next, 1.2 * dt);
}

/* ---- the problem: a cube with energy in one corner ---- */

struct problem {
  std::vector<int> corner, at, corners, beside, plane;
  std::vector<double> x[3], v[3], mass, e, p, q, volume, v0, sound, div;
};

static problem make(unsigned side, rng &r) {
  problem b;
  unsigned n1 = side + 1, ne = side * side * side, nn = n1 * n1 * n1;
  for (auto &c : b.x) c.resize(nn);
  for (auto &c : b.v) c.assign(nn, 0);
  b.plane.assign(nn, 0), b.mass.assign(nn, 0), b.at.assign(nn + 1, 0);
  for (unsigned n = 0; n < nn; n++) {
    unsigned at[3] = {n % n1, n / n1 % n1, n / n1 / n1};
    for (int d = 0; d < 3; d++) { /* not quite regular inside */
      bool inside = at[d] > 0 && at[d] < side;
      b.x[d][n] = ((double)at[d] + (inside ? 0.1 * (r.unit_double() - 0.5) : 0)) / side;
      b.plane[n] |= (at[d] == 0) << d;
    }
  }
  b.corner.resize(8 * ne), b.beside.resize(6 * ne), b.corners.resize(8 * ne);
  for (auto c : {&b.e, &b.p, &b.q, &b.volume, &b.v0, &b.sound, &b.div}) c->assign(ne, 0);
  field x = {b.x[0].data(), b.x[1].data(), b.x[2].data()};
  for (unsigned e = 0; e < ne; e++) {
    unsigned i = e % side, j = e / side % side, k = e / side / side, n = (k * n1 + j) * n1 + i;
    const unsigned nodes[8] = {
        n,           n + 1,           n + n1 + 1,           n + n1,
        n + n1 * n1, n + n1 * n1 + 1, n + n1 * n1 + n1 + 1, n + n1 * n1 + n1};
    const unsigned near[6] = {i ? e - 1 : e,           i + 1 < side ? e + 1 : e,
                              j ? e - side : e,        j + 1 < side ? e + side : e,
                              k ? e - side * side : e, k + 1 < side ? e + side * side : e};
    for (int c = 0; c < 8; c++) b.corner[8 * e + c] = (int)nodes[c], b.at[nodes[c] + 1]++;
    for (int c = 0; c < 6; c++) b.beside[6 * e + c] = (int)near[c];
    vec3 c[8];
    for (int q = 0; q < 8; q++) c[q] = x.get(nodes[q]);
    b.volume[e] = b.v0[e] = volume_of(c);
    for (unsigned q : nodes) b.mass[q] += b.v0[e] / 8;
    b.e[e] = 1e-3;
  }
  b.e[0] = 0.1 / b.v0[0];
  for (unsigned e = 0; e < ne; e++) {
    b.p[e] = pressure_of(b.e[e], 1, 1);
    b.sound[e] = sqrt(GAMMA * b.p[e]);
  }
  for (unsigned n = 0; n < nn; n++) b.at[n + 1] += b.at[n];
  std::vector<int> next(b.at.begin(), b.at.end() - 1);
  for (unsigned i = 0; i < 8 * ne; i++) b.corners[next[b.corner[i]]++] = (int)i;
  return b;
}

int main(int argc, char **argv) {
  app self = app_begin("LUH", argc, argv);
  rng r(self.seed);
  problem b = make(sizes[self.size].side, r);
  unsigned ne = (unsigned)b.e.size(), nn = (unsigned)b.mass.size();
  mesh m = {ne,
            nn,
            device_copy(b.corner),
            device_copy(b.at),
            device_copy(b.corners),
            device_copy(b.beside),
            device_copy(b.plane)};
  state s = {{device_copy(b.x[0]), device_copy(b.x[1]), device_copy(b.x[2])},
             {device_copy(b.v[0]), device_copy(b.v[1]), device_copy(b.v[2])},
             device_copy(b.mass),
             device_copy(b.e),
             device_copy(b.p),
             device_copy(b.q),
             device_copy(b.volume),
             device_copy(b.v0),
             device_copy(b.sound),
             device_copy(b.div)};
  double dt = 1e-4 / sizes[self.size].side, host_dt = dt;
  for (unsigned i = 0; i < sizes[self.size].steps; i++) dt = step_device(m, s, dt);
  std::vector<double> e = from_device(s.e, ne), x = from_device(s.x.x, nn);
  void *all[] = {m.corner, m.at,     m.corners, m.beside, m.plane, s.x.x, s.x.y,
                 s.x.z,    s.v.x,    s.v.y,     s.v.z,    s.mass,  s.e,   s.p,
                 s.q,      s.volume, s.v0,      s.sound,  s.div};
  for (void *p : all) CHECK(cudaFree(p));
  if (!self.verify) return app_end(self, true);
  mesh hm = {
      ne, nn, b.corner.data(), b.at.data(), b.corners.data(), b.beside.data(), b.plane.data()};
  state hs = {{b.x[0].data(), b.x[1].data(), b.x[2].data()},
              {b.v[0].data(), b.v[1].data(), b.v[2].data()},
              b.mass.data(),
              b.e.data(),
              b.p.data(),
              b.q.data(),
              b.volume.data(),
              b.v0.data(),
              b.sound.data(),
              b.div.data()};
  for (unsigned i = 0; i < sizes[self.size].steps; i++) host_dt = step_host(hm, hs, host_dt);
  return app_end(self, near_values("energy", e, b.e, 1e-9) && near_values("x", x, b.x[0], 1e-9) &&
                           near_values("dt", &dt, &host_dt, 1, 1e-9));
}
