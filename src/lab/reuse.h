#ifndef GMMU_REUSE_H
#define GMMU_REUSE_H
/* Reuse distances of a program's pages in place of a run: "pages:scan:size=tiny". */
#include "base/json.h"
#include "gmmu/err.h"
#include <stdbool.h>

bool reuse_knows(const char *text);
/* One JSON object; median_reuse_distance as `gmmu characterize --sizes` has it, and
 * median_return_distance, the same without accesses to the page of the access before. Where the
 * median access is a first touch, both are the number of pages. */
int reuse_run(const char *text, json_t *j, err_t *e);
/* The command that shows the same. */
void reuse_command(const char *text, const char *gpu, strbuf_t *out);
#endif
