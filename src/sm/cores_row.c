/* The row of the SMs: building, the end of a run, checks, statistics. */
#include "sm/cores.h"
#include <stdlib.h>

static const opt_t core_options[] = {
    {"sms", OPT_U32, offsetof(core_spec_t, sms), 1, GPU_MAX_SMS, 30, "SMs",
     "streaming multiprocessors", NULL, NULL},
    {"disabled", OPT_U64, offsetof(core_spec_t, disabled), 0, UINT64_MAX, 0, "bit mask",
     "bit i: place i of the chip has no active SM; SMs are numbered over the others", NULL, NULL},
    {"mig", OPT_U32, offsetof(core_spec_t, mig), 0, 7, 0, "slices",
     "slices of GPCs that MIG divides: 7 on A100 and H100, 4 on A30; 0: the chip cannot", NULL,
     NULL},
    {"gpcs", OPT_BITS, offsetof(core_spec_t, gpcs), 1, 63, 0, "SMs",
     "SMs of each GPC, in order of their numbers: 16; 16; 14; none: GPCs do not matter", NULL,
     NULL},
    {"swapped", OPT_U32, offsetof(core_spec_t, swapped), 0, GPU_MAX_SMS - 1, 0, "SM",
     "the l1tlb group that begins with this SM has changed places with the next; 0: none", NULL,
     NULL},
    {"clock", OPT_U32, offsetof(core_spec_t, clock_mhz), 1, 10000, 1020, "MHz", "core clock", NULL,
     NULL},
    {"launch", OPT_U32, offsetof(core_spec_t, launch_cycles), 0, 10000000, 0, "cycles",
     "from a kernel's launch to its first block", NULL, NULL},
    {"capability", OPT_U32, offsetof(core_spec_t, capability), 20, 999, 52, "10 x major + minor",
     "compute capability: what CUDA programs are told; no effect on time", NULL, NULL},
    {"line", OPT_U32, offsetof(core_spec_t, line_bytes), LINE_BYTES_MIN, LINE_BYTES_MAX, 128,
     "bytes", "of L1 and L2: 64, 128 or 256; a sector has 32", NULL, NULL},
    {0},
};
static const option_group_t cores_options[] = {
    {"gpu", "the chip", core_options, offsetof(gpu_spec_t, core)},
    {"sm", "streaming multiprocessor", sm_options, offsetof(gpu_spec_t, sm)},
    {0},
};

static int cores_init(void *block, err_t *e) {
  cores_t *k = block;
  const gpu_spec_t *spec = cores_spec(k);
  share_t *h = cores_share(k);
  uint32_t n = spec->core.sms;
  k->sm = arrays_take(cores_arrays(k), n * sizeof *k->sm);
  k->stats = calloc(h->apps + 1, sizeof *k->stats); /* the last: SMs that belong to nobody */
  if (!k->sm || !k->stats) return component_no_memory(e, "the SMs");
  k->count = n;
  k->words = (n + 63) / 64;
  int rc = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    rc = sm_init(&k->sm[i], &spec->sm, i, cores_memory(k)->page_shift, cores_map(k)->line_shift,
                 cores_pool(k), k->stats, h->lines, h->stores, &k->calendar[i / 64],
                 cores_arrays(k), e);
    k->sm[i].sizes = cores_memory(k)->mixed ? cores_memory(k)->mm : NULL;
    k->sm[i].owner = (uint8_t)h->apps;
    k->sm[i].shared = h->parts;
  }
  if (rc < 0 || gpu_all_sms(&spec->share)) return rc;
  for (uint32_t a = 0; a < h->apps; a++)
    for (uint32_t i = 0; i < h->app[a].sms; i++) k->sm[h->app[a].first_sm + i].owner = (uint8_t)a;
  return rc;
}

static void cores_fini(void *block) {
  cores_t *k = block;
  free(k->stats);
}

static void cores_ready(void *block) {
  cores_t *k = block;
  bool watched = WATCHED(k->watch.charged) || WATCHED(k->watch.blocked);
  for (uint32_t i = 0; i < k->count; i++) k->sm[i].watch = watched ? &k->watch : NULL;
}

/* Translations under way and moves have charged their time before. */
static void cores_settle(void *block) {
  cores_t *k = block;
  k->settled = true;
  if (cores_turns(k)->on)
    turns_settle(cores_turns(k));
  else
    for (uint32_t i = 0; i < k->count; i++) sm_settle(&k->sm[i], cores_ev(k)->now);
}

static int cores_check(const void *block, err_t *e) {
  const cores_t *k = block;
  for (uint32_t i = 0; i < k->count; i++)
    if (!sm_check(&k->sm[i])) return component_bad(e, "SM", i);
  for (uint32_t a = 0; k->settled && a < cores_share(k)->apps; a++) {
    const sm_stats_t *s = &k->stats[a];
    uint64_t sum = s->warp_instructions;
    for (uint32_t i = 0; i < STALLS; i++) sum += s->stall[i];
    CHECK_SAME(e, a, sum, s->slot_cycles);
  }
  return GMMU_OK;
}

#define X(n, u, h) STAT_DESC(sm_stats_t, n, u, h),
static const stat_desc_t sm_list[] = {SM_STATS(X){0}};
#undef X
#define X(n, s, k, h) {s, sizeof(uint64_t) * STALL_##n, "warp-cycles", h},
static const stat_desc_t stall_list[] = {STALL_LIST(X){0}};
#undef X

static const stat_group_t cores_stats[] = {
    {"apps[].sm", "instructions and blocks", sm_list},
    {"apps[].stall",
     "warp-cycles without an issue, by reason; with warp_instructions they add up to slot_cycles",
     stall_list},
    {0},
};

static void cores_app_json(const void *block, uint32_t app, json_t *j) {
  const cores_t *k = block;
  stat_json_object(j, "sm", &k->stats[app], sm_list);
  stat_json_object(j, "stall", k->stats[app].stall, stall_list);
}

static void cores_counters(void *block, counters_t *c) {
  cores_t *k = block;
  counters_add(c, k->stats, cores_share(k)->apps * sizeof *k->stats);
}

static void cores_policies(void *block, mechanisms_t *m) {
  cores_t *k = block;
  const sched_ops_t *ops = sched_find(cores_spec(k)->sm.scheduler);
  for (uint32_t i = 0; i < k->count; i++) k->sm[i].policy = policy_mine(m, ops->own);
}

/* The walk goes on when the last of its instructions has issued. */
void cores_walk(cores_t *k, uint32_t id) {
  const soft_spec_t *spec = &cores_spec(k)->soft;
  bool first = id >> (CORES_WALK_BITS + CORES_SM_BITS);
  uint32_t walk = id & ((1u << CORES_WALK_BITS) - 1);
  sm_t *s = &k->sm[cores_walk_sm(id)];
  uint64_t now = cores_ev(k)->now, start = s->walks_until > now ? s->walks_until : now;
  s->walks_until = start + spec->level + (first ? spec->setup : 0);
  if (s->units_open < s->walks_until) s->units_open = s->walks_until;
  s->plain = false;
  message_send(cores_ev(k), FROM_SM(s->id), s->walks_until, EV_WALK_NEXT, walk);
}

static const component_t cores_row = {.name = "SMs",
                                      .stage = STAGE_BLOCKS,
                                      .options = cores_options,
                                      .init = cores_init,
                                      .fini = cores_fini,
                                      .policies = cores_policies,
                                      .ready = cores_ready,
                                      .settle = cores_settle,
                                      .check = cores_check,
                                      .stats = cores_stats,
                                      .counters = cores_counters,
                                      .app_json = cores_app_json};
