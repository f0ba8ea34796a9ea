/* Pages of several sizes, as drivers of GPUs choose them: wherever an allocation covers a huge, a
 * large or a medium page at its boundary, and memory has such a frame, it gets one, else base
 * pages; so one large region may hold several sizes. Where a smaller alignment is asked for, no
 * page is larger. A page of which a part is given back is split into the largest pages that are
 * left.
 *
 * A large page takes the lowest free large frame. Smaller pages lie in large frames that are open
 * for those of their space: the lowest with room, then a free one, and if there is none, base pages
 * take any free frame. A space with a zone finds all of these in there, so that nothing another
 * space does changes which frames it gets. */
#include "mm/manager.h"
#include <assert.h>

typedef struct {
  uint32_t first, end; /* large frames; end 0: all */
} zone_t;

typedef struct {
  mm_t *m;
  zone_t zone[GMMU_MAX_APPS];
  uint8_t *open; /* [large frame]: 1 + the space whose small pages it is for */
  uint32_t first[GMMU_MAX_APPS]
                [2];           /* below it no open frame has room: for base, for medium pages */
  uint32_t end[GMMU_MAX_APPS]; /* from it on no frame is open for the space */
  uint32_t most_order;         /* of a page: the alignment that is asked for */
} mixed_t;

/* ---- zones ---- */

/* The lowest and the highest free index of from .. end - 1. */
static uint32_t lowest_in(const stripes_t *s, uint32_t from, uint32_t end) {
  for (uint32_t w = from / 64; w < (end + 63) / 64; w++) {
    uint64_t free = ~s->taken[w];
    if (w == from / 64) free &= ~UINT64_C(0) << from % 64;
    if (!free) continue;
    uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(free);
    return i < end ? i : STRIPES_NONE;
  }
  return STRIPES_NONE;
}

static uint32_t highest_in(const stripes_t *s, uint32_t from, uint32_t end) {
  for (uint32_t w = (end + 63) / 64; w-- > from / 64;) {
    uint64_t free = ~s->taken[w];
    if (end - w * 64 < 64) free &= (UINT64_C(1) << end % 64) - 1;
    if (!free) continue;
    uint32_t i = w * 64 + 63 - (uint32_t)__builtin_clzll(free);
    return i >= from ? i : STRIPES_NONE;
  }
  return STRIPES_NONE;
}

static uint32_t lowest_large(mixed_t *x, asid_t asid) {
  const zone_t *z = &x->zone[asid];
  return z->end ? lowest_in(&x->m->pool.larges, z->first, z->end)
                : stripes_lowest(&x->m->pool.larges, 0);
}

static uint32_t lowest_frame(mixed_t *x, asid_t asid) {
  const zone_t *z = &x->zone[asid];
  uint32_t shift = x->m->geo.large_order;
  return z->end ? lowest_in(&x->m->pool.frames, z->first << shift, z->end << shift)
                : stripes_lowest(&x->m->pool.frames, asid);
}

static uint32_t table_frame(void *ctx, asid_t asid) {
  mixed_t *x = ctx;
  const zone_t *z = &x->zone[asid];
  uint32_t shift = x->m->geo.large_order;
  return z->end ? highest_in(&x->m->pool.frames, z->first << shift, z->end << shift)
                : stripes_highest(&x->m->pool.frames, asid);
}

/* Free frames for data of the space. */
static uint32_t mixed_open_frames(const mm_t *m, asid_t asid) {
  const mixed_t *x = m->state;
  const zone_t *z = &x->zone[asid];
  uint32_t used = 0;
  if (!z->end) return m->pool.frames.free_total;
  for (uint32_t l = z->first; l < z->end; l++) used += m->pool.large[l].used;
  return ((z->end - z->first) << m->geo.large_order) - used;
}

/* Whose zones are apart from all others' have their frames to themselves. */
static int mixed_check(const mm_t *m, err_t *e) {
  const mixed_t *x = m->state;
  for (uint32_t f = 0; f < m->pool.frames.count; f++) {
    uint8_t owner = pool_owner(&m->pool, f);
    uint32_t asid = owner >= MM_OWNER_TABLE ? owner - MM_OWNER_TABLE : owner;
    uint32_t large = f >> m->geo.large_order;
    if (!m->pool.large[large].used) f |= (1u << m->geo.large_order) - 1; /* none of them is */
    if (asid >= m->spaces || !x->zone[asid].end) continue;
    if (large < x->zone[asid].first || large >= x->zone[asid].end)
      return err_set(e, GMMU_ECHECK, "frame %u of space %u is outside its zone", f, asid);
  }
  return GMMU_OK;
}

