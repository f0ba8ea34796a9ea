/* Runs of Mosaic's workloads, and what is worked out of their results. Invariant: a function that
 * needs several runs asks for all of them before it gives up on one. */
#include "repro/crowd.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The 27; a plan that takes fewer takes the first. The order was drawn once, with seed 1, and not
 * changed. */
const char *const crowd_apps[CROWD_APPS] = {"scan", "srad", "lps", "hs",    "sc",  "bfs2", "cons",
                                            "trd",  "ray",  "luh", "histo", "nw",  "nn",   "3ds",
                                            "fwt",  "sad",  "fft", "lud",   "red", "mm",   "mum",
                                            "bp",   "gup",  "blk", "scp",   "qtc", "cfd"};

/* Different applications, two to five: drawn likewise, but for the two pairs that the text names
 * (6.2). The paper's are known from its figures only. */
const crowd_t crowd_mixes[CROWD_MOST - 1][CROWD_MIXES] = {
    {{{"hs", "cons"}, 2},  {{"nw", "histo"}, 2}, {{"3ds", "red"}, 2},  {{"nw", "3ds"}, 2},
     {{"lud", "sad"}, 2},  {{"fft", "luh"}, 2},  {{"scan", "3ds"}, 2}, {{"nn", "fwt"}, 2},
     {{"scp", "mm"}, 2},   {{"mum", "nw"}, 2},   {{"fwt", "lps"}, 2},  {{"fwt", "sad"}, 2},
     {{"fwt", "scp"}, 2},  {{"mm", "histo"}, 2}, {{"3ds", "luh"}, 2},  {{"ray", "scp"}, 2},
     {{"sc", "mum"}, 2},   {{"cfd", "qtc"}, 2},  {{"nw", "scp"}, 2},   {{"bp", "hs"}, 2},
     {{"bfs2", "luh"}, 2}, {{"blk", "lud"}, 2},  {{"srad", "cfd"}, 2}, {{"trd", "cfd"}, 2},
     {{"ray", "qtc"}, 2}},
    {{{"trd", "nw", "red"}, 3},     {{"bp", "cons", "red"}, 3},  {{"scan", "histo", "bp"}, 3},
     {{"scan", "hs", "sc"}, 3},     {{"nn", "luh", "trd"}, 3},   {{"sad", "fft", "histo"}, 3},
     {{"histo", "qtc", "mum"}, 3},  {{"nn", "lud", "qtc"}, 3},   {{"bfs2", "mum", "fwt"}, 3},
     {{"scan", "srad", "lud"}, 3},  {{"luh", "sad", "cons"}, 3}, {{"lps", "nw", "sc"}, 3},
     {{"scp", "sad", "scan"}, 3},   {{"lps", "blk", "mm"}, 3},   {{"sad", "nn", "bp"}, 3},
     {{"scp", "cons", "nn"}, 3},    {{"trd", "lud", "lps"}, 3},  {{"mum", "scan", "3ds"}, 3},
     {{"mum", "bfs2", "histo"}, 3}, {{"sc", "ray", "qtc"}, 3},   {{"qtc", "lud", "red"}, 3},
     {{"cons", "nn", "fwt"}, 3},    {{"3ds", "scp", "fft"}, 3},  {{"nw", "fwt", "lud"}, 3},
     {{"nn", "lps", "qtc"}, 3}},
    {{{"lps", "mm", "gup", "sad"}, 4},    {{"nw", "ray", "scan", "3ds"}, 4},
     {{"lud", "srad", "trd", "scan"}, 4}, {{"nn", "srad", "cfd", "scp"}, 4},
     {{"nw", "fft", "luh", "bfs2"}, 4},   {{"mum", "lps", "qtc", "nw"}, 4},
     {{"fft", "nn", "luh", "mum"}, 4},    {{"trd", "lps", "luh", "3ds"}, 4},
     {{"nw", "ray", "srad", "hs"}, 4},    {{"mm", "ray", "3ds", "srad"}, 4},
     {{"fwt", "red", "cons", "nw"}, 4},   {{"qtc", "cons", "blk", "srad"}, 4},
     {{"nw", "srad", "trd", "gup"}, 4},   {{"bfs2", "trd", "sad", "blk"}, 4},
     {{"blk", "3ds", "mm", "scp"}, 4},    {{"scp", "gup", "fwt", "bp"}, 4},
     {{"srad", "ray", "cons", "lps"}, 4}, {{"histo", "blk", "cons", "gup"}, 4},
     {{"nn", "cons", "sad", "gup"}, 4},   {{"red", "sc", "histo", "mm"}, 4},
     {{"sc", "hs", "mum", "bp"}, 4},      {{"3ds", "histo", "lud", "hs"}, 4},
     {{"luh", "srad", "fft", "gup"}, 4},  {{"bp", "gup", "scan", "nn"}, 4},
     {{"fft", "ray", "luh", "trd"}, 4}},
    {{{"3ds", "fwt", "lud", "cfd", "bfs2"}, 5},    {{"scan", "cons", "mm", "sc", "nn"}, 5},
     {{"sad", "luh", "nw", "trd", "fwt"}, 5},      {{"red", "srad", "sc", "nn", "mm"}, 5},
     {{"fwt", "nn", "red", "3ds", "lud"}, 5},      {{"sad", "qtc", "srad", "hs", "red"}, 5},
     {{"luh", "bfs2", "scan", "histo", "cfd"}, 5}, {{"fft", "bfs2", "histo", "blk", "scan"}, 5},
     {{"cons", "luh", "qtc", "gup", "cfd"}, 5},    {{"3ds", "nw", "bfs2", "qtc", "trd"}, 5},
     {{"fft", "qtc", "mm", "cons", "trd"}, 5},     {{"scp", "sc", "ray", "nn", "bfs2"}, 5},
     {{"lud", "fft", "lps", "bp", "qtc"}, 5},      {{"sad", "luh", "qtc", "fft", "mum"}, 5},
     {{"bp", "sad", "lud", "histo", "nn"}, 5},     {{"mum", "3ds", "hs", "ray", "lud"}, 5},
     {{"histo", "3ds", "cons", "fft", "hs"}, 5},   {{"srad", "qtc", "cfd", "hs", "luh"}, 5},
     {{"fft", "gup", "sad", "bp", "trd"}, 5},      {{"lud", "nw", "lps", "trd", "sad"}, 5},
     {{"nw", "mum", "scp", "fwt", "blk"}, 5},      {{"scan", "bfs2", "blk", "cfd", "cons"}, 5},
     {{"cons", "nw", "fft", "gup", "scp"}, 5},     {{"hs", "ray", "nn", "trd", "gup"}, 5},
     {{"lps", "hs", "bp", "histo", "fwt"}, 5}}};

