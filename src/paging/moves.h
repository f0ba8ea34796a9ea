#ifndef GMMU_MOVES_H
#define GMMU_MOVES_H
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

typedef struct {
  mm_action_t *list; /* MM_MIGRATE through DRAM; those before `head` are on their way or done */
  size_t head, count, capacity;
  uint64_t next_line;                   /* of list[head] */
  uint32_t lines;                       /* under way: being read or written */
  uint64_t until;                       /* end of the bulk copies and shoot-downs */
  uint64_t bulk_until[MM_MAX_CHANNELS]; /* end of the copies inside each channel */
  bool event;                           /* EV_MOVED will come */
  bool due;                             /* phase 4 has something to do */
  bool on;                              /* the SMs stand still */
  uint64_t stopped;                     /* since this cycle */
  bool free;                            /* nothing costs anything: mem.cac=ideal */
#define X(n, u, h) uint64_t n;
  MOVES_STATS(X)
#undef X
} moves_t;

/* Phase 4: carries out the memory manager's actions and clears them. All blocks see them from the
 * next cycle on, in which SMs that have to stop do so. */
void moves_carry_out(moves_t *m);
/* Phase 4, if `due`: SMs that stood still go on when nothing is left to move. */
void moves_attend(moves_t *m);
/* Messages: a line of a page that moves is read or written; bulk copies and shoot-downs are done.
 */
void moves_line_done(moves_t *m, uint32_t request);
void moves_timed(moves_t *m, uint32_t none);
void moves_note_issue(moves_t *m); /* after turns.phase has changed */
#endif
