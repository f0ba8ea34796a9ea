/* A view is made as a whole and written at once, over the one before. Invariant: no line is as wide
 * as the terminal, so each takes one row and going up `lines` rows finds its first. */
#include "live.h"
#include "progress_line.h"
#include "terminal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS    54 /* columns behind an application's name */
#define NAME_LEAST 11
#define BAR_INDENT 2

/* What a bar is made of: the letter, its colour, what it stands for. */
typedef struct {
  char letter;
  uint8_t colour; /* of the background, as terminals number them */
  const char *what;
} stack_t_;

static const stack_t_ stack[] = {
    {'i', 42, "issue"},   {'a', 46, "alu"},         {'t', 43, "TLBs"}, {'w', 41, "walks"},
    {'f', 101, "faults"}, {'c', 44, "caches"},      {'d', 45, "DRAM"}, {'b', 47, "barriers"},
    {'m', 102, "moves"},  {'s', 100, "busy units"},
};
#define STACK (sizeof stack / sizeof *stack)

/* The letter of each reason. Empty slots and those of others are not in the bar: they are charged
 * only when somebody comes. A reason that is declared and has no letter here does not compile. */
enum {
  LETTER_ALU = 'a',
  LETTER_TLB1 = 't',
  LETTER_TLB2 = 't',
  LETTER_WALK_QUEUE = 'w',
  LETTER_WALK_L2 = 'w',
  LETTER_WALK_DRAM = 'w',
  LETTER_FAULT = 'f',
  LETTER_L1 = 'c',
  LETTER_L2 = 'c',
  LETTER_DRAM = 'd',
  LETTER_BARRIER = 'b',
  LETTER_STRUCTURAL = 's',
  LETTER_EMPTY = 0,
  LETTER_TURN = 0,
  LETTER_COMPACT = 'm',
};
static const char letter_of[STALLS] = {
#define X(n, s, k, h) LETTER_##n,
    STALL_LIST(X)
#undef X
};

/* ---- text of limited width ---- */

typedef struct {
  strbuf_t *out;
  uint32_t left; /* columns */
} line_t;

static void put(line_t *l, const char *text) {
  for (; *text && l->left; text++, l->left--) {
    char c = *text >= ' ' && *text <= '~' ? *text : '?';
    strbuf_add(l->out, &c, 1);
  }
}

__attribute__((format(printf, 2, 3))) static void putf(line_t *l, const char *fmt, ...) {
  char text[160];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  put(l, text);
}

/* The figures that are shown, and how wide. */
static const struct {
  figure_id_t figure;
  int width;
} shown_figures[] = {{FIGURE_l1tlb_miss, 15}, {FIGURE_l2tlb_miss, 15}, {FIGURE_walks, 8}};
#define SHOWN (sizeof shown_figures / sizeof *shown_figures)

/* num/den with two decimals, right-aligned; "-" if there is nothing to divide by. */
static void put_ratio(line_t *l, int width, uint64_t num, uint64_t den) {
  char text[48] = "-";
  if (den) {
    uint64_t v = num / den * 100 + num % den * 100 / den;
    snprintf(text, sizeof text, "%" PRIu64 ".%02" PRIu64, v / 100, v % 100);
  }
  putf(l, "%*s", width, text);
}

/* ---- the view ---- */

static uint64_t stack_cycles(const gpu_summary_t *s, const stack_t_ *k) {
  uint64_t sum = k->letter == 'i' ? s->instructions : 0;
  for (uint32_t i = 0; i < STALLS; i++)
    if (letter_of[i] == k->letter) sum += s->stall[i];
  return sum;
}

/* Ends of the parts are rounded, not their lengths: the bar is always full. */
static void put_bar(line_t *l, const gpu_summary_t *s, bool colours) {
  uint64_t total = 0, sum = 0;
  uint32_t width = l->left, at = 0;
  for (size_t i = 0; i < STACK; i++) total += stack_cycles(s, &stack[i]);
  for (size_t i = 0; i < STACK && total; i++) {
    sum += stack_cycles(s, &stack[i]);
    uint32_t end = (uint32_t)((sum * width + total / 2) / total);
    if (colours && end > at) strbuf_printf(l->out, "\033[30;%um", stack[i].colour);
    for (; at < end; at++) put(l, (const char[]){stack[i].letter, 0});
  }
  if (colours) strbuf_str(l->out, "\033[0m");
}

