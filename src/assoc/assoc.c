/* Tag store: see assoc.h for the layout. Ways beyond `ways` up to the stride stay empty for ever.
 */
#include "assoc/assoc.h"
#include "base/inline.h"
#include <stdlib.h>
#include <string.h>

/* Four buckets per entry: most keys that are not there fall into an empty one. */
static bool assoc_init_chains(assoc_t *a) {
  uint32_t bits = 2;
  while (1u << bits < 4 * a->sets * a->ways) bits++;
  a->bucket_shift = 64 - bits;
  a->bucket = malloc(sizeof *a->bucket << bits);
  a->chain = calloc(assoc_size(a), sizeof *a->chain);
  if (!a->bucket || !a->chain) return false;
  for (uint32_t i = 0; i < 1u << bits; i++) a->bucket[i] = ASSOC_NONE;
  return true;
}

int assoc_init(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl, err_t *e) {
  return assoc_init_tuned(a, sets, ways, repl, NULL, e);
}

int assoc_init_tuned(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl,
                     const depot_spec_t *spec, err_t *e) {
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
  a->repl_state = repl_new(a->repl, sets, ways, spec);
  if (!a->digest || !a->key || !a->used || !a->repl_state ||
      (ways > ASSOC_SCAN && !assoc_init_chains(a))) {
    assoc_fini(a);
    return err_set(e, GMMU_ENOMEM, "out of memory for %u x %u entries", sets, ways);
  }
  memset(a->digest, 0, n * sizeof *a->digest);
  a->order = a->repl->packed ? a->repl->packed(a->repl_state) : NULL;
  a->ring = a->repl->ring ? a->repl->ring(a->repl_state) : NULL;
  return GMMU_OK;
}

void assoc_fini(assoc_t *a) {
  free(a->digest);
  free(a->key);
  free(a->used);
  free(a->bucket);
  free(a->chain);
  free(a->repl_state);
  free(a->pinned);
  memset(a, 0, sizeof *a);
}

/* The policy is called for every choice: it may have to make another one. */
int assoc_allow_pins(assoc_t *a, err_t *e) {
  a->pinned = calloc(assoc_size(a), sizeof *a->pinned);
  a->order = NULL;
  a->ring = NULL;
  return a->pinned ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory for pinned entries");
}

static uint32_t assoc_empty_way(const assoc_t *a, uint32_t set) {
  uint32_t w = a->holes ? 0 : a->used[set], base = set * a->stride;
  while (a->digest[base + w]) w++;
  return w;
}

#define VICTIMS_ASKED 64 /* for each way; then any that is not pinned */
NEVER_INLINE uint32_t victim_but_pinned(const assoc_t *a, uint32_t set, uint32_t hint) {
  const uint8_t *pinned = &a->pinned[set * a->stride];
  uint32_t way = a->repl->victim(a->repl_state, set, hint);
  for (uint32_t i = 0; pinned[way] && i < VICTIMS_ASKED * a->ways; i++)
    way = a->repl->victim(a->repl_state, set, hint);
  for (uint32_t i = 0; pinned[way] && i < a->ways; i++) way = i;
  return way;
}

assoc_filled_t assoc_fill_slow(assoc_t *a, uint32_t set, uint64_t key, uint32_t hint) {
  assoc_filled_t f = {.entry = set * a->stride, .evicted = a->used[set] == a->ways};
  if (!f.evicted) {
    uint32_t way = assoc_empty_way(a, set);
    a->used[set]++;
    a->repl->fill(a->repl_state, set, way, hint);
    f.entry += way;
  } else {
    f.entry +=
        a->pinned ? victim_but_pinned(a, set, hint) : a->repl->victim(a->repl_state, set, hint);
    f.old = a->key[f.entry];
    if (a->bucket) assoc_unlink(a, f.entry);
  }
  if (a->bucket) assoc_link(a, f.entry, assoc_hash(key));
  a->digest[f.entry] = assoc_digest(assoc_hash(key));
  a->key[f.entry] = key;
  if (a->repl->came) {
    repl_notes_t n = a->repl->came(a->repl_state, set, f.entry - set * a->stride, key);
    f.returned = n.returned, f.spared = n.spared;
    if (f.evicted) a->repl->left(a->repl_state, f.old);
  }
  return f;
}

void assoc_drop(assoc_t *a, uint32_t entry) {
  if (a->bucket) assoc_unlink(a, entry);
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
