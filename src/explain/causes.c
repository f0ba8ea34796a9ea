#include "explain/causes.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const cause_info_t cause_info[CAUSES] = {
    [CAUSE_L1_REACH] = {"l1-reach", "the reach of the L1 TLB", "L1 TLBs that hold every page"},
    [CAUSE_L2_REACH] = {"l2-reach", "the reach of the L2 TLB", "further TLBs that hold every page"},
    [CAUSE_L2_PORTS] = {"l2-ports", "the ports of the L2 TLB", "unlimited ports of the L2 TLB"},
    [CAUSE_L1_MSHRS] = {"l1-mshrs", "the MSHRs of the L1 TLB", "unlimited MSHRs of the L1 TLB"},
    [CAUSE_L2_MSHRS] = {"l2-mshrs", "the MSHRs of a further TLB level",
                        "unlimited MSHRs of further TLBs"},
    [CAUSE_THREADS] = {"walk-threads", "the number of walker threads", "unlimited walker threads"},
    [CAUSE_WALK_L2] = {"walk-l2", "the walks' latency in L2", "no walk latency in L2"},
    [CAUSE_WALK_DRAM] = {"walk-dram", "the walks' latency in DRAM", "no walk latency in DRAM"},
    [CAUSE_BANDWIDTH] = {"dram-bandwidth", "the DRAM bandwidth behind translation",
                         "page-table reads that take no DRAM bandwidth"},
    [CAUSE_FAULTS] = {"far-faults", "the latency of far faults", "far faults without latency"},
    [CAUSE_LINK] = {"link-bandwidth", "the bandwidth of the link", "a link of 1 TB/s"},
    [CAUSE_HIDDEN] = {"hidden", "nothing: translation is hidden", ""},
};

/* ---- counterfactuals ------------------------------------------------------------------------- */

/* Host memory that the entries of all TLBs of a level may take: a run stays below 1 GB. */
#define ENTRIES_BYTES (512ull << 20)
#define MOST_ENTRIES  1048576u /* of l1tlb.entries */
#define MOST_MSHRS    4096u    /* of l1tlb.mshrs, and of walk.threads */
#define MOST_FAULTS   65536u   /* of mem.faults */
#define MOST_LINK     1000000u /* of link.bandwidth: 1 TB/s */

__attribute__((format(printf, 2, 3))) static void put(cause_settings_t *s, const char *fmt, ...) {
  va_list args;
  if (s->count == CAUSE_SETTINGS) return;
  va_start(args, fmt);
  vsnprintf(s->at[s->count++], CAUSE_BYTES, fmt, args);
  va_end(args);
}

/* The largest power of two of entries that finds room; never fewer than there are. */
static uint32_t many_entries(const gpu_spec_t *spec, uint32_t level) {
  const tlb_spec_t *t = &spec->tlb_level[level];
  uint64_t each = (60ull + 8ull * t->reach) * gpu_spec_tlbs(spec, level);
  uint32_t n = MOST_ENTRIES;
  while (n > 65536 && n * each > ENTRIES_BYTES) n /= 2;
  return n > t->entries ? n : 0;
}

/* A level that holds every page: entries without end, spread evenly over their sets. */
static void unlimited_reach(const gpu_spec_t *spec, uint32_t level, cause_settings_t *s) {
  uint32_t n = many_entries(spec, level), l = level + 1;
  if (!n) return;
  put(s, "l%utlb.entries=%u", l, n);
  put(s, "l%utlb.ways=16", l);
  if (!spec->tlb_level[level].fold_index) put(s, "l%utlb.hash=true", l);
  if (!spec->tlb_level[level].large_entries) return;
  put(s, "l%utlb.large_entries=%u", l, n / 16);
  put(s, "l%utlb.large_ways=16", l);
}

static void further_reach(const gpu_spec_t *spec, cause_settings_t *s) {
  for (uint32_t l = 1; l < spec->tlb.levels; l++) unlimited_reach(spec, l, s);
}

static void further_ports(const gpu_spec_t *spec, cause_settings_t *s) {
  for (uint32_t l = 1; l < spec->tlb.levels; l++)
    if (spec->tlb_level[l].ports) put(s, "l%utlb.ports=0", l + 1);
}

static void more_mshrs(const gpu_spec_t *spec, uint32_t level, cause_settings_t *s) {
  if (spec->tlb_level[level].mshrs < MOST_MSHRS) put(s, "l%utlb.mshrs=%u", level + 1, MOST_MSHRS);
}

static void walks_in_l2(const gpu_spec_t *spec, cause_settings_t *s) {
  if (spec->walk.fixed_cycles) {
    if (spec->walk.fixed_cycles > 1) put(s, "walk.fixed=1");
    return;
  }
  if (spec->walk.read_cycles > 1) put(s, "walk.read=1");
  if (!spec->walk.read_cycles) put(s, "walk.free_l2=true");
  if (spec->walk.pwc && spec->walk.pwc_latency_cycles) put(s, "walk.pwc_latency=0");
}

static bool demand(const gpu_spec_t *spec) { return strcmp(spec->memory.paging, "preload") != 0; }

static void far_faults(const gpu_spec_t *spec, cause_settings_t *s) {
  if (spec->link.fault_ns) put(s, "link.fault=0");
  if (spec->memory.faults < MOST_FAULTS) put(s, "mem.faults=%u", MOST_FAULTS);
}

