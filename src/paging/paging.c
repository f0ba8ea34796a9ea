/* Far faults, pages on their way, and room for them.
 *
 * With mem.paging=uvm the driver (uvm.c) decides when faults are served and answered.
 *
 * Invariants: a page is coming (PAGES_COMING) exactly if a register whose fault is not served yet,
 * or a transit, stands for it; every register has somebody who waits, and its page is coming. There
 * are as many transits as registers and some more, which prefetching may use up. */
#include "paging/paging.h"
#include <stdlib.h>
#include <string.h>

#define FAULT_NONE       UINT32_MAX
#define PREFETCH_FLIGHTS 64 /* transits beyond one per register, and that again per register */

static uint32_t transits(const memory_spec_t *s) { return 2 * s->faults + PREFETCH_FLIGHTS; }

bool paging_wanted(const memory_spec_t *s) { return strcmp(s->paging, "preload") != 0; }
bool paging_evicts(const memory_spec_t *s) {
  return paging_wanted(s) && strcmp(s->evict, "none") != 0;
}

uint32_t paging_events(const memory_spec_t *s) {
  return paging_wanted(s) ? s->faults + transits(s) : 0;
}

static void choose(paging_t *p, const memory_spec_t *s) {
  p->on = paging_wanted(s);
  p->uvm.on = strcmp(s->paging, "uvm") == 0;
  p->evicts = paging_evicts(s);
  p->evict_tree = strcmp(s->evict, "tree") == 0;
  p->prefetch = strcmp(s->prefetch, "tree") == 0    ? PREFETCH_TREE
                : strcmp(s->prefetch, "block") == 0 ? PREFETCH_BLOCK
                                                    : PREFETCH_NONE;
}

static void link_free_lists(paging_t *p, uint32_t faults, uint32_t flights) {
  for (uint32_t i = 0; i < faults; i++) p->fault[i].next = i + 1 < faults ? i + 1 : FAULT_NONE;
  for (uint32_t i = 0; i < flights; i++) p->transit[i].next = i + 1;
  for (uint32_t i = 0; i < p->buckets; i++) p->bucket[i] = FAULT_NONE;
  p->transits_free = flights;
}

static int uvm_init(paging_t *p, err_t *e);
static void uvm_fini(paging_t *p);
static void uvm_note_fault(paging_t *p, uint32_t fault);
static void uvm_landed(paging_t *p);
static bool uvm_holds(const paging_t *p);

static int paging_init(void *block, err_t *e) {
  paging_t *p = block;
  const memory_spec_t *s = &paging_spec(p)->memory;
  p->queue_head = XLAT_NONE;
  p->in_head = FAULT_NONE;
  regions_init(&p->regions, paging_memory(p)->large_pages_shift, paging_memory(p)->page_shift);
  p->stats = calloc(paging_share(p)->apps, sizeof *p->stats);
  if (!p->stats) return err_set(e, GMMU_ENOMEM, "out of memory for paging");
  choose(p, s);
  if (!p->on) return GMMU_OK;
  if (!paging_spec(p)->tlb.levels)
    return err_set(e, GMMU_ERANGE, "mem.paging=%s needs a TLB: without one nothing faults",
                   s->paging);
  p->unit_pages =
      strcmp(s->manager, "large-only") == 0 ? 1ull << paging_memory(p)->large_pages_shift : 1;
  p->buckets = 64;
  while (p->buckets < 2 * s->faults) p->buckets *= 2;
  p->fault = calloc(s->faults, sizeof *p->fault);
  p->bucket = calloc(p->buckets, sizeof *p->bucket);
  p->transit = calloc(transits(s), sizeof *p->transit);
  if (!p->fault || !p->bucket || !p->transit)
    return err_set(e, GMMU_ENOMEM, "out of memory for paging");
  link_free_lists(p, s->faults, transits(s));
  return p->uvm.on ? uvm_init(p, e) : GMMU_OK;
}

static void paging_fini(void *block) {
  paging_t *p = block;
  regions_fini(&p->regions);
  free(p->stats);
  free(p->fault);
  free(p->bucket);
  free(p->transit);
  uvm_fini(p);
}

