/* Applications: their host commands, kernels and blocks. A kernel has ended when all its blocks
 * have and none of its lines is under way, so their memory changes between
 * kernels only; compaction and demand paging (moves.c, paging.c) may change it any time. */
#include "gpu/machine.h"
#include <string.h>

static int app_fail(gpu_t *g, uint32_t a, int rc) {
  if (g->error.code && !g->error.key[0]) err_for_key(&g->error, g->app[a].name);
  fail(g, rc);
  return rc;
}

/* Whatever the paging: the pages of the host's memory are where they are. */
static int alloc_host(gpu_t *g, asid_t a, vaddr_t va, uint64_t bytes) {
  int rc = mm_alloc(g->mm, a, va, bytes, &g->actions, &g->error);
  return rc == 0 ? mapped_add(g, a, va, bytes, &g->error) : rc;
}

static int app_memory(gpu_t *g, uint32_t a, const command_t *c) {
  int rc = 0;
  vaddr_t va = {c->va};
  if (c->kind == CMD_ALLOC && g->paging.on)
    rc = paging_reserve(g, (asid_t)a, va, c->bytes);
  else if (c->kind == CMD_ALLOC)
    rc = mm_alloc(g->mm, (asid_t)a, va, c->bytes, &g->actions, &g->error);
  else if (c->kind == CMD_FREE)
    rc = mm_release(g->mm, (asid_t)a, va, &g->actions, &g->error);
  else if (c->kind == CMD_ALLOC_HOST)
    rc = alloc_host(g, (asid_t)a, va, c->bytes);
  else if (c->kind == CMD_COLOURS)
    rc = colours_use(g, a, c->va, &g->error);
  if (c->kind == CMD_FREE) mapped_drop(g, (asid_t)a, va);
  moves_carry_out(g, g->ev.now + 1);
  return rc;
}

static int app_begin_launch(gpu_t *g, uint32_t a, const launch_t *l) {
  app_t *p = &g->app[a];
  if (!sm_occupancy(&g->spec.sm, l))
    return err_set(&g->error, GMMU_ERANGE,
                   "kernel %s: a block of %u threads, %u registers per thread and %u bytes of "
                   "shared memory does not fit an SM",
                   l->name, launch_threads(l), l->regs_per_thread, l->shared_bytes);
  int rc = sm_decode(&p->code, &g->spec.sm, l, &g->error);
  if (rc < 0) return rc;
  p->launch = *l;
  p->blocks = launch_blocks(l);
  p->next_block = p->blocks_running = 0;
  p->launched_any = p->running = true;
  p->launch_held = false;
  p->launches++;
  if (g->spec.core.launch_cycles) {
    p->waiting_launch = true;
    engine_schedule(&g->ev, g->ev.now + g->spec.core.launch_cycles, EV_LAUNCH, a);
  } else {
    apps_launch(g, a);
  }
  return GMMU_OK;
}

/* With turns: others have the SMs, or the application may not start anything on them any more. */
static bool not_its_turn(const gpu_t *g, uint32_t a) {
  return g->turns.on && (g->turns.phase != TURN_RUNS || g->turns.current != a);
}

/* The fill policy hears which warps there are. */
static void tell_slots(gpu_t *g, uint32_t a, uint32_t sm) {
  uint64_t mask = 0;
  for (uint32_t c = 0; c < SM_MAX_CTAS; c++)
    if (g->sm[sm].cta[c].used && g->sm[sm].cta[c].app == a) mask |= g->sm[sm].cta[c].warps;
  g->fill->slots(g->fill_state, (asid_t)a, sm, mask);
}

static bool fits(const gpu_t *g, uint32_t a, const sm_t *s) {
  const launch_t *l = &g->app[a].launch;
  return sm_fits(s, l) && (!g->sm_shared || sm_fits_part(s, l, (uint8_t)a, &g->app[a].part));
}

/* Puts the next block of `a` on the SM if there is one and it fits. */
static bool start_block(gpu_t *g, uint32_t a, uint32_t sm) {
  app_t *p = &g->app[a];
  if (!p->running || p->waiting_launch || p->next_block == p->blocks || not_its_turn(g, a) ||
      !fits(g, a, &g->sm[sm]))
    return false;
  int rc = sm_start(&g->sm[sm], g->ev.now, &p->launch, &p->code, p->source, (uint8_t)a,
                    (uint32_t)p->next_block, &g->error);
  if (rc < 0) {
    app_fail(g, a, rc);
    return false;
  }
  p->next_block++;
  p->blocks_running++;
  if (g->fill->slots) tell_slots(g, a, sm);
  if (g->sm[sm].ended)
    g->attention[sm >> 6] |= 1ull << (sm & 63); /* a block without instructions */
  wake_sm(g, sm);
  return true;
}

/* One block per SM and round, as far as they fit. */
static void start_blocks(gpu_t *g, uint32_t a) {
  const app_t *p = &g->app[a];
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0; i < p->sms; i++) any |= start_block(g, a, p->first_sm + i);
  }
}

void apps_launch(gpu_t *g, uint32_t a) {
  app_t *p = &g->app[a];
  p->waiting_launch = false;
  p->launch_held = not_its_turn(g, a);
  for (uint32_t i = 0; g->spec.l1.flush_at_launch && !p->launch_held && i < p->sms; i++)
    cache_invalidate_all(&g->l1[p->first_sm + i].array);
  start_blocks(g, a);
  if (p->next_block == p->blocks && !p->blocks_running) g->apps_attention = true;
}

void apps_turn(gpu_t *g, uint32_t a) {
  if (g->app[a].launch_held)
    apps_launch(g, a);
  else
    start_blocks(g, a);
}

