#ifndef GMMU_DRAM_WINDOW_H
#define GMMU_DRAM_WINDOW_H
/* The accesses among which a channel chooses, found by bank, queue and row without a search.
 *
 * The waiting requests of one (bank, queue, row) form a chain, oldest first; the oldest stands for
 * the chain. Per bank and queue (a lane) the chain of the open row is `hits`; the others form a
 * list sorted by the age of their first request and are found by row through a hash. So opening a
 * row moves one chain per queue, the oldest hit is `hits`, the oldest of the others is `first`.
 *
 * Invariant: a chain is in `hits` if its row is open, else in the list and the hash; the fields
 * tail, prev, after, hash_next and bucket mean something in the first request of a chain only.
 * Links are pointers, not indices: they are never compared for order, and save a tenth of the
 * work. */
#include "dram/dram.h"
#include "dram/dram_spec.h"

#define DRAM_LANES  (DRAM_QUEUES + 1) /* the scheduler's queues, then the write buffer */
#define DRAM_NO_ROW UINT32_MAX        /* a closed bank's row */

typedef struct dram_req dram_req_t;
struct dram_req {
  dram_access_t a;
  dram_order_t order;
  dram_req_t *next; /* in its chain, or in the FIFO or free list it waits in */
  uint64_t seen;    /* first command cycle that sees it */
  dram_req_t *tail; /* of the chain; valid if there is a next */
  dram_req_t *prev, *after, *hash_next, **bucket;
  uint8_t queue;   /* the scheduler's; the number of queues for a write */
  uint8_t outcome; /* what it met so far, see dram.c */
};

typedef struct {
  dram_req_t *hits, *first, *last;
} dram_lane_t;

typedef struct {
  uint32_t act, pre, col; /* earliest command of that kind as far as this bank is concerned */
  uint32_t row;           /* open, or DRAM_NO_ROW */
  uint32_t has, hit;      /* bit q: queue q has requests for this bank, for its open row */
  dram_lane_t lane[DRAM_LANES];
} dram_bank_t;

typedef struct {
  dram_req_t **hash;
  uint32_t hash_shift;
} dram_rows_t;

static inline dram_req_t **rows_bucket(const dram_rows_t *w, uint32_t bank, uint32_t row) {
  return &w->hash[((row * DRAM_BANKS_MAX + bank) * 0x9e3779b1u) >> w->hash_shift];
}

static inline dram_req_t *rows_find(dram_req_t *const *bucket, uint32_t bank, uint32_t row,
                                    uint32_t queue) {
  dram_req_t *c = *bucket;
  while (c && (c->a.row != row || c->a.bank != bank || c->queue != queue)) c = c->hash_next;
  return c;
}

static inline void rows_hash(dram_req_t **bucket, dram_req_t *c) {
  c->bucket = bucket;
  c->hash_next = *bucket, *bucket = c;
}

static inline void rows_unhash(dram_req_t *c) {
  dram_req_t **from = c->bucket;
  while (*from != c) from = &(*from)->hash_next;
  *from = c->hash_next;
}

/* Chain c goes into the list, in front of `after` (NULL: at the end). */
static inline void rows_insert(dram_lane_t *lane, dram_req_t *c, dram_req_t *after) {
  dram_req_t *prev = after ? after->prev : lane->last;
  c->prev = prev, c->after = after;
  *(prev ? &prev->after : &lane->first) = c;
  *(after ? &after->prev : &lane->last) = c;
}

static inline void rows_remove(dram_lane_t *lane, dram_req_t *c) {
  *(c->prev ? &c->prev->after : &lane->first) = c->after;
  *(c->after ? &c->after->prev : &lane->last) = c->prev;
}

/* A chain gets one more. */
static inline void rows_append(dram_req_t *c, dram_req_t *r) {
  *(c->next ? &c->tail->next : &c->next) = r;
  c->tail = r;
}

/* Request r, younger than all of its queue, joins. Returns whether its row is open. */
static inline bool rows_add(const dram_rows_t *w, dram_bank_t *bank, dram_req_t *r) {
  dram_lane_t *lane = &bank->lane[r->queue];
  r->next = NULL;
  if (bank->row == r->a.row) {
    if (lane->hits) {
      rows_append(lane->hits, r);
      return true;
    }
    lane->hits = r;
    bank->hit |= 1u << r->queue;
    bank->has |= 1u << r->queue;
    return true;
  }
  dram_req_t **bucket = rows_bucket(w, r->a.bank, r->a.row);
  dram_req_t *c = rows_find(bucket, r->a.bank, r->a.row, r->queue);
  if (c) {
    rows_append(c, r);
    return false;
  }
  rows_insert(lane, r, NULL);
  rows_hash(bucket, r);
  bank->has |= 1u << r->queue;
  return false;
}

/* The oldest hit of a queue leaves. */
static inline void rows_take(dram_bank_t *bank, uint32_t queue) {
  dram_lane_t *lane = &bank->lane[queue];
  dram_req_t *c = lane->hits, *next = c->next;
  lane->hits = next;
  if (next) {
    next->tail = c->tail;
    return;
  }
  bank->hit &= ~(1u << queue);
  if (!lane->first) bank->has &= ~(1u << queue);
}

/* Chain c of a queue, out of the list already, becomes the hits. */
static inline void rows_meet(dram_bank_t *bank, dram_lane_t *lane, dram_req_t *c) {
  rows_unhash(c);
  lane->hits = c;
  bank->hit |= 1u << c->queue;
}

/* The bank opens the row of r, the first of its lane. */
static inline void rows_open(dram_bank_t *bank, dram_req_t *r) {
  dram_lane_t *lane = &bank->lane[r->queue];
  bank->row = r->a.row;
  lane->first = r->after;
  *(r->after ? &r->after->prev : &lane->last) = NULL;
  rows_meet(bank, lane, r);
  for (uint32_t m = bank->has & ~(1u << r->queue); m; m &= m - 1) {
    uint32_t queue = (uint32_t)__builtin_ctz(m);
    dram_req_t *c = rows_find(r->bucket, r->a.bank, r->a.row, queue);
    if (!c) continue;
    rows_remove(&bank->lane[queue], c);
    rows_meet(bank, &bank->lane[queue], c);
  }
}

/* The hits left over go back among the others, by age: they are rare and near the front. */
static inline void rows_close(const dram_rows_t *w, dram_bank_t *bank) {
  bank->row = DRAM_NO_ROW;
  for (; bank->hit; bank->hit &= bank->hit - 1) {
    dram_lane_t *lane = &bank->lane[__builtin_ctz(bank->hit)];
    dram_req_t *c = lane->hits, *after = lane->first;
    while (after && after->order < c->order) after = after->after;
    lane->hits = NULL;
    rows_insert(lane, c, after);
    rows_hash(rows_bucket(w, c->a.bank, c->a.row), c);
  }
}

int rows_init(dram_rows_t *w, uint32_t entries); /* 0 or GMMU_ENOMEM; `entries` at most wait */
void rows_fini(dram_rows_t *w);
/* Walks every invariant; `used` is what each queue should hold. */
int rows_check(const dram_rows_t *w, const dram_bank_t *bank, uint32_t banks, const uint32_t *used,
               err_t *e);
#endif
