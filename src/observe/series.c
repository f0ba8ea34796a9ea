#include "observe/series.h"
#include "gmmu/err.h"
#include <stdlib.h>
#include <string.h>

#define FIELDS (sizeof(series_point_t) / sizeof(uint64_t))

int series_init(series_t *s, uint32_t apps, uint64_t interval_cycles) {
  *s = (series_t){.apps = apps, .interval_cycles = interval_cycles};
  s->at = calloc((size_t)SERIES_POINTS * apps, sizeof *s->at);
  s->last = calloc(apps, sizeof *s->last);
  return s->at && s->last ? GMMU_OK : GMMU_ENOMEM;
}

void series_fini(series_t *s) {
  free(s->at);
  free(s->last);
}

static void add_point(series_point_t *to, const series_point_t *from) {
  uint64_t *a = (uint64_t *)to;
  const uint64_t *b = (const uint64_t *)from;
  for (size_t i = 0; i < FIELDS; i++) a[i] += b[i];
}

/* Pairs of neighbours become one point; the interval doubles. */
static void series_halve(series_t *s) {
  for (uint32_t p = 0; p < s->points / 2; p++)
    for (uint32_t a = 0; a < s->apps; a++) {
      series_point_t sum = s->at[2 * p * s->apps + a];
      add_point(&sum, &s->at[(2 * p + 1) * s->apps + a]);
      s->at[p * s->apps + a] = sum;
    }
  s->points /= 2;
  s->interval_cycles *= 2;
}

static void add_interval(series_t *s, const series_point_t *totals) {
  for (uint32_t a = 0; a < s->apps; a++) {
    uint64_t *to = (uint64_t *)&s->at[s->points * s->apps + a], *last = (uint64_t *)&s->last[a];
    const uint64_t *now = (const uint64_t *)&totals[a];
    for (size_t i = 0; i < FIELDS; i++) {
      to[i] = now[i] - last[i];
      last[i] = now[i];
    }
  }
  s->points++;
}

void series_add(series_t *s, const series_point_t *totals) {
  add_interval(s, totals);
  if (s->points == SERIES_POINTS) series_halve(s);
  s->last_cycles = s->interval_cycles;
}

void series_end(series_t *s, const series_point_t *totals, uint64_t cycles) {
  add_interval(s, totals); /* there is room: a full series was halved at once */
  s->last_cycles = cycles;
}
