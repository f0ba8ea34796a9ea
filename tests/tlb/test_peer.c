/* The peers' policies alone: TLBs are sets of pages that the tests fill and empty. */
#include "base/rng.h"
#include "machine/help.h"
#include "tlb/peer.h"

#define TLBS_MAX 16
#define PAGES    4096
#define OWN      1 /* cycles of a look-up in a TLB */

/* TLBs, and a policy that hears of them. */
typedef struct {
  peer_spec_t spec;
  peer_env_t env;
  peer_stats_t stats[2];
  const peer_ops_t *ops;
  void *state;
  bool has[TLBS_MAX][2][2][PAGES]; /* [tlb][space][large][entry] */
} lab_t;

static bool *place(lab_t *l, uint32_t tlb, const peer_page_t *p) {
  uint32_t shift = p->large ? l->env.large_pages_shift : l->env.reach_shift;
  return &l->has[tlb][p->asid][p->large][p->vpn.v >> shift];
}
static bool lab_holds(const void *owner, uint32_t tlb, const peer_page_t *p) {
  return *place((lab_t *)(uintptr_t)owner, tlb, p);
}

static lab_t *lab_prepare(uint32_t tlbs) {
  lab_t *l = calloc(1, sizeof *l);
  assert_non_null(l);
  opt_group_t groups[] = {{"peer", "", peer_options, &l->spec}, {0}};
  opt_defaults(groups);
  l->env = (peer_env_t){.spec = &l->spec,
                        .tlbs = tlbs,
                        .entries = 32,
                        .lookup_cycles = OWN,
                        .large_pages_shift = 9,
                        .stats = l->stats,
                        .owner = l,
                        .holds = lab_holds};
  return l;
}
static void lab_start(lab_t *l, const char *policy) {
  l->ops = peer_find(policy);
  l->state = calloc(1, l->ops->state_bytes(&l->env));
  assert_non_null(l->state);
  l->ops->init(l->state, &l->env);
}
static lab_t *lab(const char *policy, uint32_t tlbs) {
  lab_t *l = lab_prepare(tlbs);
  lab_start(l, policy);
  return l;
}
static void lab_free(lab_t *l) {
  if (l->ops->check) assert_true(l->ops->check(l->state));
  free(l->state);
  free(l);
}

/* News are heard, and what is to be told on then. */
static void tell(lab_t *l, peer_news_t n) {
  while (l->ops->heard && l->ops->heard(l->state, &n)) {
  }
}
static void fill_page(lab_t *l, uint32_t tlb, const peer_page_t *p) {
  *place(l, tlb, p) = true;
  if (l->ops->filled) l->ops->filled(l->state, tlb, p);
  tell(l, (peer_news_t){.kind = PEER_FILLED, .tlb = tlb, .page = *p});
}
static void fill(lab_t *l, uint32_t tlb, asid_t asid, uint64_t vpn) {
  fill_page(l, tlb, &(peer_page_t){.asid = asid, .vpn = {vpn}});
}
static void evict(lab_t *l, uint32_t tlb, asid_t asid, uint64_t vpn) {
  peer_page_t p = {.asid = asid, .vpn = {vpn}};
  *place(l, tlb, &p) = false;
  if (l->ops->evicted) l->ops->evicted(l->state, tlb, &p);
  tell(l, (peer_news_t){.kind = PEER_EVICTED, .tlb = tlb, .page = p});
}
static peer_way_t ask_again(lab_t *l, uint32_t tlb, asid_t asid, uint64_t vpn, uint32_t attempt) {
  return l->ops->next(l->state,
                      &(peer_query_t){.tlb = tlb, .asid = asid, .vpn = {vpn}, .attempt = attempt});
}
static peer_way_t ask(lab_t *l, uint32_t tlb, asid_t asid, uint64_t vpn) {
  return ask_again(l, tlb, asid, vpn, 0);
}
static void assert_asks(lab_t *l, uint32_t tlb, uint64_t vpn, uint32_t whom) {
  assert_int_equal(ask(l, tlb, 0, vpn).tlb, whom);
}

/* ---- NeiDty: whom to ask ---- */

