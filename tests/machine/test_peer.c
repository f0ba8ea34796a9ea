/* First-level TLBs that share, in the machine: times, ports, what is kept, and that no answer is
 * wrong. The policies alone are in tests/tlb. */
#include "base/rng.h"
#include "formula.h"
#include "gpu/stats.h"
#include "help.h"

#define WAIT5                                                                                      \
  UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9), UNIT(IC_SFU, 9, 9)
#define WAIT50 WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5, WAIT5
#define LATE   50 /* number of the first instruction after waiting */
#define HOP    11

static const script_op_t idle[] = {ALU(1, R_NO)};
static const script_op_t early[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
static const script_op_t late[] = {WAIT50, LOAD(1, 9, VA), ALU(3, 1)};

static gpu_spec_t peer_spec(const char *policy, uint32_t sms) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", sms);
  setn(&s, "walk.fixed", 20);
  set(&s, "tlb.peer", policy);
  setn(&s, "peer.hop", HOP);
  return s;
}

/* One block per SM, `warps` each; warp w of the launch runs program w. */
static script_t *programs_of(const program_t *p, uint32_t programs, uint32_t warps) {
  return script_new(&(script_spec_t){.program = p,
                                     .programs = programs,
                                     .blocks = programs / warps,
                                     .warps = warps,
                                     .va = VA,
                                     .bytes = MB},
                    4096);
}
static uint64_t late_load(const script_t *s, uint32_t warp) {
  return script_when(s, warp, LATE + 1) - script_when(s, warp, LATE);
}

/* ---- time ---- */

static void a_neighbours_answer_takes_two_hops_and_a_look_up(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(early), PROGRAM(late)};
  for (uint32_t slow = 0; slow < 2; slow++) {
    gpu_spec_t spec = peer_spec("neidty", 2);
    uint32_t look = spec.tlb_level[0].latency_cycles;
    setn(&spec, "peer.directory_latency", look + 5 * slow);
    script_t *s = programs_of(p, 2, 1);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->tlb.level[0].stats[0].remote_hits, 1);
    assert_int_equal(g->tlb.level[1].stats[0].lookups, 1);
    assert_int_equal(late_load(s, 1), f_l2_hit(&spec, LINE) + 2 * HOP + look + 5 * slow);
    gpu_free(g);
    script_free(s);
  }
}

/* The neighbour has a page of 64 KB, whichever part was asked for. What it loses are the two pages
 * of an entry, whichever of them was told: gpu_check() compares directories and TLBs. */
static void a_neighbour_has_all_of_a_larger_page(void **state) {
  (void)state;
  static const script_op_t part[] = {WAIT50, LOAD(1, 9, VA + 60 * KB), ALU(3, 1)};
  static const script_op_t on[] = {LOAD_AT(1, 1, VA + 60 * KB, 0, 64 * KB)};
  static const program_t p[] = {PROGRAM(early), PROGRAM(part)}, q[] = {{on, 1, 12}, PROGRAM(idle)};
  gpu_spec_t spec = peer_spec("neidty", 2);
  set(&spec, "mem.manager", "mixed"), set(&spec, "mem.format", "pascal");
  setn(&spec, "l1tlb.entries", 2), setn(&spec, "l1tlb.ways", 0), setn(&spec, "l1tlb.reach", 2);
  script_t *s = programs_of(p, 2, 1);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->tlb.level[0].stats[0].remote_hits, 1);
  assert_int_equal(g->walker.stats[0].walks, 1);
  gpu_free(g);
  script_free(s);
  s = programs_of(q, 2, 1);
  source_t *src = script_source(s);
  err_t e = {0};
  g = machine(&spec, &src, 1);
  for (uint64_t until = 100; gpu_run(g, &(gpu_limits_t){.no_relaunch = true}, until, &e) == 0;
       until += 100)
    assert_int_equal(gpu_check(g, &e), 0);
  assert_int_equal(g->tlb.level[0].stats[0].evictions, 4);
  gpu_free(g);
  script_free(s);
}

/* A page with the tag of one that the neighbour has: tags of one bit are parities. */
static const script_op_t confused[] = {WAIT50, LOAD(1, 9, VA + 3 * PAGE4), ALU(3, 1)};

