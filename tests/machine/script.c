/* The scripted source. One state per slot: program, place in it, iteration. The static table is all
 * programs one after another, each with its exit; an instruction's index there is the program's
 * first index plus its place. */
#include "script.h"
#include "unit.h"
#include <stdlib.h>

typedef struct {
  const program_t *program;
  uint32_t first, pc, turn, warp, issued;
} state_t;

struct script {
  source_t source;
  script_spec_t spec;
  inst_t *inst;
  uint32_t *first; /* [program]: its place in the table */
  uint32_t inst_count;
  state_t *warp; /* [slots] */
  uint32_t next, launch;
  issue_t *note;
  uint32_t notes, capacity;
};

static script_t *self(source_t *s) { return (script_t *)(void *)s; }

static int bind(source_t *src, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  (void)slots_per_sm, (void)e;
  script_t *s = self(src);
  free(s->warp);
  s->warp = calloc(slots, sizeof *s->warp);
  return s->warp ? GMMU_OK : GMMU_ENOMEM;
}

static int rewind_(source_t *src, err_t *e) {
  (void)e;
  self(src)->next = 0;
  return GMMU_OK;
}

static void launch(const script_t *s, launch_t *l) {
  const script_spec_t *p = &s->spec;
  *l = (launch_t){.name = "script",
                  .inst = s->inst,
                  .inst_count = s->inst_count,
                  .grid = {p->blocks, 1, 1},
                  .block = {p->threads ? p->threads : p->warps * WARP_LANES, 1, 1},
                  .regs_per_thread = p->regs,
                  .shared_bytes = p->shared};
}

static int next_command(source_t *src, uint64_t now, command_t *c, err_t *e) {
  (void)now, (void)e;
  script_t *s = self(src);
  const script_command_t all[] = {{CMD_ALLOC, s->spec.va, s->spec.bytes}, {CMD_LAUNCH, 0, 0}};
  const script_command_t *list = s->spec.command ? s->spec.command : all;
  uint32_t n = s->spec.command ? s->spec.commands : 2;
  *c = (command_t){.kind = CMD_END};
  if (s->next == n) return GMMU_OK;
  const script_command_t *x = &list[s->next++];
  *c = (command_t){.kind = x->kind, .va = x->va, .bytes = x->bytes};
  if (x->kind == CMD_LAUNCH) {
    launch(s, &c->launch);
    s->launch++;
  }
  return GMMU_OK;
}

static int cta_begin(source_t *src, uint64_t now, uint32_t cta, uint32_t warps,
                     const uint32_t slot[], uint32_t first[], err_t *e) {
  (void)now, (void)e;
  script_t *s = self(src);
  for (uint32_t i = 0; i < warps; i++) {
    uint32_t warp = cta * warps + i, p = warp % s->spec.programs;
    s->warp[slot[i]] =
        (state_t){.program = &s->spec.program[p], .first = s->first[p], .warp = warp};
    first[i] = s->first[p];
  }
  return GMMU_OK;
}

static void fill_op(const state_t *w, const script_op_t *o, warp_op_t *op) {
  op->mask = o->mask;
  op->mode = ADDR_STRIDE;
  op->base = o->va + w->warp * o->per_warp + w->turn * o->per_turn;
  op->stride = o->stride;
}

static void take_note(script_t *s, uint64_t now, uint32_t slot, const state_t *w) {
  if (s->notes < s->capacity)
    s->note[s->notes] = (issue_t){now, w->warp, w->issued, slot, s->launch - 1};
  s->notes++;
}

static uint32_t step(source_t *src, uint64_t now, uint32_t slot, warp_op_t *op) {
  script_t *s = self(src);
  state_t *w = &s->warp[slot];
  const program_t *p = w->program;
  take_note(s, now, slot, w);
  w->issued++;
  if (w->pc == p->count) { /* the exit */
    *op = (warp_op_t){.mask = ALL_LANES};
    return STREAM_END;
  }
  fill_op(w, &p->op[w->pc], op);
  if (++w->pc == p->count && ++w->turn < p->repeat) w->pc = 0;
  return w->first + w->pc;
}

static const err_t *error(const source_t *s) {
  (void)s;
  return NULL;
}

static void free_(source_t *s) { script_free(self(s)); }

static const source_ops_t ops = {.name = "script",
                                 .bind = bind,
                                 .rewind = rewind_,
                                 .next_command = next_command,
                                 .cta_begin = cta_begin,
                                 .step = step,
                                 .error = error,
                                 .free = free_};

static void build_table(script_t *s) {
  const script_spec_t *p = &s->spec;
  for (uint32_t i = 0; i < p->programs; i++) s->inst_count += p->program[i].count + 1;
  s->inst = calloc(s->inst_count, sizeof *s->inst);
  s->first = calloc(p->programs, sizeof *s->first);
  assert_true(s->inst && s->first);
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->programs; i++) {
    s->first[i] = n;
    for (uint32_t k = 0; k < p->program[i].count; k++) s->inst[n++] = p->program[i].op[k].inst;
    s->inst[n++] = (inst_t){.cls = IC_EXIT, .dst = R_NO, .src = {R_NO, R_NO, R_NO, R_NO}};
  }
}

script_t *script_new(const script_spec_t *spec, uint32_t notes) {
  script_t *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->source.ops = &ops;
  s->spec = *spec;
  s->capacity = notes;
  s->note = calloc(notes + 1u, sizeof *s->note);
  assert_non_null(s->note);
  build_table(s);
  return s;
}

void script_free(script_t *s) {
  if (!s) return;
  free(s->inst);
  free(s->first);
  free(s->warp);
  free(s->note);
  free(s);
}

source_t *script_source(script_t *s) { return &s->source; }

uint32_t script_count(const script_t *s) { return s->notes < s->capacity ? s->notes : s->capacity; }

const issue_t *script_issue(const script_t *s, uint32_t i) { return &s->note[i]; }

uint64_t script_when_launch(const script_t *s, uint32_t launch_number, uint32_t warp, uint32_t n) {
  for (uint32_t i = 0; i < script_count(s); i++) {
    const issue_t *x = &s->note[i];
    if (x->launch == launch_number && x->warp == warp && x->place == n) return x->now;
  }
  fail_msg("warp %u did not issue its instruction %u", warp, n);
  return 0;
}

uint64_t script_when(const script_t *s, uint32_t warp, uint32_t n) {
  return script_when_launch(s, 0, warp, n);
}
