#ifndef GMMU_PAGES_H
#define GMMU_PAGES_H
/* What a program does to pages, whatever GPU it runs on: its blocks one after the other, the warps
 * of a block in turn, an access for each page that an instruction touches. */
#include "gmmu/err.h"
#include "gmmu/stream.h"

#define PAGES_BYTES   4096u /* of a page, the papers' base page */
#define PAGES_BUCKETS 26u   /* reuse distances: 0, 1, 2 to 3, 4 to 7, ..., 2^24 and more */

typedef struct {
  uint64_t insts, memory_insts;  /* warp instructions; of them, those that reach memory */
  uint64_t accesses, pages;      /* pages touched, summed over instructions; different ones */
  uint64_t reuse[PAGES_BUCKETS]; /* accesses by the number of other pages since the page's last */
} pages_t;

/* Runs the source to its end. */
int pages_count(source_t *s, pages_t *out, err_t *e);
/* The least distance of a bucket. */
static inline uint64_t pages_bucket_from(uint32_t i) { return i ? (uint64_t)1 << (i - 1) : 0; }
#endif
