/* L2 sets. A victim is loaded, then other lines, then the victim is timed: a miss if as many of the
 * others as the cache has ways were of its set (least recently used goes first).
 *
 *   1. The shortest prefix of a random list that evicts the victim has exactly `ways` lines of its
 *      set. (Lines of the victim's bank, if banks are known: sets and banks have the functions of
 *      the module in common, so fewer are needed.) So a piece of it can be left out if and only if
 * it has none of them; all pieces are tried at once, those that can go do, and the rest is cut
 * finer until single lines are left.
 *   2. With one line less the victim just stays. Random lines are added in groups: a group that
 *      evicts it has a line of its set, which is where the shortest such prefix ends.
 *
 * Invariant after 1: `line` has `ways` lines, they evict the victim, and no ways - 1 of them do. */
#include "solver/internal.h"
#include <stdlib.h>
#include <string.h>

#define REPEAT     3  /* batches whose median decides */
#define FEW        64 /* sets: then what is loaded to help is in the way more often, */
#define REPEAT_FEW 7  /* and more batches decide */
#define CALIBRATE  256
#define PIECES     256u
#define LOADS_MAX  (1u << 20) /* of the chains in one batch; more are asked one chain at a time */
#define LINES_MAX  (1u << 22) /* a cache of 512 MB */
#define LINE_GUESS 128ull     /* addresses this close may be one line, */
#define LINE_LARGE 256ull     /* or these, if two of one line were in the way */
#define GROUPS     64
#define GROUP_MAX  (1u << 14)
#define TRIES      1024
#define ATTEMPTS   4
#define ROUNDS_MAX 64

typedef struct {
  uint32_t missing; /* times above are misses */
  uint64_t victim;
  uint64_t guess; /* of a line's bytes: no two lines of a list are closer */
  uint64_t *line; /* a list that evicts the victim; in the end a line of its set per way */
  uint32_t count;
  uint32_t prefix; /* random lines that had one of the set per way */
  uint32_t repeat;
  uint64_t *seen; /* a hash table of `slots` lines: address + 1, or 0 */
  uint64_t slots;
  uint64_t *room; /* chains under construction */
  size_t room_size;
  uint64_t group_size; /* of step 2 */
  diffs_t diffs;
} sets_t;

static int no_memory(search_t *s) {
  return err_set(s->e, GMMU_ENOMEM, "out of memory for the solver");
}

static int need_room(search_t *s, sets_t *t, size_t size) {
  if (size <= t->room_size) return 0;
  uint64_t *p = realloc(t->room, size * sizeof *p);
  if (!p) return no_memory(s);
  t->room = p;
  t->room_size = size;
  return 0;
}

/* ---- hits and misses ---- */

static int calibrate(search_t *s, sets_t *t, bool *clear) {
  oracle_chain_t c[CALIBRATE];
  uint64_t v[CALIBRATE];
  uint32_t time[CALIBRATE], hit, miss, right = 0;
  for (uint32_t i = 0; i < CALIBRATE; i++) {
    v[i] = any_address(s);
    c[i] = (oracle_chain_t){&v[i], i & 1, i & 1, v[i]};
  }
  int rc = median_chains(s, c, CALIBRATE, 1, time);
  if (rc < 0) return rc;
  uint32_t of[2][CALIBRATE / 2];
  for (uint32_t i = 0; i < CALIBRATE; i++) of[i & 1][i / 2] = time[i];
  miss = median(of[0], CALIBRATE / 2);
  hit = median(of[1], CALIBRATE / 2);
  t->missing = hit < miss ? hit + (miss - hit) / 2 : UINT32_MAX;
  for (uint32_t i = 0; i < CALIBRATE; i++) right += (time[i] > t->missing) == !(i & 1);
  *clear = hit < miss && right * 10 >= CALIBRATE * 9;
  return 0;
}

/* ---- chains ---- */

/* Victim, then `line` but for [from, to), then `more`: does it evict? The answer goes to out[i]. */
typedef struct {
  const uint64_t *line;
  uint32_t count, from, to;
  const uint64_t *more;
  uint32_t extra;
} trial_t;

