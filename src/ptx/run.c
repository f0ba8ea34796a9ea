/* Functional execution: every block of a launch, without timing.
 *
 * Blocks run in seats. One seat runs for a turn, its warps taking short turns (a warp hands over
 * after each access to global memory, so warps that race move in step, as they would on a GPU); a
 * block that ends gives its seat to the next. While nothing waits, one seat is enough and stays in
 * the cache; a block that uses up its turn makes room for one more seat, up to the limit, so blocks
 * that wait for each other all get to run. */
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TURN_INSTS ((uint64_t)1 << 14) /* warp instructions of a block's turn */
#define MEMORY_CAP ((uint64_t)1 << 30) /* bytes of all seats */

typedef struct {
  pblock_t block;
  pwarp_t *warp;
  uint8_t *memory;
  bool busy, made;
  uint32_t name;  /* the trace's, of the block */
  uint64_t local; /* where the trace says local memory of its first warp is */
} seat_t;

typedef struct {
  pexec_t x;
  seat_t *seat;
  uint32_t seats, open;
  uint32_t warps;
  uint64_t next, blocks, done;
  uint64_t seen_world, world_at; /* the world's count, and when it changed */
  bool watching;                 /* it has not changed for long: warps may go in circles */
  int trace_error;
  warp_op_t op; /* of the last instruction, for the trace */
} run_t;

static uint8_t *memory_of(size_t bytes) {
  uint8_t *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  return p;
}

/* Zeros. The stacks of recursive kernels are large and hardly used: beyond what is cheap to clear,
 * pages come from the system, which gives those that are touched. */
#define CLEAR_LIMIT ((size_t)256 << 10)
static uint8_t *zeros_of(size_t bytes) {
  if (bytes > CLEAR_LIMIT) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
  }
  uint8_t *p = memory_of(bytes);
  if (p) memset(p, 0, bytes);
  return p;
}
static void zeros_drop(uint8_t *p, size_t bytes) {
  if (p && bytes > CLEAR_LIMIT)
    munmap(p, bytes);
  else
    free(p);
}

static int seat_make(run_t *r, seat_t *s, err_t *e) {
  size_t bytes = pexec_warp_bytes(&r->x);
  if (s->made) return 0;
  s->made = true;
  s->warp = calloc(r->warps, sizeof *s->warp);
  s->block.warp = calloc(r->warps, sizeof *s->block.warp);
  s->block.warps = r->warps;
  s->block.shared = memory_of((size_t)r->x.shared_bytes + 64);
  s->memory = zeros_of(bytes * r->warps);
  if (!s->warp || !s->block.warp || !s->block.shared || !s->memory)
    return err_set(e, GMMU_ENOMEM, "no memory for a block");
  for (uint32_t i = 0; i < r->warps; i++) {
    if (pwarp_init(&s->warp[i]) < 0) return err_set(e, GMMU_ENOMEM, "no memory for a warp");
    pwarp_memory(&r->x, &s->warp[i], s->memory + bytes * i);
    s->block.warp[i] = &s->warp[i];
  }
  return 0;
}

static void seat_drop(const run_t *r, seat_t *s) {
  for (uint32_t i = 0; s->warp && i < r->warps; i++) pwarp_fini(&s->warp[i]);
  free(s->warp), free(s->block.warp), free(s->block.shared);
  zeros_drop(s->memory, pexec_warp_bytes(&r->x) * r->warps);
}

static int seat_start(run_t *r, seat_t *s, err_t *e) {
  int err = seat_make(r, s, e);
  if (err < 0) return err;
  uint32_t smid = (uint32_t)(r->next % r->x.sms);
  for (uint32_t i = 0; i < r->warps; i++) {
    uint32_t per_seat = (uint32_t)(s - r->seat) * r->warps + i;
    s->warp[i].smid = smid, s->warp[i].warpid = per_seat % 64;
  }
  const ptx_trace_t *t = r->x.options.trace;
  if (t) {
    uint64_t places = PTX_TRACE_WARPS / r->warps;
    s->local = t->local_va + r->next % places * ptx_local_bytes(r->x.kernel, r->warps);
    err = t->begin(t->ctx, (uint32_t)r->next, &s->name, e);
    if (err < 0) return err;
  }
  pblock_start(&r->x, &s->block, r->next++);
  s->busy = true;
  return 0;
}

