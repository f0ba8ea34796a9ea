/* Copies from global into shared memory, and barriers that lie in shared memory.
 *
 * A copy is made when it is issued: nobody may look before the wait, so nobody can tell. What waits
 * for it is the scoreboard (decode.c). A barrier's word holds, from bit 0, the arrivals that are
 * still missing (20 bits), those that a phase expects (20 bits) and the number of the phase. The
 * word before an arrival is the state that the arrival returns. */
#include "ptx/exec.h"
#include <string.h>

#define COUNT_BITS 20u
#define COUNT_MASK (((uint64_t)1 << COUNT_BITS) - 1)

static uint64_t lane_of(const pexec_t *x, const pwarp_t *w, uint32_t o, uint32_t lane, bool wide) {
  uint64_t v = 0;
  uint32_t bytes = wide ? 8 : 4;
  memcpy(&v, (const uint8_t *)operand_at(x, w, o) + lane * bytes, bytes);
  return v;
}

static uint32_t pred_of(const pwarp_t *w, uint32_t o) {
  uint32_t v;
  memcpy(&v, w->frame + o, 4);
  return v;
}

static bool copy_lane(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t l, uint32_t none) {
  uint64_t from = lane_of(x, w, in->s[0], l, true) + in->imm;
  uint32_t to = (uint32_t)lane_of(x, w, in->s[1], l, !in->wide) + in->rpc;
  uint64_t bytes = in->s[2] == OPERAND_NONE ? in->width : lane_of(x, w, in->s[2], l, false);
  if (bytes > in->width) bytes = in->width;
  if (none >> l & 1) bytes = 0;
  if (from % in->width) return fault_misaligned(x, w, in, l, from, in->width, "copy");
  if (to % in->width) return fault_misaligned(x, w, in, l, to, in->width, "copy");
  x->addr[l] = from;
  uint8_t data[16] = {0};
  uint8_t *d = pexec_generic(x, w, l, DEVMEM_SHARED_WINDOW + to, in->width);
  if (!d) return access_outside(x, w, in, l, to, in->width, "copy", "shared") != NULL;
  const uint8_t *s = bytes ? pexec_generic(x, w, l, from, (uint32_t)bytes) : NULL;
  if (bytes && !s && !access_outside(x, w, in, l, from, (uint32_t)bytes, "copy", "global"))
    return false;
  if (s) memcpy(data, s, bytes);
  if (!bytes) x->op_mask &= ~(1u << l); /* zeros come from nowhere */
  memcpy(d, data, in->width);
  return true;
}

bool async_copy(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  uint32_t none = 0;
  if (in->s[3] != OPERAND_NONE)
    none = in->flags & DI_NEG ? ~pred_of(w, in->s[3]) : pred_of(w, in->s[3]);
  x->progress++;
  for (uint32_t m = lanes; m; m &= m - 1)
    if (!copy_lane(x, w, in, (uint32_t)__builtin_ctz(m), none)) return false;
  return true;
}

/* ---- barriers -------------------------------------------------------------------------------- */

static uint64_t barrier_word(uint64_t missing, uint64_t expected, uint64_t phase) {
  return (missing & COUNT_MASK) | (expected & COUNT_MASK) << COUNT_BITS | phase << 2 * COUNT_BITS;
}

/* One lane's operation on the word; *result is what the instruction gives. */
static uint64_t barrier_step(const dinst_t *in, uint64_t word, uint64_t operand, bool given,
                             uint64_t *result) {
  uint64_t missing = word & COUNT_MASK, expected = word >> COUNT_BITS & COUNT_MASK,
           phase = word >> 2 * COUNT_BITS, count = given ? operand & COUNT_MASK : 1;
  switch (in->sub) {
  case MBARRIER_INIT: return barrier_word(operand, operand, 0);
  case MBARRIER_INVAL: return 0;
  case MBARRIER_TEST:
  case MBARRIER_TRY:
    *result =
        in->flags & DI_NEG ? (phase & 1) != (operand & 1) : phase != operand >> 2 * COUNT_BITS;
    return word;
  default: break;
  }
  *result = word;
  if (in->wide) return word; /* one more is expected, and it is there at once */
  if (in->sub == MBARRIER_DROP) expected = expected > count ? expected - count : 0;
  missing = missing > count ? missing - count : 0;
  if (missing) return barrier_word(missing, expected, phase);
  return barrier_word(expected, expected, phase + 1);
}

static bool barrier_lane(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t l,
                         uint64_t *result) {
  uint64_t addr = lane_of(x, w, in->s[0], l, !(in->flags & DI_ADDR32)) + in->imm, word, next;
  bool state = (in->sub == MBARRIER_TEST || in->sub == MBARRIER_TRY) && !(in->flags & DI_NEG);
  bool given = in->s[1] != OPERAND_NONE;
  uint64_t operand = given ? lane_of(x, w, in->s[1], l, state) : 0;
  if (in->aux == SP_SHARED) addr = DEVMEM_SHARED_WINDOW + (uint32_t)addr;
  x->addr[l] = addr - DEVMEM_SHARED_WINDOW;
  if (addr % 8) return fault_misaligned(x, w, in, l, addr, 8, "barrier");
  uint8_t *p =
      addr - DEVMEM_SHARED_WINDOW < DEVMEM_WINDOW_BYTES ? pexec_generic(x, w, l, addr, 8) : NULL;
  if (!p) return access_outside(x, w, in, l, addr, 8, "barrier", "shared") != NULL;
  memcpy(&word, p, 8);
  next = barrier_step(in, word, operand, given, result);
  if (next != word) x->progress++;
  memcpy(p, &next, 8);
  return true;
}

bool async_barrier(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  uint64_t result[WARP_LANES] = {0};
  uint32_t narrow[WARP_LANES], yes = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    uint32_t l = (uint32_t)__builtin_ctz(m);
    if (in->sub == MBARRIER_PENDING)
      result[l] = lane_of(x, w, in->s[0], l, true) & COUNT_MASK;
    else if (!barrier_lane(x, w, in, l, &result[l]))
      return false;
    narrow[l] = (uint32_t)result[l];
    if (result[l]) yes |= 1u << l;
  }
  switch (in->sub) {
  case MBARRIER_INIT:
  case MBARRIER_INVAL: break;
  case MBARRIER_PENDING: put_lanes32(w, in->d[0], narrow, lanes); break;
  case MBARRIER_TEST:
  case MBARRIER_TRY:
    if (in->d[0] != OPERAND_NONE) {
      uint32_t p = (pred_of(w, in->d[0]) & ~lanes) | yes;
      memcpy(w->frame + in->d[0], &p, 4);
    }
    break;
  default: put_lanes64(w, in->d[0], result, lanes);
  }
  return true;
}
