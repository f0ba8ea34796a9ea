#include "models.h"
#include "cli.h"
#include <stdio.h>
#include <string.h>

void models_init(models_t *m) {
  *m = (models_t){0};
  strbuf_init(&m->names);
}

void models_fini(models_t *m) { strbuf_fini(&m->names); }

const char *models_at(const models_t *m, uint32_t i) {
  const char *name = strbuf_text(&m->names);
  if (i >= m->count) return NULL;
  while (i--) name += strlen(name) + 1;
  return name;
}

static int add(void *ctx, const store_value_t *v, err_t *e) {
  models_t *m = ctx;
  strbuf_add(&m->names, v->text, strlen(v->text) + 1);
  m->count++;
  return m->names.failed ? err_set(e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
}

static void list(const models_t *m, const char *without, strbuf_t *out) {
  bool first = true;
  for (uint32_t i = 0; i < m->count; i++) {
    if (without && strcmp(models_at(m, i), without) == 0) continue;
    strbuf_printf(out, "%s%s", first ? "" : ", ", models_at(m, i));
    first = false;
  }
}

static int unknown(const models_t *m, const char *wish, err_t *e) {
  strbuf_t text;
  strbuf_init(&text);
  list(m, NULL, &text);
  err_set(e, GMMU_ENOENT, "no run is of model version \"%s\"; there are %s", wish,
          m->count ? strbuf_text(&text) : "no runs");
  strbuf_fini(&text);
  return e->code;
}

int models_choose(models_t *m, store_t *s, const char *wish, err_t *e) {
  int rc = store_query(s, store_models_sql, NULL, 0, NULL, add, m, e);
  if (rc < 0 || (wish && strcmp(wish, MODELS_ALL) == 0)) return rc;
  for (uint32_t i = 0; i < m->count && !m->chosen; i++)
    if (!wish || strcmp(models_at(m, i), wish) == 0) m->chosen = models_at(m, i);
  if (!m->chosen) return wish ? unknown(m, wish, e) : GMMU_OK;
  return m->count > 1 ? store_see_model(s, m->chosen, e) : GMMU_OK;
}

void models_tell(const models_t *m, const char *store) {
  strbuf_t text;
  if (!m->chosen || m->count < 2) return;
  strbuf_init(&text);
  list(m, m->chosen, &text);
  cli_say("%s: runs of model version %s only; --model has the others: %s, or %s", store, m->chosen,
          strbuf_text(&text), MODELS_ALL);
  strbuf_fini(&text);
}
