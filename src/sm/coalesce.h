#ifndef GMMU_COALESCE_H
#define GMMU_COALESCE_H
/* The coalescer: from the lane addresses of one warp instruction to distinct lines, each
 * with the sectors touched, in order of first use. */
#include "gmmu/stream.h"
#include <stdbool.h>
#include <stdint.h>

#define COALESCE_MAX 33 /* 32 lanes; a misaligned contiguous access touches one more */

typedef struct {
  uint32_t lines;
  uint64_t line[COALESCE_MAX];   /* line numbers */
  uint8_t sectors[COALESCE_MAX]; /* bit per 32-byte sector touched */
  uint8_t full[COALESCE_MAX];    /* of them, touched in every byte; only if asked for */
} coalesced_t;

static inline uint64_t coalesce_address(const warp_op_t *op, uint32_t lane) {
  return op->mode == ADDR_LIST ? op->lane[lane] : op->base + (uint64_t)op->stride * lane;
}
void coalesce(const warp_op_t *op, uint32_t width, uint32_t line_shift, bool want_full,
              coalesced_t *out);
/* How many times the 32 banks of shared memory (4 bytes wide) are needed: 1 without conflicts.
 * Lanes that read the same word share one access. */
/* Operations that an atomic of these lanes is on each of the lines: for every sector, the most
 * lanes that name one of its words. */
void coalesce_atomic(const warp_op_t *op, uint32_t width, uint32_t line_shift,
                     const coalesced_t *co, uint8_t operations[COALESCE_MAX]);
uint32_t bank_conflicts(const warp_op_t *op, uint32_t width);
#endif
