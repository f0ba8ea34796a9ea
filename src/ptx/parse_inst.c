/* Instructions: guard, opcode with its modifiers, operands.
 *
 * Modifiers are looked up by name among the groups the opcode's row allows, so one spelling may
 * belong to several groups (.and of setp, atom and bar.red). */
#include "base/nearest.h"
#include "ptx/parse.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint8_t group, value;
} modifier[] = {
    {"rn", G_RND, RND_RN},
    {"rz", G_RND, RND_RZ},
    {"rm", G_RND, RND_RM},
    {"rp", G_RND, RND_RP},
    {"rna", G_RNA, 1},
    {"rni", G_IRND, RND_RN},
    {"rzi", G_IRND, RND_RZ},
    {"rmi", G_IRND, RND_RM},
    {"rpi", G_IRND, RND_RP},
    {"ftz", G_FTZ, 1},
    {"sat", G_SAT, 1},
    {"cc", G_CC, 1},
    {"lo", G_PART, PART_LO},
    {"hi", G_PART, PART_HI},
    {"wide", G_PART, PART_WIDE},
    {"eq", G_CMP, CMP_EQ},
    {"ne", G_CMP, CMP_NE},
    {"lt", G_CMP, CMP_LT},
    {"le", G_CMP, CMP_LE},
    {"gt", G_CMP, CMP_GT},
    {"ge", G_CMP, CMP_GE},
    {"lo", G_CMP, CMP_LO},
    {"ls", G_CMP, CMP_LS},
    {"hi", G_CMP, CMP_HI},
    {"hs", G_CMP, CMP_HS},
    {"equ", G_CMP, CMP_EQU},
    {"neu", G_CMP, CMP_NEU},
    {"ltu", G_CMP, CMP_LTU},
    {"leu", G_CMP, CMP_LEU},
    {"gtu", G_CMP, CMP_GTU},
    {"geu", G_CMP, CMP_GEU},
    {"num", G_CMP, CMP_NUM},
    {"nan", G_CMP, CMP_NAN},
    {"and", G_BOOL, BOOL_AND},
    {"or", G_BOOL, BOOL_OR},
    {"xor", G_BOOL, BOOL_XOR},
    {"approx", G_APPROX, APPROX_APPROX},
    {"full", G_APPROX, APPROX_FULL},
    {"global", G_SPACE, SP_GLOBAL},
    {"shared", G_SPACE, SP_SHARED},
    {"shared::cta", G_SPACE, SP_SHARED},
    {"local", G_SPACE, SP_LOCAL},
    {"const", G_SPACE, SP_CONST},
    {"param", G_SPACE, SP_PARAM},
    {"param::entry", G_SPACE, SP_PARAM},
    {"param::func", G_SPACE, SP_PARAM},
    {"ca", G_CACHE, CACHE_CA},
    {"wb", G_CACHE, CACHE_CA},
    {"cg", G_CACHE, CACHE_CG},
    {"cv", G_CACHE, CACHE_CG},
    {"wt", G_CACHE, CACHE_CG},
    {"cs", G_CACHE, CACHE_OTHER},
    {"lu", G_CACHE, CACHE_OTHER},
    {"weak", G_SEM, SEM_WEAK},
    {"volatile", G_SEM, SEM_VOLATILE},
    {"relaxed", G_SEM, SEM_STRONG},
    {"acquire", G_SEM, SEM_STRONG},
    {"release", G_SEM, SEM_STRONG},
    {"acq_rel", G_SEM, SEM_STRONG},
    {"sc", G_SEM, SEM_STRONG},
    {"mmio", G_SEM, SEM_STRONG},
    {"cta", G_SCOPE, 1},
    {"gpu", G_SCOPE, 2},
    {"gl", G_SCOPE, 2},
    {"sys", G_SCOPE, 3},
    {"cluster", G_SCOPE, 4},
    {"nc", G_NC, 1},
    {"v2", G_VEC, 2},
    {"v4", G_VEC, 4},
    {"add", G_ATOM, ATOM_ADD},
    {"min", G_ATOM, ATOM_MIN},
    {"max", G_ATOM, ATOM_MAX},
    {"inc", G_ATOM, ATOM_INC},
    {"dec", G_ATOM, ATOM_DEC},
    {"and", G_ATOM, ATOM_AND},
    {"or", G_ATOM, ATOM_OR},
    {"xor", G_ATOM, ATOM_XOR},
    {"exch", G_ATOM, ATOM_EXCH},
    {"cas", G_ATOM, ATOM_CAS},
    {"sync", G_BAR, BAR_SYNC},
    {"arrive", G_BAR, BAR_ARRIVE},
    {"red", G_BAR, BAR_RED},
    {"popc", G_BARRED, BARRED_POPC},
    {"and", G_BARRED, BARRED_AND},
    {"or", G_BARRED, BARRED_OR},
    {"warp", G_WARP, 1},
    {"sync", G_SYNC, 1},
    {"up", G_SHFL, SHFL_UP},
    {"down", G_SHFL, SHFL_DOWN},
    {"bfly", G_SHFL, SHFL_BFLY},
    {"idx", G_SHFL, SHFL_IDX},
    {"all", G_VOTE, VOTE_ALL},
    {"any", G_VOTE, VOTE_ANY},
    {"uni", G_VOTE, VOTE_UNI},
    {"ballot", G_VOTE, VOTE_BALLOT},
    {"1d", G_GEOM, GEOM_1D},
    {"2d", G_GEOM, GEOM_2D},
    {"3d", G_GEOM, GEOM_3D},
    {"a1d", G_GEOM, GEOM_A1D},
    {"a2d", G_GEOM, GEOM_A2D},
    {"to", G_TO, 1},
    {"l", G_DIR, DIR_L},
    {"r", G_DIR, DIR_R},
    {"wrap", G_WRAP, WRAP_WRAP},
    {"clamp", G_WRAP, WRAP_CLAMP},
    {"f4e", G_PRMT, PRMT_F4E},
    {"b4e", G_PRMT, PRMT_B4E},
    {"rc8", G_PRMT, PRMT_RC8},
    {"ecl", G_PRMT, PRMT_ECL},
    {"ecr", G_PRMT, PRMT_ECR},
    {"rc16", G_PRMT, PRMT_RC16},
    {"aligned", G_ALIGNED, 1},
    {"uni", G_UNI, 1},
    {"noftz", G_NOFTZ, 1},
    {"finite", G_TESTP, TESTP_FINITE},
    {"infinite", G_TESTP, TESTP_INFINITE},
    {"number", G_TESTP, TESTP_NUMBER},
    {"notanumber", G_TESTP, TESTP_NOTANUMBER},
    {"normal", G_TESTP, TESTP_NORMAL},
    {"subnormal", G_TESTP, TESTP_SUBNORMAL},
    {"shiftamt", G_SHIFTAMT, 1},
    {"NaN", G_NAN, 1},
    {"load", G_WMMA, WMMA_LOAD},
    {"store", G_WMMA, WMMA_STORE},
    {"mma", G_WMMA, WMMA_MMA},
    {"a", G_FRAGMENT, FRAGMENT_A},
    {"b", G_FRAGMENT, FRAGMENT_B},
    {"c", G_FRAGMENT, FRAGMENT_C},
    {"d", G_FRAGMENT, FRAGMENT_D},
    {"row", G_LAYOUT, LAYOUT_ROW},
    {"col", G_LAYOUT, LAYOUT_COL},
    {"row", G_LAYOUT2, LAYOUT_ROW},
    {"col", G_LAYOUT2, LAYOUT_COL},
    {"x1", G_COUNT_X, 1},
    {"x2", G_COUNT_X, 2},
    {"x4", G_COUNT_X, 4},
    {"trans", G_TRANS, 1},
    {"satfinite", G_SATFINITE, 1},
    {"xor", G_BITS, BITS_XOR},
    {"and", G_BITS, BITS_AND},
    {"popc", G_POPC, 1},
    {"async", G_ASYNC, 1},
    {"commit_group", G_COPY, COPY_COMMIT},
    {"wait_group", G_COPY, COPY_WAIT_GROUP},
    {"wait_all", G_COPY, COPY_WAIT_ALL},
    {"mbarrier", G_COPY, COPY_ARRIVE},
    {"global", G_SPACE2, SP_GLOBAL},
    {"noinc", G_NOINC, 1},
    {"fractional", G_POLICY, 1},
    {"range", G_POLICY, 2},
    {"cvt", G_POLICY, 3},
    {"pack", G_PACK, 1},
    {"launch_dependents", G_GRIDDEP, 1},
    {"wait", G_GRIDDEP, 2},
    {"init", G_MBARRIER, MBARRIER_INIT},
    {"inval", G_MBARRIER, MBARRIER_INVAL},
    {"arrive", G_MBARRIER, MBARRIER_ARRIVE},
    {"arrive_drop", G_MBARRIER, MBARRIER_DROP},
    {"test_wait", G_MBARRIER, MBARRIER_TEST},
    {"try_wait", G_MBARRIER, MBARRIER_TRY},
    {"pending_count", G_MBARRIER, MBARRIER_PENDING},
    {"noComplete", G_NOCOMPLETE, 1},
    {"parity", G_PARITY, 1},
    {"add", G_VIDEO, VIDEO_ADD},
    {"min", G_VIDEO, VIDEO_MIN},
    {"max", G_VIDEO, VIDEO_MAX},
    {"shr7", G_VSHIFT, 7},
    {"shr15", G_VSHIFT, 15},
    {"po", G_PO, 1},
    {"level", G_LOD, LOD_LEVEL},
    {"grad", G_LOD, LOD_GRAD},
    {"base", G_LOD, LOD_BASE},
    {"r", G_GATHER, 1},
    {"g", G_GATHER, 2},
    {"b", G_GATHER, 3},
    {"a", G_GATHER, 4},
    {"b", G_FORMAT, 1},
    {"relu", G_RELU, 1},
    {"trap", G_BOUNDARY, BOUNDARY_TRAP},
    {"clamp", G_BOUNDARY, BOUNDARY_CLAMP},
    {"zero", G_BOUNDARY, BOUNDARY_ZERO},
};

