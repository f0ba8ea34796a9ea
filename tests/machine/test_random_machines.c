/* Random small machines with every check on. Whatever their shape: a run ends, every request
 * finishes, what was counted adds up, no translation is wrong, the same instructions are executed
 * as on a plain machine, and running in pieces gives the same bytes as running in one go.
 *
 * Machine n of seed s is always the same: GMMU_SEED=s GMMU_MACHINE=n repeats one alone.
 * GMMU_MACHINES says how many (the first argument, if given, is the default). With GMMU_DIGEST set,
 * the last line has a digest of all statistics: every build must print the same. */
#include "base/rng.h"
#include "base/strbuf.h"
#include "help.h"
#include "policies.h"

#define HANG_CYCLES                                                                                \
  3000000u                 /* without an instruction: far more than the slowest walk queue takes */
#define REGION    (2 * MB) /* what a random script may touch */
#define MAX_OPS   12
#define MAX_PROGS 3

typedef struct {
  script_op_t op[MAX_PROGS][MAX_OPS];
  program_t program[MAX_PROGS];
  script_spec_t spec;
} random_script_t;

typedef struct {
  rng_t rng;
  strbuf_t text; /* what it is, to repeat it */
  gpu_spec_t spec;
  gpu_limits_t limits;
  uint32_t apps;
  uint32_t peers, fill;      /* 0: the product's; 1, 2: the tests' */
  l2_decision_t data, walks; /* of the tests' L2 policy */
  bool scripted[4];
  char gen[4][200];
  random_script_t script[4];
} case_t;

/* One draw per expression: compilers may take the operands of one in any order. */
static uint32_t below(case_t *c, uint32_t n) { return rng_below(&c->rng, n); }
static bool chance(case_t *c, uint32_t percent) { return below(c, 100) < percent; }

/* ---- choosing ---------------------------------------------------------------------------------
 */

static void put(case_t *c, const char *key, const char *value) {
  strbuf_printf(&c->text, " %s=%s", key, value);
  set(&c->spec, key, value);
}
static void putn(case_t *c, const char *key, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  put(c, key, text);
}
/* One of the blank-separated words; returns it as a number, if it is one. */
static uint64_t choose(case_t *c, const char *key, const char *words) {
  char copy[128], *word[16];
  uint32_t n = 0;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) word[n++] = w;
  const char *chosen = word[below(c, n)];
  put(c, key, chosen);
  return strtoull(chosen, NULL, 10);
}

static void choose_sm(case_t *c) {
  uint64_t sms = choose(c, "gpu.sms", "1 1 2 3 4 6");
  choose(c, "gpu.clock", "1000 1020 700");
  choose(c, "gpu.launch", "0 0 1 37 6000");
  choose(c, "sm.warps", "2 4 7 16 64");
  choose(c, "sm.blocks", "1 2 8 32");
  choose(c, "sm.schedulers", "1 2 3 4");
  choose(c, "sm.scheduler", "gto lrr");
  choose(c, "sm.int_latency", "1 6 60");
  choose(c, "sm.branch_latency", "1 6");
  choose(c, "sm.shared_latency", "1 24 60");
  choose(c, "sm.int_interval", "1 1 2 16");
  choose(c, "sm.fp64_interval", "1 16 60");
  choose(c, "sm.lsu_latency", "1 4");
  choose(c, "sm.lsu_queue", "1 2 8");
  choose(c, "sm.lsu_loads", "1 2 5 256");
  choose(c, "sm.lsu_lines", "33 40 100 2048");
  c->apps = 1 + below(c, sms < 4 ? (uint32_t)sms : 4);
}

