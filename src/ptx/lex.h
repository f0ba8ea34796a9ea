#ifndef GMMU_PTX_LEX_H
#define GMMU_PTX_LEX_H
/* Tokens of PTX text. */
#include "gmmu/err.h"
#include "ptx/ir.h"

typedef enum {
  TK_END,
  TK_NAME,   /* identifier: letters, digits, _ $ %, not starting with a digit */
  TK_DOT,    /* ".name", also ".1d" and ".L1::evict_last"; text without the dot */
  TK_INT,    /* value */
  TK_FLOAT,  /* value is a double's bits; is_f32 with raw for 0f... */
  TK_STRING, /* text between the quotes */
  TK_PUNCT,  /* punct; two characters are coded as c1 | c2 << 8 */
} tkind_t;

typedef struct {
  uint8_t kind;
  bool is_f32, glued; /* glued: no space before it */
  uint32_t line, column, size;
  uint32_t punct, raw;
  const char *text;
  uint64_t value;
} token_t;

typedef struct {
  const pmodule_t *module;
  const char *p, *line_start;
  uint32_t line;
  token_t tok; /* the current token */
  err_t *e;
  int failed; /* the first error's code; then every token is TK_END */
} lexer_t;

void lex_init(lexer_t *x, const pmodule_t *m, err_t *e);
void lex_next(lexer_t *x);
bool lex_is(const lexer_t *x, const char *text); /* the current token is this name or ".name" */
static inline bool lex_punct(const lexer_t *x, uint32_t c) {
  return x->tok.kind == TK_PUNCT && x->tok.punct == c;
}
/* Error at the current token (or at a place); sets failed, keeps the first one. Returns -1. */
int lex_error(lexer_t *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int lex_error_at(lexer_t *x, uint32_t line, uint32_t column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#endif
