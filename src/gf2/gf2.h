#ifndef GMMU_GF2_H
#define GMMU_GF2_H
/* Linear algebra over GF(2), on vectors of 64 bits. A hash function that is the XOR of address bits
 * is a vector: the mask of those bits; its value is the parity of mask & address. Which addresses
 * share a bank depends on the row space of the bank's functions alone, not on the list that was
 * found, so two results are compared as spaces. */
#include <stdbool.h>
#include <stdint.h>

#define GF2_DIM 64

/* A subspace by its one basis in reduced echelon form "from below": the pivot of a row is its
 * lowest bit, pivots ascend, and no other row has that bit. Rows from `rank` on are 0. Two equal
 * spaces have equal bytes. */
typedef struct {
  uint32_t rank;
  uint64_t row[GF2_DIM];
} gf2_space_t;

static inline uint32_t gf2_parity(uint64_t x) { return (uint32_t)__builtin_parityll(x); }
static inline uint32_t gf2_pivot(uint64_t row) { return (uint32_t)__builtin_ctzll(row); }

void gf2_init(gf2_space_t *s); /* the zero space */
/* Adds a vector; false if it was in the space already. */
bool gf2_add(gf2_space_t *s, uint64_t v);
/* The space that `count` vectors span; returns its rank. */
uint32_t gf2_span(gf2_space_t *s, const uint64_t *v, uint32_t count);
/* v less a vector of the space, so that no pivot bit is left: 0 exactly if v is in the space. */
uint64_t gf2_reduce(const gf2_space_t *s, uint64_t v);
bool gf2_has(const gf2_space_t *s, uint64_t v);
bool gf2_equal(const gf2_space_t *a, const gf2_space_t *b);
bool gf2_within(const gf2_space_t *a, const gf2_space_t *b); /* a is a subspace of b */

/* `out` may be one of the arguments. */
void gf2_sum(const gf2_space_t *a, const gf2_space_t *b, gf2_space_t *out);
void gf2_meet(const gf2_space_t *a, const gf2_space_t *b, gf2_space_t *out); /* intersection */
/* All x of the bits in `width` with even parity under every row: the null space. */
void gf2_null(const gf2_space_t *s, uint64_t width, gf2_space_t *out);
/* The vectors of the space that have no bit below `shift`. */
void gf2_above(const gf2_space_t *s, uint32_t shift, gf2_space_t *out);
/* Vectors that together with `sub`, which lies in `s`, span `s`: as many as the ranks differ by.
 * Those of `prefer` come first as they are, if they serve. */
uint32_t gf2_complement(const gf2_space_t *s, const gf2_space_t *sub, const uint64_t *prefer,
                        uint32_t count, uint64_t out[GF2_DIM]);
/* For n functions of n bits: x[i] is the vector on which function i is 1 and all others are 0.
 * False if the functions are dependent. */
bool gf2_invert(const uint64_t *f, uint32_t n, uint64_t x[GF2_DIM]);
/* The pivots, a bit each. */
uint64_t gf2_pivots(const gf2_space_t *s);

/* ---- a linear map in tables: one look-up per byte of the argument ---- */

#define GF2_MAP_BYTES 5
typedef struct {
  uint32_t bytes; /* of the argument that matter */
  uint64_t image[GF2_MAP_BYTES][256];
} gf2_map_t;

/* image_of_bit[i] is what bit i of the argument maps to; bits <= 8 * GF2_MAP_BYTES. */
void gf2_map_init(gf2_map_t *m, const uint64_t *image_of_bit, uint32_t bits);
static inline uint64_t gf2_map(const gf2_map_t *m, uint64_t x) {
  uint64_t y = 0;
  for (uint32_t i = 0; i < m->bytes; i++) y ^= m->image[i][x >> 8 * i & 255];
  return y;
}
#endif
