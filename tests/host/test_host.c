/* Programs, well-behaved and not: each scenario of client.c. */
#include "../base/unit.h"
#include "host/host.h"
#include "trace/gmt.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint32_t looks;
static bool stop_after_a_while(void *ctx) {
  (void)ctx;
  return ++looks > 4;
}
static void keep_note(void *ctx, const err_t *e) { *(err_t *)ctx = *e; }

typedef struct {
  host_spec_t spec;
  char *argv[4];
  err_t note;
} given_t;

static void give(given_t *g, const char *scenario) {
  *g = (given_t){0};
  g->argv[0] = (char *)(uintptr_t)CLIENT, g->argv[1] = (char *)(uintptr_t)scenario;
  g->spec = (host_spec_t){.argv = g->argv, .out_fd = 2, .note = keep_note, .note_ctx = &g->note};
  g->spec.device = (wire_device_t){.global_bytes = 1 << 30,
                                   .const_bytes = 65536,
                                   .sms = 2,
                                   .major = 6,
                                   .shared_per_block = 49152,
                                   .threads_per_block = 1024,
                                   .core_khz = 1000000,
                                   .regs_per_sm = 65536};
}

/* Runs the scenario: the code, with what became of it in *r and *e. */
static int play(given_t *g, const char *scenario, host_run_t *r, err_t *e) {
  give(g, scenario);
  *e = (err_t){0};
  return host_run(&g->spec, NULL, r, e);
}

static void ends_well(const char *scenario, int status) {
  given_t g;
  host_run_t r;
  err_t e;
  assert_int_equal(play(&g, scenario, &r, &e), 0);
  assert_int_equal(r.end.status, status);
  host_run_fini(&r);
}

static void fails(const char *scenario, int code, const char *words) {
  given_t g;
  host_run_t r;
  err_t e;
  assert_int_equal(play(&g, scenario, &r, &e), code);
  if (!strstr(e.text, words)) fail_msg("\"%s\" lacks \"%s\"", e.text, words);
  host_run_fini(&r);
}

static void a_kernel_works_on_memory_both_see(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e;
  assert_int_equal(play(&g, "work", &r, &e), 0);
  assert_int_equal(r.end.status, 0);
  assert_int_equal(r.kernels, 1);
  assert_string_equal(r.kernel[0].name, "twice");
  assert_int_equal(r.kernel[0].blocks, 4);
  assert_int_equal(r.allocations, 1);
  assert_int_equal(r.allocated_bytes, 4000);
  host_run_fini(&r);
}

static void wrong_requests_get_errors(void **state) {
  (void)state;
  ends_well("wrong", 0);
}
static void a_fault_is_told_to_both(void **state) {
  (void)state;
  fails("fault", GMMU_EFAULT, "kernel 'twice'");
  fails("misaligned", GMMU_EFAULT, "not aligned");
}
static void after_a_reset_kernels_run_again(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e;
  assert_int_equal(play(&g, "again", &r, &e), GMMU_EFAULT);
  assert_int_equal(r.end.status, 0);
  assert_non_null(strstr(g.note.text, "kernel 'twice'")); /* the second failure */
  host_run_fini(&r);
}
static void after_a_reset_kernels_run_without_a_machine(void **state) {
  (void)state;
  given_t g;
  err_t e = {0};
  source_t *s;
  uint64_t insts;
  host_end_t end;
  give(&g, "again");
  assert_int_equal(host_source_new(&g.spec, &s, &e), 0);
  assert_int_equal(s->ops->bind(s, 64, 64, &e), 0);
  assert_int_equal(s->ops->rewind(s, &e), 0);
  int rc = gmt_drain(s, 0, &insts, &e);
  assert_true(rc < 0);
  assert_int_equal(host_source_finish(s, rc, &e), GMMU_EFAULT);
  assert_true(host_source_end(s, &end) && !end.status);
  s->ops->free(s);
}
static void nonsense_ends_the_program(void **state) {
  (void)state;
  fails("bad-op", GMMU_EFORMAT, "request number 99");
  fails("bad-size", GMMU_EFORMAT, "4 bytes");
  fails("rude", GMMU_EFORMAT, "before the greeting");
}
static void a_program_may_end_at_any_point(void **state) {
  (void)state;
  ends_well("crash", 134);
  ends_well("three", 3);
  ends_well("close", 0);
}
static void the_end_inside_a_request_is_a_failure(void **state) {
  (void)state;
  fails("header", GMMU_EINVAL, "ended with status 0 in the middle of a request");
  fails("cut", GMMU_EINVAL, "ended with status 5 in the middle of a request");
  fails("wrap-cut", GMMU_EINVAL, "broke off in the middle of a request");
}
static void a_death_ends_the_kernel(void **state) {
  (void)state;
  fails("die", GMMU_EINVAL, "ended with status 137 while its kernel ran");
  fails("wrap-die", GMMU_EINVAL, "broke off while its kernel ran");
}

