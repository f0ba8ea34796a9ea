/* The storage that tokens, address spaces, formats, replacement and the peers' directories add.
 * Sizes that no option has are MASK's, from its section 7.4, and NeiDty's, from its section III.D.
 */
#include "tlb/fill.h"
#include "tlb/mshr.h"
#include "tlb/peer.h"
#include <string.h>

#define COUNTER_BITS     16
#define INCREMENTER_BITS 8
#define TOKEN_BITS       15
#define DIRECTION_BITS   1

/* ---- MASK ---- */

static bool has_l2tlb(const gpu_spec_t *s) { return s->tlb.levels >= 2 && !s->tlb.ideal; }
static bool has_tokens(const gpu_spec_t *s) {
  return has_l2tlb(s) && strcmp(s->tlb.fill, fill_tokens.name) == 0;
}

static void asid_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = ASID_BITS;
  c->count = cost_tlb_entries(s, 1);
  c->base = c->count * TLB_ENTRY_BITS;
  COST_FORMULA(c, "%u bits in each of %llu entries of %u bits", ASID_BITS,
               (unsigned long long)c->count, TLB_ENTRY_BITS);
}

static void tokens_core_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = 2 * COUNTER_BITS + s->sm.warps + INCREMENTER_BITS;
  c->count = s->core.sms;
  c->base = cost_tlb_entries(s, 0) * TLB_ENTRY_BITS;
  COST_FORMULA(c, "2 counters x %u bits + %u warps + incrementer of %u bits, in each of %u SMs",
               COUNTER_BITS, s->sm.warps, INCREMENTER_BITS, s->core.sms);
}

static void tokens_bypass_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = cost_vpn_bits(s) + ASID_BITS + cost_ppn_bits(s) + 1;
  c->count = (uint64_t)s->tokens.buffer_entries * gpu_spec_tlbs(s, cost_last_level(s));
  c->base = cost_tlb_entries(s, cost_last_level(s)) * TLB_ENTRY_BITS;
  COST_FORMULA(c, "page number %u + ASID %u + frame number %u + valid 1 bits, %llu entries",
               cost_vpn_bits(s), ASID_BITS, cost_ppn_bits(s), (unsigned long long)c->count);
}

/* One set for each application; MASK has as many applications as SMs. */
static void tokens_counters_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = TOKEN_BITS + DIRECTION_BITS;
  c->count = s->core.sms;
  c->base = cost_tlb_entries(s, cost_last_level(s)) * TLB_ENTRY_BITS;
  COST_FORMULA(c, "token count %u + direction %u bits, for up to %u applications", TOKEN_BITS,
               DIRECTION_BITS, s->core.sms);
}

static void tokens_shared_cost(const gpu_spec_t *s, cost_t *c) {
  cost_t cam, counters;
  tokens_bypass_cost(s, &cam);
  tokens_counters_cost(s, &counters);
  c->each = 0, c->count = 1;
  cost_add(c, &cam), cost_add(c, &counters);
  c->base = cost_tlb_entries(s, cost_last_level(s)) * TLB_ENTRY_BITS;
  COST_FORMULA(c, "%llu + %llu B", (unsigned long long)cost_bytes(&cam),
               (unsigned long long)cost_bytes(&counters));
}

static void tokens_all_cost(const gpu_spec_t *s, cost_t *c) {
  cost_t core, shared;
  tokens_core_cost(s, &core);
  tokens_shared_cost(s, &shared);
  c->each = 0, c->count = 1, c->base = 0;
  cost_add(c, &core), cost_add(c, &shared);
  COST_FORMULA(c, "%u x %llu + %llu B", s->core.sms, (unsigned long long)(core.each + 7) / 8,
               (unsigned long long)cost_bytes(&shared));
}

/* ---- speculation, virtual L1 ---- */

#define PC_BITS         32 /* of a load's address; a guess */
#define CONFIDENCE_BITS 2

static bool has_cast(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->tlb.speculate, "cast") == 0;
}
static void cast_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t vpn = cost_vpn_bits(s);
  c->each = (uint64_t)s->cast.entries * (1 + PC_BITS + ASID_BITS + vpn + CONFIDENCE_BITS);
  c->count = s->core.sms;
  COST_FORMULA(
      c, "%u entries x (valid 1 + PC %u + ASID %u + distance %u + confidence %u bits), %u SMs",
      s->cast.entries, PC_BITS, ASID_BITS, vpn, CONFIDENCE_BITS, s->core.sms);
}

