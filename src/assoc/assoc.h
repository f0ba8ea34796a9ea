#ifndef GMMU_ASSOC_H
#define GMMU_ASSOC_H
/* A set-associative array of 64-bit keys: the tag store under every cache and TLB.
 *
 * Each way has a 32-bit digest beside its key, and a set's digests are adjacent: a look-up compares
 * them four at a time and reads a full key only where the digest matches. Digest 0 marks an empty
 * way. With more than ASSOC_SCAN ways a hash table of chains finds keys instead. The index of an
 * entry (set * stride + way) addresses the owner's payload arrays. */
#include "assoc/repl.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>
#if defined(__SSE2__) /* every x86-64 */
#include <emmintrin.h>
#endif

#define ASSOC_NONE     UINT32_MAX
#define ASSOC_SCAN     16
#define ASSOC_MAX_WAYS UINT16_MAX /* ways are counted, and linked by LRU, in 16 bits */

typedef struct {
  uint32_t sets, ways, stride; /* stride: ways rounded up to 4 */
  uint32_t *digest;
  uint64_t *key;
  uint16_t *used;   /* valid ways, per set; the first ones unless `holes` */
  bool holes;       /* entries were dropped: valid ways may lie anywhere */
  uint32_t *bucket; /* with more than ASSOC_SCAN ways, else NULL: first entry of each chain */
  uint32_t *chain;  /* next entry of the chain; NULL as `bucket` */
  uint32_t bucket_shift;
  const repl_ops_t *repl;
  void *repl_state;
  uint64_t *order;   /* the policy's packed orders; NULL: it has none */
  repl_ring_t *ring; /* its rings; without either it is called */
  uint8_t *pinned;   /* [entry]: it is no victim; NULL: none ever is */
} assoc_t;

int assoc_init(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl, err_t *e);
/* With the options of replacement policies that have some. */
int assoc_init_tuned(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl,
                     const depot_spec_t *spec, err_t *e);
void assoc_fini(assoc_t *a);
static inline uint32_t assoc_size(const assoc_t *a) { return a->sets * a->stride; }

/* What buckets and digests are made of. */
static inline uint64_t assoc_hash(uint64_t key) { return key * 0x9e3779b97f4a7c15u; }
static inline uint32_t assoc_digest(uint64_t hash) { return (uint32_t)(hash >> 32) | 1u; }

#if defined(__SSE2__)
/* Bit i: digest i of the row equals d. Rows are multiples of four digests, sixteen at most. */
static inline uint32_t assoc_match(const uint32_t *row, uint32_t n, uint32_t d) {
  const __m128i *v = (const __m128i *)(const void *)row, want = _mm_set1_epi32((int)d);
  if (n == 16) {
    __m128i lo = _mm_packs_epi32(_mm_cmpeq_epi32(v[0], want), _mm_cmpeq_epi32(v[1], want));
    __m128i hi = _mm_packs_epi32(_mm_cmpeq_epi32(v[2], want), _mm_cmpeq_epi32(v[3], want));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(lo, hi));
  }
  uint32_t m = 0;
  for (uint32_t g = 0; g < n / 4; g++)
    m |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(v[g], want))) << 4 * g;
  return m;
}
#else
static inline uint32_t assoc_match(const uint32_t *row, uint32_t n, uint32_t d) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) m |= (uint32_t)(row[i] == d) << i;
  return m;
}
#endif

static inline uint32_t *assoc_bucket(const assoc_t *a, uint64_t hash) {
  return &a->bucket[hash >> a->bucket_shift];
}

/* The entry that holds `key`, or ASSOC_NONE: by its chain, or in its set. */
static inline uint32_t assoc_find_chained(const assoc_t *a, uint64_t key, uint64_t hash) {
  uint32_t i = *assoc_bucket(a, hash);
  while (i != ASSOC_NONE && a->key[i] != key) i = a->chain[i];
  return i;
}
static inline uint32_t assoc_find_in_set(const assoc_t *a, uint32_t set, uint64_t key,
                                         uint64_t hash) {
  uint32_t base = set * a->stride;
  for (uint32_t m = assoc_match(a->digest + base, a->stride, assoc_digest(hash)); m; m &= m - 1) {
    uint32_t i = base + (uint32_t)__builtin_ctz(m);
    if (a->key[i] == key) return i;
  }
  return ASSOC_NONE;
}
/* Does not count as a use. */
static inline uint32_t assoc_find(const assoc_t *a, uint32_t set, uint64_t key) {
  uint64_t hash = assoc_hash(key);
  return a->bucket ? assoc_find_chained(a, key, hash) : assoc_find_in_set(a, set, key, hash);
}