static void choose_tlb(case_t *c, uint32_t level) {
  char key[4][32];
#define KEY(i, name) (snprintf(key[i], sizeof key[i], "l%utlb.%s", level + 1, name), key[i])
  uint64_t ways = choose(c, KEY(0, "ways"), "1 2 3 4 20");
  putn(c, KEY(0, "entries"), ways << below(c, 4));
  if (chance(c, 30)) put(c, KEY(0, "ways"), "0");
  putn(c, KEY(0, "large_entries"), below(c, 2) * 4);
  choose(c, KEY(0, "large_ways"), "0 1 2 4");
  choose(c, KEY(0, "reach"), "1 1 2 4 32");
  choose(c, KEY(0, "hash"), "true false");
  choose(c, KEY(0, "ports"), "0 1 1 2");
  choose(c, KEY(0, "latency"), "0 1 1 10");
  if (level) choose(c, KEY(0, "hop"), "0 3"); /* the first level is in the SM */
  choose(c, KEY(0, "mshrs"), "1 1 2 3 8 64");
  choose(c, KEY(0, "group"), level ? "0 0 1 2 3" : "1 1 1 2 3 0");
  choose(c, KEY(0, "replacement"), "lru fifo random");
  choose(c, KEY(0, "victims"), "0 0 1 3 8");
  choose(c, KEY(0, "whole"), "true false");
  choose(c, KEY(0, "fold"), "true false false");
  if (level) choose(c, KEY(0, "deal"), "0 0 0 1 3");
#undef KEY
}

static void choose_translation(case_t *c) {
  uint64_t levels = choose(c, "tlb.levels", "0 1 1 2 2 2 3 4");
  put(c, "tlb.ideal", chance(c, 8) ? "true" : "false");
  for (uint32_t l = 0; l < levels; l++) choose_tlb(c, l);
  choose(c, "gpu.disabled", "0 0 1 6 40");
  choose(c, "tlb.fill", "all all tokens");
  choose(c, "tokens.initial", "1 50 80");
  choose(c, "tokens.band", "0 2");
  choose(c, "tokens.step", "1 10 50");
  choose(c, "tokens.climb", "true false");
  choose(c, "tokens.buffer", "0 1 4 32");
  choose(c, "walk.threads", "1 2 8 64");
  choose(c, "walk.fixed", "0 0 0 1 150 600");
  choose(c, "walk.hop", "0 2");
  if (chance(c, 50)) return;
  put(c, "walk.pwc", "true");
  choose(c, "walk.pwc_leaf", "true false");
  uint64_t line = choose(c, "walk.pwc_line", "8 16 64 128"),
           ways = choose(c, "walk.pwc_ways", "1 2 4");
  uint64_t bytes = line * ways << below(c, 4);
  if (bytes < 64) bytes = line * ways * (64 / (line * ways));
  putn(c, "walk.pwc_bytes", bytes);
  choose(c, "walk.pwc_latency", "0 10");
  choose(c, "walk.pwc_replacement", "lru fifo");
}

static void choose_caches(case_t *c) {
  uint64_t line = choose(c, "gpu.line", "64 128 128 256"), unit = line < 128 ? 128 : line;
  uint64_t ways = choose(c, "l1d.ways", "1 2 4 6");
  putn(c, "l1d.bytes", unit * ways * (4u << below(c, 4)));
  choose(c, "l1d.latency", "1 1 30 100");
  choose(c, "l1d.ports", "1 2");
  choose(c, "l1d.mshrs", "1 1 2 3 16 64");
  choose(c, "l1d.merges", "1 1 2 64");
  choose(c, "l1d.flush_at_launch", "true false");
  choose(c, "l1d.replacement", "lru fifo random");
  choose(c, "noc.flit", "8 32 256");
  choose(c, "noc.header", "0 8 64");
  choose(c, "noc.latency", "0 1 8 100");
  choose(c, "noc.buffer", "1 2 64");
  uint64_t channels = choose(c, "dram.channels", "1 1 2 3");
  uint64_t slices = choose(c, "l2.slices", "1 1 2 4");
  ways = choose(c, "l2.ways", "1 2 3 16");
  putn(c, "l2.bytes", unit * ways * slices * channels * (32u << below(c, 4)));
  choose(c, "l2.latency", "1 10 100");
  choose(c, "l2.ports", "1 2");
  choose(c, "l2.mshrs", "1 1 2 3 128");
  choose(c, "l2.merges", "1 1 2 64");
  choose(c, "l2.dram_hop", "0 0 5");
  choose(c, "l2.replacement", "lru fifo random");
  choose(c, "l2.policy", "all all walk-bypass");
  choose(c, "l2bypass.sample", "1 2 32");
  choose(c, "l2bypass.min_looks", "1 10");
  choose(c, "l2bypass.joined", "true false");
}