/* ---- allocations ---- */

/* Pages that become part of a large page which is there already are there with it: a TLB could not
 * tell them apart. */
static int fill_large_page(paging_t *p, asid_t asid, vpn_t vpn, uint64_t end) {
  uint64_t size = 1ull << paging_memory(p)->large_pages_shift, first = vpn.v & ~(size - 1);
  ppn_t ppn;
  bool large = false;
  for (uint64_t v = first; v < first + size && !large; v++)
    if (!mm_translate(paging_memory(p)->mm, asid, (vpn_t){v}, &ppn, &large)) large = false;
  int rc = GMMU_OK;
  for (uint64_t v = vpn.v; large && v < end && v < first + size && rc == 0; v++)
    rc = mm_touch(paging_memory(p)->mm, asid, (vpn_t){v}, &paging_memory(p)->actions,
                  &paging_ev(p)->error);
  return rc;
}

int paging_reserve(paging_t *p, asid_t asid, vaddr_t va, uint64_t bytes) {
  int rc = mm_reserve(paging_memory(p)->mm, asid, va, bytes, &paging_memory(p)->actions,
                      &paging_ev(p)->error);
  if (rc < 0) return rc;
  uint64_t first = va.v >> paging_memory(p)->page_shift,
           end = ((va.v + bytes - 1) >> paging_memory(p)->page_shift) + 1;
  uint64_t last = (end - 1) >> paging_memory(p)->large_pages_shift
                                   << paging_memory(p)->large_pages_shift;
  if (regions_add(&p->regions, asid, (vpn_t){first}, end - first) < 0)
    return err_set(&paging_ev(p)->error, GMMU_ENOMEM, "out of memory for paging");
  rc = fill_large_page(p, asid, (vpn_t){first}, end);
  if (rc == 0 && last > first) rc = fill_large_page(p, asid, (vpn_t){last}, end);
  return rc;
}

/* Prefetched pages may still be on their way; they will find that nobody wants them. */
void paging_app_ended(paging_t *p, asid_t asid) {
  regions_t *r = &p->regions;
  p->run[asid]++;
  for (uint32_t i = 0; i < r->count; i++)
    if (regions_asid(r, i) == asid) {
      pages_t all = {i, 0, 1u << r->pages_shift};
      regions_put(r, PAGES_COMING, asid, regions_vpn(r, all), all.pages, false);
      regions_put(r, PAGES_DIRTY, asid, regions_vpn(r, all), all.pages, false);
    }
}

void paging_mapped(paging_t *p, const mm_action_t *x) {
  regions_put(&p->regions, PAGES_COMING, x->asid, x->vpn, x->pages, false);
  regions_put(&p->regions, PAGES_HERE, x->asid, x->vpn, x->pages, true);
}

void paging_unmapped(paging_t *p, const mm_action_t *x) {
  regions_put(&p->regions, PAGES_HERE, x->asid, x->vpn, x->pages, false);
  regions_put(&p->regions, PAGES_DIRTY, x->asid, x->vpn, x->pages, false);
}

/* ---- faults ---- */

static vpn_t unit_of(const paging_t *p, vpn_t vpn) { return (vpn_t){vpn.v & ~(p->unit_pages - 1)}; }

static uint32_t *bucket_of(const paging_t *p, uint64_t key) {
  return &p->bucket[(key * 0x9e3779b97f4a7c15u) >> 32 & (p->buckets - 1)];
}

static uint32_t find_fault(const paging_t *p, uint64_t key) {
  uint32_t i = *bucket_of(p, key);
  while (i != FAULT_NONE && p->fault[i].key != key) i = p->fault[i].next;
  return i;
}

static uint32_t take_fault(paging_t *p, uint64_t key, const xlat_t *x) {
  uint32_t i = p->free_fault, *bucket = bucket_of(p, key);
  p->free_fault = p->fault[i].next;
  p->fault[i] = (fault_t){.key = key,
                          .vpn = x->vpn,
                          .head = XLAT_NONE,
                          .tail = XLAT_NONE,
                          .next = *bucket,
                          .asid = x->asid};
  *bucket = i;
  if (++p->used > p->stats[x->asid].max_registers) p->stats[x->asid].max_registers = p->used;
  return i;
}

