/* chase: pointer chasing; each load's address is the previous load's result.
 *
 * The list is one cycle through all nodes in random order. It is never stored: with a keyed
 * bijection P on k-bit numbers, the node after P(i) is P(i + 1), and P(0), P(1), ... visits each of
 * the 2^k nodes once before it returns. at[0] is lane 0's i; lanes and warps start evenly spread.
 */
#include "gen/gen.h"

typedef struct {
  gen_params_t p;
  uint64_t node;  /* options: bytes of a node */
  uint32_t lanes; /* options: lanes that chase, each its own chain */
  uint32_t shift; /* half of k, rounded up */
  uint64_t last;  /* nodes - 1, nodes a power of two */
  uint64_t gap;   /* nodes of the cycle from one chain's start to the next */
  uint64_t add, odd[3];
} chase_t;

enum { R_P = GEN_R0, R_PR = 10, R_SUM = 12 };

/* Odd multiplication and xor with the own upper half are bijections on k bits. */
static inline uint64_t chase_node(const chase_t *c, uint64_t i) {
  i += c->add;
  for (int r = 0; r < 3; r++) {
    i = i * c->odd[r] & c->last;
    i ^= i >> c->shift;
  }
  return c->p.buffer[0].va + i * c->node;
}

static void chase_load(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const chase_t *c = (const chase_t *)p;
  uint64_t i = w->at[0]++;
  if (c->lanes <= 2) { /* one or two lanes are a stride, too, and the cheaper form */
    uint64_t a = chase_node(c, i);
    gen_at_stride(op, a, c->lanes == 1 ? 0 : (int64_t)(chase_node(c, i + c->gap) - a));
    return;
  }
  op->mode = ADDR_LIST;
  for (uint32_t l = 0; l < c->lanes; l++, i += c->gap) op->lane[l] = chase_node(c, i);
}

static const gen_row_t chase_head[] = {
    GEN_PAIR(R_P, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_SUM, GEN_N, GEN_N, GEN_N, GEN_N),
};
static const gen_row_t chase_body[] = {GEN_LOAD(R_P, R_P, 8, chase_load), GEN_ARITH};
static const gen_row_t chase_mix[] = {GEN_OP(IC_INT, R_SUM, R_SUM, R_P, GEN_N, GEN_N)};
static const gen_row_t chase_tail[] = {
    GEN_OP(IC_INT, R_SUM, R_SUM, R_P, R_P + 1, GEN_N),
    GEN_PAIR(R_PR, GEN_R_TID, GEN_R_BLOCK, GEN_N, GEN_N),
    GEN_STORE(R_SUM, R_PR, gen_address_result),
};

static int chase_prepare(gen_params_t *p, err_t *e) {
  chase_t *c = (chase_t *)p;
  if (c->node % 8)
    return gen_bad_value(e, &gen_chase, p, "node", "not a multiple of a pointer's 8");
  if (c->node > p->footprint) return gen_bad_value(e, &gen_chase, p, "node", "above footprint");
  uint32_t bits = 63u - (uint32_t)__builtin_clzll(p->footprint / c->node);
  c->last = (1ull << bits) - 1;
  c->shift = bits ? (bits + 1) / 2 : 1;
  uint64_t gap = (c->last + 1) / ((uint64_t)p->all_warps * c->lanes);
  c->gap = gap ? gap : 1;
  rng_t r = {p->seed};
  c->add = rng_next(&r);
  for (int i = 0; i < 3; i++) c->odd[i] = rng_next(&r) | 1;
  p->mask = (uint32_t)((1ull << c->lanes) - 1);
  gen_add_buffer(p, (c->last + 1) * c->node, GEN_IN);
  gen_add_results(p);
  return GMMU_OK;
}

static void chase_start(const gen_params_t *p, gen_warp_t *w) {
  const chase_t *c = (const chase_t *)p;
  w->at[0] = (uint64_t)w->warp * c->lanes * c->gap;
}

static const opt_t chase_options[] = {
    GEN_OPT_FOOTPRINT(64 * GEN_MB),
    GEN_OPT(OPT_SIZE, chase_t, node, 8, GEN_GB, 128, "bytes",
            "size of a list node; the list takes the largest power of two of nodes that fit"),
    GEN_OPT(OPT_U32, chase_t, lanes, 1, WARP_LANES, 1, "lanes", "active lanes, a chain each"),
    GEN_OPT_STEPS(96),
    GEN_OPT_ARITH(0, 0),
    GEN_OPT_GRID,
    {0}};

const gen_ops_t gen_chase = {
    .name = "chase",
    .help = "dependent pointer chase through all nodes of the footprint in random order",
    .options = chase_options,
    .bytes = sizeof(chase_t),
    .head = GEN_ROWS(chase_head),
    .body = GEN_ROWS(chase_body),
    .mix = GEN_ROWS(chase_mix),
    .tail = GEN_ROWS(chase_tail),
    .prepare = chase_prepare,
    .start = chase_start,
};
