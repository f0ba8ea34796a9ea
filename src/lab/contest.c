/* Every pass goes over all points and asks the laboratory for three runs of each; when none is
 * missing, the same pass has worked out the gains. */
#include "lab/contest.h"
#include "base/stop.h"
#include "cost/cost.h"
#include "lab/suite.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_GPU  "maxwell"
#define CONTEST_GAIN (MICRO / 1000) /* less than 0.1 % is no gain: a guess */

/* ---- the plan -------------------------------------------------------------------------------- */

const char *contest_gpu(const contest_t *a, uint32_t gpu) {
  const study_list_t *l = &a->sweep.study.list[STUDY_gpus];
  return l->count ? l->at[gpu].text : DEFAULT_GPU;
}

const char *contest_design(const contest_t *a, uint32_t design) {
  return a->sweep.study.list[STUDY_designs].at[design].text;
}

const contest_gain_t *contest_gain(const contest_t *a, uint32_t gpu, uint32_t workload,
                                   uint32_t design) {
  return &a->gain[((size_t)gpu * a->workloads + workload) * a->designs + design];
}

/* The applications, and what else tells two points apart that have the same GPU, design and seed.
 */
static void name_workload(const study_point_t *p, strbuf_t *out) {
  strbuf_clear(out);
  for (uint32_t i = 0; i < p->apps; i++)
    strbuf_printf(out, "%s%s", i ? " + " : "", p->app[i]->text);
  if (p->size) strbuf_printf(out, ", %s", p->size->text);
  if (p->split) strbuf_printf(out, ", SMs %s", p->split->text);
  if (p->case_name) strbuf_printf(out, ", %s", p->case_name->text);
  for (uint32_t i = 0; i < p->sets && !p->case_name; i++)
    strbuf_printf(out, ", %s=%s", p->set[i].key, p->set[i].value->text);
}

static uint32_t place_in(const study_list_t *l, const study_word_t *w) {
  return w ? (uint32_t)(w - l->at) : 0;
}

/* The numbers of names: open addressing, at most half full. */
typedef struct {
  uint32_t *at; /* CONTEST_NONE: empty */
  uint32_t mask;
} names_t;

static int names_init(names_t *n, uint32_t most) {
  uint32_t size = 2;
  while (size < 2 * most) size *= 2;
  n->mask = size - 1;
  n->at = malloc(size * sizeof *n->at);
  for (uint32_t i = 0; n->at && i < size; i++) n->at[i] = CONTEST_NONE;
  return n->at ? GMMU_OK : GMMU_ENOMEM;
}

static uint32_t name_hash(const char *name) {
  uint32_t h = 2166136261u;
  for (; *name; name++) h = (h ^ (uint8_t)*name) * 16777619u;
  return h;
}

/* The number of a workload, which is added if it is new; CONTEST_NONE: out of memory. */
static uint32_t workload_of(contest_t *a, const names_t *n, const char *name) {
  uint32_t k = name_hash(name) & n->mask;
  while (n->at[k] != CONTEST_NONE && strcmp(a->workload[n->at[k]], name) != 0)
    k = (k + 1) & n->mask;
  if (n->at[k] != CONTEST_NONE) return n->at[k];
  a->workload[a->workloads] = strdup(name);
  if (!a->workload[a->workloads]) return CONTEST_NONE;
  return n->at[k] = a->workloads++;
}

static int find_workloads(contest_t *a, err_t *e) {
  strbuf_t name;
  names_t names = {0};
  a->workload = calloc(a->sweep.points + 1, sizeof *a->workload);
  a->of_point = calloc(a->sweep.points + 1, sizeof *a->of_point);
  bool ok = a->workload && a->of_point && names_init(&names, a->sweep.points) == 0;
  strbuf_init(&name);
  for (uint32_t i = 0; i < a->sweep.points && ok; i++) {
    study_point_t p;
    study_point(&a->sweep.study, i, &p);
    name_workload(&p, &name);
    a->of_point[i] = workload_of(a, &names, strbuf_text(&name));
    ok = a->of_point[i] != CONTEST_NONE;
  }
  strbuf_fini(&name);
  free(names.at);
  return ok ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
}

