#ifndef GMMU_BASE_ARRAYS_H
#define GMMU_BASE_ARRAYS_H
/* Memory for what lives as long as its owner, such as the arrays of a machine: taken piece by
 * piece, given back at once. All of it lies together in large pages of the host (Linux: 2 MB, where
 * madvise() may ask for them). In pages of 4 KB the state of a large machine is more pages than the
 * host's TLBs hold. Under AddressSanitizer a piece is an allocation of its own, whose bounds are
 * checked. */
#include <stddef.h>

#define ARRAYS_ALIGN 64u /* a line of the host's cache */

typedef struct arrays_chunk arrays_chunk_t;
typedef struct { /* all zeroes: empty */
  arrays_chunk_t *last;
  char *at, *end; /* what is left of it */
  size_t bytes;   /* of all chunks */
} arrays_t;

/* `bytes` zeroes, in lines of their own; NULL: the host has no memory for them. */
void *arrays_take(arrays_t *a, size_t bytes);
/* Gives back everything that was taken. */
void arrays_free(arrays_t *a);
#endif
