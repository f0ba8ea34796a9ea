/* The row of the crossbar. */
#include "noc/noc.h"
#include <stdlib.h>
#include <string.h>

static const option_group_t noc_groups[] = {
    {"noc", "crossbar", noc_options, offsetof(gpu_spec_t, noc)},
    {0},
};

/* Equal parts of the channels, and of the GPCs, or of the SMs if there are none. If there are fewer
 * of them than partitions, some have none. */
static void bridge_deal(noc_t *n, uint32_t slices) {
  const gpu_spec_t *s = noc_spec(n);
  bridge_t *b = &n->bridge;
  uint32_t gpcs = s->core.gpcs.count, groups = gpcs ? gpcs : s->core.sms;
  for (uint32_t i = 0; i < s->core.sms; i++)
    b->of_sm[i] = (uint8_t)((gpcs ? gpu_spec_gpc(s, i) : i) * b->partitions / groups);
  for (uint32_t i = 0; i < slices; i++)
    b->of_slice[i] = (uint8_t)(i / s->l2.slices * b->partitions / s->dram.channels);
}

static int bridge_init(noc_t *n, uint32_t slices, err_t *e) {
  const gpu_spec_t *s = noc_spec(n);
  bridge_t *b = &n->bridge;
  uint32_t parts = b->partitions = n->spec.partitions;
  if (parts == 1) return GMMU_OK;
  if (n->spec.walker >= parts)
    return err_set(e, GMMU_ERANGE, "noc.walker=%u is none of %u partitions", n->spec.walker, parts);
  b->walker = n->spec.walker;
  b->walks = !s->walk.free_l2;
  b->apps = noc_share(n)->apps;
  b->of_sm = calloc(s->core.sms, sizeof *b->of_sm);
  b->of_slice = calloc(slices, sizeof *b->of_slice);
  b->free_at = calloc((size_t)parts * parts, sizeof *b->free_at);
  b->link = calloc((size_t)parts * parts, sizeof *b->link);
  b->stats = calloc(b->apps, sizeof *b->stats);
  if (!b->of_sm || !b->of_slice || !b->free_at || !b->link || !b->stats)
    return component_no_memory(e, "the partitions");
  bridge_deal(n, slices);
  return GMMU_OK;
}

static void bridge_fini(bridge_t *b) {
  free(b->of_sm);
  free(b->of_slice);
  free(b->free_at);
  free(b->link);
  free(b->stats);
}

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
  n->special = n->queued || n->spec.partitions > 1;
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
  return bridge_init(n, slices, e);
}

static void noc_fini(void *block) {
  noc_t *n = block;
  free(n->sm_out);
  switch_fini(&n->requests);
  switch_fini(&n->replies);
  bridge_fini(&n->bridge);
}

/* ---- statistics of the partitions ---- */

#define X(n, u, h) STAT_DESC(bridge_stats_t, n, u, h),
static const stat_desc_t bridge_list[] = {BRIDGE_STATS(X){0}};
#undef X
#define X(n, u, h) STAT_DESC(bridge_link_stats_t, n, u, h),
static const stat_desc_t bridge_link_list[] = {BRIDGE_LINK_STATS(X){0}};
#undef X
static const stat_group_t noc_stats[] = {
    {"apps[].partitions", "near and far; with noc.partitions", bridge_list},
    {"links[]", "from one partition to another; with noc.partitions", bridge_link_list},
    {0},
};

/* What applications and links counted is the same; an application's packets are those of its far
 * requests, out and back, but for stores without acknowledgement and what is under way. */
static int noc_check(const void *block, err_t *e) {
  const bridge_t *b = &((const noc_t *)block)->bridge;
  bridge_link_stats_t links = {0}, apps = {0};
  if (b->partitions == 1) return GMMU_OK;
  for (uint32_t k = 0; k < b->partitions * b->partitions; k++)
    stat_sum(&links, &b->link[k], bridge_link_list);
  for (uint32_t a = 0; a < b->apps; a++) {
    const bridge_stats_t *s = &b->stats[a];
    apps.packets += s->link_packets;
    apps.bytes += s->link_bytes;
    apps.wait_cycles += s->link_wait_cycles;
    if (s->link_packets > 2 * (s->far_requests + s->far_reads))
      return component_bad(e, "packets between partitions of application", a);
  }
  return memcmp(&links, &apps, sizeof links) ? component_bad(e, "links of partition", 0) : GMMU_OK;
}

static void noc_app_json(const void *block, uint32_t app, json_t *j) {
  const bridge_t *b = &((const noc_t *)block)->bridge;
  if (b->partitions > 1) stat_json_object(j, "partitions", &b->stats[app], bridge_list);
}

static void noc_json(const void *block, json_t *j) {
  const noc_t *n = block;
  const bridge_t *b = &n->bridge;
  if (b->partitions == 1) return;
  json_key(j, "links");
  json_begin_array(j);
  for (uint32_t from = 0; from < b->partitions; from++)
    for (uint32_t to = 0; to < b->partitions; to++) {
      const bridge_link_stats_t *l = &b->link[from * b->partitions + to];
      if (from == to) continue;
      json_begin_object(j);
      json_key(j, "from"), json_u64(j, from);
      json_key(j, "to"), json_u64(j, to);
      stat_json(j, l, bridge_link_list);
      json_key(j, "busy"), json_ratio(j, l->bytes, noc_ev(n)->now * n->spec.link_bytes, 6);
      json_end_object(j);
    }
  json_end_array(j);
}

static void noc_counters(void *block, counters_t *c) {
  const bridge_t *b = &((const noc_t *)block)->bridge;
  if (b->partitions == 1) return;
  counters_add(c, b->stats, b->apps * sizeof *b->stats);
  counters_add(c, b->link, (size_t)b->partitions * b->partitions * sizeof *b->link);
}

static const component_t noc_row = {.name = "crossbar",
                                    .stage = STAGE_BLOCKS,
                                    .options = noc_groups,
                                    .init = noc_init,
                                    .fini = noc_fini,
                                    .check = noc_check,
                                    .stats = noc_stats,
                                    .counters = noc_counters,
                                    .app_json = noc_app_json,
                                    .json = noc_json};
