/* A table of regions that only grows, a hash over it, bit sets beside it.
 *
 * Invariants: `here` is the number of bits in PAGES_HERE; the regions in the list from `oldest` to
 * `newest` are those where it is not 0; a page is not both here and coming. */
#include "paging/regions.h"
#include <stdlib.h>
#include <string.h>

void regions_init(regions_t *r, uint32_t pages_shift, uint32_t base_shift) {
  uint32_t block = base_shift < 16 ? 16 - base_shift : 0; /* log2 of REGION_BLOCK_BYTES */
  memset(r, 0, sizeof *r);
  r->oldest = r->newest = REGION_NONE;
  r->pages_shift = pages_shift;
  r->block_shift = block < pages_shift ? block : pages_shift;
  r->blocks = 1u << (pages_shift - r->block_shift);
  r->words = pages_shift > 6 ? 1u << (pages_shift - 6) : 1;
}

void regions_fini(regions_t *r) {
  free(r->at);
  free(r->bits);
  free(r->used);
  free(r->slot);
}

/* ---- the table ---- */

static uint64_t key_of(const regions_t *r, asid_t asid, vpn_t vpn) {
  return (uint64_t)asid << 56 | vpn.v >> r->pages_shift << r->pages_shift;
}

/* Where the key is, or would be. */
static uint32_t *slot_of(const regions_t *r, uint64_t key) {
  uint32_t mask = 2 * r->capacity - 1;
  uint32_t i = (uint32_t)((key >> r->pages_shift) * 0x9e3779b97f4a7c15u >> 32) & mask;
  while (r->slot[i] && r->at[r->slot[i] - 1].key != key) i = (i + 1) & mask;
  return &r->slot[i];
}

uint32_t regions_find(const regions_t *r, asid_t asid, vpn_t vpn) {
  if (!r->count) return REGION_NONE;
  return *slot_of(r, key_of(r, asid, vpn)) - 1; /* REGION_NONE if it is 0 */
}

/* Each array is enlarged before any is used, and what did grow stays when the next cannot. */
static int grow(regions_t *r) {
  uint32_t n = r->capacity ? 2 * r->capacity : 64;
  size_t words = (size_t)PAGE_SETS * r->words;
  region_t *at = realloc(r->at, n * sizeof *at);
  if (at) r->at = at;
  uint64_t *bits = realloc(r->bits, n * words * sizeof *bits);
  if (bits) r->bits = bits;
  uint64_t *used = realloc(r->used, (size_t)n * r->blocks * sizeof *used);
  if (used) r->used = used;
  uint32_t *slot = calloc(2 * (size_t)n, sizeof *slot);
  if (!at || !bits || !used || !slot) {
    free(slot);
    return GMMU_ENOMEM;
  }
  free(r->slot);
  r->slot = slot;
  r->capacity = n;
  for (uint32_t i = 0; i < r->count; i++) *slot_of(r, r->at[i].key) = i + 1;
  return GMMU_OK;
}

static int add_region(regions_t *r, uint64_t key) {
  if (r->count == r->capacity) {
    int rc = grow(r);
    if (rc < 0) return rc;
  }
  uint32_t *slot = slot_of(r, key), i = r->count;
  if (*slot) return GMMU_OK;
  size_t words = (size_t)PAGE_SETS * r->words;
  r->at[i] = (region_t){.key = key, .older = REGION_NONE, .newer = REGION_NONE};
  memset(r->bits + i * words, 0, words * sizeof *r->bits);
  memset(r->used + (size_t)i * r->blocks, 0, r->blocks * sizeof *r->used);
  *slot = ++r->count;
  return GMMU_OK;
}

int regions_add(regions_t *r, asid_t asid, vpn_t vpn, uint64_t pages) {
  uint64_t size = 1ull << r->pages_shift, end = vpn.v + pages;
  int rc = GMMU_OK;
  for (uint64_t v = vpn.v & ~(size - 1); v < end && rc == 0; v += size)
    rc = add_region(r, key_of(r, asid, (vpn_t){v}));
  return rc;
}

asid_t regions_asid(const regions_t *r, uint32_t region) {
  return (asid_t)(r->at[region].key >> 56);
}
vpn_t regions_vpn(const regions_t *r, pages_t p) {
  return (vpn_t){(r->at[p.region].key & (UINT64_MAX >> 8)) + p.first};
}

/* ---- sets of pages ---- */

