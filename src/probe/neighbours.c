/* Three loads, each of which uses one part of the memory system more than all others, beside each
 * other. A pair is one machine with two applications: the first runs once, the second as often as
 * it takes. "Alone" the second is a program without kernels.
 *
 * All loads gather: a warp uses what it loads at once, so that what it waits for is known, up to
 * the last load. */
#include "probe/neighbours.h"
#include "gen/gen.h"
#include "gpu/gpu.h"
#include <stdio.h>
#include <string.h>

#define WARPS 4u      /* of a block; there is one block for each SM of the chip */
#define TURNS 8u      /* of share.mode=time, at least, in which the first would finish alone */
#define SLICE 200000u /* cycles between two looks at whether to stop */
#define PART_LEAST                                                                                 \
  10u /* percent of what somebody waits more that a reason has to have to be named */

static const struct {
  const char *name, *help;
} loads[NEIGHBOURS] = {
    [NEIGHBOUR_TRANSLATION] = {"translation", "random loads all over an eighth of memory"},
    [NEIGHBOUR_CACHE] = {"cache", "random loads in a sixteenth of the L2 cache"},
    [NEIGHBOUR_MEMORY] = {"memory", "random loads in four times the L2 cache"},
};
const char *neighbour_name(neighbour_t n) { return loads[n].name; }
const char *neighbour_help(neighbour_t n) { return loads[n].help; }

void neighbour_load(const gpu_spec_t *s, neighbour_t n, char *out, size_t size) {
  uint64_t page = s->memory.large_bytes, memory = s->memory.memory_bytes / 8 / page * page;
  uint64_t bytes = n == NEIGHBOUR_TRANSLATION ? memory
                   : n == NEIGHBOUR_CACHE     ? s->l2.bytes / 16
                                              : s->l2.bytes * 4;
  if (bytes > s->memory.memory_bytes / 4) bytes = s->memory.memory_bytes / 4;
  snprintf(out, size, "gather:footprint=%llu,blocks=%u,warps=%u,steps=%u",
           (unsigned long long)bytes, s->core.sms, WARPS, n == NEIGHBOUR_CACHE ? 32u : 8u);
}

/* ---- a program that does nothing ---- */

static int idle_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  (void)s, (void)slots, (void)slots_per_sm, (void)e;
  return GMMU_OK;
}
static int idle_rewind(source_t *s, err_t *e) {
  (void)s, (void)e;
  return GMMU_OK;
}
static int idle_next(source_t *s, uint64_t now, command_t *c, err_t *e) {
  (void)s, (void)now, (void)e;
  *c = (command_t){.kind = CMD_END};
  return GMMU_OK;
}
static void idle_free(source_t *s) { (void)s; }
static const source_ops_t idle_ops = {.name = "idle",
                                      .bind = idle_bind,
                                      .rewind = idle_rewind,
                                      .next_command = idle_next,
                                      .free = idle_free};
static source_t idle = {&idle_ops}; /* without state */

/* ---- what is shared ---- */

void neighbours_shared(const gpu_spec_t *s, strbuf_t *out) {
  bool mig = strcmp(s->share.mode, "mig") == 0, all = gpu_all_sms(&s->share);
  bool walls = mig || s->map.partition || strcmp(s->memory.manager, "coloured") == 0;
  const tlb_spec_t *last = &s->tlb_level[s->tlb.levels ? s->tlb.levels - 1 : 0];
  const char *comma = "";
#define ADD(when, what)                                                                            \
  if (when) strbuf_printf(out, "%s%s", comma, what), comma = ", "
  ADD(all, strcmp(s->share.mode, "time") == 0 ? "SMs in turn" : "SMs");
  ADD(s->tlb.levels > 1 && (all || (!last->group && !last->gpc && !last->deal)) &&
          (!mig || s->share.mig_tlb),
      "last TLB level");
  ADD(!mig || s->share.mig_walkers, "walkers");
  ADD(!walls, "L2");
  ADD(!walls, "DRAM");
  ADD(strcmp(s->memory.paging, "preload") != 0, "link to the host");
#undef ADD
  if (!*comma) strbuf_str(out, "nothing");
}

