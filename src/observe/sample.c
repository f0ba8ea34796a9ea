/* Invariant: exactly the walks below `seen` whose hash ends in `shift` zero bits are in `at`. */
#include "observe/sample.h"
#include "base/rng.h"
#include <stdbool.h>
#include <stdlib.h>

int walk_sample_init(walk_sample_t *s, uint32_t capacity) {
  *s = (walk_sample_t){.at = calloc(capacity, sizeof *s->at), .capacity = capacity};
  return s->at ? GMMU_OK : GMMU_ENOMEM;
}

void walk_sample_fini(walk_sample_t *s) { free(s->at); }

/* Hash 0 for number 0 would keep the first walk for ever. */
static bool is_kept(const walk_sample_t *s, uint64_t number) {
  return !(rng_mix(number + 0x9e3779b97f4a7c15u) & ((1ull << s->shift) - 1));
}

static void thin_out(walk_sample_t *s) {
  uint32_t left = 0;
  s->shift++;
  for (uint32_t i = 0; i < s->count; i++)
    if (is_kept(s, s->at[i].number)) s->at[left++] = s->at[i];
  s->count = left;
}

void walk_sample_add(walk_sample_t *s, const sampled_walk_t *w) {
  uint64_t number = s->seen++;
  while (is_kept(s, number) && s->count == s->capacity) thin_out(s);
  if (!is_kept(s, number)) return;
  s->at[s->count] = *w;
  s->at[s->count++].number = number;
}
