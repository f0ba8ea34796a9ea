/* TLB-fill tokens (MASK, ASPLOS 2018, section 5.2): of each application, only the warps that hold a
 * token put translations into the last TLB level. What the others walk for goes into a small fully
 * associative buffer beside it, which every look-up probes.
 *
 * The state is one block of memory: per application its share of warps in percent and the counters
 * of this epoch; per application and SM three masks of warp slots; per TLB the buffer. Between two
 * epochs nothing moves but counters and buffers, so `holds` says all there is to say about a fill.
 * Invariants: an application without a limit (its first epoch is not over) fills with every warp;
 * one with a limit holds `tokens` bits, all in slots that it used in the epoch before. A share is
 * never 0: an application that fills nothing would see one miss rate for ever, and stay there. */
#include "tlb/fill.h"
#include <string.h>

const opt_t tokens_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(tokens_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    /* MASK, section 7: "we set InitialTokens to 80%" */
    U32(initial_percent, "initial", 1, 100, 80, "percent",
        "of an application's warps that hold a token after its first epoch"),
    /* MASK, section 5.2: "by more than 2%" */
    U32(band_percent, "band", 0, 100, 2, "percentage points",
        "a change of the miss rate up to this changes nothing"),
    /* no number in the paper; 10 % of the warps in the release */
    U32(step_percent, "step", 1, 100, 10, "percent", "of its warps, given or taken after an epoch"),
    /* MASK's text has no such rule, but its storage (section 7.4) has a direction bit per
     * application, which the text's rule does not need */
    {"climb", OPT_BOOL, offsetof(tokens_spec_t, climb), 0, 1, 0, "",
     "go on in the last direction while the miss rate falls and turn when it rises; else more when "
     "it falls and fewer when it rises",
     NULL, NULL},
    /* MASK, section 5.2: 32 entries, fully associative, LRU */
    U32(buffer_entries, "buffer", 0, 4096, 32, "entries",
        "of the buffer beside the TLB for warps without a token"),
#undef U32
    {0},
};

typedef struct {
  bool limited;     /* its first epoch is over */
  bool rising;      /* the last change gave more */
  uint32_t percent; /* of its warps */
  uint32_t rate;    /* of misses, in the last epoch that had look-ups; parts per million */
  uint64_t lookups, misses;
  uint64_t since; /* token_cycles are counted up to here */
  fill_stats_t stats;
} share_t;

typedef struct {
  uint64_t key, ppn;
  uint64_t used; /* 0: empty */
} entry_t;

typedef struct {
  tokens_spec_t spec;
  uint32_t sms, apps, levels, instances, large_pages_shift;
  share_t *share;                    /* [app] */
  uint64_t *resident, *used, *holds; /* [app * sms + sm], bit per warp slot: now; since the epoch
                                        began; with a token */
  entry_t *buffer;                   /* [instance * entries] */
  uint64_t clock;                    /* of uses of the buffers */
} tokens_t;

/* ---- the buffer beside the TLB ---- */

static uint64_t buffer_key(const fill_ctx_t *c, uint32_t shift) {
  return (uint64_t)c->asid << 56 | (uint64_t)(shift != 0) << 55 | c->vpn.v >> shift;
}

static entry_t *buffer_find(const tokens_t *t, uint32_t instance, uint64_t key) {
  entry_t *e = &t->buffer[(size_t)instance * t->spec.buffer_entries];
  for (uint32_t i = 0; i < t->spec.buffer_entries; i++)
    if (e[i].key == key && e[i].used) return &e[i];
  return NULL;
}

/* An empty entry, or the one used longest ago. */
static entry_t *buffer_victim(const tokens_t *t, uint32_t instance) {
  entry_t *e = &t->buffer[(size_t)instance * t->spec.buffer_entries], *v = e;
  for (uint32_t i = 1; i < t->spec.buffer_entries; i++)
    if (e[i].used < v->used) v = &e[i];
  return v;
}

static bool is_last(const tokens_t *t, const fill_ctx_t *c) {
  return c->level && c->level + 1 == t->levels;
}

