/* Page colours in the machine: who shares them meets nowhere in the memory system, and the check
 * that says so can tell. */
#include "help.h"

/* Eight modules of one L2 slice each, four of their bits above a page: eight colours at 4 KB, two
 * at 16 KB, none at 2 MB. */
static gpu_spec_t hashed_spec(const char *manager) {
  gpu_spec_t s = lab_spec();
  set(&s, "map.kind", "hash"), setn(&s, "dram.channels", 8), setn(&s, "dram.banks", 4);
  set(&s, "map.module", "12 15 20; 13 17 19; 14 16 21");
  set(&s, "map.bank", "12 15 20; 13 17 19; 14 16 21; 15 22; 16 23");
  set(&s, "map.set", "12 15 20; 13 17 19; 14 16 21; 7 18; 8 19; 9 20; 10 22");
  setn(&s, "l2.bytes", 8 * 16 * 2 * LINE), setn(&s, "l2.ways", 2);
  setn(&s, "gpu.sms", 8), setn(&s, "l2tlb.group", 0), setn(&s, "l1tlb.entries", 4);
  set(&s, "mem.manager", manager);
  return s;
}

static gpu_t *open_apps(const gpu_spec_t *s, uint32_t apps, source_t **source) {
  for (uint32_t a = 0; a < apps; a++)
    source[a] = generator(a & 1 ? "gather:footprint=2M,blocks=8,warps=4,steps=3"
                                : "stream:footprint=1M,blocks=8,warps=4,steps=6");
  return machine(s, source, apps);
}

static void close_apps(gpu_t *g, uint32_t apps, source_t **source) {
  gpu_free(g);
  for (uint32_t a = 0; a < apps; a++) source[a]->ops->free(source[a]);
}

static uint64_t accesses(const gpu_t *g, uint32_t channel, uint32_t app, bool walks) {
  const dram_stats_t *d = dram_stats(g->dram.channel[channel].dram, (uint8_t)app, DRAM_DATA);
  const dram_stats_t *w = dram_stats(g->dram.channel[channel].dram, (uint8_t)app, DRAM_WALK);
  return d->reads + d->writes + (walks ? w->reads : 0);
}

static uint32_t modules_of(const gpu_t *g, uint32_t app, bool walks) {
  uint32_t mask = 0;
  for (uint32_t c = 0; c < g->dram.channels; c++)
    mask |= (uint32_t)(accesses(g, c, app, walks) > 0) << c;
  return mask;
}

static void equal_shares_are_disjoint_modules(void **state) {
  (void)state;
  for (uint32_t apps = 1; apps <= 8; apps *= 2) {
    source_t *source[8];
    gpu_spec_t s = hashed_spec("coloured");
    gpu_t *g = open_apps(&s, apps, source);
    finish(g);
    uint32_t all = 0;
    for (uint32_t a = 0; a < apps; a++) {
      uint32_t own = modules_of(g, a, true);
      assert_int_equal(__builtin_popcount(own), 8 / apps);
      assert_int_equal(all & own, 0);
      assert_int_equal(g->colours.stats[a].colours, 8 / apps);
      assert_int_equal(g->colours.stats[a].foreign_reads, 0);
      all |= own;
    }
    for (uint32_t i = 0; i < apps * apps; i++)
      if (i % (apps + 1)) assert_int_equal(g->l2.evicted_by[i], 0);
    close_apps(g, apps, source);
  }
}

static void listed_colours_may_be_uneven(void **state) {
  (void)state;
  source_t *source[2];
  gpu_spec_t s = hashed_spec("coloured");
  set(&s, "mem.colours", "0 1 2 4 5 6; 3");
  gpu_t *g = open_apps(&s, 2, source);
  finish(g);
  assert_int_equal(__builtin_popcount(modules_of(g, 0, true)), 6);
  assert_int_equal(__builtin_popcount(modules_of(g, 1, true)), 1);
  close_apps(g, 2, source);
}

/* Data keeps to its modules all the same. */
static void uncoloured_tables_cross_in_walk_reads_alone(void **state) {
  (void)state;
  source_t *source[2];
  gpu_spec_t s = hashed_spec("coloured");
  set(&s, "mem.colour_tables", "false");
  gpu_t *g = open_apps(&s, 2, source);
  finish(g);
  assert_int_equal(modules_of(g, 0, false) & modules_of(g, 1, false), 0);
  for (uint32_t a = 0; a < 2; a++) {
    const walk_stats_t *w = &g->walker.stats[a];
    assert_in_range(g->colours.stats[a].foreign_reads, 1, w->reads);
  }
  close_apps(g, 2, source);
}