int contest_read(contest_t *a, const char *path, const char *text, err_t *e) {
  const study_t *s = &a->sweep.study;
  int rc = text ? sweep_read_text(&a->sweep, path, text, e) : sweep_read(&a->sweep, path, e);
  if (rc < 0) return rc;
  a->gpus = s->list[STUDY_gpus].count ? s->list[STUDY_gpus].count : 1;
  a->designs = s->list[STUDY_designs].count;
  a->baseline = study_text(s, STUDY_baseline, CONTEST_BASELINE);
  if (!a->designs)
    return err_set(e, GMMU_EINVAL, "%s: designs: none; they are the mechanisms that meet", path);
  rc = find_workloads(a, e);
  if (rc < 0) return rc;
  size_t places = (size_t)a->gpus * a->workloads, cells = places * a->designs;
  a->gain = calloc(cells, sizeof *a->gain);
  a->ideal = calloc(cells, sizeof *a->ideal);
  a->place = calloc(places, sizeof *a->place);
  a->rank = calloc((size_t)a->gpus * a->designs, sizeof *a->rank);
  return a->gain && a->ideal && a->place && a->rank ? GMMU_OK
                                                    : err_set(e, GMMU_ENOMEM, "out of memory");
}

void contest_fini(contest_t *a) {
  for (uint32_t i = 0; i < a->workloads; i++) free(a->workload[i]);
  free(a->workload);
  free(a->of_point);
  free(a->gain);
  free(a->ideal);
  free(a->place);
  free(a->rank);
  sweep_fini(&a->sweep);
}

/* ---- gains ----------------------------------------------------------------------------------- */

static void add_gain(contest_gain_t *g, micro_t v) {
  if (!g->count || v < g->least) g->least = v;
  if (!g->count || v > g->most) g->most = v;
  g->mean += v; /* the sum, until mean_of() */
  g->count++;
}
static void mean_of(contest_gain_t *g) {
  if (!g->count) return;
  micro_t half = g->count / 2;
  g->mean = (g->mean + (g->mean < 0 ? -half : half)) / (micro_t)g->count;
}

/* Of all that the runs had of each application; false if one of them did nothing. */
static bool gain_over(const lab_result_t *x, const lab_result_t *base, uint32_t apps,
                      micro_t *gain) {
  micro_t each[GMMU_MAX_APPS];
  for (uint32_t i = 0; i < apps; i++) {
    ipc_t v = lab_window_ipc(x, i), b = lab_window_ipc(base, i);
    if (!b.instructions || !v.cycles) return false;
    each[i] =
        micro_div(micro_ratio(v.instructions, v.cycles), micro_ratio(b.instructions, b.cycles)) -
        MICRO;
  }
  *gain = micro_mean(each, apps);
  return true;
}

/* The result of a run under a design, NULL if it is missing or there is none. */
static const lab_result_t *result_of(contest_t *a, lab_run_t *r, const char *design) {
  snprintf(r->design, sizeof r->design, "%s", design);
  const lab_result_t *x = lab_run(a->sweep.lab, r);
  if (!x || x->status == LAB_DONE) return x;
  if (!a->failed++) snprintf(a->why, sizeof a->why, "%s under %s: %s", r->app[0], design, x->text);
  return NULL;
}

static uint64_t storage(const gpu_spec_t *spec, bool *entries) {
  uint64_t bytes = 0;
  const cost_row_t *r;
  for (uint32_t i = 0; (r = cost_row(i)); i++) {
    cost_t c = {0};
    if (r->sum || !r->on(spec)) continue;
    r->work_out(spec, &c);
    if (r->entries)
      *entries |= c.each * c.count != 0;
    else
      bytes += cost_bytes(&c);
  }
  return bytes;
}

/* By the machine of the first point that the mechanism has on the GPU. */
static int note_storage(contest_t *a, uint32_t gpu, uint32_t design, lab_run_t *run, err_t *e) {
  contest_rank_t *r = &a->rank[gpu * a->designs + design];
  bool none = false;
  gpu_spec_t own, base;
  if (r->design) return GMMU_OK;
  *r = (contest_rank_t){.gpu = contest_gpu(a, gpu), .design = contest_design(a, design)};
  snprintf(run->design, sizeof run->design, "%s", a->baseline);
  int rc = lab_known_spec(a->sweep.lab, run, &base, e);
  snprintf(run->design, sizeof run->design, "%s", r->design);
  if (rc == 0) rc = lab_known_spec(a->sweep.lab, run, &own, e);
  if (rc < 0) return rc;
  uint64_t with = storage(&own, &r->entries), without = storage(&base, &none);
  r->bytes = with > without ? with - without : 0;
  return GMMU_OK;
}

