/* The driver of unified memory: one batch of faults at a time.
 *
 * Invariants: every register is in the list from `head` to `tail`, in order of arrival; the driver
 * is idle exactly if that list is empty; pages are on their way only while it moves a batch. Of a
 * block the pages that were faulted on come last, so that at least one of them is there at the
 * replay however small memory is: every batch makes progress. */
#include "paging/paging.h"
#include <stdlib.h>
#include <string.h>

enum { STEP_FETCH, STEP_MOVE };

const opt_t uvm_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(uvm_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(batch, "batch", 1, 65536, 256, "faults",
        "fetched from the fault buffer at once (the driver: uvm_perf_fault_batch_count)"),
    U32(wake_ns, "wake", 0, 100000000, 10000, "ns",
        "of link.fault, from the first fault to the fetch, while more may come (a guess)"),
    U32(block_ns, "block", 0, 100000000, 2000, "ns",
        "that every 2-MB block of a batch takes the driver beside the first, which is in "
        "link.fault (a guess)"),
    U32(threshold, "threshold", 1, 100, 51, "%",
        "of a subtree of a block that have to be there or faulted on for all of it to come (the "
        "driver: uvm_perf_prefetch_threshold); 100: no prefetch, not even of 64 KB"),
#undef U32
    {0},
};

static int uvm_init(paging_t *p, err_t *e) {
  const gpu_spec_t *s = paging_spec(p);
  uvm_t *v = &p->uvm;
  size_t words = p->regions.words;
  if (p->prefetch != PREFETCH_NONE || p->evict_tree)
    return err_set(e, GMMU_ERANGE,
                   "mem.paging=uvm has a prefetch of its own and evicts whole blocks: it needs "
                   "mem.prefetch=none and mem.evict=none or lru");
  if (strcmp(s->share.mode, "time") == 0)
    return err_set(e, GMMU_ERANGE,
                   "mem.paging=uvm needs SMs that stay with their programs; share.mode=time takes "
                   "them in turn");
  v->head = v->tail = FAULT_NONE;
  v->wake_cycles = (uint32_t)link_cycles(s->uvm.wake_ns, s->core.clock_mhz);
  v->block_cycles = (uint32_t)link_cycles(s->uvm.block_ns, s->core.clock_mhz);
  v->serve_cycles = (uint32_t)link_cycles(s->link.fault_ns, s->core.clock_mhz);
  if (v->wake_cycles > v->serve_cycles) v->wake_cycles = v->serve_cycles; /* it is a part of it */
  v->serve_cycles -= v->wake_cycles;
  v->batch = calloc(s->uvm.batch, sizeof *v->batch);
  v->faulted = calloc(3 * words, sizeof *v->faulted);
  if (!v->batch || !v->faulted) return err_set(e, GMMU_ENOMEM, "out of memory for paging");
  v->valid = v->faulted + words;
  v->brought = v->valid + words;
  return GMMU_OK;
}

static void uvm_fini(paging_t *p) {
  free(p->uvm.batch);
  free(p->uvm.faulted);
}

/* ---- the fault buffer ---- */

static void append(paging_t *p, uint32_t i) {
  uvm_t *v = &p->uvm;
  p->fault[i].behind = FAULT_NONE;
  if (v->head == FAULT_NONE)
    v->head = i;
  else
    p->fault[v->tail].behind = i;
  v->tail = i;
}

static void next_step(paging_t *p, uint64_t cycles, uint32_t step) {
  message_send(paging_ev(p), FROM_HOST, message_at(paging_ev(p), paging_ev(p)->now + cycles),
               EV_DRIVER, step);
}

static void uvm_note_fault(paging_t *p, uint32_t i) {
  append(p, i);
  if (p->uvm.phase != UVM_IDLE) return;
  p->uvm.phase = UVM_WAKES;
  /* the way here has taken one of its cycles */
  next_step(p, p->uvm.wake_cycles ? p->uvm.wake_cycles - 1 : 0, STEP_FETCH);
}

/* ---- a batch ---- */

