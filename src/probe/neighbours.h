#ifndef GMMU_PROBE_NEIGHBOURS_H
#define GMMU_PROBE_NEIGHBOURS_H
/* How much one application slows another under a design, and through what: both run on a
 * simulated GPU, against the same beside an application that does nothing. So the division of the
 * chip is the same in both, and what is left is what they share. */
#include "base/json.h"
#include "base/table.h"
#include "gpu/stats.h"

typedef enum { NEIGHBOUR_TRANSLATION, NEIGHBOUR_CACHE, NEIGHBOUR_MEMORY, NEIGHBOURS } neighbour_t;
const char *neighbour_name(neighbour_t n);
const char *neighbour_help(neighbour_t n);
/* What it runs on this GPU: the text of a generator. */
void neighbour_load(const gpu_spec_t *s, neighbour_t n, char *out, size_t size);

typedef struct {
  uint64_t cycles;        /* until it has finished */
  uint64_t stall[STALLS]; /* warp-cycles, by reason */
} neighbour_run_t;

typedef struct {
  char shared[64]; /* what is shared, as the configuration says */
  neighbour_run_t alone[NEIGHBOURS];
  neighbour_run_t beside[NEIGHBOURS][NEIGHBOURS]; /* [who][beside whom] */
} neighbour_runs_t;

#define NEIGHBOURS_DESIGN 64
#define NEIGHBOURS_LESS   3
typedef struct {
  char design[NEIGHBOURS_DESIGN];
  gpu_spec_t spec;
  char reason[sizeof((err_t *)0)->text]; /* the GPU cannot be shared so; "": it can */
  neighbour_runs_t run;                  /* with everything shared that the design declares so */
  /* The same with less of that shared, the least last: what is left is not due to the rest. */
  neighbour_runs_t less[NEIGHBOURS_LESS];
  uint32_t lesses;
} neighbours_t;

/* Measures all pairs under x->spec; under `mig`, also with every part of what is declared shared.
 * What the machine refuses becomes the reason. */
int neighbours_measure(neighbours_t *x, void (*progress)(void *ctx, const char *what), void *ctx,
                       bool (*stop)(void), err_t *e);

/* Warp-cycles that `who` waits more beside `whom`, for a reason; and for all of them together. */
uint64_t neighbours_more(const neighbours_t *x, neighbour_t who, neighbour_t whom, stall_t reason);
uint64_t neighbours_more_in_all(const neighbours_t *x, neighbour_t who, neighbour_t whom);
/* What is shared under the design, as the configuration says. */
void neighbours_shared(const gpu_spec_t *s, strbuf_t *out);

void neighbours_text(const neighbours_t *x, uint32_t designs, strbuf_t *out);
void neighbours_json(const neighbours_t *x, uint32_t designs, json_t *j);
#endif