static void a_false_positive_costs_the_way_and_nothing_else(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(early), PROGRAM(confused)};
  uint64_t cycles[2];
  for (uint32_t peers = 0; peers < 2; peers++) {
    gpu_spec_t spec = peer_spec(peers ? "neidty" : "none", 2);
    setn(&spec, "peer.tag_bits", 1), setn(&spec, "dram.clock_mhz", 1000);
    script_t *s = programs_of(p, 2, 1);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->tlb.level[0].stats[0].remote_hits, 0);
    assert_int_equal(g->peers.stats[0].directory_false, peers);
    assert_int_equal(g->peers.stats[0].directory_collisions, peers);
    assert_int_equal(g->walker.stats[0].walks, 2);
    cycles[peers] = late_load(s, 1);
    gpu_free(g);
    script_free(s);
  }
  assert_int_equal(cycles[1] - cycles[0], 2 * HOP + lab_spec().tlb_level[0].latency_cycles);
}

/* SM 0 has the page; SM `asker` of four asks those between in turn, and the answer comes home. */
static void a_ring_takes_a_hop_and_a_look_up_per_tlb(void **state) {
  (void)state;
  static const uint32_t asked[] = {0, 3, 2, 1}, home[] = {0, 1, 2, 1};
  for (uint32_t asker = 1; asker < 4; asker++) {
    program_t p[4] = {PROGRAM(early), PROGRAM(idle), PROGRAM(idle), PROGRAM(idle)};
    p[asker] = (program_t)PROGRAM(late);
    gpu_spec_t spec = peer_spec("valkyrie", 4);
    script_t *s = programs_of(p, 4, 1);
    gpu_t *g = run_script(&spec, s);
    uint32_t look = spec.tlb_level[0].latency_cycles;
    assert_int_equal(g->tlb.level[0].stats[0].remote_hits, 1);
    assert_int_equal(g->peers.stats[0].probes, 3 + asked[asker]); /* the first found nothing */
    assert_int_equal(late_load(s, asker),
                     f_l2_hit(&spec, LINE) + asked[asker] * (HOP + look) + home[asker] * HOP);
    gpu_free(g);
    script_free(s);
  }
}

/* ---- ports ---- */

#define PAGES32(src) LOAD_SPREAD(1, src, VA, PAGE4, 0, 0, ALL_LANES)
static const script_op_t many[] = {PAGES32(R_NO), ALU(2, 1)};
static const script_op_t many_late[] = {WAIT50, PAGES32(9), ALU(3, 1)};

/* 32 questions arrive at a port in one cycle. */
static void a_full_buffer_turns_questions_away(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(many), PROGRAM(many_late)};
  static const struct {
    uint32_t ports, buffer, answered, waited;
  } rows[] = {{1, 2, 3, 1 + 2}, {4, 2, 6, 1 + 1}, {1, 1, 2, 1}, {1, 0, 32, 496}, {0, 2, 32, 0}};
  for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    gpu_spec_t spec = peer_spec("neidty", 2);
    setn(&spec, "l1tlb.ports", 0), setn(&spec, "l1tlb.entries", 64);
    setn(&spec, "l1tlb.mshrs", 64), setn(&spec, "peer.directory", 64);
    setn(&spec, "peer.ports", rows[i].ports), setn(&spec, "peer.buffer", rows[i].buffer);
    script_t *s = programs_of(p, 2, 1);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->peers.stats[0].asked, 32);
    assert_int_equal(g->tlb.level[0].stats[0].remote_hits, rows[i].answered);
    assert_int_equal(g->peers.stats[0].turned_away, 32 - rows[i].answered);
    assert_int_equal(g->peers.stats[0].port_wait_cycles, rows[i].waited);
    gpu_free(g);
    script_free(s);
  }
}

/* ---- what is kept ---- */

static const script_op_t four_times[] = {WAIT50,         LOAD(1, 9, VA), LOAD(2, 1, VA),
                                         LOAD(3, 2, VA), LOAD(4, 3, VA), ALU(5, 4)};

