#ifndef GMMU_FOOTPRINT_HTML_H
#define GMMU_FOOTPRINT_HTML_H
/* Results of footprint.c, and their picture: a page of its own, without scripts. */
#include "base/strbuf.h"
#include "footprint.h"
#include <limits.h>

typedef struct {
  gpu_summary_t run[2]; /* the GPU's TLBs; ideal */
  bool raised;          /* the GPU's memory was made larger */
} footprint_cell_t;

typedef struct {
  suite_pick_t pick; /* of the suite: pick.app */
  char name[24], size[48];
  char text[PATH_MAX]; /* what a front end opens: a recording, a generator */
  uint64_t allocated;  /* bytes, most at once */
  pages_t pages;
  footprint_cell_t cell[FOOTPRINT_GPUS];
} footprint_item_t;

/* What others published of a program: L2 TLB misses per 1000 instructions, and MB. */
typedef struct {
  const char *app, *mpki, *megabytes;
} footprint_published_t;
#define PUBLISHED_SOURCE                                                                           \
  "LATPC (MICRO 2025), Table 3, by public reading notes; bfs is Rodinia's, programs and inputs "   \
  "differ"
const footprint_published_t *footprint_published(const char *app); /* NULL: nobody did */

/* The least distance that half of the accesses, first touches among them, do not reach; UINT64_MAX:
 * they are first touches. */
uint64_t footprint_median_reuse(const pages_t *p);

void footprint_html(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                    strbuf_t *out);
/* The picture alone: a line for each application on each GPU. */
void footprint_svg(const footprint_spec_t *spec, const footprint_item_t *item, uint32_t items,
                   strbuf_t *out);
#endif
