/* A simulated GPU as a device: its memory, the machine it runs on, the noise it adds. Every call is
 * a program on a fresh machine. Invariant: the buffer's address is the same in every run; the
 * machine knows as much of it as the run touches, and gives it the lowest frames, in order. */
#include "probe/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *sim_host(const sim_t *s, uint64_t va) {
  const devmem_alloc_t *a = devmem_find(s->mem, va);
  return a->host + (va - a->va);
}

int64_t sim_noise(sim_t *s, int64_t t) {
  const device_noise_t *n = &s->noise;
  if (n->jitter_cycles)
    t += (int64_t)rng_below(&s->rng, 2 * n->jitter_cycles + 1) - n->jitter_cycles;
  if (n->outlier_ppm && rng_below(&s->rng, 1000000) < n->outlier_ppm)
    t += rng_below(&s->rng, n->outlier_cycles + 1);
  return t;
}

bool sim_announce(const sim_range_t *range, uint32_t count, uint32_t *announced, ptx_command_t *c) {
  if (*announced == count) return false;
  const sim_range_t *r = &range[(*announced)++];
  *c = (ptx_command_t){.kind = CMD_ALLOC, .va = r->va, .bytes = r->bytes};
  return true;
}

uint64_t sim_touched(const sim_t *s, uint64_t most) {
  uint64_t unit = 64ull << 20;
  most = (most + unit) / unit * unit;
  return most < s->base.info.bytes ? most : s->base.info.bytes;
}

int sim_program(sim_t *s, const ptx_host_t *host, err_t *e) {
  ptx_options_t options = {.sms = s->spec.core.sms, .sm_registers = s->spec.sm.registers};
  source_t *source = NULL;
  gpu_t *g = NULL;
  int rc = ptx_live_new(s->program, host, &options, &source, e);
  app_spec_t app = {.name = "probe", .source = source};
  if (rc == 0) rc = gpu_new(&s->spec, &app, 1, &g, e);
  gpu_limits_t limits = {.no_relaunch = true};
  if (rc == 0) rc = gpu_run(g, &limits, UINT64_MAX, e);
  if (rc >= 0) gpu_summary(g, 0, &s->last);
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

static int64_t sim_held(device_t *d) {
  const gpu_summary_t *last = &sim_of(d)->last;
  return last->fetches ? (int64_t)(100 * last->fetch_cycles / last->fetches) : 0;
}

static const device_ops_t sim_ops = {.name = "sim",
                                     .help = "a simulated GPU: sim:PRESET",
                                     .run = sim_run,
                                     .ask = sim_ask,
                                     .held = sim_held,
                                     .free = sim_free};

/* Some of the memory is left for page tables and for the kernels' tables, lists and times. */
static uint64_t buffer_bytes(const gpu_spec_t *spec) {
  uint64_t unit = 64ull << 20, rest = spec->memory.memory_bytes / 16 + SIM_OUT_BYTES;
  uint64_t left = spec->memory.memory_bytes > rest ? spec->memory.memory_bytes - rest : 0;
  return left / unit * unit;
}

static int take_memory(sim_t *s, err_t *e) {
  const uint64_t page = s->spec.memory.base_bytes;
  int rc = devmem_new(&s->mem, e);
  if (rc == 0) rc = devmem_alloc(s->mem, s->base.info.bytes, DEVICE_ALIGN, "buffer", &s->buffer, e);
  if (rc == 0)
    rc = devmem_alloc(s->mem, sim_rows(s) * sizeof(kernel_row_t), page, "table", &s->table, e);
  if (rc == 0) rc = devmem_alloc(s->mem, SIM_OUT_BYTES, page, "times", &s->out, e);
  if (rc == 0)
    rc = devmem_alloc(s->mem, ASK_QUESTIONS * sizeof(ask_row_t), page, "questions", &s->ask_table,
                      e);
  if (rc == 0) rc = devmem_alloc(s->mem, SIM_ENTRIES * 4ull, page, "lists", &s->list, e);
  return rc;
}

static const ptx_kernel_t *load(sim_t *s, const char *name, const char *text, err_t *e) {
  if (ptx_load(s->program, "probe", text, strlen(text), e) < 0) return NULL;
  return ptx_kernel(s->program, -1, name, e);
}

static int sim_init(sim_t *s, err_t *e) {
  s->base.info.bytes = buffer_bytes(&s->spec);
  if (!s->base.info.bytes)
    return err_set(e, GMMU_ERANGE, "a GPU of so little memory cannot be probed");
  int rc = take_memory(s, e);
  if (rc == 0) rc = ptx_new(s->mem, &s->program, e);
  if (rc < 0) return rc;
  s->chase_kernel = load(s, KERNEL_NAME, kernel_ptx, e);
  if (s->chase_kernel) s->ask_kernel = load(s, ASK_NAME, ask_ptx, e);
  return s->ask_kernel ? GMMU_OK : e->code;
}

int device_sim_new(const gpu_spec_t *spec, const char *name, const device_noise_t *noise,
                   device_t **out, err_t *e) {
  sim_t *s = calloc(1, sizeof *s);
  *out = NULL;
  if (!s) return err_set(e, GMMU_ENOMEM, "no memory for a device");
  s->base = (device_t){.ops = &sim_ops,
                       .info = {.sms = spec->core.sms,
                                .line_bytes = spec->core.line_bytes,
                                .grain = 1,
                                .step_bytes = 4096,
                                .page_bytes = spec->memory.base_bytes,
                                .contiguous = spec->memory.fragment_index == 0}};
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
