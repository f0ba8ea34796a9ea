#ifndef GMMU_DRAM_SPEC_H
#define GMMU_DRAM_SPEC_H
#include "dram/dram.h"

#define DRAM_MHZ_MAX 65535 /* keeps clock conversion exact up to 2^48 cycles */

/* 0 if a channel can be built so; else the code, with key and reason in `e`. */
int dram_spec_check(const dram_spec_t *spec, err_t *e);
#endif
