/* The hot half: reading the page table. Nothing here writes or allocates. */
#include "mm/manager.h"

bool mm_translate(const mm_t *m, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large) {
  const geo_t *g = &m->geo;
  if (asid >= m->spaces || vpn.v >= g->vpns) return false;
  pde_t e = m->space[asid].table.root;
  uint32_t shift = g->root_shift;
  for (; shift; shift -= g->level_bits) {
    if (!e) return false;
    e = node_pdes(pde_node(e))[vpn.v >> shift & g->index_mask];
    if (e & PDE_LARGE) {
      *ppn = (ppn_t){pde_frame(e) + (vpn.v & ((UINT64_C(1) << shift) - 1))}, *large = true;
      return true;
    }
  }
  if (!e) return false;
  pte_t leaf = node_ptes(pde_node(e))[vpn.v & g->index_mask];
  if (!leaf) return false;
  *ppn = (ppn_t){leaf & PTE_FRAME}, *large = leaf & PTE_LARGE;
  return true;
}

void mm_walk(const mm_t *m, asid_t asid, vpn_t vpn, mm_walk_t *out) {
  const geo_t *g = &m->geo;
  out->levels = 0, out->large = false, out->ppn = (ppn_t){0};
  out->mapped = mm_translate(m, asid, vpn, &out->ppn, &out->large);
  if (asid >= m->spaces || vpn.v >= g->vpns) return;
  pde_t e = m->space[asid].table.root;
  for (uint32_t level = g->levels; e && !(e & PDE_LARGE) && level-- > 0;) {
    const pt_node_t *n = pde_node(e);
    uint32_t i = geo_index(g, vpn.v, level);
    out->entry[out->levels++] = (paddr_t){n->at.v + i * UINT64_C(8)};
    e = level ? node_pdes(n)[i] : 0;
  }
}