static void changed(void *ctx, uint32_t large, uint8_t owner, bool taken) {
  mixed_t *x = ctx;
  (void)owner;
  if (taken || !x->open[large]) return;
  uint32_t *first = x->first[x->open[large] - 1];
  for (uint32_t k = 0; k < 2; k++)
    if (large < first[k]) first[k] = large;
  if (!x->m->pool.large[large].used) x->open[large] = 0;
}

static const pool_hooks_t mixed_hooks = {.changed = changed, .table_frame = table_frame};

static int mixed_init(mm_t *m, const mm_spec_t *spec) {
  mixed_t *x = host_alloc(&m->host, sizeof *x);
  if (!x) return GMMU_ENOMEM;
  m->state = x, x->m = m;
  x->most_order = UINT32_MAX;
  if (spec->align_bytes)
    x->most_order = (uint32_t)__builtin_ctzll(spec->align_bytes) - m->geo.base_shift;
  for (uint32_t a = 0; a < spec->spaces; a++)
    x->zone[a] =
        (zone_t){(uint32_t)(spec->zone[a].first / spec->large_bytes),
                 (uint32_t)((spec->zone[a].first + spec->zone[a].bytes) / spec->large_bytes) *
                     (spec->zone[a].bytes > 0)};
  x->open = host_alloc(&m->host, m->pool.larges.count);
  if (!x->open) return GMMU_ENOMEM;
  m->pool.hooks = &mixed_hooks, m->pool.hooks_ctx = x;
  return GMMU_OK;
}

static void mixed_fini(mm_t *m) {
  mixed_t *x = m->state;
  if (!x) return;
  host_free(&m->host, x->open, m->pool.larges.count);
  host_free(&m->host, x, sizeof *x);
}

/* ---- frames ---- */

/* `count` free indices from a multiple of it on, at or behind `from` and before `end`; count is at
 * most 64, or a multiple of it. */
static uint32_t free_run(const stripes_t *s, uint32_t from, uint32_t end, uint32_t count) {
  for (uint32_t i = from; i + count <= end && i + count <= s->count; i += count) {
    uint64_t taken = 0;
    for (uint32_t w = i / 64; w <= (i + count - 1) / 64; w++) taken |= s->taken[w];
    if (count < 64) taken = taken >> i % 64 & ((UINT64_C(1) << count) - 1);
    if (!taken) return i;
  }
  return STRIPES_NONE;
}

/* A run of 1 << order frames in a large frame that is, or becomes, open for the space. */
static uint32_t small_frames(mixed_t *x, asid_t asid, uint32_t order) {
  mm_t *m = x->m;
  uint32_t *first = &x->first[asid][order > 0], shift = m->geo.large_order;
  for (uint32_t l = *first; l < x->end[asid]; l++) {
    uint32_t at = STRIPES_NONE;
    if (x->open[l] == asid + 1)
      at = free_run(&m->pool.frames, l << shift, (l + 1) << shift, 1u << order);
    if (at == STRIPES_NONE) continue;
    *first = l;
    return at;
  }
  *first = x->end[asid];
  uint32_t l = lowest_large(x, asid);
  if (l == STRIPES_NONE) return order ? STRIPES_NONE : lowest_frame(x, asid);
  x->open[l] = (uint8_t)(asid + 1);
  if (l >= x->end[asid]) x->end[asid] = l + 1;
  for (uint32_t k = 0; k < 2; k++)
    if (l < x->first[asid][k]) x->first[asid][k] = l;
  return l << shift;
}

/* ---- mapping ---- */

static void give_frames(mm_t *m, uint32_t frame, uint32_t order) {
  for (uint32_t i = 0; i < 1u << order; i++) pool_give(&m->pool, frame + i);
}

static int map_small(mm_t *m, asid_t asid, uint64_t vpn, uint32_t order) {
  uint32_t frame = small_frames(m->state, asid, order);
  if (frame == STRIPES_NONE) return GMMU_ENOSPACE;
  if (!order) return map_page(m, asid, vpn, frame);
  for (uint32_t i = 0; i < 1u << order; i++) {
    if (!pool_claim(&m->pool, frame + i, asid, vpn + i)) continue;
    while (i-- > 0) pool_give(&m->pool, frame + i);
    return GMMU_ENOMEM;
  }
  int rc = pt_map_medium(&m->space[asid].table, vpn, frame);
  if (rc) give_frames(m, frame, order);
  return rc;
}

