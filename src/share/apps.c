/* Applications: their host commands, kernels and blocks. A kernel has ended when all its blocks
 * have and none of its lines is under way. Memory that the program has goes while it has no kernel
 * in flight; new memory may come any time. Compaction and demand paging (moves.c, paging.c) change
 * it any time, too.
 *
 * Kernels of several streams are in flight at once: each waits for those that the order of the
 * program's streams and events names (launch_t.after), in its place among them. */
#include "share/share.h"
#include <stdlib.h>
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

/* ---- kernels ---- */

/* What a message says of a kernel. */
static uint32_t kernel_number(uint32_t a, const kernel_t *k) {
  return k->launch.place * GMMU_MAX_APPS + a;
}

/* A place among those in flight. There is one: app_advance() asks. */
static kernel_t *kernel_take(app_t *p) {
  uint32_t i = 0;
  while (p->kernel[i] && p->kernel[i]->state != KERNEL_NONE) i++;
  if (!p->kernel[i]) p->kernel[i] = calloc(1, sizeof *p->kernel[i]);
  if (!p->kernel[i]) return NULL;
  p->order[p->running++] = (uint8_t)i;
  p->kernel[i]->launch.place = i;
  return p->kernel[i];
}

static void kernel_give(app_t *p, kernel_t *k) {
  uint32_t i = 0;
  while (p->kernel[p->order[i]] != k) i++;
  memmove(&p->order[i], &p->order[i + 1], p->running - i - 1);
  p->running--;
  if (k->state >= KERNEL_HELD) p->started--;
  if (k->source != p->source) k->source->ops->free(k->source);
  k->source = NULL, k->state = KERNEL_NONE;
}

static void kernel_starts(share_t *h, uint32_t a, kernel_t *k);

/* Has every launch ended that it waits for? Those that are not under way have. */
static bool may_begin(const share_t *h, const app_t *p, const kernel_t *k) {
  uint32_t busy = 0;
  for (uint32_t i = 0; i < p->running; i++) {
    const kernel_t *other = p->kernel[p->order[i]];
    busy += other->state > KERNEL_WAITS;
    if (other->number >= k->number) continue;
    if (!k->launch.overlaps || !other->launch.overlaps) return false;
    for (uint32_t n = 0; n < k->launch.afters; n++)
      if (k->after[n] == other->number) return false;
  }
  return busy < share_spec(h)->share.kernels;
}

/* Cycles from a launch to its first block. share.stagger delays each application's first launch by
 * so much more than the one before it; that is not part of its execution. */
static uint64_t launch_wait(share_t *h, uint32_t a, const kernel_t *k) {
  app_t *p = &h->app[a];
  uint64_t late = (uint64_t)a * share_spec(h)->share.stagger_cycles, now = share_ev(h)->now;
  if (p->launches == 1 && k->number == 0) p->run_start += late, p->first_start = now + late;
  late = p->first_start > now ? p->first_start - now : 0;
  return share_spec(h)->core.launch_cycles + late;
}

static void kernel_begins(share_t *h, uint32_t a, kernel_t *k) {
  uint64_t wait = launch_wait(h, a, k);
  k->state = KERNEL_COMES;
  if (wait)
    message_send(share_ev(h), FROM_HOST, share_ev(h)->now + wait, EV_LAUNCH, kernel_number(a, k));
  else
    kernel_starts(h, a, k);
}

/* In the order in which they were asked for. */
static void begin_waiting(share_t *h, uint32_t a) {
  app_t *p = &h->app[a];
  for (uint32_t i = 0; i < p->running && !share_ev(h)->failed; i++) {
    kernel_t *k = p->kernel[p->order[i]];
    if (k->state == KERNEL_WAITS && may_begin(h, p, k)) kernel_begins(h, a, k);
  }
}

static int fill_kernel(share_t *h, app_t *p, kernel_t *k, const launch_t *given) {
  uint32_t place = k->launch.place, most = share_spec(h)->share.kernels;
  bool overlaps =
      given->overlaps && p->source->ops->detach && most > 1 && given->afters <= LAUNCH_MAX_AFTER;
  k->state = KERNEL_WAITS;
  k->source = p->source;
  k->launch = cut_to_sm(&share_spec(h)->sm, given);
  k->launch.place = place, k->launch.overlaps = overlaps;
  k->number = p->numbered++;
  k->blocks = launch_blocks(&k->launch);
  k->next_block = k->blocks_running = 0;
  if (overlaps && given->afters) memcpy(k->after, given->after, given->afters * sizeof *k->after);
  const launch_t *l = &k->launch;
  if (!sm_occupancy(&share_spec(h)->sm, l))
    return err_set(&share_ev(h)->error, GMMU_ERANGE,
                   "kernel %s: a block of %u threads, %u registers per thread and %u bytes of "
                   "shared memory does not fit an SM",
                   l->name, launch_threads(l), l->regs_per_thread, l->shared_bytes);
  int rc = sm_decode(&k->code, &share_spec(h)->sm, l, &share_ev(h)->error);
  if (rc < 0 || !overlaps) return rc;
  return p->source->ops->detach(p->source, &k->source, &share_ev(h)->error);
}

