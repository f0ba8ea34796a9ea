/* Applications: their host commands, kernels and blocks. A kernel has ended when all its blocks
 * have and none of its lines is under way, so their memory changes between
 * kernels only; compaction and demand paging (moves.c, paging.c) may change it any time. */
#include "share/share.h"
#include <string.h>

static int app_fail(share_t *h, uint32_t a, int rc) {
  if (share_ev(h)->error.code && !share_ev(h)->error.key[0])
    err_for_key(&share_ev(h)->error, h->app[a].name);
  engine_fail(share_ev(h), rc);
  return rc;
}

/* Whatever the paging: the pages of the host's memory are where they are. */
static int alloc_host(share_t *h, asid_t a, vaddr_t va, uint64_t bytes) {
  int rc =
      mm_alloc(share_memory(h)->mm, a, va, bytes, &share_memory(h)->actions, &share_ev(h)->error);
  return rc == 0 ? mapped_add(share_mapped(h), a, va, bytes, &share_ev(h)->error) : rc;
}

static int app_memory(share_t *h, uint32_t a, const command_t *c) {
  int rc = 0;
  vaddr_t va = {c->va};
  if (c->kind == CMD_ALLOC && share_paging(h)->on)
    rc = paging_reserve(share_paging(h), (asid_t)a, va, c->bytes);
  else if (c->kind == CMD_ALLOC)
    rc = mm_alloc(share_memory(h)->mm, (asid_t)a, va, c->bytes, &share_memory(h)->actions,
                  &share_ev(h)->error);
  else if (c->kind == CMD_FREE)
    rc = mm_release(share_memory(h)->mm, (asid_t)a, va, &share_memory(h)->actions,
                    &share_ev(h)->error);
  else if (c->kind == CMD_ALLOC_HOST)
    rc = alloc_host(h, (asid_t)a, va, c->bytes);
  else if (c->kind == CMD_COLOURS)
    rc = colours_use(share_colours(h), a, c->va, &share_ev(h)->error);
  if (c->kind == CMD_FREE) mapped_drop(share_mapped(h), (asid_t)a, va);
  moves_carry_out(share_moves(h));
  return rc;
}

/* Machine code of another GPU may need more of an SM than there is: a block has it all to itself.
 */
static launch_t cut_to_sm(const sm_spec_t *sm, const launch_t *l) {
  launch_t cut = *l;
  uint32_t regs = sm->registers / (launch_warps(l) * WARP_LANES);
  if (!l->machine || sm_occupancy(sm, l)) return cut;
  if (cut.shared_bytes > sm->shared_bytes) cut.shared_bytes = sm->shared_bytes;
  if (cut.regs_per_thread > regs) cut.regs_per_thread = regs;
  return cut;
}

static int app_begin_launch(share_t *h, uint32_t a, const launch_t *given) {
  app_t *p = &h->app[a];
  const launch_t cut = cut_to_sm(&share_spec(h)->sm, given), *l = &cut;
  if (!sm_occupancy(&share_spec(h)->sm, l))
    return err_set(&share_ev(h)->error, GMMU_ERANGE,
                   "kernel %s: a block of %u threads, %u registers per thread and %u bytes of "
                   "shared memory does not fit an SM",
                   l->name, launch_threads(l), l->regs_per_thread, l->shared_bytes);
  int rc = sm_decode(&p->code, &share_spec(h)->sm, l, &share_ev(h)->error);
  if (rc < 0) return rc;
  p->launch = *l;
  p->blocks = launch_blocks(l);
  p->next_block = p->blocks_running = 0;
  p->launched_any = p->running = true;
  p->launch_held = false;
  p->launches++;
  if (share_spec(h)->core.launch_cycles) {
    p->waiting_launch = true;
    message_send(share_ev(h), FROM_HOST, share_ev(h)->now + share_spec(h)->core.launch_cycles,
                 EV_LAUNCH, a);
  } else {
    share_launch(h, a);
  }
  return GMMU_OK;
}

/* With turns: others have the SMs, or the application may not start anything on them any more. */
static bool not_its_turn(const share_t *h, uint32_t a) {
  return share_turns(h)->on && (share_turns(h)->phase != TURN_RUNS || share_turns(h)->current != a);
}

void share_tell_ended(share_t *h, uint32_t sm) {
  message_send(share_ev(h), FROM_SM(sm), share_ev(h)->now + 1, EV_ENDED, sm);
}

void share_ended(share_t *h, uint32_t sm) {
  h->ended[sm] = share_cores(h)->sm[sm].ended;
  h->attention[sm >> 6] |= 1ull << (sm & 63);
  h->any_ended = true;
}

