/* The hooks of walks and pages. Invariant: thread[t].step holds what the walk of thread t has read
 * so far, if walks are watched. */
#include "observe/observe.h"

static int no_memory(err_t *e) {
  return err_set(e, GMMU_ENOMEM, "out of memory for what is observed");
}

int observe_reads(observe_t *o) {
  if (!o->thread) o->thread = calloc(observe_walker(o)->walks, sizeof *o->thread);
  return o->thread ? GMMU_OK : GMMU_ENOMEM;
}

static int init_walks(observe_t *o) {
  int rc = GMMU_OK;
  o->walks = calloc(observe_share(o)->apps, sizeof *o->walks);
  if (!o->walks || observe_reads(o) < 0) return GMMU_ENOMEM;
  for (uint32_t a = 0; a < observe_share(o)->apps && rc == 0; a++)
    rc = walk_sample_init(&o->walks[a], observe_spec(o)->observe.walks);
  return rc;
}

static int init_pages(observe_t *o) {
  int rc = GMMU_OK;
  o->pages = calloc(observe_share(o)->apps, sizeof *o->pages);
  if (!o->pages) return GMMU_ENOMEM;
  for (uint32_t a = 0; a < observe_share(o)->apps && rc == 0; a++) rc = heat_init(&o->pages[a]);
  return rc;
}

static int observe_init(void *block, err_t *e) {
  observe_t *o = block;
  int rc = GMMU_OK;
  if (observe_spec(o)->observe.walks) rc = init_walks(o);
  if (rc == 0 && observe_spec(o)->observe.pages) rc = init_pages(o);
  return rc < 0 ? no_memory(e) : GMMU_OK;
}

static void observe_fini(void *block) {
  observe_t *o = block;
  for (uint32_t a = 0; o->walks && a < observe_share(o)->apps; a++) walk_sample_fini(&o->walks[a]);
  for (uint32_t a = 0; o->pages && a < observe_share(o)->apps; a++) heat_fini(&o->pages[a]);
  free(o->walks);
  free(o->pages);
  free(o->thread);
}

/* A line that has its translation at once is a hit. */
void observe_lookup(observe_t *o, const sm_t *s, const group_t *gr) {
  bool hit = observe_pool(o)->at[gr->lines.head].flags & REQ_XLATED;
  if (observe_timeline(o)->on) timeline_lookup(observe_timeline(o), s, gr, hit);
  if (o->pages) heat_add(&o->pages[gr->asid], gr->vpn.v, observe_ev(o)->now, !hit);
}

/* walker_retarget() may have changed the path since the read began, and with it what is a leaf. */
void observe_read(observe_t *o, uint32_t thread, uint32_t level, uint32_t dram_cycles,
                  bool pwc_hit) {
  const walk_thread_t *t = &observe_walker(o)->thread[thread];
  const walk_spec_t *s = &observe_walker(o)->spec;
  bool asked = s->pwc && pwc_holds(observe_walker(o), &t->path, level);
  uint64_t total = observe_ev(o)->now - t->t_read, pwc = asked ? s->pwc_latency_cycles : 0;
  if (pwc_hit) total = pwc; /* told when it is found, not when it is there */
  if (pwc + dram_cycles > total) pwc = total - dram_cycles;
  o->thread[thread].step[level] = (walk_step_t){
      .pwc_cycles = pwc, .l2_cycles = total - pwc - dram_cycles, .dram_cycles = dram_cycles};
}

void observe_walk(observe_t *o, uint32_t thread) {
  const walk_thread_t *t = &observe_walker(o)->thread[thread];
  const xlat_t *x = &observe_xlat(o)->at[t->xlat];
  if (observe_timeline(o)->on) timeline_walk(observe_timeline(o), thread);
  if (!o->walks) return;
  sampled_walk_t w = {.asked_cycle = x->t_below,
                      .va = x->vpn.v << observe_memory(o)->page_shift,
                      .sm = x->sm,
                      .warp = x->warp,
                      .queue_cycles = x->t_walk - x->t_below,
                      .walk_cycles = observe_ev(o)->now - x->t_walk,
                      .faulted = !t->path.mapped,
                      .large = t->path.large,
                      .steps = observe_walker(o)->spec.fixed_cycles ? 0 : t->level};
  for (uint32_t i = 0; i < w.steps; i++) w.step[i] = o->thread[thread].step[i];
  walk_sample_add(&o->walks[x->asid], &w);
}

static void observe_settle(void *block) {
  observe_t *o = block;
  for (uint32_t a = 0; o->pages && a < observe_share(o)->apps; a++) heat_sort(&o->pages[a]);
}
