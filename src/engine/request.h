#ifndef GMMU_REQUEST_H
#define GMMU_REQUEST_H
/* A memory request: one cache line (or some of its sectors) on its way through the machine. The
 * request is its own event and its own list node; it lives in one pool, sized at creation, and
 * fills one cache line of the host. */
#include "base/arrays.h"
#include "gmmu/err.h"
#include <stdbool.h>
#include <stdint.h>

#define LINE_BYTES_MIN 64u /* of a line (gpu.line): a byte has a bit for each of its sectors */
#define LINE_BYTES_MAX 256u
#define SECTOR_BYTES   32u /* of every GPU modelled here */

#define REQ_NONE   UINT32_MAX
#define OWNER_NONE UINT16_MAX
#define OWNER_STORE                                                                                \
  0xff00u /* from here up to OWNER_NONE: a store of a kernel among others, + its place there */

#define REQUEST_KERNELS      128u /* of one application in flight */
#define REQUEST_KERNEL_SHIFT 24   /* request_t.inst: which of them it is of, above */
#define REQ_NO_MSHR          UINT16_MAX

typedef enum {
  REQ_LOAD,
  REQ_STORE,
  REQ_ATOMIC,
  REQ_WALK,
  REQ_COPY_READ,  /* a line of a page that moves; this kind and those below only go to DRAM */
  REQ_WRITEBACK,  /* this kind and those below write */
  REQ_COPY_WRITE, /* the same line, at its new place */
  REQ_FREE
} req_kind_t;

enum {                    /* flags */
       REQ_BYPASS_L1 = 1, /* cached in L2 only */
       REQ_NO_FILL = 2,   /* its data is not put into L2 */
       REQ_BYPASS_L2 = 4, /* it does not look into L2 either */
       REQ_SPLIT =
           8, /* stages, below are set; else the first TLB took all the time before t_xlat */
       REQ_XLATED = 16, /* the time stamp t_xlat is set */
       REQ_MISSED = 32, /* t_miss is set */
       REQ_DRAM = 64,   /* t_dram is set */
       REQ_RET = 128    /* t_ret is set */
};

/* Translation time of a request, by where it was spent; see the stall reasons in sm/sm.h. */
typedef enum {
  SPLIT_TLB2,
  SPLIT_WALK_QUEUE,
  SPLIT_WALK_L2,
  SPLIT_WALK_DRAM,
  SPLIT_FAULT,
  SPLITS
} split_t;

/* The same as its translation knows it, for all that waited for it: cycles since it came to the
 * walker's queue and since its walk began, and those of the walk in DRAM and in a fault. Of a
 * request that came later, only some of them were its own: see request_split(). */
typedef struct {
  uint32_t queue, walk, dram, fault;
} stages_t;

typedef struct {
  union {
    uint32_t next; /* in whatever list it waits; or, while in DRAM: */
    struct {
      uint16_t mshr;   /* of its line in L2, or REQ_NO_MSHR; */
      uint8_t fetched; /* sectors that this request itself brings */
    };
  };
  uint16_t owner; /* load (SM-local), or walk thread; OWNER_STORE, OWNER_NONE: no warp waits */
  uint16_t slice; /* of L2 */
  union {
    struct {
      uint16_t sm;
      uint8_t app, kind;
      uint8_t sectors; /* bit per sector wanted or written */
      uint8_t full;    /* store: sectors written completely, which need not be fetched; load: being
                          fetched */
      uint8_t level;   /* REQ_WALK: 1 = root; of data see request_first(), request_operations() */
      uint8_t flags;
    };
    uint64_t what; /* all of these: what is known of a request before it exists */
  };
  uint64_t addr; /* of the line: virtual until translated, then physical; REQ_WALK: none */
  union {
    uint32_t inst;  /* of data, until it is on its way to L2: kernel and instruction */
    uint32_t local; /* its line in the slice (place_t in map/addrmap.h); set on the way to L2 */
  };
  uint32_t t_xlat, t_miss, t_dram,
      t_ret; /* low halves of the cycles it passed each point; t_xlat: until then, its look-up */
  stages_t stages;
  uint32_t below; /* cycles from the end of the first TLB's look-up to t_xlat */
} request_t;
/* Of data: a warp waits for it. */
static inline bool request_awaited(const request_t *r) { return r->owner < OWNER_STORE; }
static inline bool request_writes(const request_t *r) {
  return r->kind == REQ_STORE || r->kind == REQ_ATOMIC;
}
/* Of data: is it the first line of its look-up? Of an atomic: how many operations it is, one for
 * each sector and time that a word of it is named. Both are in `level`. */
