#ifndef GMMU_MM_STRIPES_H
#define GMMU_MM_STRIPES_H
/* A set of free indices 0 .. count-1 that are dealt to stripes in turn, or by a hash of the index.
 *
 * Who asks for an index names a stripe and gets the lowest or highest free one of that stripe, or
 * of the next stripe that has any. The answer depends on the set alone, not on its history: taking
 * indices and giving them back restores everything. */
#include "gmmu/mm.h"
#include "mm/host.h"
#include <assert.h>
#include <stdbool.h>

#define STRIPES_MAX  64 /* as there are bits in a mask of them */
#define STRIPES_NONE UINT32_MAX

typedef struct {
  uint64_t *taken; /* bit i of the set: index i is not free; bits beyond count are set */
  uint64_t *dry;   /* per stripe a bit for each word: nothing is free there, as a search found */
  uint32_t count, words, stripes, turn_shift;
  uint32_t dry_words;                    /* per stripe */
  uint64_t inverse;                      /* 2^32 / stripes, rounded up: division by multiplying */
  uint32_t functions;                    /* of a hash; 0: in turn */
  uint64_t function[MM_MAX_COLOUR_BITS]; /* bits of the index whose XOR is a bit of its stripe */
  uint32_t free_total;
  uint32_t free[STRIPES_MAX]; /* free indices per stripe */
  uint32_t low[STRIPES_MAX],
      high[STRIPES_MAX];           /* words of `dry` outside low .. high are all ones */
  uint32_t next[STRIPES_MAX];      /* no word below it has a free index of the stripe */
  uint64_t next_bits[STRIPES_MAX]; /* bits of that word that are the stripe's */
  uint64_t pattern[STRIPES_MAX]; /* bits of a word that are j stripes from that of bit 0: j further,
                                  or j by XOR */
} stripes_t;

/* The turn runs through blocks of max(64, block) indices (a power of two), and begins in each block
 * with another stripe. false if the host has no memory. */
bool stripes_init(stripes_t *s, const mm_host_t *h, uint32_t count, uint32_t stripes,
                  uint32_t block);
/* The stripe of an index is its colour, as mm_colours_t describes it. */
bool stripes_init_hash(stripes_t *s, const mm_host_t *h, uint32_t count, uint32_t functions,
                       const uint64_t *function);
void stripes_fini(stripes_t *s, const mm_host_t *h);
uint32_t stripes_lowest(stripes_t *s, uint32_t stripe);  /* STRIPES_NONE if nothing is free */
uint32_t stripes_highest(stripes_t *s, uint32_t stripe); /* likewise */
/* The same of the stripes in the mask and no others; and how many are free in them. */
uint32_t stripes_lowest_of(stripes_t *s, uint64_t stripes);
uint32_t stripes_highest_of(stripes_t *s, uint64_t stripes);
uint32_t stripes_free_of(const stripes_t *s, uint64_t stripes);
/* The lowest free index of first .. first + count - 1, of any stripe; STRIPES_NONE. `count` is a
 * power of two and divides `first`. */
uint32_t stripes_lowest_in(const stripes_t *s, uint32_t first, uint32_t count);
bool stripes_check(const stripes_t *s);
uint32_t stripes_hash(const stripes_t *s, uint64_t i); /* the stripe of index i, by its colour */
void stripes_set_next(stripes_t *s, uint32_t stripe, uint32_t w);

/* Were the turn the same in every block, see stripes.c. */
static inline uint32_t stripes_begin(uint32_t block) { return block * 2654435761u >> 16; }

/* The stripe index i belongs to. In turn it is a remainder, by multiplying: exact below 2^32 /
 * stripes, and an index in a block (at most 2^18) plus 16 bits is. */
static inline uint32_t stripe_of(const stripes_t *s, uint32_t i) {
  if (s->functions) return stripes_hash(s, i);
  uint32_t shift = s->turn_shift + 6; /* log2 of a block */
  uint32_t x = (i & ((1u << shift) - 1)) + stripes_begin(i >> shift);
  return x - (uint32_t)(x * s->inverse >> 32) * s->stripes;
}

static inline bool stripes_taken(const stripes_t *s, uint32_t i) {
  return s->taken[i >> 6] >> (i & 63) & 1;
}
static inline void stripes_take(stripes_t *s, uint32_t i) { /* i is free */
  assert(i < s->count && !stripes_taken(s, i));
  s->taken[i >> 6] |= UINT64_C(1) << (i & 63);
  s->free[stripe_of(s, i)]--;
  s->free_total--;
}
static inline void stripes_give(stripes_t *s, uint32_t i) { /* i is not */
  assert(i < s->count && stripes_taken(s, i));
  uint32_t stripe = stripe_of(s, i), w = i >> 6, k = w >> 6;
  s->taken[w] &= ~(UINT64_C(1) << (i & 63));
  s->dry[(size_t)stripe * s->dry_words + k] &= ~(UINT64_C(1) << (w & 63));
  s->free[stripe]++;
  s->free_total++;
  if (k < s->low[stripe]) s->low[stripe] = k;
  if (k > s->high[stripe]) s->high[stripe] = k;
  if (w < s->next[stripe]) stripes_set_next(s, stripe, w);
}
#endif