static int map_one_large(mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t large = lowest_large(m->state, asid);
  return large == STRIPES_NONE ? GMMU_ENOSPACE : map_large(m, asid, vpn, large);
}

static int map_huge(mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t larges = 1u << (m->geo.huge_order - m->geo.large_order);
  const zone_t *z = &((mixed_t *)m->state)->zone[asid];
  uint32_t first = free_run(&m->pool.larges, (z->first + larges - 1) / larges * larges,
                            z->end ? z->end : m->pool.larges.count, larges);
  if (first == STRIPES_NONE) return GMMU_ENOSPACE;
  for (uint32_t i = 0; i < larges; i++) {
    int rc = map_large(m, asid, vpn + ((uint64_t)i << m->geo.large_order), first + i);
    if (!rc) continue;
    while (i-- > 0) unmap_large(m, asid, vpn + ((uint64_t)i << m->geo.large_order));
    return rc;
  }
  pt_set_huge(&m->space[asid].table, vpn, true);
  return GMMU_OK;
}

static int map_order(mm_t *m, asid_t asid, uint64_t vpn, uint32_t order) {
  const geo_t *g = &m->geo;
  if (g->huge_order && order == g->huge_order) return map_huge(m, asid, vpn);
  return g->large_order && order == g->large_order ? map_one_large(m, asid, vpn)
                                                   : map_small(m, asid, vpn, order);
}

/* The size below `order`. */
static uint32_t next_order(const geo_t *g, uint32_t order) {
  if (order > g->large_order) return g->large_order;
  return order > g->medium_order ? g->medium_order : 0;
}

/* Is a page of the order at vpn aligned, and part of vpn .. end - 1? */
static bool fits(uint64_t vpn, uint64_t end, uint32_t order) {
  uint64_t pages = UINT64_C(1) << order;
  return !(vpn & (pages - 1)) && end - vpn >= pages;
}

/* The largest page that fits at vpn and can be had; its order in *order. */
static int map_largest(mm_t *m, asid_t asid, uint64_t vpn, uint64_t end, uint32_t *order) {
  const geo_t *g = &m->geo;
  const mixed_t *x = m->state;
  uint32_t o = g->huge_order ? g->huge_order : g->large_order;
  for (;; o = next_order(g, o)) {
    if (o > x->most_order || !fits(vpn, end, o)) continue;
    int rc = map_order(m, asid, vpn, o);
    if (rc == GMMU_ENOSPACE && o) continue;
    *order = o;
    return rc;
  }
}

static void unmap_whole(mm_t *m, asid_t asid, uint64_t vpn, uint32_t order) {
  if (!order)
    unmap_page(m, asid, vpn);
  else if (order == m->geo.large_order)
    unmap_large(m, asid, vpn);
  else
    give_frames(m, pt_unmap_medium(&m->space[asid].table, vpn), order);
}

/* ---- splitting ---- */

/* The page at vpn of which only [first, end) goes. A huge one is large pages from now on. */
typedef struct {
  uint64_t vpn;
  uint32_t order;
} page_t;

static page_t page_at(const mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t order = pt_order(&m->space[asid].table, vpn);
  return (page_t){vpn >> order << order, order};
}

static bool inside(page_t p, span_t s) {
  return p.vpn >= s.first && p.vpn + (UINT64_C(1) << p.order) <= s.first + s.count;
}

static void map_again(mm_t *m, asid_t asid, uint64_t vpn, uint32_t frame, uint32_t order) {
  pt_t *t = &m->space[asid].table;
  if (order && pt_map_medium(t, vpn, frame) == GMMU_OK) return;
  for (uint32_t i = 0; i < 1u << order; i++) {
    int rc = pt_map(t, vpn + i, frame + i);
    assert(!rc); /* what was freed has room for the table, and the host's memory is in stock */
    (void)rc;
  }
}

/* Base pages first: at least one frame was freed, and if there are any, their table needs it. */
static void split(mm_t *m, asid_t asid, page_t p, span_t gone) {
  const geo_t *g = &m->geo;
  pt_t *t = &m->space[asid].table;
  bool large = p.order == g->large_order;
  uint32_t step = large ? g->medium_order : 0;
  uint32_t frame = large ? pt_unmap_large(t, p.vpn) : pt_unmap_medium(t, p.vpn);
  uint64_t end = p.vpn + (UINT64_C(1) << p.order), gone_end = gone.first + gone.count;
  for (uint64_t v = p.vpn; v < end; v++)
    if (v >= gone.first && v < gone_end) pool_give(&m->pool, frame + (uint32_t)(v - p.vpn));
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint64_t run = p.vpn; run < end; run += UINT64_C(1) << step) {
      uint64_t run_end = run + (UINT64_C(1) << step);
      bool kept = run >= gone_end || run_end <= gone.first;
      if (kept && pass == (step > 0))
        map_again(m, asid, run, frame + (uint32_t)(run - p.vpn), step);
      for (uint64_t v = run; !kept && !pass && v < run_end; v++)
        if (v < gone.first || v >= gone_end)
          map_again(m, asid, v, frame + (uint32_t)(v - p.vpn), 0);
    }
}

