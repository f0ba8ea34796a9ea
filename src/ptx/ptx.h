#ifndef GMMU_PTX_PTX_H
#define GMMU_PTX_PTX_H
/* PTX programs: load modules, find kernels, run them.
 *
 * A program is a set of modules over one device memory. Kernels run in two ways: functionally
 * (ptx_run: all blocks, no timing) or live, as a source of warp streams (ptx_live_new: the machine
 * says which warp executes its next instruction, and when). */
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include "ptx/devmem.h"

typedef struct ptx ptx_t;
typedef struct ptx_kernel ptx_kernel_t;

int ptx_new(devmem_t *mem, ptx_t **out, err_t *e); /* mem stays the caller's and must outlive it */
void ptx_free(ptx_t *p);                           /* NULL is allowed; releases its variables */

/* Parses and decodes one module and allocates its variables. Returns its number (0, 1, ...) or a
 * negative code; errors carry file, line, column and the source line with a caret. An instruction
 * that is not supported is such an error. */
int ptx_load(ptx_t *p, const char *name, const char *text, size_t size, err_t *e);
/* What variables may take from now on: .global ones of all modules together, .const ones of each
 * module. A module beyond that is not loaded: GMMU_ENOSPACE, GMMU_ERANGE. Without it: no limit. */
void ptx_limit(ptx_t *p, uint64_t global_bytes, uint64_t const_bytes);
uint64_t ptx_variable_bytes(const ptx_t *p); /* of all of them */
/* Every variable gets its first value again; textures go. */
int ptx_reset(ptx_t *p, err_t *e);
/* Whether a kernel may call malloc(): then the machine must know DEVMEM_HEAP. */
bool ptx_uses_heap(const ptx_t *p);
/* The next variable of the program that has memory, in order of loading: *at counts and starts as
 * 0. False behind the last. */
bool ptx_variable(const ptx_t *p, uint32_t *at, uint64_t *va, uint64_t *bytes, const char **name);
/* Resolves what modules need from each other. Done by ptx_kernel() too. A kernel that needs a
 * function or variable that is nowhere defined does not exist (ptx_kernel() says what it lacks);
 * the others do. */
int ptx_link(ptx_t *p, err_t *e);

/* --- kernels --- */

typedef struct {
  const char *name;
  uint32_t offset, bytes, align; /* in the buffer of parameters */
} ptx_param_t;

typedef struct {
  const char *name;
  uint32_t module;
  const ptx_param_t *param;
  uint32_t params, param_bytes;
  uint32_t regs_per_thread; /* live at once, for occupancy */
  uint32_t shared_bytes;    /* static */
  uint64_t local_bytes;     /* per thread */
  uint32_t max_threads;     /* .maxntid, .reqntid; 0: no limit given */
  uint32_t insts;           /* of the static table */
  bool reads_place; /* it mentions %clock, %globaltimer, %smid or %warpid: what it does depends on
                       when and where its warps run */
} ptx_kernel_info_t;

/* By name; module -1 means any (the first that has it). NULL with *e filled if there is none. */
const ptx_kernel_t *ptx_kernel(ptx_t *p, int module, const char *name, err_t *e);
const ptx_kernel_t *ptx_kernel_at(ptx_t *p,
                                  uint32_t i); /* i-th of the program, NULL past the last */
const ptx_kernel_info_t *ptx_kernel_info(const ptx_kernel_t *k);

/* --- variables and textures --- */

/* Address and size of a .global or .const variable. */
int ptx_symbol(ptx_t *p, int module, const char *name, uint64_t *va, uint64_t *bytes, err_t *e);

typedef enum { PTX_TEX_UNSIGNED, PTX_TEX_SIGNED, PTX_TEX_FLOAT } ptx_texkind_t;
typedef enum { PTX_TEX_WRAP, PTX_TEX_CLAMP, PTX_TEX_MIRROR, PTX_TEX_BORDER } ptx_texaddress_t;

/* A texture or surface over linear or pitched memory, of one to three dimensions or in layers. */
typedef struct {
  uint64_t va;
  uint32_t width, height;  /* in texels; height 0 or 1 for 1-D */
  uint32_t depth;          /* planes or layers; 0: one */
  uint64_t pitch_bytes;    /* of a row */
  uint64_t slice_bytes;    /* of a plane or layer */
  uint8_t channels;        /* 1, 2 or 4 */
  uint8_t channel_bits;    /* 8, 16 or 32 */
  uint8_t kind;            /* ptx_texkind_t */
  uint8_t address[3];      /* ptx_texaddress_t of x, y and z; wrap and mirror need normalized */
  uint8_t normalized;      /* 1: coordinates 0..1 */
  uint8_t read_normalized; /* 1: 8- and 16-bit integers become 0..1 or -1..1 */
  uint8_t linear;          /* 1: the neighbours of a place are weighted; of float values only */
  uint8_t surface;         /* 1: for surface instructions, not for textures */
} ptx_texture_t; /* goes over the wire as it is: no field may be of a type that has bad values */

/* A texture object: the handle is what kernels get as a 64-bit parameter. */
int ptx_texture_new(ptx_t *p, const ptx_texture_t *t, uint64_t *handle, err_t *e);
int ptx_texture_free(ptx_t *p, uint64_t handle, err_t *e);
/* Binds a .texref variable; t == NULL unbinds. */
int ptx_texture_bind(ptx_t *p, int module, const char *name, const ptx_texture_t *t, err_t *e);

/* --- launches --- */

typedef struct {
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared_bytes;
  const void *params; /* laid out as ptx_kernel_info_t says; copied */
  bool overlaps;      /* this and the rest as launch_t has them */
  uint32_t stream;
  const uint64_t *after;
  uint32_t afters;
} ptx_launch_t;

