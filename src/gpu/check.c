/* gpu_check: every invariant of every block, and that what was counted adds up. */
#include "gpu/machine.h"

static int bad(err_t *e, const char *what, uint32_t index) {
  return err_set(e, GMMU_ECHECK, "%s %u: an invariant does not hold", what, index);
}

static int check_blocks(const gpu_t *g, err_t *e) {
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    if (!sm_check(&g->sm[i])) return bad(e, "SM", i);
    if (!cache_check(&g->l1[i].array)) return bad(e, "L1 cache", i);
  }
  for (uint32_t i = 0; i < g->slices; i++)
    if (!cache_check(&g->slice[i].array)) return bad(e, "L2 slice", i);
  for (uint32_t l = 0; l < g->levels; l++)
    for (uint32_t i = 0; i < g->level[l].instances; i++)
      if (!tlb_check(&g->level[l].at[i].array)) return bad(e, "TLB", i);
  if (g->peer_hooks && g->peer->check && !g->peer->check(g->peer_state))
    return bad(e, "peers' directory", 0);
  for (uint32_t i = 0; i < g->channels; i++) {
    int rc = dram_check(g->channel[i].dram, e);
    if (rc < 0) return rc;
  }
  int rc = turns_check(g, e);
  if (rc == 0) rc = colours_check(g, e);
  if (rc == 0) rc = paging_check(g, e);
  if (rc == 0) rc = mapped_check(g, e);
  return rc < 0 ? rc : mm_check(g->mm, e);
}

/* Conservation: what came in went out by one door or another. */
static int check_app(const gpu_t *g, uint32_t a, err_t *e) {
  const sm_stats_t *s = &g->sm_stats[a];
  uint64_t sum = s->warp_instructions;
  for (uint32_t i = 0; i < STALLS; i++) sum += s->stall[i];
#define SAME(x, y)                                                                                 \
  if ((x) != (y))                                                                                  \
  return err_set(e, GMMU_ECHECK, "application %u: %s is %llu, %s is %llu", a, #x,                  \
                 (unsigned long long)(x), #y, (unsigned long long)(y))
  if (g->settled) SAME(sum, s->slot_cycles);
  for (uint32_t l = 0; l < g->levels; l++) {
    const tlb_stats_t *t = &g->level[l].stats[a];
    SAME(t->hits + t->misses, t->lookups);
    if (t->side_hits > t->hits) return bad(e, "hits beside the TLB of application", a);
    if (l == 0) SAME(t->primary_misses + t->merged_misses, t->misses);
  }
  const peer_stats_t *p = &g->peer_stats[a];
  const tlb_stats_t *first = &g->level[0].stats[a];
  if (first->remote_hits > first->primary_misses || p->remote_lookups > first->misses ||
      p->probes < first->remote_hits || p->asked > first->primary_misses)
    return bad(e, "peers' answers of application", a);
  const cache_stats_t *c = &g->l1_stats[a];
  SAME(c->hits + c->misses, c->accesses);
  for (uint32_t k = 0; k < CLASSES; k++) {
    c = &g->l2_stats[a * CLASSES + k];
    SAME(c->hits + c->misses, c->accesses);
  }
  const walk_stats_t *w = &g->walker.stats[a];
  if (w->pwc_hits + w->l2_hits + w->dram_reads > w->reads)
    return bad(e, "walk reads of application", a);
#undef SAME
  return GMMU_OK;
}

int gpu_check(const gpu_t *g, err_t *e) {
  int rc = check_blocks(g, e);
  for (uint32_t a = 0; a < g->apps && rc == 0; a++) rc = check_app(g, a, e);
  return rc;
}
