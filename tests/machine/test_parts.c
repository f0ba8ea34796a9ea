/* share.mode=threads: several applications on every SM, each with a part of it. */
#include "help.h"

#define APPS 3

static const script_op_t work[] = {LOAD_AT(1, R_NO, VA, PAGE4, LINE), ALU(2, 1),
                                   STORE_AT(2, VA + 512 * KB, PAGE4, LINE)};
static const program_t program = PROGRAM_N(work, 4);

typedef struct {
  script_t *s[APPS];
  gpu_t *g;
} parts_t;

static gpu_spec_t parts_spec(void) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", 2), set(&s, "share.mode", "threads");
  return s;
}

/* Each with `blocks` blocks of `warps` warps, and a part as large as `sms` SMs if that is given. */
static void open_uneven(parts_t *x, const gpu_spec_t *spec, const uint32_t *sms, uint32_t apps,
                        uint32_t blocks, uint32_t warps) {
  app_spec_t app[APPS];
  err_t e = {0};
  for (uint32_t a = 0; a < apps; a++) {
    x->s[a] = script_new(&(script_spec_t){.program = &program,
                                          .programs = 1,
                                          .blocks = blocks,
                                          .warps = warps,
                                          .regs = 32,
                                          .va = VA,
                                          .bytes = 4 * MB},
                         65536);
    app[a] = (app_spec_t){.name = "x", .source = script_source(x->s[a]), .sms = sms ? sms[a] : 0};
  }
  if (gpu_new(spec, app, apps, &x->g, &e) < 0) fail_msg("%s", e.text);
}

static void open_parts(parts_t *x, const gpu_spec_t *spec, uint32_t apps, uint32_t blocks,
                       uint32_t warps) {
  open_uneven(x, spec, NULL, apps, blocks, warps);
}

static void close_parts(parts_t *x, uint32_t apps) {
  gpu_free(x->g);
  for (uint32_t a = 0; a < apps; a++) script_free(x->s[a]);
}

/* Most blocks of an application that were on an SM at once, looked at after every cycle. */
static void most_blocks(gpu_t *g, uint32_t most[APPS]) {
  gpu_limits_t limits = {.no_relaunch = true};
  err_t e = {0};
  int rc = 0;
  for (uint64_t until = 1; rc == 0; until++) {
    rc = gpu_run(g, &limits, until, &e);
    for (uint32_t i = 0; i < g->spec.core.sms; i++) {
      uint32_t now[GMMU_MAX_APPS] = {0};
      for (uint32_t c = 0; c < SM_MAX_CTAS; c++)
        now[g->cores.sm[i].cta[c].app] += g->cores.sm[i].cta[c].used;
      for (uint32_t a = 0; a < g->share.apps; a++)
        if (now[a] > most[a]) most[a] = now[a];
    }
  }
  assert_int_equal(rc, 1);
  gpu_settle(g);
  if (gpu_check(g, &e) < 0) fail_msg("%s", e.text);
}

/* Of 64 warps an application of two has 32: eight blocks of four. */
static void everybody_is_on_every_sm_with_an_equal_part(void **state) {
  (void)state;
  for (uint32_t apps = 1; apps <= 3; apps++) {
    gpu_spec_t spec = parts_spec();
    parts_t x;
    uint32_t most[APPS] = {0};
    open_parts(&x, &spec, apps, 40, 4);
    most_blocks(x.g, most);
    for (uint32_t a = 0; a < apps; a++) {
      assert_int_equal(most[a], 64 / apps / 4);
      assert_int_equal(x.g->cores.stats[a].blocks, 40);
      assert_int_equal(x.g->share.app[a].sms, 2);
    }
    close_parts(&x, apps);
  }
}

/* Each resource by itself: four blocks of two warps fit, a fifth does not. */
static void a_part_limits_every_resource(void **state) {
  (void)state;
  static const char *const limit[][2] = {
      {"sm.warps", "16"}, {"sm.blocks", "8"}, {"sm.threads", "512"}, {"sm.registers", "16384"}};
  for (uint32_t i = 0; i < 4; i++) {
    gpu_spec_t spec = parts_spec();
    parts_t x;
    uint32_t most[APPS] = {0};
    set(&spec, limit[i][0], limit[i][1]);
    open_parts(&x, &spec, 2, 20, 2);
    most_blocks(x.g, most);
    for (uint32_t a = 0; a < 2; a++) assert_int_equal(most[a], 4);
    close_parts(&x, 2);
  }
}

