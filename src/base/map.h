#ifndef GMMU_BASE_MAP_H
#define GMMU_BASE_MAP_H
/* A fixed-capacity map from 64-bit keys to 32-bit values: linear probing, deletion by shifting
 * back, so no tombstones. Holds at most `capacity` entries, allocated once. Key UINT64_MAX is
 * reserved. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define MAP_EMPTY UINT64_MAX
#define MAP_NONE  UINT32_MAX

typedef struct {
  uint64_t *key;
  uint32_t *val;
  uint32_t mask, count, shift;
} map_t;

int map_init(map_t *m,
             uint32_t capacity); /* 0 or GMMU_ENOMEM; the table is at most a quarter full */
void map_fini(map_t *m);

static inline uint32_t map_home(const map_t *m, uint64_t k) {
  return (uint32_t)((k * 0x9e3779b97f4a7c15u) >> m->shift);
}
static inline uint32_t map_get(const map_t *m, uint64_t k) { /* MAP_NONE if absent */
  uint32_t i = map_home(m, k);
  while (m->key[i] != k) {
    if (m->key[i] == MAP_EMPTY) return MAP_NONE;
    i = (i + 1) & m->mask;
  }
  return m->val[i];
}
static inline void map_put(map_t *m, uint64_t k, uint32_t v) { /* k must be absent */
  uint32_t i = map_home(m, k);
  while (m->key[i] != MAP_EMPTY) i = (i + 1) & m->mask;
  m->key[i] = k;
  m->val[i] = v;
  m->count++;
}
/* The slot of `k`, which must be present; for map_del_slot(), valid until the next change. */
static inline uint32_t map_slot(const map_t *m, uint64_t k) {
  uint32_t i = map_home(m, k);
  while (m->key[i] != k) i = (i + 1) & m->mask;
  return i;
}
void map_close_gap(map_t *m, uint32_t hole);
static inline void map_del_slot(map_t *m, uint32_t slot) {
  m->key[slot] = MAP_EMPTY;
  m->count--;
  if (m->key[(slot + 1) & m->mask] != MAP_EMPTY) map_close_gap(m, slot);
}
static inline void map_del(map_t *m, uint64_t k) {
  map_del_slot(m, map_slot(m, k));
} /* k must be present */
#endif
