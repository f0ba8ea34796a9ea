#ifndef GMMU_TESTS_PTX_UNIT_H
#define GMMU_TESTS_PTX_UNIT_H
/* cmocka's headers in the order it wants them, and the seed of randomised tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline uint64_t test_seed(void) {
  const char *text = getenv("GMMU_SEED");
  return text ? strtoull(text, NULL, 0) : 1;
}
#endif