crowd_t crowd_copies(const char *app, uint32_t copies) {
  crowd_t c = {.apps = copies};
  for (uint32_t i = 0; i < copies; i++) c.app[i] = app;
  return c;
}

void crowd_name(const crowd_t *c, char *buf, size_t size) {
  size_t used = 0;
  buf[0] = 0;
  for (uint32_t i = 0; i < c->apps && used < size; i++)
    used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? "_" : "", c->app[i]);
}

/* ---- runs ------------------------------------------------------------------------------------ */

crowd_machine_t crowd_machine(const char *design, bool demand) {
  return (crowd_machine_t){.design = design, .demand = demand};
}

/* A generator comes with its parameters. */
static void add_app(const repro_t *r, const char *app, bool demand, char out[LAB_TEXT_BYTES]) {
  if (strchr(app, ':'))
    snprintf(out, LAB_TEXT_BYTES, "%s", app);
  else
    snprintf(out, LAB_TEXT_BYTES, "%s:size=%s,seed=%" PRIu64, app,
             demand ? r->plan->size : r->plan->mosaic.size, r->plan->seed);
}

lab_run_t crowd_run(const repro_t *r, const crowd_machine_t *m, const crowd_t *c) {
  lab_run_t run = {.limits = {.cycles = r->plan->mosaic.cycles * (m->times ? m->times : 1)}};
  if (m->demand) run.limits = (gpu_limits_t){.no_relaunch = true};
  repro_put_gpu(r, &run, MOSAIC_GPU);
  snprintf(run.design, sizeof run.design, "%s", m->design);
  if (m->demand) {
    snprintf(run.set[run.sets++], sizeof run.set[0], "mem.paging=demand");
    run.kept = run.sets; /* alone, too */
  }
  for (uint32_t i = 0; i < CROWD_SETS && m->set[i]; i++)
    snprintf(run.set[run.sets++], sizeof run.set[0], "%s", m->set[i]);
  for (; run.apps < c->apps; run.apps++) add_app(r, c->app[run.apps], m->demand, run.app[run.apps]);
  return run;
}

