/* The storage that schedulers of page walks add. Their papers' figures are as reported by others.
 */
#include "walk/walkpolicy.h"
#include <string.h>

#define LEVEL_BITS        3         /* of up to six levels */
#define WORK_BITS         8         /* reads of an instruction's walks */
#define COUNT_BITS        16        /* walks of an application in an epoch; a guess */
#define THRESHOLD_BITS    7         /* a percentage */
#define FILTER_BITS       (128 * 3) /* Marching Page Walks: a counting Bloom filter of each walker */
#define GROUP_STRIDE_BITS 9         /* LATPC's; reported */
#define INSTRUCTION_BITS  4         /* which of a warp's instructions under way; a guess */

static bool walks_by(const gpu_spec_t *s, const walk_policy_t *p) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->walk.policy, p->name) == 0;
}
static bool has_dws(const gpu_spec_t *s) {
  return walks_by(s, &walk_dws) || walks_by(s, &walk_dws_plus);
}
static bool has_dws_plus(const gpu_spec_t *s) { return walks_by(s, &walk_dws_plus); }
static bool has_simt(const gpu_spec_t *s) { return walks_by(s, &walk_simt); }
static bool has_nha(const gpu_spec_t *s) { return walks_by(s, &walk_nha); }
static bool has_marching(const gpu_spec_t *s) { return walks_by(s, &walk_marching); }

static bool has_latpc(const gpu_spec_t *s) { return walks_by(s, &walk_latpc); }
static bool has_soft(const gpu_spec_t *s) { return walks_by(s, &walk_soft); }

/* Walks that may wait: the misses under way in the last TLB level. */
static uint64_t waiting(const gpu_spec_t *s) {
  uint32_t last = cost_last_level(s);
  return (uint64_t)s->tlb_level[last].mshrs * gpu_spec_tlbs(s, last);
}
/* The address of a sector of page-table entries. */
static uint32_t sector_bits(const gpu_spec_t *s) {
  return cost_log2_up(s->memory.memory_bytes / SECTOR_BYTES);
}

static void owners_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t length = cost_log2_up(dws_entries(&s->dws, s->walk.threads) + 1ull);
  c->each = ASID_BITS + length;
  c->count = s->walk.threads;
  COST_FORMULA(c, "owner %u + length of its queue %u bits, for each of %u walkers", ASID_BITS,
               length, s->walk.threads);
}

static void epochs_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t row = cost_log2_up(s->dws.steals + 1ull);
  c->each = GMMU_MAX_APPS * COUNT_BITS + THRESHOLD_BITS + (uint64_t)s->walk.threads * row;
  c->count = 1;
  COST_FORMULA(c, "%u applications x %u + threshold %u + %u walkers x steals in a row %u bits",
               GMMU_MAX_APPS, COUNT_BITS, THRESHOLD_BITS, s->walk.threads, row);
}

static void instructions_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t sm = cost_log2_up(s->core.sms), warp = cost_log2_up(s->sm.warps);
  c->each = sm + warp + INSTRUCTION_BITS + LEVEL_BITS + WORK_BITS;
  c->count = waiting(s);
  COST_FORMULA(c, "SM %u + warp %u + instruction %u + own reads %u + work %u bits, %llu walks", sm,
               warp, INSTRUCTION_BITS, LEVEL_BITS, WORK_BITS, (unsigned long long)c->count);
}

static void next_entry_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = LEVEL_BITS + sector_bits(s) + 1;
  c->count = waiting(s) + s->walk.threads;
  COST_FORMULA(c, "level %u + sector of the next entry %u + shares 1 bits, %llu walks", LEVEL_BITS,
               sector_bits(s), (unsigned long long)c->count);
}

static void filters_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = FILTER_BITS;
  c->count = s->walk.threads;
  COST_FORMULA(c, "128 counters of 3 bits, for each of %u walkers", s->walk.threads);
}

static void places_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = LEVEL_BITS + sector_bits(s) + 1;
  c->count = (uint64_t)s->walk.threads * s->marching.entries;
  COST_FORMULA(c, "level %u + sector of the next entry %u + under way 1 bits, %u x %u places",
               LEVEL_BITS, sector_bits(s), s->walk.threads, s->marching.entries);
}

