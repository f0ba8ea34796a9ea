/* mm_check: every invariant of the pool, the tables and the allocations, from the data alone. */
#include "mm/hashed.h"
#include "mm/manager.h"
#include <inttypes.h>

static int bad_frame(err_t *e, uint32_t frame, const char *what) {
  return err_set(e, GMMU_ECHECK, "frame %" PRIu32 ": %s", frame, what);
}

static int bad_space(err_t *e, uint32_t asid, uint64_t at, const char *what) {
  return err_set(e, GMMU_ECHECK, "space %" PRIu32 ", 0x%" PRIx64 ": %s", asid, at, what);
}

/* ---- frames ---- */

typedef struct {
  uint64_t data[GMMU_MAX_APPS], tables[GMMU_MAX_APPS], other;
} tally_t;

/* A used frame is a table's or nobody's, or backs the page its reverse map names. */
static int check_frame(const mm_t *m, uint32_t frame, tally_t *t, err_t *e) {
  uint8_t owner = pool_owner(&m->pool, frame);
  if ((owner == MM_OWNER_NONE) == stripes_taken(&m->pool.frames, frame))
    return bad_frame(e, frame, "the free set and the reverse map disagree");
  if (owner == MM_OWNER_NONE) return GMMU_OK;
  if (owner >= MM_OWNER_TABLE && owner < MM_OWNER_TABLE + m->spaces) {
    t->tables[owner - MM_OWNER_TABLE]++;
    return GMMU_OK;
  }
  if (owner == MM_OWNER_OTHER) {
    t->other++;
    return GMMU_OK;
  }
  if (owner >= m->spaces) return bad_frame(e, frame, "its owner does not exist");
  t->data[owner]++;
  ppn_t ppn;
  bool large;
  if (!mm_translate(m, owner, (vpn_t){pool_vpn(&m->pool, frame)}, &ppn, &large) || ppn.v != frame)
    return bad_frame(e, frame, "the page it should back is mapped elsewhere or not at all");
  return GMMU_OK;
}

static int check_large(const mm_t *m, uint32_t l, tally_t *t, err_t *e) {
  const pool_t *p = &m->pool;
  uint32_t used = 0, first = l << p->large_order;
  for (uint32_t f = first; f < first + pages_per_large(m); f++) {
    used += stripes_taken(&p->frames, f);
    int rc = check_frame(m, f, t, e);
    if (rc) return rc;
  }
  if (used != p->large[l].used) return bad_frame(e, first, "its large frame is miscounted");
  if (!used == stripes_taken(&p->larges, l) || !used != !p->large[l].owner)
    return bad_frame(e, first, "its large frame is free in one place and used in another");
  return GMMU_OK;
}

static int check_pool(const mm_t *m, err_t *e) {
  tally_t t = {0};
  if (!stripes_check(&m->pool.frames) || !stripes_check(&m->pool.larges))
    return err_set(e, GMMU_ECHECK, "the free sets are miscounted");
  for (uint32_t l = 0; l < m->pool.larges.count; l++) {
    int rc = check_large(m, l, &t, e);
    if (rc) return rc;
  }
  for (uint32_t a = 0; a < m->spaces; a++)
    if (t.data[a] != m->space[a].table.pages || t.tables[a] != m->space[a].table.frames)
      return bad_space(e, a, 0, "the pool has another number of its frames than its table");
  if (t.other != m->pool.other) return err_set(e, GMMU_ECHECK, "frames of others are miscounted");
  return GMMU_OK;
}

/* ---- tables ---- */

typedef struct {
  const mm_t *m;
  const pt_t *t;
  uint64_t pages, near, nodes[PT_CLASSES];
  err_t *e;
} tree_t;

/* Pages vpn .. vpn+count-1 lie in frame, frame+1, ..: the reverse map must say so. */
static int check_back(tree_t *c, uint64_t vpn, uint32_t frame, uint64_t count) {
  c->pages += count;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t f = frame + (uint32_t)i;
    if (f >= c->m->pool.frames.count || pool_owner(&c->m->pool, f) != c->t->asid ||
        pool_vpn(&c->m->pool, f) != vpn + i)
      return bad_space(c->e, c->t->asid, vpn + i, "its frame belongs to another page");
  }
  return GMMU_OK;
}

