#ifndef GMMU_WATCH_H
#define GMMU_WATCH_H
/* A source that passes everything through from another, shows on the terminal how many instructions
 * went by, and fails with GMMU_EINTERRUPTED when Ctrl-C was pressed. */
#include "gmmu/stream.h"

/* `what` is shown; `in` and `what` stay the caller's and outlive *out. */
int watch_new(source_t *in, const char *what, source_t **out, err_t *e);
#endif
