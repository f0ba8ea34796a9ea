/* Finding the TLBs, in four steps. Invariant: levels are found from the smallest reach to the
 * largest, and each one's hit time is the miss time of the one before.
 *
 *  1. base: what an access costs that hits everywhere, how much that varies, and how many lines
 *     stay in the data cache.
 *  2. reaches: pairs of accesses `d` apart, among so many pairs that every TLB is overrun. The
 *     second of a pair hits a level exactly if the entry of the first covers it, so its time steps
 *     up where d becomes the reach of a level.
 *  3. entries: at a stride of each reach, time against the number of pages. Levels with a larger
 *     reach answer most of these accesses; the lower quartile does not see their misses. Then what
 *     an entry covers is asked again, of this level alone.
 *  4. shape and confidence: how misses grow behind the last page that fits, the same in random
 *     order, and at half the stride. */
#include "probe/tlb_probe.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURVE_POINTS 96u
#define TAIL_POINTS  16u
#define MAX_PAGES    8192u /* times of three passes fit the kernel's memory */
#define PASSES       5u
#define MAX_REACHES  8u
#define POINT_TIMES  192u /* of a point of a curve, at least */

/* Passes of a point: few pages take more of them, so that no point is less sure than others. */
static const uint32_t point_passes[] = {3, 7, 15, 31, 63};
#define POINT_PASSES (sizeof point_passes / sizeof *point_passes)

typedef struct {
  device_t *d;
  const tlb_probe_options_t *o;
  tlb_probe_t *out;
  uint64_t bytes;
  int64_t tolerance;          /* what counts as a difference between means */
  int64_t bias[POINT_PASSES]; /* by which the lower quartile of equal accesses is below the mean */
  int64_t control[32];        /* [log2 lines]: an access among so many lines on few pages */
  uint64_t reach[MAX_REACHES];
  uint32_t reaches;
  order_t order;
} probe_t;

static void tell(const probe_t *p, const char *what) {
  if (p->o->progress) p->o->progress(p->o->ctx, what);
}

/* Lines spread inside the smallest page only: further on, the pages of smaller levels would fall
 * into sets of their own from some number on, and stay there. */
static uint64_t window_of(const probe_t *p, uint64_t stride) {
  return p->reaches && p->reach[0] < stride ? p->reach[0] : stride;
}

static int runs(probe_t *p, run_t *r, uint32_t n, err_t *e) {
  for (uint32_t i = 0; i < n; i++)
    p->out->accesses += (uint64_t)pattern_count(&r[i]) * (r[i].passes + 2);
  return measure(p->d, p->o->sm, r, n, e);
}

static uint32_t log2_of(uint64_t v) { return 63 - (uint32_t)__builtin_clzll(v | 1); }

static uint32_t most_pages(const probe_t *p, uint64_t stride) {
  uint64_t n = p->bytes / stride;
  return n < p->out->lines ? (uint32_t)n : p->out->lines;
}

static int note_points(tlb_probe_t *out, const run_t *r, uint32_t n, err_t *e) {
  probe_point_t *more = realloc(out->point, (out->points + n) * sizeof *more);
  if (!more) return err_set(e, GMMU_ENOMEM, "no memory for a curve");
  out->point = more;
  for (uint32_t i = 0; i < n; i++)
    more[out->points++] = (probe_point_t){r[i].stride, r[i].count, r[i].mean, r[i].low};
  return GMMU_OK;
}

/* ---- 1. base ---- */

/* Lines side by side: few pages, many lines. Where the data cache is too small for them the median
 * access says so. */
