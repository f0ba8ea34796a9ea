/* libcufft: transforms of one dimension, in single and double precision, of complex and real data,
 * in batches that lie one behind the other. Lengths that are powers of two take log2(n) steps;
 * other lengths take n^2 operations. Results are not scaled, as cuFFT's are not. */
#include "cudart/blas/kernels.h"
#include <stdlib.h>

enum {
  OK,
  INVALID_PLAN,
  ALLOC_FAILED,
  INVALID_TYPE,
  INVALID_VALUE,
  INTERNAL,
  EXEC_FAILED,
  SETUP_FAILED,
  INVALID_SIZE,
  NOT_SUPPORTED = 16
};
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { MAX_PLANS = 4096 };

typedef struct {
  int n, batch, type;
  void *stream, *work[2]; /* complex arrays of the batch */
} plan_t;
static plan_t *plans[MAX_PLANS];

static int is_double(int type) { return type == D2Z || type == Z2D || type == Z2Z; }
static int known(int type) { return type == R2C || type == C2R || type == C2C || is_double(type); }
static plan_t *plan_of(int number) {
  return number > 0 && number < MAX_PLANS ? plans[number] : NULL;
}

API(cufftGetVersion, int *version) {
  *version = 11000;
  return OK;
}

API(cufftDestroy, int number) {
  plan_t *p = plan_of(number);
  if (!p) return INVALID_PLAN;
  for (int i = 0; i < 2; i++) CALL(cudaFree, (void *))(p->work[i]);
  free(p);
  plans[number] = NULL;
  return OK;
}

API(cufftCreate, int *number) {
  int i = 1;
  while (i < MAX_PLANS && plans[i]) i++;
  plan_t *p = i < MAX_PLANS ? calloc(1, sizeof *p) : NULL;
  if (!p) return ALLOC_FAILED;
  plans[i] = p;
  *number = i;
  return OK;
}

API(cufftMakePlan1d, int number, int n, int type, int batch, size_t *work_bytes) {
  plan_t *p = plan_of(number);
  if (!p) return INVALID_PLAN;
  if (!known(type)) return INVALID_TYPE;
  if (n < 1 || batch < 1) return INVALID_SIZE;
  size_t bytes = (size_t)n * (size_t)batch * (is_double(type) ? 16 : 8);
  for (int i = 0; i < 2; i++) CALL(cudaFree, (void *))(p->work[i]), p->work[i] = NULL;
  for (int i = 0; i < 2; i++)
    if (CALL(cudaMalloc, (void **, size_t))(&p->work[i], bytes)) return ALLOC_FAILED;
  p->n = n, p->batch = batch, p->type = type;
  if (work_bytes) *work_bytes = 2 * bytes;
  return OK;
}

API(cufftPlan1d, int *number, int n, int type, int batch) {
  int error = cufftCreate(number);
  if (!error) error = cufftMakePlan1d(*number, n, type, batch, NULL);
  if (error) cufftDestroy(*number);
  return error;
}

/* Batches of one dimension whose elements lie one behind the other. */
API(cufftPlanMany, int *number, int rank, int *n, int *inembed, int istride, int idist,
    int *onembed, int ostride, int odist, int type, int batch) {
  static int said;
  int half = n && rank == 1 ? n[0] / 2 + 1 : 0;
  int in = type == C2R || type == Z2D ? half
           : n                        ? n[0]
                                      : 0,
      out = type == R2C || type == D2Z ? half
            : n                        ? n[0]
                                       : 0;
  int plain =
      (!inembed && !onembed) || (istride == 1 && ostride == 1 && idist == in && odist == out);
  if (rank != 1 || !n || !plain)
    return not_there(&said, "cufftPlanMany with strides or several dimensions", NOT_SUPPORTED);
  return cufftPlan1d(number, n[0], type, batch);
}

API(cufftSetStream, int number, void *stream) {
  plan_t *p = plan_of(number);
  if (!p) return INVALID_PLAN;
  p->stream = stream;
  return OK;
}

/* ---- execution
 * ----------------------------------------------------------------------------------- */

static unsigned blocks(long long n) { return (unsigned)((n + 255) / 256); }

static int reshape(const plan_t *p, int what, const void *in, void *out) {
  int n = p->n, batch = p->batch, per = what == 2 ? n / 2 + 1 : n;
  void *args[] = {&what, &n, &batch, &in, &out};
  return kernel_launch(is_double(p->type) ? "gmmu_dreshape" : "gmmu_sreshape",
                       blocks((long long)per * batch), 1, 1, 256, 1, p->stream, args);
}

