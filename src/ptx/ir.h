#ifndef GMMU_PTX_IR_H
#define GMMU_PTX_IR_H
/* What the parser makes of PTX text: modules of variables and functions; functions of instructions
 * whose operands are virtual registers, constants and symbols. Everything lives in the module's
 * arena. decode.c turns it into the dense form; the tests' scalar interpreter runs it as it is. */
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include "ptx/arena.h"
#include <stdbool.h>
#include <stdint.h>

/* X(name in PTX, id, bytes, kind): b bits, u unsigned, s signed, f float, x pairs, p predicate,
 * o opaque, m only of matrices (no register or variable has it) */
#define PTX_TYPE_LIST(X)                                                                           \
  X("b8", B8, 1, 'b')                                                                              \
  X("b16", B16, 2, 'b')                                                                            \
  X("b32", B32, 4, 'b')                                                                            \
  X("b64", B64, 8, 'b')                                                                            \
  X("u8", U8, 1, 'u')                                                                              \
  X("u16", U16, 2, 'u')                                                                            \
  X("u32", U32, 4, 'u')                                                                            \
  X("u64", U64, 8, 'u')                                                                            \
  X("s8", S8, 1, 's')                                                                              \
  X("s16", S16, 2, 's')                                                                            \
  X("s32", S32, 4, 's')                                                                            \
  X("s64", S64, 8, 's')                                                                            \
  X("f16", F16, 2, 'f')                                                                            \
  X("f16x2", F16X2, 4, 'f')                                                                        \
  X("bf16", BF16, 2, 'f')                                                                          \
  X("bf16x2", BF16X2, 4, 'f')                                                                      \
  X("u16x2", U16X2, 4, 'x')                                                                        \
  X("s16x2", S16X2, 4, 'x')                                                                        \
  X("f32", F32, 4, 'f')                                                                            \
  X("f64", F64, 8, 'f')                                                                            \
  X("pred", PRED, 0, 'p')                                                                          \
  X("texref", TEXREF, 8, 'o')                                                                      \
  X("samplerref", SAMPLERREF, 8, 'o')                                                              \
  X("surfref", SURFREF, 8, 'o')                                                                    \
  X("tf32", TF32, 4, 'm')                                                                          \
  X("s4", S4, 1, 'm')                                                                              \
  X("u4", U4, 1, 'm')                                                                              \
  X("b1", B1, 1, 'm')

typedef enum {
  T_NONE,
#define X(text, id, bytes, kind) T_##id,
  PTX_TYPE_LIST(X)
#undef X
      T_COUNT
} ptype_t;

typedef struct {
  const char *name;
  uint8_t bytes;
  char kind;
} ptype_info_t;
extern const ptype_info_t ptype_info[T_COUNT];

#define TY(t)    (1u << T_##t)
#define TY_INT8  (TY(U8) | TY(S8) | TY(B8))
#define TY_INT32 (TY(U32) | TY(S32))
#define TY_INT64 (TY(U64) | TY(S64))
#define TY_INT   (TY(U16) | TY(S16) | TY_INT32 | TY_INT64)
#define TY_SINT  (TY(S16) | TY(S32) | TY(S64))
#define TY_BITS  (TY(B16) | TY(B32) | TY(B64))
#define TY_BF16  (TY(BF16) | TY(BF16X2))
#define TY_FLOAT (TY(F16) | TY(F16X2) | TY_BF16 | TY(F32) | TY(F64))
#define TY_PAIR  (TY(U16X2) | TY(S16X2))
#define TY_ADDR  (TY(U32) | TY(U64) | TY(B32) | TY(B64) | TY(S32) | TY(S64))
#define TY_MEM   (TY_INT8 | TY_BITS | TY_INT | TY_FLOAT)
#define TY_MATRIX                                                                                  \
  (TY(F16) | TY(BF16) | TY(TF32) | TY(F32) | TY(F64) | TY(S8) | TY(U8) | TY(S4) | TY(U4) |         \
   TY(B1) | TY(S32))
