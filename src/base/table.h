#ifndef GMMU_BASE_TABLE_H
#define GMMU_BASE_TABLE_H
/* Tables for the terminal and for the docs: columns first, then cells row by row. The last row may
 * be short. Out of memory is sticky and passes to the output's `failed`.
 *
 * A table that is wider than the terminal its output is for (strbuf_t.columns) has headers and
 * texts broken between words, and columns that still find no room below, in further tables that
 * begin with the same keys. */
#include "base/strbuf.h"
#include <stdint.h>

#define TABLE_MAX_COLUMNS 32

typedef enum {
  TABLE_LEFT,
  TABLE_RIGHT, /* for numbers: never broken */
  TABLE_KEY    /* left; says what a row is, as the first column does: comes again in every part */
} table_align_t;
typedef enum { TABLE_TEXT, TABLE_MARKDOWN } table_style_t;

typedef struct {
  strbuf_t cells; /* the headers, then the cells, each with its NUL */
  uint32_t columns, count;
  struct {
    uint32_t width; /* of the widest cell, in characters */
    uint32_t word;  /* of the widest that is not broken */
    table_align_t align;
  } column[TABLE_MAX_COLUMNS];
} table_t;

void table_init(table_t *t);
void table_fini(table_t *t);
void table_column(table_t *t, const char *header, table_align_t align); /* before any cell */
void table_cell(table_t *t, const char *text);
void table_printf(table_t *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void table_u64(table_t *t, uint64_t v);
void table_ratio(table_t *t, uint64_t num, uint64_t den, uint32_t digits); /* "-" if den is 0 */
void table_render(const table_t *t, table_style_t style, strbuf_t *out);
#endif
