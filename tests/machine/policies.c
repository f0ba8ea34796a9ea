#include "policies.h"

static void *new_state(void **place, size_t bytes) {
  free(*place);
  *place = calloc(1, bytes);
  assert_non_null(*place);
  return *place;
}

/* ---- TLB fill ---- */

static bool only_first_level(void *state, const fill_ctx_t *c) {
  side_t *s = state;
  s->allowed++;
  return c->level == 0;
}
static void keep_beside(void *state, const fill_ctx_t *c, ppn_t ppn, bool large) {
  side_t *s = state;
  uint32_t i = s->next++ % SIDE;
  s->entry[i].used = true, s->entry[i].large = large;
  s->entry[i].asid = c->asid, s->entry[i].vpn = c->vpn.v, s->entry[i].ppn = ppn.v;
}
static bool find_beside(void *state, const fill_ctx_t *c, ppn_t *ppn, bool *large) {
  side_t *s = state;
  for (uint32_t i = 0; i < SIDE; i++)
    if (s->entry[i].used && s->entry[i].asid == c->asid && s->entry[i].vpn == c->vpn.v) {
      ppn->v = s->entry[i].ppn;
      *large = s->entry[i].large;
      return true;
    }
  return false;
}
static void count_lookup(void *state, const fill_ctx_t *c, bool hit) {
  side_t *s = state;
  assert_true(c->level > 0);
  s->lookups++;
  s->hits += hit;
}
static void count_epoch(void *state, uint64_t now) {
  (void)now;
  ((side_t *)state)->epochs++;
}
static void drop_beside(void *state, asid_t asid, vpn_t vpn, uint64_t pages) {
  side_t *s = state;
  for (uint32_t i = 0; i < SIDE; i++)
    if (s->entry[i].used && s->entry[i].asid == asid && s->entry[i].vpn - vpn.v < pages) {
      s->entry[i].used = false;
      s->invalidated++;
    }
}

static const fill_ops_t deny_shared = {.name = "deny", .help = "", .allow = only_first_level};
static const fill_ops_t deny_with_buffer = {.name = "side",
                                            .help = "",
                                            .allow = only_first_level,
                                            .denied = keep_beside,
                                            .probe = find_beside,
                                            .looked_up = count_lookup,
                                            .epoch = count_epoch,
                                            .invalidate = drop_beside};

/* Somebody has something to say about fills: as tlbs_ready() has it for the product's policies. */
static void end_short_fills(gpu_t *g) {
  for (uint32_t l = 0; l < g->tlb.levels; l++) {
    tlb_level_t *level = &g->tlb.level[l];
    level->short_fill = false;
    for (uint32_t i = 0; i < level->instances; i++)
      if (level->at[i].array.sizes) tlb_use_keys(&level->at[i].array);
  }
}

side_t *use_side(gpu_t *g, bool buffer) {
  g->tlb.fill = buffer ? &deny_with_buffer : &deny_shared;
  g->tlb.fill_hooks = true;
  end_short_fills(g);
  return new_state(&g->tlb.fill_state, sizeof(side_t));
}

/* ---- peers ---- */

static peer_way_t left_next(void *state, const peer_query_t *q) {
  const left_t *l = state;
  if (q->attempt || l->tlbs < 2) return (peer_way_t){.tlb = PEER_NONE};
  return (peer_way_t){
      .tlb = peer_left(q->tlb, l->tlbs), .port = PEER_FROM_RIGHT, .there = PEER_CYCLES};
}
static bool left_keep(void *state, uint32_t tlb, bool asked) {
  (void)tlb, (void)asked;
  return ((left_t *)state)->keep;
}
static void left_filled(void *state, uint32_t tlb, const peer_page_t *p) {
  (void)tlb, (void)p;
  ((left_t *)state)->filled++;
}
static void left_evicted(void *state, uint32_t tlb, const peer_page_t *p) {
  (void)tlb, (void)p;
  ((left_t *)state)->evicted++;
}
static const peer_ops_t left_neighbour = {.name = "left",
                                          .help = "",
                                          .next = left_next,
                                          .keep = left_keep,
                                          .filled = left_filled,
                                          .evicted = left_evicted};

left_t *use_left(gpu_t *g, bool keep) {
  g->peers.ops = &left_neighbour;
  g->peers.hooks = true;
  g->tlb.short_looks = false;
  end_short_fills(g);
  left_t *l = new_state(&g->peers.state, sizeof(left_t));
  l->tlbs = g->tlb.level[0].instances;
  l->keep = keep;
  return l;
}

/* ---- L2 ---- */

static l2_decision_t watch_decide(void *state, const l2_view_t *v) {
  watch_t *w = state;
  w->decided[v->level]++;
  w->writes += v->write;
  return v->level ? w->walks : w->data;
}
static void watch_outcome(void *state, const l2_view_t *v, l2_outcome_t o) {
  watch_t *w = state;
  w->told[v->level]++;
  w->joined[v->level] += o == L2_JOINED;
}
static const l2_policy_t watch_policy = {
    .name = "watch", .help = "", .decide = watch_decide, .outcome = watch_outcome};

watch_t *use_watch(gpu_t *g, l2_decision_t data, l2_decision_t walks) {
  g->l2.policy = &watch_policy;
  watch_t *w = new_state(&g->l2.policy_state, sizeof(watch_t));
  gpu_note_hooks(g);
  w->data = data, w->walks = walks;
  return w;
}
