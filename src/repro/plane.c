/* Pairs of applications drawn by what they do, and where a paper's claims hold on them. Invariant:
 * a function asks for all its runs before it looks at one. */
#include "repro/plane.h"
#include "lab/suite.h"
#include "repro/pairs.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- drawing --------------------------------------------------------------------------------- */

/* How many are below it on an axis. */
static uint32_t below(const plane_t *p, uint64_t value, uint32_t axis) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->apps; i++) n += p->app[i].at[axis] < value;
  return n;
}

/* The largest value that at least half are not below; if that is the least of all, what is above
 * it. */
static uint64_t middle(const plane_t *p, uint32_t axis) {
  uint64_t most = 0, least = UINT64_MAX;
  for (uint32_t i = 0; i < p->apps; i++) {
    uint64_t v = p->app[i].at[axis];
    if (2 * below(p, v, axis) <= p->apps && v > most) most = v;
    if (v < least) least = v;
  }
  return most > least ? most : least + 1;
}

static void rank_all(plane_t *p) {
  for (uint32_t i = 0; i < p->apps; i++) p->app[i].quadrant = 0;
  for (uint32_t axis = 0; axis < PLANE_AXES; axis++) {
    uint64_t from = middle(p, axis);
    for (uint32_t i = 0; i < p->apps; i++) {
      plane_app_t *a = &p->app[i];
      a->rank[axis] = below(p, a->at[axis], axis);
      a->quadrant |= (uint32_t)(a->at[axis] >= from) << axis;
    }
  }
}

typedef struct {
  uint32_t member[PLANE_APPS], count, used;
} quadrant_t;

/* How far its ranks are from the mean of the members, times their number. */
static uint64_t distance(const plane_t *p, const quadrant_t *q, uint32_t app) {
  uint64_t sum = 0;
  for (uint32_t axis = 0; axis < PLANE_AXES; axis++) {
    int64_t d = (int64_t)q->count * p->app[app].rank[axis];
    for (uint32_t i = 0; i < q->count; i++) d -= p->app[q->member[i]].rank[axis];
    sum += (uint64_t)(d < 0 ? -d : d);
  }
  return sum;
}

static bool nearer(const plane_t *p, const quadrant_t *q, uint32_t a, uint32_t b) {
  uint64_t x = distance(p, q, a), y = distance(p, q, b);
  return x != y ? x < y : strcmp(p->app[a].name, p->app[b].name) < 0;
}

static void gather(const plane_t *p, uint32_t number, quadrant_t *q) {
  *q = (quadrant_t){.count = 0};
  for (uint32_t i = 0; i < p->apps; i++)
    if (p->app[i].quadrant == number) q->member[q->count++] = i;
  for (uint32_t i = 1; i < q->count; i++) /* by insertion: a dozen */
    for (uint32_t k = i; k && nearer(p, q, q->member[k], q->member[k - 1]); k--) {
      uint32_t other = q->member[k];
      q->member[k] = q->member[k - 1], q->member[k - 1] = other;
    }
}

static uint32_t take(quadrant_t *q) { return q->member[q->used++ % q->count]; }

