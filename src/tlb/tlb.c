/* Translation look-aside buffer arrays. Key of an entry: the address space in the top byte, below
 * it the page number in units of what the entry covers. Invariant: an entry with no present page is
 * empty. */
#include "tlb/tlb.h"
#include "base/inline.h"
#include "tlb/mshr.h"
#include <stdlib.h>
#include <string.h>

const opt_t tlb_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(tlb_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(entries, "entries", 1, 1 << 20, 64, "entries", "translations of base pages held"),
    U32(ways, "ways", 0, 4096, 0, "ways", "associativity; 0: fully associative"),
    U32(large_entries, "large_entries", 0, 1 << 20, 0, "entries",
        "translations of large pages held in an array of their own; 0: they use base entries"),
    U32(large_ways, "large_ways", 0, 4096, 0, "ways", "associativity of the large array; 0: fully"),
    U32(reach, "reach", 1, 32, 1, "pages", "base pages one entry covers, each valid on its own"),
    U32(victims, "victims", 0, 64, 0, "entries",
        "entries beside the sets that keep what these displaced; a hit there swaps it back"),
    {"whole", OPT_BOOL, offsetof(tlb_spec_t, whole), 0, 1, 0, "",
     "a fill brings all mapped pages that the entry covers, not only the one missed", NULL, NULL},
    {"hash", OPT_BOOL, offsetof(tlb_spec_t, hash_index), 0, 1, 0, "",
     "fold upper page-number bits and the address space into the set index", NULL, NULL},
    {"fold", OPT_BOOL, offsetof(tlb_spec_t, fold_index), 0, 1, 0, "",
     "set index: XOR of all groups of index bits of the page number", NULL, NULL},
    U32(ports, "ports", 0, 64, 1, "look-ups/cycle", "look-ups per cycle; 0: unlimited"),
    U32(latency_cycles, "latency", 0, 1000, 1, "cycles", "from look-up to answer"),
    {"serial", OPT_BOOL, offsetof(tlb_spec_t, serial), 0, 1, 0, "",
     "with an array for large pages: it is probed first, so that what is not there takes the "
     "latency twice (Mosaic's L2 TLB)",
     NULL, NULL},
    U32(hop_cycles, "hop", 0, 1000, 0, "cycles", "way from the level below"),
    U32(mshrs, "mshrs", 1, 4096, 64, "entries",
        "misses under way; look-ups of the same page merge"),
    U32(group, "group", 0, 1024, 0, "SMs", "SMs that share one instance; 0: all"),
    {"gpc", OPT_BOOL, offsetof(tlb_spec_t, gpc), 0, 1, 0, "",
     "instead of group: an instance for each GPC, whose SMs gpu.gpcs tells", NULL, NULL},
    U32(deal, "deal", 0, 256, 0, "instances",
        "instead of group: so many instances, to which the groups of l1tlb are dealt in turn"),
#undef U32
    {"replacement", OPT_NAME, offsetof(tlb_spec_t, replacement), 0, 0, 0, "", "replacement policy",
     repl_name, "lru"},
    {"mshr_format", OPT_NAME, offsetof(tlb_spec_t, mshr_format), 0, 0, 0, "", "what an MSHR holds",
     tlb_mshr_name, "page"},
    {0},
};

static int sets_of(uint32_t entries, uint32_t *ways, err_t *e) {
  if (*ways == 0) *ways = entries;
  if (entries % *ways == 0 && !((entries / *ways) & (entries / *ways - 1))) return GMMU_OK;
  uint64_t fits = *ways;
  while (fits * 2 <= entries) fits *= 2;
  return err_set(e, GMMU_ERANGE,
                 "%u TLB entries in %u ways do not make a power of two of sets; %llu or %llu do",
                 entries, *ways, (unsigned long long)fits, (unsigned long long)fits * 2);
}

