/* What a run is: a machine, its applications with what their names stand for, and limits. The
 * identity is JSON with every option's value; its hash is the key, so two runs are the same exactly
 * if nothing that decides their results differs. Presets and programs are read once per process. */
#include "gpu/stats.h"
#include "lab/apps.h"
#include "lab/front.h"
#include "lab/hash.h"
#include "lab/lab_own.h"
#include "lab/plugin.h"
#include "lab/probing.h"
#include "lab/reuse.h"
#include "ptx/app.h"
#include "share/mig.h"
#include "share/turns.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- machines -------------------------------------------------------------------------------- */

static int load_machine(const lab_run_t *r, gpu_spec_t *spec, err_t *e) {
  gpu_spec_init(spec);
  int rc = gpu_spec_load(spec, "gpu", r->gpu, e);
  return rc == 0 ? gpu_spec_load(spec, "design", r->design, e) : rc;
}

static int apply_settings(const lab_run_t *r, gpu_spec_t *spec, err_t *e) {
  int rc = GMMU_OK;
  for (uint32_t i = 0; i < r->sets && rc == 0; i++) {
    char key[LAB_TEXT_BYTES];
    size_t size = strcspn(r->set[i], "=");
    snprintf(key, sizeof key, "%.*s", (int)size, r->set[i]);
    rc = gpu_spec_set(spec, key, r->set[i][size] ? r->set[i] + size + 1 : "", e);
  }
  return rc;
}

int lab_spec(const lab_run_t *r, gpu_spec_t *spec, err_t *e) {
  int rc = load_machine(r, spec, e);
  return rc == 0 ? apply_settings(r, spec, e) : rc;
}

int lab_known_spec(lab_t *l, const lab_run_t *r, gpu_spec_t *spec, err_t *e) {
  uint32_t i = 0;
  if (!l->machine) l->machine = calloc(LAB_MACHINES, sizeof *l->machine);
  if (!l->machine) return err_set(e, GMMU_ENOMEM, "out of memory");
  while (i < l->machines &&
         (strcmp(l->machine[i].gpu, r->gpu) || strcmp(l->machine[i].design, r->design)))
    i++;
  if (i == l->machines) {
    if (i == LAB_MACHINES) i = --l->machines;
    int rc = load_machine(r, &l->machine[i].spec, e);
    if (rc < 0) return rc;
    memcpy(l->machine[i].gpu, r->gpu, sizeof r->gpu);
    memcpy(l->machine[i].design, r->design, sizeof r->design);
    l->machines = i + 1;
  }
  *spec = l->machine[i].spec;
  return apply_settings(r, spec, e);
}

/* As gpu_new() would divide them, so that "equal" and the same numbers are the same run. */
static void fill_split(lab_run_t *r, const gpu_spec_t *spec) {
  if (turns_wanted(&spec->share) || mig_wanted(&spec->share)) memset(r->sms, 0, sizeof r->sms);
  if (gpu_all_sms(&spec->share) || mig_wanted(&spec->share)) return;
  for (uint32_t a = 0; a < r->apps; a++)
    if (r->sms[a]) return;
  for (uint32_t a = 0; a < r->apps; a++)
    r->sms[a] = gpu_share_begin(spec->core.sms, r->apps, a + 1) -
                gpu_share_begin(spec->core.sms, r->apps, a);
}

/* ---- applications ---------------------------------------------------------------------------- */

int lab_tell_content(lab_t *l, const char *app, const char *content, err_t *e) {
  if (l->contents == LAB_CONTENTS) return err_set(e, GMMU_ERANGE, "too many applications");
  snprintf(l->content[l->contents].app, sizeof l->content[0].app, "%s", app);
  snprintf(l->content[l->contents].content, sizeof l->content[0].content, "%s", content);
  l->contents++;
  return GMMU_OK;
}

static const char *content_of(lab_t *l, const char *app, err_t *e) {
  uint32_t i = 0;
  while (i < l->contents && strcmp(l->content[i].app, app)) i++;
  if (i < l->contents) return l->content[i].content;
  if (i == LAB_CONTENTS) i = --l->contents;
  snprintf(l->content[i].app, sizeof l->content[i].app, "%s", app);
  if (front_of(app)->identity(app, l->content[i].content, sizeof l->content[i].content, e) < 0)
    return NULL;
  l->contents++;
  return l->content[i].content;
}

/* ---- identity -------------------------------------------------------------------------------- */

static void number(json_t *j, const char *key, uint64_t v) { json_key(j, key), json_u64(j, v); }

