#ifndef GMMU_IMPORT_RANGES_H
#define GMMU_IMPORT_RANGES_H
/* Which memory a trace uses: ranges that copies name, and 2 MB pieces around every other address
 * that is touched (the size in which drivers hand out memory). Memory is bounded: a bit per piece
 * of the 48-bit address space, and RANGES_MAX ranges. */
#include "gmmu/err.h"
#include <stdint.h>

#define RANGES_MAX    65536u
#define PIECE_SHIFT   21
#define PIECES_MAX    (1u << 20) /* touched in one launch and not allocated before: 2 TB */
#define RANGES_ALIGN  256u
#define RANGES_LEAVES 4096u

typedef struct {
  uint64_t from, to; /* [from, to) */
} range_t;

typedef struct {
  range_t *at; /* sorted, apart from each other */
  uint32_t count, capacity, last;
  uint64_t *
      *leaf; /* [RANGES_LEAVES] of 32768 pieces, NULL: none; bit per piece: allocated, or fresh */
  uint32_t *fresh; /* pieces touched and not allocated yet */
  uint32_t fresh_count, fresh_capacity;
} ranges_t;

/* Called with each range to allocate; 0 or an error that ends the call. */
typedef int (*ranges_emit_t)(void *ctx, uint64_t va, uint64_t bytes, err_t *e);

int ranges_init(ranges_t *r, err_t *e);
void ranges_fini(ranges_t *r);
/* [from, to) is allocated: what of it is not yet goes to `emit`. */
int ranges_cover(ranges_t *r, uint64_t from, uint64_t to, ranges_emit_t emit, void *ctx, err_t *e);
/* [from, to), at most a few MB, is accessed. */
int ranges_touch(ranges_t *r, uint64_t from, uint64_t to, err_t *e);
/* Everything touched since the last call is allocated. */
int ranges_settle(ranges_t *r, ranges_emit_t emit, void *ctx, err_t *e);
#endif
