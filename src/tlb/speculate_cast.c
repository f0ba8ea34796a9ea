/* CAST, the speculation of Avatar (MICRO 2024): loads of one instruction mostly stay in memory
 * whose frames follow each other as its pages do. So for each instruction a table keeps the
 * distance from page to frame, and how sure it is of it.
 *
 * Confidence has two bits: right +1, wrong -2; an entry begins with 1, and at 0 its distance is
 * replaced. The table is fully associative; the entry used least recently leaves. */
#include "tlb/speculate.h"
#include <string.h>

#define SURE 3u /* the most of two bits */

const opt_t cast_options[] = {
    {"entries", OPT_U32, offsetof(cast_spec_t, entries), 1, 4096, 32, "entries",
     "of the table of an SM (reported of Avatar)", NULL, NULL},
    {"confidence", OPT_U32, offsetof(cast_spec_t, confidence), 1, SURE, 2, "",
     "from which on it guesses (reported of Avatar)", NULL, NULL},
    {0},
};

typedef struct {
  uint64_t used;     /* 0: free */
  uint64_t distance; /* frame - page, modulo 2^64 */
  uint32_t inst;
  asid_t asid;
  uint8_t confidence;
} entry_t;

typedef struct {
  uint32_t entries, confidence;
  uint64_t clock;
  entry_t entry[];
} cast_t;

static size_t cast_bytes(const speculate_env_t *env) {
  return sizeof(cast_t) + env->cast->entries * sizeof(entry_t);
}
static void cast_init(void *state, const speculate_env_t *env) {
  cast_t *c = state;
  c->entries = env->cast->entries;
  c->confidence = env->cast->confidence;
}

static entry_t *find(cast_t *c, const speculate_load_t *l) {
  for (uint32_t i = 0; i < c->entries; i++) {
    entry_t *x = &c->entry[i];
    if (x->used && x->inst == l->inst && x->asid == l->asid) return x;
  }
  return NULL;
}

static entry_t *oldest(cast_t *c) {
  entry_t *x = c->entry;
  for (uint32_t i = 1; i < c->entries; i++)
    if (c->entry[i].used < x->used) x = &c->entry[i];
  return x;
}

static bool cast_guess(void *state, const speculate_load_t *l, ppn_t *ppn) {
  cast_t *c = state;
  entry_t *x = find(c, l);
  if (!x) return false;
  x->used = ++c->clock;
  ppn->v = l->vpn.v + x->distance;
  return x->confidence >= c->confidence;
}

static void cast_told(void *state, const speculate_load_t *l, ppn_t ppn) {
  cast_t *c = state;
  entry_t *x = find(c, l);
  uint64_t distance = ppn.v - l->vpn.v;
  if (!x) {
    *oldest(c) = (entry_t){++c->clock, distance, l->inst, l->asid, 1};
    return;
  }
  x->used = ++c->clock;
  if (x->distance == distance) {
    if (x->confidence < SURE) x->confidence++;
    return;
  }
  x->confidence = (uint8_t)(x->confidence > 2 ? x->confidence - 2 : 0);
  if (x->confidence) return;
  x->distance = distance;
  x->confidence = 1;
}

const speculate_ops_t speculate_cast = {
    .name = "cast",
    .help = "by load instruction: Avatar's distances from page to frame",
    .state_bytes = cast_bytes,
    .init = cast_init,
    .guess = cast_guess,
    .told = cast_told};
