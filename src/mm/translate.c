/* The hot half: reading the page table. Nothing here writes or allocates. */
#include "mm/manager.h"

/* From the root down, for what the short cut does not know. Kept out of the short way, which it
 * would cost registers. */
__attribute__((noinline)) static bool translate_far(const mm_t *m, const pt_t *t, uint64_t vpn,
                                                    ppn_t *ppn, bool *large) {
  const geo_t *g = &m->geo;
  pde_t e = vpn < g->vpns ? t->root : 0;
  for (uint32_t level = g->levels - 1; e && level; level--) {
    e = node_pdes(pde_node(e))[geo_index(g, vpn, level)];
    if (!(e & PDE_LARGE)) continue;
    uint64_t reach = UINT64_C(1) << level * g->level_bits;
    *ppn = (ppn_t){pde_frame(e) + (vpn & (reach - 1))}, *large = true;
    return true;
  }
  pte_t leaf = e ? node_ptes(pde_node(e))[geo_index(g, vpn, 0)] : 0;
  if (leaf) *ppn = (ppn_t){leaf & PTE_FRAME}, *large = leaf & PTE_LARGE;
  return leaf;
}

bool mm_translate(const mm_t *m, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large) {
  if (asid >= m->spaces) return false;
  const pt_t *t = &m->space[asid].table;
  uint32_t bits = m->geo.level_bits, mask = m->geo.index_mask;
  uint64_t region = vpn.v >> bits, range = region >> bits;
  const pt_near_t *near = &t->near[range % PT_NEAR];
  if (near->range != range) return translate_far(m, t, vpn.v, ppn, large);
  pde_t e = node_pdes(near->node)[region & mask];
  if (!e) return false;
  if (e & PDE_LARGE) {
    *ppn = (ppn_t){pde_frame(e) + (vpn.v & mask)}, *large = true;
    return true;
  }
  pte_t leaf = node_ptes(pde_node(e))[vpn.v & mask];
  if (!leaf) return false;
  *ppn = (ppn_t){leaf & PTE_FRAME}, *large = leaf & PTE_LARGE;
  return true;
}

/* The way on from an entry of a coalesced page: the first entries are read, which name the same
 * frame. Apart, so that the usual walk is short. */
static __attribute__((noinline)) void walk_coalesced(const geo_t *g, vpn_t vpn, pde_t e,
                                                     uint32_t level, mm_walk_t *out) {
  while (e && !(e & PDE_LARGE) && level-- > 0) {
    const pt_node_t *n = pde_node(e);
    uint32_t i = !level || node_pdes(n)[0] ? 0 : geo_index(g, vpn.v, level);
    out->entry[out->levels++] = (paddr_t){n->at.v + i * UINT64_C(8)};
    e = level ? node_pdes(n)[i] : 0;
  }
}

/* A walk that ends above the leaves, or is coalesced. */
static __attribute__((noinline)) void walk_short(const mm_t *m, asid_t asid, vpn_t vpn, pde_t e,
                                                 mm_walk_t *out) {
  out->mapped = mm_translate(m, asid, vpn, &out->ppn, &out->large);
  if (e & PDE_COALESCED) walk_coalesced(&m->geo, vpn, e, m->geo.levels - out->levels, out);
}

void mm_walk(const mm_t *m, asid_t asid, vpn_t vpn, mm_walk_t *out) {
  const geo_t *g = &m->geo;
  out->levels = 0, out->mapped = out->large = false, out->ppn = (ppn_t){0};
  if (asid >= m->spaces || vpn.v >= g->vpns) return;
  pde_t e = m->space[asid].table.root;
  uint32_t shift = g->root_shift, read = 0;
  while (e && !(e & (PDE_LARGE | PDE_COALESCED))) {
    const pt_node_t *n = pde_node(e);
    uint32_t i = (uint32_t)(vpn.v >> shift) & g->index_mask;
    out->entry[read++] = (paddr_t){n->at.v + i * UINT64_C(8)};
    if (read == g->levels) {
      pte_t leaf = node_ptes(n)[i];
      out->levels = read, out->mapped = leaf != 0, out->large = leaf & PTE_LARGE;
      out->ppn = (ppn_t){leaf & PTE_FRAME};
      return;
    }
    e = node_pdes(n)[i];
    shift -= g->level_bits;
  }
  out->levels = read;
  walk_short(m, asid, vpn, e, out);
}
