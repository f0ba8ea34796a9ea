/* Statements are chosen by recursive descent; registers come from small fixed sets, so that values
 * flow through everything. */
#include "gen.h"
#include <stdio.h>

#define REGS32 10u
#define REGS64 5u
#define REGSF  5u
#define REGSD  4u
#define REGSH  4u
#define PREDS  4u

typedef struct {
  rng_t *r;
  strbuf_t *o;
  uint32_t labels, depth, loops, statements, functions;
  bool may_exit, may_shuffle, in_function;
} gen_t;

static uint32_t pick(gen_t *g, uint32_t n) { return rng_below(g->r, n); }

static void emit(gen_t *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void emit(gen_t *g, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  strbuf_vprintf(g->o, fmt, args);
  va_end(args);
}

typedef struct {
  char text[40];
} name_t;

static name_t reg(gen_t *g, char kind) {
  name_t n;
  switch (kind) {
  case 'r': snprintf(n.text, sizeof n.text, "%%r%u", pick(g, REGS32)); break;
  case 'd': snprintf(n.text, sizeof n.text, "%%rd%u", pick(g, REGS64)); break;
  case 'f': snprintf(n.text, sizeof n.text, "%%f%u", pick(g, REGSF)); break;
  case 'F': snprintf(n.text, sizeof n.text, "%%fd%u", pick(g, REGSD)); break;
  case 'h': snprintf(n.text, sizeof n.text, "%%h%u", pick(g, REGSH)); break;
  default: snprintf(n.text, sizeof n.text, "%%p%u", pick(g, PREDS)); break;
  }
  return n;
}

/* A register or, now and then, a constant with an interesting value. */
static name_t src(gen_t *g, char kind) {
  static const uint32_t odd[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 31, 32, 33, 0xffff, 255};
  static const char *const floats[] = {"0f00000000", "0f80000000", "0f3f800000", "0f7f800000",
                                       "0fff800000", "0f7fc00000", "0f00000001", "0f007fffff",
                                       "0f7f7fffff", "0f3f000001"};
  static const char *const doubles[] = {
      "0d0000000000000000", "0d8000000000000000", "0d3ff0000000000000", "0d7ff0000000000000",
      "0d7ff8000000000000", "0d0000000000000001", "0d7fefffffffffffff", "0d3ff0000000000001"};
  name_t n;
  if (pick(g, 4)) return reg(g, kind);
  switch (kind) {
  case 'r': snprintf(n.text, sizeof n.text, "%d", (int)odd[pick(g, 10)]); break;
  case 'd':
    snprintf(n.text, sizeof n.text, "%lld", (long long)((uint64_t)odd[pick(g, 10)] << pick(g, 33)));
    break;
  case 'f': return snprintf(n.text, sizeof n.text, "%s", floats[pick(g, 10)]), n;
  case 'F': return snprintf(n.text, sizeof n.text, "%s", doubles[pick(g, 8)]), n;
  case 'h': snprintf(n.text, sizeof n.text, "%d", (int)(odd[pick(g, 10)] & 0xffff)); break;
  default: return reg(g, kind);
  }
  return n;
}

#define R(k) reg(g, k).text
#define S(k) src(g, k).text

static void int_op(gen_t *g) {
  static const char *const two[] = {"add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"};
  static const struct {
    const char *type;
    char kind;
  } t[] = {{"s32", 'r'}, {"u32", 'r'}, {"s64", 'd'}, {"u64", 'd'}, {"s16", 'h'}, {"u16", 'h'}};
  uint32_t i = pick(g, 6);
  char k = t[i].kind;
  emit(g, "%s.%s %s, %s, %s;\n", two[pick(g, 8)], t[i].type, R(k), S(k), S(k));
}

static void bit_op(gen_t *g) {
  static const char *const two[] = {"and", "or", "xor"};
  static const char *const bits[] = {"b32", "b64", "b16"};
  static const char kinds[] = "rdh";
  uint32_t i = pick(g, 3);
  char k = kinds[i];
  switch (pick(g, 7)) {
  case 0: emit(g, "not.%s %s, %s;\n", bits[i], R(k), S(k)); break;
  case 1: emit(g, "shl.%s %s, %s, %s;\n", bits[i], R(k), S(k), S('r')); break;
  case 2:
    emit(g, "shr.%c%s %s, %s, %s;\n", "us"[pick(g, 2)], bits[i] + 1, R(k), S(k), S('r'));
    break;
  case 3:
    emit(g, "bfe.%c32 %s, %s, %s, %s;\n", "us"[pick(g, 2)], R('r'), S('r'), S('r'), S('r'));
    break;
  case 4: emit(g, "bfi.b32 %s, %s, %s, %s, %s;\n", R('r'), S('r'), S('r'), S('r'), S('r')); break;
  case 5:
    emit(g, "%s.b%u %s, %s;\n", pick(g, 2) ? "popc" : "clz", i == 1 ? 64 : 32, R('r'),
         i == 1 ? S('d') : S('r'));
    break;
  default: emit(g, "%s.%s %s, %s, %s;\n", two[pick(g, 3)], bits[i], R(k), S(k), S(k)); break;
  }
}

static void wide_op(gen_t *g) {
  switch (pick(g, 6)) {
  case 0: emit(g, "mad.lo.s32 %s, %s, %s, %s;\n", R('r'), S('r'), S('r'), S('r')); break;
  case 1: emit(g, "mul.wide.%c32 %s, %s, %s;\n", "us"[pick(g, 2)], R('d'), S('r'), S('r')); break;
  case 2:
    emit(g, "mad.wide.%c32 %s, %s, %s, %s;\n", "us"[pick(g, 2)], R('d'), S('r'), S('r'), S('d'));
    break;
  case 3:
    emit(g, "mad.hi.%c32 %s, %s, %s, %s;\n", "us"[pick(g, 2)], R('r'), S('r'), S('r'), S('r'));
    break;
  case 4:
    emit(g, "add.cc.u32 %s, %s, %s;\naddc.u32 %s, %s, %s;\n", R('r'), S('r'), S('r'), R('r'),
         S('r'), S('r'));
    break;
  default:
    emit(g, "%s.s%u %s, %s;\n", pick(g, 2) ? "abs" : "neg", pick(g, 2) ? 32 : 32, R('r'), S('r'));
    break;
  }
}

static void float_op(gen_t *g) {
  static const char *const two[] = {"add", "sub", "mul"};
  static const char *const rnd[] = {".rn", ".rz", ".rm", ".rp"};
  bool d = pick(g, 3) == 0;
  char k = d ? 'F' : 'f';
  const char *t = d ? "f64" : "f32", *ftz = !d && pick(g, 4) == 0 ? ".ftz" : "",
             *sat = !d && pick(g, 6) == 0 ? ".sat" : "";
  switch (pick(g, 7)) {
  case 0:
    emit(g, "fma%s%s%s.%s %s, %s, %s, %s;\n", rnd[pick(g, 4)], ftz, sat, t, R(k), S(k), S(k), S(k));
    break;
  case 1: emit(g, "div%s%s.%s %s, %s, %s;\n", rnd[pick(g, 4)], ftz, t, R(k), S(k), S(k)); break;
  case 2: emit(g, "sqrt%s%s.%s %s, %s;\n", rnd[pick(g, 4)], ftz, t, R(k), S(k)); break;
  case 3:
    emit(g, "%s%s.%s %s, %s, %s;\n", pick(g, 2) ? "min" : "max", ftz, t, R(k), S(k), S(k));
    break;
  case 4: emit(g, "%s%s.%s %s, %s;\n", pick(g, 2) ? "abs" : "neg", ftz, t, R(k), S(k)); break;
  default:
    emit(g, "%s%s%s%s.%s %s, %s, %s;\n", two[pick(g, 3)], pick(g, 2) ? rnd[pick(g, 4)] : "", ftz,
         sat, t, R(k), S(k), S(k));
    break;
  }
}

static void convert_op(gen_t *g) {
  static const char *const rnd[] = {"rn", "rz", "rm", "rp"};
  switch (pick(g, 9)) {
  case 0:
    emit(g, "cvt.%s.f32.%c32 %s, %s;\n", rnd[pick(g, 4)], "us"[pick(g, 2)], R('f'), R('r'));
    break;
  case 1:
    emit(g, "cvt.%si.%c32.f32 %s, %s;\n", rnd[pick(g, 4)], "us"[pick(g, 2)], R('r'), R('f'));
    break;
  case 2: emit(g, "cvt.f64.f32 %s, %s;\n", R('F'), R('f')); break;
  case 3: emit(g, "cvt.%s.f32.f64 %s, %s;\n", rnd[pick(g, 4)], R('f'), R('F')); break;
  case 4:
    emit(g, "cvt.%c64.%c32 %s, %s;\n", "us"[pick(g, 2)], "us"[pick(g, 2)], R('d'), R('r'));
    break;
  case 5: emit(g, "cvt.u32.u64 %s, %s;\n", R('r'), R('d')); break;
  case 6:
    emit(g, "cvt.%s%c16.%c32 %s, %s;\n", pick(g, 2) ? "sat." : "", "us"[pick(g, 2)],
         "us"[pick(g, 2)], R('h'), R('r'));
    break;
  case 7:
    emit(g, "cvt.%c32.%c8 %s, %s;\n", "us"[pick(g, 2)], "us"[pick(g, 2)], R('r'), R('r'));
    break;
  default:
    emit(g, "cvt.%si.%c64.f64 %s, %s;\n", rnd[pick(g, 4)], "us"[pick(g, 2)], R('d'), R('F'));
    break;
  }
}

static void compare_op(gen_t *g) {
  static const char *const ints[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  static const char *const floats[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                       "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  switch (pick(g, 6)) {
  case 0: emit(g, "setp.%s.f32 %s, %s, %s;\n", floats[pick(g, 14)], R('p'), S('f'), S('f')); break;
  case 1: emit(g, "setp.%s.f64 %s, %s, %s;\n", floats[pick(g, 14)], R('p'), S('F'), S('F')); break;
  case 2: emit(g, "setp.%s.s64 %s, %s, %s;\n", ints[pick(g, 6)], R('p'), S('d'), S('d')); break;
  case 3:
    emit(g, "setp.%s.%s.u32 %%p0|%%p1, %s, %s, %s%s;\n", ints[pick(g, 6)],
         pick(g, 2) ? "and" : "xor", S('r'), S('r'), pick(g, 2) ? "!" : "", R('p'));
    break;
  case 4:
    emit(g, "%s.pred %s, %s, %s;\n", pick(g, 2) ? "and" : "xor", R('p'), R('p'), R('p'));
    break;
  default: emit(g, "selp.b32 %s, %s, %s, %s;\n", R('r'), S('r'), S('r'), R('p')); break;
  }
}

static void memory_op(gen_t *g) {
  uint32_t at = 4 * pick(g, 8);
  switch (pick(g, 6)) {
  case 0: emit(g, "st.shared.b32 [%%sh+%u], %s;\n", at, R('r')); break;
  case 1: emit(g, "ld.shared.b32 %s, [%%sh+%u];\n", R('r'), at); break;
  case 2: emit(g, "st.global.b32 [%%out+%u], %s;\n", 128 + at, R('r')); break;
  case 3: emit(g, "ld.global.b32 %s, [%%out+%u];\n", R('r'), 128 + at); break;
  case 4:
    emit(g, "st.local.b32 [loc+%u], %s;\nld.local.%c%u %s, [loc+%u];\n", at, R('r'),
         "us"[pick(g, 2)], 8u << pick(g, 3), R('r'), at);
    break;
  default: {
    static const char *const op[] = {"add.u32", "max.u32", "min.s32",
                                     "or.b32",  "xor.b32", "and.b32"};
    uint32_t k = pick(g, 6); /* one operation per cell: then the order does not matter */
    emit(g, "red.global.%s [%%cells+%u], %s;\n", op[k], 4 * (8 * k + pick(g, 8)), R('r'));
    break;
  }
  }
}

static void simple(gen_t *g) {
  if (pick(g, 8) == 0) emit(g, "@%s%s ", pick(g, 2) ? "!" : "", R('p'));
  switch (pick(g, 8)) {
  case 0: int_op(g); break;
  case 1: bit_op(g); break;
  case 2: emit(g, "add.s32 %s, %s, %s;\n", R('r'), S('r'), S('r')); break;
  case 3: float_op(g); break;
  case 4: convert_op(g); break;
  case 5: compare_op(g); break;
  case 6: g->in_function ? wide_op(g) : memory_op(g); break;
  default: wide_op(g); break;
  }
}

static void statements(gen_t *g, uint32_t n);

static void fresh_predicate(gen_t *g) {
  static const char *const cmp[] = {"eq", "ne", "lt", "gt"};
  if (pick(g, 3))
    emit(g, "and.b32 %%t0, %s, %u;\nsetp.%s.u32 %s, %%t0, %u;\n", R('r'), 1u + pick(g, 7),
         cmp[pick(g, 4)], R('p'), pick(g, 4));
}

static void if_else(gen_t *g) {
  uint32_t l = g->labels++;
  fresh_predicate(g);
  emit(g, "@%s%s bra E%u;\n", pick(g, 2) ? "!" : "", R('p'), l);
  statements(g, 1 + pick(g, 4));
  if (pick(g, 2)) {
    emit(g, "bra J%u;\nE%u:\n", l, l);
    statements(g, 1 + pick(g, 4));
    emit(g, "J%u:\n", l);
  } else {
    emit(g, "E%u:\n", l);
  }
}

/* At most 7 rounds: the counter is touched by nothing else. */
static void loop(gen_t *g) {
  uint32_t l = g->labels++, c = g->loops++;
  emit(g, "and.b32 %%c%u, %s, 7;\nL%u:\n", c, R('r'), l);
  emit(g, "setp.eq.u32 %%q%u, %%c%u, 0;\n@%%q%u bra X%u;\nsub.u32 %%c%u, %%c%u, 1;\n", c, c, c, l,
       c, c);
  statements(g, 1 + pick(g, 3));
  if (pick(g, 2)) { /* break, continue */
    fresh_predicate(g);
    emit(g, "@%s bra %c%u;\n", R('p'), "XL"[pick(g, 2)], l);
    statements(g, 1 + pick(g, 3));
  }
  emit(g, "bra L%u;\nX%u:\n", l, l);
}

static void do_while(gen_t *g) {
  uint32_t l = g->labels++, c = g->loops++;
  emit(g, "and.b32 %%c%u, %s, 3;\nW%u:\n", c, R('r'), l);
  statements(g, 1 + pick(g, 3));
  emit(g, "setp.eq.u32 %%q%u, %%c%u, 0;\nsub.u32 %%c%u, %%c%u, 1;\n@!%%q%u bra W%u;\n", c, c, c, c,
       c, l);
}

static void switch_case(gen_t *g) {
  uint32_t l = g->labels++, n = 2 + pick(g, 3);
  emit(g, "rem.u32 %%t0, %s, %u;\nT%u: .branchtargets ", R('r'), n, l);
  for (uint32_t i = 0; i < n; i++) emit(g, "%sK%u_%u", i ? ", " : "", l, i);
  emit(g, ";\nbrx.idx %%t0, T%u;\n", l);
  for (uint32_t i = 0; i < n; i++) {
    emit(g, "K%u_%u:\n", l, i);
    statements(g, 1 + pick(g, 2));
    if (pick(g, 3)) emit(g, "bra D%u;\n", l); /* else it falls into the next case */
  }
  emit(g, "D%u:\n", l);
}

/* Jumps over each other: flow no structured language makes. */
static void tangle(gen_t *g) {
  uint32_t l = g->labels++;
  fresh_predicate(g);
  emit(g, "@%s bra A%u;\n", R('p'), l);
  statements(g, 1);
  fresh_predicate(g);
  emit(g, "@%s bra B%u;\nA%u:\n", R('p'), l, l);
  statements(g, 1);
  fresh_predicate(g);
  emit(g, "@%s bra C%u;\nB%u:\n", R('p'), l, l);
  statements(g, 1);
  emit(g, "C%u:\n", l);
}

static void call(gen_t *g) {
  if (!g->functions) {
    simple(g);
    return;
  }
  if (pick(g, 3) == 0) emit(g, "@%s ", R('p'));
  uint32_t f = pick(g, g->functions);
  emit(g, "call.uni (%s), f%u, (%s, %s);\n", R('r'), f, R('r'), R('r'));
}

static void call_with_memory(gen_t *g) {
  if (!g->functions) return;
  uint32_t f = pick(g, g->functions);
  emit(g,
       "{\n.param .b32 a0; .param .b32 a1; .param .b32 v0;\nst.param.b32 [a0], %s;\nst.param.b32 "
       "[a1], %s;\n",
       R('r'), R('r'));
  emit(g, "call (v0), g%u, (a0, a1);\nld.param.b32 %s, [v0];\n}\n", f, R('r'));
}

static void together(gen_t *g) { /* every thread that lives comes by */
  static const char *const mode[] = {"up", "down", "bfly", "idx"};
  if (pick(g, 2) || !g->may_shuffle) {
    emit(g, "bar.sync %u;\n", pick(g, 2));
    return;
  }
  if (pick(g, 2))
    emit(g, "shfl.sync.%s.b32 %s|%s, %s, %u, %u, -1;\n", mode[pick(g, 4)], R('r'), R('p'), R('r'),
         pick(g, 32), pick(g, 2) ? 31 : pick(g, 32) | pick(g, 32) << 8);
  else if (pick(g, 2))
    emit(g, "vote.sync.ballot.b32 %s, %s, -1;\n", R('r'), R('p'));
  else
    emit(g, "vote.sync.%s.pred %s, %s, -1;\n", pick(g, 2) ? "all" : "any", R('p'), R('p'));
}

static void statement(gen_t *g) {
  uint32_t k = pick(g, 20);
  if (g->depth > 4 || g->statements > 120 || k < 10) {
    simple(g);
    return;
  }
  g->depth++;
  switch (k) {
  case 10:
  case 11: if_else(g); break;
  case 12: loop(g); break;
  case 13: do_while(g); break;
  case 14: switch_case(g); break;
  case 15: tangle(g); break;
  case 16: call(g); break;
  case 17: call_with_memory(g); break;
  case 18:
    if (g->depth == 1 && !g->in_function)
      together(g);
    else if (g->may_exit && pick(g, 3) == 0)
      emit(g, "@%s %s;\n", R('p'), pick(g, 2) ? "exit" : "ret");
    else
      simple(g);
    break;
  default:
    if (g->in_function && pick(g, 2))
      emit(g, "@%s ret;\n", R('p'));
    else
      simple(g);
    break;
  }
  g->depth--;
}

static void statements(gen_t *g, uint32_t n) {
  while (n--) {
    g->statements++;
    statement(g);
  }
}

static void registers(gen_t *g) {
  emit(g,
       ".reg .b32 %%r<%u>, %%c<400>, %%t<4>, %%sh;\n.reg .b64 %%rd<%u>, %%out, %%cells, %%u<4>;\n",
       REGS32, REGS64);
  emit(g,
       ".reg .f32 %%f<%u>;\n.reg .f64 %%fd<%u>;\n.reg .b16 %%h<%u>;\n.reg .pred %%p<%u>, "
       "%%q<400>;\n",
       REGSF, REGSD, REGSH, PREDS);
}

/* From two 32-bit values, something in every register. */
static void initial_values(gen_t *g, const char *a, const char *b) {
  for (uint32_t i = 0; i < REGS32; i++)
    emit(g, "mad.lo.s32 %%r%u, %s, %u, %s;\n", i, a, 2 * pick(g, 1000) + 1, b);
  for (uint32_t i = 0; i < REGS64; i++)
    emit(g, "mul.wide.s32 %%rd%u, %%r%u, %d;\n", i, i, (int)(uint32_t)rng_next(g->r));
  for (uint32_t i = 0; i < REGSF; i++) {
    if (pick(g, 2))
      emit(g, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", i, i);
    else
      emit(g, "mul.lo.u32 %%t0, %%r%u, %d;\nmov.b32 %%f%u, %%t0;\n", i,
           (int)((uint32_t)rng_next(g->r) | 1), i);
  }
  for (uint32_t i = 0; i < REGSD; i++)
    emit(g, pick(g, 2) ? "cvt.f64.f32 %%fd%u, %%f%u;\n" : "mov.b64 %%fd%u, %%rd%u;\n", i, i);
  for (uint32_t i = 0; i < REGSH; i++) emit(g, "cvt.u16.u32 %%h%u, %%r%u;\n", i, i);
  for (uint32_t i = 0; i < PREDS; i++) emit(g, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", i, i, i + 1);
}

/* f takes and gives registers, g the same in parameter memory; later ones call earlier ones. */
static void function(gen_t *g, uint32_t i) {
  for (uint32_t mem = 0; mem < 2; mem++) {
    const char *space = mem ? ".param" : ".reg";
    g->functions = i, g->in_function = true, g->statements = 0, g->loops = 0;
    emit(g, ".func (%s .b32 rv) %c%u (%s .b32 x, %s .b32 y)\n{\n", space, mem ? 'g' : 'f', i, space,
         space);
    registers(g);
    emit(g, mem ? "ld.param.b32 %%t2, [x];\nld.param.b32 %%t3, [y];\n"
                : "mov.b32 %%t2, x;\nmov.b32 %%t3, y;\n");
    emit(g, mem ? "st.param.b32 [rv], 7;\n" : "mov.b32 rv, 7;\n");
    initial_values(g, "%t2", "%t3");
    statements(g, 3 + pick(g, 6));
    emit(g, "xor.b32 %%r0, %%r0, %%r1;\nadd.s32 %%r0, %%r0, %%r2;\n");
    emit(g, mem ? "st.param.b32 [rv], %%r0;\nret;\n}\n" : "mov.b32 rv, %%r0;\nret;\n}\n");
  }
}

static void results(gen_t *g) {
  for (uint32_t i = 0; i < REGS32; i++) emit(g, "st.global.b32 [%%out+%u], %%r%u;\n", 4 * i, i);
  for (uint32_t i = 0; i < REGS64; i++)
    emit(g, "st.global.b64 [%%out+%u], %%rd%u;\n", 40 + 8 * i, i);
  for (uint32_t i = 0; i < REGSF; i++) emit(g, "st.global.f32 [%%out+%u], %%f%u;\n", 80 + 4 * i, i);
  for (uint32_t i = 0; i < 2; i++)
    emit(g, "st.global.v2.f64 [%%out+%u], {%%fd%u, %%fd%u};\n", 192 + 16 * i, 2 * i, 2 * i + 1);
  for (uint32_t i = 0; i < REGSH; i++)
    emit(g, "st.global.b16 [%%out+%u], %%h%u;\n", 100 + 2 * i, i);
  for (uint32_t i = 0; i < PREDS; i++)
    emit(g, "selp.b32 %%t0, 1, 0, %%p%u;\nst.global.b8 [%%out+%u], %%t0;\n", i, 108 + i);
}

static void kernel(gen_t *g) {
  g->in_function = false, g->statements = 0, g->loops = 0;
  emit(g, ".visible .entry k(.param .u64 out, .param .u64 cells)\n{\n");
  registers(g);
  emit(g, ".shared .align 4 .b8 sm[8192];\n.local .align 4 .b8 loc[64];\n");
  emit(g, "mov.u32 %%t0, %%ctaid.x;\nmov.u32 %%t1, %%ntid.x;\nmov.u32 %%t2, %%tid.x;\nmad.lo.s32 "
          "%%t3, %%t0, %%t1, %%t2;\n");
  emit(g, "ld.param.u64 %%out, [out];\nld.param.u64 %%cells, [cells];\n");
  emit(g, "mul.wide.u32 %%u0, %%t3, %u;\nadd.s64 %%out, %%out, %%u0;\n", GEN_OUT_BYTES);
  emit(g, "mov.u32 %%sh, sm;\nshl.b32 %%t2, %%t2, 5;\nadd.u32 %%sh, %%sh, %%t2;\n");
  emit(g, "mov.u32 %%t2, %d;\n", (int)(uint32_t)rng_next(g->r));
  for (uint32_t i = 0; i < 8; i++)
    emit(g, "st.shared.b32 [%%sh+%u], %%t3;\nst.local.b32 [loc+%u], %%t2;\n", 4 * i, 4 * i);
  initial_values(g, "%t3", "%t2");
  statements(g, 8 + pick(g, 20));
  results(g);
  emit(g, "ret;\n}\n");
}

void gen_program(rng_t *r, strbuf_t *out, gen_shape_t *shape) {
  gen_t g = {.r = r, .o = out};
  uint32_t functions = pick(&g, 3);
  g.may_exit = pick(&g, 2), g.may_shuffle = !g.may_exit;
  shape->block = g.may_shuffle ? 32 * (1 + pick(&g, 3)) : 1 + pick(&g, 80);
  shape->grid = 1 + pick(&g, 2);
  emit(&g, ".version 7.0\n.target sm_70\n.address_size 64\n");
  for (uint32_t i = 0; i < functions; i++) function(&g, i);
  g.functions = functions;
  kernel(&g);
}
