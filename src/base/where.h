#ifndef GMMU_WHERE_H
#define GMMU_WHERE_H
/* Where the files that belong to this gmmu are: found from the place of the program itself, be it
 * installed (PREFIX/bin/gmmu) or in a build folder (BUILD/tools/gmmu). */
#include "gmmu/err.h"
#include <stddef.h>

typedef enum {
  WHERE_CUDART,  /* folder with libcudart.so.* of ours */
  WHERE_HEADERS, /* folder with cuda_runtime.h of ours */
  WHERE_APPS,    /* folder with the programs of the papers' applications */
  WHERE_MPI,     /* folder with gmmu-mpi.so, if this gmmu has it */
  WHERE_COUNT
} where_t;

/* An existing folder, absolute; GMMU_EIO with what was looked for otherwise. */
int where_is(where_t what, char *path, size_t size, err_t *e);
/* The command itself, which records programs for whoever is not it. */
int where_program(char *path, size_t size, err_t *e);
#endif
