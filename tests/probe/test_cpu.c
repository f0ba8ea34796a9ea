/* This computer's processor: the probe runs, and what it finds is the same again. Other work on the
 * machine takes part in every time, so the machine is asked first, in ways of its own: how many
 * processes wait, and whether the same reads take the same time. Only where one of these tells of
 * other work the comparison is skipped, and where the probe itself says that it is not sure; else
 * two of three runs must agree. */
#include "help.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RUNS    3
#define SAMPLES 100
#define SURE    50         /* of 100: confidence of a probe whose result is meant */
#define WORDS   (1u << 18) /* 2 MB: of the caches, too, that others share */

static tlb_probe_t probe_host(uint64_t page) {
  device_t *d = NULL;
  err_t e = {0};
  if (device_cpu_new(page, 0, &d, &e) < 0) skip();
  tlb_probe_t t = probed(d);
  device_free(d);
  return t;
}

/* ---- other work ---- */

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* By how many percent the slowest tenth of equal work exceeds the middle. */
static int64_t spread_percent(void) {
  volatile uint64_t *word = calloc(WORDS, sizeof *word);
  int64_t ns[SAMPLES];
  assert_non_null(word);
  for (uint32_t i = 0; i < SAMPLES; i++) {
    int64_t begin = now_ns();
    for (uint32_t k = 0; k < WORDS; k += 8) word[k] += k;
    ns[i] = now_ns() - begin;
  }
  free((void *)word);
  qsort(ns, SAMPLES, sizeof *ns, by_size);
  return 100 * ns[SAMPLES * 9 / 10] / ns[SAMPLES / 2] - 100;
}

static bool is_loaded(void) {
  double waiting = 0;
  int64_t spread = spread_percent();
  if (getloadavg(&waiting, 1) != 1) waiting = 0;
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  print_message("load %.2f on %ld processors, times spread by %lld %%\n", waiting, processors,
                (long long)spread);
  return waiting > (double)processors || spread > 25;
}

/* ---- the comparison ---- */

static void show(const tlb_probe_t *t) {
  print_message("%u levels, confidence %u:", t->levels, t->confidence);
  for (uint32_t i = 0; i < t->levels; i++)
    print_message(" %u entries of %llu bytes", t->level[i].entries,
                  (unsigned long long)t->level[i].reach_bytes);
  print_message("\n");
}

/* The same levels of plausible sizes, no more than a step of two apart. */
static bool agree(const tlb_probe_t *a, const tlb_probe_t *b) {
  bool same = a->levels && a->levels == b->levels;
  for (uint32_t i = 0; same && i < a->levels; i++) {
    uint32_t x = a->level[i].entries, y = b->level[i].entries;
    same = a->level[i].reach_bytes == b->level[i].reach_bytes && x >= 8 && x <= 1 << 16 &&
           x <= 2 * y && y <= 2 * x;
  }
  return same;
}

static void two_of_three_runs_agree_where_the_host_is_quiet(void **state) {
  (void)state;
  tlb_probe_t t[RUNS];
  bool loaded = is_loaded();
  uint32_t sure = 0;
  for (uint32_t i = 0; i < RUNS; i++) {
    t[i] = probe_host(4096);
    show(&t[i]);
    sure += t[i].confidence >= SURE;
    loaded = is_loaded() || loaded;
  }
  bool same = agree(&t[0], &t[1]) || agree(&t[0], &t[2]) || agree(&t[1], &t[2]);
  for (uint32_t i = 0; i < RUNS; i++) tlb_probe_fini(&t[i]);
  if (!same && (loaded || sure < 2)) skip();
  assert_true(same);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_of_three_runs_agree_where_the_host_is_quiet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
