/* The memory manager's core: geometry, the allocations of each space, and the calls of mm.h.
 *
 * Invariant: a space's allocations are sorted and disjoint, and a page (a large page, for managers
 * that know no others) is backed only while an allocation touches it: from the beginning, or from
 * the first touch if the allocation is lazy. Since they are sorted, only the two neighbours of an
 * allocation can share a page with it; that replaces a reference count per page. Every call first
 * gathers what can fail, then changes things. */
#include "mm/format.h"
#include "mm/hashed.h"
#include "mm/manager.h"
#include <inttypes.h>

/* ---- creation ---- */

static bool is_pow2(uint64_t x) { return x && !(x & (x - 1)); }
static uint32_t log2u(uint64_t x) { return 63 - (uint32_t)__builtin_clzll(x); }

static int bad_spec(err_t *e, const char *key, uint64_t value, const char *allowed) {
  int rc = err_set(e, GMMU_ERANGE, "%" PRIu64 " is not allowed: %s", value, allowed);
  err_for_key(e, key);
  return rc;
}

static int check_sizes(const mm_spec_t *s, err_t *e) {
  if (!is_pow2(s->base_bytes) || s->base_bytes < 4096 || s->base_bytes > 2u << 20)
    return bad_spec(e, "base_bytes", s->base_bytes, "a power of two from 4 KB to 2 MB");
  if (!is_pow2(s->large_bytes) || s->large_bytes < s->base_bytes || s->large_bytes > 1u << 30)
    return bad_spec(e, "large_bytes", s->large_bytes, "a power of two from the base page to 1 GB");
  if (!s->memory_bytes || s->memory_bytes % s->large_bytes ||
      s->memory_bytes / s->base_bytes > POOL_MAX_FRAMES)
    return bad_spec(e, "memory_bytes", s->memory_bytes,
                    "a multiple of the large page, at most 2^28 base pages");
  if (!s->spaces || s->spaces > GMMU_MAX_APPS)
    return bad_spec(e, "spaces", s->spaces, "1 to GMMU_MAX_APPS");
  return GMMU_OK;
}

static int check_levels(const mm_spec_t *s, err_t *e) {
  const format_t *f = format_find(s->format);
  if (!f) {
    int rc = err_set(e, GMMU_ENOENT, "no format of page tables is called '%s'", s->format);
    err_for_key(e, "format");
    return rc;
  }
  if (f->levels) return GMMU_OK; /* it has its own */
  if (s->va_bits <= log2u(s->large_bytes) || s->va_bits > 63)
    return bad_spec(e, "va_bits", s->va_bits, "more than log2(large_bytes), at most 63");
  if (!s->level_bits || s->level_bits > 18 || UINT64_C(8) << s->level_bits > s->base_bytes)
    return bad_spec(e, "level_bits", s->level_bits,
                    "from 1, and a node of 8 << level_bits bytes fits a base page");
  uint32_t bits = s->va_bits - log2u(s->base_bytes);
  if ((bits + s->level_bits - 1) / s->level_bits > MM_MAX_LEVELS)
    return bad_spec(e, "level_bits", s->level_bits, "too few for a table of MM_MAX_LEVELS levels");
  return GMMU_OK;
}

static int check_percent(err_t *e, const char *key, uint32_t value) {
  return value <= 100 ? GMMU_OK : bad_spec(e, key, value, "a percentage, 0 to 100");
}

static int check_colours(const mm_spec_t *s, err_t *e) {
  const mm_colours_t *c = &s->colours;
  if (c->functions > MM_MAX_COLOUR_BITS)
    return bad_spec(e, "functions", c->functions, "at most MM_MAX_COLOUR_BITS");
  uint64_t none = c->functions < MM_MAX_COLOUR_BITS ? ~UINT64_C(0) << (1u << c->functions) : 0;
  for (uint32_t a = 0; c->functions && a < s->spaces; a++)
    if (!c->of_space[a] || c->of_space[a] & none)
      return bad_spec(e, "of_space", c->of_space[a], "a bit for each colour, one at least");
  return GMMU_OK;
}

