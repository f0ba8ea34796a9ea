/* No option is parsed and ignored: for each of them there is a machine and a workload whose
 * statistics change with it. Options with a single possible value are passed over; the exceptions
 * are listed with their reason, and an exception that does have an effect is an error, too. */
#include "gpu/stats.h"
#include "help.h"
#include "observe/measures.h"
#include "streams.h"

/* Options that may not change a result. */
static const struct {
  const char *key, *why;
} exceptions[] = {
    {"run.check", "it looks, and must not touch"},
    {"gpu.capability", "what programs are told"},
    {"mem.splinter_below", "programs free whole allocations, and large pages lie inside one"},
    {"gpu.mig", "as many as there are GPCs, or none: others are refused"},
    {"l1tlb.hop", "refused: the first level is in the SM, there is no way to it"},
    {"l1tlb.serial", "refused: the first level probes both of its arrays at once"},
    {"l1tlb.gpc", "refused: SMs that share a first level are neighbours"},
    {"l1tlb.deal", "refused: SMs that share a first level are neighbours"},
};

/* A machine: settings on top of lab_spec(), and what runs on it: the script below if NULL, that of
 * mapped host memory if "mapped", kernels that overlap if "streams", else one application or two
 * with a blank between them. */
typedef struct {
  const char *settings, *workload;
} context_t;

#define SMALL_TLBS                                                                                 \
  "tlb.levels=4 l1tlb.entries=4 l1tlb.mshrs=4 l2tlb.entries=8 l2tlb.ways=4 l2tlb.mshrs=4 "         \
  "l3tlb.entries=16 l3tlb.ways=4 l3tlb.mshrs=4 l4tlb.entries=16 l4tlb.ways=4 l4tlb.mshrs=4 "       \
  "gpu.sms=4 l2tlb.group=1 l3tlb.group=2 l4tlb.group=0 walk.threads=4 "
#define LARGE_TLBS                                                                                 \
  "mem.manager=large-only mem.large_page=64K l1tlb.large_entries=4 l2tlb.large_entries=4 "         \
  "l3tlb.large_entries=4 l4tlb.large_entries=4 l1tlb.large_ways=2 l2tlb.large_ways=2 "             \
  "l3tlb.large_ways=2 l4tlb.large_ways=2 "
#define TIGHT_SM                                                                                   \
  "sm.blocks=4 sm.warps=8 sm.threads=256 sm.registers=8192 sm.shared=4096 sm.lsu_queue=2 "         \
  "sm.lsu_loads=4 sm.lsu_lines=70 "
#define BUSY_DRAM                                                                                  \
  "l2.bytes=8K gpu.sms=4 dram.write_queue=4 dram.write_high=4 dram.write_low=1 dram.queue=4 "      \
  "dram.trfc=100 dram.trefi=2000 l2.mshrs=8 "
#define TOKENS "tlb.fill=tokens gpu.sms=2 run.epoch=300 l1tlb.entries=4 tokens.buffer=4 "
#define WALK_BYPASS                                                                                \
  "l2.policy=walk-bypass gpu.sms=2 run.epoch=1500 l1tlb.entries=4 l1d.bytes=512 l1d.ways=1 "       \
  "l2bypass.sample=8 l2bypass.min_looks=5 "

#define TURNS "gpu.sms=2 share.mode=time share.quantum=300 sm.blocks=4 "
/* Two functions common to banks and sets: either may be the module's. */
#define HASHED                                                                                     \
  "map.kind=hash dram.channels=2 l2.bytes=16K map.module=12 map.bank=12;13;14;15 map.set=12;13;7"
#define COLOURED HASHED " mem.manager=coloured gpu.sms=2 "
#define SHARING                                                                                    \
  "gpu.sms=4 l1tlb.entries=8 l1tlb.mshrs=16 l1tlb.ports=4 peer.directory=4 peer.tag_bits=4 "       \
  "peer.buffer=1 "

