#ifndef GMMU_GPU_COST_H
#define GMMU_GPU_COST_H
/* Storage that mechanisms add to the chip, worked out from the configuration, and what their papers
 * say. One row per structure, all in one table; a mechanism that comes later adds its rows. */
#include "gpu/spec.h"

typedef struct {
  uint64_t each, count; /* bits (or entries) of one structure; how many of them the chip has */
  uint64_t base;     /* size of what it is added to, in the unit of each * count; 0: of nothing */
  char formula[160]; /* how `each` and `count` come about, with the numbers */
} cost_t;

typedef struct {
  const char *paper;     /* whose mechanism it is: "mask" */
  const char *mechanism; /* rows of one stand together */
  const char *what, *where;
  const char *of;      /* what `base` is; "" if nothing */
  const char *printed; /* the paper's figure; "" if it has none */
  const char *note;    /* where the paper contradicts itself or leaves something open; or NULL */
  bool entries;        /* counted in entries of a queue, not in bits */
  bool sum;            /* of rows above: not to be added again */
  bool (*on)(const gpu_spec_t *s); /* does this configuration have the mechanism? */
  void (*work_out)(const gpu_spec_t *s, cost_t *c);
} cost_row_t;

extern const cost_row_t cost_rows[]; /* ends with a NULL mechanism */
const char *cost_paper(uint32_t i);  /* the papers in the table, each once; NULL behind the last */

static inline uint64_t cost_bytes(const cost_t *c) { return (c->each * c->count + 7) / 8; }
#endif
