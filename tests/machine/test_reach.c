/* Chips of today: random loads over a footprint inside the reach of a TLB hit it, over twice as
 * much they miss it half of the time. Reach is what the preset says: entries times what an entry
 * covers of pages of 2 MB. */
#include "help.h"

#define PAGE2 (2 * MB)

/* The chip with one GPC of few SMs: TLBs are those of the GPU. */
static gpu_spec_t chip(const char *name) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  assert_int_equal(gpu_spec_load(&s, "gpu", name, &e), 0);
  assert_int_equal(gpu_spec_load(&s, "design", "native", &e), 0);
  setn(&s, "gpu.sms", 2);
  set(&s, "gpu.gpcs", "2");
  return s;
}

static uint64_t reach(const gpu_spec_t *s, uint32_t level) {
  return s->tlb_level[level].entries * PAGE2 * s->tlb_level[level].reach;
}

/* Misses of a level in percent of the look-ups of the run's second half: the first warms. */
static uint64_t miss_percent(const gpu_spec_t *spec, uint32_t level, uint64_t footprint) {
  char text[96];
  snprintf(text, sizeof text, "gather:footprint=%llu,blocks=2,warps=8,steps=64,launches=2",
           (unsigned long long)footprint);
  source_t *source = generator(text);
  gpu_t *g = machine(spec, &source, 1);
  const gpu_limits_t limits = {.no_relaunch = true};
  const tlb_stats_t *t = &g->tlb.level[level].stats[0];
  tlb_stats_t half = {0};
  err_t e = {0};
  int over = 0;
  while (!over) {
    over = gpu_run(g, &limits, gpu_cycles(g) + 1000, &e);
    if (over < 0) fail_msg("%s", e.text);
    if (g->share.app[0].launches < 2) half = *t;
  }
  assert_true(t->lookups > half.lookups);
  uint64_t percent = 100 * (t->misses - half.misses) / (t->lookups - half.lookups);
  gpu_free(g);
  source->ops->free(source);
  return percent;
}

static void has_steps(const char *name) {
  gpu_spec_t s = chip(name);
  for (uint32_t level = 0; level < 2; level++) {
    uint64_t inside = reach(&s, level) / 4 * 3, outside = reach(&s, level) * 2;
    if (outside > s.memory.memory_bytes / 10 * 9) outside = s.memory.memory_bytes / 10 * 9;
    uint64_t hits = miss_percent(&s, level, inside), misses = miss_percent(&s, level, outside);
    print_message("%s, level %u: %llu %% of the look-ups miss over %llu MB, %llu %% over %llu MB\n",
                  name, level + 1, (unsigned long long)hits, (unsigned long long)(inside / MB),
                  (unsigned long long)misses, (unsigned long long)(outside / MB));
    if (hits > 5 || misses < 30) fail_msg("%s, level %u", name, level + 1);
  }
}

static void a100_has_its_steps(void **state) {
  (void)state;
  has_steps("a100");
}
static void h100_has_its_steps(void **state) {
  (void)state;
  has_steps("h100");
}
static void mi210_has_its_steps(void **state) {
  (void)state;
  has_steps("mi210");
}
static void mi300x_has_its_steps(void **state) {
  (void)state;
  has_steps("mi300x");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a100_has_its_steps),
      cmocka_unit_test(h100_has_its_steps),
      cmocka_unit_test(mi210_has_its_steps),
      cmocka_unit_test(mi300x_has_its_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