#define WALKS                                                                                      \
  "gpu.sms=4 l1tlb.entries=4 l1tlb.mshrs=64 l2tlb.entries=8 l2tlb.mshrs=128 walk.threads=4 "
#define PAGES   "stride:footprint=8M,lane=4K,blocks=8,warps=4,steps=4"
#define ENTRIES "gpu.sms=2 l1tlb.entries=4 l1tlb.mshrs=64 l2tlb.entries=16 l2tlb.mshrs=128 "
#define FRAGMENTED                                                                                 \
  "mem.manager=mosaic mem.bytes=32M mem.fragment_index=100 mem.fragment_occupancy=25 gpu.sms=2 "   \
  "l1tlb.large_entries=4 l1tlb.entries=4 "
#define PAGED "mem.paging=demand gpu.sms=2 link.fault=300 l1tlb.entries=4 "

static const context_t contexts[] = {
    {SMALL_TLBS "l2tlb.large_entries=4 l3tlb.large_entries=4 l3tlb.latency=10 "
                "l4tlb.large_entries=4 l4tlb.latency=10",
     PAGES},
    {"gpu.sms=2", "mapped"},
    {"gpu.sms=4 share.kernels=2", "streams"},
    {"gpu.sms=4 dram.channels=2 l2.bytes=16K noc.partitions=2 noc.link=16 l1tlb.entries=4",
     "gather:footprint=4M,blocks=4,warps=4,steps=3"},
    {"mem.manager=mixed mem.format=hopper walk.pwc=true walk.pwc_leaf=true walk.pwc_level1=4 "
     "walk.pwc_level4=4 tlb.levels=1 l1tlb.entries=1 l1tlb.ways=1",
     "gather:footprint=64K,blocks=4,warps=4,steps=3"},
    {TURNS, "hotset:footprint=64K,hot=8K,blocks=6,warps=4,steps=6,regs=32 "
            "hotset:footprint=64K,hot=8K,blocks=6,warps=4,steps=6,regs=32"},
    {TURNS "share.cost=fixed",
     "gather:footprint=64K,blocks=4,warps=4,steps=3 stream:blocks=2,steps=3"},
    {"gpu.sms=2", "gather:footprint=4M,blocks=4,warps=4,steps=3"},
    {"gpu.sms=2 sm.schedulers=2", NULL},
    {"gpu.sms=4 dram.channels=2 l2.bytes=16K noc.queue=fifo sm.tensor_latency=3 "
     "sm.tensor_interval=4 "
     "sm.fp64_interval=2 sm.sfu_interval=4 sm.fp64_latency=8 sm.branch_interval=4 "
     "l2.atomic_cycles=2 "
     "sm.shared=4096 l1d.bytes=8K l1d.ways=64",
     NULL},
    {TIGHT_SM, "gather:footprint=256K,blocks=12,warps=2,steps=4,shared=1K,regs=32"},
    {TIGHT_SM, NULL},
    {SMALL_TLBS, "gather:footprint=256K,blocks=8,warps=4,steps=3"},
    {SMALL_TLBS, "stride:footprint=4M,lane=4K,blocks=8,warps=4,steps=6"},
    {SMALL_TLBS "l1tlb.reach=4 l2tlb.reach=4 l3tlb.reach=4 l4tlb.reach=4",
     "gather:footprint=256K,blocks=8,warps=4,steps=3"},
    {SMALL_TLBS "gpu.gpcs=2;2 l2tlb.group=0 l3tlb.group=0 l2tlb.gpc=true l3tlb.gpc=true "
                "l4tlb.gpc=true",
     "gather:footprint=256K,blocks=8,warps=4,steps=3"},
    {SMALL_TLBS
     "tlb.levels=2 l2tlb.group=0 gpu.gpcs=1;1;1;1 gpu.mig=4 share.mode=mig share.mig=2;2 "
     "walk.threads=1 dram.channels=4 l2.bytes=64K mem.manager=mixed",
     "gather:footprint=1M,blocks=8,warps=4,steps=3 gather:footprint=1M,blocks=8,warps=4,steps=3"},
    {"mem.manager=mixed mem.format=amd-gfx9 mem.bytes=4G mem.huge_page=1G l1tlb.entries=4",
     "gather:footprint=2G,blocks=4,warps=4,steps=3"},
    {SMALL_TLBS LARGE_TLBS, "gather:footprint=4M,blocks=8,warps=4,steps=3"},
    {"walk.pwc=true tlb.levels=1 walk.pwc_bytes=64 walk.pwc_ways=4 l1tlb.entries=4",
     "gather:footprint=16M,blocks=4,warps=4,steps=3"},
    {BUSY_DRAM, "stream:footprint=1M,blocks=8,warps=8,steps=3"},
    {BUSY_DRAM, "gather:footprint=4M,blocks=8,warps=8,steps=3"},
    {BUSY_DRAM "dram.channels=2 l2.slices=2 l2.bytes=16K",
     "tiled2d:footprint=1M,blocks=8,warps=4,steps=4,launches=2"},
    {BUSY_DRAM, NULL},
    {BUSY_DRAM "dram.groups=2 dram.tccd_l=12 dram.trrd_l=24 dram.twtr_l=24", NULL},
    {"l1d.mshrs=2 l1d.merges=2 l2.mshrs=2 l2.merges=2 gpu.sms=4 noc.buffer=4", NULL},
    {SMALL_TLBS "l1tlb.ways=1 l1tlb.entries=8 l3tlb.entries=32 l4tlb.entries=32",
     "gather:footprint=1M,blocks=8,warps=4,steps=3"},
    {"map.kind=frame dram.channels=2 l2.bytes=8K", "gather:footprint=4M,blocks=4,warps=4,steps=4"},
    {BUSY_DRAM "dram.scheduler=mask dram.golden=1 dram.silver=2 dram.normal=4 dram.thresh_max=8 "
               "run.epoch=500 l1tlb.entries=4 l2tlb.entries=8 l2tlb.ways=4 l2tlb.group=0",
     "gather:footprint=4M,blocks=8,warps=8,steps=3 "
     "stream:footprint=1M,blocks=8,warps=8,steps=3"},
    {"gpu.sms=2 dram.channels=2 l2.slices=1 l2.bytes=16K",
     "gather:footprint=4M,blocks=4,warps=4,steps=3 "
     "stream:footprint=1M,blocks=8,warps=8,steps=3"},
    {TOKENS, "hotset:footprint=4M,hot=128K,blocks=16,warps=4,steps=24"},
    {WALK_BYPASS
     "run.epoch=500 l2.bytes=64K walk.threads=64 walk.hop=0 l1tlb.mshrs=64 l2tlb.mshrs=128",
     "stride:footprint=31M,lane=100K,step=4,blocks=8,warps=4,steps=8"},
    {WALK_BYPASS, "hotset:footprint=8M,hot=8K,reuse=90,blocks=16,warps=4,steps=96"},
    {HASHED, "gather:footprint=4M,blocks=4,warps=4,steps=4"},
    {FRAGMENTED, "gather:footprint=4M,blocks=4,warps=4,steps=3"},
    {SHARING "tlb.peer=neidty", "gather:footprint=128K,blocks=8,warps=4,steps=4"},
    {SHARING "tlb.peer=valkyrie peer.prefetch=true peer.locality_entries=4 peer.prefetch_entries=2",
     "gather:footprint=128K,blocks=8,warps=4,steps=4"},
    {FRAGMENTED "mem.cac=cac-bc", "gather:footprint=4M,blocks=4,warps=4,steps=3"},
    {PAGED "mem.faults=2", "gather:footprint=1M,blocks=4,warps=4,steps=2"},
    {PAGED "mem.evict=lru mem.bytes=4M mem.prefetch=block",
     "stride:footprint=6M,lane=4K,blocks=4,warps=4,steps=4"},
    {PAGED
     "mem.paging=uvm mem.faults=1024 uvm.batch=4 uvm.threshold=51 uvm.wake=1000 uvm.block=100",
     "gather:footprint=6M,blocks=4,warps=4,steps=2"},
    {"tlb.speculate=cast cast.entries=4 cast.confidence=1 l1tlb.entries=1 l1tlb.ways=1", NULL},
    {"tlb.speculate=cast cast.entries=2 cast.confidence=2 gpu.sms=2 l1tlb.entries=4",
     "gather:footprint=4M,blocks=4,warps=4,steps=6 gather:footprint=4M,blocks=4,warps=4,steps=6"},
    {"tlb.victim=scratchpad l1tlb.entries=2 l1tlb.ports=4 sm.shared=8192",
     "gather:footprint=1M,blocks=4,warps=4,steps=12"},
    {"mem.table=fs-hpt hpt.entries=30 hpt.probes=4 hpt.cluster=8",
     "gather:footprint=8M,blocks=4,warps=4,steps=8"},
    {"gpu.sms=2 l1d.banks=4", "gather:footprint=64K,blocks=4,warps=4,steps=6"},
    {"gpu.sms=2 mem.manager=mixed mem.format=hopper mem.align=64K l1tlb.entries=4",
     "gather:footprint=4M,blocks=4,warps=4,steps=3"},
    {"mem.manager=large-only", "hotset:footprint=8M,hot=64K,blocks=4,warps=4,steps=6,launches=2"},
    {COLOURED, "gather:footprint=4M,blocks=4,warps=4,steps=4 stream:blocks=2,steps=3"},
    {"gpu.sms=2 sample.skip=2 sample.warm=1 sample.measure=1 sample.windows=2 sample.seed=1",
     "hotset:footprint=1M,hot=64K,blocks=4,warps=4,steps=3,launches=12"},
    {WALKS "walk.policy=dws dws.queue=2", PAGES " " PAGES},
    {WALKS "gpu.sms=2 walk.policy=dws-plus dws.queue=64 dws.epoch=512",
     "stride:footprint=16M,lane=4K,blocks=4,warps=8,steps=2 "
     "chase:footprint=16M,lanes=4,blocks=2,warps=2,steps=20"},
    {WALKS "walk.policy=simt simt.age=8", PAGES " gather:footprint=1M,blocks=8,warps=4,steps=3"},
    {WALKS "walk.policy=marching marching.entries=4 marching.batch=3", PAGES},
    {ENTRIES "tlb.format=colt mem.manager=mosaic", "gather:footprint=4M,blocks=4,warps=4,steps=8"},
    {ENTRIES "tlb.format=star l2tlb.reach=8 l2tlb.ways=4",
     "gather:footprint=4M,blocks=4,warps=4,steps=8"},
    {ENTRIES "l2tlb.replacement=depot depot.bytes=16 depot.hashes=2 depot.window=64 depot.spares=2",
     "gather:footprint=1M,blocks=4,warps=4,steps=8"},
    {WALKS "l1tlb.mshr_format=latpc l1tlb.mshrs=4 latpc.pages=8", PAGES},
    {WALKS "walk.policy=latpc latpc.drain=2", PAGES},
    {WALKS "l2tlb.mshr_format=intlb l2tlb.mshrs=4 intlb.entries=3", PAGES},
    {WALKS "walk.policy=softwalker soft.slots=2 soft.way=3", PAGES},
    {"gpu.sms=2 share.mode=threads sm.blocks=8",
     "gather:footprint=4M,blocks=16,warps=4,steps=4 stream:blocks=16,steps=3"},
};
#define CONTEXTS (sizeof contexts / sizeof *contexts)