static int check_place(tree_t *c, const pt_node_t *n, uint64_t vpn) {
  const geo_t *g = c->t->geo;
  uint32_t frame = (uint32_t)(n->at.v >> g->base_shift);
  uint32_t shift = g->slot_shift[n->slab->node_class];
  uint32_t slot = (uint32_t)((n->at.v - ((uint64_t)frame << g->base_shift)) >> shift);
  if (frame != n->slab->frame || pool_owner(&c->m->pool, frame) != MM_OWNER_TABLE + c->t->asid)
    return bad_space(c->e, c->t->asid, vpn, "a node lies outside the table's frames");
  if (!(n->slab->taken[slot / 64] >> slot % 64 & 1))
    return bad_space(c->e, c->t->asid, vpn, "a node lies in a free slice");
  return GMMU_OK;
}

static int check_node(tree_t *c, const pt_node_t *n, uint32_t level, uint64_t vpn);

/* The table of medium pages beside that of base pages, from page vpn on. */
static int check_medium(tree_t *c, const pt_node_t *n, uint64_t vpn) {
  uint32_t used = 0, order = c->t->geo->medium_order;
  c->nodes[n->slab->node_class]++;
  int rc = check_place(c, n, vpn);
  for (uint32_t i = 0; !rc && i <= medium_mask(c->t->geo); i++) {
    pte_t leaf = node_ptes(n)[i];
    used += leaf != 0;
    if (leaf)
      rc = check_back(c, vpn + ((uint64_t)i << order), leaf & PTE_FRAME, UINT64_C(1) << order);
  }
  if (!rc && (!used || used != n->used))
    rc = bad_space(c->e, c->t->asid, vpn, "a table of medium pages is empty or miscounted");
  return rc;
}

/* Entry i of a node; *used counts those in use. */
static int check_entry(tree_t *c, const pt_node_t *n, uint32_t level, uint32_t i, uint64_t vpn,
                       uint32_t *used) {
  uint64_t reach = UINT64_C(1) << c->t->geo->level[level].shift;
  pde_t e = level ? node_pdes(n)[i] : 0;
  pte_t leaf = level ? 0 : node_ptes(n)[i];
  *used += e || leaf;
  if (e & PDE_LARGE) return check_back(c, vpn + i * reach, pde_frame(e), reach);
  pde_t beside = level == 1 && c->t->geo->dual ? node_pdes(n)[c->t->geo->level[1].mask + 1 + i] : 0;
  *used += beside != 0;
  int rc = beside ? check_medium(c, pde_node(beside), vpn + i * reach) : GMMU_OK;
  if (rc) return rc;
  if (e) return check_node(c, pde_node(e), level - 1, vpn + i * reach);
  return leaf ? check_back(c, vpn + i, leaf & PTE_FRAME, 1) : GMMU_OK;
}

/* The short cut of this node's range, if it is for that range, leads here. */
static int check_near(tree_t *c, const pt_node_t *n, uint64_t vpn) {
  uint64_t range = vpn >> c->t->geo->level[2].shift;
  const pt_near_t *near = &c->t->near[range % PT_NEAR];
  if (near->range != range) return GMMU_OK;
  c->near++;
  const geo_t *g = c->t->geo;
  const pt_node_t *above = pde_node(c->t->root);
  bool right = near->node == n, huge = false;
  for (uint32_t l = g->levels - 1; l > 1; l--) {
    uint32_t i = geo_index(g, vpn, l);
    right = right && near->above[g->levels - 1 - l].v == entry_at(g, above, l, i).v;
    huge = node_pdes(above)[i] & PDE_HUGE;
    above = pde_node(node_pdes(above)[i]);
  }
  return right && near->huge == huge ? GMMU_OK
                                     : bad_space(c->e, c->t->asid, vpn, "a short cut is wrong");
}

static int check_node(tree_t *c, const pt_node_t *n, uint32_t level, uint64_t vpn) {
  c->nodes[n->slab->node_class]++;
  int rc = check_place(c, n, vpn);
  if (!rc && level == 1) rc = check_near(c, n, vpn);
  uint32_t used = 0;
  for (uint32_t i = 0; !rc && i <= c->t->geo->level[level].mask; i++)
    rc = check_entry(c, n, level, i, vpn, &used);
  if (!rc && (!used || used != n->used))
    rc = bad_space(c->e, c->t->asid, vpn, "a node is empty or miscounted");
  return rc;
}

