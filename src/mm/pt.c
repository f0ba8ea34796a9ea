/* Page tables: a radix tree of host nodes, each bound to a node-sized slice of a simulated frame.
 *
 * Invariant: every node of the tree has at least one entry in use, and every slab at least one
 * node; so the tree and its frames are gone with the last mapping. The place of a new node depends
 * only on which places are taken: the first slab with room (highest frame first), its lowest free
 * slice, else a frame that the pool names. */
#include "mm/pt.h"
#include <assert.h>

/* Of the class with most slots to a frame. */
static size_t slab_bytes(const geo_t *g) {
  uint32_t slots = 0;
  for (uint32_t c = 0; c < PT_CLASSES; c++)
    if (geo_slots(g, c) > slots) slots = geo_slots(g, c);
  return sizeof(pt_slab_t) + (slots + 63) / 64 * sizeof(uint64_t);
}

static size_t leaf_bytes(uint32_t mask) {
  return sizeof(pt_node_t) + sizeof(pte_t) * ((size_t)mask + 1);
}

/* Of the largest above the leaf. */
static size_t node_bytes(const geo_t *g) {
  size_t entries = 1;
  for (uint32_t l = 1; l < g->levels; l++) {
    size_t n = ((size_t)g->level[l].mask + 1) << (l == 1 && g->dual);
    if (n > entries) entries = n;
  }
  return sizeof(pt_node_t) + entries * sizeof(pde_t);
}

void pt_stock_sizes(const geo_t *g, stock_t *s) {
  s->bytes[STOCK_LEAF] = leaf_bytes(g->level[0].mask);
  s->bytes[STOCK_MEDIUM] = g->dual ? leaf_bytes(medium_mask(g)) : 0;
  s->bytes[STOCK_NODE] = node_bytes(g);
  s->bytes[STOCK_SLAB] = slab_bytes(g);
}

static stock_kind_t node_kind(uint32_t level) { return level ? STOCK_NODE : STOCK_LEAF; }

/* ---- short cuts ---- */

static uint64_t near_range(const pt_t *t, uint64_t vpn) { return vpn >> t->geo->level[2].shift; }

static void near_add(pt_t *t, uint64_t vpn, pt_node_t *const *path) {
  const geo_t *g = t->geo;
  uint64_t range = near_range(t, vpn);
  pt_near_t *near = &t->near[range % PT_NEAR];
  *near = (pt_near_t){.range = range, .node = path[1]};
  for (uint32_t l = g->levels; l-- > 2;)
    near->above[g->levels - 1 - l] = entry_at(g, path[l], l, geo_index(g, vpn, l));
}

static void near_drop(pt_t *t, uint64_t vpn) {
  uint64_t range = near_range(t, vpn);
  pt_near_t *near = &t->near[range % PT_NEAR];
  if (near->range == range) *near = (pt_near_t){.range = UINT64_MAX};
}

void pt_init(pt_t *t, const geo_t *geo, pool_t *pool, asid_t asid) {
  *t = (pt_t){.geo = geo, .pool = pool, .asid = asid};
  for (uint32_t i = 0; i < PT_NEAR; i++) t->near[i].range = UINT64_MAX;
}

/* ---- slabs ---- */

static void open_insert(pt_t *t, pt_slab_t *s) {
  pt_slab_t **link = &t->open[s->node_class], *prev = NULL;
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
    t->open[s->node_class] = s->next;
}

static int slab_new(pt_t *t, uint32_t node_class) {
  uint32_t frame = pool_table_frame(t->pool, t->asid);
  if (frame == STRIPES_NONE) return GMMU_ENOSPACE;
  pt_slab_t *s = stock_take(&t->pool->stock, STOCK_SLAB);
  if (!s) return GMMU_ENOMEM;
  if (pool_claim(t->pool, frame, (uint8_t)(MM_OWNER_TABLE + t->asid), 0)) {
    stock_give(&t->pool->stock, STOCK_SLAB, s);
    return GMMU_ENOMEM;
  }
  s->frame = frame, s->node_class = node_class;
  t->frames++;
  t->room[node_class] += geo_slots(t->geo, node_class);
  open_insert(t, s);
  return GMMU_OK;
}

