/* The storage of mechanisms: MASK's own figures at MASK's own configuration, and that they follow
 * the configuration. */
#include "cost/cost.h"
#include "help.h"

static gpu_spec_t preset(const char *gpu) {
  gpu_spec_t s;
  gpu_spec_init(&s);
  assert_int_equal(gpu_spec_load(&s, "gpu", gpu, NULL), 0);
  return s;
}

static cost_t cost_of(const gpu_spec_t *s, const char *what) {
  cost_t c = {0};
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++)
    if (strcmp(r->what, what) == 0) {
      r->work_out(s, &c);
      return c;
    }
  fail_msg("no row for \"%s\"", what);
  return c;
}

static void masks_figures_come_out_at_masks_configuration(void **state) {
  (void)state;
  gpu_spec_t s = preset("maxwell");
  cost_t core = cost_of(&s, "hits and misses, warps seen, their number");
  assert_int_equal((core.each + 7) / 8, 13);
  assert_int_equal(cost_bytes(&core), 390);
  cost_t c = cost_of(&s, "token counts and directions");
  assert_int_equal(cost_bytes(&c), 60);
  c = cost_of(&s, "counters of L2 hits and accesses");
  assert_int_equal(cost_bytes(&c), 80);
  c = cost_of(&s, "golden, silver and normal queue");
  assert_int_equal(100 * c.each * c.count / c.base, 6);
  c = cost_of(&s, "address space of an L2 TLB entry");
  assert_int_equal(100 * c.each * c.count / c.base, 7);
}

/* 264 bytes of bypass cache with tags, where the paper has 256 without. */
static void sums_are_those_of_their_rows(void **state) {
  (void)state;
  gpu_spec_t s = preset("maxwell");
  cost_t c = cost_of(&s, "bypass cache");
  assert_int_equal(c.each, 36 + 9 + 20 + 1);
  assert_int_equal(cost_bytes(&c), 264);
  c = cost_of(&s, "sum at the L2 TLB");
  assert_int_equal(cost_bytes(&c), 264 + 60);
  c = cost_of(&s, "sum");
  assert_int_equal(cost_bytes(&c), 390 + 264 + 60);
}

static void sizes_follow_the_configuration(void **state) {
  (void)state;
  gpu_spec_t s = preset("maxwell");
  setn(&s, "sm.warps", 32), setn(&s, "gpu.sms", 10);
  cost_t c = cost_of(&s, "hits and misses, warps seen, their number");
  assert_int_equal(c.each, 2 * 16 + 32 + 8);
  assert_int_equal(c.count, 10);
  setn(&s, "l2tlb.entries", 1024);
  c = cost_of(&s, "address space of an L2 TLB entry");
  assert_int_equal(cost_bytes(&c), 1024 * 9 / 8);
  setn(&s, "tokens.buffer", 64);
  assert_int_equal(cost_of(&s, "bypass cache").count, 64);
  set(&s, "mem.page", "64K");
  c = cost_of(&s, "bypass cache");
  assert_int_equal(c.each, 32 + 9 + 16 + 1);
  setn(&s, "dram.golden", 48);
  c = cost_of(&s, "golden, silver and normal queue");
  assert_int_equal(c.each, 48);
  setn(&s, "dram.normal", 16); /* 128 in all, below the baseline's 256 */
  assert_int_equal(cost_of(&s, "golden, silver and normal queue").each, 0);
  setn(&s, "l2tlb.group", 5);
  c = cost_of(&s, "address space of an L2 TLB entry");
  assert_int_equal(c.count, 2 * 1024);
}

/* Tokens act where walks begin. */
static void tokens_are_counted_at_the_last_level(void **state) {
  (void)state;
  gpu_spec_t s = preset("maxwell");
  setn(&s, "tlb.levels", 3), setn(&s, "tokens.buffer", 32);
  setn(&s, "l3tlb.group", 10), setn(&s, "l3tlb.entries", 256);
  assert_int_equal(cost_of(&s, "bypass cache").count, 3 * 32);
  assert_int_equal(cost_of(&s, "token counts and directions").base, 3 * 256 * 128);
  setn(&s, "l3tlb.deal", 4); /* dealt to four, whatever the groups */
  assert_int_equal(cost_of(&s, "bypass cache").count, 4 * 32);
}

