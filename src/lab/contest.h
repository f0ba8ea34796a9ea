#ifndef GMMU_LAB_CONTEST_H
#define GMMU_LAB_CONTEST_H
/* The arena: mechanisms meet on the same workloads, GPUs and seeds. It is a study (study.h) whose
 * designs are the mechanisms; each of its points is compared with the same run under the baseline,
 * and with `ideal`, whose gain is all there is to win. Gains are in millionths: 50000 is 5 % more
 * instructions per cycle, the mean over the applications of the workload. */
#include "lab/sweep.h"

#define CONTEST_IDEAL    "ideal"
#define CONTEST_BASELINE "native"

/* The gains of runs that differ in their seeds, or of several workloads, together. */
typedef struct {
  micro_t mean, least, most;
  uint32_t count; /* 0: nothing */
} contest_gain_t;

typedef struct {
  const char *gpu, *design;
  uint64_t bytes;       /* of storage beyond the baseline's */
  bool entries;         /* it also adds places in queues, which are no bytes */
  contest_gain_t gain;  /* over workloads: of their means */
  contest_gain_t ideal; /* of `ideal`, over the workloads that the mechanism has a result of */
  uint32_t wins;
  bool front; /* no other has as much gain for less storage, nor more for as much */
} contest_rank_t;

typedef struct {
  const char *gpu, *workload; /* names of the arena */
  contest_gain_t ideal;
  uint32_t first, second; /* designs by their means; CONTEST_NONE: there is none */
  bool apart;             /* the first is ahead with every seed of both */
} contest_place_t;
#define CONTEST_NONE UINT32_MAX

typedef struct {
  sweep_t sweep; /* its designs are the mechanisms */
  const char *baseline;
  char **workload;    /* owned; names */
  uint32_t *of_point; /* [point]: its workload */
  uint32_t workloads, gpus, designs;
  contest_gain_t *gain;   /* [(gpu * workloads + workload) * designs + design] */
  contest_gain_t *ideal;  /* the same, of the runs that count there */
  contest_place_t *place; /* [gpu * workloads + workload] */
  contest_rank_t *rank;   /* [gpu * designs + design] */
  uint32_t failed;        /* points without a result */
  char why[512];          /* the first of them, and its reason */
} contest_t;

/* Reads the study from a file, or from `text` if that is not NULL. */
int contest_read(contest_t *a, const char *path, const char *text, err_t *e);
void contest_fini(contest_t *a);
/* Runs what is missing in a->sweep.lab, then works everything out. */
int contest_run(contest_t *a, err_t *e);

/* The usual plan: a study of the mechanisms of this gmmu, and of stacks of them, on applications of
 * the suite. Those of MASK's papers and those sized by footprint run under the baseline. Each kind
 * is sorted by page walks for an instruction, and `draw` of it are taken at equal distances, from
 * the most to the fewest; of MASK's, as many again by the reuse of pages. A pair of the most and
 * the fewest walks is added. What mechanisms do decides nothing. */
int contest_usual_plan(lab_t *lab, uint32_t draw, strbuf_t *out, err_t *e);

const contest_gain_t *contest_gain(const contest_t *a, uint32_t gpu, uint32_t workload,
                                   uint32_t design);
const char *contest_gpu(const contest_t *a, uint32_t gpu);
const char *contest_design(const contest_t *a, uint32_t design);
#endif