static int find_lines(probe_t *p, err_t *e) {
  run_t r[16] = {0};
  uint32_t n = 0;
  uint32_t most = 2 * MAX_PAGES / MEASURE_ACCESSES(p->d); /* whose times fit */
  for (uint32_t c = 32; c <= most && (uint64_t)c * p->d->info.line_bytes <= p->bytes; c *= 2)
    r[n++] = (run_t){.stride = p->d->info.line_bytes, .count = c, .order = p->order, .passes = 1};
  int rc = n ? runs(p, r, n, e) : GMMU_OK;
  if (rc < 0) return rc;
  int64_t slack = p->out->base / 4 > 2000 ? p->out->base / 4 : 2000;
  p->out->lines = 16;
  for (uint32_t i = 0; i < n && r[i].mid <= p->out->base + slack; i++) {
    p->out->lines = r[i].count / 2;
    p->control[log2_of(r[i].count)] = r[i].mid - p->out->base;
  }
  return GMMU_OK;
}

/* The median over more passes varies less, so its quartile lies nearer the mean. */
static int find_bias(probe_t *p, err_t *e) {
  run_t r[POINT_PASSES] = {0};
  for (uint32_t i = 0; i < POINT_PASSES; i++)
    r[i] = (run_t){.stride = p->d->info.line_bytes,
                   .count = i ? 64 : 256,
                   .order = p->order,
                   .passes = point_passes[i]};
  int rc = runs(p, r, POINT_PASSES, e);
  for (uint32_t i = 0; i < POINT_PASSES && rc == 0; i++) p->bias[i] = r[i].mean - r[i].low;
  return rc;
}

static int find_base(probe_t *p, err_t *e) {
  run_t r[3] = {0};
  for (uint32_t i = 0; i < 3; i++)
    r[i] = (run_t){.stride = p->d->info.line_bytes, .count = 8, .order = p->order, .passes = 31};
  int rc = measure_lines(p->d, p->o->sm, e);
  if (rc == 0) rc = runs(p, r, 3, e);
  if (rc < 0) return rc;
  int64_t mid[] = {r[0].mean, r[1].mean, r[2].mean};
  p->out->base = median_of(mid, 3);
  p->out->noise = r[0].spread > r[1].spread ? r[0].spread : r[1].spread;
  p->tolerance = 150 > 3 * p->out->noise / 4 ? 150 : 3 * p->out->noise / 4;
  rc = find_bias(p, e);
  return rc == 0 ? find_lines(p, e) : rc;
}

/* What more lines on few pages cost: taken off, so that only translation is left. */
static int64_t control_of(const probe_t *p, uint32_t lines) {
  uint32_t k = log2_of(lines);
  int64_t lo = p->control[k], hi = k < 31 ? p->control[k + 1] : lo;
  if (hi < lo) hi = lo;
  return lo + (hi - lo) * (int64_t)(lines - (1u << k)) / (int64_t)(1u << k);
}

/* ---- 2. reaches ---- */

static int find_reaches(probe_t *p, err_t *e) {
  run_t r[40] = {0};
  uint32_t n = 0;
  for (uint64_t d = p->d->info.step_bytes / 2; d * 2 * 16 <= p->bytes && n < 40; d *= 2) {
    uint32_t count = most_pages(p, 2 * d);
    r[n++] = (run_t){.stride = 2 * d,
                     .pair = d,
                     .count = count > p->out->lines / 2 ? p->out->lines / 2 : count,
                     .order = ORDER_RANDOM,
                     .passes = 3};
  }
  int rc = runs(p, r, n, e);
  int64_t least = p->d->info.grain == 1 ? p->tolerance : p->tolerance / 2;
  for (uint32_t i = 1; rc == 0 && i < n && p->reaches < MAX_REACHES; i++)
    if (r[i].mid - r[i - 1].mid > least) p->reach[p->reaches++] = r[i].pair;
  return rc;
}

/* ---- 3. entries ---- */

typedef struct {
  int64_t height;       /* above base */
  uint32_t first, last; /* pages */
  uint32_t points;
} plateau_t;

/* Pages of a curve: every number up to 16, then eight per doubling, four where it gets long, and as
 * many as there are. */
