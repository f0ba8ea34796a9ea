/* Random hierarchies of TLBs are found again, every one exactly: levels, what an entry covers,
 * entries. So are the SMs that share them, where GPCs have different numbers of SMs, and where the
 * last level reaches over most of the memory.
 * test_probe_hierarchies [HOW_MANY [TEST]], where * and ? stand for any characters of a test's
 * name.
 *
 * Levels are drawn as real ones are: each has at least three times the entries of the one before
 * and covers no less per entry. GMMU_SEED=s chooses others, GMMU_HIERARCHY=n repeats one alone. */
#include "help.h"

#include "base/rng.h"

static uint32_t how_many = 50;

typedef struct {
  gpu_spec_t spec;
  device_noise_t noise;
  uint32_t levels;
  uint32_t entries[3], sets[3];
  uint64_t reach[3];
  uint32_t group[3];
} case_t;

static void key_of(char key[32], uint32_t level, const char *name) {
  snprintf(key, 32, "l%utlb.%s", level + 1, name);
}
static void put(case_t *c, uint32_t level, const char *name, uint64_t value) {
  char key[32];
  key_of(key, level, name);
  setn(&c->spec, key, value);
}

static uint32_t one_of(rng_t *r, const uint32_t *list, uint32_t n) { return list[rng_below(r, n)]; }
#define ONE_OF(r, ...)                                                                             \
  one_of(r, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

/* Sets, ways and entries beside them: at least `least` entries in all. */
static void draw_entries(case_t *c, rng_t *r, uint32_t l, uint32_t least) {
  uint32_t ways = ONE_OF(r, 4, 8, 8, 16), sets = 1, victims = 0;
  if (rng_below(r, 2)) victims = ONE_OF(r, 1, 3, 7, 8);
  if (l == 0 && rng_below(r, 2)) { /* fully associative */
    ways = ONE_OF(r, 8, 16, 20, 32, 64);
    victims = 0;
  } else {
    while (sets * ways < least || sets < 4) sets *= 2;
    if (rng_below(r, 3) == 0 && sets * ways < 1024) sets *= 2;
  }
  c->entries[l] = sets * ways + victims, c->sets[l] = sets;
  put(c, l, "entries", sets * ways), put(c, l, "ways", ways), put(c, l, "victims", victims);
  char key[32];
  key_of(key, l, "fold");
  set(&c->spec, key, sets > 1 && rng_below(r, 2) ? "true" : "false");
}

static void draw_level(case_t *c, rng_t *r, uint32_t l, uint64_t page, uint32_t least) {
  uint32_t before = l ? (uint32_t)(c->reach[l - 1] / page) : 1;
  uint32_t reach = before * ONE_OF(r, 1, 1, 2, 4, 16);
  if (reach > 32) reach = before;
  draw_entries(c, r, l, least);
  c->reach[l] = reach * page;
  put(c, l, "reach", reach);
  char key[32];
  key_of(key, l, "whole");
  set(&c->spec, key, "true");
  put(c, l, "latency", l ? 3 + rng_below(r, 30) : 1),
      put(c, l, "hop", l ? 4 + rng_below(r, 30) : 0);
  put(c, l, "mshrs", 64), put(c, l, "ports", 1);
}

static void draw_groups(case_t *c, rng_t *r) {
  c->group[0] = ONE_OF(r, 1, 1, 2), c->group[1] = ONE_OF(r, 2, 4), c->group[2] = 0;
  for (uint32_t l = 0; l < c->levels; l++) put(c, l, "group", c->group[l]), put(c, l, "deal", 0);
}

static void draw(case_t *c, uint64_t seed) {
  rng_t r = {seed};
  memset(c, 0, sizeof *c);
  c->spec = preset("k80");
  setn(&c->spec, "gpu.sms", 8), setn(&c->spec, "gpu.disabled", 0);
  uint64_t page = 4096ull << ONE_OF(&r, 0, 4, 5, 9);
  c->levels = ONE_OF(&r, 1, 2, 2, 3, 3);
  setn(&c->spec, "tlb.levels", c->levels);
  for (uint32_t l = 0; l < c->levels; l++)
    draw_level(c, &r, l, page, l ? 3 * c->entries[l - 1] : 8);
  draw_groups(c, &r);
  setn(&c->spec, "walk.fixed", 60 + rng_below(&r, 300));
  uint64_t bytes = 1ull << 30, want = 6 * c->reach[c->levels - 1] * c->entries[c->levels - 1];
  while (bytes < want) bytes *= 2;
  setn(&c->spec, "mem.bytes", bytes), setn(&c->spec, "mem.page", page);
  c->noise = (device_noise_t){.jitter_cycles = rng_below(&r, 4),
                              .outlier_ppm = rng_below(&r, 1000),
                              .outlier_cycles = 2000,
                              .seed = seed};
}

static void describe(const case_t *c, const tlb_probe_t *t, uint32_t n) {
  print_message("hierarchy %u, jitter %u:", n, c->noise.jitter_cycles);
  for (uint32_t l = 0; l < c->levels; l++)
    print_message(" %u x %llu KB (%u sets)", c->entries[l], (unsigned long long)c->reach[l] >> 10,
                  c->sets[l]);
  print_message("; found (%u %%):", t->confidence);
  for (uint32_t l = 0; l < t->levels; l++)
    print_message(" %u x %llu KB (%u sets)", t->level[l].entries,
                  (unsigned long long)t->level[l].reach_bytes >> 10, t->level[l].shape.sets);
  print_message("\n");
}

/* As it is; or without the last level, if the probe says that one as large may not show. */
static bool found(const case_t *c, const tlb_probe_t *t) {
  uint32_t last = c->levels - 1;
  bool shows = c->reach[last] * c->entries[last] <= tlb_probe_seen(t);
  if (t->levels != c->levels && (shows || t->levels != last)) return false;
  for (uint32_t l = 0; l < t->levels; l++)
    if (t->level[l].entries != c->entries[l] || t->level[l].reach_bytes != c->reach[l])
      return false;
  return true;
}

/* Every second one has near and far lines: the difference is larger than what a TLB costs. */
static void draw_partitions(case_t *c, uint32_t n) {
  if (n % 2 == 0) return;
  setn(&c->spec, "noc.partitions", 2 + n % 4 / 2);
  setn(&c->spec, "noc.far", 10 + n % 90);
}

static bool one(uint64_t seed, uint32_t n) {
  case_t c;
  draw(&c, rng_mix(seed * 1000 + n));
  draw_partitions(&c, n);
  device_t *d = sim(&c.spec, &c.noise);
  tlb_probe_t t = probed(d);
  bool right = found(&c, &t);
  if (!right || getenv("GMMU_HIERARCHY")) describe(&c, &t, n);
  if (!right && t.confidence > 75)
    fail_msg("hierarchy %u of seed %llu: wrong, and sure of it", n, (unsigned long long)seed);
  tlb_probe_fini(&t);
  device_free(d);
  return right;
}

static void all_of(bool (*is_found)(uint64_t seed, uint32_t n)) {
  const char *s = getenv("GMMU_SEED"), *only = getenv("GMMU_HIERARCHY");
  uint64_t seed = s ? strtoull(s, NULL, 0) : 1;
  if (only) {
    assert_true(is_found(seed, (uint32_t)strtoul(only, NULL, 0)));
    return;
  }
  uint32_t right = 0;
  for (uint32_t n = 0; n < how_many; n++) right += is_found(seed, n);
  print_message("seed %llu: %u of %u\n", (unsigned long long)seed, right, how_many);
  assert_int_equal(right, how_many);
}

static void random_hierarchies_are_found_again(void **state) {
  (void)state;
  all_of(one);
}

/* GPCs of unequal size: a first level of an SM or of two, a second of a GPC, a third of the GPU. */
static void draw_gpcs(case_t *c, rng_t *r, uint32_t *gpc_of) {
  uint32_t unit = ONE_OF(r, 1, 2), gpcs = 2 + (uint32_t)rng_below(r, 3), sms = 0;
  char text[64] = "";
  for (uint32_t g = 0; g < gpcs; g++) {
    uint32_t size = unit * ONE_OF(r, 1, 2, 3, 4);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", g ? "; " : "", size);
    for (uint32_t i = 0; i < size; i++) gpc_of[sms++] = g;
  }
  setn(&c->spec, "gpu.sms", sms), set(&c->spec, "gpu.gpcs", text);
  put(c, 0, "group", unit);
  c->group[0] = unit;
  if (c->levels > 1) put(c, 1, "group", 0), set(&c->spec, "l2tlb.gpc", "true");
  if (c->levels > 2) put(c, 2, "group", 0);
}

static uint32_t group_of(const case_t *c, uint32_t level, uint32_t sm, const uint32_t *gpc_of) {
  if (level == 0) return sm / c->group[0];
  return level == 1 ? gpc_of[sm] : 0;
}

/* Two SMs are said to share a level if and only if they do. */
static bool groups_found(const case_t *c, const sharing_t *s, const uint32_t *gpc_of) {
  for (uint32_t l = 0; l < s->levels; l++)
    for (uint32_t a = 0; a < s->sms; a++)
      for (uint32_t b = 0; b < a; b++)
        if (!s->level[l].known || (s->level[l].group[a] == s->level[l].group[b]) !=
                                      (group_of(c, l, a, gpc_of) == group_of(c, l, b, gpc_of)))
          return false;
  return true;
}

/* The last level reaches over three quarters of the buffer, which is 15/16 of what lies in memory
 * behind the first 64 MB. But 16 pairs of pages fit, else the probe cannot tell what an entry
 * covers. */
static void little_memory(case_t *c) {
  uint32_t last = c->levels - 1;
  uint64_t unit = 16ull << 20, bytes = c->entries[last] * c->reach[last] / 3 * 4;
  if (bytes < 4 * unit) bytes = 4 * unit;
  if (bytes < 32 * c->reach[last]) bytes = 32 * c->reach[last];
  setn(&c->spec, "mem.bytes", ((bytes + (64ull << 20)) / 15 * 16 / unit + 1) * unit);
}

static bool one_of_gpcs(uint64_t drawn, uint32_t n, bool little) {
  case_t c;
  uint32_t gpc_of[32];
  sharing_t s;
  draw(&c, drawn);
  draw_partitions(&c, n);
  draw_gpcs(&c, &(rng_t){drawn + 1}, gpc_of);
  if (little) little_memory(&c);
  device_t *d = sim(&c.spec, &c.noise);
  tlb_probe_t t = probed(d);
  bool right = found(&c, &t);
  if (right) {
    s = shared(d, &t);
    right = groups_found(&c, &s, gpc_of);
    for (uint32_t l = 0; !right && l < s.levels; l++) {
      print_message("level %u:", l + 1);
      for (uint32_t i = 0; i < s.sms; i++)
        print_message(" %d", s.level[l].known ? (int)s.level[l].group[i] : -1);
      print_message("\n");
    }
    sharing_fini(&s);
  }
  if (!right || getenv("GMMU_HIERARCHY")) describe(&c, &t, n);
  tlb_probe_fini(&t);
  device_free(d);
  return right;
}

static bool one_in_much_memory(uint64_t seed, uint32_t n) {
  return one_of_gpcs(rng_mix(seed * 2000 + n), n, false);
}

static void groups_of_unequal_size_are_found_again(void **state) {
  (void)state;
  all_of(one_in_much_memory);
}

static bool one_in_little_memory(uint64_t seed, uint32_t n) {
  return one_of_gpcs(rng_mix(seed * 3000 + n), n, true);
}

static void levels_that_end_near_the_memory_are_found_again(void **state) {
  (void)state;
  all_of(one_in_little_memory);
}

/* A level that just shows (three quarters of the buffer) shows who shares it, too, whether the
 * number of its sets is a power of two of the entries or not. */
static void sharing_of_a_level_shows_where_the_level_does(void **state) {
  (void)state;
  static const uint32_t ways[] = {21, 16, 12};
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t spec = preset("k80");
    char text[64];
    setn(&spec, "gpu.sms", 8), setn(&spec, "gpu.disabled", 0);
    setn(&spec, "mem.bytes", 1ull << 30), set(&spec, "mem.page", "2M");
    setn(&spec, "tlb.levels", 2);
    setn(&spec, "l1tlb.reach", 1), setn(&spec, "l1tlb.entries", 8), setn(&spec, "l1tlb.ways", 8);
    setn(&spec, "l2tlb.reach", 1), setn(&spec, "l2tlb.entries", 16 * ways[i]);
    setn(&spec, "l2tlb.ways", ways[i]), setn(&spec, "l2tlb.victims", 0);
    setn(&spec, "l2tlb.deal", 0), setn(&spec, "l2tlb.group", 4);
    device_t *d = sim(&spec, NULL);
    tlb_probe_t t = probed(d);
    assert_int_equal(t.levels, 2);
    assert_int_equal(t.level[1].entries, 16 * ways[i]);
    assert_true(16ull * ways[i] * t.level[1].reach_bytes <= tlb_probe_seen(&t));
    sharing_t s = shared(d, &t);
    assert_true(s.level[1].known);
    groups_of(&s, 1, text, sizeof text);
    assert_string_equal(text, "0 1 2 3|4 5 6 7");
    sharing_fini(&s);
    tlb_probe_fini(&t);
    device_free(d);
  }
}

