/* Free indices dealt to stripes: one bit per index, and per stripe a count and a bit for each word
 * that is known to be dry.
 *
 * Invariant: a word with a free index of a stripe is not dry for it, and its bit lies in the words
 * low[stripe] .. high[stripe] of the stripe's bits. All three are only bounds: a search marks words
 * and narrows the range, giving an index back undoes it, and no answer depends on how tight they
 * are. So taking an index costs nothing extra, and a search looks at each dry word once. It is not
 * needed while the word where the last one ended, below which nothing is free, has more.
 *
 * Within a block the turn is strict (stripe, stripe + 1, ..). Were it the same in every block, the
 * stripe would be some bits of the physical address whenever the number of stripes is a power of
 * two, and the spaces would share neither cache sets nor DRAM banks: a partition nobody asked for.
 * So each block begins with a stripe that a hash of its number names; block 0 begins with stripe 0.
 *
 * Where a partition is asked for, stripes are colours: XORs of bits of the index. The colour of an
 * index is then that of its word XOR that of its place in the word, so that a word has one of 64
 * patterns here, too. */
#include "mm/stripes.h"

#define WORD_BITS 64u

static size_t dry_bytes(const stripes_t *s) {
  return (size_t)s->stripes * s->dry_words * sizeof *s->dry;
}

uint32_t stripes_hash(const stripes_t *s, uint64_t i) {
  uint32_t stripe = 0;
  for (uint32_t k = 0; k < s->functions; k++)
    stripe |= (uint32_t)__builtin_parityll(s->function[k] & i) << k;
  return stripe;
}

/* The stripe of bit 0 of word w. */
static uint32_t first_stripe(const stripes_t *s, uint32_t w) { return stripe_of(s, w * WORD_BITS); }

static uint64_t stripe_bits(const stripes_t *s, uint32_t w, uint32_t stripe) {
  if (s->functions) return s->pattern[stripe ^ first_stripe(s, w)];
  uint32_t j = stripe + s->stripes - first_stripe(s, w);
  return s->pattern[j < s->stripes ? j : j - s->stripes];
}

void stripes_set_next(stripes_t *s, uint32_t stripe, uint32_t w) {
  s->next[stripe] = w, s->next_bits[stripe] = stripe_bits(s, w, stripe);
}

static uint32_t free_in_word(const stripes_t *s, uint32_t w, uint32_t stripe) {
  return (uint32_t)__builtin_popcountll(~s->taken[w] & stripe_bits(s, w, stripe));
}

static void init_patterns(stripes_t *s) {
  for (uint32_t bit = 0; bit < WORD_BITS; bit++) s->pattern[bit % s->stripes] |= UINT64_C(1) << bit;
}

/* From the rule, not from the bits: the memory of an empty set stays untouched. */
static void init_counts(stripes_t *s) {
  uint32_t block = WORD_BITS << s->turn_shift;
  s->free_total = s->count;
  for (uint32_t start = 0; start < s->count; start += block) {
    uint32_t n = s->count - start < block ? s->count - start : block;
    for (uint32_t j = 0, stripe = first_stripe(s, start / WORD_BITS); j < s->stripes; j++) {
      s->free[stripe] += (n + s->stripes - 1 - j) / s->stripes;
      stripe = stripe + 1 < s->stripes ? stripe + 1 : 0;
    }
  }
}

/* Whole words by the stripe of their first bit; then what is missing in the last one. */
static void init_hash_counts(stripes_t *s) {
  uint32_t begin[STRIPES_MAX] = {0}, rest = s->words * WORD_BITS - s->count;
  for (uint32_t w = 0; w < s->words; w++) begin[first_stripe(s, w)]++;
  for (uint32_t i = 0; i < s->stripes * s->stripes; i++)
    s->free[i / s->stripes] +=
        begin[i % s->stripes] *
        (uint32_t)__builtin_popcountll(s->pattern[i / s->stripes ^ i % s->stripes]);
  for (uint32_t i = 0; i < rest; i++) s->free[stripes_hash(s, (uint64_t)s->count + i)]--;
  s->free_total = s->count;
}

