#ifndef GMMU_NOC_BRIDGE_H
#define GMMU_NOC_BRIDGE_H
/* Two or more partitions of the chip, each with a part of the GPCs, of the L2 slices and of the
 * channels (A100, H100). A line lies in one slice. An SM of another partition reaches it by a link:
 * the packet pays `far` cycles more on each way and shares the link with others.
 *
 * There is a link from each partition to each other one. A packet of b bytes fills it for b / width
 * cycles, in order of arrival, and is through after the far cycles: unloaded, near = x and
 * far = x + 2 * far. It is reserved when the packet is there, never earlier. */
#include "base/stat.h"
#include <stdbool.h>
#include <stdint.h>

#define PARTITIONS_MAX 8

#define BRIDGE_STATS(X)                                                                            \
  X(near_requests, "requests", "of SMs to L2 slices of their own partition")                       \
  X(far_requests, "requests", "of SMs to L2 slices of another one")                                \
  X(near_reads, "reads", "of page tables, to slices of the walker's partition")                    \
  X(far_reads, "reads", "of page tables, to slices of another one")                                \
  X(link_packets, "packets", "over links between partitions, both ways")                           \
  X(link_bytes, "bytes", "of them, headers included")                                              \
  X(link_wait_cycles, "cycles", "that packets waited for a link, summed")
typedef struct {
#define X(n, u, h) uint64_t n;
  BRIDGE_STATS(X)
#undef X
} bridge_stats_t;

#define BRIDGE_LINK_STATS(X)                                                                       \
  X(packets, "packets", "that crossed it")                                                         \
  X(bytes, "bytes", "of them, headers included")                                                   \
  X(wait_cycles, "cycles", "that packets waited for it, summed")
/* From one partition to another. */
typedef struct {
#define X(n, u, h) uint64_t n;
  BRIDGE_LINK_STATS(X)
#undef X
} bridge_link_stats_t;

typedef struct {
  uint32_t partitions;       /* 1: none of this */
  uint32_t walker;           /* the partition in which the walker stands */
  bool walks;                /* its reads cross; else they cost no time (walk.free_l2) */
  uint8_t *of_sm;            /* [SM]: its partition */
  uint8_t *of_slice;         /* [slice] */
  uint64_t *free_at;         /* [from * partitions + to]: in width-ths of a cycle */
  bridge_link_stats_t *link; /* [from * partitions + to] */
  bridge_stats_t *stats;     /* [app] */
  uint32_t apps;
} bridge_t;
#endif
