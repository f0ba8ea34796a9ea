#ifndef GMMU_REPORT_H
#define GMMU_REPORT_H
/* The tables of `gmmu run`. */
#include "gpu/stats.h"
#include "lab/apps.h"

typedef struct {
  const char *design;
  const char *same_as; /* an earlier design that is the same machine on this GPU, or NULL */
  bool partial;        /* ended before its time */
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
/* Of it, where the time of the warp slots went. */
void report_stacks(const report_t *r, strbuf_t *out);
/* Shares of an application's warp slots, issued instructions first, then the stall reasons, in
 * tenths of a percent that add up to 1000 exactly. */
#define REPORT_PARTS (STALLS + 1)
void report_shares(const gpu_summary_t *s, uint32_t share[REPORT_PARTS]);
#endif
