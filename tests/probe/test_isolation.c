/* Isolation: who slows whom down, on a small GPU whose functions the solver found first. */
#include "../base/unit.h"
#include "base/strbuf.h"
#include "help.h"
#include "probe/asker.h"
#include "probe/isolation.h"
#include "probe/prefetch.h"
#include "probe/writes.h"

#define OTHERS 16u

/* Two modules of 16 banks and four sets, so that a thread needs five lines only. */
static gpu_spec_t small_gpu(uint32_t mshrs) {
  gpu_spec_t s = preset("gtx1080-fgpu");
  set(&s, "map.module", "9 13 20");
  set(&s, "map.bank", "9 13 20; 11 17 22; 12 18 24; 14 21 25; 10 19 26");
  set(&s, "map.set", "9 13 20; 7 15 27; 8 16 23");
  setn(&s, "gpu.sms", 8);
  setn(&s, "mem.bytes", 1u << 30);
  setn(&s, "dram.channels", 2);
  setn(&s, "dram.banks", 16);
  setn(&s, "l2.ways", 4);
  setn(&s, "l2.bytes", 4 * 128 * 8);
  setn(&s, "l2.mshrs", mshrs);
  return s;
}

static solver_report_t functions; /* of the small GPU */

/* Once for all tests: it takes a while. */
static isolation_t isolated(device_info_t *info) {
  gpu_spec_t s = small_gpu(8);
  device_t *d = sim(&s, NULL);
  asker_t asker;
  oracle_t o = asker_oracle(&asker, d, 1);
  isolation_options_t options = {.others = OTHERS, .seed = 1};
  solver_report_t r = {0};
  isolation_t x = {0};
  err_t e = {0};
  if (solver_run(&o, 1, &r, &e) < 0 || isolation_probe(d, &r, &options, &x, &e) < 0)
    fail_msg("%s", e.text);
  functions = r;
  *info = d->info;
  device_free(d);
  return x;
}

static isolation_t found;
static device_info_t device;

static void other_modules_do_not_matter(void **state) {
  (void)state;
  for (uint32_t i = 0; i <= OTHERS; i++)
    assert_in_range(found.time[ISO_DM][i], found.alone - 500, found.alone + 500);
}

static void one_bank_is_the_worst_place(void **state) {
  (void)state;
  const uint32_t n = OTHERS;
  assert_true(found.time[ISO_SCSB][n] >= found.time[ISO_DCSB][n] * 95 / 100);
  assert_true(found.time[ISO_DCSB][n] > found.time[ISO_SCDB][n] * 5 / 4);
  assert_true(found.time[ISO_DCDB][n] > found.time[ISO_DM][n] * 5 / 4);
  assert_true(isolation_ratio(&found) > 200);
}

/* Threads of one bank wait for each other's rows: no more than that many row cycles. */
static void one_bank_costs_a_row_cycle_per_thread(void **state) {
  (void)state;
  assert_in_range(found.bank_cycle, 5500, 7000); /* tRC is 64.2 core cycles */
  assert_in_range(isolation_ratio(&found), isolation_bound(&found) * 9 / 10,
                  isolation_bound(&found) * 11 / 10);
}

/* A load holds its register for about two thirds of its time, so more threads than registers go on
 * without waiting; see docs/left-out.md. */
static void miss_registers_make_a_knee(void **state) {
  (void)state;
  assert_in_range(found.knee, 8, 13);
  assert_true(found.time[ISO_DCDB][6] < found.alone * 21 / 20);
}

/* By Little's law so many loads have a register as threads are at the knee, times the part of a
 * load's time for which the machine counted one as taken. */
static void all_miss_registers_are_in_use_at_the_knee(void **state) {
  (void)state;
  for (uint32_t mshrs = 4; mshrs <= 8; mshrs *= 2) {
    gpu_spec_t s = small_gpu(mshrs);
    device_t *d = sim(&s, NULL);
    isolation_options_t o = {.others = 2 * mshrs + 6, .seed = 1, .cases = 1u << ISO_DCDB};
    isolation_t x;
    err_t e = {0};
    if (isolation_probe(d, &functions, &o, &x, &e) < 0) fail_msg("%s", e.text);
    assert_int_equal(x.time[ISO_SCSB][0] + x.time[ISO_DM][0], 0); /* not asked for */
    assert_in_range(isolation_in_use(&x), 90 * mshrs - 20, 110 * mshrs + 20);
    device_free(d);
  }
}

/* Four ways: the fourth load of its set evicts a line. One that is spared once becomes the newest
 * at that moment, older only than the load that was to evict it. */
