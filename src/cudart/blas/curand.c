/* libcurand: the generators XORWOW (the default), Philox4x32-10 and MRG32k3a on the device, as
 * kernels of ours: integers, uniform, normal and log-normal numbers, each where cuRAND puts it.
 * Other generators, and those that work on the host, are refused by name. */
#include "cudart/blas/kernels.h"
#include <stdbool.h>
#include <stdlib.h>

enum {
  OK = 0,
  NOT_INITIALIZED = 101,
  ALLOC_FAILED = 102,
  TYPE_ERROR = 103,
  OUT_OF_RANGE = 104,
  NOT_MULTIPLE = 105,
  LAUNCH_FAILED = 201
};
enum { DEFAULT = 100, XORWOW = 101, MRG = 121, PHILOX = 161 };
enum { ORDER_BEST = 100, ORDER_DEFAULT = 101, ORDER_LEGACY = 103 };
/* As in rand.cu. */
enum { BITS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE, LOG_NORMAL, LOG_NORMAL_DOUBLE };
enum { SEQUENCES = 4096, MRG_SEQUENCES = 81920, STATE_BYTES = 48, THREADS = 256 };

typedef struct {
  int type;
  unsigned sequences; /* that take turns */
  bool seeded;        /* the states are those of seed and skip */
  uint64_t seed, skip, at;
  void *stream, *state; /* of XORWOW and MRG32k3a, on the device */
} generator_t;

API(curandCreateGenerator, generator_t **out, int type) {
  static int said;
  if (!out) return NOT_INITIALIZED;
  if (type == DEFAULT) type = XORWOW;
  if (type != XORWOW && type != PHILOX && type != MRG)
    return not_there(&said, "a generator of cuRAND other than XORWOW, Philox and MRG32k3a",
                     TYPE_ERROR);
  generator_t *g = calloc(1, sizeof *g);
  if (!g) return ALLOC_FAILED;
  g->type = type, g->sequences = type == MRG ? MRG_SEQUENCES : SEQUENCES;
  if (type != PHILOX &&
      CALL(cudaMalloc, (void **, size_t))(&g->state, (size_t)g->sequences * STATE_BYTES)) {
    free(g);
    return ALLOC_FAILED;
  }
  *out = g;
  return OK;
}
API(curandCreateGeneratorHost, generator_t **out, int type) {
  static int said;
  (void)out, (void)type;
  return not_there(&said, "cuRAND on the host (curandCreateGeneratorHost)", TYPE_ERROR);
}
API(curandDestroyGenerator, generator_t *g) {
  if (!g) return NOT_INITIALIZED;
  if (g->state) CALL(cudaFree, (void *))(g->state);
  free(g);
  return OK;
}
API(curandGetVersion, int *version) {
  *version = 10300;
  return OK;
}
API(curandSetStream, generator_t *g, void *stream) {
  if (!g) return NOT_INITIALIZED;
  g->stream = stream;
  return OK;
}
API(curandSetPseudoRandomGeneratorSeed, generator_t *g, unsigned long long seed) {
  if (!g) return NOT_INITIALIZED;
  g->seed = seed, g->at = g->skip, g->seeded = false;
  return OK;
}
API(curandSetGeneratorOffset, generator_t *g, unsigned long long offset) {
  if (!g) return NOT_INITIALIZED;
  g->skip = g->at = offset, g->seeded = false;
  return OK;
}
API(curandSetGeneratorOrdering, generator_t *g, int order) {
  static int said;
  if (!g) return NOT_INITIALIZED;
  if (order == ORDER_BEST || order == ORDER_DEFAULT || order == ORDER_LEGACY) {
    g->sequences = g->type == MRG && order != ORDER_LEGACY ? MRG_SEQUENCES : SEQUENCES;
    g->seeded = false;
    return OK;
  }
  return not_there(&said, "an order of cuRAND's numbers other than the default", OUT_OF_RANGE);
}
API(curandSetQuasiRandomGeneratorDimensions, generator_t *g, unsigned dimensions) {
  (void)dimensions;
  return g ? TYPE_ERROR : NOT_INITIALIZED;
}
/* The states, which the first number would make otherwise. */
API(curandGenerateSeeds, generator_t *g) {
  if (!g) return NOT_INITIALIZED;
  if (g->type == PHILOX || g->seeded) return OK;
  void *args[] = {&g->state, &g->seed, &g->skip, &g->sequences};
  if (kernel_launch(g->type == MRG ? "gmmu_mrg_seed" : "gmmu_xorwow_seed", g->sequences / THREADS,
                    1, 1, THREADS, 1, g->stream, args))
    return LAUNCH_FAILED;
  g->seeded = true;
  return OK;
}

static int generate(generator_t *g, int kind, void *out, size_t results, double mean,
                    double deviation) {
  if (!g) return NOT_INITIALIZED;
  bool turns = g->type != PHILOX, pairs = turns && kind >= NORMAL;
  if (pairs && results % 2) return NOT_MULTIPLE;
  if (!results) return OK;
  if (!out) return OUT_OF_RANGE;
  uint64_t n = pairs ? results / 2 : results;
  int error = curandGenerateSeeds(g);
  if (error) return error;
  void *first = turns ? (void *)&g->state : (void *)&g->seed;
  void *args[] = {first, &kind, &out, &n, &g->at, &mean, &deviation, &g->sequences};
  uint64_t blocks = turns ? g->sequences / THREADS : (n + THREADS - 1) / THREADS;
  if (blocks > INT32_MAX) return OUT_OF_RANGE;
  const char *kernel = g->type == PHILOX ? "gmmu_philox"
                       : g->type == MRG  ? "gmmu_mrg"
                                         : "gmmu_xorwow";
  if (kernel_launch(kernel, (unsigned)blocks, 1, 1, THREADS, 1, g->stream, args))
    return LAUNCH_FAILED;
  g->at += n;
  return OK;
}
API(curandGenerate, generator_t *g, unsigned *out, size_t n) {
  return generate(g, BITS, out, n, 0, 1);
}
API(curandGenerateLongLong, generator_t *g, unsigned long long *out, size_t n) {
  (void)out, (void)n; /* of Sobol's 64-bit generators only */
  return g ? TYPE_ERROR : NOT_INITIALIZED;
}
API(curandGenerateUniform, generator_t *g, float *out, size_t n) {
  return generate(g, UNIFORM, out, n, 0, 1);
}
API(curandGenerateUniformDouble, generator_t *g, double *out, size_t n) {
  return generate(g, UNIFORM_DOUBLE, out, n, 0, 1);
}
API(curandGenerateNormal, generator_t *g, float *out, size_t n, float mean, float deviation) {
  return generate(g, NORMAL, out, n, (double)mean, (double)deviation);
}
API(curandGenerateNormalDouble, generator_t *g, double *out, size_t n, double mean,
    double deviation) {
  return generate(g, NORMAL_DOUBLE, out, n, mean, deviation);
}
API(curandGenerateLogNormal, generator_t *g, float *out, size_t n, float mean, float deviation) {
  return generate(g, LOG_NORMAL, out, n, (double)mean, (double)deviation);
}
API(curandGenerateLogNormalDouble, generator_t *g, double *out, size_t n, double mean,
    double deviation) {
  return generate(g, LOG_NORMAL_DOUBLE, out, n, mean, deviation);
}
API(curandGeneratePoisson, generator_t *g, unsigned *out, size_t n, double lambda) {
  static int said;
  (void)out, (void)n, (void)lambda;
  return g ? not_there(&said, "curandGeneratePoisson", TYPE_ERROR) : NOT_INITIALIZED;
}