static uint32_t curve_counts(uint32_t most, uint32_t *count) {
  uint32_t n = 0;
  for (uint32_t c = 2; c <= most && n < CURVE_POINTS - TAIL_POINTS - 1;) {
    count[n++] = c;
    c += c < 16 ? 1 : 1u << (log2_of(c) - (c < 512 ? 3 : 2));
  }
  if (n && count[n - 1] < most) count[n++] = most;
  return n;
}

/* A level of c pages and at least four ways has no set with a place left at 5/4 of c. The last
 * point on the plateau before it is at 4/5 of c or later, so at 4/3 of c three points of the tail
 * lie beyond 5/4. Without a tail, at four per doubling, the third count behind c is 7/4 of it. */
static uint64_t seen_of(const tlb_probe_t *p, uint64_t most) {
  return p->tails ? most / 4 * 3 : most / 7 * 4;
}

uint64_t tlb_probe_seen(const tlb_probe_t *p) {
  uint64_t in_memory = seen_of(p, p->bytes), in_lines = in_memory, reach = 0;
  for (uint32_t i = 0; i < p->levels; i++)
    if (p->level[i].reach_bytes > reach) reach = p->level[i].reach_bytes;
  if (reach) in_lines = seen_of(p, p->lines) * reach;
  return in_memory < in_lines ? in_memory : in_lines;
}

static uint32_t point_kind(uint32_t count) {
  uint32_t k = 0;
  while (k + 1 < POINT_PASSES && count * point_passes[k] < POINT_TIMES) k++;
  return k;
}

static run_t point_of(const probe_t *p, uint64_t stride, uint32_t count) {
  return (run_t){.stride = stride,
                 .window = window_of(p, stride),
                 .count = count,
                 .order = p->order,
                 .passes = point_passes[point_kind(count)]};
}

/* What translation adds to most accesses. */
static int64_t height_of(const probe_t *p, const run_t *r) {
  int64_t bias = p->d->info.grain == 1 ? p->bias[point_kind(r->count)] : 0;
  return r->low + bias - p->out->base - control_of(p, r->count);
}

/* Are the three points that end here as high as each other? */
static bool flat_until(const probe_t *p, const run_t *last) {
  int64_t y = height_of(p, last - 2);
  return llabs(height_of(p, last - 1) - y) <= p->tolerance &&
         llabs(height_of(p, last) - y) <= p->tolerance;
}

/* Where a curve does not end in a plateau, its points behind the last plateau give way to more: so
 * a level shows whose end is near that of the memory. Not where only whole passes are timed: there
 * a ramp has all heights, and so close together it looks like a plateau. */
static int look_at_tail(probe_t *p, run_t *r, uint32_t *n, err_t *e) {
  uint32_t kept = *n, most = r[*n - 1].count;
  while (kept > 3 && !flat_until(p, &r[kept - 1])) kept--;
  uint32_t from = r[kept - 1].count, last = from, added = 0;
  if (!p->out->tails || kept == *n || kept <= 3) return GMMU_OK;
  for (uint32_t i = 1; i <= TAIL_POINTS; i++) {
    uint32_t count = from + (uint32_t)((uint64_t)(most - from) * i / TAIL_POINTS);
    if (count > last) r[kept + added++] = point_of(p, r[0].stride, count);
    last = count;
  }
  *n = kept + added;
  return runs(p, &r[kept], added, e);
}

static int curve(probe_t *p, uint64_t stride, run_t *r, uint32_t *n, err_t *e) {
  uint32_t count[CURVE_POINTS];
  *n = curve_counts(most_pages(p, stride), count);
  if (!*n) return GMMU_OK;
  for (uint32_t i = 0; i < *n; i++) r[i] = point_of(p, stride, count[i]);
  int rc = runs(p, r, *n, e);
  if (rc == 0) rc = look_at_tail(p, r, n, e);
  return rc == 0 ? note_points(p->out, r, *n, e) : rc;
}

