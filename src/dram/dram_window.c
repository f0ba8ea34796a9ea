/* Creation and checking of the window; what is called per access is inline in the header. */
#include "dram/dram_window.h"
#include <stdlib.h>

int rows_init(dram_rows_t *w, uint32_t entries) {
  uint32_t bits = 4;
  while ((1u << bits) < 2 * entries) bits++;
  w->hash = calloc((size_t)1 << bits, sizeof(dram_req_t *));
  w->hash_shift = 32 - bits;
  return w->hash ? 0 : GMMU_ENOMEM;
}

void rows_fini(dram_rows_t *w) { free(w->hash); }

/* --- checking --------------------------------------------------------------------------------- */

typedef struct {
  const dram_rows_t *rows;
  const dram_bank_t *bank;
  uint32_t index, queue, found; /* found: requests */
  err_t *e;
} walk_t;

static int wrong(const walk_t *k, const char *what) {
  return err_set(k->e, GMMU_ECHECK, "bank %u queue %u: %s", k->index, k->queue, what);
}

static int check_chain(walk_t *k, const dram_req_t *c) {
  dram_req_t *const *bucket = rows_bucket(k->rows, k->index, c->a.row);
  bool hashed = rows_find(bucket, k->index, c->a.row, k->queue) == c;
  if ((c->a.row == k->bank->row) == hashed) return wrong(k, "hash");
  const dram_req_t *last = NULL;
  for (const dram_req_t *r = c; r; last = r, r = r->next) {
    if (r->a.row != c->a.row || r->a.bank != k->index || r->queue != k->queue)
      return wrong(k, "request in a wrong chain");
    if (last && last->order >= r->order) return wrong(k, "chain order");
    k->found++;
  }
  return last == c || last == c->tail ? 0 : wrong(k, "chain tail");
}

static int check_list(walk_t *k) {
  const dram_lane_t *lane = &k->bank->lane[k->queue];
  const dram_req_t *prev = NULL;
  for (const dram_req_t *c = lane->first; c; prev = c, c = c->after) {
    int code = check_chain(k, c);
    if (code) return code;
    if (c->a.row == k->bank->row) return wrong(k, "open row in the list");
    if (c->prev != prev) return wrong(k, "list links");
    if (prev && prev->order >= c->order) return wrong(k, "list order");
  }
  return lane->last == prev ? 0 : wrong(k, "list end");
}

static int check_lane(walk_t *k) {
  const dram_lane_t *lane = &k->bank->lane[k->queue];
  if ((lane->hits || lane->first) != (k->bank->has >> k->queue & 1))
    return wrong(k, "mask of waiting queues");
  if ((lane->hits != NULL) != (k->bank->hit >> k->queue & 1)) return wrong(k, "mask of hits");
  if (lane->hits) {
    if (lane->hits->a.row != k->bank->row) return wrong(k, "hits of a row that is not open");
    int code = check_chain(k, lane->hits);
    if (code) return code;
  }
  return check_list(k);
}

int rows_check(const dram_rows_t *w, const dram_bank_t *bank, uint32_t banks, const uint32_t *used,
               err_t *e) {
  for (uint32_t q = 0; q < DRAM_LANES; q++) {
    walk_t k = {.rows = w, .queue = q, .e = e};
    for (k.index = 0; k.index < banks; k.index++) {
      k.bank = &bank[k.index];
      int code = check_lane(&k);
      if (code) return code;
    }
    if (k.found != used[q])
      return err_set(e, GMMU_ECHECK, "queue %u holds %u requests, counted %u", q, k.found, used[q]);
  }
  return 0;
}
