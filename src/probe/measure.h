#ifndef GMMU_PROBE_MEASURE_H
#define GMMU_PROBE_MEASURE_H
/* Patterns of addresses, and robust figures of the times they take.
 *
 * Every access is timed in several passes, and the median over the passes stands for it: an access
 * that misses does so in every pass, an interrupt does not. Figures are in hundredths of a cycle.
 */
#include "probe/device.h"

typedef enum { ORDER_SEQUENTIAL, ORDER_RANDOM } order_t;

/* `count` accesses, one every `stride` bytes from offset `start` on. Access i lies (i * line)
 * modulo `window` (0: the stride) further, so that the lines spread over the sets of the data
 * cache. With `pair` every access is followed by one to the address `pair` bytes behind it, or by
 * `lines` - 1 that are each `pair` behind the one before. */
typedef struct {
  uint64_t start, stride, shift, pair, window;
  uint32_t count;
  uint32_t lines; /* with `pair`; 0: 2 */
  order_t order;
  uint32_t passes;
  /* results */
  int64_t mean;   /* of all accesses */
  int64_t low;    /* a quarter of the accesses take at most this */
  int64_t mid;    /* the median access; with pairs, of the second ones */
  int64_t spread; /* of one access between passes: mean absolute deviation */
  int64_t *time;  /* [samples], kept if `keep` */
  uint32_t samples;
  bool keep;
} run_t;

/* Asks how far lines of the data cache are. Where they differ (the L2 of an A100 has a near and a
 * far half), every access of later runs is followed by one to the same line, which hits everywhere:
 * what the first takes longer is what a run shows, on top of the time of a near line. */
int measure_lines(device_t *d, uint32_t sm, err_t *e);
/* Behind each of n accesses, another one to its line; of each access only what it takes longer than
 * its twin, after which n times of a pass are left. */
void add_twins(uint64_t *at, uint32_t n);
void take_twins_off(const device_t *d, int64_t *time, uint32_t passes, uint32_t n);
#define MEASURE_ACCESSES(d) ((d)->uneven ? 2u : 1u) /* for each of a pattern */
/* All runs, one after the other, on one SM. Every run's time[] is freed by run_fini(). */
int measure(device_t *d, uint32_t sm, run_t *runs, uint32_t count, err_t *e);
void run_fini(run_t *r);
/* The offsets of a pattern; `at` has room for all of them. */
void pattern_offsets(const device_t *d, const run_t *r, uint64_t *at);
static inline uint32_t pattern_lines(const run_t *r) {
  return !r->pair ? 1 : r->lines ? r->lines : 2;
}
static inline uint32_t pattern_count(const run_t *r) { return pattern_lines(r) * r->count; }
int64_t median_of(int64_t *v, uint32_t n); /* reorders v; 0 if there is none */
/* Accesses of the run that took longer than `limit`: counted one by one if the device times them
 * so, else by the share of the way from `lo` to `hi` that the mean went. In hundredths. */
int64_t run_misses(const device_t *d, const run_t *r, int64_t lo, int64_t hi);
#endif
