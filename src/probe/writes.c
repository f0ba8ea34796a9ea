/* A line is overwritten or loaded, then n others of its set are loaded, one after the other, then
 * it is timed: a hit or a miss. Every question has lines of its own, at random, so that what
 * earlier ones left in L2 is older than all of them; the median of a few decides. */
#include "probe/writes.h"
#include "base/rng.h"
#include <stdlib.h>

#define TRIES    9u
#define AT_MOST  4u /* times the ways: others that are tried */
#define WAYS_MAX 64u
#define LINE_MAX 256u
#define ENTRIES  (LINE_MAX / DEVICE_GRANULE + 2 * AT_MOST * WAYS_MAX + 4)

typedef struct {
  device_t *d;
  rng_t rng;
  gf2_space_t alike; /* differences inside a set */
  uint64_t line_bytes, page_bytes;
  uint32_t most;           /* others of one question */
  uint32_t *time[2];       /* [others 1 .. most][TRIES]; loaded, stored */
  question_t *question;    /* of all */
  uint64_t (*at)[ENTRIES]; /* their offsets */
} search_t;

static uint64_t any(search_t *s) { return rng_next(&s->rng) % s->d->info.bytes & -s->line_bytes; }

/* Another line of its set. */
static uint64_t relative(search_t *s, uint64_t line) {
  for (;;) {
    uint64_t a = line;
    for (uint32_t i = 0; i < s->alike.rank; i++)
      if (rng_next(&s->rng) & 1) a ^= s->alike.row[i];
    if (a < s->d->info.bytes && (a ^ line) / s->line_bytes) return a & -s->line_bytes;
  }
}

/* Somewhere else in its page: the translation comes in, too, when it is not timed. */
static uint64_t neighbour(search_t *s, uint64_t line) {
  return (line & -s->page_bytes) | (rng_next(&s->rng) & (s->page_bytes - 1) & -s->line_bytes);
}

/* Pages first: walks bring lines of page tables into L2. */
static void write_question(search_t *s, uint32_t i, bool store, uint32_t others) {
  uint64_t *p = s->at[i] + others + 1, line = any(s) % DEVICE_REACH & -s->line_bytes;
  for (uint64_t k = 0; k < (store ? s->line_bytes : 1); k += DEVICE_GRANULE) *p++ = line + k;
  for (uint32_t k = 0; k < others; k++) {
    s->at[i][k] = neighbour(s, *p = relative(s, line));
    p++;
  }
  s->at[i][others] = neighbour(s, line);
  *p++ = neighbour(s, line);
  *p = line;
  s->question[i] = (question_t){.at = s->at[i],
                                .warm = others + 1,
                                .stored = store ? (uint32_t)(s->line_bytes / DEVICE_GRANULE) : 0,
                                .first = others + !store,
                                .ready = 1,
                                .timed = 1,
                                .cycles = &s->time[store][(others - 1) * TRIES + i % TRIES]};
}

static int by_value(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* The fewest others after which it was gone, and with more of them as well. */
static uint32_t fewest(const uint32_t *median, uint32_t most, uint32_t missing) {
  uint32_t n = most;
  if (median[most - 1] <= missing) return 0;
  while (n > 1 && median[n - 2] > missing) n--;
  return n;
}

static void judge(search_t *s, writes_t *out) {
  uint32_t median[2][AT_MOST * WAYS_MAX];
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t n = 0; n < s->most; n++) {
      qsort(s->time[k] + n * TRIES, TRIES, sizeof **s->time, by_value);
      median[k][n] = s->time[k][n * TRIES + TRIES / 2];
    }
  uint32_t hit = median[0][0], miss = median[0][s->most - 1];
  if (miss < hit + hit / 4) return;
  out->after_load = fewest(median[0], s->most, hit + (miss - hit) / 2);
  out->after_store = fewest(median[1], s->most, hit + (miss - hit) / 2);
}

static int ask_all(search_t *s, writes_t *out, err_t *e) {
  uint32_t count = 0;
  for (uint32_t others = 1; others <= s->most; others++)
    for (uint32_t store = 0; store < 2; store++)
      for (uint32_t i = 0; i < TRIES; i++) write_question(s, count++, store, others);
  int rc = device_ask(s->d, s->question, count, e);
  out->questions = count;
  if (rc == 0) judge(s, out);
  return rc;
}

bool writes_askable(const solver_report_t *f) {
  uint64_t line = f->line_bytes.value, ways = f->ways.value;
  return f->set.verdict == SOLVED && ways && ways <= WAYS_MAX && line && line <= LINE_MAX;
}

int writes_probe(device_t *d, const solver_report_t *f, uint64_t seed, writes_t *out, err_t *e) {
  search_t s = {.d = d, .rng = {seed}, .line_bytes = f->line_bytes.value};
  *out = (writes_t){0};
  if (!writes_askable(f))
    return err_set(e, GMMU_ENOENT, "which lines share a set of \"%s\" is not known", d->info.name);
  s.page_bytes = d->info.page_bytes ? d->info.page_bytes : d->info.step_bytes;
  s.most = AT_MOST * (uint32_t)f->ways.value;
  uint32_t questions = s.most * 2 * TRIES;
  gf2_null(&f->set.space, (1ull << (64 - __builtin_clzll(d->info.bytes - 1))) - 1, &s.alike);
  s.time[0] = calloc(questions, sizeof **s.time);
  s.question = calloc(questions, sizeof *s.question);
  s.at = calloc(questions, sizeof *s.at);
  int rc = s.time[0] && s.question && s.at ? 0 : err_set(e, GMMU_ENOMEM, "no memory for a probe");
  s.time[1] = s.time[0] + s.most * TRIES;
  if (rc == 0) rc = ask_all(&s, out, e);
  free(s.time[0]);
  free(s.question);
  free(s.at);
  return rc;
}