/* ---- the calls ---- */

static uint64_t unmap_span(mm_t *m, asid_t asid, span_t s, mm_actions_t *out) {
  uint64_t n = 0, end = s.first + s.count;
  for (uint64_t v = s.first; (v = next_mapped(m, asid, v, end)) < end; n++) {
    page_t p = page_at(m, asid, v);
    if (p.order > m->geo.large_order) {
      pt_set_huge(&m->space[asid].table, p.vpn, false);
      if (!inside(p, s))
        actions_push_range(out, MM_SHOOTDOWN, asid, (span_t){p.vpn, UINT64_C(1) << p.order});
      p = page_at(m, asid, v);
    }
    if (inside(p, s)) {
      unmap_whole(m, asid, p.vpn, p.order);
    } else {
      split(m, asid, p, s);
      actions_push_range(out, MM_SHOOTDOWN, asid, (span_t){p.vpn, UINT64_C(1) << p.order});
    }
    v = p.vpn + (UINT64_C(1) << p.order);
  }
  return n;
}

static int mixed_alloc(mm_t *m, const back_t *b, mm_actions_t *out) {
  uint64_t end = b->pages.first + b->pages.count;
  if (b->pages.count > mixed_open_frames(m, b->asid)) return GMMU_ENOSPACE;
  int rc = actions_reserve(m, out, ACTIONS_PER_MAP);
  uint32_t order = 0;
  for (uint64_t v = b->pages.first; !rc && v < end; v += UINT64_C(1) << order) {
    rc = map_largest(m, b->asid, v, end, &order);
    if (rc) unmap_span(m, b->asid, (span_t){b->pages.first, v - b->pages.first}, NULL);
  }
  if (!rc) actions_push_map(m, out, b);
  return rc;
}

/* Pages of which only a part goes, at the ends of the span. */
static uint32_t cut_pages(const mm_t *m, asid_t asid, span_t s) {
  uint64_t last = s.first + s.count - 1;
  uint32_t n = !inside(page_at(m, asid, s.first), s);
  page_t p = page_at(m, asid, last);
  return n + (!inside(p, s) && p.vpn > s.first);
}

static int mixed_free(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out) {
  uint64_t cuts = 0, stock[STOCK_KINDS] = {0};
  for (size_t i = 0; i < n; i++) cuts += cut_pages(m, asid, pages[i]);
  stock[STOCK_LEAF] = cuts, stock[STOCK_MEDIUM] = m->geo.dual ? cuts : 0;
  stock[STOCK_NODE] = cuts * m->geo.levels;
  stock[STOCK_SLAB] = stock[STOCK_OWNERS] = cuts * (m->geo.levels + 2);
  int rc = actions_reserve(m, out, n * ACTIONS_PER_UNMAP + 2 * cuts);
  if (!rc) rc = stock_fill(&m->pool.stock, stock);
  for (size_t i = 0; !rc && i < n; i++)
    if (unmap_span(m, asid, pages[i], out)) actions_push_unmap(out, asid, pages[i]);
  stock_empty(&m->pool.stock);
  return rc;
}

static void mixed_large(const mm_t *m, uint32_t large, mm_large_t *out) {
  uint32_t frame = large << m->geo.large_order;
  uint8_t owner = pool_owner(&m->pool, frame);
  if (owner >= GMMU_MAX_APPS) return;
  page_t p = page_at(m, owner, pool_vpn(&m->pool, frame));
  if (p.order >= m->geo.large_order) out->owner = owner, out->coalesced = true;
}

const mm_manager_ops_t mm_mixed = {
    .name = "mixed",
    .help = "the largest pages that an allocation covers, of all sizes of the format",
    .mixed = true,
    .alloc = mixed_alloc,
    .free = mixed_free,
    .init = mixed_init,
    .fini = mixed_fini,
    .large = mixed_large,
    .check = mixed_check,
    .open_frames = mixed_open_frames,
};
