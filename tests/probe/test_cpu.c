/* This computer's processor: the probe runs, and what it is sure of is not absurd. Nothing here can
 * be exact: other work on the machine takes part. If two runs do not find the same number of
 * levels, or none of them is trusted, the host is too noisy and the comparison is skipped. */
#include "help.h"

static tlb_probe_t probe_host(uint64_t page) {
  device_t *d = NULL;
  err_t e = {0};
  if (device_cpu_new(page, 0, &d, &e) < 0) skip();
  tlb_probe_t t = probed(d);
  device_free(d);
  return t;
}

static void runs_agree_where_the_host_is_quiet(void **state) {
  (void)state;
  tlb_probe_t a = probe_host(4096), b = probe_host(4096);
  print_message("levels %u and %u, confidence %u and %u\n", a.levels, b.levels, a.confidence,
                b.confidence);
  bool quiet = a.levels && a.levels == b.levels && a.confidence >= 70 && b.confidence >= 70;
  for (uint32_t i = 0; quiet && i < a.levels; i++) {
    uint32_t x = a.level[i].entries, y = b.level[i].entries;
    print_message("L%u: %u and %u entries\n", i + 1, x, y);
    assert_int_equal(a.level[i].reach_bytes, b.level[i].reach_bytes);
    assert_in_range(x, 8, 1 << 16);
    assert_in_range(2 * x, y, 4 * y);
  }
  tlb_probe_fini(&a);
  tlb_probe_fini(&b);
  if (!quiet) skip();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(runs_agree_where_the_host_is_quiet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
