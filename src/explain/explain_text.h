#ifndef GMMU_EXPLAIN_TEXT_H
#define GMMU_EXPLAIN_TEXT_H
/* What explain.h found, for people and for programs. Every sentence of the paragraph follows from
 * numbers of the tables below it. */
#include "base/json.h"
#include "explain/explain.h"
#include "observe/measures.h"

typedef struct {
  const explain_t *x;
  const explain_verdict_t *v;
  const char *gpu;      /* as typed */
  const char *name;     /* of the application */
  const char *source;   /* as typed */
  const char *settings; /* " -s key=value" of the user, for commands */
  const char *operand;  /* " bfs2", or " -- ./program arguments" */
} explain_view_t;

/* The paragraph, in one line. */
void explain_paragraph(const explain_view_t *w, strbuf_t *out);
/* What to try next, as a command. */
void explain_next(const explain_view_t *w, strbuf_t *out);
/* num/den in percent with a decimal and its sign. */
void explain_percent(int64_t num, uint64_t den, strbuf_t *out);

void explain_text(const explain_view_t *w, strbuf_t *out);
void explain_json(const explain_view_t *w, json_t *j);     /* one object */
void explain_html(const explain_view_t *w, strbuf_t *out); /* a page of its own */

/* ---- rows of the base's by_array, by_kernel and by_line, if it was run with them ---- */

typedef struct {
  char name[160];
  uint64_t of[MEASURES];
} explain_row_t;
#define EXPLAIN_ROWS 8
/* The costliest rows of `list`; *all has their sums over the whole list. */
uint32_t explain_rows(const explain_view_t *w, const char *list, explain_row_t row[EXPLAIN_ROWS],
                      explain_row_t *all);

/* The runs whose stall stacks are shown: before, ideal, without the cause, the best design. */
#define EXPLAIN_STACKS 4
uint32_t explain_stacks(const explain_view_t *w, const explain_run_t *run[EXPLAIN_STACKS]);
#endif