/* Adds a run of points to a plateau of nearly the same height; the mean of all points counts. */
static void plateau_add(plateau_t *to, const plateau_t *more) {
  int64_t sum = to->height * to->points + more->height * more->points;
  to->points += more->points;
  to->height = sum / (int64_t)to->points;
  to->last = more->last;
}

/* Three or four points of a ramp, close together in a tail, may have one height: more and more
 * accesses miss, but the lower quartile still hits. So the mean climbs, far above it. Where the
 * quartile misses, the mean comes from below. */
static bool climbs(const probe_t *p, const run_t *first, const run_t *last) {
  int64_t much = 4 * p->tolerance;
  return p->out->tails && last - first < 4 && last->mean - first->mean > much &&
         first->mean - first->low > much;
}

/* Runs of points of one height; those of a ramp are too short to count. */
static uint32_t plateaus(const probe_t *p, const run_t *r, uint32_t n, plateau_t *out,
                         uint32_t room) {
  uint32_t found = 0;
  for (uint32_t i = 0, k; i < n; i = k) {
    int64_t sum = 0, height = height_of(p, &r[i]);
    for (k = i; k < n; k++) {
      int64_t y = height_of(p, &r[k]);
      if (llabs(y - height) > p->tolerance) break;
      sum += y;
    }
    height = sum / (int64_t)(k - i);
    if (k - i < 3 || climbs(p, &r[i], &r[k - 1])) continue;
    plateau_t next = {height, r[i].count, r[k - 1].count, k - i};
    if (found && llabs(out[found - 1].height - height) <= p->tolerance)
      plateau_add(&out[found - 1], &next);
    else if (found < room)
      out[found++] = next;
  }
  return found;
}

/* So many that the median of a place is within half a step of the truth: of a uniform noise whose
 * mean deviation is d it varies by 2 d / sqrt(n), and four times that must be less. */
static uint32_t passes_for(const probe_t *p, const probe_level_t *l) {
  int64_t step = l->miss - l->hit, x = step > 0 ? 16 * p->out->noise / step + 1 : 8;
  if (x > 7) x = 7;
  return x * x > PASSES ? (uint32_t)(x * x) : PASSES;
}

/* Do the pages of a run fit the level? */
static int run_fits(probe_t *p, const probe_level_t *l, run_t r, bool *yes, int64_t *misses,
                    err_t *e) {
  uint32_t count = r.count;
  r.keep = true, r.window = window_of(p, r.stride);
  r.passes = passes_for(p, l);
  int rc = runs(p, &r, 1, e);
  if (rc < 0) return rc;
  int64_t control = p->d->info.grain == 1 ? 0 : control_of(p, count);
  *misses = run_misses(p->d, &r, l->hit + control, l->miss + control);
  *yes = p->d->info.grain == 1 ? *misses < 150 : *misses < 100 * (int64_t)count / 8;
  run_fini(&r);
  return GMMU_OK;
}

/* Do `count` pages at this stride? */
static int fits(probe_t *p, const probe_level_t *l, uint64_t stride, uint32_t count, order_t order,
                bool *yes, int64_t *misses, err_t *e) {
  run_t r = {.stride = stride, .count = count, .order = order};
  return run_fits(p, l, r, yes, misses, e);
}

/* The most pages that fit: between `lo`, which do, and `hi`, which do not. */
static int bisect(probe_t *p, const probe_level_t *l, uint64_t stride, uint32_t lo, uint32_t hi,
                  uint32_t *entries, err_t *e) {
  while (hi - lo > 1) {
    uint32_t middle = lo + (hi - lo) / 2;
    bool yes;
    int64_t misses;
    int rc = fits(p, l, stride, middle, p->order, &yes, &misses, e);
    if (rc < 0) return rc;
    *(yes ? &lo : &hi) = middle;
  }
  *entries = lo;
  return GMMU_OK;
}

/* ---- 4. shape and confidence ---- */