static void variables_are_limited_by_the_device(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e;
  assert_int_equal(play(&g, "variables", &r, &e), 0);
  assert_int_equal(r.end.status, 0);
  if (!strstr(g.note.text, "variable 'two' of 7 bytes")) fail_msg("%s", g.note.text);
  host_run_fini(&r);
}
static void flags_of_textures_are_checked(void **state) {
  (void)state;
  ends_well("texture", 0);
}

/* ---- live */

typedef struct {
  given_t given;
  source_t *source;
  err_t e;
} live_t;

/* The code that the machine's questions end with. */
static int play_live(live_t *l, const char *scenario) {
  uint64_t insts;
  give(&l->given, scenario);
  l->e = (err_t){0};
  assert_int_equal(host_source_new(&l->given.spec, &l->source, &l->e), 0);
  assert_int_equal(l->source->ops->bind(l->source, 64, 64, &l->e), 0);
  assert_int_equal(l->source->ops->rewind(l->source, &l->e), 0);
  return gmt_drain(l->source, 100000, &insts, &l->e);
}

static void variables_are_announced_before_the_first_launch(void **state) {
  (void)state;
  given_t g;
  err_t e = {0};
  source_t *s;
  command_t c;
  give(&g, "variable");
  assert_int_equal(host_source_new(&g.spec, &s, &e), 0);
  assert_int_equal(s->ops->bind(s, 64, 64, &e), 0);
  assert_int_equal(s->ops->rewind(s, &e), 0);
  assert_int_equal(s->ops->next_command(s, 0, &c, &e), 0);
  assert_int_equal(c.kind, CMD_ALLOC);
  assert_int_equal(c.bytes, 4);
  assert_int_equal(s->ops->next_command(s, 0, &c, &e), 0);
  assert_int_equal(c.kind, CMD_LAUNCH);
  s->ops->free(s);
}

static void nonsense_ends_a_live_program(void **state) {
  (void)state;
  live_t l;
  assert_int_equal(play_live(&l, "bad-op"), GMMU_EFORMAT);
  assert_non_null(strstr(l.e.text, "request number 99"));
  err_t again = {0};
  assert_int_equal(host_source_finish(l.source, GMMU_EFORMAT, &again), 0); /* nothing is read on */
  l.source->ops->free(l.source);
}

static void a_death_in_a_live_kernel_is_noticed(void **state) {
  (void)state;
  static const char *const scenario[] = {"die", "wrap-die"};
  for (int i = 0; i < 2; i++) {
    live_t l;
    assert_int_equal(play_live(&l, scenario[i]), GMMU_ESTUCK); /* the limit: it runs for ever */
    int rc = 0;
    for (int n = 0; n < 3000 && rc == 0; n++) {
      rc = host_source_check(l.source, &l.e);
      nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(rc, GMMU_EINVAL);
    assert_non_null(strstr(l.e.text, "while its kernel ran"));
    l.source->ops->free(l.source);
  }
}

/* Where and how is random. A program that waits in vain is stopped, as a user would. */
static void a_program_may_go_wrong_anywhere(void **state) {
  (void)state;
  uint64_t seed = test_seed();
  for (uint64_t i = 0; i < 40; i++) {
    given_t g;
    host_run_t r;
    err_t e = {0};
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)(seed * 1000 + i));
    give(&g, "random");
    g.argv[2] = number;
    g.spec.stop = stop_after_a_while, looks = 0;
    int rc = host_run(&g.spec, NULL, &r, &e);
    if (rc < 0 && (e.code != rc || !e.text[0]))
      fail_msg("seed %s: %d without a reason", number, rc);
    host_run_fini(&r);
    live_t l = {.given = g};
    uint64_t insts;
    looks = 0;
    assert_int_equal(host_source_new(&l.given.spec, &l.source, &l.e), 0);
    assert_int_equal(l.source->ops->bind(l.source, 64, 64, &l.e), 0);
    assert_int_equal(l.source->ops->rewind(l.source, &l.e), 0);
    rc = gmt_drain(l.source, 100000, &insts, &l.e);
    if (rc < 0 && !l.e.text[0]) fail_msg("seed %s: %d without a reason", number, rc);
    if (rc < 0) host_source_finish(l.source, rc, &l.e);
    l.source->ops->free(l.source);
  }
}

/* ---- what programs start */

static bool is_gone(long pid) { return kill((pid_t)pid, 0) < 0 && errno == ESRCH; }