/* A little of everything, in dependent and in independent order. */
static const script_op_t everything[] = {
    LOAD_AT(1, R_NO, VA, LINE, 2 * KB),
    UNIT(IC_FP32, 2, 1),
    UNIT(IC_FP64, 3, 2),
    UNIT(IC_SFU, 4, 3),
    CONSTANT(5, 4),
    SHARED(6, 5, 8, 4),
    MULTIPLY(7, 6),
    ALU(7, 7),
    UNIT(IC_FP64, 8, R_NO),
    UNIT(IC_SFU, 9, R_NO),
    UNIT(IC_TENSOR, 13, R_NO),
    UNIT(IC_TENSOR, 14, R_NO),
    UNIT(IC_BRANCH, R_NO, R_NO),
    UNIT(IC_BRANCH, R_NO, R_NO),
    STORE_AT(7, VA + 256 * KB, LINE, 4 * KB),
    LOAD_SPREAD(10, R_NO, VA + 512 * KB, 4 * KB, LINE, LINE, 0xff),
    STORE_MASK(R_NO, VA + 8 * KB, 3),
    BARRIER(0, 0),
    ATOMIC(11, R_NO, VA + 16 * KB),
    LOAD_CG(12, R_NO, VA),
};
static const program_t everything_program = PROGRAM_N(everything, 6);

