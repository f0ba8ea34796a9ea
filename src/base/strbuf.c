#include "base/strbuf.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One heap block that doubles. Invariant: buf is NULL and capacity 0, or size < capacity and
 * buf[size] is NUL. */

void strbuf_init(strbuf_t *s) { *s = (strbuf_t){0}; }

void strbuf_fini(strbuf_t *s) {
  free(s->buf);
  strbuf_init(s);
}

void strbuf_clear(strbuf_t *s) {
  s->size = 0;
  s->failed = false;
  if (s->buf) s->buf[0] = 0;
}

void strbuf_cut(strbuf_t *s, size_t size) {
  if (size < s->size) s->buf[s->size = size] = 0;
}

const char *strbuf_text(const strbuf_t *s) { return s->buf ? s->buf : ""; }

/* Room for `more` bytes and the NUL behind them. */
static bool reserve(strbuf_t *s, size_t more) {
  if (s->failed) return false;
  if (more < s->capacity - s->size) return true;
  size_t want = s->capacity ? s->capacity : 64;
  while (want - s->size <= more && want <= SIZE_MAX / 2) want *= 2;
  char *grown = want - s->size > more ? realloc(s->buf, want) : NULL;
  if (!grown) {
    s->failed = true;
    return false;
  }
  s->buf = grown;
  s->capacity = want;
  return true;
}

static void advance(strbuf_t *s, size_t count) {
  s->size += count;
  s->buf[s->size] = 0;
}

void strbuf_add(strbuf_t *s, const char *text, size_t size) {
  if (!reserve(s, size)) return;
  if (size) memcpy(s->buf + s->size, text, size);
  advance(s, size);
}

void strbuf_str(strbuf_t *s, const char *text) { strbuf_add(s, text, strlen(text)); }

void strbuf_html(strbuf_t *s, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<': strbuf_str(s, "&lt;"); break;
    case '>': strbuf_str(s, "&gt;"); break;
    case '&': strbuf_str(s, "&amp;"); break;
    case '"': strbuf_str(s, "&quot;"); break;
    default:
      if ((unsigned char)*text >= ' ') strbuf_add(s, text, 1);
    }
}

void strbuf_fill(strbuf_t *s, char c, size_t count) {
  if (!reserve(s, count)) return;
  memset(s->buf + s->size, c, count);
  advance(s, count);
}

void strbuf_trim(strbuf_t *s) {
  while (s->size && s->buf[s->size - 1] == ' ') s->buf[--s->size] = 0;
}

void strbuf_vprintf(strbuf_t *s, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, fmt, args);
  if (n >= 0 && reserve(s, (size_t)n)) {
    vsnprintf(s->buf + s->size, (size_t)n + 1, fmt, again);
    s->size += (size_t)n;
  }
  va_end(again);
}

void strbuf_printf(strbuf_t *s, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  strbuf_vprintf(s, fmt, args);
  va_end(args);
}

void strbuf_shell_word(strbuf_t *s, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_./:=,+@%-";
  strbuf_str(s, " ");
  if (*word && !word[strspn(word, plain)]) {
    strbuf_str(s, word);
    return;
  }
  strbuf_str(s, "'");
  for (; *word; word++) strbuf_printf(s, *word == '\'' ? "'\\''" : "%c", *word);
  strbuf_str(s, "'");
}
