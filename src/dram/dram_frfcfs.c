/* First ready, first come first served: of the commands that may issue now column accesses to open
 * rows go first, then the oldest. A candidate that needs its row opened counts as if it had
 * arrived DRAM_HIT_LEAD accesses later, so hits win, but not for ever. */
#include "dram/dram.h"

static int frfcfs_choose(void *state, const dram_candidates_t *c, uint32_t ready) {
  (void)state;
  uint32_t hits = ready & c->hits, others = ready & ~c->hits;
  if (!others) return dram_bank_of(dram_oldest(c, hits));
  dram_order_t other = dram_oldest(c, others);
  if (!hits) return dram_bank_of(other);
  dram_order_t hit = dram_oldest(c, hits);
  return dram_bank_of(hit <= other + DRAM_HIT_LEAD * DRAM_BANKS_MAX ? hit : other);
}

const dram_sched_ops_t dram_frfcfs = {
    .name = "frfcfs",
    .help = "row hits first, then the oldest",
    .queues = 1,
    .row_first = {true},
    .choose = frfcfs_choose,
};
