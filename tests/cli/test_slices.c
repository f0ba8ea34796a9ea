/* The command runs a machine in slices to hear Ctrl-C; that must not show in the results. */
#include "base/unit.h"
#include "gen/gen.h"
#include "gpu/stats.h"
#include <stdio.h>
#include <string.h>

/* A small machine with two applications, run in slices; the statistics as text in *out. */
static void run_in_slices(uint64_t slice_cycles, json_t *out) {
  gpu_spec_t spec;
  gpu_t *g;
  app_spec_t app[2] = {{.name = "a"}, {.name = "b"}};
  gpu_limits_t limits = {.cycles = 6000};
  err_t e = {0};
  int rc = 0;
  gpu_spec_init(&spec);
  assert_int_equal(gpu_spec_load(&spec, "gpu", "maxwell", &e), 0);
  assert_int_equal(gpu_spec_set(&spec, "gpu.sms", "3", &e), 0);
  assert_int_equal(gpu_spec_set(&spec, "gpu.launch", "700", &e), 0); /* times with nothing to do */
  assert_int_equal(gen_open("gather:footprint=2M,blocks=3,steps=3", &app[0].source, &e), 0);
  assert_int_equal(gen_open("chase:footprint=1M,blocks=2,steps=5", &app[1].source, &e), 0);
  assert_int_equal(gpu_new(&spec, app, 2, &g, &e), 0);
  while (rc == 0) rc = gpu_run(g, &limits, gpu_cycles(g) + slice_cycles, &e);
  assert_int_equal(rc, 1);
  gpu_settle(g);
  json_init(out);
  json_begin_object(out);
  gpu_stats_json(g, out);
  json_end_object(out);
  gpu_free(g);
  for (int i = 0; i < 2; i++) app[i].source->ops->free(app[i].source);
}

static void slices_of_any_length_give_the_same_statistics(void **state) {
  static const uint64_t length[] = {1, 7, 64, 1000, 5999};
  json_t whole, sliced;
  (void)state;
  run_in_slices(1u << 30, &whole);
  for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
    run_in_slices(length[i], &sliced);
    assert_string_equal(strbuf_text(&sliced.out), strbuf_text(&whole.out));
    json_fini(&sliced);
  }
  json_fini(&whole);
}

/* What `gmmu run` shows while it runs. */
static void progress_is_the_share_of_the_limit(void **state) {
  gpu_spec_t spec;
  gpu_t *g;
  app_spec_t app = {.name = "a"};
  gpu_limits_t limits = {.cycles = 1000}, none = {0};
  uint64_t kernel = 9;
  err_t e = {0};
  (void)state;
  gpu_spec_init(&spec);
  assert_int_equal(gpu_spec_load(&spec, "gpu", "maxwell", &e), 0);
  assert_int_equal(gpu_spec_set(&spec, "gpu.sms", "1", &e), 0);
  assert_int_equal(gen_open("compute:blocks=64", &app.source, &e), 0);
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), 0);
  assert_int_equal(gpu_run(g, &limits, 250, &e), 0);
  assert_int_equal(gpu_progress_permille(g, &limits, &kernel), 250);
  assert_int_equal(kernel, 0);
  assert_int_equal(gpu_run(g, &limits, 1u << 30, &e), 1);
  assert_int_equal(gpu_progress_permille(g, &limits, &kernel), 1000);
  assert_in_range(gpu_progress_permille(g, &none, &kernel), 1, 999); /* of its warp instructions */
  assert_int_equal(kernel, 0);
  gpu_free(g);
  app.source->ops->free(app.source);
}

/* Runs `text` alone to its end on one SM. */
static void run_to_the_end(const char *text, uint64_t *work, uint64_t *issued) {
  gpu_spec_t spec;
  gpu_t *g;
  app_spec_t app = {.name = "a"};
  gpu_limits_t once = {.no_relaunch = true}, more = {.min_cycles = UINT64_MAX / 4};
  uint64_t kernel = 9;
  err_t e = {0};
  gpu_spec_init(&spec);
  assert_int_equal(gpu_spec_load(&spec, "gpu", "maxwell", &e), 0);
  assert_int_equal(gpu_spec_set(&spec, "gpu.sms", "1", &e), 0);
  assert_int_equal(gen_open(text, &app.source, &e), 0);
  assert_int_equal(gpu_new(&spec, &app, 1, &g, &e), 0);
  *work = source_work(app.source);
  assert_int_equal(gpu_run(g, &once, UINT64_MAX / 2, &e), 1);
  *issued = gpu_instructions(g);
  assert_int_equal(gpu_progress_permille(g, &once, &kernel), 1000);
  assert_int_equal(gpu_progress_permille(g, &more, &kernel), 0); /* cycles are left, all of them */
  assert_int_equal(kernel, 0);
  gpu_free(g);
  app.source->ops->free(app.source);
}

static void the_work_of_a_generator_is_what_it_issues(void **state) {
  static const char *const options[] = {"blocks=4", "blocks=2,launches=2", "blocks=3,warps=4"};
  (void)state;
  for (const gen_ops_t *const *o = gen_all; *o; o++)
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
      char text[160];
      uint64_t work, issued;
      snprintf(text, sizeof text, "%s:%s,footprint=2M", (*o)->name, options[i]);
      run_to_the_end(text, &work, &issued);
      if (work != issued) print_error("%s\n", text);
      assert_int_equal(work, issued);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_of_any_length_give_the_same_statistics),
      cmocka_unit_test(progress_is_the_share_of_the_limit),
      cmocka_unit_test(the_work_of_a_generator_is_what_it_issues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
