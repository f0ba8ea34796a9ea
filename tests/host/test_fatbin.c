/* Fat binaries made here, byte by byte. */
#include "../base/unit.h"
#include "host/fatbin.h"
#include <lz4.h>
#include <zstd.h>

static const char text[] =
    ".version 6.0\n// the same words, the same words, the same words again\n";
typedef enum { PLAIN, LZ4, ZSTD } how_t;

static void put(uint8_t *p, uint64_t v, size_t bytes) { memcpy(p, &v, bytes); }

/* One image behind the others of the region; returns the new size. */
static size_t add_image(uint8_t *b, size_t at, uint16_t kind, uint32_t arch, how_t how) {
  uint8_t *p = b + at;
  size_t n = sizeof text;
  memset(p, 0, 64);
  memcpy(p + 64, text, n);
  if (how == LZ4) n = (size_t)LZ4_compress_default(text, (char *)p + 64, sizeof text, 4096);
  if (how == ZSTD) n = ZSTD_compress(p + 64, 4096, text, sizeof text, 3);
  put(p, kind, 2), put(p + 4, 64, 4), put(p + 8, (n + 7) & ~(size_t)7, 8), put(p + 28, arch, 4);
  put(p + 16, how ? n : 0, 4), put(p + 56, how ? sizeof text : 0, 8);
  put(p + 40, how == LZ4 ? 0x2011 : how == ZSTD ? 0x8011 : 0x11, 8);
  at += 64 + ((n + 7) & ~(size_t)7);
  put(b + 8, at - 16, 8);
  return at;
}
static size_t begin(uint8_t *b) {
  memset(b, 0, 8192);
  put(b, 0xba55ed50, 4), put(b + 4, 1, 2), put(b + 6, 16, 2);
  return 16;
}

static void every_storage_gives_the_text(void **state) {
  (void)state;
  static uint8_t b[8192];
  for (how_t how = PLAIN; how <= ZSTD; how++) {
    fatbin_t f;
    err_t e = {0};
    char *t;
    size_t n, size = add_image(b, begin(b), FATBIN_PTX, 75, how);
    assert_int_equal(fatbin_read(b, size, &f, &e), 0);
    assert_int_equal(f.images, 1);
    assert_int_equal(fatbin_text(b, size, &f.image[0], &t, &n, &e), 0);
    assert_string_equal(t, text);
    assert_int_equal(n, sizeof text - 1);
    free(t);
  }
}

static void the_newest_that_the_device_has_comes_first(void **state) {
  (void)state;
  static uint8_t b[8192];
  static const uint32_t archs[] = {90, 50, 70, 100};
  size_t size = begin(b);
  uint32_t order[FATBIN_MAX_IMAGES];
  fatbin_t f;
  err_t e = {0};
  for (uint32_t i = 0; i < 4; i++) size = add_image(b, size, FATBIN_PTX, archs[i], PLAIN);
  assert_int_equal(fatbin_read(b, size, &f, &e), 0);
  assert_int_equal(fatbin_choose(&f, 0, 75, order, &e), 4);
  static const uint32_t want[] = {70, 50, 90, 100};
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(f.image[order[i]].arch, want[i]);
}

static void machine_code_alone_says_how_to_rebuild(void **state) {
  (void)state;
  static uint8_t b[8192];
  uint32_t order[FATBIN_MAX_IMAGES];
  fatbin_t f;
  err_t e = {0};
  size_t size = add_image(b, begin(b), FATBIN_ELF, 80, PLAIN);
  assert_int_equal(fatbin_read(b, size, &f, &e), 0);
  assert_int_equal(fatbin_choose(&f, 0, 75, order, &e), GMMU_ENOENT);
  assert_non_null(strstr(e.text, "sm_80"));
  assert_non_null(strstr(e.text, "-gencode arch=compute_75,code=compute_75"));
}

static void two_regions_are_two_choices(void **state) {
  (void)state;
  static uint8_t b[8192], c[8192];
  fatbin_t f;
  err_t e = {0};
  size_t n = add_image(b, begin(b), FATBIN_PTX, 75, PLAIN),
         m = add_image(c, begin(c), FATBIN_PTX, 80, ZSTD);
  memcpy(b + n, c, m);
  assert_int_equal(fatbin_read(b, n + m, &f, &e), 0);
  assert_int_equal(fatbin_regions(&f), 2);
}

static void every_cut_is_an_error_with_a_place(void **state) {
  (void)state;
  static uint8_t b[8192];
  size_t size = add_image(b, begin(b), FATBIN_PTX, 75, ZSTD);
  for (size_t n = 0; n < size; n++) {
    fatbin_t f;
    err_t e = {0};
    assert_int_equal(fatbin_read(b, n, &f, &e), GMMU_EFORMAT);
    assert_true(e.has_offset);
  }
}

static void false_sizes_are_errors(void **state) {
  (void)state;
  static uint8_t b[8192];
  for (how_t how = LZ4; how <= ZSTD; how++)
    for (uint64_t claim = 0; claim < (uint64_t)1 << 40; claim = 3 * claim + 1) {
      fatbin_t f;
      err_t e = {0};
      char *t;
      size_t n, size = add_image(b, begin(b), FATBIN_PTX, 75, how);
      if (claim == sizeof text) continue;
      put(b + 16 + 56, claim, 8);
      assert_int_equal(fatbin_read(b, size, &f, &e), 0);
      assert_int_equal(fatbin_text(b, size, &f.image[0], &t, &n, &e), GMMU_EFORMAT);
      assert_null(t);
    }
}

int main(void) {
#define T cmocka_unit_test
  const struct CMUnitTest tests[] = {
      T(every_storage_gives_the_text),           T(the_newest_that_the_device_has_comes_first),
      T(machine_code_alone_says_how_to_rebuild), T(two_regions_are_two_choices),
      T(every_cut_is_an_error_with_a_place),     T(false_sizes_are_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