static void lines_of_write_misses_stay_as_long_as_the_policy_says(void **state) {
  (void)state;
  static const char *const policy[] = {"lru", "lru-writes"};
  for (uint32_t i = 0; i < 2; i++) {
    gpu_spec_t s = small_gpu(8);
    set(&s, "l2.replacement", policy[i]);
    device_noise_t noise = {10, 10000, 3000, 1};
    device_t *d = sim(&s, &noise);
    writes_t w;
    err_t e = {0};
    if (writes_probe(d, &functions, 1, &w, &e) < 0) fail_msg("%s", e.text);
    assert_int_equal(w.after_load, 4);
    assert_int_equal(w.after_store, i ? 7 : 4);
    device_free(d);
  }
}

static void a_machine_without_a_prefetcher_brings_no_lines_unasked(void **state) {
  (void)state;
  gpu_spec_t s = small_gpu(8);
  device_noise_t noise = {10, 10000, 3000, 1};
  device_t *d = sim(&s, &noise);
  prefetch_t p;
  err_t e = {0};
  if (prefetch_probe(d, &functions, 1, &p, &e) < 0) fail_msg("%s", e.text);
  assert_true(p.hit && p.miss > p.hit);
  assert_int_equal(p.came, 0);
  device_free(d);
}

/* A device that has the next two lines whenever the four before were loaded in a row. */
#define FAKE_LINE 128u
static int fake_ask(device_t *d, const question_t *q, uint32_t count, err_t *e) {
  (void)d, (void)e;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = question_loads(&q[i]);
    uint64_t target = q[i].at[n - 1] / FAKE_LINE, last = UINT64_MAX, row = 0;
    bool there = false;
    for (uint32_t k = 0; k + 1 < n; k++) {
      uint64_t line = q[i].at[k] / FAKE_LINE;
      row = line == last + 1 ? row + 1 : 1, last = line;
      there |= line == target || (row >= 4 && target > line && target <= line + 2);
    }
    *q[i].cycles = there ? 200 : 400;
  }
  return 0;
}

static void a_prefetcher_is_found(void **state) {
  static const device_ops_t ops = {.name = "fake", .ask = fake_ask};
  device_t d = {.ops = &ops,
                .info = {.name = "fake", .sms = 1, .bytes = 1ull << 30, .page_bytes = 65536}};
  solver_report_t found_line = {.line_bytes = {FAKE_LINE, 100, 1}};
  prefetch_t p;
  err_t e = {0};
  (void)state;
  if (prefetch_probe(&d, &found_line, 1, &p, &e) < 0) fail_msg("%s", e.text);
  assert_int_equal(p.came, 2);
  assert_true(p.next[1] < p.next[2]);
}

static void results_are_printed(void **state) {
  (void)state;
  json_t j;
  json_init(&j);
  isolation_json(&device, &found, &j);
  assert_non_null(strstr(strbuf_text(&j.out), "\"SCSB\""));
  assert_non_null(strstr(strbuf_text(&j.out), "\"worst_over_best\""));
  json_fini(&j);
  strbuf_t text;
  strbuf_init(&text);
  isolation_text(&device, &found, &text);
  assert_non_null(strstr(strbuf_text(&text), "same set, different banks"));
  isolation_svg(&device, &found, &text);
  assert_non_null(strstr(strbuf_text(&text), "</svg>"));
  strbuf_fini(&text);
}

static void without_functions_there_is_nothing_to_measure(void **state) {
  (void)state;
  gpu_spec_t s = small_gpu(8);
  device_t *d = sim(&s, NULL);
  solver_report_t r = {.bank = {.verdict = NOT_LINEAR}};
  isolation_options_t options = {0};
  isolation_t x = {0};
  err_t e = {0};
  assert_true(isolation_probe(d, &r, &options, &x, &e) < 0);
  assert_non_null(strstr(e.text, "not known"));
  device_free(d);
}

static int prepare(void **state) {
  (void)state;
  found = isolated(&device);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_modules_do_not_matter),
      cmocka_unit_test(one_bank_is_the_worst_place),
      cmocka_unit_test(one_bank_costs_a_row_cycle_per_thread),
      cmocka_unit_test(miss_registers_make_a_knee),
      cmocka_unit_test(all_miss_registers_are_in_use_at_the_knee),
      cmocka_unit_test(lines_of_write_misses_stay_as_long_as_the_policy_says),
      cmocka_unit_test(a_machine_without_a_prefetcher_brings_no_lines_unasked),
      cmocka_unit_test(a_prefetcher_is_found),
      cmocka_unit_test(results_are_printed),
      cmocka_unit_test(without_functions_there_is_nothing_to_measure),
  };
  return cmocka_run_group_tests(tests, prepare, NULL);
}
