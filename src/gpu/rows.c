/* What goes over all rows of the machine: building, taking down, hooks, the end of a run, checks,
 * statistics. */
#include "gpu/machine.h"
#include "gpu/stats.h"
#include <stdlib.h>

/* ---- what every machine has beside its blocks ---- */

/* Write-backs on their way to DRAM. */
static uint32_t writes_of(const gpu_spec_t *s) {
  uint32_t inside = s->l2.mshrs * s->l2.slices + s->dram.queue + s->dram.write_queue + 64;
  return s->dram.channels * inside;
}
/* Lines that come for nobody. */
static uint32_t strays_of(const gpu_spec_t *s) { return s->walk.free_dram ? writes_of(s) : 0; }

/* Requests that can exist at once: lines of the SMs, walk reads, those above, lines of pages that
 * move. */
static int pool_init(void *block, err_t *e) {
  request_pool_t *p = block;
  const gpu_spec_t *s = pool_spec(p);
  uint32_t lines = s->core.sms * s->sm.lsu_lines;
  if (request_pool_init(p, lines + gpu_spec_walks(s) + writes_of(s) + strays_of(s) + MOVE_LINES,
                        pool_arrays(p)) < 0)
    return component_no_memory(e, "requests");
  return GMMU_OK;
}

static int ev_init(void *block, err_t *e) {
  engine_t *v = block;
  const gpu_spec_t *s = ev_spec(v);
  uint32_t lines = s->core.sms * s->sm.lsu_lines, slices = s->dram.channels * s->l2.slices;
  uint32_t misses =
      s->core.sms * tlb_mshr_misses(s->tlb_level[0].mshr_format, s->tlb_level[0].mshrs);
  uint32_t events = lines + 2 * gpu_spec_walks(s) + strays_of(s) + misses + slices * 2 +
                    s->core.sms * 5 + GMMU_MAX_APPS + 64 + TLB_FETCHES +
                    outside_count() * OUTSIDE_MESSAGES + paging_events(&s->memory) + MOVE_LINES +
                    peers_news(s->tlb.peer, gpu_spec_tlbs(s, 0) + 1, &s->tlb_level[0]);
  return engine_init(v, events, ev_arrays(v)) < 0 ? component_no_memory(e, "events") : GMMU_OK;
}

static const component_t pool_row = {.name = "requests", .init = pool_init};
static const component_t ev_row = {.name = "time", .init = ev_init};

/* ---- the rows ---- */

static const struct {
  const component_t *row;
  size_t offset;
} blocks[] = {
#define COMPONENT(field, type) {&field##_row, offsetof(gpu_t, field)},
#include "gpu/components.def"
#undef COMPONENT
};
static const component_t *const mechanisms[MECHANISMS + 1] = {
#define MECHANISM(name) &name##_row,
#include "gpu/mechanisms.def"
#undef MECHANISM
    NULL};

uint32_t gpu_rows(void) { return TREE_ROWS + outside_count(); }

const component_t *gpu_row(uint32_t i) {
  if (i >= TREE_ROWS) return outside_row(i - TREE_ROWS);
  return i < COMPONENTS ? blocks[i].row : mechanisms[i - COMPONENTS];
}

void *gpu_block(const gpu_t *g, uint32_t i) {
  return i < COMPONENTS ? (char *)(uintptr_t)g + blocks[i].offset
                        : g->mechanisms.state[i - COMPONENTS];
}

static int allocate_mechanisms(gpu_t *g, err_t *e) {
  for (uint32_t i = 0; COMPONENTS + i < gpu_rows(); i++) {
    const component_t *row = gpu_row(COMPONENTS + i);
    mechanism_t *m = calloc(1, row->bytes);
    if (!m) return component_no_memory(e, row->name);
    *m = (mechanism_t){&g->mechanisms, &g->spec.mechanism[i]};
    g->mechanisms.state[i] = m;
  }
  return GMMU_OK;
}