static void put_app(line_t *l, uint32_t width, const char *name, const gpu_summary_t *s,
                    const gpu_summary_t *p) {
  const figure_t *ipc = &figures[FIGURE_ipc];
  putf(l, "%-*.*s", (int)width, (int)width, name);
  put_ratio(l, 8, figure_part(ipc, s) - figure_part(ipc, p),
            figure_whole(ipc, s) - figure_whole(ipc, p));
  put_ratio(l, 8, figure_part(ipc, s), figure_whole(ipc, s));
  for (size_t i = 0; i < SHOWN; i++) {
    const figure_t *f = &figures[shown_figures[i].figure];
    put_ratio(l, shown_figures[i].width, figure_part(f, s) - figure_part(f, p),
              figure_whole(f, s) - figure_whole(f, p));
  }
}

typedef struct {
  strbuf_t *out;
  uint32_t columns, lines;
} view_t;

static line_t begin_line(const view_t *v) { return (line_t){v->out, v->columns - 1}; }
static void end_line(view_t *v) {
  strbuf_str(v->out, "\033[K\n");
  v->lines++;
}

/* As wide as the longest name, if there is room for it. */
static uint32_t name_width(const view_t *v, const live_state_t *s) {
  uint32_t width = NAME_LEAST, room = v->columns > NUMBERS ? v->columns - 1 - NUMBERS : 0;
  for (uint32_t a = 0; a < s->apps; a++)
    if (strlen(s->name[a]) > width) width = (uint32_t)strlen(s->name[a]);
  return width < room ? width : room > NAME_LEAST ? room : NAME_LEAST;
}

static void add_head(view_t *v, const live_t *live, const live_state_t *s) {
  strbuf_t text;
  strbuf_init(&text);
  line_t l = begin_line(v);
  putf(&l, "%s, ", s->title);
  progress_text(&live->progress, &s->progress, l.left, &text);
  put(&l, strbuf_text(&text));
  end_line(v);
  l = begin_line(v);
  putf(&l, "%-*s%8s%8s", (int)name_width(v, s), "application", figures[FIGURE_ipc].column, "mean");
  for (size_t i = 0; i < SHOWN; i++)
    putf(&l, "%*s", shown_figures[i].width, figures[shown_figures[i].figure].column);
  end_line(v);
  strbuf_fini(&text);
}

/* On as many lines as it takes: an entry is not torn apart. */
static void add_legend(view_t *v, uint32_t unseen) {
  line_t l = begin_line(v);
  if (unseen) putf(&l, "(%u more) ", unseen);
  put(&l, "warps' cycles:");
  for (size_t i = 0; i < STACK; i++) {
    if (l.left < strlen(stack[i].what) + 3) end_line(v), l = begin_line(v);
    putf(&l, " %c %s", stack[i].letter, stack[i].what);
  }
  end_line(v);
}

/* Two lines for each application that finds room between head and legend. */
uint32_t live_view(const live_t *live, const live_state_t *s, uint32_t columns, uint32_t rows,
                   strbuf_t *out) {
  view_t v = {out, columns, 0};
  uint32_t room = rows > 6 ? (rows - 5) / 2 : 1, shown = s->apps < room ? s->apps : room;
  add_head(&v, live, s);
  for (uint32_t a = 0; a < shown; a++) {
    line_t l = begin_line(&v);
    put_app(&l, name_width(&v, s), s->name[a], &s->app[a], &live->last[a]);
    end_line(&v);
    l = begin_line(&v);
    putf(&l, "%*s", BAR_INDENT, "");
    put_bar(&l, &s->app[a], live->colours);
    end_line(&v);
  }
  add_legend(&v, s->apps - shown);
  return v.lines;
}

/* ---- the terminal ---- */

void live_begin(live_t *v) {
  memset(v, 0, sizeof *v);
  progress_begin(&v->progress);
  const char *no = getenv("NO_COLOR");
  v->colours = !no || !*no;
}

bool live_due(const live_t *v) { return progress_due_after(&v->progress, 0); }

static void go_up(strbuf_t *out, uint32_t lines) {
  strbuf_str(out, "\r");
  if (lines) strbuf_printf(out, "\033[%uA", lines);
}

void live_show(live_t *v, const live_state_t *s) {
  strbuf_t text;
  terminal_t size;
  strbuf_init(&text);
  terminal_size(STDERR_FILENO, &size);
  progress_shown(&v->progress);
  go_up(&text, v->lines);
  v->lines = live_view(v, s, size.columns, size.rows, &text);
  strbuf_str(&text, "\033[J"); /* what a longer view left behind */
  fputs(strbuf_text(&text), stderr);
  fflush(stderr);
  memcpy(v->last, s->app, s->apps * sizeof *v->last);
  strbuf_fini(&text);
}

void live_end(live_t *v) {
  if (!v->lines) return;
  fprintf(stderr, "\r\033[%uA\033[J\033[0m", v->lines);
  fflush(stderr);
  v->lines = 0;
}
