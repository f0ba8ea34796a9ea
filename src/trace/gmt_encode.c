/* Records: control byte, then mask, addresses and successor as the control byte says.
 *
 * Everything is coded against what the reader knows by then: the warp's mask, the prediction entry
 * of the static instruction, the table. The reader updates the same state in the same way. */
#include "trace/gmt_encode.h"
#include <string.h>

void gmt_enc_first(enc_t *w, uint32_t index) {
  w->used = (uint32_t)(put_var(w->buf + w->used, index) - w->buf);
  w->begun = true;
}

/* The active lanes' addresses side by side; how many there are. */
static uint32_t gather(const warp_op_t *op, uint64_t a[WARP_LANES]) {
  uint32_t n = 0;
  if (op->mask == UINT32_MAX) {
    memcpy(a, op->lane, WARP_LANES * sizeof *a);
    return WARP_LANES;
  }
  for (uint32_t m = op->mask; m; m &= m - 1) a[n++] = op->lane[__builtin_ctz(m)];
  return n;
}

/* The base moves in whole units: trailing zeros common to all lanes' deltas are stored once. Mostly
 * all deltas but the first take a byte each. */
static uint8_t *put_list(uint8_t *p, pred_t *r, const warp_op_t *op) {
  uint64_t a[WARP_LANES + 1], z[WARP_LANES], any = 0, large = 0;
  uint32_t n = gather(op, a + 1);
  a[0] = r->base;
  if (n) r->base = a[1], r->delta = a[1] - a[0];
  for (uint32_t i = 0; i < n; i++) any |= a[i + 1] - a[i];
  uint32_t shift = any ? (uint32_t)__builtin_ctzll(any) : 0;
  for (uint32_t i = 0; i < n; i++) { /* zigzag of the shifted difference */
    uint64_t d = a[i + 1] - a[i], sign = 0 - (d >> 63);
    z[i] = (((d ^ sign) >> shift) << 1) - sign;
    large |= i ? z[i] : 0;
  }
  *p++ = (uint8_t)shift;
  if (n) p = put_var(p, z[0]);
  if (large >= 128)
    for (uint32_t i = 1; i < n; i++) p = put_var(p, z[i]);
  else
    for (uint32_t i = 1; i < n; i++) *p++ = (uint8_t)(z[i] << 1 | 1); /* put_var() of it */
  return p;
}

static uint8_t *put_stride(uint8_t *p, pred_t *r, const warp_op_t *op, uint32_t *code) {
  uint64_t d = op->base - r->base;
  bool same = op->stride == r->stride, ahead = same && d == r->delta;
  *code = ahead ? ACODE_AHEAD : same ? ACODE_BASE : ACODE_STRIDE;
  if (!ahead) p = put_var(p, zigzag(d));
  if (!same) p = put_var(p, zigzag((uint64_t)op->stride));
  *r = (pred_t){op->base, d, op->stride};
  return p;
}

static uint8_t *put_addresses(uint8_t *p, enc_t *w, const table_t *t, uint32_t index,
                              const warp_op_t *op, uint32_t *code) {
  const inst_t *i = &t->inst[index];
  pred_t *r = &w->pred[t->slot[index]];
  *code = ACODE_NONE;
  if (i->cls == IC_BARRIER && (op->base || op->stride)) {
    *code = ACODE_BARRIER;
    return put_var(put_var(p, op->base), zigzag((uint64_t)op->stride));
  }
  if (!inst_is_mem(i) || op->mode == ADDR_NONE) return p;
  if (op->mode == ADDR_STRIDE) return put_stride(p, r, op, code);
  *code = ACODE_LIST;
  return put_list(p, r, op);
}

/* With a mask or addresses of its own. */
static void put_record(enc_t *w, const table_t *t, uint32_t index, const warp_op_t *op) {
  uint8_t *ctrl = w->buf + w->used, *p = ctrl + 1;
  uint32_t code;
  *ctrl = 0;
  if (op->mask != w->mask) {
    *ctrl |= CTRL_MASK;
    p = put32(p, w->mask = op->mask);
  }
  p = put_addresses(p, w, t, index, op, &code);
  *ctrl |= (uint8_t)(code << ADDR_SHIFT);
  w->used = (uint32_t)(p - w->buf);
}

void gmt_enc_record(enc_t *w, const table_t *t, uint32_t index, const warp_op_t *op) {
  const inst_t *i = &t->inst[index];
  w->ctrl = w->used, w->cur = index, w->open = true;
  if (op->mask == w->mask && !inst_is_mem(i) && i->cls != IC_BARRIER)
    w->buf[w->used++] = 0; /* most of them */
  else
    put_record(w, t, index, op);
}

void gmt_enc_successor(enc_t *w, table_t *t, uint32_t next) {
  uint32_t code = SUCC_FAR;
  if (next == STREAM_END)
    code = SUCC_END;
  else if (next == w->cur + 1)
    code = SUCC_FALL;
  else if (t->jump[w->cur] == JUMP_NONE)
    t->jump[w->cur] = next, code = SUCC_JUMP;
  else if (t->jump[w->cur] == next)
    code = SUCC_JUMP;
  w->buf[w->ctrl] |= (uint8_t)code;
  if (code == SUCC_FAR) {
    uint64_t d = (uint64_t)next - w->cur;
    w->used = (uint32_t)(put_var(w->buf + w->used, zigzag(d)) - w->buf);
  }
  w->done = w->used, w->open = false;
}
