#ifndef GMMU_APPS_H
#define GMMU_APPS_H
/* Applications as they are typed (front.h): one of the papers' ("bfs2:size=large"), a generator
 * ("gather:footprint=64M,seed=3"), a database operator ("db-groupby:size=4G,scope=2G"), a path to
 * a .gmt file or to traces of other tools (traces.h), a kernel of a .ptx file with its launch
 * (ptx/app.h), or a program,
 * "-- ./program arguments". */
#include "lab/front.h"

#define APP_NAME_BYTES 64

/* On success the caller owns *out and ends it with (*out)->ops->free(). */
int app_open(const char *text, source_t **out, err_t *e);
/* The same for a machine that is known: programs that run live are told of it. */
int app_open_on(const char *text, const front_machine_t *m, source_t **out, err_t *e);
bool app_is_file(const char *text); /* a .gmt file, or traces of other tools */
/* Short names for tables: the generator's, the file's or the program's, numbered where two are the
 * same. The last `programs` are programs: text[] is then their first word. */
void app_names(const char *const text[], uint32_t count, uint32_t programs,
               char name[][APP_NAME_BYTES]);
#endif
