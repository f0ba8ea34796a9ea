/* Programs, well-behaved and not: each scenario of client.c. */
#include "../base/unit.h"
#include "host/host.h"
#include "trace/gmt.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint32_t looks;
static bool stop_after_a_while(void *ctx) {
  (void)ctx;
  return ++looks > 4;
}
static void keep_note(void *ctx, const err_t *e) { *(err_t *)ctx = *e; }

typedef struct {
  host_spec_t spec;
  char *argv[3];
  err_t note;
} given_t;

static void give(given_t *g, const char *scenario) {
  *g = (given_t){0};
  g->argv[0] = (char *)(uintptr_t)CLIENT, g->argv[1] = (char *)(uintptr_t)scenario;
  g->spec = (host_spec_t){.argv = g->argv, .out_fd = 2, .note = keep_note, .note_ctx = &g->note};
  g->spec.device = (wire_device_t){.global_bytes = 1 << 30,
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
  ends_well("cut", 0);
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

static void a_source_starts_the_program_again(void **state) {
  (void)state;
  given_t g;
  err_t e = {0};
  source_t *s;
  uint64_t first, second;
  give(&g, "work");
  assert_int_equal(host_source_new(&g.spec, &s, &e), 0);
  assert_int_equal(s->ops->bind(s, 64, 64, &e), 0);
  assert_int_equal(s->ops->rewind(s, &e), 0);
  assert_int_equal(gmt_drain(s, 0, &first, &e), 0);
  host_end_t end;
  assert_true(host_source_end(s, &end) && !end.status);
  assert_int_equal(s->ops->rewind(s, &e), 0);
  assert_int_equal(gmt_drain(s, 0, &second, &e), 0);
  assert_true(first > 100);
  assert_int_equal(first, second);
  s->ops->free(s);
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
                                     T(a_program_without_cuda_is_named),
                                     T(a_program_that_is_not_there_is_named),
                                     T(waiting_can_be_stopped),
                                     T(a_source_starts_the_program_again),
                                     T(a_recording_has_every_instruction)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
