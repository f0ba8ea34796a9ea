#include "random_machine.h"

/* One draw per expression: compilers may take the operands of one in any order. */
static uint32_t below(random_machine_t *c, uint32_t n) { return rng_below(&c->rng, n); }
static bool chance(random_machine_t *c, uint32_t percent) { return below(c, 100) < percent; }

/* ---- choosing ---------------------------------------------------------------------------------
 */

static void put(random_machine_t *c, const char *key, const char *value) {
  strbuf_printf(&c->text, " %s=%s", key, value);
  set(&c->spec, key, value);
}
static void putn(random_machine_t *c, const char *key, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  put(c, key, text);
}
/* One of the blank-separated words; returns it as a number, if it is one. */
static uint64_t choose(random_machine_t *c, const char *key, const char *words) {
  char copy[128], *word[16];
  uint32_t n = 0;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *w = strtok(copy, " "); w; w = strtok(NULL, " ")) word[n++] = w;
  const char *chosen = word[below(c, n)];
  put(c, key, chosen);
  return strtoull(chosen, NULL, 10);
}

static void choose_sm(random_machine_t *c) {
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

static void choose_tlb(random_machine_t *c, uint32_t level) {
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

static void choose_translation(random_machine_t *c) {
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

static void choose_caches(random_machine_t *c) {
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

static void choose_dram(random_machine_t *c) {
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
  choose(c, "dram.scheduler", "frfcfs frfcfs fcfs fr-rr-fcfs mask mask");
  choose(c, "dram.closed_row", "true false");
  choose(c, "dram.dual_command", "true false");
  if (chance(c, 25)) put(c, "dram.trefi", "1000"), put(c, "dram.trfc", "80");
}

static void choose_memory(random_machine_t *c) {
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
static void random_functions(random_machine_t *c, uint32_t n, uint32_t lowest, uint32_t *pivots,
                             strbuf_t *out) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t bit = lowest + below(c, 27 - lowest);
    while (!(*pivots >> bit & 1)) bit = bit < 26 ? bit + 1 : log2_of(c->spec.core.line_bytes);
    *pivots &= ~(1u << bit);
    strbuf_printf(out, "%s%u", strbuf_text(out)[0] ? ";" : "", bit);
  }
}

/* Every function gets some of the bits that are nobody's own. */
static void mix(random_machine_t *c, uint32_t lowest, uint32_t others, strbuf_t *functions) {
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

/* The longest wait for a unit and its result must fit the timing ring. */
static bool units_fit(const sm_spec_t *p) {
  uint32_t wait = p->int_interval > p->fp64_interval ? p->int_interval : p->fp64_interval;
  if (p->sfu_interval > wait) wait = p->sfu_interval;
  uint32_t latency = p->int_latency > p->fp64_latency ? p->int_latency : p->fp64_latency;
  return p->depth + p->unit_queue * wait + latency < SM_RING;
}

/* What a core's pipeline, a crossbar with queues and a cache can have besides. The numbers drawn
 * here leave those of the other choices as they are. */
static void choose_structure(random_machine_t *c) {
  rng_t keep = c->rng;
  if (chance(c, 50)) {
    choose(c, "sm.depth", "0 1 3");
    choose(c, "sm.fp32_interval", "0 1 2 7");
    choose(c, "sm.tensor_latency", "0 2 9");
    choose(c, "sm.tensor_interval", "1 4");
    choose(c, "sm.branch_interval", "1 4");
    choose(c, "sm.unit_queue", "0 1 2");
    if (!units_fit(&c->spec.sm)) put(c, "sm.unit_queue", "0");
    choose(c, "l1d.bypass_latency", "0 1 40");
    choose(c, "noc.queue", "none fifo fifo voq");
    choose(c, "noc.speedup", "1 1 2");
    choose(c, "l2.atomic_cycles", "0 1 3");
    choose(c, "l2.lazy_fetch", "true false");
    choose(c, "sm.mul_latency", "0 13");
    choose(c, "noc.turns", "1 2 5");
    choose(c, "sm.fair", "true false");
    choose(c, "sm.const_interval", "0 1 2");
    choose(c, "l1d.banks", "0 8");
    choose(c, "noc.wide_inputs", "true false");
    choose(c, "l2.atomic_latency", "0 9");
    if (strcmp(c->spec.dram.scheduler, "mask") != 0) choose(c, "dram.one_queue", "true false");
  }
  c->rng = keep;
}

/* Modules, banks and sets by XORs of bits; often all of a module's bits are above those of a small
 * page, so that there are colours. */
static void choose_hash(random_machine_t *c) {
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
static void choose_colours(random_machine_t *c) {
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
static void choose_paging(random_machine_t *c) {
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

static uint32_t random_mask(random_machine_t *c) {
  static const uint32_t masks[] = {ALL_LANES, ALL_LANES, ALL_LANES, 1, 0xff, 0x80000000u, 0};
  uint32_t i = below(c, 9);
  return i < 7 ? masks[i] : (uint32_t)rng_next(&c->rng);
}

static script_op_t random_access(random_machine_t *c) {
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

static script_op_t random_op(random_machine_t *c, bool barriers) {
  static const uint8_t units[] = {IC_INT, IC_FP32, IC_FP64, IC_SFU, IC_BRANCH, IC_FENCE};
  if (barriers && chance(c, 15)) return (script_op_t)BARRIER(0, 0);
  if (chance(c, 60)) return random_access(c);
  uint8_t dst = (uint8_t)below(c, 8), cls = units[below(c, 6)];
  int64_t stride = 4 << below(c, 6);
  if (chance(c, 15)) return (script_op_t)SHARED(dst, R_NO, stride, 4);
  if (chance(c, 10)) return (script_op_t)CONSTANT(dst, R_NO);
  if (cls >= IC_BRANCH) return (script_op_t)UNIT(cls, R_NO, R_NO);
  return cls == IC_INT && dst & 1 ? (script_op_t)MULTIPLY(dst, R_NO)
                                  : (script_op_t)UNIT(cls, dst, R_NO);
}

static void random_script(random_machine_t *c, uint32_t app) {
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

static void random_generator(random_machine_t *c, uint32_t app) {
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

static void choose_programs(random_machine_t *c) {
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
static void choose_sharing(random_machine_t *c) {
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

static void choose_peers(random_machine_t *c) {
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

static void choose_policies(random_machine_t *c) {
  c->peers = chance(c, 25) ? 1 + below(c, 2) : 0;
  c->fill = chance(c, 25) ? 1 + below(c, 2) : 0;
  if (chance(c, 25)) c->data = (l2_decision_t)below(c, 3), c->walks = (l2_decision_t)below(c, 3);
  if (!c->peers && chance(c, 50)) choose_peers(c);
  if (chance(c, 20)) put(c, "peer.oracle", "true");
  strbuf_printf(&c->text, "\n  peers %u fill %u l2 %u %u", c->peers, c->fill, c->data, c->walks);
}

void random_machine_policies(const random_machine_t *c, gpu_t *g) {
  if (c->peers) use_left(g, c->peers == 2);
  if (c->fill) use_side(g, c->fill == 2);
  if (c->data || c->walks) use_watch(g, c->data, c->walks);
}

void random_machine_init(random_machine_t *c, uint64_t seed, uint64_t n) {
  memset(c, 0, sizeof *c);
  c->rng.s = rng_mix(seed * 0x9e3779b97f4a7c15u + n);
  strbuf_init(&c->text);
  gpu_spec_init(&c->spec);
  put(c, "run.check", "true");
  choose_sm(c);
  choose_translation(c);
  choose_caches(c);
  choose_dram(c);
  choose_structure(c);
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

void random_machine_counterfactual(random_machine_t *c) {
  if (chance(c, 30)) put(c, "walk.free_l2", "true");
  if (chance(c, 30)) put(c, "walk.free_dram", "true");
  if (chance(c, 30)) put(c, "dram.unlimited", "true");
  if (chance(c, 30)) put(c, "dram.unlimited_walks", "true");
}

void random_machine_odd(random_machine_t *c) {
  uint64_t line = c->spec.core.line_bytes, unit = line < 128 ? 128 : line;
  uint64_t ways = choose(c, "l1d.ways", "4 17 24 64 256");
  putn(c, "l1d.bytes", unit * ways * (1u << below(c, 3)));
  choose(c, "l1d.ports", "1 3 4");
  choose(c, "dram.banks", "8 16");
  choose(c, "dram.dual_command", "true false");
  if (strcmp(c->spec.map.kind, "hash") == 0) return; /* its functions are of these numbers */
  uint64_t channels = choose(c, "dram.channels", "3 5 6 10 12 40 64 65 80 96 128 256");
  uint64_t slices = choose(c, "l2.slices", "1 2 3 5 6");
  ways = choose(c, "l2.ways", "1 16 17 24 48");
  uint64_t bytes = unit * ways * slices * channels * (16u << below(c, 3));
  while (bytes > 1024 * MB) bytes /= 2; /* the option's limit */
  putn(c, "l2.bytes", bytes);
}

/* Pages of several sizes, in a memory that is whole or in pieces. */
static void choose_sizes(random_machine_t *c) {
  put(c, "mem.manager", "mixed"), put(c, "mem.page", "4K");
  choose(c, "mem.format", "x86-4 pascal hopper amd-gfx9");
  choose(c, "mem.fragment_index", "0 90 95 100");
}

/* How pages come and go, and their sizes, in place of what was drawn before. */
void random_machine_pages(random_machine_t *c) {
  uint32_t kind = below(c, 5);
  if (kind == 0) choose_sizes(c);
  if (kind < 2) return;
  put(c, "mem.paging", kind == 2 ? "uvm" : "demand");
  choose(c, "link.fault", "100 5000");
  put(c, "link.bandwidth", "1000000");
  choose(c, "mem.shootdown", "0 1 200");
  if (kind == 4) return;
  put(c, "mem.evict", "lru");
  choose(c, "mem.bytes", "8M 8M 32M");
}

/* Half of those that page do so as NVIDIA's driver does. */
static void choose_driver(random_machine_t *c) {
  rng_t keep = c->rng;
  bool turns = strcmp(c->spec.share.mode, "time") == 0; /* uvm is refused with it */
  if (strcmp(c->spec.memory.paging, "demand") == 0 && chance(c, 50) && !turns) {
    put(c, "mem.paging", "uvm"), put(c, "mem.prefetch", "none");
    if (strcmp(c->spec.memory.evict, "tree") == 0) put(c, "mem.evict", "lru");
    choose(c, "uvm.batch", "1 2 16 256");
    choose(c, "uvm.wake", "0 1 300 10000");
    choose(c, "uvm.block", "0 1 2000");
    choose(c, "uvm.threshold", "1 51 51 99 100");
    /* else a block that displaces itself again and again looks like a run that hangs */
    if (c->spec.memory.memory_bytes < 8 * MB) put(c, "link.bandwidth", "1000000");
  }
  c->rng = keep;
}

/* What comes before translation. */
static void choose_early(random_machine_t *c) {
  rng_t keep = c->rng;
  if (c->spec.tlb.levels && strcmp(c->spec.memory.manager, "coloured") != 0 && chance(c, 40)) {
    put(c, "tlb.speculate", "cast");
    choose(c, "cast.entries", "1 4 32");
    choose(c, "cast.confidence", "1 2 3");
  }
  if (c->spec.tlb.levels && chance(c, 30)) put(c, "l1d.virtual", "true");
  c->rng = keep;
}

/* What keeps displaced pages. Peers answer the same misses. */
static void choose_victim(random_machine_t *c) {
  rng_t keep = c->rng;
  bool peers = c->peers || strcmp(c->spec.tlb.peer, "none") != 0;
  if (!peers && !c->spec.l1.unified && chance(c, 60)) {
    put(c, "tlb.victim", "scratchpad");
    choose(c, "scratch.entry", "8 16 64");
    choose(c, "scratch.ways", "1 3 8 64");
    choose(c, "scratch.latency", "1 24 100");
    choose(c, "scratch.ports", "0 1 2");
  }
  c->rng = keep;
}

/* What walks read. A hashed table has pages of one size, and brings those of a cluster. */
static void choose_table(random_machine_t *c) {
  rng_t keep = c->rng;
  const char *manager = c->spec.memory.manager;
  bool fits = strcmp(manager, "gpu-mmu") == 0 || strcmp(manager, "large-only") == 0;
  if (fits && chance(c, 50)) {
    put(c, "mem.table", "fs-hpt"), put(c, "walk.fixed", "0");
    choose(c, "hpt.entries", "1 20 100 150 1000");
    choose(c, "hpt.probes", "1 2 14");
    choose(c, "hpt.cluster", "1 2 8 32 64");
    for (uint32_t l = 1; l <= c->spec.tlb.levels; l++) {
      char key[32];
      snprintf(key, sizeof key, "l%utlb.whole", l), put(c, key, "false");
    }
  }
  c->rng = keep;
}

void random_machine_mechanisms(random_machine_t *c) {
  choose(c, "walk.policy", "fifo dws dws-plus simt nha marching latpc softwalker");
  choose(c, "dws.queue", "0 1 8 192");
  choose(c, "dws.epoch", "1 20 2048");
  choose(c, "dws.steals", "0 1 4");
  choose(c, "dws.own", "0 25 100");
  choose(c, "simt.age", "0 1 10 4096");
  choose(c, "marching.entries", "1 2 8");
  choose(c, "marching.batch", "1 3 8");
  choose(c, "l1tlb.mshr_format", "page latpc");
  choose(c, "l2tlb.mshr_format", "page intlb");
  choose(c, "l3tlb.mshr_format", "page intlb");
  if (strcmp(c->spec.walk.policy, "latpc") == 0 ||
      strcmp(c->spec.tlb_level[0].mshr_format, "latpc") == 0)
    put(c, "l1tlb.group", "1");
  choose(c, "intlb.entries", "1 3 1024");
  choose(c, "latpc.pages", "1 2 32");
  choose(c, "latpc.region", "3 512");
  choose(c, "latpc.drain", "1 2 32");
  choose(c, "soft.slots", "1 2 32");
  choose(c, "soft.setup", "1 6");
  choose(c, "soft.level", "1 5 40");
  choose(c, "soft.way", "0 1 50");
  choose(c, "soft.hybrid", "false true");
  if (strcmp(c->spec.walk.policy, "softwalker") == 0) put(c, "walk.fixed", "0");
  choose_driver(c);
  choose(c, "walk.pwc_level1", "0 0 1 2");
  choose(c, "walk.pwc_level2", "0 0 1 4");
  choose(c, "walk.pwc_level3", "0 0 4 8");
  uint32_t parts = 1 + below(c, 3);
  putn(c, "noc.partitions", parts);
  choose(c, "noc.far", "1 2 67 500");
  choose(c, "noc.link", "0 1 5 64 1280");
  putn(c, "noc.walker", below(c, parts));
  choose_early(c);
  choose_victim(c);
  choose_table(c);
}

/* What no format of entries goes together with. */
static void drop_pending_entries(random_machine_t *c) {
  put(c, "l2tlb.mshr_format", "page"), put(c, "l3tlb.mshr_format", "page");
}

/* TLB entries with a format, and replacement that knows keys; `levels` stay as they are. */
void random_machine_formats(random_machine_t *c) {
  uint32_t last = c->spec.tlb.levels;
  char key[32];
#define LAST(name) (snprintf(key, sizeof key, "l%utlb.%s", last, name), key)
  choose(c, "depot.bytes", "8 64 1024");
  choose(c, "depot.hashes", "1 2 5");
  choose(c, "depot.window", "1 30 2048");
  choose(c, "depot.spares", "1 3");
  choose(c, "star.second", "0 7");
  choose(c, "star.layout", "both sequential stride");
  if (last >= 1 && chance(c, 50)) put(c, LAST("replacement"), "depot");
  choose(c, "colt.pages", "2 8 32");
  if (last >= 1 && chance(c, 30)) {
    for (uint32_t l = 1; l <= last; l++) {
      snprintf(key, sizeof key, "l%utlb.victims", l), put(c, key, "0");
      snprintf(key, sizeof key, "l%utlb.whole", l), put(c, key, "false");
      snprintf(key, sizeof key, "l%utlb.reach", l), choose(c, key, l == last ? "1" : "1 1 4");
    }
    put(c, "tlb.peer", "none"), put(c, "tlb.victim", "none");
    if (c->spec.colt.pages > c->spec.hpt.cluster) put(c, "hpt.cluster", "32");
    put(c, "tlb.format", "colt"), drop_pending_entries(c);
    return;
  }
  if (last < 2 || chance(c, 30)) return;
  put(c, LAST("victims"), "0"), put(c, LAST("whole"), "false");
  choose(c, LAST("reach"), "4 16 32");
  put(c, "tlb.format", "star"), drop_pending_entries(c);
#undef LAST
}

/* Generators in place of all programs: `steps` of each warp. */
void random_machine_long(random_machine_t *c, uint64_t steps) {
  static const char *const form[] = {"gather:footprint=%uK", "stride:footprint=%uK,lane=4K",
                                     "hotset:footprint=%uK,hot=64K", "stream:footprint=%uK",
                                     "churn:footprint=%uK"};
  uint32_t most = c->spec.sm.warps < 4 ? c->spec.sm.warps : 4;
  for (uint32_t a = 0; a < c->apps; a++) {
    char head[64];
    uint32_t kind = below(c, 5), size = 512u << below(c, 4), blocks = 1 + below(c, 6);
    uint32_t warps = 1 + below(c, most);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(head, sizeof head, form[kind], size);
#pragma GCC diagnostic pop
    snprintf(c->gen[a], sizeof c->gen[a], "%s,blocks=%u,warps=%u,steps=%llu,seed=%u", head, blocks,
             warps, (unsigned long long)steps, a + 1);
    c->scripted[a] = false;
    strbuf_printf(&c->text, "\n  app %u: %s", a, c->gen[a]);
  }
  c->limits = (gpu_limits_t){.no_relaunch = true};
}

void random_machine_fini(random_machine_t *c) { strbuf_fini(&c->text); }

source_t *random_machine_source(const random_machine_t *c, uint32_t a) {
  return c->scripted[a] ? script_source(script_new(&c->script[a].spec, 0)) : generator(c->gen[a]);
}
