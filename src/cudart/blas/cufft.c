/* libcufft: transforms of one to three dimensions, in single and double precision, of complex and
 * real data, in batches of any layout. Axes whose lengths are powers of two take log2(n) steps;
 * others take n^2 operations. Results are not scaled, as cuFFT's are not. */
#include "cudart/blas/kernels.h"
#include <limits.h>
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

/* Elements from one to the next, per dimension; as in blas.cu. */
typedef struct {
  long long plane, row, step, batch;
} layout_t;

typedef struct {
  int n, batch, type;     /* n: of a row, the last dimension */
  int planes, rows, rank; /* of the other dimensions */
  int own_layout;         /* cufftPlanMany() told one: */
  layout_t in, out;
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

static size_t lines(const plan_t *p) {
  return (size_t)p->planes * (size_t)p->rows * (size_t)p->batch;
}
static size_t complex_bytes(const plan_t *p) { return is_double(p->type) ? 16 : 8; }

/* One behind the other, rows of `n` elements. */
static layout_t packed(const plan_t *p, long long n) {
  return (layout_t){n * p->rows, n, 1, n * p->rows * p->planes};
}

static int make_plan(int number, int rank, const int *n, int type, int batch, size_t *work_bytes) {
  plan_t *p = plan_of(number);
  if (!p) return INVALID_PLAN;
  if (!known(type)) return INVALID_TYPE;
  if (rank < 1 || rank > 3 || !n || batch < 1) return INVALID_SIZE;
  for (int i = 0; i < rank; i++)
    if (n[i] < 1) return INVALID_SIZE;
  p->rank = rank, p->n = n[rank - 1], p->batch = batch, p->type = type, p->own_layout = 0;
  p->rows = rank > 1 ? n[rank - 2] : 1, p->planes = rank > 2 ? n[0] : 1;
  size_t bytes = (size_t)p->n * lines(p) * complex_bytes(p);
  for (int i = 0; i < 2; i++) CALL(cudaFree, (void *))(p->work[i]), p->work[i] = NULL;
  for (int i = 0; i < 2; i++)
    if (CALL(cudaMalloc, (void **, size_t))(&p->work[i], bytes)) return ALLOC_FAILED;
  if (work_bytes) *work_bytes = 2 * bytes;
  return OK;
}
API(cufftMakePlan1d, int number, int n, int type, int batch, size_t *work_bytes) {
  return make_plan(number, 1, &n, type, batch, work_bytes);
}
API(cufftMakePlan2d, int number, int rows, int n, int type, size_t *work_bytes) {
  return make_plan(number, 2, (int[]){rows, n}, type, 1, work_bytes);
}
API(cufftMakePlan3d, int number, int planes, int rows, int n, int type, size_t *work_bytes) {
  return make_plan(number, 3, (int[]){planes, rows, n}, type, 1, work_bytes);
}

/* Dimensions of the array that the data is a part of, with the last ones first in memory. */
static layout_t layout_of(const plan_t *p, const int *embed, int stride, int distance) {
  long long s = stride, row = p->rank > 1 ? s * embed[p->rank - 1] : 0;
  return (layout_t){p->rank > 2 ? row * embed[p->rank - 2] : 0, row, s, distance};
}
API(cufftMakePlanMany, int number, int rank, int *n, int *inembed, int istride, int idist,
    int *onembed, int ostride, int odist, int type, int batch, size_t *work_bytes) {
  int error = make_plan(number, rank, n, type, batch, work_bytes);
  plan_t *p = plan_of(number);
  if (error || !inembed || !onembed) return error; /* then strides are not looked at */
  if (istride < 1 || ostride < 1 || idist < 0 || odist < 0) return INVALID_VALUE;
  p->own_layout = 1;
  p->in = layout_of(p, inembed, istride, idist), p->out = layout_of(p, onembed, ostride, odist);
  return OK;
}

/* The same with wide numbers, which must fit ours; and with types of the data. */
API(cufftMakePlanMany64, int number, int rank, long long *n, long long *inembed, long long istride,
    long long idist, long long *onembed, long long ostride, long long odist, int type,
    long long batch, size_t *work_bytes) {
  int narrow[3][3] = {{0}};
  long long *wide[3] = {n, inembed, onembed}, rest[] = {istride, idist, ostride, odist, batch};
  if (rank < 1 || rank > 3 || !n) return INVALID_SIZE;
  for (int l = 0; l < 3; l++)
    for (int i = 0; wide[l] && i < rank; i++) {
      if (wide[l][i] < 0 || wide[l][i] > INT_MAX) return INVALID_SIZE;
      narrow[l][i] = (int)wide[l][i];
    }
  for (int i = 0; i < 5; i++)
    if (rest[i] < 0 || rest[i] > INT_MAX) return INVALID_SIZE;
  return cufftMakePlanMany(number, rank, narrow[0], inembed ? narrow[1] : NULL, (int)istride,
                           (int)idist, onembed ? narrow[2] : NULL, (int)ostride, (int)odist, type,
                           (int)batch, work_bytes);
}
API(cufftXtMakePlanMany, int number, int rank, long long *n, long long *inembed, long long istride,
    long long idist, int in, long long *onembed, long long ostride, long long odist, int out,
    long long batch, size_t *work_bytes, int computed) {
  enum { R32F = 0, R64F = 1, C32F = 4, C64F = 5 }; /* cudaDataType */
  int type = in == C32F && out == C32F   ? C2C
             : in == R32F && out == C32F ? R2C
             : in == C32F && out == R32F ? C2R
             : in == C64F && out == C64F ? Z2Z
             : in == R64F && out == C64F ? D2Z
             : in == C64F && out == R64F ? Z2D
                                         : 0;
  if (!type || computed != (is_double(type) ? C64F : C32F)) return NOT_SUPPORTED;
  return cufftMakePlanMany64(number, rank, n, inembed, istride, idist, onembed, ostride, odist,
                             type, batch, work_bytes);
}

/* A plan that could not be made is none. */
static int made(int *number, int error) {
  if (error) cufftDestroy(*number);
  return error;
}
API(cufftPlan1d, int *number, int n, int type, int batch) {
  int error = cufftCreate(number);
  return error ? error : made(number, cufftMakePlan1d(*number, n, type, batch, NULL));
}
API(cufftPlan2d, int *number, int rows, int n, int type) {
  int error = cufftCreate(number);
  return error ? error : made(number, cufftMakePlan2d(*number, rows, n, type, NULL));
}
API(cufftPlan3d, int *number, int planes, int rows, int n, int type) {
  int error = cufftCreate(number);
  return error ? error : made(number, cufftMakePlan3d(*number, planes, rows, n, type, NULL));
}
API(cufftPlanMany, int *number, int rank, int *n, int *inembed, int istride, int idist,
    int *onembed, int ostride, int odist, int type, int batch) {
  int error = cufftCreate(number);
  return error ? error
               : made(number, cufftMakePlanMany(*number, rank, n, inembed, istride, idist, onembed,
                                                ostride, odist, type, batch, NULL));
}

API(cufftGetSize, int number, size_t *work_bytes) {
  const plan_t *p = plan_of(number);
  if (!p || !work_bytes) return p ? INVALID_VALUE : INVALID_PLAN;
  *work_bytes = p->type ? 2 * (size_t)p->n * lines(p) * complex_bytes(p) : 0;
  return OK;
}
/* Plans have their own memory. */
API(cufftSetAutoAllocation, int number, int on) {
  (void)on;
  return plan_of(number) ? OK : INVALID_PLAN;
}
API(cufftSetWorkArea, int number, void *area) {
  (void)area;
  return plan_of(number) ? OK : INVALID_PLAN;
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

/* Rows of real and complex numbers: what as in blas.cu. */
static int reshape(const plan_t *p, int what, const void *in, void *out) {
  int n = p->n, batch = (int)lines(p), per = what == 2 ? n / 2 + 1 : n;
  void *args[] = {&what, &n, &batch, &in, &out};
  return kernel_launch(is_double(p->type) ? "gmmu_dreshape" : "gmmu_sreshape",
                       blocks((long long)per * batch), 1, 1, 256, 1, p->stream, args);
}

static int copy(const plan_t *p, void *to, const void *from, size_t bytes) {
  return CALL(cudaMemcpyAsync, (void *, const void *, size_t, int, void *))(to, from, bytes, 3,
                                                                            p->stream);
}

/* `outer` times `inner` lines of n elements, `inner` apart, from `in`, which is left alone, to
 * `out`; steps alternate so that the last one writes there. */
static int transform(const plan_t *p, int n, int inner, long long outer, int sign, const void *in,
                     void *out) {
  int steps = 0, error = 0, wide = is_double(p->type), batch = (int)outer, axis = inner > 1;
  double d = sign;
  float s = (float)sign;
  void *direction = wide ? (void *)&d : (void *)&s;
  if (n & (n - 1)) {
    void *args[] = {&n, &batch, direction, &in, &out};
    void *axis_args[] = {&n, &inner, &outer, direction, &in, &out};
    return kernel_launch(axis   ? wide ? "gmmu_ddftaxis" : "gmmu_sdftaxis"
                         : wide ? "gmmu_ddft"
                                : "gmmu_sdft",
                         blocks((long long)n * inner * outer), 1, 1, 256, 1, p->stream,
                         axis ? axis_args : args);
  }
  while (1 << steps < n) steps++;
  if (!steps) return copy(p, out, in, (size_t)inner * (size_t)outer * complex_bytes(p));
  for (int i = 0; i < steps && !error; i++) {
    int half = 1 << i;
    const void *from = i ? p->work[(i - 1) & 1] : in;
    void *to = i == steps - 1 ? out : p->work[i & 1];
    void *args[] = {&n, &half, &batch, direction, &from, &to};
    void *axis_args[] = {&n, &half, &inner, &outer, direction, &from, &to};
    error = kernel_launch(axis   ? wide ? "gmmu_dfftaxis" : "gmmu_sfftaxis"
                          : wide ? "gmmu_dfft"
                                 : "gmmu_sfft",
                          blocks((long long)n / 2 * inner * outer), 1, 1, 256, 1, p->stream,
                          axis ? axis_args : args);
  }
  return error;
}

/* Like the function above, for a transform in place: the input is copied aside first. */
static int transform_inside(const plan_t *p, int n, int inner, long long outer, int sign,
                            void *data) {
  if (n == 1) return 0;
  size_t bytes = (size_t)n * (size_t)inner * (size_t)outer * complex_bytes(p);
  int error = copy(p, p->work[1], data, bytes);
  return error ? error : transform(p, n, inner, outer, sign, p->work[1], data);
}

/* All dimensions but the last, of rows that have `per` elements. */
static int other_axes(const plan_t *p, int per, int sign, void *data) {
  int error = transform_inside(p, p->rows, per, (long long)p->planes * p->batch, sign, data);
  if (!error) error = transform_inside(p, p->planes, per * p->rows, p->batch, sign, data);
  return error;
}

/* Rows of n elements of one or two numbers. */
static int move(const plan_t *p, int numbers, int n, const void *in, layout_t from, void *out,
                layout_t to) {
  int planes = p->planes, rows = p->rows, batch = p->batch;
  void *args[] = {&numbers, &planes, &rows, &n, &batch, &in, &from, &out, &to};
  return kernel_launch(is_double(p->type) ? "gmmu_dmove" : "gmmu_smove",
                       blocks((long long)n * (long long)lines(p)), 1, 1, 256, 1, p->stream, args);
}

static int complex_plain(const plan_t *p, const void *in, void *out, int direction) {
  int error;
  if (in == out)
    error = transform_inside(p, p->n, 1, (long long)lines(p), direction, out);
  else
    error = transform(p, p->n, 1, (long long)lines(p), direction, in, out);
  return error ? error : other_axes(p, p->n, direction, out);
}

static int complex_exec(int number, const void *in, void *out, int direction, int type) {
  plan_t *p = plan_of(number);
  if (!p || p->type != type) return INVALID_PLAN;
  if (direction != -1 && direction != 1) return INVALID_VALUE;
  if (!p->own_layout) return complex_plain(p, in, out, direction) ? EXEC_FAILED : OK;
  void *a;
  if (CALL(cudaMalloc, (void **, size_t))(&a, (size_t)p->n * lines(p) * complex_bytes(p)))
    return ALLOC_FAILED;
  int error = move(p, 2, p->n, in, p->in, a, packed(p, p->n));
  if (!error) error = complex_plain(p, a, a, direction);
  if (!error) error = move(p, 2, p->n, a, packed(p, p->n), out, p->out);
  CALL(cudaFree, (void *))(a);
  return error ? EXEC_FAILED : OK;
}
API(cufftExecC2C, int plan, void *in, void *out, int direction) {
  return complex_exec(plan, in, out, direction, C2C);
}
API(cufftExecZ2Z, int plan, void *in, void *out, int direction) {
  return complex_exec(plan, in, out, direction, Z2Z);
}

/* Real data: rows go through complex arrays of the whole length, the other dimensions are
 * transformed where a row has half as many elements and one. `in` and `out` are packed; `a` and `b`
 * are complex arrays of the whole. */
static int forward(const plan_t *p, const void *in, void *out, void *a, void *b) {
  int error = reshape(p, 0, in, a);
  if (!error) error = transform(p, p->n, 1, (long long)lines(p), -1, a, b);
  if (!error) error = reshape(p, 2, b, out);
  return error ? error : other_axes(p, p->n / 2 + 1, -1, out);
}
static int backward(const plan_t *p, const void *in, void *out, void *a, void *b) {
  int half = p->n / 2 + 1, error = 0;
  if (p->rank > 1) { /* the input is left alone */
    error = copy(p, b, in, (size_t)half * lines(p) * complex_bytes(p));
    if (!error) error = other_axes(p, half, 1, b);
    in = b;
  }
  if (!error) error = reshape(p, 1, in, a);
  if (!error) error = transform(p, p->n, 1, (long long)lines(p), 1, a, b);
  return error ? error : reshape(p, 3, b, out);
}

/* Real rows that are replaced by their transforms have room for these. */
static int real_layout(const plan_t *p, const void *in, const void *out, layout_t *real,
                       layout_t *half, int is_forward) {
  *real = packed(p, p->n), *half = packed(p, p->n / 2 + 1);
  if (p->own_layout) {
    *real = is_forward ? p->in : p->out, *half = is_forward ? p->out : p->in;
    return 1;
  }
  if (in != out || lines(p) == 1) return 0;
  *real = packed(p, 2 * (p->n / 2 + 1));
  return 1;
}

static int real_staged(const plan_t *p, const void *in, void *out, void *a, void *b, void *stage,
                       layout_t real, layout_t half, int is_forward) {
  int h = p->n / 2 + 1, error;
  layout_t packed_real = packed(p, p->n), packed_half = packed(p, h);
  if (is_forward) {
    error = move(p, 1, p->n, in, real, stage, packed_real);
    if (!error) error = forward(p, stage, stage, a, b);
    return error ? error : move(p, 2, h, stage, packed_half, out, half);
  }
  error = move(p, 2, h, in, half, stage, packed_half);
  if (!error) error = backward(p, stage, stage, a, b);
  return error ? error : move(p, 1, p->n, stage, packed_real, out, real);
}

static int real_exec(int number, const void *in, void *out, int type) {
  plan_t *p = plan_of(number);
  void *a = NULL, *b = NULL, *stage = NULL;
  layout_t real, half;
  if (!p || p->type != type) return INVALID_PLAN;
  size_t bytes = (size_t)p->n * lines(p) * complex_bytes(p); /* of half a spectrum too */
  int is_forward = type == R2C || type == D2Z,
      staged = real_layout(p, in, out, &real, &half, is_forward);
  int error = CALL(cudaMalloc, (void **, size_t))(&a, bytes);
  if (!error) error = CALL(cudaMalloc, (void **, size_t))(&b, bytes);
  if (!error && staged) error = CALL(cudaMalloc, (void **, size_t))(&stage, bytes);
  int failed = error ? ALLOC_FAILED : OK;
  if (!error && staged)
    error = real_staged(p, in, out, a, b, stage, real, half, is_forward);
  else if (!error)
    error = is_forward ? forward(p, in, out, a, b) : backward(p, in, out, a, b);
  CALL(cudaFree, (void *))(a);
  CALL(cudaFree, (void *))(b);
  CALL(cudaFree, (void *))(stage);
  return failed ? failed : error ? EXEC_FAILED : OK;
}
API(cufftExecR2C, int plan, void *in, void *out) { return real_exec(plan, in, out, R2C); }
API(cufftExecD2Z, int plan, void *in, void *out) { return real_exec(plan, in, out, D2Z); }
API(cufftExecC2R, int plan, void *in, void *out) { return real_exec(plan, in, out, C2R); }
API(cufftExecZ2D, int plan, void *in, void *out) { return real_exec(plan, in, out, Z2D); }

API(cufftXtExec, int number, void *in, void *out, int direction) {
  const plan_t *p = plan_of(number);
  if (!p) return INVALID_PLAN;
  if (p->type == C2C || p->type == Z2Z) return complex_exec(number, in, out, direction, p->type);
  return real_exec(number, in, out, p->type);
}

#define ABSENT(name)                                                                               \
  API(name, void) {                                                                                \
    static int said;                                                                               \
    return not_there(&said, #name, NOT_SUPPORTED);                                                 \
  }
ABSENT(cufftXtExecDescriptorC2C)
ABSENT(cufftXtMalloc)
ABSENT(cufftXtMemcpy)
ABSENT(cufftXtSetGPUs)
ABSENT(cufftXtSetCallback)
ABSENT(cufftEstimateMany)
