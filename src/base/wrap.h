#ifndef GMMU_BASE_WRAP_H
#define GMMU_BASE_WRAP_H
/* Text in lines of limited width, broken between words. Widths count characters, not bytes. */
#include "base/strbuf.h"
#include <stdint.h>

uint32_t wrap_width(const char *text, size_t size);
/* The widest of its words. */
uint32_t wrap_longest_word(const char *text);
/* How many bytes of `text` go on a line of `width`; *next is where the following line begins. A
 * word that is longer than a line is broken behind a comma, a slash or the like, if it has one. */
size_t wrap_line(const char *text, uint32_t width, size_t *next);
/* Adds `text` with every line above out->columns folded; as it is if that is 0. The rest of a line
 * is indented like its begin, or, behind "term   explanation", like the explanation. */
void wrap_fold(strbuf_t *out, const char *text);
#endif
