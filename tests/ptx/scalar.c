/* Every thread is a stack of frames; a frame is a function, a program counter and its registers as
 * 64-bit values. See scalar.h. */
#include "scalar.h"
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES   16
#define LOCAL_BYTES  8192
#define MAX_PLACES   (LOCAL_BYTES / 16)
#define SHARED_BYTES 49152
#define LOCAL_AT     0x40000000u

typedef struct {
  const pvar_t *var;
  uint64_t at; /* in the thread's local memory */
} place_t;

typedef struct {
  const pfunc_t *f;
  uint32_t pc;
  uint64_t *reg;
  place_t *place; /* [MAX_PLACES], made when needed */
  uint32_t places;
  uint64_t top;
  const pinst_t *call; /* of the caller */
} frame_t;

typedef enum { RUNNING, AT_BARRIER, AT_WARP, DONE } status_t;

typedef struct {
  frame_t frame[MAX_FRAMES];
  uint32_t frames;
  uint32_t tid[3], ctaid[3], lane;
  status_t status;
  bool carry;
  uint8_t local[LOCAL_BYTES];
} thread_t;

typedef struct {
  const scalar_launch_t *l;
  const pmodule_t *m;
  const pfunc_t *kernel;
  uint8_t shared[SHARED_BYTES];
  place_t shared_place[32];
  uint32_t shared_places;
  uint64_t shared_top;
  thread_t *thread;
  uint32_t threads;
  uint64_t executed;
  char *why;
  size_t why_size;
  bool failed;
} world_t;

static void fail(world_t *w, const char *what, uint32_t line) {
  if (!w->failed) snprintf(w->why, w->why_size, "line %u: %s", line, what);
  w->failed = true;
}

/* --- memory --- */

static uint64_t param_offset(const pfunc_t *f, const pvar_t *v) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < f->params; i++) {
    at = (at + f->param[i]->align - 1) / f->param[i]->align * f->param[i]->align;
    if (f->param[i] == v) return at;
    at += f->param[i]->bytes;
  }
  return at;
}

static uint64_t place_of(place_t *p, uint32_t *n, uint64_t *top, const pvar_t *v) {
  for (uint32_t i = 0; i < *n; i++)
    if (p[i].var == v) return p[i].at;
  *top = (*top + 15) / 16 * 16;
  p[*n] = (place_t){v, *top};
  *top += v->bytes;
  return p[(*n)++].at;
}

static frame_t *top_frame(thread_t *t) { return &t->frame[t->frames - 1]; }

static bool is_kernel_param(const world_t *w, const pvar_t *v) {
  for (uint32_t i = 0; i < w->kernel->params; i++)
    if (w->kernel->param[i] == v) return true;
  return false;
}

/* Address of a variable in one flat space: LOCAL_AT + x is the thread's own, below is shared. */
static uint64_t var_address(world_t *w, thread_t *t, const pvar_t *v) {
  frame_t *f = top_frame(t);
  if (v->space == SP_SHARED) return place_of(w->shared_place, &w->shared_places, &w->shared_top, v);
  if (!f->place) f->place = calloc(MAX_PLACES, sizeof *f->place);
  if (f->places == MAX_PLACES) {
    fail(w, "too many variables", v->line);
    return LOCAL_AT;
  }
  return LOCAL_AT + place_of(f->place, &f->places, &f->top, v);
}

static uint8_t *pointer(world_t *w, thread_t *t, uint64_t a, uint32_t bytes, uint32_t line) {
  if (a >= w->l->va && a + bytes <= w->l->va + w->l->bytes) return w->l->memory + (a - w->l->va);
  if (a >= LOCAL_AT && a + bytes <= LOCAL_AT + LOCAL_BYTES) return t->local + (a - LOCAL_AT);
  if (a + bytes <= SHARED_BYTES) return w->shared + a;
  fail(w, "address outside of memory", line);
  return t->local;
}

/* --- values --- */

static uint64_t bits_mask(uint32_t bytes) {
  return bytes >= 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * bytes) - 1;
}
static uint64_t cut(uint64_t v, uint8_t type) { return v & bits_mask(ptype_info[type].bytes); }
static int64_t extend(uint64_t v, uint8_t type) {
  uint32_t s = 64 - 8u * ptype_info[type].bytes;
  return ptype_info[type].kind == 's' ? (int64_t)(v << s) >> s : (int64_t)(v << s >> s);
}
static bool is_f(uint8_t t) { return ptype_info[t].kind == 'f'; }

static double half_value(uint64_t h) {
  double s = h & 0x8000 ? -1 : 1;
  uint64_t e = h >> 10 & 31, m = h & 1023;
  if (e == 31) return m ? NAN : s * INFINITY;
  return s * (e ? ldexp((double)(1024 + m), (int)e - 25) : ldexp((double)m, -24));
}

