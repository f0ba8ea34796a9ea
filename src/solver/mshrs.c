/* MSHRs of a module. Loads that are issued together and all miss take one each; the first
 * that finds none begins when another is back, so the time of n loads has a step there, as high as
 * most of a miss. The loads lie in one page and, bank by bank, in one row, so that nothing else
 * makes such a step; as many loads that are spread over all modules must not have it. */
#include "solver/internal.h"
#include <stdlib.h>
#include <string.h>

#define MOST    96u /* loads at once */
#define REPEATS 5u
#define DRAWS   65536u

typedef struct {
  uint32_t banks, columns; /* that loads are dealt to: a bank after the other, then columns */
  uint64_t start[MOST];    /* the row of each bank that is in use */
  uint64_t at[REPEATS][MOST][MOST];
  oracle_burst_t burst[REPEATS * MOST];
  uint32_t time[REPEATS * MOST], median[MOST];
} mshrs_t;

/* ---- addresses ---- */

static uint64_t beside(search_t *s, uint64_t a) {
  uint64_t page = s->o->page_bytes;
  if (!page) return any_address(s);
  return (a & -page) | (rng_next(&s->rng) & s->width & (page - 1));
}

static bool agree(const gf2_space_t *f, uint64_t a, uint64_t b) {
  for (uint32_t i = 0; i < f->rank; i++)
    if (gf2_parity(f->row[i] & (a ^ b))) return false;
  return true;
}

/* Rows in different banks, of the module of `a` or of any; returns how many were found. */
static uint32_t find_starts(search_t *s, mshrs_t *m, uint64_t a, bool spread, uint32_t want) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < DRAWS && n < want; i++) {
    uint64_t x = beside(s, a);
    bool again = !spread && !agree(&s->r->module, x, a);
    for (uint32_t k = 0; k < n && !again; k++) again = agree(&s->r->bank.space, x, m->start[k]);
    if (!again) m->start[n++] = x;
  }
  return n;
}

/* The difference that column i of a row makes, in lines. */
static uint64_t column(const search_t *s, uint32_t i) {
  uint64_t x = 0;
  for (uint32_t k = 0; k < s->columns; k++) {
    if ((s->column[k] & -s->column[k]) < s->r->line_bytes.value) continue;
    x ^= i & 1 ? s->column[k] : 0;
    i >>= 1;
  }
  return x;
}

static uint32_t count_columns(const search_t *s) {
  uint32_t n = 1;
  for (uint32_t k = 0; k < s->columns; k++)
    n <<= (s->column[k] & -s->column[k]) >= s->r->line_bytes.value;
  return n;
}

/* When all rows are used up each bank gets another. */
static void deal(search_t *s, mshrs_t *m, uint32_t n, uint64_t *at) {
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = i % m->banks, c = i / m->banks % m->columns;
    if (i >= m->banks && c == 0) {
      uint64_t x = beside(s, m->start[k]);
      for (uint32_t f = 0; f < s->r->bank.space.rank; f++)
        if (gf2_parity(s->r->bank.space.row[f] & (x ^ m->start[k])))
          x ^= s->r->bank.space.row[f] & -s->r->bank.space.row[f];
      if (x < s->o->bytes) m->start[k] = x;
    }
    at[i] = (m->start[k] & -s->r->line_bytes.value) ^ column(s, c);
  }
}

/* ---- times ---- */

static bool prepare(search_t *s, mshrs_t *m, bool spread) {
  uint32_t want = 1u << (s->r->bank.space.rank - s->r->module.rank);
  if (spread || want > MOST) want = want < MOST / 2 ? 2 * want : MOST;
  for (uint32_t k = 0; k < REPEATS; k++)
    for (uint32_t n = 1; n <= MOST; n++) {
      uint64_t *at = m->at[k][n - 1];
      m->banks = find_starts(s, m, any_address(s), spread, want);
      if (!m->banks) return false;
      deal(s, m, n, at);
      m->burst[k * MOST + n - 1] = (oracle_burst_t){at, n};
    }
  return true;
}

static int measure(search_t *s, mshrs_t *m, bool spread) {
  if (!prepare(s, m, spread)) return err_set(s->e, GMMU_ECHECK, "no address in a module");
  int rc = s->o->bursts(s->o->ctx, m->burst, REPEATS * MOST, m->time, s->e);
  s->r->bursts += REPEATS * MOST;
  for (uint32_t n = 0; n < MOST && rc == 0; n++) {
    uint32_t v[REPEATS];
    for (uint32_t k = 0; k < REPEATS; k++) v[k] = m->time[k * MOST + n];
    m->median[n] = median(v, REPEATS);
  }
  return rc;
}

/* From n + 1 to n + 2 loads. Two on each side, so that a single time does not make a step. */
static uint32_t step_behind(const uint32_t *t, uint32_t n) {
  uint32_t low = t[n] > t[n - 1] ? t[n] : t[n - 1],
           high = t[n + 1] < t[n + 2] ? t[n + 1] : t[n + 2];
  return high > low ? high - low : 0;
}

/* ---- the step ---- */

/* The first that is at least half as high as the highest. */
static uint32_t first_step(const uint32_t *t, uint32_t *height) {
  uint32_t most = 0;
  for (uint32_t n = 1; n + 2 < MOST; n++)
    if (step_behind(t, n) > most) most = step_behind(t, n);
  for (uint32_t n = 1; n + 2 < MOST; n++)
    if (2 * step_behind(t, n) >= most) {
      *height = step_behind(t, n);
      return n;
    }
  return 0;
}

/* How many of the single times lie on their side of the step. */
static uint32_t percent_apart(const mshrs_t *m, uint32_t n, uint32_t cut) {
  uint32_t right = 0;
  for (uint32_t k = 0; k < REPEATS; k++) {
    right += m->time[k * MOST + n] <= cut;
    right += m->time[k * MOST + n + 1] > cut;
  }
  return 100 * right / (2 * REPEATS);
}

static int search(search_t *s, mshrs_t *m) {
  uint32_t height = 0;
  m->columns = count_columns(s);
  int rc = measure(s, m, false);
  if (rc < 0) return rc;
  uint32_t n = first_step(m->median, &height), alone = m->median[0];
  uint32_t sure = percent_apart(m, n, m->median[n] + height / 2);
  if (5 * height < alone) return 0; /* no step, or none that a register explains */
  if (s->r->module.rank) {
    rc = measure(s, m, true);
    if (rc < 0 || 2 * step_behind(m->median, n) >= height) return rc;
  }
  s->r->mshrs = (finding_t){n + 1, sure, s->r->bursts};
  return 0;
}

int find_mshrs(search_t *s) {
  if (!s->o->bursts || !s->r->modules.value || !s->r->line_bytes.value) return 0;
  mshrs_t *m = calloc(1, sizeof *m);
  if (!m) return err_set(s->e, GMMU_ENOMEM, "out of memory for the solver");
  int rc = search(s, m);
  free(m);
  return rc;
}
