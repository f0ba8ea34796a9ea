/* Blocks of sorted extents and an index with the end of each, so that a search is two short ones.
 *
 * Invariant: blocks are in order, none is empty, and `end` is that of its last extent. A block has
 * room for EXTENTS_STEP more at most after it has grown, and twice that before it shrinks; one with
 * few is joined to a neighbour that it fits in. With an allocation per page, slack is memory per
 * frame. Whatever only saves memory may fail for lack of memory: then it is left undone. */
#include "mm/extents.h"
#include <string.h>

#define EXTENTS_STEP 8

static size_t slots_bytes(size_t n) { return n * sizeof(extent_t); }

/* ---- search ---- */

/* Nobody can predict a comparison: a choice rather than a branch. */
#define EITHER(cond) __builtin_expect_with_probability(cond, 1, 0.5)

static size_t find_block(const extents_t *x, uint64_t va) {
  const extents_block_t *b = x->block;
  for (size_t n = x->blocks, half; n > 1; n -= half) {
    half = n / 2;
    b = EITHER(b[half - 1].end <= va) ? b + half : b;
  }
  return (size_t)(b - x->block) + (b->end <= va);
}

extents_pos_t extents_find(const extents_t *x, uint64_t va) {
  size_t k = x->blocks ? find_block(x, va) : 0;
  if (k == x->blocks) return (extents_pos_t){k, 0};
  const extent_t *first = x->block[k].slot, *s = first; /* its last one ends after va */
  for (size_t n = x->block[k].count, half; n > 1; n -= half) {
    half = n / 2;
    s = EITHER(s[half - 1].end <= va) ? s + half : s;
  }
  return (extents_pos_t){k, (uint32_t)(s - first)};
}

/* ---- room ---- */

static uint32_t more_room(uint32_t room) {
  return room + EXTENTS_STEP < EXTENTS_BLOCK ? room + EXTENTS_STEP : EXTENTS_BLOCK;
}

static void set_end(extents_block_t *b) { b->end = b->slot[b->count - 1].end; }

static int resize_block(extents_block_t *b, uint32_t room, const mm_host_t *host) {
  extent_t *slot = host_alloc(host, slots_bytes(room));
  if (!slot) return GMMU_ENOMEM;
  if (b->count) memcpy(slot, b->slot, slots_bytes(b->count));
  host_free(host, b->slot, slots_bytes(b->room));
  b->slot = slot, b->room = room;
  return GMMU_OK;
}

static int resize_index(extents_t *x, size_t room, const mm_host_t *host) {
  extents_block_t *block = host_alloc(host, room * sizeof *block);
  if (!block) return GMMU_ENOMEM;
  if (x->blocks) memcpy(block, x->block, x->blocks * sizeof *block);
  host_free(host, x->block, x->room * sizeof *block);
  x->block = block, x->room = room;
  return GMMU_OK;
}

/* An empty block as number k, for `room` extents. */
static int add_block(extents_t *x, size_t k, uint32_t room, const mm_host_t *host) {
  extents_block_t b = {0};
  if (x->blocks == x->room && resize_index(x, x->room + x->room / 8 + 4, host)) return GMMU_ENOMEM;
  if (resize_block(&b, room, host)) return GMMU_ENOMEM;
  memmove(x->block + k + 1, x->block + k, (x->blocks - k) * sizeof b);
  x->block[k] = b;
  x->blocks++;
  return GMMU_OK;
}

/* The upper half of a full block goes to a new one behind it; the half that is to grow has room. */
static int split_block(extents_t *x, size_t k, bool high_grows, const mm_host_t *host) {
  uint32_t half = EXTENTS_BLOCK / 2, more = more_room(half);
  int rc = add_block(x, k + 1, high_grows ? more : half, host);
  if (rc) return rc;
  extents_block_t *low = &x->block[k], *high = low + 1;
  memcpy(high->slot, low->slot + half, slots_bytes(half));
  low->count = high->count = half;
  set_end(low), set_end(high);
  (void)resize_block(low, high_grows ? half : more, host);
  return GMMU_OK;
}

