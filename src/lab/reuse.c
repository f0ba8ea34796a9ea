/* What a program does to pages, as a run that the store keeps: "pages:scan:size=standard,seed=1" in
 * place of an application. No machine runs: the program is read once (pages.h). */
#include "lab/reuse.h"
#include "lab/apps.h"
#include "lab/footprint.h"
#include <string.h>

static const char prefix[] = "pages:";

static const char *program(const char *text) { return text + sizeof prefix - 1; }
static const front_t *front(const char *text) { return front_of(program(text)); }

bool reuse_knows(const char *text) { return strncmp(text, prefix, sizeof prefix - 1) == 0; }

/* The median of accesses to another page than the last one: half of them, first touches among them,
 * do not reach it. */
static uint64_t median_return(const pages_t *p) {
  pages_t other = *p;
  other.accesses -= other.reuse[0], other.reuse[0] = 0;
  return other.accesses ? footprint_median_reuse(&other) : 0;
}

int reuse_run(const char *text, json_t *j, err_t *e) {
  source_t *source = NULL;
  pages_t p;
  int rc = app_open(program(text), &source, e);
  if (rc == 0) rc = pages_count(source, &p, e);
  if (source) source->ops->free(source);
  if (rc < 0) return rc;
  uint64_t median = footprint_median_reuse(&p), other = median_return(&p);
  json_begin_object(j);
  json_key(j, "page_accesses"), json_u64(j, p.accesses);
  json_key(j, "pages"), json_u64(j, p.pages);
  json_key(j, "first_touch_median"), json_bool(j, median == UINT64_MAX);
  json_key(j, "median_reuse_distance"), json_u64(j, median == UINT64_MAX ? p.pages : median);
  json_key(j, "median_return_distance"), json_u64(j, other == UINT64_MAX ? p.pages : other);
  json_key(j, "reuse_distance"), json_u64s(j, p.reuse, PAGES_BUCKETS);
  json_end_object(j);
  return rc;
}

void reuse_command(const char *text, const char *gpu, strbuf_t *out) {
  suite_pick_t p;
  err_t e;
  if (suite_parse(program(text), &p, &e) < 0) return;
  strbuf_printf(out, "gmmu characterize --gpus %s --sizes %s --json %s", gpu, p.size, p.app->name);
}

/* ---- the front end --------------------------------------------------------------------------- */

static int open_none(const char *text, source_t **out, err_t *e) {
  *out = NULL;
  return err_set(e, GMMU_EINVAL, "\"%.40s\" runs on no machine: `gmmu characterize` shows it",
                 text);
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  return front(text)->identity(program(text), out, size, e);
}

static int check(const char *text, err_t *e) {
  const front_t *f = front(text);
  if (f->check) return f->check(program(text), e);
  source_t *source = NULL;
  int rc = f->open(program(text), &source, e);
  if (source) source->ops->free(source);
  return rc;
}

static int recording(const char *text, char *path, size_t size, bool *cached, err_t *e) {
  const front_t *f = front(text);
  *cached = true;
  *path = 0;
  return f->recording ? f->recording(program(text), path, size, cached, e) : GMMU_OK;
}

static int record(const char *text, char *path, size_t size, err_t *e) {
  return front(text)->record(program(text), path, size, e);
}

const front_t front_reuse = {.name = "pages",
                             .help = "what a program does to pages: \"pages:scan\"",
                             .recognises = reuse_knows,
                             .open = open_none,
                             .identity = identity,
                             .check = check,
                             .recording = recording,
                             .record = record};