/* The same programs without colours share every module: the walls are not there by accident. */
static void without_colours_they_share_all_modules(void **state) {
  (void)state;
  source_t *source[2];
  gpu_spec_t s = hashed_spec("gpu-mmu");
  gpu_t *g = open_apps(&s, 2, source);
  finish(g);
  for (uint32_t a = 0; a < 2; a++) assert_int_equal(modules_of(g, a, true), 0xff);
  close_apps(g, 2, source);
}

/* Applications that have a colour in common, but are said to be strangers. */
static void the_check_sees_two_in_one_place(void **state) {
  (void)state;
  for (uint32_t strangers = 0; strangers < 2; strangers++) {
    source_t *source[2];
    gpu_spec_t s = hashed_spec("coloured");
    set(&s, "mem.colours", "0 1; 1 2");
    gpu_t *g = open_apps(&s, 2, source);
    gpu_limits_t limits = {.no_relaunch = true};
    err_t e = {0};
    for (uint32_t a = 0; strangers && a < 2; a++) g->colours.friends[a] = (uint16_t)(1u << a);
    int rc = gpu_run(g, &limits, UINT64_MAX, &e);
    assert_int_equal(rc, strangers ? GMMU_ECHECK : 1);
    if (strangers) assert_non_null(strstr(e.text, "whose modules are others"));
    close_apps(g, 2, source);
  }
}

/* The same walls twice: by colours, which need pages of 4 KB, and by the map, with 2 MB. */
static void small_pages_cost_walks_and_the_walls_are_the_same(void **state) {
  (void)state;
  uint64_t walks[2] = {0}, waited[2] = {0};
  for (uint32_t large = 0; large < 2; large++) {
    source_t *source[2];
    gpu_spec_t s = hashed_spec(large ? "gpu-mmu" : "coloured");
    if (large) set(&s, "map.partition", "true"), set(&s, "mem.page", "2M");
    gpu_t *g = open_apps(&s, 2, source);
    finish(g);
    assert_int_equal(modules_of(g, 0, true) & modules_of(g, 1, true), 0);
    for (uint32_t a = 0; a < 2; a++) {
      assert_int_equal(__builtin_popcount(modules_of(g, a, true)), 4);
      walks[large] += g->walker.stats[a].walks;
      for (uint32_t i = STALL_TLB1; i <= STALL_WALK_DRAM; i++)
        waited[large] += g->cores.stats[a].stall[i];
    }
    close_apps(g, 2, source);
  }
  assert_true(walks[0] > 20 * walks[1]);
  assert_true(waited[0] > 2 * waited[1]);
}

static void expect_refused(const char *key, const char *value, const char *wrong) {
  gpu_spec_t s = hashed_spec("coloured");
  app_spec_t app[3];
  err_t e = {0};
  gpu_t *g;
  set(&s, key, value);
  for (uint32_t a = 0; a < 3; a++)
    app[a] = (app_spec_t){.name = "x", .source = generator("stream")};
  assert_int_equal(gpu_new(&s, app, 3, &g, &e), GMMU_ERANGE);
  assert_string_equal(e.key, wrong);
  for (uint32_t a = 0; a < 3; a++) app[a].source->ops->free(app[a].source);
}

static void what_cannot_be_coloured_is_refused_by_name(void **state) {
  (void)state;
  expect_refused("map.kind", "fine", "mem.manager");
  expect_refused("map.partition", "true", "map.partition");
  expect_refused("mem.page", "16K", "mem.page");        /* two colours */
  expect_refused("mem.page", "2M", "mem.page");         /* one */
  expect_refused("mem.colours", "0; 1", "mem.colours"); /* of three applications */
  expect_refused("mem.colours", "0; 1; 8", "mem.colours");
  expect_refused("mem.bytes", "48M", "mem.bytes");
}

/* A tenant's memory is what its colours have, whatever is free elsewhere. */
static void a_full_colour_ends_the_run(void **state) {
  (void)state;
  gpu_spec_t s = hashed_spec("coloured");
  set(&s, "mem.colours", "0");
  source_t *source = generator("stream:footprint=9M");
  gpu_t *g = machine(&s, &source, 1);
  gpu_limits_t limits = {.no_relaunch = true};
  err_t e = {0};
  assert_int_equal(gpu_run(g, &limits, UINT64_MAX, &e), GMMU_ENOSPACE);
  assert_non_null(strstr(e.text, "in its colours"));
  gpu_free(g);
  source->ops->free(source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_shares_are_disjoint_modules),
      cmocka_unit_test(listed_colours_may_be_uneven),
      cmocka_unit_test(uncoloured_tables_cross_in_walk_reads_alone),
      cmocka_unit_test(without_colours_they_share_all_modules),
      cmocka_unit_test(small_pages_cost_walks_and_the_walls_are_the_same),
      cmocka_unit_test(the_check_sees_two_in_one_place),
      cmocka_unit_test(what_cannot_be_coloured_is_refused_by_name),
      cmocka_unit_test(a_full_colour_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
