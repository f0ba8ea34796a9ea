#ifndef GMMU_PTX_DEVMEM_H
#define GMMU_PTX_DEVMEM_H
/* Device memory of one program: a table of allocations in one 64-bit address space.
 *
 * An allocation's bytes are zero until written and cost host memory only where they were touched
 * (granules of 4 KB). Addresses are the same in every run. Host memory (pinned or managed) can be
 * made visible under its own address. Freed ranges are remembered until they are handed out again,
 * so that an access to them can be named. Host byte order must be little endian. */
#include "gmmu/err.h"
#include "gmmu/wire.h"
#include <stdbool.h>
#include <stdint.h>

/* Where addresses come from: a window no program has anything else in (wire.h). Its end is the heap
 * of malloc() in kernels, apart, so that a machine can map it before it knows what will be used.
 * CUDA's default is 8 MB and can be raised; how far is not told, so it is larger here. */
#define DEVMEM_BASE       WIRE_MEMORY_BASE
#define DEVMEM_LIMIT      (WIRE_MEMORY_BASE + WIRE_MEMORY_BYTES)
#define DEVMEM_HEAP_BYTES ((uint64_t)WIRE_HEAP_BYTES)
#define DEVMEM_HEAP       (DEVMEM_LIMIT - DEVMEM_HEAP_BYTES)
/* Pinned host memory is apart, too: no page of a GPU holds both. */
#define DEVMEM_HOST_BYTES ((uint64_t)256 << 30)
#define DEVMEM_HOST       (DEVMEM_HEAP - DEVMEM_HOST_BYTES)
#define DEVMEM_ALIGN      256u /* of every allocation, as cudaMalloc promises */
#define DEVMEM_PAGE       4096u
#define DEVMEM_GRANULE    64u /* of sparse allocations; no access of a lane is in two */

/* Windows of the generic address space that are not memory of this table. */
#define DEVMEM_SHARED_WINDOW 0x0ffe00000000u
#define DEVMEM_LOCAL_WINDOW  0x0fff00000000u
#define DEVMEM_WINDOW_BYTES  0x10000000u

typedef struct devmem devmem_t;
struct sparse;

typedef struct {
  uint64_t va, bytes;
  uint8_t *host; /* of byte 0; valid until the allocation is released; not if it is sparse */
  struct sparse *sparse;
  uint64_t file; /* shared memory: where in the file byte 0 is */
  bool mapped;   /* memory at an address of its own: the caller's, or registered */
  bool freed;    /* only in answers of devmem_nearest() */
  uint8_t tag;   /* the caller's: see devmem_tag() */
  char name[40]; /* "malloc", a variable's name, ...: for messages */
} devmem_alloc_t;

int devmem_new(devmem_t **out, err_t *e); /* on success the caller owns *out */
/* The same with every byte in one sparse file that another process can map: byte va - DEVMEM_BASE
 * of the file is the byte at va. Registered ranges lie behind DEVMEM_LIMIT - DEVMEM_BASE. */
int devmem_new_shared(devmem_t **out, err_t *e);
int devmem_file(const devmem_t *m); /* the file's descriptor, -1 if there is none */
void devmem_free(devmem_t *m);      /* NULL is allowed */

/* A new range of `bytes` (0 becomes 1), aligned to `align` (a power of two; at least DEVMEM_ALIGN
 * is used). First fit by address. */
int devmem_alloc(devmem_t *m, uint64_t bytes, uint64_t align, const char *name, uint64_t *va,
                 err_t *e);
/* The same where memory of the host is. */
int devmem_alloc_host(devmem_t *m, uint64_t bytes, uint64_t align, const char *name, uint64_t *va,
                      err_t *e);
/* The same at an address of the caller's choice, a multiple of DEVMEM_ALIGN; GMMU_ENOSPACE if
 * something is there. */
int devmem_alloc_at(devmem_t *m, uint64_t va, uint64_t bytes, const char *name, err_t *e);
/* What a granule of a sparse allocation holds before it is written: a function of its offset. */
typedef struct {
  void (*fill)(const void *ctx, uint64_t offset, uint8_t granule[DEVMEM_GRANULE]);
  const void *ctx; /* outlives the allocation */
} devmem_content_t;
/* The same, but each granule that is written costs memory, not each page. `content` NULL: zeroes.
 * Of memory that is not shared, devmem_copy() refuses it. Of shared memory, the other process may
 * read and write what devmem_settle() was called for, and nothing else. */
int devmem_alloc_sparse(devmem_t *m, uint64_t bytes, uint64_t align, const char *name,
                        const devmem_content_t *content, uint64_t *va, err_t *e);
/* Granule i of those that were touched, in that order; *va is its address. NULL behind the last. */
const uint8_t *devmem_touched(const devmem_alloc_t *a, uint64_t i, uint64_t *va);
/* To write: the byte at va, which is in the allocation, and those behind it in its granule. NULL:
 * it is sparse, and the host has no memory left. */
uint8_t *devmem_byte(const devmem_alloc_t *a, uint64_t va);
/* To read: the same, never NULL, maybe in `scratch`. */
const uint8_t *devmem_peek(const devmem_alloc_t *a, uint64_t va, uint8_t scratch[DEVMEM_GRANULE]);
/* Shared memory: the other process is about to read or, with `write`, to write the range, which is
 * inside one allocation. */
void devmem_settle(devmem_t *m, uint64_t va, uint64_t bytes, bool write);
/* The allocation at va holds that content from now on, as if it had been written. */
int devmem_set_content(devmem_t *m, uint64_t va, const devmem_content_t *content, err_t *e);
/* Makes [host, host + bytes) visible at its own address. The caller keeps the memory. */
int devmem_map_host(devmem_t *m, void *host, uint64_t bytes, const char *name, err_t *e);
/* Shared memory only: [va, va + bytes), whole pages outside the window, becomes memory whose bytes
 * are in the file at *offset. */
int devmem_register(devmem_t *m, uint64_t va, uint64_t bytes, const char *name, uint64_t *offset,
                    err_t *e);
/* As devmem_alloc(), in the heap of kernels. */
int devmem_heap_alloc(devmem_t *m, uint64_t bytes, uint64_t align, uint64_t *va, err_t *e);
/* Marks the allocation at va; new ones have tag 0. */
void devmem_tag(devmem_t *m, uint64_t va, uint8_t tag);
int devmem_release(devmem_t *m, uint64_t va, err_t *e); /* va must be the start of an allocation */

/* The allocation that holds va, or NULL. Valid until the next alloc, map or release. */
const devmem_alloc_t *devmem_find(const devmem_t *m, uint64_t va);
/* For messages: the allocation, live or freed, that holds va or is nearest to it. */
bool devmem_nearest(const devmem_t *m, uint64_t va, devmem_alloc_t *out);
/* Allocation i in address order; NULL past the last. */
const devmem_alloc_t *devmem_at(const devmem_t *m, uint32_t i);

/* Whole ranges must lie in one allocation. */
int devmem_read(const devmem_t *m, uint64_t va, void *to, uint64_t bytes, err_t *e);
int devmem_write(devmem_t *m, uint64_t va, const void *from, uint64_t bytes, err_t *e);
int devmem_fill(devmem_t *m, uint64_t va, uint8_t value, uint64_t bytes, err_t *e);
int devmem_copy(devmem_t *m, uint64_t to, uint64_t from, uint64_t bytes,
                err_t *e); /* may overlap */

int devmem_check(const devmem_t *m, err_t *e); /* every invariant; slow, for tests */
#endif
