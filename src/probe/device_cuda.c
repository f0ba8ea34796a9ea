/* A real GPU as a device: the same PTX through the CUDA driver. Each stage is a launch: links are
 * put in place by copies, one per link. */
#include "driver/driver.h"
#include "probe/device.h"
#include "probe/kernel.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS    256u
#define MAX_TIMED   16u
#define ALIGN_BYTES (64ull << 20)
#define TRIES       8u             /* a launch may leave an SM without a block */
#define ENTRIES     (1u << 20)     /* of the questions of one launch */
#define FLUSH_BYTES (128ull << 20) /* loaded to empty the L2: more than any has */

typedef struct {
  device_t base;
  driver_t gpu;
  void *function, *ask_function;
  devptr_t memory, buffer, table, out, ask_table, list;
  uint64_t flush; /* offset of what empties the L2, behind the part that questions are about */
} cuda_t;

/* ---- runs ---- */

static int write_links(const cuda_t *c, const chase_t *h) {
  for (uint32_t i = 0; i < h->count; i++) {
    uint64_t next = c->buffer + h->at[i + 1 < h->count ? i + 1 : 0];
    int rc = c->gpu.cuMemcpyHtoD_v2(c->buffer + h->at[i], &next, sizeof next);
    if (rc) return rc;
  }
  return 0;
}

static void fill_rows(const cuda_t *c, const chase_t *h, uint32_t n, uint32_t done, uint32_t part,
                      kernel_row_t *row) {
  devptr_t out = c->out;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t left = h[i].timed > done ? h[i].timed - done : 0;
    row[i] = (kernel_row_t){.sm = h[i].sm,
                            .first = c->buffer + h[i].at[0],
                            .warm = h[i].count * h[i].warm,
                            .timed = h[i].count * (left < part ? left : part),
                            .out = out};
    if (h[i].timed) out += KERNEL_SHARED_BYTES;
  }
}

static int launch(const cuda_t *c, kernel_row_t *row, uint32_t n, uint32_t shared_bytes) {
  kernel_params_t p = {c->table, n};
  void *params[] = {&p.table, &p.rows};
  int rc = c->gpu.cuMemcpyHtoD_v2(c->table, row, n * sizeof *row);
  if (!rc)
    rc = c->gpu.cuLaunchKernel(c->function, 4 * c->base.info.sms, 1, 1, 1, 1, 1, shared_bytes, NULL,
                               params, NULL);
  if (!rc) rc = c->gpu.cuCtxSynchronize();
  if (!rc) rc = c->gpu.cuMemcpyDtoH_v2(row, c->table, n * sizeof *row);
  return rc;
}

static bool all_taken(const kernel_row_t *row, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (!row[i].taken) return false;
  return true;
}

static int read_times(const cuda_t *c, const chase_t *h, const kernel_row_t *row, uint32_t n,
                      uint32_t done) {
  for (uint32_t i = 0; i < n; i++) {
    uint16_t t[KERNEL_SAMPLES];
    if (!row[i].timed) continue;
    int rc = c->gpu.cuMemcpyDtoH_v2(t, row[i].out, row[i].timed * sizeof *t);
    if (rc) return rc;
    for (uint32_t k = 0; k < row[i].timed; k++) h[i].time[(size_t)done * h[i].count + k] = t[k];
  }
  return 0;
}

static uint32_t passes_that_fit(const chase_t *h, uint32_t n, uint32_t left) {
  for (uint32_t i = 0; i < n; i++)
    if (h[i].timed && left > KERNEL_SAMPLES / h[i].count) left = KERNEL_SAMPLES / h[i].count;
  return left;
}

static int run_stage(const cuda_t *c, const chase_t *h, uint32_t n, err_t *e) {
  kernel_row_t row[MAX_ROWS];
  uint32_t timed = 0, most = 0, done = 0;
  for (uint32_t i = 0; i < n; i++) {
    timed += h[i].timed != 0;
    if (h[i].timed > most) most = h[i].timed;
  }
  if (n > MAX_ROWS || timed > MAX_TIMED) return err_set(e, GMMU_ERANGE, "too many chases at once");
  int rc = 0;
  for (uint32_t i = 0; i < n && !rc; i++) rc = write_links(c, &h[i]);
  do {
    uint32_t part = passes_that_fit(h, n, most - done), tries = 0;
    if (most && !part) return err_set(e, GMMU_ERANGE, "a timed chase is too long");
    do {
      fill_rows(c, h, n, done, part, row);
      if (!rc) rc = launch(c, row, n, kernel_shared(h, n, part));
    } while (!rc && !all_taken(row, n) && ++tries < TRIES);
    if (!rc && !all_taken(row, n))
      return err_set(e, GMMU_ESTUCK, "no block of the probe came to one of the SMs");
    if (!rc) rc = read_times(c, h, row, n, done);
    done += part;
  } while (!rc && done < most);
  return rc ? driver_failed(e, "run the probe kernel", rc) : GMMU_OK;
}