static void name_shared(const gpu_spec_t *s, char *out, size_t size) {
  strbuf_t text;
  strbuf_init(&text);
  neighbours_shared(s, &text);
  snprintf(out, size, "%s", strbuf_text(&text));
  strbuf_fini(&text);
}

/* ---- runs ---- */

/* Beside `whom`; NULL: beside one that does nothing. */
static int run_pair(const gpu_spec_t *s, const char *who, const char *whom, bool (*stop)(void),
                    neighbour_run_t *out, err_t *e) {
  source_t *source[2] = {NULL, &idle};
  gpu_t *g = NULL;
  int rc = gen_open(who, &source[0], e);
  if (rc == 0 && whom) rc = gen_open(whom, &source[1], e);
  app_spec_t app[2] = {{.name = "first", .source = source[0]},
                       {.name = "second", .source = source[1]}};
  gpu_limits_t limits = {.wait_for = 1};
  gpu_summary_t sum;
  if (rc == 0) rc = gpu_new(s, app, 2, &g, e);
  for (int over = 0; rc == 0 && !over;) {
    if (stop && stop()) rc = err_set(e, GMMU_EINTERRUPTED, "stopped");
    if (rc == 0) over = gpu_run(g, &limits, gpu_cycles(g) + SLICE, e);
    if (over < 0) rc = over;
  }
  if (rc == 0) {
    gpu_settle(g);
    gpu_summary(g, 0, &sum);
    out->cycles = sum.complete_cycles;
    memcpy(out->stall, sum.stall, sizeof out->stall);
  }
  gpu_free(g);
  for (uint32_t i = 0; i < 2; i++)
    if (source[i]) source[i]->ops->free(source[i]);
  return rc;
}

typedef struct {
  void (*progress)(void *ctx, const char *what);
  void *ctx;
  bool (*stop)(void);
} watch_t;

static int measure(const char *design, const gpu_spec_t *s, const watch_t *w, neighbour_runs_t *out,
                   err_t *e) {
  char load[NEIGHBOURS][96];
  int rc = 0;
  name_shared(s, out->shared, sizeof out->shared);
  for (uint32_t n = 0; n < NEIGHBOURS; n++)
    neighbour_load(s, (neighbour_t)n, load[n], sizeof load[n]);
  for (uint32_t a = 0; a < NEIGHBOURS && rc == 0; a++) {
    if (w->progress) w->progress(w->ctx, design);
    rc = run_pair(s, load[a], NULL, w->stop, &out->alone[a], e);
    gpu_spec_t spec = *s;
    uint32_t turn = (uint32_t)(out->alone[a].cycles / TURNS) + 1;
    if (turn < spec.share.quantum_cycles) spec.share.quantum_cycles = turn;
    for (uint32_t b = 0; b < NEIGHBOURS && rc == 0; b++) {
      if (w->progress) w->progress(w->ctx, design);
      rc = run_pair(&spec, load[a], load[b], w->stop, &out->beside[a][b], e);
    }
  }
  return rc;
}

/* Instances of `mig` share the last TLB level and the walkers, both or one of them; what each gets
 * for itself instead is as large. So every machine here is the same for an application alone. */
static int measure_less(neighbours_t *x, const watch_t *w, err_t *e) {
  const share_spec_t *share = &x->spec.share;
  uint32_t declared = strcmp(share->mode, "mig") ? 0 : share->mig_tlb | share->mig_walkers << 1;
  int rc = 0;
  x->lesses = 0;
  for (uint32_t kept = declared; kept-- > 0 && rc == 0;) {
    if (kept & ~declared) continue;
    gpu_spec_t spec = x->spec;
    spec.share.mig_tlb = kept & 1, spec.share.mig_walkers = kept >> 1;
    rc = measure(x->design, &spec, w, &x->less[x->lesses++], e);
  }
  return rc;
}

int neighbours_measure(neighbours_t *x, void (*progress)(void *ctx, const char *what), void *ctx,
                       bool (*stop)(void), err_t *e) {
  const watch_t watch = {progress, ctx, stop};
  int rc = measure(x->design, &x->spec, &watch, &x->run, e);
  if (rc == 0) rc = measure_less(x, &watch, e);
  bool cannot = rc == GMMU_ERANGE || rc == GMMU_EINVAL || rc == GMMU_ENOSPACE;
  x->reason[0] = 0;
  if (!cannot) return rc;
  snprintf(x->reason, sizeof x->reason, "%s%s%.300s", e->key, e->key[0] ? ": " : "", e->text);
  return GMMU_OK;
}

