/* The cycle loop allocates nothing, and no result depends on what memory held before. Calls are
 * counted by taking malloc's place, which the sanitizers do themselves; there nothing is counted.
 */
#include "help.h"
#include <malloc.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

static uint64_t allocations;
#ifndef SANITIZED
#define TAKES_PLACE __attribute__((visibility("default")))
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t m);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
TAKES_PLACE void *malloc(size_t n) {
  allocations++;
  return __libc_malloc(n);
}
TAKES_PLACE void *calloc(size_t n, size_t m) {
  allocations++;
  return __libc_calloc(n, m);
}
TAKES_PLACE void *realloc(void *p, size_t n) {
  allocations++;
  return __libc_realloc(p, n);
}
TAKES_PLACE void *aligned_alloc(size_t align, size_t n) {
  allocations++;
  return __libc_memalign(align, n);
}
#endif

static const char *const workloads[] = {
    "stream:footprint=1M,blocks=6,warps=4,steps=6",
    "stride:footprint=4M,lane=4K,blocks=4,warps=4,steps=6",
    "chase:footprint=2M,lanes=8,blocks=4,warps=2,steps=8",
    "gather:footprint=4M,blocks=8,warps=4,steps=5,launches=2",
    "hotset:footprint=2M,hot=64K,blocks=4,warps=4,steps=6",
    "tiled2d:footprint=1M,blocks=4,warps=4,steps=3",
    "compute:footprint=64K,blocks=4,warps=4,steps=4",
};
#define WORKLOADS (sizeof workloads / sizeof *workloads)

static gpu_spec_t spec_of(uint32_t levels) {
  gpu_spec_t s = lab_spec();
  setn(&s, "gpu.sms", 2), setn(&s, "tlb.levels", levels), setn(&s, "run.series", 100);
  set(&s, "l2.bytes", "16K");
  if (levels == 1) set(&s, "walk.pwc", "true");
  return s;
}

static uint64_t allocations_between(const gpu_spec_t *spec, const char *text, uint64_t from,
                                    uint64_t to) {
  source_t *src = generator(text);
  gpu_t *g = machine(spec, &src, 1);
  gpu_limits_t limits = {.no_relaunch = true};
  assert_int_equal(gpu_run(g, &limits, from, NULL), 0);
  uint64_t before = allocations;
  assert_int_equal(gpu_run(g, &limits, to, NULL), 0);
  uint64_t n = allocations - before;
  gpu_free(g);
  src->ops->free(src);
  return n;
}

/* From the second cycle, when the application has its memory, to the last but one, before it gives
 * it back. */
static void the_cycle_loop_allocates_nothing(void **state) {
  (void)state;
  for (uint32_t i = 0; i < WORKLOADS; i++)
    for (uint32_t levels = 0; levels <= 2; levels++) {
      gpu_spec_t spec = spec_of(levels);
      gpu_t *g = run_generator(&spec, workloads[i]);
      uint64_t end = gpu_cycles(g);
      gpu_free(g);
      assert_int_equal(allocations_between(&spec, workloads[i], 2, end - 2), 0);
    }
#ifndef SANITIZED
  assert_true(allocations > 0); /* the counter is in place */
#endif
}

static char *run_over(uint32_t levels, const char *text, int pattern) {
  mallopt(M_PERTURB, pattern); /* what malloc gives out holds ~pattern; what it got back, pattern */
  gpu_spec_t spec = spec_of(levels);
  gpu_t *g = run_generator(&spec, text);
  char *json = stats_text(g);
  gpu_free(g);
  mallopt(M_PERTURB, 0);
  return json;
}

static void results_do_not_depend_on_the_heap(void **state) {
  (void)state;
  for (uint32_t i = 0; i < WORKLOADS; i++)
    for (uint32_t levels = 0; levels <= 2; levels++) {
      char *plain = run_over(levels, workloads[i], 0);
      static const int patterns[] = {0x55, 0xaa, 0xff};
      for (uint32_t k = 0; k < 3; k++) {
        char *other = run_over(levels, workloads[i], patterns[k]);
        assert_string_equal(plain, other);
        free(other);
      }
      free(plain);
    }
}

/* Two machines in one process do not see each other. */
static void machines_do_not_share_state(void **state) {
  (void)state;
  gpu_spec_t spec = spec_of(2);
  gpu_t *alone = run_generator(&spec, workloads[3]);
  char *want = stats_text(alone);
  source_t *src[2] = {generator(workloads[3]), generator(workloads[0])};
  gpu_t *g[2] = {machine(&spec, &src[0], 1), machine(&spec, &src[1], 1)};
  gpu_limits_t limits = {.no_relaunch = true};
  int running[2] = {0};
  for (uint64_t until = 50; !running[0]; until += 50)
    for (uint32_t i = 0; i < 2; i++)
      if (!running[i]) running[i] = gpu_run(g[i], &limits, until, NULL);
  finish(g[0]);
  char *got = stats_text(g[0]);
  assert_string_equal(want, got);
  free(want), free(got);
  gpu_free(alone);
  for (uint32_t i = 0; i < 2; i++) {
    gpu_free(g[i]);
    src[i]->ops->free(src[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_cycle_loop_allocates_nothing),
      cmocka_unit_test(results_do_not_depend_on_the_heap),
      cmocka_unit_test(machines_do_not_share_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
