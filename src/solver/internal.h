#ifndef GMMU_SOLVER_INTERNAL_H
#define GMMU_SOLVER_INTERNAL_H
/* Shared between the files of this room only. */
#include "base/rng.h"
#include "solver/solver.h"

#define BATCH      4096 /* pairs of one question */
#define DIFFS_MAX  256  /* differences that vote */
#define VOTES      101  /* subsamples */
#define REPEAT_MAX 9
#define PAGES      128 /* that addresses are taken from: every TLB has so many */
#define COLUMNS    16

typedef struct {
  const oracle_t *o;
  rng_t rng;
  uint64_t width;           /* address bits that can differ */
  uint32_t bits;            /* of an address */
  uint64_t page[PAGES];     /* where random addresses are; the bits above a page */
  uint64_t column[COLUMNS]; /* differences inside a row, as far as they were found */
  uint32_t columns;
  solver_report_t *r;
  err_t *e;
} search_t;

/* Differences of pairs that agree, most of them truly. */
typedef struct {
  uint64_t d[DIFFS_MAX];
  uint32_t count;
} diffs_t;

/* An address of the device, and one that differs from a given one by `d`, which it returns false
 * for if there is none. */
uint64_t any_address(search_t *s);
/* The same in the bank of `a`, as far as bank functions are known. */
uint64_t any_in_bank(search_t *s, uint64_t a);
bool any_pair(search_t *s, uint64_t d, oracle_pair_t *p);
/* A random vector of the space. */
uint64_t any_of(search_t *s, const gf2_space_t *space);

/* ---- stat.c ---- */
uint32_t median(uint32_t *v, uint32_t n); /* sorts */
void sort_times(uint32_t *v, uint32_t n);
/* In sorted times the largest step: *cut lies in its middle. Returns its height. */
uint32_t widest_step(const uint32_t *v, uint32_t n, uint32_t *cut);
/* Times of each pair, medians of `repeat` batches. */
int median_pairs(search_t *s, const oracle_pair_t *p, uint32_t n, uint32_t repeat, uint32_t *out);
int median_chains(search_t *s, const oracle_chain_t *c, uint32_t n, uint32_t repeat, uint32_t *out);

/* ---- vote.c ---- */
/* The functions under which most differences are even. */
void vote_functions(search_t *s, const diffs_t *d, gf2_space_t *f);
/* `hits` of `tries` pairs that should agree did, `wrong` of `others` that should not. */
void judge(solved_t *f, uint32_t hits, uint32_t tries, uint32_t wrong, uint32_t others);

/* ---- banks.c, sets.c, mshrs.c ---- */
int find_banks(search_t *s);
int find_sets(search_t *s);
int find_mshrs(search_t *s);
#endif
