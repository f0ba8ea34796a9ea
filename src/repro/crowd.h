#ifndef GMMU_REPRO_CROWD_H
#define GMMU_REPRO_CROWD_H
/* Mosaic's workloads: one to five copies of an application, and two to five different ones, on its
 * GPU, with SMs in equal shares. IPC_alone is that of GPU-MMU on as many SMs.
 *
 * Data is resident, and a run takes the plan's cycles; or it comes by demand paging, as the paper
 * has it in most figures, and a run is one execution of each application, at the plan's smaller
 * size: in a window of cycles first touches would be all there is. Then IPC_alone is with paging,
 * too. */
#include "repro/pairs.h"

#define MOSAIC_GPU      "mosaic"
#define MOSAIC_BASELINE "gpu-mmu"
#define CROWD_APPS      27
#define CROWD_MIXES     25
#define CROWD_MOST      5
#define CROWD_MAX       CROWD_APPS /* workloads of a mean: the largest number */
#define CROWD_SETS      5

/* A workload: names of applications, or generators with their parameters. */
typedef struct {
  const char *app[CROWD_MOST];
  uint32_t apps;
} crowd_t;

extern const char *const crowd_apps[CROWD_APPS];
extern const crowd_t crowd_mixes[CROWD_MOST - 1][CROWD_MIXES]; /* of two, three, ... */

crowd_t crowd_copies(const char *app, uint32_t copies);
void crowd_name(const crowd_t *c, char *buf, size_t size); /* "hs_cons" */

/* The machine; settings come behind the design. */
typedef struct {
  const char *design;
  const char *set[CROWD_SETS]; /* up to the first NULL */
  bool own_alone;              /* IPC_alone with the settings, not one without for all */
  uint32_t times;              /* as many of the plan's cycles; 0: one */
  bool demand; /* data is on the host when the run begins, which is one execution of each */
} crowd_machine_t;

/* ---- workloads of the plan; each returns how many ---- */

uint32_t crowds_same(const repro_t *r, uint32_t copies, crowd_t out[CROWD_MAX]);
uint32_t crowds_mixed(const repro_t *r, uint32_t apps, crowd_t out[CROWD_MAX]);
uint32_t crowds_few(const repro_t *r, crowd_t out[CROWD_MAX]); /* of sensitivity studies: pairs */

/* An application of each of the first pairs, and a program that allocates and frees while it runs.
 */
uint32_t crowds_churning(const repro_t *r, crowd_t out[CROWD_MAX]);   /* of runs: few */
uint32_t crowds_allocating(const repro_t *r, crowd_t out[CROWD_MAX]); /* of the manager alone */

/* ---- runs; false or NULL: not there (yet), and noted if it never will be ---- */

crowd_machine_t crowd_machine(const char *design, bool demand);
lab_run_t crowd_run(const repro_t *r, const crowd_machine_t *m, const crowd_t *c);
const lab_result_t *crowd_result(repro_t *r, const crowd_machine_t *m, const crowd_t *c);
/* Applications that got nowhere add nothing; those that did are in *out, one after the other. */
bool crowd_metrics(repro_t *r, const crowd_machine_t *m, const crowd_t *c, sharing_t *out);
/* The arithmetic mean of their weighted speed-ups. */
bool crowds_speedup(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                    micro_t *out);
bool crowds_results(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                    const lab_result_t *out[]);

/* A counter of each application (or of the memory manager, memory.), summed over them and the
 * workloads: what says that a mechanism acted. 0 while runs are missing. */
uint64_t crowds_acted(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                      const char *path);
/* Two counters of all applications together, as a fraction. */
micro_t crowd_rate(const lab_result_t *x, const char *num, const char *den);
#endif
