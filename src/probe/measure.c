/* A batch of runs is one call of the device: each run is a stage of its own. Times beyond any
 * sensible range are cut off, so that sums of nonsense cannot overflow. */
#include "probe/measure.h"
#include "base/rng.h"
#include <stdlib.h>
#include <string.h>

#define SENSIBLE 100000000ll /* cycles */

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

int64_t median_of(int64_t *v, uint32_t n) {
  if (!n) return 0;
  qsort(v, n, sizeof *v, by_value);
  return v[n / 2];
}

/* ---- patterns ---- */

static void shuffle(uint64_t *at, uint32_t count, uint32_t group) {
  rng_t rng = {count};
  for (uint32_t i = count - 1; i > 0; i--) {
    uint32_t k = rng_below(&rng, i + 1);
    for (uint32_t g = 0; g < group; g++) {
      uint64_t t = at[i * group + g];
      at[i * group + g] = at[k * group + g];
      at[k * group + g] = t;
    }
  }
}

void pattern_offsets(const device_t *d, const run_t *r, uint64_t *at) {
  uint64_t line = d->info.line_bytes;
  uint64_t unit = r->window ? r->window : r->pair ? r->pair : r->stride;
  uint32_t group = pattern_lines(r);
  for (uint32_t i = 0; i < r->count; i++) {
    at[i * group] = r->start + i * r->stride + i * line % unit / 8 * 8;
    if (i >= r->count / 2) at[i * group] += r->shift;
    for (uint32_t g = 1; g < group; g++) at[i * group + g] = at[i * group] + g * r->pair;
  }
  if (r->order == ORDER_RANDOM) shuffle(at, r->count, group);
}

/* ---- figures ---- */

static int64_t sensible(int64_t t) {
  return t > SENSIBLE ? SENSIBLE : t < -SENSIBLE ? -SENSIBLE : t;
}

static uint32_t accesses_of(const device_t *d, const run_t *r, uint32_t sample) {
  uint32_t all = pattern_count(r), grain = d->info.grain ? d->info.grain : all;
  uint32_t left = all - sample * grain;
  return left < grain ? left : grain;
}

/* Hundredths of a cycle per access, at each place of the ring. */
static void settle_times(const device_t *d, run_t *r, const int64_t *t) {
  int64_t pass[64], sum = 0, spread = 0;
  uint32_t all = pattern_count(r);
  for (uint32_t i = 0; i < r->samples; i++) {
    uint32_t n = accesses_of(d, r, i);
    for (uint32_t p = 0; p < r->passes; p++)
      pass[p] = sensible(t[(size_t)p * r->samples + i]) * 100 / n;
    r->time[i] = median_of(pass, r->passes);
    for (uint32_t p = 0; p < r->passes; p++) spread += llabs(pass[p] - r->time[i]);
    sum += r->time[i] * n;
  }
  r->mean = sum / all;
  r->spread = spread / ((int64_t)r->samples * r->passes);
}

static int quantiles(const device_t *d, run_t *r) {
  int64_t *v = malloc(sizeof *v * (r->samples + 1));
  if (!v) return GMMU_ENOMEM;
  uint32_t n = 0, step = d->info.grain == 1 ? pattern_lines(r) : 1;
  for (uint32_t i = step - 1; i < r->samples; i += step) v[n++] = r->time[i];
  r->mid = median_of(v, n);
  r->low = n ? v[n / 4] : 0;
  free(v);
  return GMMU_OK;
}

/* ---- a batch ---- */

typedef struct {
  chase_t *chase;
  uint64_t *at;
  int64_t *time;
} batch_t;

static void batch_fini(batch_t *b) {
  free(b->chase);
  free(b->at);
  free(b->time);
}

static int batch_init(batch_t *b, const device_t *d, const run_t *r, uint32_t count) {
  size_t ats = 0, times = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = MEASURE_ACCESSES(d) * pattern_count(&r[i]);
    ats += n;
    times += (size_t)r[i].passes * device_samples(d, n);
  }
  b->chase = calloc(count + 1, sizeof *b->chase);
  b->at = calloc(ats + 1, sizeof *b->at);
  b->time = calloc(times + 1, sizeof *b->time);
  return b->chase && b->at && b->time ? GMMU_OK : GMMU_ENOMEM;
}

