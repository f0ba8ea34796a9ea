/* Robust statistics of times: medians, so that an outlier counts as one and not by its height, and
 * thresholds in the widest step of sorted values. */
#include "solver/internal.h"
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}
void sort_times(uint32_t *v, uint32_t n) { qsort(v, n, sizeof *v, by_value); }

uint32_t median(uint32_t *v, uint32_t n) {
  sort_times(v, n);
  return v[n / 2];
}

uint32_t widest_step(const uint32_t *v, uint32_t n, uint32_t *cut) {
  uint32_t most = 0;
  *cut = n ? v[n - 1] : 0;
  for (uint32_t i = 1; i < n; i++)
    if (v[i] - v[i - 1] > most) {
      most = v[i] - v[i - 1];
      *cut = v[i - 1] + most / 2;
    }
  return most;
}

/* Medians over the rows of times[repeat][n]. */
static void medians(const uint32_t *times, uint32_t n, uint32_t repeat, uint32_t *out) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t v[REPEAT_MAX];
    for (uint32_t k = 0; k < repeat; k++) v[k] = times[k * n + i];
    out[i] = median(v, repeat);
  }
}

/* One batch, in random order: so what a device does at regular times, as a refresh, comes to other
 * pairs the next time. */
typedef struct {
  oracle_pair_t *pair;
  uint32_t *place, *time;
} shuffled_t;

static int ask_shuffled(search_t *s, shuffled_t *x, const oracle_pair_t *p, uint32_t n,
                        uint32_t *out) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = rng_below(&s->rng, i + 1);
    x->place[i] = x->place[k];
    x->place[k] = i;
  }
  for (uint32_t i = 0; i < n; i++) x->pair[i] = p[x->place[i]];
  int rc = s->o->pairs(s->o->ctx, x->pair, n, x->time, s->e);
  for (uint32_t i = 0; i < n && rc == 0; i++) out[x->place[i]] = x->time[i];
  return rc;
}

int median_pairs(search_t *s, const oracle_pair_t *p, uint32_t n, uint32_t repeat, uint32_t *out) {
  uint32_t *times = malloc(sizeof *times * ((size_t)n * repeat + 1));
  shuffled_t x = {malloc((n + 1) * sizeof *x.pair), malloc((n + 1) * sizeof *x.place),
                  malloc((n + 1) * sizeof *x.time)};
  bool there = times && x.pair && x.place && x.time;
  int rc = there ? 0 : err_set(s->e, GMMU_ENOMEM, "out of memory for the solver");
  for (uint32_t k = 0; k < repeat && rc == 0 && n; k++)
    rc = ask_shuffled(s, &x, p, n, times + (size_t)k * n);
  if (rc == 0) medians(times, n, repeat, out);
  s->r->pairs += (uint64_t)n * repeat;
  free(times);
  free(x.pair);
  free(x.place);
  free(x.time);
  return rc;
}

int median_chains(search_t *s, const oracle_chain_t *c, uint32_t n, uint32_t repeat,
                  uint32_t *out) {
  uint32_t *times = malloc(sizeof *times * ((size_t)n * repeat + 1));
  oracle_chain_t *all = malloc(sizeof *all * ((size_t)n * repeat + 1));
  int rc = times && all ? 0 : err_set(s->e, GMMU_ENOMEM, "out of memory for the solver");
  for (uint32_t k = 0; k < repeat && rc == 0; k++) memcpy(all + (size_t)k * n, c, n * sizeof *c);
  if (rc == 0 && n) rc = s->o->chains(s->o->ctx, all, n * repeat, times, s->e);
  if (rc == 0) medians(times, n, repeat, out);
  free(all);
  s->r->chains += (uint64_t)n * repeat;
  for (uint32_t i = 0; i < n; i++) s->r->touched += (uint64_t)c[i].count * repeat;
  free(times);
  return rc;
}
