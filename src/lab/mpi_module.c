/* gmmu-mpi.so: mpi_module.h by MPI. The only file that knows mpi.h. */
#include "lab/mpi_module.h"
#include <mpi.h>

/* Errors are returned: gmmu says what they mean and ends in order. */
static int begin(int *rank, int *size) {
  int rc = MPI_Init(NULL, NULL);
  if (rc == MPI_SUCCESS) rc = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = MPI_Comm_rank(MPI_COMM_WORLD, rank);
  return rc == MPI_SUCCESS ? MPI_Comm_size(MPI_COMM_WORLD, size) : rc;
}

static int send_bytes(int to, int tag, const void *bytes, int size) {
  return MPI_Send(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static int poll_any(int *there, int *from, int *tag, int *size) {
  MPI_Status s;
  int rc = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, there, &s);
  if (rc != MPI_SUCCESS || !*there) return rc;
  *from = s.MPI_SOURCE, *tag = s.MPI_TAG;
  return MPI_Get_count(&s, MPI_BYTE, size);
}

static int receive(int from, int tag, void *bytes, int size) {
  return MPI_Recv(bytes, size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int give_up(int code) { return MPI_Abort(MPI_COMM_WORLD, code); }

extern const mpi_module_t gmmu_mpi;
__attribute__((visibility("default"))) const mpi_module_t gmmu_mpi = {
    MPI_MODULE_VERSION, begin, send_bytes, poll_any, receive, MPI_Finalize, give_up};
