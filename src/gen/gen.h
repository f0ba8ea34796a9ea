#ifndef GMMU_GEN_H
#define GMMU_GEN_H
/* Workload generators: small kernels with known address patterns, as sources of warp streams.
 *
 * A generator is one row of gen_all[] and is opened from text, "name" or "name:key=value,...".
 * What a warp does depends only on the options, the launch, and the warp's number, never on when
 * or in which slot it runs: random choices are hashes of (seed, launch, warp, step, lane). */
#include "base/opt.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "gmmu/stream.h"

typedef struct gen_ops gen_ops_t;
extern const gen_ops_t *const gen_all[]; /* NULL-terminated */
const gen_ops_t *gen_find(const char *name);

/* On success the caller owns *out and ends it with (*out)->ops->free(). */
int gen_open(const char *text, source_t **out, err_t *e);
/* Appends every generator with its help, options, ranges and defaults, for `gmmu list` and docs/.
 */
void gen_list(table_style_t style, strbuf_t *out);

/* ---- for generators: one file each, gen_<name>.c, and one entry in gen_all[] ------------------
 */

#define GEN_KB              (1ull << 10)
#define GEN_MB              (1ull << 20)
#define GEN_GB              (1ull << 30)
#define GEN_BUFFERS         4
#define GEN_WORD_BYTES      4u                            /* element of the kernels: a float */
#define GEN_ROW_BYTES       (WARP_LANES * GEN_WORD_BYTES) /* one coalesced access of a warp */
#define GEN_GOLDEN          0x9e3779b97f4a7c15u           /* splitmix64's increment */
#define GEN_WIDTH_OF_OPTION 0 /* inst_t.width of a row: the `width` option decides */

enum { GEN_IN = 1, GEN_OUT = 2 }; /* copied in before, copied out after the launches */

typedef struct {
  uint64_t va, bytes;
  uint32_t copies; /* GEN_IN, GEN_OUT */
} gen_buffer_t;

/* What every generator has; first member of each generator's own struct. */
typedef struct {
  /* Options; see the GEN_OPT_ macros. */
  uint64_t footprint, seed, shared;
  uint32_t blocks, warps, steps, arith, launches, regs, width;
  /* Set from the options before or by prepare(); constant afterwards. */
  uint32_t mask;      /* lanes that run; all unless prepare() says otherwise */
  uint32_t all_warps; /* of a launch */
  uint32_t buffers;
  gen_buffer_t buffer[GEN_BUFFERS];
} gen_params_t;

/* State of one warp, the same for all generators. */
typedef struct {
  uint32_t pc, step; /* current instruction; iterations completed */
  uint32_t warp;     /* number in the launch: block * warps + place */
  uint32_t place;    /* number in the block */
  uint64_t key;      /* hash of (seed, launch, warp): where its random numbers start */
  uint64_t at[2];    /* the generator's cursors */
} gen_warp_t;

/* Fills addresses (mode, base, stride or lane[]) of one memory instruction. Hot. `p` points to the
 * generator's own struct. Called once per execution of the instruction, so it may move cursors. */
typedef void (*gen_address_fn)(const gen_params_t *p, gen_warp_t *w, warp_op_t *op);

typedef struct {
  inst_t inst;
  gen_address_fn address; /* memory instructions only */
  bool arith;             /* not an instruction: the step's arithmetic goes here */
} gen_row_t;

typedef struct {
  const gen_row_t *row;
  uint32_t count;
} gen_rows_t;

/* A kernel is: thread index (3 instructions), head, then `steps` times (body, loop end of 3
 * instructions), tail, exit. The step's arithmetic is `arith` instructions taken in turn from
 * mix.row. */
