/* First come first served, strictly: only the oldest access may issue a command, so column
 * accesses (and the row commands they need) follow the order of arrival, reads among reads and
 * writes among writes. The baseline that shows what reordering is worth. */
#include "dram/dram.h"

static int fcfs_choose(void *state, const dram_candidates_t *c, uint32_t ready) {
  (void)state;
  return dram_oldest(c, ready) == c->oldest ? dram_bank_of(c->oldest) : -1;
}

const dram_sched_ops_t dram_fcfs = {
    .name = "fcfs",
    .help = "strictly in order of arrival, one access at a time",
    .queues = 1,
    .row_first = {false},
    .may_pass = true,
    .wants_oldest = true,
    .choose = fcfs_choose,
};
