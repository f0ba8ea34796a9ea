/* Pre-fragmented memory, as in Mosaic's section 6.4: a share of the large frames holds data of
 * nobody here, each to the same degree, all at random places.
 *
 * Both choices are samples of an exact size, drawn in one pass: with `left` of `rest` candidates
 * still to be chosen, the next one is with probability left / rest. */
#include "mm/manager.h"

/* SplitMix64 (Steele, Lea and Flood 2014): the same on every machine. */
static uint64_t draw(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static bool chosen(uint64_t *state, uint32_t left, uint32_t rest) {
  return (uint32_t)((draw(state) >> 32) * rest >> 32) < left;
}

static int fill_large(mm_t *m, uint32_t large, uint32_t left, uint64_t *state) {
  uint32_t per = pages_per_large(m), first = large << m->geo.large_order;
  int rc = GMMU_OK;
  for (uint32_t i = 0; !rc && left && i < per; i++)
    if (chosen(state, left, per - i)) {
      if (!stripes_taken(&m->pool.frames, first + i)) /* by a hashed page table */
        rc = pool_claim(&m->pool, first + i, MM_OWNER_OTHER, 0);
      left--;
    }
  return rc;
}

int fragment_pool(mm_t *m, const mm_fragments_t *f) {
  uint32_t larges = m->pool.larges.count, per = pages_per_large(m);
  uint32_t left = (uint32_t)((uint64_t)larges * f->index / 100);
  uint32_t pages = (uint32_t)(((uint64_t)per * f->occupancy + 99) / 100);
  uint64_t state = f->seed;
  int rc = GMMU_OK;
  for (uint32_t l = 0; !rc && pages && left && l < larges; l++)
    if (chosen(&state, left, larges - l)) {
      rc = fill_large(m, l, pages, &state);
      left--;
    }
  return rc;
}
