#include "help.h"
#include "gen/gen.h"
#include "gpu/stats.h"

#define HANG_CYCLES 20000000u /* no test comes near */

void set(gpu_spec_t *s, const char *key, const char *value) {
  err_t e = {0};
  if (gpu_spec_set(s, key, value, &e) < 0) fail_msg("%s=%s: %s", key, value, e.text);
}

void setn(gpu_spec_t *s, const char *key, uint64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  set(s, key, text);
}

void put_all(gpu_spec_t *s, const char *settings) {
  char text[512], *save = NULL;
  assert_true(strlen(settings) < sizeof text);
  memcpy(text, settings, strlen(settings) + 1);
  for (char *o = strtok_r(text, " ", &save); o; o = strtok_r(NULL, " ", &save)) {
    char *equals = strchr(o, '=');
    assert_non_null(equals);
    *equals = 0;
    set(s, o, equals + 1);
  }
}

gpu_spec_t lab_spec(void) {
  static const struct {
    const char *key, *value;
  } all[] = {
      {"gpu.sms", "1"},          {"gpu.clock", "1000"},   {"dram.clock_mhz", "1500"},
      {"sm.schedulers", "1"},    {"sm.lsu_latency", "3"}, {"sm.int_latency", "6"},
      {"tlb.levels", "2"},       {"l1tlb.group", "1"},    {"l1tlb.latency", "2"},
      {"l1tlb.entries", "16"},   {"l1tlb.mshrs", "16"},   {"l2tlb.entries", "64"},
      {"l2tlb.ways", "4"},       {"l2tlb.latency", "7"},  {"l2tlb.hop", "5"},
      {"l2tlb.mshrs", "32"},     {"walk.threads", "8"},   {"walk.hop", "4"},
      {"walk.pwc_latency", "9"}, {"l1d.latency", "13"},   {"noc.latency", "17"},
      {"l2.slices", "1"},        {"l2.bytes", "128K"},    {"l2.latency", "19"},
      {"l2.dram_hop", "6"},      {"dram.channels", "1"},  {"map.bank_xor", "false"},
      {"mem.bytes", "64M"},      {"run.check", "true"},   {"run.epoch", "1000"},
      {"run.series", "1000"},
  };
  gpu_spec_t s;
  gpu_spec_init(&s);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) set(&s, all[i].key, all[i].value);
  return s;
}

void one_page(gpu_spec_t *s) { set(s, "mem.page", "2M"); }
void no_tlbs(gpu_spec_t *s) { set(s, "tlb.levels", "0"); }

gpu_t *machine(const gpu_spec_t *spec, source_t *const *sources, uint32_t count) {
  app_spec_t apps[GMMU_MAX_APPS] = {0};
  err_t e = {0};
  gpu_t *g;
  for (uint32_t i = 0; i < count; i++) apps[i] = (app_spec_t){.name = "app", .source = sources[i]};
  if (gpu_new(spec, apps, count, &g, &e) < 0) fail_msg("%s: %s", e.key, e.text);
  return g;
}

void nothing_left(const gpu_t *g) {
  assert_int_equal(g->xlat.used, 0);
  assert_int_equal(g->walker.active, 0);
  assert_int_equal(g->walker.queued, 0);
  uint32_t written_back = 0; /* nobody waits for these: they may be on their way at the end */
  for (uint32_t i = 0; i < g->pool.capacity; i++)
    written_back += g->pool.at[i].kind == REQ_WRITEBACK;
  assert_int_equal(g->pool.used, written_back);
  for (uint32_t i = 0; i < g->spec.core.sms; i++) {
    assert_int_equal(g->cores.sm[i].lines_used, 0);
    assert_int_equal(g->cores.sm[i].loads_used, 0);
    assert_int_equal(g->cores.sm[i].resident, 0);
    assert_int_equal(mshr_used(&g->l1.l1[i].mshr), 0);
  }
  for (uint32_t i = 0; i < g->l2.slices; i++) assert_int_equal(mshr_used(&g->l2.slice[i].mshr), 0);
}

static void over(gpu_t *g, int rc, err_t *e) {
  if (rc < 0) fail_msg("run: %s", e->text);
  if (rc == 0) fail_msg("still running after %u cycles", HANG_CYCLES);
  gpu_settle(g);
  if (gpu_check(g, e) < 0) fail_msg("check: %s", e->text);
  nothing_left(g);
}

void finish(gpu_t *g) {
  gpu_limits_t limits = {.no_relaunch = true};
  err_t e = {0};
  over(g, gpu_run(g, &limits, HANG_CYCLES, &e), &e);
}

gpu_t *run_script(const gpu_spec_t *spec, script_t *s) {
  source_t *src = script_source(s);
  gpu_t *g = machine(spec, &src, 1);
  finish(g);
  return g;
}

source_t *generator(const char *text) {
  source_t *s;
  err_t e = {0};
  if (gen_open(text, &s, &e) < 0) fail_msg("%s: %s", text, e.text);
  return s;
}

gpu_t *run_generators(const gpu_spec_t *spec, const char *first, const char *second) {
  source_t *src[2] = {generator(first), second ? generator(second) : NULL};
  gpu_t *g = machine(spec, src, second ? 2 : 1);
  finish(g);
  for (uint32_t a = 0; a < 2; a++)
    if (src[a]) src[a]->ops->free(src[a]);
  return g;
}

#define SIZES 32 /* log2 of base pages */

