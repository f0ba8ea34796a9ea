#ifndef GMMU_GPU_MACHINE_H
#define GMMU_GPU_MACHINE_H
/* The assembled machine; shared between the files of this room only.
 *
 * A cycle has four phases, always in this order, so that a block that slept and one that was ticked
 * see the same world:
 *   1. DRAM channels hand out what is complete in this cycle, in channel order
 *   2. messages of this cycle, in the order of their senders
 *   3. SMs that are awake, in order of their number
 *   4. blocks that ended make room for new ones; applications go on to their next command
 */
#include "cache/l1.h"
#include "cache/l2.h"
#include "dram/channel.h"
#include "dram/dram.h"
#include "engine/engine.h"
#include "engine/messages.h"
#include "engine/request.h"
#include "engine/watch.h"
#include "gmmu/mm.h"
#include "gpu/component.h"
#include "gpu/gpu.h"
#include "gpu/mechanism.h"
#include "link/link.h"
#include "map/addrmap.h"
#include "map/memory.h"
#include "noc/noc.h"
#include "observe/attribution.h"
#include "observe/frames.h"
#include "observe/observe.h"
#include "observe/series.h"
#include "observe/timeline.h"
#include "paging/mapped.h"
#include "paging/moves.h"
#include "paging/paging.h"
#include "sampling/sampling.h"
#include "share/colours.h"
#include "share/share.h"
#include "share/turns.h"
#include "sm/cores.h"
#include "tlb/fill.h"
#include "tlb/peers.h"
#include "tlb/xlat.h"
#include "walk/walker.h"

/* The state of the loop, and what no block owns. */
typedef struct {
  arrays_t arrays; /* the machine lies in it, with its blocks' arrays */
  uint64_t next_epoch;
  uint64_t next_boundary; /* the first of it and of what else ends: a turn, an interval, a window */
  bool ahead;             /* what the next cycles need is fetched: see ahead.c */
  bool settled;
} loop_t;

struct gpu {
  gpu_spec_t spec;
#define COMPONENT(field, type) type field;
#include "gpu/components.def"
#undef COMPONENT
  mechanisms_t mechanisms;
  loop_t loop;
};

enum {
#define COMPONENT(field, type) COMPONENT_##field,
#include "gpu/components.def"
#undef COMPONENT
  COMPONENTS,
  TREE_ROWS = COMPONENTS + MECHANISMS /* those of plug-ins come behind */
};
_Static_assert(COMPONENTS + 3 < 30, "struct gpu is blocks, spec, mechanisms and the loop");
_Static_assert(TREE_ROWS + OUTSIDE_MOST <= WATCHERS, "every row may listen to a block");

/* ---- rows.c: what goes over all rows, blocks first ---- */
uint32_t gpu_rows(void);
const component_t *gpu_row(uint32_t i);
void *gpu_block(const gpu_t *g, uint32_t i); /* of row i */
int gpu_build(gpu_t *g, err_t *e);
/* Asks every row whom it listens to; then blocks choose their fast paths. */
void gpu_note_hooks(gpu_t *g);
/* ---- run.c, ahead.c ---- */
void gpu_note_size(gpu_t *g);     /* once it is built */
void gpu_note_boundary(gpu_t *g); /* after the end of a turn, an interval, a window has changed */
/* ---- forward.c ---- */
void forward_begin(gpu_t *g); /* instructions go on without time until sampling_forwarded() */
void forward_attend(gpu_t *g, const gpu_limits_t *limits); /* phase 4 meanwhile */
/* ---- sampling.c: if sampling.on ---- */
int sampling_start(gpu_t *g, err_t *e);
void sampling_note_kernels(gpu_t *g); /* after phase 4: others may run */
bool sampling_forwarded(gpu_t *g);    /* all that was to be skipped has been */
bool sampling_due(gpu_t *g);          /* the phase is over: the next cycle belongs to another one */
bool sampling_go_on(gpu_t *g);        /* to that one; true: the last window is over */
int sampling_over(gpu_t *g, err_t *e); /* the run is; an error if there was no window */
void sampling_show(gpu_t *g);          /* from now on counters are those of the windows */
#endif
