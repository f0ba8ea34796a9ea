/* The table of storage costs. A row's function fills a cost_t from the configuration alone; it
 * needs no machine. Sizes that no option has are MASK's, from its section 7.4. */
#include "gpu/cost.h"
#include "cache/l2policy.h"
#include "tlb/fill.h"
#include "tlb/peer.h"
#include <stdio.h>
#include <string.h>

#define ASID_BITS         9
#define TLB_ENTRY_BITS    128 /* 9 bits are 7 % of it, and 316 bytes 3.8 % of 512 of them */
#define COUNTER_BITS      16
#define INCREMENTER_BITS  8
#define TOKEN_BITS        15
#define DIRECTION_BITS    1
#define RATE_COUNTER_BITS 64
#define LEVEL_BITS        3   /* section 5.3: 0 for data, 7 for all depths above 6 */
#define STALL_BITS        6   /* section 5.4, both counters */
#define QUEUE             256 /* DRAM queue of the release; 16 entries are 6 % of it */

static uint32_t log2_up(uint64_t x) {
  uint32_t n = 0;
  while (n < 63 && 1ull << n < x) n++;
  return n;
}
static uint32_t vpn_bits(const gpu_spec_t *s) {
  return s->memory.va_bits - log2_up(s->memory.base_bytes);
}
static uint32_t ppn_bits(const gpu_spec_t *s) {
  return log2_up(s->memory.memory_bytes / s->memory.base_bytes);
}
static uint32_t walk_levels(const gpu_spec_t *s) {
  return (vpn_bits(s) + s->memory.level_bits - 1) / s->memory.level_bits;
}
static uint32_t queue_entries(const gpu_spec_t *s) {
  return s->dram.golden + s->dram.silver + s->dram.normal;
}
static uint64_t tlb_entries(const gpu_spec_t *s, uint32_t level) {
  return (uint64_t)s->tlb_level[level].entries * gpu_spec_tlbs(s, level);
}
/* The level that the walker answers: tokens act there, and its misses are what walks serve. */
static uint32_t last_level(const gpu_spec_t *s) { return s->tlb.levels ? s->tlb.levels - 1 : 0; }

/* ---- what is on ---- */

static bool has_l2tlb(const gpu_spec_t *s) { return s->tlb.levels >= 2 && !s->tlb.ideal; }
static bool has_tokens(const gpu_spec_t *s) {
  return has_l2tlb(s) && strcmp(s->tlb.fill, fill_tokens.name) == 0;
}
static bool has_bypass(const gpu_spec_t *s) {
  return strcmp(s->l2.policy, l2_walk_bypass.name) == 0;
}
static bool has_directories(const gpu_spec_t *s) {
  return s->tlb.levels && !s->tlb.ideal && strcmp(s->tlb.peer, peer_neidty.name) == 0;
}
static bool has_last_page(const gpu_spec_t *s) {
  return has_directories(s) && peer_update(&s->peer) == PEER_UPDATE_TWICE;
}
static bool has_queues(const gpu_spec_t *s) {
  return strcmp(s->dram.scheduler, dram_mask.name) == 0;
}

/* ---- MASK ---- */

#define FORMULA(c, ...) snprintf((c)->formula, sizeof(c)->formula, __VA_ARGS__)

static void asid(const gpu_spec_t *s, cost_t *c) {
  c->each = ASID_BITS;
  c->count = tlb_entries(s, 1);
  c->base = c->count * TLB_ENTRY_BITS;
  FORMULA(c, "%u bits in each of %llu entries of %u bits", ASID_BITS, (unsigned long long)c->count,
          TLB_ENTRY_BITS);
}

static void tokens_core(const gpu_spec_t *s, cost_t *c) {
  c->each = 2 * COUNTER_BITS + s->sm.warps + INCREMENTER_BITS;
  c->count = s->core.sms;
  c->base = tlb_entries(s, 0) * TLB_ENTRY_BITS;
  FORMULA(c, "2 counters x %u bits + %u warps + incrementer of %u bits, in each of %u SMs",
          COUNTER_BITS, s->sm.warps, INCREMENTER_BITS, s->core.sms);
}

static void tokens_bypass(const gpu_spec_t *s, cost_t *c) {
  c->each = vpn_bits(s) + ASID_BITS + ppn_bits(s) + 1;
  c->count = (uint64_t)s->tokens.buffer_entries * gpu_spec_tlbs(s, last_level(s));
  c->base = tlb_entries(s, last_level(s)) * TLB_ENTRY_BITS;
  FORMULA(c, "page number %u + ASID %u + frame number %u + valid 1 bits, %llu entries", vpn_bits(s),
          ASID_BITS, ppn_bits(s), (unsigned long long)c->count);
}

