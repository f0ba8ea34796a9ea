/* A piece is zeroes in lines of its own, and stays where it is. */
#include "base/arrays.h"
#include "unit.h"
#include <stdint.h>
#include <string.h>

#define PIECES 64

/* From nothing to more than a large page of the host. */
static size_t size_of(uint32_t i) {
  return i % 8 == 7 ? (size_t)3 << 20 : i % 5 == 0 ? 0 : (size_t)i * i * 37;
}

static void pieces_are_zeroes_in_lines_of_their_own(void **state) {
  (void)state;
  arrays_t a = {0};
  unsigned char *piece[PIECES];
  for (uint32_t i = 0; i < PIECES; i++) {
    piece[i] = arrays_take(&a, size_of(i));
    assert_non_null(piece[i]);
    assert_int_equal((uintptr_t)piece[i] % ARRAYS_ALIGN, 0);
    for (size_t k = 0; k < size_of(i); k++) assert_int_equal(piece[i][k], 0);
    if (size_of(i)) memset(piece[i], (int)i + 1, size_of(i));
  }
  for (uint32_t i = 0; i < PIECES; i++) /* nobody else has written there */
    for (size_t k = 0; k < size_of(i); k++) assert_int_equal(piece[i][k], i + 1);
  arrays_free(&a);
}

static void what_was_freed_is_empty(void **state) {
  (void)state;
  arrays_t a = {0};
  for (uint32_t round = 0; round < 3; round++) {
    unsigned char *p = arrays_take(&a, 100);
    assert_non_null(p);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(p[i], 0);
    memset(p, 0xff, 100);
    arrays_free(&a);
    assert_null(a.last);
    assert_int_equal(a.bytes, 0);
  }
  arrays_free(&a);
}

static void more_than_the_host_has_is_refused(void **state) {
  (void)state;
  arrays_t a = {0};
  char *p = arrays_take(&a, 10);
  assert_null(arrays_take(&a, SIZE_MAX));
  assert_null(arrays_take(&a, SIZE_MAX - ARRAYS_ALIGN));
  assert_non_null(arrays_take(&a, 10)); /* what was there stays */
  memset(p, 1, 10);
  arrays_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(pieces_are_zeroes_in_lines_of_their_own),
                                     cmocka_unit_test(what_was_freed_is_empty),
                                     cmocka_unit_test(more_than_the_host_has_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
