/* Option groups of the machine and the reader of presets. */
#include "gpu/spec.h"
#include "color/color.h"
#include "gmmu/mm.h"
#include "gpu/presets.h"
#include "tlb/fill.h"
#include "tlb/peer.h"
#include <stdio.h>
#include <string.h>

#define U32(S, f, n, lo, hi, d, u, h)                                                              \
  { n, OPT_U32, offsetof(S, f), lo, hi, d, u, h, NULL, NULL }
#define SIZE(S, f, n, lo, hi, d, h)                                                                \
  { n, OPT_SIZE, offsetof(S, f), lo, hi, d, "bytes", h, NULL, NULL }
#define BOOL(S, f, n, d, h)                                                                        \
  { n, OPT_BOOL, offsetof(S, f), 0, 1, d, "", h, NULL, NULL }
#define NAME(S, f, n, names, d, h)                                                                 \
  { n, OPT_NAME, offsetof(S, f), 0, 0, 0, "", h, names, d }

static const char *manager_name(uint32_t i) {
  return mm_manager_all[i] ? mm_manager_name(mm_manager_all[i]) : NULL;
}

static const char *cac_name(uint32_t i) {
  static const char *const names[] = {"none", "cac", "cac-bc", "ideal"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const char *paging_name(uint32_t i) {
  static const char *const names[] = {"preload", "demand"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}
static const char *prefetch_name(uint32_t i) {
  static const char *const names[] = {"none", "block", "tree"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}
static const char *evict_name(uint32_t i) {
  static const char *const names[] = {"none", "lru", "tree"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const opt_t core_options[] = {
    U32(core_spec_t, sms, "sms", 1, 256, 30, "SMs", "streaming multiprocessors"),
    {"disabled", OPT_U64, offsetof(core_spec_t, disabled), 0, UINT64_MAX, 0, "bit mask",
     "bit i: place i of the chip has no active SM; SMs are numbered over the others", NULL, NULL},
    U32(core_spec_t, swapped, "swapped", 0, 255, 0, "SM",
        "the l1tlb group that begins with this SM has changed places with the next; 0: none"),
    U32(core_spec_t, clock_mhz, "clock", 1, 10000, 1020, "MHz", "core clock"),
    U32(core_spec_t, launch_cycles, "launch", 0, 10000000, 0, "cycles",
        "from a kernel's launch to its first block"),
    U32(core_spec_t, capability, "capability", 20, 999, 52, "10 x major + minor",
        "compute capability: what CUDA programs are told; no effect on time"),
    U32(core_spec_t, line_bytes, "line", LINE_BYTES_MIN, LINE_BYTES_MAX, 128, "bytes",
        "of L1 and L2: 64, 128 or 256; a sector has 32"),
    {0},
};
static const opt_t tlb_system_options[] = {
    U32(tlb_system_spec_t, levels, "levels", 0, TLB_MAX_LEVELS, 2, "levels",
        "TLB levels; 0: none, no translation"),
    BOOL(tlb_system_spec_t, ideal, "ideal", 0,
         "every first-level look-up hits, at its latency and ports"),
    NAME(tlb_system_spec_t, fill, "fill", fill_name, "all", "fill policy"),
    NAME(tlb_system_spec_t, peer, "peer", peer_name, "none", "peer look-up"),
    {0},
};
static const opt_t memory_options[] = {
    NAME(memory_spec_t, manager, "manager", manager_name, "gpu-mmu", "memory manager"),
    SIZE(memory_spec_t, memory_bytes, "bytes", 1 << 21, 1ull << 40, 1ull << 32, "physical memory"),
    SIZE(memory_spec_t, base_bytes, "page", 4096, 1 << 21, 4096, "base page"),
    SIZE(memory_spec_t, large_bytes, "large_page", 4096, 1 << 30, 1 << 21, "large page"),
    U32(memory_spec_t, va_bits, "va_bits", 32, 57, 48, "bits", "virtual address"),
    U32(memory_spec_t, level_bits, "level_bits", 1, 13, 9, "bits",
        "index bits of one page-table level"),
    NAME(
        memory_spec_t, cac, "cac", cac_name, "cac",
        "compaction of mosaic: copies through DRAM, by bulk copy inside it, free of cost, or none"),
    U32(memory_spec_t, splinter_below, "splinter_below", 1, 100, 50, "%",
        "mosaic splinters a large page of which less than this is allocated"),
    U32(memory_spec_t, fragment_index, "fragment_index", 0, 100, 0, "%",
        "large frames that hold data of nobody from the beginning on"),
    U32(memory_spec_t, fragment_occupancy, "fragment_occupancy", 0, 100, 50, "%",
        "of such a large frame"),
    {"fragment_seed", OPT_U64, offsetof(memory_spec_t, fragment_seed), 0, UINT64_MAX, 1, "",
     "which large frames, and where in them", NULL, NULL},
    {"colours", OPT_BITS, offsetof(memory_spec_t, colours), 0, COLOR_TENANTS_MAX - 1, 0, "",
     "coloured: page colours of each application, 0 1 2; 3 for two; none: equal shares", NULL,
     NULL},
    BOOL(memory_spec_t, colour_tables, "colour_tables", 1,
         "coloured: page tables lie in the application's colours, too"),
    U32(memory_spec_t, bulk_copy_ns, "bulk_copy", 0, 1000000, 80, "ns",
        "cac-bc: of a page, inside the DRAM (Mosaic 4.4)"),
    U32(memory_spec_t, shootdown_cycles, "shootdown", 0, 1000000, 200, "cycles",
        "of a shoot-down by compaction, during which the SMs stand still, or before an evicted "
        "frame is used again (200: an invalidation of the L2 TLB in Mosaic's release)"),
    NAME(memory_spec_t, paging, "paging", paging_name, "preload",
         "preload: data is in GPU memory from its allocation on; demand: it comes over the link "
         "when touched"),
    U32(memory_spec_t, faults, "faults", 1, 65536, 256, "registers",
        "demand: pages asked for at once (a guess: a batch of the UVM driver)"),
    NAME(memory_spec_t, prefetch, "prefetch", prefetch_name, "none",
         "demand: with a page comes its 64 KB block, or every half of 2 MB that is mostly there"),
    NAME(memory_spec_t, evict, "evict", evict_name, "none",
         "demand, if memory is full: the large page used least recently, or parts of it by halves; "
         "none: that is an error"),
    {0},
};
static const char *const share_modes[] = {"space", "time", "threads", NULL};
static const char *share_mode(uint32_t i) { return share_modes[i < 3 ? i : 3]; }
static const char *const share_costs[] = {"state", "fixed", NULL};
static const char *share_cost(uint32_t i) { return share_costs[i < 2 ? i : 2]; }

static const opt_t share_options[] = {
    NAME(share_spec_t, mode, "mode", share_mode, "space",
         "space: SMs of their own; time: all SMs, in turn; threads: all SMs, a part of each"),
    U32(share_spec_t, threads, "threads", 0, 100, 0, "%",
        "threads: what one application may have of an SM's threads, blocks, registers and shared "
        "memory; 0: equal parts, or as --sms divides the chip"),
    U32(share_spec_t, quantum_cycles, "quantum", 1, UINT32_MAX, 2000000, "cycles",
        "time: length of a turn while others wait (a guess: about 2 ms)"),
    NAME(
        share_spec_t, cost, "cost", share_cost, "state",
        "time: a change takes what registers and shared memory in use take through DRAM, or fixed"),
    U32(share_spec_t, switch_cycles, "switch", 0, 1u << 30, 0, "cycles",
        "time: a change with share.cost=fixed, after the last access"),
    BOOL(share_spec_t, flush_l1, "flush_l1", 1, "time: a turn starts with empty L1 caches"),
    BOOL(share_spec_t, flush_tlbs, "flush_tlbs", 0,
         "time: a turn starts with empty TLBs, as where tags have no address space"),
    {0},
};
static const opt_t run_options[] = {
    U32(run_spec_t, series_cycles, "series", 100, 1u << 30, 10000, "cycles",
        "between two points of the time series"),
    U32(run_spec_t, epoch_cycles, "epoch", 100, 1u << 30, 100000, "cycles",
        "between two decisions of a policy"),
    BOOL(run_spec_t, check, "check", 0, "verify every translation and every access"),
    {0},
};

static const opt_t observe_options[] = {
    U32(observe_spec_t, walks, "walks", 0, 4096, 0, "walks",
        "of each application, in a sample with the time of every read; 0: none"),
    BOOL(observe_spec_t, pages, "pages", 0,
         "look-ups and misses of each page over time, as a grid"),
    BOOL(observe_spec_t, memory, "memory", 0, "who has which physical memory when the run ends"),
    {0},
};

void gpu_spec_groups(gpu_spec_t *s, opt_group_t groups[GPU_GROUPS]) {
  static const char *const level_prefix[TLB_MAX_LEVELS] = {"l1tlb", "l2tlb", "l3tlb", "l4tlb"};
  static const char *const level_help[TLB_MAX_LEVELS] = {"first-level TLB", "second-level TLB",
                                                         "third-level TLB", "fourth-level TLB"};
  uint32_t n = 0;
  groups[n++] = (opt_group_t){"gpu", "the chip", core_options, &s->core};
  groups[n++] = (opt_group_t){"sm", "streaming multiprocessor", sm_options, &s->sm};
  groups[n++] = (opt_group_t){"tlb", "TLB hierarchy", tlb_system_options, &s->tlb};
  for (uint32_t l = 0; l < TLB_MAX_LEVELS; l++)
    groups[n++] = (opt_group_t){level_prefix[l], level_help[l], tlb_options, &s->tlb_level[l]};
  groups[n++] =
      (opt_group_t){"tokens", "the fill policy tlb.fill=tokens", tokens_options, &s->tokens};
  groups[n++] = (opt_group_t){"peer", "first-level TLBs that share", peer_options, &s->peer};
  groups[n++] = (opt_group_t){"walk", "page-table walker", walk_options, &s->walk};
  groups[n++] = (opt_group_t){"l1d", "L1 data cache", l1_options, &s->l1};
  groups[n++] = (opt_group_t){"noc", "crossbar", noc_options, &s->noc};
  groups[n++] = (opt_group_t){"l2", "L2 cache", l2_options, &s->l2};
  groups[n++] = (opt_group_t){"l2bypass", "the insertion policy l2.policy=walk-bypass",
                              l2_bypass_options, &s->l2_bypass};
  groups[n++] = (opt_group_t){"map", "address map", addrmap_options, &s->map};
  groups[n++] = (opt_group_t){"dram", "DRAM", dram_options, &s->dram};
  groups[n++] = (opt_group_t){"mem", "memory manager", memory_options, &s->memory};
  groups[n++] = (opt_group_t){"link", "the way to the host (PCIe)", link_options, &s->link};
  groups[n++] = (opt_group_t){"share", "how applications share the SMs", share_options, &s->share};
  groups[n++] = (opt_group_t){"run", "the simulation itself", run_options, &s->run};
  groups[n++] = (opt_group_t){"observe", "what a run shows beyond its counters; no effect on them",
                              observe_options, &s->observe};
  groups[n] = (opt_group_t){0};
}

void gpu_spec_init(gpu_spec_t *spec) {
  opt_group_t groups[GPU_GROUPS];
  memset(spec, 0, sizeof *spec);
  gpu_spec_groups(spec, groups);
  opt_defaults(groups);
}

int gpu_spec_set(gpu_spec_t *spec, const char *key, const char *value, err_t *e) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_groups(spec, groups);
  return opt_set(groups, key, value, e);
}

uint32_t gpu_spec_tlbs(const gpu_spec_t *s, uint32_t level) {
  const tlb_spec_t *t = &s->tlb_level[level];
  uint32_t places = s->core.sms + (uint32_t)__builtin_popcountll(s->core.disabled);
  return t->deal ? t->deal : t->group ? (places + t->group - 1) / t->group : 1;
}

/* Large pages without entries of their own take base entries, one for each base page. */
static bool large_in_vain(const gpu_spec_t *s) {
  const mm_manager_ops_t *m = mm_manager_find(s->memory.manager);
  if (!m || !mm_manager_large(m) || s->memory.large_bytes <= s->memory.base_bytes) return false;
  uint64_t entries = 0;
  for (uint32_t l = 0; l < s->tlb.levels; l++) entries += s->tlb_level[l].large_entries;
  return s->tlb.levels && !s->tlb.ideal && !entries;
}

void gpu_spec_doubt(const gpu_spec_t *s, char *out, size_t size) {
  out[0] = 0;
  if (large_in_vain(s))
    snprintf(out, size,
             "mem.manager=%s makes large pages, but no TLB has entries for them, so that each of "
             "their base pages takes one: see l1tlb.large_entries and l2tlb.large_entries, or "
             "--design mosaic",
             s->memory.manager);
}

/* ---- presets ---- */

static int apply_key(void *ctx, const char *key, const char *value, uint32_t line, uint32_t column,
                     err_t *e) {
  (void)line, (void)column;                           /* the reader adds the place */
  if (strncmp(key, "probe.", 6) == 0) return GMMU_OK; /* what a probe tells beside its options */
  return gpu_spec_set(ctx, key, value, e);
}

static const char *preset_at(void *ctx, uint32_t i) {
  const char *kind = ctx;
  for (const preset_t *p = preset_all; p->name; p++)
    if (strcmp(p->kind, kind) == 0 && i-- == 0) return p->name;
  return NULL;
}

static bool is_path(const char *name) {
  size_t n = strlen(name);
  return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}

int gpu_spec_load(gpu_spec_t *spec, const char *kind, const char *name, err_t *e) {
  if (is_path(name)) return yaml_read_file(name, apply_key, spec, e);
  for (const preset_t *p = preset_all; p->name; p++)
    if (strcmp(p->kind, kind) == 0 && strcmp(p->name, name) == 0) {
      char file[160];
      snprintf(file, sizeof file, "presets/%s/%s.yaml", kind, name);
      return yaml_read(file, p->text, strlen(p->text), apply_key, spec, e);
    }
  const char *near = opt_nearest(name, preset_at, (void *)(uintptr_t)kind);
  return err_set(e, GMMU_ENOENT, "there is no %s preset \"%s\"%s%s%s; `gmmu list %ss` names them",
                 kind, name, near ? "; nearest: \"" : "", near ? near : "", near ? "\"" : "", kind);
}