static bool has_scratch(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->tlb.victim, "scratchpad") == 0;
}
/* The pages themselves lie in memory that is there. */
static void scratch_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t sets = s->sm.shared_bytes / (s->scratch.entry_bytes * s->scratch.ways);
  c->each = cost_log2_up(sets + 1ull);
  c->count = s->core.sms;
  COST_FORMULA(c, "%llu bits for the first of %u sets that no block has, %u SMs",
               (unsigned long long)c->each, sets, s->core.sms);
}

static bool has_virtual_l1(const gpu_spec_t *s) { return s->tlb.levels && s->l1.by_virtual; }
static void virtual_l1_cost(const gpu_spec_t *s, cost_t *c) {
  uint64_t lines = s->l1.bytes / s->core.line_bytes;
  uint32_t vpn = cost_vpn_bits(s), ppn = cost_ppn_bits(s);
  c->each = lines * (vpn + ASID_BITS + 2 - (ppn < vpn ? ppn : vpn));
  c->count = s->core.sms;
  COST_FORMULA(c, "%llu lines x (page %u + ASID %u + permissions 2 - frame %u bits), %u SMs",
               (unsigned long long)lines, vpn, ASID_BITS, ppn, s->core.sms);
}

/* ---- LATPC, in-TLB MSHRs ---- */

#define STRIDE_BITS  9 /* reported */
#define PENDING_BITS 1 /* of a TLB entry: a miss has it */

static bool translates(const gpu_spec_t *s) { return s->tlb.levels && !s->tlb.ideal; }
static bool has_latpc_mshrs(const gpu_spec_t *s) {
  return translates(s) && strcmp(s->tlb_level[0].mshr_format, tlb_mshr_latpc.name) == 0;
}
static bool has_detectors(const gpu_spec_t *s) {
  return has_latpc_mshrs(s) || (translates(s) && strcmp(s->walk.policy, tlb_mshr_latpc.name) == 0);
}
static bool level_has_intlb(const gpu_spec_t *s, uint32_t l) {
  return strcmp(s->tlb_level[l].mshr_format, tlb_mshr_intlb.name) == 0;
}
static bool has_intlb(const gpu_spec_t *s) {
  bool any = false;
  for (uint32_t l = 1; l < s->tlb.levels; l++) any |= level_has_intlb(s, l);
  return any && !s->tlb.ideal;
}

static void detectors_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t index = cost_log2_up(s->latpc.pages), page = cost_vpn_bits(s);
  c->each = 2ull * page + STRIDE_BITS + index;
  c->count = s->core.sms;
  COST_FORMULA(c, "base and last page 2 x %u + stride %u + index %u bits, in each of %u SMs", page,
               STRIDE_BITS, index, s->core.sms);
}

static void latpc_mshrs_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = STRIDE_BITS + s->latpc.pages;
  c->count = (uint64_t)s->tlb_level[0].mshrs * gpu_spec_tlbs(s, 0);
  COST_FORMULA(c, "stride %u + mask %u bits, for each of %llu MSHRs", STRIDE_BITS, s->latpc.pages,
               (unsigned long long)c->count);
}

/* Where no level has them, it is what the last level would take. */
static void intlb_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = PENDING_BITS;
  c->count = has_intlb(s) ? 0 : cost_tlb_entries(s, cost_last_level(s));
  for (uint32_t l = 1; l < s->tlb.levels; l++)
    if (level_has_intlb(s, l)) c->count += cost_tlb_entries(s, l);
  COST_FORMULA(c, "pending %u bit, in each of %llu entries", PENDING_BITS,
               (unsigned long long)c->count);
}

/* ---- formats and replacement ---- */

static bool has_format(const gpu_spec_t *s, const tlb_format_t *f) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->tlb.format, f->name) == 0;
}
static bool has_star(const gpu_spec_t *s) { return has_format(s, &format_star); }

static void star_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t last = cost_last_level(s), reach = s->tlb_level[last].reach;
  uint32_t tag = cost_vpn_bits(s) - cost_log2_up(reach);
  c->each = 2 + tag + ASID_BITS + reach;
  c->count = cost_tlb_entries(s, last);
  c->base = c->count * (uint64_t)(tag + ASID_BITS + reach * (cost_ppn_bits(s) + 1));
  COST_FORMULA(c, "layout 2 + second base %u + its ASID %u + a bit for each of %u sub-entries", tag,
               ASID_BITS, reach);
}

static bool has_colt(const gpu_spec_t *s) { return has_format(s, &format_colt); }
static void colt_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t bits = cost_log2_up(s->colt.pages);
  c->each = 2ull * bits;
  c->count = c->base = 0;
  for (uint32_t l = 0; l <= cost_last_level(s); l++)
    if (s->tlb_level[l].reach == 1) c->count += cost_tlb_entries(s, l);
  c->base = c->count * (uint64_t)(cost_vpn_bits(s) + cost_ppn_bits(s) + 1);
  COST_FORMULA(c, "first page %u + pages less one %u bits, in each of %llu entries", bits, bits,
               (unsigned long long)c->count);
}

