/* How fast the PTX interpreter runs kernels, in millions of warp instructions per second of
 * processor time, the best of a few rounds: neighbours on the machine disturb it little.
 * bench_ptx [kernel [portable]]; prints lines of name, value and unit with tabs between. */
#include "../tests/ptx/kernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 256u
enum { ROUNDS = 5 };

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  kernels_t k;
  err_t e;
  char why[900];
  double rate[16];
  uint32_t n = 0;
  ptx_options_t o = {.portable = argc > 2};
  int r = kernels_new(&k, PTX_DATA "/kernels.ptx", N, &e);
  for (const kernel_case_t *c = kernel_cases; r >= 0 && c->name; c++) {
    if (argc > 1 && strcmp(argv[1], "all") != 0 && strcmp(argv[1], c->name) != 0) continue;
    ptx_stats_t s = {0};
    rate[n] = 0;
    for (int i = 0; r >= 0 && i < ROUNDS; i++) {
      s = (ptx_stats_t){0};
      double t = seconds();
      r = kernels_run(&k, c, &o, &s, &e);
      t = (double)s.warp_insts / (seconds() - t) * 1e-6;
      if (t > rate[n]) rate[n] = t;
    }
    printf("ptx_%s\t%.4g\tM warp instructions/s\nptx_%s_warp_insts\t%llu\t\n", c->name, rate[n],
           c->name, (unsigned long long)s.warp_insts);
    n++;
  }
  if (r < 0) {
    err_format(&e, why, sizeof why);
    fprintf(stderr, "bench_ptx: %s\n", why);
    return 1;
  }
  qsort(rate, n, sizeof *rate, compare);
  if (n > 1) printf("ptx_median\t%.4g\tM warp instructions/s\n", rate[n / 2]);
  kernels_free(&k);
  return 0;
}
