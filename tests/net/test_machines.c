/* What the model measures: small runs of every GPU under every design, of every mechanism beside
 * the usual path, and of random machines. And the options' defaults, which are part of every
 * result: what tells runs apart names only options that differ from them. */
#include "digest.h"
#include "gpu/presets.h"
#include "gpu/stats.h"
#include "net.h"
#include "random_machine.h"

#define CYCLES      3000
#define MACHINES    50
#define HANG_CYCLES 20000000u /* no case comes near */

/* ---- cases ------------------------------------------------------------------------------------
 */

typedef struct {
  const char *name, *gpu, *design;
  const char *options; /* "key=value key=value" */
  const char *app[4];  /* generators, or a name of `programs` */
  gpu_limits_t limits;
} net_case_t;

static script_t *host_memory(void) {
  static const script_op_t ops[] = {
      LOAD_AT(1, R_NO, VA, 4 * LINE, LINE), STORE_AT(1, VA + 64 * KB, LINE, LINE),
      ATOMIC(2, 1, VA + 32 * KB), LOAD_AT(3, 2, VA + MB, PAGE4, LINE), ALU(4, 3)};
  static const program_t p = PROGRAM_N(ops, 4);
  static const script_command_t commands[] = {{CMD_ALLOC_HOST, VA, MB}, {CMD_ALLOC, VA + MB, MB},
                                              {CMD_LAUNCH, 0, 0},       {CMD_FREE, VA, 0},
                                              {CMD_ALLOC, VA, MB},      {CMD_LAUNCH, 0, 0}};
  return script_new(&(script_spec_t){.program = &p,
                                     .programs = 1,
                                     .blocks = 4,
                                     .warps = 2,
                                     .command = commands,
                                     .commands = 6},
                    0);
}

static const struct {
  const char *name;
  script_t *(*make)(void);
} programs[] = {{"host-memory", host_memory}, {"mover", mover}, {"taker", taker}};

#define ONCE  .limits = {.no_relaunch = true}
#define SHORT .limits = {.cycles = 3 * CYCLES}
/* Pages come quickly, so that many come in a short run. */
#define PAGED  "gpu.sms=2 mem.paging=demand link.fault=500 link.bandwidth=100000 "
#define MOVES  "gpu.sms=2 mem.manager=mosaic mem.bytes=8M l1tlb.entries=4 l2tlb.entries=16 "
#define WIDE   "stride:footprint=12M,lane=4K,blocks=8,warps=4,steps=4"
#define WIDE4  "stride:footprint=4M,lane=4K,blocks=8,warps=4,steps=4"
#define HOTSET "hotset:footprint=2M,hot=64K,blocks=4,steps=6"
#define SMALL  "gpu.sms=4 l1tlb.entries=8 l2tlb.entries=64 l1d.bytes=4K "
#define PAIR                                                                                       \
  { "gather:footprint=4M", "stream:footprint=2M" }
#define TURN "gpu.sms=3 run.series=700 share.quantum=400 "
#define TRIO                                                                                       \
  {                                                                                                \
    "hotset:blocks=12,steps=8,footprint=4M,hot=64K", "stream:blocks=12,steps=6,footprint=1M",      \
        "chase:blocks=4,steps=4,footprint=1M"                                                      \
  }

#define WINDOWS "sample.skip=3000 sample.warm=500 sample.measure=500 sample.windows=4 "

