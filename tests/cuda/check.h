/* What the programs of this folder share: errors of the runtime end the program, random numbers are
 * the same everywhere, and results are compared with what the host computed. */
#ifndef CHECK_H
#define CHECK_H
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define CUDA(call)                                                                                 \
  do {                                                                                             \
    cudaError_t error_ = (call);                                                                   \
    if (error_ != cudaSuccess) {                                                                   \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_));            \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)
#define LAUNCHED()                                                                                 \
  do {                                                                                             \
    CUDA(cudaGetLastError());                                                                      \
    CUDA(cudaDeviceSynchronize());                                                                 \
  } while (0)

static unsigned random_state = 12345;
static inline unsigned random_u32() {
  random_state = random_state * 1664525u + 1013904223u;
  return random_state >> 8;
}
static inline float random_f32() { return (float)(random_u32() & 0xffff) / 65536.0f; }

template <class T> static T *to_device(const std::vector<T> &v) {
  T *p;
  CUDA(cudaMalloc(&p, v.size() * sizeof(T)));
  CUDA(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T> static T *device_zeros(size_t n) {
  T *p;
  CUDA(cudaMalloc(&p, n * sizeof(T)));
  CUDA(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}
template <class T> static std::vector<T> to_host(const T *p, size_t n) {
  std::vector<T> v(n);
  CUDA(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

/* Exact for integers; floats may be off by `tolerance` of the larger of 1 and the value. */
template <class T>
static void same(const char *what, const std::vector<T> &got, const std::vector<T> &want,
                 double tolerance = 0) {
  if (got.size() != want.size()) {
    printf("%s: %zu values, %zu wanted\n", what, got.size(), want.size());
    exit(1);
  }
  for (size_t i = 0; i < got.size(); i++) {
    double a = (double)got[i], b = (double)want[i], d = fabs(a - b), m = fabs(b) > 1 ? fabs(b) : 1;
    if (got[i] == want[i] || d <= tolerance * m) continue;
    printf("%s: [%zu] is %.9g, wanted %.9g\n", what, i, a, b);
    exit(1);
  }
}
static inline void want(bool ok, const char *what) {
  if (ok) return;
  printf("wrong: %s\n", what);
  exit(1);
}
/* A number that depends on every bit: runs are compared by what they print. */
template <class T> static unsigned digest(const std::vector<T> &v) {
  const unsigned char *p = (const unsigned char *)v.data();
  unsigned h = 2166136261u;
  for (size_t i = 0; i < v.size() * sizeof(T); i++) h = (h ^ p[i]) * 16777619u;
  return h;
}
template <class T> static int pass(const char *name, const std::vector<T> &v) {
  printf("%s: PASS %08x\n", name, digest(v));
  return 0;
}
static inline int pass(const char *name) {
  printf("%s: PASS\n", name);
  return 0;
}
#endif
