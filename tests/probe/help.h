#ifndef GMMU_TESTS_PROBE_HELP_H
#define GMMU_TESTS_PROBE_HELP_H
/* Simulated devices, and what a probe says of them. Every function fails the test if something goes
 * wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/sharing.h"

gpu_spec_t preset(const char *name);
void setn(gpu_spec_t *s, const char *key, uint64_t value);
void set(gpu_spec_t *s, const char *key, const char *value);
device_t *sim(const gpu_spec_t *spec, const device_noise_t *noise);
tlb_probe_t probed(device_t *d); /* to be freed with tlb_probe_fini() */
sharing_t shared(device_t *d, const tlb_probe_t *tlb);
/* The groups of a level as text: "0 5|1 6|2". */
void groups_of(const sharing_t *s, uint32_t level, char *buf, size_t size);
#endif
