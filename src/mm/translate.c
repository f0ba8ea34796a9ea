/* The hot half: reading the page table. Nothing here writes or allocates. */
#include "mm/hashed.h"
#include "mm/manager.h"
#include <string.h>

/* The table of medium pages beside that of base pages, below the node of level 1. */
static bool translate_medium(const geo_t *g, const pt_node_t *n, uint64_t vpn, ppn_t *ppn,
                             bool *large) {
  pde_t beside = *pt_beside(g, n, vpn);
  pte_t leaf = beside ? node_ptes(pde_node(beside))[medium_index(g, vpn)] : 0;
  uint64_t inside = vpn & ((UINT64_C(1) << g->medium_order) - 1);
  if (leaf) *ppn = (ppn_t){(leaf & PTE_FRAME) + inside}, *large = false;
  return leaf;
}

/* From the root down, for what the short cut does not know. Kept out of the short way, which it
 * would cost registers. */
__attribute__((noinline)) static bool translate_far(const mm_t *m, const pt_t *t, uint64_t vpn,
                                                    ppn_t *ppn, bool *large) {
  const geo_t *g = &m->geo;
  pde_t e = vpn < g->vpns ? t->root : 0;
  const pt_node_t *n = NULL;
  for (uint32_t level = g->levels - 1; e && level; level--) {
    n = pde_node(e);
    e = node_pdes(n)[geo_index(g, vpn, level)];
    if (!(e & PDE_LARGE)) continue;
    uint64_t reach = UINT64_C(1) << g->level[level].shift;
    *ppn = (ppn_t){pde_frame(e) + (vpn & (reach - 1))}, *large = true;
    return true;
  }
  pte_t leaf = e ? node_ptes(pde_node(e))[geo_index(g, vpn, 0)] : 0;
  if (leaf) *ppn = (ppn_t){leaf & PTE_FRAME}, *large = leaf & PTE_LARGE;
  return leaf;
}

/* With dual entries the short cut leads to the node that has both tables. */
__attribute__((noinline)) static bool translate_dual(const mm_t *m, const pt_t *t, uint64_t vpn,
                                                     ppn_t *ppn, bool *large) {
  const geo_t *g = &m->geo;
  pde_t e = vpn < g->vpns ? t->root : 0;
  for (uint32_t level = g->levels - 1; e && level > 1; level--)
    e = node_pdes(pde_node(e))[geo_index(g, vpn, level)];
  if (e && translate_medium(g, pde_node(e), vpn, ppn, large)) return true;
  return translate_far(m, t, vpn, ppn, large);
}

bool mm_translate(const mm_t *m, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large) {
  if (asid >= m->spaces) return false;
  const pt_t *t = &m->space[asid].table;
  const geo_t *g = &m->geo;
  uint64_t range = vpn.v >> g->level[2].shift;
  const pt_near_t *near = &t->near[range % PT_NEAR];
  if (near->range != range)
    return g->dual ? translate_dual(m, t, vpn.v, ppn, large)
                   : translate_far(m, t, vpn.v, ppn, large);
  pde_t e = node_pdes(near->node)[vpn.v >> g->level[1].shift & g->level[1].mask];
  if (e & PDE_LARGE) {
    uint64_t reach = UINT64_C(1) << g->level[1].shift;
    *ppn = (ppn_t){pde_frame(e) + (vpn.v & (reach - 1))}, *large = true;
    return true;
  }
  pte_t leaf = e ? node_ptes(pde_node(e))[vpn.v & g->level[0].mask] : 0;
  if (!leaf) return g->dual && translate_medium(g, near->node, vpn.v, ppn, large);
  *ppn = (ppn_t){leaf & PTE_FRAME}, *large = leaf & PTE_LARGE;
  return true;
}

uint32_t mm_page_order(const mm_t *m, asid_t asid, vpn_t vpn) {
  return asid < m->spaces ? pt_order(&m->space[asid].table, vpn.v) : 0;
}

/* The way on from an entry of a coalesced page: the first entries are read, which name the same
 * frame. Apart, so that the usual walk is short. */
static __attribute__((noinline)) void walk_coalesced(const geo_t *g, vpn_t vpn, pde_t e,
                                                     uint32_t level, mm_walk_t *out) {
  while (e && !(e & PDE_LARGE) && level-- > 0) {
    const pt_node_t *n = pde_node(e);
    uint32_t i = !level || node_pdes(n)[0] ? 0 : geo_index(g, vpn.v, level);
    out->entry[out->levels++] = entry_at(g, n, level, i);
    e = level ? node_pdes(n)[i] : 0;
  }
}

