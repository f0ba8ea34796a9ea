/* TLB-fill tokens alone: what the policy says to a machine that tells it all it wants to hear. */
#include "machine/unit.h"
#include "tlb/fill.h"

#define SMS   3
#define WARPS 10
#define APPS  2
#define ALL   ((1ull << WARPS) - 1)

typedef struct {
  tokens_spec_t spec;
  fill_env_t env;
  void *state;
  uint64_t now;
} lab_t;

/* Options at the paper's values, two applications, a last level of two TLBs. */
static lab_t *lab_new(uint32_t levels, uint32_t entries) {
  lab_t *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->spec = (tokens_spec_t){80, 2, 10, false, entries};
  l->env = (fill_env_t){.sms = SMS,
                        .warps = WARPS,
                        .apps = APPS,
                        .levels = levels,
                        .instances = 2,
                        .large_pages_shift = 9,
                        .tokens = &l->spec};
  l->state = calloc(1, fill_tokens.state_bytes(&l->env));
  assert_non_null(l->state);
  fill_tokens.init(l->state, &l->env);
  return l;
}

static void lab_free(lab_t *l) {
  free(l->state);
  free(l);
}

static fill_ctx_t ctx(uint32_t level, uint32_t sm, uint32_t warp, uint32_t app, uint64_t page) {
  return (fill_ctx_t){.level = level,
                      .sm = (uint16_t)sm,
                      .warp = (uint8_t)warp,
                      .asid = (asid_t)app,
                      .vpn = {page}};
}

static void slots(lab_t *l, uint32_t app, uint32_t sm, uint64_t mask) {
  fill_tokens.slots(l->state, (asid_t)app, sm, mask);
}
static void all_slots(lab_t *l, uint32_t app, uint64_t mask) {
  for (uint32_t i = 0; i < SMS; i++) slots(l, app, i, mask);
}

/* An epoch in which `misses` of `lookups` miss in the last level. */
static void epoch(lab_t *l, uint32_t app, uint32_t lookups, uint32_t misses) {
  fill_ctx_t c = ctx(l->env.levels - 1, 0, 0, app, 0);
  for (uint32_t i = 0; i < lookups; i++) fill_tokens.looked_up(l->state, &c, i >= misses);
  l->now += 1000;
  fill_tokens.epoch(l->state, l->now);
}

static bool fills(const lab_t *l, uint32_t app, uint32_t sm, uint32_t warp) {
  fill_ctx_t c = ctx(l->env.levels - 1, sm, warp, app, 0);
  return fill_tokens.allow(l->state, &c);
}
/* The slots of an SM whose fills are allowed. */
static uint64_t holders(const lab_t *l, uint32_t app, uint32_t sm) {
  uint64_t m = 0;
  for (uint32_t w = 0; w < WARPS; w++) m |= (uint64_t)fills(l, app, sm, w) << w;
  return m;
}
static uint32_t held(const lab_t *l, uint32_t app) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < SMS; i++) n += (uint32_t)__builtin_popcountll(holders(l, app, i));
  return n;
}
static fill_stats_t stats(const lab_t *l, uint32_t app) {
  fill_stats_t s;
  fill_tokens.stats(l->state, app, l->now, &s);
  return s;
}

/* ---- how many ---------------------------------------------------------------------------------
 */

static void everybody_fills_until_the_first_epoch_ends(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  assert_int_equal(held(l, 0), SMS * WARPS);
  assert_int_equal(stats(l, 0).tokens, SMS * WARPS);
  epoch(l, 0, 100, 50);
  assert_int_equal(held(l, 0), SMS * WARPS * 80 / 100);
  assert_int_equal(stats(l, 0).tokens, held(l, 0));
  assert_int_equal(stats(l, 0).warps, SMS * WARPS);
  lab_free(l);
}

/* An application that starts late has its first epoch when it first looks up. */
static void the_first_epoch_is_the_first_with_look_ups(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  for (uint32_t i = 0; i < 3; i++) epoch(l, 0, 0, 0);
  assert_int_equal(held(l, 0), SMS * WARPS);
  epoch(l, 0, 1, 1);
  assert_int_equal(held(l, 0), 24);
  lab_free(l);
}

static void a_change_up_to_the_band_changes_nothing(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  epoch(l, 0, 1000, 500);
  epoch(l, 0, 1000, 520); /* + 2.0 points */
  assert_int_equal(held(l, 0), 24);
  epoch(l, 0, 1000, 500); /* - 2.0 */
  assert_int_equal(held(l, 0), 24);
  assert_int_equal(stats(l, 0).unchanged, 2);
  lab_free(l);
}

