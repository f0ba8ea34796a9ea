/* Splits, nodes, calls and barriers of a warp; see exec.h for the model.
 *
 * Invariants: the masks of a node's splits and child nodes and its arrived lanes are disjoint and
 * make up `expected`; a node without lanes is freed; the current split is not in split[]. */
#include "ptx/exec.h"
#include <stdlib.h>
#include <string.h>

const pnode_t *warp_frame(const pwarp_t *w, uint32_t node) {
  return &w->node_at[w->node_at[node].frame];
}

/* --- nodes --- */

int pwarp_init(pwarp_t *w) {
  *w = (pwarp_t){.node_at = calloc(NODES_FIRST, sizeof *w->node_at), .nodes = NODES_FIRST};
  return w->node_at ? 0 : GMMU_ENOMEM;
}

void pwarp_fini(pwarp_t *w) {
  free(w->node_at);
  if (w->own_regs) free(w->regs);
}

/* The index of a free node, or 0 (the root's) when there is no memory. */
static uint32_t node_new(pwarp_t *w) {
  for (uint32_t i = 1; i < w->nodes; i++)
    if (!w->node_at[i].used) return i;
  pnode_t *n = realloc(w->node_at, 2 * w->nodes * sizeof *n);
  if (!n) return 0;
  memset(n + w->nodes, 0, w->nodes * sizeof *n);
  w->node_at = n;
  uint32_t i = w->nodes;
  w->nodes *= 2;
  return i;
}

/* --- the current split --- */

static void load_frame(pwarp_t *w) {
  const pnode_t *f = warp_frame(w, w->node);
  w->code = f->code;
  w->frame = w->regs + f->reg_base;
  w->local_base = f->local_base, w->param_base = f->param_base;
  w->rpc = w->node_at[w->node].rpc;
}

static void make_current(pexec_t *x, pwarp_t *w, uint32_t pc, uint32_t mask, uint32_t node) {
  w->pc = pc, w->mask = mask, w->node = node, w->active = true, w->spins = 0;
  load_frame(w);
  if (w->pc == w->rpc) warp_arrive(x, w);
}

static void add_split(pexec_t *x, pwarp_t *w, uint32_t pc, uint32_t mask, uint32_t node,
                      uint8_t state) {
  w->split[w->splits++] = (psplit_t){.pc = pc, .mask = mask, .node = node, .state = state};
  if (w->splits >= x->stats.max_split_depth) x->stats.max_split_depth = w->splits + 1;
}

static void take_split(pexec_t *x, pwarp_t *w, uint32_t i) {
  psplit_t s = w->split[i];
  memmove(&w->split[i], &w->split[i + 1], (w->splits - i - 1) * sizeof s);
  w->splits--;
  make_current(x, w, s.pc, s.mask, s.node);
}

static bool at_barrier(const pwarp_t *w, const psplit_t *s) {
  return warp_frame(w, s->node)->code->inst[s->pc].op == I_BAR;
}

/* Chooses the next split: the newest that can run; else one that is parked, warp-wide operations
 * before barriers; else none. */
void warp_pick(pexec_t *x, pwarp_t *w) {
  w->active = false;
  for (uint32_t pass = 0; pass < 3; pass++)
    for (uint32_t i = w->splits; i-- > 0;) {
      const psplit_t *s = &w->split[i];
      bool fits = pass == 0 ? s->state == SPLIT_RUN
                            : s->state == SPLIT_PARKED && (pass == 2 || !at_barrier(w, s));
      if (fits) {
        take_split(x, w, i);
        return;
      }
    }
}

static bool others_run(const pwarp_t *w) {
  for (uint32_t i = 0; i < w->splits; i++)
    if (w->split[i].state == SPLIT_RUN) return true;
  return false;
}

/* The current split has had its turn; the oldest one that can run follows. Those that wait for this
 * warp at a barrier are woken, lest they wait for someone who waits for them. */
void warp_rotate(pexec_t *x, pwarp_t *w) {
  w->spins = 0;
  for (uint32_t i = 0; i < w->splits; i++)
    if (w->split[i].state != SPLIT_WAIT) {
      w->split[w->splits++] =
          (psplit_t){.pc = w->pc, .mask = w->mask, .node = w->node, .state = SPLIT_RUN};
      take_split(x, w, i);
      return;
    }
}

