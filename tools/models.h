#ifndef GMMU_MODELS_H
#define GMMU_MODELS_H
/* Versions of the model in a results store. Their runs are different runs: whoever reads a store
 * sees the newest version's alone unless another, or `all`, is asked for. */
#include "base/strbuf.h"
#include "lab/store.h"

#define MODELS_ALL "all"

typedef struct {
  strbuf_t names; /* each ends with NUL; the newest first */
  uint32_t count;
  const char *chosen; /* NULL: all */
} models_t;

void models_init(models_t *m);
void models_fini(models_t *m);
/* Reads the versions and limits the store's queries to `wish`: NULL for the newest, MODELS_ALL, or
 * a version of it, which else is an error. */
int models_choose(models_t *m, store_t *s, const char *wish, err_t *e);
const char *models_at(const models_t *m, uint32_t i); /* NULL behind the last */
/* Which versions `chosen` leaves out, if any, on stderr. */
void models_tell(const models_t *m, const char *store);
#endif
