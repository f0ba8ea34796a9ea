#include "base/ratio.h"
#include <inttypes.h>
#include <stdio.h>

/* The value is held as one integer, num/den scaled by 10^digits. It fits: 2^64 * 10^19 < 2^128. */

__extension__ typedef unsigned __int128 u128;

static uint64_t power_of_ten(uint32_t digits) {
  uint64_t p = 1;
  while (digits--) p *= 10;
  return p;
}

int ratio_format(char *buf, size_t size, uint64_t num, uint64_t den, uint32_t digits) {
  if (den == 0) return snprintf(buf, size, "-");
  if (digits > RATIO_MAX_DIGITS) digits = RATIO_MAX_DIGITS;
  uint64_t scale = power_of_ten(digits);
  u128 scaled = (u128)num * scale;
  u128 value = scaled / den;
  uint64_t rest = (uint64_t)(scaled % den);
  if (rest >= den - rest) value++; /* half up, without doubling the rest */
  uint64_t whole = (uint64_t)(value / scale), fraction = (uint64_t)(value % scale);
  if (digits == 0) return snprintf(buf, size, "%" PRIu64, whole);
  return snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64, whole, (int)digits, fraction);
}