/* Takes the lowest free slice of the first open slab. */
static uint32_t slab_take(pt_t *t, pt_slab_t *s) {
  size_t w = 0;
  while (!~s->taken[w]) w++;
  uint32_t bit = (uint32_t)__builtin_ctzll(~s->taken[w]);
  s->taken[w] |= UINT64_C(1) << bit;
  t->room[s->node_class]--;
  if (++s->used == geo_slots(t->geo, s->node_class)) open_remove(t, s);
  return (uint32_t)w * 64 + bit;
}

static void slab_give(pt_t *t, pt_slab_t *s, uint32_t slot) {
  uint32_t slots = geo_slots(t->geo, s->node_class);
  bool was_full = s->used == slots;
  t->room[s->node_class]++;
  s->taken[slot / 64] &= ~(UINT64_C(1) << slot % 64);
  if (--s->used) {
    if (was_full) open_insert(t, s);
    return;
  }
  if (!was_full) open_remove(t, s);
  t->room[s->node_class] -= slots;
  pool_give(t->pool, s->frame);
  t->frames--;
  stock_give(&t->pool->stock, STOCK_SLAB, s);
}

/* ---- nodes ---- */

static int node_new(pt_t *t, stock_kind_t kind, uint32_t node_class, pt_node_t **out) {
  const geo_t *g = t->geo;
  pt_node_t *n = stock_take(&t->pool->stock, kind);
  if (!n) return GMMU_ENOMEM;
  int rc = t->open[node_class] ? GMMU_OK : slab_new(t, node_class);
  if (rc) {
    stock_give(&t->pool->stock, kind, n);
    return rc;
  }
  t->nodes++;
  n->slab = t->open[node_class];
  uint64_t slot = slab_take(t, n->slab);
  n->at.v = ((uint64_t)n->slab->frame << g->base_shift) + (slot << g->slot_shift[node_class]);
  *out = n;
  return GMMU_OK;
}

static void node_free(pt_t *t, pt_node_t *n, stock_kind_t kind) {
  const geo_t *g = t->geo;
  uint64_t in_frame = n->at.v - ((uint64_t)n->slab->frame << g->base_shift);
  slab_give(t, n->slab, (uint32_t)(in_frame >> g->slot_shift[n->slab->node_class]));
  stock_give(&t->pool->stock, kind, n);
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
    node_free(t, path[level], node_kind(level));
  }
}

