#ifndef GMMU_REPRO_H
#define GMMU_REPRO_H
/* Experiments of the papers. An experiment is data (what the paper says, row by row) and a function
 * that asks the laboratory for runs and fills in what we measure. The function is evaluated until
 * no run is missing (lab.h); it must therefore go on asking where one is missing, so that a pass
 * finds all that can be run now. */
#include "base/table.h"
#include "lab/lab.h"

/* ---- what a paper says ---- */

typedef enum {
  RULE_VALUE, /* a gain or a loss: its sign is its direction, a factor of REPRO_FACTOR its size */
  RULE_SHARE, /* of the best possible: judged by what is lost, 1 minus it, as RULE_VALUE */
  RULE_RATE,  /* a quantity without direction: of the same size, by the same factor, or not */
  RULE_REST,  /* what is left of something bad: of the same size, or less: a direction */
  RULE_ABOVE, /* "more than" the number: a direction */
  RULE_BELOW, /* "less than" it */
  RULE_CLAIM, /* something holds or does not: a direction */
  RULE_ORDER, /* an order of designs holds or does not */
  RULE_NOTE   /* shown, not judged */
} rule_t;

/* Where the paper's number comes from. */
typedef enum {
  PAPER_PRINTS,   /* its text or a table */
  PAPER_REPORTED, /* others report it of the paper */
  PAPER_UNPRINTED /* a figure or words: the number in the row is a reading of them */
} paper_source_t;

typedef enum { UNIT_PERCENT, UNIT_NUMBER } row_unit_t;

#define REPRO_FACTOR (3 * MICRO / 2) /* "agrees in size": neither is 1.5 times the other */

typedef struct {
  const char *what;
  const char *paper; /* as it is printed */
  micro_t value;     /* the number in it; a percentage as a fraction */
  row_unit_t unit;
  rule_t rule;
  /* The counter that says that the mechanism acted. Without it the row is absent: it could not have
   * come out otherwise. RULE_BELOW and RULE_REST hold when nothing happens, so they must name one.
   */
  const char *acted;
  const char *given; /* why ours follows from the paper's: fitted, planted. Then it is not judged */
  paper_source_t source;
} paper_row_t;
/* Further members behind the rule: ROW(..., RULE_BELOW, .acted = "walk.walks"). */
#define ROW(what_, paper_, value_, unit_, ...)                                                     \
  { .what = what_, .paper = paper_, .value = value_, .unit = unit_, .rule = __VA_ARGS__ }

/* ---- what we measure ---- */

typedef struct {
  bool there;
  micro_t value;  /* unless text is given */
  bool holds;     /* RULE_CLAIM, RULE_ORDER */
  micro_t margin; /* of a claim: by how much it holds, below 0 by how much it does not */
  bool has_margin;
  uint64_t acted; /* paper_row_t.acted */
  micro_t noise;  /* how far the value, or the margin, moves from seed to seed */
  bool has_noise;
  char text[96];  /* in place of a number */
  char note[160]; /* beside it; of a row that is not there: why */
} our_row_t;

typedef enum {
  VERDICT_NONE,
  VERDICT_SIZE,
  VERDICT_ORDER,
  VERDICT_DIRECTION,
  VERDICT_DISAGREES,
  VERDICT_NOISE, /* on which side of the border it is cannot be told from seed to seed */
  VERDICT_ABSENT,
  VERDICT_QUICK, /* not judged: the plan's numbers mean nothing */
  VERDICTS
} verdict_t;

verdict_t repro_judge(const paper_row_t *paper, const our_row_t *ours);
const char *verdict_text(verdict_t v);

/* ---- experiments ---- */

typedef struct {
  const char *name; /* quick, usual, full */
  bool quick;       /* shows that it works, not what comes out: no row is judged */
  const char *size; /* of the applications */
  uint64_t seed, min_cycles;
  const char *set; /* of every machine but the baselines'; or NULL */
  uint32_t pairs;  /* of the main figures */
  uint32_t few;    /* of the sensitivity studies */
  uint32_t parts;  /* the SMs are divided in so many for the oracle; 0: each SM is one */
  uint32_t points; /* of a sweep: every one, or only its ends and its middle (3) */
  uint32_t seeds;  /* beside the first: of noise */
  uint32_t noisy;  /* pairs, and workloads of a kind, that are run with each of them */
  struct {
    const char *size;
    uint64_t cycles; /* of every run */
    uint32_t apps;   /* two copies of so many applications */
    uint32_t few;    /* one, three, four and five copies; pairs of the sensitivity studies */
    uint32_t pairs;  /* of different applications */
    uint32_t mixes;  /* of three, four and five of them */
    uint32_t torn;   /* pairs on fragmented memory */
    uint32_t paged;  /* applications, and pairs, with demand paging; at the size above */
    bool ends;       /* of a sweep only its ends and its middle */
  } mosaic;          /* its workloads (repro_crowd.h) */
  struct {
    uint64_t sampled, inserted; /* accesses of an operator */
    uint32_t boards;            /* of the eleven K80s */
    bool ends;                  /* fewer sizes */
  } tlb;                        /* TLB-conscious operators */
} repro_plan_t;

