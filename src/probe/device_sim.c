/* A simulated GPU as a device. Every run() is a program on a fresh machine: memory is announced,
 * and then each round is one launch, before which its links are written. A round is a stage, or a
 * part of one whose times do not fit the kernel's shared memory. Invariant: the buffer's address is
 * the same in every run, and the machine knows as much of it as the run touches. */
#include "base/rng.h"
#include "gpu/gpu.h"
#include "probe/device.h"
#include "probe/kernel.h"
#include "ptx/ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS  256u /* chases of one stage */
#define MAX_TIMED 16u  /* of them, those with a clock */
#define OUT_BYTES ((uint64_t)MAX_TIMED * KERNEL_SHARED_BYTES)

typedef struct {
  device_t base;
  gpu_spec_t spec;
  device_noise_t noise;
  rng_t rng;
  devmem_t *mem;
  ptx_t *program;
  const ptx_kernel_t *kernel;
  uint64_t buffer, table, out; /* addresses */
  /* of the run under way */
  const chase_t *chase;
  uint32_t chases, at, end; /* the stage: [at, end) */
  uint32_t passes;          /* timed passes of the stage that are done */
  uint32_t part;            /* those under way */
  uint32_t announced;       /* allocations the machine was told of */
  uint64_t touched;         /* bytes of the buffer */
  kernel_params_t params;
  bool launched;
} sim_t;

static sim_t *sim_of(device_t *d) { return (sim_t *)(void *)d; }

/* ---- one round: links and rows before, times after ---- */

static uint8_t *host_of(const sim_t *s, uint64_t va) {
  const devmem_alloc_t *a = devmem_find(s->mem, va);
  return a->host + (va - a->va);
}

static void write_links(const sim_t *s, const chase_t *c) {
  uint8_t *buffer = host_of(s, s->buffer);
  for (uint32_t i = 0; i < c->count; i++) {
    uint64_t next = s->buffer + c->at[i + 1 < c->count ? i + 1 : 0];
    memcpy(buffer + c->at[i], &next, sizeof next);
  }
}

static uint32_t most_timed(const sim_t *s) {
  uint32_t n = 0;
  for (uint32_t i = s->at; i < s->end; i++)
    if (s->chase[i].timed > n) n = s->chase[i].timed;
  return n;
}

/* Passes that every chase of the stage has room for. */
static uint32_t passes_that_fit(const sim_t *s) {
  uint32_t fit = most_timed(s) - s->passes;
  for (uint32_t i = s->at; i < s->end; i++) {
    uint32_t room = KERNEL_SAMPLES / s->chase[i].count;
    if (s->chase[i].timed && fit > room) fit = room;
  }
  return fit;
}

static uint32_t passes_of(const sim_t *s, const chase_t *c) {
  uint32_t left = c->timed > s->passes ? c->timed - s->passes : 0;
  return left < s->part ? left : s->part;
}

static void write_rows(const sim_t *s) {
  uint64_t out = s->out;
  for (uint32_t i = s->at; i < s->end; i++) {
    const chase_t *c = &s->chase[i];
    kernel_row_t row = {.sm = c->sm,
                        .first = s->buffer + c->at[0],
                        .warm = c->count * c->warm,
                        .timed = c->count * passes_of(s, c),
                        .out = out};
    if (c->timed) out += KERNEL_SHARED_BYTES;
    memcpy(host_of(s, s->table + (i - s->at) * sizeof row), &row, sizeof row);
  }
}

static int64_t with_noise(sim_t *s, int64_t t) {
  const device_noise_t *n = &s->noise;
  if (n->jitter_cycles)
    t += (int64_t)rng_below(&s->rng, 2 * n->jitter_cycles + 1) - n->jitter_cycles;
  if (n->outlier_ppm && rng_below(&s->rng, 1000000) < n->outlier_ppm)
    t += rng_below(&s->rng, n->outlier_cycles + 1);
  return t;
}

static int read_times(sim_t *s, err_t *e) {
  for (uint32_t i = s->at; i < s->end; i++) {
    const chase_t *c = &s->chase[i];
    kernel_row_t row;
    memcpy(&row, host_of(s, s->table + (i - s->at) * sizeof row), sizeof row);
    if (!row.taken) return err_set(e, GMMU_ESTUCK, "no block of the probe came to SM %u", c->sm);
    const uint8_t *out = host_of(s, row.out);
    for (uint32_t k = 0; k < row.timed; k++) {
      uint16_t t;
      memcpy(&t, out + 2 * (size_t)k, sizeof t);
      c->time[(size_t)s->passes * c->count + k] = with_noise(s, t);
    }
  }
  return GMMU_OK;
}

/* ---- the program ---- */

static bool announce(sim_t *s, ptx_command_t *c) {
  uint64_t va[] = {s->buffer, s->table, s->out};
  uint64_t bytes[] = {s->touched, MAX_ROWS * sizeof(kernel_row_t), OUT_BYTES};
  if (s->announced == 3) return false;
  *c = (ptx_command_t){.kind = CMD_ALLOC, .va = va[s->announced], .bytes = bytes[s->announced]};
  s->announced++;
  return true;
}

static void next_stage(sim_t *s) {
  s->at = s->end;
  s->passes = 0;
  while (s->end < s->chases && s->chase[s->end].stage == s->chase[s->at].stage) s->end++;
}

static int finish_round(sim_t *s, err_t *e) {
  if (!s->launched) return GMMU_OK;
  int rc = read_times(s, e);
  s->passes += s->part;
  s->launched = false;
  return rc;
}