static bool tokens_probe(void *state, const fill_ctx_t *c, ppn_t *ppn, bool *large) {
  tokens_t *t = state;
  if (!is_last(t, c)) return false;
  uint32_t shift = t->large_pages_shift;
  entry_t *e = buffer_find(t, c->instance, buffer_key(c, 0));
  *large = !e && shift;
  if (*large) e = buffer_find(t, c->instance, buffer_key(c, shift));
  if (!e) return false;
  e->used = ++t->clock;
  ppn->v = e->ppn + (*large ? c->vpn.v & ((1ull << shift) - 1) : 0);
  return true;
}

static void tokens_denied(void *state, const fill_ctx_t *c, ppn_t ppn, bool large) {
  tokens_t *t = state;
  if (!t->spec.buffer_entries) return;
  uint32_t shift = large ? t->large_pages_shift : 0;
  uint64_t key = buffer_key(c, shift);
  entry_t *e =
      buffer_find(t, c->instance, key); /* another page of a large one may have been first */
  if (!e) {
    e = buffer_victim(t, c->instance);
    t->share[c->asid].stats.displaced += e->used != 0;
  }
  *e = (entry_t){key, ppn.v - (c->vpn.v & ((1ull << shift) - 1)), ++t->clock};
}

/* MASK flushes everything when an entry of a page table changes. */
static void tokens_invalidate(void *state, asid_t asid, vpn_t vpn, uint64_t pages) {
  (void)asid, (void)vpn, (void)pages;
  tokens_t *t = state;
  memset(t->buffer, 0, (size_t)t->instances * t->spec.buffer_entries * sizeof *t->buffer);
}

/* ---- what happens within an epoch ---- */

static bool tokens_allow(void *state, const fill_ctx_t *c) {
  const tokens_t *t = state;
  return !is_last(t, c) || !t->share[c->asid].limited ||
         (t->holds[c->asid * t->sms + c->sm] >> c->warp & 1);
}

static void tokens_looked_up(void *state, const fill_ctx_t *c, bool hit) {
  const tokens_t *t = state;
  if (!is_last(t, c)) return;
  t->share[c->asid].lookups++;
  t->share[c->asid].misses += !hit;
}

static void tokens_slots(void *state, asid_t asid, uint32_t sm, uint64_t mask) {
  const tokens_t *t = state;
  t->resident[asid * t->sms + sm] = mask;
  t->used[asid * t->sms + sm] |= mask;
}

/* ---- the end of an epoch ---- */

static uint32_t count(const tokens_t *t, const uint64_t *mask) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < t->sms; i++) n += (uint32_t)__builtin_popcountll(mask[i]);
  return n;
}

/* A step that would take everything is not taken. */
static void take_step(share_t *s, uint32_t step, bool up) {
  s->rising = up;
  *(up ? &s->stats.raised : &s->stats.lowered) += 1;
  if (up)
    s->percent = s->percent + step < 100 ? s->percent + step : 100;
  else if (s->percent > step)
    s->percent -= step;
}

static void change_share(const tokens_spec_t *spec, share_t *s, uint32_t rate) {
  uint32_t band = spec->band_percent * 10000;
  bool worse = rate > s->rate + band, better = rate + band < s->rate;
  if (worse || better)
    take_step(s, spec->step_percent, spec->climb ? s->rising != worse : better);
  else
    s->stats.unchanged++;
}

/* An epoch without look-ups has no miss rate and decides nothing. */
static void judge(const tokens_spec_t *spec, share_t *s) {
  if (!s->lookups) return;
  uint32_t rate = (uint32_t)(s->misses * 1000000 / s->lookups);
  if (s->limited)
    change_share(spec, s, rate);
  else
    s->percent = spec->initial_percent;
  s->limited = true;
  s->rate = rate;
  s->lookups = s->misses = 0;
}

/* Slot by slot, and in each SM by SM: the lowest warp numbers of all its SMs come first, and a
 * number is spread over the SMs as evenly as can be. */
