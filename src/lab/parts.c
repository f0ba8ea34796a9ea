/* Fractional GPUs' applications as persistent blocks on a part of the GPU (kernels/fgpu): the
 * paper's own mechanism, which keeps kernels on SMs by software. They read on which SM they run, so
 * they run live, and are started anew as often as the machine asks.
 *
 *   fgpu-va:part=0,parts=2,size=standard,seed=1 */
#include "base/around.h"
#include "base/opt.h"
#include "base/where.h"
#include "base/words.h"
#include "lab/apps.h"
#include "lab/hash.h"
#include "lab/program.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As typed, and the program. */
static const struct {
  const char *name, *program;
} apps[] = {{"fgpu-mm", "fgpu-mm"},  {"fgpu-sn", "fgpu-sn"},   {"fgpu-va", "fgpu-va"},
            {"fgpu-sp", "fgpu-scp"}, {"fgpu-fwt", "fgpu-fwt"}, {"fgpu-cfd", "fgpu-cfd"}};
#define APPS ((uint32_t)(sizeof apps / sizeof *apps))

typedef struct {
  uint32_t app;
  uint32_t part, parts;
  const char *size;
  uint64_t seed;
} part_t;

static const char *size_name(uint32_t i) {
  static const char *const names[] = {"tiny", "standard", "large"};
  return i < 3 ? names[i] : NULL;
}

static const opt_t options[] = {
    {"part", OPT_U32, offsetof(part_t, part), 0, 1023, 0, "", "which part, from 0 on", NULL, NULL},
    {"parts", OPT_U32, offsetof(part_t, parts), 1, 1024, 2, "", "of how many", NULL, NULL},
    {"size", OPT_NAME, offsetof(part_t, size), 0, 0, 0, "", "of the input", size_name, "standard"},
    {"seed", OPT_U64, offsetof(part_t, seed), 0, UINT32_MAX, 1, "", "of the input", NULL, NULL},
    {0}};

static uint32_t app_of(const char *text) {
  size_t n = strcspn(text, ":");
  uint32_t i = 0;
  while (i < APPS && (strlen(apps[i].name) != n || strncmp(apps[i].name, text, n) != 0)) i++;
  return i;
}

static bool knows(const char *text) { return app_of(text) < APPS; }

static int parse(const char *text, part_t *out, err_t *e) {
  char copy[256], key[96], *at = copy;
  *out = (part_t){.app = app_of(text)};
  const char *name = apps[out->app].name;
  const opt_group_t groups[] = {{.prefix = name, .opts = options, .base = out}, {0}};
  opt_defaults(groups);
  text += strcspn(text, ":");
  if ((size_t)snprintf(copy, sizeof copy, "%s", *text ? text + 1 : "") >= sizeof copy)
    return err_set(e, GMMU_EINVAL, "%s: its options are too long", name);
  for (char *end; *text && at; at = end) {
    char *equals = strchr(at, '=');
    end = strchr(at, ',');
    if (end) *end++ = 0;
    if (!equals || (end && equals > end))
      return err_set(e, GMMU_EINVAL, "%s: \"%.40s\" is not key=value", name, at);
    *equals = 0;
    snprintf(key, sizeof key, "%s.%.60s", name, at);
    int rc = opt_set(groups, key, equals + 1, e);
    if (rc < 0) return rc;
  }
  if (out->part < out->parts) return GMMU_OK;
  return err_set(e, GMMU_ERANGE, "%s: there is no part %u of %u", name, out->part, out->parts);
}

static int program_path(const part_t *p, char *path, size_t size, err_t *e) {
  char dir[PATH_MAX];
  int rc = where_is(WHERE_APPS, dir, sizeof dir, e);
  if (rc < 0) return rc;
  if ((size_t)snprintf(path, size, "%s/%s", dir, apps[p->app].program) >= size)
    return err_set(e, GMMU_EINVAL, "%s: the path is too long", dir);
  return access(path, X_OK) == 0
             ? GMMU_OK
             : err_set(e, GMMU_ENOENT, "this gmmu was built without %s", apps[p->app].name);
}