static void give_fault(paging_t *p, uint32_t i) {
  uint32_t *link = bucket_of(p, p->fault[i].key);
  while (*link != i) link = &p->fault[*link].next;
  *link = p->fault[i].next;
  p->fault[i].next = p->free_fault;
  p->free_fault = i;
  p->used--;
}

static void wait_in(paging_t *p, fault_t *f, uint32_t id) {
  paging_xlat(p)->at[id].next = XLAT_NONE;
  if (f->head == XLAT_NONE)
    f->head = id;
  else
    paging_xlat(p)->at[f->tail].next = id;
  f->tail = id;
}

/* A new register: the driver is told, unless the page is on its way anyway. */
static uint32_t new_fault(paging_t *p, uint64_t key, const xlat_t *x) {
  uint32_t i = take_fault(p, key, x);
  if (regions_has(&p->regions, PAGES_COMING, x->asid, x->vpn)) {
    p->stats[x->asid].merged_faults++;
    if (p->uvm.on) uvm_note_fault(p, i); /* a replay lets it go on, not its page */
    return i;
  }
  if (p->uvm.on) {
    uvm_note_fault(p, i);
    return i;
  }
  regions_put(&p->regions, PAGES_COMING, x->asid, unit_of(p, x->vpn), p->unit_pages, true);
  /* the way here has taken one of the fault's cycles */
  message_send(paging_ev(p), FROM_HOST,
               message_at(paging_ev(p), paging_ev(p)->now + paging_link(p)->fault_cycles - 1),
               EV_FAULT, i);
  return i;
}

/* The page of translation `id` is there now. */
static void go_on(paging_t *p, uint32_t id) {
  xlat_t *x = &paging_xlat(p)->at[id];
  x->fault = (uint32_t)paging_ev(p)->now + 1 - x->fault; /* the answer takes a cycle */
  x->faulting = false;
  hist_add(&p->stats[x->asid].latency, x->fault);
  tlb_fault_answer(paging_tlb(p), id);
}

/* False if every register is taken. */
static bool enter(paging_t *p, uint32_t id) {
  const xlat_t *x = &paging_xlat(p)->at[id];
  ppn_t ppn;
  bool large;
  if (mm_translate(paging_memory(p)->mm, x->asid, x->vpn, &ppn, &large)) { /* it came meanwhile */
    p->stats[x->asid].merged_faults++;
    go_on(p, id);
    return true;
  }
  uint64_t key = tlb_page_key(x->asid, unit_of(p, x->vpn));
  uint32_t i = find_fault(p, key);
  if (i == FAULT_NONE && p->free_fault == FAULT_NONE) return false;
  if (i != FAULT_NONE)
    p->stats[x->asid].merged_faults++;
  else
    i = new_fault(p, key, x);
  wait_in(p, &p->fault[i], id);
  return true;
}

void paging_fault(paging_t *p, uint32_t id) {
  xlat_t *x = &paging_xlat(p)->at[id];
  if (!mm_allocated(paging_memory(p)->mm, x->asid, x->vpn)) {
    WATCH_TELL(paging_tlb(p)->watch.unmapped, x->asid, x->vpn);
    return;
  }
  x->fault = (uint32_t)paging_ev(p)->now;
  x->faulting = true;
  p->stats[x->asid].faults++;
  WATCH_TELL(p->watch, id);
  if (p->queue_head == XLAT_NONE && enter(p, id)) return;
  p->stats[x->asid].fault_stalls++;
  x->next = XLAT_NONE;
  if (p->queue_head == XLAT_NONE)
    p->queue_head = id;
  else
    paging_xlat(p)->at[p->queue_tail].next = id;
  p->queue_tail = id;
}

static void enter_queued(paging_t *p) {
  while (p->queue_head != XLAT_NONE) {
    uint32_t id = p->queue_head, next = paging_xlat(p)->at[id].next;
    if (!enter(p, id)) return;
    p->queue_head = next;
  }
}