/* Whatever is found by a path is its contents, wherever it is; of a .ptx file the launch is left.
 */
static const char *name_of(const char *app) {
  if (front_of(app) == &front_ptx) return app + ptx_app_path(app);
  return strchr(app, '/') || app_is_file(app) ? "recording" : app;
}

static int identity_apps(lab_t *l, const lab_run_t *r, json_t *j, err_t *e) {
  json_key(j, "apps");
  json_begin_array(j);
  for (uint32_t a = 0; a < r->apps; a++) {
    const char *content = content_of(l, r->app[a], e);
    if (!content) return e->code;
    json_begin_object(j);
    json_key(j, "app"), json_str(j, name_of(r->app[a]));
    json_key(j, "content"), json_str(j, content);
    number(j, "sms", r->sms[a]);
    json_end_object(j);
  }
  json_end_array(j);
  return GMMU_OK;
}

/* Blanks between tokens go, as in the store: what is hashed can be read there. */
static void leave_out_blanks(strbuf_t *s) {
  size_t kept = 0;
  bool inside = false; /* a string */
  if (s->failed) return;
  for (size_t i = 0; i < s->size; i++) {
    char c = s->buf[i];
    if (inside && c == '\\')
      s->buf[kept++] = c, c = s->buf[++i];
    else if (c == '"')
      inside = !inside;
    if (inside || !strchr(" \n", c)) s->buf[kept++] = c;
  }
  s->buf[s->size = kept] = 0;
}

/* Options that differ from their default: one that is new, or that a new policy brings, leaves the
 * keys of all runs as they are that do not use it. A changed default is a new version of the model
 * (tests/net/golden/options.net). */
static void identity_config(const gpu_spec_t *spec, json_t *j) {
  opt_group_t groups[GPU_GROUPS], standard[GPU_GROUPS];
  gpu_spec_t copy = *spec, defaults;
  gpu_spec_init(&defaults);
  gpu_spec_groups(&copy, groups), gpu_spec_groups(&defaults, standard);
  json_key(j, "config"), opt_json_changed(groups, standard, j);
}

/* Of the plug-ins that the machine uses, the bytes: without one, keys are as they always were. */
static void identity_plugins(const gpu_spec_t *spec, json_t *j) {
  bool any = false;
  for (uint32_t i = 0; i < plugin_count(); i++) {
    char hash[24];
    if (!plugin_used(i, spec)) continue;
    if (!any) json_key(j, "plugins"), json_begin_array(j);
    any = true;
    snprintf(hash, sizeof hash, "%016" PRIx64, plugin_hash(i));
    json_str(j, hash);
  }
  if (any) json_end_array(j);
}

