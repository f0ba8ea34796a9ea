#ifndef GMMU_FOOTPRINT_SHOW_H
#define GMMU_FOOTPRINT_SHOW_H
/* The part of `gmmu characterize` that goes over sizes and GPUs (lab/footprint.h). */
#include "lab/footprint.h"

typedef struct {
  bool json;
  const char *html, *svg; /* files; NULL: none */
} footprint_show_t;

/* Runs the study and prints it; a status. */
int footprint_show(const footprint_spec_t *spec, const footprint_show_t *show);
#endif