static void weather_came(const gpu_t *g, const uint32_t *translated) {
  const memory_spec_t *m = &g->spec.memory;
  uint64_t faults = 0, evicted = 0, coalesced = 0, dropped = 0;
  uint32_t sizes = 0;
  for (uint32_t a = 0; a < 2; a++) {
    const paging_stats_t *p = &g->paging.stats[a];
    faults += p->faults, evicted += p->evicted, coalesced += p->coalesced;
    for (uint32_t l = 0; l < g->tlb.levels; l++) dropped += g->tlb.level[l].stats[a].invalidations;
  }
  for (uint32_t i = 0; i < SIZES; i++) sizes += translated[i] >= 20;
  if (strcmp(m->paging, "preload") != 0 && !faults) fail_msg("no page came over the link");
  if (strcmp(m->evict, "none") != 0 && !evicted) fail_msg("no page left");
  if (!dropped) fail_msg("no TLB was told of a page that went");
  if (strcmp(m->manager, "mosaic") == 0 && !coalesced) fail_msg("no large page");
  if (strcmp(m->manager, "mixed") == 0 && sizes < 2) fail_msg("all pages have one size");
}

gpu_t *run_weather(const gpu_spec_t *spec, const char *first, const char *second) {
  static const uint32_t piece = 20; /* fewer cycles than a translation takes */
  gpu_limits_t limits = {.no_relaunch = true};
  source_t *src[2] = {generator(first), generator(second)};
  gpu_t *g = machine(spec, src, 2);
  uint32_t translated[SIZES] = {0};
  err_t e = {0};
  int rc = 0;
  for (uint32_t now = 0; rc == 0 && now < HANG_CYCLES; now += piece) {
    rc = gpu_run(g, &limits, now + piece, &e);
    for (uint32_t i = 0; i < g->xlat.capacity; i++) {
      const xlat_t *x = &g->xlat.at[i];
      if (x->key && x->t_start - now < piece && x->order < SIZES) translated[x->order]++;
    }
  }
  over(g, rc, &e);
  weather_came(g, translated);
  for (uint32_t a = 0; a < 2; a++) src[a]->ops->free(src[a]);
  return g;
}

gpu_t *run_generator(const gpu_spec_t *spec, const char *text) {
  return run_generators(spec, text, NULL);
}

char *stats_text(const gpu_t *g) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  gpu_stats_json(g, &j);
  json_end_object(&j);
  assert_false(j.out.failed);
  char *text = strdup(strbuf_text(&j.out));
  assert_non_null(text);
  json_fini(&j);
  return text;
}

dram_stats_t dram_total(const gpu_t *g, uint32_t app, dram_class_t cls) {
  dram_stats_t sum = {0};
  for (uint32_t c = 0; c < g->dram.channels; c++)
    for (const stat_desc_t *s = dram_stats_list; s->name; s++)
      *(uint64_t *)(void *)((char *)&sum + s->offset) +=
          stat_value(dram_stats(g->dram.channel[c].dram, (uint8_t)app, cls), s);
  return sum;
}

uint64_t test_seed(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

script_t *script_of(const program_t *p, uint32_t blocks, uint32_t warps, uint64_t bytes) {
  return script_new(
      &(script_spec_t){
          .program = p, .programs = 1, .blocks = blocks, .warps = warps, .va = VA, .bytes = bytes},
      SCRIPT_TIMES);
}

script_t *script_told(const program_t *p, uint32_t blocks, uint32_t warps,
                      const script_command_t *command, uint32_t commands) {
  return script_new(&(script_spec_t){.program = p,
                                     .programs = 1,
                                     .blocks = blocks,
                                     .warps = warps,
                                     .command = command,
                                     .commands = commands},
                    0);
}

#define X (VA + 64 * MB)
#define Y (VA + 128 * MB)

script_t *mover(void) {
  static const script_op_t ops[] = {
      LOAD_SPREAD(1, R_NO, Y + 212 * PAGE4, PAGE4, 2 * PAGE4, PAGE4, ALL_LANES), ALU(2, 1)};
  static const program_t p = PROGRAM_N(ops, 20);
  static const script_command_t commands[] = {{CMD_ALLOC, X, 300 * PAGE4},
                                              {CMD_ALLOC, Y, 300 * PAGE4},
                                              {CMD_FREE, X, 0},
                                              {CMD_LAUNCH, 0, 0}};
  return script_told(&p, 4, 4, commands, 4);
}

script_t *taker_of(uint64_t bytes) {
  static const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  static const program_t p = PROGRAM_N(ops, 4);
  static script_command_t commands[] = {
      {CMD_ALLOC, VA, PAGE4}, {CMD_LAUNCH, 0, 0}, {CMD_ALLOC, VA + 64 * MB, 0}, {CMD_LAUNCH, 0, 0}};
  commands[2].bytes = bytes; /* of all takers there are */
  return script_told(&p, 1, 1, commands, 4);
}

script_t *taker(void) { return taker_of(2 * MB); }

void run_pages_that_move(gpu_spec_t *spec) {
  set(spec, "mem.manager", "mosaic"), set(spec, "mem.bytes", "8M"), set(spec, "mem.cac", "cac");
  script_t *script[2] = {mover(), taker()};
  source_t *src[2] = {script_source(script[0]), script_source(script[1])};
  gpu_t *g = machine(spec, src, 2);
  finish(g);
  gpu_free(g);
  script_free(script[0]), script_free(script[1]);
}