/* ---- what they waited for ---- */

uint64_t neighbours_more(const neighbours_t *x, neighbour_t who, neighbour_t whom, stall_t reason) {
  uint64_t was = x->run.alone[who].stall[reason], is = x->run.beside[who][whom].stall[reason];
  return reason == STALL_EMPTY || is < was ? 0 : is - was; /* no warp waits in an empty slot */
}

uint64_t neighbours_more_in_all(const neighbours_t *x, neighbour_t who, neighbour_t whom) {
  uint64_t sum = 0;
  for (uint32_t r = 0; r < STALLS; r++) sum += neighbours_more(x, who, whom, (stall_t)r);
  return sum;
}

/* ---- output ---- */

/* The reasons of which most came, the largest first. */
static void through(const neighbours_t *x, neighbour_t a, neighbour_t b, strbuf_t *out) {
  uint64_t all = neighbours_more_in_all(x, a, b), before = UINT64_MAX;
  uint32_t last = STALLS, named = 0;
  while (all && x->run.beside[a][b].cycles > x->run.alone[a].cycles) {
    uint32_t best = STALLS;
    for (uint32_t r = 0; r < STALLS; r++) {
      uint64_t v = neighbours_more(x, a, b, (stall_t)r);
      bool behind = v < before || (v == before && r > last);
      if (behind && (best == STALLS || v > neighbours_more(x, a, b, (stall_t)best))) best = r;
    }
    if (best == STALLS) break;
    before = neighbours_more(x, a, b, (stall_t)best), last = best;
    if (100 * before < PART_LEAST * all) break;
    strbuf_printf(out, "%s%s %llu %%", named++ ? ", " : "", stall_names[best],
                  (unsigned long long)((100 * before + all / 2) / all));
  }
}

static void pair_row(table_t *t, const neighbours_t *x, neighbour_t a, neighbour_t b) {
  strbuf_t why;
  strbuf_init(&why);
  through(x, a, b, &why);
  table_cell(t, x->design);
  table_cell(t, loads[a].name);
  table_cell(t, loads[b].name);
  table_ratio(t, x->run.beside[a][b].cycles, x->run.alone[a].cycles, 3);
  table_cell(t, why.size ? strbuf_text(&why) : "-");
  strbuf_fini(&why);
}

static void shared_row(table_t *t, const neighbours_t *x) {
  table_cell(t, x->design);
  if (x->reason[0])
    table_printf(t, "not on this GPU: %s", x->reason);
  else
    table_cell(t, x->run.shared);
}

static void less_cell(table_t *t, const neighbour_runs_t *r, uint32_t who, uint32_t whom) {
  table_ratio(t, r->beside[who][whom].cycles, r->alone[who].cycles, 3);
}

/* A column for everything that is declared shared, and one for each part of it. */
static void less_text(const neighbours_t *x, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "who", TABLE_LEFT);
  table_column(&t, "beside", TABLE_LEFT);
  table_column(&t, x->run.shared, TABLE_RIGHT);
  for (uint32_t i = 0; i < x->lesses; i++) table_column(&t, x->less[i].shared, TABLE_RIGHT);
  for (uint32_t a = 0; a < NEIGHBOURS; a++)
    for (uint32_t b = 0; b < NEIGHBOURS; b++) {
      table_cell(&t, loads[a].name);
      table_cell(&t, loads[b].name);
      less_cell(&t, &x->run, a, b);
      for (uint32_t i = 0; i < x->lesses; i++) less_cell(&t, &x->less[i], a, b);
    }
  strbuf_printf(out, "%s: slowdown by what the instances share\n\n", x->design);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
  strbuf_str(out, "\n");
}

