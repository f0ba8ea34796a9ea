#ifndef KERNELS_APP_H
#define KERNELS_APP_H
/* What the applications share: arguments, checked CUDA calls, device arrays, deterministic random
 * numbers, and the comparison with a reference computed on the host.
 *
 * An application is one CUDA program that any CUDA compiler takes:
 *   APP [--size tiny|standard|large] [--seed N] [--verify]
 * It makes its input from the seed, allocates, copies, launches and frees as the original program
 * does, and with --verify compares with the reference. It prints one line, and ends with 0, with 1
 * if results differ, or with 2 if it could not run. */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum app_size { TINY, STANDARD, LARGE, APP_SIZES };

struct app {
  const char *name;
  app_size size;
  uint64_t seed;
  bool verify;
};

static inline void app_usage(const char *name, const char *why) {
  fprintf(stderr, "%s: %s\nusage: %s [--size tiny|standard|large] [--seed N] [--verify]\n", name,
          why, name);
  exit(2);
}

static inline app app_begin(const char *name, int argc, char **argv) {
  static const char *const size_names[APP_SIZES] = {"tiny", "standard", "large"};
  app a = {name, STANDARD, 1, false};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--verify") == 0) {
      a.verify = true;
    } else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
      char *end;
      a.seed = strtoull(argv[++i], &end, 10);
      if (*end || end == argv[i]) app_usage(name, "--seed takes a number");
    } else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc) {
      int s = 0;
      for (i++; s < APP_SIZES && strcmp(argv[i], size_names[s]);) s++;
      if (s == APP_SIZES) app_usage(name, "--size takes tiny, standard or large");
      a.size = (app_size)s;
    } else {
      app_usage(name, "unknown argument");
    }
  }
  return a;
}

/* The last line of main(): `right` is what the comparison said (true without --verify). */
static inline int app_end(const app &a, bool right) {
  printf("%s: %s\n", a.name, !a.verify ? "done" : right ? "verified" : "WRONG");
  return right ? 0 : 1;
}

/* ---- CUDA ---- */

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t check_error = (call);                                                              \
    if (check_error != cudaSuccess) {                                                              \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                                \
              cudaGetErrorString(check_error));                                                    \
      exit(2);                                                                                     \
    }                                                                                              \
  } while (0)
/* After a launch. */
#define CHECK_LAUNCH() CHECK(cudaGetLastError())

template <typename T> static T *device_new(size_t count) {
  T *p = NULL;
  CHECK(cudaMalloc((void **)&p, count * sizeof(T)));
  return p;
}
template <typename T> static void to_device(T *to, const std::vector<T> &from) {
  CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}
template <typename T> static T *device_copy(const std::vector<T> &from) {
  T *p = device_new<T>(from.size());
  to_device(p, from);
  return p;
}
template <typename T> static std::vector<T> from_device(const T *from, size_t count) {
  std::vector<T> v(count);
  CHECK(cudaMemcpy(v.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
static inline unsigned blocks_for(size_t threads, unsigned block) {
  return (unsigned)((threads + block - 1) / block);
}

/* ---- random numbers: the same everywhere (splitmix64) ---- */

struct rng {
  uint64_t state;
  explicit rng(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return (uint32_t)(((next() >> 32) * n) >> 32); }
  /* In [0, 1). */
  float unit() { return (float)(next() >> 40) * (1.0f / 16777216.0f); }
  double unit_double() { return (double)(next() >> 11) * (1.0 / 9007199254740992.0); }
  float between(float low, float high) { return low + (high - low) * unit(); }
};

static inline std::vector<float> random_floats(rng &r, size_t n, float low, float high) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; i++) v[i] = r.between(low, high);
  return v;
}

/* ---- comparison: says what differs first, and where ---- */

template <typename T>
static bool same_values(const char *what, const T *got, const T *want, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (got[i] != want[i]) {
      fprintf(stderr, "%s[%zu] is %.9g, should be %.9g\n", what, i, (double)got[i],
              (double)want[i]);
      return false;
    }
  return true;
}
/* |got - want| <= tolerance * max(1, |want|); NaN is never near anything. */
template <typename T, typename U>
static bool near_values(const char *what, const T *got, const U *want, size_t n, double tolerance) {
  for (size_t i = 0; i < n; i++) {
    double g = (double)got[i], w = (double)want[i], scale = fabs(w) > 1 ? fabs(w) : 1;
    if (fabs(g - w) <= tolerance * scale) continue;
    fprintf(stderr, "%s[%zu] is %.9g, should be %.9g\n", what, i, g, w);
    return false;
  }
  return true;
}
template <typename T>
static bool same_values(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
  return got.size() == want.size() && same_values(what, got.data(), want.data(), want.size());
}
template <typename T, typename U>
static bool near_values(const char *what, const std::vector<T> &got, const std::vector<U> &want,
                        double tolerance) {
  return got.size() == want.size() &&
         near_values(what, got.data(), want.data(), want.size(), tolerance);
}
#endif
