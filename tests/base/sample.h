#ifndef GMMU_TESTS_BASE_SAMPLE_H
#define GMMU_TESTS_BASE_SAMPLE_H
/* A small configuration with one option of every type; the fuzz target reads into it as well. */
#include "base/opt.h"
#include <stddef.h>

typedef struct {
  uint32_t entries, ways;
  uint64_t latency_cycles;
  const char *replacement;
} sample_tlb_t;

typedef struct {
  uint64_t page_bytes;
  bool check;
} sample_mm_t;

typedef struct {
  sample_tlb_t l1tlb, l2tlb;
  sample_mm_t mm;
} sample_t;

static inline const char *sample_replacement(uint32_t i) {
  static const char *const names[] = {"lru", "fifo", "random", "srrip"};
  return i < 4 ? names[i] : NULL;
}

static const opt_t sample_tlb_opts[] = {
    {"entries", OPT_U32, offsetof(sample_tlb_t, entries), 1, 65536, 64, "entries", "size", 0, 0},
    {"ways", OPT_U32, offsetof(sample_tlb_t, ways), 1, 64, 16, "", "associativity", 0, 0},
    {"latency", OPT_U64, offsetof(sample_tlb_t, latency_cycles), 0, UINT64_MAX, 10, "cycles",
     "of a look-up", 0, 0},
    {"replacement", OPT_NAME, offsetof(sample_tlb_t, replacement), 0, 0, 0, "", "who leaves",
     sample_replacement, "lru"},
    {0},
};

static const opt_t sample_mm_opts[] = {
    {"page", OPT_SIZE, offsetof(sample_mm_t, page_bytes), 4096, 2 << 20, 4096, "bytes",
     "base page | size", 0, 0},
    {"check", OPT_BOOL, offsetof(sample_mm_t, check), 0, 1, 0, "", "walk invariants", 0, 0},
    {0},
};

typedef struct {
  opt_group_t group[4];
} sample_groups_t;

static inline sample_groups_t sample_groups(sample_t *s) {
  return (sample_groups_t){{
      {"l1tlb", "first-level TLB", sample_tlb_opts, &s->l1tlb},
      {"l2tlb", "second-level TLB", sample_tlb_opts, &s->l2tlb},
      {"mm", "memory manager", sample_mm_opts, &s->mm},
      {0},
  }};
}
#endif
