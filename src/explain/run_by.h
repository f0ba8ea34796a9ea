#ifndef GMMU_RUN_BY_H
#define GMMU_RUN_BY_H
/* `gmmu run --by array|kernel|line`: who is responsible, as a table per application. */
#include "base/strbuf.h"
#include "gpu/gpu.h"
#include "lab/apps.h"

/* The list's name in the JSON, "by_array"; NULL if `what` is none of them. */
const char *run_by_list(const char *what);
/* Of a machine that was settled, with observe.origins. */
void run_by_text(const gpu_t *g, const char *design, const char *list, uint32_t apps,
                 char (*name)[APP_NAME_BYTES], strbuf_t *out);
#endif