static void defaults_are_the_papers_numbers(void **state) {
  (void)state;
  lab_t *l = lab_prepare(1);
  assert_int_equal(l->spec.directory_entries, 32);
  assert_int_equal(l->spec.tag_bits, 18);
  assert_int_equal(l->spec.directory_cycles, 1);
  assert_int_equal(l->spec.hop_cycles, 1);
  assert_int_equal(l->spec.buffer, 2);
  assert_int_equal(peer_update(&l->spec), PEER_UPDATE_DEFAULT);
  assert_int_equal(l->spec.locality_entries, 100);
  assert_int_equal(l->spec.prefetch_entries, 24);
  free(l);
}

static void a_directory_hears_what_both_neighbours_take(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 4);
  fill(l, 1, 0, 7);
  assert_asks(l, 2, 7, 1);
  assert_asks(l, 0, 7, 1);
  assert_int_equal(ask(l, 2, 0, 7).port, PEER_FROM_RIGHT); /* it is to the right of whom it asks */
  assert_int_equal(ask(l, 0, 0, 7).port, PEER_FROM_LEFT);
  lab_free(l);
}

static void nobody_beyond_the_neighbours_is_asked(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 5);
  fill(l, 0, 0, 7);
  assert_asks(l, 2, 7, PEER_NONE);
  assert_asks(l, 3, 7, PEER_NONE);
  assert_asks(l, 1, 8, PEER_NONE); /* nor for another page */
  lab_free(l);
}

static void the_left_neighbour_is_asked_first(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 4);
  fill(l, 2, 0, 7);
  assert_asks(l, 1, 7, 2);
  fill(l, 0, 0, 7);
  assert_asks(l, 1, 7, 0);
  lab_free(l);
}

static void the_last_tlb_is_left_of_the_first(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 4);
  fill(l, 3, 0, 7);
  assert_asks(l, 0, 7, 3);
  assert_int_equal(ask(l, 0, 0, 7).port, PEER_FROM_RIGHT);
  fill(l, 0, 0, 9);
  assert_asks(l, 3, 9, 0);
  assert_int_equal(ask(l, 3, 0, 9).port, PEER_FROM_LEFT);
  lab_free(l);
}

static void of_two_tlbs_each_is_both_neighbours_of_the_other(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 2);
  fill(l, 1, 0, 7);
  assert_asks(l, 0, 7, 1);
  assert_asks(l, 1, 7, PEER_NONE);
  evict(l, 1, 0, 7);
  assert_asks(l, 0, 7, PEER_NONE);
  lab_free(l);
}

static void a_tlb_alone_has_nobody_to_ask(void **state) {
  (void)state;
  lab_t *n = lab("neidty", 1), *v = lab("valkyrie", 1);
  fill(n, 0, 0, 7), fill(v, 0, 0, 7);
  assert_asks(n, 0, 7, PEER_NONE);
  assert_asks(v, 0, 7, PEER_NONE);
  lab_free(n), lab_free(v);
}

static void a_directory_hears_what_neighbours_lose(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 4);
  fill(l, 0, 0, 7), fill(l, 2, 0, 7);
  evict(l, 0, 0, 7);
  assert_asks(l, 1, 7, 2);
  evict(l, 2, 0, 7);
  assert_asks(l, 1, 7, PEER_NONE);
  lab_free(l);
}

static void neighbours_share_only_inside_an_address_space(void **state) {
  (void)state;
  lab_t *l = lab("neidty", 4);
  fill(l, 0, 1, 7);
  assert_asks(l, 1, 7, PEER_NONE);
  assert_int_equal(ask(l, 1, 1, 7).tlb, 0);
  lab_free(l);
}

static void a_large_page_is_found_by_any_page_in_it(void **state) {
  (void)state;
  lab_t *l = lab_prepare(4);
  l->env.large = true;
  lab_start(l, "neidty");
  fill_page(l, 0, &(peer_page_t){.large = true, .vpn = {512}});
  assert_asks(l, 1, 512, 0);
  assert_asks(l, 1, 1023, 0);
  assert_asks(l, 1, 1024, PEER_NONE);
  assert_asks(l, 1, 1, PEER_NONE); /* base page 1 is not large page 1 */
  lab_free(l);
}

static void entries_of_several_pages_are_found_by_any_of_them(void **state) {
  (void)state;
  lab_t *l = lab_prepare(4);
  l->env.reach_shift = 2;
  lab_start(l, "neidty");
  fill(l, 0, 0, 8);
  assert_asks(l, 1, 11, 0);
  assert_asks(l, 1, 12, PEER_NONE);
  evict(l, 0, 0, 8);
  assert_asks(l, 1, 11, PEER_NONE);
  lab_free(l);
}

