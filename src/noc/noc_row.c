/* The row of the crossbar. */
#include "noc/noc.h"
#include <stdlib.h>
#include <string.h>

static const option_group_t noc_groups[] = {
    {"noc", "crossbar", noc_options, offsetof(gpu_spec_t, noc)},
    {0},
};

static int noc_init(void *block, err_t *e) {
  noc_t *n = block;
  uint32_t sms = noc_spec(n)->core.sms;
  uint32_t slices = noc_spec(n)->dram.channels * noc_spec(n)->l2.slices;
  n->spec = noc_spec(n)->noc;
  n->sm_out = calloc(2 * ((size_t)sms + slices), sizeof *n->sm_out);
  if (!n->sm_out) return component_no_memory(e, "the crossbar");
  n->sm_in = n->sm_out + sms;
  n->slice_in = n->sm_in + sms;
  n->slice_out = n->slice_in + slices;
  n->queued = strcmp(n->spec.queue, "none") != 0;
  bool voq = strcmp(n->spec.queue, "voq") == 0;
  if (n->queued && (switch_init(&n->requests, sms, slices, voq, n->spec.turns) < 0 ||
                    switch_init(&n->replies, slices, sms, voq, n->spec.turns) < 0))
    return component_no_memory(e, "the crossbar");
  for (uint32_t m = 0; m < 256; m++) { /* flits of a packet, for each set of sectors */
    uint32_t sectors = (uint32_t)__builtin_popcount(m);
    n->flits[m] = (uint8_t)noc_flits(&n->spec, SECTOR_BYTES * sectors);
    n->ask[m] = n->flits[0];
    if (!n->spec.sector_packets || !m) continue;
    n->ask[m] = (uint8_t)(sectors * n->flits[0]);
    n->flits[m] = (uint8_t)(sectors * noc_flits(&n->spec, SECTOR_BYTES));
  }
  return GMMU_OK;
}

static void noc_fini(void *block) {
  noc_t *n = block;
  free(n->sm_out);
  switch_fini(&n->requests);
  switch_fini(&n->replies);
}

static const component_t noc_row = {.name = "crossbar",
                                    .stage = STAGE_BLOCKS,
                                    .options = noc_groups,
                                    .init = noc_init,
                                    .fini = noc_fini};
