/* Free indices dealt to lanes: one bit per index, and per lane a count and a bit for each word that
 * is known to be dry.
 *
 * Invariant: a word with a free index of a lane is not dry for it, and its bit lies in the words
 * low[lane] .. high[lane] of the lane's bits. All three are only bounds: a search marks words and
 * narrows the range, giving an index back undoes it, and no answer depends on how tight they are.
 * So taking an index costs nothing extra, and a search looks at each dry word once. It is not
 * needed while the word where the last one ended, below which nothing is free, has more.
 *
 * Within a block the turn is strict (lane, lane + 1, ..). Were it the same in every block, the lane
 * would be some bits of the physical address whenever the number of lanes is a power of two, and
 * the spaces would share neither cache sets nor DRAM banks: a partition nobody asked for. So each
 * block begins with a lane that a hash of its number names; block 0 begins with lane 0.
 *
 * Where a partition is asked for, lanes are colours: XORs of bits of the index. The colour of an
 * index is then that of its word XOR that of its place in the word, so that a word has one of 64
 * patterns here, too. */
#include "mm/lanes.h"

#define WORD_BITS 64u

static size_t dry_bytes(const lanes_t *s) {
  return (size_t)s->lanes * s->dry_words * sizeof *s->dry;
}

uint32_t lanes_hash(const lanes_t *s, uint64_t i) {
  uint32_t lane = 0;
  for (uint32_t k = 0; k < s->functions; k++)
    lane |= (uint32_t)__builtin_parityll(s->function[k] & i) << k;
  return lane;
}

/* The lane of bit 0 of word w. */
static uint32_t first_lane(const lanes_t *s, uint32_t w) { return lanes_lane(s, w * WORD_BITS); }

static uint64_t lane_bits(const lanes_t *s, uint32_t w, uint32_t lane) {
  if (s->functions) return s->pattern[lane ^ first_lane(s, w)];
  uint32_t j = lane + s->lanes - first_lane(s, w);
  return s->pattern[j < s->lanes ? j : j - s->lanes];
}

void lanes_set_next(lanes_t *s, uint32_t lane, uint32_t w) {
  s->next[lane] = w, s->next_bits[lane] = lane_bits(s, w, lane);
}

static uint32_t free_in_word(const lanes_t *s, uint32_t w, uint32_t lane) {
  return (uint32_t)__builtin_popcountll(~s->taken[w] & lane_bits(s, w, lane));
}

static void init_patterns(lanes_t *s) {
  for (uint32_t bit = 0; bit < WORD_BITS; bit++) s->pattern[bit % s->lanes] |= UINT64_C(1) << bit;
}

/* From the rule, not from the bits: the memory of an empty set stays untouched. */
static void init_counts(lanes_t *s) {
  uint32_t block = WORD_BITS << s->turn_shift;
  s->free_total = s->count;
  for (uint32_t start = 0; start < s->count; start += block) {
    uint32_t n = s->count - start < block ? s->count - start : block;
    for (uint32_t j = 0, lane = first_lane(s, start / WORD_BITS); j < s->lanes; j++) {
      s->free[lane] += (n + s->lanes - 1 - j) / s->lanes;
      lane = lane + 1 < s->lanes ? lane + 1 : 0;
    }
  }
}

/* Whole words by the lane of their first bit; then what is missing in the last one. */
static void init_hash_counts(lanes_t *s) {
  uint32_t begin[LANES_MAX] = {0}, rest = s->words * WORD_BITS - s->count;
  for (uint32_t w = 0; w < s->words; w++) begin[first_lane(s, w)]++;
  for (uint32_t i = 0; i < s->lanes * s->lanes; i++)
    s->free[i / s->lanes] += begin[i % s->lanes] * (uint32_t)__builtin_popcountll(
                                                       s->pattern[i / s->lanes ^ i % s->lanes]);
  for (uint32_t i = 0; i < rest; i++) s->free[lanes_hash(s, (uint64_t)s->count + i)]--;
  s->free_total = s->count;
}

static uint64_t *dry_of(const lanes_t *s, uint32_t lane) {
  return s->dry + (size_t)lane * s->dry_words;
}

/* Words that do not exist are dry: a search from the end need not know where that is. */
static bool alloc_words(lanes_t *s, const mm_host_t *h, uint32_t count) {
  s->count = count, s->words = (count + WORD_BITS - 1) / WORD_BITS;
  s->dry_words = (s->words + WORD_BITS - 1) / WORD_BITS;
  s->taken = host_alloc(h, s->words * sizeof *s->taken);
  s->dry = host_alloc(h, dry_bytes(s));
  if (!s->taken || !s->dry) return false;
  if (count % WORD_BITS) s->taken[s->words - 1] = ~UINT64_C(0) << count % WORD_BITS;
  for (uint32_t lane = 0; lane < s->lanes; lane++) {
    s->high[lane] = s->dry_words - 1;
    if (s->words % WORD_BITS)
      dry_of(s, lane)[s->dry_words - 1] = ~UINT64_C(0) << s->words % WORD_BITS;
  }
  return true;
}

bool lanes_init(lanes_t *s, const mm_host_t *h, uint32_t count, uint32_t lanes, uint32_t block) {
  *s = (lanes_t){.lanes = lanes};
  s->inverse = ((UINT64_C(1) << 32) + lanes - 1) / lanes;
  while ((WORD_BITS << s->turn_shift) < block) s->turn_shift++;
  if (!alloc_words(s, h, count)) return false;
  init_patterns(s);
  init_counts(s);
  for (uint32_t lane = 0; lane < s->lanes; lane++) lanes_set_next(s, lane, 0);
  return true;
}

