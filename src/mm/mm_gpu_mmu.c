/* GPU-MMU, the baseline of the Mosaic paper (sections 1 and 3, after Power et al.): base pages
 * only, and the frames of a large frame go to the applications in turn, so that none of them ever
 * has a contiguous large frame (their Figure 1a).
 *
 * Which frame a page gets is settled when it is allocated: the lowest free one of the space's lane.
 * As long as no lane runs dry, it does not depend on what other spaces did, or when. */
#include "mm/manager.h"

static uint64_t unmap_span(mm_t *m, asid_t asid, span_t pages) {
  uint64_t n = 0, end = pages.first + pages.count;
  for (uint64_t v = pages.first; (v = next_mapped(m, asid, v, end)) < end; v++, n++)
    unmap_page(m, asid, v);
  return n;
}

static int back_page(mm_t *m, asid_t asid, uint64_t vpn) {
  uint32_t frame = lanes_lowest(&m->pool.frames, asid);
  return frame == LANES_NONE ? GMMU_ENOSPACE : map_page(m, asid, vpn, frame);
}

static int gpu_mmu_alloc(mm_t *m, const back_t *b, mm_actions_t *out) {
  span_t pages = b->pages;
  if (pages.count > m->pool.frames.free_total) return GMMU_ENOSPACE; /* rather than try in vain */
  int rc = actions_reserve(m, out, ACTIONS_PER_MAP);
  if (rc) return rc;
  for (uint64_t i = 0; i < pages.count; i++)
    if ((rc = back_page(m, b->asid, pages.first + i))) {
      unmap_span(m, b->asid, (span_t){pages.first, i});
      return rc;
    }
  actions_push_map(m, out, b);
  return GMMU_OK;
}

static int gpu_mmu_free(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out) {
  int rc = actions_reserve(m, out, n * ACTIONS_PER_UNMAP);
  for (size_t i = 0; !rc && i < n; i++)
    if (unmap_span(m, asid, pages[i])) actions_push_unmap(out, asid, pages[i]);
  return rc;
}

const mm_manager_ops_t mm_gpu_mmu = {
    .name = "gpu-mmu",
    .help = "base pages only, frames interleaved between applications",
    .alloc = gpu_mmu_alloc,
    .free = gpu_mmu_free,
};
