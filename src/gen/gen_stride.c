/* stride: one load per step, lanes `lane` bytes apart, steps `step` bytes apart.
 *
 * The warps of a launch lie side by side, `span` bytes each. at[0] is lane 0's offset, always
 * below `limit`, and limit + span - 1 is inside the buffer, so a warp's lanes never wrap apart. */
#include "gen/gen.h"

typedef struct {
  gen_params_t p;
  uint64_t lane, step;           /* options, bytes */
  uint64_t span, limit, advance; /* bytes */
} stride_t;

enum { R_P = GEN_R0, R_SUM = 12, R_PR = 14, R_X = 16 };

static void stride_load(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const stride_t *s = (const stride_t *)p;
  gen_at_stride(op, p->buffer[0].va + w->at[0], (int64_t)s->lane);
  gen_advance(&w->at[0], s->advance, s->limit);
}

static const gen_row_t stride_head[] = {GEN_OP(IC_INT, R_SUM, GEN_N, GEN_N, GEN_N, GEN_N)};
static const gen_row_t stride_body[] = {
    GEN_PAIR(R_P, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_LOAD(R_X, R_P, GEN_WIDTH_OF_OPTION, stride_load),
    GEN_ARITH,
};
static const gen_row_t stride_mix[] = {GEN_OP(IC_FP32, R_SUM, R_SUM, R_X, GEN_N, GEN_N)};
static const gen_row_t stride_tail[] = {
    GEN_PAIR(R_PR, GEN_R_TID, GEN_R_BLOCK, GEN_N, GEN_N),
    GEN_STORE(R_SUM, R_PR, gen_address_result),
};

static int stride_prepare(gen_params_t *p, err_t *e) {
  stride_t *s = (stride_t *)p;
  if (s->lane % p->width)
    return gen_bad_value(e, &gen_stride, p, "lane", "not a multiple of width");
  if (s->step % p->width)
    return gen_bad_value(e, &gen_stride, p, "step", "not a multiple of width");
  s->span = s->lane ? s->lane * WARP_LANES : p->width;
  uint64_t per_step = s->step ? s->step : s->span * p->all_warps;
  /* Steps that are no whole spans leave a warp anywhere: keep the last span free for its lanes. */
  uint64_t spans = p->footprint / s->span, kept = per_step % s->span ? 1 : 0;
  if (spans <= kept)
    return gen_bad_value(e, &gen_stride, p, "footprint", "too small for 32 lanes that far apart");
  s->limit = (spans - kept) * s->span;
  s->advance = per_step % s->limit;
  gen_add_buffer(p, p->footprint, GEN_IN);
  gen_add_results(p);
  return GMMU_OK;
}

static void stride_start(const gen_params_t *p, gen_warp_t *w) {
  const stride_t *s = (const stride_t *)p;
  w->at[0] = s->span * w->warp % s->limit;
}

/* 32 bytes: every lane its own sector, eight 128-byte lines per load. */
static const opt_t stride_options[] = {
    GEN_OPT_FOOTPRINT(64 * GEN_MB),
    GEN_OPT(OPT_SIZE, stride_t, lane, 0, 256 * GEN_MB, 32, "bytes", "from one lane to the next"),
    GEN_OPT(OPT_SIZE, stride_t, step, 0, 128 * GEN_GB, 0, "bytes",
            "from one step of a warp to the next; 0: past all warps of the launch"),
    GEN_OPT_WIDTH,
    GEN_OPT_STEPS(48),
    GEN_OPT_ARITH(0, 2),
    GEN_OPT_GRID,
    {0}};

const gen_ops_t gen_stride = {
    .name = "stride",
    .help = "one load per step with fixed distances between lanes and between steps",
    .options = stride_options,
    .bytes = sizeof(stride_t),
    .head = GEN_ROWS(stride_head),
    .body = GEN_ROWS(stride_body),
    .mix = GEN_ROWS(stride_mix),
    .tail = GEN_ROWS(stride_tail),
    .prepare = stride_prepare,
    .start = stride_start,
};
