#ifndef GMMU_SM_CORES_H
#define GMMU_SM_CORES_H
/* The SMs of the machine, and when they are ticked. */
#include "base/inline.h"
#include "engine/engine.h"
#include "engine/watch.h"
#include "sm/sm.h"

#define GPU_MAX_SMS 1024 /* TLBS_OF_LEVEL, too */
#define SM_WORDS    (GPU_MAX_SMS / 64)

typedef struct {
  sm_t *sm;
  uint32_t count;
  sm_stats_t *stats;                /* [app] */
  sm_calendar_t calendar[SM_WORDS]; /* when SMs are to be ticked */
  uint32_t words;                   /* words of those masks in use */
  bool stopped;                     /* a turn ends, pages move, or: */
  bool forwarding;                  /* instructions go on without time (sampling/forward.c) */
  uint32_t held;                    /* warps that a message will let go on */
  bool app_idle; /* an application's last line has ended: the dispatcher has to look */
  uint64_t idle_at[GMMU_MAX_APPS];     /* when that was last */
  bool settled;                        /* the run is over, and its waiting times are charged */
  WATCH(line_watch, uint32_t request); /* a line ends */
  sm_watch_t watch;                    /* of all SMs */
} cores_t;

/* Tick the SM in this cycle (before phase 3) or, from phase 3 on, in the next one. */
static inline void cores_wake(cores_t *k, uint32_t sm) {
  k->calendar[sm >> 6].awake |= 1ull << (sm & 63);
}

/* The warp in this slot of all, which is held, goes on. */
static inline void cores_release(cores_t *k, uint32_t slot) {
  uint32_t warps = k->sm->spec->warps;
  sm_t *s = &k->sm[slot / warps];
  warp_t *w = &s->warp[slot % warps];
  w->state = WARP_RUNNABLE;
  s->ready |= w->bit;
  sm_wake_memory(s, w->ready_at, w->bit & s->wants[UNIT_MEM]);
  k->held--;
  cores_wake(k, s->id);
}

/* ---- walks on SMs (walk/walk_soft.c) ----
 * A hidden warp of the SM's first scheduler issues their instructions before those of all others,
 * one a cycle. */
#define CORES_WALK_BITS 16
#define CORES_SM_BITS   10
_Static_assert(GPU_MAX_SMS <= 1 << CORES_SM_BITS, "an SM's number fits");
static inline uint32_t cores_walk_id(uint32_t sm, uint32_t walk, bool first) {
  return (uint32_t)first << (CORES_WALK_BITS + CORES_SM_BITS) | sm << CORES_WALK_BITS | walk;
}
static inline uint32_t cores_walk_sm(uint32_t id) {
  return id >> CORES_WALK_BITS & ((1u << CORES_SM_BITS) - 1);
}
void cores_walk(cores_t *k, uint32_t id); /* message: it has instructions of a walk */

/* A line's way is over. */
ALWAYS_INLINE void cores_line_ends(cores_t *k, sm_t *s, uint64_t now, uint32_t request) {
  WATCH_TELL(k->line_watch, request);
  if (__builtin_expect(sm_line_done(s, now, request) == 0, 0)) {
    k->app_idle = true;
    k->idle_at[s->pool->at[request].app] = now;
  }
}
/* Like cores_line_ends(), and the SM is ticked if that changes what it can do. */
ALWAYS_INLINE void cores_line_done(cores_t *k, uint64_t now, uint32_t sm, uint32_t request) {
  sm_t *s = &k->sm[sm];
  cores_line_ends(k, s, now, request);
  if (!s->stirred) return;
  s->stirred = false;
  cores_wake(k, sm);
}
#endif
