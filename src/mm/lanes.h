#ifndef GMMU_MM_LANES_H
#define GMMU_MM_LANES_H
/* A set of free indices 0 .. count-1 that are dealt to lanes in turn, or by a hash of the index.
 *
 * Who asks for an index names a lane and gets the lowest or highest free one of that lane, or of
 * the next lane that has any. The answer depends on the set alone, not on its history: taking
 * indices and giving them back restores everything. */
#include "gmmu/mm.h"
#include "mm/host.h"
#include <stdbool.h>

#define LANES_MAX  64 /* as there are bits in a mask of them */
#define LANES_NONE UINT32_MAX

typedef struct {
  uint64_t *taken; /* bit i of the set: index i is not free; bits beyond count are set */
  uint32_t count, words, lanes, turn_shift;
  uint32_t functions;                    /* of a hash; 0: in turn */
  uint64_t function[MM_MAX_COLOUR_BITS]; /* bits of the index whose XOR is a bit of its lane */
  uint32_t free_total;
  uint32_t free[LANES_MAX];                 /* free indices per lane */
  uint32_t low[LANES_MAX], high[LANES_MAX]; /* words outside low .. high have none of the lane */
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
uint32_t lanes_lane(const lanes_t *s, uint32_t i); /* the lane index i belongs to */
uint32_t lanes_lowest(lanes_t *s, uint32_t lane);  /* LANES_NONE if nothing is free */
uint32_t lanes_highest(lanes_t *s, uint32_t lane); /* likewise */
/* The same of the lanes in the mask and no others; and how many are free in them. */
uint32_t lanes_lowest_of(lanes_t *s, uint64_t lanes);
uint32_t lanes_highest_of(lanes_t *s, uint64_t lanes);
uint32_t lanes_free_of(const lanes_t *s, uint64_t lanes);
/* The lowest free index of first .. first + count - 1, of any lane; LANES_NONE. `count` is a power
 * of two and divides `first`. */
uint32_t lanes_lowest_in(const lanes_t *s, uint32_t first, uint32_t count);
void lanes_take(lanes_t *s, uint32_t i); /* i is free */
void lanes_give(lanes_t *s, uint32_t i); /* i is not */
bool lanes_check(const lanes_t *s);

static inline bool lanes_taken(const lanes_t *s, uint32_t i) {
  return s->taken[i >> 6] >> (i & 63) & 1;
}
#endif
