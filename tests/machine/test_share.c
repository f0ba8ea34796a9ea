/* Several applications on one machine. */
#include "gpu/stats.h"
#include "help.h"

#define APPS 3

static const script_op_t work[] = {LOAD_AT(1, R_NO, VA, PAGE4, LINE), ALU(2, 1),
                                   STORE_AT(2, VA + 512 * KB, PAGE4, LINE)};

typedef struct {
  program_t program[APPS];
  script_t *s[APPS];
  gpu_t *g;
} shared_t;

static gpu_spec_t six_sms(void) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", 6);
  return s;
}

/* Application a runs 2 (a + 1) iterations in a + 2 blocks of two warps. */
static void open_shared(shared_t *x, const gpu_spec_t *spec, const app_spec_t *placement,
                        uint32_t apps) {
  app_spec_t app[APPS];
  err_t e = {0};
  for (uint32_t a = 0; a < apps; a++) {
    x->program[a] = (program_t)PROGRAM_N(work, 2 * (a + 1));
    x->s[a] = script_new(&(script_spec_t){.program = &x->program[a],
                                          .programs = 1,
                                          .blocks = a + 2,
                                          .warps = 2,
                                          .va = VA,
                                          .bytes = MB},
                         65536);
    app[a] = placement ? placement[a] : (app_spec_t){0};
    app[a].name = "app";
    app[a].source = script_source(x->s[a]);
  }
  if (gpu_new(spec, app, apps, &x->g, &e) < 0) fail_msg("%s", e.text);
}

static void close_shared(shared_t *x, uint32_t apps) {
  gpu_free(x->g);
  for (uint32_t a = 0; a < apps; a++) script_free(x->s[a]);
}

static uint64_t instructions_of(uint32_t a) { return (a + 2) * 2 * (2 * (a + 1) * 3 + 1); }

static void statistics_are_per_application(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  shared_t x;
  open_shared(&x, &spec, NULL, APPS);
  finish(x.g);
  for (uint32_t a = 0; a < APPS; a++) {
    const sm_stats_t *s = &x.g->cores.stats[a];
    uint64_t warps = (a + 2) * 2, turns = 2 * (a + 1);
    assert_int_equal(s->warp_instructions, instructions_of(a));
    assert_int_equal(s->loads, warps * turns);
    assert_int_equal(s->stores, warps * turns);
    assert_int_equal(s->lines, 2 * warps * turns);
    assert_int_equal(s->blocks, a + 2);
    assert_int_equal(x.g->l1.stats[a].accesses, s->lines);
    assert_int_equal(x.g->tlb.level[0].stats[a].lookups, s->pages);
    /* two SMs each: slots x cycles */
    assert_int_equal(s->slot_cycles, 2 * spec.sm.warps * gpu_cycles(x.g));
    assert_true(x.g->walker.stats[a].walks > 0);
    assert_true(dram_total(x.g, a, DRAM_DATA).reads > 0);
    assert_true(dram_total(x.g, a, DRAM_WALK).reads > 0);
  }
  close_shared(&x, APPS);
}

/* Every block of an application runs on its SMs: the source sees the slots. */
static void equal_shares_differ_by_one_sm_at_most(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  shared_t x;
  setn(&spec, "gpu.sms", 8);
  open_shared(&x, &spec, NULL, APPS);
  static const uint32_t first[APPS + 1] = {0, 2, 5, 8};
  for (uint32_t a = 0; a < APPS; a++) {
    assert_int_equal(x.g->share.app[a].first_sm, first[a]);
    assert_int_equal(x.g->share.app[a].sms, first[a + 1] - first[a]);
  }
  close_shared(&x, APPS);
}

static void blocks_stay_on_their_applications_sms(void **state) {
  (void)state;
  static const app_spec_t placement[APPS] = {
      {.first_sm = 4, .sms = 2}, {.first_sm = 0, .sms = 1}, {.first_sm = 1, .sms = 2}};
  gpu_spec_t spec = six_sms();
  setn(&spec, "sm.blocks", 1); /* so that there is reason to go elsewhere */
  shared_t x;
  open_shared(&x, &spec, placement, APPS);
  finish(x.g);
  for (uint32_t a = 0; a < APPS; a++) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < script_count(x.s[a]); i++) {
      uint32_t sm = script_issue(x.s[a], i)->slot / spec.sm.warps;
      assert_in_range(sm, placement[a].first_sm, placement[a].first_sm + placement[a].sms - 1);
      used |= 1u << (sm - placement[a].first_sm);
    }
    assert_int_equal(used, (1u << placement[a].sms) - 1);
  }
  /* SM 3 belongs to nobody */
  assert_int_equal(x.g->cores.stats[APPS].warp_instructions, 0);
  assert_int_equal(x.g->cores.stats[APPS].slot_cycles, spec.sm.warps * gpu_cycles(x.g));
  close_shared(&x, APPS);
}

