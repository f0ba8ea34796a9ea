/* A point of the grid becomes one run, and with `speedup` one more for each of its applications;
 * the laboratory tells which of all these there are. Nothing else is kept: every pass begins anew,
 * and memory does not grow with the results. */
#include "lab/sweep.h"
#include "base/stop.h"
#include "gen/gen.h"
#include "gpu/stats.h"
#include "lab/front.h"
#include "lab/share.h"
#include "share/mig.h"
#include "share/turns.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_GPU  "maxwell"
#define ORACLE_PARTS 6 /* as `gmmu run --split oracle` */

/* ---- applications ---------------------------------------------------------------------------- */

static bool has_option(const char *text, const char *name) {
  size_t size = strlen(name);
  const char *p = strchr(text, ':');
  for (; p; p = strchr(p + 1, ','))
    if (strncmp(p + 1, name, size) == 0 && p[1 + size] == '=') return true;
  return false;
}

static bool generator_takes(const char *text, const char *name) {
  char own[LAB_TEXT_BYTES];
  snprintf(own, sizeof own, "%.*s", (int)strcspn(text, ":"), text);
  const gen_ops_t *g = gen_find(own);
  for (const opt_t *o = g ? g->options : NULL; o && o->name; o++)
    if (strcmp(o->name, name) == 0) return true;
  return false;
}

static void add_option(char text[LAB_TEXT_BYTES], const char *name, const study_word_t *value) {
  size_t size = strlen(text);
  snprintf(text + size, LAB_TEXT_BYTES - size, "%c%s=%s", strchr(text, ':') ? ',' : ':', name,
           value->text);
}

/* With the study's size and seed, where it takes them and says nothing itself. */
static void complete_app(char text[LAB_TEXT_BYTES], const study_word_t *size,
                         const study_word_t *seed) {
  const front_t *f = front_of(text);
  if (size && f == &front_suite && !has_option(text, "size")) add_option(text, "size", size);
  if (seed && (f == &front_suite || f == &front_ptx || generator_takes(text, "seed")) &&
      !has_option(text, "seed"))
    add_option(text, "seed", seed);
}

/* A generator, a kernel, an operator are opened, which runs nothing. */
static int check_app(const char *text, err_t *e) {
  source_t *source = NULL;
  const front_t *f = front_of(text);
  if (f->check) return f->check(text, e);
  int rc = f->open(text, &source, e);
  if (source) source->ops->free(source);
  return rc;
}

/* ---- verifying names ------------------------------------------------------------------------- */

static int check_machines(const study_t *s, gpu_spec_t *spec, err_t *e) {
  const study_list_t *gpus = &s->list[STUDY_gpus], *designs = &s->list[STUDY_designs];
  gpu_spec_init(spec);
  for (uint32_t i = 0; i < gpus->count; i++) {
    gpu_spec_init(spec);
    if (gpu_spec_load(spec, "gpu", gpus->at[i].text, e) < 0)
      return study_error_at(s, &gpus->at[i], e);
  }
  if (!gpus->count && gpu_spec_load(spec, "gpu", DEFAULT_GPU, e) < 0) return e->code;
  for (uint32_t i = 0; i < designs->count; i++) {
    gpu_spec_t with = *spec;
    if (gpu_spec_load(&with, "design", designs->at[i].text, e) < 0)
      return study_error_at(s, &designs->at[i], e);
  }
  const study_list_t *b = &s->list[STUDY_baseline];
  gpu_spec_t with = *spec;
  if (b->count && gpu_spec_load(&with, "design", b->at[0].text, e) < 0)
    return study_error_at(s, b->at, e);
  return GMMU_OK;
}

/* Designs of the study that are the same machine on `gpu`, which is in spec[0]; spec[1] .. are for
 * the designs. */