void plane_draw(plane_t *p) {
  quadrant_t q[PLANE_QUADRANTS];
  rank_all(p);
  p->pairs = 0;
  for (uint32_t i = 0; i < PLANE_QUADRANTS; i++) gather(p, i, &q[i]);
  for (uint32_t i = 0; i < PLANE_QUADRANTS; i++)
    for (uint32_t k = i; k < PLANE_QUADRANTS; k++) {
      if (!q[i].count || !q[k].count || (i == k && q[i].count < 2)) continue;
      p->pair[p->pairs][0] = take(&q[i]);
      p->pair[p->pairs++][1] = take(&q[k]);
    }
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* As long as the points of an atlas. */
#define CYCLES       300000
#define QUICK_CYCLES 3000

static uint64_t cycles_of(const repro_t *r) { return r->plan->quick ? QUICK_CYCLES : CYCLES; }

/* Alone under the baseline, on the machine of MASK's table. */
static const lab_result_t *alone(repro_t *r, const char *app) {
  lab_run_t run = {.limits = {.cycles = cycles_of(r)}};
  snprintf(run.gpu, sizeof run.gpu, "%s", MASK_GPU);
  snprintf(run.design, sizeof run.design, "%s", SHARE_BASELINE);
  run_add(r, &run, app);
  return lab_run(r->lab, &run);
}

static const lab_result_t *pages(repro_t *r, const char *app) {
  lab_run_t run = {.apps = 1};
  snprintf(run.gpu, sizeof run.gpu, "%s", MASK_GPU);
  snprintf(run.design, sizeof run.design, "%s", SHARE_BASELINE);
  snprintf(run.app[0], sizeof run.app[0], "pages:%s:size=%s,seed=%" PRIu64, app, r->plan->size,
           r->plan->seed);
  return lab_run(r->lab, &run);
}

static uint64_t bytes_per_walk(const lab_result_t *x) {
  static const char *const paths[] = {"apps[0].dram.data.read_bytes",
                                      "apps[0].dram.data.write_bytes",
                                      "apps[0].dram.translation.read_bytes"};
  uint64_t bytes = 0, walks = lab_u64(x, "apps[0].walk.walks");
  for (uint32_t i = 0; i < 3; i++) bytes += lab_u64(x, paths[i]);
  return bytes / (walks ? walks : 1);
}

/* The 27 applications of both papers. */
static uint32_t names(const char *out[PLANE_APPS]) {
  uint32_t n = 0;
  for (const suite_app_t *a = suite_all; a->name && n < PLANE_APPS; a++)
    if (*a->mask_class) out[n++] = a->name;
  return n;
}

bool plane_of(repro_t *r, plane_t *p) {
  const char *name[PLANE_APPS];
  const lab_result_t *x[PLANE_APPS], *y[PLANE_APPS];
  bool ok = true;
  *p = (plane_t){.apps = names(name)};
  for (uint32_t i = 0; i < p->apps; i++) {
    x[i] = alone(r, name[i]), y[i] = pages(r, name[i]);
    bool has = repro_has(r, x[i]); /* both say why if they fail */
    ok &= repro_has(r, y[i]) && has;
  }
  for (uint32_t i = 0; ok && i < p->apps; i++)
    p->app[i] = (plane_app_t){
        .name = name[i], .at = {bytes_per_walk(x[i]), lab_u64(y[i], "median_return_distance")}};
  if (ok) plane_draw(p);
  return ok;
}

/* ---- the map --------------------------------------------------------------------------------- */

#define STAGGER "share.stagger=1009" /* a prime */

lab_run_t plane_run(const repro_t *r, const atlas_t *a, const plane_t *p, uint32_t pair,
                    uint32_t point, uint32_t design, uint32_t seed) {
  lab_run_t run = {.limits = {.cycles = cycles_of(r)}};
  const point_t *at = &repro_points[point];
  snprintf(run.gpu, sizeof run.gpu, "%s%s", a->gpu, at->suffix);
  snprintf(run.design, sizeof run.design, "%s", a->design[design]);
  if (at->set) snprintf(run.set[run.sets++], sizeof run.set[0], "%s", at->set);
  if (seed) snprintf(run.set[run.sets++], sizeof run.set[0], "%s", STAGGER);
  for (uint32_t i = 0; i < 2; i++) run_add(r, &run, p->app[p->pair[pair][i]].name);
  return run;
}

static bool results(repro_t *r, const atlas_t *a, const plane_t *p, uint32_t pair, uint32_t point,
                    uint32_t seed, const lab_result_t *x[ATLAS_DESIGNS]) {
  bool ok = true;
  for (uint32_t d = 0; d < ATLAS_DESIGNS && a->design[d]; d++) {
    lab_run_t run = plane_run(r, a, p, pair, point, d, seed);
    x[d] = lab_run(r->lab, &run);
    ok &= repro_has(r, x[d]);
  }
  return ok;
}

/* The first pair is run with a second seed at each point: what moves there is the point's noise. */
bool plane_map(repro_t *r, const atlas_t *a, plane_map_t *out) {
  const plane_t *p = &out->plane;
  bool ok = plane_of(r, &out->plane);
  for (uint32_t at = 0; ok && at < REPRO_POINTS; at++)
    for (uint32_t i = 0; i < p->pairs; i++) {
      const lab_result_t *x[ATLAS_DESIGNS], *y[ATLAS_DESIGNS];
      bool has = results(r, a, p, i, at, 0, x), more = i || results(r, a, p, i, at, 1, y);
      ok = has && more && ok;
      for (uint32_t c = 0; has && more && c < atlas_claims(a); c++) {
        atlas_cell_t *v = &out->cell[c][at][i];
        v->value = atlas_value(a, &a->claim[c], x);
        micro_t far = i ? 0 : atlas_value(a, &a->claim[c], y) - v->value;
        v->noise = i ? out->cell[c][at][0].noise : far < 0 ? -far : far;
        uint32_t of = a->claim[c].left_of;
        v->holds = atlas_judge(&a->claim[c], v, of ? &out->cell[of - 1][at][i] : NULL);
      }
      lab_forget(r->lab);
    }
  return ok;
}

/* ---- experiments ----------------------------------------------------------------------------- */

static void place_table(repro_t *r, const plane_t *p) {
  static const char *const quadrant[] = {"few bytes, near", "many bytes, near", "few bytes, far",
                                         "many bytes, far"};
  table_t *t =
      repro_table(r, "Applications by DRAM bytes per walk and pages until one is used again");
  table_column(t, "application", TABLE_LEFT), table_column(t, "bytes per walk", TABLE_RIGHT);
  table_column(t, "pages until again", TABLE_RIGHT), table_column(t, "quadrant", TABLE_LEFT);
  for (uint32_t i = 0; i < p->apps; i++) {
    table_cell(t, p->app[i].name);
    for (uint32_t k = 0; k < PLANE_AXES; k++) table_u64(t, p->app[i].at[k]);
    table_cell(t, quadrant[p->app[i].quadrant]);
  }
}

static void pair_map_table(repro_t *r, const atlas_t *a, const plane_map_t *m) {
  const plane_t *p = &m->plane;
  table_t *t = repro_table(r, "Pairs drawn from the plane and what each claim comes to, in %");
  table_column(t, "at", TABLE_LEFT), table_column(t, "pair", TABLE_LEFT);
  for (uint32_t c = 0; c < atlas_claims(a); c++) table_column(t, a->claim[c].what, TABLE_RIGHT);
  for (uint32_t at = 0; at < REPRO_POINTS; at++)
    for (uint32_t i = 0; i < p->pairs; i++) {
      table_cell(t, repro_points[at].name);
      table_printf(t, "%s_%s", p->app[p->pair[i][0]].name, p->app[p->pair[i][1]].name);
      for (uint32_t c = 0; c < atlas_claims(a); c++) repro_percent(t, m->cell[c][at][i].value);
    }
}

/* "2, 3 and 9": pairs that hold so much of a claim, at each point. */
static void counts(const plane_map_t *m, uint32_t claim, atlas_holds_t least, uint32_t n[]) {
  for (uint32_t at = 0; at < REPRO_POINTS; at++) {
    n[at] = 0;
    for (uint32_t i = 0; i < m->plane.pairs; i++) n[at] += m->cell[claim][at][i].holds >= least;
  }
}

static void run_plane(repro_t *r, const atlas_t *a) {
  plane_map_t *m = calloc(1, sizeof *m);
  if (m && plane_map(r, a, m)) {
    for (uint32_t c = 0; c < atlas_claims(a); c++) {
      uint32_t d[REPRO_POINTS], h[REPRO_POINTS], s[REPRO_POINTS];
      counts(m, c, ATLAS_DIRECTION, d), counts(m, c, ATLAS_HALF, h), counts(m, c, ATLAS_SIZE, s);
      repro_claim(r, c, false,
                  a->claim[c].left_of
                      ? "less %u, %u, %u; at most twice %u, %u, %u; 1.5 times %u, %u, %u of %u"
                      : "direction %u, %u, %u; half %u, %u, %u; size %u, %u, %u of %u",
                  d[0], d[1], d[2], h[0], h[1], h[2], s[0], s[1], s[2], m->plane.pairs);
      repro_note(r, c, "at %s, %s and %s", repro_points[0].name, repro_points[1].name,
                 repro_points[2].name);
    }
    place_table(r, &m->plane);
    pair_map_table(r, a, m);
  }
  free(m);
}

static void page_of(repro_t *r, const atlas_t *a, strbuf_t *out) {
  plane_map_t *m = calloc(1, sizeof *m);
  if (m && plane_map(r, a, m)) plane_html(r, a, m, out);
  free(m);
}

static void mask(repro_t *r) { run_plane(r, &atlas_mask); }
static void mosaic(repro_t *r) { run_plane(r, &atlas_mosaic); }
static void mask_page(repro_t *r, strbuf_t *out) { page_of(r, &atlas_mask, out); }
static void mosaic_page(repro_t *r, strbuf_t *out) { page_of(r, &atlas_mosaic, out); }

static const paper_row_t mask_rows[] = ATLAS_MASK_ROWS("pairs");
static const paper_row_t mosaic_rows[] = ATLAS_MOSAIC_ROWS("pairs");

const experiment_t repro_plane[] = {{.id = "atlas/mask-pairs",
                                     .title = "MASK on pairs drawn by what applications do",
                                     .rows = mask_rows,
                                     .run = mask,
                                     .page = mask_page},
                                    {.id = "atlas/mosaic-pairs",
                                     .title = "Mosaic on pairs drawn by what applications do",
                                     .rows = mosaic_rows,
                                     .run = mosaic,
                                     .page = mosaic_page},
                                    {0}};
