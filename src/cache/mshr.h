#ifndef GMMU_CACHE_MSHR_H
#define GMMU_CACHE_MSHR_H
/* Miss status holding registers of a data cache: one entry per line under way, each with the
 * sectors asked for and the FIFO of requests that wait. The first request of a line travels on
 * itself; the ones that merge wait in the entry's list. */
#include "base/map.h"
#include "engine/request.h"

typedef struct {
  request_list_t waiters;
  uint32_t merged;  /* requests in the list */
  uint32_t fetches; /* requests under way for this line */
  uint8_t pending;  /* sectors under way */
  bool maybe_there; /* if not, the line is not in the cache: no need to look before filling it */
  uint32_t next_free;
} mshr_entry_t;

typedef struct {
  map_t lines; /* line number -> entry */
  mshr_entry_t *entry;
  uint32_t capacity, merges, used, free_head;
} mshr_t;

static inline int mshr_init(mshr_t *m, uint32_t capacity, uint32_t merges) {
  m->entry = calloc(capacity, sizeof *m->entry);
  if (!m->entry) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < capacity; i++) m->entry[i].next_free = i + 1;
  m->capacity = capacity;
  m->merges = merges;
  m->used = m->free_head = 0;
  return map_init(&m->lines, capacity);
}
static inline void mshr_fini(mshr_t *m) {
  free(m->entry);
  map_fini(&m->lines);
}
static inline bool mshr_full(const mshr_t *m) { return m->used == m->capacity; }
static inline uint32_t mshr_find(const mshr_t *m, uint64_t line) {
  return map_get(&m->lines, line);
}
/* A new entry for `line`, which has none; not when full. `there`: the cache has some of its
 * sectors.
 */
static inline mshr_entry_t *mshr_take(mshr_t *m, uint64_t line, bool there) {
  uint32_t i = m->free_head;
  mshr_entry_t *x = &m->entry[i];
  m->free_head = x->next_free;
  m->used++;
  *x = (mshr_entry_t){.waiters = REQUEST_LIST_EMPTY, .maybe_there = there};
  map_put(&m->lines, line, i);
  return x;
}
/* The entry of `line`, which has one, and the slot to give it back by. */
static inline uint32_t mshr_at(const mshr_t *m, uint64_t line, uint32_t *slot) {
  *slot = map_slot(&m->lines, line);
  return m->lines.val[*slot];
}
static inline void mshr_give(mshr_t *m, uint32_t slot, uint32_t i) {
  map_del_slot(&m->lines, slot);
  m->entry[i].next_free = m->free_head;
  m->free_head = i;
  m->used--;
}
#endif
