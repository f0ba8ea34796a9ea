/* Page tables: a radix tree of host nodes, each bound to a node-sized slice of a simulated frame.
 *
 * Invariant: every node of the tree has at least one entry in use, and every slab at least one
 * node; so the tree and its frames are gone with the last mapping. The place of a new node depends
 * only on which places are taken: the first slab with room (highest frame first), its lowest free
 * slice, else a frame that the pool names. */
#include "mm/pt.h"
#include <assert.h>

static size_t slab_words(const geo_t *g) { return (geo_slots(g) + 63) / 64; }

static size_t slab_bytes(const geo_t *g) {
  return sizeof(pt_slab_t) + slab_words(g) * sizeof(uint64_t);
}

static size_t node_bytes(const geo_t *g, uint32_t level) {
  return sizeof(pt_node_t) + ((level ? sizeof(pde_t) : sizeof(pte_t)) << g->level_bits);
}

void pt_stock_sizes(const geo_t *g, stock_t *s) {
  s->bytes[STOCK_LEAF] = node_bytes(g, 0);
  s->bytes[STOCK_NODE] = node_bytes(g, 1);
  s->bytes[STOCK_SLAB] = slab_bytes(g);
}

static stock_kind_t node_kind(uint32_t level) { return level ? STOCK_NODE : STOCK_LEAF; }

/* ---- short cuts ---- */

static uint64_t near_range(const pt_t *t, uint64_t vpn) { return vpn >> 2 * t->geo->level_bits; }

static void near_add(pt_t *t, uint64_t vpn, const pt_node_t *n) {
  uint64_t range = near_range(t, vpn);
  t->near[range % PT_NEAR] = (pt_near_t){range, n};
}

static void near_drop(pt_t *t, uint64_t vpn) {
  uint64_t range = near_range(t, vpn);
  pt_near_t *near = &t->near[range % PT_NEAR];
  if (near->range == range) *near = (pt_near_t){UINT64_MAX, NULL};
}

void pt_init(pt_t *t, const geo_t *geo, pool_t *pool, asid_t asid) {
  *t = (pt_t){.geo = geo, .pool = pool, .asid = asid};
  for (uint32_t i = 0; i < PT_NEAR; i++) t->near[i].range = UINT64_MAX;
}

/* ---- slabs ---- */

static void open_insert(pt_t *t, pt_slab_t *s) {
  pt_slab_t **link = &t->open, *prev = NULL;
  while (*link && (*link)->frame > s->frame) prev = *link, link = &prev->next;
  s->next = *link, s->prev = prev;
  if (s->next) s->next->prev = s;
  *link = s;
}

static void open_remove(pt_t *t, pt_slab_t *s) {
  if (s->next) s->next->prev = s->prev;
  if (s->prev)
    s->prev->next = s->next;
  else
    t->open = s->next;
}

static int slab_new(pt_t *t) {
  uint32_t frame = pool_table_frame(t->pool, t->asid);
  if (frame == STRIPES_NONE) return GMMU_ENOSPACE;
  pt_slab_t *s = stock_take(&t->pool->stock, STOCK_SLAB);
  if (!s) return GMMU_ENOMEM;
  if (pool_claim(t->pool, frame, (uint8_t)(MM_OWNER_TABLE + t->asid), 0)) {
    stock_give(&t->pool->stock, STOCK_SLAB, s);
    return GMMU_ENOMEM;
  }
  s->frame = frame;
  t->frames++;
  open_insert(t, s);
  return GMMU_OK;
}

/* Takes the lowest free slice of the first open slab. */
static uint32_t slab_take(pt_t *t, pt_slab_t *s) {
  size_t w = 0;
  while (!~s->taken[w]) w++;
  uint32_t bit = (uint32_t)__builtin_ctzll(~s->taken[w]);
  s->taken[w] |= UINT64_C(1) << bit;
  if (++s->used == geo_slots(t->geo)) open_remove(t, s);
  return (uint32_t)w * 64 + bit;
}

static void slab_give(pt_t *t, pt_slab_t *s, uint32_t slot) {
  bool was_full = s->used == geo_slots(t->geo);
  s->taken[slot / 64] &= ~(UINT64_C(1) << slot % 64);
  if (--s->used) {
    if (was_full) open_insert(t, s);
    return;
  }
  if (!was_full) open_remove(t, s);
  pool_give(t->pool, s->frame);
  t->frames--;
  stock_give(&t->pool->stock, STOCK_SLAB, s);
}

/* ---- nodes ---- */

static int node_new(pt_t *t, uint32_t level, pt_node_t **out) {
  const geo_t *g = t->geo;
  pt_node_t *n = stock_take(&t->pool->stock, node_kind(level));
  if (!n) return GMMU_ENOMEM;
  int rc = t->open ? GMMU_OK : slab_new(t);
  if (rc) {
    stock_give(&t->pool->stock, node_kind(level), n);
    return rc;
  }
  t->nodes++;
  n->slab = t->open;
  uint64_t slot = slab_take(t, n->slab);
  n->at.v = ((uint64_t)n->slab->frame << g->base_shift) + (slot << g->node_shift);
  *out = n;
  return GMMU_OK;
}