static int check_zones(const mm_spec_t *s, err_t *e) {
  const mm_manager_ops_t *ops = mm_manager_find(s->manager);
  for (uint32_t a = 0; a < s->spaces; a++) {
    const mm_zone_t *z = &s->zone[a];
    if (!z->bytes) continue;
    if (!ops->mixed) return bad_spec(e, "zone", z->bytes, "only the manager mixed has zones");
    if (z->first % s->large_bytes || z->bytes % s->large_bytes || z->first > s->memory_bytes ||
        z->bytes > s->memory_bytes - z->first)
      return bad_spec(e, "zone", z->bytes, "multiples of large_bytes, inside memory");
  }
  return GMMU_OK;
}

static int check_align(const mm_spec_t *s, err_t *e) {
  if (!s->align_bytes) return GMMU_OK;
  if (!mm_manager_find(s->manager)->mixed)
    return bad_spec(e, "align_bytes", s->align_bytes, "only the manager mixed chooses by it");
  if (!is_pow2(s->align_bytes) || s->align_bytes < s->base_bytes)
    return bad_spec(e, "align_bytes", s->align_bytes, "a power of two from base_bytes on");
  return GMMU_OK;
}

static int check_policy(const mm_spec_t *s, err_t *e) {
  if (s->channel && (!s->channels || s->channels > MM_MAX_CHANNELS))
    return bad_spec(e, "channels", s->channels, "1 to MM_MAX_CHANNELS");
  int rc = check_percent(e, "splinter_below", s->cac.splinter_below);
  if (!rc) rc = check_percent(e, "index", s->fragments.index);
  if (!rc) rc = check_percent(e, "occupancy", s->fragments.occupancy);
  if (!rc) rc = check_colours(s, e);
  if (!rc) rc = check_zones(s, e);
  if (!rc) rc = check_align(s, e);
  return rc;
}

static int init_memory(mm_t *m, const mm_spec_t *spec) {
  for (uint32_t a = 0; a < spec->spaces; a++)
    pt_init(&m->space[a].table, &m->geo, &m->pool, (asid_t)a);
  uint32_t frames = (uint32_t)(spec->memory_bytes >> m->geo.base_shift);
  int rc = pool_init(&m->pool, &m->host, frames, m->geo.large_order, m->spaces,
                     m->ops->by_colour ? &spec->colours : NULL);
  pt_stock_sizes(&m->geo, &m->pool.stock);
  if (!rc && m->ops->init) rc = m->ops->init(m, spec);
  if (!rc) rc = hashed_init(m, spec);
  if (!rc) rc = fragment_pool(m, &spec->fragments);
  return rc;
}

int mm_new_on(const mm_host_t *host, const mm_spec_t *spec, mm_t **out, err_t *e) {
  *out = NULL;
  const mm_manager_ops_t *ops = mm_manager_find(spec->manager);
  if (!ops)
    return err_set(e, GMMU_ENOENT, "no memory manager is called '%s'",
                   spec->manager ? spec->manager : "");
  int rc = check_sizes(spec, e);
  if (!rc) rc = check_levels(spec, e);
  if (!rc) rc = check_policy(spec, e);
  geo_t geo;
  if (!rc) rc = format_geometry(spec, ops->mixed, &geo, e);
  if (!rc) rc = hashed_check_spec(spec, ops, &geo, e);
  if (rc) return rc;

  mm_t *m = host_alloc(host, sizeof *m);
  if (!m) return err_set(e, GMMU_ENOMEM, "no host memory for the memory manager");
  m->host = *host, m->ops = ops, m->geo = geo, m->spaces = spec->spaces;
  m->cac = spec->cac;
  rc = init_memory(m, spec);
  if (rc) {
    mm_free(m);
    if (rc == GMMU_ENOSPACE)
      return err_set(e, rc, "a hashed page table does not fit memory of %" PRIu64 " bytes",
                     spec->memory_bytes);
    return err_set(e, GMMU_ENOMEM, "no host memory for %" PRIu64 " frames",
                   spec->memory_bytes / spec->base_bytes);
  }
  *out = m;
  return GMMU_OK;
}

int mm_new(const mm_spec_t *spec, mm_t **out, err_t *e) {
  return mm_new_on(&mm_host_libc, spec, out, e);
}

static void free_allocs(mm_t *m, space_t *s) {
  extents_fini(&s->alloc, &m->host);
  s->bytes = 0;
}

