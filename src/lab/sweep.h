#ifndef GMMU_SWEEP_H
#define GMMU_SWEEP_H
/* A study on the laboratory: its points become runs, and it is evaluated until none is missing. */
#include "lab/lab.h"
#include "lab/study.h"

typedef struct {
  char key[STORE_KEY_BYTES]; /* of the run; empty: it is absent, and has none */
  char label[512];           /* what it was, or the first point that needs it */
  char reason[400];
} sweep_failure_t;

/* Two designs that have every option in common on a GPU: each of their runs is one run, which has
 * the name of whichever was run first. */
typedef struct {
  const char *gpu, *design, *as; /* the study's words; `as` comes first in it */
} sweep_same_t;

typedef struct {
  study_t study;
  const char *name;
  lab_t *lab;
  uint32_t points;
  uint32_t found;           /* different runs that were there, failures that are kept included */
  sweep_failure_t *failure; /* owned */
  uint32_t failures, failure_room;
  sweep_same_t *same; /* owned */
  uint32_t sames;
} sweep_t;

/* Reads the study and verifies every name in it; an error has its place. */
int sweep_read(sweep_t *s, const char *path, err_t *e);
/* Reads a study from a text in memory; errors call it `name`. */
int sweep_read_text(sweep_t *s, const char *name, const char *text, err_t *e);
/* Point `i` of the grid and its run, with the SMs divided as the study says; GMMU_EINVAL for an
 * oracle, who must run others first. */
int sweep_point(const sweep_t *s, uint32_t i, study_point_t *p, lab_run_t *r, err_t *e);
void sweep_fini(sweep_t *s);

/* One pass: what is missing is then in the laboratory; failures that are known are in `failure`.
 * `keep`: how well applications share the GPU goes to the store, where it is known. */
int sweep_look(sweep_t *s, bool keep, err_t *e);
/* Until nothing is missing; GMMU_OK, or what came between. */
int sweep_run(sweep_t *s, err_t *e);
#endif