/* ---- NeiDty: a full directory ---- */

static lab_t *full_directory(uint32_t entries) {
  lab_t *l = lab_prepare(8);
  l->spec.directory_entries = entries;
  lab_start(l, "neidty");
  for (uint32_t i = 0; i < entries; i++) fill(l, 0, 0, i);
  return l;
}

static void a_full_directory_forgets_first_come_first(void **state) {
  (void)state;
  lab_t *l = full_directory(4);
  fill(l, 0, 0, 50);
  assert_asks(l, 1, 0, PEER_NONE);
  assert_asks(l, 1, 1, 0);
  assert_asks(l, 1, 50, 0);
  assert_int_equal(l->stats[0].directory_evictions, 2); /* that of TLB 7, too */
  lab_free(l);
}

static void news_of_an_entry_do_not_change_its_turn(void **state) {
  (void)state;
  lab_t *l = full_directory(4);
  fill(l, 2, 0, 0); /* the other neighbour of TLB 1 takes the oldest */
  fill(l, 0, 0, 50);
  assert_asks(l, 1, 0, PEER_NONE);
  lab_free(l);
}

static void a_full_directory_forgets_first_what_the_own_tlb_has(void **state) {
  (void)state;
  lab_t *l = full_directory(4);
  fill(l, 1, 0, 2), fill(l, 1, 0, 3);
  fill(l, 0, 0, 50);
  assert_asks(l, 1, 0, 0);
  assert_asks(l, 1, 2, PEER_NONE); /* the first come of the two */
  assert_asks(l, 1, 3, 0);
  evict(l, 1, 0, 3); /* not there any more: in turn again */
  fill(l, 0, 0, 51);
  assert_asks(l, 1, 3, 0);
  assert_asks(l, 1, 0, PEER_NONE);
  lab_free(l);
}

static void a_new_entry_knows_whether_the_own_tlb_has_it(void **state) {
  (void)state;
  lab_t *l = lab_prepare(8);
  l->spec.directory_entries = 2;
  lab_start(l, "neidty");
  fill(l, 1, 0, 5); /* before any neighbour */
  fill(l, 0, 0, 4), fill(l, 0, 0, 5);
  fill(l, 0, 0, 6);
  assert_asks(l, 1, 4, 0);
  assert_asks(l, 1, 5, PEER_NONE);
  lab_free(l);
}

static void what_no_neighbour_holds_leaves_its_place(void **state) {
  (void)state;
  lab_t *l = full_directory(4);
  evict(l, 0, 0, 2);
  fill(l, 0, 0, 50);
  for (uint32_t i = 0; i < 4; i++) assert_asks(l, 1, i, i == 2 ? PEER_NONE : 0);
  assert_asks(l, 1, 50, 0);
  assert_int_equal(l->stats[0].directory_evictions, 0);
  lab_free(l);
}

/* ---- NeiDty: tags ---- */

static lab_t *narrow_tags(uint32_t bits) {
  lab_t *l = lab_prepare(4);
  l->spec.tag_bits = bits;
  lab_start(l, "neidty");
  return l;
}
static void tell_missed(lab_t *l, uint32_t tlb, uint64_t vpn, bool mixed) {
  l->ops->missed(l->state, &(peer_query_t){.tlb = tlb, .vpn = {vpn}, .mixed = mixed});
}

static void pages_with_the_same_tag_are_confused(void **state) {
  (void)state;
  lab_t *l = narrow_tags(4);
  fill(l, 0, 0, 0x21);     /* 2 xor 1 */
  assert_asks(l, 1, 3, 0); /* it is not there: the neighbour compares the whole number */
  tell_missed(l, 1, 3, ask(l, 1, 0, 3).mixed);
  assert_int_equal(l->stats[0].directory_false, 1);
  assert_int_equal(l->stats[0].directory_collisions, 1);
  lab_free(l);
}

static void an_eviction_hides_a_page_with_the_same_tag(void **state) {
  (void)state;
  lab_t *l = narrow_tags(4);
  fill(l, 0, 0, 0x21), fill(l, 0, 0, 3);
  evict(l, 0, 0, 3);
  assert_asks(l, 1, 0x21, PEER_NONE); /* a lost chance, not a wrong answer */
  lab_free(l);
}

