#ifndef GMMU_REPRO_ATLAS_H
#define GMMU_REPRO_ATLAS_H
/* Atlases: where, in a space of machines and workloads, a paper's claims hold.
 *
 * An atlas has five dimensions of four levels each: four settings of the machine, and how many
 * pages the first application uses again and again. The second application's pages are a sixth
 * column. Points are an orthogonal array over the field of four elements: 64 of them of strength 3
 * (each combination of the levels of any three columns comes up once), the first 16 of which are of
 * strength 2 in the first five; or all 1024 combinations. Workloads follow from the array alone: no
 * mechanism is run before they are drawn. */
#include "repro/repro.h"

#define ATLAS_DIMS    5
#define ATLAS_COLUMNS 6
#define ATLAS_LEVELS  4
#define ATLAS_DESIGNS 7
#define ATLAS_CLAIMS  6
#define ATLAS_FEW     16
#define ATLAS_USUAL   64
#define ATLAS_ALL     1024
#define ATLAS_DOTS    3

typedef struct {
  const char *name;
  const char *label[ATLAS_LEVELS];
  const char *set[ATLAS_LEVELS][2]; /* settings of a level; NULL: none */
} atlas_dim_t;

/* A known machine: its level of each dimension; -1: it has none. */
typedef struct {
  const char *name;
  int at[ATLAS_DIMS];
} atlas_dot_t;

/* Of design `own` over (or, of a loss, below) design `base`. Of an atlas of variations: that of
 * `own`, or, if `base` is another design, how much of its variation `own` takes away. */
typedef struct {
  const char *what;
  uint32_t own, base;
  micro_t paper;
  bool is_loss; /* how much `own` is below `base` */
  /* Above 0: the paper says that no more is left of what claim `left_of` - 1 loses. */
  uint32_t left_of;
} atlas_claim_t;

typedef struct {
  const char *id, *title, *gpu;
  const char *design[ATLAS_DESIGNS]; /* up to the first NULL */
  atlas_dim_t dim[ATLAS_DIMS];       /* the last is of pages */
  uint32_t apps;
  bool by_time; /* compared is the mean time of a translation, not instructions per cycle */
  /* Above 0: compared is how much the first application's time varies with the second beside it.
   * Designs from this one on are those before, in the same order, with the first application alone
   * in its half of the SMs and of the colours. */
  uint32_t alone_from;
  atlas_claim_t claim[ATLAS_CLAIMS];
  atlas_dot_t dot[ATLAS_DOTS];
} atlas_t;
extern const atlas_t atlas_mask, atlas_mosaic, atlas_neidty, atlas_fgpu;

/* A row for each claim of an atlas. It says at how many `of` the claim holds and is not judged. */
#define ATLAS_COUNTED(what_, paper_) ROW(what_, paper_, 0, UNIT_NUMBER, RULE_NOTE)
#define ATLAS_MASK_ROWS(of)                                                                        \
  {                                                                                                \
    ATLAS_COUNTED("MASK over SharedTLB: " of, "57.8 %"),                                           \
        ATLAS_COUNTED("MASK-TLB over SharedTLB", "above 0"),                                       \
        ATLAS_COUNTED("MASK-Cache over SharedTLB", "43.6 %"),                                      \
        ATLAS_COUNTED("MASK-DRAM over SharedTLB", "22.7 %"),                                       \
        ATLAS_COUNTED("SharedTLB below Ideal", "40.6 %"),                                          \
        ATLAS_COUNTED("MASK below Ideal", "23.2 %"), {                                             \
      0                                                                                            \
    }                                                                                              \
  }
#define ATLAS_MOSAIC_ROWS(of)                                                                      \
  {                                                                                                \
    ATLAS_COUNTED("Mosaic over GPU-MMU: " of, "55.5 %"),                                           \
        ATLAS_COUNTED("4 KB pages below Ideal", "48.1 %"),                                         \
        ATLAS_COUNTED("Mosaic below Ideal", "6.8 %"), {                                            \
      0                                                                                            \
    }                                                                                              \
  }

/* Levels of point `i` of `points`. */
void atlas_levels(uint32_t points, uint32_t i, uint32_t level[ATLAS_COLUMNS]);
uint32_t atlas_points(const repro_plan_t *plan);
/* The run of a point under a design, with a seed from 0 on. */
lab_run_t atlas_run(const repro_t *r, const atlas_t *a, uint32_t point, uint32_t design,
                    uint32_t seed);

/* A claim with `left_of` has DIRECTION if less is left than was lost, HALF if at most twice the
 * paper's value is left, and SIZE if at most 1.5 times. */
typedef enum { ATLAS_NO, ATLAS_DIRECTION, ATLAS_HALF, ATLAS_SIZE } atlas_holds_t;

typedef struct {
  micro_t value; /* the gain or loss */
  micro_t
      noise; /* how far another seed moves it; of the points without one, the mean of the others */
  atlas_holds_t holds;
} atlas_cell_t;
typedef struct {
  uint32_t points;
  atlas_cell_t cell[ATLAS_CLAIMS][ATLAS_ALL];
} atlas_map_t;
/* False: runs are missing. */
bool atlas_map(repro_t *r, const atlas_t *a, atlas_map_t *out);
uint32_t atlas_claims(const atlas_t *a);
/* What a claim comes to, from a result of each design; and how much of the paper's that is. */
micro_t atlas_value(const atlas_t *a, const atlas_claim_t *c,
                    const lab_result_t *const x[ATLAS_DESIGNS]);
/* `of`: the same point of the claim that it is left of, if it is. */
atlas_holds_t atlas_judge(const atlas_claim_t *c, const atlas_cell_t *v, const atlas_cell_t *of);

/* The page: a heat map for each claim and pair of dimensions, and how to run any point by hand. */
void atlas_html(repro_t *r, const atlas_t *a, const atlas_map_t *m, strbuf_t *out);
/* How to read claims of what is left; "" if there are none. */
const char *atlas_left_legend(const atlas_t *a);
/* Parts of it, for other pages: up to the heading; a percentage; blue to red. */
void atlas_head(const char *title, const char *more, strbuf_t *out);
void atlas_number(strbuf_t *out, micro_t v);
void atlas_colour(const atlas_claim_t *c, micro_t v, char out[8]);
#endif