static void a_percentage_may_leave_room_or_ask_for_too_much(void **state) {
  (void)state;
  static const uint32_t percent[] = {10, 100};
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t spec = parts_spec();
    parts_t x;
    uint32_t most[APPS] = {0};
    setn(&spec, "share.threads", percent[i]);
    open_parts(&x, &spec, 2, 64, 2);
    most_blocks(x.g, most);
    if (percent[i] == 10) assert_true(most[0] == 3 && most[1] == 3); /* 6 of 64 warps */
    if (percent[i] == 100) assert_int_equal(most[0], 32);            /* first come */
    assert_int_equal(x.g->cores.stats[1].blocks, 64);
    close_parts(&x, 2);
  }
}

/* As three and one of four SMs: 48 and 16 of 64 warps. */
static void parts_may_be_as_large_as_some_sms_are(void **state) {
  (void)state;
  gpu_spec_t spec = parts_spec();
  parts_t x;
  const uint32_t sms[] = {3, 1};
  uint32_t most[APPS] = {0};
  setn(&spec, "gpu.sms", 4);
  open_uneven(&x, &spec, sms, 2, 60, 4);
  most_blocks(x.g, most);
  assert_true(most[0] == 12 && most[1] == 4);
  close_parts(&x, 2);
}

static void a_part_is_given_in_one_way(void **state) {
  (void)state;
  gpu_spec_t spec = parts_spec();
  source_t *src = generator("stream");
  app_spec_t app = {.name = "x", .source = src, .sms = 3};
  err_t e = {0};
  gpu_t *g;
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE); /* of two */
  app.sms = 1, setn(&spec, "share.threads", 40);
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), GMMU_ERANGE);
  assert_string_equal(e.key, "share.threads");
  src->ops->free(src);
}

/* Blocks of 40 warps in parts of 21: one of them is on an SM, of each application in turn. */
static void a_block_above_the_part_runs_alone(void **state) {
  (void)state;
  gpu_spec_t spec = parts_spec();
  parts_t x;
  uint32_t most[APPS] = {0};
  open_parts(&x, &spec, 3, 6, 40);
  most_blocks(x.g, most);
  uint64_t first[APPS], last[APPS];
  for (uint32_t a = 0; a < 3; a++) {
    assert_int_equal(most[a], 1);
    assert_int_equal(x.g->cores.stats[a].blocks, 6);
    first[a] = script_issue(x.s[a], 0)->now;
    last[a] = script_issue(x.s[a], script_count(x.s[a]) - 1)->now;
  }
  for (uint32_t a = 0; a < 3; a++)
    for (uint32_t b = 0; b < 3; b++) assert_true(first[a] < last[b]); /* nobody waits for all */
  close_parts(&x, 3);
}

/* What is charged to an application are the slots of its blocks, no more: a lone block of two warps
 * on an SM of 64. */
static void an_application_pays_for_its_blocks_alone(void **state) {
  (void)state;
  gpu_spec_t spec = parts_spec();
  parts_t x;
  open_parts(&x, &spec, 2, 1, 2);
  finish(x.g);
  for (uint32_t a = 0; a < 2; a++) {
    const sm_stats_t *s = &x.g->cores.stats[a];
    uint64_t life = x.g->share.app[a].first_end; /* its last cycle, in which the block went */
    assert_in_range(s->slot_cycles, 2 * (life - 60), 2 * life);
    assert_true(s->stall[STALL_EMPTY] < s->slot_cycles / 2);
    assert_int_equal(s->stall[STALL_TURN], 0);
  }
  close_parts(&x, 2);
}

/* Equal addresses in two spaces, one SM, one TLB: the ASID keeps them apart. */
static void equal_pages_of_two_applications_miss_for_both(void **state) {
  (void)state;
  gpu_spec_t spec = parts_spec();
  parts_t x;
  setn(&spec, "gpu.sms", 1);
  open_parts(&x, &spec, 2, 4, 2);
  finish(x.g);
  for (uint32_t a = 0; a < 2; a++) {
    assert_true(x.g->tlb.level[0].stats[a].primary_misses >= 8);
    assert_int_equal(x.g->tlb.level[0].stats[a].lookups, x.g->cores.stats[a].pages);
  }
  close_parts(&x, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_is_on_every_sm_with_an_equal_part),
      cmocka_unit_test(a_part_limits_every_resource),
      cmocka_unit_test(a_percentage_may_leave_room_or_ask_for_too_much),
      cmocka_unit_test(parts_may_be_as_large_as_some_sms_are),
      cmocka_unit_test(a_part_is_given_in_one_way),
      cmocka_unit_test(a_block_above_the_part_runs_alone),
      cmocka_unit_test(an_application_pays_for_its_blocks_alone),
      cmocka_unit_test(equal_pages_of_two_applications_miss_for_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
