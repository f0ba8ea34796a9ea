#ifndef GMMU_MM_MANAGER_H
#define GMMU_MM_MANAGER_H
/* Inside the memory manager: the state every manager works on, the hooks it fills in, and the tools
 * it builds them from.
 *
 * A manager is one file with one mm_manager_ops_t, entered in mm_manager_all[]. The core (mm.c)
 * checks arguments, keeps the list of allocations and decides which pages come and go; the manager
 * decides which frames back them. One that keeps books about large frames has state of its own, and
 * hears of every frame that is taken or given back through the pool's hooks. */
#include "gmmu/mm.h"
#include "mm/extents.h"
#include "mm/host.h"
#include "mm/pool.h"
#include "mm/pt.h"

/* Base pages first .. first+count-1 of a space. */
typedef struct {
  uint64_t first, count;
} span_t;

typedef struct {
  pt_t table;
  extents_t alloc; /* disjoint */
  uint64_t bytes;  /* in all of them */
} space_t;

typedef struct mm_hashed mm_hashed_t; /* hashed.h */

struct mm {
  mm_host_t host;
  const mm_manager_ops_t *ops;
  geo_t geo;
  uint32_t spaces;
  pool_t pool;
  space_t space[GMMU_MAX_APPS];
  void *state; /* the manager's own */
  mm_cac_t cac;
  mm_counts_t counts;
  mm_hashed_t *hashed; /* NULL: there is none */
};

/* Pages that want frames. None is mapped; their allocation is in the list already. */
typedef struct {
  asid_t asid;
  bool transfer; /* their data has to come over the link */
  span_t pages;
} back_t;

struct mm_manager_ops {
  const char *name, *help;
  bool whole_large; /* the spans below are whole large pages */
  bool coalesces;   /* base pages may become a large page */
  bool by_colour;   /* the pool's stripes are colours, not spaces */
  bool mixed;       /* pages of all sizes of the format, whose number mm_page_order() tells */
  /* Back and map pages. 0, or a code with every page, frame and table and the list of actions as
   * before. */
  int (*alloc)(mm_t *m, const back_t *b, mm_actions_t *out);
  /* Unmap those pages that are mapped and free their frames: n spans, apart from each other and in
   * order. It may fail for lack of host memory only before it has changed anything. */
  int (*free)(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out);
  /* All NULL for a manager without state. init: 0 or GMMU_ENOMEM, fini follows in either case. */
  int (*init)(mm_t *m, const mm_spec_t *spec);
  void (*fini)(mm_t *m);
  int (*check)(const mm_t *m, err_t *e);
  int (*use_colours)(mm_t *m, asid_t asid, uint64_t colours); /* NULL: there are none */
  uint32_t (*open_frames)(const mm_t *m, asid_t asid); /* free frames for its data; NULL: all */
  void (*usage)(const mm_t *m, mm_usage_t *u);         /* corrects large_frames and held_frames */
  void (*large)(const mm_t *m, uint32_t large, mm_large_t *out); /* corrects what is known */
};

/* mm_new with another source of host memory. */
int mm_new_on(const mm_host_t *host, const mm_spec_t *spec, mm_t **out, err_t *e);

/* Map one page to a free frame that becomes the space's; the large form maps a large page to a free
 * large frame. 0; GMMU_ENOMEM or GMMU_ENOSPACE (no frame for the table) with nothing changed. */
int map_page(mm_t *m, asid_t asid, uint64_t vpn, uint32_t frame);
int map_large(mm_t *m, asid_t asid, uint64_t vpn, uint32_t large);
/* Undo it and free the frame; cannot fail. */
void unmap_page(mm_t *m, asid_t asid, uint64_t vpn);
void unmap_large(mm_t *m, asid_t asid, uint64_t vpn);
/* The same of all pages of the span that are mapped; returns how many. */
uint64_t unmap_pages(mm_t *m, asid_t asid, span_t pages);
/* A manager's alloc and free for base pages, each in the frame that `choose` names (STRIPES_NONE if
 * there is none); `room`: frames it has to choose from. */
typedef uint32_t (*choose_t)(mm_t *m, asid_t asid);
int map_chosen(mm_t *m, const back_t *b, choose_t choose, uint32_t room, mm_actions_t *out);
int unmap_spans(mm_t *m, asid_t asid, const span_t *pages, size_t n, mm_actions_t *out);
/* The first mapped page of vpn .. end-1, or `end`. */
uint64_t next_mapped(const mm_t *m, asid_t asid, uint64_t vpn, uint64_t end);
/* Marks frames as taken by others, as the spec says. 0 or GMMU_ENOMEM. */
int fragment_pool(mm_t *m, const mm_fragments_t *f);

/* Room for `more` actions: 0 or GMMU_ENOMEM; pushing them then cannot fail. */
int actions_reserve(mm_t *m, mm_actions_t *a, size_t more);
void actions_push(mm_actions_t *a, const mm_action_t *x);
/* MM_TRANSFER if due, and MM_MAP, of pages just mapped; MM_UNMAP and MM_SHOOTDOWN of pages no
 * longer mapped. */
void actions_push_map(const mm_t *m, mm_actions_t *a, const back_t *b);
void actions_push_unmap(mm_actions_t *a, asid_t asid, span_t pages);
void actions_push_range(mm_actions_t *a, mm_action_kind_t kind, asid_t asid, span_t pages);
#define ACTIONS_PER_MAP   2
#define ACTIONS_PER_UNMAP 2

static inline uint32_t pages_per_large(const mm_t *m) { return 1u << m->geo.large_order; }
/* log2 of the pages that an allocation is widened to. */
static inline uint32_t unit_order(const mm_t *m) {
  return m->ops->whole_large ? m->geo.large_order : 0;
}
/* The union of all allocations in whole units of 1 << order pages, as spans apart from each other:
 * writes at most `count` of the space to out[] and returns how many. */
size_t space_spans(const mm_t *m, const space_t *s, uint32_t order, span_t *out);
/* Are all pages of the span touched by allocations, whether resident or not? */
bool space_covers(const mm_t *m, const space_t *s, span_t pages);
uint64_t space_pages(const mm_t *m, const space_t *s, uint32_t order);

extern const mm_manager_ops_t mm_gpu_mmu, mm_large_only, mm_mosaic, mm_coloured, mm_mixed;
#endif
