#ifndef GMMU_PROBE_SHARING_H
#define GMMU_PROBE_SHARING_H
/* Which SMs share which level of the TLBs that tlb_probe() found. */
#include "probe/tlb_probe.h"

typedef struct {
  uint32_t *group; /* [SM]: number of its group, from 0 in order of the smallest SM; owned */
  uint32_t groups;
  uint32_t confidence; /* percent: how far apart the two calibrations are */
  uint32_t tests;      /* that were made; all pairs would be sms * (sms - 1) / 2 */
  uint64_t bytes;      /* of the buffer that a test takes */
  bool known;          /* false: the calibrations do not differ, or the buffer is smaller */
} sharing_level_t;

typedef struct {
  uint32_t sms, levels;
  sharing_level_t level[PROBE_LEVELS];
} sharing_t;

int sharing_probe(device_t *d, const tlb_probe_t *tlb, const tlb_probe_options_t *o, sharing_t *out,
                  err_t *e);
void sharing_fini(sharing_t *s);
/* "private", "all", "groups of 3 and 2": how an SM's level is shared, in words. */
void sharing_words(const sharing_t *s, uint32_t level, char *buf, size_t size);
#endif
