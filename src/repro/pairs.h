#ifndef GMMU_REPRO_PAIRS_H
#define GMMU_REPRO_PAIRS_H
/* Pairs of applications on machines, for experiments that compare designs as MASK does. */
#include "lab/share.h"
#include "repro/repro.h"

#define PAIRS_MAX 35
#define MASK_GPU  "maxwell"

typedef struct {
  const char *app[2];
} pair_t;
extern const pair_t mask_pairs[PAIRS_MAX];

/* A machine as an experiment names it; settings come behind the design. */
typedef struct {
  const char *gpu, *design;
  const char *set[2];
  bool equal;     /* SMs in equal shares, not the oracle's */
  bool own_alone; /* IPC_alone with the settings, not one without for all of a sweep */
} machine_t;

/* ---- runs; false or NULL: not there (yet), and noted if it never will be ---- */

lab_run_t run_on(const repro_t *r, const machine_t *m); /* without applications */
void run_add(const repro_t *r, lab_run_t *run, const char *app);
/* The SMs: equal, or what the oracle found under the baseline without further settings. */
bool run_place(repro_t *r, lab_run_t *run, bool equal);
void run_note_bad(repro_t *r, const lab_result_t *bad);
bool pair_run(repro_t *r, const machine_t *m, const pair_t *p, lab_run_t *run);
const lab_result_t *pair_result(repro_t *r, const machine_t *m, const pair_t *p);
bool pair_metrics(repro_t *r, const machine_t *m, const pair_t *p, sharing_t *out);
/* Each of the first `count` of mask_pairs[]. */
bool pairs_metrics(repro_t *r, const machine_t *m, uint32_t count, sharing_t out[]);
bool pairs_results(repro_t *r, const machine_t *m, uint32_t count, const lab_result_t *out[]);
/* The arithmetic mean of their weighted speed-ups. */
bool pairs_speedup(repro_t *r, const machine_t *m, uint32_t count, micro_t *out);

/* ---- numbers ---- */

micro_t pairs_mean(const sharing_t *s, uint32_t count, size_t field);
#define PAIRS_MEAN(s_, count_, field_) pairs_mean(s_, count_, offsetof(sharing_t, field_))
static inline micro_t gain(micro_t a, micro_t b) { return b ? micro_div(a, b) - MICRO : 0; }
static inline micro_t loss(micro_t a, micro_t b) { return b ? MICRO - micro_div(a, b) : 0; }
/* A counter of all applications of a run, or of several, together. */
uint64_t total(const lab_result_t *x, const char *path);
uint64_t total_of(const lab_result_t *const x[], uint32_t count, const char *path);
micro_t fraction(const lab_result_t *x, const char *path); /* a number with a point */

/* ---- names ---- */

/* How many of the two have high miss rates in both TLBs, by the paper's Table 2. */
uint32_t pair_hmr(const pair_t *p);
void pair_cells(table_t *t, const pair_t *p);
table_t *pair_table(repro_t *r, const char *title, const char *const columns[]);
/* Different applications of the first `count` pairs. */
uint32_t pairs_apps(uint32_t count, const char *out[2 * PAIRS_MAX]);
#endif
