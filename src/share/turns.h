#ifndef GMMU_TURNS_H
#define GMMU_TURNS_H
/* Time slicing: the applications have all SMs in turn (share.mode=time).
 *
 * A turn ends when its quantum is over and another application has work, or when its own work is
 * done. Then issue stops; what is under way drains; registers and shared memory of the resident
 * blocks are saved and those of the next application restored, which takes time; its blocks go on
 * where they were. TLBs, L1s, crossbar and the rest stay with the chip. */
#include "gmmu/err.h"
#include "gpu/spec.h"
#include "sm/sm.h"

#define TURN_STATS(X)                                                                              \
  X(turns, "turns", "times it was given the SMs, with share.mode=time")                            \
  X(drain_cycles, "cycles", "from the end of its turns to the end of its last access")             \
  X(switch_cycles, "cycles", "changes to it: the state of the one before saved, its own restored") \
  X(saved_bytes, "bytes", "registers and shared memory of its blocks, saved at the end of turns")
typedef struct {
#define X(n, u, h) uint64_t n;
  TURN_STATS(X)
#undef X
} turn_stats_t;

typedef enum { TURN_RUNS, TURN_DRAINS, TURN_CHANGES } turn_phase_t;

typedef struct {
  bool on;
  turn_phase_t phase;     /* TURN_RUNS if off */
  bool changed;           /* `end` has: the loop looks */
  bool due;               /* the change is over: in phase 4 of this cycle the next one goes on */
  uint32_t current, next; /* application whose turn it is; to whom it changes */
  uint64_t stopped;       /* first cycle without issue */
  uint64_t end;           /* of the quantum; UINT64_MAX: no turn to end */
  sm_context_t *parked;   /* [application * SMs + SM]; that of the one on the SMs is empty */
  turn_stats_t *stats;    /* [application] */
} turns_t;

bool turns_wanted(const share_spec_t *s);      /* share.mode=time */
void turns_quantum_over(turns_t *t);           /* at the begin of the cycle `end` */
void turns_note_due(turns_t *t, uint32_t app); /* message: the change is over */
void turns_attend(turns_t *t); /* in phase 4 of every cycle, after blocks and programs */
void turns_settle(turns_t *t); /* instead of sm_settle() of all SMs */
#endif
