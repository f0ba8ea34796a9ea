#ifndef GMMU_SLURM_H
#define GMMU_SLURM_H
/* A sweep as a Slurm job array. What is missing is written to a folder beside the store
 * (STORE.slurm/NAME); each task of the array runs its share and keeps the results in a store of its
 * own there, which is merged into the real one when the task has ended: nobody but this process
 * writes to that. Whoever opens the store later finds the folder and goes on waiting. */
#include "lab/lab.h"

typedef struct {
  const char *partition, *time; /* NULL: Slurm's default */
  uint32_t tasks;               /* of the array, at most; 0: SLURM_TASKS */
  uint32_t processors;          /* of a task, and runs at once in it; 0: one */
} slurm_options_t;

#define SLURM_TASKS 64

/* What is missing is executed by Slurm. `o` outlives the laboratory. */
void slurm_serve(const slurm_options_t *o, lab_t *l);
/* Takes what arrays of earlier sweeps have finished; with `wait` until they have ended. */
int slurm_collect(lab_t *l, bool wait, err_t *e);
/* In a task: its share of what is in the folder. */
int slurm_task(const char *folder, err_t *e);
#endif