static int find_index(probe_t *p, const probe_level_t *l, index_t *index, err_t *e) {
  int64_t misses;
  bool yes = false;
  *index = INDEX_UNKNOWN;
  if (l->entries > most_pages(p, 2 * l->reach_bytes)) return GMMU_OK;
  int rc = fits(p, l, 2 * l->reach_bytes, l->entries, p->order, &yes, &misses, e);
  *index = yes ? INDEX_STAYS : INDEX_HALVES;
  return rc;
}

/* Where to look: a little more than what fits, and at twice the stride a little more than what half
 * of the sets hold. */
static uint32_t shape_places(const probe_t *p, const probe_level_t *l, shape_point_t *at) {
  static const uint32_t beyond[] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  uint32_t n = 0, entries = l->entries;
  for (uint32_t i = 0; i < sizeof beyond / sizeof *beyond && beyond[i] <= entries + 1; i++)
    at[n++] = (shape_point_t){.count = entries + beyond[i], .step = 1};
  for (uint32_t i = 1; i <= 8; i++) at[n++] = (shape_point_t){.count = entries / 2 + i, .step = 2};
  for (uint32_t step = 4; step <= 16; step *= 2) /* where few sets of many ways stay as they are */
    at[n++] = (shape_point_t){.count = entries / step + 12, .step = step};
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (at[i].count <= most_pages(p, at[i].step * l->reach_bytes)) at[kept++] = at[i];
  return kept;
}

static int find_shape(probe_t *p, probe_level_t *l, err_t *e) {
  shape_point_t at[24];
  uint32_t n = shape_places(p, l, at);
  index_t index;
  int rc = find_index(p, l, &index, e);
  for (uint32_t i = 0; i < n && rc == 0; i++) {
    bool yes;
    rc = fits(p, l, at[i].step * l->reach_bytes, at[i].count, p->order, &yes, &at[i].misses, e);
  }
  if (rc < 0) return rc;
  uint32_t off = shape_fit(l->entries, index, at, n, &l->shape);
  l->shape_fits = n >= 2 && off <= (p->d->info.grain == 1 ? 10 : 60);
  if (!l->shape_fits && off > 200) l->shape = (shape_t){0};
  return GMMU_OK;
}

/* Exactly so many pages fit, in this order and at this stride? */
static int confirm(probe_t *p, const probe_level_t *l, uint64_t stride, uint32_t pages,
                   order_t order, bool *yes, err_t *e) {
  bool fit, more = true;
  int64_t misses;
  uint32_t beyond = p->d->info.grain == 1 ? pages + pages / l->entries : pages + pages / 4 + 1;
  *yes = false;
  if (beyond > most_pages(p, stride)) return GMMU_OK;
  int rc = fits(p, l, stride, pages, order, &fit, &misses, e);
  if (rc == 0) rc = fits(p, l, stride, beyond, order, &more, &misses, e);
  *yes = fit && !more;
  return rc;
}

/* As many lines as the plateau has pages at its beginning, and at least two of a page, on pages
 * that fit: if they are slow, too, it is the data cache that overflows and not a TLB. */
static int check_data(probe_t *p, const probe_level_t *l, uint32_t first, bool *stays, err_t *e) {
  uint32_t pages = l->entries - l->entries / 4, lines = 2;
  uint64_t window = window_of(p, l->reach_bytes); /* where the lines of the curve are */
  while (lines * pages < first && window / lines > p->d->info.line_bytes) lines *= 2;
  run_t r = {.stride = l->reach_bytes,
             .pair = window / lines,
             .lines = lines,
             .count = pages,
             .order = p->order,
             .passes = passes_for(p, l),
             .keep = true};
  int rc = runs(p, &r, 1, e);
  if (rc < 0) return rc;
  int64_t control = p->d->info.grain == 1 ? 0 : control_of(p, lines * pages);
  int64_t slow = run_misses(p->d, &r, l->hit + control, l->miss + control);
  *stays = slow < 100 * (int64_t)pages / 4;
  run_fini(&r);
  return GMMU_OK;
}