static uint64_t *set_of(const regions_t *r, uint32_t region, page_set_t s) {
  return r->bits + ((size_t)region * PAGE_SETS + s) * r->words;
}

static uint32_t page_in(const regions_t *r, vpn_t vpn) {
  return (uint32_t)(vpn.v & ((1ull << r->pages_shift) - 1));
}

/* The bits of word `w` that belong to pages first .. end-1. */
static uint64_t mask_of(uint32_t w, uint32_t first, uint32_t end) {
  uint32_t from = first > w * 64 ? first - w * 64 : 0, to = end - w * 64;
  return (to >= 64 ? UINT64_MAX : (1ull << to) - 1) & UINT64_MAX << from;
}

bool regions_has(const regions_t *r, page_set_t s, asid_t asid, vpn_t vpn) {
  uint32_t i = regions_find(r, asid, vpn), p = page_in(r, vpn);
  return i != REGION_NONE && (set_of(r, i, s)[p / 64] >> p % 64 & 1);
}

uint32_t regions_count(const regions_t *r, page_set_t s, pages_t p) {
  const uint64_t *set = set_of(r, p.region, s);
  uint32_t n = 0, end = p.first + p.pages;
  for (uint32_t w = p.first / 64; w * 64 < end; w++)
    n += (uint32_t)__builtin_popcountll(set[w] & mask_of(w, p.first, end));
  return n;
}

static void unlink_region(regions_t *r, uint32_t i) {
  const region_t *x = &r->at[i];
  *(x->older == REGION_NONE ? &r->oldest : &r->at[x->older].newer) = x->newer;
  *(x->newer == REGION_NONE ? &r->newest : &r->at[x->newer].older) = x->older;
}

static void link_newest(regions_t *r, uint32_t i) {
  r->at[i].older = r->newest;
  r->at[i].newer = REGION_NONE;
  *(r->newest == REGION_NONE ? &r->oldest : &r->at[r->newest].newer) = i;
  r->newest = i;
}

static void put_in_region(regions_t *r, page_set_t s, pages_t p, bool in) {
  uint64_t *set = set_of(r, p.region, s);
  uint32_t end = p.first + p.pages, before = r->at[p.region].here;
  if (s == PAGES_HERE) r->at[p.region].here -= regions_count(r, s, p);
  for (uint32_t w = p.first / 64; w * 64 < end; w++) {
    uint64_t m = mask_of(w, p.first, end);
    set[w] = in ? set[w] | m : set[w] & ~m;
  }
  if (s != PAGES_HERE) return;
  if (in) r->at[p.region].here += p.pages;
  if (!before && r->at[p.region].here) link_newest(r, p.region);
  if (before && !r->at[p.region].here) unlink_region(r, p.region);
}

void regions_put(regions_t *r, page_set_t s, asid_t asid, vpn_t vpn, uint64_t pages, bool in) {
  uint64_t size = 1ull << r->pages_shift, end = vpn.v + pages;
  for (uint64_t v = vpn.v, next; v < end; v = next) {
    next = (v & ~(size - 1)) + size;
    uint64_t stop = next < end ? next : end;
    uint32_t i = regions_find(r, asid, (vpn_t){v});
    pages_t p = {i, page_in(r, (vpn_t){v}), (uint32_t)(stop - v)};
    if (i != REGION_NONE) put_in_region(r, s, p, in);
  }
}

void regions_use(regions_t *r, asid_t asid, vpn_t vpn) {
  uint32_t i = regions_find(r, asid, vpn);
  if (i == REGION_NONE || !r->at[i].here) return;
  r->used[(size_t)i * r->blocks + (page_in(r, vpn) >> r->block_shift)] = ++r->clock;
  if (r->newest == i) return;
  unlink_region(r, i);
  link_newest(r, i);
}

/* ---- what to bring, what to evict ---- */

static pages_t block_of(const regions_t *r, uint32_t region, uint32_t page) {
  uint32_t first = page >> r->block_shift << r->block_shift;
  return (pages_t){region, first, 1u << r->block_shift};
}

/* The node that encloses this one; its size is twice as large. */
static pages_t parent_of(pages_t p) {
  return (pages_t){p.region, p.first & ~(2 * p.pages - 1), 2 * p.pages};
}

