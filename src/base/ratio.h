#ifndef GMMU_BASE_RATIO_H
#define GMMU_BASE_RATIO_H
/* Fractions as decimal text, from integers only, so that every machine prints the same digits. */
#include <stddef.h>
#include <stdint.h>

#define RATIO_MAX_DIGITS 19 /* num * 10^19 still fits 128 bits */
#define RATIO_TEXT_BYTES 48 /* holds any result: 20 digits, a point, 19 digits, NUL */

/* num/den rounded half up to `digits` decimals (more than RATIO_MAX_DIGITS count as that many), "-"
 * if den is 0. Returns what snprintf would. */
int ratio_format(char *buf, size_t size, uint64_t num, uint64_t den, uint32_t digits);
#endif
