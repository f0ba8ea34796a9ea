/* A program as a source: the live PTX source around a session.
 *
 * Invariant: the live source is there exactly while the world is. */
#include "base/around.h"
#include "host/world.h"
#include <stdlib.h>

typedef struct {
  around_t around; /* of the live source, while there is one; must be first */
  host_spec_t spec;
  world_t world;
  uint32_t slots, slots_per_sm;
  bool started;
  uint64_t now; /* of the machine, when it last asked */
  host_end_t end;
  bool ended;
  err_t err;
} program_t;

static program_t *program_of(source_t *s) { return (program_t *)(void *)s; }

static void drop(program_t *p) {
  if (p->around.in) p->around.in->ops->free(p->around.in);
  p->around.in = NULL;
  world_end(&p->world);
}

static int program_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  program_t *p = program_of(s);
  (void)e;
  p->slots = slots, p->slots_per_sm = slots_per_sm;
  return GMMU_OK;
}

static int start(program_t *p, err_t *e) {
  int rc = world_start(&p->world, &p->spec, e);
  if (rc < 0) return rc;
  ptx_host_t host = {p->world.session, session_next, NULL};
  ptx_options_t options = {.print = session_print,
                           .print_ctx = p->world.session,
                           .bounds = p->spec.bounds,
                           .warn = session_warn,
                           .warn_ctx = p->world.session,
                           .sm_registers = p->spec.device.regs_per_sm};
  rc = ptx_live_new(p->world.program, &host, &options, &p->around.in, e);
  if (rc == 0) rc = around_bind(&p->around.source, p->slots, p->slots_per_sm, e);
  if (rc < 0) drop(p);
  return rc;
}

static int program_rewind(source_t *s, err_t *e) {
  program_t *p = program_of(s);
  if (p->started && !p->spec.again) return err_set(e, GMMU_EINVAL, "a program is started once");
  drop(p);
  p->started = true, p->ended = false;
  return start(p, e);
}

static void note_end(program_t *p) {
  if (!p->ended) session_end(p->world.session, &p->end);
  p->ended = true;
}

static int program_next(source_t *s, uint64_t now, command_t *c, err_t *e) {
  program_t *p = program_of(s);
  if (!p->around.in) return err_set(e, GMMU_EINVAL, "the program has not been started");
  p->now = now;
  int rc = around_next_command(s, now, c, e);
  if (rc == 0 && c->kind == CMD_END) note_end(p);
  if (rc == 0 && p->ended && p->spec.again && p->end.status)
    return err_set(e, GMMU_EINVAL, "%.200s ended with status %d", p->spec.argv[0], p->end.status);
  return rc;
}

static uint32_t program_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  program_t *p = program_of(s);
  uint32_t row = around_step(s, now, slot, op);
  if (row == STREAM_FAIL) p->now = now;
  return row;
}

static const err_t *program_error(const source_t *s) {
  const program_t *p = (const program_t *)(const void *)s;
  return p->around.in ? around_error(s) : &p->err;
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
                                         .cta_begin = around_cta_begin,
                                         .step = program_step,
                                         .error = program_error,
                                         .free = program_free};

int host_source_new(const host_spec_t *spec, source_t **out, err_t *e) {
  program_t *p = calloc(1, sizeof *p);
  *out = NULL;
  if (!p) return err_set(e, GMMU_ENOMEM, "out of memory");
  p->around.source.ops = &program_ops, p->spec = *spec;
  *out = &p->around.source;
  return GMMU_OK;
}

int host_source_check(source_t *s, err_t *e) {
  const program_t *p = program_of(s);
  return p->around.in ? session_check(p->world.session, e) : GMMU_OK;
}

int host_source_finish(source_t *s, int code, err_t *e) {
  program_t *p = program_of(s);
  if (!p->around.in || session_broken(p->world.session)) return GMMU_OK;
  session_fail(p->world.session, code, ptx_live_fault(p->around.in)->kind);
  int rc = world_finish(&p->world, &p->spec, p->now, e);
  if (rc == 0 || session_failed(p->world.session)) note_end(p);
  return rc;
}

bool host_source_end(const source_t *s, host_end_t *out) {
  const program_t *p = (const program_t *)(const void *)s;
  if (p->ended) *out = p->end;
  return p->ended;
}
