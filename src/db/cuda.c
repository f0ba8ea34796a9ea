/* Memory is taken once; input is pinned host memory that the GPU reads over the link. Invariant:
 * what was taken is in cuda_t, and given back by cuda_end() whatever happened. */
#include "db/cuda.h"
#include "driver/driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOST_ALLOC_MAPPED 2 /* CU_MEMHOSTALLOC_DEVICEMAP */
#define PIECE_BYTES       (64u << 20)

typedef struct {
  driver_t gpu;
  void *module;
  devptr_t big, aside, left, seeds, sums, input_at, input_copy;
  void *input; /* pinned */
  uint32_t threads;
} cuda_t;

/* ---- opening --------------------------------------------------------------------------------- */

/* A copy that asks for PTX 6.0 at least: votes and shuffles with .sync come as text of our headers,
 * so the compiler, which writes the version, does not know of them. */
static char *with_version(const char *ptx) {
  char *copy = strdup(ptx), *at = copy ? strstr(copy, ".version ") : NULL;
  if (at && at[9] >= '1' && at[9] <= '5' && at[10] == '.') at[9] = '6', at[11] = '0';
  return copy;
}

static int open_device(cuda_t *c, uint32_t ordinal, const char *ptx, err_t *e) {
  int threads = 0, rc = driver_open(&c->gpu, ordinal, e);
  if (rc < 0) return rc;
  rc = c->gpu.cuDeviceGetAttribute(&threads, DRIVER_SM_THREADS, c->gpu.device);
  if (!rc) rc = c->gpu.cuModuleLoadData(&c->module, ptx);
  c->threads = c->gpu.sms * (uint32_t)threads;
  return rc ? driver_failed(e, "load the kernels", rc) : GMMU_OK;
}

static void cuda_end(cuda_t *c) {
  devptr_t all[] = {c->big, c->aside, c->left, c->seeds, c->sums, c->input_copy};
  for (uint32_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]) c->gpu.cuMemFree_v2(all[i]);
  if (c->input) c->gpu.cuMemFreeHost(c->input);
  driver_close(&c->gpu);
}

/* ---- launches -------------------------------------------------------------------------------- */

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int launch(const cuda_t *c, const char *kernel, void **params, db_result_t *out) {
  void *f = NULL;
  uint32_t block = 256;
  while (block > 32 && c->threads / block < 4 * c->gpu.sms) block /= 2;
  int rc = c->gpu.cuModuleGetFunction(&f, c->module, kernel);
  uint64_t start = now_ns();
  if (!rc)
    rc = c->gpu.cuLaunchKernel(f, (c->threads + block - 1) / block, 1, 1, block, 1, 1, 0, NULL,
                               params, NULL);
  if (!rc) rc = c->gpu.cuCtxSynchronize();
  out->ns += now_ns() - start;
  out->launches++;
  return rc;
}

/* ---- sampling -------------------------------------------------------------------------------- */

static int write_words(const cuda_t *c, const db_spec_t *s, uint32_t *piece) {
  int rc = 0;
  for (uint64_t from = 0; from < s->size_bytes && !rc; from += PIECE_BYTES) {
    uint64_t bytes = s->size_bytes - from < PIECE_BYTES ? s->size_bytes - from : PIECE_BYTES;
    for (uint64_t i = 0; i < bytes / 4; i++) piece[i] = db_word(s->seed, from / 4 + i);
    rc = c->gpu.cuMemcpyHtoD_v2(c->big + from, piece, bytes);
  }
  return rc;
}

static int sample_passes(cuda_t *c, const db_spec_t *s, db_result_t *out) {
  uint64_t words = db_words(s), scope = s->scope_bytes / 4, first = 0;
  uint32_t threads = c->threads, draws = db_draws(s, threads);
  void *params[] = {&c->big, &words, &c->seeds, &c->sums, &threads, &draws, &first, &scope};
  int rc = 0;
  for (uint32_t p = 0; p < out->passes && !rc; p++, first += scope)
    rc = launch(c, out->passes > 1 ? "db_sample_scoped" : "db_sample", params, out);
  return rc;
}

