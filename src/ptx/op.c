/* The dynamic part of an instruction that was just executed, as warp streams have it. */
#include "ptx/exec.h"
#include <string.h>

/* Where a lane's local memory is in the machine's address space. */
static uint64_t local_address(uint64_t base, uint32_t lane, uint64_t off) {
  return base + (off & ~(uint64_t)3) * WARP_LANES + lane * 4 + (off & 3);
}

static void list_local(const pexec_t *x, uint64_t local, warp_op_t *op) {
  for (uint32_t l = 0; l < WARP_LANES; l++) op->lane[l] = local_address(local, l, x->addr[l]);
}

/* Generic addresses: those in the shared window cost nothing here, local ones are translated. */
static void list_generic(const pexec_t *x, uint64_t local, warp_op_t *op) {
  for (uint32_t l = 0; l < WARP_LANES; l++) {
    uint64_t a = x->addr[l], off = a - DEVMEM_LOCAL_WINDOW;
    if (a - DEVMEM_SHARED_WINDOW < DEVMEM_WINDOW_BYTES) op->mask &= ~(1u << l);
    op->lane[l] = off < DEVMEM_WINDOW_BYTES ? local_address(local, l, off) : a;
  }
}

static void find_stride(const pexec_t *x, warp_op_t *op) {
  const uint64_t *a = x->addr;
  uint64_t stride = a[1] - a[0], bad = 0;
  if (op->mask == FULL_MASK)
    for (uint32_t l = 1; l < WARP_LANES; l++) bad |= (a[l] - a[l - 1]) ^ stride;
  if (op->mask == FULL_MASK && !bad) {
    op->mode = ADDR_STRIDE, op->base = a[0], op->stride = (int64_t)stride;
    return;
  }
  memcpy(op->lane, a, sizeof op->lane);
}

void pexec_op(const pexec_t *x, const dinst_t *in, uint64_t local, warp_op_t *op) {
  op->mask = x->op_mask, op->mode = ADDR_NONE;
  switch (in->op) {
  case I_LD_GLOBAL:
  case I_ST_GLOBAL:
  case I_LD_SHARED:
  case I_ST_SHARED:
  case I_TEX:
  case I_TLD4:
  case I_SULD:
  case I_SUST:
  case I_ATOM:
  case I_LD_GENERIC:
  case I_ST_GENERIC:
  case I_LD_LOCAL:
  case I_ST_LOCAL:
  case I_WMMA_LD:
  case I_WMMA_ST:
  case I_LDMATRIX:
  case I_STMATRIX:
  case I_CPASYNC: break;
  case I_MBARRIER:
    if (in->sub == MBARRIER_PENDING) return;
    break;
  case I_BAR: op->base = x->barrier_id, op->stride = (int64_t)x->barrier_threads; return;
  default: return;
  }
  if (!op->mask) return;
  op->mode = ADDR_LIST;
  if (in->op == I_LD_LOCAL || in->op == I_ST_LOCAL)
    list_local(x, local, op);
  else if (in->op == I_LD_GENERIC || in->op == I_ST_GENERIC ||
           ((in->op == I_ATOM || in->op == I_WMMA_LD || in->op == I_WMMA_ST) &&
            in->aux == SP_GENERIC))
    list_generic(x, local, op);
  else
    find_stride(x, op);
}
