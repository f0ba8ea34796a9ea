#ifndef GMMU_JOBS_H
#define GMMU_JOBS_H
/* Independent pieces of work, each in a process of its own, a few at a time: one that fails or
 * crashes takes nothing with it. */
#include "base/progress.h"
#include "base/strbuf.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum {
  JOB_GO,    /* it may begin */
  JOB_LATER, /* not yet: ask again */
  JOB_DONE,  /* it need not be done any more */
  JOB_BAD    /* *e says why all ends */
} job_ready_t;

typedef struct {
  /* In the child: adds its result's bytes to *result; a negative code with *e filled fails. */
  int (*run)(void *ctx, uint32_t job, strbuf_t *result, err_t *e);
  /* In the parent, in order of completion: `result` is NULL if it failed, and then *e says why.
   * A negative code ends the whole. */
  int (*done)(void *ctx, uint32_t job, const strbuf_t *result, err_t *e);
  /* In the parent, before it begins; NULL: all may. */
  job_ready_t (*ready)(void *ctx, uint32_t job, err_t *e);
  /* In the parent, now and then: true ends all as Ctrl-C does. NULL: never. */
  bool (*stop)(void *ctx);
  void *ctx;
  uint32_t jobs, parallel; /* parallel 0: as many as the host has processors */
  const uint64_t *price;   /* [jobs], in any unit, for the time left: how long that is is measured
                              by those that have ended; NULL: all alike */
  const char *what;        /* shown on a terminal with the share done */
  /* In place of that line: how far it is. NULL: how many jobs have ended. */
  void (*progress)(void *ctx, progress_state_t *s);
  bool lines;  /* without a terminal: a line every 30 s */
  bool finish; /* Ctrl-C: those under way are asked to stop and tell what they have */
} jobs_t;

/* ---- who is next, for those who run jobs in their own way ---- */

typedef struct {
  const jobs_t *j;
  uint32_t next, ended;
  uint32_t *later, laters;    /* room for all */
  uint64_t *begun_ns;         /* [jobs] 0: it is not under way */
  uint64_t price, paid;       /* of all, of those that have ended */
  uint64_t run_price, run_ns; /* of those that have run to their end */
} job_queue_t;

int job_queue_init(job_queue_t *q, const jobs_t *j, err_t *e);
void job_queue_fini(job_queue_t *q);
bool job_queue_left(const job_queue_t *q);
/* A job that may begin (JOB_GO) or that ends all (JOB_BAD); false if there is none now. */
bool job_queue_pick(job_queue_t *q, uint32_t *job, job_ready_t *state, err_t *e);
void job_queue_ended(job_queue_t *q, uint32_t job);
/* How long it takes from `now_ns` on, by what those that have ended took; 0: none has. */
uint64_t job_queue_left_ms(const job_queue_t *q, uint64_t now_ns);
void job_queue_show(const job_queue_t *q, progress_t *shown);

/* GMMU_EINTERRUPTED after Ctrl-C: the children have ended, and what was done has been told. */
int jobs_run(const jobs_t *j, err_t *e);
#endif
