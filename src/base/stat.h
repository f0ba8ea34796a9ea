#ifndef GMMU_BASE_STAT_H
#define GMMU_BASE_STAT_H
/* One declaration of a counter serves JSON, SQL, HTML and the docs. Counters are uint64_t fields
 * of a plain struct; a list of stat_desc_t ends with a NULL name. */
#include "base/hist.h"
#include "base/json.h"
#include <stddef.h>
#include <stdint.h>

typedef struct {
  const char *name;
  size_t offset;    /* of the uint64_t in the block's stats struct */
  const char *unit; /* "accesses", "bytes", "core cycles"; NULL: this repeats another counter, */
  const char *help; /* whose path this then is, or the paths of two: "a.b + a.c" */
} stat_desc_t;
#define STAT_DESC(T, n, u, h)                                                                      \
  { #n, offsetof(T, n), u, h }

static inline uint64_t stat_value(const void *stats, const stat_desc_t *d) {
  return *(const uint64_t *)(const void *)((const char *)stats + d->offset);
}
/* Adds every counter of the list in `from` to that in `to`. */
void stat_sum(void *to, const void *from, const stat_desc_t *list);

/* Members of a JSON object: each counter; an object of them; count, mean and percentiles. */
void stat_json(json_t *j, const void *stats, const stat_desc_t *list);
void stat_json_object(json_t *j, const char *key, const void *stats, const stat_desc_t *list);
void stat_json_hist(json_t *j, const char *key, const hist_t *h);
/* n x n numbers. Rows: who evicted; columns: whose entry went. */
void stat_json_matrix(json_t *j, const char *key, const uint64_t *m, uint32_t n);
void stat_json_begin(json_t *j, const char *key); /* a member that is an object */
#endif