/* Operating points of the GPUs of MASK and Mosaic: what their tables say, what their released
 * simulator does, and what chips and later papers have (docs/reproduce.md). */
typedef struct {
  const char *name, *help;
  const char *suffix; /* of the GPU's name */
  const char *set;    /* behind the design, of every machine; or NULL */
} point_t;
#define REPRO_POINTS 3
extern const point_t repro_points[REPRO_POINTS]; /* the first is that of the tables */

#define REPRO_ROWS   24
#define REPRO_TABLES 4

typedef struct {
  lab_t *lab;
  const repro_plan_t *plan;
  const point_t *at; /* NULL: the first */
  bool dry;          /* only what runs are missing is asked: who measures without runs leaves it */
  uint32_t seed;     /* of what is random in a run; 0: nothing is */
  const char *swap_from, *swap_to; /* every run of the first design is one of the second; or NULL */
  our_row_t row[REPRO_ROWS];
  char why[160]; /* what was absent or failed first; empty: nothing */
  struct {
    const char *title;
    table_t t;
  } table[REPRO_TABLES]; /* details */
  uint32_t tables;
} repro_t;

typedef struct {
  const char *id, *title;
  const paper_row_t *rows; /* ends with a NULL what */
  void (*run)(repro_t *r);
  void (*page)(repro_t *r, strbuf_t *out); /* a page of its own beside its files; or NULL */
  bool searched;  /* its workloads were looked for until the direction came out: counted apart */
  bool one_point; /* of another GPU, or of none: the operating points do not differ */
} experiment_t;
#define EXPERIMENT(id_, title_, rows_, run_)                                                       \
  { .id = id_, .title = title_, .rows = rows_, .run = run_ }
#define SEARCHED(id_, title_, rows_, run_)                                                         \
  { .id = id_, .title = title_, .rows = rows_, .run = run_, .searched = true }
#define ONE_POINT(id_, title_, rows_, run_)                                                        \
  { .id = id_, .title = title_, .rows = rows_, .run = run_, .one_point = true }
extern const experiment_t *const repro_papers[]; /* all of them; ends with NULL */
/* Each ends with a NULL id. */
extern const experiment_t repro_mask[], repro_mask_claims[], repro_mask_more[], repro_mosaic[],
    repro_mosaic_more[], repro_mosaic_mm[], repro_mosaic_paging[], repro_neidty[], repro_fgpu[],
    repro_fgpu_probe[], repro_tlb[], repro_atlas[], repro_plane[], repro_newer_reach[],
    repro_newer_walks[];

/* ---- for experiments ---- */

void repro_value(repro_t *r, uint32_t row, micro_t v);
void repro_claim(repro_t *r, uint32_t row, bool holds, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void repro_note(repro_t *r, uint32_t row, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* What the row's counter counted; by how much a claim holds. */
void repro_acted(repro_t *r, uint32_t row, uint64_t count);
void repro_margin(repro_t *r, uint32_t row, micro_t margin);
/* A table of details, to be filled; it belongs to the experiment. */
table_t *repro_table(repro_t *r, const char *title);
void repro_cell(table_t *t, micro_t v, uint32_t digits);
void repro_percent(table_t *t, micro_t v);
/* A counter of a mechanism that the run's design may lack: then it is 0. */
uint64_t repro_count(const lab_result_t *x, const char *path);
/* Whether the result is there; if it never will be, the reason is kept. */
bool repro_has(repro_t *r, const lab_result_t *x);
/* The run's GPU, at the operating point if it has several; before the run has settings. */
void repro_put_gpu(const repro_t *r, lab_run_t *run, const char *gpu);
bool repro_has_points(const experiment_t *x);

/* ---- the harness ---- */

/* Until nothing is missing; GMMU_OK, or what came between. Where the plan has seeds, the experiment
 * is evaluated again for each, on few workloads: how far a row moves there is its noise. */
int repro_run(repro_t *r, const experiment_t *x, err_t *e);
/* One pass, seeds included: what is missing is then in the laboratory. */
int repro_look(repro_t *r, const experiment_t *x, err_t *e);
void repro_fini(repro_t *r);
/* One experiment at one or several operating points, side by side. */
void repro_print(const repro_t *const r[], uint32_t points, const experiment_t *x,
                 table_style_t style, strbuf_t *out);
void repro_json(const repro_t *r, const experiment_t *x, json_t *j);
uint32_t repro_row_count(const experiment_t *x);
verdict_t repro_verdict(const repro_t *r, const experiment_t *x, uint32_t row);
#endif
