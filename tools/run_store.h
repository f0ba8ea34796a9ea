#ifndef GMMU_RUN_STORE_H
#define GMMU_RUN_STORE_H
/* `gmmu run --store FILE`: what was run goes into a results store as a study's runs do, programs as
 * "-- ./program arguments" with the hash of their recordings. */
#include "config.h"
#include "lab/lab.h"
#include "workload.h"

typedef struct {
  const config_t *config;
  const workload_t *work;
  const uint32_t *sms; /* [apps] all 0: equal shares */
  const gpu_limits_t *limits;
} run_store_t;

/* stats[design] is the JSON of what it measured, NULL of one that has not ended. */
int run_store(const run_store_t *s, const char *path, char *const *stats, err_t *e);
#endif
