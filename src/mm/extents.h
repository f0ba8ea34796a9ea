#ifndef GMMU_MM_EXTENTS_H
#define GMMU_MM_EXTENTS_H
/* The allocations of a space, by address: sorted blocks of them, and an index of the blocks.
 * Programs with an allocation per page insert and remove in the middle of thousands; here that
 * moves a part of one block only. */
#include "gmmu/err.h"
#include "mm/host.h"
#include <stdbool.h>
#include <stdint.h>

/* What a program allocated: bytes start .. end-1. Lazy: pages come when touched. */
typedef struct {
  uint64_t start : 63, lazy : 1;
  uint64_t end;
} extent_t;

#define EXTENTS_BLOCK 64 /* at most, in a block */

typedef struct {
  uint64_t end;   /* of the last extent */
  extent_t *slot; /* owned; [room] */
  uint32_t count, room;
} extents_block_t;

/* Starts as zeroes. */
typedef struct {
  extents_block_t *block; /* owned; [room]; none is empty */
  size_t blocks, room;
  size_t count; /* extents in all of them */
} extents_t;

/* Of an extent; that behind the last one is {blocks, 0}. Valid until the next change. */
typedef struct {
  size_t block;
  uint32_t slot;
} extents_pos_t;

/* NULL behind the last. */
static inline extent_t *extents_at(const extents_t *x, extents_pos_t p) {
  return p.block < x->blocks ? &x->block[p.block].slot[p.slot] : NULL;
}
/* The position behind one that is not behind the last. */
static inline extents_pos_t extents_behind(const extents_t *x, extents_pos_t p) {
  if (++p.slot < x->block[p.block].count) return p;
  return (extents_pos_t){p.block + 1, 0};
}
/* The extent before the position; NULL if it is the first. */
static inline const extent_t *extents_before(const extents_t *x, extents_pos_t p) {
  if (p.slot) return &x->block[p.block].slot[p.slot - 1];
  return p.block ? &x->block[p.block - 1].slot[x->block[p.block - 1].count - 1] : NULL;
}

/* The first that ends after va. */
extents_pos_t extents_find(const extents_t *x, uint64_t va);
/* Makes room for one more at *p, which moves with it: GMMU_OK, or GMMU_ENOMEM with nothing changed.
 * Until the next change the position may be one behind the last of its block. */
int extents_open(extents_t *x, extents_pos_t *p, const mm_host_t *host);
/* At an opened position; those from there on follow it. */
void extents_insert(extents_t *x, extents_pos_t p, extent_t e);
/* Another one in its place, between the same neighbours. */
void extents_replace(extents_t *x, extents_pos_t p, extent_t e);
void extents_remove(extents_t *x, extents_pos_t p, const mm_host_t *host);
void extents_fini(extents_t *x, const mm_host_t *host);
#endif
