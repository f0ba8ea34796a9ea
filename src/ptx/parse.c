/* Modules: directives, variables, functions and scopes.
 *
 * One hash table holds every visible name, innermost first; leaving a scope takes its names out
 * again. A register of a range (%r<100>) exists from its first use on, so that a module pays for
 * what it uses and not for what it declares. */
#include "ptx/parse.h"
#include <stdlib.h>
#include <string.h>

void *parse_alloc(parser_t *p, size_t bytes) {
  void *m = arena_alloc(&p->m->arena, bytes);
  if (!m && !p->x.failed) {
    lex_error(&p->x, "out of memory");
    p->x.failed = err_set(p->x.e, GMMU_ENOMEM, "no memory for the module");
  }
  return m;
}

int parse_expect(parser_t *p, char c) {
  if (!lex_punct(&p->x, (uint8_t)c)) return lex_error(&p->x, "'%c' expected", c);
  lex_next(&p->x);
  return 0;
}

/* --- names --- */

static uint32_t hash_name(const char *s, uint32_t n) {
  uint32_t h = 2166136261u; /* FNV-1a */
  for (uint32_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * 16777619u;
  return h;
}

sym_t *parse_find(parser_t *p, const char *name, uint32_t size) {
  uint32_t h = hash_name(name, size);
  for (sym_t *s = p->bucket[h % PARSE_BUCKETS]; s; s = s->chain)
    if (s->hash == h && s->size == size && !memcmp(s->name, name, size)) return s;
  return NULL;
}

/* Buckets are kept by depth, innermost first, whatever the order of declaration. */
static sym_t *sym_new(parser_t *p, symkind_t kind, const char *name, uint32_t size,
                      uint32_t depth) {
  sym_t *s = parse_alloc(p, sizeof *s);
  if (!s) return NULL;
  s->name = arena_text(&p->m->arena, name, size);
  s->size = size, s->hash = hash_name(name, size), s->kind = (uint8_t)kind, s->depth = depth;
  sym_t **at = &p->bucket[s->hash % PARSE_BUCKETS];
  while (*at && (*at)->depth > depth) at = &(*at)->chain;
  s->chain = *at, *at = s;
  s->in_scope = p->scope[depth].syms;
  p->scope[depth].syms = s;
  return s;
}

sym_t *parse_declare(parser_t *p, symkind_t kind, const token_t *name) {
  sym_t *old = parse_find(p, name->text, name->size);
  if (old && old->depth == p->depth) {
    lex_error_at(&p->x, name->line, name->column, "'%.*s' is declared twice", (int)name->size,
                 name->text);
    return NULL;
  }
  return sym_new(p, kind, name->text, name->size, p->depth);
}

static int scope_open(parser_t *p) {
  if (p->depth + 1 == PARSE_MAX_DEPTH) return lex_error(&p->x, "blocks are nested too deeply");
  p->scope[++p->depth] = (scope_t){.pending = p->pendings};
  return 0;
}

/* Labels of this scope settle the references made in it; the rest is the outer scope's. */
static void resolve_labels(parser_t *p) {
  uint32_t keep = p->scope[p->depth].pending;
  for (uint32_t i = keep; i < p->pendings; i++) {
    pending_t *r = &p->pending[i];
    sym_t *s = parse_find(p, r->name, r->size);
    if (s && s->kind == SYM_LABEL && s->depth == p->depth)
      r->operand->imm = s->reg;
    else
      p->pending[keep++] = *r;
  }
  p->pendings = keep;
}

static void scope_close(parser_t *p) {
  resolve_labels(p);
  for (sym_t *s = p->scope[p->depth].syms; s; s = s->in_scope) {
    sym_t **head = &p->bucket[s->hash % PARSE_BUCKETS];
    while (*head && (*head)->depth >= p->depth) *head = (*head)->chain;
  }
  p->depth--;
}

/* --- registers --- */

static uint32_t new_reg(parser_t *p, uint8_t type, const char *name) {
  if (p->regs == p->reg_cap) {
    uint32_t cap = p->reg_cap ? 2 * p->reg_cap : 256;
    preg_t *r = realloc(p->reg, cap * sizeof *r);
    if (!r) {
      lex_error(&p->x, "out of memory");
      return NO_REG;
    }
    p->reg = r, p->reg_cap = cap;
  }
  p->reg[p->regs] = (preg_t){type, name};
  return p->regs++;
}

/* Declares the element of a range in the range's own scope, so that it lives as long. */
static uint32_t range_element(parser_t *p, const sym_t *range, const char *name, uint32_t size) {
  sym_t *s = sym_new(p, SYM_REG, name, size, range->depth);
  if (!s) return NO_REG;
  s->type = range->type, s->vec = 1;
  return s->reg = new_reg(p, range->type, s->name);
}

uint32_t parse_register(parser_t *p, const char *name, uint32_t size) {
  sym_t *s = parse_find(p, name, size);
  if (s) return s->kind == SYM_REG ? s->reg : NO_REG;
  uint32_t digits = 0;
  while (digits < size && name[size - 1 - digits] >= '0' && name[size - 1 - digits] <= '9')
    digits++;
  for (uint32_t d = 1; d <= digits && d <= 9; d++) { /* %r1<9> gives %r10 .. %r18 */
    uint64_t n = 0;
    for (uint32_t i = size - d; i < size; i++) n = n * 10 + (uint64_t)(name[i] - '0');
    if (name[size - d] == '0' && d > 1) continue;
    s = parse_find(p, name, size - d);
    if (s && s->kind == SYM_RANGE && n < s->count) return range_element(p, s, name, size);
  }
  return NO_REG;
}

/* --- constants --- */

static int constant_primary(parser_t *p, int64_t *out, uint32_t depth);
static int constant_binary(parser_t *p, int64_t *out, int least, uint32_t depth);

static int constant_primary(parser_t *p, int64_t *out, uint32_t depth) {
  lexer_t *x = &p->x;
  if (depth > PARSE_MAX_DEPTH) return lex_error(x, "expression is nested too deeply");
  if (lex_punct(x, '-') || lex_punct(x, '~') || lex_punct(x, '!') || lex_punct(x, '+')) {
    uint32_t c = x->tok.punct;
    lex_next(x);
    if (constant_primary(p, out, depth + 1) < 0) return -1;
    if (c == '-') *out = (int64_t)(0 - (uint64_t)*out);
    if (c == '~') *out = ~*out;
    if (c == '!') *out = !*out;
    return 0;
  }
  if (lex_punct(x, '(')) {
    lex_next(x);
    if (x->tok.kind == TK_DOT) { /* (.s64) and (.u64) casts change no bits */
      lex_next(x);
      return parse_expect(p, ')') < 0 ? -1 : constant_primary(p, out, depth + 1);
    }
    return constant_binary(p, out, 0, depth + 1) < 0 ? -1 : parse_expect(p, ')');
  }
  if (lex_is(x, "WARP_SZ")) {
    *out = 32;
  } else if (x->tok.kind == TK_INT) {
    *out = (int64_t)x->tok.value;
  } else {
    return lex_error(x, "constant expected");
  }
  lex_next(x);
  return 0;
}

static int precedence(const lexer_t *x) {
  static const struct {
    const char *op;
    int level;
  } table[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
               {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
               {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
  if (x->tok.kind != TK_PUNCT) return 0;
  for (uint32_t i = 0; i < sizeof table / sizeof *table; i++)
    if (x->tok.punct == ((uint8_t)table[i].op[0] | (uint32_t)(uint8_t)table[i].op[1] << 8))
      return table[i].level;
  return 0;
}

static int apply(parser_t *p, uint32_t op, int64_t a, int64_t b, int64_t *out) {
  uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  switch (op) {
  case '|' | '|' << 8: *out = a || b; return 0;
  case '&' | '&' << 8: *out = a && b; return 0;
  case '|': *out = a | b; return 0;
  case '^': *out = a ^ b; return 0;
  case '&': *out = a & b; return 0;
  case '=' | '=' << 8: *out = a == b; return 0;
  case '!' | '=' << 8: *out = a != b; return 0;
  case '<': *out = a < b; return 0;
  case '>': *out = a > b; return 0;
  case '<' | '=' << 8: *out = a <= b; return 0;
  case '>' | '=' << 8: *out = a >= b; return 0;
  case '<' | '<' << 8: *out = (int64_t)(ub > 63 ? 0 : ua << ub); return 0;
  case '>' | '>' << 8: *out = a >> (ub > 63 ? 63 : ub); return 0;
  case '+': *out = (int64_t)(ua + ub); return 0;
  case '-': *out = (int64_t)(ua - ub); return 0;
  case '*': *out = (int64_t)(ua * ub); return 0;
  default: break;
  }
  if (b == 0) return lex_error(&p->x, "division by zero");
  if (b == -1)
    *out = op == '/' ? (int64_t)(0 - ua) : 0;
  else
    *out = op == '/' ? a / b : a % b;
  return 0;
}

static int constant_binary(parser_t *p, int64_t *out, int least, uint32_t depth) {
  if (constant_primary(p, out, depth) < 0) return -1;
  for (int level; (level = precedence(&p->x)) > least;) {
    uint32_t op = p->x.tok.punct;
    int64_t right = 0;
    lex_next(&p->x);
    if (constant_binary(p, &right, level, depth + 1) < 0) return -1;
    if (apply(p, op, *out, right, out) < 0) return -1;
  }
  return 0;
}

int parse_constant(parser_t *p, int64_t *out) { return constant_binary(p, out, 0, 0); }

/* A non-negative constant of at most `max`. */
static int parse_size(parser_t *p, uint64_t max, const char *what, uint64_t *out) {
  token_t at = p->x.tok;
  int64_t v = 0;
  if (parse_constant(p, &v) < 0) return -1;
  if (v < 0 || (uint64_t)v > max)
    return lex_error_at(&p->x, at.line, at.column, "%s must be 0 to %llu", what,
                        (unsigned long long)max);
  *out = (uint64_t)v;
  return 0;
}

/* --- declarations --- */

ptype_t parse_type_name(const token_t *t) {
  for (int i = 1; i < T_COUNT; i++)
    if (strlen(ptype_info[i].name) == t->size && !memcmp(ptype_info[i].name, t->text, t->size))
      return (ptype_t)i;
  return T_NONE;
}

/* What stands before the name of a variable, parameter or register. */
typedef struct {
  uint8_t type, vec;
  uint32_t align;
  bool has_align;
} declspec_t;

static int parse_align(parser_t *p, declspec_t *d) {
  token_t at = p->x.tok;
  uint64_t v = 0;
  lex_next(&p->x);
  if (parse_size(p, 1u << 20, "an alignment", &v) < 0) return -1;
  if (!v || (v & (v - 1)))
    return lex_error_at(&p->x, at.line, at.column, "an alignment is a power of two");
  d->align = (uint32_t)v, d->has_align = true;
  return 0;
}

static int parse_declspec(parser_t *p, declspec_t *d) {
  lexer_t *x = &p->x;
  *d = (declspec_t){.vec = 1};
  while (x->tok.kind == TK_DOT) {
    ptype_t t = parse_type_name(&x->tok);
    if (t) {
      if (ptype_info[t].kind == 'm')
        return lex_error(x, "'.%s' is a type of matrix instructions only", ptype_info[t].name);
      if (d->type) return lex_error(x, "a second type");
      d->type = (uint8_t)t;
    } else if (lex_is(x, "v2") || lex_is(x, "v4")) {
      d->vec = (uint8_t)(x->tok.text[1] - '0');
    } else if (lex_is(x, "align")) {
      if (parse_align(p, d) < 0) return -1;
      continue;
    } else if (!lex_is(x, "ptr") && !lex_is(x, "global") && !lex_is(x, "const") &&
               !lex_is(x, "shared") && !lex_is(x, "local") && !lex_is(x, "attribute") &&
               !lex_is(x, "managed")) {
      return lex_error(x, "'.%.*s' is not supported here", (int)x->tok.size, x->tok.text);
    }
    bool attribute = lex_is(x, "attribute");
    lex_next(x);
    if (attribute && lex_punct(x, '(')) /* .attribute(.managed) */
      while (!lex_punct(x, ';') && x->tok.kind != TK_END) {
        bool end = lex_punct(x, ')');
        lex_next(x);
        if (end) break;
      }
  }
  if (!d->type) return lex_error(x, "type expected");
  if (!d->has_align) d->align = (uint32_t)ptype_info[d->type].bytes * d->vec;
  if (!d->align) d->align = 1;
  return 0;
}

static int declare_reg(parser_t *p, const declspec_t *d, const token_t *name, uint32_t *first) {
  static const char *const part[] = {".x", ".y", ".z", ".w"};
  if (ptype_info[d->type].kind == 'o') return lex_error(&p->x, "no register has this type");
  sym_t *s = parse_declare(p, SYM_REG, name);
  if (!s) return -1;
  s->type = d->type, s->vec = d->vec;
  s->reg = new_reg(p, d->type, s->name);
  if (first) *first = s->reg;
  for (uint32_t i = 0; d->vec > 1 && i < d->vec; i++) {
    char *buf = parse_alloc(p, name->size + 2);
    if (!buf) return -1;
    memcpy(buf, name->text, name->size);
    memcpy(buf + name->size, part[i], 2);
    sym_t *e = sym_new(p, SYM_REG, buf, name->size + 2, p->depth);
    if (!e) return -1;
    e->type = d->type, e->vec = 1;
    e->reg = i ? new_reg(p, d->type, e->name) : s->reg;
  }
  return p->x.failed ? -1 : 0;
}

/* .reg .b32 %a, %r<10>; */
static int parse_reg_decl(parser_t *p) {
  declspec_t d;
  lexer_t *x = &p->x;
  lex_next(x);
  if (!p->f) return lex_error(x, ".reg outside of a function is not supported");
  if (parse_declspec(p, &d) < 0) return -1;
  for (;;) {
    token_t name = x->tok;
    if (name.kind != TK_NAME) return lex_error(x, "register name expected");
    lex_next(x);
    if (lex_punct(x, '<')) {
      uint64_t n = 0;
      lex_next(x);
      if (x->tok.kind != TK_INT) return lex_error(x, "number of registers expected");
      n = x->tok.value;
      if (n > PARSE_MAX_REGS) return lex_error(x, "too many registers");
      if (d.vec > 1) return lex_error(x, "a range of vector registers is not supported");
      sym_t *s = parse_declare(p, SYM_RANGE, &name);
      if (!s) return -1;
      s->type = d.type, s->count = n;
      lex_next(x);
      if (parse_expect(p, '>') < 0) return -1;
    } else if (declare_reg(p, &d, &name, NULL) < 0) {
      return -1;
    }
    if (!lex_punct(x, ',')) break;
    lex_next(x);
  }
  return parse_expect(p, ';');
}

/* --- variables --- */

/* [] or [n][m]...; *count is 0 for [] */
static int parse_dimensions(parser_t *p, uint64_t *count, bool *open) {
  *count = 1, *open = false;
  while (lex_punct(&p->x, '[')) {
    uint64_t n = 0;
    lex_next(&p->x);
    if (lex_punct(&p->x, ']'))
      *open = true;
    else if (parse_size(p, PARSE_MAX_BYTES, "an array's size", &n) < 0)
      return -1;
    else if (n && *count > PARSE_MAX_BYTES / n)
      return lex_error(&p->x, "the array is too large");
    else
      *count *= n;
    if (parse_expect(p, ']') < 0) return -1;
  }
  return 0;
}

typedef struct {
  pvar_t *v;
  uint64_t at, cap; /* bytes written; of v->init */
  uint32_t elem;    /* bytes of an element */
} init_t;

/* Room for what is written next: the buffer grows with the text, not with the variable. */
static int init_room(parser_t *p, init_t *i, uint64_t end, bool open) {
  if (end > (open ? PARSE_MAX_BYTES : i->v->bytes))
    return lex_error(&p->x, "too many initial values");
  if (end <= i->cap) return 0;
  uint64_t cap = i->cap ? 2 * i->cap : 64;
  if (cap < end) cap = end;
  uint8_t *m = parse_alloc(p, cap);
  if (!m) return -1;
  if (i->v->init) memcpy(m, i->v->init, i->at);
  i->v->init = m, i->cap = cap;
  return 0;
}

static int init_symbol(parser_t *p, init_t *i) {
  lexer_t *x = &p->x;
  preloc_t *r = parse_alloc(p, sizeof *r);
  if (!r) return -1;
  r->generic = lex_is(x, "generic");
  if (r->generic) {
    lex_next(x);
    if (parse_expect(p, '(') < 0) return -1;
  }
  sym_t *s = x->tok.kind == TK_NAME ? parse_find(p, x->tok.text, x->tok.size) : NULL;
  if (!s || (s->kind != SYM_VAR && s->kind != SYM_FUNC))
    return lex_error(x, "'%.*s' is not a variable or function", (int)x->tok.size, x->tok.text);
  lex_next(x);
  if (r->generic && parse_expect(p, ')') < 0) return -1;
  if (lex_punct(x, '+') || lex_punct(x, '-')) {
    int64_t off = 0;
    if (parse_constant(p, &off) < 0) return -1;
    r->addend = (uint64_t)off;
  }
  r->var = s->kind == SYM_VAR ? s->var : NULL, r->func = s->kind == SYM_FUNC ? s->func : NULL;
  r->offset = i->at, r->bytes = (uint8_t)i->elem;
  r->next = i->v->reloc, i->v->reloc = r;
  return 0;
}

static uint64_t float_bits(const token_t *t, bool neg, uint32_t bytes) {
  double d;
  memcpy(&d, &t->value, 8);
  if (neg) d = -d;
  uint64_t bits = 0;
  if (bytes == 8) {
    memcpy(&bits, &d, 8);
  } else {
    float f = (float)d;
    uint32_t raw = t->raw;
    if (!t->is_f32 || neg) memcpy(&raw, &f, 4);
    bits = raw;
  }
  return bits;
}

static int init_scalar(parser_t *p, init_t *i, bool open) {
  lexer_t *x = &p->x;
  uint64_t bits = 0;
  if (init_room(p, i, i->at + i->elem, open) < 0) return -1;
  bool neg = false;
  lexer_t save = *x;
  if (lex_punct(x, '-')) {
    lex_next(x);
    neg = x->tok.kind == TK_FLOAT;
    if (!neg) *x = save;
  }
  if (x->tok.kind == TK_FLOAT) {
    if (ptype_info[i->v->type].kind != 'f' && !x->tok.is_f32 && i->elem != 8)
      return lex_error(x, "an integer is expected");
    if (i->elem < 4) return lex_error(x, "a 16-bit float is given as an integer's bits");
    bits = float_bits(&x->tok, neg, i->elem);
    lex_next(x);
  } else if (x->tok.kind == TK_NAME && !lex_is(x, "WARP_SZ")) {
    if (init_symbol(p, i) < 0) return -1;
  } else {
    int64_t v = 0;
    if (parse_constant(p, &v) < 0) return -1;
    bits = (uint64_t)v;
    if (i->v->type == T_F32 || i->v->type == T_F64) {
      double d = (double)v;
      token_t t = {0};
      memcpy(&t.value, &d, 8);
      bits = float_bits(&t, false, i->elem);
    }
  }
  memcpy(i->v->init + i->at, &bits, i->elem);
  i->at += i->elem;
  return 0;
}

static int init_string(parser_t *p, init_t *i, bool open) {
  const token_t t = p->x.tok;
  if (i->elem != 1) return lex_error(&p->x, "a string initialises bytes");
  if (init_room(p, i, i->at + t.size, open) < 0) return -1;
  memcpy(i->v->init + i->at, t.text, t.size);
  i->at += t.size;
  lex_next(&p->x);
  return 0;
}

static int init_list(parser_t *p, init_t *i, bool open, uint32_t depth) {
  if (depth > PARSE_MAX_DEPTH) return lex_error(&p->x, "initial values are nested too deeply");
  if (p->x.tok.kind == TK_STRING) return init_string(p, i, open);
  if (!lex_punct(&p->x, '{')) return init_scalar(p, i, open);
  lex_next(&p->x);
  while (!lex_punct(&p->x, '}')) {
    if (init_list(p, i, open, depth + 1) < 0) return -1;
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  return parse_expect(p, '}');
}

static int parse_init(parser_t *p, pvar_t *v, bool open) {
  init_t i = {.v = v, .elem = ptype_info[v->type].bytes};
  if (v->space != SP_GLOBAL && v->space != SP_CONST)
    return lex_error(&p->x, "only global and constant variables have an initial value");
  if (!i.elem) return lex_error(&p->x, "this type has no initial value");
  lex_next(&p->x);
  if (ptype_info[v->type].kind == 'o') { /* sampler properties: { a = b, ... }; not used */
    while (p->x.tok.kind != TK_END && !lex_punct(&p->x, ';')) lex_next(&p->x);
    return 0;
  }
  if (init_list(p, &i, open, 0) < 0) return -1;
  if (open) v->bytes = i.at;
  v->init_bytes = i.at;
  return 0;
}

static uint64_t size_limit(uint8_t space) {
  return space == SP_GLOBAL || space == SP_CONST ? PARSE_MAX_BYTES : PARSE_MAX_LOCAL;
}

/* An existing declaration of the same variable, which this one completes. */
static pvar_t *redeclared(parser_t *p, const token_t *name, uint8_t space) {
  sym_t *s = parse_find(p, name->text, name->size);
  bool same = s && s->kind == SYM_VAR && s->depth == p->depth && s->var->space == space;
  return same && s->var->is_extern ? s->var : NULL;
}

static pvar_t *new_var(parser_t *p, const token_t *name) {
  pvar_t *v = parse_alloc(p, sizeof *v);
  sym_t *s = v ? parse_declare(p, SYM_VAR, name) : NULL;
  if (!s) return NULL;
  s->var = v;
  v->name = s->name, v->module = p->m, v->owner = p->f, v->line = name->line,
  v->column = name->column;
  if (p->f) {
    v->next = p->f->vars, p->f->vars = v;
  } else {
    *p->last_var = v, p->last_var = &v->next;
  }
  return v;
}

typedef struct {
  bool is_extern, visible, weak;
} linkage_t;

static int finish_var(parser_t *p, pvar_t *v, const declspec_t *d, const linkage_t *l) {
  uint64_t count, elem = (uint64_t)ptype_info[d->type].bytes * d->vec;
  bool open;
  if (parse_dimensions(p, &count, &open) < 0) return -1;
  if (d->type == T_PRED) return lex_error(&p->x, "no variable has type .pred");
  v->type = d->type, v->vec = d->vec, v->align = d->align;
  v->is_extern = l->is_extern, v->visible = l->visible || l->weak;
  v->bytes = open ? 0 : count * elem;
  v->dynamic = v->space == SP_SHARED && (open || (v->is_extern && !v->bytes));
  if (v->bytes > size_limit(v->space)) return lex_error(&p->x, "the variable is too large");
  if (lex_punct(&p->x, '=')) return parse_init(p, v, open);
  return 0;
}

/* .global .align 4 .u32 x[10] = {...}, y; */
static int parse_var_decl(parser_t *p, uint8_t space, const linkage_t *l) {
  declspec_t d;
  lex_next(&p->x);
  if (parse_declspec(p, &d) < 0) return -1;
  for (;;) {
    token_t name = p->x.tok;
    if (name.kind != TK_NAME) return lex_error(&p->x, "variable name expected");
    lex_next(&p->x);
    if (lex_punct(&p->x, '<')) return lex_error(&p->x, "a range of variables is not supported");
    pvar_t *v = redeclared(p, &name, space);
    if (!v) v = new_var(p, &name);
    if (!v) return -1;
    v->space = space;
    if (finish_var(p, v, &d, l) < 0) return -1;
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  return parse_expect(p, ';');
}

/* --- functions --- */

static int parse_param(parser_t *p, pvar_t **out) {
  lexer_t *x = &p->x;
  declspec_t d;
  bool reg = lex_is(x, "reg");
  if (!reg && !lex_is(x, "param")) return lex_error(x, "'.param' expected");
  lex_next(x);
  if (parse_declspec(p, &d) < 0) return -1;
  token_t name = x->tok;
  if (name.kind != TK_NAME) return lex_error(x, "parameter name expected");
  lex_next(x);
  pvar_t *v = parse_alloc(p, sizeof *v);
  if (!v) return -1;
  v->module = p->m, v->owner = p->f, v->line = name.line, v->column = name.column;
  v->space = reg ? SP_REG : SP_PARAM, v->type = d.type;
  *out = v;
  if (reg) {
    if (d.vec > 1) return lex_error(x, "a vector register as a parameter is not supported");
    v->name = arena_text(&p->m->arena, name.text, name.size);
    v->bytes = ptype_info[d.type].bytes, v->align = d.align;
    return declare_reg(p, &d, &name, &v->reg);
  }
  bool sink = name.size == 1 && name.text[0] == '_';
  sym_t *s = sink ? NULL : parse_declare(p, SYM_VAR, &name);
  if (!s && !sink) return -1;
  v->name = s ? s->name : "_";
  if (s) s->var = v;
  return finish_var(p, v, &d, &(linkage_t){0});
}

#define MAX_PARAMS 1024
static int parse_params(parser_t *p, pvar_t ***list, uint32_t *count) {
  pvar_t *tmp[MAX_PARAMS];
  uint32_t n = 0;
  if (parse_expect(p, '(') < 0) return -1;
  while (!lex_punct(&p->x, ')')) {
    if (n == MAX_PARAMS) return lex_error(&p->x, "too many parameters");
    if (parse_param(p, &tmp[n]) < 0) return -1;
    n++;
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  *list = parse_alloc(p, (n ? n : 1) * sizeof **list);
  if (!*list) return -1;
  if (n) memcpy(*list, tmp, n * sizeof *tmp);
  *count = n;
  return parse_expect(p, ')');
}

static int three_sizes(parser_t *p, uint32_t out[3]) {
  for (uint32_t i = 0; i < 3; i++) out[i] = 1;
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t v = 0;
    if (parse_size(p, UINT32_MAX, "a block's size", &v) < 0) return -1;
    out[i] = (uint32_t)v;
    if (!lex_punct(&p->x, ',')) break;
    lex_next(&p->x);
  }
  return 0;
}

/* .maxntid, .reqntid and the like, between the parameters and the body */
static int parse_tuning(parser_t *p, pfunc_t *f) {
  lexer_t *x = &p->x;
  while (x->tok.kind == TK_DOT) {
    bool max = lex_is(x, "maxntid"), req = lex_is(x, "reqntid");
    bool one = lex_is(x, "minnctapersm") || lex_is(x, "maxnreg") || lex_is(x, "maxnctapersm");
    if (lex_is(x, "pragma")) {
      lex_next(x);
      while (x->tok.kind == TK_STRING || lex_punct(x, ',')) lex_next(x);
      if (parse_expect(p, ';') < 0) return -1;
      continue;
    }
    if (lex_is(x, "noreturn") || lex_is(x, "abi_preserve")) {
      lex_next(x);
      continue;
    }
    if (!max && !req && !one)
      return lex_error(x, "'.%.*s' is not supported here", (int)x->tok.size, x->tok.text);
    uint32_t n[3];
    lex_next(x);
    if (three_sizes(p, n) < 0) return -1;
    uint64_t threads = (uint64_t)n[0] * n[1];
    threads = threads > UINT32_MAX ? UINT32_MAX : threads * n[2];
    if (max || req) f->max_threads = threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
    if (req) memcpy(f->req_threads, n, sizeof n);
  }
  return 0;
}

static void add_func(parser_t *p, pfunc_t *f) { *p->last_func = f, p->last_func = &f->next; }

static pfunc_t *declare_func(parser_t *p, const token_t *name, bool entry) {
  sym_t *s = parse_find(p, name->text, name->size);
  if (s && s->kind == SYM_FUNC) {
    if (s->func->is_entry != entry) {
      lex_error_at(&p->x, name->line, name->column, "'%s' is declared twice", s->func->name);
      return NULL;
    }
    return s->func;
  }
  s = parse_declare(p, SYM_FUNC, name);
  pfunc_t *f = s ? parse_alloc(p, sizeof *f) : NULL;
  if (!f) return NULL;
  f->name = s->name, f->module = p->m, f->is_entry = entry;
  f->line = name->line, f->column = name->column;
  s->func = f;
  add_func(p, f);
  return f;
}

static int parse_body(parser_t *p);

/* Moves what was collected for the function into the arena. */
static int keep_function(parser_t *p, pfunc_t *f) {
  f->inst = parse_alloc(p, (p->insts ? p->insts : 1) * sizeof *f->inst);
  f->reg = parse_alloc(p, (p->regs ? p->regs : 1) * sizeof *f->reg);
  if (!f->inst || !f->reg) return -1;
  if (p->insts) memcpy(f->inst, p->inst, p->insts * sizeof *f->inst);
  if (p->regs) memcpy(f->reg, p->reg, p->regs * sizeof *f->reg);
  f->insts = p->insts, f->regs = p->regs;
  return 0;
}

static int finish_body(parser_t *p, pfunc_t *f) {
  if (parse_body(p) < 0) return -1;
  scope_close(p);
  if (p->pendings) {
    pending_t *r = &p->pending[0];
    return lex_error_at(&p->x, r->line, r->column, "'%.*s' is not declared", (int)r->size, r->name);
  }
  f->defined = true;
  return keep_function(p, f);
}

/* The name may be new or declared before; params replace those of an earlier declaration. */
static int parse_func(parser_t *p, bool entry, const linkage_t *l) {
  lexer_t *x = &p->x;
  pfunc_t scratch = {0}, *f;
  uint32_t depth = p->depth;
  lex_next(x);
  p->insts = p->regs = p->pendings = 0;
  p->f = &scratch;
  while (lex_is(x, "noreturn") || lex_is(x, "attribute")) lex_next(x);
  if (scope_open(p) < 0) return -1;
  if (!entry && lex_punct(x, '(') && parse_params(p, &scratch.result, &scratch.results) < 0)
    return -1;
  token_t name = x->tok;
  if (name.kind != TK_NAME) return lex_error(x, "function name expected");
  lex_next(x);
  /* The name belongs to the module, the results before it to the function's scope. */
  scope_t inner = p->scope[p->depth];
  p->depth = depth;
  f = declare_func(p, &name, entry);
  p->depth = depth + 1;
  p->scope[p->depth].pending = inner.pending;
  if (!f) return -1;
  if (lex_punct(x, '(') && parse_params(p, &scratch.param, &scratch.params) < 0) return -1;
  if (parse_tuning(p, &scratch) < 0) return -1;
  bool body = lex_punct(x, '{');
  if (body && f->defined)
    return lex_error_at(x, name.line, name.column, "'%s' is defined twice", f->name);
  if (!f->defined) {
    f->param = scratch.param, f->params = scratch.params;
    f->result = scratch.result, f->results = scratch.results;
    f->max_threads = scratch.max_threads;
    memcpy(f->req_threads, scratch.req_threads, sizeof f->req_threads);
    f->is_extern = l->is_extern && !body;
    f->visible |= l->visible || l->weak;
    for (uint32_t i = 0; i < f->params; i++) f->param[i]->owner = f;
    for (uint32_t i = 0; i < f->results; i++) f->result[i]->owner = f;
  }
  p->f = f;
  int r = body ? (lex_next(x), finish_body(p, f)) : parse_expect(p, ';');
  if (!body) scope_close(p);
  p->f = NULL;
  return r;
}

/* name: .callprototype (.param ...) _ (.param ...); */
pfunc_t *parse_signature(parser_t *p, pfunc_t *f) {
  pfunc_t *outer = p->f;
  if (scope_open(p) < 0) return NULL;
  if (lex_punct(&p->x, '(') && parse_params(p, &f->result, &f->results) < 0) return NULL;
  if (p->x.tok.kind != TK_NAME) return lex_error(&p->x, "'_' expected"), NULL;
  lex_next(&p->x);
  if (lex_punct(&p->x, '(') && parse_params(p, &f->param, &f->params) < 0) return NULL;
  scope_close(p);
  p->f = outer;
  if (parse_tuning(p, f) < 0) return NULL;
  return parse_expect(p, ';') < 0 ? NULL : f;
}

/* --- statements --- */

static int skip_statement(parser_t *p) {
  while (!lex_punct(&p->x, ';') && p->x.tok.kind != TK_END) lex_next(&p->x);
  return parse_expect(p, ';');
}

/* .loc FILE LINE COLUMN: where the instructions behind it were written. What follows on the line
 * says into what they were inlined. */
static int parse_loc(parser_t *p) {
  uint64_t n[2] = {0};
  uint32_t line = p->x.tok.line;
  lex_next(&p->x);
  for (uint32_t i = 0; i < 2 && p->x.tok.kind == TK_INT && p->x.tok.line == line; i++) {
    n[i] = p->x.tok.value;
    lex_next(&p->x);
  }
  p->file = n[0] <= UINT32_MAX && n[1] <= UINT32_MAX ? (uint32_t)n[0] : 0;
  p->source = p->file ? (uint32_t)n[1] : 0;
  while (p->x.tok.kind != TK_END && p->x.tok.line == line) lex_next(&p->x);
  return p->x.failed ? -1 : 0;
}

/* .file NUMBER "name": it may come behind the functions that name it. */
static int parse_file(parser_t *p) {
  uint32_t line = p->x.tok.line;
  uint64_t number = 0;
  lex_next(&p->x);
  if (p->x.tok.kind == TK_INT) number = p->x.tok.value;
  for (; p->x.tok.kind != TK_END && p->x.tok.line == line; lex_next(&p->x)) {
    if (p->x.tok.kind != TK_STRING) continue;
    pfile_t *f = parse_alloc(p, sizeof *f);
    char *name = f ? parse_alloc(p, p->x.tok.size + 1u) : NULL;
    if (!name) return -1;
    memcpy(name, p->x.tok.text, p->x.tok.size);
    name[p->x.tok.size] = 0;
    *f = (pfile_t){p->m->files, number, name};
    p->m->files = f;
  }
  return p->x.failed ? -1 : 0;
}

/* .section name { ... }: debug information */
static int skip_section(parser_t *p) {
  while (!lex_punct(&p->x, '{') && p->x.tok.kind != TK_END) lex_next(&p->x);
  while (!lex_punct(&p->x, '}') && p->x.tok.kind != TK_END) lex_next(&p->x);
  return parse_expect(p, '}');
}

static int space_of(const lexer_t *x) {
  static const struct {
    const char *name;
    int space;
  } table[] = {{"global", SP_GLOBAL}, {"const", SP_CONST}, {"shared", SP_SHARED},
               {"local", SP_LOCAL},   {"param", SP_PARAM}, {"tex", SP_TEX}};
  for (uint32_t i = 0; i < sizeof table / sizeof *table; i++)
    if (lex_is(x, table[i].name)) return table[i].space;
  return -1;
}

static int body_directive(parser_t *p) {
  lexer_t *x = &p->x;
  if (lex_is(x, "reg")) return parse_reg_decl(p);
  if (lex_is(x, "loc")) return parse_loc(p);
  if (lex_is(x, "file")) return parse_file(p);
  if (lex_is(x, "pragma")) return skip_statement(p);
  int space = space_of(x);
  if (space >= 0) return parse_var_decl(p, (uint8_t)space, &(linkage_t){0});
  return lex_error(x, "directive '.%.*s' is not supported here", (int)x->tok.size, x->tok.text);
}

/* name: at the start of a statement */
static int parse_label(parser_t *p, const token_t *name) {
  lexer_t *x = &p->x;
  bool targets = lex_is(x, "branchtargets") || lex_is(x, "calltargets");
  bool proto = lex_is(x, "callprototype");
  sym_t *s = parse_declare(p, targets ? SYM_LIST : proto ? SYM_PROTO : SYM_LABEL, name);
  if (!s) return -1;
  s->reg = p->insts;
  if (targets) {
    bool functions = lex_is(x, "calltargets");
    lex_next(x);
    return parse_label_list(p, &s->list, functions);
  }
  if (proto) {
    lex_next(x);
    s->func = parse_alloc(p, sizeof *s->func);
    if (!s->func) return -1;
    s->func->name = s->name, s->func->module = p->m, s->func->is_proto = true;
    return parse_signature(p, s->func) ? 0 : -1;
  }
  return 0;
}

static int parse_statement(parser_t *p) {
  lexer_t *x = &p->x;
  if (x->tok.kind == TK_DOT) return body_directive(p);
  if (lex_punct(x, ';')) return lex_next(x), 0;
  if (x->tok.kind == TK_NAME) {
    token_t name = x->tok;
    lexer_t save = *x;
    lex_next(x);
    if (lex_punct(x, ':')) {
      lex_next(x);
      return parse_label(p, &name);
    }
    *x = save;
  }
  return parse_instruction(p);
}

/* Until the function's closing brace; inner blocks are scopes. */
static int parse_body(parser_t *p) {
  lexer_t *x = &p->x;
  uint32_t outer = p->depth;
  for (;;) {
    if (x->tok.kind == TK_END) return lex_error(x, "'}' expected");
    if (lex_punct(x, '{')) {
      lex_next(x);
      if (scope_open(p) < 0) return -1;
    } else if (lex_punct(x, '}')) {
      lex_next(x);
      if (p->depth == outer) return 0;
      scope_close(p);
    } else if (parse_statement(p) < 0) {
      return -1;
    }
  }
}

static int parse_version(parser_t *p) {
  double v;
  lex_next(&p->x);
  if (p->x.tok.kind != TK_FLOAT) return lex_error(&p->x, "version number expected");
  memcpy(&v, &p->x.tok.value, 8);
  if (!(v >= 1 && v < 100)) return lex_error(&p->x, "no such version");
  p->m->version_major = (uint32_t)v;
  p->m->version_minor = (uint32_t)(v * 10 + 0.5) % 10;
  lex_next(&p->x);
  return 0;
}

static int parse_target(parser_t *p) {
  lex_next(&p->x);
  for (;;) {
    if (p->x.tok.kind != TK_NAME) return lex_error(&p->x, "target name expected");
    if (p->x.tok.size > 3 && !memcmp(p->x.tok.text, "sm_", 3))
      p->m->sm = (uint32_t)strtoul(p->x.tok.text + 3, NULL, 10);
    lex_next(&p->x);
    if (!lex_punct(&p->x, ',')) return 0;
    lex_next(&p->x);
  }
}

static int parse_address_size(parser_t *p) {
  lex_next(&p->x);
  if (p->x.tok.kind != TK_INT || p->x.tok.value != 64)
    return lex_error(&p->x, "only 64-bit addresses are supported");
  lex_next(&p->x);
  return 0;
}

static int module_directive(parser_t *p, linkage_t *l) {
  lexer_t *x = &p->x;
  if (lex_is(x, "version")) return parse_version(p);
  if (lex_is(x, "target")) return parse_target(p);
  if (lex_is(x, "address_size")) return parse_address_size(p);
  if (lex_is(x, "file")) return parse_file(p);
  if (lex_is(x, "loc")) return parse_loc(p);
  if (lex_is(x, "section")) return skip_section(p);
  if (lex_is(x, "pragma")) return skip_statement(p);
  if (lex_is(x, "entry")) return parse_func(p, true, l);
  if (lex_is(x, "func")) return parse_func(p, false, l);
  int space = space_of(x);
  if (space == SP_GLOBAL || space == SP_CONST || space == SP_SHARED || space == SP_LOCAL ||
      space == SP_TEX)
    return parse_var_decl(p, (uint8_t)(space == SP_TEX ? SP_GLOBAL : space), l);
  return lex_error(x, "directive '.%.*s' is not supported", (int)x->tok.size, x->tok.text);
}

static int parse_module(parser_t *p) {
  lexer_t *x = &p->x;
  linkage_t l = {0};
  while (x->tok.kind != TK_END) {
    if (x->tok.kind != TK_DOT) {
      if (lex_punct(x, ';')) {
        lex_next(x);
        continue;
      }
      return lex_error(x, "directive expected");
    }
    bool linkage = true;
    if (lex_is(x, "extern"))
      l.is_extern = true;
    else if (lex_is(x, "visible"))
      l.visible = true;
    else if (lex_is(x, "weak") || lex_is(x, "common"))
      l.weak = true;
    else
      linkage = false;
    if (linkage) {
      lex_next(x);
      continue;
    }
    if (module_directive(p, &l) < 0) return -1;
    l = (linkage_t){0};
  }
  return x->failed ? -1 : 0;
}

int pmodule_parse(const char *name, const char *text, size_t size, pmodule_t **out, err_t *e) {
  *out = NULL;
  pmodule_t *m = calloc(1, sizeof *m);
  parser_t *p = calloc(1, sizeof *p);
  int r = m && p ? 0 : GMMU_ENOMEM;
  if (!r) {
    m->name = arena_text(&m->arena, name, strlen(name));
    m->text = arena_text(&m->arena, text, size);
    m->size = size;
    r = m->name && m->text ? 0 : GMMU_ENOMEM;
  }
  if (r < 0) {
    err_set(e, r, "no memory for the module");
  } else {
    p->m = m, p->last_var = &m->vars, p->last_func = &m->funcs;
    lex_init(&p->x, m, e);
    parse_module(p);
    r = p->x.failed;
  }
  if (p) free(p->inst), free(p->reg), free(p->pending);
  free(p);
  if (r < 0) {
    pmodule_free(m);
    m = NULL;
  }
  *out = m;
  return r;
}

void pmodule_free(pmodule_t *m) {
  if (!m) return;
  arena_fini(&m->arena);
  free(m);
}