static uint64_t half_bits(double v) {
  uint64_t s = signbit(v) ? 0x8000 : 0;
  if (isnan(v)) return 0x7fff;
  v = fabs(v);
  if (isinf(v)) return s | 0x7c00;
  if (v == 0) return s;
  int e;
  frexp(v, &e); /* v = f * 2^e, f in [0.5, 1) */
  if (e < -13) e = -13;
  double q = rint(ldexp(v, 11 - e)); /* units of the last place */
  if (q >= 2048) q /= 2, e++;
  if (e > 16) return s | 0x7c00;
  if (q < 1024) return s | (uint64_t)q;
  return s | (uint64_t)(e + 14) << 10 | ((uint64_t)q - 1024);
}

static double to_double(uint64_t v, uint8_t type) {
  if (type == T_F16) return half_value(v & 0xffff);
  if (type == T_F64) {
    double d;
    memcpy(&d, &v, 8);
    return d;
  }
  float f;
  uint32_t u = (uint32_t)v;
  memcpy(&f, &u, 4);
  return f;
}

static uint64_t from_f64(double d) {
  uint64_t u;
  if (isnan(d)) return 0xfff8000000000000u;
  memcpy(&u, &d, 8);
  return u;
}
static uint64_t from_f32(float f) {
  uint32_t u;
  if (isnan(f)) return 0x7fffffff;
  memcpy(&u, &f, 4);
  return u;
}
static uint64_t from_double(double d, uint8_t type) {
  return type == T_F64 ? from_f64(d) : type == T_F16 ? half_bits(d) : from_f32((float)d);
}

static uint64_t flush(uint64_t v, const pinst_t *in, uint8_t type) {
  if (!in->mod[G_FTZ] || type != T_F32) return v;
  return v & 0x7f800000 ? v : v & 0x80000000;
}

static uint64_t sreg(const world_t *w, const thread_t *t, uint32_t id) {
  switch (id) {
  case SR_TID_X:
  case SR_TID_Y:
  case SR_TID_Z: return t->tid[id - SR_TID_X];
  case SR_NTID_X:
  case SR_NTID_Y:
  case SR_NTID_Z: return w->l->block[id - SR_NTID_X];
  case SR_CTAID_X:
  case SR_CTAID_Y:
  case SR_CTAID_Z: return t->ctaid[id - SR_CTAID_X];
  case SR_NCTAID_X:
  case SR_NCTAID_Y:
  case SR_NCTAID_Z: return w->l->grid[id - SR_NCTAID_X];
  case SR_LANEID: return t->lane;
  default: return 0;
  }
}

static uint64_t value(world_t *w, thread_t *t, const poperand_t *o, uint8_t type) {
  frame_t *f = top_frame(t);
  double d;
  switch (o->kind) {
  case O_REG:
    return o->neg ? !f->reg[o->reg] : type == T_PRED ? f->reg[o->reg] : cut(f->reg[o->reg], type);
  case O_IMM:
    if (type == T_F32 || type == T_F64) return from_double((double)(int64_t)o->imm, type);
    return type == T_PRED ? o->imm != 0 : cut(o->imm, type);
  case O_FIMM:
    if (o->is_f32 && type != T_F64) return o->raw;
    memcpy(&d, &o->imm, 8);
    return type == T_F64 || type == T_B64 ? o->imm : from_f32((float)d);
  case O_VAR: return var_address(w, t, o->var) + o->imm;
  case O_SREG: return sreg(w, t, o->reg);
  default: return 0;
  }
}

static uint64_t arg(world_t *w, thread_t *t, const pinst_t *in, uint32_t i, uint8_t type) {
  return flush(value(w, t, &in->operand[i], type), in, type);
}

static void set(thread_t *t, const poperand_t *o, uint64_t v, uint8_t type) {
  frame_t *f = top_frame(t);
  if (o->kind != O_REG || o->reg == NO_REG) return;
  uint8_t rt = f->f->reg[o->reg].type;
  if (type != T_PRED && ptype_info[type].kind == 's') v = (uint64_t)extend(v, type);
  f->reg[o->reg] = rt == T_PRED ? v & 1 : cut(v, rt);
}

/* --- floating point under the host's rounding mode --- */

