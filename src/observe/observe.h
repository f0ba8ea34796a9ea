#ifndef GMMU_OBSERVE_H
#define GMMU_OBSERVE_H
/* What a run shows beyond its counters, if it is asked to (options observe.*): a sample of walks
 * and a map of pages over time, per application. Nothing of it changes what is simulated, and what
 * is not asked for costs nothing: then the watch functions of TLBs and walker are NULL. */
#include "observe/heat.h"
#include "observe/sample.h"
#include "sm/sm.h"

typedef struct {
  walk_sample_t *walks; /* [app]; NULL: not asked for */
  heat_t *pages;        /* [app]; NULL: not asked for */
  struct {
    walk_step_t step[MM_MAX_LEVELS];
  } * thread; /* [walker thread]: the reads of the walk under way; NULL: not asked for */
} observe_t;

int observe_reads(observe_t *o); /* from now on every walk's reads are kept while it is under way */
/* A group has been looked up in the first-level TLB. */
void observe_lookup(observe_t *o, const sm_t *s, const group_t *gr);
/* Walker thread `thread` has its entry of `level`, of which it waited so long in DRAM; or had it
 * from the page-walk cache. */
void observe_read(observe_t *o, uint32_t thread, uint32_t level, uint32_t dram_cycles,
                  bool pwc_hit);
void observe_walk(observe_t *o, uint32_t thread); /* the walk is over, before its answer goes out */
#endif