static const net_case_t features[] = {
    {"paging-gpu-mmu", "maxwell", "gpu-mmu", PAGED, {WIDE4, HOTSET}, ONCE},
    {"paging-mosaic", "maxwell", "mosaic", PAGED, {WIDE4, HOTSET}, ONCE},
    {"paging-large", "maxwell", "gpu-mmu-2m", PAGED, {WIDE4, HOTSET}, ONCE},
    {"paging-64k", "maxwell", "gpu-mmu", PAGED "mem.page=64K", {WIDE4, HOTSET}, ONCE},
    {"paging-integrated", "integrated", "native", PAGED, {HOTSET}, ONCE},
    {"paging-v100", "v100", "native", PAGED, {WIDE4, HOTSET}, ONCE},
    {"paging-block", "maxwell", "gpu-mmu", PAGED "mem.prefetch=block", {WIDE4, HOTSET}, ONCE},
    {"paging-tree", "maxwell", "mosaic", PAGED "mem.prefetch=tree", {WIDE4, HOTSET}, ONCE},
    {"paging-evict-lru",
     "maxwell",
     "gpu-mmu",
     PAGED "mem.bytes=8M mem.evict=lru mem.faults=8",
     {WIDE, HOTSET},
     ONCE},
    {"paging-evict-tree",
     "maxwell",
     "mosaic",
     PAGED "mem.bytes=8M mem.evict=tree mem.prefetch=tree mem.faults=3",
     {WIDE, HOTSET},
     ONCE},
    {"paging-evict-large",
     "maxwell",
     "gpu-mmu-2m",
     PAGED "mem.bytes=8M mem.evict=lru",
     {WIDE, HOTSET},
     ONCE},
    {"paging-turns", "maxwell", "timeslice", PAGED "share.quantum=2000", {WIDE4, HOTSET}, ONCE},
    {"paging-coloured", "gtx1080", "cmp", PAGED, {WIDE4, HOTSET}, ONCE},
    {"compaction", "maxwell", "mosaic", MOVES "mem.cac=cac", {"mover", "taker"}, ONCE},
    {"compaction-bulk", "maxwell", "mosaic", MOVES "mem.cac=cac-bc", {"mover", "taker"}, ONCE},
    {"compaction-ideal", "maxwell", "mosaic", MOVES "mem.cac=ideal", {"mover", "taker"}, ONCE},
    {"compaction-none",
     "maxwell",
     "mosaic",
     MOVES "mem.bytes=16M mem.cac=none",
     {"mover", "taker"},
     ONCE},
    {"compaction-frames",
     "maxwell",
     "mosaic",
     MOVES "mem.bytes=32M map.kind=frame dram.channels=4",
     {"mover", "taker"},
     ONCE},
    {"compaction-turns",
     "maxwell",
     "mosaic",
     MOVES "share.mode=time share.quantum=500",
     {"mover", "taker"},
     ONCE},
    {"fragmented", "maxwell", "mosaic",
     "gpu.sms=4 mem.bytes=256M mem.fragment_index=90 mem.fragment_occupancy=25", PAIR, SHORT},
    {"mapped", "maxwell", "sharedtlb", "gpu.sms=2", {"host-memory", "stream:footprint=1M"}, ONCE},
    {"mapped-mosaic", "maxwell", "mosaic", "gpu.sms=2", {"host-memory", HOTSET}, ONCE},
    {"mapped-paged", "maxwell", "mosaic", PAGED, {"host-memory", HOTSET}, ONCE},
    {"mapped-large", "maxwell", "gpu-mmu-2m", "gpu.sms=2", {"host-memory"}, ONCE},
    {"mapped-v100", "v100", "native", "gpu.sms=2", {"host-memory", HOTSET}, ONCE},
    {"mapped-turns", "maxwell", "timeslice", TURN, {"host-memory", HOTSET}, ONCE},
    {"turns-state", "maxwell", "timeslice", TURN "share.cost=state", TRIO, ONCE},
    {"turns-fixed", "maxwell", "timeslice", TURN "share.cost=fixed share.switch=50", TRIO, ONCE},
    {"turns-warm", "maxwell", "timeslice", TURN "share.flush_l1=false share.flush_tlbs=false", TRIO,
     ONCE},
    {"turns-volta", "v100", "native", TURN "share.mode=time share.cost=fixed", TRIO, ONCE},
    {"threads", "maxwell", "mps", "gpu.sms=3", TRIO, SHORT},
    {"threads-percent", "v100", "mps", "gpu.sms=4 share.threads=25", TRIO, SHORT},
    {"partition-static", "maxwell", "static", "gpu.sms=6", TRIO, SHORT},
    {"partition-sms", "v100", "cp", "gpu.sms=6", TRIO, SHORT},
    {"partition-colours", "gtx1080", "cmp", "gpu.sms=4 mem.colours=0;1", PAIR, SHORT},
    {"partition-tables", "gtx1080", "cmp", "gpu.sms=4 mem.colour_tables=false", PAIR, SHORT},
    {"near-far", "maxwell", "sharedtlb", SMALL "noc.partitions=2 noc.link=40", PAIR, SHORT},
    {"near-far-queues", "qv100", "native",
     "gpu.sms=6 noc.partitions=3 noc.far=20 noc.link=16 noc.walker=2", TRIO, SHORT},
    {"near-far-pwc", "maxwell", "pwcache", SMALL "noc.partitions=2 noc.far=9 walk.hop=3", PAIR,
     SHORT},
    {"observed", "maxwell", "pwcache",
     "gpu.sms=2 run.series=500 observe.walks=6 observe.pages=true observe.memory=true", PAIR,
     SHORT},
    {"epochs-mask", "maxwell", "mask",
     SMALL "run.epoch=500 run.series=500 l2bypass.sample=2 l2bypass.min_looks=4", PAIR, SHORT},
    {"epochs-mosaic-mask", "maxwell", "mosaic+mask", SMALL "run.epoch=500", PAIR, SHORT},
    {"peers-neidty", "gem5-16", "neidty", SMALL "l1tlb.ways=8 peer.tag_bits=6 peer.oracle=true",
     PAIR, SHORT},
    {"peers-valkyrie", "gem5-16", "valkyrie", SMALL "l1tlb.ways=8 peer.prefetch=true", PAIR, SHORT},
    {"guesses", "maxwell", "avatar", SMALL "mem.manager=mosaic", PAIR, SHORT},
    {"guesses-wrong", "maxwell", "avatar", SMALL "cast.confidence=1", PAIR, SHORT},
    {"ideal-walks", "maxwell", "sharedtlb", SMALL "walk.fixed=150", PAIR, SHORT},
    {"no-tlbs", "maxwell", "sharedtlb", "gpu.sms=2 tlb.levels=0", PAIR, SHORT},
    {"four-levels", "k80", "native", SMALL "tlb.levels=4 l4tlb.entries=256", PAIR, SHORT},
    {"lrr-fifo", "maxwell", "sharedtlb",
     SMALL "sm.scheduler=lrr l1tlb.replacement=fifo l2tlb.replacement=random "
           "l1d.replacement=random l2.replacement=fifo",
     PAIR, SHORT},
    {"fcfs-closed", "maxwell", "sharedtlb", SMALL "dram.scheduler=fcfs dram.closed_row=true", PAIR,
     SHORT},
    {"refresh", "qv100", "native", "gpu.sms=4 dram.trefi=1000 dram.trfc=80", PAIR, SHORT},
    {"disabled-sms", "p100", "native", "gpu.disabled=3 gpu.swapped=1", PAIR, SHORT},
    {"one-warp",
     "maxwell",
     "sharedtlb",
     "noc.latency=1000",
     {"chase:blocks=1,warps=1,footprint=64M"},
     .limits = {.cycles = 20000}},
    {"relaunch",
     "maxwell",
     "sharedtlb",
     "gpu.sms=3 gpu.launch=37",
     {"compute:blocks=2,steps=4", HOTSET},
     .limits = {.min_cycles = CYCLES}},
    {"beside",
     "maxwell",
     "sharedtlb",
     "gpu.sms=3",
     {HOTSET, "stream:footprint=2M"},
     .limits = {.wait_for = 1}},
    {"instructions", "maxwell", "sharedtlb", "gpu.sms=3", PAIR, .limits = {.instructions = 3000}},
    {"windows",
     "maxwell",
     "sharedtlb",
     WINDOWS "gpu.sms=4",
     {"gather:footprint=16M,steps=64"},
     ONCE},
    {"windows-drawn",
     "rtx2060",
     "native",
     WINDOWS "sample.skip=20000 sample.warm=2000 sample.measure=4000 sample.seed=1",
     {"gather:footprint=64M,steps=64"},
     ONCE},
};