/* As on an A100, whose third level has twice the entries of the second and most of the memory: half
 * of the memory's pages would fit the second, which would answer for the third. */
static void sharing_shows_behind_a_level_of_half_the_entries(void **state) {
  (void)state;
  gpu_spec_t spec = preset("k80");
  char text[64];
  setn(&spec, "gpu.sms", 8), setn(&spec, "gpu.disabled", 0);
  setn(&spec, "mem.bytes", 1366ull << 20), set(&spec, "mem.page", "2M");
  setn(&spec, "tlb.levels", 3);
  setn(&spec, "l1tlb.reach", 1), setn(&spec, "l1tlb.entries", 8), setn(&spec, "l1tlb.ways", 8);
  for (uint32_t l = 2; l <= 3; l++) {
    char key[32];
    snprintf(key, sizeof key, "l%utlb.reach", l), setn(&spec, key, 1);
    snprintf(key, sizeof key, "l%utlb.entries", l), setn(&spec, key, 128 << (l - 1));
    snprintf(key, sizeof key, "l%utlb.ways", l), setn(&spec, key, 8);
    snprintf(key, sizeof key, "l%utlb.victims", l), setn(&spec, key, 0);
    snprintf(key, sizeof key, "l%utlb.deal", l), setn(&spec, key, 0);
    snprintf(key, sizeof key, "l%utlb.group", l), setn(&spec, key, l == 2 ? 2 : 0);
    snprintf(key, sizeof key, "l%utlb.fold", l), set(&spec, key, "true");
  }
  device_t *d = sim(&spec, NULL);
  tlb_probe_t t = probed(d);
  assert_int_equal(t.levels, 3);
  assert_int_equal(t.level[2].entries, 512);
  sharing_t s = shared(d, &t);
  assert_true(s.level[1].known && s.level[2].known);
  groups_of(&s, 1, text, sizeof text);
  assert_string_equal(text, "0 1|2 3|4 5|6 7");
  assert_int_equal(s.level[2].groups, 1);
  sharing_fini(&s);
  tlb_probe_fini(&t);
  device_free(d);
}

