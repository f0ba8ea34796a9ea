/* Jobs in their order; those that may not begin yet wait in `later`, in order too. Invariant: a job
 * before `next` has ended, is in `later`, or is its caller's. */
#include "lab/jobs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t price_of(const jobs_t *j, uint32_t job) { return j->price ? j->price[job] : 1; }

int job_queue_init(job_queue_t *q, const jobs_t *j, err_t *e) {
  *q = (job_queue_t){.j = j,
                     .later = calloc(j->jobs + 1, sizeof *q->later),
                     .begun_ns = calloc(j->jobs + 1, sizeof *q->begun_ns)};
  for (uint32_t i = 0; i < j->jobs; i++) q->price += price_of(j, i);
  if (q->later && q->begun_ns) return GMMU_OK;
  job_queue_fini(q);
  return err_set(e, GMMU_ENOMEM, "out of memory");
}

void job_queue_fini(job_queue_t *q) {
  free(q->later);
  free(q->begun_ns);
  q->later = NULL, q->begun_ns = NULL;
}

bool job_queue_left(const job_queue_t *q) { return q->next < q->j->jobs || q->laters; }

void job_queue_ended(job_queue_t *q, uint32_t job) {
  uint64_t price = price_of(q->j, job), begun = q->begun_ns[job];
  q->ended++;
  q->paid += price;
  if (!begun) return;
  q->run_price += price;
  q->run_ns += progress_now_ns() - begun;
  q->begun_ns[job] = 0;
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
  if (!pick_new(q, job, state, e) && !pick_later(q, job, state, e)) return false;
  if (*state == JOB_GO) q->begun_ns[*job] = progress_now_ns();
  return true;
}

/* Those under way have the rest of their time, or, if that is over already, a tenth of it more.
 * What has not begun is divided among as many as are under way now. */
uint64_t job_queue_left_ms(const job_queue_t *q, uint64_t now_ns) {
  uint64_t begun_price = 0, rest = 0, longest = 0, running = 0;
  if (!q->run_price) return 0;
  double ns_per_price = (double)q->run_ns / (double)q->run_price;
  for (uint32_t i = 0; i < q->j->jobs; i++) {
    if (!q->begun_ns[i]) continue;
    uint64_t whole = (uint64_t)((double)price_of(q->j, i) * ns_per_price);
    uint64_t spent = now_ns - q->begun_ns[i], least = spent / 10;
    uint64_t left = whole > spent + least ? whole - spent : least;
    begun_price += price_of(q->j, i);
    rest += left;
    if (left > longest) longest = left;
    running++;
  }
  rest += (uint64_t)((double)(q->price - q->paid - begun_price) * ns_per_price);
  if (running) rest /= running;
  return (rest > longest ? rest : longest) / 1000000 + 1;
}

void job_queue_show(const job_queue_t *q, progress_t *shown) {
  char what[160];
  if (!progress_due(shown)) return;
  snprintf(what, sizeof what, "%s: %u of %u runs", q->j->what, q->ended, q->j->jobs);
  uint32_t permille = q->price ? (uint32_t)(q->paid * 1000 / q->price) : 1001;
  progress_state_t s = {.what = what,
                        .permille = permille,
                        .runs = q->ended,
                        .left_ms = job_queue_left_ms(q, progress_now_ns())};
  if (q->j->progress) q->j->progress(q->j->ctx, &s);
  progress_show(shown, &s);
}
