/* Without timing: each command as it comes, kernels by ptx_run(), and everything into a .gmt writer
 * if there is one. Time is counted in warp instructions. */
#include "host/world.h"
#include "trace/gmt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const host_spec_t *spec;
  world_t world;
  host_run_t *out;
  gmt_writer_t *writer; /* NULL: no recording */
  uint32_t variables;   /* told to the writer */
  bool heap;            /* likewise */
  uint64_t local_va, local_bytes;
  uint64_t start; /* time before the first of our instructions */
  uint32_t stop_calls;
  bool too_large; /* the recording */
} runner_t;

void host_run_fini(host_run_t *r) {
  for (uint32_t i = 0; i < r->kernels; i++) free(r->kernel[i].name);
  free(r->kernel);
  r->kernel = NULL, r->kernels = 0;
}

static host_kernel_t *kernel_row(host_run_t *r, const char *name) {
  for (uint32_t i = 0; i < r->kernels; i++)
    if (strcmp(r->kernel[i].name, name) == 0) return &r->kernel[i];
  host_kernel_t *p = realloc(r->kernel, (r->kernels + 1) * sizeof *p);
  if (!p) return NULL;
  r->kernel = p;
  p[r->kernels] = (host_kernel_t){.name = strdup(name)};
  return p[r->kernels].name ? &p[r->kernels++] : NULL;
}

/* ---- recording ------------------------------------------------------------------------------- */

static int trace_begin(void *ctx, uint32_t cta, uint32_t *block, err_t *e) {
  return gmt_writer_cta_begin(ctx, cta, block, e);
}
static int trace_step(void *ctx, uint32_t block, uint32_t warp, uint32_t inst, const warp_op_t *op,
                      err_t *e) {
  return gmt_writer_inst(ctx, block, warp, inst, op, e);
}
static int trace_end(void *ctx, uint32_t block, err_t *e) {
  return gmt_writer_cta_end(ctx, block, e);
}

static int record_memory(runner_t *r, command_kind_t kind, uint64_t va, uint64_t bytes,
                         const char *name, err_t *e) {
  command_t c = {.kind = (uint8_t)kind, .va = va, .bytes = bytes, .name = name};
  return r->writer ? gmt_writer_command(r->writer, &c, e) : GMMU_OK;
}

/* Memory that the program has not asked for by itself: variables, and what kernels need. */
static int record_hidden(runner_t *r, const ptx_kernel_t *k, err_t *e) {
  uint64_t va, bytes, want = ptx_local_bytes(k, PTX_TRACE_WARPS);
  const char *name;
  int rc = GMMU_OK;
  while (rc == 0 && ptx_variable(r->world.program, &r->variables, &va, &bytes, &name))
    rc = record_memory(r, CMD_ALLOC, va, bytes, name, e);
  if (rc == 0 && !r->heap && ptx_uses_heap(r->world.program)) {
    r->heap = true;
    rc = record_memory(r, CMD_ALLOC, DEVMEM_HEAP, DEVMEM_HEAP_BYTES, "device heap", e);
  }
  if (rc < 0 || want <= r->local_bytes) return rc;
  if (r->local_bytes) {
    rc = record_memory(r, CMD_FREE, r->local_va, 0, NULL, e);
    devmem_release(r->world.mem, r->local_va, NULL);
    r->local_bytes = 0;
  }
  if (rc == 0) rc = devmem_alloc(r->world.mem, want, 1u << 16, "local memory", &r->local_va, e);
  if (rc < 0) return rc;
  r->local_bytes = want;
  return record_memory(r, CMD_ALLOC, r->local_va, want, "local memory", e);
}

static int record_launch(runner_t *r, const ptx_command_t *h, const ptx_options_t *o, err_t *e) {
  command_t c = {.kind = CMD_LAUNCH};
  ptx_launch_describe(h->kernel, &h->launch, o, &c.launch);
  return gmt_writer_command(r->writer, &c, e);
}

/* ---- running --------------------------------------------------------------------------------- */

static void count(runner_t *r, const ptx_command_t *h, const ptx_stats_t *stats) {
  const uint32_t *g = h->launch.grid;
  host_kernel_t *row = kernel_row(r->out, ptx_kernel_info(h->kernel)->name);
  r->out->warp_insts += stats->warp_insts;
  if (!row) return;
  row->launches++, row->blocks += (uint64_t)g[0] * g[1] * g[2];
  row->warp_insts += stats->warp_insts, row->thread_insts += stats->thread_insts;
}

/* A failing kernel is the program's business first: it is told and goes on to its end. What
 * follows is not recorded: the recording would lack the rest of that launch. */