static void a_neighbour_that_lost_the_page_is_no_collision(void **state) {
  (void)state;
  lab_t *l = narrow_tags(18);
  fill(l, 0, 0, 7);
  bool mixed = ask(l, 1, 0, 7).mixed;
  evict(l, 0, 0, 7); /* while the question is under way */
  tell_missed(l, 1, 7, mixed);
  assert_int_equal(l->stats[0].directory_false, 1);
  assert_int_equal(l->stats[0].directory_collisions, 0);
  lab_free(l);
}

/* 18 bits: pages less than a gigabyte apart, and address spaces at the same page. */
static void near_pages_have_different_tags(void **state) {
  (void)state;
  lab_t *l = narrow_tags(18);
  fill(l, 0, 0, 1000);
  for (uint32_t i = 0; i < PAGES; i++) assert_asks(l, 1, i, i == 1000 ? 0 : PEER_NONE);
  assert_asks(l, 1, 1000 + (1u << 18), PEER_NONE);
  for (uint32_t s = 1; s < 8; s++) assert_int_equal(ask(l, 1, (asid_t)s, 1000).tlb, PEER_NONE);
  lab_free(l);
}

/* With room for everything and wide tags a directory is exact; with tags of three bits its own
 * invariants hold all the same (lab_free checks). */
static void random_traffic_keeps_directories_true(void **state) {
  (void)state;
  for (uint32_t bits = 3; bits <= 32; bits += 29) {
    lab_t *l = lab_prepare(6);
    rng_t rng = {test_seed()};
    l->spec.tag_bits = bits;
    l->spec.directory_entries = 128;
    lab_start(l, "neidty");
    for (uint32_t n = 0; n < 20000; n++) {
      uint32_t tlb = rng_below(&rng, 6), vpn = rng_below(&rng, 64);
      peer_page_t p = {.vpn = {vpn}};
      if (lab_holds(l, tlb, &p))
        evict(l, tlb, 0, vpn);
      else
        fill(l, tlb, 0, vpn);
      uint32_t other = rng_below(&rng, 6);
      p.vpn.v = rng_below(&rng, 64);
      uint32_t left = peer_left(other, 6), right = peer_right(other, 6);
      uint32_t want = lab_holds(l, left, &p) ? left : lab_holds(l, right, &p) ? right : PEER_NONE;
      if (bits == 32 && ask(l, other, 0, p.vpn.v).tlb != want)
        fail_msg("step %u: TLB %u, page %llu (GMMU_SEED=%llu)", n, other,
                 (unsigned long long)p.vpn.v, (unsigned long long)test_seed());
    }
    lab_free(l);
  }
}

/* ---- NeiDty: time, and what is kept ---- */

static void a_neighbour_is_a_hop_away(void **state) {
  (void)state;
  lab_t *l = lab_prepare(4);
  l->spec.hop_cycles = 5;
  lab_start(l, "neidty");
  fill(l, 0, 0, 7);
  peer_way_t w = ask(l, 1, 0, 7);
  assert_int_equal(w.there, 5);
  assert_int_equal(w.back, 5);
  assert_int_equal(ask(l, 1, 0, 8).there, 0); /* the directory knew by the time of the miss */
  w = ask_again(l, 1, 0, 7, 1);
  assert_int_equal(w.tlb, PEER_NONE); /* nobody else is asked */
  assert_int_equal(w.there, 5);       /* and that one's "no" has to come back */
  lab_free(l);
}

static void a_slow_directory_delays_what_it_adds_to_the_tlb(void **state) {
  (void)state;
  lab_t *l = lab_prepare(4);
  l->spec.directory_cycles = OWN + 3;
  lab_start(l, "neidty");
  fill(l, 0, 0, 7);
  assert_int_equal(ask(l, 1, 0, 7).there, 1 + 3);
  assert_int_equal(ask(l, 1, 0, 8).there, 3);
  lab_free(l);
}

/* Is the page kept after TLB 0 asked a neighbour for it? */
static bool keeps(lab_t *l, uint64_t vpn) {
  bool asked = l->ops->asked(l->state, 0, 0, (vpn_t){vpn});
  return l->ops->keep(l->state, 0, asked);
}

