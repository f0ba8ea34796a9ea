#ifndef GMMU_CACHE_MSHR_H
#define GMMU_CACHE_MSHR_H
/* Miss status holding registers of a data cache: one entry per line under way, each with the
 * sectors asked for and the FIFO of requests that wait. The first request of a line travels on
 * itself; the ones that merge wait in the entry's list.
 *
 * Entries are found through a hash table of chains, linked through the entries themselves: an entry
 * stays where it is, so whoever fetches its line may remember its number. Free ones are linked,
 * too, and nobody waits in them. */
#include "engine/request.h"
#include <assert.h>
#include <stdbool.h>

#define MSHR_NONE UINT32_MAX

typedef struct {
  request_list_t waiters;
  uint64_t line;
  uint32_t chain;   /* next in its bucket; or in the free list, which `capacity` ends */
  uint16_t merged;  /* requests in the list */
  uint8_t fetches;  /* requests under way for this line: each brings other sectors */
  uint8_t pending;  /* sectors under way */
  bool maybe_there; /* if not, the line is not in the cache: no need to look before filling it */
} mshr_entry_t;

typedef struct {
  mshr_entry_t *entry;
  uint32_t *bucket; /* first of its chain */
  uint32_t shift;   /* of the hash, to a bucket */
  uint32_t capacity, merges, free_head;
} mshr_t;

/* Four buckets per entry keep chains short. */
static inline int mshr_init(mshr_t *m, uint32_t capacity, uint32_t merges, arrays_t *a) {
  uint32_t bits = 1;
  while (1u << bits < 4 * capacity) bits++;
  *m = (mshr_t){.capacity = capacity, .merges = merges, .shift = 64 - bits};
  m->entry = arrays_take(a, capacity * sizeof *m->entry);
  m->bucket = arrays_take(a, sizeof *m->bucket << bits);
  if (!m->entry || !m->bucket) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < capacity; i++)
    m->entry[i] = (mshr_entry_t){.waiters = REQUEST_LIST_EMPTY, .chain = i + 1};
  for (uint32_t i = 0; i < 1u << bits; i++) m->bucket[i] = MSHR_NONE;
  return GMMU_OK;
}
static inline bool mshr_full(const mshr_t *m) { return m->free_head == m->capacity; }
/* How many lines are under way; for checks. */
static inline uint32_t mshr_used(const mshr_t *m) {
  uint32_t used = m->capacity;
  for (uint32_t i = m->free_head; i != m->capacity; i = m->entry[i].chain) used--;
  return used;
}
static inline uint32_t *mshr_bucket(const mshr_t *m, uint64_t line) {
  return &m->bucket[(line * 0x9e3779b97f4a7c15u) >> m->shift];
}
/* The entry of `line`, or MSHR_NONE; `i` is the first of its bucket. */
static inline uint32_t mshr_find_in(const mshr_t *m, uint32_t i, uint64_t line) {
  while (i != MSHR_NONE && m->entry[i].line != line) i = m->entry[i].chain;
  return i;
}
static inline uint32_t mshr_find(const mshr_t *m, uint64_t line) {
  return mshr_find_in(m, *mshr_bucket(m, line), line);
}
/* A request goes out for those of the sectors that are not under way yet: which they are. */
static inline uint8_t mshr_fetch(mshr_entry_t *x, uint8_t sectors) {
  sectors &= (uint8_t)~x->pending;
  x->pending |= sectors;
  x->fetches++;
  return sectors;
}
/* A new entry for `line`, which has none, in its bucket; not when full. A request goes out for the
 * sectors. `there`: the cache may have some others. */
static inline uint32_t mshr_open(mshr_t *m, uint32_t *bucket, uint64_t line, uint8_t sectors,
                                 bool there) {
  uint32_t i = m->free_head;
  mshr_entry_t *x = &m->entry[i];
  m->free_head = x->chain;
  x->line = line;
  x->chain = *bucket;
  x->fetches = 1;
  x->pending = sectors;
  x->maybe_there = there;
  *bucket = i;
  return i;
}
/* Where the number of the entry of `line`, which has one, stands: what mshr_unlink() wants. */
static inline uint32_t *mshr_link(const mshr_t *m, uint64_t line) {
  uint32_t *link = mshr_bucket(m, line);
  while (m->entry[*link].line != line) link = &m->entry[*link].chain;
  return link;
}
static inline void mshr_unlink_entry(mshr_t *m, uint32_t *link, uint32_t i) { /* *link is i */
  mshr_entry_t *x = &m->entry[i];
  assert(x->waiters.head == REQ_NONE && !x->merged);
  *link = x->chain;
  x->chain = m->free_head;
  m->free_head = i;
}
static inline void mshr_unlink(mshr_t *m, uint32_t *link) { mshr_unlink_entry(m, link, *link); }
static inline void mshr_give(mshr_t *m, uint32_t i) {
  uint32_t *link = mshr_bucket(m, m->entry[i].line);
  while (*link != i) link = &m->entry[*link].chain;
  mshr_unlink_entry(m, link, i);
}
#endif