/* From `in`, which is left alone, to `out`; steps alternate so that the last one writes there. */
static int transform(const plan_t *p, int sign, const void *in, void *out) {
  int n = p->n, batch = p->batch, steps = 0, error = 0, wide = is_double(p->type);
  double d = sign;
  float s = (float)sign;
  void *direction = wide ? (void *)&d : (void *)&s;
  if (n & (n - 1)) {
    void *args[] = {&n, &batch, direction, &in, &out};
    return kernel_launch(wide ? "gmmu_ddft" : "gmmu_sdft", blocks((long long)n * batch), 1, 1, 256,
                         1, p->stream, args);
  }
  while (1 << steps < n) steps++;
  if (!steps)
    return CALL(cudaMemcpy,
                (void *, const void *, size_t, int))(out, in, (size_t)batch * (wide ? 16 : 8), 3);
  for (int i = 0; i < steps && !error; i++) {
    int half = 1 << i;
    const void *from = i ? p->work[(i - 1) & 1] : in;
    void *to = i == steps - 1 ? out : p->work[i & 1];
    void *args[] = {&n, &half, &batch, direction, &from, &to};
    error = kernel_launch(wide ? "gmmu_dfft" : "gmmu_sfft", blocks((long long)batch * (n / 2)), 1,
                          1, 256, 1, p->stream, args);
  }
  return error;
}

/* The data may be replaced by its transform: then it is set aside first. */
static int complex_exec(int number, const void *in, void *out, int direction, int type) {
  plan_t *p = plan_of(number);
  if (!p || p->type != type) return INVALID_PLAN;
  if (direction != -1 && direction != 1) return INVALID_VALUE;
  size_t bytes = (size_t)p->n * (size_t)p->batch * (is_double(type) ? 16 : 8);
  int error = 0;
  if (in == out) {
    error = CALL(cudaMemcpyAsync, (void *, const void *, size_t, int, void *))(p->work[1], in,
                                                                               bytes, 3, p->stream);
    in = p->work[1];
  }
  return error || transform(p, direction, in, out) ? EXEC_FAILED : OK;
}
API(cufftExecC2C, int plan, void *in, void *out, int direction) {
  return complex_exec(plan, in, out, direction, C2C);
}
API(cufftExecZ2Z, int plan, void *in, void *out, int direction) {
  return complex_exec(plan, in, out, direction, Z2Z);
}

/* Real data: through complex arrays of the whole length. */
static int real_exec(int number, const void *in, void *out, int type) {
  plan_t *p = plan_of(number);
  void *a, *b;
  if (!p || p->type != type) return INVALID_PLAN;
  size_t bytes = (size_t)p->n * (size_t)p->batch * (is_double(type) ? 16 : 8);
  int forward = type == R2C || type == D2Z;
  if (CALL(cudaMalloc, (void **, size_t))(&a, bytes)) return ALLOC_FAILED;
  if (CALL(cudaMalloc, (void **, size_t))(&b, bytes))
    return CALL(cudaFree, (void *))(a), ALLOC_FAILED;
  int error = reshape(p, forward ? 0 : 1, in, a);
  if (!error) error = transform(p, forward ? -1 : 1, a, b);
  if (!error) error = reshape(p, forward ? 2 : 3, b, out);
  CALL(cudaFree, (void *))(a);
  CALL(cudaFree, (void *))(b);
  return error ? EXEC_FAILED : OK;
}
API(cufftExecR2C, int plan, void *in, void *out) { return real_exec(plan, in, out, R2C); }
API(cufftExecD2Z, int plan, void *in, void *out) { return real_exec(plan, in, out, D2Z); }
API(cufftExecC2R, int plan, void *in, void *out) { return real_exec(plan, in, out, C2R); }
API(cufftExecZ2D, int plan, void *in, void *out) { return real_exec(plan, in, out, Z2D); }

#define ABSENT(name)                                                                               \
  API(name, void) {                                                                                \
    static int said;                                                                               \
    return not_there(&said, #name, NOT_SUPPORTED);                                                 \
  }
ABSENT(cufftPlan2d)
ABSENT(cufftPlan3d)
ABSENT(cufftMakePlan2d)
ABSENT(cufftMakePlan3d)
ABSENT(cufftMakePlanMany)
