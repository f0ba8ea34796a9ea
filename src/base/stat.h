#ifndef GMMU_BASE_STAT_H
#define GMMU_BASE_STAT_H
/* One declaration of a counter serves JSON, SQL, HTML and the docs. Counters are uint64_t fields
 * of a plain struct; a list of stat_desc_t ends with a NULL name. */
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name;
  size_t offset;    /* of the uint64_t in the block's stats struct */
  const char *unit; /* "accesses", "bytes", "core cycles" */
  const char *help;
} stat_desc_t;

static inline uint64_t stat_value(const void *stats, const stat_desc_t *d) {
  return *(const uint64_t *)(const void *)((const char *)stats + d->offset);
}
#endif
