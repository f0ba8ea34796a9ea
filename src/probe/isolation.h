#ifndef GMMU_PROBE_ISOLATION_H
#define GMMU_PROBE_ISOLATION_H
/* How much others slow a thread down whose loads all miss, by what they share with it: Figure 8 of
 * Fractional GPUs. The functions that choose the addresses are those the solver found. Times are in
 * hundredths of a cycle. */
#include "base/json.h"
#include "probe/device.h"
#include "solver/solver.h"

#define ISOLATION_OTHERS 49u /* threads beside the first, as in the figure */
#define ISOLATION_MOST   79u /* most threads beside the first */

typedef enum { ISO_SCSB, ISO_DCSB, ISO_SCDB, ISO_DCDB, ISO_DM, ISO_CASES } isolation_case_t;
const char *isolation_name(isolation_case_t c);
const char *isolation_help(isolation_case_t c);

typedef struct {
  uint32_t others;                             /* 0 .. others were tried */
  int64_t time[ISO_CASES][ISOLATION_MOST + 1]; /* of a load of the first thread, on average */
  uint32_t knee; /* loads at once from which on different banks of a module slow down; 0: none */
  int64_t alone; /* the first thread alone, in the last case tried */
  int64_t bank_cycle; /* between two rows of a bank: what a pair in conflict takes longer */
  int64_t held;       /* of a load's time an MSHR was taken, in case DCDB; 0: not known */
  uint64_t loads;     /* of all threads */
} isolation_t;

typedef struct {
  uint32_t others; /* at most; 0: ISOLATION_OTHERS or what the device has room for */
  uint32_t cases;  /* bit per case; 0: all */
  uint64_t seed;
  void (*progress)(void *ctx, const char *what); /* may be NULL */
  void *ctx;
} isolation_options_t;

/* The device must have been solved: functions, ways, line size. */
int isolation_probe(device_t *d, const solver_report_t *f, const isolation_options_t *o,
                    isolation_t *out, err_t *e);
/* Worst over best with all others, and what comes of rows of one bank that follow each other:
 * (others + 1) * bank_cycle / alone. In hundredths. */
int64_t isolation_ratio(const isolation_t *x);
int64_t isolation_bound(const isolation_t *x);
/* MSHRs in use at the knee: loads under way are threads, and a load has one for a part of
 * its time (Little's law). In hundredths; 0: not known. */
int64_t isolation_in_use(const isolation_t *x);

void isolation_text(const device_info_t *d, const isolation_t *x, strbuf_t *out);
void isolation_json(const device_info_t *d, const isolation_t *x, json_t *j);
void isolation_svg(const device_info_t *d, const isolation_t *x, strbuf_t *out);
#endif
