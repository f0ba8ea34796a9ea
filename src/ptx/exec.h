#ifndef GMMU_PTX_EXEC_H
#define GMMU_PTX_EXEC_H
/* The state of running warps.
 *
 * Divergence: a warp is in one or more splits, each a program counter and a set of lanes. A branch
 * that divides a split opens a node with the place where its lanes meet again (the branch's
 * immediate post-dominator); a split that gets there is absorbed by the node, and when all of the
 * node's lanes have arrived (or exited), it becomes one split of the enclosing node. A call opens a
 * node too; its lanes meet at the return. Splits of a warp take turns: the current one runs until
 * it arrives, waits or has branched back SPLIT_TURN times, so lanes that wait for each other make
 * progress. Lanes that wait at a meeting point are let go ahead when the rest of the warp spins and
 * nothing in the launch changes (a lock taken by one lane and awaited by its neighbours). */
#include "ptx/code.h"
#include "ptx/devmem.h"
#include "ptx/fp.h"
#include "ptx/ptx.h"

#define FULL_MASK   0xffffffffu
#define SPLIT_TURN  64u
#define LOOSEN_TURN 16384u /* backward branches without progress before waiting lanes go ahead */
#define BARRIERS    16u
#define NODES_FIRST 8u /* nodes a warp starts with; more are added when it needs them */

typedef enum { SPLIT_RUN, SPLIT_PARKED, SPLIT_WAIT } split_state_t;

typedef struct {
  uint32_t pc, mask;
  uint32_t node;
  uint8_t state;
  uint8_t barrier; /* SPLIT_WAIT: which */
} psplit_t;

typedef struct {
  uint32_t rpc; /* where lanes meet; PC_EXIT: at the function's return */
  uint32_t expected, arrived;
  uint32_t parent;
  uint32_t frame; /* the node of the call this one is inside of (itself, for a call) */
  bool used, is_call;
  bool loose; /* lanes no longer wait for each other */
  /* calls: */
  pcode_t *code;
  const pcall_t *call; /* NULL for the kernel itself */
  uint32_t ret_pc;
  uint32_t reg_base, reg_end; /* bytes of the warp's registers */
  uint32_t local_base, param_base;
} pnode_t;

typedef struct pblock pblock_t;

/* watch.c: a state that the warp was in. */
typedef struct {
  uint64_t world, looks; /* the world's count then; states looked at since it changed */
  uint64_t flow, memory;
  uint32_t pc, mask;
  bool circles;
} pwatch_t;

typedef struct {
  uint32_t pc, mask, rpc; /* the current split */
  uint32_t node, spins;
  uint32_t loops; /* backward branches since progress was looked at */
  uint64_t loops_progress;
  pcode_t *code;
  uint8_t *frame; /* registers of the current function */
  uint32_t local_base, param_base;
  uint32_t carry; /* CC.CF, a bit per lane */
  uint32_t live;  /* lanes that have not exited */
  bool active;    /* there is a current split */
  uint32_t splits, nodes, node_count;
  psplit_t split[WARP_LANES]; /* the others */
  pnode_t *node_at;           /* [nodes] */
  uint8_t *regs;
  size_t reg_bytes; /* allocated */
  uint8_t *local, *param;
  pblock_t *block;
  uint32_t index; /* in the block */
  uint32_t warpid, smid;
  uint32_t tid[3][WARP_LANES];
  bool own_regs; /* regs were reallocated: free them */
  /* live: at a barrier that is polled; row of that barrier */
  bool polling;
  uint32_t poll_row;
  uint32_t held; /* live: the machine holds it at this barrier, + 1 */
  pwatch_t watch;
  /* live: a bar.red whose result is due when the barrier opens */
  const dinst_t *red;
  uint32_t red_lanes, red_node, red_barrier;
} pwarp_t;

typedef struct {
  uint32_t arrived, needed;     /* threads; needed 0: the block */
  uint32_t lanes;               /* that wait */
  uint32_t count, any, missing; /* of bar.red: votes; lanes that voted no */
} pbarrier_t;

struct pblock {
  uint32_t ctaid[3];
  uint32_t warps, live_threads;
  pwarp_t **warp; /* [warps] */
  uint8_t *shared;
  pbarrier_t barrier[BARRIERS];
  uint64_t ticket; /* for scheduling */
};

/* What a kernel needs to run, made when the program is linked. */
struct ptx_kernel {
  ptx_kernel_info_t info;
  ptx_t *program;
  pfunc_t *func;
  pcode_t **code; /* every function that it can reach, itself first */
  uint32_t codes;
  uint32_t *row_base;  /* [codes] where each function's rows start in the static table */
  inst_t *row;         /* [info.insts] */
  inst_where_t *where; /* [info.insts] */
  const char **file;   /* [files] the modules' */
  uint32_t files;
  uint64_t local_bytes, param_lane_bytes; /* per lane, calls included */
  uint64_t frame_bytes;                   /* registers of the deepest chain of calls */
  uint32_t dynamic_at;                    /* where dynamic shared memory starts */
};

