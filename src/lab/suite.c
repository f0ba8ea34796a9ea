/* A recording is made by this very program, as `gmmu record -o FILE -- PROGRAM --size ...` in a
 * process of its own: what a program does wrong stays there, and the file appears only when it is
 * complete. Its name holds a hash of the program's bytes and of the sources of what records. */
#include "lab/suite.h"
#include "base/opt.h"
#include "base/where.h"
#include "lab/front.h"
#include "lab/hash.h"
#include "trace/gmt.h"
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

enum {
  MASK = SUITE_MASK,
  NEIDTY = SUITE_NEIDTY,
  FGPU = SUITE_FGPU,
  TLB = SUITE_TLB,
  SCALED = SUITE_SCALED,
  GRAPH = SUITE_GRAPH
};

const suite_app_t suite_all[] = {
#define APP(name, program, mask_class, papers, help) {name, program, mask_class, help, papers},
#include "kernels/apps.def"
#undef APP
    {0},
};

/* ---- names and parameters -------------------------------------------------------------------- */

typedef struct {
  const char *size, *graph;
  uint64_t seed, work, bytes;
} params_t;

static const char *size_name(uint32_t i) {
  static const char *const names[] = {"tiny", "standard", "large"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const char *graph_name(uint32_t i) {
  static const char *const names[] = {"uniform", "kron"};
  return i < sizeof names / sizeof *names ? names[i] : NULL;
}

#define SIZE(help_)                                                                                \
  { "size", OPT_NAME, offsetof(params_t, size), 0, 0, 0, "", help_, size_name, "standard" }
#define SEED                                                                                       \
  {                                                                                                \
    "seed", OPT_U64, offsetof(params_t, seed), 0, UINT64_MAX, 1, "", "of the generated input",     \
        NULL, NULL                                                                                 \
  }
#define WORK                                                                                       \
  {                                                                                                \
    "work", OPT_U64, offsetof(params_t, work), 0, WORK_OWN, WORK_OWN, "elements",                  \
        "about so many are touched; 0: all", NULL, NULL                                            \
  }
#define WORK_OWN UINT64_MAX
static const opt_t options[] = {
    SIZE("tiny for tests, standard, or large (Mosaic's working sets)"), SEED, {0}};
static const opt_t scaled_options[] = {
    SIZE("tiny, standard (64 MB), large (1 GB), or bytes, as in 8G"), SEED, WORK, {0}};
static const opt_t graph_options[] = {
    SIZE("tiny, standard (64 MB), large (1 GB), or bytes, as in 8G"),
    SEED,
    WORK,
    {"graph", OPT_NAME, offsetof(params_t, graph), 0, 0, 0, "",
     "uniform, or kron; input=FILE is another", graph_name, "uniform"},
    {0}};
/* A size in bytes. */
static const opt_t bytes_options[] = {{"size", OPT_SIZE, offsetof(params_t, bytes), 64 << 10,
                                       (uint64_t)64 << 30, 0, "bytes",
                                       "tiny, standard, large, or bytes", NULL, NULL},
                                      {0}};

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

typedef struct {
  const suite_app_t *app;
  params_t p;
  char input[SUITE_TEXT];
} parser_t;

static bool is_bytes(const parser_t *x, const char *key, const char *value) {
  return suite_scaled(x->app) && strcmp(key, "size") == 0 && *value >= '0' && *value <= '9';
}

static int set_option(parser_t *x, const char *key, const char *value, err_t *e) {
  char full[64];
  const opt_t *table = x->app->papers & SUITE_GRAPH ? graph_options
                       : suite_scaled(x->app)       ? scaled_options
                                                    : options;
  if (is_bytes(x, key, value)) table = bytes_options;
  if (x->app->papers & SUITE_GRAPH && strcmp(key, "input") == 0) {
    if (!*value) return err_set(e, GMMU_EINVAL, "%s: input= names no file", x->app->name);
    snprintf(x->input, sizeof x->input, "%s", value);
    return GMMU_OK;
  }
  snprintf(full, sizeof full, "%s.%s", x->app->name, key);
  return opt_set((const opt_group_t[]){{x->app->name, x->app->help, table, &x->p}, {0}}, full,
                 value, e);
}

/* One "key=value" of the text; returns what follows it, NULL with an error. */
static const char *take_option(parser_t *x, const char *text, err_t *e) {
  char key[40], value[SUITE_TEXT];
  size_t k = strcspn(text, "=,"), v = text[k] == '=' ? strcspn(text + k + 1, ",") : 0;
  if (text[k] != '=') {
    err_set(e, GMMU_EINVAL, "%s: \"%.*s\" is not key=value", x->app->name, (int)(k < 40 ? k : 40),
            text);
    return NULL;
  }
  if ((size_t)snprintf(key, sizeof key, "%.*s", (int)k, text) >= sizeof key ||
      (size_t)snprintf(value, sizeof value, "%.*s", (int)v, text + k + 1) >= sizeof value) {
    err_set(e, GMMU_EINVAL, "%s: \"%.20s...\" is too long", x->app->name, text);
    return NULL;
  }
  return set_option(x, key, value, e) < 0 ? NULL : text + k + 1 + v;
}

int suite_parse(const char *text, suite_pick_t *out, err_t *e) {
  parser_t x = {.app = find(text)};
  if (!x.app) return err_set(e, GMMU_ENOENT, "no application is called \"%.40s\"", text);
  opt_defaults((const opt_group_t[]){{x.app->name, x.app->help, graph_options, &x.p}, {0}});
  text += strcspn(text, ":");
  while (*text) {
    text = take_option(&x, text + 1, e);
    if (!text) return e->code;
  }
  *out = (suite_pick_t){.app = x.app, .seed = x.p.seed, .work = x.p.work, .graph = x.p.graph};
  if (x.p.bytes)
    opt_number_text(bytes_options, x.p.bytes, out->size, sizeof out->size);
  else
    snprintf(out->size, sizeof out->size, "%s", x.p.size);
  snprintf(out->input, sizeof out->input, "%s", x.input);
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
  return err_set(e, GMMU_EIO, "the folder %s cannot be made: %s", path, strerror(errno));
}

/* The cache folder, made if it is not there. */
int suite_cache_folder(char *path, size_t size, err_t *e) {
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

/* What of its name only some applications have: "-kron", "-w1000", the hash of a file. */
static int more_name(const suite_pick_t *p, char *text, size_t size, err_t *e) {
  uint64_t hash = 0;
  int n = 0;
  text[0] = 0;
  if (!suite_scaled(p->app)) return GMMU_OK;
  if (*p->input) {
    int rc = hash_file(p->input, "", &hash, e);
    if (rc < 0) return rc;
    n = snprintf(text, size, "-input%016" PRIx64, hash);
  } else if (p->app->papers & SUITE_GRAPH) {
    n = snprintf(text, size, "-%s", p->graph);
  }
  if (p->work != WORK_OWN) snprintf(text + n, size - (size_t)n, "-w%" PRIu64, p->work);
  return GMMU_OK;
}

int suite_recording(const suite_pick_t *p, char *path, size_t size, bool *cached, err_t *e) {
  char program[PATH_MAX], dir[PATH_MAX], more[64];
  uint64_t hash = 0;
  int rc = suite_program(p->app, program, sizeof program, e);
  if (rc == 0) rc = hash_file(program, lab_recorder_version, &hash, e);
  if (rc == 0) rc = suite_cache_folder(dir, sizeof dir, e);
  if (rc == 0) rc = more_name(p, more, sizeof more, e);
  if (rc < 0) return rc;
  int n = snprintf(path, size, "%s/%s-%s%s-%" PRIu64 "-%016" PRIx64 ".gmt", dir, p->app->program,
                   p->size, more, p->seed, hash);
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
static void become(const char *gmmu, char *const argv[], pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127); /* it ended before the line above */
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0) execv(gmmu, argv);
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

/* Large tables must fit the device that the program is told it has; a recording is for any. */
#define SCALED_MEMORY "mem.bytes=128G"

int suite_record_as(char *const argv[], const char *path, const char *name, err_t *e) {
  char gmmu[PATH_MAX];
  int rc = where_program(gmmu, sizeof gmmu, e);
  if (rc < 0) return rc;
  sweep(path);
  pid_t self = getpid(), child = fork();
  if (child == 0) become(gmmu, argv, self);
  if (child < 0) return err_set(e, GMMU_EIO, "gmmu record: %s", strerror(errno));
  return wait_for(child, name, e);
}

static int record(const suite_pick_t *p, const char *path, err_t *e) {
  char program[PATH_MAX], seed[24], work[24];
  int rc = suite_program(p->app, program, sizeof program, e), n = 0;
  const char *argv[20] = {"gmmu", "record", "-o", path};
  if (rc < 0) return rc;
  n = 4;
  if (suite_scaled(p->app)) argv[n++] = "-s", argv[n++] = SCALED_MEMORY;
  argv[n++] = "--", argv[n++] = program;
  snprintf(seed, sizeof seed, "%" PRIu64, p->seed);
  snprintf(work, sizeof work, "%" PRIu64, p->work);
  argv[n++] = "--size", argv[n++] = p->size, argv[n++] = "--seed", argv[n++] = seed;
  if (suite_scaled(p->app) && p->work != WORK_OWN) argv[n++] = "--work", argv[n++] = work;
  if (p->app->papers & SUITE_GRAPH) {
    argv[n++] = *p->input ? "--input" : "--graph";
    argv[n++] = *p->input ? p->input : p->graph;
  }
  return suite_record_as((char **)(uintptr_t)argv, path, p->app->name, e);
}

int suite_record(const suite_pick_t *p, char *path, size_t size, err_t *e) {
  bool cached;
  int rc = suite_recording(p, path, size, &cached, e);
  return rc < 0 || cached ? rc : record(p, path, e);
}

/* ---- the front end ---- */

static int open_recorded(const char *text, source_t **out, err_t *e) {
  suite_pick_t p;
  char path[PATH_MAX];
  int rc = suite_parse(text, &p, e);
  if (rc == 0) rc = suite_record(&p, path, sizeof path, e);
  return rc < 0 ? rc : gmt_open(path, out, e);
}

static int identity(const char *text, char *out, size_t size, err_t *e) {
  return front_recording_identity(&front_suite, text, out, size, e);
}

static int check(const char *text, err_t *e) {
  suite_pick_t p;
  return suite_parse(text, &p, e);
}

static int recording_text(const char *text, char *path, size_t size, bool *cached, err_t *e) {
  suite_pick_t p;
  int rc = suite_parse(text, &p, e);
  return rc < 0 ? rc : suite_recording(&p, path, size, cached, e);
}

static int record_text(const char *text, char *path, size_t size, err_t *e) {
  suite_pick_t p;
  int rc = suite_parse(text, &p, e);
  return rc < 0 ? rc : suite_record(&p, path, size, e);
}

const front_t front_suite = {.name = "application",
                             .help = "one of `gmmu list apps`, with its parameters",
                             .recognises = suite_knows,
                             .open = open_recorded,
                             .identity = identity,
                             .check = check,
                             .recording = recording_text,
                             .record = record_text};
