/* The storage that tokens, address spaces and the peers' directories add. Sizes that no option has
 * are MASK's, from its section 7.4, and NeiDty's, from its section III.D. */
#include "tlb/fill.h"
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
     "the paper gives the bits (18 + 3, 32 entries) and no sum; its Figure 5 has a valid bit, too; "
     "L1 TLBs are counted without address spaces",
     false, false, has_directories, directories_cost},
    {"neidty", "directory", "buffers of the ports to both neighbours", "each L1 TLB", "", "",
     "\"a 2-entry-size buffer\" in one place, two buffers in another: counted as two of two; what "
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