static void the_update_policy_decides_what_the_own_tlb_keeps(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(early), PROGRAM(four_times)};
  static const struct {
    const char *update;
    uint32_t remote, hits, unkept;
  } rows[] = {{"default", 1, 3, 0}, {"exclusive", 4, 0, 4}, {"twice", 2, 2, 1}};
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t spec = peer_spec("neidty", 2);
    set(&spec, "peer.update", rows[i].update);
    script_t *s = programs_of(p, 2, 1);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->tlb.level[0].stats[0].remote_hits, rows[i].remote);
    assert_int_equal(g->tlb.level[0].stats[0].hits, rows[i].hits);
    assert_int_equal(g->peers.stats[0].unkept, rows[i].unkept);
    gpu_free(g);
    script_free(s);
  }
}

/* Two warps of SM 1 need the page; the second joins the first one's question. */
static void a_look_up_that_joins_a_question_is_answered_by_the_peer_too(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(early), PROGRAM(idle), PROGRAM(late), PROGRAM(late)};
  gpu_spec_t spec = peer_spec("neidty", 2);
  set(&spec, "peer.update", "twice");
  script_t *s = programs_of(p, 4, 2);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->tlb.level[0].stats[0].remote_hits, 1);
  assert_int_equal(g->peers.stats[0].remote_lookups, 2);
  assert_int_equal(g->peers.stats[0].unkept, 0); /* asked for twice in a row */
  gpu_free(g);
  script_free(s);
}

/* ---- prefetching ---- */

/* TLBs of one entry. SM 0 reads page 0 and loses it; SM 1 then asks the next level for it. */
static const script_op_t lost[] = {LOAD(1, R_NO, VA), LOAD(2, 1, VA + PAGE4), ALU(3, 2)};
static const script_op_t later[] = {LOAD(1, R_NO, VA + 2 * PAGE4), WAIT50, WAIT50, LOAD(2, 9, VA),
                                    ALU(3, 2)};

static void a_page_that_two_asked_for_is_there_for_a_third(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(lost), PROGRAM(late), PROGRAM(later)};
  for (uint32_t on = 0; on < 2; on++) {
    gpu_spec_t spec = peer_spec("valkyrie", 3);
    setn(&spec, "l1tlb.entries", 1);
    set(&spec, "peer.prefetch", on ? "true" : "false");
    setn(&spec, "peer.probes", 1); /* SM 2 asks SM 0, which has another page */
    script_t *s = programs_of(p, 3, 1);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->peers.stats[0].prefetches, on);
    assert_int_equal(g->peers.stats[0].prefetch_hits, on);
    assert_int_equal(g->tlb.level[0].stats[0].hits, on);
    assert_int_equal(script_when(s, 2, 102) - script_when(s, 2, 101) < f_l2_hit(&spec, LINE) + 5,
                     on);
    gpu_free(g);
    script_free(s);
  }
}

/* ---- address spaces and changes of page tables ---- */

static void neighbours_in_another_space_do_not_answer(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(early), PROGRAM(late)};
  for (uint32_t bits = 1; bits <= 18; bits += 17) {
    gpu_spec_t spec = peer_spec("neidty", 2);
    setn(&spec, "peer.tag_bits", bits);
    script_t *s[2] = {programs_of(&p[0], 1, 1), programs_of(&p[1], 1, 1)};
    source_t *src[2] = {script_source(s[0]), script_source(s[1])};
    gpu_t *g = machine(&spec, src, 2);
    finish(g);
    for (uint32_t a = 0; a < 2; a++) {
      assert_int_equal(g->tlb.level[0].stats[a].remote_hits, 0);
      assert_int_equal(g->walker.stats[a].walks, 1);
      if (bits == 18) assert_int_equal(g->peers.stats[a].asked, 0);
      script_free(s[a]);
    }
    gpu_free(g);
  }
}

/* A kernel, then the memory is freed and mapped to other frames, and the kernel again. */
static const script_command_t remapped[] = {
    {CMD_ALLOC, VA, 2 * MB}, {CMD_LAUNCH, 0, 0},
    {CMD_FREE, VA, 0},       {CMD_ALLOC, VA + 64 * MB, 8 * PAGE4},
    {CMD_ALLOC, VA, 2 * MB}, {CMD_LAUNCH, 0, 0}};

/* Random reads of a few pages by a few SMs, so that they share. */
typedef struct {
  script_op_t op[4][24];
  program_t program[4];
} traffic_t;

