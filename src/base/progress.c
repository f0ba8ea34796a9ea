#include "base/progress.h"
#include <stddef.h>
#include <time.h>

#define SECOND_NS   UINT64_C(1000000000)
#define INTERVAL_NS (SECOND_NS / 4)

/* Like the wish to stop (stop.h), it is the process's: set once, by main(). */
static const progress_listener_t *listener;

void progress_listen(const progress_listener_t *l) { listener = l; }

uint64_t progress_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * SECOND_NS + (uint64_t)t.tv_nsec;
}

static void begin(progress_t *p, bool lines) {
  *p = (progress_t){0};
  if (listener) listener->begin(p, lines);
  if (p->terminal || p->line_ns) p->start_ns = progress_now_ns();
  if (p->line_ns) p->last_ns = p->start_ns;
}

void progress_begin(progress_t *p) { begin(p, false); }
void progress_begin_lines(progress_t *p) { begin(p, true); }

bool progress_due_after(const progress_t *p, uint64_t quiet_ns) {
  if (p->line_ns) return progress_now_ns() - p->last_ns >= p->line_ns;
  if (!p->terminal) return false;
  uint64_t now = progress_now_ns();
  return now - p->start_ns >= quiet_ns && now - p->last_ns >= INTERVAL_NS;
}

bool progress_due(const progress_t *p) { return progress_due_after(p, SECOND_NS); }
void progress_shown(progress_t *p) { p->last_ns = progress_now_ns(); }

void progress_show(progress_t *p, const progress_state_t *s) {
  progress_shown(p);
  if (listener) listener->show(p, s);
}

void progress_end(progress_t *p) {
  if (listener) listener->end(p);
}
