/* One token at a time, from text that ends with NUL. A NUL inside the text ends it too: fat
 * binaries pad with NULs. */
#include "ptx/lex.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- errors --- */

void ptx_line(const pmodule_t *m, uint32_t line, char *buf, size_t size) {
  const char *p = m->text;
  for (uint32_t i = 1; i < line && p; i++) {
    p = strchr(p, '\n');
    if (p) p++;
  }
  size_t n = 0;
  if (p)
    for (p += strspn(p, " \t"); n + 1 < size && p[n] && p[n] != '\n' && p[n] != '\r'; n++)
      buf[n] = p[n] == '\t' ? ' ' : p[n];
  buf[n] = 0;
}

/* At most 100 characters of the line, so that a caret below fits any terminal. */
static void excerpt(const pmodule_t *m, uint32_t line, uint32_t column, char *buf, size_t size) {
  const char *p = m->text;
  for (uint32_t i = 1; i < line; i++) {
    p = strchr(p, '\n');
    if (!p) return;
    p++;
  }
  size_t len = strcspn(p, "\r\n"), skip = column > 80 ? column - 60 : 0;
  if (skip > len) skip = len;
  size_t show = len - skip > 100 ? 100 : len - skip;
  snprintf(buf, size, "\n  %.*s\n  %*s^", (int)show, p + skip,
           (int)(column ? column - 1 - skip : 0), "");
  for (size_t i = 1; buf[i]; i++)
    if ((uint8_t)buf[i] < ' ' && buf[i] != '\n') buf[i] = ' '; /* tabs would move the caret */
}

static int verror(err_t *e, int code, const pmodule_t *m, uint32_t line, uint32_t column,
                  const char *fmt, va_list args) {
  char what[170], where[220] = "";
  err_vfit(what, sizeof what, fmt, args);
  excerpt(m, line, column, where, sizeof where);
  err_set(e, code, "%s%s", what, where);
  err_in_file(e, m->name, line, column);
  return code;
}

int ptx_err(err_t *e, int code, const pmodule_t *m, uint32_t line, uint32_t column, const char *fmt,
            ...) {
  va_list args;
  va_start(args, fmt);
  verror(e, code, m, line, column, fmt, args);
  va_end(args);
  return code;
}

static int fail(lexer_t *x, uint32_t line, uint32_t column, const char *fmt, va_list args) {
  if (!x->failed) {
    x->failed = GMMU_EFORMAT;
    verror(x->e, GMMU_EFORMAT, x->module, line, column, fmt, args);
  }
  x->tok.kind = TK_END;
  return -1;
}

int lex_error(lexer_t *x, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fail(x, x->tok.line, x->tok.column, fmt, args);
  va_end(args);
  return -1;
}

int lex_error_at(lexer_t *x, uint32_t line, uint32_t column, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fail(x, line, column, fmt, args);
  va_end(args);
  return -1;
}

/* --- tokens --- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_name_char(char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '$'; }

static int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

void lex_init(lexer_t *x, const pmodule_t *m, err_t *e) {
  *x = (lexer_t){.module = m, .p = m->text, .line_start = m->text, .line = 1, .e = e};
  lex_next(x);
}

static void newline(lexer_t *x) { x->line++, x->line_start = x->p; }

static void skip_block_comment(lexer_t *x) {
  uint32_t line = x->line, column = (uint32_t)(x->p - x->line_start) + 1;
  for (x->p += 2; *x->p;) {
    if (x->p[0] == '*' && x->p[1] == '/') {
      x->p += 2;
      return;
    }
    if (*x->p++ == '\n') newline(x);
  }
  lex_error_at(x, line, column, "comment without end");
}

/* Spaces and comments; true if there was any. */
static bool skip_space(lexer_t *x) {
  const char *start = x->p;
  for (;;) {
    if (*x->p == '\n') {
      x->p++;
      newline(x);
    } else if (*x->p == ' ' || *x->p == '\t' || *x->p == '\r' || *x->p == '\f' || *x->p == '\v') {
      x->p++;
    } else if (x->p[0] == '/' && x->p[1] == '/') {
      x->p += strcspn(x->p, "\n");
    } else if (x->p[0] == '/' && x->p[1] == '*') {
      skip_block_comment(x);
    } else if (x->p[0] == '#' && x->p == x->line_start) {
      x->p += strcspn(x->p, "\n"); /* a preprocessor's line marks */
    } else {
      return x->p != start;
    }
  }
}

static void lex_name(lexer_t *x) {
  const char *start = x->p++;
  while (is_name_char(*x->p)) x->p++;
  x->tok.kind = TK_NAME, x->tok.text = start, x->tok.size = (uint32_t)(x->p - start);
}

static void lex_dot(lexer_t *x) {
  const char *start = ++x->p;
  while (is_name_char(*x->p) || (x->p[0] == ':' && x->p[1] == ':' && is_name_char(x->p[2])))
    x->p += *x->p == ':' ? 2 : 1;
  x->tok.kind = TK_DOT, x->tok.text = start, x->tok.size = (uint32_t)(x->p - start);
}