/* One set for each application; MASK has as many applications as SMs. */
static void tokens_counters(const gpu_spec_t *s, cost_t *c) {
  c->each = TOKEN_BITS + DIRECTION_BITS;
  c->count = s->core.sms;
  c->base = tlb_entries(s, last_level(s)) * TLB_ENTRY_BITS;
  FORMULA(c, "token count %u + direction %u bits, for up to %u applications", TOKEN_BITS,
          DIRECTION_BITS, s->core.sms);
}

/* Sums are of bits rounded up to bytes, structure by structure, as the paper adds. */
static void add_bytes(cost_t *sum, const cost_t *c) { sum->each += 8 * cost_bytes(c); }

static void tokens_shared(const gpu_spec_t *s, cost_t *c) {
  cost_t cam, counters;
  tokens_bypass(s, &cam);
  tokens_counters(s, &counters);
  c->each = 0, c->count = 1;
  add_bytes(c, &cam), add_bytes(c, &counters);
  c->base = tlb_entries(s, last_level(s)) * TLB_ENTRY_BITS;
  FORMULA(c, "%llu + %llu B", (unsigned long long)cost_bytes(&cam),
          (unsigned long long)cost_bytes(&counters));
}

static void tokens_all(const gpu_spec_t *s, cost_t *c) {
  cost_t core, shared;
  tokens_core(s, &core);
  tokens_shared(s, &shared);
  c->each = 0, c->count = 1, c->base = 0;
  add_bytes(c, &core), add_bytes(c, &shared);
  FORMULA(c, "%u x %llu + %llu B", s->core.sms, (unsigned long long)(core.each + 7) / 8,
          (unsigned long long)cost_bytes(&shared));
}

static void bypass_counters(const gpu_spec_t *s, cost_t *c) {
  c->each = RATE_COUNTER_BITS;
  c->count = 2 * (walk_levels(s) + 1);
  c->base = s->l2.bytes * 8;
  FORMULA(c, "hits and accesses of %u walk levels and of data, %u bits each", walk_levels(s),
          RATE_COUNTER_BITS);
}

static void bypass_level(const gpu_spec_t *s, cost_t *c) {
  uint32_t inside = s->l2.mshrs * s->l2.slices + queue_entries(s);
  c->each = LEVEL_BITS;
  c->count = (uint64_t)s->dram.channels * inside;
  c->base = 0;
  FORMULA(c, "%u bits for each of %u requests in L2 and DRAM of each of %u channels", LEVEL_BITS,
          inside, s->dram.channels);
}

static void dram_queues(const gpu_spec_t *s, cost_t *c) {
  uint32_t n = queue_entries(s);
  c->each = n > QUEUE ? n - QUEUE : 0; /* fewer cost nothing */
  c->count = s->dram.channels;
  c->base = (uint64_t)QUEUE * c->count;
  FORMULA(c, "%u golden + %u silver + %u normal - %u entries, in each of %u channels",
          s->dram.golden, s->dram.silver, s->dram.normal, QUEUE, s->dram.channels);
}

/* Equation 1: walks under way, for each application; warps that wait, for each TLB miss. */
static void dram_quotas(const gpu_spec_t *s, cost_t *c) {
  uint32_t last = last_level(s);
  uint64_t misses = (uint64_t)s->tlb_level[last].mshrs * gpu_spec_tlbs(s, last);
  c->each = STALL_BITS;
  c->count = s->core.sms + misses;
  c->base = 0;
  FORMULA(c, "%u bits for walks of up to %u applications, for warps of %llu misses", STALL_BITS,
          s->core.sms, (unsigned long long)misses);
}

/* ---- NeiDty: its section III.D ---- */

#define DIRECTORY_BITS 3 /* left, local, right */

static void directories(const gpu_spec_t *s, cost_t *c) {
  c->each = (uint64_t)s->peer.directory_entries * (1 + s->peer.tag_bits + DIRECTORY_BITS);
  c->count = gpu_spec_tlbs(s, 0);
  c->base = tlb_entries(s, 0) * (vpn_bits(s) + ppn_bits(s) + 1);
  FORMULA(c, "%u entries x (valid 1 + tag %u + %u bits), for each of %llu L1 TLBs",
          s->peer.directory_entries, s->peer.tag_bits, DIRECTORY_BITS,
          (unsigned long long)c->count);
}

/* A packet asks for a page or answers with a frame. */
static void port_buffers(const gpu_spec_t *s, cost_t *c) {
  uint32_t packet = 1 + (vpn_bits(s) > ppn_bits(s) ? vpn_bits(s) : ppn_bits(s));
  c->each = (uint64_t)PEER_PORTS * s->peer.buffer * packet;
  c->count = gpu_spec_tlbs(s, 0);
  c->base = 0;
  FORMULA(c, "%u ports x %u entries x %u bits, for each of %llu L1 TLBs", PEER_PORTS,
          s->peer.buffer, packet, (unsigned long long)c->count);
}

