/* A thread goes round one line more than a set has ways, all of one set and one bank, so every load
 * is a miss; others do the same elsewhere: in the same set or not, bank or not, module or not. The
 * first has its SM for itself, the others are as far from it as there are SMs, so that it shares no
 * TLB with them that has few entries. Lines are taken page by page from the beginning of the
 * buffer: neighbours share entries of large TLBs. Invariant: no two threads have a line in common.
 */
#include "probe/isolation.h"
#include "base/rng.h"
#include <stdlib.h>
#include <string.h>

#define WARM    2u /* passes before the clock */
#define TIMED   4u
#define LONGER  3u /* the others go on for so many times the passes of the first */
#define PER_SM  4u /* threads on an SM: as many as the chase kernel has blocks there */
#define THREADS (ISOLATION_MOST + 1)
#define DRAWS   100000u

static const struct {
  const char *name, *help;
} cases[ISO_CASES] = {
    [ISO_SCSB] = {"SCSB", "same set, same bank"},
    [ISO_DCSB] = {"DCSB", "different sets, same bank"},
    [ISO_SCDB] = {"SCDB", "same set, different banks"},
    [ISO_DCDB] = {"DCDB", "different sets and banks of one module"},
    [ISO_DM] = {"DM", "different modules"},
};
const char *isolation_name(isolation_case_t c) { return cases[c].name; }
const char *isolation_help(isolation_case_t c) { return cases[c].help; }

typedef struct {
  device_t *d;
  const solver_report_t *f;
  rng_t rng;
  gf2_space_t both; /* bank and set functions */
  uint64_t page_bytes;
  uint32_t lines; /* of a thread */
  uint64_t *at;   /* [THREADS][lines] */
  int64_t *time;  /* [THREADS][TIMED * lines] */
  chase_t *chase;
} plan_t;

/* ---- addresses ---- */

static bool agree(const gf2_space_t *f, uint64_t a, uint64_t b) {
  for (uint32_t i = 0; i < f->rank; i++)
    if (gf2_parity(f->row[i] & (a ^ b))) return false;
  return true;
}

/* `a`, changed at pivots so that it agrees with `like`. */
static uint64_t fix(const gf2_space_t *f, uint64_t a, uint64_t like) {
  for (uint32_t i = 0; i < f->rank; i++)
    if (gf2_parity(f->row[i] & (a ^ like))) a ^= f->row[i] & -f->row[i];
  return a;
}

static uint64_t anywhere(plan_t *p) {
  return rng_next(&p->rng) % p->d->info.bytes & -p->f->line_bytes.value;
}

/* An address whose set, bank and module are to those of `first` as the case says. */
static bool relative_of(plan_t *p, isolation_case_t c, uint64_t first, uint64_t *out) {
  const gf2_space_t *bank = &p->f->bank.space, *set = &p->f->set.space, *module = &p->f->module;
  for (uint32_t i = 0; i < DRAWS; i++) {
    uint64_t x = anywhere(p);
    if (c == ISO_SCSB) x = fix(&p->both, x, first);
    if (c == ISO_DCSB) x = fix(bank, x, first);
    if (c == ISO_SCDB) x = fix(set, x, first);
    if (c == ISO_DCDB) x = fix(module, x, first);
    bool same_set = agree(set, x, first), same_bank = agree(bank, x, first);
    *out = x;
    if (agree(module, x, first) != (c != ISO_DM)) continue;
    if (same_set == (c == ISO_SCSB || c == ISO_SCDB) &&
        same_bank == (c == ISO_SCSB || c == ISO_DCSB))
      return true;
  }
  return false;
}

/* A thread's lines: of pages in order, each where set and bank are those of `like`. */
static bool take_lines(plan_t *p, uint64_t like, uint64_t *page, uint64_t *at) {
  uint32_t n = 0;
  for (; n < p->lines && *page * p->page_bytes < p->d->info.bytes; (*page)++) {
    uint64_t inside = like & (p->page_bytes - 1) & -p->f->line_bytes.value;
    at[n] = fix(&p->both, *page * p->page_bytes | inside, like);
    n += at[n] / p->page_bytes == *page; /* else it is in somebody else's page */
  }
  return n == p->lines;
}

static int choose(plan_t *p, isolation_case_t c, uint32_t others, err_t *e) {
  uint64_t page = 1, first = anywhere(p), like = first;
  for (uint32_t i = 0; i <= others; i++) {
    if (i && !relative_of(p, c, first, &like))
      return err_set(e, GMMU_ENOENT, "%s: this device has no such addresses", cases[c].help);
    if (!take_lines(p, like, &page, p->at + (size_t)i * p->lines))
      return err_set(e, GMMU_ERANGE, "the buffer is too small for %u threads", others + 1);
  }
  return GMMU_OK;
}

/* ---- runs ---- */

