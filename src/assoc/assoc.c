/* Tag store: see assoc.h for the layout. Ways beyond `ways` up to the stride stay empty for ever.
 */
#include "assoc/assoc.h"
#include <stdlib.h>
#include <string.h>

int assoc_init(assoc_t *a, uint32_t sets, uint32_t ways, const char *repl, err_t *e) {
  memset(a, 0, sizeof *a);
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
  if (!a->digest || !a->key || !a->used || !a->repl_state) {
    assoc_fini(a);
    return err_set(e, GMMU_ENOMEM, "out of memory for %u x %u entries", sets, ways);
  }
  if (ways > ASSOC_SCAN && map_init(&a->index, sets * ways) < 0) {
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
  map_fini(&a->index);
  free(a->repl_state);
  memset(a, 0, sizeof *a);
}

static uint32_t assoc_empty_way(const assoc_t *a, uint32_t base) {
  uint32_t w = 0;
  while (a->digest[base + w]) w++;
  return w;
}

uint32_t assoc_fill_slow(assoc_t *a, uint32_t set, uint64_t key, uint32_t hint, bool *evicted,
                         uint64_t *old) {
  uint32_t base = set * a->stride, way;
  *evicted = a->used[set] == a->ways;
  if (!*evicted) {
    way = assoc_empty_way(a, base);
    a->used[set]++;
    a->repl->fill(a->repl_state, set, way, hint);
  } else {
    way = a->repl->victim(a->repl_state, set, hint);
    *old = a->key[base + way];
    if (a->ways > ASSOC_SCAN) map_del(&a->index, *old);
  }
  if (a->ways > ASSOC_SCAN) map_put(&a->index, key, base + way);
  a->digest[base + way] = assoc_digest(key);
  a->key[base + way] = key;
  return base + way;
}

void assoc_drop(assoc_t *a, uint32_t entry) {
  if (a->ways > ASSOC_SCAN) map_del(&a->index, a->key[entry]);
  a->digest[entry] = 0;
  a->used[entry / a->stride]--;
}

void assoc_clear(assoc_t *a) {
  for (uint32_t i = 0; i < assoc_size(a); i++)
    if (assoc_valid(a, i)) assoc_drop(a, i);
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