static void default_keeps_exclusive_does_not(void **state) {
  (void)state;
  static const char *const name[] = {"default", "exclusive"};
  for (uint32_t i = 0; i < 2; i++) {
    lab_t *l = lab_prepare(4);
    l->spec.update = name[i];
    lab_start(l, "neidty");
    for (uint32_t n = 0; n < 3; n++) assert_int_equal(keeps(l, 7), i == 0);
    lab_free(l);
  }
}

static void twice_keeps_what_is_asked_for_twice_in_a_row(void **state) {
  (void)state;
  lab_t *l = lab_prepare(4);
  l->spec.update = "twice";
  lab_start(l, "neidty");
  assert_false(keeps(l, 0));
  assert_true(keeps(l, 0));
  assert_false(keeps(l, 8));
  assert_false(keeps(l, 0)); /* not in a row */
  l->ops->asked(l->state, 1, 0, (vpn_t){5});
  assert_true(keeps(l, 0)); /* another TLB's questions do not matter */
  assert_false(l->ops->asked(l->state, 0, 1, (vpn_t){0})); /* another space's page 0 is another */
  lab_free(l);
}

/* ---- Valkyrie ---- */

static void a_ring_is_asked_in_turn(void **state) {
  (void)state;
  lab_t *l = lab_prepare(10);
  l->spec.group = 4;
  l->spec.hop_cycles = 3;
  lab_start(l, "valkyrie");
  static const uint32_t whom[] = {7, 4, 5}, back[] = {3, 6, 3};
  for (uint32_t i = 0; i < 3; i++) {
    peer_way_t w = ask_again(l, 6, 0, 7, i);
    assert_int_equal(w.tlb, whom[i]);
    assert_int_equal(w.there, 3);
    assert_int_equal(w.back, back[i]); /* the shorter way around */
  }
  peer_way_t end = ask_again(l, 6, 0, 7, 3);
  assert_int_equal(end.tlb, PEER_NONE);
  assert_int_equal(end.there, 0);
  assert_int_equal(ask_again(l, 9, 0, 7, 0).tlb, 8); /* the last ring has two TLBs */
  assert_int_equal(ask_again(l, 9, 0, 7, 1).tlb, PEER_NONE);
  lab_free(l);
}

static void a_ring_may_be_asked_in_part(void **state) {
  (void)state;
  lab_t *l = lab_prepare(8);
  l->spec.group = 0;
  l->spec.probes = 2;
  lab_start(l, "valkyrie");
  assert_int_equal(ask_again(l, 7, 0, 7, 0).tlb, 0);
  assert_int_equal(ask_again(l, 7, 0, 7, 1).tlb, 1);
  assert_int_equal(ask_again(l, 7, 0, 7, 2).tlb, PEER_NONE);
  lab_free(l);
}

static void serve_in(lab_t *l, uint32_t tlb, asid_t asid, uint64_t vpn) {
  l->ops->served(l->state, tlb, asid);
  tell(l, (peer_news_t){.kind = PEER_SERVED,
                        .tlb = tlb,
                        .page = {.asid = asid, .vpn = {vpn}},
                        .ppn = {vpn + 100}});
}
static lab_t *prefetching(void) {
  lab_t *l = lab_prepare(8);
  l->spec.group = 4;
  l->spec.prefetch = true;
  l->spec.prefetch_entries = 2;
  l->spec.locality_entries = 3;
  lab_start(l, "valkyrie");
  for (uint32_t t = 0; t < 8; t++) /* all work in space 0, but TLB 3 */
    serve_in(l, t, t == 3, 1000 + t);
  return l;
}
static void serve(lab_t *l, uint32_t tlb, uint64_t vpn) { serve_in(l, tlb, 0, vpn); }
static bool has_copy(lab_t *l, uint32_t tlb, uint64_t vpn) {
  ppn_t ppn;
  bool large, yes = l->ops->take(l->state, tlb, 0, (vpn_t){vpn}, &ppn, &large);
  if (yes) assert_int_equal(ppn.v, vpn + 100);
  return yes;
}

