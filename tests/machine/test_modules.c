/* Memory modules by hash functions: the presets that have them answer as fast as was published, and
 * what is no map is refused with a reason. */
#include "help.h"

static gpu_spec_t preset(const char *name) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  if (gpu_spec_load(&s, "gpu", name, &e) < 0) fail_msg("%s: %s: %s", name, e.key, e.text);
  set(&s, "tlb.ideal", "true");
  set(&s, "run.check", "true");
  return s;
}

/* One sector of one line three times: from DRAM, from L2; then from L1, by a load that uses it. */
static void published_latencies(const char *name, uint64_t l1, uint64_t l2, uint64_t dram) {
  gpu_spec_t spec = preset(name);
  set(&spec, "dram.trefi", "0"); /* the load comes when the first bank is refreshed */
  script_op_t ops[] = {LOAD_CG(1, R_NO, VA), LOAD_CG(2, 1, VA), LOAD(3, 2, VA), LOAD(4, 3, VA),
                       ALU(5, 4)};
  for (uint32_t i = 0; i < 4; i++) ops[i].mask = 0xff;
  const program_t p = PROGRAM(ops);
  script_t *s = script_new(
      &(script_spec_t){
          .program = &p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB},
      64);
  gpu_t *g = run_script(&spec, s);
  uint64_t t[5];
  for (uint32_t i = 0; i < 5; i++) t[i] = script_when(s, 0, i);
  assert_int_equal(t[4] - t[3], l1);
  assert_int_equal(t[2] - t[1], l2);
  assert_in_range(t[1] - t[0], dram - 2, dram + 2); /* by the edge of the DRAM's clock */
  gpu_free(g);
  script_free(s);
}

static void gtx1080_has_the_published_latencies(void **state) {
  (void)state;
  published_latencies("gtx1080", 106, 227, 480);
}
static void fractional_gpus_presets_have_16_mshrs_per_module_and_the_chips_functions(void **state) {
  (void)state;
  static const char *const chip[] = {"gtx1080", "v100"}, *const paper[] = {"gtx1080-fgpu",
                                                                           "v100-fgpu"};
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t a = preset(chip[i]), b = preset(paper[i]);
    assert_int_equal(b.l2.mshrs * b.l2.slices, 16);
    assert_true(a.l2.mshrs > 4 * b.l2.mshrs);
    assert_memory_equal(&a.map.module, &b.map.module, sizeof a.map.module);
    assert_memory_equal(&a.map.bank, &b.map.bank, sizeof a.map.bank);
    assert_memory_equal(&a.map.set, &b.map.set, sizeof a.map.set);
    published_latencies(paper[i], i ? 30 : 106, i ? 215 : 227, i ? 437 : 480);
  }
}
static void v100_has_the_published_latencies(void **state) {
  (void)state;
  published_latencies("v100", 30, 215, 437);
}

static void modules_banks_and_sets_are_as_many_as_published(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint32_t modules, banks, sets, ways;
  } want[] = {{"gtx1080", 8, 128, 1024, 16}, {"v100", 32, 512, 1024, 48}};
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t s = preset(want[i].name);
    assert_int_equal(s.dram.channels, want[i].modules);
    assert_int_equal(s.dram.channels * s.dram.banks, want[i].banks);
    assert_int_equal(s.l2.bytes / s.core.line_bytes / s.l2.ways, want[i].sets);
    assert_int_equal(s.l2.ways, want[i].ways);
  }
}

/* ---- what is refused ---- */

static void refused(const char *key, const char *value, const char *at, const char *why) {
  gpu_spec_t s = preset("gtx1080");
  app_spec_t app = {.name = "x", .source = generator("gather:footprint=1M,blocks=1,warps=1")};
  gpu_t *g;
  err_t e = {0};
  set(&s, key, value);
  assert_true(gpu_new(&s, &app, 1, &g, &e) < 0);
  assert_string_equal(e.key, at);
  if (!strstr(e.text, why)) fail_msg("%s=%s: %s", key, value, e.text);
  app.source->ops->free(app.source);
}

static void dependent_functions_are_refused(void **state) {
  (void)state;
  refused("map.bank", "10 12; 11 13; 10 11 12 13; 14; 15; 16; 17", "map.bank",
          "function 3 is a sum of those before it");
  refused("map.set", "10; 11; 12; 13; 14; 15; 16; 17; 18; 35", "map.set",
          "function 10 has no bit below the size of the memory");
}
static void too_few_functions_are_refused(void **state) {
  (void)state;
  refused("map.bank", "10; 11; 12; 13", "map.bank", "4 functions, but 128 banks need 7");
  refused("map.module", "10; 11", "map.module", "2 functions, but 8 channels need 3");
}
static void modules_that_cut_through_banks_or_sets_are_refused(void **state) {
  (void)state;
  refused("map.module", "10; 11; 12", "map.module", "a bank would lie in two modules");
  refused("map.set", "7; 8; 9; 10; 11; 12; 13; 14; 15; 16", "map.module",
          "a set would lie in two modules");
}
static void shapes_that_no_xor_can_name_are_refused(void **state) {
  (void)state;
  refused("dram.channels", "6", "dram.channels", "power of two");
  refused("mem.bytes", "6G", "mem.bytes", "power of two");
  refused("l2.slices", "2", "l2.slices", "one slice");
}

static char *stats_with_modules(const char *module) {
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, LINE, 4 * KB),
                             LOAD_AT(2, R_NO, VA + LINE, LINE, 64 * KB)};
  const program_t p = PROGRAM_N(ops, 8);
  gpu_spec_t spec = preset("gtx1080");
  set(&spec, "map.module", module);
  script_t *s = script_of(&p, 8, 4, 8 * MB);
  gpu_t *g = run_script(&spec, s);
  char *text = stats_text(g);
  gpu_free(g);
  script_free(s);
  return text;
}

static void modules_follow_from_banks_and_sets(void **state) {
  (void)state;
  gpu_spec_t spec = preset("gtx1080");
  gf2_space_t space;
  bitlist_t list = {.count = gf2_span(&space, spec.map.module.mask, spec.map.module.count)};
  char written[BITLIST_TEXT];
  memcpy(list.mask, space.row, list.count * sizeof *list.mask);
  bitlist_text(&list, written, sizeof written);
  char *found = stats_with_modules(""), *given = stats_with_modules(written);
  assert_string_equal(found, given);
  free(found);
  free(given);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gtx1080_has_the_published_latencies),
      cmocka_unit_test(fractional_gpus_presets_have_16_mshrs_per_module_and_the_chips_functions),
      cmocka_unit_test(v100_has_the_published_latencies),
      cmocka_unit_test(modules_banks_and_sets_are_as_many_as_published),
      cmocka_unit_test(dependent_functions_are_refused),
      cmocka_unit_test(too_few_functions_are_refused),
      cmocka_unit_test(modules_that_cut_through_banks_or_sets_are_refused),
      cmocka_unit_test(shapes_that_no_xor_can_name_are_refused),
      cmocka_unit_test(modules_follow_from_banks_and_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
