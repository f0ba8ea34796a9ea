#include "base/table.h"
#include "base/ratio.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* All cells one after the other in one string; the n-th belongs to column n % columns, the headers
 * being row 0. Invariant: a column's width is that of its widest cell, so rendering is one pass. */

void table_init(table_t *t) { *t = (table_t){0}; }

void table_fini(table_t *t) {
  strbuf_fini(&t->cells);
  table_init(t);
}

/* Characters, not bytes: units such as "µs" keep their column. */
static uint32_t text_width(const char *s) {
  uint32_t width = 0;
  for (; *s; s++) width += (*s & 0xc0) != 0x80;
  return width;
}

/* Ends the cell whose text starts at `start` of the string. */
static void finish_cell(table_t *t, uint32_t column, size_t start) {
  uint32_t width = text_width(strbuf_text(&t->cells) + start);
  if (width > t->column[column].width) t->column[column].width = width;
  strbuf_add(&t->cells, "", 1);
  t->count++;
}

void table_column(table_t *t, const char *header, table_align_t align) {
  assert(t->columns < TABLE_MAX_COLUMNS && t->count == t->columns);
  size_t start = t->cells.size;
  t->column[t->columns].align = align;
  strbuf_str(&t->cells, header);
  finish_cell(t, t->columns++, start);
}

void table_cell(table_t *t, const char *text) { table_printf(t, "%s", text); }

void table_printf(table_t *t, const char *fmt, ...) {
  size_t start = t->cells.size;
  va_list args;
  va_start(args, fmt);
  strbuf_vprintf(&t->cells, fmt, args);
  va_end(args);
  finish_cell(t, t->count % t->columns, start);
}

void table_u64(table_t *t, uint64_t v) { table_printf(t, "%" PRIu64, v); }

void table_ratio(table_t *t, uint64_t num, uint64_t den, uint32_t digits) {
  char text[RATIO_TEXT_BYTES];
  ratio_format(text, sizeof text, num, den, digits);
  table_cell(t, text);
}

/* --- rendering -------------------------------------------------------------------------------- */

static void text_cell(const table_t *t, uint32_t column, const char *cell, strbuf_t *out) {
  uint32_t pad = t->column[column].width - text_width(cell);
  bool right = t->column[column].align == TABLE_RIGHT;
  if (column > 0) strbuf_str(out, "  ");
  if (right) strbuf_fill(out, ' ', pad);
  strbuf_str(out, cell);
  if (!right) strbuf_fill(out, ' ', pad);
}

static void text_rule(const table_t *t, strbuf_t *out) {
  for (uint32_t c = 0; c < t->columns; c++) {
    if (c > 0) strbuf_str(out, "  ");
    strbuf_fill(out, '-', t->column[c].width);
  }
  strbuf_str(out, "\n");
}

static void markdown_cell(uint32_t column, const char *cell, strbuf_t *out) {
  strbuf_str(out, column > 0 ? " " : "| ");
  for (; *cell; cell++) {
    if (*cell == '|') strbuf_str(out, "\\");
    strbuf_add(out, cell, 1);
  }
  strbuf_str(out, " |");
}

static void markdown_rule(const table_t *t, strbuf_t *out) {
  for (uint32_t c = 0; c < t->columns; c++) {
    strbuf_str(out, c > 0 ? " " : "| ");
    strbuf_str(out, t->column[c].align == TABLE_RIGHT ? "---: |" : "--- |");
  }
  strbuf_str(out, "\n");
}

/* One row; returns what follows its cells. Cells that were never given are empty. */
static const char *render_row(const table_t *t, table_style_t style, const char *cell,
                              strbuf_t *out) {
  const char *end = t->cells.buf + t->cells.size;
  for (uint32_t c = 0; c < t->columns; c++) {
    const char *text = cell < end ? cell : "";
    if (style == TABLE_TEXT)
      text_cell(t, c, text, out);
    else
      markdown_cell(c, text, out);
    if (cell < end) cell += strlen(cell) + 1;
  }
  strbuf_trim(out); /* no blanks at the end of a line */
  strbuf_str(out, "\n");
  return cell;
}

void table_render(const table_t *t, table_style_t style, strbuf_t *out) {
  if (t->cells.failed) out->failed = true;
  if (t->cells.failed || t->columns == 0) return;
  const char *end = t->cells.buf + t->cells.size, *next = render_row(t, style, t->cells.buf, out);
  if (style == TABLE_TEXT)
    text_rule(t, out);
  else
    markdown_rule(t, out);
  while (next < end) next = render_row(t, style, next, out);
}
