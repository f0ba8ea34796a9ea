#ifndef GMMU_TRACES_H
#define GMMU_TRACES_H
/* Traces of other tools as applications: a path to kernelslist.g, or to one kernel's trace. They
 * are imported once, into the cache; the recording's name has the hash of all their bytes. */
#include "gmmu/stream.h"
#include "import/import.h"

/* import_run(), and shows on a terminal how far it is. */
int traces_import(const char *list, const char *path, import_opts_t *o, import_summary_t *s,
                  err_t *e);
#endif