static void processes_left_behind_end_too(void **state) {
  (void)state;
  static const char *const scenario[] = {"leave", "leave-bad"};
  for (int i = 0; i < 2; i++) {
    given_t g;
    host_run_t r;
    err_t e = {0};
    FILE *out = tmpfile();
    long pid = 0;
    give(&g, scenario[i]);
    g.spec.out_fd = fileno(out);
    host_run(&g.spec, NULL, &r, &e);
    rewind(out);
    assert_int_equal(fscanf(out, "%ld", &pid), 1);
    assert_true(is_gone(pid));
    host_run_fini(&r);
    fclose(out);
  }
}

static void processes_left_behind_may_finish(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e = {0};
  char text[20] = "";
  FILE *out = tmpfile();
  give(&g, "epilogue");
  g.spec.out_fd = fileno(out);
  assert_int_equal(host_run(&g.spec, NULL, &r, &e), 0);
  rewind(out);
  assert_non_null(fgets(text, sizeof text, out));
  assert_string_equal(text, "last word\n");
  host_run_fini(&r);
  fclose(out);
}
static void a_program_without_cuda_is_named(void **state) {
  (void)state;
  fails("unused", GMMU_EINVAL, "without calling CUDA");
}
static void a_program_that_is_not_there_is_named(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e = {0};
  give(&g, "x");
  g.argv[0] = (char *)(uintptr_t) "/nowhere/program";
  assert_int_equal(host_run(&g.spec, NULL, &r, &e), GMMU_ENOENT);
  assert_non_null(strstr(e.text, "/nowhere/program"));
}
static void waiting_can_be_stopped(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e = {0};
  give(&g, "half");
  g.spec.stop = stop_after_a_while, looks = 0;
  assert_int_equal(host_run(&g.spec, NULL, &r, &e), GMMU_EINTERRUPTED);
  host_run_fini(&r);
}

static void a_program_is_started_once(void **state) {
  (void)state;
  live_t l;
  host_end_t end;
  assert_int_equal(play_live(&l, "work"), 0);
  assert_true(host_source_end(l.source, &end) && !end.status);
  assert_int_equal(l.source->ops->rewind(l.source, &l.e), GMMU_EINVAL);
  l.source->ops->free(l.source);
}

static void a_recording_keeps_to_its_room(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e = {0};
  give(&g, "endless");
  g.spec.record_bytes = 1000;
  assert_int_equal(host_run(&g.spec, "endless.gmt", &r, &e), GMMU_ERANGE);
  assert_non_null(strstr(e.text, "its recording is larger"));
  assert_int_equal(access("endless.gmt", F_OK), -1);
  host_run_fini(&r);
}

static void time_and_place_are_noted(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e;
  assert_int_equal(play(&g, "work", &r, &e), 0);
  assert_true(!r.end.timed && !r.end.placed);
  host_run_fini(&r);
  assert_int_equal(play(&g, "clock", &r, &e), 0);
  assert_true(r.end.timed && r.end.placed);
  host_run_fini(&r);
}

static void a_recording_has_every_instruction(void **state) {
  (void)state;
  given_t g;
  host_run_t r;
  err_t e = {0};
  uint64_t insts;
  source_t *s;
  give(&g, "work");
  assert_int_equal(host_run(&g.spec, "work.gmt", &r, &e), 0);
  assert_int_equal(gmt_open("work.gmt", &s, &e), 0);
  assert_int_equal(gmt_drain(s, 0, &insts, &e), 0);
  assert_int_equal(insts, r.warp_insts);
  s->ops->free(s);
  unlink("work.gmt");
  host_run_fini(&r);
}

int main(void) {
#define T cmocka_unit_test
  const struct CMUnitTest tests[] = {T(a_kernel_works_on_memory_both_see),
                                     T(wrong_requests_get_errors),
                                     T(a_fault_is_told_to_both),
                                     T(after_a_reset_kernels_run_again),
                                     T(after_a_reset_kernels_run_without_a_machine),
                                     T(nonsense_ends_the_program),
                                     T(a_program_may_end_at_any_point),
                                     T(the_end_inside_a_request_is_a_failure),
                                     T(a_death_ends_the_kernel),
                                     T(variables_are_limited_by_the_device),
                                     T(flags_of_textures_are_checked),
                                     T(variables_are_announced_before_the_first_launch),
                                     T(nonsense_ends_a_live_program),
                                     T(a_death_in_a_live_kernel_is_noticed),
                                     T(a_program_may_go_wrong_anywhere),
                                     T(processes_left_behind_end_too),
                                     T(processes_left_behind_may_finish),
                                     T(a_program_without_cuda_is_named),
                                     T(a_program_that_is_not_there_is_named),
                                     T(waiting_can_be_stopped),
                                     T(a_program_is_started_once),
                                     T(a_recording_keeps_to_its_room),
                                     T(time_and_place_are_noted),
                                     T(a_recording_has_every_instruction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