static void choose_dram(case_t *c) {
  static const char *const bursts[][2] = {
      {"4", "8"}, {"8", "8"}, {"8", "4"}, {"16", "2"}, {"16", "8"}}; /* the last: 128 bytes */
  const char *const *b = bursts[below(c, c->spec.core.line_bytes < 128 ? 4 : 5)];
  choose(c, "map.kind", "fine frame");
  choose(c, "map.bank_xor", "true false");
  if (c->apps <= c->spec.dram.channels && chance(c, 30)) put(c, "map.partition", "true");
  put(c, "dram.bus_bytes", b[0]), put(c, "dram.burst_length", b[1]);
  choose(c, "dram.banks", "1 2 8 32");
  choose(c, "dram.row_bytes", "256 1024 2048");
  choose(c, "dram.clock_mhz", "500 1000 1020 1674 3000");
  choose(c, "dram.data_rate", "2 4");
  choose(c, "dram.queue", "1 2 16 64");
  uint64_t writes = choose(c, "dram.write_queue", "1 2 16 64");
  uint64_t high = 1 + below(c, (uint32_t)writes);
  putn(c, "dram.write_high", high);
  putn(c, "dram.write_low", below(c, (uint32_t)high));
  choose(c, "dram.scheduler", "frfcfs frfcfs fcfs mask mask");
  choose(c, "dram.closed_row", "true false");
  choose(c, "dram.dual_command", "true false");
  if (chance(c, 25)) put(c, "dram.trefi", "1000"), put(c, "dram.trfc", "80");
}

static void choose_memory(case_t *c) {
  choose(c, "mem.manager", "gpu-mmu large-only mosaic");
  uint64_t page = choose(c, "mem.page", "4K 4K 64K 2M");
  choose(c, "mem.level_bits", page == 4 ? "9 9 8" : "9 9 7 12");
  put(c, "mem.bytes", "128M");
  if (strcmp(c->spec.memory.manager, "mosaic") == 0 && page != 2) {
    choose(c, "mem.fragment_index", "0 90 100");
    choose(c, "mem.cac", "none cac cac-bc ideal");
  }
  choose(c, "run.series", "100 1000 10000");
  choose(c, "run.epoch", "100 7777");
}

static uint32_t log2_of(uint32_t x) { return (uint32_t)__builtin_ctz(x); }

/* Functions of log2(n) bits of a number, each with a bit that no other function has, so that all of
 * them are independent. `pivots`: those bits that are still free, from `lowest` on. */
static void random_functions(case_t *c, uint32_t n, uint32_t lowest, uint32_t *pivots,
                             strbuf_t *out) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t bit = lowest + below(c, 27 - lowest);
    while (!(*pivots >> bit & 1)) bit = bit < 26 ? bit + 1 : log2_of(c->spec.core.line_bytes);
    *pivots &= ~(1u << bit);
    strbuf_printf(out, "%s%u", strbuf_text(out)[0] ? ";" : "", bit);
  }
}

/* Every function gets some of the bits that are nobody's own. */
static void mix(case_t *c, uint32_t lowest, uint32_t others, strbuf_t *functions) {
  strbuf_t out;
  strbuf_init(&out);
  for (const char *p = strbuf_text(functions); *p; p++) {
    if (*p != ';' && (p[1] == ';' || !p[1])) {
      strbuf_printf(&out, "%c", *p);
      for (uint32_t bit = lowest; bit < 27; bit++)
        if ((others >> bit & 1) && chance(c, 40)) strbuf_printf(&out, " %u", bit);
    } else {
      strbuf_printf(&out, "%c", *p);
    }
  }
  strbuf_fini(functions);
  *functions = out;
}

