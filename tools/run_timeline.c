/* Without a path nothing is done. */
#include "run_timeline.h"
#include "base/file.h"
#include "cli.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Digits only: strtoull() would take signs and blanks. */
static bool cycle(const char **at, uint64_t *out) {
  size_t size = strspn(*at, "0123456789");
  *out = strtoull(*at, NULL, 10);
  *at += size;
  return size && size < 19;
}

int run_timeline_window(const char *text, timeline_window_t *out, err_t *e) {
  const char *at = text;
  if (!cycle(&at, &out->begin) || *at++ != ':' || !cycle(&at, &out->end) || *at ||
      out->end <= out->begin)
    return err_set(e, GMMU_EINVAL,
                   "--timeline-window: \"%s\" is no window of cycles; 1000:3000 would be one",
                   text);
  return GMMU_OK;
}

int run_timeline_begin(const run_timeline_t *t, gpu_t *g, err_t *e) {
  return t->path ? gpu_timeline(g, &t->window, e) : GMMU_OK;
}

static void say_cut(const run_timeline_t *t, uint64_t cut) {
  cli_say("%s: the timeline ends with cycle %" PRIu64
          ", because %u spans do not hold more: a later "
          "window (--timeline-window), or more of them (--timeline-spans)",
          t->path, cut, t->window.spans);
}

int run_timeline_write(const run_timeline_t *t, const gpu_t *g, err_t *e) {
  strbuf_t text;
  if (!t->path) return GMMU_OK;
  if (gpu_cycles(g) <= t->window.begin)
    return err_set(e, GMMU_ERANGE,
                   "--timeline: the run ended in cycle %" PRIu64
                   ", before the window begins (%" PRIu64 ")",
                   gpu_cycles(g), t->window.begin);
  strbuf_init(&text);
  int rc = gpu_timeline_json(g, &text, e);
  if (rc == 0) rc = file_write(t->path, strbuf_text(&text), text.size, e);
  strbuf_fini(&text);
  if (rc == 0 && gpu_timeline_cut(g) != UINT64_MAX) say_cut(t, gpu_timeline_cut(g));
  return rc;
}
