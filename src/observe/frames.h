#ifndef GMMU_FRAMES_H
#define GMMU_FRAMES_H
/* Physical memory as it is now: who has how many base frames of which large frame (observe.memory).
 */
#include "base/json.h"
#include "gmmu/mm.h"

#define FRAMES_SHOWN                                                                               \
  8192 /* large frames in use that are listed, 16 GB of 2 MB; the rest is counted */

#define FRAME_FIELDS(X)                                                                            \
  X(number, "large frames", "of memory that lie before it")                                        \
  X(coalesced, "flag", "1: it is mapped as one large page")                                        \
  X(tables, "base frames", "that hold page tables")                                                \
  X(other, "base frames", "with data of no application")
typedef struct {
#define X(n, u, h) uint64_t n;
  FRAME_FIELDS(X)
#undef X
  uint64_t data[GMMU_MAX_APPS]; /* base frames with data of each application */
} frame_row_t;

typedef struct {
  bool on;  /* asked for */
} frames_t; /* ports: memory, share, spec */

/* The member "memory_map" of an object. */
void frames_json(const mm_t *m, uint64_t memory_bytes, uint32_t apps, json_t *j);
#endif
