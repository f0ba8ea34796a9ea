#ifndef GMMU_MPI_MODULE_H
#define GMMU_MPI_MODULE_H
/* What gmmu needs of MPI, and all of it. gmmu-mpi.so implements this with the MPI it was built
 * with; gmmu itself is not linked with any and loads that file when it runs under mpirun. */
#include <stddef.h>
#include <stdint.h>

#define MPI_MODULE_VERSION 1
#define MPI_MODULE_FILE    "gmmu-mpi.so"
#define MPI_MODULE_SYMBOL  "gmmu_mpi"

/* Each returns 0, or MPI's error. */
typedef struct {
  uint32_t version;
  int (*begin)(int *rank, int *size);
  /* Returns when `bytes` may be reused, which may be when the other side has received it. */
  int (*send)(int to, int tag, const void *bytes, int size);
  /* Whether there is a message from anybody, without waiting; if so, whose, and how long. */
  int (*poll)(int *there, int *from, int *tag, int *size);
  int (*receive)(int from, int tag, void *bytes, int size);
  int (*end)(void);         /* when all ranks are ready for it */
  int (*give_up)(int code); /* ends all of them at once */
} mpi_module_t;
#endif