__attribute__((noinline)) static double host_round64(int rnd, char op, volatile double a,
                                                     volatile double b, volatile double c) {
  static const int mode[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  volatile double r = 0;
  fesetround(mode[rnd]);
  switch (op) {
  case '+': r = a + b; break;
  case '-': r = a - b; break;
  case '*': r = a * b; break;
  case '/': r = a / b; break;
  case 'q': r = sqrt(a); break;
  default: r = fma(a, b, c); break;
  }
  fesetround(FE_TONEAREST);
  return r;
}

__attribute__((noinline)) static float host_round32(int rnd, char op, volatile float a,
                                                    volatile float b, volatile float c) {
  static const int mode[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  volatile float r = 0;
  fesetround(mode[rnd]);
  switch (op) {
  case '+': r = a + b; break;
  case '-': r = a - b; break;
  case '*': r = a * b; break;
  case '/': r = a / b; break;
  case 'q': r = sqrtf(a); break;
  default: r = fmaf(a, b, c); break;
  }
  fesetround(FE_TONEAREST);
  return r;
}

static uint64_t saturated(uint64_t v, const pinst_t *in, uint8_t type) {
  if (!in->mod[G_SAT]) return v;
  double d = to_double(v, type);
  return !(d > 0) ? 0 : d > 1 ? from_double(1, type) : v;
}

static uint64_t float_op(const pinst_t *in, uint8_t type, char op, uint64_t a, uint64_t b,
                         uint64_t c) {
  double x = to_double(a, type), y = to_double(b, type), z = to_double(c, type), r;
  int rnd = in->mod[G_RND];
  uint64_t v;
  if (type == T_F64) {
    v = from_f64(host_round64(rnd, op, x, y, z));
  } else if (type == T_F32) {
    v = from_f32(host_round32(rnd, op, (float)x, (float)y, (float)z));
  } else {
    r = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : fma(x, y, z);
    v = half_bits(r);
  }
  return flush(saturated(v, in, type), in, type);
}

static uint64_t float_minmax(const pinst_t *in, uint8_t type, uint64_t a, uint64_t b, bool max) {
  double x = to_double(a, type), y = to_double(b, type);
  if (isnan(x) && isnan(y)) return from_double(NAN, type);
  if (isnan(x)) return b;
  if (isnan(y)) return a;
  if (x == y) return (signbit(x) != 0) == max ? b : a;
  (void)in;
  return (x < y) == max ? b : a;
}

/* --- integers --- */

__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

static i128 wide(uint64_t v, uint8_t type) {
  return ptype_info[type].kind == 's' ? (i128)extend(v, type) : (i128)cut(v, type);
}

static uint64_t int_div(uint64_t a, uint64_t b, uint8_t type, bool rem) {
  i128 x = wide(a, type), y = wide(b, type);
  if (!y) return cut(~(uint64_t)0, type);
  return cut((uint64_t)(rem ? x % y : x / y), type);
}

static uint64_t product(const pinst_t *in, uint8_t type, uint64_t a, uint64_t b) {
  u128 p = (u128)(wide(a, type) * wide(b, type)); /* 64 x 64 unsigned fits modulo 2^128 */
  if (ptype_info[type].kind != 's') p = (u128)cut(a, type) * cut(b, type);
  if (in->mod[G_PART] == PART_HI) p >>= 8 * ptype_info[type].bytes;
  return (uint64_t)p;
}

static uint8_t wide_type(uint8_t t) {
  bool s = ptype_info[t].kind == 's';
  return (uint8_t)(ptype_info[t].bytes == 2 ? (s ? T_S32 : T_U32) : s ? T_S64 : T_U64);
}

static uint64_t shift(uint64_t a, uint64_t n, uint8_t type, bool left) {
  uint32_t bits = 8u * ptype_info[type].bytes;
  if (left) return n >= bits ? 0 : a << n;
  int64_t v = extend(a, type);
  if (n >= bits) return ptype_info[type].kind == 's' && v < 0 ? ~(uint64_t)0 : 0;
  return ptype_info[type].kind == 's' ? (uint64_t)(v >> n) : (uint64_t)v >> n;
}

static uint64_t field_extract(uint64_t a, uint32_t pos, uint32_t len, uint8_t type) {
  uint32_t bits = 8u * ptype_info[type].bytes;
  bool s = ptype_info[type].kind == 's';
  uint64_t r = 0;
  if (!len) return 0;
  uint32_t last = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
  uint64_t fill = s ? a >> last & 1 : 0;
  for (uint32_t i = 0; i < bits; i++) {
    uint64_t bit = i < len && pos + i < bits ? a >> (pos + i) & 1 : fill;
    r |= bit << i;
  }
  return r;
}

static uint64_t count_bits(const pinst_t *in, uint64_t a, uint8_t type) {
  uint32_t bits = 8u * ptype_info[type].bytes, n = 0;
  if (in->op == OP_popc) {
    for (uint32_t i = 0; i < bits; i++) n += (uint32_t)(a >> i & 1);
    return n;
  }
  while (n < bits && !(a >> (bits - 1 - n) & 1)) n++;
  return n;
}

static bool compare(const pinst_t *in, uint8_t type, uint64_t a, uint64_t b) {
  uint8_t c = in->mod[G_CMP];
  if (is_f(type)) {
    double x = to_double(a, type), y = to_double(b, type);
    bool un = isnan(x) || isnan(y);
    switch (c) {
    case CMP_EQ: return x == y;
    case CMP_NE: return !un && x != y;
    case CMP_LT: return x < y;
    case CMP_LE: return x <= y;
    case CMP_GT: return x > y;
    case CMP_GE: return x >= y;
    case CMP_EQU: return un || x == y;
    case CMP_NEU: return un || x != y;
    case CMP_LTU: return un || x < y;
    case CMP_LEU: return un || x <= y;
    case CMP_GTU: return un || x > y;
    case CMP_GEU: return un || x >= y;
    case CMP_NUM: return !un;
    default: return un;
    }
  }
  i128 x = wide(a, type), y = wide(b, type);
  if (c >= CMP_LO) x = (i128)cut(a, type), y = (i128)cut(b, type);
  switch (c) {
  case CMP_EQ: return x == y;
  case CMP_NE: return x != y;
  case CMP_LT:
  case CMP_LO: return x < y;
  case CMP_LE:
  case CMP_LS: return x <= y;
  case CMP_GT:
  case CMP_HI: return x > y;
  default: return x >= y;
  }
}

static bool with_bool(world_t *w, thread_t *t, const pinst_t *in, bool r) {
  if (!in->mod[G_BOOL]) return r;
  bool c = value(w, t, &in->operand[3], T_PRED) & 1;
  return in->mod[G_BOOL] == BOOL_AND ? r && c : in->mod[G_BOOL] == BOOL_OR ? r || c : r != c;
}

static void set_pair(world_t *w, thread_t *t, const pinst_t *in, bool r) {
  frame_t *f = top_frame(t);
  const poperand_t *o = &in->operand[0];
  bool p = with_bool(w, t, in, r), q = with_bool(w, t, in, !r);
  if (o->reg != NO_REG) f->reg[o->reg] = p;
  if (o->reg2 != NO_REG) f->reg[o->reg2] = q;
}

/* --- conversion --- */

static double round_integral(double d, int rnd) {
  switch (rnd) {
  case RND_RZ: return trunc(d);
  case RND_RM: return floor(d);
  case RND_RP: return ceil(d);
  default: return nearbyint(d);
  }
}

static uint64_t float_to_int(double d, int rnd, uint8_t to, uint8_t from) {
  uint32_t bits = 8u * ptype_info[to].bytes;
  bool s = ptype_info[to].kind == 's';
  if (isnan(d)) return from == T_F64 || bits == 64 ? (uint64_t)1 << (bits - 1) : 0;
  d = round_integral(d, rnd);
  double max = ldexp(1, (int)bits - s);
  if (d >= max) return s ? bits_mask(bits / 8) >> 1 : bits_mask(bits / 8);
  if (d < (s ? -max : 0)) return s ? (uint64_t)1 << (bits - 1) : 0;
  return s ? (uint64_t)(int64_t)d : (uint64_t)d;
}

__attribute__((noinline)) static uint64_t int_to_float(uint64_t v, uint8_t from, uint8_t to,
                                                       int rnd) {
  static const int mode[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  bool s = ptype_info[from].kind == 's';
  volatile int64_t sv = extend(v, from);
  volatile uint64_t uv = (uint64_t)sv;
  volatile float f = 0;
  volatile double d = 0;
  fesetround(mode[rnd]);
  if (to == T_F64)
    d = s ? (double)sv : (double)uv;
  else
    f = s ? (float)sv : (float)uv;
  fesetround(FE_TONEAREST);
  return to == T_F64 ? from_f64(d) : from_f32(f);
}

__attribute__((noinline)) static float narrow(volatile double d, int rnd) {
  static const int mode[] = {FE_TONEAREST, FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  volatile float f;
  fesetround(mode[rnd]);
  f = (float)d;
  fesetround(FE_TONEAREST);
  return f;
}

static uint64_t int_saturate(uint64_t v, uint8_t from, uint8_t to) {
  i128 x = wide(v, from), one = 1;
  uint32_t bits = 8u * ptype_info[to].bytes;
  bool s = ptype_info[to].kind == 's';
  i128 max = (one << (bits - s)) - 1, min = s ? -(one << (bits - 1)) : 0;
  return (uint64_t)(x > max ? max : x < min ? min : x);
}

static uint64_t convert(const pinst_t *in, uint64_t v, uint8_t to, uint8_t from) {
  if (!is_f(to) && !is_f(from))
    return in->mod[G_SAT] ? int_saturate(v, from, to) : (uint64_t)extend(v, from);
  if (!is_f(to)) return float_to_int(to_double(v, from), in->mod[G_IRND], to, from);
  if (!is_f(from)) return saturated(int_to_float(v, from, to, in->mod[G_RND]), in, to);
  double d = to_double(v, from);
  if (in->mod[G_IRND]) d = round_integral(d, in->mod[G_IRND]);
  uint64_t r = to == T_F32 ? from_f32(narrow(d, in->mod[G_RND])) : from_double(d, to);
  return flush(saturated(r, in, to), in, to);
}

/* --- instructions --- */

static void arithmetic(world_t *w, thread_t *t, const pinst_t *in) {
  uint8_t type = in->type[0];
  uint64_t a = in->operands > 1 ? arg(w, t, in, 1, type) : 0, r = 0;
  bool shifts = in->op == OP_shl || in->op == OP_shr, fields = in->op == OP_bfe;
  uint64_t b = in->operands > 2 ? arg(w, t, in, 2, shifts || fields ? T_U32 : type) : 0;
  uint8_t ctype = in->op == OP_mad && in->mod[G_PART] == PART_WIDE ? wide_type(type) : type;
  uint64_t c = in->operands > 3 && in->op != OP_selp && in->op != OP_bfi
                   ? arg(w, t, in, 3, fields ? T_U32 : ctype)
                   : 0;
  uint8_t out = type;
  switch (in->op) {
  case OP_add:
  case OP_addc:
  case OP_sub:
  case OP_subc: {
    bool sub = in->op == OP_sub || in->op == OP_subc;
    if (is_f(type)) {
      r = float_op(in, type, sub ? '-' : '+', a, b, 0);
      break;
    }
    i128 cc = in->op == OP_addc || in->op == OP_subc ? t->carry : 0, one = 1;
    i128 x = (i128)cut(a, type) + (sub ? -(i128)cut(b, type) - cc : (i128)cut(b, type) + cc);
    if (in->mod[G_CC]) t->carry = (x < 0 || x >= one << (8 * ptype_info[type].bytes));
    r = (uint64_t)x;
    if (in->mod[G_SAT]) {
      int64_t y = extend(a, type) + (sub ? -extend(b, type) : extend(b, type));
      r = (uint64_t)(y > INT32_MAX ? INT32_MAX : y < INT32_MIN ? INT32_MIN : y);
    }
    break;
  }
  case OP_mul:
    r = is_f(type) ? float_op(in, type, '*', a, b, 0) : product(in, type, a, b);
    if (in->mod[G_PART] == PART_WIDE) out = wide_type(type);
    break;
  case OP_mad:
  case OP_fma:
    r = is_f(type) ? float_op(in, type, 'f', a, b, c) : product(in, type, a, b) + c;
    if (in->mod[G_PART] == PART_WIDE) out = wide_type(type);
    break;
  case OP_div:
    r = is_f(type) ? float_op(in, type, '/', a, b, 0) : int_div(a, b, type, false);
    break;
  case OP_rem: r = int_div(a, b, type, true); break;
  case OP_sqrt: r = float_op(in, type, 'q', a, 0, 0); break;
  case OP_rcp: r = float_op(in, type, '/', from_double(1, type), a, 0); break;
  case OP_min:
  case OP_max:
    if (is_f(type)) {
      r = float_minmax(in, type, a, b, in->op == OP_max);
      break;
    }
    r = (wide(a, type) < wide(b, type)) == (in->op == OP_max) ? b : a;
    break;
  case OP_abs:
    if (is_f(type))
      r = isnan(to_double(a, type)) ? from_double(NAN, type)
                                    : a & (bits_mask(ptype_info[type].bytes) >> 1);
    else
      r = extend(a, type) < 0 ? 0 - a : a;
    break;
  case OP_neg:
    if (is_f(type))
      r = isnan(to_double(a, type)) ? from_double(NAN, type)
                                    : a ^ ((uint64_t)1 << (8 * ptype_info[type].bytes - 1));
    else
      r = 0 - a;
    break;
  case OP_and: r = a & b; break;
  case OP_or: r = a | b; break;
  case OP_xor: r = a ^ b; break;
  case OP_not: r = type == T_PRED ? !a : ~a; break;
  case OP_shl: r = shift(a, b, type, true); break;
  case OP_shr: r = shift(a, b, type, false); break;
  case OP_popc:
  case OP_clz:
    r = count_bits(in, a, type);
    out = T_U32;
    break;
  case OP_brev:
    for (uint32_t i = 0, n = 8u * ptype_info[type].bytes; i < n; i++)
      r |= (a >> i & 1) << (n - 1 - i);
    break;
  case OP_bfe: r = field_extract(a, b & 255, c & 255, type); break;
  case OP_bfi: {
    uint64_t pos = value(w, t, &in->operand[3], T_U32) & 255,
             len = value(w, t, &in->operand[4], T_U32) & 255;
    r = b;
    for (uint64_t i = 0; i < len && pos + i < 8u * ptype_info[type].bytes; i++)
      r = (r & ~((uint64_t)1 << (pos + i))) | (a >> i & 1) << (pos + i);
    break;
  }
  case OP_selp: r = value(w, t, &in->operand[3], T_PRED) & 1 ? a : b; break;
  case OP_mov: r = a; break;
  default: fail(w, popcode_info[in->op].name, in->line); break;
  }
  set(t, &in->operand[0], r, out);
}

static uint64_t address(world_t *w, thread_t *t, const poperand_t *o) {
  frame_t *f = top_frame(t);
  if (o->var) return var_address(w, t, o->var) + o->imm;
  if (o->reg != NO_REG) return f->reg[o->reg] + o->imm;
  return o->imm;
}

static void load_store(world_t *w, thread_t *t, const pinst_t *in) {
  bool ld = in->op == OP_ld;
  const poperand_t *mem = &in->operand[ld ? 1 : 0], *data = &in->operand[ld ? 0 : 1];
  uint32_t n = in->mod[G_VEC] ? in->mod[G_VEC] : 1, bytes = ptype_info[in->type[0]].bytes;
  const uint8_t *p;
  if (ld && mem->var && is_kernel_param(w, mem->var)) {
    p = w->l->params + param_offset(w->kernel, mem->var) + mem->imm;
  } else {
    p = pointer(w, t, address(w, t, mem), bytes * n, in->line);
  }
  for (uint32_t i = 0; i < n; i++) {
    const poperand_t *o = n > 1 ? &data->elem[i] : data;
    uint64_t v = 0;
    if (ld) {
      memcpy(&v, p + i * bytes, bytes);
      set(t, o, v, in->type[0]);
    } else {
      v = value(w, t, o, in->type[0]);
      memcpy((uint8_t *)(uintptr_t)p + i * bytes, &v, bytes);
    }
  }
}

static void atomic(world_t *w, thread_t *t, const pinst_t *in) {
  uint32_t first = in->op == OP_atom;
  uint8_t type = in->type[0];
  uint32_t bytes = ptype_info[type].bytes;
  uint8_t *p = pointer(w, t, address(w, t, &in->operand[first]), bytes, in->line);
  uint64_t b = value(w, t, &in->operand[first + 1], type), old = 0, v;
  memcpy(&old, p, bytes);
  switch (in->mod[G_ATOM]) {
  case ATOM_ADD: v = old + b; break;
  case ATOM_MIN: v = wide(b, type) < wide(old, type) ? b : old; break;
  case ATOM_MAX: v = wide(b, type) > wide(old, type) ? b : old; break;
  case ATOM_AND: v = old & b; break;
  case ATOM_OR: v = old | b; break;
  case ATOM_XOR: v = old ^ b; break;
  default: v = old, fail(w, "atomic", in->line); break;
  }
  memcpy(p, &v, bytes);
  if (first) set(t, &in->operand[0], old, type);
}

/* --- calls --- */

static void push(world_t *w, thread_t *t, const pfunc_t *f, const pinst_t *call) {
  if (t->frames == MAX_FRAMES) {
    fail(w, "calls nested too deeply", f->line);
    return;
  }
  uint64_t top = t->frames ? top_frame(t)->top : 0;
  t->frame[t->frames] = (frame_t){.f = f, .call = call, .top = (top + 15) / 16 * 16};
  t->frame[t->frames].reg = calloc(f->regs + 1, 8);
  t->frames++;
}

static void call(world_t *w, thread_t *t, const pinst_t *in) {
  const pfunc_t *f = in->operand[0].func;
  uint64_t v[32][8] = {{0}};
  for (uint32_t i = 0; i < in->args; i++) {
    const poperand_t *o = &in->arg[i];
    if (o->kind == O_VAR)
      memcpy(v[i], pointer(w, t, var_address(w, t, o->var), (uint32_t)o->var->bytes, in->line),
             o->var->bytes);
    else
      v[i][0] = value(w, t, o, f->param[i]->type);
  }
  top_frame(t)->pc++;
  push(w, t, f, in);
  if (w->failed) return;
  for (uint32_t i = 0; i < in->args; i++) {
    const pvar_t *p = f->param[i];
    if (p->space == SP_REG)
      top_frame(t)->reg[p->reg] = v[i][0];
    else
      memcpy(pointer(w, t, var_address(w, t, p), (uint32_t)p->bytes, in->line), v[i], p->bytes);
  }
}

static void give_back(world_t *w, thread_t *t) {
  frame_t *f = top_frame(t);
  const pinst_t *in = f->call;
  uint64_t v[8][8] = {{0}};
  for (uint32_t i = 0; in && i < in->results; i++) {
    const pvar_t *r = f->f->result[i];
    if (r->space == SP_REG)
      v[i][0] = f->reg[r->reg];
    else
      memcpy(v[i], pointer(w, t, var_address(w, t, r), (uint32_t)r->bytes, 0), r->bytes);
  }
  const pfunc_t *callee = f->f;
  free(f->reg), free(f->place);
  t->frames--;
  if (!t->frames) {
    t->status = DONE;
    return;
  }
  for (uint32_t i = 0; in && i < in->results; i++) {
    const poperand_t *o = &in->result[i];
    if (o->kind == O_VAR)
      memcpy(pointer(w, t, var_address(w, t, o->var), (uint32_t)o->var->bytes, in->line), v[i],
             o->var->bytes);
    else
      set(t, o, v[i][0], callee->result[i]->type);
  }
}

static void end_thread(thread_t *t) {
  for (; t->frames; t->frames--) free(top_frame(t)->reg), free(top_frame(t)->place);
  t->status = DONE;
}

/* --- one instruction --- */

static void execute(world_t *w, thread_t *t) {
  frame_t *f = top_frame(t);
  if (f->pc >= f->f->insts) {
    give_back(w, t);
    return;
  }
  const pinst_t *in = &f->f->inst[f->pc];
  w->executed++;
  if (in->guarded && (f->reg[in->guard] != 0) == in->guard_neg) {
    f->pc++;
    return;
  }
  switch (in->op) {
  case OP_bra: f->pc = (uint32_t)in->operand[0].imm; return;
  case OP_brx: {
    uint64_t i = value(w, t, &in->operand[0], T_U32);
    f->pc = i < in->operand[1].elems ? (uint32_t)in->operand[1].elem[i].imm : f->pc + 1;
    return;
  }
  case OP_ret: give_back(w, t); return;
  case OP_exit: end_thread(t); return;
  case OP_call: call(w, t, in); return;
  case OP_bar: t->status = AT_BARRIER; return;
  case OP_shfl:
  case OP_vote: t->status = AT_WARP; return;
  case OP_ld:
  case OP_st: load_store(w, t, in); break;
  case OP_atom:
  case OP_red: atomic(w, t, in); break;
  case OP_setp: {
    uint64_t a = arg(w, t, in, 1, in->type[0]), b = arg(w, t, in, 2, in->type[0]);
    set_pair(w, t, in, compare(in, in->type[0], a, b));
    break;
  }
  case OP_cvt: {
    uint64_t a = flush(value(w, t, &in->operand[1], in->type[1]), in, in->type[1]);
    set(t, &in->operand[0], convert(in, a, in->type[0], in->type[1]), in->type[0]);
    break;
  }
  case OP_cvta:
    set(t, &in->operand[0], value(w, t, &in->operand[1], in->type[0]), in->type[0]);
    break;
  default: arithmetic(w, t, in); break;
  }
  f->pc++;
}

/* --- threads together --- */

static const pinst_t *waiting_at(thread_t *t) { return &top_frame(t)->f->inst[top_frame(t)->pc]; }

/* All threads of the warp that live stand at the same shuffle or vote. */
static void warp_operation(world_t *w, uint32_t first, uint32_t end) {
  const pinst_t *in = NULL;
  uint64_t v[32] = {0}, r[32] = {0};
  bool here[32] = {0}, ok[32] = {0};
  for (uint32_t i = first; i < end; i++) {
    thread_t *t = &w->thread[i];
    if (t->status != AT_WARP) continue;
    if (!in) in = waiting_at(t);
    if (waiting_at(t) != in) fail(w, "threads of a warp wait at different places", in->line);
    here[i - first] = true;
    v[i - first] = value(w, t, &in->operand[1], in->op == OP_vote ? T_PRED : T_B32) &
                   (in->op == OP_vote ? 1 : ~(uint64_t)0);
  }
  for (uint32_t i = 0; in && i < end - first; i++) {
    if (!here[i]) continue;
    thread_t *t = &w->thread[first + i];
    if (in->op == OP_vote) {
      bool all = true, any = false;
      uint64_t ballot = 0;
      for (uint32_t k = 0; k < 32; k++)
        if (here[k]) all = all && v[k], any = any || v[k], ballot |= v[k] << k;
      uint8_t kind = in->mod[G_VOTE];
      r[i] = kind == VOTE_ALL   ? all
             : kind == VOTE_ANY ? any
             : kind == VOTE_UNI ? all || !any
                                : ballot;
    } else {
      int b = (int)(value(w, t, &in->operand[2], T_B32) & 31),
          c = (int)value(w, t, &in->operand[3], T_B32);
      int lane = (int)i, seg = c >> 8 & 31, max = (lane & seg) | (c & 31 & ~seg), min = lane & seg,
          j;
      switch (in->mod[G_SHFL]) {
      case SHFL_UP: j = lane - b, ok[i] = j >= max; break;
      case SHFL_DOWN: j = lane + b, ok[i] = j <= max; break;
      case SHFL_BFLY: j = lane ^ b, ok[i] = j <= max; break;
      default: j = min | (b & ~seg), ok[i] = j <= max; break;
      }
      r[i] = v[ok[i] ? j & 31 : lane];
    }
  }
  for (uint32_t i = 0; in && i < end - first; i++) {
    if (!here[i]) continue;
    thread_t *t = &w->thread[first + i];
    const poperand_t *o = &in->operand[0];
    if (o->reg != NO_REG) set(t, o, r[i], in->type[0]);
    if (o->reg2 != NO_REG) top_frame(t)->reg[o->reg2] = ok[i];
    top_frame(t)->pc++;
    t->status = RUNNING;
  }
}

static bool run_threads(world_t *w) {
  bool ran = false;
  for (uint32_t i = 0; i < w->threads && !w->failed; i++)
    while (w->thread[i].status == RUNNING && !w->failed) {
      execute(w, &w->thread[i]);
      ran = true;
      if (w->l->limit && w->executed > w->l->limit) fail(w, "too many instructions", 0);
    }
  return ran;
}

static bool open_warps(world_t *w) {
  bool any = false;
  for (uint32_t first = 0; first < w->threads; first += 32) {
    uint32_t end = first + 32 < w->threads ? first + 32 : w->threads, waits = 0, blocked = 0;
    for (uint32_t i = first; i < end; i++)
      waits += w->thread[i].status == AT_WARP, blocked += w->thread[i].status == AT_BARRIER;
    if (waits && !blocked) warp_operation(w, first, end), any = true;
  }
  return any;
}

static bool open_barrier(world_t *w) {
  bool any = false;
  for (uint32_t i = 0; i < w->threads; i++)
    if (w->thread[i].status == AT_BARRIER) {
      top_frame(&w->thread[i])->pc++;
      w->thread[i].status = RUNNING, any = true;
    }
  return any;
}

static void run_block(world_t *w, uint64_t cta) {
  const scalar_launch_t *l = w->l;
  memset(w->shared, 0, sizeof w->shared);
  for (uint32_t i = 0; i < w->threads; i++) {
    thread_t *t = &w->thread[i];
    memset(t, 0, sizeof *t);
    t->tid[0] = i % l->block[0], t->tid[1] = i / l->block[0] % l->block[1],
    t->tid[2] = i / l->block[0] / l->block[1];
    t->ctaid[0] = (uint32_t)(cta % l->grid[0]),
    t->ctaid[1] = (uint32_t)(cta / l->grid[0] % l->grid[1]);
    t->ctaid[2] = (uint32_t)(cta / l->grid[0] / l->grid[1]), t->lane = i % 32;
    push(w, t, w->kernel, NULL);
  }
  while (!w->failed && (run_threads(w) || open_warps(w) || open_barrier(w))) continue;
  for (uint32_t i = 0; i < w->threads; i++) end_thread(&w->thread[i]);
}

int scalar_run(const pmodule_t *m, const char *kernel, const scalar_launch_t *l, char *why,
               size_t size) {
  world_t *w = calloc(1, sizeof *w);
  w->l = l, w->m = m, w->why = why, w->why_size = size;
  w->threads = l->block[0] * l->block[1] * l->block[2];
  w->thread = calloc(w->threads, sizeof *w->thread);
  for (const pfunc_t *f = m->funcs; f; f = f->next)
    if (f->is_entry && !strcmp(f->name, kernel)) w->kernel = f;
  if (!w->kernel) fail(w, "no such kernel", 0);
  uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
  for (uint64_t i = 0; i < blocks && !w->failed; i++) run_block(w, i);
  int r = w->failed ? -1 : 0;
  free(w->thread), free(w);
  return r;
}