static void remove_cause(cause_t cause, const gpu_spec_t *spec, cause_settings_t *s) {
  switch (cause) {
  case CAUSE_L1_REACH: unlimited_reach(spec, 0, s); break;
  case CAUSE_L2_REACH: further_reach(spec, s); break;
  case CAUSE_L2_PORTS: further_ports(spec, s); break;
  case CAUSE_L1_MSHRS: more_mshrs(spec, 0, s); break;
  case CAUSE_L2_MSHRS:
    for (uint32_t l = 1; l < spec->tlb.levels; l++) more_mshrs(spec, l, s);
    break;
  case CAUSE_THREADS:
    if (spec->walk.threads < MOST_MSHRS) put(s, "walk.threads=%u", MOST_MSHRS);
    break;
  case CAUSE_WALK_L2: walks_in_l2(spec, s); break;
  case CAUSE_WALK_DRAM: put(s, "walk.free_dram=true"); break;
  case CAUSE_BANDWIDTH: put(s, "dram.unlimited_walks=true"); break;
  case CAUSE_FAULTS: far_faults(spec, s); break;
  case CAUSE_LINK: put(s, "link.bandwidth=%u", MOST_LINK); break;
  case CAUSE_HIDDEN:
  case CAUSES: break;
  }
}

/* What this machine does not have cannot hold anything back. */
static const char *absent(cause_t cause, const gpu_spec_t *spec) {
  bool further = cause == CAUSE_L2_REACH || cause == CAUSE_L2_PORTS || cause == CAUSE_L2_MSHRS;
  if (further && spec->tlb.levels < 2) return "there is no second TLB level";
  if ((cause == CAUSE_WALK_DRAM || cause == CAUSE_BANDWIDTH) &&
      (spec->walk.fixed_cycles || spec->walk.read_cycles))
    return "walks take a fixed time";
  if (cause == CAUSE_FAULTS && !demand(spec)) return "all data is in GPU memory (mem.paging)";
  return NULL;
}

void cause_remove(cause_t cause, const gpu_spec_t *spec, cause_settings_t *out) {
  *out = (cause_settings_t){.none = absent(cause, spec)};
  if (out->none) return;
  remove_cause(cause, spec, out);
  if (!out->count) out->none = "it has no limit here";
}

/* ---- what to try ----------------------------------------------------------------------------- */

#define DESIGN_AND(other) strbuf_printf(out, " --design %s," other, design)

static void own(strbuf_t *out, const char *design) { strbuf_printf(out, " --design %s", design); }

/* Of a walk, or of a read of it: a half and a quarter. */
static void shorter(strbuf_t *out, const char *option, uint32_t cycles) {
  strbuf_printf(out, " -s %s=%u,%u", option, (cycles + 1) / 2, (cycles + 3) / 4);
}

/* Two, four and eight times as much, as far as the option goes. */
static void doubled(strbuf_t *out, const char *key, uint64_t now, uint64_t most) {
  strbuf_printf(out, " -s %s=", key);
  for (uint64_t k = 2; k <= 8 && (k == 2 || now * k <= most); k *= 2)
    strbuf_printf(out, "%s%llu", k == 2 ? "" : ",", (unsigned long long)(now * k));
}

void cause_next(cause_t cause, const gpu_spec_t *spec, const char *design, strbuf_t *out) {
  const tlb_spec_t *l1 = &spec->tlb_level[0], *l2 = &spec->tlb_level[1];
  switch (cause) {
  case CAUSE_L1_REACH:
    own(out, design), doubled(out, "l1tlb.entries", l1->entries, MOST_ENTRIES);
    break;
  case CAUSE_L2_REACH:
    own(out, design), doubled(out, "l2tlb.entries", l2->entries, MOST_ENTRIES);
    break;
  case CAUSE_L2_PORTS: own(out, design), doubled(out, "l2tlb.ports", l2->ports, 64); break;
  case CAUSE_L1_MSHRS: own(out, design), doubled(out, "l1tlb.mshrs", l1->mshrs, MOST_MSHRS); break;
  case CAUSE_L2_MSHRS: own(out, design), doubled(out, "l2tlb.mshrs", l2->mshrs, MOST_MSHRS); break;
  case CAUSE_THREADS:
    own(out, design), doubled(out, "walk.threads", spec->walk.threads, MOST_MSHRS);
    break;
  case CAUSE_WALK_L2:
    own(out, design);
    if (spec->walk.fixed_cycles)
      shorter(out, "walk.fixed", spec->walk.fixed_cycles);
    else if (spec->walk.read_cycles)
      shorter(out, "walk.read", spec->walk.read_cycles);
    else
      strbuf_str(out,
                 spec->walk.pwc ? " -s walk.pwc_bytes=16384,65536" : " -s walk.pwc=false,true");
    break;
  case CAUSE_WALK_DRAM: DESIGN_AND("mask-dram,mosaic"); break;
  case CAUSE_BANDWIDTH: DESIGN_AND("gpu-mmu-2m,mosaic"); break;
  case CAUSE_FAULTS: own(out, design), strbuf_str(out, " -s mem.prefetch=none,block,tree"); break;
  case CAUSE_LINK:
    own(out, design), doubled(out, "link.bandwidth", spec->link.bandwidth_mbs, MOST_LINK);
    break;
  case CAUSE_HIDDEN:
  case CAUSES: DESIGN_AND("ideal"); break;
  }
}