struct gen_ops {
  const char *name, *help;
  const opt_t *options; /* of the generator's own struct */
  size_t bytes;         /* of that struct, which begins with gen_params_t */
  gen_rows_t head, body, mix, tail;
  /* Checks the options together, lays out buffers, derives constants. */
  int (*prepare)(gen_params_t *p, err_t *e);
  /* A warp begins: set its cursors. NULL: they start at 0. */
  void (*start)(const gen_params_t *p, gen_warp_t *w);
  /* The i-th host command of its own before launch number `launch`, or behind the last one if it is
   * p->launches; false: there is none. NULL: it has none. */
  bool (*host)(gen_params_t *p, uint32_t launch, uint32_t i, command_t *out);
  /* The program begins anew. NULL: nothing of it has changed. */
  void (*reset)(gen_params_t *p);
};
extern const gen_ops_t gen_stream, gen_stride, gen_chase, gen_gather, gen_hotset, gen_tiled2d,
    gen_compute, gen_churn;

/* The two halves of gen_open(). gen_parse() gives the generator's own struct with every option set;
 * gen_new() takes that struct over, also when it fails. */
int gen_parse(const char *text, const gen_ops_t **ops, gen_params_t **out, err_t *e);
int gen_new(const gen_ops_t *ops, gen_params_t *p, source_t **out, err_t *e);

/* Adds a buffer, rounded up to whole 512 bytes, 2 MB aligned like a large cudaMalloc. */
uint64_t gen_add_buffer(gen_params_t *p, uint64_t bytes, uint32_t copies);
/* Adds the buffer for gen_address_result(): one word per thread. Must be the last buffer. */
void gen_add_results(gen_params_t *p);
/* The error of an option whose value, though in its range, is `what` ("not below footprint"). */
int gen_bad_value(err_t *e, const gen_ops_t *ops, gen_params_t *p, const char *key,
                  const char *what);
/* steps = 0 means "as many as go once over all `units` when each step of a launch does `per_step`".
 */
void gen_steps_to_cover(gen_params_t *p, uint64_t units, uint64_t per_step);
void gen_address_result(const gen_params_t *p, gen_warp_t *w, warp_op_t *op);

static inline void gen_at_stride(warp_op_t *op, uint64_t base, int64_t stride) {
  op->mode = ADDR_STRIDE;
  op->base = base;
  op->stride = stride;
}
/* A cursor that runs round [0, limit) without division; by <= limit. */
static inline void gen_advance(uint64_t *at, uint64_t by, uint64_t limit) {
  *at += by;
  if (*at >= limit) *at -= limit;
}
/* The n-th random number of a warp. */
static inline uint64_t gen_random(const gen_warp_t *w, uint64_t n) {
  return rng_mix(w->key + GEN_GOLDEN * (n + 1));
}

/* Registers. The loop's own come first; generators use GEN_R0 and up, with address pairs. */
enum { GEN_R_TID, GEN_R_BLOCK, GEN_R_INDEX, GEN_R_PRED, GEN_R0 = 8 };

/* Instructions: pairs are 64-bit addresses in registers (r, r + 1). */
#define GEN_OP(class_, dst_, ...)                                                                  \
  {                                                                                                \
    .inst = {.cls = (class_), .dst = (dst_), .dsts = 1, .src = {__VA_ARGS__} }                     \
  }
#define GEN_PAIR(dst_, ...) /* address = base + index * width */                                   \
  {                                                                                                \
    .inst = {.cls = IC_INT, .dst = (dst_), .dsts = 2, .src = {__VA_ARGS__} }                       \
  }
/* Memory: the registers that give the address, a pair or (base of the launch + index) one alone. */
#define GEN_LOAD_BY(dst_, width_, address_, ...)                                                   \
  {                                                                                                \
    .inst = {.cls = IC_LOAD,                                                                       \
             .space = SPACE_GLOBAL,                                                                \
             .width = (width_),                                                                    \
             .dst = (dst_),                                                                        \
             .dsts = ((width_) + 3) / 4,                                                           \
             .src = {__VA_ARGS__}},                                                                \
    .address = (address_)                                                                          \
  }
