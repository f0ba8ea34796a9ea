/* The storage of all rows of the machine. Rows of one paper stand together, in the order of the
 * machine's. */
#include "cost/cost.h"
#include "gpu/machine.h"
#include <string.h>

/* Row `n` of all, as the machine has them. */
static const cost_row_t *in_machine(uint32_t n) {
  for (uint32_t i = 0; i < gpu_rows(); i++)
    for (const cost_row_t *r = gpu_row(i)->cost; r && r->mechanism; r++)
      if (n-- == 0) return r;
  return NULL;
}

const char *cost_paper(uint32_t i) {
  const cost_row_t *r, *before;
  for (uint32_t n = 0; (r = in_machine(n)); n++) {
    uint32_t k = 0;
    while ((before = in_machine(k)) != r && strcmp(before->paper, r->paper) != 0) k++;
    if (before == r && i-- == 0) return r->paper;
  }
  return NULL;
}

const cost_row_t *cost_row(uint32_t i) {
  const char *paper;
  for (uint32_t p = 0; (paper = cost_paper(p)); p++) {
    const cost_row_t *r;
    for (uint32_t n = 0; (r = in_machine(n)); n++)
      if (strcmp(r->paper, paper) == 0 && i-- == 0) return r;
  }
  return NULL;
}
