#ifndef GMMU_FOOTPRINT_H
#define GMMU_FOOTPRINT_H
/* The part of `gmmu characterize` that goes over sizes and GPUs: what translation costs against
 * `ideal`, and what of the program explains it. */
#include "gpu/stats.h"
#include "lab/pages.h"
#include "lab/suite.h"

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
  bool json;
  const char *html, *svg; /* files; NULL: none */
} footprint_spec_t;

/* A status. */
int footprint_run(const footprint_spec_t *spec);
/* The program, as any front end opens it, alone on that machine. */
int footprint_alone(const gpu_spec_t *spec, const char *text, const char *name, gpu_summary_t *out,
                    err_t *e);
#endif
