/* One line, rewritten in place. Invariant: `shown` is set while it stands on the terminal, so
 * whoever prints next can have it removed. */
#include "progress.h"
#include "base/strbuf.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS   UINT64_C(1000000000)
#define INTERVAL_NS (SECOND_NS / 4)

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

void progress_begin(progress_t *p) {
  *p = (progress_t){.terminal = isatty(STDERR_FILENO) == 1};
  if (p->terminal) p->start_ns = now_ns();
}

bool progress_due_after(const progress_t *p, uint64_t quiet_ns) {
  if (!p->terminal) return false;
  uint64_t now = now_ns();
  return now - p->start_ns >= quiet_ns && now - p->last_ns >= INTERVAL_NS;
}

bool progress_due(const progress_t *p) { return progress_due_after(p, SECOND_NS); }
void progress_shown(progress_t *p) { p->last_ns = now_ns(); }

/* Three digits or a few more, with the unit's prefix: "12.3 M". */
static void add_amount(strbuf_t *s, uint64_t v) {
  static const char prefix[] = {'k', 'M', 'G', 'T'};
  uint64_t unit = 1;
  int power = -1;
  while (power < 3 && v / unit >= 1000) unit *= 1000, power++;
  if (power < 0)
    strbuf_printf(s, "%" PRIu64 " ", v);
  else
    strbuf_printf(s, "%" PRIu64 ".%" PRIu64 " %c", v / unit, v % unit / (unit / 10), prefix[power]);
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

static void add_share(strbuf_t *s, const progress_state_t *x, uint64_t elapsed_ns) {
  if (x->permille > 1000) return;
  strbuf_printf(s, ", %u %%", x->permille / 10);
  if (x->kernel) strbuf_printf(s, " of kernel %" PRIu64, x->kernel);
  if (!x->permille) return; /* no rate yet */
  strbuf_str(s, ", ");
  add_time(s, elapsed_ns / x->permille * (1000 - x->permille) / SECOND_NS);
  strbuf_str(s, " left");
}

void progress_text(const progress_t *p, const progress_state_t *x, strbuf_t *s) {
  uint64_t elapsed_ns = p->last_ns - p->start_ns;
  strbuf_str(s, x->what);
  if (x->cycles) {
    strbuf_str(s, ": ");
    add_amount(s, x->cycles);
    strbuf_str(s, "cycles");
  }
  if (x->cycles || x->instructions) {
    strbuf_str(s, x->cycles ? ", " : ": ");
    add_amount(s, x->instructions * 1000 / (elapsed_ns / 1000000 + 1));
    strbuf_str(s, "warp instructions/s");
  }
  if (x->runs) add_rate(s, x->runs, elapsed_ns);
  add_share(s, x, elapsed_ns);
}

void progress_show(progress_t *p, const progress_state_t *x) {
  strbuf_t s;
  progress_shown(p);
  strbuf_init(&s);
  strbuf_str(&s, "\r");
  progress_text(p, x, &s);
  strbuf_str(&s, "\033[K"); /* clears what a longer line left behind */
  fputs(strbuf_text(&s), stderr);
  fflush(stderr);
  strbuf_fini(&s);
  p->shown = true;
}

void progress_end(progress_t *p) {
  if (p->shown) fputs("\r\033[K", stderr);
  p->shown = false;
}
