/* The rows of demand paging, the link, moves and mapped memory. */
#include "link/link.h"
#include "paging/mapped.h"
#include "paging/moves.h"
#include "paging/paging.h"
#include <string.h>

/* ---- demand paging ---- */

static void page_used(void *block, asid_t asid, vpn_t vpn) {
  regions_use(&((paging_t *)block)->regions, asid, vpn);
}
/* A page that is written to has to be written back when it is evicted. */
static void page_looked_up(void *block, uint32_t sm, const group_t *gr) {
  paging_t *p = block;
  uint8_t kind = paging_pool(p)->at[gr->lines.head].kind;
  (void)sm;
  if (kind == REQ_STORE || kind == REQ_ATOMIC)
    regions_put(&p->regions, PAGES_DIRTY, gr->asid, gr->vpn, 1, true);
}
static const hooks_t *paging_hooks(const void *block) {
  static const hooks_t evicts = {.used = page_used, .looked_up = page_looked_up};
  static const hooks_t uvm = {.looked_up = page_looked_up}; /* its order is that of arrival */
  const paging_t *p = block;
  if (!p->evicts) return NULL;
  return p->uvm.on ? &uvm : &evicts;
}

/* Do pages come, or move? */
static bool pages_move(const gpu_spec_t *s) {
  return paging_wanted(&s->memory) || strcmp(s->memory.manager, "mosaic") == 0;
}

#define X(n, u, h) STAT_DESC(uvm_stats_t, n, u, h),
static const stat_desc_t uvm_list[] = {UVM_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(paging_stats_t, n, u, h),
static const stat_desc_t paging_list[] = {PAGING_STATS(X){0}};
#undef X
static const stat_group_t paging_stats[] = {
    {"apps[].paging",
     "pages that come, go and move; with mem.paging=demand, mem.paging=uvm or mem.manager=mosaic",
     paging_list},
    {"apps[].uvm", "the driver of unified memory; with mem.paging=uvm", uvm_list},
    {0},
};

static void paging_app_json(const void *block, uint32_t app, json_t *j) {
  const paging_t *p = block;
  if (!pages_move(paging_spec(p))) return;
  stat_json_begin(j, "paging");
  stat_json(j, &p->stats[app], paging_list);
  if (p->on) stat_json_hist(j, "latency_cycles", &p->stats[app].latency);
  json_end_object(j);
  if (p->uvm.on) stat_json_object(j, "uvm", &p->uvm.stats[app], uvm_list);
}

static void paging_counters(void *block, counters_t *c) {
  paging_t *p = block;
  uint32_t apps = p->stats ? paging_share(p)->apps : 0;
  counters_add(c, p->stats, apps * sizeof *p->stats);
  for (uint32_t a = 0; a < apps; a++) {
    counters_top(c, &p->stats[a].max_registers);
    counters_top(c, &p->stats[a].latency.max);
  }
  counters_add(c, p->uvm.stats, sizeof p->uvm.stats);
  for (uint32_t a = 0; a < apps; a++) counters_top(c, &p->uvm.stats[a].max_batch);
}

static const option_group_t paging_groups[] = {
    {"uvm", "the driver of unified memory (mem.paging=uvm)", uvm_options,
     offsetof(gpu_spec_t, uvm)},
    {0},
};

static const component_t paging_row = {.name = "demand paging",
                                       .stage = STAGE_BLOCKS,
                                       .options = paging_groups,
                                       .init = paging_init,
                                       .fini = paging_fini,
                                       .hooks = paging_hooks,
                                       .check = paging_check,
                                       .stats = paging_stats,
                                       .counters = paging_counters,
                                       .app_json = paging_app_json};

/* ---- the link ---- */

static const option_group_t link_groups[] = {
    {"link", "the way to the host (PCIe)", link_options, offsetof(gpu_spec_t, link)},
    {0},
};

static int links_init(void *block, err_t *e) {
  link_t *l = block;
  (void)e;
  link_init(l, &link_spec(l)->link, link_spec(l)->core.clock_mhz);
  return GMMU_OK;
}

static const stat_group_t link_stats[] = {
    {"apps[].link", "the way to the host; with mem.paging=demand", link_stats_list},
    {0},
};

static void link_app_json(const void *block, uint32_t app, json_t *j) {
  const link_t *l = block;
  if (paging_wanted(&link_spec(l)->memory))
    stat_json_object(j, "link", &l->stats[app], link_stats_list);
}

static void link_counters(void *block, counters_t *c) {
  link_t *l = block;
  counters_add(c, l->stats, sizeof l->stats);
}

static const component_t link_row = {.name = "link",
                                     .stage = STAGE_BLOCKS,
                                     .options = link_groups,
                                     .init = links_init,
                                     .stats = link_stats,
                                     .counters = link_counters,
                                     .app_json = link_app_json};

/* ---- pages that move ---- */

static int moves_init(void *block, err_t *e) {
  moves_t *m = block;
  (void)e;
  m->free = strcmp(moves_spec(m)->memory.cac, "ideal") == 0;
  return GMMU_OK;
}

#define X(n, u, h) STAT_DESC(mm_counts_t, n, u, h),
static const stat_desc_t memory_list[] = {MM_COUNTS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(moves_t, n, u, h),
static const stat_desc_t moves_list[] = {MOVES_STATS(X){0}};
#undef X
static const stat_group_t moves_stats[] = {
    {"memory", "what the memory manager did; with mem.paging=demand or mem.manager=mosaic",
     memory_list},
    {"memory", "what compaction did to the SMs", moves_list},
    {0},
};

static void moves_json(const void *block, json_t *j) {
  const moves_t *m = block;
  if (!pages_move(moves_spec(m))) return;
  mm_counts_t c = mm_counts(moves_memory(m)->mm);
  stat_json_begin(j, "memory");
  stat_json(j, &c, memory_list);
  stat_json(j, m, moves_list);
  json_end_object(j);
}

static const component_t moves_row = {.name = "moves",
                                      .stage = STAGE_BLOCKS,
                                      .init = moves_init,
                                      .fini = moves_fini,
                                      .settle = moves_settle,
                                      .stats = moves_stats,
                                      .json = moves_json};

/* ---- mapped host memory ---- */

static const component_t mapped_row = {.name = "mapped host memory",
                                       .stage = STAGE_BLOCKS,
                                       .fini = mapped_fini,
                                       .check = mapped_check};