static int app_end(gpu_t *g, uint32_t a, const gpu_limits_t *limits) {
  app_t *p = &g->app[a];
  int rc = mm_release_all(g->mm, (asid_t)a, &g->actions, &g->error);
  moves_carry_out(g, g->ev.now + 1);
  paging_app_ended(g, (asid_t)a);
  mapped_drop_all(g, (asid_t)a);
  if (rc == 0 && g->colours.stats) rc = colours_use(g, a, g->colours.of.of_space[a], &g->error);
  if (rc < 0) return rc;
  uint64_t issued = g->sm_stats[a].warp_instructions;
  if (!p->runs) p->first_end = g->ev.now;
  p->runs++;
  p->complete_cycles += g->ev.now - p->run_start;
  p->complete_instructions += issued - p->run_instructions;
  p->run_start = g->ev.now;
  p->run_instructions = issued;
  if (!p->launched_any) p->finished = true; /* it would end again at once, for ever */
  p->launched_any = false;
  if (limits->no_relaunch) p->finished = true;
  return p->finished ? GMMU_OK : p->source->ops->rewind(p->source, &g->error);
}

uint32_t apps_awaited(const gpu_t *g, const gpu_limits_t *limits) {
  return limits->wait_for && limits->wait_for < g->apps ? limits->wait_for : g->apps;
}

bool apps_finished_once(const gpu_t *g, const gpu_limits_t *limits) {
  for (uint32_t a = 0; a < apps_awaited(g, limits); a++)
    if (!g->app[a].runs) return false;
  return true;
}

/* Host commands up to the next launch. */
static void app_advance(gpu_t *g, uint32_t a, const gpu_limits_t *limits) {
  app_t *p = &g->app[a];
  while (!p->running && !p->finished && !g->failed) {
    command_t c = {0};
    int rc = p->source->ops->next_command(p->source, g->ev.now, &c, &g->error);
    if (rc == 0 && c.kind == CMD_LAUNCH) rc = app_begin_launch(g, a, &c.launch);
    if (rc == 0 && (c.kind == CMD_ALLOC || c.kind == CMD_FREE || c.kind == CMD_ALLOC_HOST ||
                    c.kind == CMD_COLOURS))
      rc = app_memory(g, a, &c);
    if (rc == 0 && c.kind == CMD_END) rc = app_end(g, a, limits);
    if (rc < 0) app_fail(g, a, rc);
    if (c.kind == CMD_END && !limits->cycles && !limits->instructions &&
        g->ev.now >= limits->min_cycles && apps_finished_once(g, limits)) {
      g->over = true;
      return;
    }
  }
}

/* With a limit on cycles or instructions the run goes on until it; else until everybody finished
 * once. */
static void note_end(gpu_t *g) {
  bool active = false;
  for (uint32_t a = 0; a < g->apps; a++) active |= !g->app[a].finished;
  if (!active) g->over = true;
}

/* Where everybody has a part, the room may be somebody else's: those behind the one whose block
 * ended come first, so that all have their turn. */
static void refill_shared(gpu_t *g, uint32_t sm, uint32_t after) {
  for (uint32_t k = 1; k <= g->apps; k++)
    while (start_block(g, (after + k) % g->apps, sm)) {
    }
}

static void collect_blocks(gpu_t *g, uint32_t sm) {
  sm_t *s = &g->sm[sm];
  uint32_t apps = 0, last = 0;
  for (uint32_t m = s->ended; m; m &= m - 1) {
    uint32_t c = (uint32_t)__builtin_ctz(m), a = s->cta[c].app;
    app_t *p = &g->app[a];
    apps |= 1u << a, last = a;
    sm_collect(s, g->ev.now, c);
    if (g->fill->slots) tell_slots(g, a, sm);
    p->blocks_done++;
    if (--p->blocks_running == 0 && p->next_block == p->blocks) g->apps_attention = true;
  }
  if (g->sm_shared) refill_shared(g, sm, last);
  for (; apps && !g->sm_shared; apps &= apps - 1)
    while (start_block(g, (uint32_t)__builtin_ctz(apps), sm)) {
    }
}

void apps_attend(gpu_t *g, const gpu_limits_t *limits) {
  g->any_ended = false;
  for (uint32_t w = 0; w < g->sm_words; w++)
    while (g->attention[w]) {
      uint32_t sm = w * 64 + (uint32_t)__builtin_ctzll(g->attention[w]);
      g->attention[w] &= g->attention[w] - 1;
      collect_blocks(g, sm);
    }
  if (!g->apps_attention) return;
  g->apps_attention = false;
  for (uint32_t a = 0; a < g->apps; a++) {
    app_t *p = &g->app[a];
    if (p->launch_due) {
      p->launch_due = false;
      apps_launch(g, a);
    }
    if (p->running && !p->waiting_launch && p->next_block == p->blocks && !p->blocks_running &&
        !g->app_lines[a])
      p->running = false;
    if (!p->running && !p->finished) app_advance(g, a, limits);
    if (g->over || g->failed) return;
  }
  note_end(g);
}

int apps_start(gpu_t *g, err_t *e) {
  uint32_t slots = g->spec.core.sms * g->spec.sm.warps;
  for (uint32_t a = 0; a < g->apps; a++) {
    source_t *s = g->app[a].source;
    int rc = s->ops->bind(s, slots, g->spec.sm.warps, e);
    if (rc == 0) rc = s->ops->rewind(s, e);
    if (rc < 0) return rc;
  }
  g->apps_attention = true;
  return GMMU_OK;
}
