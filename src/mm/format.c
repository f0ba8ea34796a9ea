/* Formats of page tables. NVIDIA's are those of its open kernel modules (uvm_pascal_mmu.c,
 * uvm_ampere_mmu.c, uvm_hopper_mmu.c), AMD's that of the Linux driver (vm_adjust_size: four levels
 * of nine bits). */
#include "mm/format.h"
#include <inttypes.h>
#include <string.h>

#define NVIDIA_BELOW_47                                                                            \
  {12, 9, 8}, {21, 8, 16}, {29, 9, 8}, { 38, 9, 8 }

static const format_t formats[] = {
    {.name = "x86-4",
     .help = "levels of mem.level_bits bits below mem.va_bits, entries of 8 bytes"},
    {.name = "pascal",
     .help = "NVIDIA from Pascal to Turing: 49 bits as 2, 9, 9, 8 and 9 or 5; 4 KB, 64 KB, 2 MB",
     .levels = 5,
     .level = {NVIDIA_BELOW_47, {47, 2, 8}},
     .medium = 16,
     .dual = true},
    {.name = "ampere",
     .help = "NVIDIA's of Ampere: that of Pascal, and pages of 512 MB",
     .levels = 5,
     .level = {NVIDIA_BELOW_47, {47, 2, 8}},
     .medium = 16,
     .dual = true,
     .huge = 29},
    {.name = "hopper",
     .help = "NVIDIA's of Hopper: 57 bits as 1, 9, 9, 9, 8 and 9 or 5; 4 KB, 64 KB, 2 MB, 512 MB",
     .levels = 6,
     .level = {NVIDIA_BELOW_47, {47, 9, 8}, {56, 1, 8}},
     .medium = 16,
     .dual = true,
     .huge = 29},
    {.name = "amd-gfx9",
     .help = "AMD's of gfx9: 48 bits as 4 x 9; 4 KB, fragments of 64 KB, 2 MB, 1 GB",
     .levels = 4,
     .level = {{12, 9, 8}, {21, 9, 8}, {30, 9, 8}, {39, 9, 8}},
     .medium = 16,
     .huge = 30},
};
#define FORMATS (sizeof formats / sizeof *formats)

const char *mm_format_name(uint32_t i) { return i < FORMATS ? formats[i].name : NULL; }
const char *mm_format_help(uint32_t i) { return i < FORMATS ? formats[i].help : NULL; }

const format_t *format_find(const char *name) {
  if (!name) return &formats[0];
  for (size_t i = 0; i < FORMATS; i++)
    if (!strcmp(formats[i].name, name)) return &formats[i];
  return NULL;
}

uint32_t mm_format_va_bits(const char *format, uint32_t va_bits) {
  const format_t *f = format_find(format);
  if (!f || !f->levels) return va_bits;
  return f->level[f->levels - 1].shift + f->level[f->levels - 1].bits;
}

static uint32_t log2u(uint64_t x) { return 63 - (uint32_t)__builtin_clzll(x); }

/* Levels of one width, the root included: its node is as large as the others. */
static geo_t uniform(const mm_spec_t *s) {
  uint32_t base_shift = log2u(s->base_bytes), bits = s->va_bits - base_shift;
  uint32_t large_order = log2u(s->large_bytes) - base_shift, width = s->level_bits;
  geo_t g = {.vpns = UINT64_C(1) << bits,
             .levels = (bits + width - 1) / width,
             .slot_shift = {width + 3, width + 3},
             .base_shift = base_shift,
             .large_order = large_order,
             .large_level = large_order / width,
             .large_run = 1u << large_order % width};
  g.low = g.large_level < 2;
  for (uint32_t l = 0; l <= MM_MAX_LEVELS; l++) {
    g.level[l].shift = l * width < 63 ? l * width : 63;
    g.level[l].mask = (1u << width) - 1;
    g.level[l].entry_shift = 3;
  }
  return g;
}

static int no_such_page(const format_t *f, const char *key, uint64_t bytes, err_t *e) {
  int rc = err_set(e, GMMU_ERANGE, "format %s has no pages of %" PRIu64 " bytes%s", f->name, bytes,
                   f->dual ? ": 4 KB, 64 KB, 2 MB, and 512 MB from Ampere on"
                           : ": 4 KB, 2 MB, 1 GB, and fragments of 64 KB");
  err_for_key(e, key);
  return rc;
}

static void add_level(geo_t *g, uint32_t shift, uint32_t bits, uint32_t entry) {
  uint32_t l = g->levels++, entry_shift = log2u(entry);
  g->level[l].shift = shift - g->base_shift;
  g->level[l].mask = (1u << bits) - 1;
  g->level[l].entry_shift = entry_shift;
  /* tables of 64-KB pages are so small that they share frames; a root has a place of its own */
  g->level[l].node_class = l == 0 && bits + entry_shift < 12;
  g->level[l + 1].shift = shift - g->base_shift + bits;
}

/* Those above the base page; its own is the first, or the small table of medium pages. */
static void add_levels(geo_t *g, const format_t *f) {
  if (f->dual && g->base_shift == f->medium)
    add_level(g, f->medium, f->level[1].shift - f->medium, f->level[0].entry);
  for (uint32_t l = 0; l < f->levels; l++)
    if (f->level[l].shift >= g->base_shift)
      add_level(g, f->level[l].shift, f->level[l].bits, f->level[l].entry);
  g->vpns = UINT64_C(1) << g->level[g->levels].shift;
  for (uint32_t l = g->levels + 1; l <= MM_MAX_LEVELS; l++) g->level[l].shift = 63;
}

static bool maps(const format_t *f, uint32_t shift) {
  return shift == f->level[0].shift || shift == f->level[1].shift || shift == f->huge ||
         (f->dual && shift == f->medium);
}

int format_geometry(const mm_spec_t *s, bool mixed, geo_t *out, err_t *e) {
  const format_t *f = format_find(s->format);
  uint32_t huge = s->huge_bytes ? log2u(s->huge_bytes) : 0;
  if (!f->levels) {
    *out = uniform(s);
    return huge ? no_such_page(f, "huge_bytes", s->huge_bytes, e) : GMMU_OK;
  }
  uint32_t base = log2u(s->base_bytes), large = log2u(s->large_bytes);
  if (!maps(f, base) || base == f->huge) return no_such_page(f, "base_bytes", s->base_bytes, e);
  if (!maps(f, large)) return no_such_page(f, "large_bytes", s->large_bytes, e);
  if (huge && (huge != f->huge || s->huge_bytes & (s->huge_bytes - 1)))
    return no_such_page(f, "huge_bytes", s->huge_bytes, e);
  geo_t g = {.base_shift = base,
             .large_order = large - base,
             .large_run = 1,
             .slot_shift = {12, 8}}; /* no node has more than 4 KB */
  add_levels(&g, f);
  while (g.level[g.large_level].shift != g.large_order) g.large_level++;
  if (mixed && f->medium > base && f->medium < large && base == f->level[0].shift)
    g.medium_order = f->medium - base, g.dual = f->dual;
  if (mixed && huge > large) {
    g.huge_order = huge - base;
    while (g.level[g.huge_level].shift != g.huge_order) g.huge_level++;
  }
  g.low = g.large_level < 2 && !g.huge_order;
  *out = g;
  return GMMU_OK;
}
