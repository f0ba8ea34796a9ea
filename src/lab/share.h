#ifndef GMMU_SHARE_H
#define GMMU_SHARE_H
/* Applications that share a GPU: what they are compared with, and who gets how many SMs.
 *
 * IPC_alone is measured on as many SMs as the application has when it shares, alone, under one
 * design for all comparisons (SHARE_BASELINE), whatever design is looked at, and as it is
 * (lab_as_is()). IPC is that of complete executions; of runs with a limit of cycles, that of all
 * cycles. */
#include "base/json.h"
#include "lab/lab.h"

#define SHARE_BASELINE "sharedtlb" /* MASK's best baseline; Mosaic takes gpu-mmu */

/* Of one application of a run. */
ipc_t share_ipc(const lab_run_t *r, const lab_result_t *x, uint32_t app);

/* The runs that IPC_alone comes from: the same machine and limits, one application at a time under
 * `baseline`. Settings of `r` are left out if `plain` is set: a sweep has one denominator. False if
 * one of them is missing or has no value; *bad is then the first that never will have one, if any.
 */
bool share_alone(lab_t *l, const lab_run_t *r, const char *baseline, bool plain, ipc_t alone[],
                 const lab_result_t **bad);

/* The metrics of a run, with its alone runs. As share_alone(). */
bool share_metrics(lab_t *l, const lab_run_t *r, const char *baseline, bool plain, sharing_t *out,
                   const lab_result_t **bad);

/* The metrics as members of a JSON object; `s` is NULL where an application has not finished once.
 */
void share_json(const sharing_t *s, const ipc_t alone[], uint32_t apps, const char *baseline,
                json_t *j);

/* Every division of the SMs, in steps of 1/parts of them (parts 0: of one SM), each application
 * having at least one step. share_split() fills sms[] with division number i; false behind the
 * last. */
bool share_split(uint32_t total_sms, uint32_t apps, uint32_t parts, uint32_t i, uint32_t sms[]);
/* The division with the best weighted speed-up under `baseline`, the first of equals; SMs of `r`
 * are replaced. As share_alone(). */
bool share_oracle(lab_t *l, lab_run_t *r, const char *baseline, uint32_t total_sms, uint32_t parts,
                  const lab_result_t **bad);

/* SMs of the run's GPU, 0 if this gmmu lacks it. */
uint32_t share_total_sms(const lab_run_t *r);
#endif