/* Modules, banks and sets by XORs of bits; often all of a module's bits are above those of a small
 * page, so that there are colours. */
static void choose_hash(case_t *c) {
  uint64_t channels = choose(c, "dram.channels", "1 2 4 4 8"), line = c->spec.core.line_bytes;
  put(c, "map.kind", "hash"), put(c, "l2.slices", "1"), put(c, "mem.bytes", "128M");
  putn(c, "l2.bytes",
       (line < 128 ? 128 : line) * c->spec.l2.ways * channels * (32u << below(c, 3)));
  uint32_t shift = log2_of((uint32_t)line), lowest = chance(c, 75) ? 12 : shift;
  uint32_t sets = l2_sets(&c->spec.l2, (uint32_t)channels, (uint32_t)line);
  uint32_t pivots = (1u << 27) - (1u << shift);
  strbuf_t module, bank, set;
  strbuf_init(&module), strbuf_init(&bank), strbuf_init(&set);
  random_functions(c, log2_of((uint32_t)channels), lowest, &pivots, &module);
  random_functions(c, log2_of(c->spec.dram.banks), shift, &pivots, &bank);
  random_functions(c, log2_of(sets), shift, &pivots, &set);
  mix(c, lowest, pivots, &module), mix(c, shift, pivots, &bank);
  mix(c, shift, pivots, &set);
  const char *m = strbuf_text(&module), *semicolon = *m ? ";" : "";
  char text[2048];
  if (chance(c, 50)) put(c, "map.module", m);
  snprintf(text, sizeof text, "%s%s%s", m, c->spec.dram.banks > 1 ? semicolon : "",
           strbuf_text(&bank));
  put(c, "map.bank", text);
  snprintf(text, sizeof text, "%s%s%s", strbuf_text(&set), sets > 1 ? semicolon : "", m);
  put(c, "map.set", text);
  strbuf_fini(&module), strbuf_fini(&bank), strbuf_fini(&set);
}

/* The colours of each application, at random: some have one in common. */
static void choose_colours(case_t *c) {
  char text[128] = "";
  put(c, "mem.manager", "coloured"), put(c, "mem.page", "4K"), put(c, "mem.level_bits", "9");
  choose(c, "mem.colour_tables", "true false");
  if (c->spec.dram.channels < 4 || chance(c, 70)) return;
  for (uint32_t a = 0; a < c->apps; a++) {
    uint32_t colour = below(c, 3);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u %u", a ? ";" : "", colour,
             colour + 1);
  }
  put(c, "mem.colours", text);
}

/* Pages that come over the link, sometimes into a memory that is too small for them all. */
static void choose_paging(case_t *c) {
  if (!c->spec.tlb.levels || !chance(c, 40)) return;
  put(c, "mem.paging", "demand");
  choose(c, "mem.faults", "1 2 3 16 256");
  choose(c, "mem.prefetch", "none none block tree");
  choose(c, "link.fault", "0 1 100 5000 54500");
  choose(c, "link.bandwidth", "8000 20000 1000000");
  choose(c, "mem.shootdown", "0 1 200");
  choose(c, "mem.evict", "none lru tree");
  if (strcmp(c->spec.memory.evict, "none") == 0) return;
  put(c, "mem.fragment_index", "0");
  if (strcmp(c->spec.map.kind, "hash") == 0) return; /* it fits one size of memory */
  bool small = c->spec.memory.base_bytes == 4096,
       large = strcmp(c->spec.memory.manager, "large-only") == 0;
  choose(c, "mem.bytes", !small ? "32M" : large ? "6M 32M" : "2M 4M 4M 32M");
}

/* ---- programs ---------------------------------------------------------------------------------
 */

static uint32_t random_mask(case_t *c) {
  static const uint32_t masks[] = {ALL_LANES, ALL_LANES, ALL_LANES, 1, 0xff, 0x80000000u, 0};
  uint32_t i = below(c, 9);
  return i < 7 ? masks[i] : (uint32_t)rng_next(&c->rng);
}