const pshape_t pshape[SHAPE_COUNT] = {
#define X(name, m, n, k) {name, m, n, k},
    PTX_SHAPE_LIST(X)
#undef X
};

static bool same(const token_t *t, const char *s) {
  return strlen(s) == t->size && !memcmp(s, t->text, t->size);
}

static int find_opcode(const token_t *t) {
  for (int i = 0; i < OP_COUNT; i++)
    if (same(t, popcode_info[i].name)) return i;
  return -1;
}

/* "wmma.load.a.sync..." of the token and what follows, for messages. */
static void whole_opcode(parser_t *p, const token_t *t, char *buf, size_t size) {
  size_t n = 0;
  for (const char *s = t->text; n + 1 < size && *s > ' ' && *s != ';' && *s != ',' && *s != '{';
       s++)
    buf[n++] = *s;
  buf[n] = 0;
  (void)p;
}

/* Instructions of PTX that are not there, by the first of their names. */
static const struct {
  const char *name, *what;
} absent[] = {
    {"alloca", "stack space of a size known at run time"},
    {"clusterlaunchcontrol", "thread block clusters"},
    {"elect", "the choice of a leader by hardware"},
    {"getctarank", "thread block clusters"},
    {"istypep", "opaque types"},
    {"mapa", "thread block clusters"},
    {"multimem", "memory of several devices"},
    {"setmaxnreg", "register counts that change while a kernel runs"},
    {"stackrestore", "stack space of a size known at run time"},
    {"stacksave", "stack space of a size known at run time"},
    {"suq", "queries of surfaces"},
    {"sured", "atomic operations on surfaces"},
    {"tcgen05", "tensor cores"},
    {"tensormap", "asynchronous copies"},
    {"txq", "queries of textures"},
    {"wgmma", "tensor cores"},
};