static int array_init(assoc_t *a, uint32_t entries, uint32_t ways, const char *repl,
                      const tlb_env_t *env, err_t *e) {
  int rc = sets_of(entries, &ways, e);
  return rc < 0 ? rc : assoc_init_tuned(a, entries / ways, ways, repl, env->depot, e);
}

/* The format has the array for base pages. */
static int format_init(tlb_t *t, const tlb_spec_t *spec, const tlb_env_t *env, err_t *e) {
  uint32_t ways = spec->ways;
  int rc = sets_of(spec->entries, &ways, e);
  if (rc < 0) return rc;
  const repl_ops_t *repl = repl_find(spec->replacement);
  if (!repl) return err_set(e, GMMU_ENOENT, "no replacement policy \"%s\"", spec->replacement);
  if (ways > ASSOC_MAX_WAYS)
    return err_set(e, GMMU_ERANGE, "%u ways in a set; at most %u", ways, ASSOC_MAX_WAYS);
  t->base.sets = spec->entries / ways;
  t->format_repl = repl_new(repl, t->base.sets, ways, env->depot);
  format_env_t f = {.sets = t->base.sets,
                    .ways = ways,
                    .reach = 1u << t->reach_shift,
                    .repl = repl,
                    .repl_state = t->format_repl,
                    .star = env->star,
                    .colt = env->colt,
                    .stats = env->stats};
  t->format_state = calloc(1, 1 + t->format->state_bytes(&f));
  if (!t->format_repl || !t->format_state)
    return err_set(e, GMMU_ENOMEM, "out of memory for a TLB");
  t->format->init(t->format_state, &f);
  return GMMU_OK;
}

/* What a format cannot have. */
static int format_fits(const tlb_format_t *f, const tlb_spec_t *s, uint32_t reach, err_t *e) {
  if (s->victims)
    return err_set(e, GMMU_ERANGE,
                   "tlb.format=%s has the entries of the TLB, so it can have none beside its sets "
                   "(victims is %u)",
                   f->name, s->victims);
  if (s->whole)
    return err_set(e, GMMU_ERANGE,
                   "tlb.format=%s says which pages a fill brings: whole must be off", f->name);
  if (reach < f->fewest_pages)
    return err_set(e, GMMU_ERANGE,
                   "tlb.format=%s needs entries of %u pages or more, not of %u (%s)", f->name,
                   f->fewest_pages, reach, f->sub_entries ? "reach" : "its own pages");
  return GMMU_OK;
}

int tlb_init(tlb_t *t, const tlb_spec_t *spec, uint32_t large_pages_shift, err_t *e) {
  return tlb_init_format(t, spec, NULL, NULL, large_pages_shift, e);
}

