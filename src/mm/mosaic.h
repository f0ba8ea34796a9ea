#ifndef GMMU_MM_MOSAIC_H
#define GMMU_MM_MOSAIC_H
/* Mosaic's books about large frames, shared by its three parts: CoCoA and the in-place coalescer
 * (mm_mosaic.c) and CAC (mosaic_cac.c).
 *
 * A large frame is free, or belongs to a class: an address space, data of nobody here, or page
 * tables. Of a space it is either *bound* to one large page of it, whose pages lie in it at their
 * own offsets and nowhere else, or *loose*, with any pages in any places. A bound frame may be
 * coalesced. Its frames without a page are, by kind:
 *   SET_ROOM      loose: the free base page list of the class
 *   SET_RESERVED  bound, not coalesced: kept for the rest of the large page
 *   SET_EMERGENCY coalesced, with pages gone: the emergency frame list
 * Frames without a free place are in none. The free frame list is the pool's set of large frames.
 *
 * A page of another owner in a frame (a *guest*) breaks the soft guarantee; it happens only when
 * nothing else is left, and never in a bound frame. */
#include "mm/frameset.h"
#include "mm/manager.h"

#define CLASS_OTHER  GMMU_MAX_APPS
#define CLASS_TABLES (GMMU_MAX_APPS + 1)
#define CLASSES      (GMMU_MAX_APPS + 2)
#define CLASS_NONE   255

typedef enum { SET_ROOM, SET_RESERVED, SET_EMERGENCY, SET_KINDS } set_kind_t;
#define SET_NONE 255

typedef struct {
  uint64_t region; /* bound: number of the large page */
  uint32_t guests;
  uint32_t loose; /* free places counted in z->room */
  uint8_t class, set, channel;
  bool bound, coalesced;
} frame_t;

typedef struct {
  mm_t *m;
  mm_actions_t *out; /* of the allocation under way */
  frame_t *frame;    /* [large frames] */
  uint32_t *bound;   /* hash table of bound frames by space and region */
  uint32_t channels;
  uint32_t bound_shift;    /* its size is 2^(64 - bound_shift) */
  uint32_t splinter_below; /* pages */
  frameset_t set[SET_KINDS][CLASSES];
  uint64_t *bits;                          /* of all sets */
  uint32_t room[CLASSES][MM_MAX_CHANNELS]; /* places in loose frames */
  uint64_t room_total[CLASSES];            /* of all channels */
  uint64_t large_pages[GMMU_MAX_APPS];     /* base pages mapped through coalesced pages */
  uint64_t frames_of[CLASSES];             /* large frames */
  uint64_t used_of[CLASSES];               /* base frames in use in them, whoever has these */
} mosaic_t;

static inline mosaic_t *mosaic_of(const mm_t *m) { return m->state; }
static inline uint32_t used_in(const mosaic_t *z, uint32_t large) {
  return z->m->pool.large[large].used;
}
static inline uint64_t region_page(const mosaic_t *z, uint64_t region) {
  return region << z->m->geo.large_order;
}

/* ---- books (mosaic_books.c) ---- */
int books_init(mm_t *m, const mm_spec_t *spec);
void books_fini(mm_t *m);
int books_check(const mm_t *m, err_t *e);
/* The large frame bound to the region, or FRAMESET_NONE. */
uint32_t bound_find(const mosaic_t *z, asid_t asid, uint64_t region);
void frame_bind(mosaic_t *z, uint32_t large, asid_t asid, uint64_t region); /* it is free */
void frame_dissolve(mosaic_t *z, uint32_t large); /* bound, not coalesced: becomes loose */
void frame_set_coalesced(mosaic_t *z, uint32_t large, bool on);
uint32_t free_place(const mosaic_t *z, uint32_t large); /* its lowest free base frame */

/* ---- CoCoA (mm_mosaic.c) ---- */
uint32_t cocoa_table_frame(void *ctx, asid_t asid); /* the pool's hook */

/* ---- CAC (mosaic_cac.c) ---- */
/* Splinters the coalesced large frame: it becomes loose. A shoot-down of it has to follow. */
void cac_splinter(mosaic_t *z, uint32_t large, mm_actions_t *out);
/* After pages of it were freed: splinters and compacts if too few are left. */
void cac_freed(mosaic_t *z, uint32_t large, mm_actions_t *out);
/* Empties a large frame for CoCoA, of the space's own first. FRAMESET_NONE if no frame can be. */
uint32_t cac_make_free(mosaic_t *z, asid_t asid, mm_actions_t *out);
/* Actions that one call of each may append. */
#define CAC_ACTIONS(m) (2 * (size_t)pages_per_large(m) + 2)
#endif
