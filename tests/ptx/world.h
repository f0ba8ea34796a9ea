#ifndef GMMU_TESTS_PTX_WORLD_H
#define GMMU_TESTS_PTX_WORLD_H
/* A program over its own device memory, for tests: load text, allocate, launch. */
#include "ptx/ptx.h"
#include "unit.h"
#include <stdio.h>

#define PTX_HEAD ".version 7.0\n.target sm_70\n.address_size 64\n"

typedef struct {
  devmem_t *mem;
  ptx_t *p;
  err_t e;
  ptx_fault_t fault;
  ptx_options_t options;
  ptx_stats_t stats;
  char text[900]; /* the last error in words */
} world_t;

static inline int world_setup(void **state) {
  world_t *w = calloc(1, sizeof *w);
  *state = w;
  return devmem_new(&w->mem, &w->e) < 0 || ptx_new(w->mem, &w->p, &w->e) < 0 ? -1 : 0;
}

static inline int world_teardown(void **state) {
  world_t *w = *state;
  ptx_free(w->p);
  devmem_free(w->mem);
  free(w);
  return 0;
}

static inline int world_load(world_t *w, const char *text) {
  int r = ptx_load(w->p, "test.ptx", text, strlen(text), &w->e);
  if (r < 0) err_format(&w->e, w->text, sizeof w->text);
  return r;
}

static inline void must_load(world_t *w, const char *text) {
  if (world_load(w, text) < 0) fail_msg("%s", w->text);
}

static inline uint64_t must_alloc(world_t *w, uint64_t bytes) {
  uint64_t va = 0;
  assert_int_equal(devmem_alloc(w->mem, bytes, 0, "buffer", &va, &w->e), 0);
  return va;
}

static inline int world_run(world_t *w, const char *kernel, uint32_t grid, uint32_t block,
                            const void *params) {
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, kernel, &w->e);
  ptx_launch_t l = {
      .grid = {grid, 1, 1}, .block = {block, 1, 1}, .dynamic_shared_bytes = 0, .params = params};
  int r = k ? ptx_run(w->p, k, &l, &w->options, &w->stats, &w->fault, &w->e) : w->e.code;
  if (r < 0) err_format(&w->e, w->text, sizeof w->text);
  return r;
}

static inline void must_run(world_t *w, const char *kernel, uint32_t grid, uint32_t block,
                            const void *params) {
  if (world_run(w, kernel, grid, block, params) < 0) fail_msg("%s", w->text);
}

static inline uint32_t read32(world_t *w, uint64_t va) {
  uint32_t v = 0;
  assert_int_equal(devmem_read(w->mem, va, &v, 4, &w->e), 0);
  return v;
}

static inline void write32(world_t *w, uint64_t va, uint32_t v) {
  assert_int_equal(devmem_write(w->mem, va, &v, 4, &w->e), 0);
}

#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)
#define assert_says(w, part)                                                                       \
  do {                                                                                             \
    if (!strstr((w)->text, part)) fail_msg("'%s' is not in: %s", part, (w)->text);                 \
  } while (0)
#endif
