#ifndef GMMU_BASE_NEAREST_H
#define GMMU_BASE_NEAREST_H
/* "Did you mean": the candidate with the fewest edits (insert, delete, replace, swap of neighbours;
 * case does not count). Offer the candidates one by one; the first of the best wins. */
#include <stdbool.h>
#include <stdint.h>

#define NEAREST_MAX_CHARS 64 /* a longer name is near to nothing */
#define NEAREST_MAX_EDITS 4u
#define NEAREST_SHORT     4u /* shorter names must begin with the same letter */

typedef struct {
  const char *name;
  uint32_t
      best; /* edits of the best candidate so far; at first one more than still counts as near */
} nearest_t;

void nearest_init(nearest_t *n, const char *name);
bool nearest_offer(nearest_t *n, const char *candidate); /* true: the best so far */
#endif
