/* What a run shows beyond its counters: time series to the last cycle, a sample of walks, pages
 * over time; and that watching changes nothing. */
#include "base/json_find.h"
#include "base/rng.h"
#include "help.h"

/* ---- the time series ---- */

static void series_keeps_every_increment_through_doublings(void **state) {
  (void)state;
  series_t s;
  series_point_t total[2] = {0};
  uint64_t sum = 0, cycles = 0, elapsed = 33;
  assert_int_equal(series_init(&s, 2, 100), GMMU_OK);
  for (uint32_t i = 0; i < 3 * SERIES_POINTS + 17; i++) {
    total[0].walks += i % 7;
    total[1].walks += 1;
    elapsed += s.interval_cycles;
    series_add(&s, total);
  }
  total[1].walks += 5;
  series_end(&s, total, 33);
  for (uint32_t p = 0; p < s.points; p++) {
    sum += s.at[2 * p].walks;
    cycles += p + 1 < s.points ? s.interval_cycles : s.last_cycles;
  }
  assert_true(s.points <= SERIES_POINTS);
  assert_int_equal(s.interval_cycles, 3200);
  assert_int_equal(sum, total[0].walks);
  assert_int_equal(s.at[2 * s.points - 1].walks, 5);
  assert_int_equal(cycles, elapsed);
  series_fini(&s);
}

static void series_of_a_run_adds_up_to_its_counters(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  gpu_t *g = run_generator(&spec, "gather:footprint=1M,blocks=4,steps=3");
  series_point_t sum = {0};
  for (uint32_t p = 0; p < g->series.points; p++) {
    sum.warp_instructions += g->series.at[p].warp_instructions;
    sum.walks += g->series.at[p].walks;
    sum.dram_data_bytes += g->series.at[p].dram_data_bytes;
  }
  dram_stats_t d = dram_total(g, 0, DRAM_DATA);
  assert_int_not_equal(g->ev.now % 1000, 0);
  assert_int_equal(g->series.points, g->ev.now / 1000 + 1);
  assert_int_equal(g->series.last_cycles, g->ev.now % 1000);
  assert_int_equal(sum.warp_instructions, g->cores.stats[0].warp_instructions);
  assert_int_equal(sum.walks, g->walker.stats[0].walks);
  assert_int_equal(sum.dram_data_bytes, d.read_bytes + d.write_bytes);
  gpu_free(g);
}

/* ---- the sample of walks ---- */

static void add_walks(walk_sample_t *s, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    sampled_walk_t w = {.va = s->seen};
    walk_sample_add(s, &w);
  }
}

static void sample_keeps_all_walks_while_there_is_room(void **state) {
  (void)state;
  walk_sample_t s;
  assert_int_equal(walk_sample_init(&s, 50), GMMU_OK);
  add_walks(&s, 50);
  assert_int_equal(s.count, 50);
  assert_int_equal(s.shift, 0);
  for (uint32_t i = 0; i < 50; i++) assert_int_equal(s.at[i].number, i);
  walk_sample_fini(&s);
}

static void sample_stays_bounded_and_is_spread_over_all_walks(void **state) {
  (void)state;
  enum { WALKS = 100000, ROOM = 400 };
  uint32_t quarter[4] = {0};
  walk_sample_t s;
  assert_int_equal(walk_sample_init(&s, ROOM), GMMU_OK);
  add_walks(&s, WALKS);
  assert_true(s.count <= ROOM && s.count >= ROOM / 4);
  for (uint32_t i = 0; i < s.count; i++) {
    assert_int_equal(s.at[i].va, s.at[i].number);
    if (i) assert_true(s.at[i].number > s.at[i - 1].number);
    quarter[s.at[i].number * 4 / WALKS]++;
  }
  for (uint32_t q = 0; q < 4; q++) assert_true(quarter[q] > s.count / 8);
  walk_sample_fini(&s);
}

static void sample_of_one_walk_works(void **state) {
  (void)state;
  walk_sample_t s;
  assert_int_equal(walk_sample_init(&s, 1), GMMU_OK);
  for (uint32_t i = 0; i < 5000; i++) {
    add_walks(&s, 1);
    assert_true(s.count <= 1);
  }
  assert_int_equal(s.seen, 5000);
  walk_sample_fini(&s);
}

/* Every cycle of a sampled walk is in one of its reads. */
static void check_sample(const gpu_t *g, uint32_t levels) {
  const walk_sample_t *s = &g->observe.walks[0];
  uint64_t dram = 0, l2 = 0;
  assert_int_equal(s->seen, g->walker.stats[0].walks);
  assert_true(s->count > 3);
  for (uint32_t i = 0; i < s->count; i++) {
    const sampled_walk_t *w = &s->at[i];
    uint64_t sum = 0;
    assert_int_equal(w->steps, levels);
    for (uint32_t k = 0; k < w->steps; k++) {
      sum += w->step[k].pwc_cycles + w->step[k].l2_cycles + w->step[k].dram_cycles;
      dram += w->step[k].dram_cycles;
      l2 += w->step[k].l2_cycles;
    }
    assert_int_equal(sum, w->walk_cycles);
    assert_int_equal(w->va % PAGE4, 0);
  }
  assert_true(dram > 0 && l2 > 0);
}