/* 0f + 8 hex digits, 0d + 16 */
static bool lex_hex_float(lexer_t *x) {
  char c = x->p[1];
  uint32_t digits = c == 'f' || c == 'F' ? 8 : 16;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < digits; i++) {
    int v = hex_value(x->p[2 + i]);
    if (v < 0) return lex_error(x, "a 0%c constant has %u hexadecimal digits", c, digits) == 0;
    bits = bits << 4 | (uint64_t)v;
  }
  x->p += 2 + digits;
  x->tok.kind = TK_FLOAT;
  if (digits == 16) {
    x->tok.value = bits;
    return true;
  }
  uint32_t raw = (uint32_t)bits;
  float f;
  memcpy(&f, &raw, 4);
  double d = f;
  memcpy(&x->tok.value, &d, 8);
  x->tok.raw = raw, x->tok.is_f32 = true;
  return true;
}

static void lex_decimal_float(lexer_t *x) {
  char *end;
  double d = strtod(x->p, &end);
  x->p = end;
  x->tok.kind = TK_FLOAT;
  memcpy(&x->tok.value, &d, 8);
}

static void lex_int(lexer_t *x) {
  uint64_t v = 0, base = 10;
  const char *p = x->p;
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
    base = 16, p += 2;
  else if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B'))
    base = 2, p += 2;
  else if (p[0] == '0')
    base = 8;
  const char *digits = p;
  for (int d; (d = hex_value(*p)) >= 0; p++) {
    if ((uint64_t)d >= base) break;
    if (v > (UINT64_MAX - (uint64_t)d) / base) {
      lex_error(x, "integer does not fit 64 bits");
      return;
    }
    v = v * base + (uint64_t)d;
  }
  if (p == digits) {
    lex_error(x, "digits expected");
    return;
  }
  if (*p == 'U' || *p == 'u') p++;
  if (is_name_char(*p)) {
    lex_error(x, "malformed number");
    return;
  }
  x->p = p, x->tok.kind = TK_INT, x->tok.value = v;
}

static void lex_number(lexer_t *x) {
  char c = x->p[1];
  if (x->p[0] == '0' && (c == 'f' || c == 'F' || c == 'd' || c == 'D')) {
    lex_hex_float(x);
    return;
  }
  const char *p = x->p;
  if (!(p[0] == '0' && (c == 'x' || c == 'X' || c == 'b' || c == 'B'))) {
    while (is_digit(*p)) p++;
    bool point = *p == '.' && is_digit(p[1]);
    bool power = (*p == 'e' || *p == 'E') &&
                 (is_digit(p[1]) || ((p[1] == '-' || p[1] == '+') && is_digit(p[2])));
    if (point || power || (*p == '.' && !is_name_char(p[1]))) {
      lex_decimal_float(x);
      return;
    }
  }
  lex_int(x);
}

static void lex_string(lexer_t *x) {
  const char *start = ++x->p;
  while (*x->p && *x->p != '"' && *x->p != '\n') x->p += x->p[0] == '\\' && x->p[1] ? 2 : 1;
  if (*x->p != '"') {
    lex_error(x, "string without end");
    return;
  }
  x->tok.kind = TK_STRING, x->tok.text = start, x->tok.size = (uint32_t)(x->p - start);
  x->p++;
}

static void lex_punctuation(lexer_t *x) {
  static const char *const two[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  x->tok.kind = TK_PUNCT, x->tok.punct = (uint8_t)*x->p;
  for (uint32_t i = 0; i < sizeof two / sizeof *two; i++)
    if (x->p[0] == two[i][0] && x->p[1] == two[i][1])
      x->tok.punct |= (uint32_t)(uint8_t)two[i][1] << 8;
  if (!strchr(",;:(){}[]<>@!=+-*/|&^~?%", *x->p)) {
    lex_error(x, "unexpected character");
    return;
  }
  x->p += x->tok.punct > 255 ? 2 : 1;
}

void lex_next(lexer_t *x) {
  if (x->failed) return;
  bool space = skip_space(x);
  if (x->failed) return;
  char c = *x->p;
  x->tok = (token_t){.glued = !space,
                     .line = x->line,
                     .column = (uint32_t)(x->p - x->line_start) + 1,
                     .text = x->p};
  if (!c)
    x->tok.kind = TK_END;
  else if (is_alpha(c) || c == '_' || c == '$' ||
           (c == '%' && (is_alpha(x->p[1]) || x->p[1] == '_' || x->p[1] == '$')))
    lex_name(x);
  else if (c == '.' && is_name_char(x->p[1]))
    lex_dot(x);
  else if (is_digit(c))
    lex_number(x);
  else if (c == '"')
    lex_string(x);
  else
    lex_punctuation(x);
}

bool lex_is(const lexer_t *x, const char *text) {
  return (x->tok.kind == TK_NAME || x->tok.kind == TK_DOT) && strlen(text) == x->tok.size &&
         !memcmp(x->tok.text, text, x->tok.size);
}
