/* GPU-MMU, the baseline of the Mosaic paper (sections 1 and 3, after Power et al.): base pages
 * only, and the frames of a large frame go to the applications in turn, so that none of them ever
 * has a contiguous large frame (their Figure 1a).
 *
 * Which frame a page gets is settled when it is allocated: the lowest free one of the space's
 * stripe. As long as no stripe runs dry, it does not depend on what other spaces did, or when. */
#include "mm/manager.h"

static uint32_t own_stripe(mm_t *m, asid_t asid) { return stripes_lowest(&m->pool.frames, asid); }

static int gpu_mmu_alloc(mm_t *m, const back_t *b, mm_actions_t *out) {
  return map_chosen(m, b, own_stripe, m->pool.frames.free_total, out);
}

const mm_manager_ops_t mm_gpu_mmu = {
    .name = "gpu-mmu",
    .help = "base pages only, frames interleaved between applications",
    .alloc = gpu_mmu_alloc,
    .free = unmap_spans,
};
