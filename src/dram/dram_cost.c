/* The storage that the scheduler mask adds: MASK's section 7.4. */
#include "dram/dram.h"
#include <string.h>

#define STALL_BITS    6   /* section 5.4, both counters */
#define QUEUE_ENTRIES 256 /* DRAM queue of the release; 16 entries are 6 % of it */

static bool has_queues(const gpu_spec_t *s) {
  return strcmp(s->dram.scheduler, dram_mask.name) == 0;
}

static void dram_queues_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t n = cost_queue_entries(s);
  c->each = n > QUEUE_ENTRIES ? n - QUEUE_ENTRIES : 0; /* fewer cost nothing */
  c->count = s->dram.channels;
  c->base = (uint64_t)QUEUE_ENTRIES * c->count;
  COST_FORMULA(c, "%u golden + %u silver + %u normal - %u entries, in each of %u channels",
               s->dram.golden, s->dram.silver, s->dram.normal, QUEUE_ENTRIES, s->dram.channels);
}

/* Equation 1: walks under way, for each application; warps that wait, for each TLB miss. */
static void dram_quotas_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t last = cost_last_level(s);
  uint64_t misses = (uint64_t)s->tlb_level[last].mshrs * gpu_spec_tlbs(s, last);
  c->each = STALL_BITS;
  c->count = s->core.sms + misses;
  c->base = 0;
  COST_FORMULA(c, "%u bits for walks of up to %u applications, for warps of %llu misses",
               STALL_BITS, s->core.sms, (unsigned long long)misses);
}

static const cost_row_t dram_cost[] = {
    {"mask", "dram", "golden, silver and normal queue", "each channel", "queues", "6 %",
     "6 % are of 256 entries, the release's queue; dram.queue is the window of this machine's "
     "baseline",
     true, false, has_queues, dram_queues_cost},
    {"mask", "dram", "walks and stalled warps of Equation 1", "L2 TLB", "", "",
     "5.4 describes them, 7.4 leaves them out; l2tlb.mshrs is a guess that is meant never to bind, "
     "so this is an upper bound",
     false, false, has_queues, dram_quotas_cost},
    {0},
};
