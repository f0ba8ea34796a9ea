#ifndef GMMU_WIRE_H
#define GMMU_WIRE_H
/* Between a CUDA program and gmmu: what libcudart of ours (src/cudart, in the program's process)
 * asks, and what the host side (src/host, in gmmu's process) answers.
 *
 * gmmu starts the program with two inherited descriptors, named in the environment:
 *   GMMU_WIRE="SOCKET,MEMORY"   a stream socket, and the memory of the device
 * Memory is one sparse file, mapped by both: byte `va - WIRE_MEMORY_BASE` of the file is the byte
 * at device address `va`, and the program maps it at exactly that address. So a device pointer is a
 * valid host pointer: copies are memcpy() in the program, managed and pinned memory need no more.
 * What is written by kernels to a large allocation of WIRE_DEVICE is in the file only once a copy
 * was announced (WIRE_COPY).
 *
 * The program asks, gmmu answers, one at a time; a launch is answered when the kernel has ended.
 * A request is a wire_request_t and `bytes` of payload; an answer a wire_answer_t and its payload.
 * Both ends are of one build, so structures go over as they are; WIRE_HELLO checks that. */
#include <stdint.h>

#define WIRE_ENV     "GMMU_WIRE"
#define WIRE_VERSION 4u

#define WIRE_MEMORY_BASE  0x200000000000u /* 32 TiB: above sanitizers' shadows, below libraries */
#define WIRE_MEMORY_BYTES 0x010000000000u /* 1 TiB of addresses; costs what is touched */
#define WIRE_HEAP_BYTES   0x4000000u      /* of them, the last: malloc() in kernels */

#define WIRE_MAX_PAYLOAD (1u << 30) /* a fat binary may be large; beyond that the peer is mad */
#define WIRE_MAX_PARAMS  512u       /* of a kernel */
#define WIRE_MAX_AFTER   128u       /* launches that one waits for */
#define WIRE_NO_KERNEL   "gmmu.no.such.kernel" /* asked for, it tells whether a module loads */

typedef enum {
  /* a: WIRE_VERSION, CUDA major version of the library (11, 12, 13). Answer: device. */
  WIRE_HELLO,
  /* payload: a fat binary, from its 0xBA55ED50 header on. Answer r[0]: module number. A module is
   * unloaded by WIRE_UNLOAD, a: module: it may not be named any more; memory stays (session.c). */
  WIRE_LOAD,
  WIRE_UNLOAD,
  /* a: module; payload: mangled name. Answer r[0]: kernel number; payload wire_kernel_t. */
  WIRE_KERNEL,
  /* a: module; payload: name. Answer r: address, bytes. */
  WIRE_SYMBOL,
  /* a: bytes, alignment (0: 256), wire_alloc_t, address (0: gmmu chooses; else of WIRE_DEVICE, a
   * multiple of 256, where nothing is). Answer r[0]: address. */
  WIRE_ALLOC,
  WIRE_FREE, /* a: address */
  /* Host memory becomes device memory under its own address. a: address, bytes (whole 4 KB pages).
   * Answer r[0]: the offset in the memory file to put these pages at; the program then copies them
   * there and maps the file over them. WIRE_UNREGISTER, a: address; the program copies back
   * before it asks. */
  WIRE_REGISTER,
  WIRE_UNREGISTER,
  /* The program is about to copy (or fill) with its own hands: a: to, from (to fill: the byte),
   * bytes, wire_copy_t. Answer: whether the device's ranges are allocations; no address inside the
   * memory window that is outside every allocation may be touched. r[0]: 1 if the fill is done. */
  WIRE_COPY,
  /* An allocation of WIRE_DEVICE gets values that are computed, not stored: a: address, kind, seed,
   * n (gmmu_content.h). */
  WIRE_CONTENT,
  /* wire_launch_t, then the kernel's parameters as wire_kernel_t lays them out. Payload of the
   * answer: what the kernel printed; r[0]: the launch's number, from 0 on. */
  WIRE_LAUNCH,
  WIRE_TEXTURE_NEW,  /* payload: ptx_texture_t. Answer r[0]: handle */
  WIRE_TEXTURE_FREE, /* a: handle */
  WIRE_TEXTURE_BIND, /* a: module, 1 to bind or 0 to unbind; payload: ptx_texture_t, then name */
  WIRE_TIME,         /* Answer r[0]: simulated time in nanoseconds since the program began */
  WIRE_RANGE,        /* a: address. Answer r: start, bytes, wire_alloc_t of its allocation */
  WIRE_MEMINFO,      /* Answer r: free bytes, total bytes */
  WIRE_COLOURS,      /* a: bit per page colour: allocations get pages of these from now on */
  WIRE_RESET,        /* every allocation, texture and pending error goes; modules start anew */
  /* a: address, bytes (0: of its whole allocation), wire_name_t; payload: what the array is called,
   * or where it was allocated: "FILE OFFSET\n" for each call on the stack, the innermost first. */
  WIRE_NAME,
  WIRE_ABSENT, /* payload: something the program asked for that the library does not have */
  WIRE_OPS
} wire_op_t;

typedef enum { WIRE_DEVICE, WIRE_PINNED, WIRE_MANAGED } wire_alloc_t;
typedef enum { WIRE_CALLED, WIRE_CALLS } wire_name_t;
typedef enum { WIRE_TO_DEVICE, WIRE_FROM_DEVICE, WIRE_ON_DEVICE, WIRE_FILL } wire_copy_t;

typedef struct {
  uint32_t op;    /* wire_op_t */
  uint32_t bytes; /* of payload */
  uint64_t a[4];
} wire_request_t;

/* `error` is a cudaError_t in CUDA 11's numbers and later (they agree); 0 is success. An error a
 * kernel caused stays: every later answer but that of WIRE_RESET repeats it. What went wrong in
 * words is told to the user by gmmu, not sent. */
typedef struct {
  int32_t error;
  uint32_t bytes; /* of payload */
  uint64_t r[4];
} wire_answer_t;

typedef struct {
  uint32_t kernel, grid[3], block[3], dynamic_shared_bytes;
  uint64_t stream;   /* which one, as the program numbers them; 0: the default */
  uint32_t overlaps; /* 1: it may run beside others, once those in `after` have ended */
  uint32_t afters;
  uint64_t after[WIRE_MAX_AFTER]; /* numbers of launches */
} wire_launch_t;

/* A kernel: attributes, and where its parameters lie in the buffer that goes with a launch. */
typedef struct {
  uint32_t regs_per_thread, shared_bytes, max_threads, const_bytes;
  uint64_t local_bytes;
  uint32_t ptx_version, params, param_bytes, unused;
  struct {
    uint32_t offset, bytes;
  } param[WIRE_MAX_PARAMS];
} wire_kernel_t;

/* The device the chosen preset describes, in the answer of WIRE_HELLO. Bytes, kHz, counts. */
typedef struct {
  char name[64];
  uint64_t global_bytes, l2_bytes, const_bytes;
  uint64_t shared_per_block, shared_per_block_optin, shared_per_sm, reserved_shared_per_block;
  uint32_t sms, warp_lanes, major, minor; /* compute capability */
  uint32_t threads_per_block, threads_per_sm, blocks_per_sm, regs_per_block, regs_per_sm;
  uint32_t core_khz, memory_khz, memory_bus_bits;
  uint32_t names;       /* 1: the library tells where memory is allocated (WIRE_CALLS) */
  uint32_t colours;     /* page colours the driver can tell apart; 0: it does not colour */
  uint64_t own_colours; /* bit per colour that the process may have */
} wire_device_t;
#endif
