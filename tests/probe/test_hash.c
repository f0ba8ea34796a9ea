/* Hash functions of simulated GPUs, found by the kernels of `gmmu probe hash` with 1 % outliers and
 * jitter: exact row spaces and sizes. test_probe_hash [random GPUs [presets]]; GMMU_GPU=7 asks the
 * seventh of the random ones only, counted from 0. */
#include "../base/unit.h"
#include "base/bitlist.h"
#include "help.h"
#include "probe/asker.h"
#include "solver/solver.h"
#include <time.h>

static uint32_t how_many = 3, wrong; /* GPUs asked for; mistakes in one test */
static bool presets, noisy = true;

/* ---- GPUs ---- */

/* A function with its lowest bit where it is told. */
static uint64_t function(rng_t *r, uint32_t lowest, uint32_t bits) {
  return 1ull << lowest | (rng_next(r) & rng_next(r) & ((1ull << bits) - (2ull << lowest)));
}

static void mix(rng_t *r, bitlist_t *l) {
  for (uint32_t i = 0; i < 3 * l->count; i++) {
    uint32_t a = rng_below(r, l->count), b = rng_below(r, l->count);
    if (a != b) l->mask[a] ^= l->mask[b];
  }
}

typedef struct {
  uint32_t bits, modules, banks, sets; /* log2; banks and sets of a module */
  uint32_t ways, line_bytes, row_bytes, mshrs;
} shape_of_t;

static void functions_of(rng_t *r, const shape_of_t *x, addrmap_spec_t *map) {
  uint32_t lowest = (uint32_t)__builtin_ctz(x->line_bytes), bit = lowest + 2 + rng_below(r, 2);
  *map = (addrmap_spec_t){.kind = "hash"};
  for (uint32_t i = 0; i < x->modules; i++)
    map->bank.mask[i] = map->set.mask[i] = function(r, bit++, x->bits);
  map->bank.count = map->set.count = x->modules;
  for (uint32_t i = 0; i < x->banks; i++)
    map->bank.mask[map->bank.count++] = function(r, ++bit, x->bits);
  for (uint32_t i = 0; i < x->sets; i++)
    map->set.mask[map->set.count++] = function(r, i < 2 ? lowest + i : ++bit, x->bits);
  mix(r, &map->bank);
  mix(r, &map->set);
}

static bool as_meant(const shape_of_t *x, const addrmap_spec_t *map) {
  gf2_space_t bank, set, module;
  uint32_t banks = gf2_span(&bank, map->bank.mask, map->bank.count);
  uint32_t sets = gf2_span(&set, map->set.mask, map->set.count);
  gf2_meet(&bank, &set, &module);
  return banks == map->bank.count && sets == map->set.count && module.rank == x->modules;
}

/* The chip around the functions is a small GTX 1080. */
static gpu_spec_t random_gpu(rng_t *r, bool small) {
  gpu_spec_t s = preset("gtx1080-fgpu");
  shape_of_t x = {.bits = 30 + rng_below(r, small ? 2 : 5),
                  .modules = rng_below(r, small ? 3 : 6),
                  .banks = 2 + rng_below(r, 3),
                  .sets = 3 + rng_below(r, small ? 2 : 5),
                  .ways = 4 + rng_below(r, small ? 13 : 29),
                  .line_bytes = 64u << rng_below(r, 3),
                  .row_bytes = 1024u << rng_below(r, 3),
                  .mshrs = 6 + rng_below(r, 27)};
  do functions_of(r, &x, &s.map);
  while (!as_meant(&x, &s.map));
  setn(&s, "gpu.sms", 2);
  setn(&s, "gpu.line", x.line_bytes);
  setn(&s, "mem.bytes", 1ull << x.bits);
  setn(&s, "dram.channels", 1u << x.modules);
  setn(&s, "dram.banks", 1u << x.banks);
  setn(&s, "dram.row_bytes", x.row_bytes);
  setn(&s, "l2.ways", x.ways);
  setn(&s, "l2.mshrs", x.mshrs);
  setn(&s, "l2.bytes", (uint64_t)x.ways * x.line_bytes << (x.sets + x.modules));
  return s;
}

/* ---- what is found ---- */

#define MOST_SECONDS 300 /* of a processor, for all functions of a GPU */

static solver_report_t solve(const gpu_spec_t *s) {
  clock_t begin = clock();
  device_noise_t noise = {10, 10000, 3000, test_seed()};
  device_t *d = sim(s, noisy ? &noise : NULL);
  asker_t asker;
  oracle_t o = asker_oracle(&asker, d, test_seed());
  solver_report_t r = {0};
  err_t e = {0};
  if (solver_run(&o, test_seed(), &r, &e) < 0) fail_msg("%s", e.text);
  device_free(d);
  assert_true((clock() - begin) / CLOCKS_PER_SEC < MOST_SECONDS);
  return r;
}

