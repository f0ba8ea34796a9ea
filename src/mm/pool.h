#ifndef GMMU_MM_POOL_H
#define GMMU_MM_POOL_H
/* Physical memory: which base frames are free, who owns the others, and how full each large frame
 * is. A frame is named by its 32-bit number; a large frame is `1 << large_order` aligned frames. */
#include "gmmu/mm.h"
#include "mm/stock.h"
#include "mm/stripes.h"

#define POOL_MAX_FRAMES (UINT32_C(1) << 28) /* a leaf entry has 28 bits for the frame */

typedef struct {
  uint32_t used;   /* its base frames in use */
  uint64_t *owner; /* [1 << large_order], see pool_word; only while used > 0 */
} large_frame_t;

/* What a manager that keeps books of its own about large frames wants to know and to say. */
typedef struct {
  void (*changed)(void *ctx, uint32_t large, uint8_t owner,
                  bool taken); /* a frame in it, by whom; NULL: no matter */
  /* A free frame for page tables of the space; STRIPES_NONE: none is free. */
  uint32_t (*table_frame)(void *ctx, asid_t asid);
} pool_hooks_t;

typedef struct {
  const mm_host_t *host;
  stock_t stock;             /* of everything the pool and the tables allocate */
  const pool_hooks_t *hooks; /* NULL: nobody asks, and tables take the highest free frames */
  void *hooks_ctx;
  uint64_t other;       /* frames with data of no space */
  uint32_t large_order; /* log2 of base frames per large frame */
  stripes_t frames;     /* free base frames; stripe = address space, or colour */
  stripes_t larges;     /* free large frames: those without a used frame; one stripe */
  large_frame_t *large; /* [larges.count] */
} pool_t;

/* Base frames are dealt to the spaces in turn or, if `colours` is not NULL, by colour. 0 or
 * GMMU_ENOMEM; pool_fini is needed in either case. */
int pool_init(pool_t *p, const mm_host_t *h, uint32_t frames, uint32_t large_order, uint32_t spaces,
              const mm_colours_t *colours);
void pool_fini(pool_t *p);

/* The frame, or the large frame and all in it, is free and becomes the owner's (an asid,
 * MM_OWNER_TABLE + asid or MM_OWNER_OTHER), as the back of vpn (of vpn, vpn + 1, ..). 0 or
 * GMMU_ENOMEM. */
int pool_claim(pool_t *p, uint32_t frame, uint8_t owner, uint64_t vpn);
int pool_claim_large(pool_t *p, uint32_t large, uint8_t owner, uint64_t vpn);
void pool_give(pool_t *p, uint32_t frame);
void pool_give_large(pool_t *p, uint32_t large);

/* A free frame for page tables of the space; STRIPES_NONE if nothing is free. */
uint32_t pool_table_frame(pool_t *p, asid_t asid);

/* The reverse map: owner in the low byte, complemented so that 0 is a free frame; vpn above. */
static inline uint64_t pool_word(const pool_t *p, uint32_t frame) {
  const large_frame_t *l = &p->large[frame >> p->large_order];
  return l->used ? l->owner[frame & ((1u << p->large_order) - 1)] : 0;
}
static inline uint8_t pool_owner(const pool_t *p, uint32_t frame) {
  return (uint8_t)~pool_word(p, frame);
}
static inline uint64_t pool_vpn(const pool_t *p, uint32_t frame) {
  return pool_word(p, frame) >> 8;
}
#endif
