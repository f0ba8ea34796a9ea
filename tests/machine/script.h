#ifndef GMMU_TESTS_MACHINE_SCRIPT_H
#define GMMU_TESTS_MACHINE_SCRIPT_H
/* A source whose programs are C arrays, and which notes when every instruction issued: with the
 * cycle of each issue, latencies and rates are differences of two notes.
 *
 * Warp w of the launch (block * warps + place) runs program w modulo the number of programs, each
 * `repeat` times; iteration i of an instruction accesses va + w * per_warp + i * per_turn. */
#include "gmmu/stream.h"
#include "gmmu/types.h"

typedef struct {
  inst_t inst;
  uint64_t va; /* of lane 0; barrier: its number */
  int64_t stride;
  uint64_t per_warp, per_turn;
  uint32_t mask;
} script_op_t;

/* Registers are numbers; R_NO for none. */
#define R_NO REG_NONE
#define OP_(cls_, space_, width_, flags_, dst_, src_, va_, stride_, warp_, turn_, mask_)           \
  {                                                                                                \
    .inst = {.cls = (cls_),                                                                        \
             .space = (space_),                                                                    \
             .width = (width_),                                                                    \
             .flags = (flags_),                                                                    \
             .dst = (dst_),                                                                        \
             .dsts = (dst_) != REG_NONE,                                                           \
             .src = {(src_), REG_NONE, REG_NONE, REG_NONE}},                                       \
    .va = (va_), .stride = (stride_), .per_warp = (warp_), .per_turn = (turn_), .mask = (mask_)    \
  }
#define ALL_LANES 0xffffffffu
/* A warp-wide load of `width` bytes per lane, contiguous: 32 x width bytes. */
#define LOAD(dst, src, va)             LOAD_AT(dst, src, va, 0, 0)
#define LOAD_AT(dst, src, va, w, turn) OP_(IC_LOAD, 0, 4, 0, dst, src, va, 4, w, turn, ALL_LANES)
/* One lane, `bytes` wide: touches one sector. */
#define LOAD1(dst, src, va) OP_(IC_LOAD, 0, 4, 0, dst, src, va, 4, 0, 0, 1)
#define LOAD_SPREAD(dst, src, va, stride, w, turn, mask)                                           \
  OP_(IC_LOAD, 0, 4, 0, dst, src, va, stride, w, turn, mask)
#define LOAD_CG(dst, src, va)      OP_(IC_LOAD, 0, 4, INST_BYPASS_L1, dst, src, va, 4, 0, 0, ALL_LANES)
#define STORE_AT(src, va, w, turn) OP_(IC_STORE, 0, 4, 0, R_NO, src, va, 4, w, turn, ALL_LANES)
#define STORE_MASK(src, va, mask)  OP_(IC_STORE, 0, 4, 0, R_NO, src, va, 4, 0, 0, mask)
#define ATOMIC(dst, src, va)       OP_(IC_ATOMIC, 0, 4, 0, dst, src, va, 4, 0, 0, ALL_LANES)
#define ALU(dst, src)              OP_(IC_INT, 0, 0, 0, dst, src, 0, 0, 0, 0, ALL_LANES)
#define MULTIPLY(dst, src)         OP_(IC_INT, 0, 0, INST_MULTIPLY, dst, src, 0, 0, 0, 0, ALL_LANES)
#define UNIT(cls, dst, src)        OP_(cls, 0, 0, 0, dst, src, 0, 0, 0, 0, ALL_LANES)
#define CONSTANT(dst, src)         OP_(IC_LOAD, SPACE_CONST, 4, 0, dst, src, 0, 0, 0, 0, ALL_LANES)
#define SHARED(dst, src, stride, width)                                                            \
  OP_(IC_LOAD, SPACE_SHARED, width, 0, dst, src, 0, stride, 0, 0, ALL_LANES)
#define BARRIER(number, threads)                                                                   \
  OP_(IC_BARRIER, 0, 0, 0, R_NO, R_NO, number, threads, 0, 0, ALL_LANES)

typedef struct {
  const script_op_t *op;
  uint32_t count, repeat; /* repeat 0: once */
} program_t;
#define PROGRAM(array)                                                                             \
  { (array), sizeof(array) / sizeof *(array), 1 }
#define PROGRAM_N(array, n)                                                                        \
  { (array), sizeof(array) / sizeof *(array), (n) }

typedef struct {
  uint8_t kind; /* CMD_ALLOC, CMD_FREE, CMD_LAUNCH */
  uint64_t va, bytes;
} script_command_t;

typedef struct {
  const program_t *program;
  uint32_t programs;
  uint32_t blocks, warps; /* of the grid; of a block */
  uint32_t threads;       /* of a block; 0: warps x 32 */
  uint32_t regs, shared;
  const script_command_t *command; /* NULL: allocate [va, va + bytes), launch */
  uint32_t commands;
  uint64_t va, bytes;
} script_spec_t;

typedef struct {
  uint64_t now;
  uint32_t warp, place, slot; /* of the launch; n-th instruction of its warp; SM slot */
  uint32_t launch;
} issue_t;

typedef struct script script_t;

/* Keeps at most `notes` issues; later ones are counted only. Fails the test if memory is out. */
script_t *script_new(const script_spec_t *spec, uint32_t notes);
source_t *script_source(script_t *s);
void script_free(script_t *s);
uint32_t script_count(const script_t *s);
const issue_t *script_issue(const script_t *s, uint32_t i); /* in order of time */
/* The cycle in which warp `warp` of launch `launch` issued its instruction number n, from 0. Fails
 * the test if it did not. */
uint64_t script_when_launch(const script_t *s, uint32_t launch, uint32_t warp, uint32_t n);
uint64_t script_when(const script_t *s, uint32_t warp, uint32_t n); /* of the first launch */
#endif
