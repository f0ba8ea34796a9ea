#ifndef GMMU_BASE_JSON_FIND_H
#define GMMU_BASE_JSON_FIND_H
/* Looking up numbers in JSON text, by paths like "apps[1].l2tlb.misses". For documents of our own
 * (base/json.h): names are compared as written, without escapes. Text that is no JSON gives no
 * answer, never a wrong access. */
#include <stdbool.h>
#include <stdint.h>

/* The first character of the value, NULL if there is none. */
const char *json_find(const char *text, const char *path);
/* A whole number; false if there is none or it is none. */
bool json_find_u64(const char *text, const char *path, uint64_t *out);
/* A number that is not negative, in millionths; what is finer is cut off. */
bool json_find_micro(const char *text, const char *path, uint64_t *out);
/* The elements of an array, 0 if there is none. */
uint32_t json_find_count(const char *text, const char *path);
#endif
