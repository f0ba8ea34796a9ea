/* The table. Its order matters: what has a slash or ends in .gmt is a recording, unless it begins
 * with an application's name and a colon, whose parameters may be files, is a .ptx file with its
 * launch, or ends as a trace does. */
#include "lab/front.h"
#include "base/opt.h"
#include "gen/gen.h"
#include "lab/apps.h"
#include "lab/hash.h"
#include "lab/suite.h"
#include "ptx/app.h"
#include "trace/gmt.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const front_t *const front_all[] = {
    &front_own,       &front_reuse,   &front_suite, &front_ptx, &front_traces, &front_gmt,
    &front_operators, &front_probing, &front_parts, &front_gen, NULL};

const front_t *front_of(const char *text) {
  const front_t *const *f = front_all;
  while (!(*f)->recognises(text)) f++;
  return *f;
}

int front_recording_identity(const front_t *f, const char *text, char *out, size_t size, err_t *e) {
  char path[PATH_MAX];
  bool cached;
  int rc = f->recording(text, path, sizeof path, &cached, e);
  if (rc == 0) snprintf(out, size, "%s", strrchr(path, '/') + 1);
  return rc;
}

/* ---- those of rooms below ---- */

/* It runs live, so its hash has the version of that. */
static int ptx_identity(const char *text, char *out, size_t size, err_t *e) {
  char path[PATH_MAX];
  uint64_t hash = 0;
  snprintf(path, sizeof path, "%.*s", (int)ptx_app_path(text), text);
  int rc = hash_file(path, lab_live_version, &hash, e);
  snprintf(out, size, "%016" PRIx64, hash);
  return rc;
}

const front_t front_ptx = {.name = "ptx",
                           .help = "a kernel of a .ptx file with its launch",
                           .recognises = ptx_app_knows,
                           .open = ptx_app_open,
                           .identity = ptx_identity};

static bool is_gmt(const char *text) {
  size_t size = strlen(text);
  return strchr(text, '/') || (size > 4 && strcmp(text + size - 4, ".gmt") == 0);
}

static int gmt_identity(const char *text, char *out, size_t size, err_t *e) {
  uint64_t hash = 0;
  int rc = hash_file(text, "", &hash, e);
  snprintf(out, size, "%016" PRIx64, hash);
  return rc;
}

int front_readable(const char *text, err_t *e) {
  return access(text, R_OK) == 0 ? GMMU_OK : err_set(e, GMMU_ENOENT, "%s cannot be read", text);
}

static bool is_elf(const char *path) {
  char head[4] = "";
  FILE *f = fopen(path, "rb");
  bool elf = f && fread(head, 1, 4, f) == 4 && memcmp(head, "\177ELF", 4) == 0;
  if (f) fclose(f);
  return elf;
}

/* A program or a source in place of a recording: the message says how to run it. */
static int open_gmt(const char *text, source_t **out, err_t *e) {
  size_t size = strlen(text);
  int rc = gmt_open(text, out, e);
  if (rc != GMMU_EFORMAT) return rc; /* also what is no regular file */
  if (is_elf(text))
    err_set(e, rc, "a program, not a recording; programs stand behind --: -- %s", text);
  else if (size > 3 && strcmp(text + size - 3, ".cu") == 0)
    err_set(e, rc, "a source; `gmmu cc %s -o prog` makes a program of it: -- ./prog", text);
  return err_in_file(e, text, 0, 0); /* nothing if it has its place already */
}

const front_t front_gmt = {.name = "gmt",
                           .help = "a recording, FILE.gmt",
                           .recognises = is_gmt,
                           .open = open_gmt,
                           .identity = gmt_identity,
                           .check = front_readable};

/* ---- whatever is left ---- */

static bool any(const char *text) {
  (void)text;
  return true;
}

static const char *generator_name(void *ctx, uint32_t i) {
  (void)ctx;
  return gen_all[i] ? gen_all[i]->name : NULL;
}

/* Whatever is no generator's name is nearly that of an application, or of a generator, or of
 * nothing. */
static int open_generator(const char *text, source_t **out, err_t *e) {
  char name[APP_NAME_BYTES];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  if (gen_find(name)) return gen_open(text, out, e);
  const char *near = opt_nearest(name, suite_name, NULL);
  if (near)
    return err_set(e, GMMU_ENOENT, "unknown application \"%.40s\"; nearest: \"%s\"", text, near);
  if (opt_nearest(name, generator_name, NULL)) return gen_open(text, out, e);
  size_t size = strlen(name);
  if (size > 3 && strcmp(name + size - 3, ".cu") == 0)
    return err_set(e, GMMU_ENOENT,
                   "%s is a source: `gmmu cc %s -o prog` makes a program of it, -- ./prog", name,
                   name);
  return err_set(e, GMMU_ENOENT,
                 "no application or generator is called \"%s\" (`gmmu list apps generators`); a "
                 "file is ./%s, a program -- ./%s",
                 name, name, name);
}

/* All that it is, its name says. */
static int gen_identity(const char *text, char *out, size_t size, err_t *e) {
  (void)e;
  snprintf(out, size, "%s", text);
  return GMMU_OK;
}

const front_t front_gen = {.name = "generator",
                           .help = "an access pattern with its parameters",
                           .recognises = any,
                           .open = open_generator,
                           .identity = gen_identity};