static script_op_t random_access(case_t *c) {
  static const uint8_t kind[] = {IC_LOAD, IC_LOAD, IC_LOAD, IC_STORE, IC_STORE, IC_ATOMIC};
  static const int32_t strides[] = {0, 4, 4, 4, 8, 64, 128, 4096, 8192, -4, -4096};
  script_op_t o = {.inst = {.cls = kind[below(c, 6)], .dst = R_NO}};
  inst_t *in = &o.inst;
  in->width = (uint8_t)(1u << below(c, 5));
  in->space = chance(c, 10) ? SPACE_LOCAL : SPACE_GLOBAL;
  in->flags = chance(c, 20) ? INST_BYPASS_L1 : 0;
  uint32_t answered = in->cls == IC_LOAD ? 90 : in->cls == IC_ATOMIC ? 70 : 0;
  if (chance(c, answered)) { /* the others are prefetches, reductions and stores */
    in->dst = (uint8_t)below(c, 8);
    in->dsts = 1;
  }
  o.mask = random_mask(c);
  o.stride = strides[below(c, 11)] / in->width * in->width;
  if (chance(c, 40)) o.stride = in->width;
  o.va = VA + REGION / 4 + (below(c, (uint32_t)(REGION / 8)) & ~15u);
  o.per_warp = below(c, 4) * 4096u;
  o.per_warp += below(c, 2) * 128u;
  o.per_turn = below(c, 3) * 4096u;
  o.per_turn += below(c, 3) * 32u;
  return o;
}

static script_op_t random_op(case_t *c, bool barriers) {
  static const uint8_t units[] = {IC_INT, IC_FP32, IC_FP64, IC_SFU, IC_BRANCH, IC_FENCE};
  if (barriers && chance(c, 15)) return (script_op_t)BARRIER(0, 0);
  if (chance(c, 60)) return random_access(c);
  uint8_t dst = (uint8_t)below(c, 8), cls = units[below(c, 6)];
  int64_t stride = 4 << below(c, 6);
  if (chance(c, 15)) return (script_op_t)SHARED(dst, R_NO, stride, 4);
  if (chance(c, 10)) return (script_op_t)CONSTANT(dst, R_NO);
  if (cls >= IC_BRANCH) return (script_op_t)UNIT(cls, R_NO, R_NO);
  return (script_op_t)UNIT(cls, dst, R_NO);
}

static void random_script(case_t *c, uint32_t app) {
  random_script_t *s = &c->script[app];
  uint32_t programs = 1 + below(c, MAX_PROGS), blocks = 1 + below(c, 5);
  uint32_t warps = 1 + below(c, c->spec.sm.warps < 4 ? c->spec.sm.warps : 4);
  for (uint32_t p = 0; p < programs; p++) {
    uint32_t n = 1 + below(c, MAX_OPS);
    for (uint32_t i = 0; i < n; i++) {
      s->op[p][i] = random_op(c, programs == 1);
      for (uint32_t k = 0; k < 4; k++) s->op[p][i].inst.src[k] = R_NO;
      if (chance(c, 60)) s->op[p][i].inst.src[0] = (uint8_t)below(c, 8);
    }
    uint32_t turns = 1 + below(c, 6);
    s->program[p] = (program_t){s->op[p], n, turns};
  }
  static const script_command_t twice[] = {{CMD_ALLOC, VA, REGION},      {CMD_LAUNCH, 0, 0},
                                           {CMD_ALLOC, VA + REGION, MB}, {CMD_FREE, VA, 0},
                                           {CMD_ALLOC, VA, REGION},      {CMD_LAUNCH, 0, 0}};
  s->spec = (script_spec_t){.program = s->program,
                            .programs = programs,
                            .blocks = blocks,
                            .warps = warps,
                            .va = VA,
                            .bytes = REGION};
  if (chance(c, 40)) s->spec.command = twice, s->spec.commands = 6;
  strbuf_printf(&c->text, "\n  app %u: script", app);
}