static int check_sums(const cuda_t *c, const db_spec_t *s, uint64_t *sum, db_result_t *out,
                      err_t *e) {
  int rc = c->gpu.cuMemcpyDtoH_v2(sum, c->sums, 8 * (size_t)c->threads);
  if (rc) return driver_failed(e, "give the sums", rc);
  for (uint32_t t = 0; t < c->threads; t++) {
    if (sum[t] != db_expected_sum(s, c->threads, t))
      return err_set(e, GMMU_ECHECK, "sampling is wrong: the sum of thread %u", t);
    out->sum += sum[t];
  }
  return GMMU_OK;
}

static int run_sample(cuda_t *c, const db_spec_t *s, db_result_t *out, err_t *e) {
  uint64_t *host = malloc(8 * (size_t)c->threads + PIECE_BYTES);
  if (!host) return err_set(e, GMMU_ENOMEM, "no memory for the data");
  int rc = c->gpu.cuMemAlloc_v2(&c->big, s->size_bytes);
  if (!rc) rc = c->gpu.cuMemAlloc_v2(&c->seeds, 8 * (size_t)c->threads);
  if (!rc) rc = c->gpu.cuMemAlloc_v2(&c->sums, 8 * (size_t)c->threads);
  if (!rc) rc = c->gpu.cuMemsetD8_v2(c->sums, 0, 8 * (size_t)c->threads);
  for (uint32_t t = 0; t < c->threads; t++) host[t] = db_thread_seed(s->seed, t);
  if (!rc) rc = c->gpu.cuMemcpyHtoD_v2(c->seeds, host, 8 * (size_t)c->threads);
  if (!rc) rc = write_words(c, s, (uint32_t *)(void *)(host + c->threads));
  if (!rc) rc = sample_passes(c, s, out);
  rc = rc ? driver_failed(e, "run the operator", rc) : check_sums(c, s, host, out, e);
  free(host);
  return rc;
}

/* ---- group-by -------------------------------------------------------------------------------- */

static int group_passes(cuda_t *c, const db_spec_t *s, uint32_t rows, db_result_t *out) {
  db_form_t form = db_form(s);
  uint64_t slots = db_slots(s), scope = s->scope_bytes / sizeof(db_bucket_t), first = 0;
  devptr_t in = c->input_at, none = 0;
  void *plain[] = {&in, &rows, &c->big, &slots};
  void *copy[] = {&in, &rows, &c->aside, &c->left, &c->big, &slots, &first, &scope};
  int rc = 0;
  if (form == DB_PLAIN) return launch(c, "db_group", plain, out);
  if (form == DB_COPY) rc = c->gpu.cuMemsetD8_v2(c->left, 0, 4);
  for (uint32_t p = 0; p < out->passes && !rc; p++, first += scope) {
    bool later = form == DB_COPY && p;
    void *scoped[] = {
        later ? &c->aside : &in, &rows, later ? &c->left : &none, &c->big, &slots, &first, &scope};
    rc = form == DB_COPY && !p ? launch(c, "db_group_copy", copy, out)
                               : launch(c, "db_group_scoped", scoped, out);
  }
  return rc;
}

static int group_chunks(cuda_t *c, const db_spec_t *s, db_result_t *out) {
  uint64_t chunk = s->chunk_bytes / 4;
  uint32_t *in = c->input;
  int rc = 0;
  for (uint64_t from = 0; from < s->accesses && !rc; from += chunk) {
    uint64_t rows = s->accesses - from < chunk ? s->accesses - from : chunk;
    for (uint64_t i = 0; i < rows; i++) in[i] = db_row(s, from + i);
    if (c->input_copy) rc = c->gpu.cuMemcpyHtoD_v2(c->input_copy, in, 4 * rows);
    if (!rc) rc = group_passes(c, s, (uint32_t)rows, out);
  }
  return rc;
}