/* Entries that get their pages one by one: the second of a pair never hits them. */
static void an_entry_that_is_filled_page_by_page_covers_all_of_them(void **state) {
  (void)state;
  static const struct {
    const char *fold;
    uint32_t victims;
  } kinds[] = {{"false", 0}, {"true", 0}, {"false", 3}};
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t spec = preset("k80");
    setn(&spec, "gpu.sms", 2), setn(&spec, "gpu.disabled", 0);
    setn(&spec, "mem.bytes", 1ull << 30), set(&spec, "mem.page", "64K");
    setn(&spec, "tlb.levels", 3);
    setn(&spec, "l1tlb.reach", 1), setn(&spec, "l1tlb.entries", 16), setn(&spec, "l1tlb.ways", 16);
    setn(&spec, "l2tlb.reach", 4), setn(&spec, "l2tlb.entries", 64), setn(&spec, "l2tlb.ways", 8);
    setn(&spec, "l3tlb.reach", 16), setn(&spec, "l3tlb.entries", 128), setn(&spec, "l3tlb.ways", 8);
    for (uint32_t l = 2; l <= 3; l++) {
      char key[32];
      snprintf(key, sizeof key, "l%utlb.whole", l), set(&spec, key, "false");
      snprintf(key, sizeof key, "l%utlb.fold", l), set(&spec, key, kinds[i].fold);
      snprintf(key, sizeof key, "l%utlb.victims", l), setn(&spec, key, kinds[i].victims);
    }
    device_t *d = sim(&spec, NULL);
    tlb_probe_t t = probed(d);
    assert_int_equal(t.levels, 3);
    assert_int_equal(t.level[0].reach_bytes, 64 << 10);
    assert_int_equal(t.level[1].reach_bytes, 256 << 10);
    assert_int_equal(t.level[2].reach_bytes, 1 << 20);
    assert_int_equal(t.level[1].entries, 64 + kinds[i].victims);
    assert_int_equal(t.level[2].entries, 128 + kinds[i].victims);
    tlb_probe_fini(&t);
    device_free(d);
  }
}