static source_t *open_script(void) {
  return script_source(script_new(&(script_spec_t){.program = &everything_program,
                                                   .programs = 1,
                                                   .blocks = 8,
                                                   .warps = 2,
                                                   .regs = 32,
                                                   .shared = 1024,
                                                   .va = VA,
                                                   .bytes = 2 * MB},
                                  0));
}

static source_t *open_mapped(void) {
  static const script_command_t commands[] = {{CMD_ALLOC_HOST, VA, MB}, {CMD_LAUNCH, 0, 0}};
  static const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 8 * KB, LINE),
                                    STORE_AT(1, VA, 8 * KB, LINE)};
  static const program_t program = PROGRAM_N(ops, 4);
  return script_source(script_told(&program, 4, 2, commands, 2));
}

static source_t *open_streams(void) {
  static const step_t steps[] = {{true, 1, 0, {0}}, {true, 1, 0, {0}}, {true, 1, 0, {0}}};
  return streams_recording(steps, 3);
}

static gpu_spec_t context_spec(const context_t *c) {
  gpu_spec_t s = lab_spec();
  char copy[1024];
  assert_true(strlen(c->settings) < sizeof copy);
  strcpy(copy, c->settings);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) {
    char *value = strchr(w, '=');
    *value = 0;
    set(&s, w, value + 1);
  }
  return s;
}

