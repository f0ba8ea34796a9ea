#ifndef GMMU_TRACES_H
#define GMMU_TRACES_H
/* Traces of other tools as applications: a path to kernelslist.g, or to one kernel's trace. They
 * are imported once, into the cache; the recording's name has the hash of all their bytes. */
#include "gmmu/stream.h"
#include "gpu/spec.h"
#include "import/import.h"

/* import_run(), and shows on a terminal how far it is. */
int traces_import(const char *list, const char *path, import_opts_t *o, import_summary_t *s,
                  err_t *e);

bool traces_knows(const char *text);
/* Where its recording is, or will be. */
int traces_recording(const char *text, char *path, size_t size, bool *cached, err_t *e);
/* Makes the recording if there is none; path has its name then. */
int traces_record(const char *text, char *path, size_t size, err_t *e);
int traces_open(const char *text, source_t **out, err_t *e); /* as app_open() */

/* Of a recording of machine code: says once, as application `name`, what does not carry over to a
 * GPU of another generation. */
void traces_say_generation(const source_t *s, const char *name, const gpu_spec_t *gpu,
                           const char *gpu_name);
#endif
