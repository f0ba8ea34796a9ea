/* More SMs than 256, more channels than 64, neither a power of two. */
#include "formula.h"
#include "help.h"

static gpu_spec_t many(uint32_t sms, uint32_t channels, uint32_t slices) {
  gpu_spec_t s = lab_spec();
  one_page(&s);
  setn(&s, "gpu.sms", sms);
  setn(&s, "dram.channels", channels);
  setn(&s, "l2.slices", slices);
  setn(&s, "l2.bytes", (uint64_t)channels * slices * 16 * LINE * 16);
  return s;
}

/* Block i is on SM i: it loads a line of its own from L2, after all have brought theirs there. */
static void every_sm_is_served(uint32_t sms, uint32_t channels, uint32_t slices) {
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, LINE, 0), ALU(2, 1),
                             OP_(IC_LOAD, 0, 4, INST_BYPASS_L1, 3, 2, VA, 4, LINE, 0, ALL_LANES),
                             ALU(4, 3)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t s = many(sms, channels, slices);
  script_t *x = script_new(
      &(script_spec_t){
          .program = &p, .programs = 1, .blocks = sms, .warps = 1, .va = VA, .bytes = MB},
      8 * sms);
  gpu_t *g = run_script(&s, x);
  uint64_t hit = f_l2_hit(&s, LINE), quick = 0;
  for (uint32_t i = 0; i < sms; i++) {
    uint64_t took = script_when(x, i, 3) - script_when(x, i, 2);
    if (took < hit) fail_msg("SM %u of %u: %u cycles", i, sms, (uint32_t)took);
    quick += took == hit;
    assert_int_equal(g->noc.sm_out[i].flits, 2 * f_flits(&s, 0)); /* both of its loads, no more */
  }
  assert_true(quick > sms / 2); /* the others met somebody at a slice */
  gpu_free(g);
  script_free(x);
}

static void sms_304_with_96_channels(void **state) {
  (void)state;
  every_sm_is_served(304, 96, 1);
  every_sm_is_served(304, 100, 3);
}
static void sms_1024_with_256_channels(void **state) {
  (void)state;
  every_sm_is_served(1024, 256, 1);
}

/* TLBs of eight GPCs of 38 SMs, two TLBs of an SM pair, all of them asked. */
static void groups_of_many_sms_share_their_tlbs(void **state) {
  (void)state;
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, PAGE4, 0), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  gpu_spec_t s = many(304, 96, 1);
  set(&s, "mem.page", "4K");
  set(&s, "gpu.gpcs", "38;38;38;38;38;38;38;38");
  set(&s, "l2tlb.gpc", "true");
  set(&s, "l2tlb.entries", "256");
  script_t *x = script_of(&p, 304, 1, 4 * MB);
  gpu_t *g = run_script(&s, x);
  assert_int_equal(g->tlb.level[0].stats[0].primary_misses, 304);
  assert_int_equal(g->tlb.level[1].stats[0].primary_misses, 304); /* pages are no one else's */
  for (uint32_t i = 0; i < 304; i++) assert_int_equal(g->tlb.level[1].of_sm[i], i / 38);
  assert_int_equal(g->walker.stats[0].walks, 304);
  gpu_free(g);
  script_free(x);
}

/* Random lines, lines in order and strides of powers of two: what a slice gets is near the mean. */
static void slices_are_used_evenly(void **state) {
  (void)state;
  static const char *const text[] = {
      "gather:footprint=32M,blocks=304,warps=2,steps=4",
      "stream:footprint=32M,blocks=304,warps=2,steps=4",
      "stride:footprint=32M,blocks=304,warps=2,steps=4,lane=4096",
      "stride:footprint=32M,blocks=304,warps=2,steps=4,lane=8192",
  };
  for (uint32_t k = 0; k < sizeof text / sizeof *text; k++) {
    gpu_spec_t s = many(304, 96, 1);
    no_tlbs(&s);
    set(&s, "run.check", "false"); /* it takes long here */
    gpu_t *g = run_generator(&s, text[k]);
    uint64_t sum = 0, most = 0;
    for (uint32_t i = 0; i < 96; i++) {
      uint64_t n = g->noc.slice_in[i].flits;
      sum += n;
      if (n > most) most = n;
    }
    if (100 * most * 96 > 110 * sum)
      fail_msg("%s: the busiest slice has %u %% of the mean", text[k],
               (uint32_t)(100 * most * 96 / sum));
    gpu_free(g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sms_304_with_96_channels),
      cmocka_unit_test(sms_1024_with_256_channels),
      cmocka_unit_test(groups_of_many_sms_share_their_tlbs),
      cmocka_unit_test(slices_are_used_evenly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