static void overlapping_or_missing_sms_are_refused(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  const program_t p = PROGRAM(work);
  script_t *s = script_of(&p, 1, 1, MB);
  app_spec_t apps[2] = {{.name = "a", .source = script_source(s), .first_sm = 0, .sms = 3},
                        {.name = "b", .source = script_source(s), .first_sm = 2, .sms = 2}};
  gpu_t *g;
  err_t e;
  assert_int_equal(gpu_new(&spec, apps, 2, &g, &e), GMMU_ERANGE);
  apps[1].first_sm = 5;
  assert_int_equal(gpu_new(&spec, apps, 2, &g, &e), GMMU_ERANGE);
  assert_int_equal(gpu_new(&spec, apps, 0, &g, &e), GMMU_ERANGE);
  script_free(s);
}

static void early_finishers_are_started_again(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  shared_t x;
  open_shared(&x, &spec, NULL, APPS);
  gpu_limits_t limits = {0};
  err_t e;
  assert_int_equal(gpu_run(x.g, &limits, UINT64_MAX, &e), 1);
  gpu_settle(x.g);
  assert_int_equal(gpu_check(x.g, &e), 0);
  uint32_t ones = 0;
  for (uint32_t a = 0; a < APPS; a++) {
    assert_true(gpu_app_runs(x.g, a) >= 1);
    ones += gpu_app_runs(x.g, a) == 1;
    gpu_summary_t sum;
    gpu_summary(x.g, a, &sum);
    assert_int_equal(sum.complete_instructions, gpu_app_runs(x.g, a) * instructions_of(a));
    assert_true(sum.complete_cycles <= gpu_cycles(x.g));
    assert_true(sum.instructions >= sum.complete_instructions);
  }
  assert_true(ones >= 1);
  assert_true(gpu_app_runs(x.g, 0) > 1); /* the shortest */
  close_shared(&x, APPS);
}

static void without_relaunch_everybody_runs_once(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  shared_t x;
  open_shared(&x, &spec, NULL, APPS);
  finish(x.g);
  for (uint32_t a = 0; a < APPS; a++) assert_int_equal(gpu_app_runs(x.g, a), 1);
  close_shared(&x, APPS);
}

static void a_limit_on_cycles_is_exact(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  static const uint64_t cycles[] = {1, 2, 99, 1000, 5555, 60000};
  for (uint32_t i = 0; i < 6; i++) {
    shared_t x;
    open_shared(&x, &spec, NULL, APPS);
    gpu_limits_t limits = {.cycles = cycles[i]};
    err_t e;
    assert_int_equal(gpu_run(x.g, &limits, UINT64_MAX, &e), 1);
    gpu_settle(x.g);
    if (gpu_check(x.g, &e) < 0) fail_msg("%s", e.text);
    assert_int_equal(gpu_cycles(x.g), cycles[i]);
    close_shared(&x, APPS);
  }
}

/* Whoever has finished goes on until then; a run that takes longer is not cut off. */
static void a_least_number_of_cycles_is_exact_once_everybody_has_finished(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  shared_t x;
  err_t e;
  open_shared(&x, &spec, NULL, APPS);
  assert_int_equal(gpu_run(x.g, &(gpu_limits_t){0}, UINT64_MAX, &e), 1);
  uint64_t natural = gpu_cycles(x.g);
  close_shared(&x, APPS);
  const uint64_t least[] = {1, natural - 1, natural, natural + 1, 3 * natural + 7};
  for (uint32_t i = 0; i < 5; i++) {
    gpu_limits_t limits = {.min_cycles = least[i]};
    open_shared(&x, &spec, NULL, APPS);
    while (gpu_run(x.g, &limits, gpu_cycles(x.g) + 777, &e) == 0) {
    }
    gpu_settle(x.g);
    if (gpu_check(x.g, &e) < 0) fail_msg("%s", e.text);
    assert_int_equal(gpu_cycles(x.g), least[i] > natural ? least[i] : natural);
    assert_true(i < 4 || gpu_app_runs(x.g, APPS - 1) > 1);
    close_shared(&x, APPS);
  }
}

/* At most one instruction per scheduler too many: the limit is looked at between cycles. */
static void a_limit_on_instructions_ends_the_run(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  static const uint64_t most[] = {1, 50, 2000};
  for (uint32_t i = 0; i < 3; i++) {
    shared_t x;
    open_shared(&x, &spec, NULL, APPS);
    gpu_limits_t limits = {.instructions = most[i]};
    err_t e;
    assert_int_equal(gpu_run(x.g, &limits, UINT64_MAX, &e), 1);
    gpu_settle(x.g);
    if (gpu_check(x.g, &e) < 0) fail_msg("%s", e.text);
    assert_in_range(gpu_instructions(x.g), most[i], most[i] + 6);
    close_shared(&x, APPS);
  }
}

