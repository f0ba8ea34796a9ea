#ifndef GMMU_WALKPOLICY_H
#define GMMU_WALKPOLICY_H
/* Page-walk scheduling: which walk a walker begins next, how many it has at once, and which walks
 * have an entry from what another one reads. `walk.policy=fifo` has none of these functions: one
 * queue, in order of arrival.
 *
 * A walk is a number that stays its own from its arrival to its end; `env->walk[n]` is what is
 * known of it. A walker is busy from the walk that it begins until the last of those that it has is
 * over. The owner tells an arrival, asks an idle walker's next(), and reads the page table; so a
 * policy can be slow but not wrong. Answers follow from the calls alone.
 *
 * Each unit of walkers (the GPU's, or a MIG instance's) has a state of its own. */
#include "base/policy.h"
#include "gmmu/types.h"
#include "tlb/mshr.h"
#include <stdbool.h>
#include <stddef.h>

#define WALK_NONE    UINT32_MAX
#define WALK_NO_LINE UINT64_MAX

/* A walk, whether it waits or is under way. What the page-walk cache has is looked at when the walk
 * arrives, and when it has an entry without a read of its own; it may be otherwise later. */
typedef struct {
  asid_t asid;
  uint8_t level;        /* of the entry that it reads next from memory, root 0 */
  uint8_t reads;        /* entries that it reads from memory, that one included */
  uint64_t instruction; /* of a warp: walks of one have the same */
  uint64_t line;        /* the sector with that entry; WALK_NO_LINE: it shares none */
  uint64_t above;       /* where its last table is named; WALK_NO_LINE: nowhere */
  uint64_t group; /* of pages, with a detector (tlb/mshr.h): its address space and first page */
  int16_t stride; /* and the stride, 0: unknown */
} walk_view_t;

/* Options of policies. */
typedef struct {
  uint32_t queue_entries, epoch_walks, steals, own_percent;
} dws_spec_t;
typedef struct {
  uint32_t age_walks;
} simt_spec_t;
typedef struct {
  uint32_t entries, batch;
} marching_spec_t;
typedef struct {
  uint32_t slots, setup, level, way_cycles;
  bool hybrid;
} soft_spec_t;
extern const opt_t soft_options[];     /* group "soft" */
extern const opt_t dws_options[];      /* group "dws" */
extern const opt_t simt_options[];     /* group "simt" */
extern const opt_t marching_options[]; /* group "marching" */

/* Of the queue of one of so many walkers. */
uint32_t dws_entries(const dws_spec_t *d, uint32_t walkers);

#define WALK_POLICY_STATS(X)                                                                       \
  X(waited, "walks", "that no walker took when they arrived")                                      \
  X(full, "walks", "dws, marching: that found no place in a queue and waited before it")           \
  X(stolen, "walks", "dws: begun by another application's walker out of its owner's queue")        \
  X(early, "walks", "dws-plus: of these, while the thief's own queue was not empty")               \
  X(batched, "walks", "simt: begun because their instruction's walk was begun before them")        \
  X(overtaken, "walks", "simt: begun by their age, after too many later ones went before them")    \
  X(held, "walks", "nha: held back, because the line they need was being read")                    \
  X(shared, "entries", "nha: of page tables had from a line that another walk read")               \
  X(batches, "batches", "marching: of walks that a walker began together; latpc: groups")          \
  X(joined, "walks", "marching: begun beside the first of their batch; latpc: of their group")     \
  X(spared, "entries", "latpc: of page tables that the first walk of a group read for others")     \
  X(on_sms, "walks", "softwalker: that an SM was given")                                           \
  X(issue_slots, "warp instructions", "softwalker: of walks, issued by SMs")
typedef struct {
#define X(n, u, h) uint64_t n;
  WALK_POLICY_STATS(X)
#undef X
} walk_policy_stats_t;

