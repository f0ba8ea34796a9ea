#include "explain/explain.h"
#include "base/ratio.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- machines -------------------------------------------------------------------------------- */

static explain_run_t *add(explain_t *x, explain_kind_t kind, const char *name) {
  if (x->runs == EXPLAIN_MAX_RUNS) return NULL;
  explain_run_t *r = &x->run[x->runs++];
  *r = (explain_run_t){.kind = kind, .cause = CAUSES};
  snprintf(r->name, sizeof r->name, "%s", name);
  return r;
}

static void set(explain_run_t *r, const char *setting) {
  cause_settings_t *s = &r->settings;
  if (s->count < CAUSE_SETTINGS) snprintf(s->at[s->count++], CAUSE_BYTES, "%s", setting);
}

void explain_plan(explain_t *x, const gpu_spec_t *spec, const char *base) {
  *x = (explain_t){.spec = *spec};
  add(x, EXPLAIN_BASE, base);
  set(add(x, EXPLAIN_IDEAL, "ideal"), "tlb.ideal=true");
  for (cause_t c = 0; c < CAUSE_HIDDEN; c++) {
    explain_run_t *r = add(x, EXPLAIN_CAUSE, cause_info[c].without);
    r->cause = c;
    cause_remove(c, spec, &r->settings);
  }
  if (strcmp(spec->memory.paging, "preload") == 0) return;
  explain_run_t *resident = add(x, EXPLAIN_RESIDENT, "ideal, all pages there");
  set(resident, "tlb.ideal=true"), set(resident, "mem.paging=preload");
}

bool explain_add_design(explain_t *x, const char *name) {
  return add(x, EXPLAIN_DESIGN, name) != NULL;
}

void explain_fini(explain_t *x) {
  for (uint32_t i = 0; i < x->runs; i++) free(x->run[i].json);
  x->runs = 0;
}

const explain_run_t *explain_find(const explain_t *x, explain_kind_t kind, cause_t cause) {
  for (uint32_t i = 0; i < x->runs; i++)
    if (x->run[i].kind == kind && (kind != EXPLAIN_CAUSE || x->run[i].cause == cause))
      return &x->run[i];
  return NULL;
}