/* The page is there: whoever waited for it goes on. */
static void answer(paging_t *p, uint32_t i) {
  uint32_t id = p->fault[i].head;
  give_fault(p, i);
  for (uint32_t next; id != XLAT_NONE; id = next) {
    next = paging_xlat(p)->at[id].next;
    go_on(p, id);
  }
  enter_queued(p);
}

/* ---- over the link ---- */

static void set_out(paging_t *p, asid_t asid, vpn_t vpn, uint64_t pages, bool prefetch) {
  uint32_t i = p->free_transit;
  p->free_transit = p->transit[i].next;
  p->transits_free--;
  p->transit[i] = (transit_t){
      .vpn = vpn, .pages = pages, .run = p->run[asid], .asid = asid, .prefetch = prefetch};
  uint64_t at = link_move(paging_link(p), LINK_IN, paging_ev(p)->now,
                          pages << paging_memory(p)->page_shift, asid);
  message_send(paging_ev(p), FROM_HOST, message_at(paging_ev(p), at), EV_PAGE_IN, i);
}

/* Worth bringing: of an allocation, not here and not coming. */
static bool absent(const paging_t *p, asid_t asid, vpn_t vpn) {
  const regions_t *r = &p->regions;
  return !regions_has(r, PAGES_HERE, asid, vpn) && !regions_has(r, PAGES_COMING, asid, vpn) &&
         mm_allocated(paging_memory(p)->mm, asid, vpn);
}

/* The absent pages of the node, a run at a time. Each register keeps a transit for itself. */
static void prefetch(paging_t *p, asid_t asid, vpn_t vpn) {
  pages_t node = regions_wanted(&p->regions, asid, vpn, p->prefetch == PREFETCH_TREE);
  vpn_t first = regions_vpn(&p->regions, node), run = first;
  for (uint64_t i = 0; i <= node.pages; i++) {
    vpn_t v = {first.v + i};
    if (i < node.pages && absent(p, asid, v)) continue;
    if (v.v > run.v && p->transits_free > paging_spec(p)->memory.faults) {
      regions_put(&p->regions, PAGES_COMING, asid, run, v.v - run.v, true);
      set_out(p, asid, run, v.v - run.v, true);
    }
    run.v = v.v + 1;
  }
}

void paging_served(paging_t *p, uint32_t i) {
  const fault_t f = p->fault[i];
  set_out(p, f.asid, f.vpn, p->unit_pages, false);
  if (p->prefetch != PREFETCH_NONE) prefetch(p, f.asid, f.vpn);
}

/* ---- room ---- */

/* A large page leaves as a whole: its TLB entries cannot tell which of its pages are gone. */
static pages_t whole_if_large(const paging_t *p, pages_t part) {
  const regions_t *r = &p->regions;
  for (uint32_t i = 0; i < part.pages; i++) {
    ppn_t ppn;
    bool large = false;
    vpn_t v = {regions_vpn(r, part).v + i};
    if (mm_translate(paging_memory(p)->mm, regions_asid(r, part.region), v, &ppn, &large) && large)
      return (pages_t){part.region, 0, 1u << r->pages_shift};
  }
  return part;
}

/* Evicts something; *at is when its frames are free: TLBs have forgotten them, and what was written
 * to is in the host. Negative if there is nothing to evict. */
static int make_room(paging_t *p, uint64_t *at) {
  pages_t v;
  if (!p->evicts || !regions_victim(&p->regions, p->evict_tree, &v)) return GMMU_ENOSPACE;
  if (p->evict_tree) v = whole_if_large(p, v);
  asid_t asid = regions_asid(&p->regions, v.region);
  uint64_t here = regions_count(&p->regions, PAGES_HERE, v);
  uint64_t dirty = regions_count(&p->regions, PAGES_DIRTY, v);
  if (dirty && p->unit_pages > 1) dirty = p->unit_pages; /* a page is clean or dirty as a whole */
  int rc = mm_evict(paging_memory(p)->mm, asid, regions_vpn(&p->regions, v), v.pages,
                    &paging_memory(p)->actions, &paging_ev(p)->error);
  if (rc < 0) return rc;
  moves_carry_out(paging_moves(p));
  p->stats[asid].evicted += here;
  p->stats[asid].evicted_dirty += dirty;
  *at = paging_ev(p)->now + paging_spec(p)->memory.shootdown_cycles;
  if (!dirty) return GMMU_OK;
  uint64_t out = link_move(paging_link(p), LINK_OUT, paging_ev(p)->now,
                           dirty << paging_memory(p)->page_shift, asid);
  if (out > *at) *at = out;
  return GMMU_OK;
}