static int start_round(sim_t *s, ptx_command_t *c, err_t *e) {
  uint32_t timed = 0;
  for (uint32_t i = s->at; i < s->end; i++) timed += s->chase[i].timed != 0;
  if (s->end - s->at > MAX_ROWS || timed > MAX_TIMED)
    return err_set(e, GMMU_ERANGE, "more than %u chases at the same time, or %u with a clock",
                   MAX_ROWS, MAX_TIMED);
  s->part = passes_that_fit(s);
  if (!s->part && most_timed(s))
    return err_set(e, GMMU_ERANGE, "a timed chase has at most %u accesses", KERNEL_SAMPLES);
  for (uint32_t i = s->at; i < s->end; i++) write_links(s, &s->chase[i]);
  write_rows(s);
  s->params = (kernel_params_t){.table = s->table, .rows = s->end - s->at};
  *c = (ptx_command_t){.kind = CMD_LAUNCH,
                       .kernel = s->kernel,
                       .launch = {.grid = {4 * s->spec.core.sms, 1, 1},
                                  .block = {1, 1, 1},
                                  .dynamic_shared_bytes = KERNEL_SHARED_BYTES,
                                  .params = &s->params}};
  s->launched = true;
  return GMMU_OK;
}

static int next_command(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  sim_t *s = ctx;
  (void)now;
  if (announce(s, c)) return GMMU_OK;
  int rc = finish_round(s, e);
  if (rc < 0) return rc;
  if (s->at == s->end || s->passes >= most_timed(s)) next_stage(s);
  if (s->at < s->chases) return start_round(s, c, e);
  *c = (ptx_command_t){.kind = CMD_END};
  return GMMU_OK;
}

static int rewind_program(void *ctx, err_t *e) {
  sim_t *s = ctx;
  (void)e;
  s->at = s->end = s->passes = s->announced = 0;
  s->launched = false;
  return GMMU_OK;
}

static uint64_t touched_bytes(const device_t *d, const chase_t *c, uint32_t chases) {
  uint64_t most = 0, unit = 64ull << 20;
  for (uint32_t k = 0; k < chases; k++)
    for (uint32_t i = 0; i < c[k].count; i++)
      if (c[k].at[i] > most) most = c[k].at[i];
  most = (most + unit) / unit * unit;
  return most < d->info.bytes ? most : d->info.bytes;
}

static int sim_run(device_t *d, const chase_t *c, uint32_t chases, err_t *e) {
  sim_t *s = sim_of(d);
  ptx_host_t host = {s, next_command, rewind_program};
  ptx_options_t options = {.sms = s->spec.core.sms, .sm_registers = s->spec.sm.registers};
  source_t *source = NULL;
  gpu_t *g = NULL;
  s->chase = c, s->chases = chases;
  s->touched = touched_bytes(d, c, chases);
  int rc = ptx_live_new(s->program, &host, &options, &source, e);
  app_spec_t app = {.name = "probe", .source = source};
  if (rc == 0) rc = gpu_new(&s->spec, &app, 1, &g, e);
  gpu_limits_t limits = {.no_relaunch = true};
  if (rc == 0) rc = gpu_run(g, &limits, UINT64_MAX, e);
  gpu_free(g);
  if (source) source->ops->free(source);
  return rc < 0 ? rc : GMMU_OK;
}

/* ---- the device ---- */

static void sim_free(device_t *d) {
  sim_t *s = sim_of(d);
  ptx_free(s->program);
  devmem_free(s->mem);
  free(s);
}

static const device_ops_t sim_ops = {
    .name = "sim", .help = "a simulated GPU: sim:PRESET", .run = sim_run, .free = sim_free};

/* Some of the memory is left for page tables and for the kernel's table and times. */
static uint64_t buffer_bytes(const gpu_spec_t *spec) {
  uint64_t unit = 64ull << 20, rest = spec->memory.memory_bytes / 16 + OUT_BYTES;
  uint64_t left = spec->memory.memory_bytes > rest ? spec->memory.memory_bytes - rest : 0;
  return left / unit * unit;
}

static int sim_init(sim_t *s, err_t *e) {
  const uint64_t page = s->spec.memory.base_bytes;
  uint64_t bytes = s->base.info.bytes = buffer_bytes(&s->spec);
  if (!bytes) return err_set(e, GMMU_ERANGE, "a GPU of so little memory cannot be probed");
  uint64_t table = MAX_ROWS * sizeof(kernel_row_t);
  int rc = devmem_new(&s->mem, e);
  if (rc == 0) rc = devmem_alloc(s->mem, bytes, DEVICE_ALIGN, "buffer", &s->buffer, e);
  if (rc == 0) rc = devmem_alloc(s->mem, table, page, "table", &s->table, e);
  if (rc == 0) rc = devmem_alloc(s->mem, OUT_BYTES, page, "times", &s->out, e);
  if (rc == 0) rc = ptx_new(s->mem, &s->program, e);
  if (rc == 0) rc = ptx_load(s->program, "probe", kernel_ptx, strlen(kernel_ptx), e);
  if (rc < 0) return rc;
  s->kernel = ptx_kernel(s->program, -1, KERNEL_NAME, e);
  return s->kernel ? GMMU_OK : GMMU_ENOENT;
}

int device_sim_new(const gpu_spec_t *spec, const char *name, const device_noise_t *noise,
                   device_t **out, err_t *e) {
  sim_t *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) return err_set(e, GMMU_ENOMEM, "no memory for a device");
  s->base = (device_t){
      .ops = &sim_ops,
      .info = {.sms = spec->core.sms, .line_bytes = 128, .grain = 1, .step_bytes = 4096}};
  snprintf(s->base.info.name, sizeof s->base.info.name, "sim:%s", name);
  s->spec = *spec;
  if (noise) s->noise = *noise, s->rng.s = noise->seed;
  int rc = sim_init(s, e);
  if (rc < 0)
    sim_free(&s->base);
  else
    *out = &s->base;
  return rc;
}
