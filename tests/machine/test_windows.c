/* Runs in windows: what is skipped, what stays warm, what counts. */
#include "gpu/stats.h"
#include "random_machine.h"

#define MACHINES 150

static int run_to_end(gpu_t *g, const gpu_limits_t *limits, uint64_t piece, err_t *e) {
  int rc = 0;
  while (rc == 0) rc = gpu_run(g, limits, piece ? gpu_cycles(g) + piece : UINT64_MAX, e);
  return rc;
}

static gpu_t *opened(const gpu_spec_t *spec, source_t *src) {
  gpu_t *g;
  err_t e = {0};
  if (gpu_new(spec, &(app_spec_t){.name = "x", .source = src}, 1, &g, &e) < 0)
    fail_msg("%s", e.text);
  return g;
}

/* Settled, and checked if the spec says so. */
static gpu_t *ran(const gpu_spec_t *spec, source_t *src) {
  err_t e = {0};
  gpu_t *g = opened(spec, src);
  if (run_to_end(g, &(gpu_limits_t){.no_relaunch = true}, 0, &e) < 0) fail_msg("%s", e.text);
  gpu_settle(g);
  if (gpu_check(g, &e) < 0) fail_msg("%s", e.text);
  return g;
}

static gpu_spec_t windows(uint64_t skip, uint64_t warm, uint64_t measure, uint32_t count) {
  gpu_spec_t s = lab_spec();
  setn(&s, "sample.skip", skip), setn(&s, "sample.warm", warm);
  setn(&s, "sample.measure", measure), setn(&s, "sample.windows", count);
  return s;
}

/* ---- what is executed ---- */

static const char *const program = "gather:footprint=1M,blocks=6,steps=40";

static uint64_t instructions_of(const char *text) {
  gpu_spec_t s = lab_spec();
  source_t *src = generator(text);
  gpu_t *g = ran(&s, src);
  uint64_t n = gpu_instructions(g);
  gpu_free(g), src->ops->free(src);
  return n;
}

static void every_instruction_is_skipped_or_takes_time(void **state) {
  (void)state;
  uint64_t all = instructions_of(program), skips[] = {1, 1000, all - 5};
  for (uint32_t i = 0; i < 3; i++) {
    gpu_spec_t s = windows(skips[i], 0, 0, 0);
    source_t *src = generator(program);
    gpu_t *g = ran(&s, src);
    assert_int_equal(g->sampling.windows, 1);
    assert_int_equal(g->sampling.forwarded[0], skips[i]);
    assert_int_equal(gpu_instructions(g), all - skips[i]);
    gpu_free(g), src->ops->free(src);
  }
}

static void a_run_that_ends_before_the_first_window_says_so(void **state) {
  (void)state;
  gpu_spec_t s = windows(1000000000, 0, 10, 1);
  source_t *src = generator(program);
  gpu_t *g = opened(&s, src);
  err_t e = {0};
  assert_int_equal(run_to_end(g, &(gpu_limits_t){.no_relaunch = true}, 0, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "before the first window"));
  gpu_free(g), src->ops->free(src);
}

static void windows_have_their_length_and_number(void **state) {
  (void)state;
  gpu_spec_t s = windows(300, 100, 50, 4);
  source_t *src = generator(program);
  gpu_t *g = ran(&s, src);
  assert_int_equal(g->sampling.windows, 4);
  uint64_t cycles = 0;
  for (uint32_t i = 0; i < 4; i++) {
    assert_in_range(g->sampling.window[i].warp_instructions, 50, 51); /* two schedulers */
    cycles += g->sampling.window[i].cycles;
  }
  assert_int_equal(gpu_cycles(g), cycles);
  assert_in_range(gpu_instructions(g), 200, 204);
  assert_in_range(g->sampling.forwarded[0], 4 * 300 - 300 / BEGIN_PART - 1, 4 * 300);
  gpu_free(g), src->ops->free(src);
}

static void windows_may_be_anywhere_in_their_period(void **state) {
  (void)state;
  gpu_spec_t s = windows(300, 100, 50, 4);
  uint64_t skipped[2];
  for (uint32_t i = 0; i < 2; i++) {
    setn(&s, "sample.seed", i + 1);
    source_t *src = generator(program);
    gpu_t *g = ran(&s, src);
    assert_int_equal(g->sampling.windows, 4);
    skipped[i] = g->sampling.forwarded[0];
    /* to the last period, less what has time: windows, what is before each, and the beginning */
    assert_in_range(skipped[i], 3 * 450 - 3 * 50 - 4 * 100 - 300 / BEGIN_PART - 1, 4 * 400);
    gpu_free(g), src->ops->free(src);
  }
  assert_int_not_equal(skipped[0], skipped[1]);
}