typedef struct {
  uint64_t va, bytes;
  uint8_t *host;
} palloc_cache_t;
#define ALLOC_CACHE 64u

typedef enum { EXEC_BUDGET, EXEC_YIELD, EXEC_BLOCKED, EXEC_DONE, EXEC_FAULT } exec_result_t;

/* One launch that runs. */
typedef struct pexec pexec_t;
struct pexec {
  ptx_t *program;
  const ptx_kernel_t *kernel;
  devmem_t *mem;
  uint8_t *pool;
  uint8_t *params; /* kernel parameters, padded */
  uint32_t param_bytes;
  uint32_t grid[3], block[3];
  uint32_t shared_bytes, dynamic_shared_bytes;
  uint32_t local_stride, param_stride; /* bytes per lane */
  uint32_t sms;
  uint64_t now, launch_id;
  uint64_t workspace; /* of a cooperative grid; 0: the module has none */
  ptx_options_t options;
  ptx_stats_t stats;
  ptx_fault_t fault;
  err_t *e;
  uint64_t progress; /* counts what changes the outside world */
  uint64_t clocks;   /* and how often the time was read: it always changes */
  bool live;         /* barriers do not block: the machine does */
  /* results of the last instruction, for the live source */
  uint32_t op_mask;
  uint32_t barrier_id, barrier_threads;
  uint64_t addr[WARP_LANES] __attribute__((aligned(32)));
  uint64_t scratch[5][WARP_LANES] __attribute__((aligned(32)));
  palloc_cache_t cache[ALLOC_CACHE];
  uint8_t peeked[WARP_LANES][DEVMEM_GRANULE]; /* what a lane reads and no memory holds */
  uint8_t outside[WARP_LANES][64]; /* what a lane has in place of memory that is not there */
  exec_result_t (*run)(pexec_t *x, pwarp_t *w, uint32_t budget);
};

exec_result_t ptx_exec_generic(pexec_t *x, pwarp_t *w, uint32_t budget);
exec_result_t ptx_exec_avx2(pexec_t *x, pwarp_t *w, uint32_t budget);

/* program.c: is this the address of a variable in constant memory? They lie among the global ones.
 */
bool ptx_is_constant(const ptx_t *p, uint64_t va);

/* exec_setup.c */
int pexec_init(pexec_t *x, ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l,
               const ptx_options_t *o, err_t *e);
void pexec_fini(pexec_t *x);
void *pexec_alloc(size_t bytes); /* zeroed and aligned for something that contains a pexec_t */
uint32_t pexec_warps(const pexec_t *x); /* of a block */
/* Bytes one warp needs: registers, then local memory, then call parameters, each 64-byte aligned.
 */
size_t pexec_warp_bytes(const pexec_t *x);
void pblock_start(pexec_t *x, pblock_t *b, uint64_t cta);
int pwarp_init(pwarp_t *w); /* allocates nodes */
void pwarp_fini(pwarp_t *w);
void pwarp_memory(const pexec_t *x, pwarp_t *w, uint8_t *memory); /* hands it its bytes */

/* op.c: what the last instruction, `in`, did. `local` is where the warp's local memory is in the
 * machine's address space: words of the lanes side by side. */
void pexec_op(const pexec_t *x, const dinst_t *in, uint64_t local, warp_op_t *op);

/* warp.c: splits, nodes, barriers. All may change the current split. */
void warp_begin(pexec_t *x, pwarp_t *w, uint32_t mask, pcode_t *code);
bool warp_branch(pexec_t *x, pwarp_t *w, uint32_t taken, uint32_t target, uint32_t rpc);
bool warp_branch_many(pexec_t *x, pwarp_t *w, const uint32_t *target, uint32_t taken, uint32_t rpc);
void warp_arrive(pexec_t *x, pwarp_t *w);
void warp_return(pexec_t *x, pwarp_t *w, uint32_t lanes);
void warp_exit(pexec_t *x, pwarp_t *w, uint32_t lanes);
bool warp_call(pexec_t *x, pwarp_t *w, uint32_t lanes, pfunc_t *f, const pcall_t *c, bool divided);
bool warp_call_indirect(pexec_t *x, pwarp_t *w, uint32_t lanes, const dinst_t *in,
                        const uint64_t *target);
