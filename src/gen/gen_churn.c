/* churn: random rows of allocations that come and go between launches.
 *
 * `footprint` bytes are alive in pieces of about `piece` bytes. Before each launch but the first a
 * share of the pieces is freed, and as many are allocated at addresses nobody had. So a large page
 * empties slowly, as in a program that holds buffers of different age. Each step loads one
 * coalesced row of a random piece. Invariant: pieces [0, count) are allocated while a kernel runs.
 */
#include "gen/gen.h"

#define CHURN_PIECES 4096u
#define CHURN_VA     0x20000000000u /* 2 TB: behind all buffers */
#define CHURN_PAGE   4096u

typedef struct {
  gen_params_t p;
  uint64_t piece;           /* options: bytes */
  uint32_t turnover;        /* options: percent */
  uint32_t count, replaced; /* pieces; of them, new ones before a launch */
  uint64_t next_va, va[CHURN_PIECES];
  uint32_t rows[CHURN_PIECES];
  uint32_t leaving; /* the piece that was freed last */
  uint64_t draws;   /* random numbers of the host so far */
} churn_t;

enum { R_P = GEN_R0, R_H = 10, R_SUM = 12, R_PR = 14, R_X = 16 };

static void churn_load(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const churn_t *c = (const churn_t *)p;
  uint64_t r = gen_random(w, w->step);
  uint32_t k = (uint32_t)((uint64_t)(uint32_t)r * c->count >> 32);
  uint64_t row = (r >> 32) * c->rows[k] >> 32;
  gen_at_stride(op, c->va[k] + row * GEN_ROW_BYTES, GEN_WORD_BYTES);
}

static const gen_row_t churn_head[] = {GEN_OP(IC_INT, R_SUM, GEN_N, GEN_N, GEN_N, GEN_N)};
static const gen_row_t churn_body[] = {
    GEN_OP(IC_INT, R_H, GEN_R_INDEX, GEN_N, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_H, R_H, GEN_R_INDEX, GEN_N, GEN_N), /* selects the piece */
    GEN_PAIR(R_P, R_H, GEN_N, GEN_N, GEN_N),
    GEN_LOAD(R_X, R_P, GEN_WORD_BYTES, churn_load),
    GEN_ARITH,
};
static const gen_row_t churn_mix[] = {
    GEN_OP(IC_FP32, R_SUM, R_SUM, R_X, GEN_N, GEN_N),
    GEN_OP(IC_INT, R_SUM, R_SUM, GEN_N, GEN_N, GEN_N),
};
static const gen_row_t churn_tail[] = {
    GEN_PAIR(R_PR, GEN_R_TID, GEN_R_BLOCK, GEN_N, GEN_N),
    GEN_STORE(R_SUM, R_PR, gen_address_result),
};

static uint64_t draw(churn_t *c) { return rng_mix(c->p.seed + GEN_GOLDEN * ++c->draws); }

/* From half of `piece` to one and a half of it, in whole pages. */
static void allocate(churn_t *c, uint32_t k, command_t *out) {
  uint64_t pages = c->piece / CHURN_PAGE, more = draw(c) % (pages + 1);
  uint64_t bytes = (pages - pages / 2 + more) * CHURN_PAGE;
  c->va[k] = c->next_va, c->rows[k] = (uint32_t)(bytes / GEN_ROW_BYTES);
  c->next_va += bytes;
  *out = (command_t){.kind = CMD_ALLOC, .va = c->va[k], .bytes = bytes};
}

static void give_back(const churn_t *c, uint32_t k, command_t *out) {
  *out = (command_t){.kind = CMD_FREE, .va = c->va[k]};
}

/* Before the first launch all pieces come, behind the last one all go. Between launches one goes
 * and one comes, in turn; which one goes is drawn when it does. */
static bool churn_host(gen_params_t *p, uint32_t launch, uint32_t i, command_t *out) {
  churn_t *c = (churn_t *)p;
  bool ends = launch == p->launches;
  uint32_t commands = !launch || ends ? c->count : 2 * c->replaced;
  if (i >= commands) return false;
  if (!launch)
    allocate(c, i, out);
  else if (ends)
    give_back(c, i, out);
  else if (i % 2 == 0)
    give_back(c, c->leaving = (uint32_t)(draw(c) % c->count), out);
  else
    allocate(c, c->leaving, out);
  return true;
}

static void churn_reset(gen_params_t *p) {
  churn_t *c = (churn_t *)p;
  c->next_va = CHURN_VA, c->draws = 0;
}

static int churn_prepare(gen_params_t *p, err_t *e) {
  churn_t *c = (churn_t *)p;
  if (c->piece > p->footprint)
    return gen_bad_value(e, &gen_churn, p, "piece", "more than the footprint");
  if (p->footprint / c->piece > CHURN_PIECES)
    return gen_bad_value(e, &gen_churn, p, "piece", "less than 1/4096 of the footprint");
  c->count = (uint32_t)(p->footprint / c->piece);
  c->replaced = (uint32_t)(((uint64_t)c->count * c->turnover + 99) / 100);
  gen_add_results(p);
  churn_reset(p);
  return GMMU_OK;
}

static const opt_t churn_options[] = {
    GEN_OPT_FOOTPRINT(64 * GEN_MB),
    GEN_OPT(OPT_SIZE, churn_t, piece, 4 * GEN_KB, 64 * GEN_GB, 512 * GEN_KB, "bytes",
            "of an allocation, on average: each is between half and one and a half of it"),
    GEN_OPT(OPT_U32, churn_t, turnover, 0, 100, 25, "percent",
            "of the allocations that are freed, and allocated anew elsewhere, between launches"),
    GEN_OPT_STEPS(32),
    GEN_OPT_ARITH(0, 4),
    GEN_OPT_GRID,
    {0}};

const gen_ops_t gen_churn = {
    .name = "churn",
    .help = "random rows of allocations that come and go between launches",
    .options = churn_options,
    .bytes = sizeof(churn_t),
    .head = GEN_ROWS(churn_head),
    .body = GEN_ROWS(churn_body),
    .mix = GEN_ROWS(churn_mix),
    .tail = GEN_ROWS(churn_tail),
    .prepare = churn_prepare,
    .host = churn_host,
    .reset = churn_reset,
};
