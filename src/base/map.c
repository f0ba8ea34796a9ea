#include "base/map.h"
#include "gmmu/err.h"

/* Keys and values in two arrays of a power of two of slots. Invariant: between a key's home slot
 * and the slot it lies in there is no empty one (cyclically), which is why a search may stop at the
 * first empty slot; at most a quarter of the slots is in use, so runs are short. */

int map_init(map_t *m, uint32_t capacity) {
  *m = (map_t){0};
  if (capacity > UINT32_MAX / 4) return GMMU_ENOMEM;
  uint32_t bits = 1;
  while ((UINT64_C(1) << bits) < 4 * (uint64_t)capacity) bits++;
  size_t slots = (size_t)1 << bits;
  m->key = malloc(slots * sizeof *m->key);
  m->val = malloc(slots * sizeof *m->val);
  if (!m->key || !m->val) {
    map_fini(m);
    return GMMU_ENOMEM;
  }
  for (size_t i = 0; i < slots; i++) m->key[i] = MAP_EMPTY;
  m->mask = (uint32_t)(slots - 1);
  m->shift = 64 - bits;
  return GMMU_OK;
}

void map_fini(map_t *m) {
  free(m->key);
  free(m->val);
  *m = (map_t){0};
}

/* Slot `hole` was emptied: the keys behind it move up as far as their homes allow. */
void map_close_gap(map_t *m, uint32_t hole) {
  for (uint32_t i = (hole + 1) & m->mask; m->key[i] != MAP_EMPTY; i = (i + 1) & m->mask) {
    uint32_t from_home = (i - map_home(m, m->key[i])) & m->mask;
    if (from_home < ((i - hole) & m->mask)) continue; /* its home lies behind the hole */
    m->key[hole] = m->key[i];
    m->val[hole] = m->val[i];
    m->key[i] = MAP_EMPTY;
    hole = i;
  }
}
