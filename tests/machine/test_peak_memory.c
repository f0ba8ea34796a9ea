/* How much memory the simulator needs for generated workloads, each in a process of its own. */
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_workload_stays_below_100_mib)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
