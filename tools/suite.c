/* A recording is made by this very program, as `gmmu record -o FILE -- PROGRAM --size ...` in a
 * process of its own: what a program does wrong stays there, and the file appears only when it is
 * complete. Its name holds a hash of the program's bytes and of the sources of what records. */
#include "suite.h"
#include "base/opt.h"
#include "lab/hash.h"
#include "trace/gmt.h"
#include "where.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MASK = SUITE_MASK, NEIDTY = SUITE_NEIDTY, FGPU = SUITE_FGPU, TLB = SUITE_TLB };

const suite_app_t suite_all[] = {
#define APP(name, program, mask_class, papers, help) {name, program, mask_class, help, papers},
#include "kernels/apps.def"
#undef APP
    {0},
};

/* ---- names and parameters -------------------------------------------------------------------- */

typedef struct {
  const char *size;
  uint64_t seed;
} params_t;

static const char *size_name(uint32_t i) {
  static const char *const names[] = {"tiny", "standard", "large"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const opt_t options[] = {
    {"size", OPT_NAME, offsetof(params_t, size), 0, 0, 0, "",
     "tiny for tests, standard, or large (Mosaic's working sets)", size_name, "standard"},
    {"seed", OPT_U64, offsetof(params_t, seed), 0, UINT64_MAX, 1, "", "of the generated input",
     NULL, NULL},
    {0},
};

const char *suite_name(void *ctx, uint32_t i) {
  (void)ctx;
  return suite_all[i].name;
}

static const suite_app_t *find(const char *text) {
  size_t size = strcspn(text, ":");
  for (const suite_app_t *a = suite_all; a->name; a++)
    if (strlen(a->name) == size && strncmp(a->name, text, size) == 0) return a;
  return NULL;
}

bool suite_knows(const char *text) { return find(text) != NULL; }

/* One "key=value" of the text; returns what follows it, NULL with an error. */
static const char *take_option(const opt_group_t *groups, const char *name, const char *text,
                               err_t *e) {
  char key[64], value[64];
  size_t k = strcspn(text, "=,"), v = text[k] == '=' ? strcspn(text + k + 1, ",") : 0;
  if (text[k] != '=') {
    err_set(e, GMMU_EINVAL, "%s: \"%.*s\" is not key=value", name, (int)(k < 40 ? k : 40), text);
    return NULL;
  }
  if ((size_t)snprintf(key, sizeof key, "%s.%.*s", name, (int)k, text) >= sizeof key ||
      (size_t)snprintf(value, sizeof value, "%.*s", (int)v, text + k + 1) >= sizeof value) {
    err_set(e, GMMU_EINVAL, "%s: \"%.20s...\" is too long", name, text);
    return NULL;
  }
  return opt_set(groups, key, value, e) < 0 ? NULL : text + k + 1 + v;
}

int suite_parse(const char *text, suite_pick_t *out, err_t *e) {
  params_t p;
  const suite_app_t *a = find(text);
  if (!a) return err_set(e, GMMU_ENOENT, "no application is called \"%.40s\"", text);
  const opt_group_t groups[] = {{a->name, a->help, options, &p}, {0}};
  opt_defaults(groups);
  text += strcspn(text, ":");
  while (*text) {
    text = take_option(groups, a->name, text + 1, e);
    if (!text) return e->code;
  }
  *out = (suite_pick_t){a, p.size, p.seed};
  return GMMU_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

int suite_program(const suite_app_t *a, char *path, size_t size, err_t *e) {
  char dir[PATH_MAX];
  int rc = where_is(WHERE_APPS, dir, sizeof dir, e);
  if (rc < 0) return rc;
  if ((size_t)snprintf(path, size, "%s/%s", dir, a->program) >= size)
    return err_set(e, GMMU_EINVAL, "%s: the path is too long", dir);
  if (access(path, X_OK) < 0)
    return err_set(e, GMMU_ENOENT, "%s: this gmmu was built without the program %s", a->name, path);
  return GMMU_OK;
}

static int make_folder(const char *path, err_t *e) {
  if (mkdir(path, 0777) == 0 || errno == EEXIST) return GMMU_OK;
  return err_set(e, GMMU_EIO, "%s: %s", path, strerror(errno));
}

/* The cache folder, made if it is not there. */
static int cache_folder(char *path, size_t size, err_t *e) {
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  char parent[PATH_MAX];
  if (base && *base == '/')
    snprintf(parent, sizeof parent, "%s", base);
  else if (home && *home)
    snprintf(parent, sizeof parent, "%s/.cache", home);
  else
    return err_set(e, GMMU_EIO, "no folder for recordings: set XDG_CACHE_HOME or HOME");
  int rc = make_folder(parent, e);
  if (rc < 0) return rc;
  if ((size_t)snprintf(path, size, "%s/gmmu", parent) >= size)
    return err_set(e, GMMU_EINVAL, "%s: the path is too long", parent);
  return make_folder(path, e);
}

int suite_recording(const suite_pick_t *p, char *path, size_t size, bool *cached, err_t *e) {
  char program[PATH_MAX], dir[PATH_MAX];
  uint64_t hash = 0;
  int rc = suite_program(p->app, program, sizeof program, e);
  if (rc == 0) rc = hash_file(program, lab_recorder_version, &hash, e);
  if (rc == 0) rc = cache_folder(dir, sizeof dir, e);
  if (rc < 0) return rc;
  int n = snprintf(path, size, "%s/%s-%s-%" PRIu64 "-%016" PRIx64 ".gmt", dir, p->app->program,
                   p->size, p->seed, hash);
  if (n < 0 || (size_t)n >= size) return err_set(e, GMMU_EINVAL, "%s: the path is too long", dir);
  *cached = access(path, R_OK) == 0;
  return GMMU_OK;
}

/* ---- recording ------------------------------------------------------------------------------- */

#define STALE_S 600 /* a folder may be other machines', too, and no recording is silent so long */

/* "x.gmt.tmp123-0" of a process that is no more: it was killed while it recorded. */
static bool is_stale(int folder, const char *name) {
  const char *end = strstr(name, ".gmt.tmp");
  struct stat st;
  long pid = end ? strtol(end + 8, NULL, 10) : 0;
  if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH) return false;
  return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime + STALE_S < time(NULL);
}

/* What cannot be removed stays: that is no reason not to record. */
static void sweep(const char *path) {
  char dir[PATH_MAX];
  snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path), path);
  DIR *d = opendir(dir);
  if (!d) return;
  for (const struct dirent *f; (f = readdir(d));)
    if (is_stale(dirfd(d), f->d_name)) unlinkat(dirfd(d), f->d_name, 0);
  closedir(d);
}

