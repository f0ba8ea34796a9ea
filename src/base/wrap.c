#include "base/wrap.h"
#include <stdbool.h>
#include <string.h>

static bool begins_character(char c) { return (c & 0xc0) != 0x80; }

uint32_t wrap_width(const char *text, size_t size) {
  uint32_t width = 0;
  for (size_t i = 0; i < size; i++) width += begins_character(text[i]);
  return width;
}

uint32_t wrap_longest_word(const char *text) {
  uint32_t longest = 0;
  while (*text) {
    size_t size = strcspn(text, " ");
    uint32_t width = wrap_width(text, size);
    if (width > longest) longest = width;
    text += size + (text[size] == ' ');
  }
  return longest;
}

/* Bytes of the first `width` characters. */
static size_t prefix(const char *text, uint32_t width) {
  size_t n = 0;
  for (; text[n]; n++)
    if (begins_character(text[n]) && width-- == 0) break;
  return n;
}

size_t wrap_line(const char *text, uint32_t width, size_t *next) {
  size_t end = prefix(text, width ? width : 1), at = end;
  *next = end;
  if (!text[end]) return end;
  while (at && text[at] != ' ') at--; /* a blank right behind the line counts, too */
  if (at) {
    *next = at + strspn(text + at, " ");
    while (at && text[at - 1] == ' ') at--;
    if (at) return at;
  }
  for (at = end; at && !strchr("/,;:=+_-.", text[at - 1]);) at--;
  return *next = at ? at : end;
}

/* Where the rest of a line goes on: behind its leading blanks, or behind the first gap of several
 * blanks if that leaves room enough. */
static uint32_t hanging_indent(const char *line, uint32_t columns) {
  uint32_t begin = (uint32_t)strspn(line, " ");
  const char *gap = strstr(line + begin, "  ");
  uint32_t end = gap ? (uint32_t)(gap - line) + (uint32_t)strspn(gap, " ") : 0;
  if (gap && end * 2 < columns) return wrap_width(line, end);
  return begin * 2 < columns ? begin : 0;
}

static void fold_line(strbuf_t *out, const char *line) {
  uint32_t indent = hanging_indent(line, out->columns);
  /* The begin of the line, up to the indent, stays: there is nothing to break in it. */
  size_t done = prefix(line, indent), next;
  strbuf_add(out, line, done);
  for (bool first = true; line[done]; first = false, done += next) {
    size_t size = wrap_line(line + done, out->columns - indent, &next);
    if (!first) strbuf_str(out, "\n"), strbuf_fill(out, ' ', indent);
    strbuf_add(out, line + done, size);
  }
}

void wrap_fold(strbuf_t *out, const char *text) {
  strbuf_t line;
  strbuf_init(&line);
  while (*text) {
    size_t size = strcspn(text, "\n");
    strbuf_clear(&line);
    strbuf_add(&line, text, size);
    if (out->columns && wrap_width(strbuf_text(&line), size) > out->columns)
      fold_line(out, strbuf_text(&line));
    else
      strbuf_add(out, text, size);
    if (text[size]) strbuf_str(out, "\n"), size++;
    text += size;
  }
  out->failed |= line.failed;
  strbuf_fini(&line);
}
