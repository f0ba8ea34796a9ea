#ifndef GMMU_FOOTPRINT_H
#define GMMU_FOOTPRINT_H
/* What translation costs over footprint: applications at several sizes on several GPUs, each run
 * with its TLBs and with ideal ones, and what of the program explains the cost. */
#include "gpu/stats.h"
#include "lab/pages.h"
#include "lab/suite.h"
#include <limits.h>

#define FOOTPRINT_APPS  72u
#define FOOTPRINT_SIZES 32u
#define FOOTPRINT_GPUS  8u

/* One of the suite, with what else is set ("seed=3", or ""), or a generator: "gather:steps=8". */
typedef struct {
  const suite_app_t *suite;
  const char *more;
  const char *generator;
} footprint_app_t;

typedef struct {
  footprint_app_t app[FOOTPRINT_APPS];
  char *size[FOOTPRINT_SIZES], *gpu[FOOTPRINT_GPUS];
  uint32_t apps, sizes, gpus;
  const char *design; /* NULL: each GPU as its preset is */
  const char *graph;  /* of graph applications */
  const char *input;  /* of these, too: a file; NULL: none */
  uint64_t seed, work, parallel;
} footprint_spec_t;

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

typedef struct {
  const footprint_spec_t *spec; /* the caller's; outlives it */
  footprint_item_t *item;       /* owned; by size, then application */
  uint32_t items;
} footprint_t;

/* Checks every name and builds every GPU; runs nothing. footprint_free() in any case. */
int footprint_new(footprint_t *s, const footprint_spec_t *spec, err_t *e);
/* Records what is not recorded, and fills in every item. */
int footprint_run(footprint_t *s, err_t *e);
void footprint_free(footprint_t *s);
/* The program, as any front end opens it, alone on that machine. */
int footprint_alone(const gpu_spec_t *spec, const char *text, const char *name, gpu_summary_t *out,
                    err_t *e);
#endif