static void node_free(pt_t *t, pt_node_t *n, uint32_t level) {
  const geo_t *g = t->geo;
  uint64_t in_frame = n->at.v - ((uint64_t)n->slab->frame << g->base_shift);
  slab_give(t, n->slab, (uint32_t)(in_frame >> g->node_shift));
  stock_give(&t->pool->stock, node_kind(level), n);
  t->nodes--;
}

/* The nodes on the way to vpn, path[level], from the root down to `bottom` or where the way ends.
 * Returns the lowest level reached, `levels` if there is no root. */
static uint32_t path_to(const pt_t *t, uint64_t vpn, uint32_t bottom, pt_node_t **path) {
  uint32_t level = t->geo->levels;
  for (pde_t e = t->root; e && level > bottom;) {
    path[--level] = pde_node(e);
    if (level > bottom) e = node_pdes(path[level])[geo_index(t->geo, vpn, level)];
  }
  return level;
}

static pde_t *link_of(pt_t *t, uint64_t vpn, uint32_t level, pt_node_t **path) {
  if (level + 1 == t->geo->levels) return &t->root;
  return &node_pdes(path[level + 1])[geo_index(t->geo, vpn, level + 1)];
}

/* Frees the nodes of the path that have no entry left, from `level` upwards. */
static void prune(pt_t *t, uint64_t vpn, uint32_t level, pt_node_t **path) {
  for (; level < t->geo->levels && !path[level]->used; level++) {
    *link_of(t, vpn, level, path) = 0;
    if (level + 1 < t->geo->levels) path[level + 1]->used--;
    if (level == 1) near_drop(t, vpn);
    node_free(t, path[level], level);
  }
}

/* The node of level `bottom` that covers vpn, made if absent, with those above it. */
static int node_for(pt_t *t, uint64_t vpn, uint32_t bottom, pt_node_t **out) {
  pt_node_t *path[MM_MAX_LEVELS];
  uint32_t level = path_to(t, vpn, bottom, path);
  while (level > bottom) {
    int rc = node_new(t, level - 1, &path[level - 1]);
    if (rc) {
      prune(t, vpn, level, path);
      return rc;
    }
    level--;
    *link_of(t, vpn, level, path) = (pde_t)path[level];
    if (level + 1 < t->geo->levels) path[level + 1]->used++;
    if (level == 1) near_add(t, vpn, path[1]);
  }
  *out = path[bottom];
  return GMMU_OK;
}

/* ---- mappings ---- */

int pt_map_new(pt_t *t, uint64_t vpn, uint32_t frame) {
  pt_node_t *leaf;
  int rc = node_for(t, vpn, 0, &leaf);
  if (!rc) pt_enter(t, leaf, vpn, frame);
  return rc;
}

uint32_t pt_unmap_last(pt_t *t, uint64_t vpn) {
  pt_node_t *path[MM_MAX_LEVELS];
  path_to(t, vpn, 0, path);
  uint32_t frame = pt_clear(t, path[0], vpn);
  prune(t, vpn, 0, path);
  return frame;
}

/* Entries that make up a large page, all in one node: their number is a power of two that divides
 * the node's. */
static uint32_t large_run(const geo_t *g) {
  return 1u << (g->large_order - g->large_level * g->level_bits);
}

int pt_map_large(pt_t *t, uint64_t vpn, uint32_t frame) {
  const geo_t *g = t->geo;
  pt_node_t *n;
  int rc = node_for(t, vpn, g->large_level, &n);
  if (rc) return rc;
  uint32_t first = geo_index(g, vpn, g->large_level), run = large_run(g);
  for (uint32_t i = 0; i < run; i++) {
    uint32_t f = frame + (i << g->large_level * g->level_bits);
    if (g->large_level)
      node_pdes(n)[first + i] = (pde_t)f << 2 | PDE_LARGE;
    else
      node_ptes(n)[first + i] = PTE_MAPPED | PTE_LARGE | f;
  }
  n->used += run;
  t->pages += UINT64_C(1) << g->large_order;
  return GMMU_OK;
}

uint32_t pt_unmap_large(pt_t *t, uint64_t vpn) {
  const geo_t *g = t->geo;
  pt_node_t *path[MM_MAX_LEVELS];
  path_to(t, vpn, g->large_level, path);
  pt_node_t *n = path[g->large_level];
  uint32_t first = geo_index(g, vpn, g->large_level), run = large_run(g);
  uint32_t frame =
      g->large_level ? pde_frame(node_pdes(n)[first]) : node_ptes(n)[first] & PTE_FRAME;
  for (uint32_t i = 0; i < run; i++)
    if (g->large_level)
      node_pdes(n)[first + i] = 0;
    else
      node_ptes(n)[first + i] = 0;
  n->used -= run;
  t->pages -= UINT64_C(1) << g->large_order;
  prune(t, vpn, g->large_level, path);
  return frame;
}

