#include "lab/traces.h"
#include "base/progress.h"
#include "base/stop.h"
#include "gmmu/types.h"
#include "lab/front.h"
#include "lab/hash.h"
#include "lab/suite.h"
#include "trace/gmt.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends(const char *text, size_t size, const char *with) {
  size_t n = strlen(with);
  return size > n && memcmp(text + size - n, with, n) == 0;
}

/* ---- LIST:context=0xHEX ---------------------------------------------------------------------- */

#define CONTEXT_MARK ":context="

typedef struct {
  char path[PATH_MAX];
  const char *context; /* NULL: there is but one */
} picked_t;

static void pick(const char *text, picked_t *p) {
  const char *mark = strstr(text, CONTEXT_MARK);
  snprintf(p->path, sizeof p->path, "%.*s", mark ? (int)(mark - text) : (int)strlen(text), text);
  p->context = mark ? mark + strlen(CONTEXT_MARK) : NULL;
}

static bool knows_path(const char *text) {
  static const char *const packed[] = {".xz", ".zst"};
  static const char *const kind[] = {".g", ".traceg", ".tracez", ".trace"};
  const char *slash = strrchr(text, '/');
  size_t size = strlen(text);
  if (strncmp(slash ? slash + 1 : text, "kernelslist", 11) == 0 && !ends(text, size, ".gmt"))
    return true;
  for (size_t i = 0; i < 2; i++)
    if (ends(text, size, packed[i])) size -= strlen(packed[i]);
  for (size_t i = 0; i < 4; i++)
    if (ends(text, size, kind[i])) return true;
  return false;
}

static bool knows(const char *text) {
  picked_t p;
  pick(text, &p);
  return knows_path(p.path);
}

uint32_t traces_contexts(const char *text, char name[][CONTEXT_CHARS], uint32_t room) {
  err_t quiet = {0}; /* whoever opens it says what is wrong */
  picked_t p;
  pick(text, &p);
  if (p.context || !knows_path(p.path)) return 0;
  int count = import_contexts(p.path, name, room, &quiet);
  return count > 1 ? (uint32_t)count : 0;
}

/* ---- importing ------------------------------------------------------------------------------- */

static bool tick(void *ctx, const import_progress_t *p) {
  progress_t *line = ctx;
  progress_state_t s = {.what = "importing",
                        .instructions = p->instructions,
                        .permille = p->permille,
                        .kernel = p->kernel};
  if (progress_due(line)) progress_show(line, &s);
  return !stop_asked();
}

int traces_import(const char *list, const char *path, import_opts_t *o, import_summary_t *s,
                  err_t *e) {
  progress_t line;
  stop_listen();
  progress_begin(&line);
  o->tick = tick, o->ctx = &line;
  int rc = import_run(list, path, o, s, e);
  progress_end(&line);
  return rc;
}

/* ---- the recording --------------------------------------------------------------------------- */

/* The hash of a file begins with that of the one before. */
static int add_file(void *ctx, const char *path, err_t *e) {
  uint64_t *hash = ctx;
  char before[24];
  snprintf(before, sizeof before, "%" PRIu64, *hash);
  return hash_file(path, before, hash, e);
}

/* Large files are read once, however often a command asks. */
static int hash_of(const char *text, uint64_t *hash, err_t *e) {
  static struct {
    char text[PATH_MAX];
    uint64_t hash;
  } known[GMMU_MAX_APPS];
  static uint32_t count;
  for (uint32_t i = 0; i < count; i++)
    if (strcmp(known[i].text, text) == 0) {
      *hash = known[i].hash;
      return GMMU_OK;
    }
  *hash = strtoull(IMPORT_VERSION, NULL, 10) * 1000 + strtoull(lab_recorder_version, NULL, 10);
  int rc = import_files(text, add_file, hash, e);
  if (rc == 0 && count < GMMU_MAX_APPS && strlen(text) < PATH_MAX) {
    snprintf(known[count].text, PATH_MAX, "%s", text);
    known[count++].hash = *hash;
  }
  return rc;
}

static int recording(const char *text, char *path, size_t size, bool *cached, err_t *e) {
  char dir[PATH_MAX];
  picked_t p;
  pick(text, &p);
  const char *slash = strrchr(p.path, '/');
  uint64_t hash = 0;
  int rc = hash_of(p.path, &hash, e);
  if (rc == 0) rc = suite_cache_folder(dir, sizeof dir, e);
  if (rc < 0) return rc;
  int n =
      snprintf(path, size, "%s/trace-%.64s%s%.32s-%016" PRIx64 ".gmt", dir,
               slash ? slash + 1 : p.path, p.context ? "-" : "", p.context ? p.context : "", hash);
  if (n < 0 || (size_t)n >= size) return err_set(e, GMMU_EINVAL, "%s: the path is too long", dir);
  *cached = access(path, R_OK) == 0;
  return GMMU_OK;
}

static int record(const char *text, char *path, size_t size, err_t *e) {
  bool cached;
  int rc = recording(text, path, size, &cached, e);
  picked_t p;
  pick(text, &p);
  import_opts_t o = {.first = 1, .context = p.context};
  import_summary_t s;
  if (rc < 0 || cached) return rc;
  rc = traces_import(p.path, path, &o, &s, e);
  import_summary_fini(&s);
  return rc;
}

static int open_imported(const char *text, source_t **out, err_t *e) {
  char path[PATH_MAX];
  int rc = record(text, path, sizeof path, e);
  return rc < 0 ? rc : gmt_open(path, out, e);
}

static int check(const char *text, err_t *e) {
  picked_t p;
  pick(text, &p);
  return front_readable(p.path, e);
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  return front_recording_identity(&front_traces, text, out, size, e);
}

const front_t front_traces = {.name = "trace",
                              .help = "kernelslist.g of Accel-Sim, or one kernel's trace",
                              .recognises = knows,
                              .open = open_imported,
                              .identity = identity,
                              .check = check,
                              .recording = recording,
                              .record = record,
                              .one_by_one = true};