void mm_free(mm_t *m) {
  if (!m) return;
  m->pool.hooks = NULL; /* the end needs no books */
  for (uint32_t a = 0; a < m->spaces; a++) {
    pt_fini(&m->space[a].table);
    free_allocs(m, &m->space[a]);
  }
  hashed_fini(m);
  pool_fini(&m->pool);
  if (m->ops->fini) m->ops->fini(m);
  mm_host_t host = m->host;
  host_free(&host, m, sizeof *m);
}

/* ---- tools of the managers ---- */

/* The frame is claimed before the table grows: its nodes may want the last free frame too. */
int map_page(mm_t *m, asid_t asid, uint64_t vpn, uint32_t frame) {
  int rc = pool_claim(&m->pool, frame, asid, vpn);
  if (rc) return rc;
  if (m->hashed) hashed_map(m, asid, vpn);
  rc = pt_map(&m->space[asid].table, vpn, frame);
  if (rc) pool_give(&m->pool, frame);
  if (rc && m->hashed) hashed_unmap(m, asid, vpn);
  return rc;
}

int map_large(mm_t *m, asid_t asid, uint64_t vpn, uint32_t large) {
  int rc = pool_claim_large(&m->pool, large, asid, vpn);
  if (rc) return rc;
  if (m->hashed) hashed_map(m, asid, vpn);
  rc = pt_map_large(&m->space[asid].table, vpn, large << m->geo.large_order);
  if (rc) pool_give_large(&m->pool, large);
  if (rc && m->hashed) hashed_unmap(m, asid, vpn);
  return rc;
}

void unmap_page(mm_t *m, asid_t asid, uint64_t vpn) {
  pool_give(&m->pool, pt_unmap(&m->space[asid].table, vpn));
  if (m->hashed) hashed_unmap(m, asid, vpn);
}

void unmap_large(mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t frame = pt_unmap_large(&m->space[asid].table, vpn);
  pool_give_large(&m->pool, frame >> m->geo.large_order);
  if (m->hashed) hashed_unmap(m, asid, vpn);
}

uint64_t unmap_pages(mm_t *m, asid_t asid, span_t pages) {
  uint64_t n = 0, end = pages.first + pages.count;
  for (uint64_t v = pages.first; (v = next_mapped(m, asid, v, end)) < end; v++, n++)
    unmap_page(m, asid, v);
  return n;
}

int map_chosen(mm_t *m, const back_t *b, choose_t choose, uint32_t room, mm_actions_t *out) {
  if (b->pages.count > room) return GMMU_ENOSPACE; /* rather than try in vain */
  int rc = actions_reserve(m, out, ACTIONS_PER_MAP);
  for (uint64_t i = 0; !rc && i < b->pages.count; i++) {
    uint32_t frame = choose(m, b->asid);
    rc = frame == STRIPES_NONE ? GMMU_ENOSPACE : map_page(m, b->asid, b->pages.first + i, frame);
    if (rc) unmap_pages(m, b->asid, (span_t){b->pages.first, i});
  }
  if (!rc) actions_push_map(m, out, b);
  return rc;
}

int unmap_spans(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out) {
  int rc = actions_reserve(m, out, n * ACTIONS_PER_UNMAP);
  for (size_t i = 0; !rc && i < n; i++)
    if (unmap_pages(m, asid, pages[i])) actions_push_unmap(out, asid, pages[i]);
  return rc;
}

uint64_t next_mapped(const mm_t *m, asid_t asid, uint64_t vpn, uint64_t end) {
  const pt_t *t = &m->space[asid].table;
  const pt_node_t *leaf = vpn < end ? pt_near_leaf(t, vpn) : NULL;
  if (leaf && *pt_entry(t, leaf, vpn)) return vpn; /* the usual case */
  return pt_next(t, vpn, end);
}

/* ---- allocations ---- */

static extent_t extent(uint64_t va, uint64_t bytes, bool lazy) {
  return (extent_t){.start = va & INT64_MAX, .lazy = lazy, .end = va + bytes};
}

static void remove_alloc(mm_t *m, space_t *s, extents_pos_t p) {
  const extent_t *x = extents_at(&s->alloc, p);
  s->bytes -= x->end - x->start;
  extents_remove(&s->alloc, p, &m->host);
}

/* Pages of x, in whole units, that no other allocation touches: neither the last before x nor the
 * first behind it, where there are such. */
