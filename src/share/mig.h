#ifndef GMMU_MIG_H
#define GMMU_MIG_H
/* MIG (share.mode=mig): a GPU in instances, one for each application. An instance has GPCs with
 * their SMs and TLBs, memory channels with their L2 slices, and a part of memory for itself. Which
 * sizes there are, and where on the chip they may begin, is NVIDIA's list of profiles. */
#include "gpu/spec.h"

typedef struct {
  uint32_t profile;             /* 3 of 3g; 0: no MIG */
  uint32_t first_sm, sms;       /* of its GPCs */
  uint32_t first_slice, slices; /* of memory: so many of mig_memory_slices() */
} mig_instance_t;

bool mig_wanted(const share_spec_t *s); /* share.mode=mig */
/* Parts that channels, L2 and memory are dealt out in. */
uint32_t mig_memory_slices(const gpu_spec_t *s);
/* The instances of `apps` applications, in order: as share.mig lists them, or equal ones, as large
 * as they can be. What the chip cannot be divided into is refused, and the error names what it can.
 */
int mig_divide(const gpu_spec_t *s, uint32_t apps, mig_instance_t out[GMMU_MAX_APPS], err_t *e);
#endif