static uint32_t trust(const probe_t *p, const probe_level_t *l) {
  int64_t step = l->miss - l->hit, doubt = p->out->noise + 50;
  uint32_t points = 25u + 25u * l->random_agrees + 25u * l->half_agrees + 25u * l->shape_fits;
  uint32_t clear = step >= 4 * doubt ? 100 : step <= 0 ? 0 : (uint32_t)(25 * step / doubt);
  points = points * clear / 100;
  return points > 99 ? 99 : points;
}

/* ---- what an entry really covers ---- */

/* A quarter more pages than fit at this stride: half of them lie at even places of half the stride,
 * the others behind them at odd ones, so that all sets are in use whatever bit chooses them. Do
 * they fit? *told: there are pages and lines enough to tell. */
static int more_fit(probe_t *p, const probe_level_t *l, uint64_t stride, uint32_t fitting,
                    bool *more, bool *told, err_t *e) {
  uint32_t most = most_pages(p, stride), count = fitting + fitting / 4;
  if (count >= most) count = most - 1;
  *told = p->d->info.grain == 1 && most && count > fitting + fitting / 8;
  if (!*told) return GMMU_OK;
  run_t r = {.stride = stride, .shift = stride / 2, .count = count, .order = p->order};
  bool all;
  int64_t misses = 0;
  int rc = run_fits(p, l, r, &all, &misses, e);
  *more = misses <= 50 * (int64_t)count;
  return rc;
}

/* An entry that gets its pages one by one covers more than pairs say: no second of a pair hits it.
 * At twice the stride half as many pages fit then, and no more at odd places. */
static int widen(probe_t *p, probe_level_t *l, err_t *e) {
  for (bool told = true, more = false; told && !more && l->entries % 2 == 0;) {
    uint64_t stride = 2 * l->reach_bytes;
    uint32_t half = l->entries / 2;
    int64_t misses;
    int rc = more_fit(p, l, stride, half, &more, &told, e);
    if (rc < 0 || !told || more) return rc;
    run_t r = {.stride = stride, .shift = l->reach_bytes, .count = half, .order = p->order};
    rc = run_fits(p, l, r, &told, &misses, e);
    if (rc < 0) return rc;
    if (told) l->reach_bytes = stride, l->entries = half;
  }
  return GMMU_OK;
}

/* Too few pairs to overrun a level whose entries are as many as the lines: the second of a pair
 * hits until pairs are so far apart that they use half of the sets. At odd places, more fit. */
static int unwiden(probe_t *p, probe_level_t *l, err_t *e) {
  uint32_t twice = 2 * l->entries, most = most_pages(p, l->reach_bytes / 2);
  bool more = false, told = false, fit = false;
  int64_t misses;
  if (twice + twice / 4 <= most) return GMMU_OK; /* would have shown at half the stride */
  int rc = more_fit(p, l, l->reach_bytes, l->entries, &more, &told, e);
  if (rc < 0 || !told || !more) return rc;
  l->reach_bytes /= 2;
  rc = most ? fits(p, l, l->reach_bytes, most, p->order, &fit, &misses, e) : GMMU_OK;
  if (rc == 0 && most > l->entries && !fit)
    return bisect(p, l, l->reach_bytes, l->entries, most, &l->entries, e);
  l->entries = twice;
  return rc;
}

/* *real tells whether it is a level of a TLB at all. */
static int settle_level(probe_t *p, probe_level_t *l, uint32_t lo, uint32_t hi, bool *real,
                        err_t *e) {
  int rc = bisect(p, l, l->reach_bytes, lo, hi, &l->entries, e);
  if (rc == 0) rc = check_data(p, l, hi, real, e);
  if (rc == 0 && *real) rc = widen(p, l, e);
  if (rc == 0 && *real) rc = unwiden(p, l, e);
  if (rc < 0 || !*real) return rc;
  rc = find_shape(p, l, e);
  order_t other = p->order == ORDER_RANDOM ? ORDER_SEQUENTIAL : ORDER_RANDOM;
  if (rc == 0) rc = confirm(p, l, l->reach_bytes, l->entries, other, &l->random_agrees, e);
  if (rc == 0) rc = confirm(p, l, l->reach_bytes / 2, 2 * l->entries, p->order, &l->half_agrees, e);
  l->confidence = trust(p, l);
  return rc;
}