static int look_at(contest_t *a, uint32_t i, err_t *e) {
  const study_t *s = &a->sweep.study;
  study_point_t p;
  lab_run_t r;
  int rc = sweep_point(&a->sweep, i, &p, &r, e);
  uint32_t gpu = place_in(&s->list[STUDY_gpus], p.gpu);
  uint32_t design = place_in(&s->list[STUDY_designs], p.design);
  if (rc == 0) rc = note_storage(a, gpu, design, &r, e);
  if (rc < 0) return rc;
  const lab_result_t *x = result_of(a, &r, p.design->text), *base = result_of(a, &r, a->baseline),
                     *ideal = result_of(a, &r, CONTEST_IDEAL);
  micro_t gain, all;
  if (!x || !base || !ideal || !gain_over(x, base, r.apps, &gain) ||
      !gain_over(ideal, base, r.apps, &all))
    return GMMU_OK;
  size_t cell = ((size_t)gpu * a->workloads + a->of_point[i]) * a->designs + design;
  add_gain(&a->gain[cell], gain);
  add_gain(&a->ideal[cell], all);
  return GMMU_OK;
}

static int pass(contest_t *a, err_t *e) {
  size_t cells = (size_t)a->gpus * a->workloads * a->designs;
  int rc = GMMU_OK;
  memset(a->gain, 0, cells * sizeof *a->gain);
  memset(a->ideal, 0, cells * sizeof *a->ideal);
  memset(a->rank, 0, (size_t)a->gpus * a->designs * sizeof *a->rank);
  a->failed = 0;
  lab_begin(a->sweep.lab);
  for (uint32_t i = 0; i < a->sweep.points && rc == 0 && !lab_error(a->sweep.lab); i++) {
    rc = look_at(a, i, e);
    lab_forget(a->sweep.lab);
    if (rc == 0 && stop_asked()) rc = err_set(e, GMMU_EINTERRUPTED, "interrupted");
  }
  if (rc == 0 && lab_error(a->sweep.lab)) *e = *lab_error(a->sweep.lab), rc = e->code;
  return rc;
}

/* ---- who wins -------------------------------------------------------------------------------- */

static void find_winner(contest_t *a, uint32_t gpu, uint32_t workload) {
  size_t at = (size_t)gpu * a->workloads + workload;
  const contest_gain_t *g = &a->gain[at * a->designs];
  contest_place_t *p = &a->place[at];
  *p = (contest_place_t){.gpu = contest_gpu(a, gpu),
                         .workload = a->workload[workload],
                         .first = CONTEST_NONE,
                         .second = CONTEST_NONE};
  for (uint32_t d = 0; d < a->designs; d++) {
    if (!g[d].count) continue;
    if (!p->ideal.count) p->ideal = a->ideal[at * a->designs + d];
    if (p->first == CONTEST_NONE || g[d].mean > g[p->first].mean)
      p->second = p->first, p->first = d;
    else if (p->second == CONTEST_NONE || g[d].mean > g[p->second].mean)
      p->second = d;
  }
  if (p->first != CONTEST_NONE && g[p->first].mean < CONTEST_GAIN) /* nobody wins */
    p->first = p->second = CONTEST_NONE;
  p->apart = p->second != CONTEST_NONE && g[p->first].least > g[p->second].most;
}

static void rank(contest_t *a, uint32_t gpu, uint32_t design) {
  contest_rank_t *r = &a->rank[gpu * a->designs + design];
  for (uint32_t w = 0; w < a->workloads; w++) {
    const contest_gain_t *g = contest_gain(a, gpu, w, design);
    if (!g->count) continue;
    add_gain(&r->gain, g->mean);
    add_gain(&r->ideal, a->ideal[g - a->gain].mean);
    r->wins += a->place[(size_t)gpu * a->workloads + w].first == design;
  }
  mean_of(&r->gain), mean_of(&r->ideal);
}

static void find_front(contest_t *a, uint32_t gpu) {
  contest_rank_t *r = &a->rank[gpu * a->designs];
  for (uint32_t d = 0; d < a->designs; d++) {
    r[d].front = r[d].gain.count != 0;
    for (uint32_t o = 0; o < a->designs; o++) {
      bool better = r[o].gain.mean > r[d].gain.mean, cheaper = r[o].bytes < r[d].bytes;
      if (o != d && r[o].gain.count && r[o].gain.mean >= r[d].gain.mean &&
          r[o].bytes <= r[d].bytes && (better || cheaper))
        r[d].front = false;
    }
  }
}

