/* Table 3 of the DaMoN 2017 paper: the eleven K80s with different deactivated SMs, and their
 * groups. test_probe_variants [HOW_MANY], the most common first. */
#include "help.h"

static const uint8_t deactivated[][2] = {{10, 11}, {10, 13}, {10, 12}, {10, 14}, {12, 14}, {11, 14},
                                         {11, 12}, {13, 14}, {11, 13}, {12, 13}, {5, 10}};
static uint32_t how_many = 11;

/* From the places: i, i + 5 and i + 10 share, and SMs are numbered over the active ones. */
static void expected(const uint8_t off[2], char *buf, size_t size) {
  size_t n = 0;
  for (uint32_t g = 0; g < 5; g++) {
    const char *between = g ? "|" : "";
    for (uint32_t place = g; place < 15; place += 5) {
      if (place == off[0] || place == off[1]) continue;
      n += (size_t)snprintf(buf + n, size - n, "%s%u", between,
                            place - (place > off[0]) - (place > off[1]));
      between = " ";
    }
  }
}

/* The levels are known here; finding them is another test. */
static const tlb_probe_t levels = {
    .levels = 3,
    .level = {{.reach_bytes = 128 << 10, .entries = 16, .hit = 24100, .miss = 25000},
              {.reach_bytes = 2 << 20, .entries = 65, .hit = 25000, .miss = 30500},
              {.reach_bytes = 2 << 20, .entries = 1032, .hit = 30500, .miss = 48200}}};

static void every_variant_shows_its_groups(void **state) {
  (void)state;
  for (uint32_t i = 0; i < how_many; i++) {
    char want[200], got[200];
    gpu_spec_t spec = preset("k80");
    setn(&spec, "gpu.disabled", 1ull << deactivated[i][0] | 1ull << deactivated[i][1]);
    device_t *d = sim(&spec, NULL);
    sharing_t s = shared(d, &levels);
    sharing_words(&s, 0, got, sizeof got);
    assert_string_equal(got, "private");
    expected(deactivated[i], want, sizeof want);
    groups_of(&s, 1, got, sizeof got);
    assert_string_equal(got, want);
    sharing_words(&s, 2, got, sizeof got);
    assert_string_equal(got, "all");
    for (uint32_t l = 0; l < 3; l++) assert_true(s.level[l].confidence >= 90);
    sharing_fini(&s);
    device_free(d);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_shows_its_groups)};
  if (argc > 1) how_many = (uint32_t)strtoul(argv[1], NULL, 10);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
