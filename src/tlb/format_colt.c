/* CoLT (MICRO 2012), its set-associative form: pages of a block whose frames follow each other are
 * one entry.
 *
 * The set is that of the block, so that a block's pages meet in one set. An entry has a run of
 * pages of its block and the frame of the first. Invariant: entries of a block have no page in
 * common. */
#include "tlb/format.h"

const opt_t colt_options[] = {
    {"pages", OPT_U32, offsetof(colt_spec_t, pages), 2, 32, 8, "pages",
     "of a block, a power of two: entries of the page table that a fill looks at (the paper: a "
     "line "
     "of 64 bytes)",
     NULL, NULL},
    {0},
};

typedef struct {
  uint64_t key, ppn;    /* ppn: of the first page */
  uint8_t first, pages; /* pages 0: empty */
  uint8_t order;
} colt_entry_t;

typedef struct {
  format_env_t env;
  colt_entry_t entry[]; /* [set * ways + way] */
} colt_t;

static size_t colt_bytes(const format_env_t *e) {
  return sizeof(colt_t) + (size_t)e->sets * e->ways * sizeof(colt_entry_t);
}
static void colt_init(void *state, const format_env_t *env) { ((colt_t *)state)->env = *env; }

/* An entry of the block with a page of the run; the number of ways: none. */
static uint32_t find(const colt_t *s, const format_page_t *p, format_run_t run) {
  const colt_entry_t *set = &s->entry[(size_t)p->set * s->env.ways];
  uint32_t w = 0;
  while (w < s->env.ways &&
         !(set[w].pages && set[w].key == p->key && set[w].first < run.first + run.pages &&
           run.first < set[w].first + (uint32_t)set[w].pages))
    w++;
  return w;
}

static bool colt_lookup(void *state, const format_page_t *p, ppn_t *ppn, uint32_t *cycles) {
  colt_t *s = state;
  uint32_t w = find(s, p, (format_run_t){p->sub, 1});
  *cycles = 0;
  if (w == s->env.ways) return false;
  const colt_entry_t *e = &s->entry[(size_t)p->set * s->env.ways + w];
  s->env.repl->hit(s->env.repl_state, p->set, w);
  ppn->v = e->ppn + ((uint64_t)(p->sub - e->first) << e->order);
  return true;
}

static format_run_t colt_holds(const void *state, const format_page_t *p) {
  const colt_t *s = state;
  uint32_t w = find(s, p, (format_run_t){p->sub, 1});
  if (w == s->env.ways) return (format_run_t){p->sub, 0};
  const colt_entry_t *e = &s->entry[(size_t)p->set * s->env.ways + w];
  return (format_run_t){e->first, e->pages};
}

/* A way for the run: that of a shorter one, which it has in it, else an empty one, or a victim's.
 */
static uint32_t way_for(colt_t *s, const format_page_t *p, format_run_t run,
                        format_victims_t *out) {
  colt_entry_t *set = &s->entry[(size_t)p->set * s->env.ways];
  uint32_t best = s->env.ways;
  for (uint32_t w; (w = find(s, p, run)) < s->env.ways; best = w) set[w].pages = 0;
  if (best < s->env.ways) {
    s->env.repl->hit(s->env.repl_state, p->set, best);
    return best;
  }
  for (best = 0; best < s->env.ways && set[best].pages;) best++;
  if (best < s->env.ways) {
    s->env.repl->fill(s->env.repl_state, p->set, best, 0);
    format_came(&s->env, p->set, best, p->key);
  } else {
    best = s->env.repl->victim(s->env.repl_state, p->set, 0);
    format_came(&s->env, p->set, best, p->key);
    format_left(&s->env, set[best].key, out);
  }
  return best;
}

static void colt_fill(void *state, const format_page_t *p, ppn_t ppn, format_run_t run,
                      format_victims_t *out) {
  colt_t *s = state;
  tlb_array_stats_t *st = &s->env.stats[p->key >> 56];
  uint32_t w = way_for(s, p, run, out);
  s->entry[(size_t)p->set * s->env.ways + w] =
      (colt_entry_t){.key = p->key,
                     .ppn = ppn.v - ((uint64_t)(p->sub - run.first) << p->order),
                     .first = (uint8_t)run.first,
                     .pages = (uint8_t)run.pages,
                     .order = (uint8_t)p->order};
  st->runs += run.pages > 1;
  st->run_pages += run.pages;
}

static uint32_t colt_drop(void *state, format_gone_fn gone, const void *ctx) {
  colt_t *s = state;
  uint32_t n = 0;
  for (size_t i = 0; i < (size_t)s->env.sets * s->env.ways; i++) {
    colt_entry_t *e = &s->entry[i];
    uint64_t mask = ((1ull << e->pages) - 1) << e->first;
    if (!e->pages || !(gone(ctx, e->key) & mask)) continue;
    e->pages = 0;
    n++;
  }
  return n;
}

static bool colt_check(const void *state, uint32_t (*set)(const void *ctx, uint64_t key),
                       const void *ctx) {
  const colt_t *s = state;
  for (uint32_t at = 0; at < s->env.sets; at++)
    for (uint32_t w = 0; w < s->env.ways; w++) {
      const colt_entry_t *e = &s->entry[(size_t)at * s->env.ways + w];
      if (!e->pages) continue;
      format_page_t p = {.key = e->key, .set = at};
      if (e->first + (uint32_t)e->pages > s->env.reach || set(ctx, e->key) != at) return false;
      for (uint32_t sub = e->first; sub < e->first + (uint32_t)e->pages; sub++)
        if (find(s, &p, (format_run_t){sub, 1}) != w) return false; /* in this entry alone */
    }
  return true;
}

const tlb_format_t format_colt = {
    .name = "colt",
    .help = "pages whose frames follow each other are one entry, in all levels of one page (CoLT)",
    .all_levels = true,
    .runs = true,
    .fewest_pages = 2,
    .state_bytes = colt_bytes,
    .init = colt_init,
    .lookup = colt_lookup,
    .fill = colt_fill,
    .holds = colt_holds,
    .drop = colt_drop,
    .check = colt_check,
};