typedef struct {
  uint32_t walkers;
  uint32_t first_app, apps; /* applications that the unit has: of a MIG instance one */
  uint32_t walks;           /* numbers of walks are below it */
  const walk_view_t *walk;
  walk_policy_stats_t *stats; /* [asid] */
  const dws_spec_t *dws;
  const simt_spec_t *simt;
  const marching_spec_t *marching;
  const latpc_spec_t *latpc;
  const soft_spec_t *soft;
  uint32_t first_sm, sms, sms_of_all; /* SMs of the unit, and of the GPU */
} walk_env_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const walk_env_t *env);
  void (*init)(void *state, const walk_env_t *env); /* keeps a copy of *env */
  /* A walk arrives, or has had entries from another's reads while it waited. Returns the idle
   * walker that begins it now, which is busy then; WALK_NONE: it waits. */
  uint32_t (*arrive)(void *state, uint32_t walk);
  /* A walker without a walk (begun 0), or which has begun so many of them in this cycle: one that
   * waits, for it to begin. WALK_NONE: no more; with begun 0 the walker is idle then. */
  uint32_t (*next)(void *state, uint32_t walker, uint32_t begun);
  /* All from here may be NULL. `walk`, under way, is about to read its line: false if it is held
   * back, because another one reads it. */
  bool (*may_read)(void *state, uint32_t walk);
  /* The line that `walk` read is there: another walk that has its entry from it, whether it waits
   * or is held back; asked until WALK_NONE. One that waits is no longer known to the policy. */
  uint32_t (*shares)(void *state, uint32_t walk);
  /* A walk that begins: are all its entries but the last known, by a walk of its group? */
  bool (*spared)(void *state, uint32_t walk);
  void (*ended)(void *state, uint32_t walk); /* it is over; next() may follow */
  bool on_sms; /* walkers but those of the hardware are places of SMs: see walk_soft.c */
  bool (*check)(const void *state); /* its invariants */
  const policy_own_t *own;          /* of a plug-in: its options and counters; NULL: none */
} walk_policy_t;

extern const walk_policy_t walk_dws, walk_dws_plus, walk_simt, walk_nha, walk_marching, walk_latpc,
    walk_soft;                                 /* whom others name; the table has them all */
extern const walk_policy_t *walk_policy_all[]; /* NULL-terminated */
const walk_policy_t *walk_policy_find(const char *name);
const char *walk_policy_name(uint32_t i);
/* Does the policy schedule walks, other than one queue in order of arrival? */
static inline bool walk_policy_schedules(const walk_policy_t *p) { return p->arrive; }

/* ---- lists of walks, for policies: each has one place in one of them ---- */

typedef struct {
  uint32_t prev, next;
} walk_link_t;
typedef struct {
  uint32_t head, tail, count;
} walk_list_t;

static inline walk_list_t walk_list_empty(void) { return (walk_list_t){WALK_NONE, WALK_NONE, 0}; }
static inline void walk_list_append(walk_list_t *l, walk_link_t *link, uint32_t walk) {
  link[walk] = (walk_link_t){l->tail, WALK_NONE};
  if (l->tail == WALK_NONE)
    l->head = walk;
  else
    link[l->tail].next = walk;
  l->tail = walk;
  l->count++;
}
static inline void walk_list_remove(walk_list_t *l, const walk_link_t *at, walk_link_t *link) {
  if (at->prev == WALK_NONE)
    l->head = at->next;
  else
    link[at->prev].next = at->next;
  if (at->next == WALK_NONE)
    l->tail = at->prev;
  else
    link[at->next].prev = at->prev;
  l->count--;
}
/* The first of the list, or WALK_NONE. */
static inline uint32_t walk_list_pop(walk_list_t *l, walk_link_t *link) {
  uint32_t walk = l->head;
  if (walk != WALK_NONE) walk_list_remove(l, &link[walk], link);
  return walk;
}

/* ---- idle walkers, for policies ---- */

#define WALKERS_MOST 16384
typedef struct {
  uint64_t word[WALKERS_MOST / 64];
} walker_set_t;
static inline void walker_set_all(walker_set_t *s, uint32_t walkers) {
  for (uint32_t i = 0; i < walkers; i++) s->word[i / 64] |= UINT64_C(1) << i % 64;
}
static inline bool walker_set_has(const walker_set_t *s, uint32_t walker) {
  return s->word[walker / 64] >> walker % 64 & 1;
}
static inline void walker_set_put(walker_set_t *s, uint32_t walker) {
  s->word[walker / 64] |= UINT64_C(1) << walker % 64;
}
static inline void walker_set_drop(walker_set_t *s, uint32_t walker) {
  s->word[walker / 64] &= ~(UINT64_C(1) << walker % 64);
}
/* Takes the lowest of `walkers` out; WALK_NONE if there is none. */
static inline uint32_t walker_set_take(walker_set_t *s, uint32_t walkers) {
  for (uint32_t w = 0; w * 64 < walkers; w++)
    if (s->word[w]) {
      uint32_t walker = w * 64 + (uint32_t)__builtin_ctzll(s->word[w]);
      walker_set_drop(s, walker);
      return walker;
    }
  return WALK_NONE;
}
/* log2 of the buckets of a hash table of so many walks, at most one in each on average. */
static inline uint32_t walk_bucket_bits(uint32_t walks) {
  uint32_t bits = 1;
  while (1u << bits < walks) bits++;
  return bits;
}
#endif