static void launches_are_a_unit_too(void **state) {
  (void)state;
  gpu_spec_t s = windows(2, 1, 1, 2);
  set(&s, "sample.unit", "launches");
  const char *text = "stream:footprint=64K,blocks=4,steps=3,launches=8";
  uint64_t all = instructions_of(text);
  source_t *src = generator(text);
  gpu_t *g = ran(&s, src);
  assert_int_equal(g->sampling.forwarded[0], all / 8 * 4);
  assert_int_equal(gpu_instructions(g), all / 8 * 2);
  gpu_free(g), src->ops->free(src);
}

/* What every kernel did, skipped or with time, and what of it windows measured. */
static void kernels_without_a_window_are_known(void **state) {
  (void)state;
  gpu_spec_t s = windows(300, 100, 50, 4);
  source_t *src = generator(program);
  gpu_t *g = ran(&s, src);
  const sampling_kernels_t *k = g->sampling.kernels;
  uint64_t measured = 0;
  const char *name;
  for (uint32_t i = 0; i < 4; i++) measured += g->sampling.window[i].warp_instructions;
  assert_int_equal(k->count, 1);
  assert_int_equal(sampling_measured(&g->sampling, 0, 0), measured);
  assert_in_range(k->instructions[0], 4 * 450 - 8, 4 * 450 + 8);
  assert_int_equal(sampling_unseen(&g->sampling, 0, &name), 0);
  assert_null(name);
  for (uint32_t w = 0; w < 4; w++) g->sampling.piece[w] = (window_t){0};
  assert_int_equal(sampling_unseen(&g->sampling, 0, &name), k->instructions[0]);
  assert_string_equal(name, k->name[0]);
  gpu_free(g), src->ops->free(src);
}

/* The run ends with the last period, so that kernels are counted over as much as windows stand for.
 */
static void windows_anywhere_stand_for_whole_periods(void **state) {
  (void)state;
  for (uint32_t seed = 0; seed < 4; seed++) {
    gpu_spec_t s = windows(300, 100, 50, 4);
    setn(&s, "sample.seed", seed);
    source_t *src = generator(program);
    gpu_t *g = ran(&s, src);
    assert_in_range(sampling_instructions(&g->sampling, 0), 4 * 450, 4 * 450 + 8);
    gpu_free(g), src->ops->free(src);
  }
}

/* ---- estimates ---- */

#define ROOM 40
typedef struct {
  sampling_kernels_t kernels;
  window_t piece[SAMPLING_KERNELS * ROOM];
  uint64_t member[2 * ROOM];
  sampling_t s;
} sampled_t;

/* Windows as if a run had had them: kernel 0 has three quarters of all instructions. */
static sampled_t *sampled(uint32_t windows) {
  sampled_t *x = calloc(1, sizeof *x);
  assert_non_null(x);
  x->kernels =
      (sampling_kernels_t){.count = 2, .instructions = {3000, 1000}, .name = {"a", "b", "c"}};
  x->s = (sampling_t){.windows = windows,
                      .room = ROOM,
                      .apps = 1,
                      .kernels = &x->kernels,
                      .piece = x->piece,
                      .member = x->member};
  return x;
}

/* Windows `from` up to `to` have been in the kernel for ten instructions. */
static void met(sampled_t *x, uint32_t kernel, uint32_t from, uint32_t to, uint64_t cycles) {
  for (uint32_t w = from; w < to; w++)
    x->piece[kernel * ROOM + w] =
        (window_t){.cycles = cycles, .warp_instructions = 10, .l2tlb_misses = cycles / 10};
}

static estimate_t estimated(const sampled_t *x, uint32_t ratio) {
  estimate_t e;
  sampling_estimate(&x->s, 0, ratio, &e);
  return e;
}

/* By chance half of the windows, or one of four, are of the second kernel. */
static void kernels_have_the_weight_of_the_run(void **state) {
  (void)state;
  for (uint32_t first = 2; first < 4; first++) {
    sampled_t *x = sampled(4);
    met(x, 0, 0, first, 20), met(x, 1, first, 4, 60);
    estimate_t e = estimated(x, RATIO_ipc);
    assert_int_equal(e.mean, 333333);        /* 4000 / (3000 * 2 + 1000 * 6) */
    assert_true(e.known && e.half > 250000); /* four windows, which differ */
    assert_int_equal(estimated(x, RATIO_l2tlb_mpki).mean, 300000000);
    free(x);
  }
}