static uint64_t *put_trial(const sets_t *t, const trial_t *x, uint64_t *at, oracle_chain_t *c) {
  uint64_t *p = at;
  *p++ = t->victim;
  memcpy(p, x->line, x->from * sizeof *p), p += x->from;
  memcpy(p, x->line + x->to, (x->count - x->to) * sizeof *p), p += x->count - x->to;
  if (x->extra) memcpy(p, x->more, x->extra * sizeof *p), p += x->extra;
  *c = (oracle_chain_t){at, (uint32_t)(p - at), 1, t->victim};
  return p;
}

static size_t trial_loads(const trial_t *x) { return 1 + x->count - (x->to - x->from) + x->extra; }

static int ask(search_t *s, sets_t *t, const trial_t *x, uint32_t n, bool *out) {
  oracle_chain_t c[PIECES];
  uint32_t time[PIECES];
  size_t loads = 0;
  for (uint32_t i = 0; i < n; i++) loads += trial_loads(&x[i]);
  int rc = need_room(s, t, loads);
  if (rc < 0) return rc;
  uint64_t *p = t->room;
  for (uint32_t i = 0; i < n; i++) p = put_trial(t, &x[i], p, &c[i]);
  rc = median_chains(s, c, n, t->repeat, time);
  for (uint32_t i = 0; i < n && rc == 0; i++) out[i] = time[i] > t->missing;
  return rc;
}

/* Any number of trials, in batches. */
static int ask_all(search_t *s, sets_t *t, const trial_t *x, uint32_t n, bool *out) {
  int rc = 0;
  for (uint32_t i = 0, k; i < n && rc == 0; i += k) {
    size_t loads = trial_loads(&x[i]);
    for (k = 1; i + k < n && k < PIECES; k++)
      if ((loads += trial_loads(&x[i + k])) > LOADS_MAX) break;
    rc = ask(s, t, x + i, k, out + i);
  }
  return rc;
}

static int evicts(search_t *s, sets_t *t, const uint64_t *line, uint32_t count, bool *out) {
  trial_t x = {.line = line, .count = count};
  return ask(s, t, &x, 1, out);
}

/* ---- step 1: one line per way ---- */

/* The place of a line in a table of distinct ones, which has twice the room it needs. */
static uint64_t *slot_of(const sets_t *t, uint64_t a) {
  uint64_t mask = t->slots - 1, i = (a / t->guess * 0x9e3779b97f4a7c15u) >> 20;
  while (t->seen[i & mask] && (t->seen[i & mask] ^ (a + 1)) / t->guess) i++;
  return &t->seen[i & mask];
}

/* A new line of the victim's bank; false if there seem to be no more. */
static bool new_line(search_t *s, sets_t *t, uint64_t *out) {
  for (uint32_t i = 0; i < 64; i++) {
    uint64_t a = any_in_bank(s, t->victim) & -t->guess;
    uint64_t *slot = slot_of(t, a);
    if (*slot || a == (t->victim & -t->guess)) continue;
    *slot = a + 1;
    *out = a;
    return true;
  }
  return false;
}

/* `n` different lines; t->count says how many were found. */
static int fill_list(search_t *s, sets_t *t, uint32_t n) {
  t->slots = 2ull * n;
  t->line = realloc(t->line, n * sizeof *t->line);
  free(t->seen);
  t->seen = calloc(t->slots, sizeof *t->seen);
  if (!t->line || !t->seen) return no_memory(s);
  for (t->count = 0; t->count < n && new_line(s, t, &t->line[t->count]);) t->count++;
  return 0;
}

/* Random lines until the victim goes. */
static int long_list(search_t *s, sets_t *t, bool *found) {
  int rc = 0;
  *found = false;
  t->repeat = REPEAT_FEW;
  for (uint32_t n = 64; n <= LINES_MAX && rc == 0 && !*found; n *= 2) {
    rc = fill_list(s, t, n);
    if (n > 32 * FEW) t->repeat = REPEAT;
    if (rc == 0) rc = evicts(s, t, t->line, t->count, found);
    if (t->count < n) break;
  }
  return rc;
}

static int shortest_prefix(search_t *s, sets_t *t) {
  uint32_t low = 0, high = t->count; /* low does not evict, high does */
  while (high - low > 1) {
    bool yes;
    uint32_t middle = low + (high - low) / 2;
    int rc = evicts(s, t, t->line, middle, &yes);
    if (rc < 0) return rc;
    *(yes ? &high : &low) = middle;
  }
  t->count = high;
  return 0;
}