static void page_is_here(paging_t *p, const transit_t *t, vpn_t vpn) {
  moves_carry_out(paging_moves(p));
  p->stats[t->asid].pages_in += p->unit_pages;
  p->stats[t->asid].prefetched += t->prefetch ? p->unit_pages : 0;
  regions_use(&p->regions, t->asid, vpn);
  if (p->uvm.on) return;
  uint32_t i = find_fault(p, tlb_page_key(t->asid, unit_of(p, vpn)));
  if (i != FAULT_NONE) answer(p, i);
}

/* Nobody has an allocation there any more. */
static void drop_page(paging_t *p, const transit_t *t, vpn_t vpn) {
  p->stats[t->asid].dropped++;
  regions_put(&p->regions, PAGES_COMING, t->asid, vpn, 1, false);
}

/* Maps a page of the transit; or makes room, and it is to be tried again in the cycle returned. */
static uint64_t land(paging_t *p, const transit_t *t, vpn_t vpn, bool *again) {
  uint64_t at = paging_ev(p)->now;
  err_t e = {0};
  regions_use(&p->regions, t->asid, vpn); /* its region is the last to make room for it */
  int rc = mm_touch(paging_memory(p)->mm, t->asid, vpn, &paging_memory(p)->actions, &e);
  if (rc == 0) {
    page_is_here(p, t, vpn);
  } else if (rc == GMMU_EFAULT && t->prefetch) {
    drop_page(p, t, vpn);
  } else if (rc == GMMU_ENOSPACE && make_room(p, &at) == 0) {
    *again = true;
  } else {
    if (!paging_ev(p)->error.code) paging_ev(p)->error = e;
    engine_fail(paging_ev(p), rc);
  }
  return at;
}

void paging_note_in(paging_t *p, uint32_t i) {
  p->transit[i].next = FAULT_NONE;
  if (p->in_head == FAULT_NONE)
    p->in_head = i;
  else
    p->transit[p->in_tail].next = i;
  p->in_tail = i;
}

static void arrived(paging_t *p, uint32_t i) {
  transit_t *t = &p->transit[i];
  if (t->run != p->run[t->asid]) {
    p->stats[t->asid].dropped += t->pages - t->done;
    t->done = t->pages;
  }
  while (t->done < t->pages && !paging_ev(p)->failed) {
    bool again = false;
    uint64_t at = land(p, t, (vpn_t){t->vpn.v + t->done}, &again);
    if (at > paging_ev(p)->now) {
      message_send(paging_ev(p), FROM_HOST, at, EV_PAGE_IN, i);
      return;
    }
    if (!again) t->done += p->unit_pages;
  }
  t->next = p->free_transit;
  p->free_transit = i;
  p->transits_free++;
  if (p->uvm.on) uvm_landed(p);
}

void paging_attend(paging_t *p) {
  for (uint32_t i; (i = p->in_head) != FAULT_NONE;) {
    p->in_head = p->transit[i].next;
    arrived(p, i);
  }
}

static int paging_check(const void *block, err_t *e) {
  const paging_t *p = block;
  if (!p->on) return GMMU_OK;
  if (!regions_check(&p->regions))
    return err_set(e, GMMU_ECHECK, "paging: which pages are here is not what it should be");
  if (p->uvm.on && !uvm_holds(p))
    return err_set(e, GMMU_ECHECK, "unified memory: the fault buffer is not what it should be");
  return GMMU_OK;
}
