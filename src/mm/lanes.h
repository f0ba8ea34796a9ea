#ifndef GMMU_MM_LANES_H
#define GMMU_MM_LANES_H
/* A set of free indices 0 .. count-1 that are dealt to lanes in turn, or by a hash of the index.
 *
 * Who asks for an index names a lane and gets the lowest or highest free one of that lane, or of
 * the next lane that has any. The answer depends on the set alone, not on its history: taking
 * indices and giving them back restores everything. */
#include "gmmu/mm.h"
#include "mm/host.h"
#include <assert.h>
#include <stdbool.h>

#define LANES_MAX  64 /* as there are bits in a mask of them */
#define LANES_NONE UINT32_MAX

typedef struct {
  uint64_t *taken; /* bit i of the set: index i is not free; bits beyond count are set */
  uint64_t *dry;   /* per lane a bit for each word: nothing is free there, as a search found */
  uint32_t count, words, lanes, turn_shift;
  uint32_t dry_words;                    /* per lane */
  uint64_t inverse;                      /* 2^32 / lanes, rounded up: division by multiplying */
  uint32_t functions;                    /* of a hash; 0: in turn */
  uint64_t function[MM_MAX_COLOUR_BITS]; /* bits of the index whose XOR is a bit of its lane */
  uint32_t free_total;
  uint32_t free[LANES_MAX];                 /* free indices per lane */
  uint32_t low[LANES_MAX], high[LANES_MAX]; /* words of `dry` outside low .. high are all ones */
  uint32_t next[LANES_MAX];                 /* no word below it has a free index of the lane */
  uint64_t next_bits[LANES_MAX];            /* bits of that word that are the lane's */
  uint64_t pattern[LANES_MAX]; /* bits of a word that are j lanes from that of bit 0: j further, or
                                  j by XOR */
} lanes_t;

/* The turn runs through blocks of max(64, block) indices (a power of two), and begins in each block
 * with another lane. false if the host has no memory. */
bool lanes_init(lanes_t *s, const mm_host_t *h, uint32_t count, uint32_t lanes, uint32_t block);
/* The lane of an index is its colour, as mm_colours_t describes it. */
bool lanes_init_hash(lanes_t *s, const mm_host_t *h, uint32_t count, uint32_t functions,
                     const uint64_t *function);
void lanes_fini(lanes_t *s, const mm_host_t *h);
uint32_t lanes_lowest(lanes_t *s, uint32_t lane);  /* LANES_NONE if nothing is free */
uint32_t lanes_highest(lanes_t *s, uint32_t lane); /* likewise */
/* The same of the lanes in the mask and no others; and how many are free in them. */
uint32_t lanes_lowest_of(lanes_t *s, uint64_t lanes);
uint32_t lanes_highest_of(lanes_t *s, uint64_t lanes);
uint32_t lanes_free_of(const lanes_t *s, uint64_t lanes);
/* The lowest free index of first .. first + count - 1, of any lane; LANES_NONE. `count` is a power
 * of two and divides `first`. */
uint32_t lanes_lowest_in(const lanes_t *s, uint32_t first, uint32_t count);
bool lanes_check(const lanes_t *s);
uint32_t lanes_hash(const lanes_t *s, uint64_t i); /* the lane of index i, by its colour */
void lanes_set_next(lanes_t *s, uint32_t lane, uint32_t w);

/* Were the turn the same in every block, see lanes.c. */
static inline uint32_t lanes_begin(uint32_t block) { return block * 2654435761u >> 16; }

/* The lane index i belongs to. In turn it is a remainder, by multiplying: exact below 2^32 / lanes,
 * and an index in a block (at most 2^18) plus 16 bits is. */
static inline uint32_t lanes_lane(const lanes_t *s, uint32_t i) {
  if (s->functions) return lanes_hash(s, i);
  uint32_t shift = s->turn_shift + 6; /* log2 of a block */
  uint32_t x = (i & ((1u << shift) - 1)) + lanes_begin(i >> shift);
  return x - (uint32_t)(x * s->inverse >> 32) * s->lanes;
}

static inline bool lanes_taken(const lanes_t *s, uint32_t i) {
  return s->taken[i >> 6] >> (i & 63) & 1;
}
static inline void lanes_take(lanes_t *s, uint32_t i) { /* i is free */
  assert(i < s->count && !lanes_taken(s, i));
  s->taken[i >> 6] |= UINT64_C(1) << (i & 63);
  s->free[lanes_lane(s, i)]--;
  s->free_total--;
}
static inline void lanes_give(lanes_t *s, uint32_t i) { /* i is not */
  assert(i < s->count && lanes_taken(s, i));
  uint32_t lane = lanes_lane(s, i), w = i >> 6, k = w >> 6;
  s->taken[w] &= ~(UINT64_C(1) << (i & 63));
  s->dry[(size_t)lane * s->dry_words + k] &= ~(UINT64_C(1) << (w & 63));
  s->free[lane]++;
  s->free_total++;
  if (k < s->low[lane]) s->low[lane] = k;
  if (k > s->high[lane]) s->high[lane] = k;
  if (w < s->next[lane]) lanes_set_next(s, lane, w);
}
#endif
