/* Basic blocks and immediate post-dominators, after Cooper, Harvey and Kennedy: walk the reverse
 * graph in reverse postorder and intersect until nothing changes.
 *
 * `exit` and `trap` end a thread and have no successor, so they do not keep the others from
 * reconverging; `ret` leads to the virtual end. Blocks that cannot reach the end have no
 * post-dominator (PC_NONE). */
#include "ptx/code.h"
#include <stdlib.h>

static bool is_label(const poperand_t *o) { return o->kind == O_LABEL; }

static bool ends_block(const pinst_t *in) {
  return in->op == OP_bra || in->op == OP_brx || in->op == OP_ret || in->op == OP_exit ||
         in->op == OP_trap;
}

typedef void (*target_fn)(void *ctx, uint32_t index);
static void each_target(const pinst_t *in, target_fn fn, void *ctx) {
  if (in->op == OP_bra && is_label(&in->operand[0])) fn(ctx, (uint32_t)in->operand[0].imm);
  if (in->op == OP_brx && in->operand[1].kind == O_LIST)
    for (uint32_t i = 0; i < in->operand[1].elems; i++)
      fn(ctx, (uint32_t)in->operand[1].elem[i].imm);
}

static void mark(void *ctx, uint32_t index) { ((uint32_t *)ctx)[index] = 1; }

static void number_blocks(const pfunc_t *f, pcfg_t *g) {
  uint32_t b = 0;
  g->leader[0] = 1;
  for (uint32_t i = 0; i < f->insts; i++) {
    each_target(&f->inst[i], mark, g->leader);
    if (ends_block(&f->inst[i])) g->leader[i + 1] = 1;
  }
  for (uint32_t i = 0; i <= f->insts; i++) {
    if (g->leader[i]) g->start[b++] = i;
    g->leader[i] = b - 1;
  }
  g->start[b] = f->insts + 1;
  g->blocks = b;
}

typedef struct {
  pcfg_t *g;
  uint32_t n;
} edges_t;
static void add_edge(void *ctx, uint32_t index) {
  edges_t *e = ctx;
  e->g->succ[e->n++] = e->g->leader[index];
}

/* The block after the last instruction (the implicit return) leads to the virtual end, as `ret`
 * does; the end is block number `blocks`. */
static void find_edges(const pfunc_t *f, pcfg_t *g) {
  edges_t e = {g, 0};
  for (uint32_t b = 0; b < g->blocks; b++) {
    g->succ_at[b] = e.n;
    uint32_t last = g->start[b + 1] - 1;
    if (last >= f->insts) {
      g->succ[e.n++] = g->blocks;
      continue;
    }
    const pinst_t *in = &f->inst[last];
    each_target(in, add_edge, &e);
    if (in->op == OP_ret) g->succ[e.n++] = g->blocks;
    if (!ends_block(in) || in->guarded) add_edge(&e, last + 1);
  }
  g->succ_at[g->blocks] = e.n;
}

/* Reverse graph: pred_at/pred as succ_at/succ, for nodes 0 .. blocks. */
typedef struct {
  uint32_t *pred, *pred_at, *order, *rank, *stack, *next;
  uint32_t count;
} reverse_t;

static void build_reverse(const pcfg_t *g, reverse_t *r) {
  uint32_t n = g->blocks + 1, edges = g->succ_at[g->blocks];
  for (uint32_t i = 0; i < edges; i++) r->pred_at[g->succ[i] + 1]++;
  for (uint32_t i = 0; i < n; i++) r->pred_at[i + 1] += r->pred_at[i];
  for (uint32_t i = 0; i < n; i++) r->next[i] = r->pred_at[i];
  for (uint32_t b = 0; b < g->blocks; b++)
    for (uint32_t i = g->succ_at[b]; i < g->succ_at[b + 1]; i++) r->pred[r->next[g->succ[i]]++] = b;
  for (uint32_t i = 0; i < n; i++) r->next[i] = r->pred_at[i], r->rank[i] = PC_NONE;
}

/* Postorder of the reverse graph from the virtual end, without recursion. */
static void postorder(const pcfg_t *g, reverse_t *r) {
  uint32_t top = 0;
  r->stack[top++] = g->blocks;
  r->rank[g->blocks] = 0; /* seen; the real rank follows */
  while (top) {
    uint32_t b = r->stack[top - 1];
    if (r->next[b] == r->pred_at[b + 1]) {
      r->rank[b] = r->count;
      r->order[r->count++] = b;
      top--;
      continue;
    }
    uint32_t p = r->pred[r->next[b]++];
    if (r->rank[p] == PC_NONE) {
      r->rank[p] = 0;
      r->stack[top++] = p;
    }
  }
}

static uint32_t intersect(const reverse_t *r, const uint32_t *ipdom, uint32_t a, uint32_t b) {
  while (a != b) {
    while (r->rank[a] < r->rank[b]) a = ipdom[a];
    while (r->rank[b] < r->rank[a]) b = ipdom[b];
  }
  return a;
}

static void solve(pcfg_t *g, const reverse_t *r) {
  uint32_t end = g->blocks;
  for (uint32_t b = 0; b < end; b++) g->ipdom[b] = PC_NONE;
  g->ipdom[end] = end;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = r->count - 1; k-- > 0;) { /* reverse postorder, the end excepted */
      uint32_t b = r->order[k], best = PC_NONE;
      for (uint32_t i = g->succ_at[b]; i < g->succ_at[b + 1]; i++) {
        uint32_t s = g->succ[i];
        if (g->ipdom[s] == PC_NONE) continue;
        best = best == PC_NONE ? s : intersect(r, g->ipdom, s, best);
      }
      if (best != g->ipdom[b]) g->ipdom[b] = best, changed = true;
    }
  }
  for (uint32_t b = 0; b < end; b++)
    if (g->ipdom[b] == end) g->ipdom[b] = PC_EXIT;
}

static uint32_t count_edges(const pfunc_t *f) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < f->insts; i++)
    n += f->inst[i].op == OP_brx && f->inst[i].operand[1].kind == O_LIST
             ? f->inst[i].operand[1].elems
             : 1;
  return 2 * n + 4 + f->insts;
}

int pcfg_build(const pfunc_t *f, pcfg_t *g) {
  size_t n = (size_t)f->insts + 3, edges = count_edges(f);
  reverse_t r = {0};
  *g = (pcfg_t){0};
  g->leader = calloc(n, sizeof(uint32_t)), g->start = calloc(n, sizeof(uint32_t));
  g->succ_at = calloc(n, sizeof(uint32_t)), g->succ = calloc(edges, sizeof(uint32_t));
  g->ipdom = calloc(n, sizeof(uint32_t));
  r.pred = calloc(edges, sizeof(uint32_t)), r.pred_at = calloc(n, sizeof(uint32_t));
  uint32_t *work = calloc(4 * n, sizeof(uint32_t));
  bool ok =
      g->leader && g->start && g->succ_at && g->succ && g->ipdom && r.pred && r.pred_at && work;
  if (ok) {
    r.order = work, r.rank = work + n, r.stack = work + 2 * n, r.next = work + 3 * n;
    number_blocks(f, g);
    find_edges(f, g);
    build_reverse(g, &r);
    postorder(g, &r);
    solve(g, &r);
  }
  free(r.pred), free(r.pred_at), free(work);
  if (!ok) pcfg_fini(g);
  return ok ? 0 : GMMU_ENOMEM;
}

void pcfg_fini(pcfg_t *g) {
  free(g->leader), free(g->start), free(g->succ), free(g->succ_at), free(g->ipdom);
  *g = (pcfg_t){0};
}
