/* Creation and checking of the window; what is called per access is inline in the header. */
#include "dram/dram_window.h"
#include <string.h>

void rows_init(dram_bank_t *bank, uint32_t banks) {
  for (uint32_t b = 0; b < banks; b++) bank[b].row = DRAM_NO_ROW, bank[b].bit = 1u << b;
}

/* --- checking --------------------------------------------------------------------------------- */

typedef struct {
  dram_rows_t others; /* counted anew */
  const dram_bank_t *bank;
  uint32_t index, queue, found; /* found: requests */
  err_t *e;
} walk_t;

static int wrong(const walk_t *k, const char *what) {
  return err_set(k->e, GMMU_ECHECK, "bank %u queue %u: %s", k->index, k->queue, what);
}

static int check_list(walk_t *k, const dram_list_t *l, bool hits) {
  const dram_req_t *last = NULL;
  for (const dram_req_t *r = l->head; r; last = r, r = r->next) {
    if (r->a.bank != k->index || r->queue != k->queue)
      return wrong(k, "request of another bank or queue");
    if ((r->a.row == k->bank->row) != hits) return wrong(k, "request in the wrong list");
    if (last && last->order >= r->order) return wrong(k, "list order");
    if (r->slot != rows_slot(&r->a)) return wrong(k, "slot");
    if (!hits) k->others.others[r->slot]++;
    k->found++;
  }
  return !last || l->tail == last ? 0 : wrong(k, "list end");
}

static int check_waiting(walk_t *k) {
  const dram_waiting_t *waiting = &k->bank->waiting[k->queue];
  if ((waiting->hits.head || waiting->others.head) != (k->bank->has >> k->queue & 1))
    return wrong(k, "mask of waiting queues");
  if ((waiting->hits.head != NULL) != (k->bank->hit >> k->queue & 1))
    return wrong(k, "mask of hits");
  int code = check_list(k, &waiting->hits, true);
  return code ? code : check_list(k, &waiting->others, false);
}

int rows_check(const dram_rows_t *w, const dram_bank_t *bank, uint32_t banks, const uint32_t *used,
               err_t *e) {
  walk_t k = {.e = e};
  for (k.queue = 0; k.queue < DRAM_ALL_QUEUES; k.queue++, k.found = 0) {
    for (k.index = 0; k.index < banks; k.index++) {
      k.bank = &bank[k.index];
      int code = check_waiting(&k);
      if (code) return code;
    }
    if (k.found != used[k.queue])
      return err_set(e, GMMU_ECHECK, "queue %u holds %u requests, counted %u", k.queue, k.found,
                     used[k.queue]);
  }
  if (memcmp(&k.others, w, sizeof *w) != 0)
    return err_set(e, GMMU_ECHECK, "requests by row are not as counted");
  return 0;
}
