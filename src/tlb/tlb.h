#ifndef GMMU_TLB_H
#define GMMU_TLB_H
/* One translation look-aside buffer: an array for base pages and one for large pages.
 *
 * Where pages have several sizes (`sizes`), an entry is of pages of one size, which its tag
 * carries, and who looks a page up names its first base page. Tags carry the address space. A base
 * entry may cover `reach` adjacent pages (sub-entries), each valid on its own. What a set displaces
 * may go to a few entries beside the sets (`victims`), from where a look-up brings it back. A
 * format (format.h) may have the array for base pages instead. Timing (ports, latency) and misses
 * live in xlat.h. */
#include "assoc/assoc.h"
#include "base/inline.h"
#include "base/opt.h"
#include "gmmu/mm.h"
#include "gmmu/types.h"
#include "tlb/format.h"
#include <assert.h>

typedef struct {
  uint32_t entries, ways;             /* base pages; ways 0: fully associative */
  uint32_t large_entries, large_ways; /* large pages; 0 entries: large pages use base entries */
  uint32_t reach;                     /* base pages per entry, power of two up to 32 */
  uint32_t victims;                   /* entries beside the sets that keep what these displaced */
  bool whole;      /* a fill brings every mapped page the entry covers, not only the one missed */
  bool hash_index; /* fold the upper tag bits and the ASID into the set index */
  bool fold_index; /* XOR of all groups of index bits of the page number */
  uint32_t ports;  /* look-ups per cycle; 0: unlimited */
  uint32_t latency_cycles;
  bool serial;         /* the array for large pages is probed first, then that for base pages */
  uint32_t hop_cycles; /* from the level below to this one */
  uint32_t mshrs;      /* misses under way; look-ups to the same page merge */
  uint32_t group;      /* SMs that share one instance; 0: all */
  bool gpc;            /* instead: an instance for each GPC */
  uint32_t deal;       /* instances that the first level's groups are dealt to in turn; 0: no */
  const char *replacement;
  const char *mshr_format; /* what an MSHR holds: mshr.h */
} tlb_spec_t;
extern const opt_t tlb_options[]; /* groups "l1tlb" .. "l4tlb" */

enum { TLB_INDEX_PLAIN, TLB_INDEX_HASH, TLB_INDEX_FOLD };

typedef struct tlb {
  assoc_t base, large;
  assoc_t victim;      /* one set; its entries come behind those of base in the arrays */
  uint64_t *ppn;       /* [entry * reach + page inside the entry] */
  uint32_t *present;   /* [entry]: bit per page inside the entry; of a plain TLB always 1 */
  uint64_t *large_ppn; /* first base page of the large frame */
  uint32_t reach_shift, large_pages_shift;
  const mm_t *sizes; /* knows the size of a page; NULL: all are base pages */
  uint8_t index;
  bool plain;  /* one page per entry, nothing beside the sets, no array for large pages; LRU-like */
  bool counts; /* the replacement policy has something to say: see tlb_victim_t */
  const tlb_format_t *format; /* NULL: none. Of base, only `sets` is used then */
  void *format_state, *format_repl;
  uint32_t slower_cycles; /* by which the last look-up takes longer than usual */
} tlb_t;

/* What a fill displaced. */
typedef struct {
  bool any, large;
  asid_t asid;
  vpn_t vpn;        /* first page it covered */
  uint8_t order;    /* log2 of the base pages of each, */
  uint32_t present; /* and which of them it had; of a format, and of a large page: 0 */
  bool returned;    /* what was filled came back soon: as in repl_notes_t */
  uint16_t spared;
} tlb_victim_t;

/* `large_pages_shift`: log2 of base pages per large page. */
int tlb_init(tlb_t *t, const tlb_spec_t *spec, uint32_t large_pages_shift, err_t *e);
/* With a format, or NULL, and what arrays have beside their level's options. */
int tlb_init_format(tlb_t *t, const tlb_spec_t *spec, const tlb_format_t *format,
                    const tlb_env_t *env, uint32_t large_pages_shift, err_t *e);
void tlb_fini(tlb_t *t);
/* Before the first look-up: pages have several sizes, which `mm` tells. */
void tlb_use_sizes(tlb_t *t, const mm_t *mm);
/* Before the first look-up: tags carry sizes even where one set needs none, so that what leaves is
 * known by its size. */
void tlb_use_keys(tlb_t *t);
static inline uint64_t tlb_key(asid_t asid, uint64_t tag) { return (uint64_t)asid << 56 | tag; }

