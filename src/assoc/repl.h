#ifndef GMMU_REPL_H
#define GMMU_REPL_H
/* Replacement: which way of a full set goes. Used by data caches, TLBs and the page-walk cache.
 * Contract: the owner calls hit() after a look-up hit, fill() after installing an entry into an
 * empty way, and victim() only when every way of the set is in use: the way it returns is refilled
 * at once, so it counts as the fill too. State is one zeroed allocation that init() prepares. */
#include "base/policy.h"
#include <stddef.h>
#include <stdint.h>

enum { FILL_WRITE = 1 }; /* fill() hint: the entry was brought in by a write */

/* What a policy that knows keys says of one that came. */
typedef struct {
  uint16_t returned; /* 1: it was evicted not long ago */
  uint16_t spared;   /* entries that the victim() before it would have named, but spared */
} repl_notes_t;

/* Options of `depot`. */
typedef struct {
  uint32_t filter_bytes, hashes, window, spares;
} depot_spec_t;
extern const opt_t depot_options[]; /* group "depot" */

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(uint32_t sets, uint32_t ways);
  void (*init)(void *state, uint32_t sets, uint32_t ways);
  void (*hit)(void *state, uint32_t set, uint32_t way);
  void (*fill)(void *state, uint32_t set, uint32_t way, uint32_t hint);
  uint32_t (*victim)(void *state, uint32_t set, uint32_t hint);
  /* NULL, or: returns the state's packed orders (below) if that is all the policy is, so that the
   * owner may work on them without a call. */
  uint64_t *(*packed)(void *state);
  /* The same for more ways than are packed: the state's rings. */
  struct repl_ring *(*ring)(void *state);
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
  /* Both NULL, or of a policy that knows keys: after fill() or victim(), `key` is in the way now;
   * and then, if another key had to go for it, which. */
  repl_notes_t (*came)(void *state, uint32_t set, uint32_t way, uint64_t key);
  void (*left)(void *state, uint64_t key);
  /* NULL, or: has options. The bytes of a state with them, and init() with them. */
  size_t (*tuned_bytes)(uint32_t sets, uint32_t ways, const depot_spec_t *spec);
  void (*tune)(void *state, uint32_t sets, uint32_t ways, const depot_spec_t *spec);
} repl_ops_t;

/* An order of up to 16 ways in one word per set: a nibble per way, most recently used lowest. */
#define REPL_PACKED_START 0xfedcba9876543210u
static inline uint64_t repl_packed_use(uint64_t order, uint32_t way) {
  uint64_t x = order ^ (way * 0x1111111111111111u);
  uint64_t zero =
      (x - 0x1111111111111111u) & ~x & 0x8888888888888888u; /* lowest set bit: its nibble's last */
  uint64_t moved = order << 4 | way, upto = zero ^ (zero - 1);
  return order ^ ((order ^ moved) & upto);
}
/* The least recently used of `ways` becomes the most recently used; returns it. */
static inline uint32_t repl_packed_turn(uint64_t *order, uint32_t ways) {
  uint32_t top = 4 * (ways - 1);
  uint64_t o = *order, way = o >> top & 15, below = (1ull << top) - 1;
  *order = (o & ~(below << 4 | 15)) | (o & below) << 4 | way;
  return (uint32_t)way;
}

/* An order of any number of ways: a ring per set, that goes from the most recently used way to the
 * least, which is before it. */
typedef struct {
  uint16_t prev, next;
} repl_link_t;
typedef struct repl_ring {
  uint32_t ways;
  uint16_t *first;   /* [set]: the most recently used */
  repl_link_t *link; /* [set * ways + way] */
} repl_ring_t;
void repl_ring_move(repl_ring_t *r, uint32_t set, uint32_t way); /* of repl_ring_use() */
static inline void repl_ring_use(repl_ring_t *r, uint32_t set, uint32_t way) {
  if (r->first[set] != way) repl_ring_move(r, set, way);
}
/* The least recently used becomes the most recently used; returns it. */
static inline uint32_t repl_ring_turn(repl_ring_t *r, uint32_t set) {
  uint16_t *first = &r->first[set];
  return *first = r->link[(size_t)set * r->ways + *first].prev;
}

extern const repl_ops_t repl_lru, repl_depot; /* whom others name; the table has them all */
extern const repl_ops_t *repl_all[];          /* NULL-terminated */
/* A state, ready for use; `spec` may be NULL. NULL: no memory. The caller frees it. */
void *repl_new(const repl_ops_t *ops, uint32_t sets, uint32_t ways, const depot_spec_t *spec);
const repl_ops_t *repl_find(const char *name);
const char *repl_name(uint32_t i); /* for option tables */
#endif
