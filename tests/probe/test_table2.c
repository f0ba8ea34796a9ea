/* The probes find what the DaMoN 2017 paper found: its Table 2, and who shares what. */
#include "help.h"

typedef struct {
  uint64_t reach_kb;
  uint32_t entries, sets, ways, victims, cost;
} want_t;

static void expect(const tlb_probe_t *t, const want_t *want, uint32_t levels) {
  assert_int_equal(t->levels, levels);
  for (uint32_t i = 0; i < levels; i++) {
    const probe_level_t *l = &t->level[i];
    assert_int_equal(l->reach_bytes, want[i].reach_kb << 10);
    assert_int_equal(l->entries, want[i].entries);
    assert_int_equal(l->shape.sets, want[i].sets);
    assert_int_equal(l->shape.ways, want[i].ways);
    assert_int_equal(l->shape.victims, want[i].victims);
    assert_in_range((l->miss - l->hit + 50) / 100, want[i].cost - 1, want[i].cost + 1);
    assert_true(l->confidence >= 90);
  }
}

static const want_t k80[] = {
    {128, 16, 1, 16, 0, 9}, {2048, 65, 8, 8, 1, 55}, {2048, 1032, 128, 8, 8, 177}};
static const want_t p100[] = {{2048, 16, 1, 16, 0, 9}, {32768, 65, 8, 8, 1, 110}};

static void the_k80_is_that_of_table_2(void **state) {
  (void)state;
  gpu_spec_t spec = preset("k80");
  device_t *d = sim(&spec, NULL);
  tlb_probe_t t = probed(d);
  expect(&t, k80, 3);
  tlb_probe_fini(&t);
  device_free(d);
}

static void noise_does_not_change_it(void **state) {
  (void)state;
  gpu_spec_t spec = preset("k80");
  device_noise_t noise = {
      .jitter_cycles = 3, .outlier_ppm = 1000, .outlier_cycles = 3000, .seed = 1};
  const char *seed = getenv("GMMU_SEED");
  if (seed) noise.seed = strtoull(seed, NULL, 0);
  device_t *d = sim(&spec, &noise);
  tlb_probe_t t = probed(d);
  print_message("seed %llu\n", (unsigned long long)noise.seed);
  expect(&t, k80, 3);
  tlb_probe_fini(&t);
  device_free(d);
}

static void the_p100_is_that_of_table_2_and_its_groups_those_of_the_raw_data(void **state) {
  (void)state;
  gpu_spec_t spec = preset("p100");
  device_t *d = sim(&spec, NULL);
  tlb_probe_t t = probed(d);
  expect(&t, p100, 2);
  sharing_t s = shared(d, &t);
  char text[600];
  sharing_words(&s, 0, text, sizeof text);
  assert_string_equal(text, "2 SMs");
  groups_of(&s, 1, text, sizeof text);
  assert_string_equal(text, "0 1 12 13 24 25 36 37 44 45|2 3 14 15 26 27 38 39 46 47|"
                            "4 5 16 17 28 29 40 41 48 49|6 7 18 19 30 31 42 43 52 53|"
                            "8 9 20 21 32 33 50 51|10 11 22 23 34 35 54 55");
  assert_true(s.level[0].tests + s.level[1].tests < 56 * 55 / 2);
  sharing_fini(&s);
  tlb_probe_fini(&t);
  device_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_k80_is_that_of_table_2),
      cmocka_unit_test(noise_does_not_change_it),
      cmocka_unit_test(the_p100_is_that_of_table_2_and_its_groups_those_of_the_raw_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
