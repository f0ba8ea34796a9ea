/* Large pages only: every allocation is backed by whole large frames, first come, lowest first.
 * What a large page holds beyond its allocations is bloat (data_frames - needed_frames in
 * mm_usage). The Mosaic paper's comparison of 2 MB with 4 KB pages (its section 3). */
#include "mm/manager.h"

static uint64_t unmap_span(mm_t *m, asid_t asid, span_t pages) {
  uint64_t n = 0, end = pages.first + pages.count, per = pages_per_large(m);
  for (uint64_t v = pages.first; (v = next_mapped(m, asid, v, end)) < end; v += per, n++)
    unmap_large(m, asid, v);
  return n;
}

static int back_large(mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t large = stripes_lowest(&m->pool.larges, 0);
  return large == STRIPES_NONE ? GMMU_ENOSPACE : map_large(m, asid, vpn, large);
}

static int large_only_alloc(mm_t *m, const back_t *b, mm_actions_t *out) {
  span_t pages = b->pages;
  if (pages.count >> m->geo.large_order > m->pool.larges.free_total)
    return GMMU_ENOSPACE; /* rather than try in vain */
  int rc = actions_reserve(m, out, ACTIONS_PER_MAP);
  if (rc) return rc;
  for (uint64_t i = 0; i < pages.count; i += pages_per_large(m))
    if ((rc = back_large(m, b->asid, pages.first + i))) {
      unmap_span(m, b->asid, (span_t){pages.first, i});
      return rc;
    }
  actions_push_map(m, out, b);
  return GMMU_OK;
}

static int large_only_free(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out) {
  int rc = actions_reserve(m, out, n * ACTIONS_PER_UNMAP);
  for (size_t i = 0; !rc && i < n; i++)
    if (unmap_span(m, asid, pages[i])) actions_push_unmap(out, asid, pages[i]);
  return rc;
}

/* Data is in whole large pages, so the first base frame tells of all. */
static void large_only_large(const mm_t *m, uint32_t large, mm_large_t *out) {
  uint8_t owner = pool_owner(&m->pool, large << m->geo.large_order);
  if (owner < GMMU_MAX_APPS) out->owner = owner, out->coalesced = true;
}

const mm_manager_ops_t mm_large_only = {
    .name = "large-only",
    .help = "every allocation in whole large pages",
    .whole_large = true,
    .alloc = large_only_alloc,
    .free = large_only_free,
    .large = large_only_large,
};
