/* The storage that walk-bypass adds: MASK's section 7.4. */
#include "cache/l2policy.h"
#include <string.h>

#define RATE_COUNTER_BITS 64
#define LEVEL_BITS        3 /* section 5.3: 0 for data, 7 for all depths above 6 */

static bool has_bypass(const gpu_spec_t *s) {
  return strcmp(s->l2.policy, l2_walk_bypass.name) == 0;
}

static void bypass_counters_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = RATE_COUNTER_BITS;
  c->count = 2 * (cost_walk_levels(s) + 1);
  c->base = s->l2.bytes * 8;
  COST_FORMULA(c, "hits and accesses of %u walk levels and of data, %u bits each",
               cost_walk_levels(s), RATE_COUNTER_BITS);
}

static void bypass_level_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t inside = s->l2.mshrs * s->l2.slices + cost_queue_entries(s);
  c->each = LEVEL_BITS;
  c->count = (uint64_t)s->dram.channels * inside;
  c->base = 0;
  COST_FORMULA(c, "%u bits for each of %u requests in L2 and DRAM of each of %u channels",
               LEVEL_BITS, inside, s->dram.channels);
}

static const cost_row_t l2_cost[] = {
    {"mask", "bypass", "counters of L2 hits and accesses", "L2", "L2", "80 B, < 0.1 %",
     "the text says per core; one set makes the 80 B, 30 sets would make 2400", false, false,
     has_bypass, bypass_counters_cost},
    {"mask", "bypass", "walk level in each request", "L2 and DRAM", "", "3 bits",
     "the paper does not add it up", false, false, has_bypass, bypass_level_cost},
    {0},
};
