#ifndef GMMU_PAGING_UVM_H
#define GMMU_PAGING_UVM_H
/* Unified memory as NVIDIA's driver serves it (mem.paging=uvm).
 *
 * Far faults are collected in the fault buffer. The first one wakes the driver, which after
 * uvm.wake fetches the oldest uvm.batch of them and serves them together, one 2-MB block after the
 * other:
 *
 *   a fault -> uvm.wake -> fetch -> the rest of link.fault, uvm.block for every further block
 *           -> pages over the link -> replay: whose page is there goes on, the others fault again
 *
 * Beside the pages of faults come those that the tree over a block names (regions_tree()). A block
 * leaves as a whole, the one first that was least recently faulted on. */
#include "base/opt.h"
#include "gmmu/types.h"

typedef struct {
  uint32_t batch;     /* faults fetched at once */
  uint32_t wake_ns;   /* from the first fault to the fetch */
  uint32_t block_ns;  /* of the service, for a block of a batch beside the first */
  uint32_t threshold; /* percent of a node of the tree that bring all of it; 100: none does */
} uvm_spec_t;
extern const opt_t uvm_options[]; /* group "uvm" */

#define UVM_STATS(X)                                                                               \
  X(batches, "batches", "in which there were faults of it")                                        \
  X(fetched, "faults", "in them, each of another page")                                            \
  X(max_batch, "faults", "in the largest batch")                                                   \
  X(blocks, "blocks", "2-MB blocks served, summed over batches")                                   \
  X(grown, "pages", "base pages that came because a page of their 64 KB was faulted on")           \
  X(tree, "pages", "base pages that came because a node of the tree was mostly there")             \
  X(replayed, "faults", "whose page was there at a replay")                                        \
  X(refaults, "faults", "whose page was not, and that came again")
typedef struct {
#define X(n, u, h) uint64_t n;
  UVM_STATS(X)
#undef X
} uvm_stats_t;

typedef enum { UVM_IDLE, UVM_WAKES, UVM_SERVES, UVM_MOVES } uvm_phase_t;

typedef struct {
  bool on;
  uvm_phase_t phase;
  uint32_t head, tail;    /* faults in the buffer, in order of arrival */
  uint32_t *batch, count; /* those fetched, by address */
  uint32_t under_way;     /* transits of the batch */
  uint32_t wake_cycles, serve_cycles, block_cycles;
  uint64_t *faulted, *valid, *brought; /* [words of a region]: while a block is served */
  uvm_stats_t stats[GMMU_MAX_APPS];
} uvm_t;
#endif
