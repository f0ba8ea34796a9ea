#ifndef GMMU_MM_EXTENTS_H
#define GMMU_MM_EXTENTS_H
/* The allocations of a space, by address: a vector in blocks, each of them a ring. Programs with
 * an allocation per page insert and remove in the middle of thousands; in one array each of these
 * would move half of it, here it moves half a block at most and one extent per block behind that.
 */
#include "gmmu/err.h"
#include "mm/host.h"
#include <stdint.h>

/* What a program allocated: bytes start .. end-1. Lazy: pages come when touched. */
typedef struct {
  uint64_t start : 63, lazy : 1;
  uint64_t end;
} extent_t;

#define EXTENTS_BLOCK 256 /* a power of two, at most 256 */

/* Starts as zeroes. */
typedef struct {
  extent_t *slot; /* owned; [capacity], blocks one after the other */
  uint8_t *head;  /* owned; of each block, the slot its first extent is in */
  size_t count, capacity;
} extents_t;

/* Number i < count, in order of addresses. Valid until the next insertion or removal. */
static inline extent_t *extents_at(const extents_t *x, size_t i) {
  size_t block = i / EXTENTS_BLOCK;
  return &x->slot[block * EXTENTS_BLOCK + (x->head[block] + i) % EXTENTS_BLOCK];
}

/* The first that ends after va; `count` if there is none. */
size_t extents_find(const extents_t *x, uint64_t va);
/* Room for one more. GMMU_OK, or GMMU_ENOMEM with nothing changed. */
int extents_reserve(extents_t *x, const mm_host_t *host);
void extents_insert(extents_t *x, size_t i, extent_t e); /* as number i; there is room */
void extents_remove(extents_t *x, size_t i);
void extents_fini(extents_t *x, const mm_host_t *host);
#endif