/* Options that are at their default cancel out, so that a new one changes nothing. */
static uint64_t options_digest(const gpu_spec_t *spec) {
  uint64_t digest = 0;
  gpu_spec_t standard;
  gpu_spec_init(&standard);
  for (int i = 0; i < 2; i++) {
    json_t j;
    json_init(&j);
    gpu_config_json(i ? &standard : spec, &j);
    uint64_t d = net_digest(strbuf_text(&j.out));
    digest += i ? -d : d;
    json_fini(&j);
  }
  return digest;
}

static void add_limits(uint64_t *what, const gpu_limits_t *l) {
  char text[128];
  snprintf(text, sizeof text, "%llu %llu %llu %u %d", (unsigned long long)l->cycles,
           (unsigned long long)l->instructions, (unsigned long long)l->min_cycles, l->wait_for,
           l->no_relaunch);
  *what += digest_text(text);
}

/* ---- running ----------------------------------------------------------------------------------
 */

/* Runs what was built. */
static void measure(net_t *n, net_row_t *row, gpu_t *g, const gpu_limits_t *limits) {
  err_t e = {0};
  int rc = gpu_run(g, limits, HANG_CYCLES, &e);
  if (rc <= 0) fail_msg("%s: %s", row->name, rc < 0 ? e.text : "hangs");
  gpu_settle(g);
  char *text = stats_text(g);
  net_json(n, row, text);
  snprintf(row->shown, sizeof row->shown, "%8llu %8llu %8llu", (unsigned long long)gpu_cycles(g),
           (unsigned long long)gpu_instructions(g), (unsigned long long)gpu_requests(g));
  free(text);
}

