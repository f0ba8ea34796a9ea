#ifndef GMMU_TLB_VICTIM_H
#define GMMU_TLB_VICTIM_H
/* Where translations that a first-level TLB displaces are kept (tlb.victim): memory of their SM
 * that nobody uses, between the first level and the next. A primary miss looks there first
 * (keep.c); what it finds goes back into the TLB, and what it does not find goes on to the next
 * level, later by the look-up.
 *
 * A policy has one state for each SM. It keeps pages, each with its own size, and knows nothing of
 * entries that cover several. Blocks take scratchpad from the bottom up, and what lies there is
 * lost. An answer must be what was kept and not dropped since: with run.check every translation is
 * compared with the page table. */
#include "base/opt.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

/* Options of `scratchpad`. */
typedef struct {
  uint32_t entry_bytes, ways, latency_cycles, ports;
} scratch_spec_t;
extern const opt_t scratch_options[]; /* group "scratch" */

#define VICTIM_STATS(X)                                                                            \
  X(lookups, "look-ups", "of first-level misses that looked where displaced pages are kept")       \
  X(hits, "look-ups", "of them, answered there")                                                   \
  X(taken, "look-ups", "of misses whose place there belonged to a block: they went on at once")    \
  X(wait_cycles, "cycles", "look-ups waited for a port")                                           \
  X(kept, "pages", "displaced from the first level that found a place")                            \
  X(displaced, "pages", "of these, lost to another page")                                          \
  X(crowded, "pages", "of these, lost to blocks that took their place")                            \
  X(invalidations, "pages", "of these, dropped by a page-table change")
typedef struct {
#define X(n, u, h) uint64_t n;
  VICTIM_STATS(X)
#undef X
} victim_stats_t;

typedef struct {
  uint32_t bytes; /* of the SM's scratchpad */
  const scratch_spec_t *scratch;
  victim_stats_t *stats; /* [asid] */
} victim_env_t;

/* A page of 2^order base pages, whose first is vpn. */
typedef struct {
  asid_t asid;
  uint8_t order;
  vpn_t vpn;
} victim_page_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const victim_env_t *env);     /* all zero to begin with */
  void (*init)(void *state, const victim_env_t *env); /* keeps a copy of *env */
  /* Blocks have had `most` bytes since it was told last, and have `used` now. */
  void (*blocks)(void *state, uint32_t most, uint32_t used);
  bool (*open)(const void *state, const victim_page_t *p);       /* has it a place for the page? */
  bool (*take)(void *state, const victim_page_t *p, ppn_t *ppn); /* it gives the page away */
  void (*keep)(void *state, const victim_page_t *p, ppn_t ppn);
  /* Pages of [vpn, vpn + pages) must go, and those that overlap it. */
  void (*drop)(void *state, asid_t asid, vpn_t vpn, uint64_t pages);
  bool (*check)(const void *state); /* its invariants */
} victim_ops_t;

extern const victim_ops_t *victim_all[]; /* NULL-terminated */
const victim_ops_t *victim_find(const char *name);
const char *victim_name(uint32_t i);
#endif