/* Leaves out the pieces that can go. */
static int thin_out(search_t *s, sets_t *t, uint32_t piece) {
  trial_t x[PIECES] = {{0}};
  bool gone[PIECES];
  uint32_t n = 0, kept = 0;
  for (uint32_t from = 0; from < t->count; from += piece) {
    uint32_t to = from + piece < t->count ? from + piece : t->count;
    x[n++] = (trial_t){.line = t->line, .count = t->count, .from = from, .to = to};
  }
  int rc = ask_all(s, t, x, n, gone);
  for (uint32_t i = 0; i < n && rc == 0; i++)
    for (uint32_t k = x[i].from; k < x[i].to && !gone[i]; k++) t->line[kept++] = t->line[k];
  if (rc == 0) t->count = kept;
  return rc;
}

static int reduce(search_t *s, sets_t *t, bool *done) {
  int rc = shortest_prefix(s, t);
  *done = false;
  t->prefix = t->count;
  for (uint32_t last = UINT32_MAX; rc == 0 && t->count && !*done;) {
    uint32_t piece = (t->count + PIECES - 1) / PIECES;
    if (piece == last) return 0; /* more ways than pieces, or too much noise */
    rc = thin_out(s, t, last = piece);
    *done = rc == 0 && piece == 1 && t->count > 0;
  }
  return rc;
}

/* All lines evict, and all but any one do not. */
static int minimal(search_t *s, sets_t *t, bool *yes) {
  trial_t *x = calloc(t->count + 1, sizeof *x);
  bool *out = calloc(t->count + 1, sizeof *out);
  int rc = x && out ? 0 : no_memory(s);
  for (uint32_t i = 0; i <= t->count && rc == 0; i++)
    x[i] = (trial_t){t->line, t->count, i, i < t->count ? i + 1 : i, NULL, 0};
  if (rc == 0) rc = ask_all(s, t, x, t->count + 1, out);
  *yes = rc == 0;
  for (uint32_t i = 0; i <= t->count && rc == 0; i++) *yes &= out[i] == (i == t->count);
  free(x);
  free(out);
  return rc;
}

static int one_line_per_way(search_t *s, sets_t *t, bool *found) {
  int rc = 0;
  *found = false;
  for (uint32_t i = 0; i < ATTEMPTS && rc == 0 && !*found; i++) {
    t->victim = any_address(s);
    t->guess = i % 2 ? LINE_LARGE : LINE_GUESS;
    rc = long_list(s, t, found);
    if (rc < 0 || (!*found && !i)) return rc;
    if (!*found) continue;
    rc = reduce(s, t, found);
    if (rc == 0 && *found) rc = minimal(s, t, found);
    if (t->count && t->prefix / t->count > FEW) t->repeat = REPEAT;
  }
  return rc;
}

/* ---- step 2: more lines of the set ---- */

typedef struct {
  uint32_t low, high; /* so many of the group do not evict; so many do */
  bool open;
} bracket_t;

/* Halves the brackets of all groups until each is at its line. */
static int close_brackets(search_t *s, sets_t *t, const uint64_t *group, bracket_t *b) {
  for (uint32_t step = 0; step < 32; step++) {
    trial_t x[GROUPS];
    uint32_t of[GROUPS], n = 0;
    bool out[GROUPS];
    for (uint32_t g = 0; g < GROUPS; g++) {
      if (!b[g].open || b[g].high - b[g].low < 2) continue;
      of[n] = g;
      x[n++] = (trial_t){
          t->line, t->count - 1, 0, 0, group + g * t->group_size, (b[g].low + b[g].high) / 2};
    }
    if (!n) return 0;
    int rc = ask_all(s, t, x, n, out);
    if (rc < 0) return rc;
    for (uint32_t i = 0; i < n; i++) *(out[i] ? &b[of[i]].high : &b[of[i]].low) = x[i].extra;
  }
  return 0;
}

