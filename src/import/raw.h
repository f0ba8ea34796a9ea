#ifndef GMMU_IMPORT_RAW_H
#define GMMU_IMPORT_RAW_H
/* Raw traces (kernel-*.trace): what the tracer writes, a line per instruction in the order of
 * arrival, block and warp in front of each. They become the grouped text of a .traceg, in a
 * temporary file, as Accel-Sim's post-traces-processing would make it.
 *
 * The trace is read twice: once to find how much each warp has, once to put each line in its place.
 * Memory grows with the number of warps, not with the length of the trace. */
#include "import/text.h"
#include <stdio.h>

/* Opens the trace at its beginning. */
typedef int (*raw_open_t)(void *ctx, text_t **out, err_t *e);

/* *out: the grouped text, the caller's to close; NULL if the trace is not raw. */
int raw_group(raw_open_t open, void *ctx, FILE **out, err_t *e);
#endif