/* --- traced: the same order of execution, one instruction at a time --- */

static uint32_t row_of(const ptx_kernel_t *k, const pwarp_t *w) {
  uint32_t i = 0;
  if (w->code == k->code[0]) return w->pc;
  while (k->code[i] != w->code) i++;
  return k->row_base[i] + w->pc;
}

static exec_result_t traced(run_t *r, const seat_t *s, pwarp_t *w) {
  pexec_t *x = &r->x;
  const ptx_trace_t *t = x->options.trace;
  uint64_t local = s->local + ptx_local_bytes(x->kernel, w->index);
  exec_result_t result = EXEC_BUDGET;
  for (uint32_t n = 0; n < x->options.quantum && result == EXEC_BUDGET; n++) {
    if (w->splits) warp_settle(x, w);
    if (!w->active) return w->splits ? EXEC_BLOCKED : EXEC_DONE;
    const dinst_t *in = &w->code->inst[w->pc];
    uint32_t row = row_of(x->kernel, w);
    result = x->run(x, w, 1);
    if (result == EXEC_FAULT) return result;
    pexec_op(x, in, local, &r->op);
    int err = t->step(t->ctx, s->name, w->index, row, &r->op, x->e);
    if (err < 0) return r->trace_error = err, EXEC_FAULT;
    if (in->flags & DI_YIELD) break;
  }
  return result;
}

typedef enum { TURN_DONE, TURN_OVER, TURN_BLOCKED, TURN_FAULT } turn_t;

/* Every warp that can run gets a quantum, over and over, until the turn is used up. */
static turn_t block_turn(run_t *r, seat_t *s) {
  pblock_t *b = &s->block;
  pexec_t *x = &r->x;
  uint64_t end = x->stats.warp_insts + TURN_INSTS;
  while (x->stats.warp_insts < end) {
    uint32_t alive = 0, ran = 0;
    for (uint32_t i = 0; i < b->warps; i++) {
      pwarp_t *w = b->warp[i];
      if (!w->live) continue;
      alive++;
      if (!w->active || (r->watching && watch_waits(x, w))) continue;
      ran++;
      exec_result_t result = x->options.trace ? traced(r, s, w) : x->run(x, w, x->options.quantum);
      if (result == EXEC_FAULT) return TURN_FAULT;
      if (r->watching) watch_look(x, w);
    }
    if (!alive) return TURN_DONE;
    if (!ran) return TURN_BLOCKED;
  }
  return TURN_OVER;
}

static bool any_live(const pblock_t *b) {
  for (uint32_t i = 0; i < b->warps; i++)
    if (b->warp[i]->live) return true;
  return false;
}

static int stuck(run_t *r) {
  uint64_t insts = r->watching ? r->x.stats.warp_insts - r->world_at : 0;
  pblock_t **b = calloc(r->open + 1, sizeof *b);
  for (uint32_t i = 0; b && i < r->open; i++) b[i] = r->seat[i].busy ? &r->seat[i].block : NULL;
  fault_stuck(&r->x, b, b ? r->open : 0, insts);
  free(b);
  return GMMU_ESTUCK;
}

static int check_progress(run_t *r) {
  pexec_t *x = &r->x;
  if (watch_world(x) != r->seen_world)
    r->seen_world = watch_world(x), r->world_at = x->stats.warp_insts;
  uint64_t idle = x->stats.warp_insts - r->world_at, most = x->options.stuck_insts;
  r->watching = idle > WATCH_AFTER;
  if (x->options.stop && x->options.stop(x->options.stop_ctx))
    return err_set(x->e, GMMU_EINTERRUPTED, "interrupted");
  if (x->options.max_insts && x->stats.warp_insts > x->options.max_insts) return stuck(r);
  return most && idle > most ? stuck(r) : 0;
}