static int app_begin_launch(share_t *h, uint32_t a, command_t *c) {
  app_t *p = &h->app[a];
  kernel_t *k = kernel_take(p);
  if (!k) return err_set(&share_ev(h)->error, GMMU_ENOMEM, "out of memory for a kernel");
  c->launch.place = k->launch.place;
  WATCH_TELL(h->watch.command, a, c);
  int rc = fill_kernel(h, p, k, &c->launch);
  if (rc < 0) {
    k->source = p->source;
    kernel_give(p, k);
    return rc;
  }
  p->launched_any = true;
  p->alone = !k->launch.overlaps;
  p->launches++;
  if (may_begin(h, p, k)) kernel_begins(h, a, k);
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

static bool fits(const share_t *h, uint32_t a, const launch_t *l, const sm_t *s) {
  return sm_fits(s, l) && (!h->parts || sm_fits_part(s, l, (uint8_t)a, &h->app[a].part));
}

/* Blocks come from the oldest kernel that has some left; later ones wait for it, also where they
 * would fit and it does not. */
static kernel_t *next_kernel(const app_t *p) {
  if (!p->started) return NULL;
  for (uint32_t i = 0; i < p->running; i++) {
    kernel_t *k = p->kernel[p->order[i]];
    if (k->state == KERNEL_RUNS && k->next_block < k->blocks) return k;
  }
  return NULL;
}

/* Puts the next block of `a` on the SM if there is one and it fits. */
static bool start_block(share_t *h, uint32_t a, uint32_t sm) {
  app_t *p = &h->app[a];
  kernel_t *k = next_kernel(p);
  if (!k || not_its_turn(h, a) || !fits(h, a, &k->launch, &share_cores(h)->sm[sm])) return false;
  int rc = sm_start(&share_cores(h)->sm[sm], share_ev(h)->now, &k->launch, &k->code, k->source,
                    (uint8_t)a, (uint32_t)k->next_block, &share_ev(h)->error);
  if (rc < 0) {
    app_fail(h, a, rc);
    return false;
  }
  k->next_block++;
  k->blocks_running++;
  if (share_tlb(h)->fill->slots) tell_slots(h, a, sm);
  if (share_cores(h)->sm[sm].ended) share_tell_ended(h, sm); /* a block without instructions */
  cores_wake(share_cores(h), sm);
  return true;
}

/* Beside other kernels a block goes where the most of its kind have room (Gilman et al., 2020:
 * "Demystifying the Placement Policies of the NVIDIA GPU Thread Block Scheduler"). */
static void start_beside(share_t *h, uint32_t a) {
  const app_t *p = &h->app[a];
  for (const kernel_t *k; (k = next_kernel(p));) {
    uint32_t best = p->first_sm, most = 0;
    for (uint32_t i = 0; i < p->sms; i++) {
      const sm_t *s = &share_cores(h)->sm[p->first_sm + i];
      uint32_t room = fits(h, a, &k->launch, s) ? sm_room(s, &k->launch) : 0;
      if (room > most) most = room, best = p->first_sm + i;
    }
    if (!most || !start_block(h, a, best)) return;
  }
}

/* One block per SM and round, as far as they fit. */
static void start_blocks(share_t *h, uint32_t a) {
  const app_t *p = &h->app[a];
  if (p->started > 1) {
    start_beside(h, a);
    return;
  }
  for (bool any = true; any;) {
    any = false;
    for (uint32_t i = 0; i < p->sms; i++) any |= start_block(h, a, p->first_sm + i);
  }
}

void share_launch_due(share_t *h, uint32_t kernel) {
  h->app[kernel % GMMU_MAX_APPS].kernel[kernel / GMMU_MAX_APPS]->due = h->due = true;
}

/* L1 begins anew, beside the shared memory that the kernel's blocks use. */
static bool restart_l1(share_t *h, uint32_t a, const launch_t *l) {
  const app_t *p = &h->app[a];
  uint32_t shared = l->shared_bytes * sm_occupancy(&share_spec(h)->sm, l);
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

/* Beside others that run L1 stays as it is: their lines are under way. */
static void kernel_starts(share_t *h, uint32_t a, kernel_t *k) {
  app_t *p = &h->app[a];
  bool first = p->started == 0 || (p->started == 1 && k->state == KERNEL_HELD);
  if (k->state != KERNEL_HELD) p->started++;
  k->state = not_its_turn(h, a) ? KERNEL_HELD : KERNEL_RUNS;
  if (share_spec(h)->l1.flush_at_launch && k->state == KERNEL_RUNS && first &&
      !restart_l1(h, a, &k->launch))
    return;
  start_blocks(h, a);
  if (k->next_block == k->blocks && !k->blocks_running) h->due = true;
}

void share_turn(share_t *h, uint32_t a) {
  app_t *p = &h->app[a];
  for (uint32_t i = 0; i < p->running; i++)
    if (p->kernel[p->order[i]]->state == KERNEL_HELD) kernel_starts(h, a, p->kernel[p->order[i]]);
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
  p->numbered = 0;
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

/* May the program go on, now that what it does next is known? Memory goes while no kernel runs, as
 * with cudaFree(). */
static bool may_do(const app_t *p, const command_t *c) {
  switch ((command_kind_t)c->kind) {
  case CMD_LAUNCH: return p->running < REQUEST_KERNELS;
  case CMD_COPY_IN:
  case CMD_COPY_OUT:
  case CMD_ALLOC:
  case CMD_ALLOC_HOST:
  case CMD_NAME: return true;
  case CMD_FREE:
  case CMD_COLOURS:
  case CMD_END: break;
  }
  return !p->running;
}

/* Host commands up to the next that has to wait. */
static void app_advance(share_t *h, uint32_t a, const gpu_limits_t *limits) {
  app_t *p = &h->app[a];
  command_t *c = &p->command;
  while (!(p->running && p->alone) && !p->finished && !share_ev(h)->failed) {
    int rc = 0;
    if (!p->asked) {
      *c = (command_t){0};
      rc = p->source->ops->next_command(p->source, share_ev(h)->now, c, &share_ev(h)->error);
    }
    p->asked = rc == 0 && !may_do(p, c);
    if (p->asked) return;
    if (rc == 0 && c->kind != CMD_LAUNCH) WATCH_TELL(h->watch.command, a, c);
    if (rc == 0 && c->kind == CMD_LAUNCH) rc = app_begin_launch(h, a, c);
    if (rc == 0 && (c->kind == CMD_ALLOC || c->kind == CMD_FREE || c->kind == CMD_ALLOC_HOST ||
                    c->kind == CMD_COLOURS))
      rc = app_memory(h, a, c);
    if (rc == 0 && c->kind == CMD_END) rc = app_end(h, a, limits);
    if (rc < 0) app_fail(h, a, rc);
    if (c->kind == CMD_END && !limits->cycles && !limits->instructions &&
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
    kernel_t *k = p->kernel[s->cta[c].kernel];
    apps |= 1u << a, last = a;
    sm_collect(s, share_ev(h)->now, c);
    if (share_tlb(h)->fill->slots) tell_slots(h, a, sm);
    p->blocks_done++;
    if (--k->blocks_running == 0 && k->next_block == k->blocks) h->due = true;
  }
  if (h->parts) refill_shared(h, sm, last);
  for (; apps && !h->parts; apps &= apps - 1)
    while (start_block(h, (uint32_t)__builtin_ctz(apps), sm)) {
    }
}

/* All its blocks have ended, and none of its lines is under way. */
static bool is_over(const share_t *h, uint32_t a, const kernel_t *k) {
  uint32_t lines = k->launch.overlaps ? h->stores[a][k->launch.place] : h->lines[a];
  return k->state == KERNEL_RUNS && k->next_block == k->blocks && !k->blocks_running && !lines;
}

/* Kernels that have ended leave, and those that waited for them begin. A line that ended in this
 * cycle is heard of in the next. */
static void end_kernels(share_t *h, uint32_t a) {
  app_t *p = &h->app[a];
  bool any = false;
  for (uint32_t i = 0; i < p->running;) {
    kernel_t *k = p->kernel[p->order[i]];
    if (!is_over(h, a, k)) {
      i++;
    } else if (share_cores(h)->idle_at[a] == share_ev(h)->now) {
      h->due = true;
      i++;
    } else {
      kernel_give(p, k);
      any = true;
    }
  }
  if (any) begin_waiting(h, a);
}

static void attend_app(share_t *h, uint32_t a, const gpu_limits_t *limits) {
  app_t *p = &h->app[a];
  for (uint32_t i = 0; i < p->running; i++) {
    kernel_t *k = p->kernel[p->order[i]];
    if (!k->due) continue;
    k->due = false;
    kernel_starts(h, a, k);
  }
  end_kernels(h, a);
  if (!p->finished) app_advance(h, a, limits);
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
    attend_app(h, a, limits);
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