static void a_page_that_two_tlbs_ask_for_is_copied_to_the_ring(void **state) {
  (void)state;
  lab_t *l = prefetching();
  serve(l, 0, 7);
  serve(l, 0, 7); /* the same one again: no sharing */
  assert_false(has_copy(l, 2, 7));
  serve(l, 4, 7); /* nor with another ring */
  assert_false(has_copy(l, 2, 7));
  serve(l, 1, 7);
  assert_int_equal(l->stats[0].prefetches, 1);
  assert_true(has_copy(l, 2, 7));
  assert_false(has_copy(l, 2, 7)); /* it was given away */
  assert_false(has_copy(l, 0, 7)); /* these two have it */
  assert_false(has_copy(l, 1, 7));
  assert_false(has_copy(l, 3, 7)); /* works in another space */
  assert_false(has_copy(l, 5, 7));
  lab_free(l);
}

static void what_a_tlb_holds_is_not_copied_to_it(void **state) {
  (void)state;
  lab_t *l = prefetching();
  fill(l, 2, 0, 7);
  serve(l, 0, 7), serve(l, 1, 7);
  assert_int_equal(l->stats[0].prefetches, 0);
  lab_free(l);
}

static void copies_and_localities_go_first_come_first(void **state) {
  (void)state;
  lab_t *l = prefetching();
  for (uint64_t v = 10; v < 13; v++) serve(l, 0, v), serve(l, 1, v);
  assert_false(has_copy(l, 2, 10));
  assert_true(has_copy(l, 2, 11));
  assert_true(has_copy(l, 2, 12));
  for (uint64_t v = 20; v < 24; v++) serve(l, 0, v);
  serve(l, 1, 20); /* forgotten: three rows */
  assert_false(has_copy(l, 2, 20));
  serve(l, 1, 23);
  assert_true(has_copy(l, 2, 23));
  lab_free(l);
}

static void copies_are_invalidated(void **state) {
  (void)state;
  lab_t *l = prefetching();
  serve(l, 0, 7), serve(l, 1, 7);
  serve(l, 0, 9), serve(l, 1, 9);
  l->ops->invalidate(l->state, 1, (vpn_t){0}, 100); /* another space */
  l->ops->invalidate(l->state, 0, (vpn_t){8}, 4);
  assert_true(has_copy(l, 2, 7));
  assert_false(has_copy(l, 2, 9));
  lab_free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_the_papers_numbers),
      cmocka_unit_test(a_directory_hears_what_both_neighbours_take),
      cmocka_unit_test(nobody_beyond_the_neighbours_is_asked),
      cmocka_unit_test(the_left_neighbour_is_asked_first),
      cmocka_unit_test(the_last_tlb_is_left_of_the_first),
      cmocka_unit_test(of_two_tlbs_each_is_both_neighbours_of_the_other),
      cmocka_unit_test(a_tlb_alone_has_nobody_to_ask),
      cmocka_unit_test(a_directory_hears_what_neighbours_lose),
      cmocka_unit_test(neighbours_share_only_inside_an_address_space),
      cmocka_unit_test(a_large_page_is_found_by_any_page_in_it),
      cmocka_unit_test(entries_of_several_pages_are_found_by_any_of_them),
      cmocka_unit_test(a_full_directory_forgets_first_come_first),
      cmocka_unit_test(news_of_an_entry_do_not_change_its_turn),
      cmocka_unit_test(a_full_directory_forgets_first_what_the_own_tlb_has),
      cmocka_unit_test(a_new_entry_knows_whether_the_own_tlb_has_it),
      cmocka_unit_test(what_no_neighbour_holds_leaves_its_place),
      cmocka_unit_test(pages_with_the_same_tag_are_confused),
      cmocka_unit_test(an_eviction_hides_a_page_with_the_same_tag),
      cmocka_unit_test(a_neighbour_that_lost_the_page_is_no_collision),
      cmocka_unit_test(near_pages_have_different_tags),
      cmocka_unit_test(random_traffic_keeps_directories_true),
      cmocka_unit_test(a_neighbour_is_a_hop_away),
      cmocka_unit_test(a_slow_directory_delays_what_it_adds_to_the_tlb),
      cmocka_unit_test(default_keeps_exclusive_does_not),
      cmocka_unit_test(twice_keeps_what_is_asked_for_twice_in_a_row),
      cmocka_unit_test(a_ring_is_asked_in_turn),
      cmocka_unit_test(a_ring_may_be_asked_in_part),
      cmocka_unit_test(a_page_that_two_tlbs_ask_for_is_copied_to_the_ring),
      cmocka_unit_test(what_a_tlb_holds_is_not_copied_to_it),
      cmocka_unit_test(copies_and_localities_go_first_come_first),
      cmocka_unit_test(copies_are_invalidated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
