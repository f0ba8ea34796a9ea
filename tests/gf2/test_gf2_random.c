/* Random spaces of ten bits, small enough to be compared vector by vector. */
#include "../base/unit.h"
#include "base/rng.h"
#include "gf2/gf2.h"

#define BITS   10
#define ALL    ((1u << BITS) - 1)
#define ROUNDS 2000

typedef struct {
  uint8_t in[1u << BITS];
} members_t;

static members_t members_of(const uint64_t *v, uint32_t count) {
  members_t m = {{0}};
  for (uint32_t pick = 0; pick < 1u << count; pick++) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) sum ^= pick >> i & 1 ? v[i] : 0;
    m.in[sum] = 1;
  }
  return m;
}

static void same(const gf2_space_t *s, const uint8_t in[1u << BITS], const char *what) {
  uint32_t count = 0;
  for (uint32_t x = 0; x <= ALL; x++) {
    count += in[x];
    if (gf2_has(s, x) != in[x])
      fail_msg("GMMU_SEED=%llu: %s: %u", (unsigned long long)test_seed(), what, x);
  }
  assert_int_equal(count, 1u << s->rank);
}

static uint32_t random_vectors(rng_t *r, uint64_t v[8]) {
  uint32_t n = rng_below(r, 8);
  for (uint32_t i = 0; i < n; i++) v[i] = rng_next(r) & rng_next(r) & ALL;
  return n;
}

static void spaces_have_the_members_they_should(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint64_t v[8], w[8];
    uint32_t n = random_vectors(&r, v), k = random_vectors(&r, w), shift = rng_below(&r, BITS);
    members_t a = members_of(v, n), b = members_of(w, k), both = a, null = {{0}}, above = a;
    gf2_space_t sa, sb, got;
    gf2_span(&sa, v, n);
    gf2_span(&sb, w, k);
    same(&sa, a.in, "span");
    for (uint32_t x = 0; x <= ALL; x++) {
      both.in[x] &= b.in[x];
      above.in[x] &= !(x & ((1u << shift) - 1));
      null.in[x] = 1;
      for (uint32_t i = 0; i < n; i++) null.in[x] &= !gf2_parity(v[i] & x);
    }
    gf2_meet(&sa, &sb, &got);
    same(&got, both.in, "meet");
    gf2_null(&sa, ALL, &got);
    same(&got, null.in, "null");
    gf2_above(&sa, shift, &got);
    same(&got, above.in, "above");
    gf2_sum(&sa, &sb, &got);
    assert_true(gf2_within(&sa, &got) && gf2_within(&sb, &got));
    gf2_meet(&sa, &sb, &sb);
    assert_true(gf2_within(&sb, &sa));
  }
}

static void the_form_does_not_depend_on_the_list(void **state) {
  (void)state;
  rng_t r = {test_seed()};
  for (uint32_t round = 0; round < ROUNDS; round++) {
    uint64_t v[8], mixed[16];
    uint32_t n = random_vectors(&r, v);
    for (uint32_t i = 0; i < 16; i++) {
      mixed[i] = 0;
      for (uint32_t k = 0; k < n; k++) mixed[i] ^= rng_next(&r) & 1 ? v[k] : 0;
    }
    gf2_space_t a, b;
    gf2_span(&a, v, n);
    gf2_span(&b, mixed, 16);
    assert_true(gf2_within(&b, &a));
    if (a.rank == b.rank) assert_memory_equal(&a, &b, sizeof a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spaces_have_the_members_they_should),
      cmocka_unit_test(the_form_does_not_depend_on_the_list),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
