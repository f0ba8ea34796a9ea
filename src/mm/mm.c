/* The memory manager's core: geometry, the allocations of each space, and the calls of mm.h.
 *
 * Invariant: a space's allocations are sorted and disjoint, and a page (a large page, for managers
 * that know no others) is backed exactly while an allocation touches it. Since they are sorted,
 * only the two neighbours of an allocation can share a page with it; that replaces a reference
 * count per page. Every call first gathers what can fail, then changes things. */
#include "mm/manager.h"
#include <inttypes.h>
#include <string.h>

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
    return bad_spec(e, "large_bytes", s->large_bytes, "a power of two from base_bytes to 1 GB");
  if (!s->memory_bytes || s->memory_bytes % s->large_bytes ||
      s->memory_bytes / s->base_bytes > POOL_MAX_FRAMES)
    return bad_spec(e, "memory_bytes", s->memory_bytes,
                    "a multiple of large_bytes, at most 2^28 base pages");
  if (!s->spaces || s->spaces > GMMU_MAX_APPS)
    return bad_spec(e, "spaces", s->spaces, "1 to GMMU_MAX_APPS");
  return GMMU_OK;
}

static int check_levels(const mm_spec_t *s, err_t *e) {
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

static geo_t geometry(const mm_spec_t *s) {
  uint32_t base_shift = log2u(s->base_bytes), bits = s->va_bits - base_shift;
  uint32_t levels = (bits + s->level_bits - 1) / s->level_bits;
  uint32_t large_order = log2u(s->large_bytes) - base_shift;
  return (geo_t){.vpns = UINT64_C(1) << bits,
                 .levels = levels,
                 .level_bits = s->level_bits,
                 .index_mask = (1u << s->level_bits) - 1,
                 .root_shift = (levels - 1) * s->level_bits,
                 .base_shift = base_shift,
                 .large_order = large_order,
                 .large_level = large_order / s->level_bits,
                 .node_shift = s->level_bits + 3};
}

int mm_new_on(const mm_host_t *host, const mm_spec_t *spec, mm_t **out, err_t *e) {
  *out = NULL;
  const mm_manager_ops_t *ops = mm_manager_find(spec->manager);
  if (!ops)
    return err_set(e, GMMU_ENOENT, "no memory manager is called '%s'",
                   spec->manager ? spec->manager : "");
  int rc = check_sizes(spec, e);
  if (!rc) rc = check_levels(spec, e);
  if (rc) return rc;

  mm_t *m = host_alloc(host, sizeof *m);
  if (!m) return err_set(e, GMMU_ENOMEM, "no host memory for the memory manager");
  m->host = *host, m->ops = ops, m->geo = geometry(spec), m->spaces = spec->spaces;
  for (uint32_t a = 0; a < spec->spaces; a++)
    pt_init(&m->space[a].table, &m->geo, &m->pool, (asid_t)a);
  uint32_t frames = (uint32_t)(spec->memory_bytes >> m->geo.base_shift);
  if (pool_init(&m->pool, &m->host, frames, m->geo.large_order, m->spaces)) {
    mm_free(m);
    return err_set(e, GMMU_ENOMEM, "no host memory for %" PRIu32 " frames", frames);
  }
  *out = m;
  return GMMU_OK;
}

int mm_new(const mm_spec_t *spec, mm_t **out, err_t *e) {
  return mm_new_on(&mm_host_libc, spec, out, e);
}

static void free_allocs(mm_t *m, space_t *s) {
  host_free(&m->host, s->alloc, s->capacity * sizeof *s->alloc);
  s->alloc = NULL, s->count = s->capacity = 0, s->bytes = 0;
}

void mm_free(mm_t *m) {
  if (!m) return;
  for (uint32_t a = 0; a < m->spaces; a++) {
    pt_fini(&m->space[a].table);
    free_allocs(m, &m->space[a]);
  }
  pool_fini(&m->pool);
  mm_host_t host = m->host;
  host_free(&host, m, sizeof *m);
}

/* ---- tools of the managers ---- */

/* The frame is claimed before the table grows: its nodes may want the last free frame too. */
int map_page(mm_t *m, asid_t asid, uint64_t vpn, uint32_t frame) {
  int rc = pool_claim(&m->pool, frame, asid, vpn);
  if (rc) return rc;
  rc = pt_map(&m->space[asid].table, vpn, frame);
  if (rc) pool_give(&m->pool, frame);
  return rc;
}

int map_large(mm_t *m, asid_t asid, uint64_t vpn, uint32_t large) {
  int rc = pool_claim_large(&m->pool, large, asid, vpn);
  if (rc) return rc;
  rc = pt_map_large(&m->space[asid].table, vpn, large << m->geo.large_order);
  if (rc) pool_give_large(&m->pool, large);
  return rc;
}

void unmap_page(mm_t *m, asid_t asid, uint64_t vpn) {
  pool_give(&m->pool, pt_unmap(&m->space[asid].table, vpn));
}

void unmap_large(mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t frame = pt_unmap_large(&m->space[asid].table, vpn);
  pool_give_large(&m->pool, frame >> m->geo.large_order);
}

/* ---- allocations ---- */

/* The first allocation that ends after va; `count` if there is none. */
static size_t find_alloc(const space_t *s, uint64_t va) {
  size_t lo = 0, hi = s->count;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (s->alloc[mid].end <= va)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Grows by an eighth: with an allocation per page, slack in the list is memory per frame. */
static int reserve_alloc(mm_t *m, space_t *s) {
  if (s->count < s->capacity) return GMMU_OK;
  size_t capacity = s->capacity + s->capacity / 8 + 8;
  extent_t *p = host_alloc(&m->host, capacity * sizeof *p);
  if (!p) return GMMU_ENOMEM;
  if (s->count) memcpy(p, s->alloc, s->count * sizeof *p);
  host_free(&m->host, s->alloc, s->capacity * sizeof *p);
  s->alloc = p, s->capacity = capacity;
  return GMMU_OK;
}

static void insert_alloc(space_t *s, size_t i, extent_t x) {
  memmove(s->alloc + i + 1, s->alloc + i, (s->count - i) * sizeof x);
  s->alloc[i] = x;
  s->count++;
  s->bytes += x.end - x.start;
}

static void remove_alloc(space_t *s, size_t i) {
  s->bytes -= s->alloc[i].end - s->alloc[i].start;
  s->count--;
  memmove(s->alloc + i, s->alloc + i + 1, (s->count - i) * sizeof *s->alloc);
}

/* Pages of x, in whole units, that no other allocation touches: not the last before x, of which
 * there are `before`, nor the first behind it, number `after`. */
static span_t own_pages(const mm_t *m, const space_t *s, extent_t x, size_t before, size_t after) {
  uint32_t order = unit_order(m), shift = m->geo.base_shift + order;
  uint64_t first = x.start >> shift, end = ((x.end - 1) >> shift) + 1;
  if (before && (s->alloc[before - 1].end - 1) >> shift == first) first++;
  if (after < s->count && s->alloc[after].start >> shift == end - 1) end--;
  return (span_t){first << order, end > first ? (end - first) << order : 0};
}

size_t space_spans(const mm_t *m, const space_t *s, uint32_t order, span_t *out) {
  uint32_t shift = m->geo.base_shift + order;
  size_t n = 0;
  for (size_t i = 0; i < s->count; i++) {
    uint64_t first = s->alloc[i].start >> shift << order;
    uint64_t end = (((s->alloc[i].end - 1) >> shift) + 1) << order;
    if (n && first <= out[n - 1].first + out[n - 1].count)
      out[n - 1].count = end - out[n - 1].first;
    else
      out[n++] = (span_t){first, end - first};
  }
  return n;
}

uint64_t space_pages(const mm_t *m, const space_t *s, uint32_t order) {
  uint32_t shift = m->geo.base_shift + order;
  uint64_t pages = 0, done = 0; /* units below `done` are counted */
  for (size_t i = 0; i < s->count; i++) {
    uint64_t first = s->alloc[i].start >> shift, end = ((s->alloc[i].end - 1) >> shift) + 1;
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

static int out_of_memory(const mm_t *m, int rc, asid_t asid, uint64_t bytes, err_t *e) {
  if (rc == GMMU_ENOMEM)
    return err_set(e, rc, "no host memory to map %" PRIu64 " bytes in space %u", bytes, asid);
  return err_set(e, rc,
                 "no frames for %" PRIu64 " bytes in space %u: %" PRIu32 " of %" PRIu32
                 " base frames and %" PRIu32 " of %" PRIu32 " large frames are free",
                 bytes, asid, m->pool.frames.free_total, m->pool.frames.count,
                 m->pool.larges.free_total, m->pool.larges.count);
}

int mm_alloc(mm_t *m, asid_t asid, vaddr_t va, uint64_t bytes, mm_actions_t *out, err_t *e) {
  int rc = check_range(m, asid, va.v, bytes, e);
  if (rc) return rc;
  space_t *s = &m->space[asid];
  extent_t x = {va.v, va.v + bytes};
  size_t i = find_alloc(s, x.start);
  if (i < s->count && s->alloc[i].start < x.end)
    return err_set(e, GMMU_EINVAL,
                   "0x%" PRIx64 " + %" PRIu64 " bytes overlaps the allocation 0x%" PRIx64
                   " + %" PRIu64 " bytes of space %u",
                   x.start, bytes, s->alloc[i].start, s->alloc[i].end - s->alloc[i].start, asid);
  span_t own = own_pages(m, s, x, i, i);
  rc = reserve_alloc(m, s);
  if (!rc && own.count) rc = m->ops->alloc(m, asid, own, out);
  if (rc) return out_of_memory(m, rc, asid, bytes, e);
  insert_alloc(s, i, x);
  return GMMU_OK;
}

int mm_release(mm_t *m, asid_t asid, vaddr_t va, mm_actions_t *out, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  space_t *s = &m->space[asid];
  size_t i = find_alloc(s, va.v);
  if (i == s->count || s->alloc[i].start != va.v)
    return err_set(e, GMMU_EINVAL, "no allocation of space %u starts at 0x%" PRIx64, asid, va.v);
  span_t own = own_pages(m, s, s->alloc[i], i, i + 1);
  if (own.count) rc = m->ops->free(m, asid, &own, 1, out);
  if (rc) return err_set(e, rc, "no host memory to release 0x%" PRIx64, va.v);
  remove_alloc(s, i);
  return GMMU_OK;
}

int mm_release_all(mm_t *m, asid_t asid, mm_actions_t *out, err_t *e) {
  int rc = check_asid(m, asid, e);
  if (rc) return rc;
  space_t *s = &m->space[asid];
  if (!s->count) return GMMU_OK;
  size_t bytes = s->count * sizeof(span_t);
  span_t *spans = host_alloc(&m->host, bytes);
  rc = spans ? m->ops->free(m, asid, spans, space_spans(m, s, unit_order(m), spans), out)
             : GMMU_ENOMEM;
  host_free(&m->host, spans, bytes);
  if (rc) return err_set(e, rc, "no host memory to release space %u", asid);
  free_allocs(m, s);
  return GMMU_OK;
}

/* ---- what is where ---- */

uint32_t mm_levels(const mm_t *m) { return m->geo.levels; }
uint32_t mm_base_shift(const mm_t *m) { return m->geo.base_shift; }
uint32_t mm_large_shift(const mm_t *m) { return m->geo.base_shift + m->geo.large_order; }

uint8_t mm_frame_owner(const mm_t *m, ppn_t ppn) {
  return ppn.v < m->pool.frames.count ? pool_owner(&m->pool, (uint32_t)ppn.v) : MM_OWNER_NONE;
}

void mm_usage(const mm_t *m, mm_usage_t *out) {
  *out = (mm_usage_t){.frames = m->pool.frames.count,
                      .free_frames = m->pool.frames.free_total,
                      .free_large_frames = m->pool.larges.free_total};
  for (uint32_t a = 0; a < m->spaces; a++) {
    const space_t *s = &m->space[a];
    out->data_frames[a] = s->table.pages;
    out->table_frames[a] = s->table.frames;
    out->needed_frames[a] = space_pages(m, s, 0);
    out->allocated_bytes[a] = s->bytes;
  }
}