int tlb_init_format(tlb_t *t, const tlb_spec_t *spec, const tlb_format_t *format,
                    const tlb_env_t *env, uint32_t large_pages_shift, err_t *e) {
  static const tlb_env_t nothing;
  if (!env) env = &nothing;
  memset(t, 0, sizeof *t);
  if (spec->reach & (spec->reach - 1))
    return err_set(e, GMMU_ERANGE, "reach %u is not a power of two", spec->reach);
  t->reach_shift = (uint32_t)__builtin_ctz(spec->reach);
  if (format && !format_is_plain(format)) t->format = format;
  if (t->format && !t->format->sub_entries && env->colt &&
      (env->colt->pages & (env->colt->pages - 1)))
    return err_set(e, GMMU_ERANGE, "colt.pages %u is not a power of two", env->colt->pages);
  if (t->format && !t->format->sub_entries && env->colt)
    t->reach_shift = (uint32_t)__builtin_ctz(env->colt->pages);
  t->large_pages_shift = large_pages_shift;
  t->index = spec->fold_index   ? TLB_INDEX_FOLD
             : spec->hash_index ? TLB_INDEX_HASH
                                : TLB_INDEX_PLAIN;
  const repl_ops_t *repl = repl_find(spec->replacement);
  t->counts = repl && repl->came && env->stats;
  t->plain = FAST(true) && spec->reach == 1 && !spec->victims && !spec->large_entries &&
             !t->format && !t->counts;
  int rc = t->format ? format_fits(t->format, spec, 1u << t->reach_shift, e) : GMMU_OK;
  if (rc == 0)
    rc = t->format ? format_init(t, spec, env, e)
                   : array_init(&t->base, spec->entries, spec->ways, spec->replacement, env, e);
  if (rc == 0 && spec->large_entries)
    rc = array_init(&t->large, spec->large_entries, spec->large_ways, spec->replacement, env, e);
  if (rc == 0 && spec->victims)
    rc = assoc_init_tuned(&t->victim, 1, spec->victims, spec->replacement, env->depot, e);
  if (rc == 0) {
    size_t n = assoc_size(&t->base) + assoc_size(&t->victim);
    t->ppn = calloc(n << t->reach_shift, sizeof *t->ppn);
    t->present = calloc(n, sizeof *t->present);
    t->large_ppn = calloc(assoc_size(&t->large) + 1, sizeof *t->large_ppn);
    if (!t->ppn || !t->present || !t->large_ppn)
      rc = err_set(e, GMMU_ENOMEM, "out of memory for a TLB");
    for (size_t i = 0; t->plain && rc == 0 && i < n; i++) t->present[i] = 1;
  }
  if (rc < 0) tlb_fini(t);
  return rc;
}

/* Sets are chosen by a page's number among those of its size; one set needs no number. */
void tlb_use_sizes(tlb_t *t, const mm_t *mm) {
  t->sizes = mm;
  if (t->plain && t->base.sets > 1) tlb_use_keys(t);
}

void tlb_use_keys(tlb_t *t) {
  if (!t->plain) return;
  t->plain = false;
  memset(t->present, 0, assoc_size(&t->base) * sizeof *t->present);
}

void tlb_fini(tlb_t *t) {
  assoc_fini(&t->base);
  assoc_fini(&t->large);
  assoc_fini(&t->victim);
  free(t->ppn);
  free(t->present);
  free(t->large_ppn);
  free(t->format_state);
  free(t->format_repl);
  memset(t, 0, sizeof *t);
}

uint64_t tlb_fold(uint64_t key, uint32_t sets) {
  uint32_t bits = (uint32_t)__builtin_ctz(sets);
  uint64_t tag = key << 8 >> 8, x = 0;
  for (; bits && tag; tag >>= bits) x ^= tag;
  return x;
}

/* ---- keys: what an entry covers ---- */

#define ORDER_SHIFT 50 /* of a tag; a page number has at most 45 bits */

uint32_t tlb_page_order(const tlb_t *t, asid_t asid, vpn_t vpn) {
  return t->sizes ? mm_page_order(t->sizes, asid, vpn) : 0;
}
static uint64_t entry_key(const tlb_t *t, asid_t asid, vpn_t vpn, uint32_t order) {
  return tlb_key(asid, vpn.v >> (order + t->reach_shift) | (uint64_t)order << ORDER_SHIFT);
}
static uint32_t sub_entry(const tlb_t *t, vpn_t vpn, uint32_t order) {
  return (uint32_t)(vpn.v >> order) & ((1u << t->reach_shift) - 1);
}
/* log2 of the base pages of one that an entry of this key holds. */
static uint32_t key_order(uint64_t key) { return (uint32_t)(key << 8 >> 8 >> ORDER_SHIFT); }
static uint64_t key_pages(uint64_t key) { return key << (64 - ORDER_SHIFT) >> (64 - ORDER_SHIFT); }

/* ---- formats: blocks of pages ---- */

static format_page_t format_page(const tlb_t *t, asid_t asid, vpn_t vpn) {
  uint32_t order = tlb_page_order(t, asid, vpn);
  uint64_t key = entry_key(t, asid, vpn, order);
  return (format_page_t){key, tlb_set(t, &t->base, key), sub_entry(t, vpn, order), order};
}

