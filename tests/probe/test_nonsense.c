/* A device that answers nonsense is not believed, and the probe comes to its end. */
#include "help.h"

#include "base/rng.h"
#include "probe/isolation.h"
#include <stdlib.h>

typedef enum { RANDOM, CONSTANT, NEGATIVE, HUGE_TIMES, ENDLESS, STEPS, KINDS } kind_t;

typedef struct {
  device_t base;
  kind_t kind;
  rng_t rng;
  uint64_t asked;
} nonsense_t;

static int64_t answer(nonsense_t *n) {
  switch (n->kind) {
  case RANDOM: return rng_below(&n->rng, 2000);
  case CONSTANT: return 300;
  case NEGATIVE: return -(int64_t)rng_below(&n->rng, 500);
  case HUGE_TIMES: return rng_next(&n->rng) & 1 ? INT64_MAX : INT64_MIN;
  case ENDLESS: return INT64_MAX - rng_below(&n->rng, 1000);
  default: return 100 + (int64_t)(n->asked++ >> 12);
  }
}

static int run(device_t *d, const chase_t *c, uint32_t chases, err_t *e) {
  nonsense_t *n = (nonsense_t *)(void *)d;
  (void)e;
  for (uint32_t i = 0; i < chases; i++)
    for (uint32_t k = 0; k < c[i].timed * device_samples(d, c[i].count); k++)
      c[i].time[k] = answer(n);
  return 0;
}

static void keep(device_t *d) { (void)d; }
static const device_ops_t ops = {.name = "nonsense", .run = run, .free = keep};

static void is_not_believed(kind_t kind, uint32_t grain) {
  nonsense_t n = {.base = {.ops = &ops,
                           .info = {.name = "nonsense",
                                    .sms = 6,
                                    .bytes = 8ull << 30,
                                    .line_bytes = 128,
                                    .grain = grain,
                                    .step_bytes = 4096}},
                  .kind = kind,
                  .rng = {kind + 1}};
  tlb_probe_t t = probed(&n.base);
  if (t.confidence > 60) fail_msg("kind %d, grain %u: %u %%", kind, grain, t.confidence);
  sharing_t s = shared(&n.base, &t);
  for (uint32_t l = 0; l < s.levels; l++) {
    char words[64];
    sharing_words(&s, l, words, sizeof words);
    assert_true(words[0] != 0);
  }
  sharing_fini(&s);
  tlb_probe_fini(&t);
}

static void nonsense_is_not_believed(void **state) {
  (void)state;
  for (kind_t k = RANDOM; k < KINDS; k++) is_not_believed(k, 1), is_not_believed(k, 0);
}

/* Functions as a solver finds them, and a device whose times have nothing to do with them. */
static void measure_isolation(kind_t kind) {
  gpu_spec_t gpu = preset("gtx1080-fgpu");
  nonsense_t n = {.base = {.ops = &ops,
                           .info = {.name = "nonsense",
                                    .sms = 20,
                                    .bytes = 8ull << 30,
                                    .line_bytes = 128,
                                    .grain = 1,
                                    .step_bytes = 4096,
                                    .contiguous = true}},
                  .kind = kind,
                  .rng = {kind + 1}};
  solver_report_t f = {.modules = {.value = 8}, .line_bytes = {.value = 128}};
  isolation_options_t o = {.seed = 1};
  isolation_t x;
  err_t e = {0};
  gf2_span(&f.bank.space, gpu.map.bank.mask, gpu.map.bank.count);
  gf2_span(&f.set.space, gpu.map.set.mask, gpu.map.set.count);
  gf2_meet(&f.bank.space, &f.set.space, &f.module);
  f.bank.verdict = f.set.verdict = SOLVED;
  if (isolation_probe(&n.base, &f, &o, &x, &e) < 0) fail_msg("kind %d: %s", kind, e.text);
  for (uint32_t c = 0; c < ISO_CASES; c++)
    for (uint32_t i = 0; i <= x.others; i++) assert_in_range(llabs(x.time[c][i]), 0, 100ll << 32);
  assert_in_range(x.knee, 0, x.others);
  if (kind == CONSTANT) assert_int_equal(isolation_ratio(&x), 100);
  if (kind == ENDLESS) assert_int_equal(x.alone, 100ll << 32); /* and no sum that wrapped */
  if (kind == NEGATIVE) assert_int_equal(isolation_ratio(&x), 0);
}

static void isolation_of_nonsense_stays_in_bounds(void **state) {
  (void)state;
  for (kind_t k = RANDOM; k < KINDS; k++) measure_isolation(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nonsense_is_not_believed),
                                     cmocka_unit_test(isolation_of_nonsense_stays_in_bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
