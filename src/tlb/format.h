#ifndef GMMU_TLB_FORMAT_H
#define GMMU_TLB_FORMAT_H
/* Formats of TLB entries: what an entry holds, and how translations share one. `tlb.format=plain`
 * has none of these functions: entries are as in tlb.h.
 *
 * A format has the whole array for base pages of one TLB. The owner divides pages into aligned
 * blocks of `reach`; a block has a key, which names its set, too, and a page is one of its block.
 * So a format compares keys and numbers of pages inside a block, and knows nothing of addresses.
 * Ports, MSHRs and the array for large pages stay the owner's. An answer must be what was filled
 * and not dropped since: with run.check every translation is compared with the page table. */
#include "assoc/repl.h"
#include "base/policy.h"
#include "gmmu/types.h"
#include <stdbool.h>

/* What formats and replacement policies that know keys count, for each level and application. */
#define TLB_ARRAY_STATS(X)                                                                         \
  X(shared, "entries", "star: fills that put a second base into an entry")                         \
  X(sequential, "entries", "star: of these, into halves of adjacent pages")                        \
  X(stride, "entries", "star: of these, into halves of every other page")                          \
  X(second_hits, "look-ups", "star: hits of an entry's second base")                               \
  X(second_looks, "look-ups", "star: that compared second bases, and took longer")                 \
  X(exclusive, "entries", "star: shared ones that a base has alone again, as it filled its half")  \
  X(displaced, "pages", "star: lost to a page or a base that shares their entry")                  \
  X(runs, "entries", "colt: fills of more than one page")                                          \
  X(run_pages, "pages", "colt: that fills brought, those that were missed included")               \
  X(returned, "entries", "depot: fills of what the filter of evicted entries knows")               \
  X(spared, "entries", "depot: that would have gone for the application's fills, but came back")
typedef struct {
#define X(n, u, h) uint64_t n;
  TLB_ARRAY_STATS(X)
#undef X
} tlb_array_stats_t;

/* Options of formats. */
typedef struct {
  uint32_t second_cycles;
  const char *layout;
} star_spec_t;
typedef struct {
  uint32_t pages;
} colt_spec_t;
extern const opt_t star_options[]; /* group "star" */
extern const opt_t colt_options[]; /* group "colt" */

/* What a TLB's arrays have beside the options of their level. NULL pointers: the defaults. */
typedef struct {
  const star_spec_t *star;
  const colt_spec_t *colt;
  const depot_spec_t *depot;
  tlb_array_stats_t *stats; /* [asid]; NULL only without a format: nobody counts */
} tlb_env_t;

typedef struct {
  uint32_t sets, ways, reach;
  const repl_ops_t *repl; /* told by the format, with the state that the owner has for it */
  void *repl_state;
  const star_spec_t *star;
  const colt_spec_t *colt;
  tlb_array_stats_t *stats; /* [asid] */
} format_env_t;

/* A page: number `sub` of the block `key`, which is of pages of 2^order base pages. */
typedef struct {
  uint64_t key; /* its top byte is the address space */
  uint32_t set, sub, order;
} format_page_t;

/* Pages of a block whose frames follow each other. */
typedef struct {
  uint32_t first, pages;
} format_run_t;

/* Blocks that had to leave for a fill. */
#define FORMAT_VICTIMS 4
typedef struct {
  uint64_t key[FORMAT_VICTIMS];
  uint32_t count;
} format_victims_t;

/* Which pages of a block must go: a bit for each. */
typedef uint32_t (*format_gone_fn)(const void *ctx, uint64_t key);

typedef struct tlb_format {
  const char *name, *help;
  bool all_levels;       /* of TLBs; false: the last only */
  bool runs;             /* a fill tells the run around its page */
  bool sub_entries;      /* needs entries that cover several pages by lNtlb.reach */
  uint32_t fewest_pages; /* of a block */
  size_t (*state_bytes)(const format_env_t *env);
  void (*init)(void *state, const format_env_t *env); /* keeps a copy of *env */
  /* Counts as a use. *cycles: by how much the answer, or the miss, takes longer than a look-up. */
  bool (*lookup)(void *state, const format_page_t *p, ppn_t *ppn, uint32_t *cycles);
  /* The page is not there. `run` has it, and of formats without `runs` it alone. */
  void (*fill)(void *state, const format_page_t *p, ppn_t ppn, format_run_t run,
               format_victims_t *out);
  /* The pages of the block that are answered like this one; none if it is not there. */
  format_run_t (*holds)(const void *state, const format_page_t *p);
  /* Drops what holds a page that must go; returns how many entries, or parts of one. */
  uint32_t (*drop)(void *state, format_gone_fn gone, const void *ctx);
  /* Its invariants; `set` tells a block's. */
  bool (*check)(const void *state, uint32_t (*set)(const void *ctx, uint64_t key), const void *ctx);
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
} tlb_format_t;

extern const tlb_format_t format_star, format_colt; /* whom others name; the table has them all */
extern const tlb_format_t *tlb_format_all[];        /* NULL-terminated */
const tlb_format_t *tlb_format_find(const char *name);
const char *tlb_format_name(uint32_t i);
static inline bool format_is_plain(const tlb_format_t *f) { return !f->lookup; }

/* ---- replacement, for formats ---- */

/* The key that came into the way, which is in use: counts what the policy has to say. */
static inline void format_came(const format_env_t *e, uint32_t set, uint32_t way, uint64_t key) {
  if (!e->repl->came) return;
  repl_notes_t n = e->repl->came(e->repl_state, set, way, key);
  e->stats[key >> 56].returned += n.returned;
  e->stats[key >> 56].spared += n.spared;
}
static inline void format_left(const format_env_t *e, uint64_t key, format_victims_t *out) {
  if (e->repl->left) e->repl->left(e->repl_state, key);
  out->key[out->count++] = key;
}
#endif
