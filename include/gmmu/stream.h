#ifndef GMMU_STREAM_H
#define GMMU_STREAM_H
/* Warp streams: how instructions reach the simulated machine.
 *
 * A program is a sequence of host commands (allocate, free, copy, launch). A launch has a static
 * table of instructions and a grid of thread blocks (CTAs); each warp of a block is a stream of
 * indices into the table, with an active mask, and lane addresses for memory operations.
 *
 * One interface, several sources: generators, a replayed .gmt file, and (live) an interpreter that
 * executes an instruction when the machine issues it. */
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define WARP_LANES 32
#define REG_NONE   255 /* "no register"; usable register numbers are 0..254 */

typedef enum {         /* what executes it; latency and issue interval come from the GPU preset */
               IC_INT, /* integer, logic, move, compare, convert */
               IC_FP32,
               IC_FP64,
               IC_SFU,     /* reciprocal, root, sine, exponential, ... */
               IC_BRANCH,  /* any change of control flow */
               IC_LOAD,    /* space says from where */
               IC_STORE,   /* no destination */
               IC_ATOMIC,  /* read-modify-write in L2; dst is REG_NONE for a reduction */
               IC_BARRIER, /* op.base = barrier number, op.stride = threads expected (0: the whole
                              block) */
               IC_FENCE,   /* memory fence */
               IC_EXIT,    /* last instruction of a warp */
               IC_TENSOR,  /* product of small matrices, by the whole warp */
               IC_COUNT
} iclass_t;

typedef enum {
  SPACE_GLOBAL,
  SPACE_LOCAL,
  SPACE_TEXTURE,
  SPACE_SHARED,
  SPACE_CONST,
  SPACE_COUNT
} space_t;

enum {                     /* inst_t.flags */
       INST_BYPASS_L1 = 1, /* memory: cached in L2 only (.cg, volatile, strong) */
       INST_MULTIPLY = 2,  /* IC_INT: a product, of which some GPUs have the result later */
};

/* One row of a kernel's static table. 12 bytes, plain data; also the file format's row. */
typedef struct {
  uint8_t cls;    /* iclass_t */
  uint8_t space;  /* space_t, for IC_LOAD, IC_STORE, IC_ATOMIC */
  uint8_t width;  /* bytes per lane: 1, 2, 4, 8 or 16; 0 for other classes */
  uint8_t flags;  /* INST_* */
  uint8_t dst;    /* first register written, or REG_NONE */
  uint8_t dsts;   /* registers written from dst on: 0 when dst is REG_NONE, else 1..4 */
  uint8_t src[4]; /* registers read; REG_NONE where fewer */
  uint16_t line;  /* free for the source (PTX line, PC); the machine does not read it */
} inst_t;

/* It neither accesses memory outside the SM, nor stops its warp. */
static inline bool inst_is_plain(const inst_t *i) {
  bool memory = i->cls == IC_LOAD || i->cls == IC_STORE || i->cls == IC_ATOMIC;
  return memory ? i->space > SPACE_TEXTURE : i->cls != IC_BARRIER && i->cls != IC_EXIT;
}

/* Where an instruction was written, as far as the source of the program knows. */
typedef struct {
  uint32_t line;   /* of the program's own text: PTX line, or PC of machine code; 0: unknown */
  uint32_t file;   /* in launch_t.file, from 1 on; 0: unknown */
  uint32_t source; /* line of that file */
} inst_where_t;

/* The dynamic part of one executed instruction. */
typedef enum {
  ADDR_NONE,   /* not a memory operation (barriers use base and stride, see IC_BARRIER) */
  ADDR_STRIDE, /* lane i accesses base + i * stride; lane 0's address even if lane 0 is inactive */
  ADDR_LIST    /* lane i accesses lane[i]; defined for active lanes only */
} addr_mode_t;

typedef struct {
  uint32_t mask; /* active lanes; 0 is allowed (nothing is accessed) */
  uint8_t mode;  /* addr_mode_t */
  uint64_t base;
  int64_t stride;
  uint64_t lane[WARP_LANES];
} warp_op_t;

/* One kernel launch. All pointers belong to the source and stay valid until its next
 * next_command(); those of a launch that was detached, until it has ended. */
typedef struct {
  const char *name;
  const inst_t *inst;
  uint32_t inst_count;
  uint32_t grid[3], block[3]; /* in blocks, in threads */
  uint32_t regs_per_thread;   /* for occupancy; 0: not a limit */
  uint32_t shared_bytes;      /* per block, for occupancy */
  uint32_t
      machine; /* 90: machine code of sm_90, and its registers and shared memory; 0: for any GPU
                */
  const inst_where_t *where; /* [inst_count]; NULL: only inst_t.line is known */
  const char *const *file;   /* [files] names of source files */
  uint32_t files;
  /* Work of several streams. A launch that does not overlap begins when all before it have ended,
   * and the program goes on when it has ended. One that does begins when the launches in `after`
   * have ended: numbers of launches since the first command, from 0 on. */
  bool overlaps;
  uint32_t stream; /* as the program numbers them; 0: the default stream */
  const uint64_t *after;
  uint32_t afters;
  uint32_t place; /* set by the machine: which of the kernels in flight it is */
} launch_t;
#define LAUNCH_MAX_AFTER 128 /* more: it does not overlap */

