/* gather: one random element per lane and load, uniform over the footprint.
 *
 * One hash serves two lanes, 32 bits each. An element index needs no more than 32 bits: where the
 * footprint has more elements, the unit drawn doubles (at most to 128 GB / 2^32 = one sector). */
#include "gen/gen.h"

typedef struct {
  gen_params_t p;
  uint64_t units; /* to draw from, at most 2^32 */
  uint32_t shift; /* log2(bytes of a unit) */
} gather_t;

enum { R_P = GEN_R0, R_H = 10, R_SUM = 12, R_PR = 14, R_X = 16 };

static void gather_load(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const gather_t *g = (const gather_t *)p;
  uint64_t base = p->buffer[0].va, units = g->units, s = w->key + GEN_GOLDEN * 16 * w->step;
  uint32_t shift = g->shift;
  op->mode = ADDR_LIST;
  for (uint32_t l = 0; l < WARP_LANES; l += 2) {
    uint64_t h = rng_mix(s += GEN_GOLDEN);
    op->lane[l] = base + (((uint32_t)h * units) >> 32 << shift);
    op->lane[l + 1] = base + (((h >> 32) * units) >> 32 << shift);
  }
}

static const gen_row_t gather_head[] = {GEN_OP(IC_INT, R_SUM, GEN_N, GEN_N, GEN_N, GEN_N)};
static const gen_row_t gather_body[] = {
    GEN_OP(IC_INT, R_H, GEN_R_INDEX, GEN_N, GEN_N, GEN_N), /* the kernel hashes its index */
    GEN_OP(IC_INT, R_H, R_H, GEN_N, GEN_N, GEN_N),         GEN_PAIR(R_P, R_H, GEN_N, GEN_N, GEN_N),
    GEN_LOAD(R_X, R_P, GEN_WIDTH_OF_OPTION, gather_load),  GEN_ARITH,
};
static const gen_row_t gather_mix[] = {
    GEN_OP(IC_FP32, R_SUM, R_SUM, R_X, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_SUM, R_SUM, GEN_N, GEN_N, GEN_N),
};
static const gen_row_t gather_tail[] = {
    GEN_PAIR(R_PR, GEN_R_TID, GEN_R_BLOCK, GEN_N, GEN_N),
    GEN_STORE(R_SUM, R_PR, gen_address_result),
};

static int gather_prepare(gen_params_t *p, err_t *e) {
  (void)e;
  gather_t *g = (gather_t *)p;
  gen_add_buffer(p, p->footprint, GEN_IN);
  gen_add_results(p);
  g->shift = (uint32_t)__builtin_ctz(p->width);
  while (p->buffer[0].bytes >> g->shift > 1ull << 32) g->shift++;
  g->units = p->buffer[0].bytes >> g->shift;
  return GMMU_OK;
}

static const opt_t gather_options[] = {GEN_OPT_FOOTPRINT(64 * GEN_MB),
                                       GEN_OPT_WIDTH,
                                       GEN_OPT_STEPS(32),
                                       GEN_OPT_ARITH(0, 4),
                                       GEN_OPT_GRID,
                                       {0}};

const gen_ops_t gen_gather = {
    .name = "gather",
    .help = "random gather: every lane loads its own element, uniform over the footprint",
    .options = gather_options,
    .bytes = sizeof(gather_t),
    .head = GEN_ROWS(gather_head),
    .body = GEN_ROWS(gather_body),
    .mix = GEN_ROWS(gather_mix),
    .tail = GEN_ROWS(gather_tail),
    .prepare = gather_prepare,
};