pages_t regions_wanted(const regions_t *r, asid_t asid, vpn_t vpn, bool tree) {
  pages_t best = block_of(r, regions_find(r, asid, vpn), page_in(r, vpn)), p = best;
  while (tree && p.pages >> r->pages_shift == 0) {
    uint32_t filled = best.pages; /* as if the best so far were complete */
    p = parent_of(p);
    pages_t all[2] = {p, best};
    for (uint32_t s = PAGES_HERE; s <= PAGES_COMING; s++)
      filled += regions_count(r, (page_set_t)s, all[0]) - regions_count(r, (page_set_t)s, all[1]);
    if (2 * filled > p.pages) best = p;
  }
  return best;
}

/* Pages first .. end-1 that are in both sets. */
static uint32_t in_both(const uint64_t *a, const uint64_t *b, uint32_t first, uint32_t end) {
  uint32_t n = 0;
  for (uint32_t w = first / 64; w * 64 < end; w++)
    n += (uint32_t)__builtin_popcountll(a[w] & b[w] & mask_of(w, first, end));
  return n;
}

/* Pages first .. end-1 go into the set as far as they are valid. */
static void put_valid(uint64_t *set, const uint64_t *valid, uint32_t first, uint32_t end) {
  for (uint32_t w = first / 64; w * 64 < end; w++) set[w] |= valid[w] & mask_of(w, first, end);
}

void regions_tree(const regions_t *r, uint32_t region, const uint64_t *faulted,
                  const uint64_t *valid, uint32_t percent, uint64_t *out) {
  uint32_t pages = 1u << r->pages_shift, block = 1u << r->block_shift;
  uint64_t *there = set_of(r, region, PAGES_SCRATCH);
  for (uint32_t w = 0; w < r->words; w++)
    there[w] = (set_of(r, region, PAGES_HERE)[w] | set_of(r, region, PAGES_COMING)[w]) & valid[w];
  memset(out, 0, r->words * sizeof *out);
  for (uint32_t b = 0; b < pages; b += block)
    if (in_both(faulted, faulted, b, b + block))
      put_valid(there, valid, b, b + block), put_valid(out, valid, b, b + block);
  for (uint32_t i = 0; i < pages; i++) {
    if (!(faulted[i / 64] >> (i % 64) & 1)) continue;
    uint32_t best = 1;
    for (uint32_t size = 2; size <= pages; size *= 2) {
      uint32_t first = i & ~(size - 1), n = in_both(valid, valid, first, first + size);
      if (100ull * in_both(there, there, first, first + size) > (uint64_t)percent * n) best = size;
    }
    put_valid(out, valid, i & ~(best - 1), (i & ~(best - 1)) + best);
  }
}

static uint32_t oldest_block(const regions_t *r, uint32_t region) {
  uint32_t best = 0;
  uint64_t when = UINT64_MAX;
  for (uint32_t b = 0; b < r->blocks; b++) {
    pages_t p = {region, b << r->block_shift, 1u << r->block_shift};
    uint64_t used = r->used[(size_t)region * r->blocks + b];
    if (used < when && regions_count(r, PAGES_HERE, p)) best = b, when = used;
  }
  return best;
}

bool regions_victim(const regions_t *r, bool tree, pages_t *out) {
  uint32_t i = r->oldest;
  if (i == REGION_NONE) return false;
  *out = (pages_t){i, 0, 1u << r->pages_shift};
  if (!tree) return true;
  pages_t p = block_of(r, i, oldest_block(r, i) << r->block_shift);
  *out = p;
  while (p.pages >> r->pages_shift == 0) {
    p = parent_of(p);
    uint32_t left = regions_count(r, PAGES_HERE, p) - regions_count(r, PAGES_HERE, *out);
    if (2 * left < p.pages) *out = p;
  }
  return true;
}

bool regions_check(const regions_t *r) {
  uint32_t linked = 0, with_pages = 0;
  for (uint32_t i = 0; i < r->count; i++) {
    pages_t all = {i, 0, 1u << r->pages_shift};
    const uint64_t *here = set_of(r, i, PAGES_HERE), *coming = set_of(r, i, PAGES_COMING);
    if (*slot_of(r, r->at[i].key) != i + 1) return false;
    if (regions_count(r, PAGES_HERE, all) != r->at[i].here) return false;
    for (uint32_t w = 0; w < r->words; w++)
      if (here[w] & coming[w]) return false;
    with_pages += r->at[i].here != 0;
  }
  for (uint32_t i = r->oldest; i != REGION_NONE && linked <= r->count; i = r->at[i].newer) {
    if (!r->at[i].here) return false;
    linked++;
  }
  return linked == with_pages;
}
