/* A cache of rows and one of separate tags are the same cache: what they find, whom they evict, and
 * what they remember of each line. */
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
  cache_t rows, tags;
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

/* Line numbers of more than 32 bits are what rows cannot hold. */
static void make(pair_t *p, rng_t *r) {
  err_t e;
  uint32_t sets = 1u << rng_below(r, 4), ways = 1 + rng_below(r, 16), shift = rng_below(r, 3);
  assert_int_equal(cache_init(&p->rows, sets, ways, shift, UINT32_MAX, "lru", &e), 0);
  assert_int_equal(cache_init(&p->tags, sets, ways, shift, 1ull << 33, "lru", &e), 0);
  assert_true(p->rows.row && !p->tags.row);
}

static void fill(pair_t *p, rng_t *r, uint64_t line) {
  uint8_t valid = (uint8_t)(1 + rng_below(r, 255)), dirty = valid & (uint8_t)rng_next(r);
  uint8_t app = (uint8_t)rng_below(r, 16);
  cache_victim_t a = cache_fill(&p->rows, line, valid, dirty, app);
  cache_victim_t b = cache_fill(&p->tags, line, valid, dirty, app);
  if (a.entry != b.entry || (a.entry && a.line != b.line)) wrong(p, "victim", line);
}

static void step(pair_t *p, rng_t *r) {
  uint64_t line = rng_below(r, 10) ? rng_below(r, 200) : UINT32_MAX - 1 - rng_below(r, 50);
  bool use = rng_below(r, 2);
  uint32_t *a = use ? cache_use(&p->rows, line) : cache_find(&p->rows, line);
  uint32_t *b = use ? cache_use(&p->tags, line) : cache_find(&p->tags, line);
  if (!a != !b || (a && *a != *b)) wrong(p, "entry", line);
  uint8_t valid = (uint8_t)rng_next(r), dirty = valid & (uint8_t)rng_next(r);
  if (a)
    cache_add(a, valid, dirty), cache_add(b, valid, dirty);
  else if (rng_below(r, 4))
    fill(p, r, line);
  if (rng_below(r, 1000)) return;
  cache_invalidate_all(&p->rows);
  cache_invalidate_all(&p->tags);
}

static void rows_and_tags_are_the_same_cache(void **state) {
  (void)state;
  pair_t p = {.seed = seed_of_run()};
  rng_t r = {p.seed};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    make(&p, &r);
    for (uint32_t i = 0; i < STEPS; i++) {
      step(&p, &r);
      if (i % 64 == 0 && !(cache_check(&p.rows) && cache_check(&p.tags))) wrong(&p, "check", i);
    }
    cache_fini(&p.rows);
    cache_fini(&p.tags);
  }
}

static void add_one(void *ctx, uint32_t entry) { *(uint64_t *)ctx += entry; }

static void each_sees_every_line(void **state) {
  (void)state;
  cache_t c;
  err_t e;
  uint64_t sum = 0;
  assert_int_equal(cache_init(&c, 2, 3, 0, 1000, "lru", &e), 0);
  for (uint64_t line = 0; line < 5; line++) cache_fill(&c, line, 1, 0, 0);
  cache_each(&c, add_one, &sum);
  assert_int_equal(sum, 5);
  cache_fini(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_and_tags_are_the_same_cache),
      cmocka_unit_test(each_sees_every_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