static void give(const tokens_t *t, const uint64_t *used, uint64_t *holds, uint32_t n) {
  for (uint32_t slot = 0; slot < 64 && n; slot++)
    for (uint32_t i = 0; i < t->sms && n; i++) {
      uint64_t bit = used[i] & ~holds[i] & 1ull << slot;
      holds[i] |= bit;
      n -= bit != 0;
    }
}
static void take(const tokens_t *t, uint64_t *holds, uint32_t n) {
  for (uint32_t slot = 64; slot-- && n;)
    for (uint32_t i = t->sms; i-- && n;) {
      uint64_t bit = holds[i] & 1ull << slot;
      holds[i] &= ~bit;
      n -= bit != 0;
    }
}

/* Who has a token and is still there keeps it. An application that was away finds all as it was. */
static void assign(const tokens_t *t, uint32_t app) {
  share_t *s = &t->share[app];
  const uint64_t *used = &t->used[app * t->sms];
  uint64_t *holds = &t->holds[app * t->sms];
  uint32_t warps = count(t, used);
  if (!s->limited || !warps) return;
  uint32_t tokens = warps * s->percent / 100;
  if (!tokens) tokens = 1;
  for (uint32_t i = 0; i < t->sms; i++) holds[i] &= used[i];
  uint32_t kept = count(t, holds);
  if (kept > tokens)
    take(t, holds, kept - tokens);
  else
    give(t, used, holds, tokens - kept);
  s->stats.tokens = tokens;
}

static void tokens_stats(const void *state, uint32_t app, uint64_t now, fill_stats_t *out) {
  const tokens_t *t = state;
  const share_t *s = &t->share[app];
  *out = s->stats;
  if (!s->limited) out->tokens = count(t, &t->used[app * t->sms]);
  out->token_cycles += out->tokens * (now - s->since);
}

static void tokens_epoch(void *state, uint64_t now) {
  tokens_t *t = state;
  for (uint32_t a = 0; a < t->apps; a++) {
    share_t *s = &t->share[a];
    tokens_stats(t, a, now, &s->stats);
    s->since = now;
    s->stats.warps = count(t, &t->used[a * t->sms]);
    judge(&t->spec, s);
    assign(t, a);
    memcpy(&t->used[a * t->sms], &t->resident[a * t->sms], t->sms * sizeof *t->used);
  }
}

/* ---- creation ---- */

static size_t buffer_bytes(const fill_env_t *e) {
  return sizeof(entry_t) * e->instances * e->tokens->buffer_entries;
}
static size_t mask_words(const fill_env_t *e) { return (size_t)e->apps * e->sms; }

static size_t tokens_bytes(const fill_env_t *e) {
  return sizeof(tokens_t) + e->apps * sizeof(share_t) + 3 * mask_words(e) * sizeof(uint64_t) +
         buffer_bytes(e);
}

static void tokens_init(void *state, const fill_env_t *e) {
  tokens_t *t = state;
  *t = (tokens_t){.spec = *e->tokens,
                  .sms = e->sms,
                  .apps = e->apps,
                  .levels = e->levels,
                  .instances = e->instances,
                  .large_pages_shift = e->large_pages_shift};
  t->share = (share_t *)(t + 1);
  t->resident = (uint64_t *)(t->share + e->apps);
  t->used = t->resident + mask_words(e);
  t->holds = t->used + mask_words(e);
  t->buffer = (entry_t *)(t->holds + mask_words(e));
}

const fill_ops_t fill_tokens = {
    .name = "tokens",
    .help = "MASK: warps with a token fill the last level, the others a small buffer beside it",
    .state_bytes = tokens_bytes,
    .init = tokens_init,
    .allow = tokens_allow,
    .denied = tokens_denied,
    .probe = tokens_probe,
    .looked_up = tokens_looked_up,
    .epoch = tokens_epoch,
    .invalidate = tokens_invalidate,
    .slots = tokens_slots,
    .stats = tokens_stats,
};