void warp_park(pexec_t *x, pwarp_t *w) {
  add_split(x, w, w->pc, w->mask, w->node, SPLIT_PARKED);
  warp_pick(x, w);
}

/* Barriers, and operations among lanes that are not all here, wait for the warp's other splits. */
bool warp_must_park(const pexec_t *x, const pwarp_t *w, const dinst_t *in) {
  if (!w->splits || !others_run(w)) return false;
  if (in->op == I_BAR) return in->sub != BAR_ARRIVE;
  uint32_t from = in->op == I_WARPSYNC ? in->s[0] : in->s[3];
  if (in->op >= I_MMA && in->op <= I_MOVMATRIX) return true;
  if (in->op != I_WARPSYNC && (in->op < I_SHFL || in->op > I_REDUX)) return false;
  if (from == OPERAND_NONE || from >> 30 == SEL_SCRATCH) return false;
  const uint32_t *members = operand_at(x, w, from);
  uint32_t need = 0;
  for (uint32_t m = w->mask; m; m &= m - 1) need |= members[__builtin_ctz(m)];
  need &= w->live;
  for (uint32_t i = 0; i < w->splits; i++)
    if (w->split[i].state == SPLIT_PARKED && w->split[i].pc == w->pc) need &= ~w->split[i].mask;
  return (need & ~w->mask) != 0;
}

uint32_t warp_gather(pwarp_t *w, uint32_t pc) {
  uint32_t lanes = 0, frame = w->node_at[w->node].frame;
  for (uint32_t i = 0; i < w->splits; i++)
    if (w->split[i].state == SPLIT_PARKED && w->split[i].pc == pc &&
        w->node_at[w->split[i].node].frame == frame)
      lanes |= w->split[i].mask;
  return lanes;
}

void warp_release(pwarp_t *w, uint32_t pc) {
  uint32_t frame = w->node_at[w->node].frame;
  for (uint32_t i = 0; i < w->splits; i++)
    if (w->split[i].state == SPLIT_PARKED && w->split[i].pc == pc &&
        w->node_at[w->split[i].node].frame == frame)
      w->split[i].pc++, w->split[i].state = SPLIT_RUN;
}

/* Makes the current split one whose next instruction can really be issued. */
void warp_settle(pexec_t *x, pwarp_t *w) {
  while (w->active && warp_must_park(x, w, &w->code->inst[w->pc])) warp_park(x, w);
}

/* --- reconvergence --- */

static void copy_results(pexec_t *x, pwarp_t *w, const pnode_t *n, uint32_t lanes);

/* All lanes of the node are there: they go on as one split of the parent. */
static void node_done(pexec_t *x, pwarp_t *w, uint32_t i) {
  pnode_t *n = &w->node_at[i];
  uint32_t lanes = n->arrived, parent = n->parent, pc = n->is_call ? n->ret_pc : n->rpc;
  if (n->is_call && lanes) copy_results(x, w, n, lanes);
  n->used = false;
  if (!lanes) return;
  make_current(x, w, pc, lanes, parent);
}

/* The arrived lanes leave the node without the others. */
static void go_ahead(pexec_t *x, pwarp_t *w, uint32_t i) {
  pnode_t *n = &w->node_at[i];
  uint32_t lanes = n->arrived;
  if (n->is_call) copy_results(x, w, n, lanes);
  n->expected &= ~lanes, n->arrived = 0;
  add_split(x, w, n->is_call ? n->ret_pc : n->rpc, lanes, n->parent, SPLIT_RUN);
  if (!w->active) warp_pick(x, w);
}

/* Called now and then while the current split goes in circles. */
void warp_loosen(pexec_t *x, pwarp_t *w) {
  bool still = w->loops_progress == x->progress;
  w->loops = 0, w->loops_progress = x->progress;
  for (uint32_t i = w->node; still && i != 0; i = w->node_at[i].parent) {
    w->node_at[i].loose = true;
    if (w->node_at[i].arrived) go_ahead(x, w, i);
  }
}

bool warp_loosen_all(pexec_t *x, pwarp_t *w) {
  bool any = false;
  for (uint32_t i = 1; i < w->nodes; i++) {
    pnode_t *n = &w->node_at[i];
    if (!n->used) continue;
    n->loose = true;
    if (!n->arrived) continue;
    any = true;
    go_ahead(x, w, i);
  }
  return any;
}

