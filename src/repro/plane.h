#ifndef GMMU_REPRO_PLANE_H
#define GMMU_REPRO_PLANE_H
/* Workloads by what they do, not by name: applications placed by two statistics of a run under the
 * baseline (`gmmu characterize`), and pairs drawn from that plane before any mechanism is run.
 *
 * The rule. Applications are ranked by DRAM bytes per walk and by the median distance at which they
 * come back to a page (reuse.h). Those at and above the middle of each ranking make four quadrants;
 * equal values are on one side. In each quadrant members are ordered by how near their ranks are to
 * its mean, ties by name. There is a pair for each two quadrants, and for each with itself, ten in
 * all; every pair takes the next member of its quadrants. */
#include "repro/atlas.h"

#define PLANE_APPS      48
#define PLANE_PAIRS     10
#define PLANE_QUADRANTS 4

typedef enum { PLANE_BYTES, PLANE_REUSE, PLANE_AXES } plane_axis_t;

typedef struct {
  const char *name;
  uint64_t at[PLANE_AXES]; /* DRAM bytes per walk; other pages until one is used again */
  uint32_t rank[PLANE_AXES], quadrant;
} plane_app_t;

typedef struct {
  plane_app_t app[PLANE_APPS];
  uint32_t apps;
  uint32_t pair[PLANE_PAIRS][2]; /* into app[] */
  uint32_t pairs;
} plane_t;

/* From app[].name and app[].at: the rest. */
void plane_draw(plane_t *p);
/* The papers' applications with their statistics, and the pairs; false: runs are missing. */
bool plane_of(repro_t *r, plane_t *p);
/* A pair at an operating point under a design of the atlas; another seed is another time at which
 * the second application begins. */
lab_run_t plane_run(const repro_t *r, const atlas_t *a, const plane_t *p, uint32_t pair,
                    uint32_t point, uint32_t design, uint32_t seed);

typedef struct {
  plane_t plane;
  atlas_cell_t cell[ATLAS_CLAIMS][REPRO_POINTS][PLANE_PAIRS];
} plane_map_t;
bool plane_map(repro_t *r, const atlas_t *a, plane_map_t *out);
void plane_html(repro_t *r, const atlas_t *a, const plane_map_t *m, strbuf_t *out);
#endif