/* In the new process: never returns. It ends with the one that wants the recording, however that
 * ends. */
static void become(char *const argv[], pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127); /* it ended before the line above */
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) execv("/proc/self/exe", argv);
  _exit(127);
}

static int wait_for(pid_t child, const char *name, err_t *e) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return err_set(e, GMMU_EIO, "%s: %s", name, strerror(errno));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return GMMU_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 130)
    return err_set(e, GMMU_EINTERRUPTED, "interrupted while recording %s", name);
  return err_set(e, GMMU_EIO, "%s could not be recorded", name);
}

static int record(const suite_pick_t *p, const char *path, err_t *e) {
  char program[PATH_MAX], seed[24];
  int rc = suite_program(p->app, program, sizeof program, e);
  if (rc < 0) return rc;
  snprintf(seed, sizeof seed, "%" PRIu64, p->seed);
  const char *argv[] = {"gmmu",   "record", "-o",     path, "--", program,
                        "--size", p->size,  "--seed", seed, NULL};
  sweep(path);
  pid_t self = getpid(), child = fork();
  if (child == 0) become((char **)(uintptr_t)argv, self);
  if (child < 0) return err_set(e, GMMU_EIO, "gmmu record: %s", strerror(errno));
  return wait_for(child, p->app->name, e);
}

int suite_record(const suite_pick_t *p, char *path, size_t size, err_t *e) {
  bool cached;
  int rc = suite_recording(p, path, size, &cached, e);
  return rc < 0 || cached ? rc : record(p, path, e);
}

int suite_open(const char *text, source_t **out, err_t *e) {
  suite_pick_t p;
  char path[PATH_MAX];
  int rc = suite_parse(text, &p, e);
  if (rc == 0) rc = suite_record(&p, path, sizeof path, e);
  return rc < 0 ? rc : gmt_open(path, out, e);
}