static span_t own_pages(const mm_t *m, extent_t x, const extent_t *before, const extent_t *after) {
  uint32_t order = unit_order(m), shift = m->geo.base_shift + order;
  uint64_t first = x.start >> shift, end = ((x.end - 1) >> shift) + 1;
  if (before && (before->end - 1) >> shift == first) first++;
  if (after && after->start >> shift == end - 1) end--;
  return (span_t){first << order, end > first ? (end - first) << order : 0};
}

size_t space_spans(const mm_t *m, const space_t *s, uint32_t order, span_t *out) {
  uint32_t shift = m->geo.base_shift + order;
  size_t n = 0;
  const extent_t *x;
  for (extents_pos_t p = {0}; (x = extents_at(&s->alloc, p)); p = extents_behind(&s->alloc, p)) {
    uint64_t first = x->start >> shift << order, end = (((x->end - 1) >> shift) + 1) << order;
    if (n && first <= out[n - 1].first + out[n - 1].count)
      out[n - 1].count = end - out[n - 1].first;
    else
      out[n++] = (span_t){first, end - first};
  }
  return n;
}

bool space_covers(const mm_t *m, const space_t *s, span_t pages) {
  uint32_t shift = m->geo.base_shift;
  uint64_t v = pages.first, end = pages.first + pages.count;
  extents_pos_t p = extents_find(&s->alloc, v << shift);
  for (const extent_t *x; v < end && (x = extents_at(&s->alloc, p));) {
    if (x->start >> shift > v) return false;
    v = ((x->end - 1) >> shift) + 1;
    p = extents_behind(&s->alloc, p);
  }
  return v >= end;
}

uint64_t space_pages(const mm_t *m, const space_t *s, uint32_t order) {
  uint32_t shift = m->geo.base_shift + order;
  uint64_t pages = 0, done = 0; /* units below `done` are counted */
  const extent_t *x;
  for (extents_pos_t p = {0}; (x = extents_at(&s->alloc, p)); p = extents_behind(&s->alloc, p)) {
    uint64_t first = x->start >> shift, end = ((x->end - 1) >> shift) + 1;
    if (first < done) first = done;
    if (end > first) pages += end - first;
    done = end;
  }
  return pages << order;
}

/* ---- the calls ---- */

static int check_asid(const mm_t *m, asid_t asid, err_t *e) {
  if (asid < m->spaces) return GMMU_OK;
  return err_set(e, GMMU_ERANGE, "address space %u: there are %" PRIu32, asid, m->spaces);
}

static int check_range(const mm_t *m, asid_t asid, uint64_t va, uint64_t bytes, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  uint64_t limit = m->geo.vpns << m->geo.base_shift;
  if (!bytes) return err_set(e, GMMU_EINVAL, "allocation of 0 bytes at 0x%" PRIx64, va);
  if (va < limit && bytes <= limit - va) return GMMU_OK;
  return err_set(e, GMMU_ERANGE,
                 "0x%" PRIx64 " + %" PRIu64 " bytes ends beyond the address space (0x%" PRIx64 ")",
                 va, bytes, limit);
}

static uint32_t open_frames(const mm_t *m, asid_t asid) {
  return m->ops->open_frames ? m->ops->open_frames(m, asid) : m->pool.frames.free_total;
}

static int out_of_memory(const mm_t *m, int rc, asid_t asid, uint64_t bytes, err_t *e) {
  if (rc == GMMU_ENOMEM)
    return err_set(e, rc, "no host memory to map %" PRIu64 " bytes in space %u", bytes, asid);
  if (m->ops->by_colour || open_frames(m, asid) != m->pool.frames.free_total)
    return err_set(e, rc,
                   "no frames for %" PRIu64 " bytes in space %u: %" PRIu32 " of %" PRIu32
                   " base frames are free, %" PRIu32 " of them in its %s",
                   bytes, asid, m->pool.frames.free_total, m->pool.frames.count,
                   open_frames(m, asid), m->ops->by_colour ? "colours" : "zone");
  return err_set(e, rc,
                 "no frames for %" PRIu64 " bytes in space %u: %" PRIu32 " of %" PRIu32
                 " base frames and %" PRIu32 " of %" PRIu32 " large frames are free",
                 bytes, asid, m->pool.frames.free_total, m->pool.frames.count,
                 m->pool.larges.free_total, m->pool.larges.count);
}

