/* The live source: the machine calls step() when a warp issues, and the instruction executes then.
 *
 * Warps are named by slots; memory for every slot is set aside when a launch begins, and the host
 * pays for the slots that are used. A block lives in the place of its first warp's slot. */
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define WATCH_SCAN 4096u /* instructions between two looks whether all warps wait */

typedef struct {
  source_t base;
  ptx_t *program;
  ptx_host_t host;
  ptx_options_t options;
  err_t e;
  ptx_fault_t fault;
  uint32_t slots, slots_per_sm;
  pexec_t x;
  bool running;        /* x is a launch */
  pwarp_t *warp;       /* [slots] */
  pblock_t *block;     /* [slots] */
  pwarp_t **warp_list; /* [slots * slots_per_sm] room for each block's list */
  uint8_t *memory, *shared;
  size_t memory_bytes, shared_bytes, warp_bytes, block_shared;
  /* commands of our own, before the host's */
  uint32_t announced;    /* variables told to the machine */
  ptx_command_t waiting; /* a launch whose local memory is being announced */
  bool has_waiting;
  uint64_t local_va, local_bytes;
  bool heap_announced;
  uint64_t seen_world, idle; /* instructions since the outside world changed */
} live_t;

static live_t *live_of(source_t *s) { return (live_t *)(void *)s; }