/* Lanes that wait for neighbours in circles go ahead; false if there are none. */
static bool loosen(run_t *r) {
  bool any = false;
  for (uint32_t i = 0; i < r->open; i++)
    for (uint32_t n = 0; r->seat[i].busy && n < r->warps; n++)
      if (r->seat[i].warp[n].active && warp_loosen_all(&r->x, &r->seat[i].warp[n])) any = true;
  if (any) r->x.progress++;
  return any;
}

/* One seat: starts a block if it is empty, runs a turn. *ran tells whether anything happened. */
static int seat_turn(run_t *r, seat_t *s, bool *ran, err_t *e) {
  if (!s->busy) {
    if (r->next == r->blocks) return 0;
    int err = seat_start(r, s, e);
    if (err < 0) return err;
  }
  uint64_t before = r->x.stats.warp_insts;
  turn_t t = block_turn(r, s);
  if (r->x.stats.warp_insts != before) *ran = true;
  if (t == TURN_FAULT) return r->trace_error ? r->trace_error : GMMU_EFAULT;
  if (t == TURN_DONE || !any_live(&s->block)) {
    const ptx_trace_t *trace = r->x.options.trace;
    s->busy = false, r->done++, *ran = true;
    int err = trace ? trace->end(trace->ctx, s->name, e) : 0;
    if (err < 0) return err;
  }
  return check_progress(r);
}

static int run_blocks(run_t *r, err_t *e) {
  while (r->done < r->blocks) {
    bool ran = false;
    for (uint32_t i = 0; i < r->open; i++) {
      int err = seat_turn(r, &r->seat[i], &ran, e);
      while (err == 0 && !r->seat[i].busy && r->next < r->blocks)
        err = seat_turn(r, &r->seat[i], &ran, e);
      if (err < 0) return err;
    }
    bool more = r->open < r->seats && r->next < r->blocks;
    if (!ran && !more && r->done < r->blocks && !loosen(r)) return stuck(r);
    if (more) r->open++;
  }
  return 0;
}

static uint32_t seat_count(const run_t *r) {
  uint64_t n = r->x.options.resident_warps / r->warps;
  uint64_t bytes = (pexec_warp_bytes(&r->x) + sizeof(pwarp_t)) * r->warps + r->x.shared_bytes;
  if (n > MEMORY_CAP / bytes) n = MEMORY_CAP / bytes;
  if (n > r->blocks) n = r->blocks;
  return n ? (uint32_t)n : 1;
}

int ptx_run(ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *options,
            ptx_stats_t *stats, ptx_fault_t *fault, err_t *e) {
  if (fault) *fault = (ptx_fault_t){0};
  err_t local;
  if (!e) e = &local;
  int err = ptx_link(p, e);
  if (err < 0) return err;
  run_t *r = pexec_alloc(sizeof *r);
  if (!r) return err_set(e, GMMU_ENOMEM, "no memory for the launch");
  err = pexec_init(&r->x, p, k, l, options, e);
  if (err == 0) {
    r->warps = pexec_warps(&r->x);
    r->blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    r->seats = seat_count(r), r->open = 1;
    r->seat = calloc(r->seats, sizeof *r->seat);
    err = r->seat ? run_blocks(r, e) : err_set(e, GMMU_ENOMEM, "no memory for the launch");
  }
  if (fault) *fault = r->x.fault;
  if (stats) {
    stats->warp_insts += r->x.stats.warp_insts, stats->thread_insts += r->x.stats.thread_insts;
    if (r->x.stats.max_split_depth > stats->max_split_depth)
      stats->max_split_depth = r->x.stats.max_split_depth;
  }
  for (uint32_t i = 0; r->seat && i < r->seats; i++) seat_drop(r, &r->seat[i]);
  pexec_fini(&r->x);
  free(r->seat), free(r);
  return err;
}
