#ifndef GMMU_MSHR_FORMAT_H
#define GMMU_MSHR_FORMAT_H
/* Formats of a TLB's MSHRs: what one of them holds, and where there are more of them than its own.
 * `lNtlb.mshr_format=page` has none of these functions: an MSHR is of one page, and there are
 * lNtlb.mshrs of them.
 *
 * The owner finds a miss under way for the same page by itself. It asks room() for one that has to
 * begin; take() follows in the same cycle, and give() when its answer comes. A translation is a
 * number that stays its own between the two. Each TLB has a state of its own.
 *
 * LATPC's detector is here, too: the pages of an instruction as groups with a stride. */
#include "base/opt.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

struct tlb;

/* A page as the detector of its SM has it: number `index` of a group, from `base` on, `stride`
 * pages apart. Pages are counted in those of their own size. */
typedef struct {
  uint64_t base;
  int16_t stride; /* 0: the first of its group */
  uint8_t index;
  uint8_t order; /* log2 of the base pages of a page */
} page_group_t;

/* Options of formats. */
typedef struct {
  uint32_t pages, region_pages, drain;
} latpc_spec_t;
typedef struct {
  uint32_t entries;
} intlb_spec_t;
extern const opt_t latpc_options[]; /* group "latpc" */
extern const opt_t intlb_options[]; /* group "intlb" */

#define MSHR_STATS(X)                                                                              \
  X(entries, "misses", "latpc: that took an MSHR")                                                 \
  X(grouped, "misses", "latpc: that found a place in an MSHR of their group")                      \
  X(ways, "misses", "intlb: that took an entry of the TLB, because every MSHR was taken")          \
  X(displaced, "entries", "intlb: translations that had to go for them")                           \
  X(unfilled, "entries", "intlb: translations not put in: misses had every way of their set")
typedef struct {
#define X(n, u, h) uint64_t n;
  MSHR_STATS(X)
#undef X
} mshr_stats_t;

typedef struct {
  uint32_t mshrs, xlats;     /* of the TLB; numbers of translations are below it */
  struct tlb *array;         /* of the TLB */
  const page_group_t *group; /* [xlat], of those for which room() is asked; NULL: no detector */
  mshr_stats_t *stats;       /* [asid] */
  void (*displaced)(void *owner, asid_t by, asid_t whose); /* an entry of the TLB had to go */
  void *owner;
  const latpc_spec_t *latpc;
  const intlb_spec_t *intlb;
} mshr_env_t;

typedef struct {
  const char *name, *help;
  bool first, behind; /* it is one of first-level TLBs; of those behind */
  uint32_t pages;     /* that an MSHR may hold; 0: one */
  size_t (*state_bytes)(const mshr_env_t *env);
  void (*init)(void *state, const mshr_env_t *env); /* keeps a copy of *env */
  /* Is there a place for a miss of page `vpn` of `group`? `due`: free MSHRs that are others'. */
  bool (*room)(const void *state, asid_t asid, vpn_t vpn, const page_group_t *group, uint32_t due);
  void (*take)(void *state, uint32_t xlat, asid_t asid, vpn_t vpn, const page_group_t *group);
  void (*give)(void *state, uint32_t xlat);
  /* May the translation be put into the TLB, once its place is given back? NULL: always. */
  bool (*fills)(void *state, asid_t asid, vpn_t vpn);
  bool (*check)(const void *state, uint32_t under_way); /* its invariants; misses under way */
} mshr_ops_t;

extern const mshr_ops_t tlb_mshr_latpc,
    tlb_mshr_intlb;                      /* whom others name; the table has them all */
extern const mshr_ops_t *tlb_mshr_all[]; /* NULL-terminated */
const mshr_ops_t *tlb_mshr_find(const char *name);
const char *tlb_mshr_name(uint32_t i);
/* Misses that may be under way in a first-level TLB with so many MSHRs. */
uint32_t tlb_mshr_misses(const char *format, uint32_t mshrs);
/* Is it a format other than one page in each of the TLB's own MSHRs? */
static inline bool tlb_mshr_formats(const mshr_ops_t *m) { return m->room; }

/* ---- LATPC's detector, one of each SM ---- */

typedef struct {
  page_group_t page; /* the last */
  uint64_t last;     /* its number */
  bool any;          /* it is of the same instruction */
} latpc_detector_t;
/* The next page of the SM's accesses; `d->page` tells its group. `ends`: it is its instruction's
 * last. */
void latpc_detect(latpc_detector_t *d, const latpc_spec_t *spec, vpn_t vpn, uint32_t order);
static inline void latpc_instruction_ends(latpc_detector_t *d) { d->any = false; }
#endif
