#ifndef GMMU_EXPLAIN_H
#define GMMU_EXPLAIN_H
/* What translation costs an application on a machine, and why: the machines to run, and what
 * follows from their times. No text here and nothing is run; explain_text.c and explain_html.c show
 * it, cmd_explain.c runs it.
 *
 * A cause's share is what its removal regains: cycles of the machine less those of the machine
 * without it. */
#include "explain/causes.h"
#include "gpu/stats.h"

typedef enum {
  EXPLAIN_BASE,     /* the machine that is explained */
  EXPLAIN_IDEAL,    /* the same with ideal translation */
  EXPLAIN_RESIDENT, /* that with all pages in GPU memory from the beginning: demand paging only */
  EXPLAIN_CAUSE,    /* the machine without one cause */
  EXPLAIN_DESIGN    /* another design, beside it */
} explain_kind_t;

#define EXPLAIN_NAME_BYTES 192
#define EXPLAIN_MAX_RUNS   (4 + CAUSES + 64)

typedef struct {
  explain_kind_t kind;
  cause_t cause;                 /* EXPLAIN_CAUSE */
  char name[EXPLAIN_NAME_BYTES]; /* of the design, or of the cause */
  cause_settings_t settings;     /* behind those of the user; none: it is not run, and why */
  bool done;
  bool short_of;       /* reach: even so many entries were too few */
  err_t error;         /* of a run that failed; a design may not fit the GPU */
  gpu_summary_t stats; /* of its one application */
  char *json;          /* owned; of the base only, else NULL */
} explain_run_t;

typedef struct {
  explain_run_t run[EXPLAIN_MAX_RUNS];
  uint32_t runs;
  gpu_spec_t spec; /* of the base */
} explain_t;

/* The machines to run beside `spec`, which is design `base` of the user: all but the designs. */
void explain_plan(explain_t *x, const gpu_spec_t *spec, const char *base);
/* One more, if there is room; false if not. */
bool explain_add_design(explain_t *x, const char *name);
void explain_fini(explain_t *x);

const explain_run_t *explain_find(const explain_t *x, explain_kind_t kind, cause_t cause);
/* Core cycles of a run: of its complete execution, or all it had. */
uint64_t explain_cycles(const explain_run_t *r);

typedef struct {
  uint64_t base, bound;     /* cycles; bound: ideal, and all pages there */
  int64_t cost;             /* base - bound: below 0 if ideal is no bound */
  int64_t regained[CAUSES]; /* cycles */
  bool known[CAUSES];       /* it was removed, and the run has ended */
  cause_t cause;            /* CAUSE_HIDDEN: nothing that counts */
  cause_t largest;          /* that regains most, whether it counts or not; CAUSES: none known */
  cause_t second[CAUSES];   /* close behind it, the largest first */
  uint32_t seconds;
  const explain_run_t *design[64]; /* that ended, the fastest first */
  uint32_t designs;
} explain_verdict_t;

/* A cause counts from this share of the time on, in percent; and is close behind the first if it
 * regains so many percent of what that one does. */
#define EXPLAIN_COUNTS 2
#define EXPLAIN_CLOSE  75

/* False if the base or its ideal has not ended. */
bool explain_judge(const explain_t *x, explain_verdict_t *v);

/* Why `fast` beats `ideal`: what got worse under ideal. Numbers of both, in order of weight. */
typedef struct {
  const char *what;              /* "L2 hits of data" */
  uint64_t fast_num, fast_den;   /* as a fraction: under the faster one, */
  uint64_t ideal_num, ideal_den; /* and under ideal */
  bool percent;                  /* the fraction is a share; else a mean */
} explain_moved_t;
#define EXPLAIN_MOVED 5
uint32_t explain_moved(const gpu_summary_t *fast, const gpu_summary_t *ideal,
                       explain_moved_t out[EXPLAIN_MOVED]);
/* "L2 hits of data fall from 60.1 % to 48.0 %, ...": what explain_moved() found, in words. */
void explain_moved_text(const gpu_summary_t *fast, const gpu_summary_t *ideal, strbuf_t *out);
#endif
