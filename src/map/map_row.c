/* The rows of the address map and of the memory manager. */
#include "map/addrmap.h"
#include "map/memory.h"
#include <stdio.h>
#include <string.h>

/* ---- the address map ---- */

static const option_group_t map_groups[] = {
    {"map", "address map", addrmap_options, offsetof(gpu_spec_t, map)},
    {0},
};

/* MIG: a map over the channels of each instance. */
static int map_instances(addrmap_t *m, err_t *e) {
  const gpu_spec_t *s = map_spec(m);
  const share_t *h = map_share(m);
  uint32_t each = s->dram.channels / mig_memory_slices(s); /* channels of a slice of memory */
  int rc = 0;
  m->of_app = calloc(GMMU_MAX_APPS, sizeof *m->of_app);
  if (!m->of_app) return component_no_memory(e, "the address maps of instances");
  for (uint32_t a = 0; a < h->apps && rc == 0; a++) {
    addrmap_t *own = &m->of_app[a];
    rc = addrmap_init(own, &s->map, h->mig[a].slices * each, s->l2.slices, s->dram.banks,
                      s->dram.row_bytes, s->core.line_bytes, e);
    if (rc == 0) rc = addrmap_tabulate(own, s->memory.memory_bytes, e);
    m->first_slice[a] = (uint16_t)(h->mig[a].first_slice * each * s->l2.slices);
  }
  return rc;
}

/* The channels an application's memory lies in: all, or its share of them, those that an equal
 * division leaves over being nobody's. */
static int map_init(void *block, err_t *e) {
  addrmap_t *m = block;
  const gpu_spec_t *s = map_spec(m);
  uint32_t apps = map_share(m)->apps, channels = s->dram.channels, slices = s->l2.slices;
  bool divided = s->map.partition;
  uint32_t own = divided ? channels / apps : channels;
  if (!own) {
    err_set(e, GMMU_ERANGE, "%u memory channels cannot be divided between %u applications",
            channels, apps);
    return err_for_key(e, "map.partition");
  }
  bool mig = mig_wanted(&s->share);
  if (mig) own = channels / mig_memory_slices(s);
  uint64_t most = (uint64_t)s->core.line_bytes << 32; /* request_t.local has 32 bits */
  if (s->memory.memory_bytes / own > most)
    return err_set(e, GMMU_ERANGE, "more than %llu GB in a memory channel",
                   (unsigned long long)(most >> 30));
  int rc = addrmap_init(m, &s->map, own, slices, s->dram.banks, s->dram.row_bytes,
                        s->core.line_bytes, e);
  for (uint32_t a = 0; divided && a < apps; a++) m->first_slice[a] = (uint16_t)(a * own * slices);
  if (rc == 0 && mig) return map_instances(m, e);
  if (rc == 0 && strcmp(s->map.kind, "hash") == 0)
    rc = addrmap_init_hash(m, &s->map, channels,
                           l2_sets(&s->l2, channels * slices, s->core.line_bytes),
                           s->memory.memory_bytes, e);
  return rc < 0 ? rc : addrmap_tabulate(m, s->memory.memory_bytes, e);
}
static void map_fini(void *block) { addrmap_fini(block); }

static const component_t map_row = {.name = "address map",
                                    .stage = STAGE_MAP,
                                    .options = map_groups,
                                    .init = map_init,
                                    .fini = map_fini};

/* ---- the memory manager ---- */

static const char *manager_name(uint32_t i) {
  return mm_manager_all[i] ? mm_manager_name(mm_manager_all[i]) : NULL;
}
#define NAMES(function, ...)                                                                       \
  static const char *function(uint32_t i) {                                                        \
    static const char *const names[] = {__VA_ARGS__};                                              \
    return i < sizeof names / sizeof *names ? names[i] : NULL;                                     \
  }
NAMES(cac_name, "none", "cac", "cac-bc", "ideal")
NAMES(paging_name, "preload", "demand", "uvm")
NAMES(prefetch_name, "none", "block", "tree")
NAMES(evict_name, "none", "lru", "tree")
NAMES(table_name, "radix", "fs-hpt")
#undef NAMES

static const opt_t memory_options[] = {
#define FIELD(f) offsetof(memory_spec_t, f)
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, FIELD(f), lo, hi, d, u, h, NULL, NULL }
#define SIZE(f, n, lo, hi, d, h)                                                                   \
  { n, OPT_SIZE, FIELD(f), lo, hi, d, "bytes", h, NULL, NULL }
