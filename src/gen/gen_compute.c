/* compute: arithmetic with an occasional load that stays in the L1 cache.
 *
 * Each warp owns `region` bytes and reads them row by row, round and round; at[0] is the offset in
 * the region, at[1] where the region begins. */
#include "gen/gen.h"

typedef struct {
  gen_params_t p;
  uint64_t region; /* bytes per warp, whole rows */
  uint64_t limit;  /* bytes of the buffer, whole regions */
} compute_t;

enum { R_P = GEN_R0, R_K = 10, R_PR = 12, R_X = 16, R_A, R_B, R_C, R_D };

static void compute_load(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const compute_t *c = (const compute_t *)p;
  gen_at_stride(op, p->buffer[0].va + w->at[1] + w->at[0], GEN_WORD_BYTES);
  gen_advance(&w->at[0], GEN_ROW_BYTES, c->region);
}

static const gen_row_t compute_head[] = {
    GEN_OP(IC_INT, R_K, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_A, R_K, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_B, R_K, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_C, R_K, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_D, R_K, GEN_N, GEN_N, GEN_N),
};
static const gen_row_t compute_body[] = {
    GEN_PAIR(R_P, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_LOAD(R_X, R_P, GEN_WORD_BYTES, compute_load),
    GEN_ARITH,
};
/* Four chains that do not depend on each other; the load's value is first used in the fifth
 * instruction, as a compiler would place it. 8 FP32, 3 INT and 1 SFU of 12. */
static const gen_row_t compute_mix[] = {
    GEN_OP(IC_FP32, R_A, R_A, R_K, GEN_N, GEN_N),  GEN_OP(IC_FP32, R_B, R_B, R_K, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_C, R_C, R_K, GEN_N, GEN_N),  GEN_OP(IC_INT, R_D, R_D, R_K, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_A, R_A, R_X, R_K, GEN_N),    GEN_OP(IC_FP32, R_B, R_B, R_X, R_K, GEN_N),
    GEN_OP(IC_INT, R_K, R_K, GEN_N, GEN_N, GEN_N), GEN_OP(IC_SFU, R_C, R_C, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_A, R_A, R_D, GEN_N, GEN_N),  GEN_OP(IC_FP32, R_B, R_B, R_D, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_D, R_D, R_K, GEN_N, GEN_N),   GEN_OP(IC_FP32, R_C, R_C, R_X, R_A, GEN_N),
};
static const gen_row_t compute_tail[] = {
    GEN_OP(IC_FP32, R_A, R_A, R_B, R_C, R_D),
    GEN_PAIR(R_PR, GEN_R_TID, GEN_R_BLOCK, GEN_N, GEN_N),
    GEN_STORE(R_A, R_PR, gen_address_result),
};

static int compute_prepare(gen_params_t *p, err_t *e) {
  (void)e;
  compute_t *c = (compute_t *)p;
  gen_add_buffer(p, p->footprint, GEN_IN);
  gen_add_results(p);
  uint64_t rows = p->buffer[0].bytes / GEN_ROW_BYTES / p->all_warps;
  c->region = (rows ? rows : 1) * GEN_ROW_BYTES; /* more warps than rows: warps share them */
  c->limit = p->buffer[0].bytes / c->region * c->region;
  return GMMU_OK;
}

static void compute_start(const gen_params_t *p, gen_warp_t *w) {
  const compute_t *c = (const compute_t *)p;
  w->at[1] = c->region * w->warp % c->limit;
}

/* 240 KB for 1920 warps are 128 bytes each, 8 KB for the 64 warps of an SM: half of a 16 KB L1. */
static const opt_t compute_options[] = {
    GEN_OPT_FOOTPRINT(240 * GEN_KB), GEN_OPT_STEPS(14), GEN_OPT_ARITH(0, 24), GEN_OPT_GRID, {0}};

const gen_ops_t gen_compute = {
    .name = "compute",
    .help = "arithmetic with one load per step from a few rows per warp that fit in L1",
    .options = compute_options,
    .bytes = sizeof(compute_t),
    .head = GEN_ROWS(compute_head),
    .body = GEN_ROWS(compute_body),
    .mix = GEN_ROWS(compute_mix),
    .tail = GEN_ROWS(compute_tail),
    .prepare = compute_prepare,
    .start = compute_start,
};