static void random_generator(case_t *c, uint32_t app) {
  static const char *const form[] = {
      "stream:footprint=%uK", "stride:footprint=%uK,lane=32", "chase:footprint=%uK,lanes=%u",
      "gather:footprint=%uK", "hotset:footprint=%uK,hot=2K",  "tiled2d:footprint=%uK,pitch=1K",
      "compute:footprint=%uK"};
  uint32_t most = c->spec.sm.warps < 4 ? c->spec.sm.warps : 4, kind = below(c, 7);
  uint32_t size = 64u << below(c, 5), lanes = 1 + below(c, 32);
  uint32_t blocks = 1 + below(c, 6), warps = 1 + below(c, most), steps = 1 + below(c, 6);
  uint32_t arith = 1 + below(c, 4), launches = 1 + below(c, 2), seed = below(c, 1000);
  char head[64];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(head, sizeof head, form[kind], size, lanes);
#pragma GCC diagnostic pop
  snprintf(c->gen[app], sizeof c->gen[app],
           "%s,blocks=%u,warps=%u,steps=%u,arith=%u,launches=%u,seed=%u", head, blocks, warps,
           steps, arith, launches, seed);
  strbuf_printf(&c->text, "\n  app %u: %s", app, c->gen[app]);
}

static void choose_programs(case_t *c) {
  for (uint32_t a = 0; a < c->apps; a++) {
    c->scripted[a] = chance(c, 50);
    if (c->scripted[a])
      random_script(c, a);
    else
      random_generator(c, a);
  }
  c->limits.no_relaunch = chance(c, 75);
  if (c->limits.no_relaunch) return;
  if (chance(c, 40)) c->limits.cycles = 1 + below(c, 20000);
  if (chance(c, 40)) c->limits.instructions = 1 + below(c, 3000);
}

/* Turns, most of them short, so that they end everywhere. */
static void choose_sharing(case_t *c) {
  uint32_t how = below(c, 100);
  if (how >= 60) return;
  put(c, "share.mode", how < 30 ? "time" : "threads");
  choose(c, "share.threads", "0 0 1 30 50 100");
  choose(c, "share.quantum", "1 20 100 333 1000 5000 100000");
  choose(c, "share.cost", "state fixed");
  choose(c, "share.switch", "0 1 50 7000");
  choose(c, "share.flush_l1", "true false");
  choose(c, "share.flush_tlbs", "true false");
}

static void choose_peers(case_t *c) {
  choose(c, "tlb.peer", "neidty neidty valkyrie");
  choose(c, "peer.hop", "0 1 1 7");
  choose(c, "peer.ports", "0 1 1 2");
  choose(c, "peer.buffer", "0 1 2");
  choose(c, "peer.directory", "1 3 32");
  choose(c, "peer.tag_bits", "1 3 18");
  choose(c, "peer.directory_latency", "0 1 12");
  choose(c, "peer.update", "default exclusive twice");
  choose(c, "peer.group", "0 1 2 3 16");
  choose(c, "peer.probes", "0 0 1 2");
  choose(c, "peer.prefetch", "true false");
  choose(c, "peer.locality_entries", "1 4 100");
  choose(c, "peer.prefetch_entries", "1 24");
}

static void choose_policies(case_t *c) {
  c->peers = chance(c, 25) ? 1 + below(c, 2) : 0;
  c->fill = chance(c, 25) ? 1 + below(c, 2) : 0;
  if (chance(c, 25)) c->data = (l2_decision_t)below(c, 3), c->walks = (l2_decision_t)below(c, 3);
  if (!c->peers && chance(c, 50)) choose_peers(c);
  if (chance(c, 20)) put(c, "peer.oracle", "true");
  strbuf_printf(&c->text, "\n  peers %u fill %u l2 %u %u", c->peers, c->fill, c->data, c->walks);
}

static void use_policies(const case_t *c, gpu_t *g) {
  if (c->peers) use_left(g, c->peers == 2);
  if (c->fill) use_side(g, c->fill == 2);
  if (c->data || c->walks) use_watch(g, c->data, c->walks);
}