#define NAME(f, n, names, d, h)                                                                    \
  { n, OPT_NAME, FIELD(f), 0, 0, 0, "", h, names, d }
    NAME(manager, "manager", manager_name, "gpu-mmu", "memory manager"),
    SIZE(memory_bytes, "bytes", 1 << 21, 1ull << 40, 1ull << 32, "physical memory"),
    SIZE(base_bytes, "page", 4096, 1 << 21, 4096, "base page"),
    SIZE(large_bytes, "large_page", 4096, 1 << 30, 1 << 21, "large page"),
    NAME(format, "format", mm_format_name, "x86-4",
         "of page tables: levels, entries and sizes of pages (docs/mm.md)"),
    NAME(table, "table", table_name, "radix",
         "what walks read: the radix table of the format, or a hashed one before it (FS-HPT)"),
    SIZE(huge_bytes, "huge_page", 0, 1 << 30, 0,
         "manager mixed: a page above the large one that may be used, 512 MB or 1 GB as the format "
         "has it; 0: none"),
    SIZE(align_bytes, "align", 0, 1 << 30, 0,
         "manager mixed: the alignment that allocations are asked to have; their pages are no "
         "larger; "
         "0: any"),
    U32(va_bits, "va_bits", 32, 57, 48, "bits", "virtual address, of format x86-4"),
    U32(level_bits, "level_bits", 1, 13, 9, "bits",
        "index bits of one page-table level, of format x86-4"),
    NAME(
        cac, "cac", cac_name, "cac",
        "compaction of mosaic: copies through DRAM, by bulk copy inside it, free of cost, or none"),
    U32(splinter_below, "splinter_below", 1, 100, 50, "%",
        "mosaic splinters a large page of which less than this is allocated"),
    U32(fragment_index, "fragment_index", 0, 100, 0, "%",
        "large frames that hold data of nobody from the beginning on"),
    U32(fragment_occupancy, "fragment_occupancy", 0, 100, 50, "%", "of such a large frame"),
    {"fragment_seed", OPT_U64, FIELD(fragment_seed), 0, UINT64_MAX, 1, "",
     "which large frames, and where in them", NULL, NULL},
    {"colours", OPT_BITS, FIELD(colours), 0, COLOR_TENANTS_MAX - 1, 0, "",
     "coloured: page colours of each application, 0 1 2; 3 for two; none: equal shares", NULL,
     NULL},
    {"colour_tables", OPT_BOOL, FIELD(colour_tables), 0, 1, 1, "",
     "coloured: page tables lie in the application's colours, too", NULL, NULL},
    U32(bulk_copy_ns, "bulk_copy", 0, 1000000, 80, "ns",
        "cac-bc: of a page, inside the DRAM (Mosaic 4.4)"),
    U32(shootdown_cycles, "shootdown", 0, 1000000, 200, "cycles",
        "of a shoot-down by compaction, during which the SMs stand still, or before an evicted "
        "frame is used again (200: an invalidation of the L2 TLB in Mosaic's release)"),
    NAME(paging, "paging", paging_name, "preload",
         "preload: data is in GPU memory from its allocation on; demand: it comes over the link "
         "when touched; uvm: so, in batches, as NVIDIA's driver of unified memory does it"),
    U32(faults, "faults", 1, 65536, 256, "registers",
        "demand, uvm: pages asked for at once (a guess: a batch of the UVM driver)"),
    NAME(prefetch, "prefetch", prefetch_name, "none",
         "demand: with a page comes its 64 KB block, or every half of 2 MB that is mostly there"),
    NAME(evict, "evict", evict_name, "none",
         "demand, uvm, if memory is full: the large page used least recently, or parts of it by "
         "halves; "
         "none: that is an error"),
#undef NAME
#undef SIZE
#undef U32
#undef FIELD
    {0},
};
static const opt_t hpt_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(mm_hashed_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(percent, "entries", 1, 1000, 150, "%", "of the pages that memory holds (a guess)"),
    U32(cluster, "cluster", 1, 64, 8, "pages",
        "adjacent, whose entries lie together: a power of two (a guess)"),
    U32(probes, "probes", 1, 14, 14, "places",
        "for the entries of such pages; if all are taken, they are in the radix table (a guess: "
        "what a step of 4 bits can say)"),
#undef U32
    {0},
};
static const option_group_t memory_groups[] = {
    {"mem", "memory manager", memory_options, offsetof(gpu_spec_t, memory)},
    {"hpt", "the hashed page table mem.table=fs-hpt", hpt_options, offsetof(gpu_spec_t, hpt)},
    {0},
};

static uint32_t frame_channel(const void *ctx, uint64_t large_frame) {
  const memory_t *m = ctx;
  const addrmap_t *map = memory_map(m);
  return addrmap_channel(
      map, addrmap_place(map, large_frame * memory_spec(m)->memory.large_bytes).slice);
}

static mm_cac_t cac_spec(const memory_spec_t *m) {
  mm_copy_t copy = strcmp(m->cac, "cac-bc") == 0  ? MM_COPY_BULK
                   : strcmp(m->cac, "ideal") == 0 ? MM_COPY_FREE
                                                  : MM_COPY_DRAM;
  return (mm_cac_t){strcmp(m->cac, "none") != 0, copy, m->splinter_below};
}

