#ifndef GMMU_PROBE_KERNEL_H
#define GMMU_PROBE_KERNEL_H
/* The probe kernel, as PTX text: what simulated and real GPUs run. */
#include "probe/device.h"

#define KERNEL_NAME         "gmmu_chase"
#define KERNEL_SHARED_BYTES 49152u /* what every GPU gives a block; few blocks fit an SM then */
#define KERNEL_SAMPLES      ((KERNEL_SHARED_BYTES - 16) / 2) /* times that fit, 16 bits each */
#define KERNEL_LONGEST      65535u                           /* longer ones are cut off to this */

/* A row of the kernel's table in device memory. Every block (of one thread) looks for the first
 * row of its SM that nobody has taken, and runs it. */
typedef struct {
  uint32_t sm, taken;
  uint64_t first;       /* address of the first link */
  uint32_t warm, timed; /* accesses */
  uint64_t out;         /* where the times go; 16-byte aligned */
} kernel_row_t;

typedef struct { /* parameters, as the kernel has them */
  uint64_t table;
  uint32_t rows;
} kernel_params_t;

extern const char kernel_ptx[];
/* Shared memory for chases of one stage, `passes` of which are timed now. With 48 KB few blocks fit
 * an SM, so they spread over all of them; where several chases are on one SM more must fit, and
 * they get no more than their times need. */
uint32_t kernel_shared(const chase_t *c, uint32_t chases, uint32_t passes);

/* ---- questions: one block of one warp answers them, one after the other ---- */

#define ASK_NAME         "gmmu_ask"
#define ASK_THREADS      32u
#define ASK_QUESTIONS    1024u /* of a launch: their times stay in shared memory until its end */
#define ASK_SHARED_BYTES KERNEL_SHARED_BYTES
/* Entries of a question that fit beside the times and 16 bytes of scratch. A longer list is read
 * from memory while the question runs, which brings lines of its own into the cache. */
#define ASK_ROOM (ASK_SHARED_BYTES / 4 - ASK_QUESTIONS - 4)

/* A row of the table; `list` is the place of its first entry, a multiple of 4. An entry is an
 * offset in the buffer, in units of DEVICE_GRANULE. */
typedef struct {
  uint32_t list, warm, stored, first, rest, ready, timed, unused;
} ask_row_t;

typedef struct { /* parameters, as the kernel has them */
  uint64_t table, list, buffer, out;
  uint32_t questions;
} ask_params_t;

extern const char ask_ptx[];
#endif