/* LATPC: the walk buffer's entries are groups. */
static void buffer_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = GROUP_STRIDE_BITS + s->latpc.pages + sector_bits(s);
  c->count = waiting(s);
  COST_FORMULA(c, "stride %u + mask %u + sector of the table %u bits, for each of %llu walks",
               GROUP_STRIDE_BITS, s->latpc.pages, sector_bits(s), (unsigned long long)c->count);
}

/* SoftWalker: what is beside an SM's shared memory, where its walks lie. */
static void distributor_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t places = cost_log2_up(s->soft.slots + 1ull);
  c->each = places;
  c->count = s->core.sms;
  COST_FORMULA(c, "free places %u bits, for each of %u SMs", places, s->core.sms);
}

static bool has_pwc_levels(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && s->walk.pwc && walk_pwc_split(&s->walk);
}
/* The tag is the address of an entry without the bits of its set, which arrays differ in: all of it
 * is counted. Where levels have no arrays of their own, it is the one that they share. */
static void pwc_levels_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t tag = cost_log2_up(s->memory.memory_bytes / s->walk.pwc_line_bytes);
  c->each = tag + 8 * s->walk.pwc_line_bytes + 1;
  for (uint32_t l = 0; l < MM_MAX_LEVELS; l++) c->count += s->walk.pwc_entries[l];
  if (!walk_pwc_split(&s->walk)) c->count = s->walk.pwc_bytes / s->walk.pwc_line_bytes;
  COST_FORMULA(c, "address %u + entry %u + valid 1 bits, %llu entries of all levels", tag,
               8 * s->walk.pwc_line_bytes, (unsigned long long)c->count);
}

static bool has_hashed(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->memory.table, "fs-hpt") == 0;
}
/* FS-HPT: the page-walk cache has the lines of steps. */
static void steps_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t tag = cost_log2_up(s->memory.memory_bytes / s->walk.pwc_line_bytes);
  c->each = tag + 8 * s->walk.pwc_line_bytes + 1;
  c->count = has_hashed(s) && !s->walk.pwc ? 0 : s->walk.pwc_bytes / s->walk.pwc_line_bytes;
  COST_FORMULA(c, "address %u + line %u + valid 1 bits, %llu lines", tag,
               8 * s->walk.pwc_line_bytes, (unsigned long long)c->count);
}

static const cost_row_t walk_cost[] = {
    {"fs-hpt", "fs-hpt", "step cache", "walker", "", "",
     "in the place of a page-walk cache; the table and its steps are memory", false, false,
     has_hashed, steps_cost},
    {"latpc", "latpc-walk", "groups of the walk buffer", "walker", "", "", NULL, false, false,
     has_latpc, buffer_cost},
    {"softwalker", "softwalker", "places of SMs at the distributor", "last TLB", "", "",
     "walks lie in shared memory of the SMs, which is not counted, nor are their registers", false,
     false, has_soft, distributor_cost},
    {"pwc", "pwcache", "page-walk caches of levels", "walker", "", "", NULL, false, false,
     has_pwc_levels, pwc_levels_cost},
    {"dws", "dws", "owners of walkers and lengths of their queues", "walker", "", "",
     "the queues themselves are counted with the base GPU", false, false, has_dws, owners_cost},
    {"dws", "dws-plus", "walks of an epoch, threshold, steals in a row", "walker", "", "", NULL,
     false, false, has_dws_plus, epochs_cost},
    {"simt", "simt", "instruction and work of a waiting walk", "walker", "", "",
     "counters in the page-walk cache are not modelled", false, false, has_simt, instructions_cost},
    {"nha", "nha", "level and next entry of a walk", "walker", "", "", NULL, false, false, has_nha,
     next_entry_cost},
    {"marching", "marching", "filters that say which queue has the walk of a reply", "walker", "",
     "3088 B in all for 32 walkers (reported by others)", NULL, false, false, has_marching,
     filters_cost},
    {"marching", "marching", "places of walks, waiting or under way", "walker", "", "", NULL, false,
     false, has_marching, places_cost},
    {0},
};