NEVER_INLINE bool lookup_format(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t *ppn) {
  format_page_t p = format_page(t, asid, vpn);
  return t->format->lookup(t->format_state, &p, ppn, &t->slower_cycles);
}

format_run_t tlb_format_run(const tlb_t *t, asid_t asid, vpn_t vpn) {
  format_page_t p = format_page(t, asid, vpn);
  return t->format->holds(t->format_state, &p);
}

/* ---- the entries beside the sets: what base displaced ---- */

static void move_pages(tlb_t *t, uint32_t to, uint32_t from) {
  t->present[to] = t->present[from];
  memcpy(&t->ppn[(size_t)to << t->reach_shift], &t->ppn[(size_t)from << t->reach_shift],
         sizeof *t->ppn << t->reach_shift);
}

/* Entry `i` of base is about to be overwritten; it held `key`. What goes in turn is in *old. */
NEVER_INLINE bool keep_displaced(tlb_t *t, uint32_t i, uint64_t key, uint64_t *old,
                                 tlb_victim_t *notes) {
  bool any;
  uint32_t j = assoc_fill(&t->victim, 0, key, 0, &any, old);
  if (notes) notes->present = t->present[assoc_size(&t->base) + j];
  move_pages(t, assoc_size(&t->base) + j, i);
  return any;
}

/* Puts `key` into base; its pages are still to be set. True if *old had to leave the TLB. */
ALWAYS_INLINE uint32_t install(tlb_t *t, uint32_t set, uint64_t key, bool *any, uint64_t *old,
                               tlb_victim_t *notes) {
  assoc_filled_t f = assoc_put(&t->base, set, key, assoc_hash(key), 0);
  uint32_t i = f.entry;
  *any = f.evicted;
  if (f.evicted) *old = f.old;
  if (notes) notes->returned = f.returned, notes->spared = f.spared;
  if (notes) notes->present = t->present[i];
  if (*any && t->victim.sets) *any = keep_displaced(t, i, *old, old, notes);
  t->present[i] = 0;
  return i;
}

/* A way of the set is not a miss's. */
static bool set_has_room(const tlb_t *t, uint32_t set) {
  uint32_t first = set * t->base.stride, way = 0;
  while (way < t->base.ways && t->base.pinned[first + way]) way++;
  return way < t->base.ways;
}

/* Back into its set, if it is beside the sets, of which there are some. Nothing leaves the TLB: the
 * two change places. It stays where it is while misses have every way of its set. */
NEVER_INLINE uint32_t bring_back(tlb_t *t, uint64_t key) {
  uint32_t j = assoc_find(&t->victim, 0, key);
  if (j == ASSOC_NONE) return ASSOC_NONE;
  uint32_t from = assoc_size(&t->base) + j, present = t->present[from];
  uint64_t page[32], old = 0;
  if (t->base.pinned && !set_has_room(t, tlb_set(t, &t->base, key))) return from;
  memcpy(page, &t->ppn[(size_t)from << t->reach_shift], sizeof *page << t->reach_shift);
  assoc_drop(&t->victim, j);
  bool any;
  uint32_t i = install(t, tlb_set(t, &t->base, key), key, &any, &old, NULL);
  t->present[i] = present;
  memcpy(&t->ppn[(size_t)i << t->reach_shift], page, sizeof *page << t->reach_shift);
  return i;
}

/* ---- look-ups ---- */

static bool lookup_large(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t *ppn) {
  uint64_t key = tlb_key(asid, vpn.v >> t->large_pages_shift);
  uint32_t i = assoc_use(&t->large, tlb_set(t, &t->large, key), key);
  if (i == ASSOC_NONE) return false;
  ppn->v = t->large_ppn[i] + (vpn.v & ((1ull << t->large_pages_shift) - 1));
  return true;
}