static bool level_has_depot(const gpu_spec_t *s, uint32_t l) {
  return l < s->tlb.levels && !s->tlb.ideal &&
         strcmp(s->tlb_level[l].replacement, repl_depot.name) == 0;
}
static bool has_depot(const gpu_spec_t *s) {
  bool any = false;
  for (uint32_t l = 0; l < s->tlb.levels; l++) any |= level_has_depot(s, l);
  return any;
}
/* Arrays of TLBs with the policy, and their entries; if none has it, as if the last level had. */
static uint64_t depot_arrays(const gpu_spec_t *s, uint64_t *entries) {
  uint64_t n = 0;
  *entries = 0;
  for (uint32_t l = 0; l <= cost_last_level(s); l++) {
    const tlb_spec_t *t = &s->tlb_level[l];
    if (has_depot(s) ? !level_has_depot(s, l) : l != cost_last_level(s)) continue;
    uint64_t tlbs = gpu_spec_tlbs(s, l);
    n += tlbs * (1u + (t->large_entries != 0) + (t->victims != 0));
    *entries += tlbs * (t->entries + t->large_entries + t->victims);
  }
  return n;
}
static uint64_t depot_filter_bytes(const gpu_spec_t *s) {
  return 1ull << cost_log2_up(s->depot.filter_bytes);
}
static void depot_filter_cost(const gpu_spec_t *s, cost_t *c) {
  uint64_t entries;
  c->each = 8 * depot_filter_bytes(s) + cost_log2_up(s->depot.window + 1ull);
  c->count = depot_arrays(s, &entries);
  c->base = 0;
  COST_FORMULA(c, "%llu bytes + evictions since it was cleared, up to %u, for each of %llu arrays",
               (unsigned long long)depot_filter_bytes(s), s->depot.window,
               (unsigned long long)c->count);
}
static void depot_bits_cost(const gpu_spec_t *s, cost_t *c) {
  uint64_t entries;
  depot_arrays(s, &entries);
  c->each = cost_log2_up(s->depot.spares + 1ull);
  c->count = entries;
  c->base = entries * TLB_ENTRY_BITS;
  COST_FORMULA(c, "evictions that it is spared, %llu bits, in each of %llu entries",
               (unsigned long long)c->each, (unsigned long long)entries);
}

static const cost_row_t tlb_cost[] = {
    {"mask", "asid", "address space of an L2 TLB entry", "L2 TLB", "L2 TLB", "7 %",
     "an entry of 16 bytes is what the 7 % imply; MASK counts no ASID in L1 TLBs", false, false,
     has_l2tlb, asid_cost},
    {"mask", "tokens", "hits and misses, warps seen, their number", "each SM", "L1 TLBs",
     "13 B, 1.6 %",
     "13 B follow from 64 warps; the text says 256-bit vector, which would make 37 B per SM and "
     "1426 B in all; 1.6 % would be of an L1 TLB of 812 B, 12.7 per entry",
     false, false, has_tokens, tokens_core_cost},
    {"mask", "tokens", "bypass cache", "L2 TLB", "L2 TLB", "256 B",
     "316 B less those of the counters leave 8 B per entry, one page-table entry without a tag",
     false, false, has_tokens, tokens_bypass_cost},
    {"mask", "tokens", "token counts and directions", "L2 TLB", "L2 TLB", "60 B", NULL, false,
     false, has_tokens, tokens_counters_cost},
    {"mask", "tokens", "sum at the L2 TLB", "L2 TLB", "L2 TLB", "316 B, 3.8 %", NULL, false, true,
     has_tokens, tokens_shared_cost},
    {"mask", "tokens", "sum", "chip", "", "706 B", NULL, false, true, has_tokens, tokens_all_cost},
    {"latpc", "latpc-mshr", "detector of groups of pages", "each SM", "",
     "2.48 KB in all "
     "(reported by others)",
     NULL, false, false, has_detectors, detectors_cost},
    {"latpc", "latpc-mshr", "stride and mask of an MSHR", "each L1 TLB", "", "", NULL, false, false,
     has_latpc_mshrs, latpc_mshrs_cost},
    {"softwalker", "intlb", "entries that a miss may have", "TLBs behind the first level", "", "",
     "what a miss keeps is in the entry itself", false, false, has_intlb, intlb_cost},
    {"avatar", "cast", "table of distances from page to frame", "each SM", "", "",
     "the bits of a PC are a guess; what CAVA adds to sectors is not modelled", false, false,
     has_cast, cast_cost},
    {"scratchpad", "scratchpad", "bound of what blocks have", "each SM", "", "",
     "pages lie in shared memory that is there; what compares them is not storage", false, false,
     has_scratch, scratch_cost},
    {"virtual-l1", "virtual-l1", "virtual instead of physical tags", "each L1", "", "", NULL, false,
     false, has_virtual_l1, virtual_l1_cost},
    {"star", "star", "second base of an entry", "last-level TLB", "last-level TLB",
     "50 bits an entry (reported by others)", "30 bits of a base and 2 beside it there", false,
     false, has_star, star_cost},
    {"colt", "colt", "run of an entry", "TLBs", "TLBs", "",
     "the set index begins above the block, so a tag has no more bits", false, false, has_colt,
     colt_cost},
    {"depot", "depot", "filter of evicted entries", "TLB", "", "1 KB", NULL, false, false,
     has_depot, depot_filter_cost},
    {"depot", "depot", "protection of an entry", "TLB", "TLBs", "", NULL, false, false, has_depot,
     depot_bits_cost},
    {0},
};

