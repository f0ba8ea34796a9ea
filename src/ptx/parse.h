#ifndef GMMU_PTX_PARSE_H
#define GMMU_PTX_PARSE_H
/* What the halves of the parser share: parse.c has modules, declarations and scopes, parse_inst.c
 * instructions and operands. */
#include "ptx/lex.h"

#define PARSE_BUCKETS   1024u
#define PARSE_MAX_DEPTH 64u                  /* nested blocks, initialisers, expressions */
#define PARSE_MAX_REGS  ((uint64_t)1 << 24)  /* declared in one statement; used ones count */
#define PARSE_MAX_BYTES ((uint64_t)4 << 30)  /* of one variable */
#define PARSE_MAX_LOCAL ((uint64_t)16 << 20) /* of one .local, .shared or .param variable */

typedef enum { SYM_VAR, SYM_FUNC, SYM_REG, SYM_RANGE, SYM_LABEL, SYM_LIST, SYM_PROTO } symkind_t;

typedef struct sym {
  struct sym *chain, *in_scope; /* of the hash bucket; of the scope */
  const char *name;
  uint32_t size, hash, depth;
  uint8_t kind, type, vec;
  uint32_t reg;   /* SYM_REG: number (the first of a vector); SYM_LABEL: instruction */
  uint64_t count; /* SYM_RANGE: registers */
  pvar_t *var;
  pfunc_t *func;
  poperand_t *list;
} sym_t;

/* A label used before it was seen; resolved when the scope in which it is used, or an outer one,
 * ends. */
typedef struct {
  poperand_t *operand;
  const char *name;
  uint32_t size, line, column;
} pending_t;

typedef struct {
  sym_t *syms;
  uint32_t pending; /* first label reference of this scope */
} scope_t;

typedef struct {
  lexer_t x;
  pmodule_t *m;
  sym_t *bucket[PARSE_BUCKETS];
  scope_t scope[PARSE_MAX_DEPTH];
  uint32_t depth; /* index of the innermost scope; 0 is the module */
  pvar_t **last_var;
  pfunc_t **last_func;
  uint32_t file, source; /* of the .loc before; 0: none */
  /* the function being read */
  pfunc_t *f;
  pinst_t *inst;
  preg_t *reg;
  pending_t *pending;
  uint32_t insts, inst_cap, regs, reg_cap, pendings, pending_cap;
} parser_t;

void *parse_alloc(parser_t *p, size_t bytes); /* from the module's arena; fails the lexer */
int parse_expect(parser_t *p, char c);
sym_t *parse_find(parser_t *p, const char *name, uint32_t size);
sym_t *parse_declare(parser_t *p, symkind_t kind, const token_t *name);
/* The register a name stands for, or NO_REG; elements of ranges are created when first used. */
uint32_t parse_register(parser_t *p, const char *name, uint32_t size);
int parse_constant(parser_t *p, int64_t *out);
int parse_instruction(parser_t *p);
int parse_label_list(parser_t *p, poperand_t **list, bool functions);
ptype_t parse_type_name(const token_t *t); /* T_NONE if it is none */
pfunc_t *parse_signature(parser_t *p, pfunc_t *f);
#endif
