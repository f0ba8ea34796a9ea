#ifndef GMMU_RUN_TRACE_H
#define GMMU_RUN_TRACE_H
/* gmmu run --trace: a window of a run for Perfetto. */
#include "gpu/gpu.h"
#include "observe/timeline.h"

#define TRACE_CYCLES 2000   /* from the beginning, unless --trace-window says otherwise */
#define TRACE_SPANS  200000 /* some 40 MB of JSON */

typedef struct {
  const char *path; /* NULL: no trace */
  timeline_window_t window;
} run_trace_t;

/* "A:B", cycles A to B - 1. */
int run_trace_window(const char *text, timeline_window_t *out, err_t *e);
int run_trace_begin(const run_trace_t *t, gpu_t *g, err_t *e);
/* Writes the file, in one step; says so on stderr if the trace had to end before its window. */
int run_trace_write(const run_trace_t *t, const gpu_t *g, err_t *e);
#endif
