/* DEPOT (Dead-Entry PrOTection, arXiv 2606.00486): least recently used, but what comes back soon
 * after it was evicted is spared when its turn comes again.
 *
 * A Bloom filter knows the keys that were evicted last; it is cleared after `window` evictions. A
 * key that comes and is in it has its way protected: an eviction that would take it makes it the
 * most recently used instead, `spares` times. Invariant: a way loses a protection each time, so a
 * victim is found. */
#include "assoc/repl.h"
#include <string.h>

const opt_t depot_options[] = {
    {"bytes", OPT_U32, offsetof(depot_spec_t, filter_bytes), 8, 1 << 16, 1024, "bytes",
     "of the filter of evicted entries, rounded up to a power of two (the paper says 1 KB)", NULL,
     NULL},
    {"hashes", OPT_U32, offsetof(depot_spec_t, hashes), 1, 8, 2, "",
     "bits of the filter that stand for an entry (a guess)", NULL, NULL},
    {"window", OPT_U32, offsetof(depot_spec_t, window), 1, 1 << 20, 2048, "evictions",
     "after which the filter is cleared (a guess)", NULL, NULL},
    {"spares", OPT_U32, offsetof(depot_spec_t, spares), 1, 255, 1, "",
     "evictions that an entry which came back is spared (the paper says the next)", NULL, NULL},
    {0},
};
static const depot_spec_t defaults = {1024, 2, 2048, 1};

typedef struct {
  depot_spec_t spec;
  uint32_t ways, mask; /* bits of the filter less one */
  uint32_t evicted;    /* since the filter was cleared */
  uint16_t spared;     /* by the last victim() */
  void *lru;
  uint8_t *spares;   /* [set * ways + way]: evictions that it is spared */
  uint64_t filter[]; /* then the LRU's state, then the spares */
} depot_t;

static uint32_t filter_words(const depot_spec_t *p) {
  uint32_t words = 1;
  while (words * 8 < p->filter_bytes) words *= 2;
  return words;
}
static size_t lru_bytes(uint32_t sets, uint32_t ways) {
  return (repl_lru.state_bytes(sets, ways) + 7) & ~(size_t)7;
}

static size_t depot_tuned_bytes(uint32_t sets, uint32_t ways, const depot_spec_t *p) {
  return sizeof(depot_t) + filter_words(p) * sizeof(uint64_t) + lru_bytes(sets, ways) +
         (size_t)sets * ways;
}
static size_t depot_bytes(uint32_t sets, uint32_t ways) {
  return depot_tuned_bytes(sets, ways, &defaults);
}

static void depot_tune(void *state, uint32_t sets, uint32_t ways, const depot_spec_t *p) {
  depot_t *s = state;
  s->spec = *p;
  s->ways = ways;
  s->mask = filter_words(p) * 64 - 1;
  s->lru = s->filter + filter_words(p);
  s->spares = (uint8_t *)s->lru + lru_bytes(sets, ways);
  repl_lru.init(s->lru, sets, ways);
}
static void depot_init(void *state, uint32_t sets, uint32_t ways) {
  depot_tune(state, sets, ways, &defaults);
}

static void depot_hit(void *state, uint32_t set, uint32_t way) {
  repl_lru.hit(((depot_t *)state)->lru, set, way);
}

static void depot_fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {
  depot_t *s = state;
  s->spares[(size_t)set * s->ways + way] = 0;
  s->spared = 0;
  repl_lru.fill(s->lru, set, way, hint);
}

static uint32_t depot_victim(void *state, uint32_t set, uint32_t hint) {
  depot_t *s = state;
  s->spared = 0;
  for (;;) {
    uint32_t way = repl_lru.victim(s->lru, set, hint); /* which is the most recently used now */
    uint8_t *spares = &s->spares[(size_t)set * s->ways + way];
    if (!*spares) return way;
    --*spares;
    s->spared++;
  }
}

/* Bit `i` of the key's: double hashing. */
static uint32_t bit_of(const depot_t *s, uint64_t key, uint32_t i) {
  uint64_t h = key * 0x9e3779b97f4a7c15u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return ((uint32_t)(h >> 32) + i * ((uint32_t)h | 1)) & s->mask;
}

static bool knows(const depot_t *s, uint64_t key) {
  for (uint32_t i = 0; i < s->spec.hashes; i++) {
    uint32_t b = bit_of(s, key, i);
    if (!(s->filter[b / 64] >> b % 64 & 1)) return false;
  }
  return true;
}

static repl_notes_t depot_came(void *state, uint32_t set, uint32_t way, uint64_t key) {
  depot_t *s = state;
  bool back = knows(s, key);
  s->spares[(size_t)set * s->ways + way] = (uint8_t)(back ? s->spec.spares : 0);
  return (repl_notes_t){back, s->spared};
}

static void depot_left(void *state, uint64_t key) {
  depot_t *s = state;
  if (s->evicted++ == s->spec.window) {
    memset(s->filter, 0, (s->mask + 1) / 8);
    s->evicted = 1;
  }
  for (uint32_t i = 0; i < s->spec.hashes; i++) {
    uint32_t b = bit_of(s, key, i);
    s->filter[b / 64] |= UINT64_C(1) << b % 64;
  }
}

const repl_ops_t repl_depot = {
    .name = "depot",
    .help = "least recently used; what comes back after its eviction is spared the next (DEPOT)",
    .state_bytes = depot_bytes,
    .init = depot_init,
    .hit = depot_hit,
    .fill = depot_fill,
    .victim = depot_victim,
    .came = depot_came,
    .left = depot_left,
    .tuned_bytes = depot_tuned_bytes,
    .tune = depot_tune,
};
