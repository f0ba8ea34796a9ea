/* Walker threads, their counters and the page-walk cache; the way of a walk is in gpu/flow_xlat.c.
 */
#include "walk/walk.h"
#include <stdlib.h>
#include <string.h>

const opt_t walk_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(walk_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(threads, "threads", 1, 4096, 64, "walks", "walks under way at once"),
    U32(fixed_cycles, "fixed", 0, 100000, 0, "cycles",
        "0: real reads; else every walk takes this long"),
    U32(hop_cycles, "hop", 0, 1000, 0, "cycles", "between walker and L2 slice, each way"),
    {"pwc", OPT_BOOL, offsetof(walk_spec_t, pwc), 0, 1, 0, "", "page-walk cache", NULL, NULL},
    {"pwc_leaf", OPT_BOOL, offsetof(walk_spec_t, pwc_leaf), 0, 1, 0, "",
     "the page-walk cache holds leaf entries too", NULL, NULL},
    U32(pwc_bytes, "pwc_bytes", 64, 1 << 24, 8192, "bytes", "page-walk cache, size"),
    U32(pwc_ways, "pwc_ways", 1, 1024, 16, "ways", "page-walk cache, associativity"),
    U32(pwc_line_bytes, "pwc_line", 8, 128, 8, "bytes", "page-walk cache, entry size"),
    U32(pwc_latency_cycles, "pwc_latency", 0, 1000, 10, "cycles", "page-walk cache, look-up"),
#undef U32
    {"pwc_replacement", OPT_NAME, offsetof(walk_spec_t, pwc_replacement), 0, 0, 0, "",
     "page-walk cache, policy", repl_name, "lru"},
    {0},
};

static int pwc_init(walker_t *w, err_t *e) {
  const walk_spec_t *s = &w->spec;
  uint32_t lines = s->pwc_bytes / s->pwc_line_bytes, sets = lines / s->pwc_ways;
  if ((s->pwc_line_bytes & (s->pwc_line_bytes - 1)) || !sets || (sets & (sets - 1)) ||
      sets * s->pwc_ways != lines)
    return err_set(e, GMMU_ERANGE,
                   "a page-walk cache of %u bytes, %u ways and entries of %u bytes has no power of "
                   "two of sets",
                   s->pwc_bytes, s->pwc_ways, s->pwc_line_bytes);
  w->pwc_line_shift = (uint32_t)__builtin_ctz(s->pwc_line_bytes);
  return assoc_init(&w->pwc, sets, s->pwc_ways, s->pwc_replacement, e);
}

int walker_init(walker_t *w, const walk_spec_t *spec, uint32_t apps, err_t *e) {
  memset(w, 0, sizeof *w);
  w->spec = *spec;
  w->apps = apps;
  w->queue_head = w->queue_tail = UINT32_MAX;
  w->thread = calloc(spec->threads, sizeof *w->thread);
  w->stats = calloc(apps, sizeof *w->stats);
  w->app_active = calloc(apps, sizeof *w->app_active);
  w->app_since = calloc(apps, sizeof *w->app_since);
  if (!w->thread || !w->stats || !w->app_active || !w->app_since)
    return err_set(e, GMMU_ENOMEM, "out of memory for the walker");
  for (uint32_t i = 0; i < spec->threads; i++) w->thread[i].next = i + 1;
  return spec->pwc ? pwc_init(w, e) : GMMU_OK;
}

void walker_fini(walker_t *w) {
  free(w->thread);
  free(w->stats);
  free(w->app_active);
  free(w->app_since);
  assoc_fini(&w->pwc);
}

void walker_count(walker_t *w, uint8_t app, uint64_t now) {
  w->stats[app].active_cycles += w->app_active[app] * (now - w->app_since[app]);
  w->app_since[app] = now;
}

uint32_t walker_take(walker_t *w, uint8_t app, uint64_t now) {
  uint32_t i = w->free_head;
  w->free_head = w->thread[i].next;
  w->active++;
  walker_count(w, app, now);
  if (++w->app_active[app] > w->stats[app].max_active)
    w->stats[app].max_active = w->app_active[app];
  return i;
}

void walker_give(walker_t *w, uint32_t thread, uint8_t app, uint64_t now) {
  w->thread[thread].next = w->free_head;
  w->free_head = thread;
  w->active--;
  walker_count(w, app, now);
  w->app_active[app]--;
}

static uint32_t pwc_set(const walker_t *w, uint64_t line) {
  return (uint32_t)line & (w->pwc.sets - 1);
}

bool walker_pwc_lookup(walker_t *w, paddr_t entry) {
  uint64_t line = entry.v >> w->pwc_line_shift;
  return assoc_use(&w->pwc, pwc_set(w, line), line) != ASSOC_NONE;
}

void walker_pwc_fill(walker_t *w, paddr_t entry) {
  uint64_t line = entry.v >> w->pwc_line_shift, old;
  bool evicted;
  if (assoc_use(&w->pwc, pwc_set(w, line), line) == ASSOC_NONE)
    assoc_fill(&w->pwc, pwc_set(w, line), line, 0, &evicted, &old);
}

void walker_pwc_flush(walker_t *w) {
  if (w->pwc.sets) assoc_clear(&w->pwc);
}