void add_twins(uint64_t *at, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    uint64_t x = at[i];
    at[2 * i] = x;
    at[2 * i + 1] = x ^ 8;
  }
}
void take_twins_off(const device_t *d, int64_t *t, uint32_t passes, uint32_t n) {
  for (size_t i = 0; i < (size_t)passes * n; i++)
    t[i] = sensible(t[2 * i]) - sensible(t[2 * i + 1]) + d->near;
}

static int prepare(batch_t *b, const device_t *d, uint32_t sm, run_t *r, uint32_t count) {
  uint64_t *at = b->at;
  int64_t *time = b->time;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = pattern_count(&r[i]);
    r[i].samples = device_samples(d, n);
    r[i].time = calloc(r[i].samples + 1, sizeof *r[i].time);
    if (!r[i].time) return GMMU_ENOMEM;
    pattern_offsets(d, &r[i], at);
    if (d->uneven) add_twins(at, n);
    n *= MEASURE_ACCESSES(d);
    b->chase[i] = (chase_t){
        .sm = sm, .stage = i, .at = at, .count = n, .warm = 2, .timed = r[i].passes, .time = time};
    at += n;
    time += (size_t)r[i].passes * device_samples(d, n);
  }
  return GMMU_OK;
}

int measure(device_t *d, uint32_t sm, run_t *r, uint32_t count, err_t *e) {
  batch_t b = {0};
  for (uint32_t i = 0; i < count; i++) r[i].time = NULL, r[i].samples = 0;
  int rc = batch_init(&b, d, r, count);
  if (rc == 0) rc = prepare(&b, d, sm, r, count);
  if (rc < 0) err_set(e, rc, "no memory for a probe");
  if (rc == 0) rc = device_run(d, b.chase, count, e);
  for (uint32_t i = 0; i < count && rc == 0; i++) {
    if (d->uneven) take_twins_off(d, b.chase[i].time, r[i].passes, pattern_count(&r[i]));
    settle_times(d, &r[i], b.chase[i].time);
    rc = quantiles(d, &r[i]);
  }
  for (uint32_t i = 0; i < count; i++)
    if (rc < 0 || !r[i].keep) run_fini(&r[i]);
  batch_fini(&b);
  return rc;
}

/* Twins alone, of lines here and there: whatever the TLBs do, these hit. */
int measure_lines(device_t *d, uint32_t sm, err_t *e) {
  enum { LINES = 128, PASSES = 7 };
  uint64_t at[2 * LINES], step = 11 * (uint64_t)d->info.line_bytes;
  int64_t time[PASSES * 2 * LINES], low = INT64_MAX, high = INT64_MIN, spread = 0;
  d->uneven = false;
  if (d->info.grain != 1 || d->info.bytes < LINES * step) return GMMU_OK;
  for (uint32_t i = 0; i < LINES; i++) at[i] = i * step;
  add_twins(at, LINES);
  chase_t c = {.sm = sm, .at = at, .count = 2 * LINES, .warm = 2, .timed = PASSES, .time = time};
  int rc = device_run(d, &c, 1, e);
  if (rc < 0) return rc;
  for (uint32_t i = 0; i < LINES; i++) {
    int64_t pass[PASSES];
    for (uint32_t p = 0; p < PASSES; p++)
      pass[p] = sensible(time[(size_t)p * 2 * LINES + 2 * i + 1]);
    int64_t mid = median_of(pass, PASSES);
    int64_t quartiles = pass[3 * PASSES / 4] - pass[PASSES / 4]; /* an outlier is in neither */
    if (quartiles > spread) spread = quartiles;
    if (mid < low) low = mid;
    if (mid > high) high = mid;
  }
  d->near = low;
  d->uneven = high - low > 2 * spread && high - low > low / 20;
  return GMMU_OK;
}

void run_fini(run_t *r) {
  free(r->time);
  r->time = NULL;
}

int64_t run_misses(const device_t *d, const run_t *r, int64_t lo, int64_t hi) {
  if (hi <= lo) return 0;
  if (d->info.grain != 1) return (r->mean - lo) * 100 * (int64_t)pattern_count(r) / (hi - lo);
  int64_t n = 0;
  for (uint32_t i = 0; i < r->samples; i++) n += r->time[i] > (lo + hi) / 2;
  return 100 * n;
}