/* What comes behind everything finds the last block, and leaves it full: programs allocate upwards.
 */
int extents_open(extents_t *x, extents_pos_t *p, const mm_host_t *host) {
  if (p->block == x->blocks && x->blocks)
    *p = (extents_pos_t){x->blocks - 1, x->block[x->blocks - 1].count};
  bool behind_all = !x->blocks || (p->block + 1 == x->blocks && p->slot == EXTENTS_BLOCK);
  if (behind_all) {
    *p = (extents_pos_t){x->blocks, 0};
    return add_block(x, x->blocks, EXTENTS_STEP, host);
  }
  extents_block_t *b = &x->block[p->block];
  if (b->count < b->room) return GMMU_OK;
  if (b->room < EXTENTS_BLOCK) return resize_block(b, more_room(b->room), host);
  bool high = p->slot > EXTENTS_BLOCK / 2;
  int rc = split_block(x, p->block, high, host);
  if (!rc && high) *p = (extents_pos_t){p->block + 1, p->slot - EXTENTS_BLOCK / 2};
  return rc;
}

/* ---- changes ---- */

void extents_insert(extents_t *x, extents_pos_t p, extent_t e) {
  extents_block_t *b = &x->block[p.block];
  extent_t *at = b->slot + p.slot;
  memmove(at + 1, at, slots_bytes(b->count++ - p.slot));
  *at = e;
  set_end(b);
  x->count++;
}

void extents_replace(extents_t *x, extents_pos_t p, extent_t e) {
  x->block[p.block].slot[p.slot] = e;
  set_end(&x->block[p.block]);
}

static void drop_block(extents_t *x, size_t k, const mm_host_t *host) {
  host_free(host, x->block[k].slot, slots_bytes(x->block[k].room));
  memmove(x->block + k, x->block + k + 1, (--x->blocks - k) * sizeof *x->block);
  if (x->room > 2 * x->blocks + 16) (void)resize_index(x, x->blocks + x->blocks / 8 + 4, host);
}

/* Joins block k + 1 to block k if they make one that is not nearly full. */
static bool join_blocks(extents_t *x, size_t k, const mm_host_t *host) {
  if (k + 1 >= x->blocks) return false;
  extents_block_t *low = &x->block[k], *high = low + 1;
  uint32_t sum = low->count + high->count;
  if (sum > EXTENTS_BLOCK * 3 / 4) return false;
  if (low->room < sum && resize_block(low, more_room(sum), host)) return false;
  memcpy(low->slot + low->count, high->slot, slots_bytes(high->count));
  low->count = sum;
  set_end(low);
  drop_block(x, k + 1, host);
  return true;
}

/* After a removal. */
static void save_room(extents_t *x, size_t k, const mm_host_t *host) {
  extents_block_t *b = &x->block[k];
  if (b->count <= EXTENTS_BLOCK / 4 &&
      (join_blocks(x, k, host) || (k && join_blocks(x, k - 1, host))))
    return;
  if (b->room - b->count > 2 * EXTENTS_STEP) (void)resize_block(b, more_room(b->count), host);
}

void extents_remove(extents_t *x, extents_pos_t p, const mm_host_t *host) {
  extents_block_t *b = &x->block[p.block];
  extent_t *at = b->slot + p.slot;
  x->count--;
  if (!--b->count) {
    drop_block(x, p.block, host);
    return;
  }
  memmove(at, at + 1, slots_bytes(b->count - p.slot));
  set_end(b);
  save_room(x, p.block, host);
}

void extents_fini(extents_t *x, const mm_host_t *host) {
  for (size_t k = 0; k < x->blocks; k++)
    host_free(host, x->block[k].slot, slots_bytes(x->block[k].room));
  host_free(host, x->block, x->room * sizeof *x->block);
  *x = (extents_t){0};
}