static uint64_t *dry_of(const stripes_t *s, uint32_t stripe) {
  return s->dry + (size_t)stripe * s->dry_words;
}

/* Words that do not exist are dry: a search from the end need not know where that is. */
static bool alloc_words(stripes_t *s, const mm_host_t *h, uint32_t count) {
  s->count = count, s->words = (count + WORD_BITS - 1) / WORD_BITS;
  s->dry_words = (s->words + WORD_BITS - 1) / WORD_BITS;
  s->taken = host_alloc(h, s->words * sizeof *s->taken);
  s->dry = host_alloc(h, dry_bytes(s));
  if (!s->taken || !s->dry) return false;
  if (count % WORD_BITS) s->taken[s->words - 1] = ~UINT64_C(0) << count % WORD_BITS;
  for (uint32_t stripe = 0; stripe < s->stripes; stripe++) {
    s->high[stripe] = s->dry_words - 1;
    if (s->words % WORD_BITS)
      dry_of(s, stripe)[s->dry_words - 1] = ~UINT64_C(0) << s->words % WORD_BITS;
  }
  return true;
}

bool stripes_init(stripes_t *s, const mm_host_t *h, uint32_t count, uint32_t stripes,
                  uint32_t block) {
  *s = (stripes_t){.stripes = stripes};
  s->inverse = ((UINT64_C(1) << 32) + stripes - 1) / stripes;
  while ((WORD_BITS << s->turn_shift) < block) s->turn_shift++;
  if (!alloc_words(s, h, count)) return false;
  init_patterns(s);
  init_counts(s);
  for (uint32_t stripe = 0; stripe < s->stripes; stripe++) stripes_set_next(s, stripe, 0);
  return true;
}

bool stripes_init_hash(stripes_t *s, const mm_host_t *h, uint32_t count, uint32_t functions,
                       const uint64_t *function) {
  if (!functions) return stripes_init(s, h, count, 1, 1);
  *s = (stripes_t){.stripes = 1u << functions, .functions = functions};
  for (uint32_t k = 0; k < functions; k++) s->function[k] = function[k];
  if (!alloc_words(s, h, count)) return false;
  for (uint32_t bit = 0; bit < WORD_BITS; bit++)
    s->pattern[stripes_hash(s, bit)] |= UINT64_C(1) << bit;
  init_hash_counts(s);
  for (uint32_t stripe = 0; stripe < s->stripes; stripe++) stripes_set_next(s, stripe, 0);
  return true;
}

void stripes_fini(stripes_t *s, const mm_host_t *h) {
  host_free(h, s->taken, s->words * sizeof *s->taken);
  host_free(h, s->dry, dry_bytes(s));
  s->taken = s->dry = NULL;
}

/* The given stripe, or the next one in turn that has a free index; there must be one. */
static uint32_t stripe_with_room(const stripes_t *s, uint32_t stripe) {
  while (!s->free[stripe]) stripe = stripe + 1 < s->stripes ? stripe + 1 : 0;
  return stripe;
}

/* The stripe has a free index, but none in its word `next`. */
static uint32_t search_stripe(stripes_t *s, uint32_t stripe) {
  uint64_t *dry = dry_of(s, stripe);
  uint32_t k = s->low[stripe];
  for (;;) {
    while (!~dry[k]) k++;
    uint32_t bit = (uint32_t)__builtin_ctzll(~dry[k]), w = k * WORD_BITS + bit;
    uint64_t free = ~s->taken[w] & stripe_bits(s, w, stripe);
    s->low[stripe] = k;
    if (free) {
      stripes_set_next(s, stripe, w);
      return w * WORD_BITS + (uint32_t)__builtin_ctzll(free);
    }
    dry[k] |= UINT64_C(1) << bit;
  }
}