static void sampled_walks_divide_their_time(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "observe.walks", "4096");
  gpu_t *g = run_generator(&spec, "gather:footprint=4M,blocks=2,steps=3");
  const walk_stats_t *st = &g->walker.stats[0];
  uint64_t queue = 0, cycles = 0;
  check_sample(g, mm_levels(g->memory.mm));
  assert_int_equal(g->observe.walks[0].count, st->walks); /* all are in it */
  for (uint32_t i = 0; i < g->observe.walks[0].count; i++) {
    queue += g->observe.walks[0].at[i].queue_cycles;
    cycles += g->observe.walks[0].at[i].walk_cycles;
  }
  assert_int_equal(queue, st->queue_cycles);
  assert_int_equal(cycles, st->latency.sum);
  gpu_free(g);
}

static void sampled_walks_show_the_page_walk_cache(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "observe.walks", "64");
  set(&spec, "walk.pwc", "true");
  gpu_t *g = run_generator(&spec, "gather:footprint=4M,blocks=2,steps=3");
  const walk_sample_t *s = &g->observe.walks[0];
  uint32_t hits = 0;
  check_sample(g, mm_levels(g->memory.mm));
  for (uint32_t i = 0; i < s->count; i++)
    for (uint32_t k = 0; k < s->at[i].steps; k++) {
      bool leaf = k + 1 == s->at[i].steps;
      assert_int_equal(s->at[i].step[k].pwc_cycles, leaf ? 0 : spec.walk.pwc_latency_cycles);
      hits += !s->at[i].step[k].l2_cycles;
    }
  assert_true(hits > s->count);
  gpu_free(g);
}

static void walks_of_fixed_length_have_no_reads(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  set(&spec, "observe.walks", "16");
  set(&spec, "walk.fixed", "150");
  gpu_t *g = run_generator(&spec, "gather:footprint=1M,blocks=1,steps=2");
  const walk_sample_t *s = &g->observe.walks[0];
  assert_true(s->count > 0);
  for (uint32_t i = 0; i < s->count; i++) {
    assert_int_equal(s->at[i].walk_cycles, 150);
    assert_int_equal(s->at[i].steps, 0);
  }
  gpu_free(g);
}

static void sampled_walks_tell_faults(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  uint64_t faults = 0;
  set(&spec, "observe.walks", "4096");
  set(&spec, "mem.paging", "demand");
  set(&spec, "link.fault", "500");
  gpu_t *g = run_generator(&spec, "gather:footprint=256K,blocks=2,steps=4");
  const walk_sample_t *s = &g->observe.walks[0];
  assert_int_equal(s->count, g->walker.stats[0].walks);
  for (uint32_t i = 0; i < s->count; i++) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < s->at[i].steps; k++)
      sum += s->at[i].step[k].l2_cycles + s->at[i].step[k].dram_cycles;
    if (!s->at[i].steps) sum = 1; /* no root to read: that is found out in a cycle */
    assert_int_equal(sum, s->at[i].walk_cycles);
    faults += s->at[i].faulted;
  }
  assert_true(faults > 0 && faults < s->count);
  gpu_free(g);
}

/* ---- pages over time ---- */

static uint64_t heat_sum(const heat_t *h, uint64_t *misses) {
  uint64_t sum = 0;
  *misses = 0;
  for (uint32_t r = 0; r < h->rows; r++)
    for (uint32_t c = 0; c < HEAT_COLUMNS; c++) {
      if (c >= h->columns) assert_int_equal(h->row[r].lookups[c], 0);
      sum += h->row[r].lookups[c];
      *misses += h->row[r].misses[c];
    }
  return sum;
}

static void gaps_between_allocations_do_not_make_regions_larger(void **state) {
  (void)state;
  heat_t h;
  uint64_t misses;
  assert_int_equal(heat_init(&h), GMMU_OK);
  for (uint64_t i = 0; i < HEAT_ROWS; i++) heat_add(&h, i << 30 | 5, i, false);
  assert_int_equal(h.shift, 0);
  heat_add(&h, 1ull << 44, 0, true);
  assert_true(h.rows <= HEAT_ROWS);
  assert_int_equal(heat_sum(&h, &misses), HEAT_ROWS + 1);
  assert_int_equal(misses, 1);
  heat_fini(&h);
}

