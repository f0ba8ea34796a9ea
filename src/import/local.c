#include "import/local.h"

uint64_t local_offset(const local_t *m, const warp_op_t *op, uint32_t l) {
  uint64_t a = op->mode == ADDR_STRIDE ? op->base + l * (uint64_t)op->stride : op->lane[l];
  if (a >= m->base && a - m->base < 1u << 24) a -= m->base;
  return a < LOCAL_THREAD_MAX ? a : UINT64_MAX;
}

bool local_survey(local_t *m, const inst_t *row, const warp_op_t *op) {
  for (uint32_t x = op->mask; x; x &= x - 1) {
    uint64_t o = local_offset(m, op, (uint32_t)__builtin_ctz(x));
    if (o == UINT64_MAX) return false;
    if (o + row->width > m->thread_bytes) m->thread_bytes = (uint32_t)o + row->width;
  }
  return true;
}

void local_place(const local_t *m, const inst_t *row, uint64_t warp, warp_op_t *op) {
  uint64_t bytes = ((uint64_t)m->thread_bytes + 511) & ~511ull;
  uint64_t region = LOCAL_REGION + warp % LOCAL_WARPS * WARP_LANES * bytes;
  uint32_t word = row->width < 4 ? 4 : row->width;
  uint64_t lane[WARP_LANES];
  bool same = true;
  for (uint32_t x = op->mask; x; x &= x - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(x);
    uint64_t o = local_offset(m, op, l);
    if (o == UINT64_MAX) return;
    same &= o == local_offset(m, op, (uint32_t)__builtin_ctz(op->mask));
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