/* As many entries as lines stay in the data cache: pairs are too few to overrun them before they
 * are two entries apart. */
static void an_entry_covers_no_more_where_lines_are_few(void **state) {
  (void)state;
  gpu_spec_t spec = preset("k80");
  setn(&spec, "gpu.sms", 2), setn(&spec, "gpu.disabled", 0);
  setn(&spec, "l2.bytes", 192 << 10);
  setn(&spec, "mem.bytes", 4ull << 30), set(&spec, "mem.page", "2M");
  setn(&spec, "tlb.levels", 2);
  setn(&spec, "l1tlb.reach", 1), setn(&spec, "l1tlb.entries", 16), setn(&spec, "l1tlb.ways", 16);
  setn(&spec, "l2tlb.reach", 1), setn(&spec, "l2tlb.entries", 512), setn(&spec, "l2tlb.ways", 8);
  setn(&spec, "l2tlb.victims", 0), set(&spec, "l2tlb.fold", "false");
  device_t *d = sim(&spec, NULL);
  tlb_probe_t t = probed(d);
  assert_int_equal(t.lines, 512);
  assert_int_equal(t.levels, 2);
  assert_int_equal(t.level[1].entries, 512);
  assert_int_equal(t.level[1].reach_bytes, 2 << 20);
  assert_true(t.level[1].confidence <= 75);
  tlb_probe_fini(&t);
  device_free(d);
}

