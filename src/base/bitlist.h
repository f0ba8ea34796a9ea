#ifndef GMMU_BASE_BITLIST_H
#define GMMU_BASE_BITLIST_H
/* Hash functions as people publish them: lists of address bits whose XOR is one bit of an index,
 * "10 12 16; 11 12 13" for two of them, the lowest bit of the index first. */
#include "gmmu/err.h"
#include <stdint.h>

#define BITLIST_MAX  24                     /* functions of one list */
#define BITLIST_TEXT (BITLIST_MAX * 64 * 4) /* bytes that hold the text of any list */

typedef struct {
  uint32_t count;
  uint64_t mask[BITLIST_MAX]; /* the bits of each function; 0 from `count` on */
} bitlist_t;

/* Numbers 0 .. 63 with blanks between, a semicolon between functions; "none" or no text: none. A
 * bit given twice in one function is refused, as it would cancel. */
int bitlist_parse(const char *text, bitlist_t *out, err_t *e);
/* As text that bitlist_parse() takes back. As snprintf. */
int bitlist_text(const bitlist_t *l, char *buf, size_t size);
#endif
