#ifndef GMMU_ASSOC_H
#define GMMU_ASSOC_H
/* A set-associative array of 64-bit keys: the tag store under every cache and TLB.
 *
 * Each way has a 32-bit digest beside its key, and a set's digests are adjacent: a look-up compares
 * them four at a time and reads a full key only where the digest matches. Digest 0 marks an empty
 * way. The index of an entry (set * stride + way) addresses the owner's payload arrays. */
#include "assoc/repl.h"
#include "base/map.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define ASSOC_NONE UINT32_MAX
#define ASSOC_SCAN 16

typedef struct {
  uint32_t sets, ways, stride; /* stride: ways rounded up to 4 */
  uint32_t *digest;
  uint64_t *key;
  uint16_t *used; /* valid ways, per set */
  map_t index;    /* key -> entry, with more than ASSOC_SCAN ways */
  const repl_ops_t *repl;
  void *repl_state;
} assoc_t;

typedef uint32_t assoc_vec_t __attribute__((vector_size(16), aligned(16), may_alias));

int assoc_init(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl, err_t *e);
void assoc_fini(assoc_t *a);
static inline uint32_t assoc_size(const assoc_t *a) { return a->sets * a->stride; }

static inline uint32_t assoc_digest(uint64_t key) {
  return (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) | 1u;
}

/* The entry that holds `key`, or ASSOC_NONE. Does not count as a use. */
static inline uint32_t assoc_find(const assoc_t *a, uint32_t set, uint64_t key) {
  if (a->ways > ASSOC_SCAN) return map_get(&a->index, key);
  uint32_t d = assoc_digest(key), base = set * a->stride;
  const assoc_vec_t *row = (const assoc_vec_t *)(const void *)(a->digest + base);
  assoc_vec_t want = {d, d, d, d};
  for (uint32_t g = 0; g < a->stride / 4; g++) {
    assoc_vec_t eq = (assoc_vec_t)(row[g] == want);
    uint64_t lo = ((uint64_t)eq[1] << 32) | eq[0], hi = ((uint64_t)eq[3] << 32) | eq[2];
    if (!(lo | hi)) continue;
    for (uint32_t i = 0; i < 4; i++)
      if (eq[i] && a->key[base + g * 4 + i] == key) return base + g * 4 + i;
  }
  return ASSOC_NONE;
}

/* Find, and if present mark as used. */
static inline uint32_t assoc_use(assoc_t *a, uint32_t set, uint64_t key) {
  uint32_t i = assoc_find(a, set, key);
  if (i != ASSOC_NONE) a->repl->hit(a->repl_state, set, i - set * a->stride);
  return i;
}

/* Installs `key`, which must be absent, and returns its entry. *evicted tells whether another key
 * had to go, and *old which. */
uint32_t assoc_fill(assoc_t *a, uint32_t set, uint64_t key, uint32_t hint, bool *evicted,
                    uint64_t *old);
void assoc_drop(assoc_t *a, uint32_t entry);
void assoc_clear(assoc_t *a); /* drops everything */
static inline bool assoc_valid(const assoc_t *a, uint32_t entry) { return a->digest[entry] != 0; }
/* Every key is in one way only. Slow. */
bool assoc_check(const assoc_t *a);
#endif