typedef enum {
  PTX_FAULT_NONE,
  PTX_FAULT_ILLEGAL_ADDRESS,
  PTX_FAULT_FREED, /* an illegal address that was an allocation */
  PTX_FAULT_MISALIGNED,
  PTX_FAULT_TRAP,
  PTX_FAULT_ASSERT,
  PTX_FAULT_STACK,    /* calls nested too deeply */
  PTX_FAULT_BAD_CALL, /* an indirect call to something that is no function */
  PTX_FAULT_STUCK
} ptx_fault_kind_t;

/* Why a kernel stopped; the error's text says the same in words. */
typedef struct {
  ptx_fault_kind_t kind;
  uint32_t line; /* of the module's text */
  uint32_t block[3], thread[3];
  uint64_t address;
  uint32_t bytes;
} ptx_fault_t;

typedef struct {
  uint64_t warp_insts, thread_insts;
  uint64_t max_split_depth; /* most pieces a warp was in */
} ptx_stats_t;

typedef void (*ptx_print_fn)(void *ctx, const char *text, size_t size);

/* Somebody who is told of every instruction of ptx_run(), in the order of execution. The functions
 * are those of a .gmt writer: `block` is its name for a block; `inst` is an index into the static
 * table. A negative result ends the run and is returned. */
typedef struct {
  void *ctx;
  int (*begin)(void *ctx, uint32_t cta, uint32_t *block, err_t *e);
  int (*step)(void *ctx, uint32_t block, uint32_t warp, uint32_t inst, const warp_op_t *op,
              err_t *e);
  int (*end)(void *ctx, uint32_t block, err_t *e);
  uint64_t
      local_va; /* where local memory is said to be: ptx_local_bytes(kernel, PTX_TRACE_WARPS) */
} ptx_trace_t;
#define PTX_TRACE_WARPS 2048u

/* An access of a kernel outside every allocation, or outside its block's shared or its thread's
 * local memory. WARN and IGNORE let the kernel go on: such a lane reads zero, what it writes is
 * dropped, and it costs no time. */
typedef enum { PTX_BOUNDS_ERROR, PTX_BOUNDS_WARN, PTX_BOUNDS_IGNORE } ptx_bounds_t;

typedef struct {
  uint32_t resident_warps; /* that may wait for each other across blocks; 0: 2048 */
  uint32_t quantum;        /* warp instructions before another warp's turn; 0: 64 */
  uint64_t stuck_insts;    /* warp instructions without any store, atomic change, barrier or exit
                              before the kernel counts as stuck; 0: no limit. In any case it is
                              stuck when every warp waits or goes in circles (watch.c). */
  uint64_t max_insts; /* warp instructions of the launch before it counts as stuck; 0: no limit */
  uint32_t sms;       /* %nsmid; blocks take %smid in turn; 0: 1 */
  uint32_t sm_registers; /* of an SM: a block never asks for more (a compiler would have spilled);
                            0: no limit */
  const ptx_trace_t *trace; /* of ptx_run(); may be NULL */
  bool (*stop)(void *ctx);  /* ptx_run() then ends with GMMU_EINTERRUPTED; may be NULL */
  void *stop_ctx;
  bool portable;      /* use the loop for any x86-64 even where AVX2 is there: same results */
  ptx_print_fn print; /* printf of kernels; NULL drops it */
  void *print_ctx;
  ptx_bounds_t bounds;
  void (*warn)(void *ctx, const err_t *e); /* of PTX_BOUNDS_WARN: each lane of each access */
  void *warn_ctx;
} ptx_options_t;

/* Whether the launch is possible at all; GMMU_EINVAL with the reason if not. */
int ptx_launch_check(const ptx_kernel_t *k, const ptx_launch_t *l, err_t *e);
/* As a machine sees it. What it points to is the kernel's. `options` may be NULL. */
void ptx_launch_describe(const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *options,
                         launch_t *out);
/* Bytes of local memory that so many warps need. */
uint64_t ptx_local_bytes(const ptx_kernel_t *k, uint32_t warps);

/* Runs a kernel to its end. `options`, `stats` and `fault` may be NULL. Codes: GMMU_EFAULT for what
 * the kernel did wrong, GMMU_ESTUCK for no progress (the text names the warps' positions),
 * GMMU_EINVAL for a bad launch. Statistics are added up. */
int ptx_run(ptx_t *p, const ptx_kernel_t *k, const ptx_launch_t *l, const ptx_options_t *options,
            ptx_stats_t *stats, ptx_fault_t *fault, err_t *e);

/* --- live --- */

/* The next command of the host program. For CMD_LAUNCH, kernel and launch are given; the rest of
 * the command (va, bytes) is passed on to the machine. */
typedef struct {
  uint8_t kind; /* command_kind_t */
  uint64_t va, bytes;
  const ptx_kernel_t *kernel;
  ptx_launch_t launch;
  const char *name; /* as in command_t */
} ptx_command_t;

typedef struct {
  void *ctx;
  int (*next)(void *ctx, uint64_t now, ptx_command_t *c, err_t *e); /* must end with CMD_END */
  int (*rewind)(void *ctx, err_t *e); /* may be NULL: rewind is an error */
} ptx_host_t;

/* A source that executes instructions when they are issued. It reserves the memory that .local
 * variables need with a CMD_ALLOC of its own before the launch. Free with ops->free(). */
int ptx_live_new(ptx_t *p, const ptx_host_t *host, const ptx_options_t *options, source_t **out,
                 err_t *e);
const ptx_fault_t *ptx_live_fault(const source_t *s);
#endif