/* Returns how many applications. */
static uint32_t open_workload(const context_t *c, app_spec_t app[2]) {
  char copy[256];
  const char *blank = c->workload ? strchr(c->workload, ' ') : NULL;
  app[0] = (app_spec_t){.name = "x", .source = c->workload ? NULL : open_script()};
  if (c->workload && strcmp(c->workload, "mapped") == 0) app[0].source = open_mapped();
  if (c->workload && strcmp(c->workload, "streams") == 0) app[0].source = open_streams();
  if (app[0].source) return 1;
  snprintf(copy, sizeof copy, "%.*s", blank ? (int)(blank - c->workload) : 255, c->workload);
  app[0].source = generator(copy);
  if (blank) app[1] = (app_spec_t){.name = "y", .source = generator(blank + 1)};
  return blank ? 2 : 1;
}

/* The statistics, or NULL if there is no such machine. */
static char *result(const gpu_spec_t *spec, const context_t *c) {
  app_spec_t app[2];
  uint32_t apps = open_workload(c, app);
  gpu_t *g;
  err_t e = {0};
  char *text = NULL;
  if (gpu_new(spec, app, apps, &g, &e) == 0) {
    gpu_limits_t limits = {.no_relaunch = true};
    if (gpu_run(g, &limits, 10000000, &e) == 1) {
      gpu_settle(g); /* other tests check */
      text = stats_text(g);
    }
    gpu_free(g);
  }
  for (uint32_t i = 0; i < apps; i++) app[i].source->ops->free(app[i].source);
  return text;
}