static inline bool request_first(const request_t *r) { return r->level & 1; }
static inline uint32_t request_operations(const request_t *r) { return r->level >> 1; }
_Static_assert(sizeof(request_t) == 64, "a request fills one cache line");

typedef struct {
  request_t *at;
  uint32_t *stack; /* numbers of those that are free from `used` on; the last given comes first */
  uint32_t capacity, used;
} request_pool_t;

static inline int request_pool_init(request_pool_t *p, uint32_t capacity, arrays_t *a) {
  p->at = arrays_take(a, sizeof(request_t) * (size_t)capacity);
  p->stack = arrays_take(a, sizeof *p->stack * (size_t)capacity);
  if (!p->at || !p->stack) return GMMU_ENOMEM;
  for (uint32_t i = 0; i < capacity; i++) {
    p->at[i] = (request_t){.kind = REQ_FREE};
#ifdef GMMU_BACKWARDS /* no number of a request reaches a result */
    p->stack[i] = capacity - 1 - i;
#else
    p->stack[i] = i;
#endif
  }
  p->capacity = capacity;
  p->used = 0;
  return GMMU_OK;
}
static inline uint32_t request_take(request_pool_t *p) { return p->stack[p->used++]; }
static inline void request_give(request_pool_t *p, uint32_t i) {
  p->at[i].kind = REQ_FREE;
  p->stack[--p->used] = i;
}

/* A FIFO of requests, linked through `next`. */
typedef struct {
  uint32_t head, tail;
} request_list_t;
#define REQUEST_LIST_EMPTY ((request_list_t){REQ_NONE, REQ_NONE})

static inline void request_append(request_pool_t *p, request_list_t *l, uint32_t i) {
  p->at[i].next = REQ_NONE;
  if (l->head == REQ_NONE)
    l->head = i;
  else
    p->at[l->tail].next = i;
  l->tail = i;
}
/* Appends the whole list `m` to `l`. */
static inline void request_splice(request_pool_t *p, request_list_t *l, request_list_t m) {
  if (m.head == REQ_NONE) return;
  if (l->head == REQ_NONE)
    l->head = m.head;
  else
    p->at[l->tail].next = m.head;
  l->tail = m.tail;
}

/* Where the time of a request with REQ_SPLIT went, up to its translation. Worked out when somebody
 * asks: of most lines nobody does. */
static inline void request_split(const request_t *r, uint32_t split[SPLITS]) {
#define WITHIN(a, b) ((a) < (b) ? (a) : (b))
  uint32_t queue = WITHIN(r->stages.queue, r->below), walk = WITHIN(r->stages.walk, queue);
  uint32_t fault = WITHIN(r->stages.fault, walk), dram = WITHIN(r->stages.dram, walk - fault);
#undef WITHIN
  split[SPLIT_TLB2] = r->below - queue;
  split[SPLIT_WALK_QUEUE] = queue - walk;
  split[SPLIT_WALK_L2] = walk - fault - dram;
  split[SPLIT_WALK_DRAM] = dram;
  split[SPLIT_FAULT] = fault;
}

/* The full cycle of a 32-bit stamp less than 2^31 cycles before or after `now`. */
static inline uint64_t stamp_full(uint64_t now, uint32_t stamp) {
  return now + (uint64_t)(int64_t)(int32_t)(stamp - (uint32_t)now);
}
#endif