static bool lookup_victim(tlb_t *t, uint64_t key, uint32_t sub, ppn_t *ppn) {
  uint32_t i = bring_back(t, key);
  if (i == ASSOC_NONE || !(t->present[i] >> sub & 1)) return false;
  ppn->v = t->ppn[((size_t)i << t->reach_shift) + sub];
  return true;
}

bool tlb_lookup_any(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t *ppn, bool *large) {
  if (t->large.sets && lookup_large(t, asid, vpn, ppn)) {
    *large = true;
    return true;
  }
  if (t->format) {
    *large = false;
    return lookup_format(t, asid, vpn, ppn);
  }
  uint32_t order = tlb_page_order(t, asid, vpn), sub = sub_entry(t, vpn, order);
  uint64_t key = entry_key(t, asid, vpn, order);
  uint32_t set = tlb_set(t, &t->base, key), i = assoc_find(&t->base, set, key);
  if (i == ASSOC_NONE || !(t->present[i] >> sub & 1)) {
    if (!t->victim.sets || i != ASSOC_NONE) return false;
    *large = false;
    return lookup_victim(t, key, sub, ppn);
  }
  assoc_touch(&t->base, set, i);
  ppn->v = t->ppn[((size_t)i << t->reach_shift) + sub];
  *large = false;
  return true;
}

/* ---- fills ---- */

static void note_victim(tlb_victim_t *v, uint64_t key, uint32_t shift, bool large) {
  v->asid = (asid_t)(key >> 56);
  v->vpn.v = key_pages(key) << (shift + key_order(key));
  v->order = (uint8_t)key_order(key);
  v->large = large;
}

static void fill_large(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn, tlb_victim_t *victim) {
  uint64_t key = tlb_key(asid, vpn.v >> t->large_pages_shift), old = 0;
  uint32_t set = tlb_set(t, &t->large, key), i = assoc_use(&t->large, set, key);
  if (i == ASSOC_NONE) {
    assoc_filled_t f = assoc_put(&t->large, set, key, assoc_hash(key), 0);
    i = f.entry, old = f.evicted ? f.old : 0;
    victim->any = f.evicted, victim->returned = f.returned, victim->spared = f.spared;
    note_victim(victim, old, t->large_pages_shift, true);
  }
  t->large_ppn[i] = ppn.v - (vpn.v & ((1ull << t->large_pages_shift) - 1));
}

uint32_t tlb_fill_format(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn, format_run_t run,
                         tlb_victim_t *victim) {
  format_page_t p = format_page(t, asid, vpn);
  format_victims_t out = {.count = 0};
  t->format->fill(t->format_state, &p, ppn, run, &out);
  for (uint32_t i = 0; i < out.count; i++) {
    victim[i] = (tlb_victim_t){.any = true};
    note_victim(&victim[i], out.key[i], t->reach_shift, false);
  }
  return out.count;
}

void tlb_fill(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn, bool large, tlb_victim_t *victim) {
  victim->any = victim->returned = false, victim->spared = 0, victim->present = 0;
  if (large && t->large.sets) {
    fill_large(t, asid, vpn, ppn, victim);
    return;
  }
  assert(!t->format);
  assert(!t->plain || !t->sizes); /* a plain look-up would not find what has a size in its tag */
  uint32_t order = tlb_page_order(t, asid, vpn), sub = sub_entry(t, vpn, order);
  uint64_t key = entry_key(t, asid, vpn, order), old = 0;
  uint32_t set = tlb_set(t, &t->base, key);
  uint32_t i = t->reach_shift ? assoc_use(&t->base, set, key) : ASSOC_NONE;
  assert(t->reach_shift || assoc_find(&t->base, set, key) == ASSOC_NONE);
  if (i == ASSOC_NONE && t->victim.sets) i = bring_back(t, key);
  if (i == ASSOC_NONE) {
    i = install(t, set, key, &victim->any, &old, victim);
    note_victim(victim, old, t->reach_shift, false);
  }
  t->present[i] |= 1u << sub;
  t->ppn[((size_t)i << t->reach_shift) + sub] = ppn.v;
}

