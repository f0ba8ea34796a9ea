/* Sets and ways from the way misses grow. Pages are touched in turn in a small model of a TLB (sets
 * and ways with LRU, and entries beside them that keep what the sets displaced), and the model that
 * misses as often as the device does is the answer. Without entries beside the sets a set that has
 * one page too many misses all of its pages in every round, so each further page adds ways + 1
 * misses, until every set has too many. */
#include "probe/tlb_probe.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BESIDE 16u
#define EMPTY      UINT32_MAX

typedef struct {
  uint32_t sets, ways, beside;
  bool folded;
  uint32_t *page;  /* [sets * ways + beside] */
  uint64_t *stamp; /* of its last use */
  uint64_t now;
} model_t;

static uint32_t set_of(const model_t *m, uint32_t page) {
  if (m->sets == 1) return 0;
  if (!m->folded) return page & (m->sets - 1);
  uint32_t bits = (uint32_t)__builtin_ctz(m->sets), x = 0;
  for (; page; page >>= bits) x ^= page;
  return x & (m->sets - 1);
}

static uint32_t oldest(const model_t *m, uint32_t from, uint32_t n) {
  uint32_t k = from;
  for (uint32_t i = from; i < from + n; i++)
    if (m->stamp[i] < m->stamp[k]) k = i;
  return k;
}

static uint32_t find(const model_t *m, uint32_t from, uint32_t n, uint32_t page) {
  for (uint32_t i = from; i < from + n; i++)
    if (m->page[i] == page) return i;
  return EMPTY;
}

/* Touches a page; true if it was not there. What its set displaces goes beside the sets, into the
 * place of the page itself if that came from there. */
static bool touch(model_t *m, uint32_t page) {
  uint32_t first = set_of(m, page) * m->ways, aside = m->sets * m->ways;
  uint32_t i = find(m, first, m->ways, page);
  m->now++;
  if (i != EMPTY) {
    m->stamp[i] = m->now;
    return false;
  }
  uint32_t from = find(m, aside, m->beside, page), to = oldest(m, first, m->ways);
  uint32_t place = from != EMPTY ? from : m->beside ? oldest(m, aside, m->beside) : EMPTY;
  if (place != EMPTY && m->page[to] != EMPTY) {
    m->page[place] = m->page[to];
    m->stamp[place] = m->now;
  } else if (from != EMPTY) {
    m->page[from] = EMPTY, m->stamp[from] = 0;
  }
  m->page[to] = page, m->stamp[to] = m->now;
  return from == EMPTY;
}

static uint32_t steady_misses(model_t *m, uint32_t n, uint32_t step) {
  uint32_t misses = 0;
  for (uint32_t round = 0; round < 4; round++) {
    misses = 0;
    for (uint32_t i = 0; i < n; i++) misses += touch(m, i * step);
  }
  return misses;
}

uint32_t shape_misses(const shape_t *s, uint32_t n, uint32_t step) {
  uint32_t entries = s->sets * s->ways + s->victims;
  model_t m = {.sets = s->sets, .ways = s->ways, .beside = s->victims, .folded = s->folded};
  m.page = malloc(entries * sizeof *m.page);
  m.stamp = calloc(entries, sizeof *m.stamp);
  uint32_t misses = n;
  if (m.page && m.stamp) {
    memset(m.page, 0xff, entries * sizeof *m.page);
    misses = steady_misses(&m, n, step);
  }
  free(m.page);
  free(m.stamp);
  return misses;
}

static uint64_t difference(const shape_t *s, const shape_point_t *p, uint32_t points) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < points; i++)
    sum += (uint64_t)llabs(p[i].misses - 100ll * shape_misses(s, p[i].count, p[i].step));
  return sum;
}

static bool possible(const shape_t *s, index_t index) {
  if (s->sets == 1) return !s->victims && !s->folded && index != INDEX_HALVES;
  return index == INDEX_UNKNOWN || s->folded == (index == INDEX_STAYS);
}

uint32_t shape_fit(uint32_t entries, index_t index, const shape_point_t *p, uint32_t points,
                   shape_t *out) {
  uint64_t best = UINT64_MAX, all = 0;
  *out = (shape_t){0};
  for (uint32_t i = 0; i < points; i++) all += 100ull * p[i].count;
  for (uint32_t v = 0; v <= MAX_BESIDE && v < entries; v++)
    for (uint32_t s = 1; s <= entries - v; s *= 2)
      for (uint32_t folded = 0; folded < 2; folded++) {
        shape_t try = {s, (entries - v) / s, v, folded};
        if ((entries - v) % s || !possible(&try, index)) continue;
        uint64_t d = difference(&try, p, points);
        if (d >= best) continue;
        best = d;
        *out = try;
      }
  return all && out->sets ? (uint32_t)(best * 1000 / all) : 1000;
}