static void random_traffic(traffic_t *t, rng_t *rng) {
  for (uint32_t k = 0; k < 4; k++) {
    for (uint32_t i = 0; i < 24; i++) {
      uint64_t page = rng_below(rng, 24), spread = rng_below(rng, 4);
      int64_t stride = spread ? 4 : (int64_t)PAGE4;
      uint32_t lanes = spread ? ALL_LANES : 0xff;
      t->op[k][i] = (script_op_t)LOAD_SPREAD((uint8_t)(1 + i % 8), R_NO, VA + page * PAGE4, stride,
                                             PAGE4 * rng_below(rng, 2), 0, lanes);
    }
    t->program[k] = (program_t){t->op[k], 24, 3};
  }
}

static script_t *traffic_script(const traffic_t *t) {
  return script_new(&(script_spec_t){.program = t->program,
                                     .programs = 4,
                                     .blocks = 4,
                                     .warps = 2,
                                     .command = remapped,
                                     .commands = 6},
                    0);
}

static void random_sharing(gpu_spec_t *s, rng_t *rng) {
  static const char *const update[] = {"default", "exclusive", "twice"};
  static const uint32_t bits[] = {1, 3, 18}, entries[] = {1, 4, 32};
  set(s, "tlb.peer", rng_below(rng, 3) ? "neidty" : "valkyrie");
  set(s, "peer.update", update[rng_below(rng, 3)]);
  setn(s, "peer.tag_bits", bits[rng_below(rng, 3)]);
  setn(s, "peer.directory", entries[rng_below(rng, 3)]);
  setn(s, "peer.hop", rng_below(rng, 4));
  setn(s, "peer.buffer", rng_below(rng, 3));
  setn(s, "peer.group", rng_below(rng, 5));
  setn(s, "peer.probes", rng_below(rng, 3));
  set(s, "peer.prefetch", rng_below(rng, 2) ? "true" : "false");
  setn(s, "peer.prefetch_entries", 1 + rng_below(rng, 8));
  set(s, "peer.oracle", rng_below(rng, 2) ? "true" : "false");
  setn(s, "l1tlb.entries", 1u << rng_below(rng, 5));
  setn(s, "l1tlb.reach", 1u << rng_below(rng, 2));
  setn(s, "l1tlb.mshrs", 1 + rng_below(rng, 8));
  setn(s, "l1tlb.group", 1 + rng_below(rng, 2));
  if (rng_below(rng, 4)) return;
  set(s, "mem.manager", "large-only"), set(s, "mem.large_page", "64K");
  setn(s, "l1tlb.large_entries", 2);
}

/* run.check compares every translation with the page table; the directories are checked at the end,
 * when all memory has been unmapped. */
static void no_answer_differs_from_the_page_table(void **state) {
  (void)state;
  uint64_t remote = 0, copies = 0, wrong_tags = 0;
  for (uint32_t n = 0; n < 150; n++) {
    rng_t rng = {rng_mix(test_seed() * 1000 + n)};
    gpu_spec_t spec = lab_spec();
    traffic_t traffic[3];
    script_t *s[3];
    source_t *src[3];
    uint32_t apps = 1 + rng_below(&rng, 3);
    setn(&spec, "gpu.sms", 6), setn(&spec, "walk.fixed", 20);
    random_sharing(&spec, &rng);
    for (uint32_t a = 0; a < apps; a++) {
      random_traffic(&traffic[a], &rng);
      s[a] = traffic_script(&traffic[a]);
      src[a] = script_source(s[a]);
    }
    gpu_t *g = machine(&spec, src, apps);
    gpu_limits_t limits = {.no_relaunch = true};
    err_t e = {0};
    if (gpu_run(g, &limits, 20000000, &e) != 1 || gpu_check(g, &e) < 0)
      fail_msg("case %u (GMMU_SEED=%llu): %s", n, (unsigned long long)test_seed(), e.text);
    for (uint32_t a = 0; a < apps; a++) {
      remote += g->tlb.level[0].stats[a].remote_hits;
      copies += g->peers.stats[a].prefetch_hits;
      wrong_tags += g->peers.stats[a].directory_collisions;
    }
    gpu_free(g);
    for (uint32_t a = 0; a < apps; a++) script_free(s[a]);
  }
  assert_true(remote > 1000 && copies > 10 && wrong_tags > 100);
}