/* The set index of published GPUs: groups of index bits of the page number, XORed. */
uint64_t tlb_fold(uint64_t key, uint32_t sets);
static inline uint32_t tlb_set(const tlb_t *t, const assoc_t *a, uint64_t key) {
  uint64_t x = key;
  if (t->index != TLB_INDEX_PLAIN)
    x = t->index == TLB_INDEX_FOLD ? tlb_fold(key, a->sets)
                                   : x ^ x >> 7 ^ x >> 17 ^ x >> 29 ^ x >> 53;
  return (uint32_t)x & (a->sets - 1);
}
/* Of a TLB that is not plain. */
bool tlb_lookup_any(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large);
/* True and *ppn, *large if the translation is there; counts as a use. `hash`: that of
 * tlb_key(asid, vpn.v). */
ALWAYS_INLINE bool tlb_lookup_hashed(tlb_t *t, asid_t asid, vpn_t vpn, uint64_t hash, ppn_t *ppn,
                                     bool *large) {
  if (!t->plain) return tlb_lookup_any(t, asid, vpn, ppn, large);
  uint64_t key = tlb_key(asid, vpn.v);
  uint32_t i;
  if (t->base.bucket) {
    i = assoc_find_chained(&t->base, key, hash);
    if (i == ASSOC_NONE) return false;
    assoc_touch(&t->base, tlb_set(t, &t->base, key), i);
  } else {
    uint32_t set = tlb_set(t, &t->base, key);
    i = assoc_find_in_set(&t->base, set, key, hash);
    if (i == ASSOC_NONE) return false;
    assoc_touch(&t->base, set, i);
  }
  ppn->v = t->ppn[i];
  *large = false;
  return true;
}
static inline bool tlb_lookup(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large) {
  return tlb_lookup_hashed(t, asid, vpn, assoc_hash(tlb_key(asid, vpn.v)), ppn, large);
}
/* With a reach of one page the translation must not be there: its MSHR made sure. */
void tlb_fill(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn, bool large, tlb_victim_t *victim);
/* Of a TLB with a format, a page that is not large or has no array of its own: what left is in
 * victim[], FORMAT_VICTIMS of them; returns how many. `run`: see format.h. */
uint32_t tlb_fill_format(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn, format_run_t run,
                         tlb_victim_t *victim);
/* The pages around this one, of its size, that are answered like it; none if it is not there. */
format_run_t tlb_format_run(const tlb_t *t, asid_t asid, vpn_t vpn);
/* The same of a plain one; `key` is tlb_key(asid, vpn.v), and `hash` its own. */
static inline assoc_filled_t tlb_fill_plain(tlb_t *t, uint64_t key, uint64_t hash, ppn_t ppn) {
  uint32_t set = tlb_set(t, &t->base, key);
  assert(t->plain && assoc_find(&t->base, set, key) == ASSOC_NONE);
  assoc_filled_t f = assoc_put(&t->base, set, key, hash, 0);
  t->ppn[f.entry] = ppn.v;
  return f;
}
/* One more page of an entry that was just filled. */
void tlb_fill_neighbour(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn);
/* log2 of the base pages of the page that vpn is in, where an entry says the size of its pages. */
uint32_t tlb_page_order(const tlb_t *t, asid_t asid, vpn_t vpn);
/* Is the translation there? Does not count as a use. */
bool tlb_holds(const tlb_t *t, asid_t asid, vpn_t vpn);
/* Is there an entry for pages of that size that covers the page, or one of the array for large
 * pages? Does not count as a use. */
bool tlb_has_entry(const tlb_t *t, asid_t asid, vpn_t vpn, uint32_t order);
bool tlb_has_large_entry(const tlb_t *t, asid_t asid, vpn_t vpn);
/* Drops every entry that covers a page of [vpn, vpn + pages) in the space; returns how many, and
 * tells each to dropped(), which may be NULL. */
typedef void (*tlb_dropped_fn)(void *ctx, const tlb_victim_t *dropped);
uint32_t tlb_invalidate(tlb_t *t, asid_t asid, vpn_t vpn, uint64_t pages, tlb_dropped_fn dropped,
                        void *ctx);
/* Entries of base pages that a miss has, and nobody finds: in the set of a page with a way that is
 * not pinned, until tlb_unpin(). Where there are any, who fills asks for room first. */
int tlb_allow_pins(tlb_t *t, err_t *e); /* before the first fill */
bool tlb_room(const tlb_t *t, asid_t asid, vpn_t vpn);
uint32_t tlb_pin(tlb_t *t, asid_t asid, vpn_t vpn, tlb_victim_t *victim);
void tlb_unpin(tlb_t *t, uint32_t entry);
uint32_t tlb_pins(const tlb_t *t); /* how many there are; slow */
bool tlb_check(const tlb_t *t);
#endif