/* The levels of one reach: plateaus above what the levels of smaller reaches cost. */
static int find_levels(probe_t *p, uint64_t reach, err_t *e) {
  tlb_probe_t *out = p->out;
  run_t r[CURVE_POINTS] = {0};
  plateau_t flat[CURVE_POINTS / 3];
  uint32_t n, found;
  int64_t known = out->levels ? out->level[out->levels - 1].miss - out->base : 0;
  int rc = curve(p, reach, r, &n, e);
  if (rc < 0) return rc;
  found = plateaus(p, r, n, flat, CURVE_POINTS / 3);
  for (uint32_t i = 0; i < found && rc == 0 && out->levels < PROBE_LEVELS; i++) {
    if (flat[i].height <= known + p->tolerance) continue;
    uint32_t below = i ? flat[i - 1].first : 1;
    probe_level_t *l = &out->level[out->levels++];
    *l = (probe_level_t){
        .reach_bytes = reach, .hit = out->base + known, .miss = out->base + flat[i].height};
    bool real = false;
    rc = settle_level(p, l, below, flat[i].first, &real, e);
    known = flat[i].height;
    if (real) continue;
    out->levels--;
    out->data_pages = l->entries;
    break; /* with more pages the data cache only gets worse */
  }
  return rc;
}

static void settle_confidence(tlb_probe_t *out) {
  out->confidence = out->levels ? 99 : 0;
  for (uint32_t i = 0; i < out->levels; i++)
    if (out->level[i].confidence < out->confidence) out->confidence = out->level[i].confidence;
}

static int probe_once(device_t *d, const tlb_probe_options_t *o, tlb_probe_t *out, err_t *e) {
  probe_t p = {.d = d, .o = o, .out = out, .bytes = d->info.bytes};
  memset(out, 0, sizeof *out);
  if (o->max_bytes && o->max_bytes < p.bytes) p.bytes = o->max_bytes;
  out->bytes = p.bytes;
  out->prefetch = d->info.grain != 1, out->tails = d->info.grain == 1;
  p.order = out->prefetch ? ORDER_RANDOM : ORDER_SEQUENTIAL;
  tell(&p, "an access that hits everywhere");
  int rc = find_base(&p, e);
  if (rc == 0) tell(&p, "what an entry covers");
  if (rc == 0) rc = find_reaches(&p, e);
  for (uint32_t i = 0; i < p.reaches && rc == 0; i++) {
    char what[64];
    snprintf(what, sizeof what, "pages of %llu KB", (unsigned long long)(p.reach[i] >> 10));
    tell(&p, what);
    rc = find_levels(&p, p.reach[i], e);
  }
  settle_confidence(out);
  return rc;
}

/* A processor has other work, which makes levels that are none; the probe is then not sure of them.
 * The surest of a few tries counts. */
#define TRIES       3u
#define SURE_ENOUGH 50u
int tlb_probe(device_t *d, const tlb_probe_options_t *o, tlb_probe_t *out, err_t *e) {
  int rc = probe_once(d, o, out, e);
  for (uint32_t i = 1; rc == 0 && d->info.grain == 0 && out->confidence < SURE_ENOUGH && i < TRIES;
       i++) {
    tlb_probe_t again;
    rc = probe_once(d, o, &again, e);
    if (rc == 0 && again.confidence > out->confidence) {
      tlb_probe_t worse = *out;
      *out = again, again = worse;
    }
    tlb_probe_fini(&again);
  }
  return rc;
}

void tlb_probe_fini(tlb_probe_t *p) {
  free(p->point);
  p->point = NULL, p->points = 0;
}
