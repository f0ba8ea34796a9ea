#ifndef GMMU_JOBS_H
#define GMMU_JOBS_H
/* Independent pieces of work, each in a process of its own, a few at a time: one that fails or
 * crashes takes nothing with it. */
#include "base/strbuf.h"
#include "gmmu/err.h"
#include <stdint.h>

typedef struct {
  /* In the child: adds its result's bytes to *result; a negative code with *e filled fails. */
  int (*run)(void *ctx, uint32_t job, strbuf_t *result, err_t *e);
  /* In the parent, in order of completion: `result` is NULL if it failed, and then *e says why.
   * A negative code ends the whole. */
  int (*done)(void *ctx, uint32_t job, const strbuf_t *result, err_t *e);
  void *ctx;
  uint32_t jobs, parallel; /* parallel 0: as many as the host has processors */
  const uint64_t *price;   /* [jobs], in any unit, for the time left; NULL: all alike */
  const char *what;        /* shown on a terminal with the share done */
} jobs_t;

/* GMMU_EINTERRUPTED after Ctrl-C: the children have ended, and what was done has been told. */
int jobs_run(const jobs_t *j, err_t *e);
#endif