static source_t *open_program(const char *text) {
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, text) == 0) return script_source(programs[i].make());
  return generator(text);
}

static void build_and_measure(net_t *n, net_row_t *row, const gpu_spec_t *spec,
                              const char *const app[4], const gpu_limits_t *limits) {
  app_spec_t apps[4] = {0};
  uint32_t count = 0;
  gpu_t *g;
  err_t e = {0};
  row->what = options_digest(spec);
  add_limits(&row->what, limits);
  for (; count < 4 && app[count]; count++) {
    apps[count] = (app_spec_t){.name = "app", .source = open_program(app[count])};
    row->what += (count + 1) * digest_text(app[count]);
  }
  int rc = gpu_new(spec, apps, count, &g, &e);
  /* A GPU may lack what a design needs: page colours, say. */
  if (rc < 0 && (rc != GMMU_ERANGE || !strchr(row->name, '/')))
    fail_msg("%s: %s: %s", row->name, e.key, e.text);
  if (rc == 0) measure(n, row, g, limits), gpu_free(g);
  for (uint32_t a = 0; a < count; a++) apps[a].source->ops->free(apps[a].source);
}

static void load(gpu_spec_t *spec, const char *gpu, const char *design) {
  err_t e = {0};
  gpu_spec_init(spec);
  if (gpu_spec_load(spec, "gpu", gpu, &e) < 0) fail_msg("%s: %s", gpu, e.text);
  if (gpu_spec_load(spec, "design", design, &e) < 0) fail_msg("%s: %s", design, e.text);
}

/* Chips of today, which have the manager mixed, take long to build. */
static bool is_mixed(const char *gpu) {
  gpu_spec_t spec;
  load(&spec, gpu, "native");
  return strcmp(spec.memory.manager, "mixed") == 0;
}

/* Epochs, points of the series and turns are so short that there are several. */
static void run_preset(net_t *n, const char *gpu, const char *design) {
  static const char *const app[4] = {"hotset:footprint=64M,hot=2M", "stream:footprint=8M"};
  const gpu_limits_t limits = {.cycles = CYCLES};
  char name[64];
  gpu_spec_t spec;
  snprintf(name, sizeof name, "%s/%s", gpu, design);
  net_row_t *row = net_add(n, name);
  if (!row) return;
  load(&spec, gpu, design);
  setn(&spec, "run.epoch", CYCLES / 4), setn(&spec, "run.series", CYCLES / 4);
  setn(&spec, "share.quantum", CYCLES / 5), set(&spec, "share.cost", "fixed");
  build_and_measure(n, row, &spec, app, &limits);
}