static int cuda_run(device_t *d, const chase_t *h, uint32_t chases, err_t *e) {
  const cuda_t *c = (const cuda_t *)(void *)d;
  int rc = GMMU_OK;
  c->gpu.cuCtxSetCurrent(c->gpu.context);
  for (uint32_t i = 0, k; i < chases && rc == 0; i = k) {
    for (k = i; k < chases && h[k].stage == h[i].stage; k++) {
    }
    rc = run_stage(c, h + i, k - i, e);
  }
  return rc;
}

/* ---- questions ---- */

typedef struct {
  ask_row_t row[ASK_QUESTIONS];
  uint32_t entry[ENTRIES];
  uint32_t time[ASK_QUESTIONS];
  uint32_t questions, used;
} round_t;

static int launch_round(const cuda_t *c, round_t *r) {
  devptr_t table = c->ask_table, list = c->list, buffer = c->buffer, out = c->out;
  void *params[] = {&table, &list, &buffer, &out, &r->questions};
  int rc = c->gpu.cuMemcpyHtoD_v2(table, r->row, r->questions * sizeof *r->row);
  if (!rc) rc = c->gpu.cuMemcpyHtoD_v2(list, r->entry, r->used * sizeof *r->entry);
  if (!rc)
    rc = c->gpu.cuLaunchKernel(c->ask_function, 1, 1, 1, ASK_THREADS, 1, 1, ASK_SHARED_BYTES, NULL,
                               params, NULL);
  if (!rc) rc = c->gpu.cuCtxSynchronize();
  if (!rc) rc = c->gpu.cuMemcpyDtoH_v2(r->time, out, r->questions * sizeof *r->time);
  return rc;
}

/* Loads so much else that nothing of the buffer is left in the caches. */
static int empty_caches(const cuda_t *c, round_t *r) {
  r->used = (uint32_t)(FLUSH_BYTES / 128);
  for (uint32_t i = 0; i < r->used; i++)
    r->entry[i] = (uint32_t)((c->flush + 128ull * i) / DEVICE_GRANULE);
  r->row[0] = (ask_row_t){.rest = r->used - 1, .timed = 1};
  r->questions = 1;
  return launch_round(c, r);
}

/* As many questions as there is room for; returns how many. */
static uint32_t fill_round(round_t *r, const question_t *q, uint32_t count) {
  r->questions = r->used = 0;
  while (r->questions < count && r->questions < ASK_QUESTIONS) {
    const question_t *x = &q[r->questions];
    uint32_t n = question_loads(x), room = (n + 3) / 4 * 4;
    if (room > ENTRIES - r->used) break;
    r->row[r->questions++] =
        (ask_row_t){r->used, x->warm, x->stored, x->first, x->rest, x->ready, x->timed, 0};
    for (uint32_t i = 0; i < room; i++)
      r->entry[r->used + i] = i < n ? (uint32_t)(x->at[i] / DEVICE_GRANULE) : 0;
    r->used += room;
  }
  return r->questions;
}

static int ask_all(const cuda_t *c, round_t *r, const question_t *q, uint32_t count, err_t *e) {
  int rc = empty_caches(c, r);
  for (uint32_t at = 0, n; at < count && !rc; at += n) {
    n = fill_round(r, q + at, count - at);
    if (!n) return err_set(e, GMMU_ERANGE, "a question has at most %u loads", ENTRIES);
    rc = launch_round(c, r);
    for (uint32_t i = 0; i < n && !rc; i++) *q[at + i].cycles = r->time[i];
  }
  return rc ? driver_failed(e, "run the probe kernel", rc) : GMMU_OK;
}

static int cuda_ask(device_t *d, const question_t *q, uint32_t count, err_t *e) {
  const cuda_t *c = (const cuda_t *)(void *)d;
  round_t *r = malloc(sizeof *r);
  if (!r) return err_set(e, GMMU_ENOMEM, "no memory for a probe");
  c->gpu.cuCtxSetCurrent(c->gpu.context);
  int rc = ask_all(c, r, q, count, e);
  free(r);
  return rc;
}

