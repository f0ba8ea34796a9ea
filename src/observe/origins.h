#ifndef GMMU_ORIGINS_H
#define GMMU_ORIGINS_H
/* Who asked for memory: the arrays and the instructions of one application, with what is counted
 * for each.
 *
 * An origin is an array and a site, two row numbers. An array is an allocation, or a named part of
 * one; allocations of the same name share a row. A site is a memory instruction of a kernel.
 * Row 0 of both stands for whatever has no origin: lines of pages that are moved, accesses outside
 * every allocation. So each counter's rows add up to the application's total exactly.
 *
 * Rows are made when the program allocates or launches, never while a kernel runs. */
#include "base/inline.h"
#include "engine/request.h"
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include <stdbool.h>
#include <stddef.h>

#define ORIGIN_ARRAYS 65536u /* rows at most; allocations beyond them are in row 0 */
#define ORIGIN_STALLS 9      /* stall reasons from STALL_TLB1 to STALL_DRAM */
#define SITE_ARRAYS   4      /* arrays that a site remembers by name */

#define ORIGIN_COUNTERS(X)                                                                         \
  X(tlb_lookups, "look-ups", "in the first-level TLBs")                                            \
  X(l1tlb_misses, "look-ups", "not answered at once there, merged ones included")                  \
  X(l2tlb_misses, "look-ups", "misses of the second TLB level; 0 where there is none")             \
  X(l3tlb_misses, "look-ups", "of the third")                                                      \
  X(l4tlb_misses, "look-ups", "of the fourth")                                                     \
  X(walks, "walks", "page-table walks finished")                                                   \
  X(far_faults, "faults", "walks that found no page")                                              \
  X(dram_read_bytes, "bytes", "data read from DRAM")                                               \
  X(dram_write_bytes, "bytes", "data written to DRAM, for the store that wrote the line last")     \
  X(dram_walk_bytes, "bytes", "page-table entries read from DRAM")
typedef struct {
#define X(n, u, h) uint64_t n;
  ORIGIN_COUNTERS(X)
#undef X
  uint64_t stall[ORIGIN_STALLS]; /* warp-cycles by reason */
} origin_counts_t;

typedef struct {
  uint32_t array, site;
} origin_t;

typedef struct {
  char *name;           /* NULL: it has none, and `number` and `bytes` tell it apart */
  uint64_t bytes;       /* of the largest allocation of that name */
  uint32_t number;      /* among the allocations of a run, from 1 on */
  uint32_t allocations; /* that have this row */
  bool host;            /* memory of the host */
  origin_counts_t n;
} origin_array_t;

typedef struct {
  uint32_t kernel, inst;
  uint64_t low, size;         /* the range touched last, */
  uint32_t array;             /* and its row */
  uint32_t seen[SITE_ARRAYS]; /* of those it touched, by number, filled up with 0 */
  bool more;                  /* and others */
  origin_counts_t n;
} origin_site_t;

typedef struct {
  char *name;
  uint32_t insts;
  bool machine; /* machine code: a line of its text is a PC */
  uint64_t launches;
  inst_where_t *where; /* [insts] */
  char **file;         /* [files] */
  uint32_t files;
  uint32_t *site; /* [insts] its row; 0: it does not access memory */
} origin_kernel_t;

/* Bytes [low, high) of the allocation at `base`. */
typedef struct {
  uint64_t low, high, base;
  uint32_t array;
} origin_range_t;

typedef struct {
  origin_array_t *array;
  origin_site_t *site;
  origin_kernel_t *kernel;
  origin_range_t *range; /* by address, disjoint */
  uint32_t arrays, sites, kernels, ranges;
  uint32_t array_room, site_room, kernel_room, range_room;
  uint32_t dead;   /* ranges that were freed since they were cleared away last */
  uint32_t number; /* allocations of this execution */
  const uint32_t *sites_of[REQUEST_KERNELS]; /* of the kernels in flight; NULL: none yet */
} origins_t;

int origins_init(origins_t *o); /* GMMU_ENOMEM, as all below that return a code */
void origins_fini(origins_t *o);
/* The program's commands: allocate, free, name, launch; others change nothing. */
int origins_command(origins_t *o, const command_t *c);
void origins_restart(origins_t *o); /* the program starts again, with no memory */

uint32_t origins_find(origins_t *o, origin_site_t *s, uint64_t va); /* of origins_array() */
/* The array at `va`, which site `site` accesses. */
ALWAYS_INLINE uint32_t origins_array(origins_t *o, uint32_t site, uint64_t va) {
  origin_site_t *s = &o->site[site];
  return va - s->low < s->size ? s->array : origins_find(o, s, va);
}
#endif
