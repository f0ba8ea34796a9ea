#ifndef GMMU_RUN_SHARE_H
#define GMMU_RUN_SHARE_H
/* What `gmmu run` takes from the laboratory: the oracle's division of the SMs, and how fast each
 * application is alone (share.h). */
#include "config.h"
#include "explain/report.h"
#include "lab/lab.h"

typedef struct {
  const config_t *config;
  const char *const *app; /* [apps] as typed; no programs */
  uint32_t apps;
  uint64_t min_cycles;
  const char *store; /* NULL: the user's own */
  bool undivided;    /* share.mode=time or threads: alone, too, each has all SMs */
} run_share_t;

/* The best division under SHARE_BASELINE, in sixths of the SMs. */
int run_share_oracle(const run_share_t *s, uint32_t sms[], err_t *e);
/* Each alone on its SMs; all 0: equal shares. Undivided: on all of them. */
int run_share_alone(const run_share_t *s, const uint32_t sms[], ipc_t alone[], err_t *e);

/* The metrics of each design of the report, as a table and as one member of its JSON object. */
void run_share_text(const report_t *r, const ipc_t alone[], strbuf_t *out);
void run_share_json(const gpu_summary_t *app, uint32_t apps, const ipc_t alone[], json_t *j);
#endif