static void work_out(contest_t *a) {
  size_t cells = (size_t)a->gpus * a->workloads * a->designs;
  for (size_t i = 0; i < cells; i++) mean_of(&a->gain[i]), mean_of(&a->ideal[i]);
  for (uint32_t g = 0; g < a->gpus; g++)
    for (uint32_t w = 0; w < a->workloads; w++) find_winner(a, g, w);
  for (uint32_t g = 0; g < a->gpus; g++) {
    for (uint32_t d = 0; d < a->designs; d++) rank(a, g, d);
    find_front(a, g);
  }
}

int contest_run(contest_t *a, err_t *e) {
  for (;;) {
    int rc = pass(a, e);
    if (rc < 0) return rc;
    if (!lab_missing(a->sweep.lab)) {
      work_out(a);
      return GMMU_OK;
    }
    rc = lab_execute(a->sweep.lab, a->sweep.name, e);
    if (rc < 0) return rc;
    lab_set_retry(a->sweep.lab, LAB_RETRY_NONE); /* once */
  }
}

/* ---- the usual plan -------------------------------------------------------------------------- */

/* Cycles of a run are a guess: some thousand walks of programs that walk at all. */
#define PLAN_CYCLES    100000
#define PLAN_SEEDS     2
#define PLAN_MOST      256
#define PLAN_FOOTPRINT "1G"   /* beyond the reach of every TLB of the usual GPU */
#define PLAN_WORK      262144 /* elements; as docs/workloads.md measures them */

static const char *const plan_designs[] = {
#define DESIGN(name) name,
#define STACK(name)  name,
#include "lab/contest.def"
#undef DESIGN
#undef STACK
};
#define PLAN_DESIGNS (sizeof plan_designs / sizeof *plan_designs)

typedef struct {
  char name[64];
  bool footprint; /* sized by it; else of MASK's papers */
  bool taken;
  uint64_t walks, instructions, pages, hits; /* first-level look-ups: one per page; of them, hits */
} candidate_t;

/* More walks for an instruction first; or less reuse of pages; then by name. */
static micro_t walks_of(const candidate_t *c) { return micro_ratio(c->walks, c->instructions); }
static micro_t reuse_of(const candidate_t *c) { return micro_ratio(c->hits, c->pages); }
static int by_walks(const void *x, const void *y) {
  const candidate_t *a = x, *b = y;
  micro_t l = walks_of(a), r = walks_of(b);
  return l != r ? (l < r) - (l > r) : strcmp(a->name, b->name);
}
static int by_reuse(const void *x, const void *y) {
  const candidate_t *a = x, *b = y;
  micro_t l = reuse_of(a), r = reuse_of(b);
  return l != r ? (l > r) - (l < r) : strcmp(a->name, b->name);
}

/* A run of it under the baseline; false if it has no result yet, or does not walk at all. */
static bool measure_one(lab_t *lab, candidate_t *c, const char *parameters) {
  lab_run_t r = {.gpu = DEFAULT_GPU, .design = CONTEST_BASELINE, .apps = 1};
  r.limits.cycles = PLAN_CYCLES;
  snprintf(r.app[0], sizeof r.app[0], "%s%s,seed=1", c->name, parameters);
  const lab_result_t *x = lab_run(lab, &r);
  if (!x || x->status != LAB_DONE) return false;
  c->walks = lab_u64(x, "apps[0].walk.walks");
  c->instructions = lab_u64(x, "apps[0].sm.warp_instructions");
  c->pages = lab_u64(x, "apps[0].l1tlb.lookups");
  c->hits = lab_u64(x, "apps[0].l1tlb.hits");
  return c->walks && c->instructions;
}

/* The suite's applications that this gmmu was built with, those of MASK's papers or those sized by
 * footprint; how often each walks. */
