#ifndef GMMU_TESTS_SM_UNIT_H
#define GMMU_TESTS_SM_UNIT_H
/* cmocka's headers in the order it wants them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#endif