/* A window is cut where a kernel begins: only the parts have the ratios of the kernels. */
static void windows_in_two_kernels_are_cut(void **state) {
  (void)state;
  sampled_t *x = sampled(4);
  met(x, 0, 0, 3, 20), met(x, 1, 2, 4, 60);
  assert_int_equal(estimated(x, RATIO_ipc).mean, 333333);
  free(x);
}

/* Few windows of a kernel that are alike may have missed what is not: they have no error of their
 * own. */
static void kernels_with_many_windows_have_errors_of_their_own(void **state) {
  (void)state;
  sampled_t *x = sampled(2 * SAMPLING_ALONE);
  met(x, 0, 0, SAMPLING_ALONE, 20), met(x, 1, SAMPLING_ALONE, 2 * SAMPLING_ALONE, 60);
  estimate_t e = estimated(x, RATIO_ipc);
  assert_int_equal(e.mean, 333333);
  assert_true(e.known && e.half < 10);
  x->s.windows--; /* the second kernel has one fewer: its windows are alike still */
  assert_true(estimated(x, RATIO_ipc).half < 10);
  x->piece[SAMPLING_ALONE - 1] = (window_t){0}; /* and the first */
  e = estimated(x, RATIO_ipc);
  assert_int_equal(e.mean, 333333);
  assert_true(e.half > 50000);
  free(x);
}

static void a_single_window_is_put_with_the_others(void **state) {
  (void)state;
  sampled_t *x = sampled(SAMPLING_ALONE + 1);
  met(x, 0, 0, SAMPLING_ALONE, 20), met(x, 1, SAMPLING_ALONE, SAMPLING_ALONE + 1, 60);
  estimate_t e = estimated(x, RATIO_ipc);
  assert_int_equal(e.mean, 333333);
  assert_true(e.known && e.half > 10000);
  free(x);
}

/* Of a kernel without a window only other kernels tell. */
static void a_kernel_without_a_window_widens_the_interval_or_ends_it(void **state) {
  (void)state;
  sampled_t *x = sampled(2 * SAMPLING_ALONE);
  met(x, 0, 0, SAMPLING_ALONE, 20), met(x, 1, SAMPLING_ALONE, 2 * SAMPLING_ALONE, 60);
  x->kernels.count = 3, x->kernels.instructions[2] = 400;
  estimate_t e = estimated(x, RATIO_l2tlb_mpki);
  assert_int_equal(e.mean, 300000000);
  assert_true(e.known); /* 400 of 4400; (600 - 200) / sqrt(2) * sqrt(3 / 2), t of one degree */
  assert_in_range(e.half / 1000, 399900, 400400);
  free(x);
  x = sampled(4);
  met(x, 0, 0, 4, 20); /* the second has none, and the first is all that is known */
  e = estimated(x, RATIO_l2tlb_mpki);
  assert_int_equal(e.mean, 200000000);
  assert_false(e.known);
  x->kernels.instructions[1] = 20; /* less than what matters */
  assert_true(estimated(x, RATIO_l2tlb_mpki).known);
  free(x);
}

/* ---- who goes on ---- */

/* Warps of scheduler `k` that are done, while others of their block are not. */
static uint32_t done_of(const gpu_t *g, uint32_t k) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    for (uint32_t w = 0; w < g->spec.sm.warps; w++) {
      const warp_t *x = &g->cores.sm[i].warp[w];
      n += x->state == WARP_DONE && x->scheduler == k;
    }
  return n;
}

/* Every access has 32 pages and L1 TLBs have few MSHRs, so warps wait for the load/store unit,
 * which the first scheduler has before the second: its warps end first, without time as with it. */
