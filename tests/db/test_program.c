/* The kernels of kernels/db on simulated GPUs: results, passes, and where the cliff is. The PTX is
 * made by the build with the applications; builds without them take that of the release build. */
#include "../base/unit.h"
#include "base/file.h"
#include "db/program.h"
#include "gpu/gpu.h"
#include <stdio.h>
#include <unistd.h>

static const char *ptx_path(void) {
  static char path[512];
  const char *builds = getenv("GMMU_BUILDS"), *own = getenv("GMMU_DB_PTX");
  if (own && *own) return own;
  snprintf(path, sizeof path, "%s/release/kernels/db.ptx", builds ? builds : "");
  return builds ? path : NULL;
}

static gpu_spec_t small(const char *preset) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  assert_int_equal(gpu_spec_load(&s, "gpu", preset, &e), 0);
  return s;
}

static int try(const gpu_spec_t *spec, const char *text, db_result_t *r, err_t *e) {
  db_spec_t op;
  strbuf_t ptx;
  source_t *source = NULL;
  gpu_t *g = NULL;
  strbuf_init(&ptx);
  int rc = db_parse(text, &op, e);
  if (rc == 0) rc = file_read(ptx_path(), 1 << 24, &ptx, e);
  if (rc == 0) rc = db_program_new(&op, strbuf_text(&ptx), ptx.size, &source, e);
  app_spec_t app = {.name = "db", .source = source};
  if (rc == 0) rc = gpu_new(spec, &app, 1, &g, e);
  gpu_limits_t limits = {.no_relaunch = true};
  if (rc == 0) rc = gpu_run(g, &limits, UINT64_MAX, e);
  if (rc == 1) gpu_settle(g), rc = gpu_check(g, e);
  if (source) *r = *db_program_result(source);
  gpu_free(g);
  if (source) source->ops->free(source);
  strbuf_fini(&ptx);
  return rc;
}

static db_result_t ran(const gpu_spec_t *spec, const char *text) {
  db_result_t r = {0};
  err_t e = {0};
  if (try(spec, text, &r, &e) < 0) fail_msg("%s: %s", text, e.text);
  return r;
}

static void grouping_is_right_in_every_form(void **state) {
  gpu_spec_t k80 = small("k80");
  (void)state;
  static const char *const texts[] = {
      "db-groupby:size=1M,accesses=6000,threads=2048",
      "db-groupby:size=1M,accesses=6000,threads=2048,scope=300K",
      "db-groupby:size=1M,accesses=6000,threads=2048,scope=256K,form=naive",
      "db-groupby:size=1M,accesses=6000,threads=96,scope=512K,chunk=4K",
      "db-groupby:size=64K,accesses=6001,threads=1000", /* few groups: they meet */
      "db-groupby:size=1M,accesses=6000,threads=2048,scope=256K,filled=true"};
  static const uint32_t launches[] = {1, 4, 4, 12, 1, 4};
  for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    db_result_t r = ran(&k80, texts[i]);
    assert_int_equal(r.launches, launches[i]);
    assert_true(r.groups && r.cycles);
  }
}

static void sampling_is_right_with_and_without_scopes(void **state) {
  gpu_spec_t p100 = small("p100");
  (void)state;
  db_result_t plain = ran(&p100, "db-sample:size=8M,accesses=20000,threads=1000"),
              scoped = ran(&p100, "db-sample:size=8M,accesses=20000,threads=1000,scope=3M");
  assert_int_equal(plain.sum, scoped.sum);
  assert_int_equal(scoped.launches, 3);
  assert_int_equal(plain.accesses, 20000);
}

/* The reason for all of this: a table the last TLB covers, one it does not, and scopes. */
static void scopes_win_back_what_the_last_tlb_loses(void **state) {
  gpu_spec_t k80 = small("k80");
  (void)state;
  uint64_t inside = ran(&k80, "db-sample:size=1G,accesses=53248").cycles,
           outside = ran(&k80, "db-sample:size=8G,accesses=53248").cycles,
           scoped = ran(&k80, "db-sample:size=8G,accesses=53248,scope=2G").cycles;
  assert_true(outside > 4 * inside);
  assert_true(scoped < outside);
}

static void the_same_program_takes_the_same_time(void **state) {
  gpu_spec_t k80 = small("k80");
  const char *text = "db-groupby:size=1G,accesses=3000,scope=512M";
  (void)state;
  assert_int_equal(ran(&k80, text).cycles, ran(&k80, text).cycles);
}

static void memory_that_is_too_small_is_an_error(void **state) {
  gpu_spec_t k80 = small("k80");
  db_result_t r;
  err_t e = {0};
  (void)state;
  assert_int_equal(try(&k80, "db-groupby:size=16G,accesses=100", &r, &e), GMMU_ENOSPACE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(grouping_is_right_in_every_form),
                                     cmocka_unit_test(sampling_is_right_with_and_without_scopes),
                                     cmocka_unit_test(scopes_win_back_what_the_last_tlb_loses),
                                     cmocka_unit_test(the_same_program_takes_the_same_time),
                                     cmocka_unit_test(memory_that_is_too_small_is_an_error)};
  if (!ptx_path() || access(ptx_path(), R_OK) < 0) return 77; /* skipped */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
