/* Lines are loaded in a row, one after the other, then one is timed: the last of them, one of those
 * behind it, or one of another page. Every question has a page of its own, at random; the median of
 * a few decides. */
#include "probe/prefetch.h"
#include "base/rng.h"
#include <stdlib.h>

#define TRIES 9u
enum { HIT, MISS, NEXT, KINDS = NEXT + PREFETCH_AHEAD };
#define QUESTIONS (KINDS * TRIES)

/* A page's two halves: the row and what follows it lie in the first, the second brings in the
 * translation. */
#define HALF_LINES (2 * PREFETCH_TRAIN)

typedef struct {
  device_t *d;
  rng_t rng;
  uint64_t line_bytes, page_bytes;
  question_t question[QUESTIONS];
  uint64_t at[QUESTIONS][PREFETCH_TRAIN + 3];
  uint32_t time[KINDS][TRIES];
} search_t;

static uint64_t page_of(const device_info_t *d) {
  return d->page_bytes ? d->page_bytes : d->step_bytes;
}

bool prefetch_askable(const device_t *d, const solver_report_t *f) {
  uint64_t line = f->line_bytes.value;
  return d->ops->ask && line && 2 * HALF_LINES * line <= page_of(&d->info);
}

static uint64_t any_page(search_t *s) {
  uint64_t bytes = s->d->info.bytes < DEVICE_REACH ? s->d->info.bytes : DEVICE_REACH;
  return rng_next(&s->rng) % (bytes / s->page_bytes) * s->page_bytes;
}

static void write_question(search_t *s, uint32_t kind, uint32_t try) {
  uint32_t i = kind * TRIES + try, n = 0;
  uint64_t *at = s->at[i], page = any_page(s), timed = page;
  uint32_t line = PREFETCH_TRAIN - 1; /* of the page that is timed */
  if (kind == MISS) timed = any_page(s);
  if (kind >= NEXT) line += 1 + kind - NEXT;
  at[n++] = page + HALF_LINES * s->line_bytes;
  for (uint32_t k = 0; k < PREFETCH_TRAIN; k++) at[n++] = page + k * s->line_bytes;
  at[n++] = timed + HALF_LINES * s->line_bytes;
  at[n++] = timed + line * s->line_bytes;
  s->question[i] = (question_t){.at = at,
                                .warm = 1,
                                .first = PREFETCH_TRAIN,
                                .ready = 1,
                                .timed = 1,
                                .cycles = &s->time[kind][try]};
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static uint32_t median(uint32_t time[TRIES]) {
  qsort(time, TRIES, sizeof *time, by_value);
  return time[TRIES / 2];
}

static void judge(search_t *s, prefetch_t *out) {
  uint32_t hit = median(s->time[HIT]), miss = median(s->time[MISS]);
  if (miss < hit + hit / 4) return;
  out->hit = hit, out->miss = miss;
  for (uint32_t k = 0; k < PREFETCH_AHEAD; k++) {
    out->next[k] = median(s->time[NEXT + k]);
    out->came += out->next[k] < hit + (miss - hit) / 2;
  }
}

int prefetch_probe(device_t *d, const solver_report_t *f, uint64_t seed, prefetch_t *out,
                   err_t *e) {
  *out = (prefetch_t){0};
  if (!prefetch_askable(d, f))
    return err_set(e, GMMU_ENOENT, "the lines of \"%s\" are not known", d->info.name);
  search_t *s = calloc(1, sizeof *s);
  if (!s) return err_set(e, GMMU_ENOMEM, "no memory for a probe");
  s->d = d, s->rng = (rng_t){seed};
  s->line_bytes = f->line_bytes.value, s->page_bytes = page_of(&d->info);
  for (uint32_t kind = 0; kind < KINDS; kind++)
    for (uint32_t try = 0; try < TRIES; try++) write_question(s, kind, try);
  int rc = device_ask(d, s->question, QUESTIONS, e);
  out->questions = QUESTIONS;
  if (rc == 0) judge(s, out);
  free(s);
  return rc;
}
