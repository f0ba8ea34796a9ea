#ifndef GMMU_CC_ARGS_H
#define GMMU_CC_ARGS_H
/* nvcc's options. */
#include "cc/cc.h"
#include "cli.h"

/* Reads the arguments of `c`; a status, with the error printed. */
int cc_read(cli_t *c, cc_job_t *j);
#endif
