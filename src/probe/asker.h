#ifndef GMMU_PROBE_ASKER_H
#define GMMU_PROBE_ASKER_H
/* A device as the solver's oracle: its questions become loads and clocks on the device. */
#include "base/rng.h"
#include "probe/device.h"
#include "solver/oracle.h"

typedef struct {
  device_t *device;
  rng_t rng; /* chooses which other lines of a page bring its translation in */
  uint64_t page_bytes;
  uint64_t questions, loads;                     /* asked in all */
  void (*progress)(void *ctx, const char *what); /* may be NULL */
  void *progress_ctx;
} asker_t;

/* `a` must outlive the oracle. */
oracle_t asker_oracle(asker_t *a, device_t *d, uint64_t seed);
#endif
