/* One saturated DRAM channel: how many accesses per second, and how much host work each costs.
 *
 *   bench_dram [pattern [accesses]]         patterns: stream, random, mixed, single; default all
 *
 * Host instructions per access, start-up taken out by the difference of two lengths:
 *
 *   for n in 100000 200000; do valgrind --tool=callgrind --callgrind-out-file=/dev/null
 *     build/bench/bench_dram random $n 2>&1 | grep refs; done
 *
 * Of these the generator and the loop here are 36 (stream) or 53 (the others). The channel is the
 * GDDR5 default against a 1020 MHz core; 96 accesses of 128 bytes are kept inside, beyond the
 * window of 64, and the channel is run at dram_wake() only, as the machine does. */
#include "base/rng.h"
#include "dram/dram.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INSIDE 96

typedef struct {
  const char *name;
  void (*next)(rng_t *rng, uint32_t i, dram_access_t *a);
} pattern_t;

/* Lines in address order: 16 of a 2 KB row, then the next bank. */
static void next_stream(rng_t *rng, uint32_t i, dram_access_t *a) {
  (void)rng;
  a->bank = i >> 4 & 7, a->row = i >> 7, a->write = 0;
}
static void next_random(rng_t *rng, uint32_t i, dram_access_t *a) {
  (void)i;
  uint64_t x = rng_next(rng);
  a->bank = x & 7, a->row = (uint32_t)(x >> 40) & 0x3fff, a->write = 0;
}
/* Eight streams with a third of writes. */
static void next_mixed(rng_t *rng, uint32_t i, dram_access_t *a) {
  uint32_t stream = (uint32_t)rng_next(rng) & 7, line = (i >> 3) + stream * 4099;
  a->bank = line >> 4 & 7, a->row = line >> 7, a->write = stream % 3 == 2;
}
/* Random accesses of one burst. */
static void next_single(rng_t *rng, uint32_t i, dram_access_t *a) {
  next_random(rng, i, a);
  a->bursts = 1;
}

static const pattern_t patterns[] = {{"stream", next_stream},
                                     {"random", next_random},
                                     {"mixed", next_mixed},
                                     {"single", next_single}};

static dram_t *make(arrays_t *a) {
  dram_spec_t spec;
  opt_group_t groups[] = {{"dram", "", dram_options, &spec}, {NULL, NULL, NULL, NULL}};
  opt_defaults(groups);
  dram_t *d;
  err_t e;
  return dram_new(&spec, 1020, INSIDE, a, &d, &e) ? NULL : d;
}

/* Returns the core cycle at the end. */
static uint64_t run(dram_t *d, const pattern_t *p, uint32_t accesses) {
  rng_t rng = {1};
  dram_done_t done;
  uint64_t now = 0;
  for (uint32_t i = 0; i < accesses;) {
    for (; i < accesses && dram_waiting(d) < INSIDE; i++) {
      dram_access_t a = {.id = i, .bursts = 4};
      p->next(&rng, i, &a);
      dram_push(d, now, &a);
    }
    now = dram_wake(d);
    dram_run(d, now);
    while (dram_first(d) != UINT64_MAX) dram_take(d, &done);
  }
  return now;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int bench(const pattern_t *p, uint32_t accesses) {
  arrays_t arrays = {0};
  dram_t *d = make(&arrays);
  if (!d) return 1;
  double start = seconds();
  uint64_t cycles = run(d, p, accesses);
  double took = seconds() - start;
  const dram_stats_t *s = dram_stats(d, 0, DRAM_DATA);
  uint64_t n = s->row_hits + s->row_misses + s->row_conflicts;
  printf("dram.%s\t%.2f\tM accesses/s\n", p->name, accesses / took * 1e-6);
  printf("dram.%s.time\t%.1f\tns/access\n", p->name, took / accesses * 1e9);
  printf("dram.%s.row_hits\t%.1f\t%%\n", p->name, 100.0 * (double)s->row_hits / (double)n);
  printf("dram.%s.bus_busy\t%.1f\t%%\n", p->name,
         100.0 * (double)dram_busy(d) / ((double)cycles * 1674 / 1020));
  arrays_free(&arrays);
  return 0;
}

int main(int argc, char **argv) {
  uint32_t accesses = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 2000000;
  int bad = 0;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (argc < 2 || strcmp(argv[1], "all") == 0 || strcmp(argv[1], patterns[i].name) == 0)
      bad |= bench(&patterns[i], accesses);
  return bad;
}