/* *found: groups with a line of the set. */
static int try_groups(search_t *s, sets_t *t, uint64_t *group, uint32_t *found) {
  trial_t x[GROUPS];
  bool out[GROUPS];
  bracket_t b[GROUPS];
  uint32_t size = (uint32_t)t->group_size;
  *found = 0;
  for (uint32_t i = 0; i < GROUPS * size; i++) group[i] = any_address(s);
  for (uint32_t g = 0; g < GROUPS; g++)
    x[g] = (trial_t){t->line, t->count - 1, 0, 0, group + (size_t)g * size, size};
  int rc = ask_all(s, t, x, GROUPS, out);
  for (uint32_t g = 0; g < GROUPS && rc == 0; g++) {
    b[g] = (bracket_t){0, size, out[g]};
    *found += out[g];
  }
  if (rc == 0) rc = close_brackets(s, t, group, b);
  for (uint32_t g = 0; g < GROUPS && rc == 0; g++)
    if (b[g].open && t->diffs.count < DIFFS_MAX)
      t->diffs.d[t->diffs.count++] = group[(size_t)g * size + b[g].high - 1] ^ t->victim;
  return rc;
}

/* About half of the groups should have a line: where few have, they are too small. The lines of
 * step 1 do not count as differences, they are of one bank. */
static int more_lines(search_t *s, sets_t *t) {
  uint32_t want = 3 * (uint32_t)__builtin_popcountll(s->width), found;
  if (want > DIFFS_MAX) want = DIFFS_MAX;
  t->group_size = t->prefix / t->count * 2 / 3 + 1;
  int rc = 0;
  for (uint32_t i = 0; i < ROUNDS_MAX && rc == 0 && t->diffs.count < want; i++) {
    uint64_t *group = malloc(GROUPS * t->group_size * sizeof *group);
    rc = group ? try_groups(s, t, group, &found) : no_memory(s);
    free(group);
    if (found < GROUPS / 4 && t->group_size < GROUP_MAX) t->group_size *= 2;
  }
  return rc;
}

/* ---- trying the functions ---- */

/* Which of these lines are of the victim's set? */
static int ask_members(search_t *s, sets_t *t, const uint64_t *line, uint32_t n, bool *out) {
  trial_t x[TRIES] = {{0}};
  for (uint32_t i = 0; i < n; i++) x[i] = (trial_t){t->line, t->count - 1, 0, 0, &line[i], 1};
  return ask_all(s, t, x, n, out);
}

static int count_members(search_t *s, sets_t *t, const uint64_t *line, uint32_t n, uint32_t *yes) {
  bool out[TRIES];
  int rc = ask_members(s, t, line, n, out);
  *yes = 0;
  for (uint32_t i = 0; i < n && rc == 0; i++) *yes += out[i];
  return rc;
}

/* The lines found in groups are asked for again, one by one: those that do not evict were noise. */
static int confirm(search_t *s, sets_t *t) {
  uint64_t line[DIFFS_MAX];
  bool out[DIFFS_MAX];
  uint32_t n = t->diffs.count, kept = 0;
  for (uint32_t i = 0; i < n; i++) line[i] = t->diffs.d[i] ^ t->victim;
  int rc = ask_members(s, t, line, n, out);
  for (uint32_t i = 0; i < n && rc == 0; i++)
    if (out[i]) t->diffs.d[kept++] = t->diffs.d[i];
  if (rc == 0) t->diffs.count = kept;
  return rc;
}

static int try_functions(search_t *s, sets_t *t) {
  solved_t *f = &s->r->set;
  gf2_space_t null;
  uint64_t line[TRIES];
  uint32_t n = 0, hits, wrong, others = 0;
  gf2_null(&f->space, s->width, &null);
  for (uint32_t i = 0; i < 8 * TRIES && n < TRIES; i++) {
    line[n] = t->victim ^ any_of(s, &null);
    n += line[n] < s->o->bytes;
  }
  int rc = count_members(s, t, line, n, &hits);
  if (rc < 0) return rc;
  for (uint32_t i = 0; i < TRIES; i++) {
    line[others] = any_address(s);
    others += !gf2_has(&null, line[others] ^ t->victim);
  }
  rc = count_members(s, t, line, others, &wrong);
  judge(f, hits, n, wrong, others);
  return rc;
}

/* All differences count, if there is no noise left among them: a function that only few of them
 * contradict, because they are of few pages, would pass a vote of subsamples. */
static int find_functions(search_t *s, sets_t *t) {
  solved_t *f = &s->r->set;
  gf2_space_t span;
  gf2_init(&span);
  int rc = confirm(s, t);
  for (uint32_t i = 0; i < t->diffs.count; i++) gf2_add(&span, t->diffs.d[i] & s->width);
  gf2_null(&span, s->width, &f->space);
  if (rc == 0) rc = try_functions(s, t);
  if (rc < 0 || f->verdict != NOT_LINEAR) return rc;
  vote_functions(s, &t->diffs, &f->space);
  return try_functions(s, t);
}

