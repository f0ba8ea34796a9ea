/* tiled2d: tiles of a row-major matrix, staged in shared memory.
 *
 * A tile is 32 columns wide and TILE_ROWS rows per warp high. In one step a block takes one tile:
 * each warp loads its rows, puts them into shared memory, waits, reads a row of the next warp,
 * and stores one row of the result, whose matrix has a row per TILE_ROWS rows of the input. Tiles
 * go round over the blocks, x fastest. at[0] is the tile's column, at[1] its row, in tiles; the
 * place of a row within the step is in the instruction. */
#include "gen/gen.h"

#define TILE_ROWS 4
/* One word more than a row keeps the columns of a tile in different banks. */
#define SHARED_PITCH (GEN_ROW_BYTES + GEN_WORD_BYTES)

typedef struct {
  gen_params_t p;
  uint64_t pitch;                /* options: bytes from one matrix row to the next */
  uint64_t tiles_x, tiles_y;     /* tiles of the matrix */
  uint64_t advance_x, advance_y; /* from a block's tile to its next one: `blocks` tiles on */
} tiled_t;

enum { R_P = GEN_R0, R_PC = 10, R_S = 12, R_T, R_U, R_X = 16, R_Y = 20, R_Z };

static inline void tiled_row(const gen_params_t *p, const gen_warp_t *w, warp_op_t *op,
                             uint64_t row) {
  const tiled_t *t = (const tiled_t *)p;
  row += (w->at[1] * p->warps + w->place) * TILE_ROWS;
  gen_at_stride(op, p->buffer[0].va + row * t->pitch + w->at[0] * GEN_ROW_BYTES, GEN_WORD_BYTES);
}
static inline void tiled_put(const gen_warp_t *w, warp_op_t *op, uint64_t row) {
  gen_at_stride(op, (w->place * TILE_ROWS + row) * SHARED_PITCH, GEN_WORD_BYTES);
}

#define TILED_ROW(r_)                                                                              \
  static void tiled_row##r_(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {                 \
    tiled_row(p, w, op, r_);                                                                       \
  }                                                                                                \
  static void tiled_put##r_(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {                 \
    (void)p;                                                                                       \
    tiled_put(w, op, r_);                                                                          \
  }
TILED_ROW(0)
TILED_ROW(1)
TILED_ROW(2)
TILED_ROW(3)

static void tiled_get(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  uint32_t next = w->place + 1 < p->warps ? w->place + 1 : 0;
  gen_at_stride(op, (uint64_t)next * TILE_ROWS * SHARED_PITCH, GEN_WORD_BYTES);
}

/* The result is the step's last access: it moves on to the next tile. */
static void tiled_result(const gen_params_t *p, gen_warp_t *w, warp_op_t *op) {
  const tiled_t *t = (const tiled_t *)p;
  uint64_t row = w->at[1] * p->warps + w->place;
  gen_at_stride(op, p->buffer[1].va + row * t->pitch + w->at[0] * GEN_ROW_BYTES, GEN_WORD_BYTES);
  w->at[0] += t->advance_x;
  w->at[1] += t->advance_y;
  if (w->at[0] >= t->tiles_x) w->at[0] -= t->tiles_x, w->at[1]++;
  if (w->at[1] >= t->tiles_y) w->at[1] -= t->tiles_y;
}

#define TILED_SHARED(class_, dst_, dsts_, value_, address_)                                        \
  {                                                                                                \
    .inst = {.cls = (class_),                                                                      \
             .space = SPACE_SHARED,                                                                \
             .width = GEN_WORD_BYTES,                                                              \
             .dst = (dst_),                                                                        \
             .dsts = (dsts_),                                                                      \
             .src = {R_S, (value_), GEN_N, GEN_N}},                                                \
    .address = (address_)                                                                          \
  }
#define TILED_BARRIER                                                                              \
  {                                                                                                \
    .inst = {.cls = IC_BARRIER, .dst = GEN_N, .src = {GEN_N, GEN_N, GEN_N, GEN_N} }                \
  }

