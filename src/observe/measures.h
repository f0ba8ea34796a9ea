#ifndef GMMU_MEASURES_H
#define GMMU_MEASURES_H
/* What readers of statistics show of counters (measures.def): hit rates of an application, and what
 * is counted of arrays, kernels and lines. */
#include "base/json.h"
#include "sm/sm.h"

typedef struct {
  const char *title, *path, *part, *whole, *help;
} rate_t;
extern const rate_t rates[]; /* ends with a title of NULL */

typedef enum {
#define MEASURE(name, ...) MEASURE_##name,
#include "observe/measures.def"
#undef MEASURE
  MEASURES
} measure_id_t;
typedef struct {
  const char *name, *title, *share, *count;
  bool explain;
  stall_kind_t stalls;   /* all reasons of that kind; STALLED_BY_OTHER: */
  const char *row, *all; /* paths of counters, with " + " between */
} measure_t;
extern const measure_t measures[MEASURES];

/* Of the row at `path`, "apps[0].by_array[2]", of statistics as JSON. */
uint64_t measure_of_row(const measure_t *m, const char *json, const char *path);

/* As arrays of objects, for pages. */
void rates_json(json_t *j);
void measures_json(json_t *j);
#endif