void neighbours_text(const neighbours_t *x, uint32_t designs, strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "shared", TABLE_LEFT);
  for (uint32_t d = 0; d < designs; d++) shared_row(&t, &x[d]);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
  strbuf_str(out, "\n");
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  table_column(&t, "who", TABLE_KEY);
  table_column(&t, "beside", TABLE_KEY);
  table_column(&t, "slowdown", TABLE_RIGHT);
  table_column(&t, "through", TABLE_LEFT);
  for (uint32_t d = 0; d < designs; d++)
    for (uint32_t a = 0; a < NEIGHBOURS && !x[d].reason[0]; a++)
      for (uint32_t b = 0; b < NEIGHBOURS; b++) pair_row(&t, &x[d], (neighbour_t)a, (neighbour_t)b);
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
  strbuf_str(out, "\n");
  for (uint32_t d = 0; d < designs; d++)
    if (!x[d].reason[0] && x[d].lesses) less_text(&x[d], out);
  for (uint32_t n = 0; n < NEIGHBOURS; n++)
    strbuf_printf(out, "%-12s %s\n", loads[n].name, loads[n].help);
  strbuf_str(out, "slowdown     cycles beside the other, over cycles beside one that does nothing\n"
                  "through      what its warps wait more for: parts of the warp-cycles added\n");
}

static void pair_json(const neighbours_t *x, neighbour_t a, neighbour_t b, json_t *j) {
  json_begin_object(j);
  json_key(j, "who"), json_str(j, loads[a].name);
  json_key(j, "beside"), json_str(j, loads[b].name);
  json_key(j, "cycles_alone"), json_u64(j, x->run.alone[a].cycles);
  json_key(j, "cycles"), json_u64(j, x->run.beside[a][b].cycles);
  json_key(j, "slowdown"), json_ratio(j, x->run.beside[a][b].cycles, x->run.alone[a].cycles, 4);
  json_key(j, "more_warp_cycles");
  json_begin_object(j);
  for (uint32_t r = 0; r < STALLS; r++) {
    uint64_t v = neighbours_more(x, a, b, (stall_t)r);
    if (v) json_key(j, stall_names[r]), json_u64(j, v);
  }
  json_end_object(j);
  json_end_object(j);
}

static void less_json(const neighbour_runs_t *r, json_t *j) {
  json_begin_object(j);
  json_key(j, "shared"), json_str(j, r->shared);
  json_key(j, "pairs");
  json_begin_array(j);
  for (uint32_t a = 0; a < NEIGHBOURS; a++)
    for (uint32_t b = 0; b < NEIGHBOURS; b++) {
      json_begin_object(j);
      json_key(j, "who"), json_str(j, loads[a].name);
      json_key(j, "beside"), json_str(j, loads[b].name);
      json_key(j, "cycles_alone"), json_u64(j, r->alone[a].cycles);
      json_key(j, "cycles"), json_u64(j, r->beside[a][b].cycles);
      json_key(j, "slowdown"), json_ratio(j, r->beside[a][b].cycles, r->alone[a].cycles, 4);
      json_end_object(j);
    }
  json_end_array(j);
  json_end_object(j);
}

static void design_json(const neighbours_t *x, json_t *j) {
  json_begin_object(j);
  json_key(j, "design"), json_str(j, x->design);
  if (x->reason[0]) {
    json_key(j, "impossible"), json_str(j, x->reason);
    json_end_object(j);
    return;
  }
  json_key(j, "shared"), json_str(j, x->run.shared);
  json_key(j, "pairs");
  json_begin_array(j);
  for (uint32_t a = 0; a < NEIGHBOURS; a++)
    for (uint32_t b = 0; b < NEIGHBOURS; b++) pair_json(x, (neighbour_t)a, (neighbour_t)b, j);
  json_end_array(j);
  if (x->lesses) {
    json_key(j, "less_shared");
    json_begin_array(j);
    for (uint32_t i = 0; i < x->lesses; i++) less_json(&x->less[i], j);
    json_end_array(j);
  }
  json_end_object(j);
}

void neighbours_json(const neighbours_t *x, uint32_t designs, json_t *j) {
  char load[96];
  json_begin_object(j);
  json_key(j, "loads");
  json_begin_object(j);
  for (uint32_t n = 0; designs && n < NEIGHBOURS; n++) {
    neighbour_load(&x->spec, (neighbour_t)n, load, sizeof load);
    json_key(j, loads[n].name), json_str(j, load);
  }
  json_end_object(j);
  json_key(j, "designs");
  json_begin_array(j);
  for (uint32_t d = 0; d < designs; d++) design_json(&x[d], j);
  json_end_array(j);
  json_end_object(j);
}
