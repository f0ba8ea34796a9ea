#ifndef GMMU_BASE_STRBUF_H
#define GMMU_BASE_STRBUF_H
/* A growing string. Running out of memory is sticky: `failed` is set, the text so far is kept and
 * later calls do nothing, so a writer checks once at its end. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *buf; /* owned; NULL until something was written, then always NUL-terminated */
  size_t size, capacity;
  bool failed;
} strbuf_t;

void strbuf_init(strbuf_t *s);
void strbuf_fini(strbuf_t *s);
void strbuf_clear(strbuf_t *s);             /* empty, but keeps its memory */
const char *strbuf_text(const strbuf_t *s); /* never NULL; valid until the next change */
void strbuf_add(strbuf_t *s, const char *text, size_t size);
void strbuf_str(strbuf_t *s, const char *text);
void strbuf_fill(strbuf_t *s, char c, size_t count);
void strbuf_trim(strbuf_t *s); /* drops the blanks at its end */
void strbuf_printf(strbuf_t *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(strbuf_t *s, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
#endif
