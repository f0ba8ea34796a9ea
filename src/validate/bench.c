#include "validate/bench.h"
#include <stdlib.h>
#include <string.h>

#define SLOT_BYTES 16u

typedef struct {
  bench_t *b;
  bench_launch_t *launch;
  uint32_t launches, at, announced;
  uint64_t bytes;
} program_t;

static uint8_t *host_of(const bench_t *b, uint64_t va) {
  const devmem_alloc_t *a = devmem_find(b->mem, va);
  return a->host + (va - a->va);
}

uint8_t *bench_host(const bench_t *b, uint64_t offset) { return host_of(b, b->buffer) + offset; }

static void read_span(const bench_t *b, bench_launch_t *l) {
  uint64_t first = UINT64_MAX, last = 0;
  for (uint32_t i = 0; i < l->blocks; i++) {
    uint64_t slot[2];
    memcpy(slot, host_of(b, b->out) + (size_t)i * SLOT_BYTES, sizeof slot);
    first = slot[0] < first ? slot[0] : first;
    last = slot[1] > last ? slot[1] : last;
  }
  l->cycles = last - first;
}

static int next_command(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  program_t *p = ctx;
  (void)now;
  if (p->announced < 2) {
    bool buffer = p->announced++ == 0;
    *c = (ptx_command_t){.kind = CMD_ALLOC,
                         .va = buffer ? p->b->buffer : p->b->out,
                         .bytes = buffer ? p->bytes : BENCH_BLOCKS * (uint64_t)SLOT_BYTES};
    return GMMU_OK;
  }
  if (p->at) read_span(p->b, &p->launch[p->at - 1]);
  if (p->at == p->launches) {
    *c = (ptx_command_t){.kind = CMD_END};
    return GMMU_OK;
  }
  bench_launch_t *l = &p->launch[p->at++];
  l->p.out = p->b->out;
  const ptx_kernel_t *k = ptx_kernel(p->b->program, -1, l->kernel, e);
  if (!k) return e->code;
  *c = (ptx_command_t){
      .kind = CMD_LAUNCH,
      .kernel = k,
      .launch = {.grid = {l->blocks, 1, 1}, .block = {l->threads, 1, 1}, .params = &l->p}};
  return GMMU_OK;
}

static int rewind_program(void *ctx, err_t *e) {
  program_t *p = ctx;
  (void)e;
  p->at = p->announced = 0;
  return GMMU_OK;
}

int bench_run(bench_t *b, bench_launch_t *launch, uint32_t launches, uint64_t bytes, err_t *e) {
  program_t p = {.b = b, .launch = launch, .launches = launches};
  uint64_t page = b->spec.memory.base_bytes;
  p.bytes = (bytes + page - 1) / page * page;
  if (p.bytes > b->bytes)
    return err_set(e, GMMU_ERANGE, "the GPU has too little memory for this benchmark");
  for (uint32_t i = 0; i < launches; i++)
    if (launch[i].blocks > BENCH_BLOCKS) return err_set(e, GMMU_ERANGE, "too many SMs");
  ptx_options_t options = {.sms = b->spec.core.sms, .sm_registers = b->spec.sm.registers};
  ptx_host_t host = {&p, next_command, rewind_program};
  source_t *source = NULL;
  gpu_t *g = NULL;
  int rc = ptx_live_new(b->program, &host, &options, &source, e);
  app_spec_t app = {.name = "validate", .source = source};
  if (rc == 0) rc = gpu_new(&b->spec, &app, 1, &g, e);
  gpu_limits_t limits = {.no_relaunch = true};
  if (rc == 0) rc = gpu_run(g, &limits, UINT64_MAX, e);
  gpu_free(g);
  if (source) source->ops->free(source);
  return rc < 0 ? rc : GMMU_OK;
}

/* Some of the memory is left for page tables. */
static int bench_init(bench_t *b, err_t *e) {
  uint64_t page = b->spec.memory.base_bytes;
  b->bytes = b->spec.memory.memory_bytes / 4 * 3 / page * page;
  int rc = devmem_new(&b->mem, e);
  if (rc == 0) rc = devmem_alloc(b->mem, b->bytes, 1ull << 30, "buffer", &b->buffer, e);
  if (rc == 0)
    rc = devmem_alloc(b->mem, BENCH_BLOCKS * (uint64_t)SLOT_BYTES, page, "slots", &b->out, e);
  if (rc == 0) rc = ptx_new(b->mem, &b->program, e);
  for (const char *const *text = bench_ptx; rc >= 0 && *text; text++)
    rc = ptx_load(b->program, "benchmarks", *text, strlen(*text), e);
  return rc < 0 ? rc : GMMU_OK;
}

int bench_new(const gpu_spec_t *spec, bench_t **out, err_t *e) {
  bench_t *b = calloc(1, sizeof *b);
  *out = NULL;
  if (!b) return err_set(e, GMMU_ENOMEM, "no memory for benchmarks");
  b->spec = *spec;
  int rc = bench_init(b, e);
  if (rc < 0)
    bench_free(b);
  else
    *out = b;
  return rc;
}

void bench_free(bench_t *b) {
  if (!b) return;
  ptx_free(b->program);
  devmem_free(b->mem);
  free(b);
}