static int measure(lab_t *lab, bool footprint, candidate_t *c, uint32_t *count, err_t *e) {
  *count = 0;
  lab_begin(lab);
  for (const suite_app_t *s = suite_all; s->name && *count < PLAN_MOST; s++) {
    char path[4096];
    err_t ignored = {0};
    bool wanted = footprint ? suite_scaled(s) : (s->papers & SUITE_MASK) != 0;
    if (!wanted || suite_program(s, path, sizeof path, &ignored) < 0) continue;
    c[*count] = (candidate_t){.footprint = footprint};
    if (footprint)
      snprintf(c[*count].name, sizeof c->name, "%s:size=%s,work=%u", s->name, PLAN_FOOTPRINT,
               PLAN_WORK);
    else
      snprintf(c[*count].name, sizeof c->name, "%s", s->name);
    *count += measure_one(lab, &c[*count], footprint ? "" : ":size=standard");
  }
  if (lab_error(lab)) *e = *lab_error(lab);
  return lab_error(lab) ? e->code : GMMU_OK;
}

static int measure_all(lab_t *lab, bool footprint, candidate_t *c, uint32_t *count, err_t *e) {
  int rc = measure(lab, footprint, c, count, e);
  while (rc == 0 && lab_missing(lab)) {
    rc = lab_execute(lab, "applications", e);
    if (rc == 0) rc = measure(lab, footprint, c, count, e);
  }
  return rc;
}

/* `draw` of them at equal distances in their order, that are not taken yet. */
static void draw_from(candidate_t *c, uint32_t count, uint32_t draw,
                      int (*order)(const void *, const void *), strbuf_t *out) {
  uint32_t at[PLAN_MOST], left = 0;
  qsort(c, count, sizeof *c, order);
  for (uint32_t i = 0; i < count; i++)
    if (!c[i].taken) at[left++] = i;
  if (draw > left) draw = left;
  for (uint32_t i = 0; i < draw; i++) {
    candidate_t *x = &c[at[draw > 1 ? (uint64_t)i * (left - 1) / (draw - 1) : 0]];
    x->taken = true;
    strbuf_printf(out, "  - \"%s\"  # walks per million instructions %llu, page reuse %llu %%\n",
                  x->name, (unsigned long long)walks_of(x),
                  (unsigned long long)reuse_of(x) / 10000);
  }
}

/* Can the usual GPU be built with it? */
static bool has_design(const char *name, err_t *e) {
  lab_run_t r = {.gpu = DEFAULT_GPU, .apps = 1};
  snprintf(r.design, sizeof r.design, "%s", name);
  return lab_try_machine(&r, e) >= 0;
}

static void name_designs(strbuf_t *out) {
  bool first = true;
  err_t why[PLAN_DESIGNS] = {0};
  strbuf_str(out, "designs: [");
  for (size_t i = 0; i < PLAN_DESIGNS; i++) {
    if (!has_design(plan_designs[i], &why[i])) continue;
    strbuf_printf(out, "%s%s", first ? "" : ", ", plan_designs[i]);
    first = false;
  }
  strbuf_str(out, "]\n");
  for (size_t i = 0; i < PLAN_DESIGNS; i++)
    if (why[i].code) strbuf_printf(out, "# without %s: %s\n", plan_designs[i], why[i].text);
}

int contest_usual_plan(lab_t *lab, uint32_t draw, strbuf_t *out, err_t *e) {
  candidate_t *paper = calloc(2 * PLAN_MOST, sizeof *paper), *sized = paper + PLAN_MOST;
  uint32_t papers = 0, sizes = 0;
  if (!paper) return err_set(e, GMMU_ENOMEM, "out of memory");
  int rc = measure_all(lab, false, paper, &papers, e);
  if (rc == 0) rc = measure_all(lab, true, sized, &sizes, e);
  if (rc == 0 && !papers && !sizes)
    rc = err_set(e, GMMU_ENOENT, "this gmmu has none of the suite's applications");
  if (rc == 0) {
    strbuf_str(out, "name: arena\n");
    name_designs(out);
    strbuf_printf(out, "baseline: %s\nsizes: standard\ncycles: %u\nseeds: [1", CONTEST_BASELINE,
                  PLAN_CYCLES);
    for (uint32_t i = 2; i <= PLAN_SEEDS; i++) strbuf_printf(out, ", %u", i);
    strbuf_str(out, "]\nworkloads:\n");
    draw_from(paper, papers, draw, by_reuse, out);
    draw_from(paper, papers, draw, by_walks, out);
    draw_from(sized, sizes, draw, by_walks, out);
    if (papers > 1) { /* in the order of walks now */
      strbuf_printf(out, "  - \"%s + %s\"\n", paper[0].name, paper[papers - 1].name);
      strbuf_printf(out, "  - \"%s + %s\"\n", paper[0].name, paper[1].name);
    }
  }
  free(paper);
  return rc;
}