const lab_result_t *crowd_result(repro_t *r, const crowd_machine_t *m, const crowd_t *c) {
  lab_run_t run = crowd_run(r, m, c);
  const lab_result_t *x = lab_run(r->lab, &run);
  return repro_has(r, x) ? x : NULL;
}

bool crowd_metrics(repro_t *r, const crowd_machine_t *m, const crowd_t *c, sharing_t *out) {
  const lab_result_t *bad = NULL;
  ipc_t shared[CROWD_MOST], alone[CROWD_MOST];
  lab_run_t run = crowd_run(r, m, c);
  uint32_t moved = 0;
  if (!share_split(share_total_sms(&run), run.apps, run.apps, 0, run.sms)) return false;
  const lab_result_t *x = crowd_result(r, m, c);
  bool ok = share_alone(r->lab, &run, MOSAIC_BASELINE, !m->own_alone, alone, &bad) && x;
  if (bad) repro_has(r, bad);
  for (uint32_t a = 0; ok && a < c->apps; a++) {
    shared[moved] = share_ipc(&run, x, a), alone[moved] = alone[a];
    moved += shared[moved].instructions > 0;
  }
  return ok && sharing_metrics(shared, alone, moved, out);
}

bool crowds_speedup(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                    micro_t *out) {
  micro_t v[CROWD_MAX] = {0};
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) {
    sharing_t s = {0};
    ok &= crowd_metrics(r, m, &c[i], &s);
    v[i] = s.weighted_speedup;
  }
  *out = micro_mean(v, count);
  return ok && count;
}

bool crowds_results(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                    const lab_result_t *out[]) {
  bool ok = true;
  for (uint32_t i = 0; i < count; i++) ok &= (out[i] = crowd_result(r, m, &c[i])) != NULL;
  return ok && count;
}

uint64_t crowds_acted(repro_t *r, const crowd_machine_t *m, const crowd_t *c, uint32_t count,
                      const char *path) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    const lab_result_t *x = crowd_result(r, m, &c[i]);
    sum += !x ? 0 : strncmp(path, "memory.", 7) ? total(x, path) : repro_count(x, path);
  }
  return sum;
}

/* ---- workloads of the plan ------------------------------------------------------------------- */

uint32_t crowds_same(const repro_t *r, uint32_t copies, crowd_t out[CROWD_MAX]) {
  uint32_t count = copies == 2 ? r->plan->mosaic.apps : r->plan->mosaic.few;
  for (uint32_t i = 0; i < count; i++) out[i] = crowd_copies(crowd_apps[i], copies);
  return count;
}

uint32_t crowds_mixed(const repro_t *r, uint32_t apps, crowd_t out[CROWD_MAX]) {
  uint32_t count = apps == 2 ? r->plan->mosaic.pairs : r->plan->mosaic.mixes;
  memcpy(out, crowd_mixes[apps - 2], count * sizeof *out);
  return count;
}

uint32_t crowds_few(const repro_t *r, crowd_t out[CROWD_MAX]) {
  uint32_t count =
      r->plan->mosaic.few < r->plan->mosaic.pairs ? r->plan->mosaic.few : r->plan->mosaic.pairs;
  memcpy(out, crowd_mixes[0], count * sizeof *out);
  return count;
}

/* 32 allocations of about 3 MB, so that most have a large page, half of them anew for each of 64
 * launches. */
#define CHURN "churn:footprint=96M,piece=3M,turnover=50,steps=8,launches=64"

static uint32_t beside_churn(uint32_t count, crowd_t out[CROWD_MAX]) {
  for (uint32_t i = 0; i < count; i++) out[i] = (crowd_t){{crowd_mixes[0][i].app[0], CHURN}, 2};
  return count;
}

uint32_t crowds_churning(const repro_t *r, crowd_t out[CROWD_MAX]) {
  return beside_churn(r->plan->mosaic.torn, out);
}

uint32_t crowds_allocating(const repro_t *r, crowd_t out[CROWD_MAX]) {
  return beside_churn(r->plan->mosaic.pairs, out);
}

/* ---- numbers --------------------------------------------------------------------------------- */

micro_t crowd_rate(const lab_result_t *x, const char *num, const char *den) {
  return micro_ratio(total(x, num), total(x, den));
}
