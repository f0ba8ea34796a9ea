#ifndef GMMU_COMMAND_H
#define GMMU_COMMAND_H
/* Another program's answer. */
#include "base/strbuf.h"
#include "base/words.h"
#include "gmmu/err.h"

/* Runs argv, found by PATH, and waits for it; its output is added to *out. If it fails, the error
 * has the last line that it said on its standard error. */
int command_run(const words_t *argv, strbuf_t *out, err_t *e);
#endif
