/* From parsed instructions to the dense form: checks operands against types, chooses the internal
 * operation, and fills the static table's row (class, space, registers).
 *
 * Helpers record the first error and return OPERAND_NONE; the caller looks at d->failed once. */
#include "ptx/code.h"
#include "ptx/devmem.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  pfunc_t *f;
  pcode_t *c;
  const pregmap_t *m;
  const pcfg_t *g;
  ppool_t *pool;
  err_t *e;
  const pinst_t *in;
  dinst_t *o;
  uint32_t index;
  int failed;
} dec_t;

static uint32_t fail(dec_t *d, uint32_t column, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static uint32_t fail(dec_t *d, uint32_t column, const char *fmt, ...) {
  if (d->failed) return OPERAND_NONE;
  char text[160];
  va_list args;
  va_start(args, fmt);
  err_vfit(text, sizeof text, fmt, args);
  va_end(args);
  d->failed =
      ptx_err(d->e, GMMU_EFORMAT, d->f->module, d->in->line, column ? column : d->in->column,
              "%s: %s", popcode_info[d->in->op].name, text);
  return OPERAND_NONE;
}

static uint32_t no_memory(dec_t *d) {
  if (!d->failed) d->failed = err_set(d->e, GMMU_ENOMEM, "no memory for the decoded function");
  return OPERAND_NONE;
}

static bool unsupported(dec_t *d) {
  fail(d, 0, "this combination of modifiers and types is not supported");
  return false;
}

/* --- operands --- */

static bool mention_shared(pcode_t *c, pvar_t *v) {
  for (uint32_t i = 0; i < c->shareds; i++)
    if (c->shared[i] == v) return true;
  if (c->shareds == c->shared_cap) {
    uint32_t cap = c->shared_cap ? 2 * c->shared_cap : 8;
    pvar_t **p = realloc(c->shared, cap * sizeof *p);
    if (!p) return false;
    c->shared = p, c->shared_cap = cap;
  }
  c->shared[c->shareds++] = v;
  return true;
}

static uint32_t constant(dec_t *d, uint64_t value, uint32_t bytes, pvar_t *var, pfunc_t *func) {
  pconst_t c = {.value = value, .bytes = bytes == 8 ? 8 : 4, .var = var, .func = func};
  if (c.bytes == 4) c.value = (uint32_t)value;
  if (var && var->space == SP_SHARED && !mention_shared(d->c, var)) return no_memory(d);
  uint32_t r = ppool_add(d->pool, &c);
  return r == OPERAND_NONE ? no_memory(d) : r;
}

/* A register of the type's size; wider ones too where PTX relaxes the rule (ld, st, cvt). */
static uint32_t reg_operand(dec_t *d, const poperand_t *o, uint8_t type, bool relaxed) {
  uint8_t rt = d->f->reg[o->reg].type;
  if ((rt == T_PRED) != (type == T_PRED))
    return fail(d, o->column, type == T_PRED ? "predicate expected" : "this is a predicate");
  uint32_t have = ptype_info[rt].bytes, want = ptype_info[type].bytes;
  if (have != want && !(relaxed && have > want))
    return fail(d, o->column, "'%s' has %u bits, .%s has %u", d->f->reg[o->reg].name, 8 * have,
                ptype_info[type].name, 8 * want);
  return OPERAND(SEL_FRAME, d->m->offset[o->reg]);
}

static const poperand_t *operand(dec_t *d, uint32_t i) { return &d->in->operand[i]; }

static bool reg_is_wide(const dec_t *d, const poperand_t *o) {
  return o->kind == O_REG && o->reg != NO_REG && type_wide(d->f->reg[o->reg].type);
}

static uint32_t dst_of(dec_t *d, const poperand_t *o, uint8_t type, bool relaxed) {
  if (o->kind == O_SINK) return OPERAND_NONE;
  if (o->kind != O_REG || o->neg) return fail(d, o->column, "register expected as result");
  if (o->reg == NO_REG) return OPERAND_NONE;
  return reg_operand(d, o, type, relaxed);
}

static uint32_t dst(dec_t *d, uint8_t type) {
  const poperand_t *o = operand(d, 0);
  if (o->kind == O_REG && o->reg2 != NO_REG) return fail(d, o->column, "one result expected");
  if (o->kind == O_SINK) return fail(d, o->column, "register expected as result");
  return dst_of(d, o, type, false);
}

static uint32_t float_constant(dec_t *d, const poperand_t *o, uint8_t type) {
  double v;
  float f;
  uint32_t bits;
  memcpy(&v, &o->imm, 8);
  f = (float)v;
  memcpy(&bits, &f, 4);
  if (o->is_f32) bits = o->raw;
  if (type == T_F64 || (type == T_B64 && !o->is_f32)) return constant(d, o->imm, 8, NULL, NULL);
  if (type == T_F32 || ((type == T_B32 || type == T_U32 || type == T_S32) && o->is_f32))
    return constant(d, bits, 4, NULL, NULL);
  return fail(d, o->column, "a floating-point constant does not fit .%s", ptype_info[type].name);
}

static pfix_t *add_fix(dec_t *d) {
  pcode_t *c = d->c;
  if (!(d->o->flags & DI_FIX)) {
    if (c->fixes == c->fix_cap) {
      uint32_t cap = c->fix_cap ? 2 * c->fix_cap : 16;
      pfixes_t *p = realloc(c->fix, cap * sizeof *p);
      if (!p) return no_memory(d), NULL;
      c->fix = p, c->fix_cap = cap;
    }
    c->fix[c->fixes] = (pfixes_t){0};
    d->o->target = c->fixes++;
    d->o->flags |= DI_FIX;
  }
  pfixes_t *p = &c->fix[d->o->target];
  if (p->count == 4) return fail(d, 0, "too many special registers"), NULL;
  return &p->fix[p->count++];
}

static uint32_t sreg_operand(dec_t *d, const poperand_t *o, uint8_t type, uint32_t slot) {
  if (d->o->op == I_BRA) return fail(d, o->column, "special register not supported here");
  pfix_t *x = add_fix(d);
  if (!x) return OPERAND_NONE;
  *x = (pfix_t){.kind = FIX_SREG, .type = type, .operand = (uint8_t)slot, .from = o->reg};
  return OPERAND(SEL_SCRATCH, slot * 256);
}

static uint32_t src_of(dec_t *d, const poperand_t *o, uint8_t type, bool relaxed, uint32_t slot) {
  if (o->neg) return fail(d, o->column, "'!' is not allowed here");
  if (o->kind == O_REG && o->reg2 == NO_REG && o->reg != NO_REG)
    return reg_operand(d, o, type, relaxed);
  if (type == T_PRED) {
    if (o->kind == O_IMM) return fail(d, o->column, "a constant predicate is not supported here");
    return fail(d, o->column, "predicate expected");
  }
  switch (o->kind) {
  case O_IMM:
    if (type == T_F32 || type == T_F64) {
      double v = (double)(int64_t)o->imm;
      poperand_t f = *o;
      memcpy(&f.imm, &v, 8);
      f.is_f32 = false;
      return float_constant(d, &f, type);
    }
    return constant(d, o->imm, ptype_info[type].bytes, NULL, NULL);
  case O_FIMM: return float_constant(d, o, type);
  case O_VAR:
    if (o->var->space == SP_LOCAL || o->var->space == SP_PARAM || o->var->space == SP_REG)
      return fail(d, o->column, "the address of '%s' is not a constant", o->var->name);
    return constant(d, o->imm, ptype_info[type].bytes, o->var, NULL);
  case O_FUNC: return constant(d, 0, ptype_info[type].bytes, NULL, o->func);
  case O_SREG: return sreg_operand(d, o, type, slot);
  default: return fail(d, o->column, "operand expected");
  }
}

static uint32_t src(dec_t *d, uint32_t i, uint8_t type) {
  return src_of(d, operand(d, i), type, false, i ? i - 1 : 0);
}

/* A predicate operand that may be negated; at most one per instruction. */
static uint32_t predicate(dec_t *d, uint32_t i) {
  const poperand_t *o = operand(d, i);
  if (o->kind != O_REG || o->reg2 != NO_REG) return fail(d, o->column, "predicate expected");
  if (o->neg) d->o->flags |= DI_NEG;
  return reg_operand(d, o, T_PRED, false);
}

/* --- element-wise operations --- */

typedef enum {
  E_ADD,
  E_ADDSAT,
  E_SUB,
  E_SUBSAT,
  E_MUL,
  E_MULHI,
  E_MULW,
  E_MUL24,
  E_MUL24HI,
  E_MAD,
  E_MADHI,
  E_MADHISAT,
  E_MADW,
  E_MAD24,
  E_MAD24HI,
  E_MAD24HISAT,
  E_SAD,
  E_DIV,
  E_REM,
  E_MIN,
  E_MAX,
  E_ABS,
  E_NEG,
  E_NOT,
  E_CNOT,
  E_AND,
  E_OR,
  E_XOR,
  E_SHL,
  E_SHR,
  E_POPC,
  E_CLZ,
  E_BREV,
  E_TF32,
  E_BFIND,
  E_BFINDSH,
  E_BFE,
  E_FNS,
  E_BMSK,
  E_SZEXT,
  E_SHFL_WRAP,
  E_SHFL_CLAMP,
  E_SHFR_WRAP,
  E_SHFR_CLAMP,
  E_PRMT,
  E_PRMTM,
  E_LOP3,
  E_DP4A,
  E_DP2A,
  E_COPYSIGN
} elem_t;

enum { Z_u16 = T_U16, Z_s16 = T_U16, Z_u32 = T_U32, Z_s32 = T_U32, Z_u64 = T_U64, Z_s64 = T_U64 };

static const struct {
  uint8_t elem, type, operands, shape[4]; /* shape: types that give the sizes, result first */
  uint16_t iop;
} elem_table[] = {
#define U1(op, type, r, a, v)    {E_##op, T_##type, 1, {Z_##r, Z_##a}, I_##op##_##type},
#define B2(op, type, r, a, b, v) {E_##op, T_##type, 2, {Z_##r, Z_##a, Z_##b}, I_##op##_##type},
#define T3(op, type, r, a, b, c, v)                                                                \
  {E_##op, T_##type, 3, {Z_##r, Z_##a, Z_##b, Z_##c}, I_##op##_##type},
#include "ptx/elem.def"
#undef U1
#undef B2
#undef T3
};

static uint8_t to_unsigned(uint8_t t) {
  if (t == T_F32) return T_U32;
  if (t == T_F64) return T_U64;
  char k = ptype_info[t].kind;
  if (k != 'b' && k != 's') return t;
  return (uint8_t)(ptype_info[t].bytes == 1   ? T_U8
                   : ptype_info[t].bytes == 2 ? T_U16
                   : ptype_info[t].bytes == 4 ? T_U32
                                              : T_U64);
}

static int find_elem(elem_t e, uint8_t type) {
  for (uint32_t i = 0; i < sizeof elem_table / sizeof *elem_table; i++)
    if (elem_table[i].elem == e && elem_table[i].type == type) return (int)i;
  return -1;
}

static bool elem(dec_t *d, elem_t e) {
  uint8_t type = d->in->type[0];
  int i = find_elem(e, type);
  if (i < 0) i = find_elem(e, to_unsigned(type));
  if (i < 0) return unsupported(d);
  d->o->op = elem_table[i].iop;
  d->o->d[0] = dst(d, elem_table[i].shape[0]);
  for (uint32_t k = 0; k < elem_table[i].operands; k++)
    d->o->s[k] = src(d, k + 1, elem_table[i].shape[k + 1]);
  return true;
}

/* --- arithmetic --- */

static bool is_float(uint8_t t) { return ptype_info[t].kind == 'f'; }
static bool is_bf16(uint8_t t) { return t == T_BF16 || t == T_BF16X2; }
static bool is_pair(uint8_t t) { return t == T_F16X2 || t == T_BF16X2; }
static bool is_half(uint8_t t) { return t == T_F16 || is_bf16(t) || is_pair(t); }

static const struct {
  uint16_t op32, op64;
  uint8_t operands;
} float_op[] = {[FOP_ADD] = {I_FADD32, I_FADD64, 2},    [FOP_SUB] = {I_FSUB32, I_FSUB64, 2},
                [FOP_MUL] = {I_FMUL32, I_FMUL64, 2},    [FOP_FMA] = {I_FMA32, I_FMA64, 3},
                [FOP_DIV] = {I_FDIV32, I_FDIV64, 2},    [FOP_RCP] = {I_FRCP32, I_FRCP64, 1},
                [FOP_SQRT] = {I_FSQRT32, I_FSQRT64, 1}, [FOP_MIN] = {I_FMIN32, I_FMIN64, 2},
                [FOP_MAX] = {I_FMAX32, I_FMAX64, 2},    [FOP_ABS] = {I_FABS32, I_FABS64, 1},
                [FOP_NEG] = {I_FNEG32, I_FNEG64, 1},    [FOP_EX2] = {I_APPROX32, 0, 1},
                [FOP_LG2] = {I_APPROX32, 0, 1},         [FOP_SIN] = {I_APPROX32, 0, 1},
                [FOP_COS] = {I_APPROX32, 0, 1},         [FOP_RSQRT] = {I_APPROX32, I_APPROX64, 1},
                [FOP_TANH] = {I_APPROX32, 0, 1}};

static bool float_arith(dec_t *d, uint8_t fop) {
  const pinst_t *in = d->in;
  uint8_t t = in->type[0];
  if (in->mod[G_CC] || in->mod[G_PART]) return unsupported(d);
  if (in->mod[G_RND] && in->mod[G_APPROX]) return unsupported(d);
  if (in->mod[G_FTZ] && t == T_F64 && !in->mod[G_APPROX]) return unsupported(d);
  if (in->mod[G_SAT] && t == T_F64) return unsupported(d);
  if (in->mod[G_RELU] && (!is_half(t) || in->mod[G_SAT])) return unsupported(d);
  d->o->sub = fop, d->o->type = t, d->o->rnd = in->mod[G_RND];
  d->o->aux = in->mod[G_NAN] | in->mod[G_RELU]; /* min, max or fma */
  if (is_half(t)) {
    if (in->mod[G_RND] > RND_RN || (is_bf16(t) && in->mod[G_SAT])) return unsupported(d);
    if (is_bf16(t) && in->mod[G_FTZ] && fop != FOP_EX2) return unsupported(d);
    d->o->op = I_HALF;
  } else {
    d->o->op = t == T_F32 ? float_op[fop].op32 : float_op[fop].op64;
    if (in->mod[G_RND] > RND_RN) d->o->op = I_FSOFT;
    if (t == T_F64 && in->mod[G_APPROX]) d->o->op = I_APPROX64;
    if (!d->o->op) return unsupported(d);
  }
  bool needs = fop == FOP_FMA || fop == FOP_DIV || fop == FOP_RCP || fop == FOP_SQRT;
  if (needs && !in->mod[G_RND] && !in->mod[G_APPROX] && in->op != OP_mad)
    return fail(d, 0, "a rounding mode is needed"), false;
  d->o->d[0] = dst(d, t);
  for (uint32_t k = 0; k < float_op[fop].operands; k++) d->o->s[k] = src(d, k + 1, t);
  return true;
}

static bool carry(dec_t *d, uint8_t flags) {
  uint8_t t = d->in->type[0];
  if (ptype_info[t].bytes < 4 || is_float(t)) return unsupported(d);
  d->o->op = I_CARRY, d->o->type = t;
  d->o->sub = flags | (d->in->mod[G_CC] ? CARRY_OUT : 0);
  d->o->d[0] = dst(d, t);
  d->o->s[0] = src(d, 1, t), d->o->s[1] = src(d, 2, t);
  return true;
}

static bool mad_carry(dec_t *d, uint8_t flags) {
  uint8_t t = d->in->type[0], part = d->in->mod[G_PART];
  if (ptype_info[t].bytes < 4 || is_float(t) || (part != PART_LO && part != PART_HI) ||
      d->in->mod[G_SAT])
    return unsupported(d);
  d->o->op = I_MADCARRY, d->o->type = t;
  d->o->sub = flags | (d->in->mod[G_CC] ? CARRY_OUT : 0);
  if (part == PART_HI) d->o->sub |= CARRY_HI;
  if (ptype_info[t].kind == 's') d->o->sub |= CARRY_SIGNED;
  d->o->d[0] = dst(d, t);
  for (uint32_t i = 0; i < 3; i++) d->o->s[i] = src(d, i + 1, t);
  return true;
}

static bool add_sub(dec_t *d, bool sub) {
  const pinst_t *in = d->in;
  if (is_float(in->type[0])) return float_arith(d, sub ? FOP_SUB : FOP_ADD);
  if (in->mod[G_RND] || in->mod[G_FTZ]) return unsupported(d);
  if (in->mod[G_CC]) return in->mod[G_SAT] ? unsupported(d) : carry(d, sub ? CARRY_SUB : 0);
  if (in->mod[G_SAT] && in->type[0] != T_S32) return unsupported(d);
  if (in->mod[G_SAT]) return elem(d, sub ? E_SUBSAT : E_ADDSAT);
  return elem(d, sub ? E_SUB : E_ADD);
}

static bool multiply(dec_t *d) {
  const pinst_t *in = d->in;
  if (is_float(in->type[0])) return float_arith(d, FOP_MUL);
  if (in->mod[G_RND] || in->mod[G_FTZ] || in->mod[G_SAT]) return unsupported(d);
  switch (in->mod[G_PART]) {
  case PART_LO: return elem(d, E_MUL);
  case PART_HI: return elem(d, E_MULHI);
  case PART_WIDE: return elem(d, E_MULW);
  default: return fail(d, 0, ".lo, .hi or .wide is needed"), false;
  }
}

static bool multiply_add(dec_t *d) {
  const pinst_t *in = d->in;
  if (is_float(in->type[0])) return float_arith(d, FOP_FMA);
  if (in->mod[G_RND] || in->mod[G_FTZ]) return unsupported(d);
  if (in->mod[G_CC]) return mad_carry(d, 0);
  if (in->mod[G_SAT] && (in->mod[G_PART] != PART_HI || in->type[0] != T_S32)) return unsupported(d);
  switch (in->mod[G_PART]) {
  case PART_LO: return elem(d, E_MAD);
  case PART_HI: return elem(d, in->mod[G_SAT] ? E_MADHISAT : E_MADHI);
  case PART_WIDE: return elem(d, E_MADW);
  default: return fail(d, 0, ".lo, .hi or .wide is needed"), false;
  }
}

static bool mul24(dec_t *d, bool mad) {
  uint8_t part = d->in->mod[G_PART];
  bool sat = d->in->mod[G_SAT];
  if ((part != PART_LO && part != PART_HI) || (sat && (part != PART_HI || d->in->type[0] != T_S32)))
    return unsupported(d);
  if (!mad) return elem(d, part == PART_HI ? E_MUL24HI : E_MUL24);
  return elem(d, sat ? E_MAD24HISAT : part == PART_HI ? E_MAD24HI : E_MAD24);
}

static bool int_or_float(dec_t *d, elem_t e, uint8_t fop) {
  if (is_float(d->in->type[0])) return float_arith(d, fop);
  if (d->in->mod[G_FTZ] || d->in->mod[G_NAN] || d->in->mod[G_RND] || d->in->mod[G_APPROX])
    return unsupported(d);
  return elem(d, e);
}

/* One of two predicates may be a constant: then it is in imm. */
static bool logic(dec_t *d, elem_t e, uint8_t boolop) {
  if (d->in->type[0] != T_PRED) return elem(d, e);
  uint32_t first = boolop && operand(d, 1)->kind == O_IMM ? 2 : 1;
  const poperand_t *second = boolop ? operand(d, 3 - first) : NULL;
  d->o->op = I_PLOGIC, d->o->sub = boolop; /* 0: not */
  d->o->d[0] = dst(d, T_PRED);
  d->o->s[0] = src(d, first, T_PRED);
  d->o->s[1] = OPERAND_NONE;
  if (second && second->kind == O_IMM)
    d->o->imm = second->imm ? UINT32_MAX : 0;
  else if (second)
    d->o->s[1] = src(d, 3 - first, T_PRED);
  return true;
}

static bool sfu(dec_t *d, uint8_t fop) {
  if (!d->in->mod[G_APPROX]) return fail(d, 0, ".approx is needed"), false;
  return float_arith(d, fop);
}

static bool bfi(dec_t *d) {
  uint8_t t = d->in->type[0];
  d->o->op = t == T_B64 ? I_BFI64 : I_BFI32;
  d->o->d[0] = dst(d, t);
  for (uint32_t i = 0; i < 4; i++) d->o->s[i] = src(d, i + 1, i < 2 ? t : T_U32);
  return true;
}

static bool lop3(dec_t *d) {
  const poperand_t *o = operand(d, 4);
  if (o->kind != O_IMM || o->imm > 255)
    return fail(d, o->column, "a constant from 0 to 255 is expected"), false;
  d->o->imm = o->imm;
  return elem(d, E_LOP3);
}

static bool funnel(dec_t *d) {
  bool left = d->in->mod[G_DIR] == DIR_L, wrap = d->in->mod[G_WRAP] == WRAP_WRAP;
  if (!d->in->mod[G_DIR] || !d->in->mod[G_WRAP]) return unsupported(d);
  return elem(d, left ? (wrap ? E_SHFL_WRAP : E_SHFL_CLAMP) : wrap ? E_SHFR_WRAP : E_SHFR_CLAMP);
}

static bool prmt(dec_t *d) {
  d->o->sub = d->in->mod[G_PRMT];
  return elem(d, d->o->sub ? E_PRMTM : E_PRMT);
}

static bool dot_product(dec_t *d, bool two) {
  if (d->in->type[1] == T_NONE || (two && !d->in->mod[G_PART])) return unsupported(d);
  if (d->in->mod[G_PART] == PART_WIDE) return unsupported(d);
  d->o->type = d->in->type[0], d->o->type2 = d->in->type[1], d->o->sub = d->in->mod[G_PART];
  return elem(d, two ? E_DP2A : E_DP4A);
}

static bool masked_width(dec_t *d, elem_t e) {
  d->o->sub = d->in->mod[G_WRAP];
  return d->o->sub ? elem(d, e) : unsupported(d);
}

/* --- comparison and selection --- */

static bool compare(dec_t *d, uint8_t type, uint32_t first) {
  const pinst_t *in = d->in;
  uint8_t cmp = in->mod[G_CMP];
  if (!cmp || (is_bf16(type) && in->mod[G_FTZ])) return unsupported(d);
  if (cmp >= CMP_EQU && !is_float(type)) return unsupported(d);
  if (cmp >= CMP_LO && cmp <= CMP_HS) {
    if (is_float(type)) return unsupported(d);
    cmp = (uint8_t)(cmp - CMP_LO + CMP_LT);
    type = to_unsigned(type);
  }
  if (ptype_info[type].kind == 'b') {
    if (cmp > CMP_NE && cmp < CMP_LO) return unsupported(d);
    type = to_unsigned(type);
  }
  d->o->sub = cmp, d->o->type = type, d->o->aux = in->mod[G_BOOL];
  d->o->s[0] = src(d, first, type), d->o->s[1] = src(d, first + 1, type);
  d->o->s[2] = OPERAND_NONE;
  if ((in->operands > first + 2) != (in->mod[G_BOOL] != 0)) return unsupported(d);
  if (in->mod[G_BOOL]) d->o->s[2] = predicate(d, first + 2);
  return true;
}

static bool setp(dec_t *d) {
  const poperand_t *o = operand(d, 0);
  d->o->op = I_SETP;
  d->o->d[0] = dst_of(d, o, T_PRED, false);
  d->o->d[1] = OPERAND_NONE;
  if (o->kind == O_REG && o->reg2 != NO_REG) {
    poperand_t q = {.kind = O_REG, .reg = o->reg2, .reg2 = NO_REG, .column = o->column};
    d->o->d[1] = dst_of(d, &q, T_PRED, false);
  }
  return compare(d, d->in->type[0], 1);
}

static bool set(dec_t *d) {
  uint8_t t = d->in->type[0];
  uint8_t from = d->in->type[1];
  bool word = t == T_U32 || t == T_S32 || t == T_F32 || t == T_B32;
  bool same = t == from && is_half(t), shorter = (t == T_U16 || t == T_S16) && is_half(from);
  if (!from || (!word && !same && !shorter) || (is_pair(from) && (shorter || t == T_F32)))
    return unsupported(d);
  d->o->op = I_SET, d->o->type2 = t;
  d->o->d[0] = dst(d, t);
  return compare(d, d->in->type[1], 1);
}

static bool selp(dec_t *d) {
  uint8_t t = d->in->type[0];
  d->o->op = type_wide(t) ? I_SELP64 : I_SELP32;
  d->o->d[0] = dst(d, t);
  d->o->s[0] = src(d, 1, t), d->o->s[1] = src(d, 2, t), d->o->s[2] = predicate(d, 3);
  return true;
}

static bool slct(dec_t *d) {
  uint8_t t = d->in->type[0], c = d->in->type[1];
  if (c != T_S32 && c != T_F32) return unsupported(d);
  d->o->op = type_wide(t) ? I_SLCT64 : I_SLCT32, d->o->type2 = c;
  d->o->d[0] = dst(d, t);
  d->o->s[0] = src(d, 1, t), d->o->s[1] = src(d, 2, t), d->o->s[2] = src(d, 3, c);
  return true;
}

static bool testp(dec_t *d) {
  if (!d->in->mod[G_TESTP]) return unsupported(d);
  d->o->op = I_TESTP, d->o->sub = d->in->mod[G_TESTP], d->o->type = d->in->type[0];
  d->o->d[0] = dst(d, T_PRED);
  d->o->s[0] = src(d, 1, d->in->type[0]);
  return true;
}

/* --- moves and conversions --- */

static bool frame_address(dec_t *d, const poperand_t *o, uint64_t window) {
  d->o->op = I_FRAMEADDR;
  d->o->imm = o->var->address + o->imm + window;
  bool kernel_param = o->var->space == SP_PARAM && o->var->owner && o->var->owner->is_entry &&
                      o->var->texture == UINT32_MAX;
  d->o->aux = kernel_param ? 0 : o->var->space == SP_LOCAL ? 1 : 2;
  d->o->wide = reg_is_wide(d, operand(d, 0));
  return true;
}

static bool pack(dec_t *d, uint8_t t) {
  static const uint8_t part_type[] = {0, T_B8, T_B16, 0, T_B32};
  const poperand_t *v = operand(d, 0)->kind == O_VEC ? operand(d, 0) : operand(d, 1);
  bool unpack = v == operand(d, 0);
  uint32_t bytes = ptype_info[t].bytes / (v->count ? v->count : 1);
  if ((v->count != 2 && v->count != 4) || !bytes || ptype_info[t].kind == 'p')
    return unsupported(d);
  d->o->op = unpack ? I_UNPACK : I_PACK;
  d->o->width = (uint8_t)bytes, d->o->vec = v->count;
  d->o->wide = type_wide(t);
  for (uint32_t i = 0; i < v->count; i++) {
    if (unpack)
      d->o->d[i] = dst_of(d, &v->elem[i], part_type[bytes], false);
    else
      d->o->s[i] = src_of(d, &v->elem[i], part_type[bytes], false, i);
  }
  if (unpack)
    d->o->s[0] = src(d, 1, t);
  else
    d->o->d[0] = dst(d, t);
  return true;
}

static bool mov(dec_t *d) {
  uint8_t t = d->in->type[0];
  const poperand_t *s = operand(d, 1);
  if (operand(d, 0)->kind == O_VEC || s->kind == O_VEC) return pack(d, t);
  d->o->d[0] = dst(d, t);
  if (s->kind == O_SREG) {
    d->o->op = I_SREG, d->o->sub = (uint8_t)s->reg, d->o->wide = type_wide(t);
    return t == T_PRED ? unsupported(d) : true;
  }
  if (s->kind == O_VAR && (s->var->space == SP_LOCAL || s->var->space == SP_PARAM))
    return type_wide(t) || t == T_U32 || t == T_B32 ? frame_address(d, s, 0) : unsupported(d);
  if (t == T_PRED && s->kind == O_IMM) { /* mov.pred p, 1 */
    d->o->op = I_MOVP, d->o->imm = s->imm ? UINT32_MAX : 0, d->o->s[0] = OPERAND_NONE;
    return true;
  }
  d->o->op = t == T_PRED ? I_MOVP : type_wide(t) ? I_MOV64 : I_MOV32;
  d->o->s[0] = src(d, 1, t);
  return true;
}

/* A cache policy is a hint, which no cache here follows: the number that stands for it is 0. */
static bool createpolicy(dec_t *d) {
  if (!d->in->mod[G_POLICY]) return unsupported(d);
  d->o->d[0] = dst(d, T_B64);
  d->o->op = I_MOV64, d->o->s[0] = constant(d, 0, 8, NULL, NULL);
  return true;
}

static bool cvta(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t t = in->type[0], space = in->mod[G_SPACE];
  const poperand_t *s = operand(d, 1);
  if (!type_wide(t) || !space) return unsupported(d);
  uint64_t window = space == SP_SHARED  ? DEVMEM_SHARED_WINDOW
                    : space == SP_LOCAL ? DEVMEM_LOCAL_WINDOW
                                        : 0;
  if (in->mod[G_TO]) window = 0 - window;
  d->o->d[0] = dst(d, t);
  if (s->kind == O_VAR && (s->var->space == SP_LOCAL || s->var->space == SP_PARAM))
    return space == SP_LOCAL ? frame_address(d, s, window) : unsupported(d);
  d->o->s[0] = src(d, 1, t);
  d->o->op = window ? I_ADDIMM64 : I_MOV64, d->o->imm = window;
  return true;
}

static bool isspacep(dec_t *d) {
  d->o->op = I_ISSPACEP, d->o->sub = d->in->mod[G_SPACE];
  if (!d->o->sub) return unsupported(d);
  d->o->d[0] = dst(d, T_PRED);
  d->o->s[0] = src(d, 1, T_U64);
  return true;
}

static bool cvt_half2(dec_t *d) {
  uint8_t t = d->in->type[0];
  if (!is_pair(t) || d->in->type[1] != T_F32 || d->in->mod[G_SAT] || d->in->mod[G_FTZ])
    return unsupported(d);
  d->o->op = I_CVT_H2, d->o->type = t, d->o->rnd = d->in->mod[G_RND];
  d->o->d[0] = dst(d, t);
  d->o->s[0] = src(d, 1, T_F32), d->o->s[1] = src(d, 2, T_F32);
  return true;
}

/* cvt.pack.sat: two integers, cut to `to`, in the low bits; bytes and fewer bits push c up. */
static bool cvt_pack(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t to = in->type[0];
  bool halves = to == T_U16 || to == T_S16;
  bool small = to == T_U8 || to == T_S8 || to == T_U4 || to == T_S4;
  if (!(halves || small) || in->type[1] != T_S32 || !in->mod[G_SAT] ||
      in->type[2] != (halves ? 0 : T_B32) || in->operands != (halves ? 3 : 4))
    return unsupported(d);
  d->o->op = I_CVT_PACK;
  d->o->aux = to == T_U16 || to == T_U8 || to == T_U4;
  d->o->width = halves ? 16 : to == T_U8 || to == T_S8 ? 8 : 4;
  d->o->d[0] = dst(d, T_B32);
  for (uint32_t i = 0; i < 3; i++)
    d->o->s[i] =
        halves && i == 2 ? constant(d, 0, 8, NULL, NULL) : src(d, 1 + i, i == 2 ? T_B32 : T_S32);
  return true;
}

/* cvt.rna.tf32.f32: ten bits of a fraction stay. */
static bool cvt_tf32(dec_t *d) {
  const pinst_t *in = d->in;
  bool others = in->mod[G_RND] || in->mod[G_IRND] || in->mod[G_FTZ] || in->mod[G_SAT];
  if (in->type[0] != T_TF32 || in->type[1] != T_F32 || !in->mod[G_RNA] || others ||
      in->operands != 2)
    return unsupported(d);
  d->o->op = elem_table[find_elem(E_TF32, T_U32)].iop;
  d->o->d[0] = dst(d, T_B32);
  d->o->s[0] = src(d, 1, T_F32);
  return true;
}

static bool only_packed(uint8_t t) { return t == T_S4 || t == T_U4 || t == T_B32; }

static bool cvt(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t to = in->type[0], from = in->type[1];
  if (!from) return fail(d, 0, "two types are needed"), false;
  if (in->mod[G_PACK]) return cvt_pack(d);
  if (in->type[2] || in->operands > 3 || only_packed(to) || only_packed(from))
    return unsupported(d);
  if (to == T_TF32 || from == T_TF32 || in->mod[G_RNA]) return cvt_tf32(d);
  if (in->operands == 3) return cvt_half2(d);
  if (is_pair(to) || is_pair(from) || (is_bf16(to) && in->mod[G_SAT])) return unsupported(d);
  bool tf = is_float(to), ff = is_float(from);
  d->o->op = tf ? (ff ? I_CVT_FF : I_CVT_IF) : ff ? I_CVT_FI : I_CVT_II;
  d->o->type = to, d->o->type2 = from;
  d->o->rnd = in->mod[G_RND], d->o->aux = in->mod[G_IRND];
  bool other_half = ff && tf && to != from && is_half(to) && is_half(from);
  bool narrowing = tf && (!ff || other_half || ptype_info[to].bytes < ptype_info[from].bytes);
  if (narrowing && !in->mod[G_RND]) return fail(d, 0, "a rounding mode is needed"), false;
  if (!tf && ff && !in->mod[G_IRND]) return fail(d, 0, "an integer rounding mode is needed"), false;
  if (in->mod[G_IRND] && !(ff && (!tf || to == from))) return unsupported(d);
  if (in->mod[G_RND] && !narrowing) return unsupported(d);
  d->o->d[0] = dst_of(d, operand(d, 0), to, true);
  d->o->s[0] = src_of(d, operand(d, 1), from, true, 0);
  d->o->wide = (uint8_t)(reg_is_wide(d, operand(d, 0)) | reg_is_wide(d, operand(d, 1)) << 1);
  if (operand(d, 1)->kind != O_REG && type_wide(from)) d->o->wide |= 2;
  return true;
}

/* --- memory --- */

static bool is_kernel_param(const pvar_t *v) {
  return v->space == SP_PARAM && v->owner && v->owner->is_entry && v->texture == UINT32_MAX;
}

/* [reg + imm], [var + imm], [imm] into s[0] and imm */
static bool address(dec_t *d, const poperand_t *o, uint8_t space) {
  if (o->kind != O_MEM) return fail(d, o->column, "address expected"), false;
  d->o->imm = o->imm;
  if (o->var) {
    bool frame = o->var->space == SP_LOCAL || o->var->space == SP_PARAM;
    if (o->var->space == SP_REG)
      return fail(d, o->column, "'%s' is not in memory", o->var->name), false;
    if (frame ? o->var->space != space : space && space != o->var->space)
      return fail(d, o->column, "'%s' is not in this state space", o->var->name), false;
    if (!frame && !space && o->var->space == SP_SHARED) d->o->imm += DEVMEM_SHARED_WINDOW;
    if (frame) {
      d->o->flags |= DI_FRAME;
      d->o->imm += o->var->address;
      d->o->s[0] = constant(d, 0, 8, NULL, NULL);
    } else {
      d->o->s[0] = constant(d, 0, 8, o->var, NULL);
    }
  } else if (o->reg != NO_REG) {
    uint8_t t = d->f->reg[o->reg].type;
    if (ptype_info[t].bytes < 4 || is_float(t))
      return fail(d, o->column, "an address has 32 or 64 bits"), false;
    d->o->s[0] = OPERAND(SEL_FRAME, d->m->offset[o->reg]);
    if (!type_wide(t)) d->o->flags |= DI_ADDR32;
  } else {
    d->o->s[0] = constant(d, 0, 8, NULL, NULL);
  }
  return true;
}

static bool element_shape(dec_t *d, uint8_t type, uint32_t vec) {
  d->o->type = type, d->o->width = ptype_info[type].bytes, d->o->vec = (uint8_t)vec;
  if (d->o->width * vec > 16) return fail(d, 0, "a vector has at most 16 bytes"), false;
  return true;
}

/* The elements of a scalar or vector data operand. */
static const poperand_t *elements(dec_t *d, uint32_t i, uint32_t vec) {
  const poperand_t *o = operand(d, i);
  if (vec == 1) return o->kind == O_VEC && o->count == 1 ? o->elem : o;
  if (o->kind == O_VEC && o->count == vec) return o->elem;
  fail(d, o->column, "a vector of %u elements is expected", vec);
  return NULL;
}

static uint16_t space_op(uint8_t space, uint16_t global, uint16_t shared, uint16_t local,
                         uint16_t generic) {
  switch (space) {
  case SP_GLOBAL:
  case SP_CONST: return global;
  case SP_SHARED: return shared;
  case SP_LOCAL: return local;
  default: return generic;
  }
}

static bool load(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t space = in->mod[G_SPACE], t = in->type[0];
  uint32_t vec = in->mod[G_VEC] ? in->mod[G_VEC] : 1;
  const poperand_t *e = elements(d, 0, vec);
  if (!e || !element_shape(d, t, vec) || !address(d, operand(d, 1), space)) return false;
  d->o->op = space_op(space, I_LD_GLOBAL, I_LD_SHARED, I_LD_LOCAL, I_LD_GENERIC);
  if (space == SP_PARAM) {
    const pvar_t *v = operand(d, 1)->var;
    bool kernel = v ? is_kernel_param(v) : d->f->is_entry;
    d->o->op = kernel ? I_LD_KPARAM : I_LD_PARAM;
    if (kernel) d->o->flags &= (uint8_t)~DI_FRAME;
  }
  for (uint32_t i = 0; i < vec; i++) {
    d->o->d[i] = dst_of(d, &e[i], t, true);
    if (reg_is_wide(d, &e[i])) d->o->wide |= (uint8_t)(1 << i);
  }
  if (space == SP_GLOBAL || space == SP_GENERIC) d->o->flags |= DI_YIELD;
  return true;
}

static bool store(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t space = in->mod[G_SPACE], t = in->type[0];
  uint32_t vec = in->mod[G_VEC] ? in->mod[G_VEC] : 1;
  const poperand_t *e = elements(d, 1, vec);
  if (!e || !element_shape(d, t, vec) || !address(d, operand(d, 0), space)) return false;
  if (space == SP_CONST) return fail(d, 0, "constant memory cannot be written"), false;
  d->o->op = space_op(space, I_ST_GLOBAL, I_ST_SHARED, I_ST_LOCAL, I_ST_GENERIC);
  if (space == SP_PARAM) {
    const pvar_t *v = operand(d, 0)->var;
    if (v && is_kernel_param(v))
      return fail(d, 0, "a kernel's parameters cannot be written"), false;
    d->o->op = I_ST_PARAM;
  }
  for (uint32_t i = 0; i < vec; i++) { /* s[0] is the address: data goes to d[] */
    d->o->d[i] = src_of(d, &e[i], t, true, 0);
    if (reg_is_wide(d, &e[i]) || (e[i].kind != O_REG && type_wide(t)))
      d->o->wide |= (uint8_t)(1 << i);
    if (e[i].kind == O_SREG)
      return fail(d, e[i].column, "special register not supported here"), false;
  }
  if (space == SP_GLOBAL || space == SP_GENERIC) d->o->flags |= DI_YIELD;
  return true;
}

/* Which operations exist for which types. */
static bool atom_allowed(uint8_t op, uint8_t t) {
  bool bits = ptype_info[t].kind == 'b', fp = is_float(t);
  switch (op) {
  case ATOM_ADD: return !bits;
  case ATOM_MIN:
  case ATOM_MAX: return !bits && !fp;
  case ATOM_INC:
  case ATOM_DEC: return t == T_U32;
  case ATOM_AND:
  case ATOM_OR:
  case ATOM_XOR: return !fp && t != T_B16;
  case ATOM_EXCH: return !fp && t != T_B16;
  case ATOM_CAS: return !fp;
  default: return false;
  }
}

static bool atomic(dec_t *d, bool red) {
  const pinst_t *in = d->in;
  uint8_t t = in->type[0], op = in->mod[G_ATOM], space = in->mod[G_SPACE];
  uint32_t first = red ? 0 : 1;
  if (!atom_allowed(op, t) || (space && space != SP_GLOBAL && space != SP_SHARED))
    return unsupported(d);
  if (red && (op == ATOM_EXCH || op == ATOM_CAS)) return unsupported(d);
  if (in->operands != first + 2u + (op == ATOM_CAS))
    return fail(d, 0, "wrong number of operands"), false;
  if (!element_shape(d, t, 1) || !address(d, operand(d, first), space)) return false;
  d->o->op = I_ATOM, d->o->sub = op, d->o->aux = space;
  d->o->d[0] = red ? OPERAND_NONE : dst_of(d, operand(d, 0), t, false);
  d->o->s[1] = src_of(d, operand(d, first + 1), t, false, 1);
  d->o->s[2] = op == ATOM_CAS ? src_of(d, operand(d, first + 2), t, false, 2) : OPERAND_NONE;
  d->o->flags |= DI_YIELD;
  return true;
}

/* The register or variable that names a texture or surface, and the coordinates in s[1] .. s[3]: x,
 * y, then z or the layer, which instructions have first. Those that are not there repeat x. */
static bool texture_place(dec_t *d, const poperand_t *h, const poperand_t *c, uint8_t type) {
  static const uint8_t counts[] = {
      [GEOM_1D] = 1, [GEOM_2D] = 2, [GEOM_3D] = 3, [GEOM_A1D] = 1, [GEOM_A2D] = 2};
  uint32_t geometry = d->in->mod[G_GEOM], n = counts[geometry], layers = geometry >= GEOM_A1D;
  d->o->aux = (uint8_t)geometry, d->o->type2 = type;
  if (h->kind != O_MEM || h->imm) return fail(d, h->column, "texture expected"), false;
  if (h->var)
    d->o->s[0] = constant(d, 0, 8, h->var, NULL);
  else if (h->reg != NO_REG && type_wide(d->f->reg[h->reg].type))
    d->o->s[0] = OPERAND(SEL_FRAME, d->m->offset[h->reg]);
  else
    return fail(d, h->column, "texture expected"), false;
  if (c->kind == O_VEC ? c->count < n + layers : n + layers != 1)
    return fail(d, c->column, "%u coordinates are expected", n + layers), false;
  const poperand_t *x = c->kind == O_VEC ? c->elem : c;
  for (uint32_t i = 0; i < n; i++) d->o->s[1 + i] = src_of(d, &x[i + layers], type, false, 1 + i);
  for (uint32_t i = n; i < 3; i++) d->o->s[1 + i] = d->o->s[1];
  if (layers) d->o->s[3] = src_of(d, &x[0], T_U32, false, 3);
  d->o->flags |= DI_YIELD;
  return true;
}

/* A texture has one level: whatever level or gradient an instruction names, it is read. */
static bool texture(dec_t *d) {
  const pinst_t *in = d->in;
  static const uint8_t more[] = {0, [LOD_LEVEL] = 1, [LOD_GRAD] = 2, [LOD_BASE] = 0};
  const poperand_t *e = elements(d, 0, 4);
  uint32_t last = in->operands - 1u - more[in->mod[G_LOD]]; /* [texture, sampler, coordinates] */
  if (!e || !in->mod[G_GEOM] || in->mod[G_VEC] != 4 || in->type[0] == T_F16) return unsupported(d);
  if (in->type[1] != T_S32 && in->type[1] != T_F32) return unsupported(d);
  if (last < 2 || last > 3) return fail(d, 0, "wrong number of operands"), false;
  if (in->op == OP_tld4 &&
      (!in->mod[G_GATHER] || in->mod[G_GEOM] != GEOM_2D || in->type[1] != T_F32))
    return unsupported(d);
  d->o->op = in->op == OP_tld4 ? I_TLD4 : I_TEX, d->o->type = in->type[0];
  d->o->sub = in->mod[G_GATHER];
  if (!texture_place(d, operand(d, 1), operand(d, last), in->type[1])) return false;
  for (uint32_t i = 0; i < 4; i++) d->o->d[i] = dst_of(d, &e[i], in->type[0], false);
  return true;
}

/* suld d, [surface, x]; sust [surface, x], d: d is in d[] for both, as of loads and stores. */
static bool surface(dec_t *d) {
  const pinst_t *in = d->in;
  bool loads = in->op == OP_suld;
  uint32_t vec = in->mod[G_VEC] ? in->mod[G_VEC] : 1, at = loads ? 1 : 0;
  const poperand_t *e = elements(d, loads ? 0 : 2, vec);
  if (!e || !element_shape(d, in->type[0], vec)) return false;
  if (!in->mod[G_GEOM] || !in->mod[G_FORMAT]) return unsupported(d);
  d->o->op = loads ? I_SULD : I_SUST, d->o->sub = in->mod[G_BOUNDARY];
  if (!d->o->sub) d->o->sub = BOUNDARY_TRAP;
  if (!texture_place(d, operand(d, at), operand(d, at + 1), T_S32)) return false;
  for (uint32_t i = 0; i < vec; i++) {
    if (e[i].kind == O_SREG)
      return fail(d, e[i].column, "special register not supported here"), false;
    d->o->d[i] =
        loads ? dst_of(d, &e[i], in->type[0], true) : src_of(d, &e[i], in->type[0], true, 0);
    if (reg_is_wide(d, &e[i]) || (e[i].kind != O_REG && type_wide(in->type[0])))
      d->o->wide |= (uint8_t)(1 << i);
  }
  return true;
}

/* --- matrices --- */

uint32_t matrix_bits(uint8_t type) {
  switch (type) {
  case T_B1: return 1;
  case T_S4:
  case T_U4: return 4;
  default: return 8u * ptype_info[type].bytes;
  }
}

void matrix_shape(const pmatrix_t *p, uint32_t fragment, uint32_t *rows, uint32_t *cols) {
  *rows = fragment == FRAGMENT_B ? p->k : p->m;
  *cols = fragment == FRAGMENT_A ? p->k : p->n;
}

static pmatrix_t *add_matrix(dec_t *d) {
  pcode_t *c = d->c;
  if (c->matrices == c->matrix_cap) {
    uint32_t cap = c->matrix_cap ? 2 * c->matrix_cap : 8;
    pmatrix_t *p = realloc(c->matrix, cap * sizeof *p);
    if (!p) return no_memory(d), NULL;
    c->matrix = p, c->matrix_cap = cap;
  }
  d->o->target = c->matrices;
  pmatrix_t *p = &c->matrix[c->matrices++];
  *p = (pmatrix_t){0};
  const pshape_t *s = &pshape[d->in->mod[G_SHAPE] - 1u];
  p->m = s->m, p->n = s->n, p->k = s->k;
  return p;
}

/* The registers of operand i, which must be `want` in number. */
static bool matrix_regs(dec_t *d, pmatrix_t *p, uint32_t list, uint32_t i, uint32_t want,
                        uint8_t type, bool result) {
  const poperand_t *o = operand(d, i);
  uint32_t n = o->kind == O_VEC ? o->count : 1;
  if (n != want || want > 8) return fail(d, o->column, "%u registers are expected", want), false;
  const poperand_t *e = o->kind == O_VEC ? o->elem : o;
  p->regs[list] = (uint8_t)n;
  for (uint32_t k = 0; k < n; k++)
    p->reg[list][k] = result ? dst_of(d, &e[k], type, false) : src_of(d, &e[k], type, false, 0);
  if (d->o->flags & DI_FIX) return fail(d, o->column, "special register not supported here"), false;
  return true;
}

static uint8_t matrix_reg_type(uint8_t type) { return type == T_F64 ? T_B64 : T_B32; }

/* Registers that hold a fragment. Of wmma's f16 factors they are always 8, and elements may be in
 * several of them. */
static uint32_t fragment_regs(const pmatrix_t *p, uint32_t fragment, uint8_t type) {
  uint32_t rows, cols, reg = type == T_F64 ? 64 : 32;
  matrix_shape(p, fragment, &rows, &cols);
  uint32_t bits = rows * cols * matrix_bits(type) / 32;
  if (p->wmma && type == T_F16 && fragment <= FRAGMENT_B) return 8;
  return bits % reg ? 0 : bits / reg;
}

/* Which element types go together. */
static bool matrix_types(const pmatrix_t *p) {
  uint8_t dt = p->type[0], a = p->type[1], b = p->type[2], c = p->type[3];
  bool accumulates = (dt == T_F16 || dt == T_F32) && (c == T_F16 || c == T_F32);
  switch (a) {
  case T_F16: return b == a && accumulates;
  case T_BF16:
  case T_TF32: return b == a && dt == T_F32 && c == T_F32;
  case T_F64: return b == a && dt == a && c == a;
  case T_S8:
  case T_U8: return (b == T_S8 || b == T_U8) && dt == T_S32 && c == T_S32;
  case T_S4:
  case T_U4: return (b == T_S4 || b == T_U4) && dt == T_S32 && c == T_S32;
  case T_B1: return b == a && dt == T_S32 && c == T_S32;
  default: return false;
  }
}

/* mma.sync and wmma.mma: D = A * B + C */
static bool matrix_product(dec_t *d, bool wmma) {
  const pinst_t *in = d->in;
  if (!in->mod[G_SHAPE] || !in->mod[G_SYNC] || !in->mod[G_LAYOUT] || !in->mod[G_LAYOUT2] ||
      in->mod[G_RND] > RND_RN)
    return unsupported(d);
  pmatrix_t *p = add_matrix(d);
  if (!p || !p->k) return p ? unsupported(d) : false;
  p->wmma = wmma, p->satfinite = in->mod[G_SATFINITE], p->bits = in->mod[G_BITS];
  memcpy(p->type, in->type, sizeof p->type);
  if (wmma && !in->type[2]) p->type[1] = p->type[2] = T_F16, p->type[3] = in->type[1];
  if (!p->type[3] || !matrix_types(p) || (p->type[1] == T_B1) != (p->bits != 0))
    return unsupported(d);
  /* Shapes of 16 x 16 and its kin exist for wmma only; mma has n = 8, and takes A by rows. */
  if (wmma != (p->n != 8 || p->m == 32 || (p->m == 8 && in->op == OP_wmma))) return unsupported(d);
  if (!wmma && (in->mod[G_LAYOUT] != LAYOUT_ROW || in->mod[G_LAYOUT2] != LAYOUT_COL))
    return unsupported(d);
  static const uint8_t fragment[] = {FRAGMENT_D, FRAGMENT_A, FRAGMENT_B, FRAGMENT_C};
  d->o->op = I_MMA;
  uint32_t want[4];
  for (uint32_t i = 0; i < 4; i++) {
    want[i] = fragment_regs(p, fragment[i], p->type[i]);
    if (!want[i]) return unsupported(d); /* m8n8k4 of f16 has a layout of its own */
  }
  for (uint32_t i = 0; i < 4; i++)
    if (!matrix_regs(d, p, i, i, want[i], matrix_reg_type(p->type[i]), i == 0)) return false;
  return true;
}

/* wmma.load.a d, [p], stride   wmma.store.d [p], d, stride */
static bool matrix_memory(dec_t *d, bool store) {
  const pinst_t *in = d->in;
  uint8_t f = in->mod[G_FRAGMENT];
  uint32_t rows, cols, data = store, where = !store;
  if (!in->mod[G_SHAPE] || !f || !in->mod[G_LAYOUT] || in->mod[G_LAYOUT2] || in->type[1] ||
      store != (f == FRAGMENT_D) || in->operands > 3)
    return unsupported(d);
  pmatrix_t *p = add_matrix(d);
  if (!p || !p->k) return p ? unsupported(d) : false;
  uint8_t t = in->type[0];
  p->wmma = true, p->fragment = f, p->col = in->mod[G_LAYOUT] == LAYOUT_COL, p->type[0] = t;
  bool accumulator = f >= FRAGMENT_C;
  if (accumulator && t != T_F16 && t != T_F32 && t != T_S32 && t != T_F64) return unsupported(d);
  if (!accumulator && (t == T_F32 || t == T_S32)) return unsupported(d);
  uint32_t want = fragment_regs(p, f, t);
  if (!want) return unsupported(d);
  matrix_shape(p, f, &rows, &cols);
  uint32_t chunk = rows * cols * matrix_bits(t) / 8 / WARP_LANES;
  d->o->op = store ? I_WMMA_ST : I_WMMA_LD, d->o->aux = in->mod[G_SPACE];
  d->o->type = t, d->o->width = (uint8_t)(chunk > 16 ? 16 : chunk), d->o->vec = 1;
  d->o->s[1] = in->operands > 2 ? src_of(d, operand(d, 2), T_U32, false, 1) : OPERAND_NONE;
  d->o->s[3] = OPERAND_NONE;
  if (in->mod[G_SPACE] > SP_SHARED || d->o->flags & DI_FIX) return unsupported(d);
  d->o->flags |= DI_YIELD;
  return matrix_regs(d, p, 0, data, want, matrix_reg_type(t), !store) &&
         address(d, operand(d, where), in->mod[G_SPACE]);
}

static bool wmma(dec_t *d) {
  switch (d->in->mod[G_WMMA]) {
  case WMMA_MMA: return matrix_product(d, true);
  case WMMA_LOAD: return d->in->mod[G_SYNC] ? matrix_memory(d, false) : unsupported(d);
  case WMMA_STORE: return d->in->mod[G_SYNC] ? matrix_memory(d, true) : unsupported(d);
  default: return unsupported(d);
  }
}

/* ldmatrix d, [p]   stmatrix [p], d: n 8 x 8 matrices of 16-bit elements, a row per address */
static bool matrix_rows(dec_t *d, bool store) {
  const pinst_t *in = d->in;
  uint8_t n = in->mod[G_COUNT_X], space = in->mod[G_SPACE];
  if (!in->mod[G_SHAPE] || !n || !in->mod[G_SYNC] || (space && space != SP_SHARED))
    return unsupported(d);
  pmatrix_t *p = add_matrix(d);
  if (!p || p->k) return p ? unsupported(d) : false;
  d->o->op = store ? I_STMATRIX : I_LDMATRIX, d->o->sub = in->mod[G_TRANS];
  d->o->aux = SP_SHARED, d->o->width = 16, d->o->vec = 1;
  return matrix_regs(d, p, 0, store, n, T_B32, !store) && address(d, operand(d, !store), SP_SHARED);
}

static bool movmatrix(dec_t *d) {
  if (!d->in->mod[G_SHAPE] || !d->in->mod[G_TRANS] || !d->in->mod[G_SYNC]) return unsupported(d);
  pmatrix_t *p = add_matrix(d);
  if (!p || p->k) return p ? unsupported(d) : false;
  d->o->op = I_MOVMATRIX;
  return matrix_regs(d, p, 0, 0, 1, T_B32, true) && matrix_regs(d, p, 1, 1, 1, T_B32, false);
}

/* --- copies into shared memory, and barriers there --- */

static bool mbarrier_at(dec_t *d, const poperand_t *o) {
  uint8_t space = d->in->mod[G_SPACE];
  if (space && space != SP_SHARED) return unsupported(d);
  d->o->op = I_MBARRIER, d->o->aux = space, d->o->width = 8, d->o->vec = 1;
  d->o->flags |= DI_YIELD;
  return address(d, o, space);
}

static bool mbarrier(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t kind = in->mod[G_MBARRIER];
  bool waits = kind == MBARRIER_TEST || kind == MBARRIER_TRY, parity = in->mod[G_PARITY];
  bool sets = kind == MBARRIER_INIT || kind == MBARRIER_INVAL;
  if (!kind || (parity && !waits)) return unsupported(d);
  d->o->sub = kind;
  d->o->s[1] = OPERAND_NONE;
  if (kind == MBARRIER_PENDING) {
    if (in->operands != 2) return fail(d, 0, "wrong number of operands"), false;
    d->o->op = I_MBARRIER, d->o->d[0] = dst(d, T_U32), d->o->s[0] = src(d, 1, T_B64);
    return true;
  }
  uint32_t first = sets ? 0 : 1, least = kind == MBARRIER_INIT || waits ? first + 2 : first + 1;
  if (in->operands < least || in->operands > first + 2u + (kind == MBARRIER_TRY) ||
      (kind == MBARRIER_INVAL && in->operands != 1))
    return fail(d, 0, "wrong number of operands"), false;
  if (in->operands > first + 1)
    d->o->s[1] = src_of(d, operand(d, first + 1), waits && !parity ? T_B64 : T_U32, false, 1);
  if (!sets) d->o->d[0] = dst_of(d, operand(d, 0), waits ? T_PRED : T_B64, false);
  if (d->o->flags & DI_FIX) return fail(d, 0, "special register not supported here"), false;
  if (parity) d->o->flags |= DI_NEG;
  return mbarrier_at(d, operand(d, first));
}

/* cp.async [to], [from], bytes{, bytes to read or predicate "read nothing"} */
static bool async_copy(dec_t *d) {
  const pinst_t *in = d->in;
  if (!in->mod[G_ASYNC]) return unsupported(d);
  if (in->mod[G_COPY] == COPY_ARRIVE) {
    if (in->operands != 1 || in->mod[G_BAR] != BAR_ARRIVE) return unsupported(d);
    d->o->sub = MBARRIER_ARRIVE, d->o->s[1] = OPERAND_NONE, d->o->d[0] = OPERAND_NONE;
    d->o->wide = !in->mod[G_NOINC]; /* the phase expects one arrival more, this one */
    return mbarrier_at(d, operand(d, 0));
  }
  if (in->mod[G_COPY]) { /* the copy was made when it was issued; the scoreboard has the waiting */
    if (in->operands != (in->mod[G_COPY] == COPY_WAIT_GROUP)) return unsupported(d);
    d->o->op = I_NOP;
    return true;
  }
  if (in->operands < 3 || in->mod[G_SPACE] != SP_SHARED || in->mod[G_SPACE2] != SP_GLOBAL)
    return unsupported(d);
  const poperand_t *bytes = operand(d, 2), *to = operand(d, 0);
  if (bytes->kind != O_IMM || (bytes->imm != 4 && bytes->imm != 8 && bytes->imm != 16))
    return fail(d, bytes->column, "4, 8 or 16 bytes are copied"), false;
  if (!address(d, to, SP_SHARED)) return false; /* of the two, s[0] and imm are the source's */
  if (d->o->imm > UINT32_MAX && (int64_t)d->o->imm < INT32_MIN) return unsupported(d);
  d->o->rpc = (uint32_t)d->o->imm;
  d->o->s[1] = d->o->s[0], d->o->wide = d->o->flags & DI_ADDR32 ? 1 : 0;
  d->o->flags &= (uint8_t)~DI_ADDR32;
  if (!address(d, operand(d, 1), SP_GLOBAL)) return false;
  d->o->op = I_CPASYNC, d->o->width = (uint8_t)bytes->imm, d->o->vec = 1;
  d->o->s[2] = d->o->s[3] = OPERAND_NONE;
  for (uint32_t i = 3; i < in->operands; i++) {
    const poperand_t *o = operand(d, i);
    bool predicate_reg = o->kind == O_REG && o->reg != NO_REG && d->f->reg[o->reg].type == T_PRED;
    if (predicate_reg)
      d->o->s[3] = predicate(d, i);
    else
      d->o->s[2] = src_of(d, o, T_U32, false, 2);
  }
  d->o->flags |= DI_YIELD;
  return true;
}

/* --- video instructions --- */

static bool video(dec_t *d, uint8_t what, uint8_t lanes) {
  const pinst_t *in = d->in;
  uint32_t third = in->operands > 3;
  bool set = what == VOP_SET, mad = what == VOP_MAD;
  if (!in->type[1] || (!set && !in->type[2]) || (set && !in->mod[G_CMP])) return unsupported(d);
  if (lanes > 1 && in->mod[G_VIDEO] > VIDEO_ADD) return unsupported(d);
  if (lanes > 1 && !third) return unsupported(d);
  if (lanes == 1 && !mad && third != (in->mod[G_VIDEO] != 0)) return unsupported(d);
  if (lanes == 1 && (what == VOP_SHL || what == VOP_SHR) && !in->mod[G_WRAP]) return unsupported(d);
  if (lanes > 1 && in->mod[G_VIDEO] && in->mod[G_SAT]) return unsupported(d);
  d->o->op = I_VIDEO, d->o->sub = what, d->o->vec = lanes, d->o->aux = in->mod[G_VIDEO];
  d->o->type = set ? T_U32 : in->type[0];
  d->o->type2 = (uint8_t)((set ? in->type[0] : in->type[1]) == T_S32);
  d->o->wide = (uint8_t)((set ? in->type[1] : in->type[2]) == T_S32);
  d->o->rnd = in->mod[G_CMP] ? in->mod[G_CMP] : in->mod[G_WRAP];
  d->o->imm = in->mod[G_VSHIFT] | (uint64_t)in->mod[G_PO] << 8;
  d->o->width = (uint8_t)(operand(d, 1)->part | operand(d, 2)->part << 4);
  d->o->d[0] = dst(d, T_U32);
  for (uint32_t i = 0; i < 2 + third; i++) d->o->s[i] = src(d, i + 1, T_U32);
  if (!third) d->o->s[2] = OPERAND_NONE;
  if (operand(d, 0)->part || (third && operand(d, 3)->part)) return unsupported(d);
  if (lanes > 1 && d->o->width) return unsupported(d);
  return true;
}

/* --- control flow --- */

static uint32_t reconverge_at(const dec_t *d) {
  uint32_t b = d->g->ipdom[d->g->leader[d->index]];
  return b >= PC_EXIT ? b : d->g->start[b];
}

static bool branch(dec_t *d) {
  const poperand_t *o = operand(d, 0);
  if (o->kind != O_LABEL) return fail(d, o->column, "label expected"), false;
  d->o->op = I_BRA, d->o->target = (uint32_t)o->imm, d->o->rpc = reconverge_at(d);
  return true;
}

static bool branch_indexed(dec_t *d) {
  const poperand_t *l = operand(d, 1);
  pcode_t *c = d->c;
  if (l->kind != O_LIST || !l->elems || l->elem[0].kind != O_LABEL)
    return fail(d, l->column, "a list of branch targets is expected"), false;
  if (c->target_lists == c->target_cap) {
    uint32_t cap = c->target_cap ? 2 * c->target_cap : 4;
    uint32_t **p = realloc(c->targets, cap * sizeof *p);
    if (!p) return no_memory(d), false;
    c->targets = p, c->target_cap = cap;
  }
  uint32_t *t = calloc(l->elems + 1, sizeof *t);
  if (!t) return no_memory(d), false;
  c->targets[c->target_lists] = t;
  t[0] = l->elems;
  for (uint32_t i = 0; i < l->elems; i++) t[i + 1] = (uint32_t)l->elem[i].imm;
  d->o->op = I_BRX, d->o->imm = c->target_lists++, d->o->rpc = reconverge_at(d);
  d->o->s[0] = src_of(d, operand(d, 0), T_U32, false, 0);
  if (d->o->flags & DI_FIX) return fail(d, 0, "register expected"), false;
  return true;
}

static bool call_place(dec_t *d, const poperand_t *o, const pvar_t *formal, bool result,
                       pplace_t *p) {
  *p = (pplace_t){.size = formal->bytes};
  if (o->kind == O_VAR && o->var->space == SP_PARAM) {
    if (o->imm || is_kernel_param(o->var))
      return fail(d, o->column, "a .param variable of this function is expected"), false;
    if (o->var->bytes != formal->bytes && !(formal->bytes == 0))
      return fail(d, o->column, "'%s' has %llu bytes, the parameter has %llu", o->var->name,
                  (unsigned long long)o->var->bytes, (unsigned long long)formal->bytes),
             false;
    p->kind = 1, p->place = (uint32_t)o->var->address;
    return true;
  }
  if (formal->bytes > 8 || !formal->bytes)
    return fail(d, o->column, "this argument must be a .param variable"), false;
  p->bytes = (uint8_t)formal->bytes;
  if (result && o->kind == O_SINK) {
    p->kind = 0, p->place = OPERAND_NONE;
    return true;
  }
  p->place = result ? dst_of(d, o, formal->type, true) : src_of(d, o, formal->type, true, 0);
  if (d->o->flags & DI_FIX) return fail(d, o->column, "special register not supported here"), false;
  bool wide = reg_is_wide(d, o) || (o->kind != O_REG && type_wide(formal->type));
  if (wide != type_wide(formal->type))
    return fail(d, o->column, "argument has the wrong size"), false;
  return true;
}

static bool call(dec_t *d) {
  const pinst_t *in = d->in;
  pcode_t *c = d->c;
  const poperand_t *o = operand(d, 0);
  const pfunc_t *sig = o->kind == O_FUNC && !o->func->is_proto ? o->func : in->prototype;
  if (o->kind == O_FUNC && o->func->is_entry)
    return fail(d, o->column, "a kernel cannot be called"), false;
  if (!sig) return fail(d, o->column, "an indirect call needs a prototype"), false;
  if (in->args != sig->params || in->results != sig->results)
    return fail(d, o->column, "'%s' takes %u arguments and gives %u results", sig->name,
                sig->params, sig->results),
           false;
  if (c->calls == c->call_cap) {
    uint32_t cap = c->call_cap ? 2 * c->call_cap : 8;
    pcall_t *p = realloc(c->call, cap * sizeof *p);
    if (!p) return no_memory(d), false;
    c->call = p, c->call_cap = cap;
  }
  pcall_t *k = &c->call[c->calls];
  *k = (pcall_t){.func = (pfunc_t *)sig, .args = in->args, .results = in->results};
  k->arg = calloc(in->args + 1, sizeof *k->arg),
  k->result = calloc(in->results + 1, sizeof *k->result);
  d->o->imm = c->calls++;
  if (!k->arg || !k->result) return no_memory(d), false;
  for (uint32_t i = 0; i < in->args; i++)
    if (!call_place(d, &in->arg[i], sig->param[i], false, &k->arg[i])) return false;
  for (uint32_t i = 0; i < in->results; i++)
    if (!call_place(d, &in->result[i], sig->result[i], true, &k->result[i])) return false;
  d->o->op = I_CALL;
  if (o->kind == O_REG) {
    d->o->op = I_CALLI, c->indirect = true;
    d->o->s[0] = src_of(d, o, T_U64, false, 0);
  } else if (o->kind != O_FUNC || o->func->is_proto) {
    return fail(d, o->column, "function expected"), false;
  }
  return true;
}

static bool bar_warp(dec_t *d) {
  if (d->in->mod[G_BAR] != BAR_SYNC || d->in->operands != 1) return unsupported(d);
  d->o->op = I_WARPSYNC, d->o->s[0] = src_of(d, operand(d, 0), T_U32, false, 0);
  return true;
}

/* bar.sync a{, b}   bar.arrive a, b   bar.red.op.type d, a{, b}, {!}c */
static bool barrier(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t kind = in->mod[G_BAR], red = in->mod[G_BARRED];
  if (in->mod[G_WARP]) return bar_warp(d);
  if (!kind || (kind == BAR_RED) != (red != 0) || in->mod[G_SCOPE] > 1) return unsupported(d);
  uint32_t first = kind == BAR_RED, rest = in->operands - first - (kind == BAR_RED);
  if (in->operands < first + 1u + (kind == BAR_RED) || rest < 1 || rest > 2 ||
      (kind == BAR_ARRIVE && rest != 2))
    return fail(d, 0, "wrong number of operands"), false;
  d->o->op = I_BAR, d->o->sub = kind, d->o->aux = red;
  d->o->s[0] = src_of(d, operand(d, first), T_U32, false, 0);
  d->o->s[1] = rest == 2 ? src_of(d, operand(d, first + 1), T_U32, false, 1) : OPERAND_NONE;
  d->o->s[2] = kind == BAR_RED ? predicate(d, in->operands - 1u) : OPERAND_NONE;
  if (d->o->flags & DI_FIX) return fail(d, 0, "special register not supported here"), false;
  if (kind != BAR_RED) return true;
  uint8_t want = red == BARRED_POPC ? T_U32 : T_PRED;
  if (in->type[0] != want) return unsupported(d);
  d->o->d[0] = dst(d, want);
  return true;
}

/* --- warp operations --- */

static uint32_t second_result(dec_t *d) {
  const poperand_t *o = operand(d, 0);
  if (o->kind != O_REG || o->reg2 == NO_REG) return OPERAND_NONE;
  poperand_t q = {.kind = O_REG, .reg = o->reg2, .reg2 = NO_REG, .column = o->column};
  return dst_of(d, &q, T_PRED, false);
}

static bool shuffle(dec_t *d) {
  const pinst_t *in = d->in;
  if (!in->mod[G_SHFL] || in->operands != 4u + (in->mod[G_SYNC] != 0)) return unsupported(d);
  d->o->op = I_SHFL, d->o->sub = in->mod[G_SHFL];
  d->o->d[0] = dst_of(d, operand(d, 0), T_B32, false), d->o->d[1] = second_result(d);
  for (uint32_t i = 0; i < 3; i++) d->o->s[i] = src(d, i + 1, T_B32);
  d->o->s[3] = in->mod[G_SYNC] ? src(d, 4, T_B32) : OPERAND_NONE;
  return true;
}

static bool vote(dec_t *d) {
  const pinst_t *in = d->in;
  bool ballot = in->mod[G_VOTE] == VOTE_BALLOT;
  if (!in->mod[G_VOTE] || in->operands != 2u + (in->mod[G_SYNC] != 0)) return unsupported(d);
  if (in->type[0] != (ballot ? T_B32 : T_PRED)) return unsupported(d);
  d->o->op = I_VOTE, d->o->sub = in->mod[G_VOTE];
  d->o->d[0] = dst(d, in->type[0]);
  if (operand(d, 1)->kind == O_IMM) /* a constant counts as a predicate */
    d->o->s[0] = OPERAND_NONE, d->o->imm = operand(d, 1)->imm ? UINT32_MAX : 0;
  else
    d->o->s[0] = predicate(d, 1);
  d->o->s[3] = in->mod[G_SYNC] ? src(d, 2, T_B32) : OPERAND_NONE;
  return true;
}

static bool match(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t kind = in->mod[G_VOTE];
  if ((kind != VOTE_ANY && kind != VOTE_ALL) || !in->mod[G_SYNC]) return unsupported(d);
  d->o->op = I_MATCH, d->o->sub = kind, d->o->type = in->type[0];
  d->o->d[0] = dst_of(d, operand(d, 0), T_B32, false), d->o->d[1] = second_result(d);
  d->o->s[0] = src(d, 1, in->type[0]), d->o->s[3] = src(d, 2, T_B32);
  return true;
}

static bool redux(dec_t *d) {
  const pinst_t *in = d->in;
  uint8_t op = in->mod[G_ATOM], t = in->type[0];
  bool logical = op == ATOM_AND || op == ATOM_OR || op == ATOM_XOR;
  bool arith = op == ATOM_ADD || op == ATOM_MIN || op == ATOM_MAX;
  if (!in->mod[G_SYNC] || (!logical && !arith) || logical != (t == T_B32)) return unsupported(d);
  d->o->op = I_REDUX, d->o->sub = op, d->o->type = t;
  d->o->d[0] = dst(d, t), d->o->s[0] = src(d, 1, t), d->o->s[3] = src(d, 2, T_B32);
  return true;
}

static bool simple(dec_t *d, uint16_t op) {
  d->o->op = op;
  return true;
}

static bool decode_inst(dec_t *d) {
  switch (d->in->op) {
  case OP_abs: return int_or_float(d, E_ABS, FOP_ABS);
  case OP_activemask: d->o->op = I_ACTIVEMASK, d->o->d[0] = dst(d, T_B32); return true;
  case OP_add: return add_sub(d, false);
  case OP_addc: return carry(d, CARRY_IN);
  case OP_and: return logic(d, E_AND, BOOL_AND);
  case OP_atom: return atomic(d, false);
  case OP_bar:
  case OP_barrier: return barrier(d);
  case OP_bfe: return elem(d, E_BFE);
  case OP_bfi: return bfi(d);
  case OP_bfind: return elem(d, d->in->mod[G_SHIFTAMT] ? E_BFINDSH : E_BFIND);
  case OP_bmsk: return masked_width(d, E_BMSK);
  case OP_bra: return branch(d);
  case OP_brev: return elem(d, E_BREV);
  case OP_brx: return branch_indexed(d);
  case OP_call: return call(d);
  case OP_clz: return elem(d, E_CLZ);
  case OP_cnot: return elem(d, E_CNOT);
  case OP_copysign: return elem(d, E_COPYSIGN);
  case OP_cos: return sfu(d, FOP_COS);
  case OP_createpolicy: return createpolicy(d);
  case OP_cvt: return cvt(d);
  case OP_cvta: return cvta(d);
  case OP_div: return int_or_float(d, E_DIV, FOP_DIV);
  case OP_dp2a: return dot_product(d, true);
  case OP_dp4a: return dot_product(d, false);
  case OP_ex2: return sfu(d, FOP_EX2);
  case OP_exit: return simple(d, I_EXIT);
  case OP_fence:
  case OP_membar: return simple(d, I_FENCE);
  case OP_fma: return float_arith(d, FOP_FMA);
  case OP_fns: return elem(d, E_FNS);
  case OP_isspacep: return isspacep(d);
  case OP_ld:
  case OP_ldu: return load(d);
  case OP_lg2: return sfu(d, FOP_LG2);
  case OP_lop3: return lop3(d);
  case OP_mad: return multiply_add(d);
  case OP_mad24: return mul24(d, true);
  case OP_madc: return mad_carry(d, CARRY_IN);
  case OP_match: return match(d);
  case OP_max: return int_or_float(d, E_MAX, FOP_MAX);
  case OP_min: return int_or_float(d, E_MIN, FOP_MIN);
  case OP_mov: return mov(d);
  case OP_mul: return multiply(d);
  case OP_mul24: return mul24(d, false);
  case OP_neg: return int_or_float(d, E_NEG, FOP_NEG);
  case OP_not: return logic(d, E_NOT, 0);
  case OP_or: return logic(d, E_OR, BOOL_OR);
  case OP_applypriority: /* hints to caches change no result */
  case OP_discard:
  case OP_griddepcontrol: /* a launch begins when the one before has ended */
  case OP_nanosleep:
  case OP_pmevent:
  case OP_prefetch:
  case OP_prefetchu: return simple(d, I_NOP);
  case OP_popc: return elem(d, E_POPC);
  case OP_prmt: return prmt(d);
  case OP_rcp: return float_arith(d, FOP_RCP);
  case OP_red: return atomic(d, true);
  case OP_redux: return redux(d);
  case OP_rem: return elem(d, E_REM);
  case OP_ret: return simple(d, I_RET);
  case OP_rsqrt: return sfu(d, FOP_RSQRT);
  case OP_sad: return elem(d, E_SAD);
  case OP_selp: return selp(d);
  case OP_set: return set(d);
  case OP_setp: return setp(d);
  case OP_shf: return funnel(d);
  case OP_shfl: return shuffle(d);
  case OP_shl: return elem(d, E_SHL);
  case OP_shr: return elem(d, E_SHR);
  case OP_sin: return sfu(d, FOP_SIN);
  case OP_slct: return slct(d);
  case OP_sqrt: return float_arith(d, FOP_SQRT);
  case OP_st: return store(d);
  case OP_sub: return add_sub(d, true);
  case OP_subc: return carry(d, CARRY_IN | CARRY_SUB);
  case OP_szext: return masked_width(d, E_SZEXT);
  case OP_tanh: return sfu(d, FOP_TANH);
  case OP_testp: return testp(d);
  case OP_tex:
  case OP_tld4: return texture(d);
  case OP_suld:
  case OP_sust: return surface(d);
  case OP_trap: return simple(d, I_TRAP);
  case OP_cp: return async_copy(d);
  case OP_ldmatrix: return matrix_rows(d, false);
  case OP_mbarrier: return mbarrier(d);
  case OP_mma: return matrix_product(d, false);
  case OP_movmatrix: return movmatrix(d);
  case OP_stmatrix: return matrix_rows(d, true);
  case OP_vabsdiff: return video(d, VOP_ABSDIFF, 1);
  case OP_vabsdiff2: return video(d, VOP_ABSDIFF, 2);
  case OP_vabsdiff4: return video(d, VOP_ABSDIFF, 4);
  case OP_vadd: return video(d, VOP_ADD, 1);
  case OP_vadd2: return video(d, VOP_ADD, 2);
  case OP_vadd4: return video(d, VOP_ADD, 4);
  case OP_vavrg2: return video(d, VOP_AVRG, 2);
  case OP_vavrg4: return video(d, VOP_AVRG, 4);
  case OP_vmad: return video(d, VOP_MAD, 1);
  case OP_vmax: return video(d, VOP_MAX, 1);
  case OP_vmax2: return video(d, VOP_MAX, 2);
  case OP_vmax4: return video(d, VOP_MAX, 4);
  case OP_vmin: return video(d, VOP_MIN, 1);
  case OP_vmin2: return video(d, VOP_MIN, 2);
  case OP_vmin4: return video(d, VOP_MIN, 4);
  case OP_vset: return video(d, VOP_SET, 1);
  case OP_vset2: return video(d, VOP_SET, 2);
  case OP_vset4: return video(d, VOP_SET, 4);
  case OP_vshl: return video(d, VOP_SHL, 1);
  case OP_vshr: return video(d, VOP_SHR, 1);
  case OP_vsub: return video(d, VOP_SUB, 1);
  case OP_vsub2: return video(d, VOP_SUB, 2);
  case OP_vsub4: return video(d, VOP_SUB, 4);
  case OP_wmma: return wmma(d);
  case OP_vote: return vote(d);
  case OP_xor: return logic(d, E_XOR, BOOL_XOR);
  default: return unsupported(d);
  }
}

/* --- the static table --- */

static uint8_t arithmetic_class(const pinst_t *in) {
  uint8_t t = in->type[0];
  switch (in->op) {
  case OP_div:
  case OP_sqrt:
  case OP_rcp: return is_float(t) ? IC_SFU : IC_INT;
  case OP_add:
  case OP_sub:
  case OP_mul:
  case OP_mad:
  case OP_fma:
  case OP_min:
  case OP_max:
  case OP_abs:
  case OP_neg: return (uint8_t)(t == T_F64 ? IC_FP64 : is_float(t) ? IC_FP32 : IC_INT);
  default: return IC_INT;
  }
}

static uint8_t row_space(const dinst_t *o, const pinst_t *in) {
  if (o->op == I_TEX || o->op == I_TLD4) return SPACE_TEXTURE;
  if (o->op == I_CPASYNC) return SPACE_GLOBAL; /* what goes to shared memory costs nothing more */
  if (o->op == I_MBARRIER || o->op == I_LDMATRIX || o->op == I_STMATRIX) return SPACE_SHARED;
  switch (in->mod[G_SPACE]) {
  case SP_SHARED: return SPACE_SHARED;
  case SP_LOCAL: return SPACE_LOCAL;
  case SP_CONST: return SPACE_CONST;
  default: return SPACE_GLOBAL;
  }
}

/* Copies into shared memory have no register, but somebody waits for them: each instruction takes
 * one of a few numbers that the function has left, and the waiting instructions read those. */
#define COPY_NUMBERS 4u
static uint32_t copy_numbers(const pcode_t *c) {
  uint32_t left = c->numbers < PTX_DATA_NUMBERS ? PTX_DATA_NUMBERS - c->numbers : 0;
  return left < COPY_NUMBERS ? left : COPY_NUMBERS;
}

static void copy_register(pcode_t *c, inst_t *row) {
  uint32_t n = copy_numbers(c);
  row->dst = REG_NONE, row->dsts = 0;
  if (n) row->dst = (uint8_t)(c->numbers + c->copies++ % n), row->dsts = 1;
}

/* Those who wait for copies: they read what copies write. */
static void await_copies(pcode_t *c, const pfunc_t *f) {
  uint32_t n = copy_numbers(c);
  if (n > c->copies) n = c->copies;
  for (uint32_t i = 0; n && i < f->insts; i++) {
    const pinst_t *in = &f->inst[i];
    bool waits = in->op == OP_cp
                     ? in->mod[G_COPY] == COPY_WAIT_GROUP || in->mod[G_COPY] == COPY_WAIT_ALL
                     : in->op == OP_mbarrier && (in->mod[G_MBARRIER] == MBARRIER_TEST ||
                                                 in->mod[G_MBARRIER] == MBARRIER_TRY);
    for (uint32_t k = 0, s = 0; waits && k < n && s < 4; s++)
      if (c->row[i].src[s] == REG_NONE) c->row[i].src[s] = (uint8_t)(c->numbers + k++);
  }
}

typedef struct {
  const dec_t *d;
  inst_t *row;
  uint32_t sources;
} rowregs_t;

static void row_reg(void *ctx, uint32_t reg, bool def) {
  rowregs_t *r = ctx;
  uint8_t n = r->d->m->number[reg];
  if (!def) {
    for (uint32_t i = 0; i < r->sources; i++)
      if (r->row->src[i] == n) return;
    if (r->sources < 4) r->row->src[r->sources++] = n;
    return;
  }
  uint32_t width = type_wide(r->d->f->reg[reg].type) ? 2 : 1;
  if (r->row->dst == REG_NONE)
    r->row->dst = n, r->row->dsts = (uint8_t)width;
  else if (n == r->row->dst + r->row->dsts && r->row->dsts + width <= 4)
    r->row->dsts = (uint8_t)(r->row->dsts + width); /* neighbours: see take_vector() */
}

static uint8_t mbarrier_class(uint8_t kind) {
  switch (kind) {
  case MBARRIER_PENDING: return IC_INT;
  case MBARRIER_INIT:
  case MBARRIER_INVAL: return IC_STORE;
  case MBARRIER_TEST:
  case MBARRIER_TRY: return IC_LOAD;
  default: return IC_ATOMIC;
  }
}

static bool multiplies(uint16_t op) {
  return op == OP_mul || op == OP_mad || op == OP_madc || op == OP_mul24 || op == OP_mad24;
}

static void fill_row(const dec_t *d, inst_t *row) {
  const pinst_t *in = d->in;
  uint8_t cls = popcode_info[in->op].cls;
  *row = (inst_t){.dst = REG_NONE, .src = {REG_NONE, REG_NONE, REG_NONE, REG_NONE}};
  row->line = (uint16_t)(in->line > UINT16_MAX ? UINT16_MAX : in->line);
  row->cls = cls == IC_INT || cls == IC_FP32 || cls == IC_SFU ? arithmetic_class(in) : cls;
  if (cls == IC_SFU) row->cls = IC_SFU;
  if ((in->op == OP_ld || in->op == OP_st) && in->mod[G_SPACE] == SP_PARAM) row->cls = IC_INT;
  if (cls == IC_EXIT) row->cls = IC_BRANCH; /* other lanes may go on: the stream's end tells */
  if (d->o->op == I_WARPSYNC) row->cls = IC_INT;
  if (d->o->op == I_WMMA_LD) row->cls = IC_LOAD;
  if (d->o->op == I_WMMA_ST) row->cls = IC_STORE;
  if (in->op == OP_cp && d->o->op == I_NOP)
    row->cls = in->mod[G_COPY] == COPY_COMMIT ? IC_INT : IC_FENCE;
  if (d->o->op == I_MBARRIER) row->cls = mbarrier_class(d->o->sub);
  if (d->o->op == I_BAR && d->o->sub == BAR_ARRIVE) row->cls = IC_FENCE;
  if (row->cls == IC_LOAD || row->cls == IC_STORE || row->cls == IC_ATOMIC) {
    row->space = row_space(d->o, in);
    row->width = row->space == SPACE_TEXTURE ? 4 : (uint8_t)(d->o->width * d->o->vec);
    bool strong = in->mod[G_SEM] > SEM_WEAK || in->mod[G_CACHE] == CACHE_CG;
    if (strong) row->flags |= INST_BYPASS_L1;
  }
  if (row->cls == IC_INT && multiplies(in->op)) row->flags |= INST_MULTIPLY;
  rowregs_t r = {.d = d, .row = row};
  pinst_regs(in, row_reg, &r);
  if (d->o->op == I_CPASYNC) copy_register(d->c, row);
  if (row->cls == IC_STORE) row->dst = REG_NONE, row->dsts = 0;
}

/* --- functions --- */

static uint64_t align_up(uint64_t v, uint64_t a) { return (v + a - 1) & ~(a - 1); }

/* Offsets of parameters and of the body's .local and .param variables. pvar_t.texture marks a
 * kernel's own parameters, which live in the launch's parameter buffer. */
static void lay_out_frames(pfunc_t *f, pcode_t *c) {
  uint64_t *at = &c->param_bytes, kernel = 0;
  for (uint32_t i = 0; i < f->params + f->results; i++) {
    pvar_t *v = i < f->params ? f->param[i] : f->result[i - f->params];
    uint64_t *p = f->is_entry ? &kernel : at;
    if (v->space == SP_REG) continue;
    v->texture = f->is_entry ? UINT32_MAX : 0;
    v->address = *p = align_up(*p, v->align);
    *p += v->bytes;
  }
  for (pvar_t *v = f->vars; v; v = v->next) {
    uint64_t *p = v->space == SP_LOCAL ? &c->local_bytes : v->space == SP_PARAM ? at : NULL;
    if (!p) continue;
    v->address = *p = align_up(*p, v->align);
    *p += v->bytes;
  }
  c->local_bytes = align_up(c->local_bytes, 16), c->param_bytes = align_up(c->param_bytes, 16);
}

static void decode_body(dec_t *d) {
  for (uint32_t i = 0; i < d->f->insts && !d->failed; i++) {
    d->in = &d->f->inst[i], d->index = i, d->o = &d->c->inst[i];
    d->o->guard = d->in->guarded ? d->m->offset[d->in->guard] : OPERAND_NONE;
    if (d->in->guard_neg) d->o->flags |= DI_GUARD_NEG;
    if (d->in->mod[G_FTZ]) d->o->flags |= DI_FTZ;
    if (d->in->mod[G_SAT]) d->o->flags |= DI_SAT;
    d->c->line[i] = d->in->line;
    if (decode_inst(d) && !d->failed) fill_row(d, &d->c->row[i]);
  }
  if (!d->failed) await_copies(d->c, d->f);
  dinst_t *end = &d->c->inst[d->f->insts];
  *end = (dinst_t){.op = I_RET, .guard = OPERAND_NONE};
  d->c->row[d->f->insts] =
      (inst_t){.cls = IC_BRANCH, .dst = REG_NONE, .src = {REG_NONE, REG_NONE, REG_NONE, REG_NONE}};
  d->c->line[d->f->insts] = d->f->insts ? d->f->inst[d->f->insts - 1].line : d->f->line;
}

static void bind_registers(const pfunc_t *f, const pregmap_t *m) {
  for (uint32_t i = 0; i < f->params + f->results; i++) {
    pvar_t *v = i < f->params ? f->param[i] : f->result[i - f->params];
    if (v->space == SP_REG) v->address = m->offset[v->reg];
  }
}

int pcode_decode(pfunc_t *f, ppool_t *pool, err_t *e) {
  pcode_t *c = calloc(1, sizeof *c);
  pcfg_t g = {0};
  pregmap_t m = {0};
  size_t n = (size_t)f->insts + 1;
  if (!c) return err_set(e, GMMU_ENOMEM, "no memory for the decoded function");
  c->func = f, c->insts = f->insts + 1;
  c->inst = calloc(n, sizeof *c->inst), c->row = calloc(n, sizeof *c->row),
  c->line = calloc(n, sizeof *c->line);
  dec_t d = {.f = f, .c = c, .m = &m, .g = &g, .pool = pool, .e = e};
  if (!c->inst || !c->row || !c->line || pcfg_build(f, &g) < 0 || pregmap_build(f, &g, &m) < 0) {
    no_memory(&d);
  } else {
    lay_out_frames(f, c);
    c->frame_bytes = m.frame_bytes, c->regs_per_thread = m.regs_per_thread, c->numbers = m.numbers;
    decode_body(&d);
    bind_registers(f, &m);
  }
  pcfg_fini(&g);
  pregmap_fini(&m);
  if (d.failed) {
    pcode_free(c);
    return d.failed;
  }
  f->code = c;
  return 0;
}

void pcode_free(pcode_t *c) {
  if (!c) return;
  for (uint32_t i = 0; i < c->calls; i++) free(c->call[i].arg), free(c->call[i].result);
  for (uint32_t i = 0; i < c->target_lists; i++) free(c->targets[i]);
  free(c->inst), free(c->row), free(c->line), free(c->fix), free(c->call), free(c->matrix),
      free(c->targets), free(c->shared), free(c);
}
