/* stream: c[i] = f(a[i], b[i]) in a grid-stride loop; every access is one coalesced row.
 *
 * Three buffers of equal size. at[0] is the warp's byte offset in each of them; in one step all
 * warps of a launch together move over `advance` consecutive bytes. */
#include "gen/gen.h"

typedef struct {
  gen_params_t p;
  uint64_t limit, advance; /* bytes of a buffer; bytes from one step of a warp to the next */
} stream_t;

enum { R_A = 16, R_B, R_C };

static void stream_a(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  gen_at_stride(op, p->buffer[0].va + w->at[0], GEN_WORD_BYTES);
}
static void stream_b(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  gen_at_stride(op, p->buffer[1].va + w->at[0], GEN_WORD_BYTES);
}
/* The store is the step's last access: it moves the cursor. */
static void stream_c(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const stream_t *s = (const stream_t *)p;
  gen_at_stride(op, p->buffer[2].va + w->at[0], GEN_WORD_BYTES);
  gen_advance(&w->at[0], s->advance, s->limit);
}

/* The index serves all three buffers: an address is a buffer's base, a constant of the launch, plus
 * the index. So with arith=1 a step is two loads, a store and four other instructions. */
static const gen_row_t stream_body[] = {
    GEN_LOAD_BY(R_A, GEN_WORD_BYTES, stream_a, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_LOAD_BY(R_B, GEN_WORD_BYTES, stream_b, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_ARITH,
    GEN_STORE_BY(stream_c, GEN_R_INDEX, R_C, GEN_N, GEN_N),
};
static const gen_row_t stream_mix[] = {
    GEN_OP(IC_FP32, R_C, R_A, R_B, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_C, R_C, R_A, R_B, GEN_N),
    GEN_OP(IC_FP32, R_C, R_C, R_B, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_C, R_C, R_A, GEN_N, GEN_N),
};

static int stream_prepare(gen_params_t *p, err_t *e) {
  (void)e;
  stream_t *s = (stream_t *)p;
  for (uint32_t i = 0; i < 3; i++) gen_add_buffer(p, p->footprint / 3, i < 2 ? GEN_IN : GEN_OUT);
  s->limit = p->buffer[0].bytes;
  uint64_t per_step = (uint64_t)p->all_warps * GEN_ROW_BYTES;
  s->advance = per_step % s->limit;
  gen_steps_to_cover(p, s->limit, per_step);
  return GMMU_OK;
}

static void stream_start(const gen_params_t *p, gen_warp_t *w) {
  w->at[0] = (uint64_t)w->warp * GEN_ROW_BYTES % ((const stream_t *)p)->limit;
}

/* 24 MB: once over the three buffers is 0.7 million warp instructions. */
static const opt_t stream_options[] = {
    GEN_OPT_FOOTPRINT(24 * GEN_MB), GEN_OPT_STEPS_OR_PASS, GEN_OPT_ARITH(1, 4), GEN_OPT_GRID, {0}};

const gen_ops_t gen_stream = {
    .name = "stream",
    .help = "c[i] = f(a[i], b[i]): two loads and a store per step, perfectly coalesced",
    .options = stream_options,
    .bytes = sizeof(stream_t),
    .body = GEN_ROWS(stream_body),
    .mix = GEN_ROWS(stream_mix),
    .prepare = stream_prepare,
    .start = stream_start,
};
