#ifndef GMMU_DB_CUDA_H
#define GMMU_DB_CUDA_H
/* The operators on a real GPU: the same PTX, through the CUDA driver library, which is opened when
 * it is needed. */
#include "db/host.h"

/* GPU `ordinal` of this computer; where there is none, an error says so in a sentence. */
int db_cuda_run(uint32_t ordinal, const char *ptx, const db_spec_t *spec, db_result_t *out,
                err_t *e);
#endif