int gpu_build(gpu_t *g, err_t *e) {
  int rc = allocate_mechanisms(g, e);
  for (uint32_t stage = 0; stage < STAGES; stage++)
    for (uint32_t i = 0; i < gpu_rows() && rc == 0; i++)
      if (gpu_row(i)->stage == stage && gpu_row(i)->init) rc = gpu_row(i)->init(gpu_block(g, i), e);
  for (uint32_t i = 0; i < gpu_rows() && rc == 0; i++)
    if (gpu_row(i)->policies) gpu_row(i)->policies(gpu_block(g, i), &g->mechanisms);
  return rc;
}

void gpu_free(gpu_t *g) {
  if (!g) return;
  for (uint32_t i = gpu_rows(); i-- > 0;)
    if (gpu_row(i)->fini && gpu_block(g, i)) gpu_row(i)->fini(gpu_block(g, i));
  for (uint32_t i = 0; COMPONENTS + i < gpu_rows(); i++) free(g->mechanisms.state[i]);
  arrays_t all = g->loop.arrays; /* the machine itself, too */
  arrays_free(&all);
}

static void add_hooks(gpu_t *g, const hooks_t *h, void *block) {
#define HOOK(name, list, ...)                                                                      \
  if (h->name) WATCH_ADD(g->list, h->name, block);
#include "gpu/hooks.def"
#undef HOOK
}

void gpu_note_hooks(gpu_t *g) {
  g->timeline.changed = false;
#define HOOK(name, list, ...) WATCH_CLEAR(g->list);
#include "gpu/hooks.def"
#undef HOOK
  for (uint32_t i = 0; i < gpu_rows(); i++) {
    const hooks_t *h = gpu_row(i)->hooks ? gpu_row(i)->hooks(gpu_block(g, i)) : NULL;
    if (h) add_hooks(g, h, gpu_block(g, i));
  }
  for (uint32_t i = 0; i < gpu_rows(); i++)
    if (gpu_row(i)->ready) gpu_row(i)->ready(gpu_block(g, i));
}

void gpu_settle(gpu_t *g) {
  if (g->loop.settled) return;
  g->loop.settled = true;
  for (uint32_t stage = 0; stage < STAGES; stage++)
    for (uint32_t i = gpu_rows(); i-- > 0;)
      if (gpu_row(i)->stage == stage && gpu_row(i)->settle) gpu_row(i)->settle(gpu_block(g, i));
  if (g->sampling.windows) sampling_show(g);
}

int gpu_check(const gpu_t *g, err_t *e) {
  int rc = GMMU_OK;
  if (g->sampling.shown) { /* counters are not what they were */
    if (g->sampling.checked.code) *e = g->sampling.checked;
    return g->sampling.checked.code;
  }
  for (uint32_t i = 0; i < gpu_rows() && rc == 0; i++)
    if (gpu_row(i)->check) rc = gpu_row(i)->check(gpu_block(g, i), e);
  return rc;
}

/* ---- statistics ---- */

static void app_json(const gpu_t *g, uint32_t app, json_t *j) {
  json_begin_object(j);
  share_head_json(&g->share, app, j);
  for (uint32_t i = 0; i < gpu_rows(); i++)
    if (gpu_row(i)->app_json) gpu_row(i)->app_json(gpu_block(g, i), app, j);
  json_end_object(j);
}

void gpu_stats_json(const gpu_t *g, json_t *j) {
  json_key(j, "cycles"), json_u64(j, g->ev.now);
  json_key(j, "warp_instructions"), json_u64(j, gpu_instructions(g));
  json_key(j, "memory_requests"), json_u64(j, gpu_requests(g));
  channels_bus_json(&g->dram, j);
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < g->share.apps; a++) app_json(g, a, j);
  json_end_array(j);
  stat_json_begin(j, "evictor_x_victim");
  for (uint32_t i = 0; i < gpu_rows(); i++)
    if (gpu_row(i)->evictions_json) gpu_row(i)->evictions_json(gpu_block(g, i), j);
  json_end_object(j);
  for (uint32_t i = 0; i < gpu_rows(); i++)
    if (gpu_row(i)->json) gpu_row(i)->json(gpu_block(g, i), j);
}

const stat_group_t *gpu_stat_group(uint32_t n) {
  for (uint32_t i = 0; i < gpu_rows(); i++)
    for (const stat_group_t *s = gpu_row(i)->stats; s && s->path; s++)
      if (n-- == 0) return s;
  return NULL;
}