/* Entry `i` of the set was used. */
static inline void assoc_touch(assoc_t *a, uint32_t set, uint32_t i) {
  uint32_t way = i - set * a->stride;
  if (a->order)
    a->order[set] = repl_packed_use(a->order[set], way);
  else if (a->ring)
    repl_ring_use(a->ring, set, way);
  else
    a->repl->hit(a->repl_state, set, way);
}

/* Find, and if present mark as used. */
static inline uint32_t assoc_use(assoc_t *a, uint32_t set, uint64_t key) {
  uint32_t i = assoc_find(a, set, key);
  if (i != ASSOC_NONE) assoc_touch(a, set, i);
  return i;
}

/* Where a key was put, and which had to go for it. In registers: a fill is hot. */
typedef struct {
  uint64_t old; /* if evicted */
  uint32_t entry;
  bool evicted, returned; /* `returned` and `spared`: as in repl_notes_t */
  uint16_t spared;
} assoc_filled_t;
static inline void assoc_link(assoc_t *a, uint32_t entry, uint64_t hash) {
  uint32_t *bucket = assoc_bucket(a, hash);
  a->chain[entry] = *bucket;
  *bucket = entry;
}
static inline void assoc_unlink(assoc_t *a, uint32_t entry) {
  uint32_t *link = assoc_bucket(a, assoc_hash(a->key[entry]));
  while (*link != entry) link = &a->chain[*link];
  *link = a->chain[entry];
}
/* A full set whose order is a ring; found by chains. */
static inline assoc_filled_t assoc_turn(assoc_t *a, uint32_t set, uint64_t key, uint64_t hash) {
  assoc_filled_t f = {.entry = set * a->stride + repl_ring_turn(a->ring, set), .evicted = true};
  f.old = a->key[f.entry];
  assoc_unlink(a, f.entry);
  assoc_link(a, f.entry, hash);
  a->key[f.entry] = key;
  return f;
}
assoc_filled_t assoc_fill_slow(assoc_t *a, uint32_t set, uint64_t key, uint32_t hint);
/* Installs `key`, which must be absent; `hash` is its own. */
static inline assoc_filled_t assoc_put(assoc_t *a, uint32_t set, uint64_t key, uint64_t hash,
                                       uint32_t hint) {
  if (!a->order || a->holes) {
    if (a->ring && a->used[set] == a->ways) return assoc_turn(a, set, key, hash);
    return assoc_fill_slow(a, set, key, hint);
  }
  assoc_filled_t f = {.entry = set * a->stride, .evicted = a->used[set] == a->ways};
  if (f.evicted) {
    f.entry += repl_packed_turn(&a->order[set], a->ways);
    f.old = a->key[f.entry];
  } else {
    uint32_t way = a->used[set]++;
    a->order[set] = repl_packed_use(a->order[set], way);
    f.entry += way;
  }
  a->digest[f.entry] = assoc_digest(hash);
  a->key[f.entry] = key;
  return f;
}
/* The same: returns its entry. *evicted tells whether another key had to go, and *old which. */
static inline uint32_t assoc_fill(assoc_t *a, uint32_t set, uint64_t key, uint32_t hint,
                                  bool *evicted, uint64_t *old) {
  assoc_filled_t f = assoc_put(a, set, key, assoc_hash(key), hint);
  *evicted = f.evicted;
  if (f.evicted) *old = f.old;
  return f.entry;
}
/* Before the first fill: entries may be pinned from now on, and one way at least of a set that is
 * filled is not. */
int assoc_allow_pins(assoc_t *a, err_t *e);
void assoc_drop(assoc_t *a, uint32_t entry);
void assoc_clear(assoc_t *a); /* drops everything */
static inline bool assoc_valid(const assoc_t *a, uint32_t entry) { return a->digest[entry] != 0; }
/* Every key is in one way only. Slow. */
bool assoc_check(const assoc_t *a);
#endif
