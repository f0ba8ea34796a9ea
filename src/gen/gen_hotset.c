/* hotset: a hot set reused with a given probability, and a stream over the rest.
 *
 * Two buffers, hot and cold. Each step loads one coalesced row: with probability reuse / 100 a
 * random row of the hot buffer, else the warp's next row of the cold one (offset at[0], which moves
 * only then). One hash per step decides both: its lower half the kind, its upper half the row. */
#include "gen/gen.h"

typedef struct {
  gen_params_t p;
  uint64_t hot;            /* options: bytes */
  uint32_t reuse;          /* options: percent */
  uint64_t threshold;      /* reuse as a share of 2^32 */
  uint64_t rows;           /* of the hot buffer */
  uint64_t limit, advance; /* of the cold stream, bytes */
} hotset_t;

enum { R_P = GEN_R0, R_H = 10, R_SUM = 12, R_PR = 14, R_X = 16 };

static void hotset_load(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const hotset_t *h = (const hotset_t *)p;
  uint64_t r = gen_random(w, w->step);
  if ((uint32_t)r < h->threshold) {
    uint64_t row = ((r >> 32) * h->rows) >> 32;
    gen_at_stride(op, p->buffer[0].va + row * GEN_ROW_BYTES, GEN_WORD_BYTES);
    return;
  }
  gen_at_stride(op, p->buffer[1].va + w->at[0], GEN_WORD_BYTES);
  gen_advance(&w->at[0], h->advance, h->limit);
}

static const gen_row_t hotset_head[] = {GEN_OP(IC_INT, R_SUM, GEN_N, GEN_N, GEN_N, GEN_N)};
static const gen_row_t hotset_body[] = {
    GEN_OP(IC_INT, R_H, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_H, R_H, GEN_R_INDEX, GEN_N, GEN_N), /* selects hot or cold */
    GEN_PAIR(R_P, R_H, GEN_N, GEN_N, GEN_N),
    GEN_LOAD(R_X, R_P, GEN_WORD_BYTES, hotset_load),
    GEN_ARITH,
};
static const gen_row_t hotset_mix[] = {
    GEN_OP(IC_FP32, R_SUM, R_SUM, R_X, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_SUM, R_SUM, GEN_N, GEN_N, GEN_N),
};
static const gen_row_t hotset_tail[] = {
    GEN_PAIR(R_PR, GEN_R_TID, GEN_R_BLOCK, GEN_N, GEN_N),
    GEN_STORE(R_SUM, R_PR, gen_address_result),
};

static int hotset_prepare(gen_params_t *p, err_t *e) {
  hotset_t *h = (hotset_t *)p;
  if (h->hot >= p->footprint) return gen_bad_value(e, &gen_hotset, p, "hot", "not below footprint");
  gen_add_buffer(p, h->hot, GEN_IN);
  gen_add_buffer(p, p->footprint - h->hot, GEN_IN);
  gen_add_results(p);
  h->threshold = (uint64_t)h->reuse * (1ull << 32) / 100;
  h->rows = p->buffer[0].bytes / GEN_ROW_BYTES;
  h->limit = p->buffer[1].bytes;
  h->advance = (uint64_t)p->all_warps * GEN_ROW_BYTES % h->limit;
  return GMMU_OK;
}

static void hotset_start(const gen_params_t *p, gen_warp_t *w) {
  w->at[0] = (uint64_t)w->warp * GEN_ROW_BYTES % ((const hotset_t *)p)->limit;
}

/* 1 MB is 256 pages of 4 KB: more than an L1 TLB of 64 entries holds, less than an L2 TLB of 512
 * (the sizes of the `maxwell` preset). */
static const opt_t hotset_options[] = {
    GEN_OPT_FOOTPRINT(64 * GEN_MB),
    GEN_OPT(OPT_SIZE, hotset_t, hot, 512, 64 * GEN_GB, GEN_MB, "bytes", "size of the hot set"),
    GEN_OPT(OPT_U32, hotset_t, reuse, 0, 100, 80, "percent", "share of loads in the hot set"),
    GEN_OPT_STEPS(32),
    GEN_OPT_ARITH(0, 4),
    GEN_OPT_GRID,
    {0}};

const gen_ops_t gen_hotset = {
    .name = "hotset",
    .help = "a hot set reused with a given probability, and a stream over the rest",
    .options = hotset_options,
    .bytes = sizeof(hotset_t),
    .head = GEN_ROWS(hotset_head),
    .body = GEN_ROWS(hotset_body),
    .mix = GEN_ROWS(hotset_mix),
    .tail = GEN_ROWS(hotset_tail),
    .prepare = hotset_prepare,
    .start = hotset_start,
};
