#ifndef GMMU_DB_PROGRAM_H
#define GMMU_DB_PROGRAM_H
/* An operator as a program for a simulated GPU: the kernels of kernels/db/db.cu run live. */
#include "db/host.h"
#include "gmmu/stream.h"

/* `ptx` is the text of the kernels. The program checks what its kernels have computed before it
 * ends; if that is wrong, it fails. Free with (*out)->ops->free(). */
int db_program_new(const db_spec_t *spec, const char *ptx, size_t bytes, source_t **out, err_t *e);
/* Of the last execution that has ended; ns is left to who knows the clock. */
const db_result_t *db_program_result(const source_t *s);
#endif
