#ifndef GMMU_MM_PT_H
#define GMMU_MM_PT_H
/* The radix page table of one space, mirrored on the host: each node knows where it lies in
 * simulated memory. Level 0 is the leaf. */
#include "gmmu/mm.h"
#include "mm/pool.h"
#include <assert.h>

/* What follows from an mm_spec_t, once. Shifts of indices are in vpn bits. */
#define PT_CLASSES 2 /* sizes of nodes */
typedef struct {
  uint64_t vpns;   /* pages of a space */
  uint32_t levels; /* depth */
  struct {
    uint32_t shift;       /* of the index; one more level than there are: what the root covers */
    uint32_t mask;        /* of the index */
    uint32_t entry_shift; /* log2 of the bytes of an entry */
    uint32_t node_class;  /* its size is slot_shift[node_class] */
  } level[MM_MAX_LEVELS + 1];
  uint32_t slot_shift[PT_CLASSES]; /* log2 of the bytes that a node takes */
  uint32_t base_shift;             /* log2(base_bytes) */
  uint32_t large_order;            /* log2(large_bytes / base_bytes) */
  uint32_t large_level;            /* of the entries that map a large page */
  uint32_t large_run;              /* such entries of a large page, all in one node */
  /* Of a format with more than two sizes of pages (mm/format.h); 0: there is no such size. */
  uint32_t medium_order; /* below a large page */
  bool dual; /* tables of medium pages lie beside those of base pages: an entry above the leaf has
                two pointers. Else a medium page is a run of leaf entries */
  uint32_t huge_order, huge_level; /* above a large page, and the level that maps it */
  bool low; /* entries above level 1 only point: no walk ends there, or goes another way */
} geo_t;

/* A frame that holds nodes of the table, as many as fit. */
typedef struct pt_slab {
  struct pt_slab *prev, *next; /* in the list of those with room */
  uint32_t frame, used, node_class;
  uint64_t taken[]; /* bit per node */
} pt_slab_t;

/* Behind the header: pte_t[] in a leaf, pde_t[] above. With dual entries level 1 has twice as many:
 * behind the usual ones the pointers to tables of medium pages. */
typedef struct {
  paddr_t at; /* of entry 0 */
  pt_slab_t *slab;
  uint32_t used; /* entries that map or point; a node with none does not exist */
} pt_node_t;

/* Leaf entry, 0 if unmapped. PTE_LARGE is Mosaic's disabled bit too: a translation made of this
 * entry holds for the large page around it. */
typedef uint32_t pte_t;
#define PTE_MAPPED (UINT32_C(1) << 31)
#define PTE_LARGE  (UINT32_C(1) << 30) /* of a coalesced page, or a run of leaf entries */
#define PTE_MEDIUM (UINT32_C(1) << 29) /* of a medium page */
#define PTE_FRAME  (POOL_MAX_FRAMES - 1)

/* Entry above the leaf: 0, a pointer to the next node, or the first frame of what it maps. */
typedef uintptr_t pde_t;
#define PDE_LARGE     ((pde_t)1) /* maps; the frame is above the flags */
#define PDE_COALESCED ((pde_t)2) /* points to the leaves of a coalesced page */
#define PDE_HUGE      ((pde_t)4) /* maps a huge page: a walk ends. What it points to says the same */
static inline uint32_t pde_frame(pde_t e) { return (uint32_t)(e >> 3); }
static inline pt_node_t *pde_node(pde_t e) {
  return (pt_node_t *)(e & ~(PDE_COALESCED | PDE_HUGE));
}

static inline pte_t *node_ptes(const pt_node_t *n) { return (void *)(uintptr_t)(n + 1); }
static inline pde_t *node_pdes(const pt_node_t *n) { return (void *)(uintptr_t)(n + 1); }

/* A short cut for mm_translate(), mm_walk() and pt_order(): where the level-1 node of a range lies,
 * by the low bits of the range's number; of two with the same bits the later. 128 cover 128 GB in a
 * row at 4 KB pages. */
#define PT_NEAR 128
typedef struct {
  uint64_t range; /* vpn >> level[2].shift; UINT64_MAX if none */
  const pt_node_t *node;
  bool huge;                        /* the range is one huge page */
  paddr_t above[MM_MAX_LEVELS - 2]; /* the entries on the way to it, root first */
} pt_near_t;

typedef struct {
  pt_near_t near[PT_NEAR];
  const geo_t *geo;
  pool_t *pool;
  pde_t root; /* 0 while nothing is mapped */
  /* slabs with room, highest frame first: the next node of the class goes to the first */
  pt_slab_t *open[PT_CLASSES];
  uint64_t room[PT_CLASSES]; /* nodes that fit them */
  uint64_t pages;            /* base pages mapped */
  uint64_t large_pages;      /* those of them in native large pages */
  uint64_t frames;           /* frames that hold nodes */
  uint64_t nodes;
  asid_t asid;
} pt_t;

void pt_init(pt_t *t, const geo_t *geo, pool_t *pool, asid_t asid);

/* vpn is not mapped. 0; GMMU_ENOMEM or GMMU_ENOSPACE with nothing changed. The large form takes the
 * first page of a large page and the first frame of a large frame. */
