#ifndef GMMU_RUN_TIMELINE_H
#define GMMU_RUN_TIMELINE_H
/* gmmu run --timeline: a window of a run for Perfetto. */
#include "gpu/gpu.h"
#include "observe/timeline.h"

#define TIMELINE_CYCLES 2000   /* from the beginning, unless --timeline-window says otherwise */
#define TIMELINE_SPANS  200000 /* some 40 MB of JSON */

typedef struct {
  const char *path; /* NULL: no timeline */
  timeline_window_t window;
} run_timeline_t;

/* "A:B", cycles A to B - 1. */
int run_timeline_window(const char *text, timeline_window_t *out, err_t *e);
int run_timeline_begin(const run_timeline_t *t, gpu_t *g, err_t *e);
/* Writes the file, in one step; says so on stderr if the timeline had to end before its window. */
int run_timeline_write(const run_timeline_t *t, const gpu_t *g, err_t *e);
#endif
