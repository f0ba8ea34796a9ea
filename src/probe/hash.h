#ifndef GMMU_PROBE_HASH_H
#define GMMU_PROBE_HASH_H
/* Hash functions and sizes of a device's L2 and DRAM: the solver asks, the device answers. */
#include "base/json.h"
#include "probe/device.h"
#include "probe/prefetch.h"
#include "probe/writes.h"
#include "solver/solver.h"

typedef struct {
  solver_report_t found;
  writes_t writes;
  prefetch_t prefetch;
  uint64_t questions, loads;
} hash_probe_t;

typedef struct {
  uint64_t seed;
  uint64_t bytes;                                /* of the buffer, at most; 0: all */
  void (*progress)(void *ctx, const char *what); /* may be NULL */
  void *ctx;
} hash_options_t;

int hash_solve(device_t *d, const hash_options_t *o, hash_probe_t *out, err_t *e);
/* The same, how long lines of write misses stay, and whether lines come unasked. */
int hash_probe(device_t *d, const hash_options_t *o, hash_probe_t *out, err_t *e);

void hash_text(const device_info_t *d, const hash_probe_t *x, strbuf_t *out);
/* One object, which is a file that presets load, too. */
void hash_json(const device_info_t *d, const hash_probe_t *x, json_t *j);
#endif
