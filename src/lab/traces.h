#ifndef GMMU_TRACES_H
#define GMMU_TRACES_H
/* Traces of other tools as applications: a path to kernelslist.g, or to one kernel's trace. They
 * are imported once, into the cache; the recording's name has the hash of all their bytes. Of a
 * list with several CUDA contexts LIST:context=0xHEX is one. */
#include "gmmu/stream.h"
#include "import/import.h"

/* import_run(), and shows on a terminal how far it is. */
int traces_import(const char *list, const char *path, import_opts_t *o, import_summary_t *s,
                  err_t *e);

/* Whether the text is a list with several contexts, and their names: how many, at most `room`; 0:
 * it is not, or names one itself. */
uint32_t traces_contexts(const char *text, char name[][CONTEXT_CHARS], uint32_t room);
#endif
