/* Far faults, pages on their way, and room for them.
 *
 * Invariants: a page is coming (PAGES_COMING) exactly if a register whose fault is not served yet,
 * or a transit, stands for it; every register has somebody who waits, and its page is coming. There
 * are as many transits as registers and some more, which prefetching may use up. */
#include "gpu/paging.h"
#include "gpu/machine.h"
#include <stdlib.h>
#include <string.h>

#define FAULT_NONE       UINT32_MAX
#define PREFETCH_FLIGHTS 64 /* transits beyond one per register, and that again per register */

static uint32_t transits(const memory_spec_t *s) { return 2 * s->faults + PREFETCH_FLIGHTS; }

static bool wanted(const memory_spec_t *s) { return strcmp(s->paging, "demand") == 0; }

uint32_t paging_events(const memory_spec_t *s) { return wanted(s) ? s->faults + transits(s) : 0; }

static void choose(paging_t *p, const memory_spec_t *s) {
  p->on = wanted(s);
  p->evicts = p->on && strcmp(s->evict, "none") != 0;
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

int paging_init(gpu_t *g, err_t *e) {
  paging_t *p = &g->paging;
  const memory_spec_t *s = &g->spec.memory;
  p->queue_head = XLAT_NONE;
  regions_init(&p->regions, g->large_pages_shift, g->page_shift);
  p->stats = calloc(g->apps, sizeof *p->stats);
  if (!p->stats) return err_set(e, GMMU_ENOMEM, "out of memory for paging");
  choose(p, s);
  if (!p->on) return GMMU_OK;
  if (!g->spec.tlb.levels)
    return err_set(e, GMMU_ERANGE, "mem.paging=demand needs a TLB: without one nothing faults");
  p->unit_pages = strcmp(s->manager, "large-only") == 0 ? 1ull << g->large_pages_shift : 1;
  p->buckets = 64;
  while (p->buckets < 2 * s->faults) p->buckets *= 2;
  p->fault = calloc(s->faults, sizeof *p->fault);
  p->bucket = calloc(p->buckets, sizeof *p->bucket);
  p->transit = calloc(transits(s), sizeof *p->transit);
  if (!p->fault || !p->bucket || !p->transit)
    return err_set(e, GMMU_ENOMEM, "out of memory for paging");
  link_free_lists(p, s->faults, transits(s));
  return GMMU_OK;
}

void paging_fini(paging_t *p) {
  regions_fini(&p->regions);
  free(p->stats);
  free(p->fault);
  free(p->bucket);
  free(p->transit);
}

/* ---- allocations ---- */

/* Pages that become part of a large page which is there already are there with it: a TLB could not
 * tell them apart. */
static int fill_large_page(gpu_t *g, asid_t asid, vpn_t vpn, uint64_t end) {
  uint64_t size = 1ull << g->large_pages_shift, first = vpn.v & ~(size - 1);
  ppn_t ppn;
  bool large = false;
  for (uint64_t v = first; v < first + size && !large; v++)
    if (!mm_translate(g->mm, asid, (vpn_t){v}, &ppn, &large)) large = false;
  int rc = GMMU_OK;
  for (uint64_t v = vpn.v; large && v < end && v < first + size && rc == 0; v++)
    rc = mm_touch(g->mm, asid, (vpn_t){v}, &g->actions, &g->error);
  return rc;
}

int paging_reserve(gpu_t *g, asid_t asid, vaddr_t va, uint64_t bytes) {
  int rc = mm_reserve(g->mm, asid, va, bytes, &g->actions, &g->error);
  if (rc < 0) return rc;
  uint64_t first = va.v >> g->page_shift, end = ((va.v + bytes - 1) >> g->page_shift) + 1;
  uint64_t last = (end - 1) >> g->large_pages_shift << g->large_pages_shift;
  if (regions_add(&g->paging.regions, asid, (vpn_t){first}, end - first) < 0)
    return err_set(&g->error, GMMU_ENOMEM, "out of memory for paging");
  rc = fill_large_page(g, asid, (vpn_t){first}, end);
  if (rc == 0 && last > first) rc = fill_large_page(g, asid, (vpn_t){last}, end);
  return rc;
}

/* Prefetched pages may still be on their way; they will find that nobody wants them. */
void paging_app_ended(gpu_t *g, asid_t asid) {
  regions_t *r = &g->paging.regions;
  g->paging.run[asid]++;
  for (uint32_t i = 0; i < r->count; i++)
    if (regions_asid(r, i) == asid) {
      pages_t all = {i, 0, 1u << r->pages_shift};
      regions_put(r, PAGES_COMING, asid, regions_vpn(r, all), all.pages, false);
      regions_put(r, PAGES_DIRTY, asid, regions_vpn(r, all), all.pages, false);
    }
}

void paging_mapped(gpu_t *g, const mm_action_t *x) {
  regions_put(&g->paging.regions, PAGES_COMING, x->asid, x->vpn, x->pages, false);
  regions_put(&g->paging.regions, PAGES_HERE, x->asid, x->vpn, x->pages, true);
}

void paging_unmapped(gpu_t *g, const mm_action_t *x) {
  regions_put(&g->paging.regions, PAGES_HERE, x->asid, x->vpn, x->pages, false);
  regions_put(&g->paging.regions, PAGES_DIRTY, x->asid, x->vpn, x->pages, false);
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
  p->fault[i] = (fault_t){key, x->vpn, XLAT_NONE, XLAT_NONE, *bucket, x->asid};
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

static void wait_in(gpu_t *g, fault_t *f, uint32_t id) {
  g->xlat.at[id].next = XLAT_NONE;
  if (f->head == XLAT_NONE)
    f->head = id;
  else
    g->xlat.at[f->tail].next = id;
  f->tail = id;
}

/* A new register: the driver is told, unless the page is on its way anyway. */
static uint32_t new_fault(gpu_t *g, uint64_t key, const xlat_t *x) {
  paging_t *p = &g->paging;
  uint32_t i = take_fault(p, key, x);
  if (regions_has(&p->regions, PAGES_COMING, x->asid, x->vpn)) {
    p->stats[x->asid].merged_faults++;
    return i;
  }
  regions_put(&p->regions, PAGES_COMING, x->asid, unit_of(p, x->vpn), p->unit_pages, true);
  engine_schedule(&g->ev, g->ev.now + g->link.fault_cycles, EV_FAULT, i);
  return i;
}

/* False if every register is taken. */
static bool enter(gpu_t *g, uint32_t id) {
  paging_t *p = &g->paging;
  const xlat_t *x = &g->xlat.at[id];
  ppn_t ppn;
  bool large;
  if (mm_translate(g->mm, x->asid, x->vpn, &ppn, &large)) { /* it came meanwhile */
    p->stats[x->asid].merged_faults++;
    flow_fault_answer(g, id);
    return true;
  }
  uint64_t key = tlb_page_key(x->asid, unit_of(p, x->vpn));
  uint32_t i = find_fault(p, key);
  if (i == FAULT_NONE && p->free_fault == FAULT_NONE) return false;
  if (i != FAULT_NONE)
    p->stats[x->asid].merged_faults++;
  else
    i = new_fault(g, key, x);
  wait_in(g, &p->fault[i], id);
  return true;
}

void paging_fault(gpu_t *g, uint32_t id) {
  paging_t *p = &g->paging;
  xlat_t *x = &g->xlat.at[id];
  if (!mm_allocated(g->mm, x->asid, x->vpn)) {
    flow_report_unmapped(g, x->asid, x->vpn);
    return;
  }
  x->fault = (uint32_t)g->ev.now;
  x->faulting = true;
  p->stats[x->asid].faults++;
  if (p->queue_head == XLAT_NONE && enter(g, id)) return;
  p->stats[x->asid].fault_stalls++;
  x->next = XLAT_NONE;
  if (p->queue_head == XLAT_NONE)
    p->queue_head = id;
  else
    g->xlat.at[p->queue_tail].next = id;
  p->queue_tail = id;
}

static void enter_queued(gpu_t *g) {
  paging_t *p = &g->paging;
  while (p->queue_head != XLAT_NONE) {
    uint32_t id = p->queue_head, next = g->xlat.at[id].next;
    if (!enter(g, id)) return;
    p->queue_head = next;
  }
}

/* The page is there: whoever waited for it goes on. */
static void answer(gpu_t *g, uint32_t i) {
  uint32_t id = g->paging.fault[i].head;
  give_fault(&g->paging, i);
  for (uint32_t next; id != XLAT_NONE; id = next) {
    next = g->xlat.at[id].next;
    flow_fault_answer(g, id);
  }
  enter_queued(g);
}

/* ---- over the link ---- */

static void set_out(gpu_t *g, asid_t asid, vpn_t vpn, uint64_t pages, bool prefetch) {
  paging_t *p = &g->paging;
  uint32_t i = p->free_transit;
  p->free_transit = p->transit[i].next;
  p->transits_free--;
  p->transit[i] = (transit_t){
      .vpn = vpn, .pages = pages, .run = p->run[asid], .asid = asid, .prefetch = prefetch};
  uint64_t at = link_move(&g->link, LINK_IN, g->ev.now, pages << g->page_shift, asid);
  engine_schedule(&g->ev, at, EV_PAGE_IN, i);
}

/* Worth bringing: of an allocation, not here and not coming. */
static bool absent(const gpu_t *g, asid_t asid, vpn_t vpn) {
  const regions_t *r = &g->paging.regions;
  return !regions_has(r, PAGES_HERE, asid, vpn) && !regions_has(r, PAGES_COMING, asid, vpn) &&
         mm_allocated(g->mm, asid, vpn);
}

/* The absent pages of the node, a run at a time. Each register keeps a transit for itself. */
static void prefetch(gpu_t *g, asid_t asid, vpn_t vpn) {
  paging_t *p = &g->paging;
  pages_t node = regions_wanted(&p->regions, asid, vpn, p->prefetch == PREFETCH_TREE);
  vpn_t first = regions_vpn(&p->regions, node), run = first;
  for (uint64_t i = 0; i <= node.pages; i++) {
    vpn_t v = {first.v + i};
    if (i < node.pages && absent(g, asid, v)) continue;
    if (v.v > run.v && p->transits_free > g->spec.memory.faults) {
      regions_put(&p->regions, PAGES_COMING, asid, run, v.v - run.v, true);
      set_out(g, asid, run, v.v - run.v, true);
    }
    run.v = v.v + 1;
  }
}

void paging_served(gpu_t *g, uint32_t i) {
  const fault_t f = g->paging.fault[i];
  set_out(g, f.asid, f.vpn, g->paging.unit_pages, false);
  if (g->paging.prefetch != PREFETCH_NONE) prefetch(g, f.asid, f.vpn);
}

/* ---- room ---- */

/* A large page leaves as a whole: its TLB entries cannot tell which of its pages are gone. */
static pages_t whole_if_large(const gpu_t *g, pages_t p) {
  const regions_t *r = &g->paging.regions;
  for (uint32_t i = 0; i < p.pages; i++) {
    ppn_t ppn;
    bool large = false;
    vpn_t v = {regions_vpn(r, p).v + i};
    if (mm_translate(g->mm, regions_asid(r, p.region), v, &ppn, &large) && large)
      return (pages_t){p.region, 0, 1u << r->pages_shift};
  }
  return p;
}

/* Evicts something; *at is when its frames are free: TLBs have forgotten them, and what was written
 * to is in the host. Negative if there is nothing to evict. */
static int make_room(gpu_t *g, uint64_t *at) {
  paging_t *p = &g->paging;
  pages_t v;
  if (!p->evicts || !regions_victim(&p->regions, p->evict_tree, &v)) return GMMU_ENOSPACE;
  if (p->evict_tree) v = whole_if_large(g, v);
  asid_t asid = regions_asid(&p->regions, v.region);
  uint64_t here = regions_count(&p->regions, PAGES_HERE, v);
  uint64_t dirty = regions_count(&p->regions, PAGES_DIRTY, v);
  if (dirty && p->unit_pages > 1) dirty = p->unit_pages; /* a page is clean or dirty as a whole */
  int rc = mm_evict(g->mm, asid, regions_vpn(&p->regions, v), v.pages, &g->actions, &g->error);
  if (rc < 0) return rc;
  moves_carry_out(g, g->ev.now);
  p->stats[asid].evicted += here;
  p->stats[asid].evicted_dirty += dirty;
  *at = g->ev.now + g->spec.memory.shootdown_cycles;
  if (!dirty) return GMMU_OK;
  uint64_t out = link_move(&g->link, LINK_OUT, g->ev.now, dirty << g->page_shift, asid);
  if (out > *at) *at = out;
  return GMMU_OK;
}

static void page_is_here(gpu_t *g, const transit_t *t, vpn_t vpn) {
  paging_t *p = &g->paging;
  moves_carry_out(g, g->ev.now);
  p->stats[t->asid].pages_in += p->unit_pages;
  p->stats[t->asid].prefetched += t->prefetch ? p->unit_pages : 0;
  regions_use(&p->regions, t->asid, vpn);
  uint32_t i = find_fault(p, tlb_page_key(t->asid, unit_of(p, vpn)));
  if (i != FAULT_NONE) answer(g, i);
}

/* Nobody has an allocation there any more. */
static void drop_page(gpu_t *g, const transit_t *t, vpn_t vpn) {
  g->paging.stats[t->asid].dropped++;
  regions_put(&g->paging.regions, PAGES_COMING, t->asid, vpn, 1, false);
}

/* Maps a page of the transit; or makes room, and it is to be tried again in the cycle returned. */
static uint64_t land(gpu_t *g, const transit_t *t, vpn_t vpn, bool *again) {
  uint64_t at = g->ev.now;
  err_t e = {0};
  regions_use(&g->paging.regions, t->asid, vpn); /* its region is the last to make room for it */
  int rc = mm_touch(g->mm, t->asid, vpn, &g->actions, &e);
  if (rc == 0) {
    page_is_here(g, t, vpn);
  } else if (rc == GMMU_EFAULT && t->prefetch) {
    drop_page(g, t, vpn);
  } else if (rc == GMMU_ENOSPACE && make_room(g, &at) == 0) {
    *again = true;
  } else {
    if (!g->error.code) g->error = e;
    fail(g, rc);
  }
  return at;
}

void paging_arrived(gpu_t *g, uint32_t i) {
  paging_t *p = &g->paging;
  transit_t *t = &p->transit[i];
  if (t->run != p->run[t->asid]) {
    p->stats[t->asid].dropped += t->pages - t->done;
    t->done = t->pages;
  }
  while (t->done < t->pages && !g->failed) {
    bool again = false;
    uint64_t at = land(g, t, (vpn_t){t->vpn.v + t->done}, &again);
    if (at > g->ev.now) {
      engine_schedule(&g->ev, at, EV_PAGE_IN, i);
      return;
    }
    if (!again) t->done += p->unit_pages;
  }
  t->next = p->free_transit;
  p->free_transit = i;
  p->transits_free++;
}

int paging_check(const gpu_t *g, err_t *e) {
  if (!g->paging.on || regions_check(&g->paging.regions)) return GMMU_OK;
  return err_set(e, GMMU_ECHECK, "paging: which pages are here is not what it should be");
}
