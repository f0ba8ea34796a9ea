/* libgmmu over the rooms: a spec and applications until the first run, then a machine. */
#pragma GCC visibility push(default)
#include "gmmu/gmmu.h"
#pragma GCC visibility pop
#include "base/json_find.h"
#include "gpu/stats.h"
#include "lab/apps.h"
#include "lab/hash.h"
#include "lab/plugin.h"
#include <stdlib.h>
#include <string.h>

struct gmmu {
  gpu_spec_t spec;
  app_spec_t app[GMMU_MAX_APPS];
  char *name[GMMU_MAX_APPS];  /* as typed, or as the source is called */
  bool opened[GMMU_MAX_APPS]; /* by us: we free the source */
  uint32_t apps;
  gpu_t *gpu; /* NULL before the first run */
  bool over;  /* settled: waiting times are charged */
  json_t stats;
  uint64_t stats_cycle; /* of `stats`; UINT64_MAX: there is none yet */
  bool stats_over;
  uint64_t epoch_cycles;
  gmmu_epoch_fn epoch;
  void *epoch_ctx;
};

const char *gmmu_version(void) { return GMMU_API_VERSION; }
const char *gmmu_model(void) { return lab_model_version; }

int gmmu_load_plugin(const char *path, err_t *e) { return plugin_load(path, e); }

static int no_memory(err_t *e) { return err_set(e, GMMU_ENOMEM, "out of memory"); }

int gmmu_open(const char *gpu, const char *design, gmmu_t **out, err_t *e) {
  *out = NULL;
  gmmu_t *m = calloc(1, sizeof *m);
  if (!m) return no_memory(e);
  json_init(&m->stats);
  m->stats_cycle = UINT64_MAX;
  gpu_spec_init(&m->spec);
  int rc = gpu_spec_load(&m->spec, "gpu", gpu, e);
  if (rc == 0) rc = gpu_spec_load(&m->spec, "design", design, e);
  if (rc < 0)
    gmmu_close(m);
  else
    *out = m;
  return rc;
}

void gmmu_close(gmmu_t *m) {
  if (!m) return;
  gpu_free(m->gpu);
  for (uint32_t a = 0; a < m->apps; a++) {
    if (m->opened[a]) m->app[a].source->ops->free(m->app[a].source);
    free(m->name[a]);
  }
  json_fini(&m->stats);
  free(m);
}

static int not_begun(const gmmu_t *m, err_t *e) {
  return m->gpu ? err_set(e, GMMU_EINVAL, "the machine runs already") : GMMU_OK;
}

int gmmu_set(gmmu_t *m, const char *key, const char *value, err_t *e) {
  int rc = not_begun(m, e);
  return rc < 0 ? rc : gpu_spec_set(&m->spec, key, value, e);
}

int gmmu_get(const gmmu_t *m, const char *key, char *buf, size_t size) {
  opt_group_t groups[GPU_GROUPS];
  gpu_spec_t copy = m->spec;
  gpu_spec_groups(&copy, groups);
  return opt_get(groups, key, buf, size);
}

int gmmu_add_source(gmmu_t *m, const char *name, source_t *source, uint32_t sms, err_t *e) {
  int rc = not_begun(m, e);
  if (rc < 0) return rc;
  if (m->apps == GMMU_MAX_APPS)
    return err_set(e, GMMU_ERANGE, "at most %d applications", GMMU_MAX_APPS);
  if (sms && m->apps && !m->app[0].sms)
    return err_set(e, GMMU_EINVAL, "all applications say how many SMs they have, or none does");
  char *copy = strdup(name);
  if (!copy) return no_memory(e);
  m->name[m->apps] = copy;
  m->app[m->apps++] = (app_spec_t){.source = source, .sms = sms};
  return GMMU_OK;
}

int gmmu_add(gmmu_t *m, const char *app, uint32_t sms, err_t *e) {
  source_t *source = NULL;
  int rc = not_begun(m, e);
  if (rc == 0) rc = app_open(app, &source, e);
  if (rc < 0) return rc;
  rc = gmmu_add_source(m, app, source, sms, e);
  if (rc < 0)
    source->ops->free(source);
  else
    m->opened[m->apps - 1] = true;
  return rc;
}

int gmmu_on_epoch(gmmu_t *m, uint64_t cycles, gmmu_epoch_fn epoch, void *ctx, err_t *e) {
  if (epoch && !cycles) return err_set(e, GMMU_ERANGE, "an epoch has one cycle or more");
  m->epoch_cycles = cycles, m->epoch = epoch, m->epoch_ctx = ctx;
  return GMMU_OK;
}

/* The machine, with names that tables would show. */
static int build(gmmu_t *m, err_t *e) {
  char shown[GMMU_MAX_APPS][APP_NAME_BYTES];
  uint32_t next = 0;
  if (!m->apps) return err_set(e, GMMU_EINVAL, "no application was added");
  app_names((const char *const *)m->name, m->apps, 0, shown);
  for (uint32_t a = 0; a < m->apps; a++) {
    m->app[a].name = shown[a], m->app[a].first_sm = next;
    next += m->app[a].sms;
  }
  return gpu_new(&m->spec, m->app, m->apps, &m->gpu, e);
}

int gmmu_run(gmmu_t *m, const gmmu_limits_t *limits, err_t *e) {
  gpu_limits_t l = {0};
  if (limits)
    l = (gpu_limits_t){.cycles = limits->cycles,
                       .instructions = limits->instructions,
                       .min_cycles = limits->min_cycles,
                       .wait_for = limits->wait_for,
                       .no_relaunch = limits->no_relaunch};
  if (m->over) return err_set(e, GMMU_EINVAL, "the run is over");
  int rc = m->gpu ? GMMU_OK : build(m, e);
  while (rc == 0) {
    uint64_t until = UINT64_MAX;
    if (m->epoch) until = gpu_cycles(m->gpu) / m->epoch_cycles * m->epoch_cycles + m->epoch_cycles;
    rc = gpu_run(m->gpu, &l, until, e);
    if (rc == 0 && m->epoch && !m->epoch(m->epoch_ctx, m, gpu_cycles(m->gpu))) return 0;
  }
  if (rc > 0) gpu_settle(m->gpu), m->over = true;
  return rc;
}

uint64_t gmmu_cycles(const gmmu_t *m) { return m->gpu ? gpu_cycles(m->gpu) : 0; }

const char *gmmu_statistics(gmmu_t *m, err_t *e) {
  if (!m->gpu) {
    err_set(e, GMMU_EINVAL, "the machine has not run yet");
    return NULL;
  }
  if (m->stats_cycle != gpu_cycles(m->gpu) || m->stats_over != m->over) {
    json_fini(&m->stats), json_init(&m->stats);
    json_begin_object(&m->stats);
    gpu_stats_json(m->gpu, &m->stats);
    json_end_object(&m->stats);
    m->stats_cycle = gpu_cycles(m->gpu), m->stats_over = m->over;
  }
  if (!m->stats.out.failed) return strbuf_text(&m->stats.out);
  no_memory(e);
  return NULL;
}

int gmmu_statistic(gmmu_t *m, const char *path, uint64_t *out, err_t *e) {
  const char *text = gmmu_statistics(m, e);
  if (!text) return e ? e->code : GMMU_EINVAL;
  if (json_find_u64(text, path, out)) return GMMU_OK;
  err_set(e, GMMU_ENOENT, "there is no counter so called");
  return err_for_key(e, path);
}