/* The fill policy hears which warps there are. */
static void tell_slots(share_t *h, uint32_t a, uint32_t sm) {
  uint64_t mask = 0;
  for (uint32_t c = 0; c < SM_MAX_CTAS; c++)
    if (share_cores(h)->sm[sm].cta[c].used && share_cores(h)->sm[sm].cta[c].app == a)
      mask |= share_cores(h)->sm[sm].cta[c].warps;
  share_tlb(h)->fill->slots(share_tlb(h)->fill_state, (asid_t)a, sm, mask);
}

static bool fits(const share_t *h, uint32_t a, const sm_t *s) {
  const launch_t *l = &h->app[a].launch;
  return sm_fits(s, l) && (!h->parts || sm_fits_part(s, l, (uint8_t)a, &h->app[a].part));
}

/* Puts the next block of `a` on the SM if there is one and it fits. */
static bool start_block(share_t *h, uint32_t a, uint32_t sm) {
  app_t *p = &h->app[a];
  if (!p->running || p->waiting_launch || p->next_block == p->blocks || not_its_turn(h, a) ||
      !fits(h, a, &share_cores(h)->sm[sm]))
    return false;
  int rc = sm_start(&share_cores(h)->sm[sm], share_ev(h)->now, &p->launch, &p->code, p->source,
                    (uint8_t)a, (uint32_t)p->next_block, &share_ev(h)->error);
  if (rc < 0) {
    app_fail(h, a, rc);
    return false;
  }
  p->next_block++;
  p->blocks_running++;
  if (share_tlb(h)->fill->slots) tell_slots(h, a, sm);
  if (share_cores(h)->sm[sm].ended) share_tell_ended(h, sm); /* a block without instructions */
  cores_wake(share_cores(h), sm);
  return true;
}

/* One block per SM and round, as far as they fit. */
static void start_blocks(share_t *h, uint32_t a) {
  const app_t *p = &h->app[a];
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0; i < p->sms; i++) any |= start_block(h, a, p->first_sm + i);
  }
}

void share_launch_due(share_t *h, uint32_t app) { h->app[app].launch_due = h->due = true; }

/* L1 begins anew, beside the shared memory that the kernel's blocks use. */
static bool restart_l1(share_t *h, uint32_t a) {
  const app_t *p = &h->app[a];
  uint32_t shared = p->launch.shared_bytes * sm_occupancy(&share_spec(h)->sm, &p->launch);
  for (uint32_t sm = p->first_sm; sm < p->first_sm + p->sms; sm++) {
    int rc = l1_restart(share_l1(h), sm, share_cores(h)->sm[sm].shared_used + shared,
                        &share_ev(h)->error);
    if (rc < 0) {
      app_fail(h, a, rc);
      return false;
    }
  }
  return true;
}

void share_launch(share_t *h, uint32_t a) {
  app_t *p = &h->app[a];
  p->waiting_launch = false;
  p->launch_held = not_its_turn(h, a);
  if (share_spec(h)->l1.flush_at_launch && !p->launch_held && !restart_l1(h, a)) return;
  start_blocks(h, a);
  if (p->next_block == p->blocks && !p->blocks_running) h->due = true;
}

void share_turn(share_t *h, uint32_t a) {
  if (h->app[a].launch_held)
    share_launch(h, a);
  else
    start_blocks(h, a);
}

static int app_end(share_t *h, uint32_t a, const gpu_limits_t *limits) {
  app_t *p = &h->app[a];
  int rc = mm_release_all(share_memory(h)->mm, (asid_t)a, &share_memory(h)->actions,
                          &share_ev(h)->error);
  moves_carry_out(share_moves(h));
  paging_app_ended(share_paging(h), (asid_t)a);
  mapped_drop_all(share_mapped(h), (asid_t)a);
  WATCH_TELL(h->watch.ended, a);
  if (rc == 0 && share_colours(h)->stats)
    rc = colours_use(share_colours(h), a, share_colours(h)->of.of_space[a], &share_ev(h)->error);
  if (rc < 0) return rc;
  uint64_t issued = share_cores(h)->stats[a].warp_instructions;
  if (!p->runs) p->first_end = share_ev(h)->now;
  p->runs++;
  p->complete_cycles += share_ev(h)->now - p->run_start;
  p->complete_instructions += issued - p->run_instructions;
  p->run_start = share_ev(h)->now;
  p->run_instructions = issued;
  if (!p->launched_any) p->finished = true; /* it would end again at once, for ever */
  p->launched_any = false;
  if (limits->no_relaunch || p->once) p->finished = true;
  return p->finished ? GMMU_OK : p->source->ops->rewind(p->source, &share_ev(h)->error);
}