static void a_rate_above_the_band_takes_a_step(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  epoch(l, 0, 1000, 500);
  epoch(l, 0, 1000, 521);
  assert_int_equal(held(l, 0), 21); /* 70 % of 30 */
  assert_int_equal(stats(l, 0).lowered, 1);
  lab_free(l);
}

static void a_rate_below_the_band_gives_a_step(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  epoch(l, 0, 1000, 500);
  epoch(l, 0, 1000, 479);
  assert_int_equal(held(l, 0), 27);
  assert_int_equal(stats(l, 0).raised, 1);
  lab_free(l);
}

/* Each epoch is compared with the one before it, not with the first. */
static void the_rate_of_the_last_epoch_is_the_yardstick(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  for (uint32_t misses = 100; misses <= 800; misses += 15) epoch(l, 0, 1000, misses);
  assert_int_equal(held(l, 0), 24); /* 1.5 points at a time */
  lab_free(l);
}

static void a_share_ends_at_all_and_at_one_step(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  for (uint32_t i = 0; i < 8; i++) epoch(l, 0, 1000, 900 - 100 * i);
  assert_int_equal(held(l, 0), SMS * WARPS);
  for (uint32_t i = 0; i < 10; i++) epoch(l, 0, 1000, 100 * i + 50);
  assert_int_equal(held(l, 0), 3); /* 10 % */
  epoch(l, 0, 1000, 999);
  assert_int_equal(held(l, 0), 3);
  for (uint32_t i = 0; i < 2; i++) epoch(l, 0, 1000, 25 + 25 * i);
  assert_int_equal(held(l, 0), 3 + 3 - 3); /* up, and down again */
  lab_free(l);
}

/* The direction bit of MASK's storage: fewer, fewer, too few, more, at most all. */
static void a_climber_turns_when_the_rate_rises(void **state) {
  (void)state;
  static const uint32_t misses[] = {500, 400, 300, 350, 340, 300, 250}; /* of 1000 */
  static const uint32_t want[] = {24, 21, 18, 21, 21, 24, 27};
  lab_t *l = lab_new(2, 32);
  l->spec.climb = true;
  fill_tokens.init(l->state, &l->env);
  all_slots(l, 0, ALL);
  for (uint32_t i = 0; i < 7; i++) {
    epoch(l, 0, 1000, misses[i]);
    assert_int_equal(held(l, 0), want[i]);
  }
  lab_free(l);
}

static void an_application_with_a_warp_has_a_token(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 1, 1u << 4);
  epoch(l, 0, 10, 5);
  assert_int_equal(held(l, 0), 1);
  assert_true(fills(l, 0, 1, 4));
  lab_free(l);
}

static void an_epoch_without_look_ups_has_no_rate(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  epoch(l, 0, 1000, 500);
  epoch(l, 0, 0, 0);
  epoch(l, 0, 1000, 510); /* compared with 500 */
  assert_int_equal(held(l, 0), 24);
  assert_int_equal(stats(l, 0).unchanged, 1);
  lab_free(l);
}

static void applications_are_judged_apart(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 0, ALL), slots(l, 1, 1, ALL);
  epoch(l, 0, 1000, 500);
  assert_int_equal(holders(l, 1, 1), ALL); /* its first epoch is to come */
  epoch(l, 1, 1000, 100);
  epoch(l, 0, 1000, 600);
  assert_int_equal(held(l, 0), 7);
  assert_int_equal(held(l, 1), 8);
  lab_free(l);
}

/* ---- to whom ----------------------------------------------------------------------------------
 */

static void the_lowest_warp_numbers_of_all_sms_get_tokens(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 0, ALL), slots(l, 0, 1, ALL), slots(l, 0, 2, 0x2a0); /* 5, 7, 9: 23 warps */
  epoch(l, 0, 10, 5);                                              /* 18 of them */
  assert_int_equal(holders(l, 0, 0), 0xff);
  assert_int_equal(holders(l, 0, 1), 0xff);
  assert_int_equal(holders(l, 0, 2), 0xa0);
  lab_free(l);
}

static void a_number_that_does_not_divide_goes_to_the_first_sms(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  l->spec.initial_percent = 14; /* 4 of 30 */
  fill_tokens.init(l->state, &l->env);
  all_slots(l, 0, ALL);
  epoch(l, 0, 10, 5);
  assert_int_equal(holders(l, 0, 0), 3);
  assert_int_equal(holders(l, 0, 1), 1);
  assert_int_equal(holders(l, 0, 2), 1);
  lab_free(l);
}