static uint32_t region_of(const paging_t *p, const fault_t *f) {
  return regions_find(&p->regions, f->asid, f->vpn);
}

/* Into its place by address. */
static void insert(paging_t *p, uint32_t i) {
  uvm_t *v = &p->uvm;
  uint32_t at = v->count++;
  for (; at && p->fault[v->batch[at - 1]].key > p->fault[i].key; at--)
    v->batch[at] = v->batch[at - 1];
  v->batch[at] = i;
}

/* The end of the block that begins at `first` of the batch. */
static uint32_t block_end(const paging_t *p, uint32_t first) {
  const uvm_t *v = &p->uvm;
  uint32_t region = region_of(p, &p->fault[v->batch[first]]), i = first;
  while (i < v->count && region_of(p, &p->fault[v->batch[i]]) == region) i++;
  return i;
}

static void count_batch(paging_t *p) {
  uvm_t *v = &p->uvm;
  uint32_t of_app[GMMU_MAX_APPS] = {0};
  for (uint32_t i = 0; i < v->count; i++) of_app[p->fault[v->batch[i]].asid]++;
  for (uint32_t a = 0; a < GMMU_MAX_APPS; a++) {
    if (!of_app[a]) continue;
    v->stats[a].batches++;
    v->stats[a].fetched += of_app[a];
    if (v->count > v->stats[a].max_batch) v->stats[a].max_batch = v->count;
  }
}

static void fetch(paging_t *p) {
  uvm_t *v = &p->uvm;
  uint32_t blocks = 0;
  v->count = 0;
  for (uint32_t i = v->head; i != FAULT_NONE && v->count < paging_spec(p)->uvm.batch;
       i = p->fault[i].behind)
    insert(p, i);
  count_batch(p);
  for (uint32_t i = 0; i < v->count; i = block_end(p, i)) {
    blocks++;
    v->stats[p->fault[v->batch[i]].asid].blocks++;
  }
  v->phase = UVM_SERVES;
  next_step(p, v->serve_cycles + (blocks - 1) * (uint64_t)v->block_cycles, STEP_MOVE);
}

/* ---- what comes ---- */

static bool has_bit(const uint64_t *set, uint32_t i) { return set[i / 64] >> (i % 64) & 1; }
static void put_bit(uint64_t *set, uint32_t i) { set[i / 64] |= 1ull << (i % 64); }

/* Pages of the set set out, a run at a time. Prefetches leave a transit for every register. */
static void set_out_runs(paging_t *p, uint32_t region, const uint64_t *set, bool prefetch) {
  const regions_t *r = &p->regions;
  uint32_t pages = 1u << r->pages_shift, spare = prefetch ? paging_spec(p)->memory.faults : 0;
  asid_t asid = regions_asid(r, region);
  for (uint32_t i = 0, end; i < pages; i = end + 1) {
    for (end = i; end < pages && has_bit(set, end);) end++;
    if (end == i || p->transits_free <= spare) continue;
    vpn_t first = regions_vpn(r, (pages_t){region, i, end - i});
    regions_put(&p->regions, PAGES_COMING, asid, first, end - i, true);
    set_out(p, asid, first, end - i, prefetch);
    p->uvm.under_way++;
  }
}

/* Marks the pages of the block that are allocated, and those that faulted. */
static void mark_block(paging_t *p, uint32_t region, uint32_t from, uint32_t to) {
  uvm_t *v = &p->uvm;
  const regions_t *r = &p->regions;
  uint32_t pages = 1u << r->pages_shift;
  vpn_t first = regions_vpn(r, (pages_t){region, 0, pages});
  asid_t asid = regions_asid(r, region);
  memset(v->faulted, 0, 3 * r->words * sizeof *v->faulted);
  for (uint32_t i = 0; i < pages; i++)
    if (mm_allocated(paging_memory(p)->mm, asid, (vpn_t){first.v + i})) put_bit(v->valid, i);
  for (uint32_t i = from; i < to; i++) {
    vpn_t vpn = unit_of(p, p->fault[v->batch[i]].vpn);
    for (uint64_t k = 0; k < p->unit_pages; k++)
      if (absent(p, asid, (vpn_t){vpn.v + k}) || p->unit_pages > 1)
        put_bit(v->faulted, (uint32_t)(vpn.v - first.v + k));
  }
}

