/* All pairs of bodies, tiled through shared memory, with rsqrtf; a few time steps. */
#include "check.h"

__global__ void forces(const float4 *pos, float4 *next, float3 *vel, int n, float dt) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = pos[i];
  float3 f = make_float3(0, 0, 0);
  for (int base = 0; base < n; base += blockDim.x) {
    tile[threadIdx.x] = pos[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < blockDim.x; k++) {
      float3 d = make_float3(tile[k].x - p.x, tile[k].y - p.y, tile[k].z - p.z);
      float r = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f), w = tile[k].w * r * r * r;
      f.x += d.x * w, f.y += d.y * w, f.z += d.z * w;
    }
    __syncthreads();
  }
  float3 v = vel[i];
  v.x += f.x * dt, v.y += f.y * dt, v.z += f.z * dt;
  vel[i] = v;
  next[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, p.w);
}

int main() {
  const int n = 256;
  std::vector<float4> p(n);
  std::vector<double> x(n), y(n), z(n), m(n), vx(n), vy(n), vz(n);
  for (int i = 0; i < n; i++) {
    p[i] = make_float4(random_f32(), random_f32(), random_f32(), random_f32() / n);
    x[i] = p[i].x, y[i] = p[i].y, z[i] = p[i].z, m[i] = p[i].w;
  }
  float4 *a = to_device(p), *b = device_zeros<float4>(n);
  float3 *v = device_zeros<float3>(n);
  for (int s = 0; s < 3; s++) {
    forces<<<n / 64, 64, 64 * sizeof(float4)>>>(a, b, v, n, 0.01f);
    std::swap(a, b);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) {
        double dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
        double r = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.01), w = m[k] * r * r * r * 0.01;
        vx[i] += dx * w, vy[i] += dy * w, vz[i] += dz * w;
      }
    for (int i = 0; i < n; i++) x[i] += vx[i] * 0.01, y[i] += vy[i] * 0.01, z[i] += vz[i] * 0.01;
  }
  LAUNCHED();
  std::vector<float4> got = to_host(a, n);
  for (int i = 0; i < n; i++)
    want(fabs(got[i].x - x[i]) < 1e-4 && fabs(got[i].y - y[i]) < 1e-4 &&
             fabs(got[i].z - z[i]) < 1e-4,
         "position");
  return pass("nbody");
}
