/* A view is made as a whole and written at once, over the one before. Invariant: no line is as wide
 * as the terminal, so each takes one row and going up `lines` rows finds its first. */
#include "live.h"
#include "terminal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS    50 /* columns behind an application's name */
#define NAME_LEAST 11
#define BAR_INDENT 2

/* What a bar is made of: the letter, its colour, the reasons. Empty slots and those of others are
 * not in it: they are charged only when somebody comes. */
typedef struct {
  char letter;
  uint8_t colour; /* of the background, as terminals number them */
  const char *what;
  uint32_t first, last; /* stall_t; first above last: issued instructions */
} stack_t_;

static const stack_t_ stack[] = {
    {'i', 42, "issue", 1, 0},
    {'a', 46, "alu", STALL_ALU, STALL_ALU},
    {'t', 43, "TLBs", STALL_TLB1, STALL_TLB2},
    {'w', 41, "walks", STALL_WALK_QUEUE, STALL_WALK_DRAM},
    {'f', 101, "faults", STALL_FAULT, STALL_FAULT},
    {'c', 44, "caches", STALL_L1, STALL_L2},
    {'d', 45, "DRAM", STALL_DRAM, STALL_DRAM},
    {'b', 47, "barriers", STALL_BARRIER, STALL_BARRIER},
    {'s', 100, "busy units", STALL_STRUCTURAL, STALL_STRUCTURAL},
};
#define STACK (sizeof stack / sizeof *stack)

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

/* num/den with one or two decimals, right-aligned; "-" if there is nothing to divide by. */
static void put_ratio(line_t *l, uint32_t width, uint64_t num, uint64_t den, uint32_t scale,
                      const char *unit) {
  char text[48] = "-";
  if (den) {
    uint64_t v = num / den * 100 * scale + num % den * 100 * scale / den;
    snprintf(text, sizeof text, "%" PRIu64 ".%02" PRIu64 "%s", v / 100, v % 100, unit);
  }
  putf(l, "%*s", (int)width, text);
}

/* ---- the view ---- */

static uint64_t stack_cycles(const gpu_summary_t *s, const stack_t_ *k) {
  uint64_t sum = 0;
  if (k->first > k->last) return s->instructions;
  for (uint32_t i = k->first; i <= k->last; i++) sum += s->stall[i];
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
  uint64_t cycles = s->cycles - p->cycles;
  putf(l, "%-*.*s", (int)width, (int)width, name);
  put_ratio(l, 8, s->instructions - p->instructions, cycles, 1, "");
  put_ratio(l, 8, s->instructions, s->cycles, 1, "");
  put_ratio(l, 13, s->l1tlb_misses - p->l1tlb_misses, s->l1tlb_lookups - p->l1tlb_lookups, 100,
            "%");
  put_ratio(l, 13, s->l2tlb_misses - p->l2tlb_misses, s->l2tlb_lookups - p->l2tlb_lookups, 100,
            "%");
  put_ratio(l, 8, s->walk_active_cycles - p->walk_active_cycles, cycles, 1, "");
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
  putf(&l, "%-*s%8s%8s%13s%13s%8s", (int)name_width(v, s), "application", "IPC", "mean",
       "L1 TLB miss", "L2 TLB miss", "walks");
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
