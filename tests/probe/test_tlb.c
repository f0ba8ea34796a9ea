/* What TLBs need to be like those of real GPUs: entries beside the sets, whole fills, folded set
 * indices, groups with deactivated SMs. */
#include "help.h"

#include "tlb/tlb.h"

static tlb_t make(uint32_t entries, uint32_t ways, uint32_t victims, uint32_t reach) {
  tlb_spec_t spec = {
      .entries = entries, .ways = ways, .victims = victims, .reach = reach, .replacement = "lru"};
  tlb_t t;
  assert_int_equal(tlb_init(&t, &spec, 9, NULL), 0);
  return t;
}

static bool there(tlb_t *t, uint64_t vpn, uint64_t want) {
  ppn_t ppn = {0};
  bool large = true;
  if (!tlb_lookup(t, 1, (vpn_t){vpn}, &ppn, &large)) return false;
  assert_false(large);
  assert_int_equal(ppn.v, want);
  return true;
}

static bool fill(tlb_t *t, uint64_t vpn) {
  tlb_victim_t v;
  tlb_fill(t, 1, (vpn_t){vpn}, (ppn_t){vpn + 100}, false, &v);
  assert_true(tlb_check(t));
  return v.any;
}

static void what_a_set_displaces_stays_beside_it(void **state) {
  (void)state;
  tlb_t t = make(4, 2, 1, 1);
  for (uint64_t p = 0; p <= 4; p += 2)
    assert_false(fill(&t, p)); /* three pages of one set of two */
  for (uint64_t p = 0; p <= 4; p += 2) assert_true(there(&t, p, p + 100));
  assert_true(fill(&t, 6)); /* now one has to go */
  assert_false(there(&t, 0, 100));
  assert_true(tlb_check(&t));
  tlb_fini(&t);
}

static void an_entry_beside_the_sets_keeps_all_its_pages(void **state) {
  (void)state;
  tlb_t t = make(2, 1, 1, 4);
  fill(&t, 0), fill(&t, 3); /* two pages of one entry */
  fill(&t, 8);              /* the same set: the entry moves */
  assert_true(there(&t, 3, 103));
  assert_true(there(&t, 0, 100));
  assert_false(there(&t, 1, 0));
  fill(&t, 9); /* a page of the entry that is beside the set now */
  assert_true(there(&t, 8, 108));
  assert_true(there(&t, 9, 109));
  assert_true(tlb_check(&t));
  tlb_fini(&t);
}

static void invalidation_reaches_the_entries_beside_the_sets(void **state) {
  (void)state;
  tlb_t t = make(2, 1, 2, 1);
  fill(&t, 0), fill(&t, 2), fill(&t, 4);
  assert_true(tlb_holds(&t, 1, (vpn_t){0}));
  assert_int_equal(tlb_invalidate(&t, 1, (vpn_t){0}, 3, NULL, NULL), 2);
  assert_false(there(&t, 0, 100));
  assert_false(there(&t, 2, 102));
  assert_false(tlb_holds(&t, 1, (vpn_t){0}));
  assert_true(there(&t, 4, 104));
  tlb_fini(&t);
}

static void a_folded_index_is_the_xor_of_groups_of_bits(void **state) {
  (void)state;
  for (uint64_t page = 1; page < 1ull << 40; page = page * 3 + 1) {
    uint64_t want = 0;
    for (uint32_t bit = 0; bit < 48; bit++) want ^= (page >> bit & 1) << bit % 7;
    assert_int_equal(tlb_fold(tlb_key(3, page), 128) & 127, want);
  }
}

static void a_group_behind_the_last_cannot_change_places(void **state) {
  (void)state;
  gpu_spec_t s = preset("p100");
  setn(&s, "gpu.swapped", 55);
  device_t *d = sim(&s, NULL);
  uint64_t at = 0;
  chase_t c = {.at = &at, .count = 1, .warm = 1};
  err_t e = {0};
  assert_true(device_run(d, &c, 1, &e) < 0);
  assert_non_null(strstr(e.text, "gpu.swapped"));
  device_free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_set_displaces_stays_beside_it),
      cmocka_unit_test(an_entry_beside_the_sets_keeps_all_its_pages),
      cmocka_unit_test(invalidation_reaches_the_entries_beside_the_sets),
      cmocka_unit_test(a_folded_index_is_the_xor_of_groups_of_bits),
      cmocka_unit_test(a_group_behind_the_last_cannot_change_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