static int find_same_on(sweep_t *s, const char *gpu, gpu_spec_t *spec, err_t *e) {
  const study_list_t *designs = &s->study.list[STUDY_designs];
  for (uint32_t i = 0; i < designs->count; i++) {
    const char *name = designs->at[i].text, *as = NULL;
    spec[i + 1] = spec[0];
    if (gpu_spec_load(&spec[i + 1], "design", name, e) < 0)
      return study_error_at(&s->study, &designs->at[i], e);
    for (uint32_t k = 0; k < i && !as; k++)
      if (gpu_same_machine(&spec[k + 1], &spec[i + 1])) as = designs->at[k].text;
    if (as && strcmp(as, name)) s->same[s->sames++] = (sweep_same_t){gpu, name, as};
  }
  return GMMU_OK;
}

static int find_same(sweep_t *s, err_t *e) {
  const study_list_t *gpus = &s->study.list[STUDY_gpus];
  uint32_t designs = s->study.list[STUDY_designs].count, rows = gpus->count ? gpus->count : 1;
  gpu_spec_t *spec = calloc(designs + 1, sizeof *spec);
  s->same = calloc((size_t)rows * designs + 1, sizeof *s->same);
  int rc = spec && s->same ? GMMU_OK : err_set(e, GMMU_ENOMEM, "out of memory");
  for (uint32_t i = 0; i < rows && rc == 0; i++) {
    const char *gpu = gpus->count ? gpus->at[i].text : DEFAULT_GPU;
    gpu_spec_init(spec);
    rc = gpu_spec_load(spec, "gpu", gpu, e);
    if (rc == 0) rc = find_same_on(s, gpu, spec, e);
  }
  free(spec);
  return rc;
}

static int check_options(const study_t *s, const study_options_t *o, const gpu_spec_t *spec,
                         err_t *e) {
  for (uint32_t i = 0; i < o->count; i++)
    for (uint32_t v = 0; v < o->at[i].values.count; v++) {
      const study_word_t *w = &o->at[i].values.at[v];
      gpu_spec_t with = *spec;
      if (gpu_spec_set(&with, o->at[i].key, w->text, e) == 0) continue;
      err_for_key(e, o->at[i].key);
      return study_error_at(s, w, e);
    }
  return GMMU_OK;
}

/* Generators have no size, so nobody else would notice a wrong one beside them. */
static int check_sizes(const study_t *s, err_t *e) {
  const study_list_t *sizes = &s->list[STUDY_sizes];
  for (uint32_t i = 0; i < sizes->count; i++) {
    const char *text = sizes->at[i].text;
    if (strcmp(text, "tiny") == 0 || strcmp(text, "standard") == 0 || strcmp(text, "large") == 0 ||
        (*text >= '0' && *text <= '9'))
      continue;
    err_set(e, GMMU_ENOENT, "unknown size \"%s\"; tiny, standard, large, or bytes, as 64M", text);
    return study_error_at(s, &sizes->at[i], e);
  }
  return GMMU_OK;
}

static int check_apps(const study_t *s, err_t *e) {
  const study_list_t *sizes = &s->list[STUDY_sizes];
  int rc = check_sizes(s, e);
  if (rc < 0) return rc;
  for (uint32_t a = 0; a < s->app.count; a++)
    for (uint32_t i = 0; i < (sizes->count ? sizes->count : 1); i++) {
      char text[LAB_TEXT_BYTES];
      snprintf(text, sizeof text, "%s", s->app.at[a].text);
      complete_app(text, sizes->count ? &sizes->at[i] : NULL, NULL);
      if (check_app(text, e) < 0)
        return study_error_at(s, strstr(e->key, ".size") ? &sizes->at[i] : &s->app.at[a], e);
    }
  return GMMU_OK;
}

/* "10/20": how many numbers, 0 if it is none. */
static uint32_t parse_split(const char *text, uint32_t sms[GMMU_MAX_APPS]) {
  uint32_t n = 0;
  for (;; text++) {
    char *end;
    unsigned long v = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!v || v > 4096 || n == GMMU_MAX_APPS) return 0;
    sms[n++] = (uint32_t)v;
    text = end;
    if (!*text) return n;
    if (*text != '/' && *text != ',') return 0;
  }
}