static int overlap(extent_t y, extent_t x, asid_t asid, err_t *e) {
  return err_set(e, GMMU_EINVAL,
                 "0x%" PRIx64 " + %" PRIu64 " bytes overlaps the allocation 0x%" PRIx64
                 " + %" PRIu64 " bytes of space %u",
                 (uint64_t)x.start, x.end - x.start, (uint64_t)y.start, y.end - y.start, asid);
}

static bool mapped(const mm_t *m, asid_t asid, uint64_t vpn) {
  const pt_node_t *leaf = asid < m->spaces ? pt_near_leaf(&m->space[asid].table, vpn) : NULL;
  if (leaf && !m->geo.dual) return *pt_entry(&m->space[asid].table, leaf, vpn);
  ppn_t ppn;
  bool large;
  return mm_translate(m, asid, (vpn_t){vpn}, &ppn, &large);
}

/* Units of a new extent that want frames. A neighbour can have brought in the first and the last
 * only: no other is touched by somebody else. */
static span_t absent_pages(const mm_t *m, asid_t asid, extent_t x) {
  uint32_t order = unit_order(m), shift = m->geo.base_shift + order;
  uint64_t first = x.start >> shift, end = ((x.end - 1) >> shift) + 1;
  if (mapped(m, asid, first << order)) first++;
  if (end > first && end - 1 > x.start >> shift && mapped(m, asid, (end - 1) << order)) end--;
  return (span_t){first << order, end > first ? (end - first) << order : 0};
}

static int add_extent(mm_t *m, asid_t asid, extent_t x, mm_actions_t *out, err_t *e) {
  space_t *s = &m->space[asid];
  extents_pos_t p = extents_find(&s->alloc, x.start);
  const extent_t *behind = extents_at(&s->alloc, p);
  if (behind && behind->start < x.end) return overlap(*behind, x, asid, e);
  int rc = extents_open(&s->alloc, &p, &m->host);
  if (rc) return out_of_memory(m, rc, asid, x.end - x.start, e);
  extents_insert(&s->alloc, p, x);
  s->bytes += x.end - x.start;
  back_t b = {.asid = asid};
  if (!x.lazy) b.pages = absent_pages(m, asid, x);
  if (!b.pages.count || !(rc = m->ops->alloc(m, &b, out))) return GMMU_OK;
  remove_alloc(m, s, p);
  return out_of_memory(m, rc, asid, x.end - x.start, e);
}

int mm_alloc(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e) {
  int rc = check_range(m, asid, va.v, bytes, e);
  return rc ? rc : add_extent(m, asid, extent(va.v, bytes, false), out, e);
}

int mm_reserve(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e) {
  int rc = check_range(m, asid, va.v, bytes, e);
  return rc ? rc : add_extent(m, asid, extent(va.v, bytes, true), out, e);
}

bool mm_allocated(const mm_t *m, asid_t asid, vpn_t vpn) {
  if (asid >= m->spaces || vpn.v >= m->geo.vpns) return false;
  const space_t *s = &m->space[asid];
  uint32_t shift = m->geo.base_shift;
  const extent_t *x = extents_at(&s->alloc, extents_find(&s->alloc, vpn.v << shift));
  return x && x->start >> shift <= vpn.v;
}

int mm_touch(mm_t *m, asid_t asid, vpn_t vpn, mm_actions_t *out, err_t *e) {
  if (mapped(m, asid, vpn.v)) return GMMU_OK;
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  uint32_t order = unit_order(m);
  if (!mm_allocated(m, asid, vpn))
    return err_set(e, GMMU_EFAULT, "page 0x%" PRIx64 " of space %u is in no allocation", vpn.v,
                   asid);
  back_t b = {
      .asid = asid, .transfer = true, .pages = {vpn.v >> order << order, UINT64_C(1) << order}};
  rc = m->ops->alloc(m, &b, out);
  if (rc) return out_of_memory(m, rc, asid, b.pages.count << m->geo.base_shift, e);
  m->counts.touched += b.pages.count;
  return GMMU_OK;
}

/* Calls for MM_EVICT of the resident pages, a run with consecutive frames at a time; with out NULL
 * only counts the runs. */