static mm_zone_t mig_zone(const gpu_spec_t *s, const mig_instance_t *x) {
  uint64_t large = s->memory.large_bytes,
           slice = s->memory.memory_bytes / mig_memory_slices(s) / large * large;
  return (mm_zone_t){x->first_slice * slice, x->slices * slice};
}

/* A TLB that fetches adjacent entries at once finds only those of one cluster side by side. */
static int hashed_fits(const gpu_spec_t *s, err_t *e) {
  bool colt = strcmp(s->tlb.format, "colt") == 0;
  for (uint32_t l = 0; l < s->tlb.levels && !s->tlb.ideal; l++) {
    const tlb_spec_t *t = &s->tlb_level[l];
    uint32_t pages = t->whole ? t->reach : colt && t->reach == 1 ? s->colt.pages : 1;
    if (pages > s->hpt.cluster)
      return err_set(e, GMMU_ERANGE,
                     "%s brings %u pages whose entries lie beside each other; mem.table=fs-hpt has "
                     "%u together (hpt.cluster)",
                     t->whole ? "a TLB with whole=true" : "tlb.format=colt", pages, s->hpt.cluster);
  }
  return GMMU_OK;
}

/* The manager is a library of its own; who sets options knows other names. */
static void name_option(err_t *e) {
  static const char *const option[][2] = {
      {"base_bytes", "mem.page"},       {"large_bytes", "mem.large_page"},
      {"memory_bytes", "mem.bytes"},    {"manager", "mem.manager"},
      {"level_bits", "mem.level_bits"}, {"format", "mem.format"},
      {"huge_bytes", "mem.huge_page"},  {"align_bytes", "mem.align"},
      {"cluster", "hpt.cluster"},       {"probes", "hpt.probes"}};
  for (size_t i = 0; e && i < sizeof option / sizeof *option; i++)
    if (strcmp(e->key, option[i][0]) == 0) {
      snprintf(e->key, sizeof e->key, "%s", option[i][1]);
      return;
    }
}

/* A large frame is in one memory channel if the map leaves it whole. */
static int memory_init(void *block, err_t *e) {
  memory_t *y = block;
  const gpu_spec_t *s = memory_spec(y);
  const memory_spec_t *m = &s->memory;
  const addrmap_t *map = memory_map(y);
  bool whole = strcmp(s->map.kind, "frame") == 0 &&
               m->large_bytes <= 1ull << (map->line_shift + map->chunk_shift);
  mm_colours_t colours;
  int rc = colours_deal(s, memory_share(y)->apps, &colours, e);
  if (rc < 0) return rc;
  mm_spec_t spec = {.manager = m->manager,
                    .memory_bytes = m->memory_bytes,
                    .base_bytes = m->base_bytes,
                    .large_bytes = m->large_bytes,
                    .va_bits = m->va_bits,
                    .level_bits = m->level_bits,
                    .spaces = memory_share(y)->apps,
                    .channel = whole ? frame_channel : NULL,
                    .channel_ctx = y,
                    .channels = map->channels,
                    .cac = cac_spec(m),
                    .fragments = {m->fragment_index, m->fragment_occupancy, m->fragment_seed},
                    .colours = colours,
                    .format = m->format,
                    .huge_bytes = m->huge_bytes,
                    .align_bytes = m->align_bytes};
  y->hashed = strcmp(m->table, "fs-hpt") == 0;
  if (y->hashed) spec.hashed = s->hpt;
  for (uint32_t a = 0; mig_wanted(&s->share) && a < memory_share(y)->apps; a++)
    spec.zone[a] = mig_zone(s, &memory_share(y)->mig[a]);
  rc = y->hashed ? hashed_fits(s, e) : GMMU_OK;
  if (rc == 0 && (rc = mm_new(&spec, &y->mm, e)) < 0) name_option(e);
  if (rc < 0) return rc;
  y->page_shift = mm_base_shift(y->mm);
  y->mixed = mm_manager_mixed(mm_manager_find(m->manager));
  y->large_pages_shift = mm_large_shift(y->mm) - y->page_shift;
  return GMMU_OK;
}

static void memory_fini(void *block) {
  memory_t *y = block;
  mm_actions_fini(&y->actions);
  mm_free(y->mm);
}
static int memory_check(const void *block, err_t *e) {
  return mm_check(((const memory_t *)block)->mm, e);
}

static const component_t memory_row = {.name = "memory manager",
                                       .stage = STAGE_MEMORY,
                                       .options = memory_groups,
                                       .init = memory_init,
                                       .fini = memory_fini,
                                       .check = memory_check};