static void warps_with_tokens_keep_them(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 0, 0x3e0); /* 5 .. 9: four tokens, not 9 */
  epoch(l, 0, 100, 50);
  assert_int_equal(holders(l, 0, 0), 0x1e0);
  slots(l, 0, 0, ALL); /* lower numbers come: of 8 tokens they get four */
  epoch(l, 0, 100, 50);
  assert_int_equal(holders(l, 0, 0), 0x1ef);
  lab_free(l);
}

static void the_highest_numbers_lose_theirs(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 0, ALL), slots(l, 0, 1, ALL);
  epoch(l, 0, 100, 50);
  assert_int_equal(held(l, 0), 16);
  epoch(l, 0, 100, 60); /* 14 */
  assert_int_equal(holders(l, 0, 0), 0x7f);
  assert_int_equal(holders(l, 0, 1), 0x7f);
  epoch(l, 0, 100, 60);
  slots(l, 0, 1, 0x7f); /* 17 warps, as soon as an epoch has begun without the others: 11 */
  epoch(l, 0, 100, 60);
  epoch(l, 0, 100, 60);
  assert_int_equal(holders(l, 0, 0), 0x3f);
  assert_int_equal(holders(l, 0, 1), 0x1f);
  lab_free(l);
}

static void a_slot_that_was_empty_has_no_token_before_the_next_epoch(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 0, 0xf);
  epoch(l, 0, 100, 50);
  slots(l, 0, 1, 1);
  assert_false(fills(l, 0, 1, 0));
  epoch(l, 0, 100, 50);
  assert_true(fills(l, 0, 1, 0));
  lab_free(l);
}

/* Whoever was there for a moment was there. */
static void slots_used_at_any_time_of_an_epoch_count(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  slots(l, 0, 0, 0x3), slots(l, 0, 0, 0xc), slots(l, 0, 0, 0);
  epoch(l, 0, 100, 50);
  assert_int_equal(stats(l, 0).warps, 4);
  assert_int_equal(held(l, 0), 3);
  lab_free(l);
}

static void an_application_that_was_away_finds_its_tokens(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  epoch(l, 0, 100, 50);
  all_slots(l, 0, 0);
  for (uint32_t i = 0; i < 5; i++) epoch(l, 0, 0, 0);
  all_slots(l, 0, ALL);
  assert_int_equal(held(l, 0), 24);
  epoch(l, 0, 100, 50);
  assert_int_equal(held(l, 0), 24);
  lab_free(l);
}

/* ---- where ------------------------------------------------------------------------------------
 */

static void only_the_last_level_asks_for_a_token(void **state) {
  (void)state;
  lab_t *l = lab_new(3, 32);
  slots(l, 0, 0, ALL);
  epoch(l, 0, 100, 50);
  for (uint32_t level = 0; level < 3; level++) {
    fill_ctx_t c = ctx(level, 0, WARPS - 1, 0, 0);
    assert_int_equal(fill_tokens.allow(l->state, &c), level < 2);
  }
  lab_free(l);
}

static void the_only_level_is_the_sms_own(void **state) {
  (void)state;
  lab_t *l = lab_new(1, 32);
  slots(l, 0, 0, ALL);
  epoch(l, 0, 100, 50);
  assert_int_equal(holders(l, 0, 0), ALL);
  lab_free(l);
}

static void tokens_add_up_over_time(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 32);
  all_slots(l, 0, ALL);
  epoch(l, 0, 1000, 500); /* 30 */
  epoch(l, 0, 1000, 600); /* 24 */
  l->now += 500;          /* 21, half an epoch */
  assert_int_equal(stats(l, 0).token_cycles, 30 * 1000 + 24 * 1000 + 21 * 500);
  lab_free(l);
}

/* ---- the buffer -------------------------------------------------------------------------------
 */

static void deny(lab_t *l, fill_ctx_t c, uint64_t frame, bool large) {
  fill_tokens.denied(l->state, &c, (ppn_t){frame}, large);
}
/* The frame found beside the TLB, or 0. */
static uint64_t probe(lab_t *l, fill_ctx_t c) {
  ppn_t ppn = {0};
  bool large;
  return fill_tokens.probe(l->state, &c, &ppn, &large) ? ppn.v : 0;
}
static fill_ctx_t page(uint32_t app, uint64_t vpn) { return ctx(1, 0, 0, app, vpn); }