typedef enum {
  CMD_ALLOC,
  CMD_FREE, /* of either kind of allocation */
  CMD_COPY_IN,
  CMD_COPY_OUT,
  CMD_LAUNCH,
  CMD_END,
  CMD_ALLOC_HOST, /* of memory of the host that kernels access over the link; shares no page with
                     memory of the device */
  CMD_COLOURS, /* later allocations get pages of these colours, a bit of `va` each; never recorded
                */
  CMD_NAME /* bytes [va, va + bytes) of an allocation are called `name` from now on; 0 bytes: all
              of the allocation that `va` lies in */
} command_kind_t;

typedef struct {
  uint8_t kind;       /* command_kind_t */
  uint64_t va, bytes; /* allocation, free (bytes 0) or copy; allocations are aligned to 256 bytes */
  launch_t launch;    /* CMD_LAUNCH */
  const char *name;   /* of an allocation, or CMD_NAME: what people call it; NULL: unknown. Belongs
                         to the source until its next next_command() */
} command_t;

#define STREAM_END  0xffffffffu /* the warp has no further instruction */
#define STREAM_FAIL 0xfffffffeu /* the source failed; error() tells why */

typedef struct source source_t;

typedef struct {
  const char *name;
  /* Called once, before anything else. Warps are named by slot numbers below `slots` (SM number
   * times warps per SM plus the warp's place); a source keeps one warp state per slot it sees.
   * Everything a source needs in step() is allocated here or in next_command(), never in step(). */
  int (*bind)(source_t *s, uint32_t slots, uint32_t slots_per_sm, err_t *e);
  int (*rewind)(source_t *s, err_t *e); /* back to the first command; also starts a relaunch */
  /* The program's next command, asked for at core cycle `now`; *c is filled. After a CMD_LAUNCH it
   * is called again only when every block of that launch has ended, or once it was detached. After
   * CMD_END only rewind() may follow. */
  int (*next_command)(source_t *s, uint64_t now, command_t *c, err_t *e);
  /* Block `cta` (0 .. blocks-1, x fastest) of the current launch starts. Its warp i runs in slot
   * slot[i]; first[i] receives the index of its first instruction (or STREAM_END). */
  int (*cta_begin)(source_t *s, uint64_t now, uint32_t cta, uint32_t warps, const uint32_t slot[],
                   uint32_t first[], err_t *e);
  /* The warp in `slot` issues its current instruction now. Fills *op (mask always; addresses for
   * memory operations) and returns the index of the instruction that follows, STREAM_END or
   * STREAM_FAIL. Hot: one call per warp instruction, no allocation. */
  uint32_t (*step)(source_t *s, uint64_t now, uint32_t slot, warp_op_t *op);
  /* The warp in `slot` issues up to `most` instructions, as by step(), but only such as are
   * inst_is_plain(), and none that is its last; returns how many, and in *next the index of the one
   * that follows. 0 if it cannot tell: then step() can. NULL: it never can. */
  uint32_t (*skim)(source_t *s, uint32_t slot, uint32_t most, uint32_t *next);
  const err_t *(*error)(const source_t *s); /* after STREAM_FAIL */
  void (*free)(source_t *s);
  /* After a CMD_LAUNCH whose launch overlaps: *out gives its blocks, so that the program may go on
   * while it runs. Slots are those of `s`. The caller ends it with ops->free() before `s` is
   * rewound or freed. NULL: launches of this source never overlap. */
  int (*detach)(source_t *s, source_t **out, err_t *e);
  /* Warp instructions of one execution from the first command to CMD_END, 0 if only running it
   * tells; NULL: it never knows. For progress and estimates alone. */
  uint64_t (*work)(const source_t *s);
} source_ops_t;

/* First member of every source. */
struct source {
  const source_ops_t *ops;
};

static inline uint64_t source_work(const source_t *s) { return s->ops->work ? s->ops->work(s) : 0; }
static inline uint64_t launch_blocks(const launch_t *l) {
  return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
}
static inline uint32_t launch_threads(const launch_t *l) {
  return l->block[0] * l->block[1] * l->block[2];
}
static inline uint32_t launch_warps(const launch_t *l) {
  return (launch_threads(l) + WARP_LANES - 1) / WARP_LANES;
}
#endif
