#ifndef GMMU_BASE_STRBUF_H
#define GMMU_BASE_STRBUF_H
/* A growing string. Running out of memory is sticky: `failed` is set, the text so far is kept and
 * later calls do nothing, so a writer checks once at its end. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *buf; /* owned; NULL until something was written, then always NUL-terminated */
  size_t size, capacity;
  uint32_t columns; /* of the terminal that it is for; 0: it goes to a file, lines may be long */
  bool failed;
} strbuf_t;

void strbuf_init(strbuf_t *s);
void strbuf_fini(strbuf_t *s);
void strbuf_clear(strbuf_t *s);             /* empty, but keeps its memory */
void strbuf_cut(strbuf_t *s, size_t size);  /* drops what is behind its first `size` bytes */
const char *strbuf_text(const strbuf_t *s); /* never NULL; valid until the next change */
void strbuf_add(strbuf_t *s, const char *text, size_t size);
void strbuf_str(strbuf_t *s, const char *text);
void strbuf_html(strbuf_t *s, const char *text); /* for HTML and SVG; no control characters */
void strbuf_fill(strbuf_t *s, char c, size_t count);
void strbuf_trim(strbuf_t *s); /* drops the blanks at its end */
void strbuf_printf(strbuf_t *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A blank and `word` as one word of the shell's, quoted where it needs to be. */
void strbuf_shell_word(strbuf_t *s, const char *word);
void strbuf_vprintf(strbuf_t *s, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
#endif
