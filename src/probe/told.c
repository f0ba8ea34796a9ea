/* CPUID's descriptions of TLBs. Sources: Intel's Software Developer's Manual, volume 2A, CPUID leaf
 * 18H; AMD's Programmer's Manual, volume 3, Fn8000_0005 and Fn8000_0006. */
#include "probe/told.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <string.h>

typedef struct {
  cpuid_fn get;
  void *ctx;
  uint64_t page_bytes;
  told_t *out;
} reader_t;

static void add(told_t *t, uint32_t level, uint32_t entries, uint32_t ways) {
  if (!entries || t->levels == TOLD_LEVELS) return;
  if (t->levels && t->at[t->levels - 1].level >= level) return; /* the first of a level counts */
  t->at[t->levels++] = (told_level_t){level, entries, ways};
}

/* Leaf 18H: a sub-leaf per structure. Type 1 is for data, 3 for both, 4 for loads; level and the
 * page sizes it holds follow. */
static void read_intel(const reader_t *x) {
  uint32_t r[4], last;
  x->get(x->ctx, 0x18, 0, r);
  last = r[0] < 32 ? r[0] : 32;
  for (uint32_t level = 1; level <= 3; level++)
    for (uint32_t sub = 0; sub <= last; sub++) {
      x->get(x->ctx, 0x18, sub, r);
      uint32_t type = r[3] & 31, pages = r[1] & 15, ways = r[1] >> 16, sets = r[2];
      bool data = type == 1 || type == 3 || type == 4;
      if (!data || (r[3] >> 5 & 7) != level || !(pages & (x->page_bytes > 4096 ? 2 : 1))) continue;
      add(x->out, level, ways * sets, r[3] >> 8 & 1 ? 0 : ways);
    }
}

static void read_amd(const reader_t *x) {
  static const uint8_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
  uint32_t first[4], second[4], large = x->page_bytes > 4096;
  x->get(x->ctx, 0x80000005, 0, first);
  x->get(x->ctx, 0x80000006, 0, second);
  uint32_t a = first[large ? 0 : 1], b = second[large ? 0 : 1];
  uint32_t all = a >> 24;
  add(x->out, 1, a >> 16 & 255, all == 255 ? 0 : all);
  if (b >> 28) add(x->out, 2, b >> 16 & 0xfff, ways[b >> 28]);
}

/* Entries for loads from 4 KB pages, by family and model: Intel's optimisation manual. */
static void look_up(const reader_t *x, uint32_t family, uint32_t model) {
  static const struct {
    uint32_t model, first, second;
  } known[] = {{0x55, 64, 1536},  /* Skylake, Cascade Lake and Cooper Lake servers */
               {0x6a, 64, 2048},  /* Ice Lake servers */
               {0x8f, 96, 2048},  /* Sapphire Rapids */
               {0xcf, 96, 2048}}; /* Emerald Rapids: the same core */
  for (uint32_t i = 0; i < sizeof known / sizeof *known; i++)
    if (family == 6 && known[i].model == model && x->page_bytes == 4096) {
      add(x->out, 1, known[i].first, 0);
      add(x->out, 2, known[i].second, 0);
      x->out->by = TOLD_PUBLISHED;
    }
}

told_t told_tlbs(cpuid_fn cpuid, void *ctx, uint64_t page_bytes) {
  told_t t = {0};
  reader_t x = {cpuid, ctx, page_bytes, &t};
  uint32_t r[4], id[4];
  char maker[13] = "";
  cpuid(ctx, 0, 0, r);
  memcpy(maker, &r[1], 4), memcpy(maker + 4, &r[3], 4), memcpy(maker + 8, &r[2], 4);
  bool intel = strcmp(maker, "GenuineIntel") == 0;
  if (intel && r[0] >= 0x18) read_intel(&x);
  if (strcmp(maker, "AuthenticAMD") == 0) read_amd(&x);
  t.by = t.levels ? TOLD_CPUID : TOLD_NOTHING;
  cpuid(ctx, 1, 0, id);
  uint32_t family = id[0] >> 8 & 15, model = (id[0] >> 4 & 15) | (id[0] >> 12 & 0xf0);
  if (!t.levels && intel) look_up(&x, family, model);
  return t;
}

#if defined(__x86_64__)
static void ask_processor(void *ctx, uint32_t leaf, uint32_t sub, uint32_t r[4]) {
  (void)ctx;
  __cpuid_count(leaf, sub, r[0], r[1], r[2], r[3]);
}
told_t told_host(uint64_t page_bytes) { return told_tlbs(ask_processor, NULL, page_bytes); }
#else
told_t told_host(uint64_t page_bytes) {
  (void)page_bytes;
  return (told_t){0};
}
#endif