uint64_t explain_cycles(const explain_run_t *r) {
  return r->stats.complete_cycles ? r->stats.complete_cycles : r->stats.cycles;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool ended(const explain_run_t *r) { return r && r->done; }
static int64_t less(const explain_run_t *a, const explain_run_t *b) {
  return (int64_t)explain_cycles(a) - (int64_t)explain_cycles(b);
}

static void regain(const explain_t *x, cause_t c, explain_verdict_t *v) {
  const explain_run_t *base = explain_find(x, EXPLAIN_BASE, 0),
                      *r = explain_find(x, EXPLAIN_CAUSE, c);
  if (!ended(r)) return;
  v->regained[c] = less(base, r);
  v->known[c] = true;
}

static void rank(explain_verdict_t *v) {
  cause_t order[CAUSES];
  uint32_t n = 0;
  for (cause_t c = 0; c < CAUSE_HIDDEN; c++) {
    if (!v->known[c]) continue;
    uint32_t i = n++;
    for (; i && v->regained[order[i - 1]] < v->regained[c]; i--) order[i] = order[i - 1];
    order[i] = c;
  }
  v->largest = n ? order[0] : CAUSES;
  v->cause = CAUSE_HIDDEN;
  if (!n || v->regained[order[0]] * 100 < (int64_t)v->base * EXPLAIN_COUNTS) return;
  v->cause = order[0];
  for (uint32_t i = 1; i < n; i++)
    if (v->regained[order[i]] * 100 >= v->regained[order[0]] * EXPLAIN_CLOSE)
      v->second[v->seconds++] = order[i];
}

static void rank_designs(const explain_t *x, explain_verdict_t *v) {
  for (uint32_t i = 0; i < x->runs; i++) {
    const explain_run_t *r = &x->run[i];
    if (r->kind != EXPLAIN_DESIGN || !r->done || v->designs == 64) continue;
    uint32_t k = v->designs++;
    for (; k && explain_cycles(v->design[k - 1]) > explain_cycles(r); k--)
      v->design[k] = v->design[k - 1];
    v->design[k] = r;
  }
}

bool explain_judge(const explain_t *x, explain_verdict_t *v) {
  const explain_run_t *base = explain_find(x, EXPLAIN_BASE, 0),
                      *ideal = explain_find(x, EXPLAIN_IDEAL, 0),
                      *resident = explain_find(x, EXPLAIN_RESIDENT, 0);
  *v = (explain_verdict_t){0};
  if (!ended(base) || !ended(ideal) || (resident && !ended(resident))) return false;
  v->base = explain_cycles(base);
  v->bound = explain_cycles(resident ? resident : ideal);
  v->cost = (int64_t)v->base - (int64_t)v->bound;
  for (cause_t c = 0; c < CAUSE_HIDDEN; c++) regain(x, c, v);
  rank(v);
  rank_designs(x, v);
  return true;
}

/* ---- what got worse under ideal -------------------------------------------------------------- */

#define MOVED_PERMILLE 5 /* half a percentage point, or half a percent of a mean */

__extension__ typedef unsigned __int128 wide_t;

/* By how much ideal is worse, in thousandths: of all for shares, of the faster one's for means. */
static uint64_t worse(const explain_moved_t *m) {
  if (!m->fast_den || !m->ideal_den) return 0;
  if (m->percent) {
    uint64_t a = (uint64_t)((wide_t)m->fast_num * 10000 / m->fast_den),
             b = (uint64_t)((wide_t)m->ideal_num * 10000 / m->ideal_den);
    return a > b ? (a - b) / 10 : 0;
  }
  wide_t a = (wide_t)m->fast_num * m->ideal_den, b = (wide_t)m->ideal_num * m->fast_den;
  return b > a && a ? (uint64_t)((b - a) * 1000 / a) : 0;
}

uint32_t explain_moved(const gpu_summary_t *f, const gpu_summary_t *i,
                       explain_moved_t out[EXPLAIN_MOVED]) {
  const explain_moved_t all[EXPLAIN_MOVED] = {
      {"L1 hits of data", f->l1_hits, f->l1_accesses, i->l1_hits, i->l1_accesses, true},
      {"L2 hits of data", f->l2_hits, f->l2_accesses, i->l2_hits, i->l2_accesses, true},
      {"DRAM row hits of data", f->row_hits, f->row_accesses, i->row_hits, i->row_accesses, true},
      {"DRAM bytes per warp instruction", f->dram_bytes, f->instructions, i->dram_bytes,
       i->instructions, false},
      {"cycles of a DRAM read of data", f->fetch_cycles, f->fetches, i->fetch_cycles, i->fetches,
       false},
  };
  uint32_t n = 0;
  for (uint32_t k = 0; k < EXPLAIN_MOVED; k++)
    if (worse(&all[k]) >= MOVED_PERMILLE) out[n++] = all[k];
  return n;
}

void explain_moved_text(const gpu_summary_t *fast, const gpu_summary_t *ideal, strbuf_t *out) {
  explain_moved_t m[EXPLAIN_MOVED];
  uint32_t n = explain_moved(fast, ideal, m);
  for (uint32_t i = 0; i < n; i++) {
    char from[RATIO_TEXT_BYTES], to[RATIO_TEXT_BYTES];
    uint64_t scale = m[i].percent ? 100 : 1;
    ratio_format(from, sizeof from, m[i].fast_num * scale, m[i].fast_den, 1);
    ratio_format(to, sizeof to, m[i].ideal_num * scale, m[i].ideal_den, 1);
    strbuf_printf(out, "%s%s %s from %s%s to %s%s", i ? i + 1 == n ? " and " : ", " : "", m[i].what,
                  m[i].percent ? "fall" : "rise", from, m[i].percent ? " %" : "", to,
                  m[i].percent ? " %" : "");
  }
  if (!n) strbuf_str(out, "no hit rate and no DRAM latency got worse by half a percent");
}