uint32_t share_awaited(const share_t *h, const gpu_limits_t *limits) {
  return limits->wait_for && limits->wait_for < h->apps ? limits->wait_for : h->apps;
}

bool share_finished_once(const share_t *h, const gpu_limits_t *limits) {
  for (uint32_t a = 0; a < share_awaited(h, limits); a++)
    if (!h->app[a].runs) return false;
  return true;
}

/* Host commands up to the next launch. */
static void app_advance(share_t *h, uint32_t a, const gpu_limits_t *limits) {
  app_t *p = &h->app[a];
  while (!p->running && !p->finished && !share_ev(h)->failed) {
    command_t c = {0};
    int rc = p->source->ops->next_command(p->source, share_ev(h)->now, &c, &share_ev(h)->error);
    if (rc == 0) WATCH_TELL(h->watch.command, a, &c);
    if (rc == 0 && c.kind == CMD_LAUNCH) rc = app_begin_launch(h, a, &c.launch);
    if (rc == 0 && (c.kind == CMD_ALLOC || c.kind == CMD_FREE || c.kind == CMD_ALLOC_HOST ||
                    c.kind == CMD_COLOURS))
      rc = app_memory(h, a, &c);
    if (rc == 0 && c.kind == CMD_END) rc = app_end(h, a, limits);
    if (rc < 0) app_fail(h, a, rc);
    if (c.kind == CMD_END && !limits->cycles && !limits->instructions &&
        share_ev(h)->now >= limits->min_cycles && share_finished_once(h, limits)) {
      h->over = true;
      return;
    }
  }
}

/* With a limit on cycles or instructions the run goes on until it; else until everybody finished
 * once. */
static void note_end(share_t *h) {
  bool active = false;
  for (uint32_t a = 0; a < h->apps; a++) active |= !h->app[a].finished;
  if (!active) h->over = true;
}

/* Where everybody has a part, the room may be somebody else's: those behind the one whose block
 * ended come first, so that all have their turn. */
static void refill_shared(share_t *h, uint32_t sm, uint32_t after) {
  for (uint32_t k = 1; k <= h->apps; k++)
    while (start_block(h, (after + k) % h->apps, sm)) {
    }
}

static void collect_blocks(share_t *h, uint32_t sm) {
  sm_t *s = &share_cores(h)->sm[sm];
  uint32_t apps = 0, last = 0;
  for (uint32_t m = h->ended[sm]; m; m &= m - 1) {
    uint32_t c = (uint32_t)__builtin_ctz(m), a = s->cta[c].app;
    app_t *p = &h->app[a];
    apps |= 1u << a, last = a;
    sm_collect(s, share_ev(h)->now, c);
    if (share_tlb(h)->fill->slots) tell_slots(h, a, sm);
    p->blocks_done++;
    if (--p->blocks_running == 0 && p->next_block == p->blocks) h->due = true;
  }
  if (h->parts) refill_shared(h, sm, last);
  for (; apps && !h->parts; apps &= apps - 1)
    while (start_block(h, (uint32_t)__builtin_ctz(apps), sm)) {
    }
}

void share_attend(share_t *h, const gpu_limits_t *limits) {
  h->any_ended = false;
  for (uint32_t w = 0; w < share_cores(h)->words; w++)
    while (h->attention[w]) {
      uint32_t sm = w * 64 + (uint32_t)__builtin_ctzll(h->attention[w]);
      h->attention[w] &= h->attention[w] - 1;
      collect_blocks(h, sm);
    }
  if (!h->due) return;
  h->due = false;
  for (uint32_t a = 0; a < h->apps; a++) {
    app_t *p = &h->app[a];
    if (p->launch_due) {
      p->launch_due = false;
      share_launch(h, a);
    }
    if (p->running && !p->waiting_launch && p->next_block == p->blocks && !p->blocks_running &&
        !h->lines[a]) {
      p->running = share_cores(h)->idle_at[a] == share_ev(h)->now; /* that is heard in the next */
      h->due |= p->running;
    }
    if (!p->running && !p->finished) app_advance(h, a, limits);
    if (h->over || share_ev(h)->failed) return;
  }
  note_end(h);
}

int share_start(share_t *h, err_t *e) {
  uint32_t slots = share_spec(h)->core.sms * share_spec(h)->sm.warps;
  for (uint32_t a = 0; a < h->apps; a++) {
    source_t *s = h->app[a].source;
    int rc = s->ops->bind(s, slots, share_spec(h)->sm.warps, e);
    if (rc == 0) rc = s->ops->rewind(s, e);
    if (rc < 0) return rc;
  }
  h->due = true;
  return GMMU_OK;
}
