#ifndef GMMU_PAGING_H
#define GMMU_PAGING_H
/* Demand paging (mem.paging=demand): data lies in the host until somebody touches it.
 *
 * A walk that ends without a mapping is a far fault. The translation waits in a far-fault register,
 * one per page (that of the manager's page size), with all others that need it; its warps are
 * charged `fault`. The driver takes link.fault, then the page comes over the link; when its last
 * byte is there it is mapped, and the translations that waited for it are answered. So a page that
 * is mapped is there, and every fault lets its warps go on, whatever happens to the page next.
 *
 *   paging_fault -> EV_FAULT: paging_served -> the link -> EV_PAGE_IN: paging_attend -> answers
 *
 * With mem.paging=uvm faults are collected, served in batches and replayed: see uvm.h.
 *
 * With mem.prefetch other pages come behind it. If there is no frame for a page, others are evicted
 * (mem.evict) before it is mapped; those that were written to go over the link first. */
#include "base/hist.h"
#include "gmmu/mm.h"
#include "gpu/spec.h"
#include "paging/regions.h"
#include "paging/uvm.h"

#define PAGING_STATS(X)                                                                            \
  X(faults, "faults", "far faults: walks that found no page")                                      \
  X(merged_faults, "faults", "of them, for a page that was on its way")                            \
  X(fault_stalls, "faults", "of them, that had to wait for a far-fault register")                  \
  X(max_registers, "registers", "most far-fault registers in use at once, by all")                 \
  X(pages_in, "pages", "base pages that came over the link and were mapped")                       \
  X(prefetched, "pages", "of them, that no fault had asked for when they set out")                 \
  X(dropped, "pages", "base pages that came over the link and were not needed any more")           \
  X(evicted, "pages", "base pages evicted")                                                        \
  X(evicted_dirty, "pages", "of them, written back to the host")                                   \
  X(coalesced, "large pages", "coalesced in place")                                                \
  X(splintered, "large pages", "splintered")                                                       \
  X(migrated, "pages", "base pages moved by compaction")
typedef struct {
#define X(n, u, h) uint64_t n;
  PAGING_STATS(X)
#undef X
  hist_t latency; /* cycles from a fault to its answer */
} paging_stats_t;

/* A far-fault register. */
typedef struct {
  uint64_t key;        /* tlb_page_key() of the first base page it stands for */
  vpn_t vpn;           /* the page asked for */
  uint32_t head, tail; /* xlats that wait */
  uint32_t next;       /* in its bucket, or free */
  uint32_t behind;     /* uvm: the fault that came after it */
  asid_t asid;
} fault_t;

/* Pages on their way; one event each. */
typedef struct {
  vpn_t vpn;
  uint64_t pages, done; /* base pages; those mapped already */
  uint32_t run;         /* of its application, which may have ended meanwhile */
  uint32_t next;        /* in, or free */
  asid_t asid;
  bool prefetch;
} transit_t;

typedef enum { PREFETCH_NONE, PREFETCH_BLOCK, PREFETCH_TREE } prefetch_t;

typedef struct {
  bool on;
  bool evicts;     /* pages may go */
  bool evict_tree; /* by halves, not whole regions */
  prefetch_t prefetch;
  uint64_t unit_pages; /* of a fault, in base pages */
  fault_t *fault;
  uint32_t *bucket; /* first of its chain, or FAULT_NONE */
  uint32_t buckets, free_fault, used;
  transit_t *transit;
  uint32_t free_transit, transits_free;
  uint32_t in_head, in_tail;       /* transits that are in: phase 4 has something to do */
  uint32_t queue_head, queue_tail; /* xlats that wait for a register */
  regions_t regions;
  uvm_t uvm;
  uint32_t run[GMMU_MAX_APPS]; /* executions that have ended */
  paging_stats_t *stats;       /* [app] */
  WATCH(watch, uint32_t xlat); /* every far fault */
} paging_t;

bool paging_wanted(const memory_spec_t *s); /* mem.paging=demand */
bool paging_evicts(const memory_spec_t *s); /* demand paging, and pages may be evicted */
/* An allocation whose pages come when touched. */
int paging_reserve(paging_t *p, asid_t asid, vaddr_t va, uint64_t bytes);
void paging_app_ended(paging_t *p, asid_t asid);
/* Messages: a translation needs a page that is not there; the driver has found it; pages are in. */
void paging_fault(paging_t *p, uint32_t xlat);
void paging_served(paging_t *p, uint32_t fault);
void paging_note_in(paging_t *p, uint32_t transit);
void paging_driver(paging_t *p, uint32_t step); /* uvm.c */
/* Phase 4: what came in is mapped, or gets room. */
static inline bool paging_due(const paging_t *p);
void paging_attend(paging_t *p);
/* What the memory manager did. */
void paging_mapped(paging_t *p, const mm_action_t *x);
void paging_unmapped(paging_t *p, const mm_action_t *x);
/* The most events there can be at once: one per far-fault register and per transit. */
uint32_t paging_events(const memory_spec_t *spec);

static inline bool paging_due(const paging_t *p) { return p->in_head != UINT32_MAX; }
#endif