static size_t evict_runs(const mm_t *m, asid_t asid, span_t pages, mm_actions_t *out) {
  uint64_t end = pages.first + pages.count;
  mm_action_t run = {.kind = MM_EVICT, .asid = asid};
  size_t runs = 0;
  for (uint64_t v = pages.first; (v = next_mapped(m, asid, v, end)) < end; v++) {
    ppn_t ppn = {0};
    bool large;
    mm_translate(m, asid, (vpn_t){v}, &ppn, &large);
    if (run.pages && v == run.vpn.v + run.pages && ppn.v == run.ppn.v + run.pages) {
      run.pages++;
      continue;
    }
    if (run.pages) actions_push(out, &run);
    run.vpn.v = v, run.ppn = ppn, run.pages = 1, runs++;
  }
  if (run.pages) actions_push(out, &run);
  return runs;
}

/* From now on pages of these allocations may be absent. */
static void make_lazy(const mm_t *m, space_t *s, span_t pages) {
  uint32_t shift = m->geo.base_shift;
  uint64_t end = (pages.first + pages.count) << shift;
  extents_pos_t p = extents_find(&s->alloc, pages.first << shift);
  for (extent_t *x; (x = extents_at(&s->alloc, p)) && x->start < end;) {
    x->lazy = 1;
    p = extents_behind(&s->alloc, p);
  }
}

int mm_evict(mm_t *m, asid_t asid, vpn_t vpn, uint64_t pages, mm_actions_t *out, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  if (!pages || vpn.v >= m->geo.vpns || pages > m->geo.vpns - vpn.v)
    return err_set(e, GMMU_ERANGE, "%" PRIu64 " pages at page 0x%" PRIx64 " of space %u", pages,
                   vpn.v, asid);
  uint32_t order = unit_order(m);
  uint64_t first = vpn.v >> order, last = (vpn.v + pages - 1) >> order;
  span_t span = {first << order, (last - first + 1) << order};
  size_t runs = evict_runs(m, asid, span, NULL), before = out ? out->count : 0;
  if (!runs) return GMMU_OK;
  rc = actions_reserve(m, out, runs);
  if (!rc) {
    evict_runs(m, asid, span, out);
    rc = m->ops->free(m, asid, &span, 1, out);
    if (rc && out) out->count = before;
  }
  if (rc) return err_set(e, rc, "no host memory to evict %" PRIu64 " pages", pages);
  make_lazy(m, &m->space[asid], span);
  return GMMU_OK;
}

int mm_use_colours(mm_t *m, asid_t asid, uint64_t colours, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  if (!m->ops->use_colours)
    return err_set(e, GMMU_EINVAL, "manager %s has no page colours", m->ops->name);
  rc = m->ops->use_colours(m, asid, colours);
  return rc ? err_set(e, rc, "colours 0x%" PRIx64 ": some are not of space %u", colours, asid) : 0;
}

int mm_release(mm_t *m, asid_t asid, vaddr_t va, mm_actions_t *out, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  space_t *s = &m->space[asid];
  extents_pos_t p = extents_find(&s->alloc, va.v);
  const extent_t *x = extents_at(&s->alloc, p);
  if (!x || x->start != va.v)
    return err_set(e, GMMU_EINVAL, "no allocation of space %u starts at 0x%" PRIx64, asid, va.v);
  span_t own = own_pages(m, *x, extents_before(&s->alloc, p),
                         extents_at(&s->alloc, extents_behind(&s->alloc, p)));
  if (own.count) rc = m->ops->free(m, asid, &own, 1, out);
  if (rc) return err_set(e, rc, "no host memory to release 0x%" PRIx64, va.v);
  remove_alloc(m, s, p);
  return GMMU_OK;
}

/* What is left of an extent on both sides of a cut; a part that starts at its end is none. */
typedef struct {
  extent_t left, right;
} parts_t;

static bool is_part(extent_t x) { return x.start < x.end; }

static parts_t cut_extent(extent_t x, extent_t cut) {
  return (parts_t){extent(x.start, cut.start - x.start, x.lazy),
                   extent(cut.end, x.end - cut.end, x.lazy)};
}

/* Pages of the cut that neither its parts nor the neighbours of the extent at p touch. */
static span_t cut_pages(const mm_t *m, const space_t *s, extents_pos_t p, const parts_t *parts,
                        extent_t cut) {
  const extent_t *before = is_part(parts->left) ? &parts->left : extents_before(&s->alloc, p);
  const extent_t *after =
      is_part(parts->right) ? &parts->right : extents_at(&s->alloc, extents_behind(&s->alloc, p));
  return own_pages(m, cut, before, after);
}