/* ---- coalesced pages ---- */

void pt_move(pt_t *t, uint64_t vpn, uint32_t frame) {
  pt_node_t *path[MM_MAX_LEVELS] = {pt_near_leaf(t, vpn)};
  if (!path[0]) path_to(t, vpn, 0, path);
  pte_t *e = pt_entry(t, path[0], vpn);
  assert(*e & PTE_MAPPED);
  *e = (*e & ~PTE_FRAME) | frame;
}

static void set_flag(pde_t *e, bool on) { *e = on ? *e | PDE_COALESCED : *e & ~PDE_COALESCED; }

void pt_set_coalesced(pt_t *t, uint64_t vpn, uint64_t count, bool on) {
  const geo_t *g = t->geo;
  uint64_t end = vpn + count, below;
  for (uint64_t v = vpn; v < end; v = below) {
    pt_node_t *path[MM_MAX_LEVELS];
    below = (v | g->index_mask) + 1; /* where the next leaf begins */
    if (path_to(t, v, 0, path)) continue;
    uint32_t large = g->large_level;
    if (large) set_flag(&node_pdes(path[large])[geo_index(g, v, large)], on);
    for (uint64_t w = v; w < below && w < end; w++) {
      pte_t *e = pt_entry(t, path[0], w);
      if (*e) *e = on ? *e | PTE_LARGE : *e & ~PTE_LARGE;
    }
  }
}

/* ---- what is there ---- */

/* The first entry in use at or behind vpn's in this node; the page it covers first, or `end`. */
static uint64_t next_in(const pt_t *t, const pt_node_t *n, uint32_t level, uint64_t vpn,
                        uint64_t end) {
  uint32_t shift = level * t->geo->level_bits;
  uint64_t node_end = ((vpn >> shift | t->geo->index_mask) + 1) << shift;
  for (uint64_t v = vpn; v < end && v < node_end; v = ((v >> shift) + 1) << shift) {
    uint32_t i = geo_index(t->geo, v, level);
    if (!level && node_ptes(n)[i]) return v;
    pde_t e = level ? node_pdes(n)[i] : 0;
    if (e & PDE_LARGE) return v;
    uint64_t child_end = ((v >> shift) + 1) << shift;
    uint64_t found = e ? next_in(t, pde_node(e), level - 1, v, end) : child_end;
    if (e && found < child_end) return found;
  }
  return node_end < end ? node_end : end;
}

uint64_t pt_next(const pt_t *t, uint64_t vpn, uint64_t end) {
  const pt_node_t *leaf = vpn < end ? pt_near_leaf(t, vpn) : NULL;
  if (leaf) { /* what is left of it, without the way from the root */
    uint64_t leaf_end = (vpn | t->geo->index_mask) + 1, stop = leaf_end < end ? leaf_end : end;
    while (vpn < stop && !*pt_entry(t, leaf, vpn)) vpn++;
    if (vpn < stop) return vpn;
  }
  if (!t->root || vpn >= end) return end;
  return next_in(t, pde_node(t->root), t->geo->levels - 1, vpn, end);
}

static void missing_below(const pt_t *t, pde_t e, uint32_t level, uint64_t first, uint64_t last,
                          uint64_t n[2]) {
  uint32_t bits = t->geo->level_bits, shift = level * bits;
  if (!e) {
    for (uint32_t l = level + 1; l-- > 0;)
      n[l > 0] += (last >> l * bits >> bits) - (first >> l * bits >> bits) + 1;
    return;
  }
  for (uint64_t v = first; level && v <= last; v = ((v >> shift) + 1) << shift) {
    uint64_t child_last = v | ((UINT64_C(1) << shift) - 1);
    missing_below(t, node_pdes(pde_node(e))[geo_index(t->geo, v, level)], level - 1, v,
                  child_last < last ? child_last : last, n);
  }
}

void pt_missing(const pt_t *t, uint64_t first, uint64_t last, uint64_t *leaves, uint64_t *uppers) {
  uint64_t n[2] = {0};
  bool one_leaf = first >> t->geo->level_bits == last >> t->geo->level_bits;
  if (!one_leaf || !pt_near_leaf(t, first))
    missing_below(t, t->root, t->geo->levels - 1, first, last, n);
  *leaves = n[0], *uppers = n[1];
}

uint64_t pt_new_frames(const pt_t *t, uint64_t nodes) {
  uint64_t slots = geo_slots(t->geo), room = t->frames * slots - t->nodes;
  return nodes > room ? (nodes - room + slots - 1) / slots : 0;
}

static void free_below(pt_t *t, pde_t e, uint32_t level) {
  pt_node_t *n = pde_node(e);
  for (uint32_t i = 0; level && i <= t->geo->index_mask; i++) {
    pde_t below = node_pdes(n)[i];
    if (below && !(below & PDE_LARGE)) free_below(t, below, level - 1);
  }
  node_free(t, n, level);
}

void pt_fini(pt_t *t) {
  if (t->root) free_below(t, t->root, t->geo->levels - 1);
  t->root = 0;
}