/* The current split has reached its node's meeting point. */
void warp_arrive(pexec_t *x, pwarp_t *w) {
  uint32_t i = w->node;
  pnode_t *n = &w->node_at[i];
  n->arrived |= w->mask;
  w->active = false;
  if (n->loose && n->arrived != n->expected)
    go_ahead(x, w, i);
  else if (n->arrived == n->expected)
    node_done(x, w, i);
  else
    warp_pick(x, w);
}

/* Lanes leave the current split for good, or for the function's end; every node from here up to
 * (not including) `stop` forgets them. A node that waited only for them is done. */
static void leave(pexec_t *x, pwarp_t *w, uint32_t lanes, uint32_t stop) {
  uint32_t i = w->node;
  w->mask &= ~lanes;
  w->active = w->mask != 0;
  for (uint32_t k = i; k != stop; k = w->node_at[k].parent) w->node_at[k].expected &= ~lanes;
  while (!w->active && i != stop && w->node_at[i].expected == w->node_at[i].arrived) {
    uint32_t parent = w->node_at[i].parent;
    bool gone = !w->node_at[i].arrived;
    node_done(x, w, i);
    if (!gone) return; /* node_done() chose what runs next, or the warp waits */
    i = parent;
  }
}

/* The lanes that stay go on behind the instruction. */
static void step_over(pexec_t *x, pwarp_t *w) {
  w->pc++;
  if (w->pc == w->rpc) warp_arrive(x, w);
}

static uint32_t enclosing_call(const pwarp_t *w) { return w->node_at[w->node].frame; }

void warp_return(pexec_t *x, pwarp_t *w, uint32_t lanes) {
  uint32_t f = enclosing_call(w);
  if (f == 0) {
    warp_exit(x, w, lanes);
    return;
  }
  bool rest = (w->mask & ~lanes) != 0;
  if (w->node == f) {
    pnode_t *n = &w->node_at[f];
    n->arrived |= lanes;
    w->mask &= ~lanes;
    if (rest) {
      w->pc++;
      return;
    }
    w->active = false;
    if (n->arrived == n->expected)
      node_done(x, w, f);
    else if (n->loose)
      go_ahead(x, w, f);
    else
      warp_pick(x, w);
    return;
  }
  /* Only code whose flow cannot be analysed (loops without end) returns from inside a node. */
  leave(x, w, lanes, f);
  pnode_t *n = &w->node_at[f];
  n->arrived |= lanes;
  if (rest)
    step_over(x, w);
  else if (!w->active && n->arrived == n->expected)
    node_done(x, w, f);
  else if (!w->active)
    warp_pick(x, w);
}

static void barrier_recheck(pexec_t *x, pblock_t *b);

void warp_exit(pexec_t *x, pwarp_t *w, uint32_t lanes) {
  bool rest = (w->mask & ~lanes) != 0;
  w->live &= ~lanes;
  w->block->live_threads -= (uint32_t)__builtin_popcount(lanes);
  x->progress++;
  leave(x, w, lanes, UINT32_MAX);
  if (rest)
    step_over(x, w);
  else if (!w->active)
    warp_pick(x, w);
  barrier_recheck(x, w->block);
}

void warp_begin(pexec_t *x, pwarp_t *w, uint32_t mask, pcode_t *code) {
  memset(w->node_at, 0, w->nodes * sizeof *w->node_at);
  w->splits = 0, w->live = mask, w->carry = 0, w->loops = 0;
  w->node_at[0] = (pnode_t){.rpc = PC_EXIT,
                            .expected = mask,
                            .used = true,
                            .is_call = true,
                            .code = code,
                            .reg_end = code->frame_bytes,
                            .parent = UINT32_MAX};
  make_current(x, w, 0, mask, 0);
}

static bool no_memory(pexec_t *x, const pwarp_t *w) {
  return fault_simple(x, w, 0, PTX_FAULT_STACK, "out of memory for diverged warps");
}

/* The node in which lanes that part ways here meet again. */
static bool open_node(pexec_t *x, pwarp_t *w, uint32_t rpc, uint32_t *out) {
  *out = w->node;
  if (rpc == PC_NONE || rpc == PC_EXIT || w->node_at[w->node].rpc == rpc) return true;
  uint32_t i = node_new(w);
  if (!i) return no_memory(x, w);
  w->node_at[i] = (pnode_t){.rpc = rpc,
                            .expected = w->mask,
                            .parent = w->node,
                            .frame = w->node_at[w->node].frame,
                            .used = true};
  *out = i;
  return true;
}

