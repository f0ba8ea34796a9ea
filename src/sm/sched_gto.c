/* Greedy then oldest: stay with the warp that issued last while it can issue, else the oldest. */
#include "sm/sched.h"

const sched_ops_t sched_gto = {
    .name = "gto", .help = "greedy, then oldest", .pick = sched_gto_pick};