/* ---- NeiDty ---- */

#define DIRECTORY_BITS 3 /* left, local, right */

static bool has_directories(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->tlb.peer, peer_neidty.name) == 0;
}

static bool has_last_page(const gpu_spec_t *s) {
  return has_directories(s) && peer_update(&s->peer) == PEER_UPDATE_TWICE;
}

static void directories_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = (uint64_t)s->peer.directory_entries * (1 + s->peer.tag_bits + DIRECTORY_BITS);
  c->count = gpu_spec_tlbs(s, 0);
  c->base = cost_tlb_entries(s, 0) * (cost_vpn_bits(s) + cost_ppn_bits(s) + 1);
  COST_FORMULA(c, "%u entries x (valid 1 + tag %u + %u bits), for each of %llu L1 TLBs",
               s->peer.directory_entries, s->peer.tag_bits, DIRECTORY_BITS,
               (unsigned long long)c->count);
}

/* A packet asks for a page or answers with a frame. */
static void port_buffers_cost(const gpu_spec_t *s, cost_t *c) {
  uint32_t packet = 1 + (cost_vpn_bits(s) > cost_ppn_bits(s) ? cost_vpn_bits(s) : cost_ppn_bits(s));
  c->each = (uint64_t)PEER_PORTS * s->peer.buffer * packet;
  c->count = gpu_spec_tlbs(s, 0);
  c->base = 0;
  COST_FORMULA(c, "%u ports x %u entries x %u bits, for each of %llu L1 TLBs", PEER_PORTS,
               s->peer.buffer, packet, (unsigned long long)c->count);
}

/* What `twice` compares with. */
static void last_page_cost(const gpu_spec_t *s, cost_t *c) {
  c->each = cost_vpn_bits(s) + 1;
  c->count = gpu_spec_tlbs(s, 0);
  c->base = 0;
  COST_FORMULA(c, "page number %u + valid 1 bits, for each of %llu L1 TLBs", cost_vpn_bits(s),
               (unsigned long long)c->count);
}

static void neidty_all_cost(const gpu_spec_t *s, cost_t *c) {
  cost_t directory, buffer, last = {0};
  directories_cost(s, &directory), port_buffers_cost(s, &buffer);
  if (has_last_page(s)) last_page_cost(s, &last);
  c->each = 0, c->count = 1;
  cost_add(c, &directory), cost_add(c, &buffer), cost_add(c, &last);
  c->base = directory.base;
  COST_FORMULA(c, "%llu + %llu + %llu B", (unsigned long long)cost_bytes(&directory),
               (unsigned long long)cost_bytes(&buffer), (unsigned long long)cost_bytes(&last));
}

static const cost_row_t peers_cost[] = {
    {"neidty", "directory", "directories of the neighbours' entries", "each L1 TLB", "L1 TLBs", "",
     "the paper gives the bits (18 + 3, 32 entries) and no sum; its Figure 5 has a valid bit, "
     "too; "
     "L1 TLBs are counted without address spaces",
     false, false, has_directories, directories_cost},
    {"neidty", "directory", "buffers of the ports to both neighbours", "each L1 TLB", "", "",
     "\"a 2-entry-size buffer\" in one place, two buffers in another: counted as two of two; "
     "what "
     "a "
     "packet holds is not said",
     false, false, has_directories, port_buffers_cost},
    {"neidty", "directory", "page asked for last", "each L1 TLB", "", "",
     "of the update policy twice; the paper does not count it", false, false, has_last_page,
     last_page_cost},
    {"neidty", "directory", "sum of a chip's L1 TLBs", "chip", "L1 TLBs", "", NULL, false, true,
     has_directories, neidty_all_cost},
    {0},
};
