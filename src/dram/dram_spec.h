#ifndef GMMU_DRAM_SPEC_H
#define GMMU_DRAM_SPEC_H
#include "dram/dram.h"

#define DRAM_MHZ_MAX 65535 /* keeps clock conversion exact up to 2^48 cycles */

/* Of any timing parameter and of a train of bursts: what lies ahead of the present, the sum of a
 * few of these, must stay within the 16 bits of a lane (dram_lanes.h). */
#define DRAM_CYCLES_MAX 4096

/* 0 if a channel can be built so; else the code, with key and reason in `e`. */
int dram_spec_check(const dram_spec_t *spec, err_t *e);
#endif