static void what_was_denied_is_found_beside_the_tlb(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 4);
  assert_int_equal(probe(l, page(0, 0)), 0); /* page 0 of space 0, too */
  deny(l, page(0, 0), 77, false);
  assert_int_equal(probe(l, page(0, 0)), 77);
  assert_int_equal(probe(l, page(1, 0)), 0); /* another space's page 0 */
  fill_ctx_t other = page(0, 0);
  other.instance = 1; /* beside another TLB */
  assert_int_equal(probe(l, other), 0);
  other.instance = 0, other.level = 0;
  assert_int_equal(probe(l, other), 0);
  lab_free(l);
}

static void the_page_used_longest_ago_leaves_the_buffer(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 4);
  for (uint64_t p = 1; p <= 4; p++) deny(l, page(0, p), 100 + p, false);
  assert_int_equal(probe(l, page(0, 1)), 101); /* now 2 is the oldest */
  assert_int_equal(stats(l, 1).displaced, 0);
  deny(l, page(1, 9), 109, false);
  assert_int_equal(stats(l, 1).displaced, 1);
  assert_int_equal(probe(l, page(0, 2)), 0);
  for (uint64_t p = 1; p <= 4; p++)
    if (p != 2) assert_int_equal(probe(l, page(0, p)), 100 + p);
  lab_free(l);
}

static void a_changed_page_table_empties_the_buffer(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 4);
  deny(l, page(0, 1), 101, false), deny(l, page(1, 2), 102, false);
  fill_tokens.invalidate(l->state, 0, (vpn_t){1000}, 1);
  assert_int_equal(probe(l, page(0, 1)), 0);
  assert_int_equal(probe(l, page(1, 2)), 0);
  lab_free(l);
}

static void a_large_page_takes_one_entry(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 1);
  deny(l, page(0, 512 + 5), 4096 + 5, true);
  deny(l, page(0, 512 + 7), 4096 + 7, true);
  assert_int_equal(stats(l, 0).displaced, 0);
  assert_int_equal(probe(l, page(0, 512 + 300)), 4096 + 300);
  assert_int_equal(probe(l, page(0, 300)), 0);
  assert_int_equal(probe(l, page(0, 1)), 0); /* its number is not taken for a base page's */
  lab_free(l);
}

static void there_may_be_no_buffer(void **state) {
  (void)state;
  lab_t *l = lab_new(2, 0);
  deny(l, page(0, 1), 101, false);
  assert_int_equal(probe(l, page(0, 1)), 0);
  fill_tokens.invalidate(l->state, 0, (vpn_t){1}, 1);
  lab_free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_fills_until_the_first_epoch_ends),
      cmocka_unit_test(the_first_epoch_is_the_first_with_look_ups),
      cmocka_unit_test(a_change_up_to_the_band_changes_nothing),
      cmocka_unit_test(a_rate_above_the_band_takes_a_step),
      cmocka_unit_test(a_rate_below_the_band_gives_a_step),
      cmocka_unit_test(the_rate_of_the_last_epoch_is_the_yardstick),
      cmocka_unit_test(a_share_ends_at_all_and_at_one_step),
      cmocka_unit_test(a_climber_turns_when_the_rate_rises),
      cmocka_unit_test(an_application_with_a_warp_has_a_token),
      cmocka_unit_test(an_epoch_without_look_ups_has_no_rate),
      cmocka_unit_test(applications_are_judged_apart),
      cmocka_unit_test(the_lowest_warp_numbers_of_all_sms_get_tokens),
      cmocka_unit_test(a_number_that_does_not_divide_goes_to_the_first_sms),
      cmocka_unit_test(warps_with_tokens_keep_them),
      cmocka_unit_test(the_highest_numbers_lose_theirs),
      cmocka_unit_test(a_slot_that_was_empty_has_no_token_before_the_next_epoch),
      cmocka_unit_test(slots_used_at_any_time_of_an_epoch_count),
      cmocka_unit_test(an_application_that_was_away_finds_its_tokens),
      cmocka_unit_test(only_the_last_level_asks_for_a_token),
      cmocka_unit_test(the_only_level_is_the_sms_own),
      cmocka_unit_test(tokens_add_up_over_time),
      cmocka_unit_test(what_was_denied_is_found_beside_the_tlb),
      cmocka_unit_test(the_page_used_longest_ago_leaves_the_buffer),
      cmocka_unit_test(a_changed_page_table_empties_the_buffer),
      cmocka_unit_test(a_large_page_takes_one_entry),
      cmocka_unit_test(there_may_be_no_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