static void *reserve(size_t bytes) {
  void *p =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

static int live_bind(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e) {
  live_t *v = live_of(s);
  v->slots = slots, v->slots_per_sm = slots_per_sm ? slots_per_sm : 1;
  v->warp = calloc(slots, sizeof *v->warp), v->block = calloc(slots, sizeof *v->block);
  v->warp_list = calloc((size_t)slots * 32, sizeof *v->warp_list);
  if (!v->warp || !v->block || !v->warp_list)
    return err_set(e, GMMU_ENOMEM, "no memory for %u warps", slots);
  for (uint32_t i = 0; i < slots; i++) {
    if (pwarp_init(&v->warp[i]) < 0)
      return err_set(e, GMMU_ENOMEM, "no memory for %u warps", slots);
    v->block[i].warp = v->warp_list + (size_t)i * 32;
  }
  return 0;
}

static int live_rewind(source_t *s, err_t *e) {
  live_t *v = live_of(s);
  if (!v->host.rewind) return err_set(e, GMMU_EINVAL, "this program cannot be started again");
  v->announced = 0, v->has_waiting = false;
  if (v->local_va) devmem_release(v->program->mem, v->local_va, NULL);
  v->local_va = v->local_bytes = 0, v->heap_announced = false;
  return v->host.rewind(v->host.ctx, e);
}

/* Variables of modules are memory of the machine too: one CMD_ALLOC each, when first seen. */
static bool announce_variable(live_t *v, command_t *c) {
  c->kind = CMD_ALLOC;
  return ptx_variable(v->program, &v->announced, &c->va, &c->bytes, &c->name);
}

static int grow(uint8_t **p, size_t *have, size_t want, err_t *e) {
  if (want <= *have) return 0;
  if (*p) munmap(*p, *have);
  *p = reserve(want), *have = *p ? want : 0;
  return *p ? 0 : err_set(e, GMMU_ENOMEM, "no memory for the launch");
}

static int start_launch(live_t *v, const ptx_command_t *h, command_t *c, err_t *e) {
  if (v->running) pexec_fini(&v->x);
  v->running = false;
  int r = pexec_init(&v->x, v->program, h->kernel, &h->launch, &v->options, &v->e);
  if (r < 0) {
    if (e) *e = v->e;
    return r;
  }
  v->running = true;
  v->x.live = true, v->x.sms = (v->slots + v->slots_per_sm - 1) / v->slots_per_sm;
  v->warp_bytes = (pexec_warp_bytes(&v->x) + 63) & ~(size_t)63;
  v->block_shared = ((size_t)v->x.shared_bytes + 127) & ~(size_t)63;
  r = grow(&v->memory, &v->memory_bytes, v->warp_bytes * v->slots, e);
  if (r == 0) r = grow(&v->shared, &v->shared_bytes, v->block_shared * v->slots, e);
  if (r < 0) return r;
  ptx_launch_describe(h->kernel, &h->launch, &v->options, &c->launch);
  v->seen_world = v->idle = 0;
  return 0;
}

/* Local memory of all warps in flight: slot after slot, words of the lanes side by side. */
static int announce_local(live_t *v, command_t *c, err_t *e) {
  uint64_t want = ptx_local_bytes(v->waiting.kernel, v->slots);
  if (want <= v->local_bytes) return 0;
  if (v->local_va) {
    c->kind = CMD_FREE, c->va = v->local_va, c->bytes = 0;
    devmem_release(v->program->mem, v->local_va, NULL);
    v->local_va = v->local_bytes = 0;
    return 1;
  }
  int r = devmem_alloc(v->program->mem, want, 1u << 16, "local memory", &v->local_va, e);
  if (r < 0) return r;
  v->local_bytes = want;
  c->kind = CMD_ALLOC, c->va = v->local_va, c->bytes = want, c->name = "local memory";
  return 1;
}

static int live_next(source_t *s, uint64_t now, command_t *c, err_t *e) {
  live_t *v = live_of(s);
  int r;
  memset(c, 0, sizeof *c);
  if (announce_variable(v, c)) return 0;
  if (!v->has_waiting) {
    memset(&v->waiting, 0, sizeof v->waiting);
    r = v->host.next(v->host.ctx, now, &v->waiting, e);
    if (r < 0) return r;
    if (v->waiting.kind != CMD_LAUNCH) {
      c->kind = v->waiting.kind, c->va = v->waiting.va, c->bytes = v->waiting.bytes;
      c->name = v->waiting.name;
      return 0;
    }
    v->has_waiting = true;
    if (announce_variable(v, c)) return 0; /* of modules that were loaded for this launch */
  }
  r = ptx_link(v->program, e);
  if (r == 0 && !v->heap_announced && ptx_uses_heap(v->program)) {
    v->heap_announced = true;
    c->kind = CMD_ALLOC, c->va = DEVMEM_HEAP, c->bytes = DEVMEM_HEAP_BYTES;
    c->name = "device heap";
    return 0;
  }
  if (r == 0) r = announce_local(v, c, e);
  if (r != 0) return r < 0 ? r : 0;
  v->has_waiting = false;
  c->kind = CMD_LAUNCH;
  return start_launch(v, &v->waiting, c, e);
}

static uint32_t row_of(const live_t *v, const pwarp_t *w) {
  const ptx_kernel_t *k = v->x.kernel;
  uint32_t i = 0;
  while (k->code[i] != w->code) i++;
  return k->row_base[i] + w->pc;
}

static uint32_t next_row(live_t *v, pwarp_t *w) {
  warp_settle(&v->x, w);
  return w->active ? row_of(v, w) : STREAM_END;
}

static int live_cta(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                    uint32_t first[], err_t *e) {
  live_t *v = live_of(s);
  if (!v->running || warps != pexec_warps(&v->x) || warps > 32)
    return err_set(e, GMMU_EINVAL, "a block has %u warps", pexec_warps(&v->x));
  pblock_t *b = &v->block[slot[0]];
  v->x.now = now;
  b->warps = warps, b->shared = v->shared + v->block_shared * slot[0];
  for (uint32_t i = 0; i < warps; i++) {
    pwarp_t *w = &v->warp[slot[i]];
    b->warp[i] = w;
    pwarp_memory(&v->x, w, v->memory + v->warp_bytes * slot[i]);
    w->smid = slot[i] / v->slots_per_sm, w->warpid = slot[i] % v->slots_per_sm;
  }
  pblock_start(&v->x, b, cta);
  v->x.progress++;
  for (uint32_t i = 0; i < warps; i++) first[i] = next_row(v, b->warp[i]);
  return 0;
}

/* Blocks in flight are those whose warps live; each is in the place of its first warp's slot. */
__attribute__((cold, noinline)) static bool give_up(live_t *v) {
  pblock_t **b = calloc(v->slots + 1, sizeof *b);
  uint32_t n = 0;
  for (uint32_t i = 0; b && i < v->slots; i++) {
    pblock_t *c = v->warp[i].live ? v->warp[i].block : NULL;
    if (c && c == &v->block[i]) b[n++] = c;
  }
  fault_stuck(&v->x, b, n, v->idle);
  free(b);
  v->fault = v->x.fault;
  return true;
}

static bool all_wait(const live_t *v) {
  for (uint32_t i = 0; i < v->slots; i++)
    if (!watch_waits(&v->x, &v->warp[i])) return false;
  return true;
}

/* Lanes that wait for neighbours in circles go ahead; false if there are none. */
static bool loosen(live_t *v) {
  bool any = false;
  for (uint32_t i = 0; i < v->slots; i++)
    if (v->warp[i].live && v->warp[i].active && warp_loosen_all(&v->x, &v->warp[i])) any = true;
  if (any) v->x.progress++;
  return any;
}

/* A warp that waits for another is not stuck: the other changes something before long. */
__attribute__((noinline)) static bool looks_stuck(live_t *v, pwarp_t *w) {
  uint64_t most = v->x.options.stuck_insts;
  if (most && v->idle > most) return give_up(v);
  if (v->idle < WATCH_AFTER) return false;
  watch_look(&v->x, w);
  return v->idle % WATCH_SCAN == 0 && all_wait(v) && !loosen(v) && give_up(v);
}

static bool makes_no_progress(live_t *v, pwarp_t *w) {
  if (watch_world(&v->x) != v->seen_world) {
    v->seen_world = watch_world(&v->x), v->idle = 0;
    return false;
  }
  v->idle++;
  return looks_stuck(v, w);
}

static uint32_t live_step(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op) {
  live_t *v = live_of(s);
  pwarp_t *w = &v->warp[slot];
  if (w->polling) { /* the barrier is issued again until it has opened */
    op->mask = 0, op->mode = ADDR_NONE;
    w->polling = !w->active;
    v->x.e = &v->e;
    if (makes_no_progress(v, w)) return STREAM_FAIL;
    return w->active ? next_row(v, w) : w->poll_row;
  }
  if (!w->active) {
    err_set(&v->e, GMMU_ECHECK, "warp slot %u has nothing to execute", slot);
    return STREAM_FAIL;
  }
  const dinst_t *in = &w->code->inst[w->pc];
  uint32_t row = row_of(v, w);
  v->x.now = now, v->x.e = &v->e;
  w->held = 0;
  if (v->x.run(&v->x, w, 1) == EXEC_FAULT) {
    v->fault = v->x.fault;
    return STREAM_FAIL;
  }
  if (makes_no_progress(v, w)) return STREAM_FAIL;
  pexec_op(&v->x, in, v->local_va + (uint64_t)slot * WARP_LANES * v->x.local_stride, op);
  if (!w->active && w->splits && w->live) {
    w->polling = true, w->poll_row = row;
    return row;
  }
  return next_row(v, w);
}

static const err_t *live_error(const source_t *s) { return &((const live_t *)(const void *)s)->e; }

static void live_free(source_t *s) {
  live_t *v = live_of(s);
  if (!v) return;
  if (v->running) pexec_fini(&v->x);
  for (uint32_t i = 0; v->warp && i < v->slots; i++) pwarp_fini(&v->warp[i]);
  if (v->local_va) devmem_release(v->program->mem, v->local_va, NULL);
  if (v->memory) munmap(v->memory, v->memory_bytes);
  if (v->shared) munmap(v->shared, v->shared_bytes);
  free(v->warp), free(v->block), free(v->warp_list), free(v);
}

static const source_ops_t live_ops = {.name = "ptx",
                                      .bind = live_bind,
                                      .rewind = live_rewind,
                                      .next_command = live_next,
                                      .cta_begin = live_cta,
                                      .step = live_step,
                                      .error = live_error,
                                      .free = live_free};

int ptx_live_new(ptx_t *p, const ptx_host_t *host, const ptx_options_t *options, source_t **out,
                 err_t *e) {
  live_t *v = pexec_alloc(sizeof *v);
  *out = NULL;
  if (!v) return err_set(e, GMMU_ENOMEM, "no memory for the source");
  v->base.ops = &live_ops, v->program = p, v->host = *host;
  if (options) v->options = *options;
  err_clear(&v->e);
  *out = &v->base;
  return 0;
}

const ptx_fault_t *ptx_live_fault(const source_t *s) {
  return &((const live_t *)(const void *)s)->fault;
}