/* 32 x (1 + 18 + 3) bits and 2 x 2 packets of a 36-bit page number, for each of 16 TLBs. */
static void neidtys_directories_follow_its_table(void **state) {
  (void)state;
  gpu_spec_t s = preset("gem5-16");
  cost_t c = cost_of(&s, "directories of the neighbours' entries");
  assert_int_equal(cost_bytes(&c), 16 * 32 * (1 + 18 + 3) / 8);
  c = cost_of(&s, "buffers of the ports to both neighbours");
  assert_int_equal(cost_bytes(&c), 16 * 2 * 2 * 37 / 8);
  c = cost_of(&s, "page asked for last");
  assert_int_equal(cost_bytes(&c), 16 * 37 / 8);
  set(&s, "tlb.peer", "neidty");
  c = cost_of(&s, "sum of a chip's L1 TLBs");
  assert_int_equal(cost_bytes(&c), 1408 + 296);
  set(&s, "peer.update", "twice");
  c = cost_of(&s, "sum of a chip's L1 TLBs");
  assert_int_equal(cost_bytes(&c), 1408 + 296 + 74);
  setn(&s, "peer.directory", 64), setn(&s, "peer.tag_bits", 10), setn(&s, "gpu.sms", 8);
  c = cost_of(&s, "directories of the neighbours' entries");
  assert_int_equal(cost_bytes(&c), 8 * 64 * (1 + 10 + 3) / 8);
}

static void every_row_says_how_it_comes_about(void **state) {
  (void)state;
  gpu_spec_t s = preset("integrated");
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) {
    cost_t c = {0};
    r->work_out(&s, &c);
    assert_true(c.each && c.count);
    assert_true(*c.formula && strlen(c.formula) + 1 < sizeof c.formula);
    assert_true(*r->what && *r->where && *r->paper && r->of && r->printed);
    assert_int_equal(c.base != 0, *r->of != 0);
  }
}

static uint32_t rows_on(const char *design) {
  gpu_spec_t s = preset("maxwell");
  uint32_t on = 0;
  assert_int_equal(gpu_spec_load(&s, "design", design, NULL), 0);
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) on += r->on(&s);
  return on;
}

static void a_design_has_the_rows_of_what_is_on(void **state) {
  (void)state;
  uint32_t all = 0;
  while (strcmp(cost_row(all)->paper, "mask") == 0) all++;
  assert_int_equal(rows_on("ideal"), 0);
  assert_int_equal(rows_on("pwcache"), 0);
  assert_int_equal(rows_on("sharedtlb"), 1); /* the ASID of the L2 TLB */
  assert_int_equal(rows_on("mask-tlb"), 1 + 5);
  assert_int_equal(rows_on("mask-cache"), 1 + 2);
  assert_int_equal(rows_on("mask-dram"), 1 + 2);
  assert_int_equal(rows_on("mask"), all);
}

static void papers_are_named_once(void **state) {
  (void)state;
  assert_string_equal(cost_paper(0), "mask");
  for (uint32_t i = 0; cost_paper(i); i++)
    for (uint32_t k = 0; k < i; k++) assert_string_not_equal(cost_paper(i), cost_paper(k));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masks_figures_come_out_at_masks_configuration),
      cmocka_unit_test(sums_are_those_of_their_rows),
      cmocka_unit_test(sizes_follow_the_configuration),
      cmocka_unit_test(tokens_are_counted_at_the_last_level),
      cmocka_unit_test(neidtys_directories_follow_its_table),
      cmocka_unit_test(every_row_says_how_it_comes_about),
      cmocka_unit_test(a_design_has_the_rows_of_what_is_on),
      cmocka_unit_test(papers_are_named_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
