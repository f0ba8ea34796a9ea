/* From a launch's table of instructions to what the issue stage needs to know of each, once per
 * launch, so that issue asks neither for classes nor for the preset. */
#include "sm/sm.h"
#include <stdlib.h>
#include <string.h>

/* A unit that takes a warp every cycle never makes one wait. */
static uint8_t unit_with(unit_t unit, uint32_t interval) {
  return (uint8_t)(interval > 1 ? unit : UNIT_ANY);
}

static void decode_arithmetic(decoded_t *d, const sm_spec_t *p, unit_t unit, uint32_t latency,
                              uint32_t interval) {
  d->unit = unit_with(unit, interval);
  d->latency_cycles = (uint8_t)(p->depth + latency);
  d->interval_cycles = interval > 1 ? (uint8_t)interval : 0;
  d->ahead_cycles = (uint8_t)(p->unit_queue * d->interval_cycles);
}

/* In memory other than shared and constant. */
static bool through_lsu(const inst_t *in) { return in->space <= SPACE_TEXTURE; }

static void decode_memory(decoded_t *d, const sm_spec_t *p, const inst_t *in) {
  static const uint8_t request_of[IC_COUNT] = {
      [IC_LOAD] = REQ_LOAD, [IC_STORE] = REQ_STORE, [IC_ATOMIC] = REQ_ATOMIC};
  d->width_bytes = in->width;
  if (through_lsu(in)) {
    d->kind = OP_MEMORY;
    d->unit = UNIT_MEM;
    d->request = request_of[in->cls];
    bool bypass = (in->flags & INST_BYPASS_L1) || in->cls == IC_ATOMIC;
    d->request_full = in->cls == IC_STORE ? 0xff : 0;
    d->whole_line = (request_t){.kind = d->request,
                                .flags = bypass ? REQ_BYPASS_L1 : 0,
                                .level = (uint8_t)(in->cls == IC_ATOMIC ? WHOLE_ATOMIC : 1),
                                .sectors = WHOLE_SECTORS,
                                .full = d->request_full & WHOLE_SECTORS}
                        .what;
  } else if (in->space == SPACE_SHARED) {
    d->kind = OP_SHARED;
    d->unit = UNIT_SHARED;
    d->latency_cycles = (uint8_t)(p->depth + p->shared_latency);
  } else if (p->const_interval) {
    decode_arithmetic(d, p, UNIT_ALU, p->const_latency, p->const_interval);
  } else {
    d->latency_cycles = (uint8_t)(p->depth + p->const_latency);
  }
}

static void decode_single(decoded_t *d, const sm_spec_t *p) {
  if (p->fp32_interval)
    decode_arithmetic(d, p, UNIT_FP32, p->fp32_latency, p->fp32_interval);
  else
    decode_arithmetic(d, p, UNIT_ALU, p->fp32_latency, p->int_interval);
}

static void decode_tensor(decoded_t *d, const sm_spec_t *p) {
  if (p->tensor_latency)
    decode_arithmetic(d, p, UNIT_TENSOR, p->tensor_latency, p->tensor_interval);
  else
    decode_arithmetic(d, p, UNIT_SFU, p->sfu_latency, p->sfu_interval);
}

static void decode_integer(decoded_t *d, const sm_spec_t *p, const inst_t *in) {
  bool product = (in->flags & INST_MULTIPLY) && p->mul_latency;
  decode_arithmetic(d, p, UNIT_ALU, product ? p->mul_latency : p->int_latency, p->int_interval);
}

/* Barriers, fences and ends wait for the arithmetic unit, but do not make it busy. */
static void decode_class(decoded_t *d, const sm_spec_t *p, const inst_t *in) {
  d->unit = unit_with(UNIT_ALU, p->int_interval);
  d->latency_cycles = (uint8_t)(p->depth + p->int_latency);
  switch ((iclass_t)in->cls) {
  case IC_INT: decode_integer(d, p, in); break;
  case IC_FP32: decode_single(d, p); break;
  case IC_FP64: decode_arithmetic(d, p, UNIT_FP64, p->fp64_latency, p->fp64_interval); break;
  case IC_SFU: decode_arithmetic(d, p, UNIT_SFU, p->sfu_latency, p->sfu_interval); break;
  case IC_TENSOR: decode_tensor(d, p); break;
  case IC_LOAD:
  case IC_STORE:
  case IC_ATOMIC: decode_memory(d, p, in); break;
  case IC_BRANCH:
    decode_arithmetic(d, p, UNIT_BRANCH, 0, p->branch_interval);
    d->gap_cycles = (uint8_t)p->branch_latency;
    break;
  case IC_BARRIER: d->kind = OP_BARRIER; break;
  case IC_EXIT: d->kind = OP_EXIT; break;
  case IC_FENCE:
  case IC_COUNT: break;
  }
}

static void add_register(decoded_t *d, uint8_t r) {
  for (uint32_t i = 0; i < d->regs; i++)
    if (d->place[i] == SM_REG_PLACE(r)) return;
  if (r != REG_NONE) d->place[d->regs++] = SM_REG_PLACE(r);
}
/* Of those it names, the highest number + 1. */
static uint32_t registers_named(const inst_t *in, const decoded_t *d) {
  uint32_t n = d->dsts ? d->dst + (uint32_t)d->dsts : 0;
  for (uint32_t i = 0; i < 4; i++)
    if (in->src[i] != REG_NONE && in->src[i] >= n) n = in->src[i] + 1u;
  return n;
}

static decoded_t decode(const sm_spec_t *p, const inst_t *in) {
  bool result = in->dst != REG_NONE && in->dsts;
  decoded_t d = {.gap_cycles = 1, .dst = REG_NONE};
  if (result) d.dst = in->dst, d.dsts = in->dsts;
  for (uint32_t i = 0; i < SM_OPERANDS; i++) d.place[i] = SM_REG_PLACE(REG_NONE);
  decode_class(&d, p, in);
  for (uint32_t i = 0; i < 4; i++) add_register(&d, in->src[i]);
  for (uint32_t i = 0; i < d.dsts; i++) add_register(&d, (uint8_t)(d.dst + i));
  d.dst_place = SM_REG_PLACE(d.dst);
  if (!result) d.latency_cycles = 0; /* REG_NONE is written instead, and must not be late */
  return d;
}

int sm_decode(code_t *c, const sm_spec_t *spec, const launch_t *l, err_t *e) {
  if (l->inst_count >> REQUEST_KERNEL_SHIFT)
    return err_set(e, GMMU_ERANGE, "kernel %s: %u instructions; less than %u can be told apart",
                   l->name, l->inst_count, 1u << REQUEST_KERNEL_SHIFT);
  if (l->inst_count > c->capacity) {
    sm_code_fini(c);
    c->at = calloc(l->inst_count, sizeof *c->at);
    if (!c->at) return err_set(e, GMMU_ENOMEM, "out of memory for %u instructions", l->inst_count);
    c->capacity = l->inst_count;
  }
  c->registers = 0;
  for (uint32_t i = 0; i < l->inst_count; i++) {
    c->at[i] = decode(spec, &l->inst[i]);
    c->at[i].index = l->place << REQUEST_KERNEL_SHIFT | i;
    uint32_t named = registers_named(&l->inst[i], &c->at[i]);
    if (named > c->registers) c->registers = named;
  }
  return GMMU_OK;
}

void sm_code_fini(code_t *c) {
  free(c->at);
  *c = (code_t){0};
}
