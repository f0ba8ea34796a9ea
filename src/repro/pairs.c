/* Runs of pairs, and what is worked out of their results. Invariant: a function that needs several
 * runs asks for all of them before it gives up on one. */
#include "repro/pairs.h"
#include "base/json_find.h"
#include "lab/suite.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The nine that the text names (3DS_HISTO, SCAN_SRAD, RED_RAY, MM_CONS, SCAN_SAD, SCAN_CONS,
 * SC_FWT, RED_BP, SCAN_HISTO) and 26 drawn from Table 2, with seed 1, 9 of 0-HMR, 9 of 1-HMR and 8
 * of 2-HMR, none of two low/low applications: the paper's other 26 are known from its figures only.
 * Each beginning of the list has all three classes: 3, 6 and 12 pairs are plans. */
const pair_t mask_pairs[PAIRS_MAX] = {
    {{"3ds", "histo"}}, {{"scan", "srad"}}, {{"fft", "sad"}},  {{"red", "ray"}},
    {{"mm", "cons"}},   {{"scp", "hs"}},    {{"scan", "sad"}}, {{"scan", "cons"}},
    {{"bfs2", "gup"}},  {{"sc", "fwt"}},    {{"red", "bp"}},   {{"scan", "histo"}},
    {{"histo", "hs"}},  {{"mum", "bfs2"}},  {{"mm", "scan"}},  {{"fft", "qtc"}},
    {{"cons", "lud"}},  {{"cons", "luh"}},  {{"sad", "scp"}},  {{"blk", "lps"}},
    {{"cfd", "sc"}},    {{"ray", "bp"}},    {{"sc", "fft"}},   {{"blk", "cons"}},
    {{"ray", "lps"}},   {{"3ds", "bp"}},    {{"fwt", "luh"}},  {{"gup", "lud"}},
    {{"mum", "histo"}}, {{"3ds", "fwt"}},   {{"mum", "nn"}},   {{"3ds", "cons"}},
    {{"srad", "sad"}},  {{"red", "trd"}},   {{"3ds", "bfs2"}},
};

/* ---- runs ------------------------------------------------------------------------------------ */

void run_add(const repro_t *r, lab_run_t *run, const char *app) {
  snprintf(run->app[run->apps++], sizeof run->app[0], "%s:size=%s,seed=%" PRIu64, app,
           r->plan->size, r->plan->seed);
}

static void add_set(lab_run_t *run, const char *text) {
  if (text) snprintf(run->set[run->sets++], sizeof run->set[0], "%s", text);
}

lab_run_t run_on(const repro_t *r, const machine_t *m) {
  lab_run_t run = {.limits = {.min_cycles = r->plan->min_cycles}};
  repro_put_gpu(r, &run, m->gpu);
  snprintf(run.design, sizeof run.design, "%s", m->design);
  add_set(&run, r->plan->set);
  for (uint32_t i = 0; i < 2; i++) add_set(&run, m->set[i]);
  return run;
}

void run_note_bad(repro_t *r, const lab_result_t *bad) {
  if (bad) repro_has(r, bad);
}

bool run_place(repro_t *r, lab_run_t *run, bool equal) {
  const lab_result_t *bad = NULL;
  lab_run_t plain = *run;
  uint32_t sms = share_total_sms(run);
  plain.sets = plain.kept;
  bool ok = equal ? share_split(sms, run->apps, run->apps, 0, plain.sms)
                  : share_oracle(r->lab, &plain, SHARE_BASELINE, sms, r->plan->parts, &bad);
  memcpy(run->sms, plain.sms, sizeof run->sms);
  run_note_bad(r, bad);
  return ok;
}

bool pair_run(repro_t *r, const machine_t *m, const pair_t *p, lab_run_t *run) {
  *run = run_on(r, m);
  for (uint32_t i = 0; i < 2; i++) run_add(r, run, p->app[i]);
  return run_place(r, run, m->equal);
}

const lab_result_t *pair_result(repro_t *r, const machine_t *m, const pair_t *p) {
  lab_run_t run;
  if (!pair_run(r, m, p, &run)) return NULL;
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x : NULL;
}

bool pair_metrics(repro_t *r, const machine_t *m, const pair_t *p, sharing_t *out) {
  const lab_result_t *bad = NULL;
  lab_run_t run;
  if (!pair_run(r, m, p, &run)) return false;
  bool ok = share_metrics(r->lab, &run, SHARE_BASELINE, !m->own_alone, out, &bad);
  run_note_bad(r, bad);
  return ok;
}

bool pairs_metrics(repro_t *r, const machine_t *m, uint32_t count, sharing_t out[]) {
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) ok &= pair_metrics(r, m, &mask_pairs[i], &out[i]);
  return ok;
}

bool pairs_results(repro_t *r, const machine_t *m, uint32_t count, const lab_result_t *out[]) {
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) ok &= (out[i] = pair_result(r, m, &mask_pairs[i])) != NULL;
  return ok;
}

/* ---- means ----------------------------------------------------------------------------------- */

micro_t pairs_mean(const sharing_t *s, uint32_t count, size_t field) {
  micro_t v[PAIRS_MAX];
  for (uint32_t i = 0; i < count; i++) memcpy(&v[i], (const char *)&s[i] + field, sizeof v[i]);
  return micro_mean(v, count);
}

bool pairs_speedup(repro_t *r, const machine_t *m, uint32_t count, micro_t *out) {
  sharing_t s[PAIRS_MAX];
  bool ok = pairs_metrics(r, m, count, s);
  *out = ok ? PAIRS_MEAN(s, count, weighted_speedup) : 0;
  return ok;
}

uint64_t total(const lab_result_t *x, const char *path) {
  uint64_t sum = 0;
  uint32_t apps = json_find_count(x->text, "apps");
  for (uint32_t a = 0; a < apps; a++) {
    char full[128];
    snprintf(full, sizeof full, "apps[%u].%s", a, path);
    sum += lab_u64(x, full);
  }
  return sum;
}

uint64_t total_of(const lab_result_t *const x[], uint32_t count, const char *path) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += total(x[i], path);
  return sum;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const suite_app_t *suite_app(const char *name) {
  const suite_app_t *a = suite_all;
  while (a->name && strcmp(a->name, name)) a++;
  return a;
}

uint32_t pair_hmr(const pair_t *p) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < 2; i++) {
    const suite_app_t *a = suite_app(p->app[i]);
    n += a->name && strcmp(a->mask_class, "H/H") == 0;
  }
  return n;
}

void pair_cells(table_t *t, const pair_t *p) {
  table_printf(t, "%s_%s", p->app[0], p->app[1]);
  table_printf(t, "%u", pair_hmr(p));
}

table_t *pair_table(repro_t *r, const char *title, const char *const columns[]) {
  table_t *t = repro_table(r, title);
  table_column(t, "pair", TABLE_LEFT);
  table_column(t, "HMR", TABLE_RIGHT);
  for (; *columns; columns++) table_column(t, *columns, TABLE_RIGHT);
  return t;
}

uint32_t pairs_apps(uint32_t count, const char *out[2 * PAIRS_MAX]) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < 2 * count; i++) {
    const char *app = mask_pairs[i / 2].app[i % 2];
    uint32_t k = 0;
    while (k < n && strcmp(out[k], app)) k++;
    if (k == n) out[n++] = app;
  }
  return n;
}

micro_t fraction(const lab_result_t *x, const char *path) {
  uint64_t v = 0;
  return json_find_micro(x->text, path, &v) ? (micro_t)v : 0;
}
