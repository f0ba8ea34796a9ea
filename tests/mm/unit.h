#ifndef GMMU_TESTS_MM_UNIT_H
#define GMMU_TESTS_MM_UNIT_H
/* cmocka's headers in the order it wants them, and what the tests of the memory manager share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gmmu/mm.h"

#define KB UINT64_C(1024)
#define MB (KB * 1024)
#define GB (MB * 1024)

static inline uint64_t test_seed(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}

/* 4 KB pages, 2 MB large frames, 48-bit addresses. */
static inline mm_spec_t spec_4k(const char *manager, uint64_t memory_bytes, uint32_t spaces) {
  return (mm_spec_t){.manager = manager,
                     .memory_bytes = memory_bytes,
                     .base_bytes = 4 * KB,
                     .large_bytes = 2 * MB,
                     .va_bits = 48,
                     .level_bits = 9,
                     .spaces = spaces};
}

static inline mm_t *mm_make(const mm_spec_t *spec) {
  mm_t *m;
  err_t e = {0};
  if (mm_new(spec, &m, &e)) fail_msg("mm_new: %s", e.text);
  return m;
}

static inline mm_t *mm_make_4k(const char *manager, uint64_t memory_bytes, uint32_t spaces) {
  mm_spec_t spec = spec_4k(manager, memory_bytes, spaces);
  return mm_make(&spec);
}

static inline void check_mm(const mm_t *m) {
  err_t e = {0};
  if (mm_check(m, &e)) fail_msg("mm_check: %s", e.text);
}

static inline void alloc_ok(mm_t *m, asid_t asid, uint64_t va, uint64_t bytes) {
  err_t e = {0};
  if (mm_alloc(m, asid, (vaddr_t){va}, bytes, NULL, &e)) fail_msg("mm_alloc: %s", e.text);
}

static inline void release_ok(mm_t *m, asid_t asid, uint64_t va) {
  err_t e = {0};
  if (mm_release(m, asid, (vaddr_t){va}, NULL, &e)) fail_msg("mm_release: %s", e.text);
}

#define UNMAPPED UINT64_MAX
/* The frame of the page at va, or UNMAPPED. */
static inline uint64_t frame_at(const mm_t *m, asid_t asid, uint64_t va) {
  ppn_t ppn;
  bool large;
  bool mapped = mm_translate(m, asid, (vpn_t){va >> mm_base_shift(m)}, &ppn, &large);
  return mapped ? ppn.v : UNMAPPED;
}

static inline mm_usage_t usage_of(const mm_t *m) {
  mm_usage_t u;
  mm_usage(m, &u);
  return u;
}
#endif