/* What `twice` compares with. */
static void last_page(const gpu_spec_t *s, cost_t *c) {
  c->each = vpn_bits(s) + 1;
  c->count = gpu_spec_tlbs(s, 0);
  c->base = 0;
  FORMULA(c, "page number %u + valid 1 bits, for each of %llu L1 TLBs", vpn_bits(s),
          (unsigned long long)c->count);
}

static void neidty_all(const gpu_spec_t *s, cost_t *c) {
  cost_t directory, buffer, last = {0};
  directories(s, &directory), port_buffers(s, &buffer);
  if (has_last_page(s)) last_page(s, &last);
  c->each = 0, c->count = 1;
  add_bytes(c, &directory), add_bytes(c, &buffer), add_bytes(c, &last);
  c->base = directory.base;
  FORMULA(c, "%llu + %llu + %llu B", (unsigned long long)cost_bytes(&directory),
          (unsigned long long)cost_bytes(&buffer), (unsigned long long)cost_bytes(&last));
}

const cost_row_t cost_rows[] = {
    {"mask", "asid", "address space of an L2 TLB entry", "L2 TLB", "L2 TLB", "7 %",
     "an entry of 16 bytes is what the 7 % imply; MASK counts no ASID in L1 TLBs", false, false,
     has_l2tlb, asid},
    {"mask", "tokens", "hits and misses, warps seen, their number", "each SM", "L1 TLBs",
     "13 B, 1.6 %",
     "13 B follow from 64 warps; the text says 256-bit vector, which would make 37 B per SM and "
     "1426 B in all; 1.6 % would be of an L1 TLB of 812 B, 12.7 per entry",
     false, false, has_tokens, tokens_core},
    {"mask", "tokens", "bypass cache", "L2 TLB", "L2 TLB", "256 B",
     "316 B less those of the counters leave 8 B per entry, one page-table entry without a tag",
     false, false, has_tokens, tokens_bypass},
    {"mask", "tokens", "token counts and directions", "L2 TLB", "L2 TLB", "60 B", NULL, false,
     false, has_tokens, tokens_counters},
    {"mask", "tokens", "sum at the L2 TLB", "L2 TLB", "L2 TLB", "316 B, 3.8 %", NULL, false, true,
     has_tokens, tokens_shared},
    {"mask", "tokens", "sum", "chip", "", "706 B", NULL, false, true, has_tokens, tokens_all},
    {"mask", "bypass", "counters of L2 hits and accesses", "L2", "L2", "80 B, < 0.1 %",
     "the text says per core; one set makes the 80 B, 30 sets would make 2400", false, false,
     has_bypass, bypass_counters},
    {"mask", "bypass", "walk level in each request", "L2 and DRAM", "", "3 bits",
     "the paper does not add it up", false, false, has_bypass, bypass_level},
    {"mask", "dram", "golden, silver and normal queue", "each channel", "queues", "6 %",
     "6 % are of 256 entries, the release's queue; dram.queue is the window of this machine's "
     "baseline",
     true, false, has_queues, dram_queues},
    {"mask", "dram", "walks and stalled warps of Equation 1", "L2 TLB", "", "",
     "5.4 describes them, 7.4 leaves them out; l2tlb.mshrs is a guess that is meant never to bind, "
     "so this is an upper bound",
     false, false, has_queues, dram_quotas},
    {"neidty", "directory", "directories of the neighbours' entries", "each L1 TLB", "L1 TLBs", "",
     "the paper gives the bits (18 + 3, 32 entries) and no sum; its Figure 5 has a valid bit, too; "
     "L1 TLBs are counted without address spaces",
     false, false, has_directories, directories},
    {"neidty", "directory", "buffers of the ports to both neighbours", "each L1 TLB", "", "",
     "\"a 2-entry-size buffer\" in one place, two buffers in another: counted as two of two; what "
     "a "
     "packet holds is not said",
     false, false, has_directories, port_buffers},
    {"neidty", "directory", "page asked for last", "each L1 TLB", "", "",
     "of the update policy twice; the paper does not count it", false, false, has_last_page,
     last_page},
    {"neidty", "directory", "sum of a chip's L1 TLBs", "chip", "L1 TLBs", "", NULL, false, true,
     has_directories, neidty_all},
    {0},
};

const char *cost_paper(uint32_t i) {
  const char *last = "";
  for (const cost_row_t *r = cost_rows; r->mechanism; r++) {
    if (strcmp(r->paper, last) == 0) continue;
    last = r->paper;
    if (i-- == 0) return last;
  }
  return NULL;
}
