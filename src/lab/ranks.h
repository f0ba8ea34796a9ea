#ifndef GMMU_RANKS_H
#define GMMU_RANKS_H
/* A sweep under mpirun: rank 0 owns the study and the store and gives runs out; the others run
 * them, one at a time each. */
#include "lab/lab.h"

typedef struct ranks ranks_t;

bool ranks_is_there(void); /* this process was started by mpirun */
/* GMMU_ENOENT if this gmmu was built without MPI. */
int ranks_open(ranks_t **out, err_t *e);
/* Ends the other ranks' work, too, if this is rank 0: at once, with the exit status `status`, if
 * one of them is busy. NULL is fine. */
void ranks_close(ranks_t *m, int status);
int ranks_own(const ranks_t *m);
/* What is missing is executed by the other ranks, if there are any. Rank 0 only. */
void ranks_serve(ranks_t *m, lab_t *l);
/* All other ranks: until rank 0 is done. */
int ranks_work(ranks_t *m, err_t *e);
#endif
