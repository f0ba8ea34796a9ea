#pragma GCC visibility push(default) /* libgmmu exports them */
#include "gmmu/err.h"
#pragma GCC visibility pop
#include "base/foreign.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An err_t is filled from the inside out: err_set() starts a new error and forgets the old one, the
 * callers on the way up add the place they know. The innermost place wins: a part that is already
 * set is never overwritten. */

const char *gmmu_strerror(int code) {
  switch (code) {
  case GMMU_OK: return "ok";
#define X(n, v, s)                                                                                 \
  case GMMU_##n: return s;
    GMMU_ERR_LIST(X)
#undef X
  default: return "unknown error";
  }
}

void err_clear(err_t *e) {
  if (e) *e = (err_t){0};
}

#define DOTS       "..."
#define WORD_CHARS 24u /* a word of so many keeps all of them */

static char *longest_word(char *text, size_t *size) {
  char *best = text;
  *size = 0;
  for (char *p = text + strspn(text, " \n"); *p; p += strspn(p, " \n")) {
    size_t n = strcspn(p, " \n");
    if (n > *size) best = p, *size = n;
    p += n;
  }
  return best;
}

/* Cuts the middle out of the longest words until at most `room` characters are left. */
static void shorten(char *text, size_t room) {
  for (size_t size = strlen(text), word; size > room; size = strlen(text)) {
    char *w = longest_word(text, &word);
    if (word <= WORD_CHARS) return;
    size_t over = size - room + strlen(DOTS);
    size_t keep = word > over + WORD_CHARS - strlen(DOTS) ? word - over : WORD_CHARS - strlen(DOTS);
    size_t head = keep - keep / 2;
    memcpy(w + head, DOTS, strlen(DOTS));
    memmove(w + head + strlen(DOTS), w + word - keep / 2, keep / 2 + strlen(w + word) + 1);
  }
}

void err_vfit(char *buf, size_t size, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(buf, size, fmt, args);
  char *all = n >= 0 && (size_t)n >= size ? malloc((size_t)n + 1) : NULL;
  if (all) {
    vsnprintf(all, (size_t)n + 1, fmt, again);
    shorten(all, size - 1);
    snprintf(buf, size, "%s", all);
  }
  free(all);
  va_end(again);
}

void err_fit(char *buf, size_t size, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  err_vfit(buf, size, fmt, args);
  va_end(args);
}

int err_set(err_t *e, int code, const char *fmt, ...) {
  if (!e) return code;
  char text[sizeof e->text]; /* the arguments may point into *e */
  va_list args;
  va_start(args, fmt);
  err_vfit(text, sizeof text, fmt, args);
  va_end(args);
  err_clear(e);
  e->code = code;
  memcpy(e->text, text, sizeof text);
  return code;
}

/* The end of a long path tells more than its beginning. */
static void set_file(err_t *e, const char *file) {
  size_t size = strlen(file), room = sizeof e->file - 1;
  if (size <= room)
    memcpy(e->file, file, size + 1);
  else
    snprintf(e->file, sizeof e->file, "...%s", file + size - (room - 3));
}

int err_in_file(err_t *e, const char *file, uint32_t line, uint32_t column) {
  if (!e) return GMMU_EINVAL;
  if (e->file[0]) return e->code;
  if (file) set_file(e, file);
  if (e->line == 0) {
    e->line = line;
    e->column = column;
  }
  return e->code;
}

int err_at_offset(err_t *e, const char *file, uint64_t offset) {
  if (!e) return GMMU_EINVAL;
  if (e->file[0]) return e->code;
  if (file) set_file(e, file);
  if (!e->has_offset) {
    e->offset = offset;
    e->has_offset = 1;
  }
  return e->code;
}

int err_for_key(err_t *e, const char *key) {
  if (!e) return GMMU_EINVAL;
  if (!e->key[0] && key) snprintf(e->key, sizeof e->key, "%s", key);
  return e->code;
}

/* ---- showing --------------------------------------------------------------------------------- */

/* A text that may not fit; `size` is what it would take. */
typedef struct {
  char *buf;
  size_t room, size;
} shown_t;

/* Where the next piece goes, and how much there is of it. */
static char *rest(const shown_t *s, size_t *room) {
  *room = s->size < s->room ? s->room - s->size : 0;
  return *room ? s->buf + s->size : NULL;
}

static void show_foreign(shown_t *s, const char *text, size_t size) {
  size_t room;
  char *to = rest(s, &room);
  s->size += foreign_copy(to, room, text, size, "");
}

static void show(shown_t *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void show(shown_t *s, const char *fmt, ...) {
  size_t room;
  char *to = rest(s, &room);
  va_list args;
  va_start(args, fmt);
  s->size += (size_t)vsnprintf(to, room, fmt, args);
  va_end(args);
}

static void show_place(shown_t *s, const err_t *e) {
  if (e->file[0])
    show_foreign(s, e->file, strlen(e->file));
  else if (e->has_offset || e->line)
    show(s, "input");
  else
    return;
  if (e->has_offset)
    show(s, ": byte %llu", (unsigned long long)e->offset);
  else if (e->line)
    show(s, e->column ? ":%u:%u" : ":%u", e->line, e->column);
  show(s, ": ");
}

/* Lines below the first begin with blanks: excerpts. A line break without them came with a name. */
static void show_text(shown_t *s, const char *text) {
  for (const char *end; (end = strstr(text, "\n ")) != NULL; text = end + 1) {
    show_foreign(s, text, (size_t)(end - text));
    show(s, "\n");
  }
  show_foreign(s, text, strlen(text));
}

int err_format(const err_t *e, char *buf, size_t size) {
  shown_t s = {buf, size, 0};
  show_place(&s, e);
  if (e->key[0]) {
    show_foreign(&s, e->key, strlen(e->key));
    show(&s, ": ");
  }
  show_text(&s, e->text[0] ? e->text : gmmu_strerror(e->code));
  return (int)s.size;
}
