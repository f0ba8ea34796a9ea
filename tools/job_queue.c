/* Jobs in their order; those that may not begin yet wait in `later`, in order too. Invariant: a job
 * before `next` has ended, is in `later`, or is its caller's. */
#include "jobs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t price_of(const jobs_t *j, uint32_t job) { return j->price ? j->price[job] : 1; }

int job_queue_init(job_queue_t *q, const jobs_t *j, err_t *e) {
  *q = (job_queue_t){.j = j, .later = calloc(j->jobs + 1, sizeof *q->later)};
  for (uint32_t i = 0; i < j->jobs; i++) q->price += price_of(j, i);
  return q->later ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
}

void job_queue_fini(job_queue_t *q) {
  free(q->later);
  q->later = NULL;
}

bool job_queue_left(const job_queue_t *q) { return q->next < q->j->jobs || q->laters; }

void job_queue_ended(job_queue_t *q, uint32_t job) {
  q->ended++;
  q->paid += price_of(q->j, job);
}

static job_ready_t ready(const job_queue_t *q, uint32_t job, err_t *e) {
  return q->j->ready ? q->j->ready(q->j->ctx, job, e) : JOB_GO;
}

static bool pick_new(job_queue_t *q, uint32_t *job, job_ready_t *state, err_t *e) {
  while (q->next < q->j->jobs) {
    *job = q->next++;
    *state = ready(q, *job, e);
    if (*state == JOB_GO || *state == JOB_BAD) return true;
    if (*state == JOB_LATER)
      q->later[q->laters++] = *job;
    else
      job_queue_ended(q, *job);
  }
  return false;
}

static bool pick_later(job_queue_t *q, uint32_t *job, job_ready_t *state, err_t *e) {
  for (uint32_t i = 0; i < q->laters;) {
    *job = q->later[i];
    *state = ready(q, *job, e);
    if (*state == JOB_LATER) {
      i++;
      continue;
    }
    memmove(&q->later[i], &q->later[i + 1], (--q->laters - i) * sizeof *q->later);
    if (*state != JOB_DONE) return true;
    job_queue_ended(q, *job);
  }
  return false;
}

bool job_queue_pick(job_queue_t *q, uint32_t *job, job_ready_t *state, err_t *e) {
  return pick_new(q, job, state, e) || pick_later(q, job, state, e);
}

void job_queue_show(const job_queue_t *q, progress_t *shown) {
  char what[160];
  if (!progress_due(shown)) return;
  snprintf(what, sizeof what, "%s: %u of %u runs", q->j->what, q->ended, q->j->jobs);
  uint32_t permille = q->price ? (uint32_t)(q->paid * 1000 / q->price) : 1001;
  progress_show(shown, &(progress_state_t){.what = what, .permille = permille, .runs = q->ended});
}