/* All that a result depends on; the order of its members is part of the key. */
static int identity(lab_t *l, const lab_run_t *r, const gpu_spec_t *spec, json_t *j, err_t *e) {
  json_begin_object(j);
  json_key(j, "model"), json_str(j, lab_model_version);
  int rc = identity_apps(l, r, j, e);
  if (rc < 0) return rc;
  json_key(j, "limits");
  json_begin_object(j);
  number(j, "cycles", r->limits.cycles);
  number(j, "instructions", r->limits.instructions);
  number(j, "min_cycles", r->limits.min_cycles);
  number(j, "wait_for", r->limits.wait_for);
  json_key(j, "no_relaunch"), json_bool(j, r->limits.no_relaunch);
  json_end_object(j);
  identity_config(spec, j);
  identity_plugins(spec, j);
  json_end_object(j);
  leave_out_blanks(&j->out);
  return j->out.failed ? err_set(e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
}

int lab_identify(lab_t *l, lab_run_t *r, json_t *j, err_t *e) {
  gpu_spec_t spec;
  int rc = lab_known_spec(l, r, &spec, e);
  if (rc < 0) return rc;
  fill_split(r, &spec);
  return identity(l, r, &spec, j, e);
}

/* ---- for people ------------------------------------------------------------------------------ */

/* A line, also for prices. */
void lab_describe(missing_t *m) {
  const lab_run_t *r = &m->run;
  strbuf_t label, workload;
  strbuf_init(&label), strbuf_init(&workload);
  for (uint32_t a = 0; a < r->apps; a++)
    strbuf_printf(&workload, "%s%s", a ? " + " : "", r->app[a]);
  strbuf_printf(&workload, ", %" PRIu64 " cycles", r->limits.cycles + r->limits.min_cycles);
  if (r->limits.wait_for) strbuf_printf(&workload, ", until %u finished", r->limits.wait_for);
  strbuf_printf(&label, "%s %s: %s; SMs", r->gpu, r->design, strbuf_text(&workload));
  for (uint32_t a = 0; a < r->apps; a++) strbuf_printf(&label, "%s%u", a ? "," : " ", r->sms[a]);
  for (uint32_t i = 0; i < r->sets; i++) strbuf_printf(&label, "; %s", r->set[i]);
  snprintf(m->label, sizeof m->label, "%s", strbuf_text(&label));
  snprintf(m->workload, sizeof m->workload, "%s", strbuf_text(&workload));
  strbuf_fini(&label), strbuf_fini(&workload);
}

static void add_limit(strbuf_t *s, const char *option, uint64_t v) {
  if (v) strbuf_printf(s, " --%s %" PRIu64, option, v);
}

/* A probe takes no design: only those of a GPU as it is can be said in a line. */
static void write_probe(const lab_run_t *r, strbuf_t *s) {
  if (strcmp(r->design, "native") != 0) return;
  strbuf_str(s, "gmmu probe "), probing_words(r->app[0], s);
  strbuf_printf(s, " --device sim:%s", r->gpu);
  for (uint32_t i = 0; i < r->sets; i++) strbuf_str(s, " -s"), strbuf_shell_word(s, r->set[i]);
  strbuf_str(s, " --json");
}

/* The command that repeats a run names the plug-ins which the run used. */
static void write_plugins(const lab_run_t *r, strbuf_t *s) {
  gpu_spec_t spec;
  err_t e = {0};
  if (!plugin_count() || lab_spec(r, &spec, &e) < 0) return;
  for (uint32_t i = 0; i < plugin_count(); i++)
    if (plugin_used(i, &spec)) strbuf_str(s, " --plugin"), strbuf_shell_word(s, plugin_path(i));
}

void lab_command(const lab_run_t *r, strbuf_t *s) {
  if (reuse_knows(r->app[0])) {
    reuse_command(r->app[0], r->gpu, s);
    return;
  }
  if (probing_knows(r->app[0])) {
    write_probe(r, s);
    return;
  }
  strbuf_str(s, "gmmu run --gpu"), strbuf_shell_word(s, r->gpu);
  strbuf_str(s, " --design"), strbuf_shell_word(s, r->design);
  for (uint32_t i = 0; i < r->sets; i++) strbuf_str(s, " -s"), strbuf_shell_word(s, r->set[i]);
  write_plugins(r, s);
  for (uint32_t a = 0; a < r->apps && r->sms[a]; a++)
    strbuf_printf(s, "%s%u", a ? "," : " --sms ", r->sms[a]);
  add_limit(s, "cycles", r->limits.cycles);
  add_limit(s, "instructions", r->limits.instructions);
  add_limit(s, "min-cycles", r->limits.min_cycles);
  add_limit(s, "wait-for", r->limits.wait_for);
  if (r->limits.no_relaunch) strbuf_str(s, " --no-relaunch");
  strbuf_str(s, " --json");
  for (uint32_t a = 0; a < r->apps; a++) strbuf_shell_word(s, r->app[a]);
}

static void give(json_t *j, strbuf_t *out) {
  strbuf_add(out, strbuf_text(&j->out), j->out.size);
  out->failed |= j->out.failed;
  json_fini(j);
}

static void write_settings(const lab_run_t *r, strbuf_t *out) {
  json_t j;
  json_init(&j);
  json_begin_object(&j);
  for (uint32_t i = 0; i < r->sets; i++) {
    char key[LAB_TEXT_BYTES];
    size_t size = strcspn(r->set[i], "=");
    snprintf(key, sizeof key, "%.*s", (int)size, r->set[i]);
    json_key(&j, key), json_str(&j, r->set[i][size] ? r->set[i] + size + 1 : "");
  }
  json_end_object(&j);
  give(&j, out);
}

void lab_row_texts(const lab_run_t *r, strbuf_t *apps, strbuf_t *sms, strbuf_t *settings,
                   strbuf_t *command) {
  json_t a, s;
  json_init(&a), json_init(&s);
  json_begin_array(&a), json_begin_array(&s);
  for (uint32_t i = 0; i < r->apps; i++) json_str(&a, r->app[i]), json_u64(&s, r->sms[i]);
  json_end_array(&a), json_end_array(&s);
  give(&a, apps), give(&s, sms);
  write_settings(r, settings);
  lab_command(r, command);
}
