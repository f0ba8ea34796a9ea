#include "gmmu/err.h"
#include <stdarg.h>
#include <stdio.h>
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

int err_set(err_t *e, int code, const char *fmt, ...) {
  if (!e) return code;
  char text[sizeof e->text]; /* the arguments may point into *e */
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
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

static int format_place(const err_t *e, char *buf, size_t size) {
  const char *file = e->file[0] ? e->file : "input";
  if (e->has_offset)
    return snprintf(buf, size, "%s: byte %llu: ", file, (unsigned long long)e->offset);
  if (e->line && e->column) return snprintf(buf, size, "%s:%u:%u: ", file, e->line, e->column);
  if (e->line) return snprintf(buf, size, "%s:%u: ", file, e->line);
  if (e->file[0]) return snprintf(buf, size, "%s: ", file);
  return snprintf(buf, size, "%s", "");
}

int err_format(const err_t *e, char *buf, size_t size) {
  char place[sizeof e->file + 48];
  format_place(e, place, sizeof place);
  return snprintf(buf, size, "%s%s%s%s", place, e->key, e->key[0] ? ": " : "",
                  e->text[0] ? e->text : gmmu_strerror(e->code));
}
