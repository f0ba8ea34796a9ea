#include "run_store.h"
#include "lab/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* As it stands in the store. */
static bool name_app(const workload_t *w, uint32_t a, char out[LAB_TEXT_BYTES]) {
  const char *mark = workload_program(w, a) ? "-- " : "";
  return (size_t)snprintf(out, LAB_TEXT_BYTES, "%s%s", mark, w->app[a]) < LAB_TEXT_BYTES;
}

static int to_run(const run_store_t *s, uint32_t design, lab_run_t *out, err_t *e) {
  const config_t *c = s->config;
  char value[CONFIG_VALUE_BYTES];
  *out = (lab_run_t){.apps = s->work->apps, .limits = *s->limits};
  bool fits = (size_t)snprintf(out->gpu, sizeof out->gpu, "%s", c->gpu) < sizeof out->gpu &&
              (size_t)snprintf(out->design, sizeof out->design, "%s", config_preset(c, design)) <
                  sizeof out->design;
  for (uint32_t a = 0; a < out->apps; a++) {
    fits &= name_app(s->work, a, out->app[a]);
    out->sms[a] = s->sms[a];
  }
  for (uint32_t i = 0; i < c->settings && fits; i++) {
    if (config_is_overridden(c, i)) continue;
    config_value_of(c, design, i, value);
    fits = out->sets < LAB_SETS && (size_t)snprintf(out->set[out->sets++], LAB_TEXT_BYTES, "%s=%s",
                                                    c->key[i], value) < LAB_TEXT_BYTES;
  }
  return fits ? GMMU_OK
              : err_set(e, GMMU_EINVAL,
                        "--store: more than %d settings, or one longer than a result's key takes",
                        LAB_SETS);
}

/* A program is what its recording holds. */
static int tell_programs(const run_store_t *s, lab_t *l, err_t *e) {
  const workload_t *w = s->work;
  int rc = GMMU_OK;
  for (uint32_t a = 0; a < w->apps && rc == 0; a++) {
    char app[LAB_TEXT_BYTES], path[64], content[32];
    uint64_t hash = 0;
    if (!workload_program(w, a) || !name_app(w, a, app)) continue;
    snprintf(path, sizeof path, "/proc/self/fd/%d",
             w->recording[a - (w->apps - w->programs.count)].fd);
    rc = hash_file(path, "", &hash, e);
    snprintf(content, sizeof content, "%016" PRIx64, hash);
    if (rc == 0) rc = lab_tell_content(l, app, content, e);
  }
  return rc;
}

int run_store(const run_store_t *s, const char *path, char *const *stats, err_t *e) {
  lab_t *l = NULL;
  int rc = lab_open(path, STORE_WRITE, 1, &l, e);
  if (rc == 0) rc = tell_programs(s, l, e);
  for (uint32_t d = 0; d < s->config->designs && rc == 0; d++) {
    lab_run_t run;
    if (!stats[d]) continue;
    rc = to_run(s, d, &run, e);
    if (rc == 0) rc = lab_keep(l, &run, stats[d], e);
  }
  lab_close(l);
  return rc;
}
