/* A damaged file is refused, with place and reason, or replays as if nothing had happened: never
 * something else. */
#include "fixture.h"
#include <fcntl.h>

typedef struct {
  uint8_t *bytes;
  size_t size;
} image_t;

static image_t load(const char *path) {
  image_t m = {malloc(1 << 24), 0};
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  m.size = fread(m.bytes, 1, 1 << 24, f);
  fclose(f);
  return m;
}

/* A new file each time: some file systems write a truncated one to disk when it is closed. */
static void store(const char *path, const uint8_t *bytes, size_t size) {
  remove(path);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, size, f), size);
  fclose(f);
}

/* Opens and replays; returns whether it was refused. Fails the test if it is accepted and differs.
 */
static bool refused(fixture_t *f, const synth_spec_t *spec, const char *what, size_t at) {
  source_t *got, *want;
  memset(&f->e, 0, sizeof f->e);
  if (gmt_open_with(f->path, &(gmt_reader_opts_t){1 << 20}, &got, &f->e) < 0) {
    if (!f->e.has_offset || !f->e.file[0] || !f->e.text[0])
      fail_msg("%s %zu: bare error", what, at);
    return true;
  }
  want = bound(synth_new(spec), 2);
  const char *flaw = pair_run(want, bound(got, 2), &(pair_order_t){.seed = 7, .inflight = 2}, NULL);
  /* A difference is a wrong result; a failure starts with the call that reported it. */
  if (flaw && strncmp(flaw, "step: ", 6) && strncmp(flaw, "cta_begin: ", 11) &&
      strncmp(flaw, "next_command: ", 14))
    fail_msg("%s %zu: wrong result: %s", what, at, flaw);
  if (flaw && !strstr(flaw, f->path)) fail_msg("%s %zu: no file name: %s", what, at, flaw);
  want->ops->free(want), got->ops->free(got);
  return flaw != NULL;
}

static synth_spec_t small_program(uint64_t seed) {
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = seed, .launches = 2, .blocks = 3};
  s.threads = 64, s.length = 8, s.insts = 12;
  return s;
}

static void every_flipped_bit_of_a_small_file_is_noticed(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = small_program(f->seed);
  record(f, &s);
  image_t m = load(f->path);
  assert_false(refused(f, &s, "intact", 0));
  for (size_t bit = 0; bit < m.size * 8; bit++) {
    m.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    store(f->path, m.bytes, m.size);
    /* Every byte is covered by a hash, so harmless flips do not exist, either. */
    if (!refused(f, &s, "bit", bit)) fail_msg("flipped bit %zu was not noticed", bit);
    m.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  free(m.bytes);
}

static void every_truncation_of_a_small_file_is_noticed(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = small_program(f->seed + 1);
  record(f, &s);
  image_t m = load(f->path);
  for (size_t size = 0; size < m.size; size++) {
    store(f->path, m.bytes, size);
    if (!refused(f, &s, "length", size)) fail_msg("truncation to %zu was not noticed", size);
  }
  free(m.bytes);
}

static void appended_bytes_are_noticed(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = small_program(f->seed);
  record(f, &s);
  image_t m = load(f->path);
  for (size_t more = 1; more < 100; more++) {
    m.bytes[m.size + more - 1] = 0;
    store(f->path, m.bytes, m.size + more);
    assert_true(refused(f, &s, "appended", more));
  }
  free(m.bytes);
}

static void flips_and_truncations_of_a_larger_file_are_noticed(void **state) {
  fixture_t *f = *state;
  rng_t r = {f->seed};
  synth_spec_t s = {.kind = SYNTH_RANDOM, .seed = f->seed, .launches = 2, .blocks = 4};
  s.threads = 512, s.length = 1200, s.insts = 60;
  record(f, &s);
  image_t m = load(f->path);
  assert_true(m.size > 131072);
  for (int i = 0; i < 60; i++) {
    size_t at = (size_t)(rng_next(&r) % m.size);
    m.bytes[at] ^= (uint8_t)(1 << i % 8);
    store(f->path, m.bytes, m.size);
    if (!refused(f, &s, "byte", at)) fail_msg("flip in byte %zu was not noticed", at);
    m.bytes[at] ^= (uint8_t)(1 << i % 8);
    store(f->path, m.bytes, at);
    if (!refused(f, &s, "length", at)) fail_msg("truncation to %zu was not noticed", at);
  }
  free(m.bytes);
}

static void exchanged_frames_are_noticed(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_GATHER, .seed = f->seed, .launches = 1, .blocks = 2};
  s.threads = 1024, s.length = 40;
  record(f, &s);
  image_t m = load(f->path);
  uint8_t keep[4096];
  memcpy(keep, m.bytes + 4096, 4096);
  memcpy(m.bytes + 4096, m.bytes + 16384, 4096);
  memcpy(m.bytes + 16384, keep, 4096);
  store(f->path, m.bytes, m.size);
  assert_true(refused(f, &s, "exchange", 0));
  free(m.bytes);
}

static void a_damaged_frame_is_named_by_its_offset(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_TRIAD, .seed = 1, .launches = 1, .blocks = 1, .threads = 32};
  s.length = 10;
  record(f, &s);
  image_t m = load(f->path);
  m.bytes[40] ^= 1; /* the first frame begins behind the header, at 32 */
  store(f->path, m.bytes, m.size);
  assert_int_equal(gmt_verify(f->path, &f->e), GMMU_EFORMAT);
  assert_true(f->e.has_offset);
  assert_int_equal(f->e.offset, 32);
  assert_string_equal(f->e.file, f->path);
  assert_string_equal(f->e.text, "frame is damaged: its hash differs");
  free(m.bytes);
}

static void another_version_is_named(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = small_program(1);
  record(f, &s);
  image_t m = load(f->path);
  m.bytes[8] = 9;
  store(f->path, m.bytes, m.size);
  source_t *got;
  assert_int_equal(gmt_open(f->path, &got, &f->e), GMMU_EFORMAT);
  assert_null(got);
  assert_string_equal(f->e.text, "version 9; this program reads versions 1 to 4");
  free(m.bytes);
}

static void what_is_not_a_trace_is_refused(void **state) {
  fixture_t *f = *state;
  source_t *got;
  uint8_t text[400];
  memset(text, 'x', sizeof text);
  store(f->path, text, sizeof text);
  assert_int_equal(gmt_open(f->path, &got, &f->e), GMMU_EFORMAT);
  assert_string_equal(f->e.text, "not a .gmt file");
  assert_int_equal(gmt_open(f->dir, &got, &f->e), GMMU_EIO);
  assert_string_equal(f->e.text, "cannot open: it is a folder, not a regular file");
  assert_int_equal(gmt_open(f->other, &got, &f->e), GMMU_ENOENT);
  assert_string_equal(f->e.file, f->other);
}

int main(void) {
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(every_flipped_bit_of_a_small_file_is_noticed),
      T(every_truncation_of_a_small_file_is_noticed),
      T(appended_bytes_are_noticed),
      T(flips_and_truncations_of_a_larger_file_are_noticed),
      T(exchanged_frames_are_noticed),
      T(a_damaged_frame_is_named_by_its_offset),
      T(another_version_is_named),
      T(what_is_not_a_trace_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