int pt_map_new(pt_t *t, uint64_t vpn, uint32_t frame); /* pt_map below is the short way */
int pt_map_large(pt_t *t, uint64_t vpn, uint32_t frame);
int pt_map_medium(pt_t *t, uint64_t vpn, uint32_t frame); /* likewise */
/* Undo it; returns the frame it was mapped to. */
uint32_t pt_unmap_last(pt_t *t, uint64_t vpn); /* pt_unmap below is the short way */
uint32_t pt_unmap_large(pt_t *t, uint64_t vpn);
uint32_t pt_unmap_medium(pt_t *t, uint64_t vpn);
/* The large pages from vpn on that fill a huge one become it, or are large pages again. */
void pt_set_huge(pt_t *t, uint64_t vpn, bool on);
/* log2 of the base pages of the page that vpn is mapped by; 0 if it is not mapped. */
uint32_t pt_order(const pt_t *t, uint64_t vpn);
/* The mapped page gets another frame. */
void pt_move(pt_t *t, uint64_t vpn, uint32_t frame);
/* Sets or clears the large bit above, and the disabled bits of, those of vpn .. vpn+count-1 that
 * are mapped. */
void pt_set_coalesced(pt_t *t, uint64_t vpn, uint64_t count, bool on);
/* The first mapped page of vpn .. end-1, or `end`. */
uint64_t pt_next(const pt_t *t, uint64_t vpn, uint64_t end);
/* Nodes that are missing for mapping first .. last one by one: leaves, and those above. */
void pt_missing(const pt_t *t, uint64_t first, uint64_t last, uint64_t *leaves, uint64_t *uppers);
/* Frames that so many new nodes would take. */
uint64_t pt_new_frames(const pt_t *t, uint64_t leaves, uint64_t uppers);
/* Sizes of what the table takes from the pool's stock. */
void pt_stock_sizes(const geo_t *g, stock_t *s);
/* Free every node; what they mapped keeps its frames. For mm_free. */
void pt_fini(pt_t *t);

/* The leaf with the entry of vpn, by the short cut; NULL if there is none, or none it knows of. */
static inline pt_node_t *pt_near_leaf(const pt_t *t, uint64_t vpn) {
  const geo_t *g = t->geo;
  uint64_t range = vpn >> g->level[2].shift;
  const pt_near_t *near = &t->near[range % PT_NEAR];
  if (near->range != range) return NULL;
  pde_t e = node_pdes(near->node)[vpn >> g->level[1].shift & g->level[1].mask];
  return e & PDE_LARGE ? NULL : pde_node(e);
}
static inline pte_t *pt_entry(const pt_t *t, const pt_node_t *leaf, uint64_t vpn) {
  return &node_ptes(leaf)[vpn & t->geo->level[0].mask];
}

static inline void pt_enter(pt_t *t, pt_node_t *leaf, uint64_t vpn, uint32_t frame) {
  pte_t *e = pt_entry(t, leaf, vpn);
  assert(!*e);
  *e = PTE_MAPPED | frame;
  leaf->used++;
  t->pages++;
}
static inline uint32_t pt_clear(pt_t *t, pt_node_t *leaf, uint64_t vpn) {
  pte_t *e = pt_entry(t, leaf, vpn);
  uint32_t frame = *e & PTE_FRAME;
  assert(*e & PTE_MAPPED);
  *e = 0;
  leaf->used--;
  t->pages--;
  return frame;
}
/* No node comes with the entry. */
static inline int pt_map(pt_t *t, uint64_t vpn, uint32_t frame) {
  pt_node_t *leaf = pt_near_leaf(t, vpn);
  if (!leaf) return pt_map_new(t, vpn, frame);
  pt_enter(t, leaf, vpn, frame);
  return GMMU_OK;
}
/* No node goes with it. */
static inline uint32_t pt_unmap(pt_t *t, uint64_t vpn) {
  pt_node_t *leaf = pt_near_leaf(t, vpn);
  return leaf && leaf->used > 1 ? pt_clear(t, leaf, vpn) : pt_unmap_last(t, vpn);
}

static inline uint32_t geo_index(const geo_t *g, uint64_t vpn, uint32_t level) {
  return (uint32_t)(vpn >> g->level[level].shift) & g->level[level].mask;
}
static inline paddr_t entry_at(const geo_t *g, const pt_node_t *n, uint32_t level, uint64_t index) {
  return (paddr_t){n->at.v + (index << g->level[level].entry_shift)};
}
static inline uint32_t geo_slots(const geo_t *g, uint32_t node_class) {
  return 1u << (g->base_shift - g->slot_shift[node_class]);
}
/* With dual entries: the pointer to the table of medium pages beside that of base pages. */
static inline pde_t *pt_beside(const geo_t *g, const pt_node_t *n, uint64_t vpn) {
  return &node_pdes(n)[g->level[1].mask + 1 + geo_index(g, vpn, 1)];
}
static inline uint32_t medium_mask(const geo_t *g) {
  return (1u << (g->level[1].shift - g->medium_order)) - 1;
}
static inline uint32_t medium_index(const geo_t *g, uint64_t vpn) {
  return (uint32_t)(vpn >> g->medium_order) & medium_mask(g);
}
#endif