static int check_table(const mm_t *m, uint32_t asid, err_t *e) {
  const pt_t *t = &m->space[asid].table;
  tree_t c = {.m = m, .t = t, .e = e};
  int rc = t->root ? check_node(&c, pde_node(t->root), t->geo->levels - 1, 0) : GMMU_OK;
  if (rc) return rc;
  if (c.pages != t->pages) return bad_space(e, asid, 0, "its mapped pages are miscounted");
  for (uint32_t i = 0; i < PT_NEAR; i++) c.near -= t->near[i].range != UINT64_MAX;
  if (c.near) return bad_space(e, asid, 0, "a short cut leads to a node that is gone");
  uint64_t nodes = 0, frames = 0;
  for (uint32_t k = 0; k < PT_CLASSES; k++) {
    uint64_t room = 0, slots = geo_slots(t->geo, k);
    for (const pt_slab_t *s = t->open[k]; s; s = s->next) {
      room += slots - s->used;
      if (s->next && s->next->frame >= s->frame)
        return bad_space(e, asid, 0, "its table frames with room are out of order");
    }
    if (room != t->room[k]) return bad_space(e, asid, 0, "room in its table frames is miscounted");
    nodes += c.nodes[k], frames += (c.nodes[k] + room) / slots;
  }
  if (nodes != t->nodes) return bad_space(e, asid, 0, "its nodes are miscounted");
  if (frames != t->frames)
    return bad_space(e, asid, 0, "its table frames hold more or fewer nodes than the tree");
  return GMMU_OK;
}

/* ---- allocations ---- */

static uint64_t count_mapped(const mm_t *m, asid_t asid, uint64_t vpn, uint64_t end) {
  uint64_t n = 0;
  for (; (vpn = next_mapped(m, asid, vpn, end)) < end; vpn++) n++;
  return n;
}

/* One allocation, whose units from *done on are not counted yet: what it counts. */
static int check_alloc(const mm_t *m, asid_t asid, extent_t x, uint64_t *done, uint64_t *pages,
                       err_t *e) {
  uint32_t order = unit_order(m), shift = m->geo.base_shift + order;
  uint64_t first = x.start >> shift << order, end = (((x.end - 1) >> shift) + 1) << order;
  if (!x.lazy && count_mapped(m, asid, first, end) != end - first)
    return bad_space(e, asid, x.start, "part of the allocation is not mapped");
  if (first < *done) first = *done;
  if (first < end) *pages += count_mapped(m, asid, first, end);
  *done = end;
  return GMMU_OK;
}

/* Every page of an allocation that is not lazy is mapped; and of all of them as many as there are,
 * so no other is. */
static int check_allocs(const mm_t *m, uint32_t asid, err_t *e) {
  const space_t *s = &m->space[asid];
  uint64_t bytes = 0, pages = 0, done = 0;
  const extent_t *at, *before;
  for (extents_pos_t p = {0}; (at = extents_at(&s->alloc, p)); p = extents_behind(&s->alloc, p)) {
    extent_t x = *at;
    before = extents_before(&s->alloc, p);
    if (x.start >= x.end || (before && before->end > x.start))
      return bad_space(e, asid, x.start, "its allocations are out of order");
    at = extents_at(&s->alloc, extents_find(&s->alloc, x.start));
    if (!at || at->start != x.start) return bad_space(e, asid, x.start, "it is not to be found");
    int rc = check_alloc(m, (asid_t)asid, x, &done, &pages, e);
    if (rc) return rc;
    bytes += x.end - x.start;
  }
  if (bytes != s->bytes) return bad_space(e, asid, 0, "its allocated bytes are miscounted");
  if (pages != s->table.pages)
    return bad_space(e, asid, 0, "pages are mapped that no allocation touches");
  return GMMU_OK;
}

int mm_check(const mm_t *m, err_t *e) {
  int rc = check_pool(m, e);
  for (uint32_t a = 0; !rc && a < m->spaces; a++) {
    rc = check_table(m, a, e);
    if (!rc) rc = check_allocs(m, a, e);
  }
  if (!rc && m->hashed) rc = hashed_check(m, e);
  if (!rc && m->ops->check) rc = m->ops->check(m, e);
  return rc;
}
