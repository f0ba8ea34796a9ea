/* First ready, round robin, first come first served: the application-aware scheduler of Jog et al.
 * (GPGPU-7, 2014), which MASK compares with (its section 7.3). Of the commands that may issue now
 * column accesses to open rows go first; among those, and among the others, the applications take
 * turns, beginning behind the one that was served last; then the oldest goes.
 *
 * Turns are taken among the banks' candidates: within a bank it is row hits first, then the oldest,
 * whosesoever they are. As under frfcfs hits overtake others by DRAM_HIT_LEAD accesses at most. */
#include "dram/dram.h"

typedef struct {
  uint32_t next; /* application that goes first */
} rr_t;

static size_t rr_bytes(const dram_spec_t *s) {
  (void)s;
  return sizeof(rr_t);
}

/* The oldest of the application that is the first from `next` on. */
static dram_order_t rr_first(const rr_t *s, const dram_candidates_t *c, uint32_t mask) {
  dram_order_t first = UINT64_MAX;
  uint32_t nearest = GMMU_MAX_APPS;
  for (; mask; mask &= mask - 1) {
    uint32_t b = (uint32_t)__builtin_ctz(mask);
    uint32_t turns = (c->access[b]->app + GMMU_MAX_APPS - s->next) % GMMU_MAX_APPS;
    if (turns > nearest || (turns == nearest && c->order[b] > first)) continue;
    nearest = turns;
    first = c->order[b];
  }
  return first;
}

static int rr_choose(void *state, const dram_candidates_t *c, uint32_t ready) {
  uint32_t hits = ready & c->hits, others = ready & ~c->hits;
  if (!others) return dram_bank_of(rr_first(state, c, hits));
  dram_order_t other = rr_first(state, c, others), oldest = dram_oldest(c, others);
  if (!hits) return dram_bank_of(other);
  dram_order_t hit = rr_first(state, c, hits);
  return dram_bank_of(hit <= oldest + DRAM_HIT_LEAD * DRAM_BANKS_MAX ? hit : oldest);
}

static void rr_served(void *state, const dram_access_t *a) {
  ((rr_t *)state)->next = (a->app + 1u) % GMMU_MAX_APPS;
}

const dram_sched_ops_t dram_rr = {
    .name = "fr-rr-fcfs",
    .help = "row hits first, then applications in turn, then the oldest (Jog et al.)",
    .queues = 1,
    .row_first = {true},
    .state_bytes = rr_bytes,
    .choose = rr_choose,
    .served = rr_served,
};
