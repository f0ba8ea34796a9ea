/* Both questions are experiments: evaluated until no run is missing. */
#include "run_share.h"
#include "damage.h"
#include "lab/share.h"
#include <stdio.h>
#include <string.h>

#define ORACLE_PARTS 6 /* five divisions between two applications */

static int to_run(const run_share_t *s, lab_run_t *out, err_t *e) {
  const config_t *c = s->config;
  *out = (lab_run_t){.apps = s->apps, .sets = c->settings};
  out->limits.min_cycles = s->min_cycles;
  if (c->settings > LAB_SETS)
    return err_set(e, GMMU_EINVAL, "--speedup and --split oracle: at most %d settings", LAB_SETS);
  bool fits = (size_t)snprintf(out->gpu, sizeof out->gpu, "%s", c->gpu) < sizeof out->gpu;
  snprintf(out->design, sizeof out->design, "%s", SHARE_BASELINE);
  for (uint32_t a = 0; a < s->apps; a++)
    fits &= (size_t)snprintf(out->app[a], LAB_TEXT_BYTES, "%s", s->app[a]) < LAB_TEXT_BYTES;
  for (uint32_t i = 0; i < c->settings; i++)
    fits &= (size_t)snprintf(out->set[i], LAB_TEXT_BYTES, "%s=%s", c->key[i], config_value(c, i)) <
            LAB_TEXT_BYTES;
  return fits ? GMMU_OK
              : err_set(e, GMMU_EINVAL, "an argument is longer than a result's key takes");
}

typedef bool (*question_t)(lab_t *l, lab_run_t *r, ipc_t alone[], const lab_result_t **bad);

static bool ask_oracle(lab_t *l, lab_run_t *r, ipc_t alone[], const lab_result_t **bad) {
  uint32_t sms = share_total_sms(r);
  (void)alone;
  return share_oracle(l, r, SHARE_BASELINE, sms, sms < ORACLE_PARTS ? 0 : ORACLE_PARTS, bad);
}

static bool ask_alone(lab_t *l, lab_run_t *r, ipc_t alone[], const lab_result_t **bad) {
  return share_alone(l, r, SHARE_BASELINE, false, alone, bad);
}

static int no_answer(const lab_t *l, const lab_result_t *bad, err_t *e) {
  if (lab_error(l))
    *e = *lab_error(l);
  else
    err_set(e, GMMU_EINVAL, "%s", bad ? bad->text : "the applications do not share the SMs so");
  return e->code;
}

static int answer(lab_t *l, question_t ask, const lab_run_t *r, lab_run_t *out, ipc_t alone[],
                  err_t *e) {
  for (;;) {
    const lab_result_t *bad = NULL;
    lab_begin(l);
    *out = *r;
    bool ok = ask(l, out, alone, &bad);
    if (ok) return GMMU_OK;
    if (bad || lab_error(l) || !lab_missing(l)) return no_answer(l, bad, e);
    int rc = lab_execute(l, "alone", e);
    if (rc < 0) return rc;
  }
}

static int ask(const run_share_t *s, question_t question, uint32_t sms[], ipc_t alone[], err_t *e) {
  lab_run_t r, found;
  lab_t *l = NULL;
  int rc = to_run(s, &r, e);
  memcpy(r.sms, sms, s->apps * sizeof *sms);
  if (rc == 0) rc = lab_open(s->store, STORE_WRITE, 0, &l, e);
  if (rc == 0) rc = answer(l, question, &r, &found, alone, e);
  if (rc == 0) memcpy(sms, found.sms, s->apps * sizeof *sms);
  if (l) damage_warn(lab_store(l), lab_store_path(l), DAMAGE_AGAIN);
  lab_close(l);
  return rc;
}

int run_share_oracle(const run_share_t *s, uint32_t sms[], err_t *e) {
  return ask(s, ask_oracle, sms, NULL, e);
}

int run_share_alone(const run_share_t *s, const uint32_t sms[], ipc_t alone[], err_t *e) {
  uint32_t own[GMMU_MAX_APPS];
  lab_run_t r;
  memcpy(own, sms, sizeof own);
  int rc = to_run(s, &r, e);
  uint32_t total = rc == 0 ? share_total_sms(&r) : 0;
  for (uint32_t a = 0; a < s->apps && s->undivided; a++) own[a] = total;
  if (rc == 0 && !own[0] && !share_split(total, s->apps, s->apps, 0, own))
    return err_set(e, GMMU_ERANGE, "%u applications on %u SMs", s->apps, total);
  return rc < 0 ? rc : ask(s, ask_alone, own, alone, e);
}

/* ---- output ---------------------------------------------------------------------------------- */

static bool metrics_of(const gpu_summary_t *app, uint32_t apps, const ipc_t alone[],
                       sharing_t *out) {
  ipc_t shared[GMMU_MAX_APPS];
  for (uint32_t a = 0; a < apps; a++)
    shared[a] = (ipc_t){app[a].complete_instructions, app[a].complete_cycles};
  return sharing_metrics(shared, alone, apps, out);
}

static void cell(table_t *t, bool there, micro_t v) {
  table_ratio(t, (uint64_t)v, there ? (uint64_t)MICRO : 0, 3);
}

static void text_row(table_t *t, const report_t *r, uint32_t run, const ipc_t alone[]) {
  sharing_t s;
  bool there = metrics_of(r->run[run].app, r->apps, alone, &s);
  table_cell(t, r->run[run].design);
  for (uint32_t a = 0; a < r->apps; a++) cell(t, there, s.speedup[a]);
  cell(t, there, s.weighted_speedup);
  cell(t, there, s.throughput);
  cell(t, there, s.unfairness);
}

void run_share_text(const report_t *r, const ipc_t alone[], strbuf_t *out) {
  table_t t;
  table_init(&t);
  table_column(&t, "design", TABLE_LEFT);
  for (uint32_t a = 0; a < r->apps; a++) table_column(&t, r->name[a], TABLE_RIGHT);
  table_column(&t, "weighted speed-up", TABLE_RIGHT);
  table_column(&t, "throughput", TABLE_RIGHT);
  table_column(&t, "unfairness", TABLE_RIGHT);
  for (uint32_t i = 0; i < r->runs; i++) text_row(&t, r, i, alone);
  strbuf_str(out, "\nSharing: IPC over that alone, on as many SMs under " SHARE_BASELINE
                  "; their sum; the sum of the IPCs; the\nlargest slow-down (-: an application has "
                  "not finished once)\n\n");
  table_render(&t, TABLE_TEXT, out);
  table_fini(&t);
}

void run_share_json(const gpu_summary_t *app, uint32_t apps, const ipc_t alone[], json_t *j) {
  sharing_t s;
  bool there = metrics_of(app, apps, alone, &s);
  json_key(j, "sharing");
  share_json(there ? &s : NULL, alone, apps, SHARE_BASELINE, j);
}