/* The node of level `bottom` that covers vpn, made if absent, with those above it. */
static int node_for(pt_t *t, uint64_t vpn, uint32_t bottom, pt_node_t **out) {
  pt_node_t *path[MM_MAX_LEVELS];
  uint32_t level = path_to(t, vpn, bottom, path);
  while (level > bottom) {
    int rc =
        node_new(t, node_kind(level - 1), t->geo->level[level - 1].node_class, &path[level - 1]);
    if (rc) {
      prune(t, vpn, level, path);
      return rc;
    }
    level--;
    *link_of(t, vpn, level, path) = (pde_t)path[level];
    if (level + 1 < t->geo->levels) path[level + 1]->used++;
    if (level == 1) near_add(t, vpn, path);
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

int pt_map_large(pt_t *t, uint64_t vpn, uint32_t frame) {
  const geo_t *g = t->geo;
  pt_node_t *n;
  int rc = node_for(t, vpn, g->large_level, &n);
  if (rc) return rc;
  uint32_t first = geo_index(g, vpn, g->large_level), run = g->large_run;
  for (uint32_t i = 0; i < run; i++) {
    uint32_t f = frame + (i << g->level[g->large_level].shift);
    if (g->large_level)
      node_pdes(n)[first + i] = (pde_t)f << 3 | PDE_LARGE;
    else
      node_ptes(n)[first + i] = PTE_MAPPED | PTE_LARGE | f;
  }
  n->used += run;
  t->pages += UINT64_C(1) << g->large_order;
  t->large_pages += UINT64_C(1) << g->large_order;
  return GMMU_OK;
}

uint32_t pt_unmap_large(pt_t *t, uint64_t vpn) {
  const geo_t *g = t->geo;
  pt_node_t *path[MM_MAX_LEVELS];
  path_to(t, vpn, g->large_level, path);
  pt_node_t *n = path[g->large_level];
  uint32_t first = geo_index(g, vpn, g->large_level), run = g->large_run;
  uint32_t frame =
      g->large_level ? pde_frame(node_pdes(n)[first]) : node_ptes(n)[first] & PTE_FRAME;
  for (uint32_t i = 0; i < run; i++)
    if (g->large_level)
      node_pdes(n)[first + i] = 0;
    else
      node_ptes(n)[first + i] = 0;
  n->used -= run;
  t->pages -= UINT64_C(1) << g->large_order;
  t->large_pages -= UINT64_C(1) << g->large_order;
  prune(t, vpn, g->large_level, path);
  return frame;
}

/* ---- medium pages ---- */

/* The table of medium pages around vpn, made if absent. */
static int medium_for(pt_t *t, uint64_t vpn, pt_node_t **out) {
  const geo_t *g = t->geo;
  pt_node_t *path[MM_MAX_LEVELS], *above;
  int rc = node_for(t, vpn, 1, &above);
  if (rc) return rc;
  pde_t *e = pt_beside(g, above, vpn);
  if (!*e) {
    rc = node_new(t, STOCK_MEDIUM, 1, out);
    if (rc) {
      path_to(t, vpn, 1, path);
      prune(t, vpn, 1, path); /* those that were made for it */
      return rc;
    }
    *e = (pde_t)*out;
    above->used++;
  }
  *out = pde_node(*e);
  return GMMU_OK;
}

/* A run of leaf entries. */
static int map_fragment(pt_t *t, uint64_t vpn, uint32_t frame) {
  pt_node_t *leaf;
  int rc = node_for(t, vpn, 0, &leaf);
  for (uint32_t i = 0; !rc && i < 1u << t->geo->medium_order; i++) {
    pt_enter(t, leaf, vpn + i, frame + i);
    *pt_entry(t, leaf, vpn + i) |= PTE_MEDIUM;
  }
  return rc;
}

int pt_map_medium(pt_t *t, uint64_t vpn, uint32_t frame) {
  const geo_t *g = t->geo;
  pt_node_t *n;
  if (!g->dual) return map_fragment(t, vpn, frame);
  int rc = medium_for(t, vpn, &n);
  if (rc) return rc;
  node_ptes(n)[medium_index(g, vpn)] = PTE_MAPPED | PTE_MEDIUM | frame;
  n->used++;
  t->pages += UINT64_C(1) << g->medium_order;
  return GMMU_OK;
}

static uint32_t unmap_fragment(pt_t *t, uint64_t vpn) {
  pt_node_t *path[MM_MAX_LEVELS];
  path_to(t, vpn, 0, path);
  uint32_t frame = *pt_entry(t, path[0], vpn) & PTE_FRAME;
  for (uint32_t i = 0; i < 1u << t->geo->medium_order; i++) pt_clear(t, path[0], vpn + i);
  prune(t, vpn, 0, path);
  return frame;
}

uint32_t pt_unmap_medium(pt_t *t, uint64_t vpn) {
  const geo_t *g = t->geo;
  if (!g->dual) return unmap_fragment(t, vpn);
  pt_node_t *path[MM_MAX_LEVELS];
  path_to(t, vpn, 1, path);
  pde_t *e = pt_beside(g, path[1], vpn);
  pt_node_t *n = pde_node(*e);
  pte_t *leaf = &node_ptes(n)[medium_index(g, vpn)];
  uint32_t frame = *leaf & PTE_FRAME;
  assert(*leaf & PTE_MAPPED);
  *leaf = 0;
  t->pages -= UINT64_C(1) << g->medium_order;
  if (--n->used) return frame;
  *e = 0;
  path[1]->used--;
  node_free(t, n, STOCK_MEDIUM);
  prune(t, vpn, 1, path);
  return frame;
}

/* ---- huge pages ---- */

void pt_set_huge(pt_t *t, uint64_t vpn, bool on) {
  pt_node_t *path[MM_MAX_LEVELS];
  uint32_t level = t->geo->huge_level;
  assert(level == 2); /* what a short cut covers */
  path_to(t, vpn, level, path);
  pde_t *e = &node_pdes(path[level])[geo_index(t->geo, vpn, level)];
  *e = on ? *e | PDE_HUGE : *e & ~PDE_HUGE;
  pt_near_t *near = &t->near[near_range(t, vpn) % PT_NEAR];
  if (near->range == near_range(t, vpn)) near->huge = on;
}

/* Below a node of level 1. */
static uint32_t order_below(const pt_t *t, const pt_node_t *n, uint64_t vpn) {
  const geo_t *g = t->geo;
  pde_t e = node_pdes(n)[geo_index(g, vpn, 1)];
  if (e & PDE_LARGE) return g->large_order;
  pde_t beside = g->dual ? *pt_beside(g, n, vpn) : 0;
  if (beside && node_ptes(pde_node(beside))[medium_index(g, vpn)]) return g->medium_order;
  if (!e) return 0;
  pte_t leaf = *pt_entry(t, pde_node(e), vpn);
  return leaf & PTE_LARGE ? g->large_order : leaf & PTE_MEDIUM ? g->medium_order : 0;
}

uint32_t pt_order(const pt_t *t, uint64_t vpn) {
  const geo_t *g = t->geo;
  const pt_near_t *near = &t->near[near_range(t, vpn) % PT_NEAR];
  if (near->range == near_range(t, vpn))
    return near->huge ? g->huge_order : order_below(t, near->node, vpn);
  pde_t e = vpn < g->vpns ? t->root : 0;
  for (uint32_t level = g->levels - 1; e && level > 1; level--) {
    e = node_pdes(pde_node(e))[geo_index(g, vpn, level)];
    if (e & PDE_HUGE) return g->huge_order;
    if (e & PDE_LARGE) return g->large_order;
  }
  return e ? order_below(t, pde_node(e), vpn) : 0;
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
    below = (v | g->level[0].mask) + 1; /* where the next leaf begins */
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

/* The first medium page at or behind vpn in the tables beside those of base pages. */
static uint64_t next_medium(const geo_t *g, const pt_node_t *n, uint64_t vpn, uint64_t end) {
  pde_t beside = *pt_beside(g, n, vpn);
  for (uint64_t v = vpn; beside && v < end; v = ((v >> g->medium_order) + 1) << g->medium_order)
    if (node_ptes(pde_node(beside))[medium_index(g, v)]) return v;
  return end;
}

/* The first entry in use at or behind vpn's in this node; the page it covers first, or `end`. */
static uint64_t next_in(const pt_t *t, const pt_node_t *n, uint32_t level, uint64_t vpn,
                        uint64_t end) {
  const geo_t *g = t->geo;
  uint32_t shift = g->level[level].shift;
  uint64_t node_end = ((vpn >> shift | g->level[level].mask) + 1) << shift;
  for (uint64_t v = vpn; v < end && v < node_end; v = ((v >> shift) + 1) << shift) {
    uint32_t i = geo_index(g, v, level);
    if (!level && node_ptes(n)[i]) return v;
    pde_t e = level ? node_pdes(n)[i] : 0;
    if (e & PDE_LARGE) return v;
    uint64_t child_end = ((v >> shift) + 1) << shift;
    uint64_t found = e ? next_in(t, pde_node(e), level - 1, v, end) : child_end;
    if (level == 1 && g->dual) {
      uint64_t medium = next_medium(g, n, v, child_end < end ? child_end : end);
      if (medium < child_end && medium < end && (!e || medium < found)) return medium;
    }
    if (e && found < child_end) return found;
  }
  return node_end < end ? node_end : end;
}

uint64_t pt_next(const pt_t *t, uint64_t vpn, uint64_t end) {
  const pt_node_t *leaf = vpn < end && !t->geo->dual ? pt_near_leaf(t, vpn) : NULL;
  if (leaf) { /* what is left of it, without the way from the root */
    uint64_t leaf_end = (vpn | t->geo->level[0].mask) + 1, stop = leaf_end < end ? leaf_end : end;
    while (vpn < stop && !*pt_entry(t, leaf, vpn)) vpn++;
    if (vpn < stop) return vpn;
  }
  if (!t->root || vpn >= end) return end;
  return next_in(t, pde_node(t->root), t->geo->levels - 1, vpn, end);
}

static void missing_below(const pt_t *t, pde_t e, uint32_t level, uint64_t first, uint64_t last,
                          uint64_t n[2]) {
  const geo_t *g = t->geo;
  uint32_t shift = g->level[level].shift;
  if (!e) {
    for (uint32_t l = level + 1; l-- > 0;)
      n[l > 0] += (last >> g->level[l + 1].shift) - (first >> g->level[l + 1].shift) + 1;
    return;
  }
  for (uint64_t v = first; level && v <= last; v = ((v >> shift) + 1) << shift) {
    uint64_t child_last = v | ((UINT64_C(1) << shift) - 1);
    missing_below(t, node_pdes(pde_node(e))[geo_index(g, v, level)], level - 1, v,
                  child_last < last ? child_last : last, n);
  }
}

void pt_missing(const pt_t *t, uint64_t first, uint64_t last, uint64_t *leaves, uint64_t *uppers) {
  uint64_t n[2] = {0};
  uint32_t leaf_shift = t->geo->level[1].shift;
  bool one_leaf = first >> leaf_shift == last >> leaf_shift;
  if (!one_leaf || !pt_near_leaf(t, first))
    missing_below(t, t->root, t->geo->levels - 1, first, last, n);
  *leaves = n[0], *uppers = n[1];
}

uint64_t pt_new_frames(const pt_t *t, uint64_t leaves, uint64_t uppers) {
  uint64_t frames = 0;
  for (uint32_t c = 0; c < PT_CLASSES; c++) {
    uint64_t nodes = c ? 0 : uppers, slots = geo_slots(t->geo, c);
    if (t->geo->level[0].node_class == c) nodes += leaves;
    if (nodes > t->room[c]) frames += (nodes - t->room[c] + slots - 1) / slots;
  }
  return frames;
}

static void free_below(pt_t *t, pde_t e, uint32_t level) {
  const geo_t *g = t->geo;
  pt_node_t *n = pde_node(e);
  for (uint32_t i = 0; level && i <= g->level[level].mask; i++) {
    pde_t below = node_pdes(n)[i];
    if (below && !(below & PDE_LARGE)) free_below(t, below, level - 1);
    pde_t beside = level == 1 && g->dual ? node_pdes(n)[g->level[1].mask + 1 + i] : 0;
    if (beside) node_free(t, pde_node(beside), STOCK_MEDIUM);
  }
  node_free(t, n, node_kind(level));
}

void pt_fini(pt_t *t) {
  if (t->root) free_below(t, t->root, t->geo->levels - 1);
  t->root = 0;
}