static void a_scarce_load_store_unit_has_the_same_order_without_time(void **state) {
  (void)state;
  const char *scarce = "gather:footprint=16M,blocks=64,warps=8,steps=20";
  uint64_t half = instructions_of(scarce) / 2;
  for (uint32_t skipped = 0; skipped < 2; skipped++) {
    gpu_spec_t s = skipped ? windows(half, 1, 1, 1) : windows(0, half, 1, 1);
    setn(&s, "sm.schedulers", 2), setn(&s, "l1tlb.mshrs", 4);
    source_t *src = generator(scarce);
    gpu_t *g = opened(&s, src);
    err_t e = {0};
    int rc = 0;
    while (rc == 0 && !(g->sampling.forwarded[0] && !g->cores.forwarding)) /* the skip is over */
      rc = gpu_run(g, &(gpu_limits_t){.no_relaunch = true}, gpu_cycles(g) + 1, &e);
    assert_true(rc >= 0 && done_of(g, 0) > 16 && done_of(g, 0) > 4 * done_of(g, 1));
    gpu_free(g), src->ops->free(src);
  }
}

/* Warp w reads page w + i in turn i, so every page is read by all, one after the other. The TLB has
 * half of the pages between the first and the last. Who finds its page there has to be faster than
 * who waits for a walk, and who reads a page that is walked for has to wait as long as the walk: so
 * the last catch up with the first, and a page is walked for once. */
static uint64_t walks_in_a_row(uint64_t skip, uint64_t timed, uint64_t *misses) {
  static const script_op_t row[] = {LOAD_AT(1, R_NO, VA, PAGE4, PAGE4), ALU(2, 1)};
  program_t p = PROGRAM_N(row, 600);
  script_t *x = script_of(&p, 1, 16, 4 * MB);
  gpu_spec_t s = windows(skip, timed, 3000, 1);
  setn(&s, "gpu.sms", 1), setn(&s, "sm.warps", 16);
  setn(&s, "l1tlb.entries", 4), setn(&s, "l1tlb.ways", 0), setn(&s, "l1tlb.mshrs", 16);
  setn(&s, "l2tlb.entries", 8), setn(&s, "l2tlb.ways", 0), setn(&s, "l2tlb.mshrs", 16);
  setn(&s, "walk.fixed", 1000), setn(&s, "walk.threads", 2);
  gpu_t *g = ran(&s, script_source(x));
  uint64_t walks = g->sampling.window[0].walks;
  *misses = g->sampling.window[0].l1tlb_misses;
  gpu_free(g), script_free(x);
  return walks;
}

static void misses_after_a_skip_are_those_with_time(void **state) {
  (void)state;
  uint64_t misses, misses_timed, timed = walks_in_a_row(0, 8200, &misses_timed);
  assert_in_range(timed, 3000 / 2 / 16 - 4, 3000 / 2 / 16 + 4); /* one for all warps */
  for (uint64_t skip = 7000; skip <= 8000; skip += 250) {
    uint64_t walks = walks_in_a_row(skip, 8200 - skip, &misses);
    assert_in_range(walks, timed * 95 / 100, timed * 105 / 100);
    assert_in_range(misses, misses_timed * 95 / 100, misses_timed * 105 / 100);
  }
}

/* ---- what stays warm ---- */

/* 16 pages and lines again and again: they fit every TLB and cache. */
static const script_op_t around[] = {LOAD_SPREAD(1, R_NO, VA, PAGE4 + LINE, 0, 0, 0xffff),
                                     ALU(2, 1)};

static void what_was_skipped_is_in_tlbs_and_caches(void **state) {
  (void)state;
  program_t p = PROGRAM_N(around, 64);
  script_t *x = script_of(&p, 1, 1, MB);
  gpu_spec_t warm = windows(40, 0, 0, 0), cold = lab_spec();
  setn(&cold, "l1tlb.entries", 64), setn(&warm, "l1tlb.entries", 64);
  gpu_t *g = ran(&warm, script_source(x));
  assert_int_equal(g->tlb.level[0].stats[0].misses, 0);
  assert_int_equal(g->l1.stats[0].misses, 0);
  assert_true(g->tlb.level[0].stats[0].hits > 0);
  gpu_free(g), script_free(x);
  x = script_of(&p, 1, 1, MB);
  g = ran(&cold, script_source(x));
  assert_true(g->tlb.level[0].stats[0].misses > 0 && g->l1.stats[0].misses > 0);
  gpu_free(g), script_free(x);
}

static void a_page_that_is_not_there_is_an_error_without_time_too(void **state) {
  (void)state;
  static const script_op_t outside[] = {LOAD_AT(1, R_NO, VA + 64 * MB, PAGE4, LINE)};
  program_t p = PROGRAM_N(outside, 4);
  script_t *x = script_of(&p, 1, 1, MB);
  gpu_spec_t s = windows(3, 0, 0, 0);
  gpu_t *g = opened(&s, script_source(x));
  err_t e = {0};
  assert_int_equal(run_to_end(g, &(gpu_limits_t){.no_relaunch = true}, 0, &e), GMMU_EFAULT);
  gpu_free(g), script_free(x);
}