static int check_groups(const cuda_t *c, const db_spec_t *s, db_result_t *out, err_t *e) {
  db_bucket_t *piece = malloc(PIECE_BYTES);
  db_groups_t want = {0};
  int rc = piece ? db_reference(s, &want, e) : err_set(e, GMMU_ENOMEM, "no memory for the check");
  db_compare_t cmp = {.want = &want};
  for (uint64_t from = 0; from < s->size_bytes && rc == 0; from += PIECE_BYTES) {
    uint64_t bytes = s->size_bytes - from < PIECE_BYTES ? s->size_bytes - from : PIECE_BYTES;
    int code = c->gpu.cuMemcpyDtoH_v2(piece, c->big + from, bytes);
    if (code) rc = driver_failed(e, "give the table", code);
    for (uint64_t i = 0; i < bytes / sizeof *piece && rc == 0; i++)
      if (piece[i].key) db_compare_bucket(&cmp, &piece[i]);
  }
  out->groups = cmp.found;
  if (rc == 0) rc = db_compare_end(&cmp, e);
  db_groups_fini(&want);
  free(piece);
  return rc;
}

#define CUDA_NO_MEMORY 2 /* CUDA_ERROR_OUT_OF_MEMORY: the host's counts as the driver's */

/* All groups, before the operator begins. */
static int write_groups(const cuda_t *c, const db_spec_t *s) {
  db_bucket_t *piece = malloc(PIECE_BYTES);
  int rc = piece ? 0 : CUDA_NO_MEMORY;
  for (uint64_t from = 0; from < s->size_bytes && !rc; from += PIECE_BYTES) {
    uint64_t bytes = s->size_bytes - from < PIECE_BYTES ? s->size_bytes - from : PIECE_BYTES;
    db_filled_piece(s, from / sizeof *piece, bytes / sizeof *piece, piece);
    rc = c->gpu.cuMemcpyHtoD_v2(c->big + from, piece, bytes);
  }
  free(piece);
  return rc;
}

static int run_groupby(cuda_t *c, const db_spec_t *s, db_result_t *out, err_t *e) {
  int rc = c->gpu.cuMemAlloc_v2(&c->big, s->size_bytes);
  if (!rc) rc = c->gpu.cuMemsetD8_v2(c->big, 0, s->size_bytes);
  if (!rc && s->filled) rc = write_groups(c, s);
  if (!rc) rc = c->gpu.cuMemHostAlloc(&c->input, s->chunk_bytes, HOST_ALLOC_MAPPED);
  if (!rc) rc = c->gpu.cuMemHostGetDevicePointer_v2(&c->input_at, c->input, 0);
  if (!rc && db_form(s) == DB_COPY) rc = c->gpu.cuMemAlloc_v2(&c->aside, s->chunk_bytes);
  if (!rc && db_form(s) == DB_COPY) rc = c->gpu.cuMemAlloc_v2(&c->left, 4);
  if (!rc && strcmp(s->input, "device") == 0) {
    rc = c->gpu.cuMemAlloc_v2(&c->input_copy, s->chunk_bytes);
    c->input_at = c->input_copy;
  }
  if (!rc) rc = group_chunks(c, s, out);
  return rc ? driver_failed(e, "run the operator", rc) : check_groups(c, s, out, e);
}

int db_cuda_run(uint32_t ordinal, const char *ptx, const db_spec_t *s, db_result_t *out, err_t *e) {
  cuda_t c = {0};
  *out = (db_result_t){.passes = db_passes(s), .chunks = db_chunks(s)};
  char *text = with_version(ptx);
  int rc = text ? open_device(&c, ordinal, text, e)
                : err_set(e, GMMU_ENOMEM, "no memory for the kernels");
  free(text);
  if (s->threads) c.threads = s->threads;
  out->threads = c.threads;
  if (rc == 0) {
    out->accesses = s->op == DB_SAMPLE ? (uint64_t)db_draws(s, c.threads) * c.threads : s->accesses;
    rc = s->op == DB_SAMPLE ? run_sample(&c, s, out, e) : run_groupby(&c, s, out, e);
  }
  cuda_end(&c);
  return rc;
}
