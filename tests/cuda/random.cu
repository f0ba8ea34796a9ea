/* Random numbers in kernels: cuRAND's device interface. The integers, and what is made of them, are
 * those that cuRAND's own header gives for the same seeds; long rows have the right moments. */
#include "check.h"
#include <curand_kernel.h>

enum { THREADS = 4, INTS = 16, FLOATS = 21, DOUBLES = 11 };
static const unsigned expected_ints[THREADS][INTS] = {
    {0x2f091a51u, 0xbc22958au, 0x41f7a43cu, 0x47e8d2f5u, 0x450d0f76u, 0x73e09021u, 0x5bc52c46u,
     0xed7a649cu, 0x80558e80u, 0xc95ce95eu, 0xbc613c73u, 0x20dcc4dcu, 0x0e910b03u, 0x052ccb74u,
     0x08b7efd9u, 0xf447d392u},
    {0x5c5e39a9u, 0x2bc25f84u, 0x2b33c0b2u, 0xb12f17d7u, 0xbafee6a0u, 0x4047f4c9u, 0xd6e56f7au,
     0xbb753edcu, 0xda6b1af3u, 0x86cfe93cu, 0x939d2ca8u, 0xe32c9666u, 0x581e634au, 0xbdcb8d2du,
     0xb61eaf75u, 0xa8200d85u},
    {0x660e3e0fu, 0x335a4ae1u, 0xa6c983ddu, 0x502c4d76u, 0x8a74594du, 0x4c4125e7u, 0xf432761au,
     0x6fe314a6u, 0x2af5e45fu, 0xc3539ab0u, 0x009b0f22u, 0xb5c2dc0au, 0x49b3a9b9u, 0x7b0f98bau,
     0xc3ea5cdau, 0xbe7b89dau},
    {0xa9ab30e8u, 0x9cabb7c6u, 0xc9717851u, 0x253d5ef7u, 0x69a6ae1du, 0xba2e63b6u, 0x73790191u,
     0xbd26be4eu, 0x62b14bd7u, 0xa82cf8bbu, 0xe3aac22au, 0xb7463345u, 0x84a71b48u, 0x9109f7a8u,
     0x13393c1du, 0xdeb0c003u},
};
static const float expected_floats[FLOATS] = {
    0.792349041f,  0.927618682f,  0.924538851f, 0.599233329f, -1.49116361f,   0.26015985f,
    0.40945065f,   -0.487737209f, 1.03818989f,  0.254126549f, -0.702489436f,  0.699628532f,
    0.831215262f,  0.780732036f,  0.319995522f, 0.856726468f, -0.0144943465f, -1.19867051f,
    -0.834920764f, 1.96746457f,   2.05870795f};
static const double expected_doubles[DOUBLES] = {
    0.16071738615523173,  0.89280831208452582,  0.05907852277518956, 0.49354247805098705,
    -0.36616102137992479, 0.8139609308439737,   0.16256264885182187, -0.60374255070513461,
    -1.6410590206590698,  0.062624233323525444, 1.1736979274285504};

__global__ void draw(unsigned *o, float *g, double *h) {
  curandState s;
  curandStatePhilox4_32_10_t p;
  int i = threadIdx.x, n = 0;
  curand_init(1234567890123ULL, i * 1000003ULL, i * 77, &s);
  curand_init(1234567890123ULL, i * 1000003ULL, i * 77, &p);
  o += INTS * i, g += FLOATS * i, h += DOUBLES * i;
  for (int j = 0; j < 4; j++) o[n++] = curand(&s);
  for (int j = 0; j < 5; j++) o[n++] = curand(&p);
  uint4 q = curand4(&p);
  o[n++] = q.x, o[n++] = q.y, o[n++] = q.z, o[n++] = q.w;
  skipahead(100000000000ULL, &s), o[n++] = curand(&s);
  skipahead_sequence(3, &s), o[n++] = curand(&s);
  skipahead(100000000000ULL, &p), o[n++] = curand(&p);
  g[0] = curand_uniform(&s), g[1] = curand_uniform(&p);
  g[2] = curand_normal(&s), g[3] = curand_normal(&s), g[4] = curand_normal(&s);
  g[5] = curand_normal(&p), g[6] = curand_normal(&p);
  float2 n2 = curand_normal2(&s);
  g[7] = n2.x, g[8] = n2.y;
  n2 = curand_normal2(&p);
  g[9] = n2.x, g[10] = n2.y;
  float4 u = curand_uniform4(&p);
  g[11] = u.x, g[12] = u.y, g[13] = u.z, g[14] = u.w;
  u = curand_normal4(&p);
  g[15] = u.x, g[16] = u.y, g[17] = u.z, g[18] = u.w;
  g[19] = curand_log_normal(&s, 0.5f, 0.25f), g[20] = curand_log_normal(&p, 0.5f, 0.25f);
  h[0] = curand_uniform_double(&s), h[1] = curand_uniform_double(&p);
  h[2] = curand_normal_double(&s), h[3] = curand_normal_double(&s), h[4] = curand_normal_double(&p);
  double2 d = curand_uniform2_double(&p);
  h[5] = d.x, h[6] = d.y;
  d = curand_normal2_double(&p);
  h[7] = d.x, h[8] = d.y;
  d = curand_normal2_double(&s);
  h[9] = d.x, h[10] = d.y;
}

