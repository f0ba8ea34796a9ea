#ifndef GMMU_GPU_H
#define GMMU_GPU_H
/* A machine, its applications, and a run. */
#include "base/strbuf.h"
#include "gmmu/err.h"
#include "gmmu/mm.h"
#include "gmmu/stream.h"
#include "gpu/spec.h"

typedef struct gpu gpu_t;

typedef struct {
  const char *name;       /* for tables and JSON; copied */
  source_t *source;       /* the program; stays the caller's */
  bool once;              /* it cannot be started again: ended is finished */
  uint32_t first_sm, sms; /* its SMs; sms 0: an equal share, in order. With share.mode=threads its
                             part of every SM is as large as `sms` are of the chip */
} app_spec_t;

/* The first SM of equal share `i` of `shares`, in order; share number `shares` begins behind the
 * last SM. No share is more than one SM above another. */
uint32_t gpu_share_begin(uint32_t sms, uint32_t shares, uint32_t i);

/* share.mode=time or threads: every application has all SMs, in turn or at once. */
bool gpu_all_sms(const share_spec_t *s);

int gpu_new(const gpu_spec_t *spec, const app_spec_t *apps, uint32_t count, gpu_t **out, err_t *e);
void gpu_free(gpu_t *g);

/* When a run ends; 0 means no such limit. Without limits it ends when every application has
 * finished once; those that finish earlier are started again. */
typedef struct {
  uint64_t cycles;       /* total */
  uint64_t instructions; /* warp instructions of all applications together */
  uint64_t min_cycles;   /* at least so many: also what has finished goes on until then */
  uint32_t wait_for;     /* the first so many must have finished once, the others run beside them
                            until then; 0: all */
  bool no_relaunch;      /* an application that has finished stays finished */
} gpu_limits_t;

/* Runs until the limits or until cycle `until`, whichever comes first. Returns 1 when the run is
 * over, 0 when `until` was reached, or a negative code. May be called again after 0. */
int gpu_run(gpu_t *g, const gpu_limits_t *limits, uint64_t until, err_t *e);
/* Ends a run early or late: charges open waiting times, so that statistics add up. Once, after the
 * last gpu_run(). */
void gpu_settle(gpu_t *g);

uint64_t gpu_cycles(const gpu_t *g);
uint64_t gpu_instructions(const gpu_t *g); /* warp instructions so far */
uint64_t gpu_requests(const gpu_t *g); /* memory requests so far: data lines and page-table reads */

uint32_t gpu_app_runs(const gpu_t *g, uint32_t app); /* complete executions */
const mm_t *gpu_memory(const gpu_t *g);              /* what lies where now; the machine's */
/* Every invariant of every block; after gpu_settle() also that counters add up. Slow. */
int gpu_check(const gpu_t *g, err_t *e);

/* A window of a run in full: what every warp did, every look-up, walk, line and DRAM command. Asked
 * for before the first cycle, and written as JSON after gpu_settle(): see docs/observe.md. */
typedef struct {
  uint64_t begin, end; /* cycles */
  uint32_t spans;      /* at most */
} timeline_window_t;
int gpu_timeline(gpu_t *g, const timeline_window_t *window, err_t *e);
int gpu_timeline_json(const gpu_t *g, strbuf_t *out, err_t *e);
/* The cycle before the window's end from which on there was no room; UINT64_MAX: there was. */
uint64_t gpu_timeline_cut(const gpu_t *g);
#endif
