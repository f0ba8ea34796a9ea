/* From differences to functions. A subsample without a false difference spans the null space of the
 * functions, if it has a few vectors more than that has dimensions, and all such subsamples give
 * one and the same space; a false difference takes functions away, each time others. So the space
 * that most subsamples give is the right one. Invariant: a space is compared in its canonical form,
 * so equal ones are counted as one. */
#include "solver/internal.h"
#include <stdlib.h>

#define SPARE                                                                                      \
  8 /* vectors above the dimension: a random square misses a dimension once in 2^SPARE */

static void subsample(search_t *s, const diffs_t *d, uint32_t want, gf2_space_t *f) {
  gf2_space_t span;
  uint64_t pick[DIFFS_MAX];
  uint32_t n = d->count;
  for (uint32_t i = 0; i < n; i++) pick[i] = d->d[i];
  gf2_init(&span);
  for (uint32_t i = 0; i < want && i < n; i++) { /* without putting back */
    uint32_t k = i + rng_below(&s->rng, n - i);
    uint64_t v = pick[k];
    pick[k] = pick[i];
    gf2_add(&span, v & s->width);
  }
  gf2_null(&span, s->width, f);
}

void vote_functions(search_t *s, const diffs_t *d, gf2_space_t *f) {
  gf2_space_t *seen = malloc(sizeof *seen * VOTES);
  uint32_t votes[VOTES] = {0}, count = 0, best = 0;
  uint32_t want = (uint32_t)__builtin_popcountll(s->width) + SPARE;
  gf2_init(f);
  if (!seen) return;
  for (uint32_t v = 0; v < VOTES; v++) {
    gf2_space_t g;
    uint32_t i = 0;
    subsample(s, d, want, &g);
    while (i < count && !gf2_equal(&seen[i], &g)) i++;
    if (i == count) seen[count++] = g;
    votes[i]++;
  }
  /* Many subsamples with a false difference may agree on "nothing": a larger space that was given
   * more than once is no accident. */
  for (uint32_t i = 1; i < count; i++) {
    bool larger = seen[i].rank > seen[best].rank;
    if ((larger && votes[i] > 1) || (seen[i].rank == seen[best].rank && votes[i] > votes[best]) ||
        (votes[best] == 1 && votes[i] > 1))
      best = i;
  }
  *f = seen[best];
  free(seen);
}

/* ---- the verdict ---- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* tries / hits, if that is near a whole number which is no power of two; else 0. */
static uint32_t odd_factor(uint32_t hits, uint32_t tries) {
  for (uint32_t f = 3; f < 8; f++)
    if ((f & (f - 1)) && 5 * f * hits >= 4 * tries && 5 * f * hits <= 6 * tries) return f;
  return 0;
}

void judge(solved_t *f, uint32_t hits, uint32_t tries, uint32_t wrong, uint32_t others) {
  uint32_t recall = tries ? 100 * hits / tries : 0;
  uint32_t rejected = others ? 100 - 100 * wrong / others : 100;
  f->confidence = least(recall, rejected);
  if (recall >= 90 && rejected >= 90 && f->space.rank)
    f->verdict = SOLVED;
  else if (rejected >= 90 && f->space.rank && (f->factor = odd_factor(hits, tries)))
    f->verdict = NOT_POWER_OF_2;
  else {
    f->verdict = NOT_LINEAR;
    gf2_init(&f->space); /* nothing of it is certain */
  }
}
