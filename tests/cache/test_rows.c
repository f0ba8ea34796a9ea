/* A cache of rows, or a wide one, and one of separate tags are the same cache: what they find, whom
 * they evict, and what they remember of each line. */
#include "base/rng.h"
#include "cache/cache.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUNDS 64
#define STEPS  3000

typedef struct {
  cache_t fast, tags; /* fast: rows or wide */
  arrays_t arrays;
  uint64_t seed;
} pair_t;

static uint64_t seed_of_run(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

static void wrong(const pair_t *p, const char *what, uint64_t line) {
  fail_msg("GMMU_SEED=%llu: %s of line %#llx", (unsigned long long)p->seed, what,
           (unsigned long long)line);
}

/* Line numbers of more than 32 bits are what only tags can hold. */
static void make(pair_t *p, rng_t *r, bool wide) {
  err_t e;
  uint32_t sets = 1u << rng_below(r, 4), ways = wide ? 17 + rng_below(r, 48) : 1 + rng_below(r, 16),
           shift = rng_below(r, 3);
  assert_int_equal(cache_init(&p->fast, sets, ways, shift, UINT32_MAX, "lru", &p->arrays, &e), 0);
  assert_int_equal(cache_init(&p->tags, sets, ways, shift, 1ull << 33, "lru", &p->arrays, &e), 0);
  assert_true(wide ? p->fast.way != NULL : p->fast.row != NULL);
  assert_true(!p->tags.row && !p->tags.way);
}

static void fill(pair_t *p, rng_t *r, uint64_t line) {
  uint8_t valid = (uint8_t)(1 + rng_below(r, 255)), dirty = valid & (uint8_t)rng_next(r);
  uint8_t app = (uint8_t)rng_below(r, 16);
  cache_victim_t a = cache_fill(&p->fast, line, valid, dirty, app);
  cache_victim_t b = cache_fill(&p->tags, line, valid, dirty, app);
  if (a.entry != b.entry || (a.entry && a.line != b.line)) wrong(p, "victim", line);
}

static void step(pair_t *p, rng_t *r) {
  uint64_t line =
      rng_below(r, 10) ? rng_below(r, p->fast.way ? 1000 : 200) : UINT32_MAX - 1 - rng_below(r, 50);
  bool use = rng_below(r, 2);
  cache_shape_t shape = rng_below(r, 2) ? cache_shape(&p->fast) : CACHE_ANY;
  uint32_t *a = use ? cache_use(&p->fast, line, shape) : cache_find(&p->fast, line);
  uint32_t *b = use ? cache_use(&p->tags, line, CACHE_ANY) : cache_find(&p->tags, line);
  if (!a != !b || (a && *a != *b)) wrong(p, "entry", line);
  uint8_t valid = (uint8_t)rng_next(r), dirty = valid & (uint8_t)rng_next(r);
  if (a)
    cache_add(a, valid, dirty), cache_add(b, valid, dirty);
  else if (rng_below(r, 4))
    fill(p, r, line);
  if (rng_below(r, 1000)) return;
  cache_invalidate_all(&p->fast);
  cache_invalidate_all(&p->tags);
}

static void every_layout_is_the_same_cache(void **state) {
  (void)state;
  pair_t p = {.seed = seed_of_run()};
  rng_t r = {p.seed};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    make(&p, &r, round % 2);
    for (uint32_t i = 0; i < STEPS; i++) {
      step(&p, &r);
      if (i % 64 == 0 && !(cache_check(&p.fast) && cache_check(&p.tags))) wrong(&p, "check", i);
    }
    cache_fini(&p.fast);
    cache_fini(&p.tags);
    arrays_free(&p.arrays);
  }
}

static void add_one(void *ctx, uint32_t entry) { *(uint64_t *)ctx += entry; }

static void each_sees_every_line(void **state) {
  (void)state;
  arrays_t arrays = {0};
  cache_t c;
  err_t e;
  uint64_t sum = 0;
  for (uint32_t ways = 3; ways <= 24; ways += 21) {
    assert_int_equal(cache_init(&c, 2, ways, 0, 1000, "lru", &arrays, &e), 0);
    for (uint64_t line = 0; line < 5; line++) cache_fill(&c, line, 1, 0, 0);
    sum = 0;
    cache_each(&c, add_one, &sum);
    assert_int_equal(sum, 5);
    cache_fini(&c);
  }
  arrays_free(&arrays);
}

/* Ways of a wide cache have numbers of 16 bits: with more of them tags are kept apart. */
static void too_many_ways_are_not_wide(void **state) {
  (void)state;
  arrays_t arrays = {0};
  cache_t c;
  err_t e = {0};
  assert_int_equal(cache_init(&c, 2048, 31, 0, UINT32_MAX, "lru", &arrays, &e), 0);
  assert_non_null(c.way);
  cache_fini(&c);
  assert_int_equal(cache_init(&c, 2048, 32, 0, UINT32_MAX, "lru", &arrays, &e), 0);
  assert_null(c.way);
  for (uint64_t line = 0; line < 2 * 65536; line++) {
    cache_victim_t v = cache_fill(&c, line, 1, 0, 0);
    assert_int_equal(v.entry != 0, line >= 65536);
  }
  for (uint64_t line = 0; line < 2 * 65536; line++)
    assert_int_equal(cache_find(&c, line) != NULL, line >= 65536);
  assert_true(cache_check(&c));
  cache_fini(&c);
  arrays_free(&arrays);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout_is_the_same_cache),
      cmocka_unit_test(too_many_ways_are_not_wide),
      cmocka_unit_test(each_sees_every_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