#define TY_ATOM (TY_INT32 | TY_INT64 | TY_BITS | TY_FLOAT)

/* Modifiers come in groups; an instruction has at most one value of each. 0 means absent. */
typedef enum {
  G_RND,
  G_IRND,
  G_FTZ,
  G_SAT,
  G_CC,
  G_PART,
  G_CMP,
  G_BOOL,
  G_APPROX,
  G_SPACE,
  G_CACHE,
  G_SEM,
  G_SCOPE,
  G_NC,
  G_VEC,
  G_ATOM,
  G_BAR,
  G_BARRED,
  G_WARP,
  G_SHFL,
  G_VOTE,
  G_SYNC,
  G_GEOM,
  G_TO,
  G_DIR,
  G_WRAP,
  G_PRMT,
  G_ALIGNED,
  G_UNI,
  G_NOFTZ,
  G_HINT,
  G_TESTP,
  G_SHIFTAMT,
  G_NAN,
  G_WMMA,
  G_FRAGMENT,
  G_SHAPE,
  G_LAYOUT,
  G_LAYOUT2,
  G_COUNT_X,
  G_TRANS,
  G_SATFINITE,
  G_BITS,
  G_POPC,
  G_ASYNC,
  G_COPY,
  G_SPACE2,
  G_NOINC,
  G_RNA,    /* to nearest, ties away from zero: of tf32 alone */
  G_POLICY, /* of createpolicy */
  G_GRIDDEP,
  G_MBARRIER,
  G_NOCOMPLETE,
  G_PARITY,
  G_VIDEO,
  G_VSHIFT,
  G_PO,
  G_LOD,
  G_GATHER,
  G_FORMAT,
  G_BOUNDARY,
  G_RELU,
  G_PACK, /* of cvt */
  G_COUNT
} pgroup_t;
#define G(x) ((uint64_t)1 << G_##x)