/* The stripe has a free index. */
static uint32_t lowest_in_stripe(stripes_t *s, uint32_t stripe) {
  uint32_t w = s->next[stripe];
  uint64_t free = ~s->taken[w] & s->next_bits[stripe];
  return free ? w * WORD_BITS + (uint32_t)__builtin_ctzll(free) : search_stripe(s, stripe);
}

static uint32_t highest_in_stripe(stripes_t *s, uint32_t stripe) {
  uint64_t *dry = dry_of(s, stripe);
  uint32_t k = s->high[stripe];
  for (;;) {
    while (!~dry[k]) k--;
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(~dry[k]), w = k * WORD_BITS + bit;
    uint64_t free = ~s->taken[w] & stripe_bits(s, w, stripe);
    s->high[stripe] = k;
    if (free) return w * WORD_BITS + (63 - (uint32_t)__builtin_clzll(free));
    dry[k] |= UINT64_C(1) << bit;
  }
}

uint32_t stripes_lowest(stripes_t *s, uint32_t stripe) {
  return s->free_total ? lowest_in_stripe(s, stripe_with_room(s, stripe)) : STRIPES_NONE;
}

uint32_t stripes_highest(stripes_t *s, uint32_t stripe) {
  return s->free_total ? highest_in_stripe(s, stripe_with_room(s, stripe)) : STRIPES_NONE;
}

uint32_t stripes_lowest_of(stripes_t *s, uint64_t stripes) {
  uint32_t best = STRIPES_NONE;
  for (; stripes; stripes &= stripes - 1) {
    uint32_t stripe = (uint32_t)__builtin_ctzll(stripes);
    uint32_t i = s->free[stripe] ? lowest_in_stripe(s, stripe) : STRIPES_NONE;
    if (i < best) best = i;
  }
  return best;
}

uint32_t stripes_highest_of(stripes_t *s, uint64_t stripes) {
  uint32_t best = STRIPES_NONE;
  for (; stripes; stripes &= stripes - 1) {
    uint32_t stripe = (uint32_t)__builtin_ctzll(stripes);
    if (!s->free[stripe]) continue;
    uint32_t i = highest_in_stripe(s, stripe);
    if (best == STRIPES_NONE || i > best) best = i;
  }
  return best;
}

uint32_t stripes_free_of(const stripes_t *s, uint64_t stripes) {
  uint32_t n = 0;
  for (; stripes; stripes &= stripes - 1) n += s->free[__builtin_ctzll(stripes)];
  return n;
}

uint32_t stripes_lowest_in(const stripes_t *s, uint32_t first, uint32_t count) {
  uint64_t mask = count < WORD_BITS ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
  mask <<= first % WORD_BITS;
  for (uint32_t w = first / WORD_BITS; w <= (first + count - 1) / WORD_BITS; w++) {
    uint64_t bits = ~s->taken[w] & mask;
    if (bits) return w * WORD_BITS + (uint32_t)__builtin_ctzll(bits);
  }
  return STRIPES_NONE;
}

bool stripes_check(const stripes_t *s) {
  uint64_t total = 0;
  for (uint32_t stripe = 0; stripe < s->stripes; stripe++) {
    uint64_t n = 0;
    for (uint32_t w = 0; w < s->words; w++) {
      uint32_t k = free_in_word(s, w, stripe), at = w / WORD_BITS;
      bool seen = at >= s->low[stripe] && at <= s->high[stripe] &&
                  !(dry_of(s, stripe)[at] >> w % WORD_BITS & 1);
      if (k && (!seen || w < s->next[stripe])) return false;
      n += k;
    }
    if (n != s->free[stripe]) return false;
    if (s->next_bits[stripe] != stripe_bits(s, s->next[stripe], stripe)) return false;
    total += n;
  }
  return total == s->free_total;
}
