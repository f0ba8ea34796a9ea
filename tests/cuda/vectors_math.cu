/* Arithmetic of vectors from the samples' helper_math.h, on the device and on the host. */
#include "check.h"
#include <helper_math.h>

__host__ __device__ static void all(int i, float *o) {
  float x = (float)i;
  float3 a = make_float3(1 + x, 2, 3), b = make_float3(4, -5, 6 - x), c = cross(a, b);
  o[0] = dot(a, b), o[1] = c.x, o[2] = c.y, o[3] = c.z;
  float2 l = lerp(make_float2(0, 1), make_float2(10, 3 + x), 0.25f);
  o[4] = l.x, o[5] = l.y;
  float4 m = fminf(make_float4(1, 5, 2, 8), make_float4(4.0f)) * 2.0f - make_float4(1, x, 1, 1);
  o[6] = m.x, o[7] = m.y, o[8] = m.z, o[9] = m.w;
  int3 q = make_int3(7, 8, 9) - make_int3(i);
  q *= 3;
  o[10] = (float)(q.x * q.y * q.z);
  o[11] = clamp(7.5f + x, 0.0f, 9.0f);
  a += 1.0f, a /= make_float3(2, 4, 1);
  o[12] = dot(a, a), o[13] = smoothstep(0.0f, 4.0f, x);
  float3 r = reflect(make_float3(1, -1, x), make_float3(0, 1, 0));
  o[14] = r.x + 10 * r.y + 100 * r.z;
  uint2 u = max(make_uint2(3u, 9u), make_uint2(5u)) + 1u;
  o[15] = (float)(u.x * 10 + u.y) + (float)clamp(i - 3, -2, 2);
  float3 f = floorf(make_float3(-1.5f, 2.5f, x)) + fabs(-make_float3(make_int3(1, 2, 3)));
  o[16] = f.x, o[17] = f.y, o[18] = f.z, o[19] = make_float4(f, 5.0f).w;
}
/* With a tolerance: lengths take an approximate root on the device. */
__host__ __device__ static void lengths(int i, float *o) {
  float3 v = make_float3((float)i, 2, 3), n = normalize(v);
  o[0] = length(v), o[1] = n.x, o[2] = n.z, o[3] = length(make_float2(3, 4));
}
enum { N = 8, FIELDS = 20, SOME = 4 };
__global__ void on_device(float *o, float *p) {
  all((int)threadIdx.x, o + threadIdx.x * FIELDS);
  lengths((int)threadIdx.x, p + threadIdx.x * SOME);
}

int main() {
  float *d = device_zeros<float>(N * FIELDS), *p = device_zeros<float>(N * SOME);
  on_device<<<1, N>>>(d, p);
  LAUNCHED();
  std::vector<float> expect(N * FIELDS), near(N * SOME);
  for (int i = 0; i < N; i++) all(i, &expect[i * FIELDS]), lengths(i, &near[i * SOME]);
  want(expect[0] == 12 && expect[1] == 27 && expect[2] == 6 && expect[3] == -13, "dot and cross");
  want(expect[6] == 1 && expect[7] == 8 && expect[9] == 7, "minimum");
  want(expect[10] == 27 * 504 && expect[14] == 11 && expect[15] == 68, "integers, reflection");
  want(expect[16] == -1 && expect[17] == 4 && expect[19] == 5, "floor");
  want(fabsf(near[0] - sqrtf(13)) < 1e-6f && near[3] == 5, "length");
  same("vectors", to_host(d, N * FIELDS), expect, 1e-6);
  same("lengths", to_host(p, N * SOME), near, 1e-6);
  return pass("vectors_math", expect);
}