/* With dual entries: the entry of the table of medium pages is the last one read, if it maps or
 * there is no table of base pages. */
static void walk_medium(const mm_t *m, asid_t asid, uint64_t vpn, mm_walk_t *out) {
  const geo_t *g = &m->geo;
  pde_t e = m->space[asid].table.root;
  for (uint32_t level = g->levels - 1; level > 1; level--)
    e = node_pdes(pde_node(e))[geo_index(g, vpn, level)];
  pde_t beside = *pt_beside(g, pde_node(e), vpn);
  if (!beside) return;
  uint32_t i = medium_index(g, vpn);
  const pt_node_t *n = pde_node(beside);
  if (node_ptes(n)[i] || out->levels < g->levels) out->entry[g->levels - 1] = entry_at(g, n, 0, i);
  out->levels = g->levels;
  out->mapped = mm_translate(m, asid, (vpn_t){vpn}, &out->ppn, &out->large);
}

/* A walk that ends above the leaves, or is coalesced. */
static __attribute__((noinline)) void walk_short(const mm_t *m, asid_t asid, vpn_t vpn, pde_t e,
                                                 mm_walk_t *out) {
  out->mapped = mm_translate(m, asid, vpn, &out->ppn, &out->large);
  if (e & PDE_COALESCED) walk_coalesced(&m->geo, vpn, e, m->geo.levels - out->levels, out);
  if (!e && m->geo.dual && out->levels == m->geo.levels - 1) walk_medium(m, asid, vpn.v, out);
}

/* From the root down. */
static __attribute__((noinline)) void walk_far(const mm_t *m, asid_t asid, vpn_t vpn,
                                               mm_walk_t *out) {
  const geo_t *g = &m->geo;
  out->levels = 0, out->mapped = out->large = false, out->ppn = (ppn_t){0}, out->probes = 0;
  if (asid >= m->spaces || vpn.v >= g->vpns) return;
  if (m->hashed && hashed_walk(m, asid, vpn.v, out)) {
    out->mapped = mm_translate(m, asid, vpn, &out->ppn, &out->large);
    return;
  }
  pde_t e = m->space[asid].table.root;
  uint32_t level = g->levels, read = out->levels;
  while (e && !(e & (PDE_LARGE | PDE_COALESCED | PDE_HUGE))) {
    const pt_node_t *n = pde_node(e);
    uint32_t i = geo_index(g, vpn.v, --level);
    out->entry[read++] = entry_at(g, n, level, i);
    if (!level) {
      pte_t leaf = node_ptes(n)[i];
      out->levels = read, out->mapped = leaf != 0, out->large = leaf & PTE_LARGE;
      out->ppn = (ppn_t){leaf & PTE_FRAME};
      if (!leaf && g->dual) walk_medium(m, asid, vpn.v, out);
      return;
    }
    e = node_pdes(n)[i];
  }
  out->levels = read;
  walk_short(m, asid, vpn, e, out);
}

/* Fast path: the short cut knows the way to level 1, and the walk ends at a leaf. */
void mm_walk(const mm_t *m, asid_t asid, vpn_t vpn, mm_walk_t *out) {
  const geo_t *g = &m->geo;
  if (asid < m->spaces && g->low) {
    uint64_t range = vpn.v >> g->level[2].shift;
    const pt_near_t *near = &m->space[asid].table.near[range % PT_NEAR];
    const pt_node_t *n = near->node, *below;
    uint32_t i = geo_index(g, vpn.v, 1), k = (uint32_t)vpn.v & g->level[0].mask, levels = g->levels;
    pde_t e = near->range == range ? node_pdes(n)[i] : 0;
    below = e & (PDE_LARGE | PDE_COALESCED) ? NULL : pde_node(e);
    pte_t leaf = below ? node_ptes(below)[k] : 0;
    if (leaf) {
      paddr_t upper = entry_at(g, n, 1, i), lower = entry_at(g, below, 0, k);
      memcpy(out->entry, near->above, sizeof near->above);
      out->entry[levels - 2] = upper, out->entry[levels - 1] = lower;
      out->levels = levels, out->mapped = true, out->large = leaf & PTE_LARGE;
      out->ppn = (ppn_t){leaf & PTE_FRAME};
      return;
    }
  }
  walk_far(m, asid, vpn, out);
}