__global__ void moments(float *sums, int per) { /* of uniform, normal and Poisson numbers */
  curandState s;
  float u = 0, n = 0, nn = 0, p = 0, pp = 0;
  curand_init(42, blockIdx.x * blockDim.x + threadIdx.x, 0, &s);
  for (int i = 0; i < per; i++) {
    float a = curand_normal(&s), b = (float)curand_poisson(&s, 3.5);
    u += curand_uniform(&s), n += a, nn += a * a, p += b, pp += b * b;
  }
  atomicAdd(&sums[0], u), atomicAdd(&sums[1], n), atomicAdd(&sums[2], nn);
  atomicAdd(&sums[3], p), atomicAdd(&sums[4], pp);
}

/* MRG32k3a, seeded with zero and with more than 32 bits, across steps, subsequences and sequences.
 */
enum { MRG_INTS = 8, MRG_DOUBLES = 12 };
static const unsigned expected_mrg[THREADS][MRG_INTS] = {
    {0x2083cd07u, 0x518b05c4u, 0x4f26d091u, 0xd36ab334u, 0xf93a64f8u, 0x99a04c42u, 0x33a9af70u,
     0x4dbaa95cu},
    {0xacbe7072u, 0x784a4a18u, 0x49cc65e8u, 0x7b83bea8u, 0x4ae96077u, 0x9f536b8eu, 0x045e71ffu,
     0xb18b6367u},
    {0x01e35385u, 0xb6324d5bu, 0xc09afb34u, 0x22158d86u, 0x9615a601u, 0xa6cf4965u, 0x5d8fdff7u,
     0x3effbf12u},
    {0x30f2d0c9u, 0xad428fc5u, 0xf0cf1f81u, 0x4ea073aau, 0x25d1493bu, 0x41c65603u, 0x31439d3au,
     0x2f0ff011u},
};
static const double expected_mrg_doubles[MRG_DOUBLES] = {
    0.669304609, 0.000298960367, 0.479590846,  0.299100816, -0.858495295, 0.925769354,
    2.44720555,  0.794954896,    -0.441432536, 1.4726193,   -1.15971915,  -1.20153716};
__global__ void draw_mrg(unsigned *o, double *d) {
  int i = threadIdx.x;
  curandStateMRG32k3a_t s;
  curand_init(123456789012345ULL * i, i * 1000003ULL, i * 77ULL, &s);
  o += MRG_INTS * i, d += MRG_DOUBLES * i;
  for (int j = 0; j < 4; j++) o[j] = curand(&s);
  skipahead(100000000000ULL, &s), o[4] = curand(&s);
  skipahead_sequence(3, &s), o[5] = curand(&s);
  skipahead_subsequence(5, &s), o[6] = curand(&s), o[7] = curand(&s);
  d[0] = curand_uniform(&s), d[1] = curand_uniform(&s), d[2] = curand_uniform_double(&s);
  d[3] = curand_normal(&s), d[4] = curand_normal(&s);
  d[5] = curand_normal_double(&s), d[6] = curand_normal_double(&s);
  d[7] = curand_log_normal(&s, 0.5f, 1.0f);
  float2 f = curand_normal2(&s);
  double2 g = curand_normal2_double(&s);
  d[8] = f.x, d[9] = f.y, d[10] = g.x, d[11] = g.y;
}
static void check_mrg() {
  unsigned *o = device_zeros<unsigned>(THREADS * MRG_INTS);
  double *d = device_zeros<double>(THREADS * MRG_DOUBLES);
  draw_mrg<<<1, THREADS>>>(o, d);
  LAUNCHED();
  same("MRG32k3a", to_host(o, THREADS * MRG_INTS),
       std::vector<unsigned>(&expected_mrg[0][0], &expected_mrg[0][0] + THREADS * MRG_INTS));
  same("MRG32k3a's fractions", to_host(d + 3 * MRG_DOUBLES, MRG_DOUBLES),
       std::vector<double>(expected_mrg_doubles, expected_mrg_doubles + MRG_DOUBLES), 1e-6);
}

int main() {
  check_mrg();
  unsigned *o = device_zeros<unsigned>(THREADS * INTS);
  float *f = device_zeros<float>(THREADS * FLOATS), *sums = device_zeros<float>(5);
  double *d = device_zeros<double>(THREADS * DOUBLES);
  draw<<<1, THREADS>>>(o, f, d);
  LAUNCHED();
  std::vector<unsigned> ints(&expected_ints[0][0], &expected_ints[0][0] + THREADS * INTS);
  same("integers", to_host(o, THREADS * INTS), ints);
  std::vector<float> floats(expected_floats, expected_floats + FLOATS);
  same("floats", to_host(f + 3 * FLOATS, FLOATS), floats, 1e-5);
  std::vector<double> doubles(expected_doubles, expected_doubles + DOUBLES);
  same("doubles", to_host(d + 3 * DOUBLES, DOUBLES), doubles, 1e-12);

  const int per = 200, n = 64 * per;
  moments<<<2, 32>>>(sums, per);
  LAUNCHED();
  std::vector<float> m = to_host(sums, 5);
  for (float &x : m) x /= n;
  want(fabs(m[0] - 0.5) < 0.01 && fabs(m[1]) < 0.04 && fabs(m[2] - 1) < 0.05,
       "uniform and normal numbers");
  want(fabs(m[3] - 3.5) < 0.08 && fabs(m[4] - m[3] * m[3] - 3.5) < 0.25, "Poisson's numbers");
  return pass("random", ints);
}