void tlb_fill_neighbour(tlb_t *t, asid_t asid, vpn_t vpn, ppn_t ppn) {
  uint32_t order = tlb_page_order(t, asid, vpn), sub = sub_entry(t, vpn, order);
  uint64_t key = entry_key(t, asid, vpn, order);
  uint32_t i = assoc_find(&t->base, tlb_set(t, &t->base, key), key);
  if (i == ASSOC_NONE) return;
  t->present[i] |= 1u << sub;
  t->ppn[((size_t)i << t->reach_shift) + sub] = ppn.v;
}

typedef struct {
  asid_t asid;
  uint64_t first, last;
  tlb_dropped_fn dropped;
  void *ctx;
} drop_t;

/* Pages per entry 2^shift: drop the entries of `a` that overlap the range. */
static uint32_t drop_range(assoc_t *a, uint32_t shift, bool large, const drop_t *d) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < assoc_size(a); i++) {
    if (!assoc_valid(a, i) || (asid_t)(a->key[i] >> 56) != d->asid) continue;
    uint64_t tag = key_pages(a->key[i]);
    uint32_t pages = shift + key_order(a->key[i]); /* log2 */
    if (tag < d->first >> pages || tag > d->last >> pages) continue;
    assoc_drop(a, i);
    n++;
    tlb_victim_t v = {.any = true};
    note_victim(&v, a->key[i], shift, large);
    if (d->dropped) d->dropped(d->ctx, &v);
  }
  return n;
}

typedef struct {
  const drop_t *d;
  uint32_t reach_shift;
} format_drop_t;

/* The pages of a block that are in the range. */
static uint32_t gone_pages(const void *ctx, uint64_t key) {
  const format_drop_t *f = ctx;
  if ((asid_t)(key >> 56) != f->d->asid) return 0;
  uint32_t order = key_order(key), mask = 0;
  uint64_t first = key_pages(key) << f->reach_shift; /* in pages of its size */
  for (uint32_t sub = 0; sub < 1u << f->reach_shift; sub++)
    if (first + sub >= f->d->first >> order && first + sub <= f->d->last >> order)
      mask |= 1u << sub;
  if (mask && f->d->dropped) {
    tlb_victim_t v = {.any = true};
    note_victim(&v, key, f->reach_shift, false);
    f->d->dropped(f->d->ctx, &v);
  }
  return mask;
}

uint32_t tlb_invalidate(tlb_t *t, asid_t asid, vpn_t vpn, uint64_t pages, tlb_dropped_fn dropped,
                        void *ctx) {
  if (!pages) return 0;
  drop_t d = {asid, vpn.v, vpn.v + pages - 1, dropped, ctx};
  format_drop_t f = {&d, t->reach_shift};
  uint32_t n = t->format ? t->format->drop(t->format_state, gone_pages, &f)
                         : drop_range(&t->base, t->reach_shift, false, &d);
  if (t->victim.sets) n += drop_range(&t->victim, t->reach_shift, false, &d);
  if (t->large.sets) n += drop_range(&t->large, t->large_pages_shift, true, &d);
  return n;
}

static uint32_t find_entry(const tlb_t *t, asid_t asid, vpn_t vpn, uint32_t order, bool large) {
  const assoc_t *a = large ? &t->large : &t->base;
  uint64_t key =
      large ? tlb_key(asid, vpn.v >> t->large_pages_shift) : entry_key(t, asid, vpn, order);
  uint32_t i = a->sets ? assoc_find(a, tlb_set(t, a, key), key) : ASSOC_NONE;
  if (i != ASSOC_NONE || large || !t->victim.sets) return i;
  i = assoc_find(&t->victim, 0, key);
  return i == ASSOC_NONE ? i : assoc_size(&t->base) + i;
}

