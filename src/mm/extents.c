/* A vector in blocks (a "tiered vector"): all blocks but the last are full, so extent i is in block
 * i / EXTENTS_BLOCK; inside a block it is (i % EXTENTS_BLOCK) places behind `head`, around the end.
 * Insertion opens a place in its block and hands the last extent of each block to the front of the
 * next; removal goes the other way. Both ends of a ring are cheap. */
#include "mm/extents.h"
#include <string.h>

#define MASK (EXTENTS_BLOCK - 1)

typedef struct {
  extent_t *slot;
  uint8_t *head;
} block_t;

static block_t block_of(const extents_t *x, size_t k) {
  return (block_t){x->slot + k * EXTENTS_BLOCK, x->head + k};
}

static extent_t *place(block_t b, size_t j) { return &b.slot[(*b.head + j) & MASK]; }

static void turn(block_t b, size_t by) { *b.head = (uint8_t)((*b.head + by) & MASK); }

/* The first block whose last extent ends after va, `last` if none before it does. */
static size_t find_block(const extents_t *x, size_t last, uint64_t va) {
  size_t lo = 0, hi = last;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (place(block_of(x, mid), MASK)->end <= va)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

size_t extents_find(const extents_t *x, uint64_t va) {
  size_t last = x->count / EXTENTS_BLOCK, k = find_block(x, last, va);
  size_t lo = 0, hi = k == last ? x->count % EXTENTS_BLOCK : MASK;
  if (!hi) return x->count;
  const block_t b = block_of(x, k);
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (place(b, mid)->end <= va)
      lo = mid + 1;
    else
      hi = mid;
  }
  return k * EXTENTS_BLOCK + lo;
}

/* Grows by an eighth: with an allocation per page, slack is memory per frame. */
int extents_reserve(extents_t *x, const mm_host_t *host) {
  if (x->count < x->capacity) return GMMU_OK;
  size_t blocks = x->capacity / EXTENTS_BLOCK, more = blocks + blocks / 8 + 1;
  extent_t *slot = host_alloc(host, more * EXTENTS_BLOCK * sizeof *slot);
  uint8_t *head = host_alloc(host, more);
  if (!slot || !head) {
    if (slot) host_free(host, slot, more * EXTENTS_BLOCK * sizeof *slot);
    if (head) host_free(host, head, more);
    return GMMU_ENOMEM;
  }
  if (blocks) {
    memcpy(slot, x->slot, x->capacity * sizeof *slot);
    memcpy(head, x->head, blocks);
  }
  size_t count = x->count;
  extents_fini(x, host);
  *x = (extents_t){slot, head, count, more * EXTENTS_BLOCK};
  return GMMU_OK;
}

/* n extents from number `from` on move one place back in the ring, around its end. */
static void shift_back(block_t b, size_t from, size_t n) {
  size_t p = (*b.head + from) & MASK, before = EXTENTS_BLOCK - p; /* places up to the end */
  if (n < before) {
    memmove(b.slot + p + 1, b.slot + p, n * sizeof *b.slot);
    return;
  }
  memmove(b.slot + 1, b.slot, (n - before) * sizeof *b.slot);
  b.slot[0] = b.slot[MASK];
  memmove(b.slot + p + 1, b.slot + p, (before - 1) * sizeof *b.slot);
}

/* n extents behind number `to` move one place forward. */
static void shift_forward(block_t b, size_t to, size_t n) {
  size_t p = (*b.head + to) & MASK, before = MASK - p;
  if (n <= before) {
    memmove(b.slot + p, b.slot + p + 1, n * sizeof *b.slot);
    return;
  }
  memmove(b.slot + p, b.slot + p + 1, before * sizeof *b.slot);
  b.slot[MASK] = b.slot[0];
  memmove(b.slot, b.slot + 1, (n - before - 1) * sizeof *b.slot);
}

/* Into a block of `size` extents with a free place, as its number j; the shorter side moves. */
static void open_place(block_t b, size_t size, size_t j, extent_t e) {
  if (j < size / 2) {
    turn(b, MASK); /* one back */
    shift_forward(b, 0, j);
  } else {
    shift_back(b, j, size - j);
  }
  *place(b, j) = e;
}

static void close_place(block_t b, size_t size, size_t j) {
  if (j < size / 2) {
    shift_back(b, 0, j);
    turn(b, 1);
  } else {
    shift_forward(b, j, size - j - 1);
  }
}

void extents_insert(extents_t *x, size_t i, extent_t e) {
  size_t last = x->count / EXTENTS_BLOCK, k = i / EXTENTS_BLOCK;
  size_t size = k == last ? x->count % EXTENTS_BLOCK : MASK;
  for (size_t b = last; b > k; b--) {
    turn(block_of(x, b), MASK);
    *place(block_of(x, b), 0) = *place(block_of(x, b - 1), MASK);
  }
  open_place(block_of(x, k), size, i % EXTENTS_BLOCK, e);
  x->count++;
}

void extents_remove(extents_t *x, size_t i) {
  size_t last = --x->count / EXTENTS_BLOCK, k = i / EXTENTS_BLOCK;
  size_t size = k == last ? x->count % EXTENTS_BLOCK + 1 : EXTENTS_BLOCK;
  close_place(block_of(x, k), size, i % EXTENTS_BLOCK);
  for (size_t b = k; b < last; b++) {
    *place(block_of(x, b), MASK) = *place(block_of(x, b + 1), 0);
    turn(block_of(x, b + 1), 1);
  }
}

void extents_fini(extents_t *x, const mm_host_t *host) {
  if (x->slot) host_free(host, x->slot, x->capacity * sizeof *x->slot);
  if (x->head) host_free(host, x->head, x->capacity / EXTENTS_BLOCK);
  *x = (extents_t){0};
}
