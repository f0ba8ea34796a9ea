#ifndef GMMU_PROBE_PREFETCH_H
#define GMMU_PROBE_PREFETCH_H
/* Whether lines come into L2 that nobody asked for, as Fractional GPUs looked for on the GTX 1080
 * and did not find: from times, on a device whose line size the solver found. */
#include "probe/device.h"
#include "solver/solver.h"

#define PREFETCH_TRAIN 8u /* lines that are loaded in a row */
#define PREFETCH_AHEAD 4u /* behind them, those that are timed */

typedef struct {
  uint32_t hit, miss;            /* cycles of a line of the row; of one that nobody loaded; 0: they
                                    do not differ, and nothing is known */
  uint32_t next[PREFETCH_AHEAD]; /* of the lines behind the row */
  uint32_t came;                 /* of these, that were there */
  uint64_t questions;
} prefetch_t;

/* The solver found enough for it. */
bool prefetch_askable(const device_t *d, const solver_report_t *f);
int prefetch_probe(device_t *d, const solver_report_t *f, uint64_t seed, prefetch_t *out, err_t *e);
#endif