enum { RND_RN = 1, RND_RZ, RND_RM, RND_RP }; /* G_RND and, for integers, G_IRND */
enum { PART_LO = 1, PART_HI, PART_WIDE };    /* G_PART */
enum {
  CMP_EQ = 1,
  CMP_NE,
  CMP_LT,
  CMP_LE,
  CMP_GT,
  CMP_GE,
  CMP_LO,
  CMP_LS,
  CMP_HI,
  CMP_HS,
  CMP_EQU,
  CMP_NEU,
  CMP_LTU,
  CMP_LEU,
  CMP_GTU,
  CMP_GEU,
  CMP_NUM,
  CMP_NAN
};
enum { BOOL_AND = 1, BOOL_OR, BOOL_XOR };
enum { APPROX_APPROX = 1, APPROX_FULL };
enum {
  SP_GENERIC,
  SP_GLOBAL,
  SP_SHARED,
  SP_LOCAL,
  SP_CONST,
  SP_PARAM,
  SP_REG,
  SP_TEX
}; /* G_SPACE */
enum { CACHE_CA = 1, CACHE_CG, CACHE_OTHER };
enum { SEM_WEAK = 1, SEM_VOLATILE, SEM_STRONG };
enum {
  ATOM_ADD = 1,
  ATOM_MIN,
  ATOM_MAX,
  ATOM_INC,
  ATOM_DEC,
  ATOM_AND,
  ATOM_OR,
  ATOM_XOR,
  ATOM_EXCH,
  ATOM_CAS
};
enum { BAR_SYNC = 1, BAR_ARRIVE, BAR_RED };
enum { BARRED_POPC = 1, BARRED_AND, BARRED_OR };
enum { SHFL_UP = 1, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum { VOTE_ALL = 1, VOTE_ANY, VOTE_UNI, VOTE_BALLOT };
enum { GEOM_1D = 1, GEOM_2D, GEOM_3D, GEOM_A1D, GEOM_A2D }; /* A: layers of them */
enum { LOD_LEVEL = 1, LOD_GRAD, LOD_BASE };
enum { BOUNDARY_TRAP = 1, BOUNDARY_CLAMP, BOUNDARY_ZERO };
enum { DIR_L = 1, DIR_R };
enum { WRAP_WRAP = 1, WRAP_CLAMP };
enum { PRMT_F4E = 1, PRMT_B4E, PRMT_RC8, PRMT_ECL, PRMT_ECR, PRMT_RC16 };
enum {
  TESTP_FINITE = 1,
  TESTP_INFINITE,
  TESTP_NUMBER,
  TESTP_NOTANUMBER,
  TESTP_NORMAL,
  TESTP_SUBNORMAL
};

enum { WMMA_LOAD = 1, WMMA_STORE, WMMA_MMA };                /* G_WMMA */
enum { FRAGMENT_A = 1, FRAGMENT_B, FRAGMENT_C, FRAGMENT_D }; /* G_FRAGMENT */
enum { LAYOUT_ROW = 1, LAYOUT_COL };                         /* G_LAYOUT, and of B: G_LAYOUT2 */
enum { BITS_XOR = 1, BITS_AND };                             /* G_BITS */
enum { COPY_COMMIT = 1, COPY_WAIT_GROUP, COPY_WAIT_ALL, COPY_ARRIVE }; /* G_COPY */
enum {                                                                 /* G_MBARRIER */
       MBARRIER_INIT = 1,
       MBARRIER_INVAL,
       MBARRIER_ARRIVE,
       MBARRIER_DROP,
       MBARRIER_TEST,
       MBARRIER_TRY,
       MBARRIER_PENDING
};
enum { VIDEO_ADD = 1, VIDEO_MIN, VIDEO_MAX }; /* G_VIDEO */
/* Shapes of matrices, G_SHAPE: X(name, m, n, k) */
#define PTX_SHAPE_LIST(X)                                                                          \
  X("m8n8", 8, 8, 0)                                                                               \
  X("m16n16k16", 16, 16, 16)                                                                       \
  X("m32n8k16", 32, 8, 16)                                                                         \
  X("m8n32k16", 8, 32, 16)                                                                         \
  X("m16n16k8", 16, 16, 8)                                                                         \
  X("m8n8k4", 8, 8, 4)                                                                             \
  X("m8n8k16", 8, 8, 16)                                                                           \
  X("m8n8k32", 8, 8, 32)                                                                           \
  X("m8n8k128", 8, 8, 128)                                                                         \
  X("m16n8k4", 16, 8, 4)                                                                           \
  X("m16n8k8", 16, 8, 8)                                                                           \
  X("m16n8k16", 16, 8, 16)                                                                         \
  X("m16n8k32", 16, 8, 32)                                                                         \
  X("m16n8k64", 16, 8, 64)                                                                         \
  X("m16n8k128", 16, 8, 128)                                                                       \
  X("m16n8k256", 16, 8, 256)
typedef struct {
  const char *name;
  uint16_t m, n, k;
} pshape_t;
#define SHAPE_COUNT 16u
extern const pshape_t pshape[SHAPE_COUNT]; /* [G_SHAPE - 1] */
/* Which part of a register a scalar video instruction reads: poperand_t.part. */
enum { VPART_B0 = 1, VPART_B3 = 4, VPART_H0, VPART_H1 };

typedef enum {
#define OP(name, ...) OP_##name,
#include "ptx/opcodes.def"
#undef OP
  OP_COUNT
} popcode_t;

typedef struct {
  const char *name;
  uint8_t cls; /* iclass_t; arithmetic classes are refined by type */
  uint8_t max_types, min_operands, max_operands;
  uint32_t types;  /* set of ptype_t */
  uint64_t groups; /* set of pgroup_t */
} popcode_info_t;
extern const popcode_info_t popcode_info[OP_COUNT];

/* Special registers: X(name, id, bytes) */
#define PTX_SREG_LIST(X)                                                                           \
  X("%tid.x", TID_X, 4)                                                                            \
  X("%tid.y", TID_Y, 4)                                                                            \
  X("%tid.z", TID_Z, 4)                                                                            \
  X("%ntid.x", NTID_X, 4)                                                                          \
  X("%ntid.y", NTID_Y, 4)                                                                          \
  X("%ntid.z", NTID_Z, 4)                                                                          \
  X("%ctaid.x", CTAID_X, 4)                                                                        \
  X("%ctaid.y", CTAID_Y, 4)                                                                        \
  X("%ctaid.z", CTAID_Z, 4)                                                                        \
  X("%nctaid.x", NCTAID_X, 4)                                                                      \
  X("%nctaid.y", NCTAID_Y, 4)                                                                      \
  X("%nctaid.z", NCTAID_Z, 4)                                                                      \
  X("%laneid", LANEID, 4)                                                                          \
  X("%warpid", WARPID, 4)                                                                          \
  X("%nwarpid", NWARPID, 4)                                                                        \
  X("%smid", SMID, 4)                                                                              \
  X("%nsmid", NSMID, 4)                                                                            \
  X("%gridid", GRIDID, 8)                                                                          \
  X("%lanemask_eq", LANEMASK_EQ, 4)                                                                \
  X("%lanemask_le", LANEMASK_LE, 4)                                                                \
  X("%lanemask_lt", LANEMASK_LT, 4)                                                                \
  X("%lanemask_ge", LANEMASK_GE, 4)                                                                \
  X("%lanemask_gt", LANEMASK_GT, 4)                                                                \
  X("%clock", CLOCK, 4)                                                                            \
  X("%clock_hi", CLOCK_HI, 4)                                                                      \
  X("%clock64", CLOCK64, 8)                                                                        \
  X("%globaltimer", GLOBALTIMER, 8)                                                                \
  X("%globaltimer_lo", GLOBALTIMER_LO, 4)                                                          \
  X("%globaltimer_hi", GLOBALTIMER_HI, 4)                                                          \
  X("%total_smem_size", TOTAL_SMEM, 4)                                                             \
  X("%dynamic_smem_size", DYNAMIC_SMEM, 4)                                                         \
  X("%envreg1", ENVREG1, 4)                                                                        \
  X("%envreg2", ENVREG2, 4)

typedef enum {
#define X(text, id, bytes) SR_##id,
  PTX_SREG_LIST(X)
#undef X
      SR_COUNT
} sreg_t;
typedef struct {
  const char *name;
  uint8_t bytes;
} sreg_info_t;
extern const sreg_info_t sreg_info[SR_COUNT];

typedef struct pvar pvar_t;
typedef struct pfunc pfunc_t;
typedef struct pmodule pmodule_t;

/* A place in an initial value that holds an address. */
typedef struct preloc {
  struct preloc *next;
  uint64_t offset, addend;
  uint8_t bytes;
  bool generic; /* generic(sym): add the window of the variable's space */
  pvar_t *var;
  pfunc_t *func;
} preloc_t;

struct pvar {
  pvar_t *next; /* of the module, or of the function */
  const char *name;
  pmodule_t *module;
  pfunc_t *owner; /* for variables of a function */
  uint32_t line, column;
  uint8_t space, type, vec;
  bool is_extern, visible, dynamic; /* dynamic: .extern .shared x[] */
  uint32_t align;
  uint64_t bytes;
  uint8_t *init; /* [init_bytes]; what follows is zero */
  uint64_t init_bytes;
  preloc_t *reloc;
  pvar_t *target;   /* what an extern variable turned out to be */
  uint64_t address; /* device address; offset in shared, local, const or parameter space */
  uint32_t reg;     /* for parameters declared as .reg */
  uint32_t texture; /* for .texref: bound texture, 0 none */
  uint64_t users;   /* shared: number of kernels that reach it, while linking */
};

typedef enum {
  O_NONE,
  O_REG,
  O_IMM,
  O_FIMM,
  O_VAR,
  O_MEM,
  O_VEC,
  O_LABEL,
  O_FUNC,
  O_SREG,
  O_SINK,
  O_LIST
} okind_t;

/* O_REG: reg, and reg2 for "d|p"; neg for "!p".  O_IMM: imm.  O_FIMM: imm holds the double's bits,
 * raw the bits of a 0f constant.  O_VAR: var + imm.  O_MEM: [reg + imm], [var + imm] or [imm].
 * O_VEC: elem[0..count).  O_LABEL: imm is the instruction's index.  O_LIST: labels or functions. */
#define NO_REG UINT32_MAX
typedef struct poperand {
  uint8_t kind, count;
  uint8_t part; /* O_REG of a video instruction: VPART_* */
  bool neg, is_f32;
  uint32_t reg, reg2, raw, column;
  uint64_t imm;
  pvar_t *var;
  pfunc_t *func;
  struct poperand *elem;
  uint32_t elems; /* O_LIST: may be more than 255 */
} poperand_t;

#define PTX_MAX_OPERANDS 5
#define PTX_MAX_TYPES    4
typedef struct {
  uint16_t op; /* popcode_t */
  uint8_t type[PTX_MAX_TYPES];
  uint8_t mod[G_COUNT];
  uint8_t operands;
  bool guarded, guard_neg;
  uint32_t guard; /* register */
  uint32_t line, column;
  uint32_t file, source; /* what .loc says: number of the file, and its line; 0: nothing */
  poperand_t *operand;
  /* call: operand[0] is the target; args and results beside it */
  poperand_t *arg, *result;
  uint32_t args, results;
  pfunc_t *prototype; /* indirect call: what is called looks like this */
} pinst_t;

typedef struct {
  uint8_t type;
  const char *name;
} preg_t;

struct pfunc {
  pfunc_t *next; /* of the module */
  const char *name;
  pmodule_t *module;
  uint32_t line, column;
  bool is_entry, is_extern, visible, defined, is_proto;
  pvar_t **param, **result; /* of .param space, or .reg */
  uint32_t params, results;
  pvar_t *vars; /* .local, .shared and .param variables of the body */
  pinst_t *inst;
  uint32_t insts;
  preg_t *reg;
  uint32_t regs;
  uint32_t max_threads, req_threads[3];
  pfunc_t *target; /* what an extern function turned out to be */
  uint32_t builtin;
  bool lacks;         /* what it calls or mentions is nowhere defined; set while linking */
  struct pcode *code; /* the dense form, owned by the program */
  uint32_t index;     /* in the program; also what an indirect call jumps to */
};

/* .file: a number that .loc uses. */
typedef struct pfile {
  struct pfile *next;
  uint64_t number;
  const char *name;
} pfile_t;

struct pmodule {
  pmodule_t *next;
  arena_t arena;
  const char *name, *text; /* text is NUL-terminated */
  size_t size;
  uint32_t index;
  pvar_t *vars;
  pfunc_t *funcs;
  pfile_t *files;
  uint32_t address_bytes, version_major, version_minor, sm;
  pvar_t *reserved;  /* shared memory of the system; NULL: no kernel asks for it */
  pvar_t *workspace; /* where blocks of a cooperative grid meet; NULL: no kernel asks for it */
};

/* Parses one module. On success *out is the caller's (pmodule_free); on failure *e has line, column
 * and a text with the source line and a caret. */
int pmodule_parse(const char *name, const char *text, size_t size, pmodule_t **out, err_t *e);
void pmodule_free(pmodule_t *m);

/* Fills *e with code, place and "message\n  source line\n     ^". Returns code. */
int ptx_err(err_t *e, int code, const pmodule_t *m, uint32_t line, uint32_t column, const char *fmt,
            ...) __attribute__((format(printf, 6, 7)));
/* The source line, without leading space, at most size - 1 characters. */
void ptx_line(const pmodule_t *m, uint32_t line, char *buf, size_t size);
#endif
