#ifndef GMMU_GMMU_H
#define GMMU_GMMU_H
/* libgmmu: a simulated GPU in another program.
 *
 *   gmmu_t *m;
 *   err_t e = {0};
 *   uint64_t misses;
 *   if (gmmu_open("maxwell", "sharedtlb", &m, &e) == 0 && gmmu_add(m, "gather", 0, &e) == 0 &&
 *       gmmu_run(m, &(gmmu_limits_t){.cycles = 100000}, &e) >= 0 &&
 *       gmmu_statistic(m, "apps[0].l2tlb.misses", &misses, &e) == 0) ...
 *   gmmu_close(m);
 *
 * Functions return 0 (or what is said) or a negative code of gmmu/err.h, with the reason in the
 * err_t. A machine belongs to one thread at a time; different machines know nothing of each other.
 * The library prints nothing and never ends the process. The same calls give the same statistics on
 * every machine. The memory manager alone is gmmu/mm.h.
 *
 * Versions are semantic: within one major number nothing below is removed or changes its meaning.
 */
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GMMU_API_MAJOR 1
#define GMMU_API_MINOR 0

typedef struct gmmu gmmu_t;

/* The library that is loaded: "1.0.0"; the model whose results it gives: "12". */
const char *gmmu_version(void);
const char *gmmu_model(void);

/* Policies of others (gmmu/plugin.h), for all machines that are opened from now on. */
int gmmu_load_plugin(const char *path, err_t *e);

/* A machine: a GPU and a design, each a preset's name (`gmmu list gpus`, `gmmu list designs`) or a
 * .yaml file. On success the caller owns *out; gmmu_close() takes NULL, too. */
int gmmu_open(const char *gpu, const char *design, gmmu_t **out, err_t *e);
void gmmu_close(gmmu_t *m);
/* Any option, by its key ("l2tlb.entries"), before the first gmmu_run(). gmmu_get() gives the value
 * as text that gmmu_set() takes back, and returns what snprintf would. */
int gmmu_set(gmmu_t *m, const char *key, const char *value, err_t *e);
int gmmu_get(const gmmu_t *m, const char *key, char *buf, size_t size);

/* Applications, before the first gmmu_run(): as they are typed behind `gmmu run`, or a source of
 * instructions of the caller's own, which stays the caller's and outlives the machine. `sms` 0: an
 * equal share. */
int gmmu_add(gmmu_t *m, const char *app, uint32_t sms, err_t *e);
int gmmu_add_source(gmmu_t *m, const char *name, source_t *source, uint32_t sms, err_t *e);

/* From now on `epoch` is called each time so many cycles have passed; if it returns false, the run
 * stops there. Statistics may be read in it. */
typedef bool (*gmmu_epoch_fn)(void *ctx, gmmu_t *m, uint64_t cycle);
int gmmu_on_epoch(gmmu_t *m, uint64_t cycles, gmmu_epoch_fn epoch, void *ctx, err_t *e);

/* When a run ends; 0: no such limit. Without limits it ends when every application has finished
 * once; those that finish earlier are started again unless `no_relaunch`. */
typedef struct {
  uint64_t cycles, instructions; /* of the whole run; warp instructions of all applications */
  uint64_t min_cycles;           /* also what has finished goes on until then */
  uint32_t wait_for;             /* the first so many must have finished once; 0: all */
  bool no_relaunch;
} gmmu_limits_t;
/* Runs to the limits (NULL: none). 1: the run is over, 0: `epoch` stopped it; then it may be called
 * again. */
int gmmu_run(gmmu_t *m, const gmmu_limits_t *limits, err_t *e);
uint64_t gmmu_cycles(const gmmu_t *m);

/* All statistics as one JSON object, as `gmmu run --json` has them for a design; the machine's,
 * until the next call. Waiting times that are still open are charged at the end of the run. */
const char *gmmu_statistics(gmmu_t *m, err_t *e);
/* One counter of it, "apps[0].l2tlb.misses"; GMMU_ENOENT if there is none. */
int gmmu_statistic(gmmu_t *m, const char *path, uint64_t *out, err_t *e);
#endif