/* One side of a branch: absorbed at once if it starts at the meeting point. */
static void add_side(pexec_t *x, pwarp_t *w, uint32_t node, uint32_t pc, uint32_t mask) {
  pnode_t *n = &w->node_at[node];
  if (n->rpc == pc && n->loose) {
    n->expected &= ~mask;
    add_split(x, w, pc, mask, n->parent, SPLIT_RUN);
  } else if (n->rpc == pc)
    n->arrived |= mask;
  else
    add_split(x, w, pc, mask, node, SPLIT_RUN);
}

/* All sides are set up. If every one started at the meeting point, they have met. */
static void choose_side(pexec_t *x, pwarp_t *w, uint32_t node) {
  w->active = false;
  if (w->node_at[node].arrived == w->node_at[node].expected) node_done(x, w, node);
  if (!w->active) warp_pick(x, w);
}

bool warp_branch(pexec_t *x, pwarp_t *w, uint32_t taken, uint32_t target, uint32_t rpc) {
  uint32_t node, other = w->mask & ~taken, next = w->pc + 1;
  if (!open_node(x, w, rpc, &node)) return false;
  bool first = target > next; /* the lower one runs first: it is pushed last */
  add_side(x, w, node, first ? target : next, first ? taken : other);
  add_side(x, w, node, first ? next : target, first ? other : taken);
  choose_side(x, w, node);
  return true;
}

/* target[lane] for the lanes in `taken`; the others fall through. */
bool warp_branch_many(pexec_t *x, pwarp_t *w, const uint32_t *target, uint32_t taken,
                      uint32_t rpc) {
  uint32_t node, rest = w->mask & ~taken;
  if (!open_node(x, w, rpc, &node)) return false;
  if (rest) add_side(x, w, node, w->pc + 1, rest);
  while (taken) {
    uint32_t pc = target[__builtin_ctz(taken)], same = 0;
    for (uint32_t m = taken; m; m &= m - 1)
      if (target[__builtin_ctz(m)] == pc) same |= m & (0u - m);
    taken &= ~same;
    add_side(x, w, node, pc, same);
  }
  choose_side(x, w, node);
  return true;
}

/* --- calls --- */

static bool grow_regs(pwarp_t *w, size_t need) {
  if (need <= w->reg_bytes) return true;
  if (need > (size_t)64 << 20) return false; /* 64 MB of registers: runaway recursion */
  size_t bytes = 2 * need;
  uint8_t *p = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  if (!p) return false;
  memcpy(p, w->regs, w->reg_bytes);
  memset(p + w->reg_bytes, 0, bytes - w->reg_bytes);
  if (w->own_regs) free(w->regs);
  w->regs = p, w->reg_bytes = bytes, w->own_regs = true;
  return true;
}

/* Above everything that any of the warp's calls uses: lanes in different calls must not meet. */
uint32_t warp_reg_top(const pwarp_t *w) {
  uint32_t top = 0;
  for (uint32_t i = 0; i < w->nodes; i++)
    if (w->node_at[i].used && w->node_at[i].is_call && w->node_at[i].reg_end > top)
      top = w->node_at[i].reg_end;
  return top;
}

/* Where a callee's formal parameter or result is, for one lane. */
static uint8_t *formal_at(pexec_t *x, pwarp_t *w, const pnode_t *n, const pvar_t *v,
                          uint32_t lane) {
  if (v->space == SP_REG)
    return w->regs + n->reg_base + v->address + lane * (type_wide(v->type) ? 8u : 4u);
  return w->param + (size_t)lane * x->param_stride + n->param_base + v->address;
}

static void copy_arg(pexec_t *x, pwarp_t *w, const pnode_t *n, const pplace_t *a, const pvar_t *v,
                     uint32_t lane) {
  uint8_t *to = formal_at(x, w, n, v, lane);
  const uint8_t *from;
  if (a->kind == 1) {
    from = w->param + (size_t)lane * x->param_stride + w->param_base + a->place;
  } else {
    from = (const uint8_t *)operand_at(x, w, a->place) + lane * (a->bytes == 8 ? 8u : 4u);
  }
  memcpy(to, from, v->space == SP_REG && v->bytes < 4 && a->kind == 0 ? 4 : v->bytes);
}

