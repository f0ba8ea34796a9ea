#ifndef GMMU_PTX_CODE_H
#define GMMU_PTX_CODE_H
/* The dense form of a function: 64-byte instructions whose operands are byte offsets.
 *
 * A warp's frame holds one vector of 32 lanes per register slot: 32-bit lanes for types up to 32
 * bits (shorter values are truncated when read), 64-bit lanes for the rest; predicates are 32-bit
 * masks at its start. Constants are vectors too, in a pool that all warps share. An operand is
 * `selector << 30 | offset`. */
#include "ptx/ir.h"

#define SEL_FRAME         0u
#define SEL_POOL          1u
#define SEL_SCRATCH       2u
#define OPERAND(sel, off) ((uint32_t)(sel) << 30 | (uint32_t)(off))
#define OPERAND_NONE      UINT32_MAX
#define PC_EXIT           0xfffffff0u /* "reconverges where the function returns" */
#define PC_NONE           0xfffffff1u /* never reconverges */

typedef enum {
#define U1(op, type, ...) I_##op##_##type,
#define B2(op, type, ...) I_##op##_##type,
#define T3(op, type, ...) I_##op##_##type,
#include "ptx/elem.def"
#undef U1
#undef B2
#undef T3
  I_NOP,
  I_MOV32,
  I_MOV64,
  I_MOVP,
  I_SREG,
  I_PACK,
  I_UNPACK,
  I_FRAMEADDR,
  I_SETP,
  I_SET,
  I_SELP32,
  I_SELP64,
  I_SLCT32,
  I_SLCT64,
  I_PLOGIC,
  I_BFI32,
  I_BFI64,
  I_TESTP,
  I_CARRY,
  I_MADCARRY,
  I_ADDIMM64,
  I_CVT_II,
  I_CVT_IF,
  I_CVT_FI,
  I_CVT_FF,
  I_CVT_H2,
  I_CVT_PACK,
  I_ISSPACEP,
  I_FADD32,
  I_FSUB32,
  I_FMUL32,
  I_FMA32,
  I_FDIV32,
  I_FRCP32,
  I_FSQRT32,
  I_FMIN32,
  I_FMAX32,
  I_FABS32,
  I_FNEG32,
  I_FADD64,
  I_FSUB64,
  I_FMUL64,
  I_FMA64,
  I_FDIV64,
  I_FRCP64,
  I_FSQRT64,
  I_FMIN64,
  I_FMAX64,
  I_FABS64,
  I_FNEG64,
  I_FSOFT,
  I_HALF,
  I_APPROX32,
  I_APPROX64,
  I_LD_GLOBAL,
  I_LD_SHARED,
  I_LD_LOCAL,
  I_LD_GENERIC,
  I_LD_KPARAM,
  I_LD_PARAM,
  I_ST_GLOBAL,
  I_ST_SHARED,
  I_ST_LOCAL,
  I_ST_GENERIC,
  I_ST_PARAM,
  I_ATOM,
  I_TEX,
  I_TLD4,
  I_SULD,
  I_SUST,
  I_SHFL,
  I_VOTE,
  I_MATCH,
  I_REDUX,
  I_ACTIVEMASK,
  I_MMA, /* these need the whole warp: I_MMA .. I_MOVMATRIX */
  I_WMMA_LD,
  I_WMMA_ST,
  I_LDMATRIX,
  I_STMATRIX,
  I_MOVMATRIX,
  I_CPASYNC,
  I_MBARRIER,
  I_VIDEO,
  I_BRA,
  I_BRX,
  I_CALL,
  I_CALLI,
  I_RET,
  I_EXIT,
  I_TRAP,
  I_BAR,
  I_WARPSYNC,
  I_FENCE,
  I_COUNT
} iop_t;

enum { /* dinst_t.flags */
       DI_GUARD_NEG = 1,
       DI_FTZ = 2,
       DI_SAT = 4,
       DI_NEG = 8,     /* the predicate operand is negated */
       DI_ADDR32 = 16, /* the address register has 32-bit lanes */
       DI_FRAME = 32,  /* the address is relative to the function's local or parameter frame */
       DI_FIX = 64,    /* operands need conversion first: see pfix_t */
       DI_YIELD = 128, /* a good place to let another warp run (global memory) */
};

/* fsoft, half and approximate operations: dinst_t.sub */
enum {
  FOP_ADD,
  FOP_SUB,
  FOP_MUL,
  FOP_FMA,
  FOP_DIV,
  FOP_RCP,
  FOP_SQRT,
  FOP_MIN,
  FOP_MAX,
  FOP_ABS,
  FOP_NEG,
  FOP_EX2,
  FOP_LG2,
  FOP_SIN,
  FOP_COS,
  FOP_RSQRT,
  FOP_TANH
};

/* video instructions: dinst_t.sub */
enum {
  VOP_ADD,
  VOP_SUB,
  VOP_ABSDIFF,
  VOP_MIN,
  VOP_MAX,
  VOP_AVRG,
  VOP_SET,
  VOP_SHL,
  VOP_SHR,
  VOP_MAD
};

enum { CARRY_SUB = 1, CARRY_IN = 2, CARRY_OUT = 4, CARRY_HI = 8, CARRY_SIGNED = 16 };

typedef struct {
  uint16_t op; /* iop_t */
  uint8_t flags;
  uint8_t sub;         /* what the operation needs: comparison, rounding, carry, ... */
  uint8_t type, type2; /* ptype_t */
  uint8_t width, vec;  /* of a memory element in bytes; elements */
  uint8_t rnd, aux;    /* rounding; second small parameter */
  uint8_t wide;        /* bit i: register operand i (memory data, cvt result) has 64-bit lanes */
  uint8_t polled;      /* I_BAR in a module that also arrives without waiting: see live.c */
  uint32_t guard;      /* offset of the predicate in the frame, or OPERAND_NONE */
  uint32_t d[4], s[4];
  uint64_t imm;
  uint32_t target, rpc; /* branches: instruction numbers in the function */
} dinst_t;