static void late_look_ups_double_the_interval(void **state) {
  (void)state;
  heat_t h;
  uint64_t misses;
  assert_int_equal(heat_init(&h), GMMU_OK);
  heat_add(&h, 7, 0, false);
  heat_add(&h, 7, HEAT_FIRST_CYCLES * HEAT_COLUMNS - 1, true);
  assert_int_equal(h.interval_cycles, HEAT_FIRST_CYCLES);
  assert_int_equal(h.columns, HEAT_COLUMNS);
  heat_add(&h, 7, HEAT_FIRST_CYCLES * HEAT_COLUMNS, false);
  assert_int_equal(h.interval_cycles, 2 * HEAT_FIRST_CYCLES);
  assert_int_equal(h.columns, HEAT_COLUMNS / 2 + 1);
  assert_int_equal(h.row[0].misses[HEAT_COLUMNS / 2 - 1], 1);
  assert_int_equal(heat_sum(&h, &misses), 3);
  heat_fini(&h);
}

/* Forwards and backwards, the same look-ups give the same grid. */
static void the_grid_does_not_depend_on_the_order(void **state) {
  (void)state;
  enum { N = 3000 };
  uint64_t seed = test_seed(), page[N], at[N];
  rng_t r = {seed};
  heat_t a, b;
  print_message("seed %llu\n", (unsigned long long)seed);
  assert_int_equal(heat_init(&a), GMMU_OK);
  assert_int_equal(heat_init(&b), GMMU_OK);
  for (uint32_t i = 0; i < N; i++) {
    page[i] = (uint64_t)rng_below(&r, 4) << 28 | rng_below(&r, 1000);
    at[i] = rng_below(&r, 1 + (i & 7) * 20000);
    heat_add(&a, page[i], at[i], i & 1);
  }
  for (uint32_t i = N; i-- > 0;) heat_add(&b, page[i], at[i], i & 1);
  heat_sort(&a);
  heat_sort(&b);
  assert_int_equal(a.shift, b.shift);
  assert_int_equal(a.interval_cycles, b.interval_cycles);
  assert_int_equal(a.columns, b.columns);
  assert_int_equal(a.rows, b.rows);
  assert_memory_equal(a.row, b.row, a.rows * sizeof *a.row);
  heat_fini(&a);
  heat_fini(&b);
}

static void every_look_up_is_in_the_grid(void **state) {
  (void)state;
  gpu_spec_t spec = lab_spec();
  uint64_t misses;
  set(&spec, "observe.pages", "true");
  gpu_t *g = run_generator(&spec, "gather:footprint=8M,blocks=4,steps=3");
  const tlb_stats_t *st = &g->tlb.level[0].stats[0];
  assert_int_equal(heat_sum(&g->observe.pages[0], &misses), st->lookups);
  assert_int_equal(misses, st->misses);
  assert_true(misses > 0 && g->observe.pages[0].rows > HEAT_ROWS / 2);
  gpu_free(g);
}

/* ---- watching changes nothing ---- */

static void observed_runs_are_the_same_runs(void **state) {
  (void)state;
  static const char *const key[] = {"series.apps[0].walks", "apps[0].stall", "apps[0].dram",
                                    "evictor_x_victim"};
  gpu_spec_t spec = lab_spec();
  set(&spec, "walk.threads", "2");
  gpu_t *plain = run_generator(&spec, "gather:footprint=4M,blocks=4,steps=3");
  set(&spec, "observe.pages", "true");
  set(&spec, "observe.walks", "5");
  gpu_t *seen = run_generator(&spec, "gather:footprint=4M,blocks=4,steps=3");
  char *a = stats_text(plain), *b = stats_text(seen);
  assert_int_equal(plain->ev.now, seen->ev.now);
  for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
    const char *x = json_find(a, key[i]), *y = json_find(b, key[i]);
    assert_non_null(x);
    assert_non_null(y);
    size_t size = strcspn(x, "]}");
    assert_memory_equal(x, y, size);
  }
  assert_null(json_find(a, "apps[0].page_heat"));
  assert_int_equal(json_find_count(b, "apps[0].page_heat.rows"), seen->observe.pages[0].rows);
  assert_int_equal(json_find_count(b, "apps[0].sampled_walks.walks"), seen->observe.walks[0].count);
  free(a);
  free(b);
  gpu_free(plain);
  gpu_free(seen);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(series_keeps_every_increment_through_doublings),
      cmocka_unit_test(series_of_a_run_adds_up_to_its_counters),
      cmocka_unit_test(sample_keeps_all_walks_while_there_is_room),
      cmocka_unit_test(sample_stays_bounded_and_is_spread_over_all_walks),
      cmocka_unit_test(sample_of_one_walk_works),
      cmocka_unit_test(sampled_walks_divide_their_time),
      cmocka_unit_test(sampled_walks_show_the_page_walk_cache),
      cmocka_unit_test(walks_of_fixed_length_have_no_reads),
      cmocka_unit_test(sampled_walks_tell_faults),
      cmocka_unit_test(gaps_between_allocations_do_not_make_regions_larger),
      cmocka_unit_test(late_look_ups_double_the_interval),
      cmocka_unit_test(the_grid_does_not_depend_on_the_order),
      cmocka_unit_test(every_look_up_is_in_the_grid),
      cmocka_unit_test(observed_runs_are_the_same_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
