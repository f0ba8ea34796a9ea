#ifndef GMMU_PROBE_WRITES_H
#define GMMU_PROBE_WRITES_H
/* Whether L2 keeps a line longer that a write miss brought in, as Fractional GPUs found on the GTX
 * 1080 (appendix A): from times, on a device whose set functions the solver found. */
#include "probe/device.h"
#include "solver/solver.h"

/* Loads of other lines of its set that it takes until a line is gone. 0: not known. */
typedef struct {
  uint32_t after_load, after_store; /* which a load brought in; a store */
  uint64_t questions;
} writes_t;

/* The solver found enough for it. */
bool writes_askable(const solver_report_t *f);
int writes_probe(device_t *d, const solver_report_t *f, uint64_t seed, writes_t *out, err_t *e);
#endif