/* It does so in the next cycle, though the warp waits for its load and nothing happens before. */
static void a_limit_on_instructions_does_not_wait_for_the_next_event(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD(1, R_NO, VA), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  script_t *s = script_new(
      &(script_spec_t){
          .program = &p, .programs = 1, .blocks = 1, .warps = 1, .va = VA, .bytes = MB},
      4);
  source_t *src = script_source(s);
  gpu_t *g = machine(&spec, &src, 1);
  gpu_limits_t limits = {.instructions = 1};
  assert_int_equal(gpu_run(g, &limits, UINT64_MAX, NULL), 1);
  assert_int_equal(gpu_cycles(g), script_when(s, 0, 0) + 1);
  gpu_free(g);
  script_free(s);
}

/* Alone and with neighbours that share everything but SMs: the same instructions, later. */
static void neighbours_cost_time_only(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  static const app_spec_t placement[APPS] = {
      {.first_sm = 0, .sms = 2}, {.first_sm = 2, .sms = 2}, {.first_sm = 4, .sms = 2}};
  setn(&spec, "walk.threads", 1);
  shared_t alone, together;
  open_shared(&alone, &spec, placement, 1);
  open_shared(&together, &spec, placement, APPS);
  finish(alone.g);
  finish(together.g);
  const sm_stats_t *a = &alone.g->cores.stats[0], *b = &together.g->cores.stats[0];
  assert_int_equal(a->warp_instructions, b->warp_instructions);
  assert_int_equal(a->lines, b->lines);
  assert_true(together.g->share.app[0].first_end > alone.g->share.app[0].first_end);
  close_shared(&alone, 1);
  close_shared(&together, APPS);
}

static uint64_t sum_of(const uint64_t *matrix) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < APPS * APPS; i++) n += matrix[i];
  return n;
}

/* What the matrices say adds up to the evictions counted. */
static void eviction_matrices_add_up(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  setn(&spec, "l2tlb.entries", 4), set(&spec, "l2.bytes", "8K");
  shared_t x;
  open_shared(&x, &spec, NULL, APPS);
  finish(x.g);
  uint64_t tlb = 0, l1 = 0, l2 = 0;
  for (uint32_t a = 0; a < APPS; a++) {
    tlb += x.g->tlb.level[1].stats[a].evictions;
    l1 += x.g->l1.stats[a].evictions;
    for (uint32_t c = 0; c < CLASSES; c++) l2 += x.g->l2.stats[a * CLASSES + c].evictions;
  }
  assert_true(tlb > 0 && l2 > 0);
  assert_int_equal(sum_of(x.g->tlb.level[1].evicted_by), tlb);
  assert_int_equal(sum_of(x.g->l1.evicted_by), l1);
  assert_int_equal(sum_of(x.g->l2.evicted_by), l2);
  for (uint32_t i = 0; i < APPS * APPS; i++) /* L1s are private: nobody evicts another */
    if (i / APPS != i % APPS) assert_int_equal(x.g->l1.evicted_by[i], 0);
  close_shared(&x, APPS);
}

/* The points of the time series, and what came after the last of them, are the totals. */
static void series_points_add_up_to_the_totals(void **state) {
  (void)state;
  gpu_spec_t spec = six_sms();
  setn(&spec, "run.series", 100);
  shared_t x;
  open_shared(&x, &spec, NULL, APPS);
  gpu_limits_t limits = {.cycles = 20000};
  assert_int_equal(gpu_run(x.g, &limits, UINT64_MAX, NULL), 1);
  gpu_settle(x.g);
  const series_t *s = &x.g->series;
  assert_in_range(s->points, 199, 200);
  for (uint32_t a = 0; a < APPS; a++) {
    uint64_t issued = 0, walks = 0;
    for (uint32_t p = 0; p < s->points; p++) {
      issued += s->at[p * APPS + a].warp_instructions;
      walks += s->at[p * APPS + a].walks;
    }
    assert_int_equal(issued, s->last[a].warp_instructions);
    assert_true(issued <= x.g->cores.stats[a].warp_instructions);
    assert_true(issued * 100 >= x.g->cores.stats[a].warp_instructions * 98);
    assert_int_equal(walks, s->last[a].walks);
  }
  close_shared(&x, APPS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statistics_are_per_application),
      cmocka_unit_test(equal_shares_differ_by_one_sm_at_most),
      cmocka_unit_test(blocks_stay_on_their_applications_sms),
      cmocka_unit_test(overlapping_or_missing_sms_are_refused),
      cmocka_unit_test(early_finishers_are_started_again),
      cmocka_unit_test(without_relaunch_everybody_runs_once),
      cmocka_unit_test(a_limit_on_cycles_is_exact),
      cmocka_unit_test(a_least_number_of_cycles_is_exact_once_everybody_has_finished),
      cmocka_unit_test(a_limit_on_instructions_ends_the_run),
      cmocka_unit_test(a_limit_on_instructions_does_not_wait_for_the_next_event),
      cmocka_unit_test(neighbours_cost_time_only),
      cmocka_unit_test(eviction_matrices_add_up),
      cmocka_unit_test(series_points_add_up_to_the_totals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
