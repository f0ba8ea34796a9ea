#ifndef GMMU_GPU_MOVES_H
#define GMMU_GPU_MOVES_H
/* What the memory manager's actions do to the machine, and what they cost.
 *
 * Unmaps and shoot-downs drop translations. Compaction (Mosaic's CAC) costs what the paper's worst
 * case does: no SM issues anything while pages move (section 5). A page moves through its DRAM
 * channels, line by line: read at the old frame, then written at the new one; or in one bulk copy
 * inside the DRAM; or for nothing, to compare with. Each shoot-down of a compaction takes time on
 * top. What is under way in the machine meanwhile goes on. */
#include "gmmu/mm.h"

#define MOVE_LINES 32 /* under way at once: those of a 4 KB page. A guess */

#define MOVES_STATS(X)                                                                             \
  X(halts, "times", "that all SMs stood still because pages moved")                                \
  X(halted_cycles, "cycles", "that they did")

typedef struct gpu gpu_t;

typedef struct {
  mm_action_t *list; /* MM_MIGRATE through DRAM; those before `head` are on their way or done */
  size_t head, count, capacity;
  uint64_t next_line;                   /* of list[head] */
  uint32_t lines;                       /* under way: being read or written */
  uint64_t until;                       /* bulk copies and shoot-downs take until then, */
  uint64_t bulk_until[MM_MAX_CHANNELS]; /* the copies inside one channel one after another */
  bool event;                           /* EV_MOVED will come */
  bool on;                              /* the SMs stand still, */
  uint64_t stopped;                     /* from this cycle on */
  bool free;                            /* nothing costs anything: mem.cac=ideal */
#define X(n, u, h) uint64_t n;
  MOVES_STATS(X)
#undef X
} moves_t;

void moves_fini(moves_t *m);
/* Carries out g->actions and clears them. SMs that have to stop do so from cycle `from` on: this
 * one in phases 1 and 2, the next one in phase 4. */
void moves_carry_out(gpu_t *g, uint64_t from);
/* A DRAM access is complete. False if it is no line of a page that moves. */
bool moves_line_done(gpu_t *g, uint32_t request);
void moves_timed(gpu_t *g);  /* EV_MOVED */
void moves_settle(gpu_t *g); /* the end of a run: charges the time the SMs stood still so far */
#endif