static void copy_results(pexec_t *x, pwarp_t *w, const pnode_t *n, uint32_t lanes) {
  const pnode_t *caller = warp_frame(w, n->parent);
  for (uint32_t i = 0; n->call && i < n->call->results; i++) {
    const pplace_t *r = &n->call->result[i];
    const pvar_t *v = n->code->func->result[i];
    if (r->kind == 0 && r->place == OPERAND_NONE) continue;
    for (uint32_t m = lanes; m; m &= m - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(m);
      const uint8_t *from = formal_at(x, w, n, v, lane);
      if (r->kind == 1) {
        memcpy(w->param + (size_t)lane * x->param_stride + caller->param_base + r->place, from,
               v->bytes);
      } else {
        uint64_t value = 0;
        memcpy(&value, from, v->bytes);
        memcpy(w->regs + caller->reg_base + (r->place & 0x3fffffff) +
                   lane * (r->bytes == 8 ? 8u : 4u),
               &value, r->bytes == 8 ? 8 : 4);
      }
    }
  }
}

/* Opens the callee's node under `parent` and leaves its split in the list. */
static bool enter(pexec_t *x, pwarp_t *w, uint32_t parent, uint32_t lanes, pfunc_t *f,
                  const pcall_t *c) {
  uint32_t base = (warp_reg_top(w) + 63) & ~63u, i = node_new(w);
  if (!i) return no_memory(x, w);
  const pnode_t *up = warp_frame(w, parent);
  uint64_t local = (uint64_t)up->local_base + up->code->local_bytes;
  uint64_t param = (uint64_t)up->param_base + up->code->param_bytes;
  pcode_t *code = f->code;
  if (local + code->local_bytes > x->local_stride || param + code->param_bytes > x->param_stride ||
      (uint64_t)base + code->frame_bytes > UINT32_MAX ||
      !grow_regs(w, (size_t)base + code->frame_bytes))
    return fault_simple(x, w, lanes, PTX_FAULT_STACK, "calls are nested too deeply at '%s'",
                        f->name);
  w->node_at[i] = (pnode_t){.rpc = PC_EXIT,
                            .expected = lanes,
                            .parent = parent,
                            .frame = i,
                            .used = true,
                            .is_call = true,
                            .code = code,
                            .call = c,
                            .ret_pc = w->pc + 1,
                            .reg_base = base,
                            .reg_end = base + code->frame_bytes,
                            .local_base = (uint32_t)local,
                            .param_base = (uint32_t)param};
  w->frame = w->regs + warp_frame(w, w->node)->reg_base; /* grow_regs() may have moved it */
  memset(w->regs + base, 0, code->frame_bytes);
  for (uint32_t k = 0; k < c->args; k++)
    for (uint32_t m = lanes; m; m &= m - 1)
      copy_arg(x, w, &w->node_at[i], &c->arg[k], f->param[k], (uint32_t)__builtin_ctz(m));
  add_split(x, w, 0, lanes, i, SPLIT_RUN);
  return true;
}

static bool open_call(pexec_t *x, pwarp_t *w, uint32_t lanes, bool divided, uint32_t *parent) {
  *parent = w->node;
  if (!divided) return true;
  if (!open_node(x, w, w->pc + 1, parent)) return false;
  w->node_at[*parent].arrived |= w->mask & ~lanes;
  return true;
}

static pfunc_t *resolved(pfunc_t *f) { return f->target ? f->target : f; }

/* `lanes` call, the rest of the split waits behind the call. */
bool warp_call(pexec_t *x, pwarp_t *w, uint32_t lanes, pfunc_t *f, const pcall_t *c, bool divided) {
  uint32_t parent;
  f = resolved(f);
  if (f->builtin) {
    if (!builtin_call(x, w, lanes, f->builtin, c)) return false;
    w->pc++;
    if (w->pc == w->rpc) warp_arrive(x, w);
    return true;
  }
  if (!open_call(x, w, lanes, divided, &parent)) return false;
  if (!enter(x, w, parent, lanes, f, c)) return false;
  warp_pick(x, w);
  return true;
}