static int check_split(const study_t *s, const study_word_t *w, err_t *e) {
  uint32_t sms[GMMU_MAX_APPS], n;
  if (strcmp(w->text, "equal") == 0 || strcmp(w->text, "oracle") == 0) return GMMU_OK;
  n = parse_split(w->text, sms);
  for (uint32_t i = 0; n && i < s->workloads; i++)
    if (s->workload[i].apps != n)
      return err_set(e, GMMU_ERANGE, "%u shares of the SMs for %u applications (\"%s\" ...)", n,
                     s->workload[i].apps, s->app.at[s->workload[i].app[0]].text);
  return n ? GMMU_OK
           : err_set(e, GMMU_EINVAL, "\"%s\" is not equal, oracle or numbers: 10/20", w->text);
}

static int check_splits(const study_t *s, err_t *e) {
  const study_list_t *split = &s->list[STUDY_split];
  for (uint32_t i = 0; i < split->count; i++)
    if (check_split(s, &split->at[i], e) < 0) {
      err_for_key(e, "split");
      return study_error_at(s, &split->at[i], e);
    }
  return GMMU_OK;
}

static int verify(sweep_t *s, const char *path, err_t *e) {
  gpu_spec_t spec;
  const char *slash = strrchr(path, '/');
  int rc = check_machines(&s->study, &spec, e);
  if (rc == 0) rc = check_options(&s->study, &s->study.set, &spec, e);
  if (rc == 0) rc = check_options(&s->study, &s->study.cases, &spec, e);
  if (rc == 0) rc = check_apps(&s->study, e);
  if (rc == 0) rc = check_splits(&s->study, e);
  if (rc == 0) rc = find_same(s, e);
  if (rc < 0) return rc;
  s->name = study_text(&s->study, STUDY_name, slash ? slash + 1 : path);
  s->points = study_points(&s->study);
  return GMMU_OK;
}

int sweep_read(sweep_t *s, const char *path, err_t *e) {
  int rc = study_read_file(&s->study, path, e);
  return rc < 0 ? rc : verify(s, path, e);
}

int sweep_read_text(sweep_t *s, const char *name, const char *text, err_t *e) {
  int rc = study_read(&s->study, name, text, strlen(text), e);
  return rc < 0 ? rc : verify(s, name, e);
}

void sweep_fini(sweep_t *s) {
  study_fini(&s->study);
  free(s->failure);
  free(s->same);
  s->failure = NULL, s->same = NULL;
}

/* ---- points ---------------------------------------------------------------------------------- */

static int too_long(err_t *e) {
  return err_set(e, GMMU_EINVAL, "a name is longer than %d bytes", LAB_TEXT_BYTES - 1);
}

static bool copy(char to[LAB_TEXT_BYTES], const char *from) {
  return (size_t)snprintf(to, LAB_TEXT_BYTES, "%s", from) < LAB_TEXT_BYTES;
}

static int point_settings(const study_point_t *p, lab_run_t *r, err_t *e) {
  for (; r->sets < p->sets; r->sets++) {
    int n = snprintf(r->set[r->sets], LAB_TEXT_BYTES, "%s=%s", p->set[r->sets].key,
                     p->set[r->sets].value->text);
    if (n < 0 || n >= LAB_TEXT_BYTES) return too_long(e);
  }
  return GMMU_OK;
}

