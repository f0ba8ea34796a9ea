/* A program as a source: the live PTX source around a session. A rewind throws both away and starts
 * the program again, so nothing of an earlier run is left.
 *
 * Invariant: `live` is there exactly while the world is. */
#include "host/world.h"
#include <stdlib.h>

typedef struct {
  source_t source; /* must be first */
  host_spec_t spec;
  world_t world;
  source_t *live;
  uint32_t slots, slots_per_sm;
  bool started; /* before */
  uint64_t now; /* of the machine, when it last asked */
  host_end_t end;
  bool ended;
  err_t err;
} program_t;

static program_t *program_of(source_t *s) { return (program_t *)(void *)s; }

static void drop(program_t *p) {
  if (p->live) p->live->ops->free(p->live);
  p->live = NULL;
  world_end(&p->world);
}

static int program_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  program_t *p = program_of(s);
  (void)e;
  p->slots = slots, p->slots_per_sm = slots_per_sm;
  return GMMU_OK;
}

static int start(program_t *p, err_t *e) {
  int rc = world_start(&p->world, &p->spec, p->started || p->spec.quiet, e);
  if (rc < 0) return rc;
  ptx_host_t host = {p->world.session, session_next, NULL};
  ptx_options_t options = {.print = session_print,
                           .print_ctx = p->world.session,
                           .sm_registers = p->spec.device.regs_per_sm};
  rc = ptx_live_new(p->world.program, &host, &options, &p->live, e);
  if (rc == 0) rc = p->live->ops->bind(p->live, p->slots, p->slots_per_sm, e);
  if (rc < 0) drop(p);
  return rc;
}

static int program_rewind(source_t *s, err_t *e) {
  program_t *p = program_of(s);
  drop(p);
  int rc = start(p, e);
  p->started = true;
  return rc;
}

static void note_end(program_t *p) {
  if (!p->ended) session_end(p->world.session, &p->end);
  p->ended = true;
}

static int program_next(source_t *s, uint64_t now, command_t *c, err_t *e) {
  program_t *p = program_of(s);
  if (!p->live) return err_set(e, GMMU_EINVAL, "the program has not been started");
  p->now = now;
  int rc = p->live->ops->next_command(p->live, now, c, e);
  if (rc == 0 && c->kind == CMD_END) note_end(p);
  return rc;
}

static int program_cta(source_t *s, uint64_t now, uint32_t cta, uint32_t warps,
                       const uint32_t slot[], uint32_t first[], err_t *e) {
  program_t *p = program_of(s);
  return p->live->ops->cta_begin(p->live, now, cta, warps, slot, first, e);
}

static uint32_t program_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  program_t *p = program_of(s);
  uint32_t row = p->live->ops->step(p->live, now, slot, op);
  if (row == STREAM_FAIL) p->now = now;
  return row;
}

static const err_t *program_error(const source_t *s) {
  const program_t *p = (const program_t *)(const void *)s;
  return p->live ? p->live->ops->error(p->live) : &p->err;
}

static void program_free(source_t *s) {
  program_t *p = program_of(s);
  if (!p) return;
  drop(p);
  free(p);
}

static const source_ops_t program_ops = {.name = "program",
                                         .bind = program_bind,
                                         .rewind = program_rewind,
                                         .next_command = program_next,
                                         .cta_begin = program_cta,
                                         .step = program_step,
                                         .error = program_error,
                                         .free = program_free};

int host_source_new(const host_spec_t *spec, source_t **out, err_t *e) {
  program_t *p = calloc(1, sizeof *p);
  *out = NULL;
  if (!p) return err_set(e, GMMU_ENOMEM, "out of memory");
  p->source.ops = &program_ops, p->spec = *spec;
  *out = &p->source;
  return GMMU_OK;
}

int host_source_finish(source_t *s, int code, err_t *e) {
  program_t *p = program_of(s);
  if (!p->live) return GMMU_OK;
  session_fail(p->world.session, code, ptx_live_fault(p->live)->kind);
  int rc = world_finish(&p->world, &p->spec, p->now, e);
  if (rc == 0 || session_failed(p->world.session)) note_end(p);
  return rc;
}

bool host_source_end(const source_t *s, host_end_t *out) {
  const program_t *p = (const program_t *)(const void *)s;
  if (p->ended) *out = p->end;
  return p->ended;
}