/* The kernel was linked with it. */
static bool is_reachable(const pexec_t *x, const pcode_t *code) {
  for (uint32_t i = 0; i < x->kernel->codes; i++)
    if (x->kernel->code[i] == code) return true;
  return false;
}

static pfunc_t *callee(pexec_t *x, pwarp_t *w, uint64_t address, const pcall_t *c, uint32_t lane) {
  uint64_t i = address / 16 - 1;
  pfunc_t *f =
      address % 16 == 0 && address && i < x->program->funcs ? resolved(x->program->func[i]) : NULL;
  bool ok = f && f->code && !f->is_entry && f->params == c->args && f->results == c->results;
  for (uint32_t k = 0; ok && k < c->args; k++) ok = f->param[k]->bytes == c->func->param[k]->bytes;
  for (uint32_t k = 0; ok && k < c->results; k++)
    ok = f->result[k]->bytes == c->func->result[k]->bytes;
  if (ok && is_reachable(x, f->code)) return f;
  if (ok)
    fault_simple(x, w, 1u << lane, PTX_FAULT_BAD_CALL,
                 "function '%.100s' was loaded after the kernel, or uses what is nowhere defined",
                 f->name);
  else
    fault_simple(x, w, 1u << lane, PTX_FAULT_BAD_CALL, "0x%llx is no function of this shape",
                 (unsigned long long)address);
  return NULL;
}

bool warp_call_indirect(pexec_t *x, pwarp_t *w, uint32_t lanes, const dinst_t *in,
                        const uint64_t *target) {
  const pcall_t *c = &w->code->call[in->imm];
  uint32_t parent;
  if (!open_call(x, w, lanes, true, &parent)) return false;
  while (lanes) {
    uint32_t lane = (uint32_t)__builtin_ctz(lanes), same = 0;
    uint64_t to = target[lane];
    pfunc_t *f = callee(x, w, to, c, lane);
    if (!f) return false;
    for (uint32_t m = lanes; m; m &= m - 1)
      if (target[__builtin_ctz(m)] == to) same |= m & (0u - m);
    lanes &= ~same;
    if (!enter(x, w, parent, same, f, c)) return false;
  }
  warp_pick(x, w);
  return true;
}

/* --- barriers --- */

static void give_result(pwarp_t *w, uint32_t node, uint32_t lanes, const dinst_t *in,
                        const pbarrier_t *b) {
  if (in->op != I_BAR || in->sub != BAR_RED) return;
  uint32_t *d = (uint32_t *)(void *)(w->regs + warp_frame(w, node)->reg_base + in->d[0]);
  if (in->aux == BARRED_POPC) {
    for (uint32_t m = lanes; m; m &= m - 1) d[__builtin_ctz(m)] = b->count;
    return;
  }
  bool yes = in->aux == BARRED_AND ? b->missing == 0 : b->any != 0;
  *d = yes ? *d | lanes : *d & ~lanes;
}

static void barrier_open(pexec_t *x, pblock_t *b, uint32_t id) {
  pbarrier_t r = b->barrier[id];
  b->barrier[id] = (pbarrier_t){0};
  x->progress++;
  for (uint32_t i = 0; i < b->warps; i++) {
    pwarp_t *w = b->warp[i];
    if (w->held == id + 1) w->held = 0;
    if (w->red && w->red_barrier == id) {
      give_result(w, w->red_node, w->red_lanes, w->red, &r);
      w->red = NULL;
    }
    for (uint32_t k = 0; k < w->splits; k++) {
      psplit_t *s = &w->split[k];
      if (s->state != SPLIT_WAIT || s->barrier != id) continue;
      give_result(w, s->node, s->mask, &warp_frame(w, s->node)->code->inst[s->pc - 1], &r);
      s->state = SPLIT_RUN;
    }
    if (!w->active && w->splits) warp_pick(x, w);
  }
}

static bool barrier_full(const pblock_t *b, const pbarrier_t *r) {
  return r->needed ? r->arrived >= r->needed : r->lanes >= b->live_threads;
}

static void barrier_recheck(pexec_t *x, pblock_t *b) {
  for (uint32_t i = 0; i < BARRIERS; i++)
    if (b->barrier[i].arrived && barrier_full(b, &b->barrier[i])) barrier_open(x, b, i);
}

