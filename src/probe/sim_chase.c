/* Chases on a simulated GPU. Each round is one launch, before which its links are written. A round
 * is a stage, or a part of one whose times do not fit the kernel's shared memory. */
#include "probe/sim.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
  sim_t *s;
  const chase_t *chase;
  uint32_t chases, at, end; /* the stage: [at, end) */
  uint32_t passes;          /* timed passes of the stage that are done */
  uint32_t part;            /* those under way */
  sim_range_t range[3];
  uint32_t announced;
  kernel_params_t params;
  bool launched;
} walk_t;

/* ---- one round: links and rows before, times after ---- */

static void write_links(const walk_t *w, const chase_t *c) {
  uint8_t *buffer = sim_host(w->s, w->s->buffer);
  for (uint32_t i = 0; i < c->count; i++) {
    uint64_t next = w->s->buffer + c->at[i + 1 < c->count ? i + 1 : 0];
    memcpy(buffer + c->at[i], &next, sizeof next);
  }
}

static uint32_t most_timed(const walk_t *w) {
  uint32_t n = 0;
  for (uint32_t i = w->at; i < w->end; i++)
    if (w->chase[i].timed > n) n = w->chase[i].timed;
  return n;
}

/* Passes that every chase of the stage has room for. */
static uint32_t passes_that_fit(const walk_t *w) {
  uint32_t fit = most_timed(w) - w->passes;
  for (uint32_t i = w->at; i < w->end; i++) {
    uint32_t room = KERNEL_SAMPLES / w->chase[i].count;
    if (w->chase[i].timed && fit > room) fit = room;
  }
  return fit;
}

static uint32_t passes_of(const walk_t *w, const chase_t *c) {
  uint32_t left = c->timed > w->passes ? c->timed - w->passes : 0;
  return left < w->part ? left : w->part;
}

static void write_rows(const walk_t *w) {
  uint64_t out = w->s->out;
  for (uint32_t i = w->at; i < w->end; i++) {
    const chase_t *c = &w->chase[i];
    kernel_row_t row = {.sm = c->sm,
                        .first = w->s->buffer + c->at[0],
                        .warm = c->count * c->warm,
                        .timed = c->count * passes_of(w, c),
                        .out = out};
    if (c->timed) out += KERNEL_SHARED_BYTES;
    memcpy(sim_host(w->s, w->s->table + (i - w->at) * sizeof row), &row, sizeof row);
  }
}

static int read_times(walk_t *w, err_t *e) {
  for (uint32_t i = w->at; i < w->end; i++) {
    const chase_t *c = &w->chase[i];
    kernel_row_t row;
    memcpy(&row, sim_host(w->s, w->s->table + (i - w->at) * sizeof row), sizeof row);
    if (!row.taken) return err_set(e, GMMU_ESTUCK, "no block of the probe came to SM %u", c->sm);
    const uint8_t *out = sim_host(w->s, row.out);
    for (uint32_t k = 0; k < row.timed; k++) {
      uint16_t t;
      memcpy(&t, out + 2 * (size_t)k, sizeof t);
      c->time[(size_t)w->passes * c->count + k] = sim_noise(w->s, t);
    }
  }
  return GMMU_OK;
}

/* ---- the program ---- */

static void next_stage(walk_t *w) {
  w->at = w->end;
  w->passes = 0;
  while (w->end < w->chases && w->chase[w->end].stage == w->chase[w->at].stage) w->end++;
}

static int finish_round(walk_t *w, err_t *e) {
  if (!w->launched) return GMMU_OK;
  int rc = read_times(w, e);
  w->passes += w->part;
  w->launched = false;
  return rc;
}

static int start_round(walk_t *w, ptx_command_t *c, err_t *e) {
  uint32_t timed = 0;
  for (uint32_t i = w->at; i < w->end; i++) timed += w->chase[i].timed != 0;
  if (w->end - w->at > sim_rows(w->s) || timed > SIM_TIMED)
    return err_set(e, GMMU_ERANGE, "more than %u chases at the same time, or %u with a clock",
                   sim_rows(w->s), SIM_TIMED);
  w->part = passes_that_fit(w);
  if (!w->part && most_timed(w))
    return err_set(e, GMMU_ERANGE, "a timed chase has at most %u accesses", KERNEL_SAMPLES);
  for (uint32_t i = w->at; i < w->end; i++) write_links(w, &w->chase[i]);
  write_rows(w);
  w->params = (kernel_params_t){.table = w->s->table, .rows = w->end - w->at};
  *c = (ptx_command_t){
      .kind = CMD_LAUNCH,
      .kernel = w->s->chase_kernel,
      .launch = {.grid = {4 * w->s->spec.core.sms, 1, 1},
                 .block = {1, 1, 1},
                 .dynamic_shared_bytes = kernel_shared(w->chase + w->at, w->end - w->at, w->part),
                 .params = &w->params}};
  w->launched = true;
  return GMMU_OK;
}

static int next_command(void *ctx, uint64_t now, ptx_command_t *c, err_t *e) {
  walk_t *w = ctx;
  (void)now;
  if (sim_announce(w->range, 3, &w->announced, c)) return GMMU_OK;
  int rc = finish_round(w, e);
  if (rc < 0) return rc;
  if (w->at == w->end || w->passes >= most_timed(w)) next_stage(w);
  if (w->at < w->chases) return start_round(w, c, e);
  *c = (ptx_command_t){.kind = CMD_END};
  return GMMU_OK;
}

static int rewind_program(void *ctx, err_t *e) {
  walk_t *w = ctx;
  (void)e;
  w->at = w->end = w->passes = w->announced = 0;
  w->launched = false;
  return GMMU_OK;
}

static uint64_t furthest(const chase_t *c, uint32_t chases) {
  uint64_t most = 0;
  for (uint32_t k = 0; k < chases; k++)
    for (uint32_t i = 0; i < c[k].count; i++)
      if (c[k].at[i] > most) most = c[k].at[i];
  return most;
}

int sim_run(device_t *d, const chase_t *c, uint32_t chases, err_t *e) {
  sim_t *s = sim_of(d);
  walk_t w = {.s = s,
              .chase = c,
              .chases = chases,
              .range = {{s->buffer, sim_touched(s, furthest(c, chases))},
                        {s->table, sim_rows(s) * sizeof(kernel_row_t)},
                        {s->out, SIM_OUT_BYTES}}};
  ptx_host_t host = {&w, next_command, rewind_program};
  return sim_program(s, &host, e);
}
