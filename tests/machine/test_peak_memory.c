/* How much memory the simulator needs for generated workloads, each in a process of its own. */
#include "gen/gen.h"
#include "gpu/gpu.h"
#include "unit.h"
#include "workloads.h"
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

/* In the child: its peak in MiB as the exit status, 255 if something went wrong. */
static int peak_of(const workload_t *w) {
  workload_run_t r;
  err_t e = {0};
  int rc = workload_open(w, "sharedtlb", &r, &e);
  if (rc >= 0) rc = workload_warm(&r, &e);
  if (rc >= 0) rc = workload_run(&r, &e);
  workload_close(&r);
  uint64_t mib = (peak_kib() + 1023) / 1024;
  return rc < 0 || !mib || mib > 254 ? 255 : (int)mib;
}

static void every_workload_stays_below_100_mib(void **state) {
  (void)state;
#ifdef SANITIZED
  skip(); /* the sanitizer's own memory would be counted */
#endif
  for (const workload_t *w = workload_all; w->name; w++) {
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) _exit(peak_of(w));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) >= WORKLOAD_MAX_MIB)
      fail_msg("%s: %d MiB (255: it failed or needs more)", w->name, WEXITSTATUS(status));
  }
}

/* In the child: a load on an A100 of 80 GB; its peak in units of MiB as the exit status, 255 if
 * something went wrong. */
#define UNIT_MIB 8u
static int peak_over(const char *load) {
  gpu_spec_t spec;
  err_t e = {0};
  app_spec_t app = {.name = "x"};
  const gpu_limits_t limits = {.no_relaunch = true};
  gpu_t *g = NULL;
  gpu_spec_init(&spec);
  int rc = gpu_spec_load(&spec, "gpu", "a100", &e);
  if (rc == 0) rc = gen_open(load, &app.source, &e);
  if (rc == 0) rc = gpu_new(&spec, &app, 1, &g, &e);
  if (rc == 0) rc = gpu_run(g, &limits, UINT64_MAX, &e);
  uint64_t units = (peak_kib() / 1024 + UNIT_MIB - 1) / UNIT_MIB;
  return rc != 1 || !units || units > 254 ? 255 : (int)units;
}

static void eighty_gigabytes_take_less_than_one(void **state) {
  (void)state;
#ifdef SANITIZED
  skip();
#endif
  static const char *const loads[] = {
      "gather:footprint=820M,blocks=108,warps=4,steps=8", /* a hundredth is there, and touched */
      "gather:footprint=72G,blocks=108,warps=1,steps=4",  /* all is mapped, little is touched */
  };
  for (uint32_t i = 0; i < 2; i++) {
    int status = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) _exit(peak_over(loads[i]));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) * UNIT_MIB >= 1024)
      fail_msg("%s: %u MiB (2040: it failed or needs more)", loads[i],
               WEXITSTATUS(status) * UNIT_MIB);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_workload_stays_below_100_mib),
      cmocka_unit_test(eighty_gigabytes_take_less_than_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