static void case_init(case_t *c, uint64_t seed, uint64_t n) {
  memset(c, 0, sizeof *c);
  c->rng.s = rng_mix(seed * 0x9e3779b97f4a7c15u + n);
  strbuf_init(&c->text);
  gpu_spec_init(&c->spec);
  put(c, "run.check", "true");
  choose_sm(c);
  choose_translation(c);
  choose_caches(c);
  choose_dram(c);
  choose_memory(c);
  if (chance(c, 30)) {
    choose_hash(c);
    if (chance(c, 60)) choose_colours(c);
  }
  choose_paging(c);
  choose_programs(c);
  choose_policies(c);
  choose_sharing(c);
}

/* ---- running ----------------------------------------------------------------------------------
 */

typedef struct {
  const case_t *c;
  uint64_t seed, n;
} where_t;

/* cmocka cuts long messages, and this one must be complete. */
static void wrong(const where_t *w, const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n  repeat with GMMU_SEED=%llu GMMU_MACHINE=%llu\n %s%s%s\n", what, text,
          (unsigned long long)w->seed, (unsigned long long)w->n, strbuf_text(&w->c->text),
          w->c->limits.cycles ? "\n  with a limit on cycles" : "",
          w->c->limits.instructions ? "\n  with a limit on instructions" : "");
  fail_msg("%s", what);
}

static source_t *open_app(const case_t *c, uint32_t a) {
  return c->scripted[a] ? script_source(script_new(&c->script[a].spec, 0)) : generator(c->gen[a]);
}

typedef struct {
  gpu_t *g;
  source_t *src[4];
} run_t;

static bool run_open(run_t *r, const where_t *w, const gpu_spec_t *spec) {
  app_spec_t apps[4] = {0};
  err_t e = {0};
  for (uint32_t a = 0; a < w->c->apps; a++) {
    r->src[a] = open_app(w->c, a);
    apps[a] = (app_spec_t){.name = "x", .source = r->src[a]};
  }
  int rc = gpu_new(spec, apps, w->c->apps, &r->g, &e);
  if (rc < 0 && rc != GMMU_ERANGE && rc != GMMU_EINVAL) wrong(w, "gpu_new", e.text);
  if (rc == 0 && spec == &w->c->spec) use_policies(w->c, r->g);
  return rc == 0;
}

static void run_close(run_t *r, const case_t *c) {
  gpu_free(r->g);
  for (uint32_t a = 0; a < c->apps; a++) r->src[a]->ops->free(r->src[a]);
}

/* In pieces of `piece` cycles. */
static void run_all(run_t *r, const where_t *w, uint64_t piece) {
  err_t e = {0};
  int rc = 0;
  uint64_t issued = 0, since = 0;
  for (uint64_t until = piece; rc == 0; until += piece) {
    rc = gpu_run(r->g, &w->c->limits, until, &e);
    if (gpu_instructions(r->g) != issued) since = until;
    issued = gpu_instructions(r->g);
    if (rc == 0 && until - since > HANG_CYCLES) wrong(w, "gpu_run", "hangs");
  }
  if (rc < 0) wrong(w, "gpu_run", e.text);
  gpu_settle(r->g);
  if (gpu_check(r->g, &e) < 0) wrong(w, "gpu_check", e.text);
}

static void check_leftovers(const where_t *w, const gpu_t *g) {
  uint32_t writes = 0;
  for (uint32_t i = 0; i < g->pool.capacity; i++) writes += g->pool.at[i].kind == REQ_WRITEBACK;
  if (g->pool.used != writes) wrong(w, "end", "requests are still under way");
  if (g->xlat.used || g->walker.active || g->walker.queued)
    wrong(w, "end", "translations are still under way");
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    if (g->sm[i].resident || g->sm[i].lines_used || g->sm[i].loads_used ||
        mshr_used(&g->l1[i].mshr))
      wrong(w, "end", "an SM is not empty");
  for (uint32_t i = 0; i < g->slices; i++)
    if (mshr_used(&g->slice[i].mshr) || g->slice[i].queue.head != REQ_NONE)
      wrong(w, "end", "an L2 slice is not empty");
  mm_usage_t u;
  mm_usage(g->mm, &u);
  if (u.frames != u.free_frames + u.other_frames) wrong(w, "end", "frames were not given back");
}