static chase_t *put_stage(plan_t *p, uint32_t stage, chase_t *c) {
  uint32_t sms = p->d->info.sms;
  for (uint32_t i = 0; i <= stage; i++)
    *c++ = (chase_t){.sm = i ? sms - 1 - (i - 1) / PER_SM : 0,
                     .stage = stage,
                     .at = p->at + (size_t)i * p->lines,
                     .count = p->lines,
                     .warm = i ? LONGER * (WARM + TIMED) : WARM,
                     .timed = i ? 0 : TIMED,
                     .time = i ? NULL : p->time + (size_t)stage * TIMED * p->lines};
  return c;
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* No load takes seconds: what is beyond is nonsense, and as large as sums of it may be. */
#define MOST_CYCLES (1ll << 32)

static int64_t sane(int64_t t) {
  return t > MOST_CYCLES ? MOST_CYCLES : t < -MOST_CYCLES ? -MOST_CYCLES : t;
}

/* The mean without the highest and lowest tenth, which keeps noise out. */
static int64_t trimmed_mean(int64_t *t, uint32_t n) {
  int64_t sum = 0;
  uint32_t cut = n / 10;
  qsort(t, n, sizeof *t, by_value);
  for (uint32_t i = cut; i < n - cut; i++) sum += sane(t[i]);
  return 100 * sum / (n - 2 * cut);
}

static int run_case(plan_t *p, isolation_case_t c, uint32_t others, isolation_t *out, err_t *e) {
  int rc = choose(p, c, others, e);
  if (rc < 0) return rc;
  chase_t *end = p->chase;
  for (uint32_t i = 0; i <= others; i++) end = put_stage(p, i, end);
  rc = device_run(p->d, p->chase, (uint32_t)(end - p->chase), e);
  for (uint32_t i = 0; i <= others && rc == 0; i++)
    out->time[c][i] = trimmed_mean(p->time + (size_t)i * TIMED * p->lines, TIMED * p->lines);
  for (const chase_t *x = p->chase; x < end; x++)
    out->loads += (uint64_t)x->count * (x->warm + x->timed);
  return rc;
}

/* ---- the knee ---- */

/* How badly "as alone up to k others, then a straight line" explains the times. */
static int64_t misfit(const int64_t *t, uint32_t n, uint32_t k) {
  int64_t level = 0, up = 0, down = 0, sum = 0;
  for (uint32_t i = 0; i <= k; i++) level += t[i];
  level /= k + 1;
  for (uint32_t i = k + 1; i <= n; i++) up += (t[i] - level) * (i - k), down += (i - k) * (i - k);
  for (uint32_t i = 0; i <= n; i++)
    sum += llabs(t[i] - level - (i > k && down ? up * (i - k) / down : 0));
  return sum;
}

/* Threads whose loads go on at once; one more, and they wait for each other. */
static uint32_t find_knee(const int64_t *t, uint32_t n) {
  uint32_t best = 1;
  if (n < 4 || t[n] < t[0] + t[0] / 4) return 0;
  for (uint32_t k = 1; k + 2 <= n; k++)
    if (misfit(t, n, k) < misfit(t, n, best)) best = k;
  return best + 1;
}

/* ---- the whole ---- */

static uint32_t how_many(const device_t *d, uint32_t want) {
  uint32_t room = (d->info.sms - 1) * PER_SM;
  if (!want) want = ISOLATION_OTHERS;
  if (want > ISOLATION_MOST) want = ISOLATION_MOST;
  return want < room ? want : room;
}

static int plan_init(plan_t *p, device_t *d, const solver_report_t *f, uint64_t seed, err_t *e) {
  *p = (plan_t){.d = d, .f = f, .rng = {seed}, .lines = (uint32_t)f->ways.value + 1};
  p->page_bytes = d->info.page_bytes ? d->info.page_bytes : d->info.step_bytes;
  gf2_sum(&f->bank.space, &f->set.space, &p->both);
  p->at = calloc((size_t)THREADS * p->lines, sizeof *p->at);
  p->time = calloc((size_t)THREADS * TIMED * p->lines, sizeof *p->time);
  p->chase = calloc(THREADS * (THREADS + 1) / 2, sizeof *p->chase);
  return p->at && p->time && p->chase ? GMMU_OK : err_set(e, GMMU_ENOMEM, "no memory for a probe");
}

static void plan_fini(plan_t *p) {
  free(p->at);
  free(p->time);
  free(p->chase);
}

int isolation_probe(device_t *d, const solver_report_t *f, const isolation_options_t *o,
                    isolation_t *out, err_t *e) {
  plan_t p;
  memset(out, 0, sizeof *out);
  if (!f->modules.value || f->modules.value < 2 || !f->line_bytes.value)
    return err_set(e, GMMU_ENOENT,
                   "which addresses share a bank, a set or a module of \"%s\" is "
                   "not known: `gmmu probe hash` tells why",
                   d->info.name);
  out->others = how_many(d, o->others);
  int rc = plan_init(&p, d, f, o->seed, e);
  for (uint32_t c = 0; c < ISO_CASES && rc == 0; c++) {
    if (o->cases && !(o->cases >> c & 1)) continue;
    if (o->progress) o->progress(o->ctx, cases[c].name);
    rc = run_case(&p, (isolation_case_t)c, out->others, out, e);
    out->alone = out->time[c][0];
    if (c == ISO_DCDB && d->ops->held) out->held = d->ops->held(d);
  }
  plan_fini(&p);
  out->bank_cycle = 100 * (int64_t)f->row_cycles;
  out->knee = find_knee(out->time[ISO_DCDB], out->others);
  return rc;
}

int64_t isolation_ratio(const isolation_t *x) {
  int64_t best = INT64_MAX, worst = 0;
  for (uint32_t c = 0; c < ISO_CASES; c++) {
    int64_t t = x->time[c][x->others];
    if (t && t < best) best = t;
    if (t > worst) worst = t;
  }
  return best > 0 ? 100 * worst / best : 0;
}

int64_t isolation_bound(const isolation_t *x) {
  return x->alone > 0 ? 100 * (x->others + 1) * x->bank_cycle / x->alone : 0;
}

int64_t isolation_in_use(const isolation_t *x) {
  return x->alone > 0 ? 100 * x->knee * x->held / x->alone : 0;
}
