/* DRAM banks and rows, from pairs of loads. Most random pairs are in two banks and take about the
 * same time; one in as many as there are banks opens two rows of one bank and takes longer. Slow
 * ones are measured again, which sorts out what was noise. */
#include "solver/internal.h"
#include <stdlib.h>

#define KEPT      256 /* pairs that calibrate */
#define LOOKS     8   /* batches of which they are */
#define SIEVES    3   /* times that they are measured before */
#define CONFIRM   5   /* batches whose median decides */
#define ACCIDENTS 3   /* medians at either end that noise alone may have put there */
#define PAIRS_MAX (1u << 20)
#define TRIES     1024 /* new pairs that try a result */

typedef struct {
  uint32_t suspicious; /* worth measuring again */
  uint32_t slow;       /* a conflict */
  bool clear;          /* times fall into two groups */
  diffs_t diffs;
  uint64_t asked, conflicts;
  oracle_pair_t pair[BATCH];
  uint32_t time[BATCH];
} banks_t;

static void random_pairs(search_t *s, oracle_pair_t *p, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) p[i] = (oracle_pair_t){any_address(s), any_address(s)};
}

/* The fast group is the lower part whatever the share of slow pairs, up to two thirds: its width is
 * seen between the 5th and the 30th of a hundred, four times which is well above it. Without noise
 * that is next to nothing, and pairs that only share a bus would be above it, too: but opening a
 * second row takes at least a twentieth of what a load from memory does. */
static void first_look(banks_t *b, uint32_t n) {
  sort_times(b->time, n);
  uint32_t low = b->time[n / 20], middle = b->time[n * 3 / 10];
  uint32_t wide = 4 * (middle - low), row = middle / 20;
  b->suspicious = middle + (wide > row ? wide : row) + 1;
}

/* Of the pairs those that are suspicious (or not) stay; *n is how many. */
static int sieve(search_t *s, banks_t *b, bool slow, uint32_t *n) {
  uint32_t kept = 0;
  int rc = median_pairs(s, b->pair, *n, 1, b->time);
  for (uint32_t i = 0; i < *n && rc == 0; i++)
    if ((b->time[i] > b->suspicious) == slow) b->pair[kept++] = b->pair[i];
  *n = kept;
  return rc;
}

/* Random pairs that are suspicious every time, or never, are added to `keep`, up to `room`. What
 * was only late once, by a refresh for instance, is not among them. */
static int gather(search_t *s, banks_t *b, bool slow, oracle_pair_t *keep, uint32_t *n,
                  uint32_t room) {
  uint32_t left = slow ? BATCH : 2 * KEPT;
  random_pairs(s, b->pair, left);
  int rc = 0;
  for (uint32_t i = 0; i < SIEVES && rc == 0; i++) rc = sieve(s, b, slow, &left);
  for (uint32_t i = 0; i < left && rc == 0 && *n < room; i++) keep[(*n)++] = b->pair[i];
  return rc;
}

/* A pair may find rows of others open, and of two banks one more often than one bank alone: what
 * two rows of a bank take is seen where neither does, in the quickest of both kinds.
 *
 * The threshold lies in the widest step of the medians of both kinds. Times are clear if that step
 * is wider than the group below it, and more than an accident lies above. */
static int find_threshold(search_t *s, banks_t *b, const oracle_pair_t *keep, uint32_t n) {
  int rc = median_pairs(s, keep, n, CONFIRM, b->time);
  if (rc < 0) return rc;
  sort_times(b->time, n);
  if (n <= 4 * ACCIDENTS) return 0;
  uint32_t far = ACCIDENTS + n / 32; /* late in most of the batches: too many to be one step */
  uint32_t step = widest_step(b->time + ACCIDENTS, n - ACCIDENTS - far, &b->slow), fast = 0;
  while (fast < n && b->time[fast] <= b->slow) fast++;
  if (fast == n) return 0;
  uint32_t slow = fast < n - far ? n - far - fast : 0;
  s->r->usual_cycles = b->time[fast / 2];
  s->r->conflict_cycles = b->time[fast + slow / 2];
  s->r->row_cycles = b->time[fast + slow / 20] - b->time[fast / 20];
  b->clear =
      fast > n / 5 && n - fast > ACCIDENTS && step > b->time[fast * 19 / 20] - b->time[fast / 20];
  return 0;
}

/* Half of the kept pairs are of the fast kind, so that both are there however many banks
 * there are. */
static int calibrate(search_t *s, banks_t *b) {
  oracle_pair_t keep[KEPT];
  uint32_t n = 0;
  random_pairs(s, b->pair, BATCH);
  int rc = median_pairs(s, b->pair, BATCH, 1, b->time);
  if (rc < 0) return rc;
  first_look(b, BATCH);
  rc = gather(s, b, false, keep, &n, KEPT / 2);
  for (uint32_t i = 0; i < LOOKS && rc == 0 && n < KEPT; i++)
    rc = gather(s, b, true, keep, &n, KEPT);
  return rc == 0 ? find_threshold(s, b, keep, n) : rc;
}

