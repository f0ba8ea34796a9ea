#ifndef GMMU_REPORT_H
#define GMMU_REPORT_H
/* The tables of `gmmu run`. */
#include "apps.h"
#include "gpu/stats.h"

typedef struct {
  const char *design;
  bool partial; /* ended before its time */
  gpu_summary_t app[GMMU_MAX_APPS];
} report_run_t;

typedef struct {
  const char *gpu;
  const char *const *text;      /* [apps] the applications as typed */
  char (*name)[APP_NAME_BYTES]; /* [apps] */
  uint32_t apps;
  report_run_t *run; /* [runs], in the order of the designs */
  uint32_t runs;
  uint32_t wanted; /* designs asked for; more than runs if something came between */
} report_t;

void report_text(const report_t *r, strbuf_t *out);
#endif
