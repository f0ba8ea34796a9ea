/* One line, rewritten in place: never as wide as the terminal, where it would leave a row behind
 * each time. Invariant: `shown` is set while it stands on the terminal, so whoever prints next can
 * have it removed. */
#include "progress_line.h"
#include "base/foreign.h"
#include "base/wrap.h"
#include "terminal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND_NS    UINT64_C(1000000000)
#define LINE_SECONDS 30

static uint64_t line_seconds(void) {
  const char *text = getenv("GMMU_PROGRESS");
  char *end;
  if (!text || *text < '0' || *text > '9') return LINE_SECONDS;
  unsigned long v = strtoul(text, &end, 10);
  return *end || v > UINT32_MAX ? LINE_SECONDS : v;
}

static void begin(progress_t *p, bool lines) {
  p->terminal = isatty(STDERR_FILENO) == 1;
  if (lines && !p->terminal) p->line_ns = line_seconds() * SECOND_NS;
}

/* Three digits or a few more, with a prefix, and a blank for the unit to follow: "12.3 M ". */
static void add_amount(strbuf_t *s, uint64_t v) {
  static const char prefix[] = {'k', 'M', 'G', 'T'};
  uint64_t unit = 1;
  int power = -1;
  while (power < 3 && v / unit >= 1000) unit *= 1000, power++;
  if (power < 0)
    strbuf_printf(s, "%" PRIu64 " ", v);
  else
    strbuf_printf(s, "%" PRIu64 ".%" PRIu64 " %c ", v / unit, v % unit / (unit / 10),
                  prefix[power]);
}

static void add_time(strbuf_t *s, uint64_t seconds) {
  if (seconds < 100)
    strbuf_printf(s, "%" PRIu64 " s", seconds);
  else
    strbuf_printf(s, "%" PRIu64 " min", (seconds + 30) / 60);
}

/* In tens of a run, as long as that says something. */
static void add_rate(strbuf_t *s, uint64_t runs, uint64_t elapsed_ns) {
  uint64_t tens = runs * 600 * 1000 / (elapsed_ns / 1000000 + 1);
  strbuf_printf(s, ", %" PRIu64 ".%" PRIu64 " runs/min", tens / 10, tens % 10);
}

/* Of one kernel among an unknown number the share is known, but not the time left of all. */
static void add_share(strbuf_t *s, const progress_state_t *x, uint64_t elapsed_ns) {
  uint64_t left_ms = x->left_ms;
  if (x->permille > 1000) return;
  strbuf_printf(s, ", %u %%", x->permille / 10);
  if (x->kernel) strbuf_printf(s, " of kernel %" PRIu64, x->kernel);
  if (!left_ms && !x->kernel && x->permille)
    left_ms = elapsed_ns / 1000000 * (1000 - x->permille) / x->permille;
  if (!left_ms) return;
  strbuf_str(s, ", ");
  add_time(s, (left_ms + 999) / 1000);
  strbuf_str(s, " left");
}

/* From the line with everything to the one with what matters most. */
typedef enum { SHARE_ONLY, AND_RUNS, AND_RATE, ALL } detail_t;

static void add_line(strbuf_t *s, const progress_state_t *x, uint64_t elapsed_ns, detail_t detail) {
  bool colon = false;
  strbuf_foreign(s, x->what, strlen(x->what), "");
  if (x->cycles && detail >= ALL) {
    strbuf_str(s, ": "), colon = true;
    add_amount(s, x->cycles);
    strbuf_str(s, "cycles");
  }
  if ((x->cycles || x->instructions) && detail >= AND_RATE) {
    strbuf_str(s, colon ? ", " : ": ");
    add_amount(s, x->instructions * 1000 / (elapsed_ns / 1000000 + 1));
    strbuf_str(s, "warp instructions/s");
  }
  if (x->runs && detail >= AND_RUNS) add_rate(s, x->runs, elapsed_ns);
  add_share(s, x, elapsed_ns);
}

void progress_text(const progress_t *p, const progress_state_t *x, uint32_t columns,
                   strbuf_t *out) {
  strbuf_t s;
  size_t next, size = 0;
  strbuf_init(&s);
  for (int detail = ALL; detail >= SHARE_ONLY; detail--) {
    strbuf_clear(&s);
    add_line(&s, x, p->last_ns - p->start_ns, (detail_t)detail);
    size = s.size;
    if (wrap_width(strbuf_text(&s), size) <= columns) break;
    size = wrap_line(strbuf_text(&s), columns, &next);
  }
  strbuf_add(out, strbuf_text(&s), size);
  strbuf_fini(&s);
}

static void show(progress_t *p, const progress_state_t *x) {
  strbuf_t s;
  terminal_t size;
  strbuf_init(&s);
  if (p->line_ns) {
    progress_text(p, x, UINT32_MAX, &s);
    fprintf(stderr, "gmmu: %s\n", strbuf_text(&s));
    strbuf_fini(&s);
    return;
  }
  strbuf_str(&s, "\r");
  terminal_size(STDERR_FILENO, &size);
  progress_text(p, x, size.columns - 1, &s);
  strbuf_str(&s, "\033[K"); /* clears what a longer line left behind */
  fputs(strbuf_text(&s), stderr);
  fflush(stderr);
  strbuf_fini(&s);
  p->shown = true;
}

static void end(progress_t *p) {
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}

const progress_listener_t progress_line = {.begin = begin, .show = show, .end = end};