/* ---- the oracle ---- */

static void the_oracle_counts_who_holds_a_page(void **state) {
  (void)state;
  static const program_t p[] = {PROGRAM(early), PROGRAM(early), PROGRAM(idle), PROGRAM(late)};
  gpu_spec_t spec = peer_spec("none", 4);
  set(&spec, "peer.oracle", "true");
  script_t *s = programs_of(p, 4, 1);
  gpu_t *g = run_script(&spec, s);
  const peer_stats_t *st = &g->peers.stats[0];
  assert_int_equal(st->sharers_0, 2); /* the two that were first */
  assert_int_equal(st->sharers_2_4, 1);
  assert_int_equal(st->oracle_misses, 3);
  assert_int_equal(st->oracle_primary, 3);
  assert_int_equal(st->oracle_neighbour, 1); /* SM 0 is to the right of SM 3 */
  assert_int_equal(g->peers.seen[3].misses, 1);
  assert_int_equal(g->peers.seen[3].neighbour, 1);
  gpu_free(g);
  script_free(s);
}

static void the_oracle_changes_nothing(void **state) {
  (void)state;
  uint64_t cycles[2], misses[2], remote[2];
  for (uint32_t on = 0; on < 2; on++) {
    gpu_spec_t spec = peer_spec("neidty", 4);
    setn(&spec, "l1tlb.entries", 8);
    set(&spec, "peer.oracle", on ? "true" : "false");
    gpu_t *g = run_generator(&spec, "gather:footprint=256K,blocks=8,warps=4,steps=8");
    const peer_stats_t *st = &g->peers.stats[0];
    cycles[on] = gpu_cycles(g);
    misses[on] = g->tlb.level[0].stats[0].misses;
    remote[on] = st->remote_lookups;
    uint64_t seen = st->sharers_0 + st->sharers_1 + st->sharers_2_4 + st->sharers_5_8 +
                    st->sharers_9_12 + st->sharers_13;
    assert_int_equal(seen, on ? g->tlb.level[0].stats[0].lookups : 0);
    assert_int_equal(st->oracle_misses, on ? misses[on] : 0);
    gpu_free(g);
  }
  assert_int_equal(cycles[0], cycles[1]);
  assert_int_equal(misses[0], misses[1]);
  assert_int_equal(remote[0], remote[1]);
  assert_true(remote[0] > 0);
}

static void statistics_of_sharing_are_there_if_tlbs_share(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = peer_spec(i ? "neidty" : "none", 4);
    gpu_t *g = run_generator(&spec, "gather:footprint=256K,blocks=8,warps=4,steps=8");
    char *text = stats_text(g);
    assert_int_equal(strstr(text, "\"remote_hit_ratio\"") != NULL, i);
    gpu_summary_t sum;
    gpu_summary(g, 0, &sum);
    assert_int_equal(sum.peers, i);
    assert_int_equal(sum.l1tlb_remote, g->peers.stats[0].remote_lookups);
    free(text);
    gpu_free(g);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_neighbours_answer_takes_two_hops_and_a_look_up),
      cmocka_unit_test(a_neighbour_has_all_of_a_larger_page),
      cmocka_unit_test(a_false_positive_costs_the_way_and_nothing_else),
      cmocka_unit_test(a_ring_takes_a_hop_and_a_look_up_per_tlb),
      cmocka_unit_test(a_full_buffer_turns_questions_away),
      cmocka_unit_test(the_update_policy_decides_what_the_own_tlb_keeps),
      cmocka_unit_test(a_look_up_that_joins_a_question_is_answered_by_the_peer_too),
      cmocka_unit_test(a_page_that_two_asked_for_is_there_for_a_third),
      cmocka_unit_test(neighbours_in_another_space_do_not_answer),
      cmocka_unit_test(no_answer_differs_from_the_page_table),
      cmocka_unit_test(the_oracle_counts_who_holds_a_page),
      cmocka_unit_test(the_oracle_changes_nothing),
      cmocka_unit_test(statistics_of_sharing_are_there_if_tlbs_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
