/* A device that answers nonsense is not believed, and the probe comes to its end. */
#include "help.h"

#include "base/rng.h"

typedef enum { RANDOM, CONSTANT, NEGATIVE, HUGE_TIMES, STEPS, KINDS } kind_t;

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nonsense_is_not_believed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
