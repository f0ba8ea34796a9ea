#include "base/table.h"
#include "base/foreign.h"
#include "base/ratio.h"
#include "base/wrap.h"
#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define GAP         2  /* blanks between columns */
#define PROSE       40 /* from this width on a column is taken for sentences, which want ... */
#define PROSE_LEAST 24 /* ... this much */
#define TEXT_LEAST  12
#define WORD_MOST   32 /* longer words are broken rather than given a line */

/* All cells one after the other in one string; the n-th belongs to column n % columns, the headers
 * being row 0. Invariant: a column's width is that of its widest cell, so no cell is wider. */

void table_init(table_t *t) { *t = (table_t){0}; }

void table_fini(table_t *t) {
  strbuf_fini(&t->cells);
  table_init(t);
}

/* Names of foreign files stand in cells. */
static void clean_cell(table_t *t, size_t start) {
  strbuf_t raw;
  strbuf_init(&raw);
  strbuf_add(&raw, strbuf_text(&t->cells) + start, t->cells.size - start);
  strbuf_cut(&t->cells, start);
  strbuf_foreign(&t->cells, strbuf_text(&raw), raw.size, "");
  t->cells.failed |= raw.failed;
  strbuf_fini(&raw);
}

/* Ends the cell whose text starts at `start` of the string. */
static void finish_cell(table_t *t, uint32_t column, size_t start) {
  clean_cell(t, start);
  const char *text = strbuf_text(&t->cells) + start;
  bool whole = t->column[column].align == TABLE_RIGHT && t->count >= t->columns;
  uint32_t width = wrap_width(text, strlen(text)), word = whole ? width : wrap_longest_word(text);
  if (width > t->column[column].width) t->column[column].width = width;
  if (word > t->column[column].word) t->column[column].word = word;
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

/* --- parts of a table that fit the terminal -----------------------------------------------------
 */

/* Columns that are printed side by side, each as wide as `width` says. */
typedef struct {
  uint32_t column[TABLE_MAX_COLUMNS], width[TABLE_MAX_COLUMNS], count;
} part_t;

static bool is_key(const table_t *t, uint32_t c) {
  return c == 0 || t->column[c].align == TABLE_KEY;
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t least_width(const table_t *t, uint32_t c) {
  uint32_t width = t->column[c].width, word = t->column[c].word;
  if (t->column[c].align == TABLE_RIGHT) /* a header has two lines */
    return word > (width + 1) / 2 ? word : (width + 1) / 2;
  uint32_t least = smaller(width, width > PROSE ? PROSE_LEAST : TEXT_LEAST);
  word = smaller(word, WORD_MOST);
  return word > least ? word : least;
}

static void add_column(const table_t *t, part_t *p, uint32_t c) {
  p->column[p->count] = c;
  p->width[p->count++] = least_width(t, c);
}

static uint32_t part_width(const part_t *p) {
  uint32_t sum = p->count ? (p->count - 1) * GAP : 0;
  for (uint32_t i = 0; i < p->count; i++) sum += p->width[i];
  return sum;
}

/* What is left of the line goes to those that lack least, so that few are broken; a header has use
 * for all that it lacks, or for nothing. */
static void widen(const table_t *t, part_t *p, uint32_t columns) {
  for (;;) {
    uint32_t used = part_width(p), best = p->count, lack = UINT32_MAX;
    uint32_t left = used < columns ? columns - used : 0;
    for (uint32_t i = 0; i < p->count; i++) {
      uint32_t lacks = t->column[p->column[i]].width - p->width[i];
      bool whole = t->column[p->column[i]].align == TABLE_RIGHT;
      if (lacks && lacks < lack && (!whole || lacks <= left)) best = i, lack = lacks;
    }
    if (best == p->count || !left) return;
    p->width[best] += smaller(lack, left);
  }
}

/* The next part: the keys, and as many columns from *next on as there is room for, at least one. */
static void next_part(const table_t *t, uint32_t columns, uint32_t *next, part_t *p) {
  uint32_t others = 0;
  p->count = 0;
  for (uint32_t c = 0; c < t->columns; c++)
    if (is_key(t, c)) add_column(t, p, c);
  for (; *next < t->columns; ++*next) {
    if (is_key(t, *next)) continue;
    if (columns && others && part_width(p) + GAP + least_width(t, *next) > columns) break;
    add_column(t, p, *next);
    others++;
  }
  widen(t, p, columns ? columns : UINT32_MAX);
}

/* --- rendering -------------------------------------------------------------------------------- */

/* A line of a cell: the `size` bytes at `text`. */
static void text_cell(const table_t *t, const part_t *p, uint32_t i, const char *text, size_t size,
                      strbuf_t *out) {
  uint32_t pad = p->width[i] - wrap_width(text, size);
  bool right = t->column[p->column[i]].align == TABLE_RIGHT;
  if (i > 0) strbuf_fill(out, ' ', GAP);
  if (right) strbuf_fill(out, ' ', pad);
  strbuf_add(out, text, size);
  if (!right) strbuf_fill(out, ' ', pad);
}

/* A row takes as many lines as its longest cell. `cell` has one for every column of the table. */
static void text_row(const table_t *t, const part_t *p, const char *const cell[], strbuf_t *out) {
  const char *rest[TABLE_MAX_COLUMNS];
  bool more = true;
  for (uint32_t i = 0; i < p->count; i++) rest[i] = cell[p->column[i]];
  while (more) {
    more = false;
    for (uint32_t i = 0; i < p->count; i++) {
      size_t next = 0, size = wrap_line(rest[i], p->width[i], &next);
      text_cell(t, p, i, rest[i], size, out);
      rest[i] += next;
      more |= *rest[i] != 0;
    }
    strbuf_trim(out); /* no blanks at the end of a line */
    strbuf_str(out, "\n");
  }
}

static void text_rule(const part_t *p, strbuf_t *out) {
  for (uint32_t i = 0; i < p->count; i++) {
    if (i > 0) strbuf_fill(out, ' ', GAP);
    strbuf_fill(out, '-', p->width[i]);
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

static void markdown_row(const table_t *t, const char *const cell[], strbuf_t *out) {
  for (uint32_t c = 0; c < t->columns; c++) markdown_cell(c, cell[c], out);
  strbuf_str(out, "\n");
}

static void markdown_rule(const table_t *t, strbuf_t *out) {
  for (uint32_t c = 0; c < t->columns; c++) {
    strbuf_str(out, c > 0 ? " " : "| ");
    strbuf_str(out, t->column[c].align == TABLE_RIGHT ? "---: |" : "--- |");
  }
  strbuf_str(out, "\n");
}

/* The cells of the row at *at, which moves behind it; false behind the last. Cells that were never
 * given are empty. */
static bool next_row(const table_t *t, const char **at, const char *cell[]) {
  const char *end = t->cells.buf + t->cells.size;
  if (*at >= end) return false;
  for (uint32_t c = 0; c < t->columns; c++) {
    cell[c] = *at < end ? *at : "";
    if (*at < end) *at += strlen(*at) + 1;
  }
  return true;
}

static void render_markdown(const table_t *t, strbuf_t *out) {
  const char *cell[TABLE_MAX_COLUMNS], *at = t->cells.buf;
  next_row(t, &at, cell);
  markdown_row(t, cell, out);
  markdown_rule(t, out);
  while (next_row(t, &at, cell)) markdown_row(t, cell, out);
}

static void render_part(const table_t *t, const part_t *p, strbuf_t *out) {
  const char *cell[TABLE_MAX_COLUMNS], *at = t->cells.buf;
  next_row(t, &at, cell);
  text_row(t, p, cell, out);
  text_rule(p, out);
  while (next_row(t, &at, cell)) text_row(t, p, cell, out);
}

void table_render(const table_t *t, table_style_t style, strbuf_t *out) {
  if (t->cells.failed) out->failed = true;
  if (t->cells.failed || t->columns == 0) return;
  if (style == TABLE_MARKDOWN) {
    render_markdown(t, out);
    return;
  }
  uint32_t next = 0;
  do {
    part_t p;
    if (next) strbuf_str(out, "\n");
    next_part(t, out->columns, &next, &p);
    render_part(t, &p, out);
  } while (next < t->columns);
}