static void forget_recording(runner_t *r) {
  if (r->writer) gmt_writer_abort(r->writer);
  r->writer = NULL;
}

#define CALLS_PER_LOOK 64u /* of stop(): a look at another process is a system call */

/* Also a program that is not there any more ends its kernel, and a recording that has no room. */
static bool stop(void *ctx) {
  runner_t *r = ctx;
  uint64_t most = r->spec->record_bytes;
  r->too_large = r->writer && most && gmt_writer_bytes(r->writer) > most;
  if (r->too_large) return true;
  if (r->spec->stop && r->spec->stop(r->spec->stop_ctx)) return true;
  return r->stop_calls++ % CALLS_PER_LOOK == 0 && session_check(r->world.session, NULL) < 0;
}

static int run_kernel(runner_t *r, const ptx_command_t *h, err_t *e) {
  ptx_trace_t trace = {r->writer, trace_begin, trace_step, trace_end, 0};
  ptx_options_t o = {.print = session_print,
                     .print_ctx = r->world.session,
                     .sms = r->spec->device.sms,
                     .sm_registers = r->spec->device.regs_per_sm,
                     .bounds = r->spec->bounds,
                     .warn = session_warn,
                     .warn_ctx = r->world.session,
                     .stop = stop,
                     .stop_ctx = r,
                     .trace = r->writer ? &trace : NULL};
  ptx_stats_t stats = {0};
  ptx_fault_t fault = {0};
  int rc = ptx_link(r->world.program, e);
  if (rc == 0 && r->writer) rc = record_hidden(r, h->kernel, e);
  trace.local_va = r->local_va;
  if (rc == 0 && r->writer) rc = record_launch(r, h, &o, e);
  if (rc == 0) rc = ptx_run(r->world.program, h->kernel, &h->launch, &o, &stats, &fault, e);
  r->out->too_large = r->too_large;
  if (r->too_large)
    rc = err_set(e, GMMU_ERANGE, "%.200s: its recording is larger than %llu MB", r->spec->argv[0],
                 (unsigned long long)(r->spec->record_bytes >> 20));
  count(r, h, &stats);
  if (fault.kind) session_fail(r->world.session, rc, fault.kind), forget_recording(r);
  return rc;
}

static int run_command(runner_t *r, const ptx_command_t *h, err_t *e) {
  if (h->kind == CMD_LAUNCH) return run_kernel(r, h, e);
  if (h->kind == CMD_COLOURS) return GMMU_OK; /* where pages lie is the machine's */
  if (h->kind == CMD_ALLOC || h->kind == CMD_ALLOC_HOST)
    r->out->allocations++, r->out->allocated_bytes += h->bytes;
  return record_memory(r, (command_kind_t)h->kind, h->va, h->bytes, h->name, e);
}

/* The first failure of a kernel is what is returned, once the program has ended; after a reset the
 * device works again, and later failures are told when they happen. */
static int run_program(runner_t *r, err_t *e) {
  const host_spec_t *spec = r->spec;
  int failure = GMMU_OK;
  for (;;) {
    ptx_command_t c;
    err_t later = {0}, *to = failure ? &later : e;
    int rc = session_next(r->world.session, r->start + r->out->warp_insts, &c, to);
    if (rc < 0 && rc != GMMU_EINTERRUPTED && failure && spec->note) spec->note(spec->note_ctx, to);
    if (rc < 0) return failure ? failure : rc;
    if (c.kind == CMD_END) return failure;
    rc = run_command(r, &c, to);
    if (rc == 0 || session_broken(r->world.session)) continue; /* next() says why */
    if (!session_failed(r->world.session)) return failure ? failure : rc;
    if (failure && spec->note) spec->note(spec->note_ctx, to);
    if (!failure) failure = rc;
  }
}

int world_finish(world_t *w, const host_spec_t *spec, uint64_t now, err_t *e) {
  host_run_t out = {0};
  runner_t r = {.spec = spec, .world = *w, .out = &out, .start = now};
  int rc = run_program(&r, e);
  host_run_fini(&out);
  return rc;
}

int host_run(const host_spec_t *spec, const char *record, host_run_t *out, err_t *e) {
  runner_t r = {.spec = spec, .out = out};
  *out = (host_run_t){0};
  int rc = record ? gmt_writer_new(record, NULL, &r.writer, e) : GMMU_OK;
  if (rc == 0) rc = world_start(&r.world, spec, e);
  if (rc == 0) {
    rc = run_program(&r, e);
    session_end(r.world.session, &out->end);
  }
  world_end(&r.world);
  if (rc == 0 && r.writer) return gmt_writer_close(r.writer, e);
  forget_recording(&r);
  return rc;
}
