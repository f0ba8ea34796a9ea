/* Spaces are kept reduced at every step: a new vector is cleared of all pivots, put in its place by
 * its lowest bit, and that bit is cleared from the other rows. Invariant: gf2.h's canonical form,
 * so gf2_equal() compares rows. */
#include "gf2/gf2.h"
#include <string.h>

void gf2_init(gf2_space_t *s) { memset(s, 0, sizeof *s); }

uint64_t gf2_reduce(const gf2_space_t *s, uint64_t v) {
  for (uint32_t i = 0; i < s->rank; i++)
    if (v >> gf2_pivot(s->row[i]) & 1) v ^= s->row[i];
  return v;
}

bool gf2_add(gf2_space_t *s, uint64_t v) {
  v = gf2_reduce(s, v);
  if (!v) return false;
  uint32_t pivot = gf2_pivot(v), at = s->rank;
  for (uint32_t i = 0; i < s->rank; i++)
    if (s->row[i] >> pivot & 1) s->row[i] ^= v;
  for (; at && gf2_pivot(s->row[at - 1]) > pivot; at--) s->row[at] = s->row[at - 1];
  s->row[at] = v;
  s->rank++;
  return true;
}

uint32_t gf2_span(gf2_space_t *s, const uint64_t *v, uint32_t count) {
  gf2_init(s);
  for (uint32_t i = 0; i < count; i++) gf2_add(s, v[i]);
  return s->rank;
}

bool gf2_has(const gf2_space_t *s, uint64_t v) { return gf2_reduce(s, v) == 0; }

bool gf2_equal(const gf2_space_t *a, const gf2_space_t *b) {
  return a->rank == b->rank && memcmp(a->row, b->row, a->rank * sizeof *a->row) == 0;
}

bool gf2_within(const gf2_space_t *a, const gf2_space_t *b) {
  for (uint32_t i = 0; i < a->rank; i++)
    if (!gf2_has(b, a->row[i])) return false;
  return true;
}

void gf2_sum(const gf2_space_t *a, const gf2_space_t *b, gf2_space_t *out) {
  gf2_space_t sum = *a;
  for (uint32_t i = 0; i < b->rank; i++) gf2_add(&sum, b->row[i]);
  *out = sum;
}

uint64_t gf2_pivots(const gf2_space_t *s) {
  uint64_t mask = 0;
  for (uint32_t i = 0; i < s->rank; i++) mask |= s->row[i] & -s->row[i];
  return mask;
}

/* Each free bit gives one solution: the bit itself and the pivots of the rows that have it. */
void gf2_null(const gf2_space_t *s, uint64_t width, gf2_space_t *out) {
  gf2_space_t in, null;
  gf2_init(&in);
  gf2_init(&null);
  for (uint32_t i = 0; i < s->rank; i++) gf2_add(&in, s->row[i] & width);
  for (uint64_t left = width & ~gf2_pivots(&in); left; left &= left - 1) {
    uint64_t bit = left & -left, x = bit;
    for (uint32_t i = 0; i < in.rank; i++)
      if (in.row[i] & bit) x |= in.row[i] & -in.row[i];
    gf2_add(&null, x);
  }
  *out = null;
}

/* What both spaces have is what is orthogonal to everything that either lacks. */
void gf2_meet(const gf2_space_t *a, const gf2_space_t *b, gf2_space_t *out) {
  gf2_space_t lacks, more;
  gf2_null(a, UINT64_MAX, &lacks);
  gf2_null(b, UINT64_MAX, &more);
  gf2_sum(&lacks, &more, &lacks);
  gf2_null(&lacks, UINT64_MAX, out);
}

/* A sum with a row whose pivot lies below `shift` has that bit: no other row could cancel it. */
void gf2_above(const gf2_space_t *s, uint32_t shift, gf2_space_t *out) {
  gf2_space_t above;
  gf2_init(&above);
  for (uint32_t i = 0; i < s->rank; i++)
    if (gf2_pivot(s->row[i]) >= shift) above.row[above.rank++] = s->row[i];
  *out = above;
}

uint32_t gf2_complement(const gf2_space_t *s, const gf2_space_t *sub, const uint64_t *prefer,
                        uint32_t count, uint64_t out[GF2_DIM]) {
  gf2_space_t have = *sub;
  uint32_t n = 0;
  for (uint32_t i = 0; i < count; i++)
    if (gf2_has(s, prefer[i]) && gf2_add(&have, prefer[i])) out[n++] = prefer[i];
  for (uint32_t i = 0; i < s->rank; i++)
    if (gf2_add(&have, s->row[i])) out[n++] = s->row[i];
  return n;
}

/* Gauss-Jordan: what turns f into the identity turns the identity, kept in `sum`, into its inverse:
 * row `bit` of that tells which functions are 1 on that bit's unit vector. */
bool gf2_invert(const uint64_t *f, uint32_t n, uint64_t x[GF2_DIM]) {
  uint64_t row[GF2_DIM], sum[GF2_DIM], of_bit[GF2_DIM];
  uint64_t used = 0;
  for (uint32_t i = 0; i < n; i++) row[i] = f[i], sum[i] = 1ull << i, x[i] = 0;
  for (uint32_t bit = 0; bit < n; bit++) {
    uint32_t p = 0;
    while (p < n && (used >> p & 1 || !(row[p] >> bit & 1))) p++;
    if (p == n) return false;
    used |= 1ull << p;
    of_bit[bit] = p;
    for (uint32_t i = 0; i < n; i++)
      if (i != p && row[i] >> bit & 1) row[i] ^= row[p], sum[i] ^= sum[p];
  }
  for (uint32_t bit = 0; bit < n; bit++)
    for (uint32_t i = 0; i < n; i++) x[i] |= (sum[of_bit[bit]] >> i & 1) << bit;
  return true;
}

void gf2_map_init(gf2_map_t *m, const uint64_t *image_of_bit, uint32_t bits) {
  memset(m, 0, sizeof *m);
  m->bytes = (bits + 7) / 8;
  for (uint32_t i = 0; i < m->bytes; i++)
    for (uint32_t x = 1; x < 256; x++) {
      uint32_t low = gf2_pivot(x), bit = 8 * i + low;
      m->image[i][x] = m->image[i][x & (x - 1)] ^ (bit < bits ? image_of_bit[bit] : 0);
    }
}
