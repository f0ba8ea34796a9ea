/* Translation-aware L2 bypass (MASK, ASPLOS 2018, section 5.3): a level of the page table whose
 * reads hit L2 less often than data does neither looks into L2 nor fills it.
 *
 * Hits and look-ups of data and of each level are counted over an epoch, all applications and
 * slices together; the decision holds for the next epoch. A level that bypasses would have nothing
 * in the cache by which to judge it, so a few sets, spread over all slices, take its reads as
 * before: there it competes with data and with itself as if it did not bypass, and is found out
 * when it would hit. A level of which an epoch showed too little does not bypass in the next. */
#include "cache/l2policy.h"
#include <string.h>

#define LEVELS 8 /* MASK tags a request with three bits; 0 is data */

const opt_t l2_bypass_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(l2_bypass_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    /* the paper is silent; 32 of 1024 sets is what set dueling uses (Qureshi et al., ISCA 2007) */
    U32(sample_sets, "sample", 1, 65536, 32, "sets",
        "one set in so many takes reads of a level that bypasses, to see how they would fare"),
    /* a guess: the release waits for 100 hits of a level before its fixed threshold applies */
    U32(min_looks, "min_looks", 1, 1u << 30, 100, "requests",
        "fewer of a level, or of data, tell nothing"),
#undef U32
    /* "the number of cache hits over all cache accesses" (MASK, section 5.3) can mean both */
    {"joined", OPT_BOOL, offsetof(l2_bypass_spec_t, joined), 0, 1, 0, "",
     "a request that joins a line under way counts as a hit, for it needs no DRAM access", NULL,
     NULL},
    {0},
};

typedef struct {
  uint64_t looks, hits;
} rate_t;

typedef struct {
  l2_bypass_spec_t spec;
  rate_t rate[LEVELS]; /* of this epoch */
  bool bypasses[LEVELS];
} bypass_t;

static uint32_t row(const l2_view_t *v) { return v->level < LEVELS ? v->level : LEVELS - 1; }

/* Scattered, because entries of the upper levels lie at the beginning of their frames. */
static bool sampled(const bypass_t *b, uint32_t set) {
  return (uint32_t)((set + 1) * 0x9e3779b9u) <= UINT32_MAX / b->spec.sample_sets;
}

static l2_decision_t bypass_decide(void *state, const l2_view_t *v) {
  const bypass_t *b = state;
  return v->level && b->bypasses[row(v)] && !sampled(b, v->set) ? L2_BYPASS : L2_NORMAL;
}

static void bypass_outcome(void *state, const l2_view_t *v, l2_outcome_t o) {
  bypass_t *b = state;
  b->rate[row(v)].looks++;
  b->rate[row(v)].hits += o == L2_HIT || (o == L2_JOINED && b->spec.joined);
}

static uint64_t per_million(const rate_t *r) { return r->hits * 1000000 / r->looks; }

static bool enough(const bypass_t *b, uint32_t level) {
  return b->rate[level].looks >= b->spec.min_looks;
}

/* A level that bypasses is seen in the sampled sets only: while that is too little, it goes on and
 * the sample grows over epochs. Without any sample it is tried again. */
static void judge(bypass_t *b, uint32_t level) {
  rate_t *r = &b->rate[level];
  if (b->bypasses[level] && r->looks && !enough(b, level)) return;
  b->bypasses[level] =
      enough(b, 0) && enough(b, level) && per_million(r) < per_million(&b->rate[0]);
  *r = (rate_t){0};
}

static void bypass_epoch(void *state, uint64_t now) {
  (void)now;
  bypass_t *b = state;
  for (uint32_t l = 1; l < LEVELS; l++) judge(b, l);
  b->rate[0] = (rate_t){0};
}

static size_t bypass_bytes(const l2_env_t *e) {
  (void)e;
  return sizeof(bypass_t);
}
static void bypass_init(void *state, const l2_env_t *e) { ((bypass_t *)state)->spec = *e->bypass; }

const l2_policy_t l2_walk_bypass = {
    .name = "walk-bypass",
    .help = "MASK: levels of page walks that hit less often than data go past the cache",
    .state_bytes = bypass_bytes,
    .init = bypass_init,
    .decide = bypass_decide,
    .outcome = bypass_outcome,
    .epoch = bypass_epoch,
};
