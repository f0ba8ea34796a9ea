/* step() allocates nothing, frames that come and go included. Counts calls by taking malloc's
 * place, which the sanitizers do themselves; there this test only replays. */
#include "fixture.h"

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
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t m);
extern void *__libc_realloc(void *p, size_t n);
__attribute__((visibility("default"))) void *malloc(size_t n) {
  allocations++;
  return __libc_malloc(n);
}
__attribute__((visibility("default"))) void *calloc(size_t n, size_t m) {
  allocations++;
  return __libc_calloc(n, m);
}
__attribute__((visibility("default"))) void *realloc(void *p, size_t n) {
  allocations++;
  return __libc_realloc(p, n);
}
#endif

static void steps_allocate_nothing(void **state) {
  fixture_t *f = *state;
  synth_spec_t spec = {.kind = SYNTH_GATHER, .seed = 1, .launches = 1, .blocks = 1};
  spec.threads = 1024, spec.length = 400;
  record(f, &spec);
  source_t *s = opened(f, 1, 1);
  command_t c;
  do must(s->ops->next_command(s, 0, &c, &f->e), &f->e);
  while (c.kind != CMD_LAUNCH);
  uint32_t slot[32], next[32], running = 32;
  for (uint32_t i = 0; i < 32; i++) slot[i] = i;
  must(s->ops->cta_begin(s, 0, 0, 32, slot, next, &f->e), &f->e);
  uint64_t before = allocations;
  warp_op_t op;
  while (running)
    for (uint32_t i = 0; i < 32; i++) {
      if (next[i] == STREAM_END) continue;
      next[i] = s->ops->step(s, 0, i, &op);
      assert_int_not_equal(next[i], STREAM_FAIL);
      running -= next[i] == STREAM_END;
    }
  uint64_t after = allocations;
  gmt_reader_stats_t st;
  gmt_stats(s, &st);
  assert_true(st.frames_read > 8);
  assert_int_equal(after, before);
#ifndef SANITIZED
  assert_true(before > 0); /* the counter is in place */
#endif
  s->ops->free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(steps_allocate_nothing, setup, teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