/* One batch of random pairs; those in conflict give differences. */
static int collect(search_t *s, banks_t *b) {
  uint32_t kept = BATCH;
  random_pairs(s, b->pair, BATCH);
  int rc = sieve(s, b, true, &kept);
  if (rc == 0) rc = median_pairs(s, b->pair, kept, CONFIRM, b->time);
  b->asked += BATCH;
  for (uint32_t i = 0; i < kept && rc == 0; i++) {
    if (b->time[i] <= b->slow) continue;
    b->conflicts++;
    if (b->diffs.count < DIFFS_MAX) b->diffs.d[b->diffs.count++] = b->pair[i].a ^ b->pair[i].b;
  }
  return rc;
}

/* How many of the pairs are in conflict. */
static int count_slow(search_t *s, banks_t *b, uint32_t n, uint32_t *slow) {
  int rc = median_pairs(s, b->pair, n, CONFIRM, b->time);
  *slow = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) *slow += b->time[i] > b->slow;
  return rc;
}

/* New pairs: those the functions put into one bank, and those they do not. */
static int try_functions(search_t *s, banks_t *b) {
  solved_t *f = &s->r->bank;
  gf2_space_t null;
  uint32_t n = 0, hits = 0, wrong = 0, others = 0;
  gf2_null(&f->space, s->width, &null);
  for (uint32_t i = 0; i < 4 * TRIES && n < TRIES; i++)
    n += any_pair(s, any_of(s, &null), &b->pair[n]);
  int rc = count_slow(s, b, n, &hits);
  if (rc < 0) return rc;
  random_pairs(s, b->pair, TRIES);
  for (uint32_t i = 0; i < TRIES; i++)
    if (!gf2_has(&null, b->pair[i].a ^ b->pair[i].b)) b->pair[others++] = b->pair[i];
  rc = count_slow(s, b, others, &wrong);
  judge(f, hits, n, wrong, others);
  return rc;
}

/* ---- rows ---- */

/* The bit and those that keep the bank as it was. */
static uint64_t within_bank(const gf2_space_t *f, uint64_t bit) {
  uint64_t x = bit;
  for (uint32_t i = 0; i < f->rank; i++)
    if (f->row[i] & bit) x |= f->row[i] & -f->row[i];
  return x;
}

#define ROW_PAIRS 15
#define ROW_SURE  75 /* percent */

/* Pairs of one bank that differ by the same bits are sometimes slow and sometimes not: so there is
 * more to a bank than the functions say. */
static void not_all(search_t *s) {
  solver_report_t *r = s->r;
  r->bank.verdict = NOT_LINEAR;
  gf2_init(&r->bank.space);
  r->banks = r->row_bytes = (finding_t){0};
  s->columns = 0;
}

/* A bit belongs to the column if addresses that differ by it in one bank are not in conflict. */
static int find_row(search_t *s, banks_t *b) {
  const gf2_space_t *f = &s->r->bank.space;
  uint64_t bytes = s->o->granule_bytes, before = s->r->pairs;
  uint32_t sure = 100;
  for (uint64_t left = s->width & ~gf2_pivots(f); left; left &= left - 1) {
    uint64_t x = within_bank(f, left & -left);
    uint32_t n = 0, slow;
    for (uint32_t i = 0; i < 8 * ROW_PAIRS && n < ROW_PAIRS; i++) n += any_pair(s, x, &b->pair[n]);
    if (!n) continue;
    int rc = count_slow(s, b, n, &slow);
    if (rc < 0) return rc;
    if (2 * slow < n) {
      bytes *= 2;
      if (s->columns < COLUMNS) s->column[s->columns++] = x;
    }
    uint32_t agree = 100 * (2 * slow < n ? n - slow : slow) / n;
    if (agree < sure) sure = agree;
  }
  s->r->row_bytes = (finding_t){bytes, sure, s->r->pairs - before};
  if (sure < ROW_SURE) not_all(s);
  return 0;
}

static int search_banks(search_t *s, banks_t *b) {
  solved_t *f = &s->r->bank;
  uint32_t want = 3 * (uint32_t)__builtin_popcountll(s->width);
  int rc = calibrate(s, b);
  f->verdict = NO_SIGNAL;
  if (rc < 0 || !b->clear) return rc;
  while (rc == 0 && b->diffs.count < want && b->asked < PAIRS_MAX) rc = collect(s, b);
  if (rc < 0 || b->diffs.count < want) return rc;
  vote_functions(s, &b->diffs, &f->space);
  rc = try_functions(s, b);
  f->samples = s->r->pairs;
  if (rc < 0 || f->verdict != SOLVED) return rc;
  s->r->banks = (finding_t){1ull << f->space.rank, f->confidence, f->samples};
  return find_row(s, b);
}

int find_banks(search_t *s) {
  banks_t *b = calloc(1, sizeof *b);
  if (!b) return err_set(s->e, GMMU_ENOMEM, "out of memory for the solver");
  int rc = search_banks(s, b);
  free(b);
  return rc;
}
