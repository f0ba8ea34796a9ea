#include "import/local.h"

#define NONE  UINT64_MAX
#define ALIGN 16u /* the widest access: offsets keep their place in a word */

/* Offset of lane `l` in its thread's window, or NONE. */
static uint64_t offset(const local_t *m, const warp_op_t *op, uint32_t l) {
  uint64_t a = op->mode == ADDR_STRIDE ? op->base + l * (uint64_t)op->stride : op->lane[l];
  if (a >= m->base && a - m->base < LOCAL_WINDOW) a -= m->base;
  return a < LOCAL_WINDOW ? a : NONE;
}

static uint32_t half_of(uint64_t o) { return o >= LOCAL_WINDOW / 2; }

static uint32_t half_bytes(const local_t *m, uint32_t h) {
  uint32_t low = m->half[h].low & ~(ALIGN - 1);
  return (m->half[h].end - low + ALIGN - 1) & ~(ALIGN - 1);
}

/* An access that would give a thread more than it can have belongs to something else; the others
 * stay what they are. */
bool local_survey(local_t *m, const inst_t *row, const warp_op_t *op) {
  local_t grown = *m;
  for (uint32_t x = op->mask; x; x &= x - 1) {
    uint64_t o = offset(m, op, (uint32_t)__builtin_ctz(x));
    if (o == NONE) return false;
    uint32_t h = half_of(o), at = (uint32_t)o, end = at + row->width;
    if (!grown.half[h].end || at < grown.half[h].low) grown.half[h].low = at;
    if (end > grown.half[h].end) grown.half[h].end = end;
    if (half_bytes(&grown, h) > LOCAL_THREAD_MAX) return false;
  }
  *m = grown;
  return true;
}

uint64_t local_thread_bytes(const local_t *m) {
  return ((uint64_t)half_bytes(m, 0) + half_bytes(m, 1) + 511) & ~511ull;
}

/* From the first byte of what the thread uses; NONE if it was not taken for local memory. */
static uint64_t used(const local_t *m, const inst_t *row, const warp_op_t *op, uint32_t l) {
  uint64_t o = offset(m, op, l);
  uint32_t h = half_of(o);
  if (o == NONE || o < m->half[h].low || o + row->width > m->half[h].end) return NONE;
  return o - (m->half[h].low & ~(ALIGN - 1)) + (h ? half_bytes(m, 0) : 0);
}

void local_place(const local_t *m, const inst_t *row, uint64_t warp, warp_op_t *op) {
  uint64_t region = LOCAL_REGION + warp % LOCAL_WARPS * WARP_LANES * local_thread_bytes(m);
  uint32_t word = row->width < 4 ? 4 : row->width;
  uint64_t lane[WARP_LANES];
  bool same = true;
  for (uint32_t x = op->mask; x; x &= x - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(x);
    uint64_t o = used(m, row, op, l);
    if (o == NONE) return;
    same &= o == used(m, row, op, (uint32_t)__builtin_ctz(op->mask));
    lane[l] = region + o / word * word * WARP_LANES + l * word + o % word;
  }
  if (!op->mask) return;
  uint32_t first = (uint32_t)__builtin_ctz(op->mask);
  if (same) {
    op->mode = ADDR_STRIDE, op->base = lane[first] - first * word, op->stride = word;
    return;
  }
  op->mode = ADDR_LIST;
  for (uint32_t x = op->mask; x; x &= x - 1) op->lane[__builtin_ctz(x)] = lane[__builtin_ctz(x)];
}