/* ---- lines and sectors ---- */

/* A sector came in with the victim if a load from it then hits. */
static int find_sector(search_t *s, sets_t *t) {
  uint64_t bytes = s->o->granule_bytes, before = s->r->chains;
  uint32_t sure = 100;
  for (; bytes < 4096; bytes *= 2) {
    oracle_chain_t c[GROUPS];
    uint64_t v[GROUPS];
    uint32_t time[GROUPS], hits = 0;
    for (uint32_t i = 0; i < GROUPS; i++) {
      v[i] = any_address(s);
      c[i] = (oracle_chain_t){&v[i], 1, 1, v[i] ^ bytes};
    }
    int rc = median_chains(s, c, GROUPS, 1, time);
    if (rc < 0) return rc;
    for (uint32_t i = 0; i < GROUPS; i++) hits += time[i] <= t->missing;
    uint32_t agree = 100 * (2 * hits > GROUPS ? hits : GROUPS - hits) / GROUPS;
    if (agree < sure) sure = agree;
    if (2 * hits <= GROUPS) break;
  }
  s->r->sector_bytes = (finding_t){bytes, sure, s->r->chains - before};
  return 0;
}

/* Whether the victim and victim ^ bit are one line: what evicts the victim evicts the other, too,
 * but the other is no further line of the set. */
static int same_line(search_t *s, sets_t *t, uint64_t bit, bool *same) {
  uint64_t other = t->victim ^ bit, copies[REPEAT_MAX];
  uint64_t *p = t->room;
  uint32_t time, members;
  for (uint32_t i = 0; i < REPEAT_MAX; i++) copies[i] = other;
  *p++ = t->victim, *p++ = other;
  memcpy(p, t->line, t->count * sizeof *p);
  oracle_chain_t c = {t->room, t->count + 2, 2, other};
  int rc = median_chains(s, &c, 1, REPEAT_MAX, &time);
  if (rc == 0) rc = count_members(s, t, copies, REPEAT_MAX, &members);
  *same = rc == 0 && time > t->missing && 2 * members < REPEAT_MAX;
  return rc;
}

static int find_line(search_t *s, sets_t *t) {
  uint64_t bytes = s->o->granule_bytes, before = s->r->chains;
  int rc = need_room(s, t, t->count + 2);
  bool same = true;
  for (; rc == 0 && bytes < 4096; bytes *= 2) {
    rc = same_line(s, t, bytes, &same);
    if (!same) break;
  }
  uint32_t sure = s->r->set.verdict == SOLVED ? s->r->set.confidence : 100;
  s->r->line_bytes = (finding_t){bytes, sure, s->r->chains - before};
  return rc;
}

/* ---- the whole ---- */

static void sizes(search_t *s, const sets_t *t) {
  solver_report_t *r = s->r;
  uint32_t sure = r->set.confidence;
  r->ways = (finding_t){t->count, sure, r->chains};
  if (r->set.verdict != SOLVED) {
    r->ways.confidence = 100; /* each of the lines was seen to be needed: minimal() */
    return;
  }
  r->sets = (finding_t){1ull << r->set.space.rank, sure, r->set.samples};
  r->l2_bytes = (finding_t){r->sets.value * t->count * r->line_bytes.value, sure, r->chains};
}

static int search_sets(search_t *s, sets_t *t) {
  solved_t *f = &s->r->set;
  bool go;
  f->verdict = NO_SIGNAL;
  int rc = calibrate(s, t, &go);
  if (rc < 0 || !go) return rc;
  rc = find_sector(s, t);
  if (rc == 0) rc = one_line_per_way(s, t, &go);
  if (rc < 0 || !go) return rc;
  rc = more_lines(s, t);
  if (rc < 0 || !t->diffs.count) return rc;
  rc = find_functions(s, t);
  f->samples = s->r->chains;
  if (rc == 0) rc = find_line(s, t);
  if (rc == 0) sizes(s, t);
  return rc;
}

int find_sets(search_t *s) {
  sets_t *t = calloc(1, sizeof *t);
  if (!t) return no_memory(s);
  int rc = search_sets(s, t);
  free(t->line);
  free(t->room);
  free(t->seen);
  free(t);
  return rc;
}
