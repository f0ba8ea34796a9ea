/* Counts steps and looks up every GLANCE_STEPS; everything else is the inner source's. */
#include "watch.h"
#include "base/around.h"
#include "base/progress.h"
#include "base/stop.h"
#include <stdlib.h>

#define GLANCE_STEPS 65536 /* between two looks at clock and signal: a few milliseconds */

typedef struct {
  around_t around; /* must be first */
  const char *what;
  progress_t progress;
  uint64_t steps;
  err_t err;
  bool stopped;
} watch_t;

/* Whether to go on. */
static bool glance(watch_t *w) {
  progress_state_t s = {.what = w->what, .instructions = w->steps, .permille = UINT32_MAX};
  if (progress_due(&w->progress)) progress_show(&w->progress, &s);
  w->stopped = stop_asked();
  if (w->stopped) err_set(&w->err, GMMU_EINTERRUPTED, "interrupted");
  return !w->stopped;
}

static uint32_t watch_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  watch_t *w = (watch_t *)s;
  if (++w->steps % GLANCE_STEPS == 0 && !glance(w)) return STREAM_FAIL;
  return around_step(s, now, slot, op);
}

static const err_t *watch_error(const source_t *s) {
  const watch_t *w = (const watch_t *)s;
  return w->stopped ? &w->err : around_error(s);
}

static void watch_free(source_t *s) {
  watch_t *w = (watch_t *)s;
  progress_end(&w->progress);
  free(w);
}

static const source_ops_t watch_ops = {
    .name = "watch",
    .bind = around_bind,
    .rewind = around_rewind,
    .next_command = around_next_command,
    .cta_begin = around_cta_begin,
    .step = watch_step,
    .error = watch_error,
    .free = watch_free,
    .work = around_work,
};

int watch_new(source_t *in, const char *what, source_t **out, err_t *e) {
  watch_t *w = calloc(1, sizeof *w);
  *out = NULL;
  if (!w) return err_set(e, GMMU_ENOMEM, "out of memory");
  w->around = (around_t){{&watch_ops}, in}, w->what = what;
  progress_begin(&w->progress);
  *out = &w->around.source;
  return GMMU_OK;
}