bool tlb_has_entry(const tlb_t *t, asid_t asid, vpn_t vpn, uint32_t order) {
  if (t->format) return tlb_format_run(t, asid, vpn).pages;
  return find_entry(t, asid, vpn, order, false) != ASSOC_NONE;
}

bool tlb_has_large_entry(const tlb_t *t, asid_t asid, vpn_t vpn) {
  return find_entry(t, asid, vpn, 0, true) != ASSOC_NONE;
}

bool tlb_holds(const tlb_t *t, asid_t asid, vpn_t vpn) {
  if (t->format && tlb_format_run(t, asid, vpn).pages) return true;
  if (t->format) return tlb_has_large_entry(t, asid, vpn);
  uint32_t order = tlb_page_order(t, asid, vpn), sub = sub_entry(t, vpn, order);
  uint32_t i = find_entry(t, asid, vpn, order, false);
  return (i != ASSOC_NONE && t->present[i] >> sub & 1) || tlb_has_large_entry(t, asid, vpn);
}

static uint32_t block_set(const void *tlb, uint64_t key) {
  const tlb_t *t = tlb;
  return tlb_set(t, &t->base, key);
}

/* ---- entries that misses have ---- */

#define PIN_BIT (UINT64_C(1) << 63) /* of a key: no address space has it */

int tlb_allow_pins(tlb_t *t, err_t *e) { return assoc_allow_pins(&t->base, e); }

static uint32_t set_of(const tlb_t *t, asid_t asid, vpn_t vpn, uint64_t *key) {
  *key = entry_key(t, asid, vpn, tlb_page_order(t, asid, vpn));
  return tlb_set(t, &t->base, *key);
}

bool tlb_room(const tlb_t *t, asid_t asid, vpn_t vpn) {
  uint64_t key;
  return set_has_room(t, set_of(t, asid, vpn, &key));
}

/* Of two misses with one entry's pages each has a key of its own. */
uint32_t tlb_pin(tlb_t *t, asid_t asid, vpn_t vpn, tlb_victim_t *victim) {
  uint64_t key, old = 0;
  uint32_t set = set_of(t, asid, vpn, &key);
  key = PIN_BIT | tlb_key(asid, vpn.v);
  uint32_t i = t->plain ? assoc_fill(&t->base, set, key, 0, &victim->any, &old)
                        : install(t, set, key, &victim->any, &old, NULL);
  if (victim->any) note_victim(victim, old, t->reach_shift, false);
  t->base.pinned[i] = 1;
  return i;
}

void tlb_unpin(tlb_t *t, uint32_t entry) {
  t->base.pinned[entry] = 0;
  assoc_drop(&t->base, entry);
}

uint32_t tlb_pins(const tlb_t *t) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < assoc_size(&t->base); i++) n += t->base.pinned[i];
  return n;
}

bool tlb_check(const tlb_t *t) {
  if (t->format && !t->format->check(t->format_state, block_set, t)) return false;
  for (uint32_t i = 0; i < assoc_size(&t->base); i++) {
    if (!assoc_valid(&t->base, i)) continue;
    if (t->base.pinned && t->base.pinned[i]) {
      if (!(t->base.key[i] & PIN_BIT)) return false;
      continue;
    }
    if (!t->present[i]) return false;
    if (tlb_set(t, &t->base, t->base.key[i]) != i / t->base.stride) return false;
  }
  for (uint32_t i = 0; i < assoc_size(&t->victim); i++) { /* an entry is in one place only */
    if (!assoc_valid(&t->victim, i)) continue;
    uint64_t key = t->victim.key[i];
    if (assoc_find(&t->base, tlb_set(t, &t->base, key), key) != ASSOC_NONE) return false;
  }
  if (t->victim.sets && !assoc_check(&t->victim)) return false;
  return assoc_check(&t->base) && (!t->large.sets || assoc_check(&t->large));
}
