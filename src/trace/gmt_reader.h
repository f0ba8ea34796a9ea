#ifndef GMMU_TRACE_GMT_READER_H
#define GMMU_TRACE_GMT_READER_H
/* For the fuzz target: opening a descriptor, and looking behind the hashes. */
#include "trace/gmt.h"

/* Takes over fd, even on failure. skip_hashes: compare no hash, so that the checks behind them are
 * reached. */
int gmt_open_fd(int fd, const char *name, const gmt_reader_opts_t *o, bool skip_hashes,
                source_t **out, err_t *e);
#endif
