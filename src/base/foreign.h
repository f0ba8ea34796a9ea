#ifndef GMMU_BASE_FOREIGN_H
#define GMMU_BASE_FOREIGN_H
/* Foreign text: names and excerpts from files that others wrote, on their way to a terminal or into
 * a message. What a terminal would obey instead of showing becomes \xNN, byte for byte: control
 * characters (C0, DEL, C1), bytes that are no UTF-8, and characters that turn the direction of
 * writing or break the line. */
#include "base/strbuf.h"
#include <stdbool.h>
#include <stdint.h>

/* Appends `size` bytes of a text that ends with NUL, there or later. `keep` lists the control
 * characters that stay: "\n\t", or "". */
void strbuf_foreign(strbuf_t *out, const char *text, size_t size, const char *keep);
/* The same into an array, cut to `room` bytes with its NUL at a whole character. Returns what
 * snprintf would. */
size_t foreign_copy(char *to, size_t room, const char *text, size_t size, const char *keep);

/* Bytes of the UTF-8 character at s and its number, or 0 if there is none there. Overlong forms,
 * surrogates and values above U+10FFFF are no characters. Reads no further than a NUL. */
size_t utf8_decode(const char *s, uint32_t *c);
bool utf8_unsafe(uint32_t c); /* a terminal obeys it */
#endif