#define SAME(got, want)                                                                            \
  if ((got) != (want)) {                                                                           \
    print_message("GMMU_SEED=%llu, %s: %s is %llu, not %llu\n", (unsigned long long)test_seed(),   \
                  name, #got, (unsigned long long)(got), (unsigned long long)(want));              \
    wrong++;                                                                                       \
    return;                                                                                        \
  }

static void exact(const gpu_spec_t *s, const char *name) {
  gf2_space_t bank, set, module;
  solver_report_t r = solve(s);
  gf2_span(&bank, s->map.bank.mask, s->map.bank.count);
  gf2_span(&set, s->map.set.mask, s->map.set.count);
  gf2_meet(&bank, &set, &module);
  SAME(r.bank.verdict, SOLVED);
  SAME(r.set.verdict, SOLVED);
  SAME(gf2_equal(&r.bank.space, &bank), 1);
  SAME(gf2_equal(&r.set.space, &set), 1);
  SAME(gf2_equal(&r.module, &module), 1);
  SAME(r.modules.value, s->dram.channels);
  SAME(r.banks.value, (uint64_t)s->dram.channels * s->dram.banks);
  SAME(r.row_bytes.value, s->dram.row_bytes);
  SAME(r.sector_bytes.value, 32);
  SAME(r.line_bytes.value, s->core.line_bytes);
  SAME(r.ways.value, s->l2.ways);
  SAME(r.l2_bytes.value, s->l2.bytes);
  SAME(r.mshrs.value, s->l2.mshrs);
}

static void functions_of_random_gpus_are_found(void **state) {
  (void)state;
  wrong = 0;
  rng_t rng = {test_seed()};
  const char *only = getenv("GMMU_GPU");
  for (uint32_t i = 0; i < how_many; i++) {
    gpu_spec_t s = random_gpu(&rng, how_many <= 3);
    char name[128];
    if (only && strtoul(only, NULL, 10) != i) continue;
    snprintf(name, sizeof name,
             "GPU %u: %u modules, %u banks each, rows of %u, L2 of %llu KB, %u ways, lines of %u",
             i, s.dram.channels, s.dram.banks, s.dram.row_bytes,
             (unsigned long long)s.l2.bytes >> 10, s.l2.ways, s.core.line_bytes);
    print_message("%s\n", name);
    clock_t begin = clock();
    exact(&s, name);
    print_message("  %u s\n", (unsigned)((clock() - begin) / CLOCKS_PER_SEC));
  }
  assert_int_equal(wrong, 0);
}

/* The same without noise: what is a little slower must not be taken for what is slow. */
static void times_without_noise_are_no_trap(void **state) {
  (void)state;
  wrong = 0;
  rng_t rng = {test_seed() + 100};
  gpu_spec_t s = random_gpu(&rng, true);
  noisy = false;
  exact(&s, "without noise");
  noisy = true;
  assert_int_equal(wrong, 0);
}

/* ---- what is no XOR ---- */

static gpu_spec_t other_map(uint32_t channels) {
  gpu_spec_t s = preset("gtx1080-fgpu");
  s.map = (addrmap_spec_t){.kind = "fine"};
  setn(&s, "gpu.sms", 2);
  setn(&s, "mem.bytes", (uint64_t)channels << 28);
  setn(&s, "dram.channels", channels);
  setn(&s, "dram.banks", 4);
  setn(&s, "l2.ways", 8);
  setn(&s, "l2.bytes", 8ull * 128 * 16 * channels);
  return s;
}

static void three_channels_have_no_functions(void **state) {
  (void)state;
  gpu_spec_t s = other_map(3);
  solver_report_t r = solve(&s);
  assert_true(r.bank.verdict != SOLVED);
  assert_true(r.set.verdict != SOLVED);
  assert_int_equal(r.banks.value + r.sets.value + r.modules.value + r.mshrs.value, 0);
}

/* Four channels of the usual map are XORs (of one bit each), and are found without being told. */
static void the_usual_map_of_four_channels_is_found(void **state) {
  (void)state;
  gpu_spec_t s = other_map(4);
  solver_report_t r = solve(&s);
  assert_int_equal(r.bank.verdict, SOLVED);
  assert_int_equal(r.set.verdict, SOLVED);
  assert_int_equal(r.modules.value, 4);
  assert_int_equal(r.banks.value, 16);
  assert_int_equal(r.sets.value, 64);
  assert_int_equal(r.row_bytes.value, 2048);
}

static void functions_of_the_presets_are_found(void **state) {
  (void)state;
  wrong = 0;
  static const char *const names[] = {"gtx1080-fgpu", "v100-fgpu"};
  for (uint32_t i = 0; i < 2 && presets; i++) {
    gpu_spec_t s = preset(names[i]);
    exact(&s, names[i]);
  }
  assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) how_many = (uint32_t)strtoul(argv[1], NULL, 10);
  presets = argc > 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_random_gpus_are_found),
      cmocka_unit_test(times_without_noise_are_no_trap),
      cmocka_unit_test(three_channels_have_no_functions),
      cmocka_unit_test(the_usual_map_of_four_channels_is_found),
      cmocka_unit_test(functions_of_the_presets_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