static void vote(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t node, uint32_t lanes,
                 pbarrier_t *r) {
  if (in->sub != BAR_RED) return;
  (void)x;
  uint32_t p;
  memcpy(&p, w->regs + warp_frame(w, node)->reg_base + in->s[2], 4);
  if (in->flags & DI_NEG) p = ~p;
  uint32_t yes = (uint32_t)__builtin_popcount(p & lanes);
  r->count += yes, r->any |= p & lanes, r->missing += (uint32_t)__builtin_popcount(lanes) - yes;
}

static uint32_t uniform(const pexec_t *x, const pwarp_t *w, uint32_t operand, uint32_t lanes) {
  const uint32_t *v = operand_at(x, w, operand);
  return v[__builtin_ctz(lanes)];
}

/* The parked splits that stand before the same barrier come along. */
static uint32_t join_parked(pexec_t *x, pwarp_t *w, uint32_t id, pbarrier_t *r) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < w->splits; i++) {
    psplit_t *s = &w->split[i];
    if (s->state != SPLIT_PARKED || !at_barrier(w, s)) continue;
    const pnode_t *f = warp_frame(w, s->node);
    const dinst_t *in = &f->code->inst[s->pc];
    const uint8_t *v = in->s[0] >> 30 == SEL_POOL ? x->pool + (in->s[0] & 0x3fffffff)
                                                  : w->regs + f->reg_base + in->s[0];
    uint32_t theirs;
    memcpy(&theirs, v + 4 * __builtin_ctz(s->mask), 4);
    if (theirs % BARRIERS != id || in->guard != OPERAND_NONE) continue;
    vote(x, w, in, s->node, s->mask, r);
    lanes |= s->mask;
    s->pc++, s->state = x->live && !in->polled ? SPLIT_RUN : SPLIT_WAIT, s->barrier = (uint8_t)id;
  }
  return lanes;
}

/* The lanes become a split that waits; lanes whose guard was false go on. */
static void wait_here(pexec_t *x, pwarp_t *w, uint32_t lanes, uint32_t id) {
  add_split(x, w, w->pc, lanes, w->node, SPLIT_WAIT);
  w->split[w->splits - 1].barrier = (uint8_t)id;
  w->mask &= ~lanes, w->active = w->mask != 0;
}

void warp_barrier(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes) {
  pblock_t *b = w->block;
  uint32_t id = uniform(x, w, in->s[0], lanes) % BARRIERS, all = lanes;
  pbarrier_t *r = &b->barrier[id];
  if (in->s[1] != OPERAND_NONE) r->needed = uniform(x, w, in->s[1], lanes);
  bool waits = in->sub != BAR_ARRIVE;
  vote(x, w, in, w->node, lanes, r);
  if (waits) all |= join_parked(x, w, id, r);
  r->arrived += all == w->live ? WARP_LANES : (uint32_t)__builtin_popcount(all);
  r->lanes += (uint32_t)__builtin_popcount(all);
  x->op_mask = all, x->barrier_id = id, x->barrier_threads = r->needed;
  x->progress++;
  if (waits && x->live && !in->polled) w->held = id + 1;
  if (waits && x->live && !in->polled &&
      in->sub == BAR_RED) /* the machine holds the warp until it opens */
    w->red = in, w->red_lanes = all, w->red_node = w->node, w->red_barrier = id;
  w->pc++;
  if (waits && (!x->live || in->polled)) wait_here(x, w, lanes, id);
  if (w->active && w->pc == w->rpc) warp_arrive(x, w);
  if (!w->active) warp_pick(x, w);
  if (barrier_full(b, r)) barrier_open(x, b, id);
}

/* Every live lane is in exactly one place: the current split, another one, or arrived at a node. */
bool warp_check(const pwarp_t *w) {
  uint32_t seen = w->active ? w->mask : 0;
  for (uint32_t i = 0; i < w->splits; i++) {
    if (!w->split[i].mask || (seen & w->split[i].mask) || !w->node_at[w->split[i].node].used)
      return false;
    seen |= w->split[i].mask;
  }
  for (uint32_t i = 0; i < w->nodes; i++) {
    const pnode_t *n = &w->node_at[i];
    if (!n->used) continue;
    if ((n->arrived & ~n->expected) || (seen & n->arrived)) return false;
    seen |= n->arrived;
  }
  return seen == w->live;
}