#define GEN_STORE_BY(address_, ...)                                                                \
  {                                                                                                \
    .inst = {.cls = IC_STORE,                                                                      \
             .space = SPACE_GLOBAL,                                                                \
             .width = GEN_WORD_BYTES,                                                              \
             .dst = REG_NONE,                                                                      \
             .src = {__VA_ARGS__}},                                                                \
    .address = (address_)                                                                          \
  }
#define GEN_LOAD(dst_, pair_, width_, address_)                                                    \
  GEN_LOAD_BY(dst_, width_, address_, (pair_), (pair_) + 1, REG_NONE, REG_NONE)
#define GEN_STORE(value_, pair_, address_)                                                         \
  GEN_STORE_BY(address_, (pair_), (pair_) + 1, (value_), REG_NONE)
#define GEN_ARITH                                                                                  \
  { .arith = true }
#define GEN_ROWS(a_)                                                                               \
  { (a_), sizeof(a_) / sizeof *(a_) }
#define GEN_N REG_NONE /* short, for rows of sources */

/* The common options, each declared here once; generators choose only defaults. */
#define GEN_OPT(type_, struct_, member_, min_, max_, def_, unit_, help_)                           \
  {                                                                                                \
    .name = #member_, .type = (type_), .offset = offsetof(struct_, member_), .min = (min_),        \
    .max = (max_), .def = (def_), .unit = (unit_), .help = (help_)                                 \
  }
#define GEN_OPT_FOOTPRINT(def_)                                                                    \
  GEN_OPT(OPT_SIZE, gen_params_t, footprint, 4 * GEN_KB, 128 * GEN_GB, def_, "bytes",              \
          "data the loop works on, all buffers together")
#define GEN_OPT_STEPS(def_)                                                                        \
  GEN_OPT(OPT_U32, gen_params_t, steps, 1, 1u << 30, def_, "iterations",                           \
          "iterations of the loop per warp and launch")
#define GEN_OPT_STEPS_OR_PASS /* 0 = once over the footprint */                                    \
  GEN_OPT(OPT_U32, gen_params_t, steps, 0, 1u << 30, 0, "iterations",                              \
          "iterations of the loop per warp and launch; 0: once over the footprint")
#define GEN_OPT_ARITH(min_, def_)                                                                  \
  GEN_OPT(OPT_U32, gen_params_t, arith, min_, 1024, def_, "instructions",                          \
          "arithmetic instructions per iteration, address and loop arithmetic not counted")
#define GEN_OPT_WIDTH                                                                              \
  GEN_OPT(OPT_U32, gen_params_t, width, 1, 16, GEN_WORD_BYTES, "bytes",                            \
          "bytes each lane loads: 1, 2, 4, 8 or 16")
/* 240 blocks of 8 warps fill 30 SMs of 64 warps; 32 registers let 2048 threads share the 65536 of
 * an SM. 32 warps are 1024 threads, CUDA's limit for a block. */
#define GEN_OPT_GRID                                                                               \
  GEN_OPT(OPT_U32, gen_params_t, blocks, 1, 1u << 24, 240, "blocks", "thread blocks of a launch"), \
      GEN_OPT(OPT_U32, gen_params_t, warps, 1, 32, 8, "warps", "warps per block"),                 \
      GEN_OPT(OPT_U32, gen_params_t, launches, 1, 1u << 20, 1, "launches", "kernel launches"),     \
      GEN_OPT(OPT_U32, gen_params_t, regs, 0, 255, 32, "registers",                                \
              "registers per thread, for occupancy; 0: no limit"),                                 \
      GEN_OPT(OPT_SIZE, gen_params_t, shared, 0, 256 * GEN_KB, 0, "bytes",                         \
              "shared memory per block, for occupancy; 0: what the kernel uses"),                  \
      GEN_OPT(OPT_U64, gen_params_t, seed, 0, UINT64_MAX, 1, "", "seed of every random choice")
#endif
