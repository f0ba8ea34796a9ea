/* The hooks of walks and pages. Invariant: thread[t].step holds what the walk of thread t has read
 * so far, if walk_hooks is set. */
#include "gpu/machine.h"

static int no_memory(err_t *e) {
  return err_set(e, GMMU_ENOMEM, "out of memory for what is observed");
}

int observe_reads(gpu_t *g) {
  observe_t *o = &g->observe;
  if (!o->thread) o->thread = calloc(g->walker.spec.threads, sizeof *o->thread);
  return o->thread ? GMMU_OK : GMMU_ENOMEM;
}

static int init_walks(gpu_t *g) {
  observe_t *o = &g->observe;
  int rc = GMMU_OK;
  o->walks = calloc(g->apps, sizeof *o->walks);
  if (!o->walks || observe_reads(g) < 0) return GMMU_ENOMEM;
  for (uint32_t a = 0; a < g->apps && rc == 0; a++)
    rc = walk_sample_init(&o->walks[a], g->spec.observe.walks);
  return rc;
}

static int init_pages(gpu_t *g) {
  observe_t *o = &g->observe;
  int rc = GMMU_OK;
  o->pages = calloc(g->apps, sizeof *o->pages);
  if (!o->pages) return GMMU_ENOMEM;
  for (uint32_t a = 0; a < g->apps && rc == 0; a++) rc = heat_init(&o->pages[a]);
  return rc;
}

int observe_init(gpu_t *g, err_t *e) {
  int rc = GMMU_OK;
  if (g->spec.observe.walks) rc = init_walks(g);
  if (rc == 0 && g->spec.observe.pages) rc = init_pages(g);
  return rc < 0 ? no_memory(e) : GMMU_OK;
}

void observe_fini(gpu_t *g) {
  observe_t *o = &g->observe;
  for (uint32_t a = 0; o->walks && a < g->apps; a++) walk_sample_fini(&o->walks[a]);
  for (uint32_t a = 0; o->pages && a < g->apps; a++) heat_fini(&o->pages[a]);
  free(o->walks);
  free(o->pages);
  free(o->thread);
}

/* A line that has its translation at once is a hit. */
void observe_lookup(gpu_t *g, const sm_t *s, const group_t *gr) {
  bool hit = g->pool.at[gr->lines.head].flags & REQ_XLATED;
  if (g->tracing) trace_lookup(g, s, gr, hit);
  if (g->observe.pages) heat_add(&g->observe.pages[gr->asid], gr->vpn.v, g->ev.now, !hit);
}

/* The path may have changed since the read began (flow_retarget()), and with it what is a leaf. */
void observe_read(gpu_t *g, uint32_t thread, uint32_t level, uint32_t dram_cycles, bool pwc_hit) {
  const walk_thread_t *t = &g->walker.thread[thread];
  const walk_spec_t *s = &g->walker.spec;
  bool asked = s->pwc && (s->pwc_leaf || level + 1 < t->path.levels);
  uint64_t total = g->ev.now - t->t_read, pwc = asked ? s->pwc_latency_cycles : 0;
  if (pwc_hit) total = pwc; /* told when it is found, not when it is there */
  if (pwc + dram_cycles > total) pwc = total - dram_cycles;
  g->observe.thread[thread].step[level] = (walk_step_t){
      .pwc_cycles = pwc, .l2_cycles = total - pwc - dram_cycles, .dram_cycles = dram_cycles};
}

void observe_walk(gpu_t *g, uint32_t thread) {
  const walk_thread_t *t = &g->walker.thread[thread];
  const xlat_t *x = &g->xlat.at[t->xlat];
  if (g->tracing) trace_walk(g, thread);
  if (!g->observe.walks) return;
  sampled_walk_t w = {.asked_cycle = x->t_below,
                      .va = x->vpn.v << g->page_shift,
                      .sm = x->sm,
                      .warp = x->warp,
                      .queue_cycles = x->t_walk - x->t_below,
                      .walk_cycles = g->ev.now - x->t_walk,
                      .faulted = !t->path.mapped,
                      .large = t->path.large,
                      .steps = g->walker.spec.fixed_cycles ? 0 : t->level};
  for (uint32_t i = 0; i < w.steps; i++) w.step[i] = g->observe.thread[thread].step[i];
  walk_sample_add(&g->observe.walks[x->asid], &w);
}

void observe_settle(gpu_t *g) {
  for (uint32_t a = 0; g->observe.pages && a < g->apps; a++) heat_sort(&g->observe.pages[a]);
}