bool lanes_init_hash(lanes_t *s, const mm_host_t *h, uint32_t count, uint32_t functions,
                     const uint64_t *function) {
  if (!functions) return lanes_init(s, h, count, 1, 1);
  *s = (lanes_t){.lanes = 1u << functions, .functions = functions};
  for (uint32_t k = 0; k < functions; k++) s->function[k] = function[k];
  if (!alloc_words(s, h, count)) return false;
  for (uint32_t bit = 0; bit < WORD_BITS; bit++)
    s->pattern[lanes_hash(s, bit)] |= UINT64_C(1) << bit;
  init_hash_counts(s);
  for (uint32_t lane = 0; lane < s->lanes; lane++) lanes_set_next(s, lane, 0);
  return true;
}

void lanes_fini(lanes_t *s, const mm_host_t *h) {
  host_free(h, s->taken, s->words * sizeof *s->taken);
  host_free(h, s->dry, dry_bytes(s));
  s->taken = s->dry = NULL;
}

/* The given lane, or the next one in turn that has a free index; there must be one. */
static uint32_t lane_with_room(const lanes_t *s, uint32_t lane) {
  while (!s->free[lane]) lane = lane + 1 < s->lanes ? lane + 1 : 0;
  return lane;
}

/* The lane has a free index, but none in its word `next`. */
static uint32_t search_lane(lanes_t *s, uint32_t lane) {
  uint64_t *dry = dry_of(s, lane);
  uint32_t k = s->low[lane];
  for (;;) {
    while (!~dry[k]) k++;
    uint32_t bit = (uint32_t)__builtin_ctzll(~dry[k]), w = k * WORD_BITS + bit;
    uint64_t free = ~s->taken[w] & lane_bits(s, w, lane);
    s->low[lane] = k;
    if (free) {
      lanes_set_next(s, lane, w);
      return w * WORD_BITS + (uint32_t)__builtin_ctzll(free);
    }
    dry[k] |= UINT64_C(1) << bit;
  }
}

/* The lane has a free index. */
static uint32_t lowest_in_lane(lanes_t *s, uint32_t lane) {
  uint32_t w = s->next[lane];
  uint64_t free = ~s->taken[w] & s->next_bits[lane];
  return free ? w * WORD_BITS + (uint32_t)__builtin_ctzll(free) : search_lane(s, lane);
}

static uint32_t highest_in_lane(lanes_t *s, uint32_t lane) {
  uint64_t *dry = dry_of(s, lane);
  uint32_t k = s->high[lane];
  for (;;) {
    while (!~dry[k]) k--;
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(~dry[k]), w = k * WORD_BITS + bit;
    uint64_t free = ~s->taken[w] & lane_bits(s, w, lane);
    s->high[lane] = k;
    if (free) return w * WORD_BITS + (63 - (uint32_t)__builtin_clzll(free));
    dry[k] |= UINT64_C(1) << bit;
  }
}

uint32_t lanes_lowest(lanes_t *s, uint32_t lane) {
  return s->free_total ? lowest_in_lane(s, lane_with_room(s, lane)) : LANES_NONE;
}

uint32_t lanes_highest(lanes_t *s, uint32_t lane) {
  return s->free_total ? highest_in_lane(s, lane_with_room(s, lane)) : LANES_NONE;
}

uint32_t lanes_lowest_of(lanes_t *s, uint64_t lanes) {
  uint32_t best = LANES_NONE;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
    uint32_t i = s->free[lane] ? lowest_in_lane(s, lane) : LANES_NONE;
    if (i < best) best = i;
  }
  return best;
}

uint32_t lanes_highest_of(lanes_t *s, uint64_t lanes) {
  uint32_t best = LANES_NONE;
  for (; lanes; lanes &= lanes - 1) {
    uint32_t lane = (uint32_t)__builtin_ctzll(lanes);
    if (!s->free[lane]) continue;
    uint32_t i = highest_in_lane(s, lane);
    if (best == LANES_NONE || i > best) best = i;
  }
  return best;
}

uint32_t lanes_free_of(const lanes_t *s, uint64_t lanes) {
  uint32_t n = 0;
  for (; lanes; lanes &= lanes - 1) n += s->free[__builtin_ctzll(lanes)];
  return n;
}

uint32_t lanes_lowest_in(const lanes_t *s, uint32_t first, uint32_t count) {
  uint64_t mask = count < WORD_BITS ? (UINT64_C(1) << count) - 1 : ~UINT64_C(0);
  mask <<= first % WORD_BITS;
  for (uint32_t w = first / WORD_BITS; w <= (first + count - 1) / WORD_BITS; w++) {
    uint64_t bits = ~s->taken[w] & mask;
    if (bits) return w * WORD_BITS + (uint32_t)__builtin_ctzll(bits);
  }
  return LANES_NONE;
}

bool lanes_check(const lanes_t *s) {
  uint64_t total = 0;
  for (uint32_t lane = 0; lane < s->lanes; lane++) {
    uint64_t n = 0;
    for (uint32_t w = 0; w < s->words; w++) {
      uint32_t k = free_in_word(s, w, lane), at = w / WORD_BITS;
      bool seen =
          at >= s->low[lane] && at <= s->high[lane] && !(dry_of(s, lane)[at] >> w % WORD_BITS & 1);
      if (k && (!seen || w < s->next[lane])) return false;
      n += k;
    }
    if (n != s->free[lane]) return false;
    if (s->next_bits[lane] != lane_bits(s, s->next[lane], lane)) return false;
    total += n;
  }
  return total == s->free_total;
}