/* ---- the device ---- */

static void cuda_free(device_t *d) {
  cuda_t *c = (cuda_t *)(void *)d;
  if (c->memory) c->gpu.cuMemFree_v2(c->memory);
  if (c->table) c->gpu.cuMemFree_v2(c->table);
  if (c->out) c->gpu.cuMemFree_v2(c->out);
  if (c->ask_table) c->gpu.cuMemFree_v2(c->ask_table);
  if (c->list) c->gpu.cuMemFree_v2(c->list);
  driver_close(&c->gpu);
  free(c);
}

static const device_ops_t cuda_ops = {.name = "cuda",
                                      .help = "a GPU of this computer: cuda, cuda:NUMBER",
                                      .run = cuda_run,
                                      .ask = cuda_ask,
                                      .free = cuda_free};

static int open_device(cuda_t *c, uint32_t ordinal, err_t *e) {
  device_info_t *info = &c->base.info;
  int rc = driver_open(&c->gpu, ordinal, e);
  if (rc < 0) return rc;
  info->sms = c->gpu.sms;
  rc = c->gpu.cuDeviceGetName(info->name, sizeof info->name, c->gpu.device);
  return rc ? driver_failed(e, "tell the name of this GPU", rc) : GMMU_OK;
}

static int load_kernel(cuda_t *c, err_t *e) {
  void *module = NULL, *asking = NULL;
  int rc = c->gpu.cuModuleLoadData(&module, kernel_ptx);
  if (!rc) rc = c->gpu.cuModuleGetFunction(&c->function, module, KERNEL_NAME);
  if (!rc) rc = c->gpu.cuModuleLoadData(&asking, ask_ptx);
  if (!rc) rc = c->gpu.cuModuleGetFunction(&c->ask_function, asking, ASK_NAME);
  return rc ? driver_failed(e, "load the probe kernel", rc) : GMMU_OK;
}

/* Nearly all free memory, aligned as far as the probes need it. */
static int take_memory(cuda_t *c, uint64_t bytes, err_t *e) {
  size_t left = 0, all = 0;
  int rc = c->gpu.cuMemAlloc_v2(&c->table, MAX_ROWS * sizeof(kernel_row_t));
  if (!rc) rc = c->gpu.cuMemAlloc_v2(&c->out, (size_t)MAX_TIMED * KERNEL_SHARED_BYTES);
  if (!rc) rc = c->gpu.cuMemAlloc_v2(&c->ask_table, ASK_QUESTIONS * sizeof(ask_row_t));
  if (!rc) rc = c->gpu.cuMemAlloc_v2(&c->list, ENTRIES * sizeof(uint32_t));
  if (!rc) rc = c->gpu.cuMemGetInfo_v2(&left, &all);
  uint64_t want = (uint64_t)left / 8 * 7;
  if (bytes && bytes < want) want = bytes;
  if (!rc) rc = c->gpu.cuMemAlloc_v2(&c->memory, want);
  if (rc || want < 2 * ALIGN_BYTES + FLUSH_BYTES) return driver_failed(e, "give memory", rc);
  c->buffer = (c->memory + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
  c->base.info.bytes = (want - (c->buffer - c->memory) - FLUSH_BYTES) / ALIGN_BYTES * ALIGN_BYTES;
  c->flush = c->base.info.bytes < DEVICE_REACH ? c->base.info.bytes : DEVICE_REACH;
  return GMMU_OK;
}

int device_cuda_new(uint32_t ordinal, uint64_t bytes, device_t **out, err_t *e) {
  cuda_t *c = calloc(1, sizeof *c);
  *out = NULL;
  if (!c) return err_set(e, GMMU_ENOMEM, "no memory for a device");
  c->base = (device_t){.ops = &cuda_ops,
                       .info = {.line_bytes = 128,
                                .grain = 1,
                                .step_bytes = 4096,
                                .page_bytes = 2u << 20}}; /* what the driver gives out by default */
  int rc = open_device(c, ordinal, e);
  if (rc == 0) rc = load_kernel(c, e);
  if (rc == 0) rc = take_memory(c, bytes, e);
  if (rc < 0)
    cuda_free(&c->base);
  else
    *out = &c->base;
  return rc;
}