static bool changes(const char *key, const char *value, const context_t *c, const char *before) {
  gpu_spec_t spec = context_spec(c);
  err_t e;
  if (gpu_spec_set(&spec, key, value, &e) < 0) return false;
  char *after = result(&spec, c);
  bool changed = after && strcmp(before, after) != 0;
  free(after);
  return changed;
}

/* Values near the present one; those out of range are refused when they are set. */
#define NEIGHBOURS 11
static uint64_t neighbour(const opt_t *o, uint64_t now, uint32_t i) {
  const uint64_t near[] = {now * 2,      now / 2, now + 1, now - 1, now + 10, now * 4,
                           now + o->min, o->min,  1,       2,       3};
  _Static_assert(sizeof near == NEIGHBOURS * sizeof *near, "as many as announced");
  return near[i];
}

static bool number_matters(const opt_t *o, const char *key, const context_t *c,
                           const gpu_spec_t *spec, const char *before, uint32_t from, uint32_t to) {
  gpu_spec_t copy = *spec;
  opt_group_t groups[GPU_GROUPS];
  char now[64], value[64];
  gpu_spec_groups(&copy, groups);
  assert_true(opt_get(groups, key, now, sizeof now) > 0);
  if (o->type == OPT_BOOL && from) return false;
  if (o->type == OPT_BOOL) return changes(key, strcmp(now, "true") ? "true" : "false", c, before);
  uint64_t v = strtoull(now, NULL, 10);
  if (strchr(now, 'K')) v *= KB;
  if (strchr(now, 'M')) v *= MB;
  for (uint32_t i = from; i < to; i++) {
    snprintf(value, sizeof value, "%llu", (unsigned long long)neighbour(o, v, i));
    if (changes(key, value, c, before)) return true;
  }
  return false;
}

static bool name_matters(const opt_t *o, const char *key, const context_t *c, const char *before) {
  for (uint32_t i = 0; o->names(i); i++)
    if (changes(key, o->names(i), c, before)) return true;
  return false;
}

/* Each of these fits one of the three lists of HASHED, the colours of COLOURED, GPCs of four SMs or
 * MIG instances; where it does not, there is no machine. */