static int point_run(const sweep_t *s, const study_point_t *p, lab_run_t *r, err_t *e) {
  *r = (lab_run_t){.apps = p->apps};
  bool fits = copy(r->gpu, p->gpu ? p->gpu->text : DEFAULT_GPU);
  fits &= copy(r->design, p->design ? p->design->text : SHARE_BASELINE);
  for (uint32_t a = 0; a < p->apps; a++) {
    fits &= copy(r->app[a], p->app[a]->text);
    complete_app(r->app[a], p->size, p->seed);
    fits &= strlen(r->app[a]) < LAB_TEXT_BYTES - 1;
  }
  r->limits = (gpu_limits_t){.cycles = p->cycles,
                             .instructions = p->instructions,
                             .min_cycles = p->min_cycles,
                             .no_relaunch = !study_flag(&s->study, STUDY_relaunch, true)};
  return fits ? point_settings(p, r, e) : too_long(e);
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void describe(const lab_run_t *r, char *label, size_t size) {
  strbuf_t s;
  strbuf_init(&s);
  strbuf_printf(&s, "%s %s:", r->gpu, r->design);
  for (uint32_t a = 0; a < r->apps; a++) strbuf_printf(&s, "%s %s", a ? " +" : "", r->app[a]);
  for (uint32_t a = 0; a < r->apps && r->sms[0]; a++)
    strbuf_printf(&s, "%s%u", a ? "," : "; SMs ", r->sms[a]);
  for (uint32_t i = 0; i < r->sets; i++) strbuf_printf(&s, "; %s", r->set[i]);
  snprintf(label, size, "%s", strbuf_text(&s));
  strbuf_fini(&s);
}

static bool is_same(const sweep_failure_t *a, const sweep_failure_t *b) {
  if (a->key[0] || b->key[0]) return !strcmp(a->key, b->key);
  return !strcmp(a->label, b->label) && !strcmp(a->reason, b->reason);
}

/* `x` is of the run, or of another that it needs. */
static int add_failure(sweep_t *s, const lab_run_t *r, const lab_result_t *x, err_t *e) {
  sweep_failure_t f = {0};
  if (x->key) snprintf(f.key, sizeof f.key, "%s", x->key);
  describe(r, f.label, sizeof f.label);
  snprintf(f.reason, sizeof f.reason, "%s", x->text);
  for (uint32_t i = 0; i < s->failures; i++)
    if (is_same(&s->failure[i], &f))
      return GMMU_OK; /* of an application alone, for instance, that several points need */
  if (s->failures == s->failure_room) {
    uint32_t room = s->failure_room ? 2 * s->failure_room : 16;
    sweep_failure_t *more = realloc(s->failure, room * sizeof *more);
    if (!more) return err_set(e, GMMU_ENOMEM, "out of memory");
    s->failure = more, s->failure_room = room;
  }
  s->failure[s->failures++] = f;
  return GMMU_OK;
}

/* The SMs of each, as the study wants them. False: not known before other runs are finished. */
static bool divide(sweep_t *s, const study_point_t *p, lab_run_t *r, const char *baseline,
                   const lab_result_t **bad) {
  gpu_spec_t spec;
  err_t e = {0};
  if (lab_known_spec(s->lab, r, &spec, &e) < 0 || turns_wanted(&spec.share) ||
      mig_wanted(&spec.share))
    return true;
  if (gpu_all_sms(&spec.share)) { /* parts of each SM: as listed, else equal */
    if (p->split) parse_split(p->split->text, r->sms);
    return true;
  }
  if (p->split && strcmp(p->split->text, "oracle") == 0 && r->apps > 1)
    return share_oracle(s->lab, r, baseline, spec.core.sms,
                        spec.core.sms < ORACLE_PARTS ? 0 : ORACLE_PARTS, bad);
  if (!p->split || !parse_split(p->split->text, r->sms))
    share_split(spec.core.sms, r->apps, r->apps, 0, r->sms);
  return true;
}

int sweep_point(const sweep_t *s, uint32_t i, study_point_t *p, lab_run_t *r, err_t *e) {
  gpu_spec_t spec;
  study_point(&s->study, i, p);
  int rc = point_run(s, p, r, e);
  if (rc == 0) rc = lab_known_spec(s->lab, r, &spec, e);
  if (rc < 0 || turns_wanted(&spec.share) || mig_wanted(&spec.share)) return rc;
  if (p->split && strcmp(p->split->text, "oracle") == 0)
    return err_set(e, GMMU_EINVAL, "split: an oracle's division is not known before other runs");
  if ((!p->split || !parse_split(p->split->text, r->sms)) && !gpu_all_sms(&spec.share))
    share_split(spec.core.sms, r->apps, r->apps, 0, r->sms);
  return GMMU_OK;
}

static int keep_sharing(sweep_t *s, const lab_run_t *r, const lab_result_t *x, const ipc_t alone[],
                        const char *baseline, err_t *e) {
  ipc_t shared[GMMU_MAX_APPS];
  sharing_t m;
  json_t j;
  for (uint32_t a = 0; a < r->apps; a++) shared[a] = share_ipc(r, x, a);
  bool there = sharing_metrics(shared, alone, r->apps, &m);
  json_init(&j);
  share_json(there ? &m : NULL, alone, r->apps, baseline, &j);
  int rc = lab_keep_sharing(s->lab, r, strbuf_text(&j.out), e);
  json_fini(&j);
  return rc;
}

static int look_at(sweep_t *s, const study_point_t *p, bool keep, err_t *e) {
  const char *baseline = study_text(&s->study, STUDY_baseline, SHARE_BASELINE);
  const lab_result_t *bad = NULL;
  ipc_t alone[GMMU_MAX_APPS];
  lab_run_t r;
  int rc = point_run(s, p, &r, e);
  if (rc < 0) return rc;
  if (!divide(s, p, &r, baseline, &bad)) return bad ? add_failure(s, &r, bad, e) : GMMU_OK;
  const lab_result_t *x = lab_run(s->lab, &r);
  if (x && x->status != LAB_DONE) rc = add_failure(s, &r, x, e);
  if (rc < 0 || !study_flag(&s->study, STUDY_speedup, false)) return rc;
  bool all = share_alone(s->lab, &r, baseline, false, alone, &bad);
  if (bad) return add_failure(s, &r, bad, e);
  return keep && all && x && x->status == LAB_DONE ? keep_sharing(s, &r, x, alone, baseline, e)
                                                   : GMMU_OK;
}

/* Whether what is in a result decides anything. */
static bool reads_results(const sweep_t *s) {
  const study_list_t *split = &s->study.list[STUDY_split];
  for (uint32_t i = 0; i < split->count; i++)
    if (strcmp(split->at[i].text, "oracle") == 0) return true;
  return study_flag(&s->study, STUDY_speedup, false);
}

int sweep_look(sweep_t *s, bool keep, err_t *e) {
  int rc = GMMU_OK;
  lab_begin(s->lab);
  lab_set_brief(s->lab, !reads_results(s));
  s->failures = 0;
  for (uint32_t i = 0; i < s->points && rc == 0 && !lab_error(s->lab); i++) {
    study_point_t p;
    study_point(&s->study, i, &p);
    rc = look_at(s, &p, keep, e);
    lab_forget(s->lab);
    /* who looks without keeping tells what there is, after Ctrl-C, too */
    if (rc == 0 && keep && stop_asked()) rc = err_set(e, GMMU_EINTERRUPTED, "interrupted");
  }
  if (rc == 0 && lab_error(s->lab)) *e = *lab_error(s->lab), rc = e->code;
  return rc;
}

int sweep_run(sweep_t *s, err_t *e) {
  for (bool first = true;; first = false) {
    int rc = sweep_look(s, true, e);
    if (rc < 0) return rc;
    if (first) s->found = lab_found(s->lab);
    if (!lab_missing(s->lab)) return GMMU_OK;
    rc = lab_execute(s->lab, s->name, e);
    if (rc < 0) return rc;
    lab_set_retry(s->lab, LAB_RETRY_NONE); /* once */
  }
}