/* An operand that must be brought into the shape its instruction expects. */
typedef enum { FIX_NARROW, FIX_WIDEN_RESULT, FIX_SREG } fixkind_t;
typedef struct {
  uint8_t kind, type, operand; /* operand: index of s[] */
  uint32_t from;               /* operand or special register; FIX_WIDEN_RESULT: the real result */
} pfix_t;
typedef struct {
  pfix_t fix[4];
  uint32_t count;
} pfixes_t;

typedef struct {
  uint8_t kind; /* where an argument or result lives: 0 register, 1 parameter memory, 2 constant */
  uint8_t bytes;
  uint32_t place; /* operand, or offset in the function's parameter frame */
  uint64_t size;
} pplace_t;

typedef struct {
  pfunc_t *func; /* direct: the callee; indirect: the prototype */
  pplace_t *arg, *result;
  uint32_t args, results;
} pcall_t;

/* A constant of the pool. Addresses are filled in when the program is linked. */
typedef struct {
  uint64_t value;
  pvar_t *var;
  pfunc_t *func;
  uint32_t offset; /* in the pool */
  uint8_t bytes;   /* 4 or 8 */
} pconst_t;

/* Operands of a matrix instruction: lists of registers, and what they hold. */
typedef struct {
  uint32_t reg[4][8]; /* D, A, B, C; loads and stores: D alone */
  uint8_t regs[4];
  uint16_t m, n, k;
  uint8_t type[4];
  uint8_t fragment; /* of loads and stores: FRAGMENT_* */
  bool col;         /* loads, stores: how memory is laid out */
  bool wmma;        /* the layout in registers is ours */
  bool satfinite;
  uint8_t bits; /* BITS_* of one-bit elements */
} pmatrix_t;
uint32_t matrix_bits(uint8_t type); /* of an element */
void matrix_shape(const pmatrix_t *p, uint32_t fragment, uint32_t *rows, uint32_t *cols);

typedef struct pcode {
  pfunc_t *func;
  dinst_t *inst;
  uint32_t insts;                                 /* one per PTX instruction, plus a final return */
  inst_t *row;                                    /* the static table's rows, [insts] */
  uint32_t *line;                                 /* [insts] */
  uint32_t frame_bytes, regs_per_thread, numbers; /* numbers: scoreboard registers used */
  uint64_t local_bytes, param_bytes;
  pfixes_t *fix; /* indexed by dinst_t.target of DI_FIX instructions */
  uint32_t fixes, fix_cap;
  pcall_t *call; /* indexed by imm of I_CALL, I_CALLI */
  uint32_t calls, call_cap;
  pmatrix_t *matrix; /* indexed by target of I_MMA .. I_MOVMATRIX */
  uint32_t matrices, matrix_cap;
  uint32_t copies;    /* cp.async instructions: their scoreboard registers take turns */
  uint32_t **targets; /* of brx: count, then instruction numbers */
  uint32_t target_lists, target_cap;
  pvar_t **shared; /* variables in shared memory it mentions */
  uint32_t shareds, shared_cap;
  uint32_t visit; /* while linking */
  bool indirect;  /* it calls through a register */
} pcode_t;

/* Control flow of a function, by instruction number (insts is the end of the function). */
typedef struct {
  uint32_t *leader;         /* [insts + 1] block of each instruction */
  uint32_t *start;          /* [blocks + 1] first instruction of each block */
  uint32_t *succ, *succ_at; /* successors of block b: succ[succ_at[b] .. succ_at[b + 1]) */
  uint32_t *ipdom;          /* immediate post-dominator: a block, or PC_EXIT, or PC_NONE */
  uint32_t blocks;
} pcfg_t;
int pcfg_build(const pfunc_t *f, pcfg_t *g); /* 0 or GMMU_ENOMEM */
void pcfg_fini(pcfg_t *g);

#define PTX_DATA_NUMBERS 240u /* scoreboard registers that are no predicates */
/* Where each virtual register lives. */
typedef struct {
  uint32_t *offset; /* [regs] byte offset in the frame, OPERAND_NONE if unused */
  uint8_t *number;  /* [regs] scoreboard register 0 .. 254 */
  uint32_t frame_bytes, regs_per_thread, numbers;
} pregmap_t;
int pregmap_build(const pfunc_t *f, const pcfg_t *g, pregmap_t *m);
void pregmap_fini(pregmap_t *m);

/* Calls fn for each register the instruction reads (def false) or writes (def true). */
typedef void (*preg_fn)(void *ctx, uint32_t reg, bool def);
void pinst_regs(const pinst_t *in, preg_fn fn, void *ctx);
bool pinst_has_result(const pinst_t *in);

/* The pool of constants, shared by a program. */
typedef struct {
  pconst_t *item;
  uint32_t count, cap, bytes;
  uint32_t *hash;
  uint32_t hash_size;
} ppool_t;
uint32_t ppool_add(ppool_t *p, const pconst_t *c); /* the operand, or OPERAND_NONE without memory */
void ppool_fini(ppool_t *p);

/* Makes f->code. Errors name line and column. */
int pcode_decode(pfunc_t *f, ppool_t *pool, err_t *e);
void pcode_free(pcode_t *c);

static inline bool type_wide(uint8_t t) { return ptype_info[t].bytes == 8; }
#endif