/* ---- the program ----------------------------------------------------------------------------- */

/* What the source of a program points to lives as long as it. */
typedef struct {
  around_t around; /* must be first */
  words_t words;
  char library[PATH_MAX];
  int quiet; /* where its line of output goes */
} running_t;

static void running_free(source_t *s) {
  running_t *r = (running_t *)(void *)s;
  if (r->around.in) r->around.in->ops->free(r->around.in);
  if (r->quiet >= 0) close(r->quiet);
  words_fini(&r->words);
  free(r);
}

static const source_ops_t running_ops = {.name = "part",
                                         .bind = around_bind,
                                         .rewind = around_rewind,
                                         .next_command = around_next_command,
                                         .cta_begin = around_cta_begin,
                                         .step = around_step,
                                         .error = around_error,
                                         .free = running_free};

static int start(running_t *r, const part_t *p, const front_machine_t *m, err_t *e) {
  char path[PATH_MAX];
  host_spec_t host;
  int rc = program_path(p, path, sizeof path, e);
  if (rc < 0) return rc;
  words_add(&r->words, path), words_add(&r->words, "--part");
  words_addf(&r->words, "%u", p->part), words_addf(&r->words, "%u", p->parts);
  words_add(&r->words, "--size"), words_add(&r->words, p->size);
  words_add(&r->words, "--seed"), words_addf(&r->words, "%" PRIu64, p->seed);
  r->quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (r->words.failed || r->quiet < 0) return err_set(e, GMMU_ENOMEM, "out of memory or files");
  rc = program_prepare(r->words.at, m->spec, m->gpu, r->library, sizeof r->library, &host, e);
  if (rc == 0) rc = program_colours(m->spec, m->app, m->apps, &host, e);
  host.again = true, host.out_fd = r->quiet;
  return rc < 0 ? rc : host_source_new(&host, &r->around.in, e);
}

static int open_on(const char *text, const front_machine_t *m, source_t **out, err_t *e) {
  part_t p;
  *out = NULL;
  int rc = parse(text, &p, e);
  if (rc < 0) return rc;
  running_t *r = calloc(1, sizeof *r);
  if (!r) return err_set(e, GMMU_ENOMEM, "out of memory");
  r->around.source.ops = &running_ops, r->quiet = -1;
  rc = start(r, &p, m, e);
  if (rc < 0)
    running_free(&r->around.source);
  else
    *out = &r->around.source;
  return rc;
}

/* ---- the front end --------------------------------------------------------------------------- */

static int check(const char *text, err_t *e) {
  char path[PATH_MAX];
  part_t p;
  int rc = parse(text, &p, e);
  return rc < 0 ? rc : program_path(&p, path, sizeof path, e);
}

/* Without a machine it could not be told which it runs on. */
static int open_none(const char *text, source_t **out, err_t *e) {
  *out = NULL;
  int rc = check(text, e);
  return rc < 0 ? rc : err_set(e, GMMU_EINVAL, "\"%.40s\" runs live, on a machine", text);
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  char path[PATH_MAX];
  uint64_t hash = 0;
  part_t p;
  int rc = parse(text, &p, e);
  if (rc == 0) rc = program_path(&p, path, sizeof path, e);
  if (rc == 0) rc = hash_file(path, lab_live_version, &hash, e);
  if (rc == 0) snprintf(out, size, "%s %016" PRIx64, text, hash);
  return rc;
}

const front_t front_parts = {
    .name = "part",
    .help = "a program of Fractional GPUs as persistent blocks: \"fgpu-va:part=0,parts=2\"",
    .recognises = knows,
    .open = open_none,
    .open_on = open_on,
    .identity = identity,
    .check = check};