static int unknown_opcode(parser_t *p, const token_t *t) {
  char name[80], small[NEAREST_MAX_CHARS];
  const char *near = NULL;
  whole_opcode(p, t, name, sizeof name);
  for (uint32_t i = 0; i < sizeof absent / sizeof *absent; i++)
    if (same(t, absent[i].name))
      return lex_error_at(&p->x, t->line, t->column,
                          "instruction '%s' is not supported: gmmu does not model %s", name,
                          absent[i].what);
  snprintf(small, sizeof small, "%.*s", (int)(t->size < 40 ? t->size : 40), t->text);
  nearest_t n;
  nearest_init(&n, small);
  for (int i = 0; i < OP_COUNT; i++)
    if (nearest_offer(&n, popcode_info[i].name)) near = popcode_info[i].name;
  return lex_error_at(&p->x, t->line, t->column, "instruction '%s' is not supported%s%s%s", name,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool is_hint(const token_t *t) { /* cache hints change no result */
  return t->size >= 2 && t->text[0] == 'L' && (t->text[1] == '1' || t->text[1] == '2');
}

static int apply_modifier(parser_t *p, pinst_t *in, const popcode_info_t *info, uint32_t *types) {
  const token_t *t = &p->x.tok;
  ptype_t type = parse_type_name(t);
  if (type) {
    if (*types == info->max_types)
      return lex_error(&p->x, "%s takes %u type%s", info->name, info->max_types,
                       info->max_types == 1 ? "" : "s");
    if (!(info->types >> type & 1))
      return lex_error(&p->x, "%s is not supported for type .%s", info->name,
                       ptype_info[type].name);
    in->type[(*types)++] = (uint8_t)type;
    return 0;
  }
  if ((info->groups & G(HINT)) && is_hint(t)) {
    if (same(t, "L2::cache_hint")) in->mod[G_HINT] = 1; /* one more operand, the policy */
    return 0;
  }
  bool taken = false; /* a spelling may belong to a later group too: .row.col, .shared.global */
  for (uint32_t i = 0; i < sizeof modifier / sizeof *modifier; i++) {
    uint8_t g = modifier[i].group;
    if (!(info->groups >> g & 1) || !same(t, modifier[i].name)) continue;
    if (in->mod[g]) {
      taken = true;
      continue;
    }
    in->mod[g] = modifier[i].value;
    return 0;
  }
  for (uint8_t i = 0; (info->groups & G(SHAPE)) && !in->mod[G_SHAPE] && i < SHAPE_COUNT; i++)
    if (same(t, pshape[i].name)) {
      in->mod[G_SHAPE] = (uint8_t)(i + 1);
      return 0;
    }
  if (taken)
    return lex_error(&p->x, "'.%.*s' contradicts an earlier modifier", (int)t->size, t->text);
  return lex_error(&p->x, "instruction '%s' with '.%.*s' is not supported", info->name,
                   (int)t->size, t->text);
}

static int parse_opcode(parser_t *p, pinst_t *in) {
  lexer_t *x = &p->x;
  token_t t = x->tok;
  if (t.kind != TK_NAME) return lex_error(x, "instruction expected");
  int op = find_opcode(&t);
  if (op < 0) return unknown_opcode(p, &t);
  const popcode_info_t *info = &popcode_info[op];
  uint32_t types = 0;
  in->op = (uint16_t)op, in->line = t.line, in->column = t.column;
  in->file = p->file, in->source = p->source;
  for (lex_next(x); x->tok.kind == TK_DOT; lex_next(x))
    if (apply_modifier(p, in, info, &types) < 0) return -1;
  if (info->max_types && !types && op != OP_bar && op != OP_barrier && op != OP_prefetch &&
      op != OP_cp)
    return lex_error_at(x, t.line, t.column, "'%s' needs a type", info->name);
  return 0;
}

/* --- operands --- */

static int find_sreg(const char *name, uint32_t size) {
  for (int i = 0; i < SR_COUNT; i++)
    if (strlen(sreg_info[i].name) == size && !memcmp(sreg_info[i].name, name, size)) return i;
  return -1;
}

/* %envreg1 and %envreg2 are the upper and the lower half of an address: that of the words through
 * which the blocks of a cooperative launch wait for each other (cooperative_groups.h of nvcc 11 to
 * 13). They begin as zero and are left ready for the next launch, so one variable serves all. */
#define WORKSPACE_BYTES 64
static int need_workspace(parser_t *p) {
  if (p->m->workspace) return 0;
  pvar_t *v = parse_alloc(p, sizeof *v);
  if (!v) return -1;
  *v = (pvar_t){.name = "%envreg", .module = p->m, .space = SP_GLOBAL, .type = T_B8, .vec = 1};
  v->bytes = WORKSPACE_BYTES, v->align = WORKSPACE_BYTES;
  *p->last_var = v, p->last_var = &v->next;
  p->m->workspace = v;
  return 0;
}

/* %reserved_smem_offset_begin, _end, _0, _1: a kilobyte of shared memory that the system keeps, in
 * which cooperative_groups.h of nvcc has the barriers of large tiles. Here it is a variable. */
#define RESERVED_BYTES 1024
static int reserved_memory(parser_t *p, poperand_t *o, const char *name, uint32_t size) {
  static const char prefix[] = "%reserved_smem_offset_";
  const uint32_t n = sizeof prefix - 1;
  if (size <= n || memcmp(name, prefix, n) != 0) return 0;
  const char *rest = name + n;
  uint32_t left = size - n;
  bool end = left == 3 && !memcmp(rest, "end", 3), first = left == 1 && *rest == '1',
       begin = (left == 5 && !memcmp(rest, "begin", 5)) || (left == 1 && *rest == '0');
  if (!end && !first && !begin) return 0;
  if (!p->m->reserved) {
    pvar_t *v = parse_alloc(p, sizeof *v);
    if (!v) return -1;
    *v = (pvar_t){
        .name = "%reserved_smem", .module = p->m, .space = SP_SHARED, .type = T_B8, .vec = 1};
    v->bytes = RESERVED_BYTES, v->align = 128;
    *p->last_var = v, p->last_var = &v->next;
    p->m->reserved = v;
  }
  o->kind = O_VAR, o->var = p->m->reserved, o->imm = end ? RESERVED_BYTES : first ? 128 : 0;
  return 1;
}

static int add_pending(parser_t *p, poperand_t *o, const token_t *t) {
  if (p->pendings == p->pending_cap) {
    uint32_t cap = p->pending_cap ? 2 * p->pending_cap : 64;
    pending_t *q = realloc(p->pending, cap * sizeof *q);
    if (!q) return lex_error(&p->x, "out of memory");
    p->pending = q, p->pending_cap = cap;
  }
  o->kind = O_LABEL;
  p->pending[p->pendings++] = (pending_t){o, t->text, t->size, t->line, t->column};
  return 0;
}

/* "%tid.x", "%v.y" and plain names, as they stand in the text; r, g, b and a mean x, y, z and w, so
 * these names are copied. The token after it is current afterwards. NULL: no memory. */
static const char *full_name(parser_t *p, uint32_t *size) {
  lexer_t *x = &p->x;
  const char *name = x->tok.text;
  *size = x->tok.size;
  lex_next(x);
  static const char part[] = "xyzwrgba";
  const char *at = x->tok.kind == TK_DOT && x->tok.glued && x->tok.size == 1
                       ? strchr(part, x->tok.text[0])
                       : NULL;
  if (!at) return name;
  if (at - part >= 4) {
    char *copy = parse_alloc(p, *size + 2);
    if (!copy) return NULL;
    memcpy(copy, name, *size);
    copy[*size] = '.', copy[*size + 1] = at[-4];
    name = copy;
  }
  *size += 2;
  lex_next(x);
  return name;
}

static int vector_register(parser_t *p, poperand_t *o, const sym_t *s) {
  o->kind = O_VEC, o->count = s->vec;
  o->elem = parse_alloc(p, s->vec * sizeof *o->elem);
  if (!o->elem) return -1;
  for (uint32_t i = 0; i < s->vec; i++)
    o->elem[i] =
        (poperand_t){.kind = O_REG, .reg = s->reg + i, .reg2 = NO_REG, .column = o->column};
  return 0;
}

static int symbol_operand(parser_t *p, poperand_t *o, const sym_t *s) {
  switch (s->kind) {
  case SYM_VAR: o->kind = O_VAR, o->var = s->var; break;
  case SYM_FUNC: o->kind = O_FUNC, o->func = s->func; return 0;
  case SYM_PROTO: o->kind = O_FUNC, o->func = s->func; return 0;
  case SYM_LIST: *o = *s->list; return 0;
  case SYM_REG:
    return s->vec > 1 ? vector_register(p, o, s) : lex_error(&p->x, "scalar register expected");
  default: return lex_error(&p->x, "an operand is expected");
  }
  if (lex_punct(&p->x, '+') || lex_punct(&p->x, '-')) {
    int64_t off = 0;
    if (parse_constant(p, &off) < 0) return -1;
    o->imm = (uint64_t)off;
  }
  return 0;
}

static int name_operand(parser_t *p, poperand_t *o) {
  lexer_t *x = &p->x;
  token_t t = x->tok;
  if (t.size == 1 && t.text[0] == '_') {
    lex_next(x);
    o->kind = O_SINK;
    return 0;
  }
  uint32_t n;
  const char *name = full_name(p, &n);
  if (!name) return -1;
  int sreg = name[0] == '%' ? find_sreg(name, n) : -1;
  sym_t *s = parse_find(p, name, n);
  uint32_t reg = s && s->vec > 1 ? NO_REG : parse_register(p, name, n);
  if (reg != NO_REG) {
    o->kind = O_REG, o->reg = reg;
    return 0;
  }
  if (sreg >= 0) {
    o->kind = O_SREG, o->reg = (uint32_t)sreg;
    return sreg == SR_ENVREG1 || sreg == SR_ENVREG2 ? need_workspace(p) : 0;
  }
  if (n == 7 && !memcmp(name, "WARP_SZ", 7)) {
    o->kind = O_IMM, o->imm = 32;
    return 0;
  }
  if (s && s->kind != SYM_LABEL) return symbol_operand(p, o, s);
  int reserved = name[0] == '%' ? reserved_memory(p, o, name, n) : 0;
  if (reserved) return reserved < 0 ? -1 : 0;
  if (name[0] == '%')
    return lex_error_at(x, t.line, t.column, "'%.*s' is not declared", (int)n, name);
  return add_pending(p, o, &t);
}

static int number_operand(parser_t *p, poperand_t *o) {
  lexer_t *x = &p->x;
  lexer_t save = *x;
  bool neg = lex_punct(x, '-');
  if (neg) lex_next(x);
  if (x->tok.kind == TK_FLOAT) {
    double d;
    memcpy(&d, &x->tok.value, 8);
    if (neg) d = -d;
    o->kind = O_FIMM, o->is_f32 = x->tok.is_f32;
    o->raw = neg ? x->tok.raw ^ 0x80000000u : x->tok.raw;
    memcpy(&o->imm, &d, 8);
    lex_next(x);
    return 0;
  }
  *x = save;
  int64_t v = 0;
  if (parse_constant(p, &v) < 0) return -1;
  o->kind = O_IMM, o->imm = (uint64_t)v;
  return 0;
}

static int parse_operand(parser_t *p, poperand_t *o, bool in_vector);

static int vector_operand(parser_t *p, poperand_t *o) {
  poperand_t elem[8];
  uint32_t n = 0;
  lex_next(&p->x);
  /* Label references keep a pointer to their operand, so elements must not move: none is a label.
   */
  while (!lex_punct(&p->x, '}')) {
    if (n == 8) return lex_error(&p->x, "a vector has at most 8 elements");
    if (parse_operand(p, &elem[n], true) < 0) return -1;
    n++;
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  if (!n) return lex_error(&p->x, "an empty vector");
  o->kind = O_VEC, o->count = (uint8_t)n;
  o->elem = parse_alloc(p, n * sizeof *elem);
  if (!o->elem) return -1;
  memcpy(o->elem, elem, n * sizeof *elem);
  return parse_expect(p, '}');
}

/* [reg+imm], [var+imm], [imm]; what follows a comma is left to the caller (textures). */
static int memory_operand(parser_t *p, poperand_t *o) {
  poperand_t base = {.reg = NO_REG, .reg2 = NO_REG};
  uint32_t column = o->column;
  lex_next(&p->x);
  base.column = p->x.tok.column;
  if (parse_operand(p, &base, true) < 0) return -1;
  if (base.kind != O_REG && base.kind != O_VAR && base.kind != O_IMM)
    return lex_error(&p->x, "an address is a register, a variable or a number");
  *o = base;
  o->kind = O_MEM, o->column = column;
  if (base.kind == O_REG && (lex_punct(&p->x, '+') || lex_punct(&p->x, '-'))) {
    int64_t off = 0;
    if (parse_constant(p, &off) < 0) return -1;
    o->imm = (uint64_t)off;
  }
  if (base.kind == O_REG && base.neg) return lex_error(&p->x, "an address is not a predicate");
  return 0;
}

static int parse_operand(parser_t *p, poperand_t *o, bool in_vector) {
  lexer_t *x = &p->x;
  *o = (poperand_t){.reg = NO_REG, .reg2 = NO_REG, .column = x->tok.column};
  if (lex_punct(x, '{') && !in_vector) return vector_operand(p, o);
  if (lex_punct(x, '!')) {
    lex_next(x);
    if (x->tok.kind != TK_NAME || name_operand(p, o) < 0 || o->kind != O_REG)
      return lex_error(x, "predicate register expected");
    o->neg = true;
    return 0;
  }
  if (x->tok.kind != TK_NAME || lex_is(x, "WARP_SZ")) return number_operand(p, o);
  if (name_operand(p, o) < 0) return -1;
  if (in_vector && o->kind == O_LABEL)
    return lex_error_at(x, p->pending[p->pendings - 1].line, p->pending[p->pendings - 1].column,
                        "'%.*s' is not declared", (int)p->pending[p->pendings - 1].size,
                        p->pending[p->pendings - 1].name);
  if (lex_punct(x, '|') && !in_vector) { /* d|p */
    poperand_t second = {.reg = NO_REG, .reg2 = NO_REG};
    lex_next(x);
    if (x->tok.kind != TK_NAME || name_operand(p, &second) < 0)
      return lex_error(x, "register expected");
    if (second.kind != O_REG && second.kind != O_SINK) return lex_error(x, "register expected");
    if (o->kind == O_SINK) o->reg = NO_REG, o->kind = O_REG;
    o->reg2 = second.kind == O_REG ? second.reg : NO_REG;
  }
  return 0;
}

/* %r1.b2, %r1.h0 of a scalar video instruction */
static int video_part(parser_t *p, poperand_t *o) {
  lexer_t *x = &p->x;
  if (x->tok.kind != TK_DOT || !x->tok.glued || o->kind != O_REG) return 0;
  const char *t = x->tok.text;
  if (x->tok.size == 2 && t[0] == 'b' && t[1] >= '0' && t[1] <= '3')
    o->part = (uint8_t)(VPART_B0 + (t[1] - '0'));
  else if (x->tok.size == 2 && t[0] == 'h' && (t[1] == '0' || t[1] == '1'))
    o->part = (uint8_t)(VPART_H0 + (t[1] - '0'));
  else
    return lex_error(x, "a mask or a choice of several bytes is not supported");
  lex_next(x);
  return 0;
}

static int parse_operands(parser_t *p, pinst_t *in) {
  lexer_t *x = &p->x;
  const popcode_info_t *info = &popcode_info[in->op];
  in->operand = parse_alloc(p, (info->max_operands + 1u) * sizeof *in->operand);
  if (!in->operand) return -1;
  bool bracket = false;
  while (!lex_punct(x, ';')) {
    if (in->operands == info->max_operands + (in->mod[G_HINT] ? 1u : 0u))
      return lex_error(x, "%s takes at most %u operands", info->name, info->max_operands);
    poperand_t *o = &in->operand[in->operands++];
    if (lex_punct(x, '[')) {
      *o = (poperand_t){.reg = NO_REG, .reg2 = NO_REG, .column = x->tok.column};
      if (memory_operand(p, o) < 0) return -1;
      bracket = true;
    } else if (parse_operand(p, o, false) < 0) {
      return -1;
    }
    if ((info->groups & (G(VIDEO) | G(VSHIFT))) && video_part(p, o) < 0) return -1;
    if (bracket && lex_punct(x, ']')) {
      bracket = false;
      lex_next(x);
    }
    if (!lex_punct(x, ',')) break;
    lex_next(x);
  }
  if (bracket) return lex_error(x, "']' expected");
  if (in->mod[G_HINT] && in->operands && in->operand[in->operands - 1].kind == O_REG)
    in->operands--; /* the policy of a cache hint changes no result */
  if (in->operands < info->min_operands)
    return lex_error(x, "%s takes at least %u operands", info->name, info->min_operands);
  return parse_expect(p, ';');
}

/* (a, b, c) of a call */
static int call_list(parser_t *p, poperand_t **list, uint32_t *count) {
  poperand_t tmp[256];
  uint32_t n = 0;
  lex_next(&p->x);
  while (!lex_punct(&p->x, ')')) {
    if (n == 256) return lex_error(&p->x, "too many arguments");
    if (parse_operand(p, &tmp[n++], true) < 0) return -1;
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  *list = parse_alloc(p, (n ? n : 1) * sizeof *tmp);
  if (!*list) return -1;
  if (n) memcpy(*list, tmp, n * sizeof *tmp);
  *count = n;
  return parse_expect(p, ')');
}

/* call (results), target, (args), prototype or list of targets; */
static int parse_call(parser_t *p, pinst_t *in) {
  lexer_t *x = &p->x;
  if (lex_punct(x, '(')) {
    if (call_list(p, &in->result, &in->results) < 0 || parse_expect(p, ',') < 0) return -1;
  }
  in->operand = parse_alloc(p, 2 * sizeof *in->operand);
  if (!in->operand || parse_operand(p, &in->operand[in->operands++], false) < 0) return -1;
  if (in->operand[0].kind == O_LABEL)
    return lex_error_at(x, in->line, in->operand[0].column, "this function is not declared");
  if (lex_punct(x, ',')) {
    lex_next(x);
    if (lex_punct(x, '(')) {
      if (call_list(p, &in->arg, &in->args) < 0) return -1;
      if (lex_punct(x, ',')) lex_next(x);
    }
    if (!lex_punct(x, ';')) {
      poperand_t *o = &in->operand[in->operands++];
      if (parse_operand(p, o, false) < 0) return -1;
      if (o->kind == O_FUNC)
        in->prototype = o->func;
      else if (o->kind == O_LIST && o->elems && o->elem[0].kind == O_FUNC)
        in->prototype = o->elem[0].func;
      else
        return lex_error(x, "a prototype or a list of functions is expected");
    }
  }
  return parse_expect(p, ';');
}

int parse_label_list(parser_t *p, poperand_t **list, bool functions) {
  poperand_t *l = parse_alloc(p, sizeof *l), *elem = NULL;
  uint32_t n = 0, cap = 0;
  if (!l) return -1;
  /* Count first: references to labels point into the final array. */
  lexer_t save = p->x;
  for (; p->x.tok.kind == TK_NAME; lex_next(&p->x)) {
    cap++;
    lex_next(&p->x);
    if (!lex_punct(&p->x, ',')) break;
  }
  p->x = p->x.failed ? p->x : save;
  elem = parse_alloc(p, (cap ? cap : 1) * sizeof *elem);
  if (!elem) return -1;
  while (p->x.tok.kind == TK_NAME && n < cap) {
    token_t t = p->x.tok;
    poperand_t *o = &elem[n++];
    lex_next(&p->x);
    if (functions) {
      sym_t *s = parse_find(p, t.text, t.size);
      if (!s || s->kind != SYM_FUNC)
        return lex_error_at(&p->x, t.line, t.column, "this function is not declared");
      o->kind = O_FUNC, o->func = s->func;
    } else if (add_pending(p, o, &t) < 0) {
      return -1;
    }
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  *l = (poperand_t){.kind = O_LIST, .elem = elem, .elems = n, .reg = NO_REG, .reg2 = NO_REG};
  *list = l;
  return parse_expect(p, ';');
}

static int parse_guard(parser_t *p, pinst_t *in) {
  lexer_t *x = &p->x;
  lex_next(x);
  if (lex_punct(x, '!')) {
    in->guard_neg = true;
    lex_next(x);
  }
  uint32_t r = x->tok.kind == TK_NAME ? parse_register(p, x->tok.text, x->tok.size) : NO_REG;
  if (r == NO_REG || p->reg[r].type != T_PRED) return lex_error(x, "predicate register expected");
  in->guarded = true, in->guard = r;
  lex_next(x);
  return 0;
}

int parse_instruction(parser_t *p) {
  pinst_t in = {0};
  if (lex_punct(&p->x, '@') && parse_guard(p, &in) < 0) return -1;
  if (parse_opcode(p, &in) < 0) return -1;
  if ((in.op == OP_call ? parse_call(p, &in) : parse_operands(p, &in)) < 0) return -1;
  if (p->insts == p->inst_cap) {
    uint32_t cap = p->inst_cap ? 2 * p->inst_cap : 256;
    pinst_t *q = realloc(p->inst, cap * sizeof *q);
    if (!q) return lex_error(&p->x, "out of memory");
    p->inst = q, p->inst_cap = cap;
  }
  p->inst[p->insts++] = in;
  return 0;
}
