/* Tag store: see assoc.h for the layout. Ways beyond `ways` up to the stride stay empty for ever.
 */
#include "assoc/assoc.h"
#include <stdlib.h>
#include <string.h>

/* Four buckets per entry: most keys that are not there fall into an empty one. */
static void assoc_init_hints(assoc_t *a) {
  uint32_t bits = 2;
  while (1u << bits < 4 * a->sets * a->ways) bits++;
  a->hint_shift = 64 - bits;
  a->hint = calloc((size_t)1 << bits, sizeof *a->hint);
}

int assoc_init(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl, err_t *e) {
  memset(a, 0, sizeof *a);
  if (ways > ASSOC_MAX_WAYS)
    return err_set(e, GMMU_ERANGE, "%u ways in a set; at most %u", ways, ASSOC_MAX_WAYS);
  a->sets = sets;
  a->ways = ways;
  a->stride = (ways + 3) & ~3u;
  a->repl = repl_find(repl);
  if (!a->repl) return err_set(e, GMMU_ENOENT, "no replacement policy \"%s\"", repl);
  size_t n = (size_t)sets * a->stride;
  a->digest = aligned_alloc(64, (n * sizeof *a->digest + 63) & ~(size_t)63);
  a->key = calloc(n, sizeof *a->key);
  a->used = calloc(sets, sizeof *a->used);
  a->repl_state = calloc(1, a->repl->state_bytes(sets, ways));
  if (ways > ASSOC_SCAN) assoc_init_hints(a);
  if (!a->digest || !a->key || !a->used || !a->repl_state || (ways > ASSOC_SCAN && !a->hint)) {
    assoc_fini(a);
    return err_set(e, GMMU_ENOMEM, "out of memory for %u x %u entries", sets, ways);
  }
  memset(a->digest, 0, n * sizeof *a->digest);
  a->repl->init(a->repl_state, sets, ways);
  a->order = a->repl->packed ? a->repl->packed(a->repl_state) : NULL;
  return GMMU_OK;
}

void assoc_fini(assoc_t *a) {
  free(a->digest);
  free(a->key);
  free(a->used);
  free(a->hint);
  free(a->repl_state);
  memset(a, 0, sizeof *a);
}

/* Sixteen digests at a time; the last group may be shorter. */
uint32_t assoc_find_wide(const assoc_t *a, uint32_t set, uint64_t key) {
  uint32_t base = set * a->stride, end = base + a->stride, d = assoc_digest(key);
  for (uint32_t at = base; at < end; at += 16)
    for (uint32_t m = assoc_match(a->digest + at, end - at < 16 ? end - at : 16, d); m;
         m &= m - 1) {
      uint32_t i = at + (uint32_t)__builtin_ctz(m);
      if (a->key[i] != key) continue;
      assoc_hint(a, key)->entry = i;
      return i;
    }
  return ASSOC_NONE;
}

static uint32_t assoc_empty_way(const assoc_t *a, uint32_t set) {
  uint32_t w = a->holes ? 0 : a->used[set], base = set * a->stride;
  while (a->digest[base + w]) w++;
  return w;
}

uint32_t assoc_fill_slow(assoc_t *a, uint32_t set, uint64_t key, uint32_t hint, bool *evicted,
                         uint64_t *old) {
  uint32_t base = set * a->stride, way;
  *evicted = a->used[set] == a->ways;
  if (!*evicted) {
    way = assoc_empty_way(a, set);
    a->used[set]++;
    a->repl->fill(a->repl_state, set, way, hint);
  } else {
    way = a->repl->victim(a->repl_state, set, hint);
    *old = a->key[base + way];
    if (a->hint) assoc_hint(a, *old)->count--;
  }
  if (a->hint) {
    assoc_hint_t *h = assoc_hint(a, key);
    h->count++;
    h->entry = base + way;
  }
  a->digest[base + way] = assoc_digest(key);
  a->key[base + way] = key;
  return base + way;
}

void assoc_drop(assoc_t *a, uint32_t entry) {
  if (a->hint) assoc_hint(a, a->key[entry])->count--;
  a->digest[entry] = 0;
  a->used[entry / a->stride]--;
  a->holes = true;
}

void assoc_clear(assoc_t *a) {
  for (uint32_t i = 0; i < assoc_size(a); i++)
    if (assoc_valid(a, i)) assoc_drop(a, i);
  a->holes = false;
}

bool assoc_check(const assoc_t *a) {
  for (uint32_t s = 0; s < a->sets; s++)
    for (uint32_t i = s * a->stride; i < (s + 1) * a->stride; i++) {
      if (!a->digest[i]) continue;
      if (i - s * a->stride >= a->ways || assoc_find(a, s, a->key[i]) != i) return false;
      for (uint32_t j = i + 1; j < (s + 1) * a->stride; j++)
        if (a->digest[j] && a->key[j] == a->key[i]) return false;
    }
  return true;
}
