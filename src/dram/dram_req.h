#ifndef GMMU_DRAM_REQ_H
#define GMMU_DRAM_REQ_H
/* An access inside a channel, and the lists it waits in. */
#include "dram/dram.h"
#include <stddef.h>

#define DRAM_SLOTS 512 /* some times what a window holds, so few rows share one */

typedef struct dram_req dram_req_t;
struct dram_req {
  dram_access_t a;
  dram_order_t order;
  uint64_t seen;    /* first command cycle that sees it */
  dram_req_t *next; /* in the list it is in */
  uint64_t issued;  /* command cycle of its (last) column command */
  union {
    uint64_t done;  /* core cycle at which its data has moved */
    uint64_t moved; /* before that, with bank groups: its bursts whose commands have issued */
  };
  union {
    struct {
      uint8_t queue;   /* the scheduler's; the number of queues for a write */
      uint8_t outcome; /* what it met so far, see dram.c */
      bool counted;    /* in the statistics */
      bool turn;       /* a turn began with it */
    };
    uint32_t status; /* all four */
  };
  uint16_t slot; /* hash of bank and row */
  uint16_t age;  /* number among the reads, or the writes; see dram.c */
};
_Static_assert(sizeof(dram_req_t) == 64, "a request fills one cache line");
_Static_assert(offsetof(dram_req_t, a) == 0, "an access is the beginning of its request");

typedef struct {
  dram_req_t *head, *tail; /* the tail is set while there is a head */
} dram_list_t;

/* A chain, by its first and last, goes to the end. */
static inline void list_splice(dram_list_t *l, dram_req_t *first, dram_req_t *last) {
  last->next = NULL;
  if (l->head)
    l->tail->next = first;
  else
    l->head = first;
  l->tail = last;
}

static inline void list_put(dram_list_t *l, dram_req_t *r) { list_splice(l, r, r); }

static inline dram_req_t *list_take(dram_list_t *l) {
  dram_req_t *r = l->head;
  l->head = r->next;
  return r;
}

static inline uint16_t rows_slot(const dram_access_t *a) {
  return (uint16_t)((a->row * DRAM_BANKS_MAX + a->bank) * 0x9e3779b1u >> 23);
}
_Static_assert(DRAM_SLOTS == 1u << (32 - 23), "a slot is the upper bits of the hash");
#endif
