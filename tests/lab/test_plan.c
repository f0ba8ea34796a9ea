/* The plan of a Slurm array: its bounds, and that whoever works through a file stops when asked. */
#include "base/stop.h"
#include "lab/slurm_plan.h"
#include "lab/sweep.h"
#include "unit.h"
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define RUN                                                                                        \
  "gpu maxwell\ndesign sharedtlb\napp stream\nsms 30\nend 0123456789abcdef0123456789abcdef\n"

static int read_plan(slurm_plan_t *p, const char *text, size_t size, err_t *e) {
  strbuf_t bytes;
  strbuf_init(&bytes);
  strbuf_add(&bytes, text, size);
  *e = (err_t){0};
  return slurm_plan_read(p, "plan", &bytes, e);
}

static void a_plan_gives_its_runs_in_order(void **state) {
  static const char text[] =
      "tasks 2\n" RUN "gpu a\ndesign b\napp c\nend 1123456789abcdef0123456789abcdef\n";
  char key[STORE_KEY_BYTES];
  slurm_plan_t p;
  lab_run_t run;
  err_t e;
  (void)state;
  assert_int_equal(read_plan(&p, text, sizeof text - 1, &e), 0);
  assert_int_equal(p.tasks, 2);
  assert_int_equal(p.runs, 2);
  assert_int_equal(slurm_plan_next(&p, &run, key, &e), 1);
  assert_string_equal(run.gpu, "maxwell");
  assert_int_equal(slurm_plan_next(&p, &run, key, &e), 1);
  assert_string_equal(run.gpu, "a");
  assert_string_equal(key, "1123456789abcdef0123456789abcdef");
  assert_int_equal(slurm_plan_next(&p, &run, key, &e), 0);
  slurm_plan_fini(&p);
}

static void a_plan_that_cannot_be_is_refused_with_its_line(void **state) {
  static const struct {
    const char *text;
    size_t size;
    uint32_t line;
    const char *why;
  } bad[] = {
#define BAD(text, line, why) {text, sizeof text - 1, line, why}
      BAD("", 1, "no plan"),
      BAD("tasks", 1, "no plan"),
      BAD("tasks -1\n" RUN, 1, "no plan"),
      BAD("tasks 1 \n" RUN, 1, "no plan"),
      BAD("tasks 0\n" RUN, 1, "no plan"),
      BAD("tasks 1\n", 1, "1 tasks"),
      BAD("tasks 2\n" RUN, 1, "2 tasks; at most one for each of its runs (1)"),
      BAD("tasks 4294967295\n" RUN, 1, "4294967295 tasks"),
      BAD("tasks 99999999999999999999999\n" RUN, 1, "18446744073709551615 tasks"),
      BAD("tasks 1\n" RUN "gpu x\n", 8, "cut off"),
      BAD("tasks 1\n" RUN "gpu", 7, "cut off"),
      BAD("tasks 1\nsms 3\n", 2, "before the first application"),
      BAD("tasks 1\n" RUN "\0" RUN, 7, "zero byte"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    slurm_plan_t p;
    err_t e;
    assert_int_equal(read_plan(&p, bad[i].text, bad[i].size, &e), GMMU_EFORMAT);
    if (!strstr(e.text, bad[i].why)) fail_msg("%zu: %s", i, e.text);
    if (e.line != bad[i].line) fail_msg("%zu: line %u: %s", i, e.line, e.text);
    assert_string_equal(e.file, "plan");
    slurm_plan_fini(&p);
  }
}

/* ---- the last ones: this process has been asked to stop ---- */

static void a_signal_ends_a_plan(void **state) {
  static const char text[] = "tasks 1\n" RUN;
  slurm_plan_t p;
  err_t e;
  (void)state;
  stop_listen();
  raise(SIGINT);
  assert_int_equal(read_plan(&p, text, sizeof text - 1, &e), GMMU_EINTERRUPTED);
  slurm_plan_fini(&p);
}

/* But what there is can still be told: that pass keeps nothing. */
static void a_signal_ends_a_pass_over_a_study(void **state) {
  char folder[] = "plan-XXXXXX", store[64], command[80];
  sweep_t s = {0};
  err_t e = {0};
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(store, sizeof store, "%s/r.db", folder);
  snprintf(command, sizeof command, "rm -r %s", folder);
  static const char study[] = "workloads: stream\nseeds: [1, 2, 3]\nset: {gpu.sms: 4}\n";
  assert_int_equal(study_read(&s.study, "study", study, sizeof study - 1, &e), 0);
  s.points = study_points(&s.study);
  assert_int_equal(lab_open(store, STORE_WRITE, 1, &s.lab, &e), 0);
  assert_int_equal(sweep_look(&s, true, &e), GMMU_EINTERRUPTED);
  assert_int_equal(lab_missing(s.lab), 1);
  assert_int_equal(sweep_look(&s, false, &e), 0);
  assert_int_equal(lab_missing(s.lab), s.points);
  lab_close(s.lab);
  sweep_fini(&s);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_gives_its_runs_in_order),
      cmocka_unit_test(a_plan_that_cannot_be_is_refused_with_its_line),
      cmocka_unit_test(a_signal_ends_a_plan),
      cmocka_unit_test(a_signal_ends_a_pass_over_a_study),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