/* Every GPU under every design; of the chips of today, each under a few, so that every design is
 * run on one of them: designs are dealt out to chips by turns. If dealt, also to the other GPUs. */
static void run_presets(net_t *n) {
  uint32_t count[2] = {0}, index[2] = {0}; /* of other GPUs, of chips */
  for (const preset_t *p = preset_all; p->name; p++)
    if (!strcmp(p->kind, "gpu")) count[is_mixed(p->name)]++;
  for (const preset_t *p = preset_all; p->name; p++) {
    if (strcmp(p->kind, "gpu")) continue;
    bool mixed = is_mixed(p->name);
    uint32_t turn = 0;
    for (const preset_t *d = preset_all; d->name; d++) {
      if (strcmp(d->kind, "design")) continue;
      if ((!mixed && !n->dealt) || turn % count[mixed] == index[mixed])
        run_preset(n, p->name, d->name);
      turn++;
    }
    index[mixed]++;
  }
}

static void set_all(gpu_spec_t *spec, const char *options) {
  char text[512], *save = NULL;
  snprintf(text, sizeof text, "%s", options);
  for (char *o = strtok_r(text, " ", &save); o; o = strtok_r(NULL, " ", &save)) {
    char *equals = strchr(o, '=');
    *equals = 0;
    set(spec, o, equals + 1);
  }
}

static void run_features(net_t *n) {
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    const net_case_t *c = &features[i];
    gpu_spec_t spec;
    net_row_t *row = net_add(n, c->name);
    if (!row) continue;
    load(&spec, c->gpu, c->design);
    set_all(&spec, c->options);
    build_and_measure(n, row, &spec, c->app, &c->limits);
  }
}

static void run_random(net_t *n) {
  static random_machine_t m; /* large */
  for (uint64_t i = 0; i < MACHINES; i++) {
    char name[64];
    app_spec_t apps[4] = {0};
    gpu_t *g;
    err_t e = {0};
    snprintf(name, sizeof name, "machine-%llu", (unsigned long long)i);
    net_row_t *row = net_add(n, name);
    if (!row) continue;
    random_machine_init(&m, 1, i);
    for (uint32_t a = 0; a < m.apps; a++)
      apps[a] = (app_spec_t){.name = "app", .source = random_machine_source(&m, a)};
    row->what = digest_text(strbuf_text(&m.text)) ^ m.rng.s;
    add_limits(&row->what, &m.limits);
    if (gpu_new(&m.spec, apps, m.apps, &g, &e) == 0) {
      random_machine_policies(&m, g);
      measure(n, row, g, &m.limits);
      gpu_free(g);
    }
    for (uint32_t a = 0; a < m.apps; a++) apps[a].source->ops->free(apps[a].source);
    random_machine_fini(&m);
  }
}

static void run_options(net_t *n) {
  gpu_spec_t spec;
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_init(&spec);
  gpu_spec_groups(&spec, groups);
  for (const opt_group_t *g = groups; g->prefix; g++)
    for (const opt_t *o = g->opts; o->name; o++) {
      char key[64], value[64];
      snprintf(key, sizeof key, "%s.%s", g->prefix, o->name);
      net_row_t *row = net_add(n, key);
      if (!row) continue;
      assert_true(opt_get(groups, key, value, sizeof value) >= 0);
      row->result = digest_leaf(key, value);
      snprintf(row->shown, sizeof row->shown, "%s", value);
    }
}

int main(int argc, char **argv) {
  static const net_part_t parts[] = {{"presets", run_presets},
                                     {"features", run_features},
                                     {"random", run_random},
                                     {"options", run_options},
                                     {NULL, NULL}};
  return net_main(argc, argv, parts);
}