/* Few pages give few times: without more passes for them, this seed's noise looks like a level. */
static void noise_at_few_pages_is_no_level(void **state) {
  (void)state;
  gpu_spec_t spec = preset("k80");
  setn(&spec, "gpu.sms", 2), setn(&spec, "gpu.disabled", 0);
  setn(&spec, "noc.partitions", 2), setn(&spec, "noc.far", 25);
  setn(&spec, "mem.bytes", 512ull << 20), set(&spec, "mem.page", "2M");
  setn(&spec, "tlb.levels", 1);
  setn(&spec, "l1tlb.reach", 1), setn(&spec, "l1tlb.entries", 16), setn(&spec, "l1tlb.ways", 16);
  device_noise_t noise = {.jitter_cycles = 3, .seed = 6};
  device_t *d = sim(&spec, &noise);
  tlb_probe_t t = probed(d);
  assert_int_equal(t.levels, 1);
  assert_int_equal(t.level[0].entries, 16);
  tlb_probe_fini(&t);
  device_free(d);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_hierarchies_are_found_again),
      cmocka_unit_test(groups_of_unequal_size_are_found_again),
      cmocka_unit_test(levels_that_end_near_the_memory_are_found_again),
      cmocka_unit_test(an_entry_that_is_filled_page_by_page_covers_all_of_them),
      cmocka_unit_test(an_entry_covers_no_more_where_lines_are_few),
      cmocka_unit_test(noise_at_few_pages_is_no_level),
      cmocka_unit_test(sharing_shows_behind_a_level_of_half_the_entries),
      cmocka_unit_test(sharing_of_a_level_shows_where_the_level_does),
  };
  if (argc > 1) how_many = (uint32_t)strtoul(argv[1], NULL, 10);
  if (argc > 2) cmocka_set_test_filter(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