void warp_barrier(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes);
bool warp_must_park(const pexec_t *x, const pwarp_t *w, const dinst_t *in);
void warp_park(pexec_t *x, pwarp_t *w);
uint32_t warp_gather(pwarp_t *w, uint32_t pc); /* lanes parked at pc in the current function */
void warp_release(pwarp_t *w, uint32_t pc);    /* they go on behind it */
void warp_rotate(pexec_t *x, pwarp_t *w);
void warp_loosen(pexec_t *x, pwarp_t *w);
void warp_pick(pexec_t *x, pwarp_t *w);
void warp_settle(pexec_t *x, pwarp_t *w);
/* Lanes that wait for each other go ahead, wherever they are; false if there are none. */
bool warp_loosen_all(pexec_t *x, pwarp_t *w);
uint32_t warp_reg_top(const pwarp_t *w); /* bytes of registers that any of its calls uses */
bool warp_check(const pwarp_t *w);       /* every invariant; slow, for tests */
const pnode_t *warp_frame(const pwarp_t *w, uint32_t node);

/* watch.c */
#define WATCH_AFTER ((uint64_t)1 << 16) /* warp instructions without a change before we look */
static inline uint64_t watch_world(const pexec_t *x) { return x->progress + x->clocks; }
void watch_look(const pexec_t *x, pwarp_t *w); /* after it has run, while nothing changes */
/* Whether it cannot get anywhere until the world changes: it goes in circles, or waits. */
bool watch_waits(const pexec_t *x, const pwarp_t *w);

/* fault.c: each records the fault (the first one) and returns false. */
bool fault_access(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane, uint64_t addr,
                  uint32_t bytes, const char *what, const char *space);
/* The same, unless the bounds are not to be kept: then the lane leaves the stream, and has zeros to
 * read and write. NULL: the fault is recorded. */
uint8_t *access_outside(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane,
                        uint64_t addr, uint32_t bytes, const char *what, const char *space);
bool fault_misaligned(pexec_t *x, const pwarp_t *w, const dinst_t *in, uint32_t lane, uint64_t addr,
                      uint32_t bytes, const char *what);
bool fault_simple(pexec_t *x, const pwarp_t *w, uint32_t lanes, ptx_fault_kind_t kind,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void fault_stuck(pexec_t *x, pblock_t *const *blocks, uint32_t count, uint64_t insts);

/* builtin.c: functions that programs call and we provide; 0 if the name is none. */
uint32_t builtin_find(const char *name);
bool builtin_call(pexec_t *x, pwarp_t *w, uint32_t lanes, uint32_t builtin, const pcall_t *c);
/* A lane's generic address as a host pointer to `bytes` bytes; NULL if there are none. */
uint8_t *pexec_generic(pexec_t *x, const pwarp_t *w, uint32_t lane, uint64_t addr, uint32_t bytes);

/* texture.c */
bool texture_fetch(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes, const void *handle,
                   const uint32_t *const at[3], uint32_t out[4][WARP_LANES]);
bool surface_access(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes);

/* matrix.c and async.c: instructions of tensor cores; copies into shared memory and the barriers
 * there; video.c: bytes and halves of registers. */
bool matrix_execute(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes);
bool async_copy(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes);
bool async_barrier(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes);
void video_execute(pexec_t *x, pwarp_t *w, const dinst_t *in, uint32_t lanes);
/* Lanes of `lanes` get the 32- or 64-bit values. */
void put_lanes32(pwarp_t *w, uint32_t d, const uint32_t *v, uint32_t lanes);
void put_lanes64(pwarp_t *w, uint32_t d, const uint64_t *v, uint32_t lanes);

/* program.c */
struct ptx {
  devmem_t *mem;
  pmodule_t *modules, **last_module;
  uint32_t module_count;
  ppool_t pool;
  uint8_t *pool_lanes;
  uint32_t pool_lanes_bytes;
  pfunc_t **func; /* every function, by index; an indirect call's target is 16 * (index + 1) */
  uint32_t funcs, func_cap;
  ptx_kernel_t **kernel;
  uint32_t kernels, kernel_cap;
  struct pbroken { /* kernels that cannot run, and why; of the last linking */
    const pfunc_t *func;
    err_t why;
  } * broken;
  uint32_t brokens;
  bool dirty;
  struct ptex {
    ptx_texture_t t;
    bool used;
  } * texture;
  uint32_t textures;
  uint32_t textures_dense; /* all below are used */
  uint64_t launches;
  uint64_t global_limit, const_limit; /* ptx_limit() */
  uint32_t variables;                 /* that have memory, and their bytes */
  uint64_t variable_bytes;
};
#define FUNC_ADDRESS(index) (((uint64_t)(index) + 1) * 16)
#define TEXTURE_HANDLE      0x7e000000u /* + index: nothing else looks like it */

static inline const void *operand_at(const pexec_t *x, const pwarp_t *w, uint32_t o) {
  uint32_t off = o & 0x3fffffff;
  switch (o >> 30) {
  case SEL_FRAME: return w->frame + off;
  case SEL_POOL: return x->pool + off;
  default: return (const uint8_t *)x->scratch + off;
  }
}
#endif