static void windows_of_nothing_are_refused(void **state) {
  (void)state;
  static const char *const wrong[][4] = {
      {"sample.windows", "3", "sample.unit", "instructions"},
      {"sample.skip", "3", "mem.paging", "demand"},
      {"sample.skip", "3", "share.mode", "time"},
      {"sample.warm", "3", "sample.windows", "2"},
  };
  source_t *src = generator(program);
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gpu_spec_t s = lab_spec();
    gpu_t *g;
    err_t e = {0};
    set(&s, wrong[i][0], wrong[i][1]), set(&s, wrong[i][2], wrong[i][3]);
    assert_int_equal(gpu_new(&s, &(app_spec_t){.name = "x", .source = src}, 1, &g, &e),
                     GMMU_ERANGE);
    assert_memory_equal(e.key, "sample.", 7);
  }
  src->ops->free(src);
}

/* ---- any machine ---- */

/* As text, or NULL if the machine cannot be, or the run ended before a window. */
static char *random_windows(const random_machine_t *m, const gpu_spec_t *spec, uint64_t piece) {
  source_t *src[4];
  app_spec_t apps[4] = {0};
  gpu_t *g;
  err_t e = {0};
  char *text = NULL;
  for (uint32_t a = 0; a < m->apps; a++)
    apps[a] = (app_spec_t){.name = "x", .source = src[a] = random_machine_source(m, a)};
  int rc = gpu_new(spec, apps, m->apps, &g, &e);
  if (rc == 0) {
    random_machine_policies(m, g);
    rc = run_to_end(g, &m->limits, piece, &e);
    gpu_settle(g);
    if (rc > 0) rc = gpu_check(g, &e);
    if (rc == 0) text = stats_text(g);
  }
  if (rc < 0 && rc != GMMU_ERANGE && rc != GMMU_EINVAL)
    fail_msg("%s\n%s", e.text, strbuf_text(&m->text));
  gpu_free(g);
  for (uint32_t a = 0; a < m->apps; a++) src[a]->ops->free(src[a]);
  return text;
}

static void every_machine_can_skip_and_stays_sound(void **state) {
  (void)state;
  uint32_t measured = 0;
  for (uint64_t n = 0; n < MACHINES; n++) {
    random_machine_t m;
    random_machine_init(&m, test_seed(), n);
    rng_t r = {test_seed() * 1000 + n};
    gpu_spec_t s = m.spec;
    setn(&s, "sample.skip", 1 + rng_below(&r, 400)), setn(&s, "sample.warm", rng_below(&r, 100));
    setn(&s, "sample.measure", 1 + rng_below(&r, 100));
    char *once = random_windows(&m, &s, 0);
    if (once) {
      char *again = random_windows(&m, &s, 777);
      assert_string_equal(once, again);
      free(again);
      measured++;
    }
    free(once);
    random_machine_fini(&m);
  }
  assert_true(measured > MACHINES / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_instruction_is_skipped_or_takes_time),
      cmocka_unit_test(a_run_that_ends_before_the_first_window_says_so),
      cmocka_unit_test(windows_have_their_length_and_number),
      cmocka_unit_test(windows_may_be_anywhere_in_their_period),
      cmocka_unit_test(launches_are_a_unit_too),
      cmocka_unit_test(kernels_without_a_window_are_known),
      cmocka_unit_test(windows_anywhere_stand_for_whole_periods),
      cmocka_unit_test(kernels_have_the_weight_of_the_run),
      cmocka_unit_test(windows_in_two_kernels_are_cut),
      cmocka_unit_test(kernels_with_many_windows_have_errors_of_their_own),
      cmocka_unit_test(a_single_window_is_put_with_the_others),
      cmocka_unit_test(a_kernel_without_a_window_widens_the_interval_or_ends_it),
      cmocka_unit_test(a_scarce_load_store_unit_has_the_same_order_without_time),
      cmocka_unit_test(misses_after_a_skip_are_those_with_time),
      cmocka_unit_test(what_was_skipped_is_in_tlbs_and_caches),
      cmocka_unit_test(a_page_that_is_not_there_is_an_error_without_time_too),
      cmocka_unit_test(windows_of_nothing_are_refused),
      cmocka_unit_test(every_machine_can_skip_and_stays_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
