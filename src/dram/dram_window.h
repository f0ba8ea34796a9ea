#ifndef GMMU_DRAM_WINDOW_H
#define GMMU_DRAM_WINDOW_H
/* The accesses among which a channel chooses, by bank and queue.
 *
 * There are two lists of each, in order of age: `hits` of the open row, `others` of the rest.
 * So the oldest of either is its head, and an access that enters goes to the end of one. Opening a
 * row takes its requests out of the `others`: most often that is the head alone, which a count by
 * hash of bank and row tells; else the bank's lists are walked once.
 *
 * Invariants: a request is in `hits` if its row is open, else in `others`; `others[slot]` counts
 * those in any `others` with that hash. Links are pointers, not indices: they are never compared
 * for order, and save a tenth of the work. */
#include "base/inline.h"
#include "dram/dram_req.h"
#include "dram/dram_spec.h"

#define DRAM_ALL_QUEUES (DRAM_QUEUES + 1) /* the scheduler's queues, then the write buffer */
#define DRAM_NO_ROW     UINT32_MAX        /* a closed bank's row */

typedef struct {
  dram_list_t hits, others;
} dram_waiting_t;

typedef uint32_t dram_times_t __attribute__((vector_size(16)));

typedef struct {
  union {
    struct {
      uint32_t act, pre, col; /* earliest command of that kind as far as this bank is concerned */
    };
    dram_times_t times; /* all of them, in this order */
  };
  uint32_t row;      /* open, or DRAM_NO_ROW */
  uint32_t has, hit; /* bit q: queue q has requests for this bank, for its open row */
  uint32_t bit;      /* of this bank in a mask of banks */
  dram_waiting_t waiting[DRAM_ALL_QUEUES];
  uint8_t padding[64]; /* to a power of two: banks are found by a shift */
} dram_bank_t;
_Static_assert(sizeof(dram_bank_t) == 256, "banks are found by a shift");

typedef struct {
  uint16_t others[DRAM_SLOTS];
} dram_rows_t;

/* Request r, younger than all of its queue, joins those that wait for its bank. Returns whether its
 * row is open. */
ALWAYS_INLINE bool rows_add(dram_rows_t *w, dram_bank_t *bank, uint32_t queue, uint32_t bit,
                            dram_req_t *r) {
  dram_waiting_t *waiting = &bank->waiting[queue];
  KEEP(waiting);
  bank->has |= bit;
  if (bank->row == r->a.row) {
    bank->hit |= bit;
    list_put(&waiting->hits, r);
    return true;
  }
  w->others[r->slot]++;
  list_put(&waiting->others, r);
  return false;
}

/* Request r, the oldest hit of its queue, leaves. */
ALWAYS_INLINE void rows_take(dram_bank_t *bank, dram_waiting_t *waiting, uint32_t bit,
                             const dram_req_t *r) {
  waiting->hits.head = r->next;
  if (r->next) return;
  bank->hit &= ~bit;
  if (!waiting->others.head) bank->has &= ~bit;
}

/* The others of a queue that are for the row just opened become hits, run by run. All have the slot
 * of that row, so the search ends with the last of that slot. */
NEVER_INLINE void rows_meet(dram_waiting_t *waiting, uint32_t row, uint16_t *left) {
  dram_req_t **at = &waiting->others.head, *before = NULL, *first;
  while ((first = *at) && *left) {
    if (first->a.row != row) {
      before = first;
      at = &first->next;
      continue;
    }
    dram_req_t *last, *r = first;
    uint32_t n = 0;
    do last = r, r = r->next, n++;
    while (r && r->a.row == row);
    *left = (uint16_t)(*left - n);
    *at = r;
    list_splice(&waiting->hits, first, last);
  }
  if (!*at) waiting->others.tail = before;
}

NEVER_INLINE void rows_meet_all(dram_bank_t *bank, uint32_t row, uint16_t *left) {
  for (uint32_t m = bank->has; m; m &= m - 1) {
    dram_waiting_t *with = &bank->waiting[__builtin_ctz(m)];
    rows_meet(with, row, left);
    if (with->hits.head) bank->hit |= m & -m;
  }
}

/* The closed bank opens the row of r, the oldest of its queue there. */
ALWAYS_INLINE void rows_open(dram_rows_t *w, dram_bank_t *bank, uint32_t queue, uint32_t bit,
                             dram_req_t *r) {
  dram_waiting_t *waiting = &bank->waiting[queue];
  KEEP(waiting);
  bank->row = r->a.row;
  bank->hit = bit;
  waiting->others.head = r->next;
  waiting->hits.head = waiting->hits.tail = r; /* a closed bank has no other hits */
  r->next = NULL;
  if (--w->others[r->slot]) rows_meet_all(bank, r->a.row, &w->others[r->slot]);
}

/* Hits that are left over go back among the others, by age. */
NEVER_INLINE void rows_part(dram_rows_t *w, dram_waiting_t *waiting) {
  dram_req_t **at = &waiting->others.head;
  while (waiting->hits.head) {
    dram_req_t *r = list_take(&waiting->hits);
    while (*at && (*at)->order < r->order) at = &(*at)->next;
    r->next = *at, *at = r;
    if (!r->next) waiting->others.tail = r;
    w->others[r->slot]++;
  }
}

NEVER_INLINE void rows_part_all(dram_rows_t *w, dram_bank_t *bank) {
  for (; bank->hit; bank->hit &= bank->hit - 1)
    rows_part(w, &bank->waiting[__builtin_ctz(bank->hit)]);
}

static inline void rows_close(dram_rows_t *w, dram_bank_t *bank) {
  bank->row = DRAM_NO_ROW;
  if (bank->hit) rows_part_all(w, bank);
}

void rows_init(dram_bank_t *bank, uint32_t banks);
/* Walks every invariant; `used` is what each queue should hold. */
int rows_check(const dram_rows_t *w, const dram_bank_t *bank, uint32_t banks, const uint32_t *used,
               err_t *e);
#endif