static bool bits_matter(const char *key, const context_t *c, const char *before) {
  static const char *const lists[] = {"13", "12;13;14;16", "12;13;8", "0 1;1", "1;3", "1;2"};
  for (uint32_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (changes(key, lists[i], c, before)) return true;
  return false;
}

static const char *exception(const char *key) {
  for (uint32_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (strcmp(exceptions[i].key, key) == 0) return exceptions[i].why;
  return NULL;
}

/* Does a context set the option, or another of its group? There its effect is, mostly. */
static bool is_near(const char *settings, const char *key) {
  size_t group = strcspn(key, ".") + 1;
  for (const char *p = settings; *p; p += strcspn(p, " "), p += strspn(p, " "))
    if (strncmp(p, key, group) == 0) return true;
  return false;
}

/* In one context, with the neighbours `from` .. `to` - 1. */
static bool shows(const opt_t *o, const char *key, char *const before[CONTEXTS], uint32_t i,
                  uint32_t from, uint32_t to) {
  const context_t *c = &contexts[i];
  if (o->type == OPT_BITS) return bits_matter(key, c, before[i]);
  if (o->type == OPT_NAME) return name_matters(o, key, c, before[i]);
  gpu_spec_t spec = context_spec(c);
  return number_matters(o, key, c, &spec, before[i], from, to);
}

/* Contexts in which options had an effect, the last first: what is declared side by side has its
 * effect in the same ones. */
#define RECENT 3
static uint32_t recent[RECENT];

static void remember(uint32_t context) {
  uint32_t i = 0;
  while (i < RECENT - 1 && recent[i] != context) i++;
  for (; i; i--) recent[i] = recent[i - 1];
  recent[0] = context;
}

/* In any context that is near, or in any other. */
static bool matters(const opt_t *o, const char *key, char *const before[CONTEXTS], bool near,
                    uint32_t from, uint32_t to) {
  if (from && (o->type == OPT_BITS || o->type == OPT_NAME)) return false; /* have no neighbours */
  for (uint32_t i = 0; i < CONTEXTS; i++)
    if (is_near(contexts[i].settings, key) == near && shows(o, key, before, i, from, to)) {
      remember(i);
      return true;
    }
  return false;
}

/* Where an effect is likely comes first: most runs are made in vain elsewhere. An exception is
 * tried in every context, with fewer values. */
static bool matters_anywhere(const opt_t *o, const char *key, char *const before[CONTEXTS],
                             bool exception) {
  for (uint32_t i = 0; i < RECENT && !exception; i++)
    if (shows(o, key, before, recent[i], 0, NEIGHBOURS)) return true;
  return matters(o, key, before, true, 0, 2) ||
         (!exception && matters(o, key, before, true, 2, NEIGHBOURS)) ||
         matters(o, key, before, false, 0, 2) ||
         (!exception && matters(o, key, before, false, 2, NEIGHBOURS));
}

static void every_option_matters(void **state) {
  (void)state;
  char *before[CONTEXTS];
  for (uint32_t i = 0; i < CONTEXTS; i++) {
    gpu_spec_t spec = context_spec(&contexts[i]);
    before[i] = result(&spec, &contexts[i]);
    if (!before[i]) fail_msg("context %u does not run", i);
  }
  gpu_spec_t any = lab_spec();
  opt_group_t groups[GPU_GROUPS];
  uint32_t ignored = 0, seen = 0;
  gpu_spec_groups(&any, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) {
      char key[128];
      snprintf(key, sizeof key, "%s.%s", g->prefix, o->name);
      if (o->type == OPT_NAME && !o->names(1)) continue;
      seen++;
      bool may_not = exception(key) != NULL, does = matters_anywhere(o, key, before, may_not);
      if (does == !may_not) continue;
      print_message("%s %s\n", key, does ? "is an exception, but has an effect" : "has no effect");
      ignored++;
    }
  for (uint32_t i = 0; i < CONTEXTS; i++) free(before[i]);
  assert_true(seen > 100);
  assert_int_equal(ignored, 0);
}

static void every_statistic_has_a_unit_and_a_meaning(void **state) {
  (void)state;
  uint32_t n = 0;
  const stat_group_t *g;
  for (uint32_t i = 0; (g = gpu_stat_group(i)); i++) {
    assert_true(g->help && *g->help);
    for (const stat_desc_t *d = g->list; d->name; d++, n++) {
      strbuf_t help;
      strbuf_init(&help);
      const char *unit = gpu_stat_unit(d);
      if (!unit || !*unit) fail_msg("%s %s has no unit", g->path, d->name);
      if (!gpu_stat_help(d, &help) || help.size < 5)
        fail_msg("%s %s has no meaning", g->path, d->name);
      strbuf_fini(&help);
      for (const stat_desc_t *o = g->list; o != d; o++)
        if (strcmp(o->name, d->name) == 0) fail_msg("%s %s is there twice", g->path, d->name);
    }
  }
  assert_true(n > 50);
}

static void a_statistic_is_found_by_its_path(void **state) {
  (void)state;
  static const char *const there[] = {"apps[].walk.walks", "apps[].l1tlb.lookups",
                                      "apps[].l4tlb.misses", "apps[].l2.translation.hits",
                                      "apps[].dram.silver.turns"};
  static const char *const not_there[] = {
      "apps[].walk.walk", "apps[].walk",        "apps[].l5tlb.misses",       "apps[].l1tl.misses",
      "apps[].l2.hits",   "apps[].l2.dat.hits", "apps[].dram.silver.writes", "walks"};
  for (uint32_t i = 0; i < sizeof there / sizeof *there; i++)
    if (!gpu_stat_find(there[i])) fail_msg("%s is not found", there[i]);
  for (uint32_t i = 0; i < sizeof not_there / sizeof *not_there; i++)
    if (gpu_stat_find(not_there[i])) fail_msg("%s is found", not_there[i]);
}

static void figures_over_time_name_fields_of_the_series(void **state) {
  (void)state;
  for (const figure_t *f = figures; f < figures + FIGURES; f++) {
    const char *field[] = {f->point_part, f->point_whole};
    assert_true(*f->help && (*f->column || *f->title));
    assert_int_equal(*f->title != 0, *f->point_part != 0);
    for (uint32_t k = 0; k < 2 && *f->title; k++) {
      char path[96];
      snprintf(path, sizeof path, "series.apps[].%s", field[k]);
      if (strcmp(field[k], "cycles") != 0 && !gpu_stat_find(path))
        fail_msg("figure %s: the series has no %s", f->name, field[k]);
    }
  }
}

/* "l#tlb" and "hits" are "apps[].l1tlb.hits". */
static void expect_counter(const char *of, const char *list, const char *path, size_t path_size,
                           const char *name) {
  char full[160];
  uint32_t n = (uint32_t)snprintf(full, sizeof full, "%s", list);
  for (size_t i = 0; i < path_size; i++)
    if (path[i] != '#')
      full[n++] = path[i];
    else if (path[i + 1] != ']')
      full[n++] = '1';
  snprintf(full + n, sizeof full - n, "%s%s", *name ? "." : "", name);
  if (!gpu_stat_find(full)) fail_msg("\"%s\": no counter is called %s", of, full);
}

static void hit_rates_name_counters_that_are_declared(void **state) {
  (void)state;
  for (const rate_t *r = rates; r->title; r++) {
    assert_true(*r->help);
    expect_counter(r->title, "apps[].", r->path, strlen(r->path), r->part);
    expect_counter(r->title, "apps[].", r->path, strlen(r->path), r->whole);
  }
}

static void expect_sum(const char *of, const char *list, const char *sum) {
  for (const char *p = sum; *p; p += strspn(p, " +")) {
    size_t size = strcspn(p, " ");
    expect_counter(of, list, p, size, "");
    p += size;
  }
}

static void measures_of_arrays_name_counters_that_are_declared(void **state) {
  (void)state;
  for (const measure_t *m = measures; m < measures + MEASURES; m++) {
    assert_true(*m->title && (m->stalls != STALLED_BY_OTHER) == !*m->row && !*m->row == !*m->all);
    assert_true(!m->explain || *m->share);
    expect_sum(m->title, "apps[].by_array[].", m->row);
    expect_sum(m->title, "apps[].", m->all);
  }
}

static void every_option_has_a_unit_a_range_and_a_meaning(void **state) {
  (void)state;
  gpu_spec_t any = lab_spec();
  opt_group_t groups[GPU_GROUPS];
  err_t e = {0};
  gpu_spec_groups(&any, groups);
  if (opt_check(groups, &e) < 0) fail_msg("%s: %s", e.key, e.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_matters),
      cmocka_unit_test(every_statistic_has_a_unit_and_a_meaning),
      cmocka_unit_test(a_statistic_is_found_by_its_path),
      cmocka_unit_test(figures_over_time_name_fields_of_the_series),
      cmocka_unit_test(hit_rates_name_counters_that_are_declared),
      cmocka_unit_test(measures_of_arrays_name_counters_that_are_declared),
      cmocka_unit_test(every_option_has_a_unit_a_range_and_a_meaning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