/* A plain machine executes the same. */
static void check_executed(const where_t *w, const gpu_t *g) {
  gpu_spec_t plain;
  run_t ref;
  gpu_spec_init(&plain);
  setn(&plain, "gpu.sms", w->c->apps), set(&plain, "tlb.levels", "0");
  set(&plain, "mem.bytes", "128M"), set(&plain, "dram.channels", "1"),
      set(&plain, "l2.bytes", "256K");
  setn(&plain, "gpu.line", w->c->spec.core.line_bytes);
  assert_true(run_open(&ref, w, &plain));
  run_all(&ref, w, HANG_CYCLES);
  for (uint32_t a = 0; a < w->c->apps; a++) {
    const sm_stats_t *x = &g->sm_stats[a], *y = &ref.g->sm_stats[a];
    if (x->warp_instructions != y->warp_instructions || x->lines != y->lines ||
        x->thread_instructions != y->thread_instructions || x->loads != y->loads ||
        x->stores != y->stores || x->atomics != y->atomics || x->blocks != y->blocks ||
        x->barriers != y->barriers || x->shared_accesses != y->shared_accesses)
      wrong(w, "end", "not the instructions a plain machine executes");
  }
  run_close(&ref, w->c);
}

static void check_pieces(const where_t *w, const gpu_t *g, uint64_t piece) {
  run_t again;
  char *a = stats_text(g);
  assert_true(run_open(&again, w, &w->c->spec));
  run_all(&again, w, piece);
  char *b = stats_text(again.g);
  if (strcmp(a, b)) wrong(w, "end", "other statistics when run in pieces");
  free(a), free(b);
  run_close(&again, w->c);
}

static void add_digest(uint64_t *digest, const gpu_t *g) {
  char *text = stats_text(g);
  for (const char *p = text; *p; p++) *digest = (*digest ^ (uint8_t)*p) * 0x100000001b3u;
  free(text);
}

/* False if the choices do not make a machine. */
static bool one_machine(uint64_t seed, uint64_t n, uint64_t *digest) {
  static case_t c; /* large */
  case_init(&c, seed, n);
  where_t w = {&c, seed, n};
  run_t r;
  bool made = run_open(&r, &w, &c.spec);
  if (made) {
    run_all(&r, &w, HANG_CYCLES);
    if (digest) add_digest(digest, r.g);
    if (c.limits.no_relaunch) check_leftovers(&w, r.g);
    if (c.limits.no_relaunch) check_executed(&w, r.g);
    if (n % 4 == 0) check_pieces(&w, r.g, 1 + below(&c, 5000));
  }
  run_close(&r, &c);
  strbuf_fini(&c.text);
  return made;
}

static uint64_t from_env(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? strtoull(text, NULL, 0) : otherwise;
}

static void random_machines_keep_every_promise(void **state) {
  uint64_t machines = from_env("GMMU_MACHINES", *(uint64_t *)*state), seed = test_seed(),
           refused = 0;
  uint64_t first = from_env("GMMU_MACHINE", 0), digest = 0xcbf29ce484222325u;
  if (getenv("GMMU_MACHINE") && !getenv("GMMU_MACHINES")) machines = 1;
  for (uint64_t n = first; n < first + machines; n++)
    refused += !one_machine(seed, n, getenv("GMMU_DIGEST") ? &digest : NULL);
  if (getenv("GMMU_DIGEST")) print_message("digest %016llx\n", (unsigned long long)digest);
  if (machines > 20) assert_true(refused < machines / 5);
}

int main(int argc, char **argv) {
  uint64_t machines = argc > 1 ? strtoull(argv[1], NULL, 0) : 150;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(random_machines_keep_every_promise, &machines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