static const gen_row_t tiled_head[] = {GEN_OP(IC_INT, R_S, GEN_R_TID, GEN_N, GEN_N, GEN_N)};
static const gen_row_t tiled_body[] = {
    GEN_OP(IC_INT, R_T, GEN_R_INDEX, GEN_N, GEN_N, GEN_N), /* tile row */
    GEN_OP(IC_INT, R_U, GEN_R_INDEX, R_T, GEN_N, GEN_N),   /* tile column */
    GEN_PAIR(R_P, R_T, R_U, GEN_N, GEN_N),
    GEN_LOAD(R_X, R_P, GEN_WORD_BYTES, tiled_row0),
    GEN_PAIR(R_P, R_P, R_P + 1, GEN_N, GEN_N),
    GEN_LOAD(R_X + 1, R_P, GEN_WORD_BYTES, tiled_row1),
    GEN_PAIR(R_P, R_P, R_P + 1, GEN_N, GEN_N),
    GEN_LOAD(R_X + 2, R_P, GEN_WORD_BYTES, tiled_row2),
    GEN_PAIR(R_P, R_P, R_P + 1, GEN_N, GEN_N),
    GEN_LOAD(R_X + 3, R_P, GEN_WORD_BYTES, tiled_row3),
    GEN_PAIR(R_PC, R_T, R_U, GEN_N, GEN_N),
    TILED_SHARED(IC_STORE, GEN_N, 0, R_X, tiled_put0),
    TILED_SHARED(IC_STORE, GEN_N, 0, R_X + 1, tiled_put1),
    TILED_SHARED(IC_STORE, GEN_N, 0, R_X + 2, tiled_put2),
    TILED_SHARED(IC_STORE, GEN_N, 0, R_X + 3, tiled_put3),
    TILED_BARRIER, /* the tile is complete */
    TILED_SHARED(IC_LOAD, R_Y, 1, GEN_N, tiled_get),
    GEN_ARITH,
    GEN_STORE(R_Z, R_PC, tiled_result),
    TILED_BARRIER, /* everybody has read it: the next may come */
};
static const gen_row_t tiled_mix[] = {
    GEN_OP(IC_FP32, R_Z, R_X, R_Y, GEN_N, GEN_N),
    GEN_OP(IC_FP32, R_Z, R_Z, R_X + 1, R_Y, GEN_N),
    GEN_OP(IC_FP32, R_Z, R_Z, R_X + 2, R_Y, GEN_N),
    GEN_OP(IC_FP32, R_Z, R_Z, R_X + 3, R_Y, GEN_N),
};

static int tiled_prepare(gen_params_t *p, err_t *e) {
  tiled_t *t = (tiled_t *)p;
  uint64_t used = (uint64_t)p->warps * TILE_ROWS * SHARED_PITCH;
  if (t->pitch % GEN_ROW_BYTES)
    return gen_bad_value(e, &gen_tiled2d, p, "pitch", "not a multiple of a tile's 128 bytes");
  if (p->shared && p->shared < used)
    return gen_bad_value(e, &gen_tiled2d, p, "shared", "below the 528 bytes a warp's rows take");
  if (!p->shared) p->shared = used;
  /* Of TILE_ROWS + 1 bytes, TILE_ROWS are input. */
  uint64_t row_of_tiles = t->pitch * p->warps * (TILE_ROWS + 1);
  t->tiles_x = t->pitch / GEN_ROW_BYTES;
  t->tiles_y = p->footprint / row_of_tiles;
  if (!t->tiles_y)
    return gen_bad_value(e, &gen_tiled2d, p, "footprint",
                         "below pitch * warps * 5: one row of tiles");
  t->advance_x = p->blocks % t->tiles_x;
  t->advance_y = p->blocks / t->tiles_x % t->tiles_y;
  gen_add_buffer(p, t->tiles_y * p->warps * TILE_ROWS * t->pitch, GEN_IN);
  gen_add_buffer(p, t->tiles_y * p->warps * t->pitch, GEN_OUT);
  gen_steps_to_cover(p, t->tiles_x * t->tiles_y, p->blocks);
  return GMMU_OK;
}

static void tiled_start(const gen_params_t *p, gen_warp_t *w) {
  const tiled_t *t = (const tiled_t *)p;
  uint32_t block = w->warp / p->warps;
  w->at[0] = block % t->tiles_x;
  w->at[1] = block / t->tiles_x % t->tiles_y;
}

/* 16 KB: each row of a tile is in a 4 KB page of its own. */
static const opt_t tiled_options[] = {GEN_OPT_FOOTPRINT(20 * GEN_MB),
                                      GEN_OPT(OPT_SIZE, tiled_t, pitch, GEN_ROW_BYTES, 64 * GEN_MB,
                                              16 * GEN_KB, "bytes",
                                              "from one matrix row to the next, a multiple of 128"),
                                      GEN_OPT_STEPS_OR_PASS,
                                      GEN_OPT_ARITH(1, 4),
                                      GEN_OPT_GRID,
                                      {0}};

const gen_ops_t gen_tiled2d = {
    .name = "tiled2d",
    .help = "2-D tiles of a row-major matrix through shared memory, two barriers per tile",
    .options = tiled_options,
    .bytes = sizeof(tiled_t),
    .head = GEN_ROWS(tiled_head),
    .body = GEN_ROWS(tiled_body),
    .mix = GEN_ROWS(tiled_mix),
    .prepare = tiled_prepare,
    .start = tiled_start,
};
