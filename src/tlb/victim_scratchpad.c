/* Idle scratchpad as a victim TLB (Kotra et al., MICRO'21): what the first-level TLB of an SM
 * displaces is kept in shared memory that no block has.
 *
 * The whole scratchpad is sets of `ways` entries, each at its own place. Blocks lie at the bottom,
 * so a set is open exactly if it lies above what they have; it loses its pages when a block takes
 * its place. In a set the page used least recently leaves.
 *
 * Invariant: a page is in one entry at most, of its own set; no entry of a set that is not open
 * holds one; `live` is their number. */
#include "assoc/assoc.h"
#include "tlb/victim.h"
#include <string.h>

#define ORDER_SHIFT 50 /* of a key, whose top byte is the address space; below it the page */

const opt_t scratch_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(scratch_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(entry_bytes, "entry", 8, 64, 16, "bytes", "that a page takes there (a guess)"),
    U32(ways, "ways", 1, 64, 8, "ways",
        "pages of a set (a guess: 8 of 16 bytes are what the 32 banks give in a cycle)"),
    U32(latency_cycles, "latency", 1, 1000, 24, "cycles",
        "of a look-up (a guess: that of a load from shared memory)"),
    U32(ports, "ports", 0, 8, 1, "look-ups/cycle", "of an SM (a guess); 0: unlimited"),
#undef U32
    {0},
};

typedef struct {
  uint64_t key; /* 0: nothing; else that of the page, plus one */
  uint64_t ppn, used;
} entry_t;

typedef struct {
  victim_env_t env;
  uint32_t sets, ways, closed; /* sets below `closed` are of blocks */
  uint32_t live;
  uint64_t clock;
  entry_t entry[];
} scratch_t;

static uint32_t sets_of(const victim_env_t *env) {
  return env->bytes / (env->scratch->entry_bytes * env->scratch->ways);
}

static size_t scratch_bytes(const victim_env_t *env) {
  return sizeof(scratch_t) + (size_t)sets_of(env) * env->scratch->ways * sizeof(entry_t);
}

static void scratch_init(void *state, const victim_env_t *env) {
  scratch_t *s = state;
  s->env = *env;
  s->sets = sets_of(env);
  s->ways = env->scratch->ways;
}

static uint64_t key_of(const victim_page_t *p) {
  return ((uint64_t)p->asid << 56 | (uint64_t)p->order << ORDER_SHIFT | p->vpn.v >> p->order) + 1;
}
static asid_t key_asid(uint64_t key) { return (asid_t)((key - 1) >> 56); }
static uint32_t key_order(uint64_t key) { return (uint32_t)((key - 1) << 8 >> 8 >> ORDER_SHIFT); }
static uint64_t key_page(uint64_t key) {
  return (key - 1) << (64 - ORDER_SHIFT) >> (64 - ORDER_SHIFT);
}

/* Any number of sets: the high half of a product. */
static uint32_t set_of(const scratch_t *s, uint64_t key) {
  return (uint32_t)((assoc_hash(key) >> 32) * s->sets >> 32);
}
static entry_t *entries_of(scratch_t *s, uint32_t set) { return &s->entry[(size_t)set * s->ways]; }

static entry_t *find(scratch_t *s, uint64_t key) {
  entry_t *x = s->sets ? entries_of(s, set_of(s, key)) : NULL;
  for (uint32_t w = 0; x && w < s->ways; w++)
    if (x[w].key == key) return &x[w];
  return NULL;
}

static void forget(scratch_t *s, entry_t *x) {
  x->key = 0;
  s->live--;
}

/* A set that a block has a part of is the block's. */
static uint32_t sets_under(const scratch_t *s, uint32_t bytes) {
  uint32_t each = s->env.scratch->entry_bytes * s->ways, sets = (bytes + each - 1) / each;
  return sets < s->sets ? sets : s->sets;
}

static void scratch_blocks(void *state, uint32_t most, uint32_t used) {
  scratch_t *s = state;
  uint32_t end = sets_under(s, most);
  for (uint32_t i = s->closed * s->ways; i < end * s->ways; i++)
    if (s->entry[i].key) {
      s->env.stats[key_asid(s->entry[i].key)].crowded++;
      forget(s, &s->entry[i]);
    }
  s->closed = sets_under(s, used);
}

static bool scratch_open(const void *state, const victim_page_t *p) {
  const scratch_t *s = state;
  return s->sets && set_of(s, key_of(p)) >= s->closed;
}

static bool scratch_take(void *state, const victim_page_t *p, ppn_t *ppn) {
  scratch_t *s = state;
  entry_t *x = find(s, key_of(p));
  if (!x) return false;
  ppn->v = x->ppn;
  forget(s, x);
  return true;
}

/* A page that several SMs' TLB displaced may be here already. */
static void scratch_keep(void *state, const victim_page_t *p, ppn_t ppn) {
  scratch_t *s = state;
  uint64_t key = key_of(p);
  if (!scratch_open(s, p)) return;
  entry_t *set = entries_of(s, set_of(s, key)), *x = find(s, key);
  for (uint32_t w = 0; !x && w < s->ways; w++)
    if (!set[w].key) x = &set[w];
  if (!x) {
    x = set;
    for (uint32_t w = 1; w < s->ways; w++)
      if (set[w].used < x->used) x = &set[w];
  }
  if (x->key && x->key != key) s->env.stats[key_asid(x->key)].displaced++;
  s->live += !x->key;
  *x = (entry_t){key, ppn.v, ++s->clock};
  s->env.stats[p->asid].kept++;
}

static void scratch_drop(void *state, asid_t asid, vpn_t vpn, uint64_t pages) {
  scratch_t *s = state;
  uint64_t last = vpn.v + pages - 1;
  for (uint32_t i = s->closed * s->ways; s->live && pages && i < s->sets * s->ways; i++) {
    entry_t *x = &s->entry[i];
    if (!x->key || key_asid(x->key) != asid) continue;
    uint32_t order = key_order(x->key);
    if (key_page(x->key) < vpn.v >> order || key_page(x->key) > last >> order) continue;
    forget(s, x);
    s->env.stats[asid].invalidations++;
  }
}

static bool scratch_check(const void *state) {
  const scratch_t *s = state;
  uint32_t live = 0;
  for (uint32_t i = 0; i < s->sets * s->ways; i++) {
    uint64_t key = s->entry[i].key;
    if (!key) continue;
    live++;
    if (i / s->ways < s->closed || set_of(s, key) != i / s->ways) return false;
    for (uint32_t j = i + 1; j % s->ways; j++)
      if (s->entry[j].key == key) return false;
  }
  return live == s->live;
}

const victim_ops_t victim_scratchpad = {
    .name = "scratchpad",
    .help = "shared memory that no block has keeps what the SM's first-level TLB displaces",
    .state_bytes = scratch_bytes,
    .init = scratch_init,
    .blocks = scratch_blocks,
    .open = scratch_open,
    .take = scratch_take,
    .keep = scratch_keep,
    .drop = scratch_drop,
    .check = scratch_check,
};
