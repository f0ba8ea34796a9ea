#include "base/counters.h"
#include <stdlib.h>
#include <string.h>

/* Room for one more of `size` bytes at *list. */
static bool grow(counters_t *c, void **list, size_t used, size_t *room, size_t size) {
  if (used < *room) return true;
  size_t more = *room ? 2 * *room : 64;
  void *larger = realloc(*list, more * size);
  if (!larger) {
    c->failed = true;
    return false;
  }
  *list = larger;
  *room = more;
  return true;
}

void counters_add(counters_t *c, void *first, size_t bytes) {
  void *list = c->range;
  if (!bytes || !grow(c, &list, c->ranges, &c->room_ranges, sizeof *c->range)) return;
  c->range = list;
  c->range[c->ranges++] = (counters_range_t){first, bytes / sizeof(uint64_t), c->count};
  c->count += bytes / sizeof(uint64_t);
}

void counters_top(counters_t *c, uint64_t *at) {
  void *list = c->top;
  if (!grow(c, &list, c->tops, &c->room_tops, sizeof(uint64_t *))) return;
  c->top = list;
  c->top[c->tops++] = at;
}

int counters_ready(counters_t *c, err_t *e) {
  c->start = calloc(c->count + 1, sizeof *c->start);
  c->sum = calloc(c->count + 1, sizeof *c->sum);
  if (c->failed || !c->start || !c->sum)
    return err_set(e, GMMU_ENOMEM, "out of memory for the counters of windows");
  return GMMU_OK;
}

void counters_fini(counters_t *c) {
  free(c->range);
  free(c->top);
  free(c->start);
  free(c->sum);
}

/* The place of a maximum in `start` and `sum`. */
static size_t place_of(const counters_t *c, const uint64_t *at) {
  size_t i = 0;
  while (at < c->range[i].at || at >= c->range[i].at + c->range[i].count) i++;
  return c->range[i].first + (size_t)(at - c->range[i].at);
}

void counters_begin(counters_t *c) {
  for (size_t i = 0; i < c->ranges; i++)
    memcpy(c->start + c->range[i].first, c->range[i].at, c->range[i].count * sizeof(uint64_t));
  for (size_t i = 0; i < c->tops; i++) *c->top[i] = 0;
}

void counters_end(counters_t *c) {
  for (size_t i = 0; i < c->tops; i++) { /* the sum below leaves it alone: it has not grown */
    size_t k = place_of(c, c->top[i]);
    uint64_t here = *c->top[i], before = c->start[k];
    if (here > c->sum[k]) c->sum[k] = here;
    *c->top[i] = c->start[k] = here > before ? here : before;
  }
  for (size_t i = 0; i < c->ranges; i++)
    for (size_t k = 0; k < c->range[i].count; k++)
      c->sum[c->range[i].first + k] += c->range[i].at[k] - c->start[c->range[i].first + k];
}

void counters_show(const counters_t *c) {
  for (size_t i = 0; i < c->ranges; i++)
    memcpy(c->range[i].at, c->sum + c->range[i].first, c->range[i].count * sizeof(uint64_t));
}