/* Keeps only pages that the tree names, that are absent and that did not fault. */
static void keep_prefetched(paging_t *p, uint32_t region) {
  uvm_t *v = &p->uvm;
  const regions_t *r = &p->regions;
  asid_t asid = regions_asid(r, region);
  vpn_t first = regions_vpn(r, (pages_t){region, 0, 1});
  for (uint32_t i = 0; i < 1u << r->pages_shift; i++) {
    if (!has_bit(v->brought, i)) continue;
    if (has_bit(v->faulted, i) || !absent(p, asid, (vpn_t){first.v + i})) {
      v->brought[i / 64] &= ~(1ull << (i % 64));
      continue;
    }
    bool near = false;
    uint32_t block = i >> r->block_shift << r->block_shift;
    for (uint32_t k = 0; k < 1u << r->block_shift; k++) near |= has_bit(v->faulted, block + k);
    *(near ? &v->stats[asid].grown : &v->stats[asid].tree) += 1;
  }
}

static void move_block(paging_t *p, uint32_t from, uint32_t to) {
  uvm_t *v = &p->uvm;
  uint32_t region = region_of(p, &p->fault[v->batch[from]]),
           percent = paging_spec(p)->uvm.threshold;
  mark_block(p, region, from, to);
  if (percent < 100 && p->unit_pages == 1) {
    regions_tree(&p->regions, region, v->faulted, v->valid, percent, v->brought);
    keep_prefetched(p, region);
    set_out_runs(p, region, v->brought, true);
  }
  set_out_runs(p, region, v->faulted, false);
}

static void replay(paging_t *p);

static void move(paging_t *p) {
  p->uvm.phase = UVM_MOVES;
  for (uint32_t i = 0, end; i < p->uvm.count; i = end) {
    end = block_end(p, i);
    move_block(p, i, end);
  }
  if (!p->uvm.under_way) replay(p);
}

/* Message: the driver comes to its next step. */
void paging_driver(paging_t *p, uint32_t step) {
  if (step == STEP_FETCH)
    fetch(p);
  else
    move(p);
}

/* ---- the replay ---- */

/* Whoever waits tries again. Those whose page is still not there are in the buffer before any that
 * come now. */
static void replay(paging_t *p) {
  uvm_t *v = &p->uvm;
  uint32_t here = FAULT_NONE, *last = &here, i = v->head, next;
  v->head = v->tail = FAULT_NONE;
  for (; i != FAULT_NONE; i = next) {
    fault_t *f = &p->fault[i];
    bool there = regions_has(&p->regions, PAGES_HERE, f->asid, f->vpn);
    next = f->behind;
    *(there ? &v->stats[f->asid].replayed : &v->stats[f->asid].refaults) += 1;
    if (!there) {
      append(p, i);
      continue;
    }
    f->behind = FAULT_NONE;
    *last = i;
    last = &f->behind;
  }
  v->phase = UVM_IDLE;
  if (v->head != FAULT_NONE) {
    v->phase = UVM_WAKES;
    next_step(p, v->wake_cycles, STEP_FETCH);
  }
  for (i = here; i != FAULT_NONE; i = next) {
    next = p->fault[i].behind;
    answer(p, i);
  }
}

/* A transit of the batch is in, and mapped. */
static void uvm_landed(paging_t *p) {
  if (--p->uvm.under_way == 0) replay(p);
}

static bool uvm_holds(const paging_t *p) {
  uint32_t listed = 0;
  for (uint32_t i = p->uvm.head; i != FAULT_NONE && listed <= p->used; i = p->fault[i].behind)
    listed++;
  return listed == p->used && (p->uvm.phase == UVM_IDLE) == !listed &&
         (p->uvm.phase == UVM_MOVES) == (p->uvm.under_way > 0);
}
