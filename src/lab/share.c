/* Nothing is kept here: every function asks the laboratory again, which remembers. Each asks for
 * all it needs before it gives up, so that one pass finds every missing run. */
#include "lab/share.h"
#include <stdio.h>
#include <string.h>

static bool usable(const lab_result_t *x, const lab_result_t **bad) {
  if (x && x->status != LAB_DONE && !*bad) *bad = x;
  return x && x->status == LAB_DONE;
}

/* A run of so many cycles is taken as a whole: large applications do not end in it. */
ipc_t share_ipc(const lab_run_t *r, const lab_result_t *x, uint32_t app) {
  return r->limits.cycles ? lab_window_ipc(x, app) : lab_ipc(x, app);
}

bool share_alone(lab_t *l, const lab_run_t *r, const char *baseline, bool plain, ipc_t alone[],
                 const lab_result_t **bad) {
  bool all = true, was = lab_as_is(l, true);
  for (uint32_t a = 0; a < r->apps; a++) {
    lab_run_t one = *r;
    snprintf(one.design, sizeof one.design, "%s", baseline);
    memcpy(one.app[0], r->app[a], sizeof one.app[0]);
    memset(one.sms, 0, sizeof one.sms);
    one.sms[0] = r->sms[a];
    one.apps = 1;
    if (plain) one.sets = one.kept;
    const lab_result_t *x = lab_run(l, &one);
    if (usable(x, bad))
      alone[a] = share_ipc(&one, x, 0);
    else
      all = false;
  }
  lab_as_is(l, was);
  return all;
}

bool share_metrics(lab_t *l, const lab_run_t *r, const char *baseline, bool plain, sharing_t *out,
                   const lab_result_t **bad) {
  ipc_t alone[GMMU_MAX_APPS], shared[GMMU_MAX_APPS];
  const lab_result_t *x = lab_run(l, r);
  bool ok = usable(x, bad);
  for (uint32_t a = 0; ok && a < r->apps; a++) shared[a] = share_ipc(r, x, a);
  ok &= share_alone(l, r, baseline, plain, alone, bad);
  return ok && sharing_metrics(shared, alone, r->apps, out);
}

/* ---- output ---------------------------------------------------------------------------------- */

static void member(json_t *j, const char *key, bool there, micro_t v) {
  json_key(j, key);
  json_ratio(j, there ? (uint64_t)v : 0, there ? (uint64_t)MICRO : 0, 6);
}

void share_json(const sharing_t *s, const ipc_t alone[], uint32_t apps, const char *baseline,
                json_t *j) {
  json_begin_object(j);
  json_key(j, "baseline"), json_str(j, baseline);
  member(j, "weighted_speedup", s, s ? s->weighted_speedup : 0);
  member(j, "throughput", s, s ? s->throughput : 0);
  member(j, "unfairness", s, s ? s->unfairness : 0);
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < apps; a++) {
    json_begin_object(j);
    member(j, "ipc_alone", true, micro_ratio(alone[a].instructions, alone[a].cycles));
    member(j, "speedup", s, s ? s->speedup[a] : 0);
    member(j, "slowdown", s, s ? s->slowdown[a] : 0);
    json_end_object(j);
  }
  json_end_array(j);
  json_end_object(j);
}

/* ---- divisions ------------------------------------------------------------------------------- */

/* The ways to write `parts` as a sum of `apps` positive numbers. */
static uint64_t ways(uint32_t parts, uint32_t apps) {
  uint64_t n = 1;
  for (uint32_t k = 1; k < apps; k++) n = n * (parts - k) / k; /* binomial(parts - 1, apps - 1) */
  return apps && parts >= apps ? n : 0;
}

bool share_split(uint32_t total_sms, uint32_t apps, uint32_t parts, uint32_t i, uint32_t sms[]) {
  uint64_t index = i;
  uint32_t left = parts ? parts : total_sms, all = left, used = 0, given = 0;
  if (!total_sms || left > total_sms || index >= ways(left, apps)) return false;
  for (uint32_t a = 0; a < apps; a++) {
    uint32_t take = a + 1 == apps ? left : 1; /* in order of the first one's share, then the next */
    for (uint64_t n; a + 1 < apps && index >= (n = ways(left - take, apps - a - 1)); take++)
      index -= n;
    left -= take, used += take;
    uint32_t end = gpu_share_begin(total_sms, all, used);
    sms[a] = end - given;
    given = end;
  }
  return true;
}

uint32_t share_total_sms(const lab_run_t *r) {
  gpu_spec_t spec;
  err_t e = {0};
  return lab_spec(r, &spec, &e) < 0 ? 0 : spec.core.sms;
}

bool share_oracle(lab_t *l, lab_run_t *r, const char *baseline, uint32_t total_sms, uint32_t parts,
                  const lab_result_t **bad) {
  lab_run_t best = *r, one = *r;
  micro_t most = -1;
  bool all = true, was = lab_as_is(l, true);
  snprintf(one.design, sizeof one.design, "%s", baseline);
  for (uint32_t i = 0; share_split(total_sms, r->apps, parts, i, one.sms); i++) {
    sharing_t s;
    if (!share_metrics(l, &one, baseline, false, &s, bad)) {
      all = false;
      continue;
    }
    if (s.weighted_speedup <= most) continue;
    most = s.weighted_speedup;
    memcpy(best.sms, one.sms, sizeof best.sms);
  }
  lab_as_is(l, was);
  memcpy(r->sms, best.sms, sizeof r->sms);
  return all && most >= 0;
}
