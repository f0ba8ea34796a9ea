#ifndef GMMU_SLURM_PLAN_H
#define GMMU_SLURM_PLAN_H
/* The plan of a Slurm array: "tasks N", then its runs as text (lab_text_write()); run i is task
 * i % N's. It is read from a file that anything may have happened to: all of it is checked before
 * any of it is used. */
#include "lab/lab.h"

#define SLURM_MAX_TASKS 100000

/* A plan has no more tasks than runs. */
typedef struct {
  strbuf_t text;  /* owned */
  const char *at; /* what has not been read yet */
  uint32_t tasks, runs;
} slurm_plan_t;

/* Takes the bytes of `text`, which is left empty. An error has `file` and the line. After
 * stop_asked(): GMMU_EINTERRUPTED. slurm_plan_fini() in any case. */
int slurm_plan_read(slurm_plan_t *p, const char *file, strbuf_t *text, err_t *e);
void slurm_plan_fini(slurm_plan_t *p);
/* 1 with a run, 0 behind the last, GMMU_EINTERRUPTED after stop_asked(). */
int slurm_plan_next(slurm_plan_t *p, lab_run_t *run, char key[STORE_KEY_BYTES], err_t *e);
/* The missing runs of a laboratory as a plan. */
int slurm_plan_write(const lab_t *l, uint32_t tasks, strbuf_t *text, err_t *e);
#endif