/* The parts in place of the extent; for two of them there is room at p. */
static void put_parts(mm_t *m, space_t *s, extents_pos_t p, const parts_t *parts) {
  if (is_part(parts->left) && is_part(parts->right)) {
    extents_insert(&s->alloc, p, parts->left);
    extents_replace(&s->alloc, extents_behind(&s->alloc, p), parts->right);
  } else if (is_part(parts->left) || is_part(parts->right)) {
    extents_replace(&s->alloc, p, is_part(parts->left) ? parts->left : parts->right);
  } else {
    extents_remove(&s->alloc, p, &m->host);
  }
}

int mm_release_part(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e) {
  int rc = check_range(m, asid, va.v, bytes, e);
  if (rc) return rc;
  space_t *s = &m->space[asid];
  extent_t cut = extent(va.v, bytes, false);
  extents_pos_t p = extents_find(&s->alloc, va.v);
  const extent_t *at = extents_at(&s->alloc, p);
  if (!at || at->start > cut.start || at->end < cut.end)
    return err_set(e, GMMU_EINVAL,
                   "0x%" PRIx64 " + %" PRIu64 " bytes are not part of one allocation of space %u",
                   va.v, bytes, asid);
  parts_t parts = cut_extent(*at, cut);
  span_t own = cut_pages(m, s, p, &parts, cut);
  if (is_part(parts.left) && is_part(parts.right)) rc = extents_open(&s->alloc, &p, &m->host);
  if (!rc && own.count) rc = m->ops->free(m, asid, &own, 1, out);
  if (rc) return err_set(e, rc, "no host memory to release part of 0x%" PRIx64, va.v);
  put_parts(m, s, p, &parts);
  s->bytes -= bytes;
  return GMMU_OK;
}

int mm_release_all(mm_t *m, asid_t asid, mm_actions_t *out, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  space_t *s = &m->space[asid];
  if (!s->alloc.count) return GMMU_OK;
  size_t bytes = s->alloc.count * sizeof(span_t);
  span_t *spans = host_alloc(&m->host, bytes);
  rc = spans ? m->ops->free(m, asid, spans, space_spans(m, s, unit_order(m), spans), out)
             : GMMU_ENOMEM;
  host_free(&m->host, spans, bytes);
  if (rc) return err_set(e, rc, "no host memory to release space %u", asid);
  free_allocs(m, s);
  return GMMU_OK;
}

/* ---- what is where ---- */

mm_counts_t mm_counts(const mm_t *m) { return m->counts; }

void mm_large_frame(const mm_t *m, uint64_t large_frame, mm_large_t *out) {
  *out = (mm_large_t){.owner = MM_OWNER_NONE};
  if (large_frame >= m->pool.larges.count) return;
  out->used = m->pool.large[large_frame].used;
  if (m->ops->large) m->ops->large(m, (uint32_t)large_frame, out);
}

uint32_t mm_levels(const mm_t *m) { return m->geo.levels + (m->hashed != NULL); }
uint32_t mm_base_shift(const mm_t *m) { return m->geo.base_shift; }
uint32_t mm_large_shift(const mm_t *m) { return m->geo.base_shift + m->geo.large_order; }

uint8_t mm_frame_owner(const mm_t *m, ppn_t ppn) {
  return ppn.v < m->pool.frames.count ? pool_owner(&m->pool, (uint32_t)ppn.v) : MM_OWNER_NONE;
}

void mm_usage(const mm_t *m, mm_usage_t *out) {
  *out = (mm_usage_t){.frames = m->pool.frames.count,
                      .free_frames = m->pool.frames.free_total,
                      .free_large_frames = m->pool.larges.free_total,
                      .other_frames = m->pool.other};
  for (uint32_t a = 0; a < m->spaces; a++) {
    const space_t *s = &m->space[a];
    out->data_frames[a] = s->table.pages;
    out->table_frames[a] = s->table.frames;
    out->needed_frames[a] = space_pages(m, s, 0);
    out->allocated_bytes[a] = s->bytes;
    out->held_frames[a] = s->table.pages;
    out->open_frames[a] = open_frames(m, (asid_t)a);
    out->large_frames[a] = s->table.large_pages;
  }
  if (m->ops->usage) m->ops->usage(m, out);
}
