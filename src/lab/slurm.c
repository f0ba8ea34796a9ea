/* A folder of an array holds
 *   plan        its runs and tasks (slurm_plan.h)
 *   task.sh     what Slurm starts
 *   job         Slurm's number of the array, written when it is known
 *   part-I.db   the store that task I works on; task-I.db when it has ended
 *   log-I.txt   what it printed
 * Invariant: a row is in the real store before its file is removed, and the folder goes last, so
 * that a kill at any moment leaves something to go on from. Slurm is asked by the array's name, not
 * by its number, so that one that was submitted in the moment of the kill is found, too. Who makes
 * a folder claims its name until `job` is there, and others leave it alone as long. */
#include "lab/slurm.h"
#include "base/command.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/stop.h"
#include "lab/hash.h"
#include "lab/lab_own.h"
#include "lab/slurm_plan.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PLAN_BYTES     (256u << 20)
#define PATH_BYTES     (PATH_MAX + 64)
#define POLL_NS        INT64_C(1000000000)
#define FOLDER_TRIES   100
#define LOG_TAIL_BYTES 1024 /* of a log: its last line is wanted */
#define SILENT_POLLS   60   /* so often squeue may fail in a row: a controller that is restarted */

/* ---- files ----------------------------------------------------------------------------------- */

static void path_in(const char *folder, const char *name, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%.*s/%.40s", PATH_MAX, folder, name);
}

static void numbered(const char *folder, const char *kind, uint32_t i, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%.*s/%.8s-%u.db", PATH_MAX, folder, kind, i);
}

static int read_in(const char *folder, const char *name, strbuf_t *out, err_t *e) {
  char path[PATH_BYTES];
  path_in(folder, name, path);
  return file_read(path, PLAN_BYTES, out, e);
}

static int write_in(const char *folder, const char *name, const strbuf_t *text, err_t *e) {
  char path[PATH_BYTES];
  path_in(folder, name, path);
  if (text->failed) return err_set(e, GMMU_ENOMEM, "out of memory");
  return file_write(path, strbuf_text(text), text->size, e);
}

/* The folder of all arrays of a store. */
static void home_of(const lab_t *l, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%s.slurm", l->path);
}

static const char *name_of(const char *folder) { return strrchr(folder, '/') + 1; }

static void remove_folder(const char *folder) {
  DIR *d = opendir(folder);
  if (!d) return;
  for (const struct dirent *f; (f = readdir(d));)
    if (strcmp(f->d_name, ".") && strcmp(f->d_name, "..")) unlinkat(dirfd(d), f->d_name, 0);
  closedir(d);
  rmdir(folder);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int plan_open(slurm_plan_t *p, const char *folder, err_t *e) {
  char path[PATH_BYTES];
  strbuf_t text;
  strbuf_init(&text);
  path_in(folder, "plan", path);
  int rc = file_read(path, PLAN_BYTES, &text, e);
  if (rc == 0) rc = slurm_plan_read(p, path, &text, e);
  strbuf_fini(&text);
  return rc;
}

static int write_plan(const lab_t *l, uint32_t tasks, const char *folder, err_t *e) {
  strbuf_t text;
  strbuf_init(&text);
  int rc = slurm_plan_write(l, tasks, &text, e);
  if (rc == 0) rc = write_in(folder, "plan", &text, e);
  strbuf_fini(&text);
  return rc;
}

/* ---- submitting ------------------------------------------------------------------------------ */

/* For the shell, in quotes. */
static void add_quoted(strbuf_t *s, const char *text) {
  strbuf_str(s, "'");
  for (; *text; text++) strbuf_printf(s, *text == '\'' ? "'\\''" : "%c", *text);
  strbuf_str(s, "'");
}

static int write_script(const char *folder, err_t *e) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  strbuf_t text;
  if (n <= 0) return err_set(e, GMMU_EIO, "the place of this program is not known");
  self[n] = 0;
  strbuf_init(&text);
  strbuf_str(&text, "#!/bin/sh\nexec ");
  add_quoted(&text, self);
  strbuf_str(&text, " sweep --slurm-task ");
  add_quoted(&text, folder);
  strbuf_str(&text, "\n");
  int rc = write_in(folder, "task.sh", &text, e);
  strbuf_fini(&text);
  return rc;
}

/* Where the tasks print, as sbatch reads it: %a is the task's number, %% a percent sign. A
 * backslash would turn all of that off. */
static int add_output(words_t *argv, const char *folder, err_t *e) {
  strbuf_t path;
  if (strchr(folder, '\\')) {
    err_set(e, GMMU_EINVAL, "sbatch cannot write its output below a name with a backslash");
    return err_in_file(e, folder, 0, 0);
  }
  strbuf_init(&path);
  for (; *folder; folder++) strbuf_printf(&path, *folder == '%' ? "%%%%" : "%c", *folder);
  words_addf(argv, "--output=%s/log-%%a.txt", strbuf_text(&path));
  int rc = path.failed ? err_set(e, GMMU_ENOMEM, "out of memory") : GMMU_OK;
  strbuf_fini(&path);
  return rc;
}

static int submit(const slurm_options_t *o, uint32_t tasks, const char *folder, err_t *e) {
  words_t argv = {0};
  strbuf_t out;
  strbuf_init(&out);
  words_add(&argv, "sbatch");
  words_add(&argv, "--parsable");
  words_addf(&argv, "--job-name=%s", name_of(folder));
  words_addf(&argv, "--array=0-%u", tasks - 1);
  int rc = add_output(&argv, folder, e);
  words_add(&argv, "--ntasks=1");
  words_addf(&argv, "--cpus-per-task=%u", o->processors ? o->processors : 1);
  if (o->partition) words_addf(&argv, "--partition=%s", o->partition);
  if (o->time) words_addf(&argv, "--time=%s", o->time);
  words_addf(&argv, "%s/task.sh", folder);
  if (rc == 0) rc = command_run(&argv, &out, e);
  if (rc == 0) rc = write_in(folder, "job", &out, e);
  words_fini(&argv);
  strbuf_fini(&out);
  return rc;
}

/* Absolute: the tasks begin wherever Slurm wants. */
static int make_folder(const lab_t *l, char folder[PATH_BYTES], err_t *e) {
  char home[PATH_BYTES], real[PATH_MAX];
  home_of(l, home);
  if ((mkdir(home, 0777) < 0 && errno != EEXIST) || !realpath(home, real))
    return err_set(e, GMMU_EIO, "%s: %s", home, strerror(errno));
  if ((size_t)snprintf(folder, PATH_BYTES, "%s/gmmu-XXXXXX", real) >= PATH_BYTES ||
      !mkdtemp(folder))
    return err_set(e, GMMU_EIO, "%s: %s", home, strerror(errno));
  return GMMU_OK;
}

static bool claim(const lab_t *l, const char *folder) {
  char key[STORE_KEY_BYTES];
  store_key(name_of(folder), key);
  return claims_take(l->claims, key);
}

static void leave(const lab_t *l, const char *folder) {
  char key[STORE_KEY_BYTES];
  store_key(name_of(folder), key);
  claims_leave(l->claims, key);
}

/* Another sweep may remove the folder before it is claimed, for it is empty: then a new one. */
static int make_claimed(const lab_t *l, char folder[PATH_BYTES], err_t *e) {
  for (int i = 0; i < FOLDER_TRIES; i++) {
    int rc = make_folder(l, folder, e);
    if (rc < 0) return rc;
    if (!claim(l, folder)) continue;
    if (access(folder, F_OK) == 0) return GMMU_OK;
    leave(l, folder);
  }
  return err_set(e, GMMU_EIO, "%s.slurm: other sweeps remove what is made there", l->path);
}

/* ---- asking Slurm ---------------------------------------------------------------------------- */

/* Whether tasks of the array wait or run. */
static int is_active(const char *folder, bool *yes, err_t *e) {
  words_t argv = {0};
  strbuf_t out;
  strbuf_init(&out);
  words_add(&argv, "squeue");
  words_add(&argv, "--noheader");
  words_addf(&argv, "--name=%s", name_of(folder));
  words_add(&argv, "--format=%i");
  int rc = command_run(&argv, &out, e);
  *yes = strbuf_text(&out)[strspn(strbuf_text(&out), " \n")] != 0;
  words_fini(&argv);
  strbuf_fini(&out);
  return rc;
}

/* What Slurm says of the array's tasks, one line each; nothing if it has forgotten them. */
static void ask_states(const char *job, strbuf_t *out) {
  words_t argv = {0};
  err_t ignored = {0};
  words_add(&argv, "scontrol");
  words_add(&argv, "--oneliner");
  words_add(&argv, "show");
  words_add(&argv, "job");
  words_addf(&argv, "%.*s", (int)strcspn(job, ";\n"), job);
  if (command_run(&argv, out, &ignored) < 0) strbuf_clear(out);
  words_fini(&argv);
}

/* The state of task i: "TIMEOUT". */
static void state_of(const char *states, uint32_t i, char *state, size_t size) {
  char task[32];
  snprintf(state, size, "%s", "its end is not known to Slurm any more");
  int n = snprintf(task, sizeof task, "ArrayTaskId=%u ", i);
  const char *line = strstr(states, task);
  const char *at = line && n > 0 ? strstr(line, "JobState=") : NULL;
  if (at && at < line + strcspn(line, "\n"))
    snprintf(state, size, "%.*s", (int)strcspn(at + 9, " \n"), at + 9);
}

/* ---- collecting ------------------------------------------------------------------------------ */

static int interrupted(err_t *e) {
  return err_set(e, GMMU_EINTERRUPTED,
                 "interrupted; the Slurm jobs go on, and the same command takes their results");
}

/* Merges one task's store, if there is one, and removes it. */
static int merge(lab_t *l, const char *path, err_t *e) {
  char lock[PATH_BYTES + 8];
  uint64_t rows = 0;
  if (access(path, F_OK) < 0) return GMMU_OK;
  int rc = store_merge(l->store, path, &rows, e);
  if (rc < 0) return rc;
  l->executed += (uint32_t)rows;
  unlink(path);
  snprintf(lock, sizeof lock, "%s.lock", path);
  unlink(lock);
  return GMMU_OK;
}

/* Whether a file is a task's store: one that has ended, or with `parts` one that has not, too. */
static bool is_task_store(const char *name, bool parts) {
  if (strncmp(name, "task-", 5) && (!parts || strncmp(name, "part-", 5))) return false;
  size_t digits = strspn(name + 5, "0123456789");
  return digits && strcmp(name + 5 + digits, ".db") == 0;
}

/* What is there, whatever the plan says of its tasks. */
static int merge_all(lab_t *l, const char *folder, bool parts, err_t *e) {
  DIR *d = opendir(folder);
  int rc = GMMU_OK;
  if (!d) return GMMU_OK;
  for (const struct dirent *f; rc == 0 && !stop_asked() && (f = readdir(d));) {
    char path[PATH_BYTES];
    path_in(folder, f->d_name, path);
    if (is_task_store(f->d_name, parts)) rc = merge(l, path, e);
  }
  closedir(d);
  return rc == 0 && stop_asked() ? interrupted(e) : rc;
}

/* The end of a log, which may be long. */
static size_t read_tail(const char *path, char *tail, size_t size) {
  struct stat st;
  int fd = file_open(path, FILE_REGULAR, NULL);
  if (fd < 0) return 0;
  off_t from = fstat(fd, &st) == 0 && st.st_size > (off_t)size ? st.st_size - (off_t)size : 0;
  ssize_t n = pread(fd, tail, size, from);
  close(fd);
  return n > 0 ? (size_t)n : 0;
}

/* The last line of a task's log, in which it may have said why. */
static void last_words(const char *folder, uint32_t task, strbuf_t *out) {
  char name[32], path[PATH_BYTES], tail[LOG_TAIL_BYTES];
  snprintf(name, sizeof name, "log-%u.txt", task);
  path_in(folder, name, path);
  size_t end = read_tail(path, tail, sizeof tail);
  while (end && tail[end - 1] == '\n') end--;
  size_t begin = end;
  while (begin && tail[begin - 1] != '\n') begin--;
  if (end > begin) strbuf_printf(out, "; %.*s", (int)(end - begin), tail + begin);
}

/* A run that has no row although its array has ended. */
static int put_lost(lab_t *l, const lab_run_t *r, const char *key, const char *why, err_t *e) {
  lab_run_t own = *r;
  json_t j;
  char now[STORE_KEY_BYTES];
  json_init(&j);
  int rc = lab_identify(l, &own, &j, e);
  if (rc == 0) store_key(strbuf_text(&j.out), now);
  missing_t m = {.run = own, .identity = j.out.buf};
  snprintf(m.key, sizeof m.key, "%s", key);
  lab_describe(&m);
  err_t lost = {0};
  err_set(&lost, GMMU_EIO, "%s", why);
  /* of another model, or with other programs than when it was submitted, it is nobody's run now */
  if (rc == 0 && strcmp(now, key) == 0) rc = lab_put_failed(l, &m, &lost);
  if (rc < 0) *e = lost;
  json_fini(&j);
  return rc;
}

static int note_lost(lab_t *l, const char *folder, slurm_plan_t *p, const char *job, err_t *e) {
  strbuf_t states;
  lab_run_t r;
  char key[STORE_KEY_BYTES];
  int rc;
  strbuf_init(&states);
  ask_states(job, &states);
  for (uint32_t i = 0; (rc = slurm_plan_next(p, &r, key, e)) == 1; i++) {
    store_status_t status;
    char state[64];
    strbuf_t why;
    rc = store_get(l->store, key, &status, NULL, e);
    if (rc < 0) break;
    if (status != STORE_NONE) continue;
    strbuf_init(&why);
    state_of(strbuf_text(&states), i % p->tasks, state, sizeof state);
    strbuf_printf(&why, "its Slurm task ended without a result: %s", state);
    last_words(folder, i % p->tasks, &why);
    rc = put_lost(l, &r, key, strbuf_text(&why), e);
    strbuf_fini(&why);
    if (rc < 0) break;
  }
  strbuf_fini(&states);
  return rc < 0 ? rc : GMMU_OK;
}

/* Its array has ended: what is there is taken, and what is not is told of. */
static int finish(lab_t *l, const char *folder, slurm_plan_t *p, err_t *e) {
  strbuf_t job;
  err_t none = {0};
  strbuf_init(&job);
  int rc = merge_all(l, folder, true, e);
  bool submitted = read_in(folder, "job", &job, &none) == 0;
  if (rc == 0 && submitted) rc = note_lost(l, folder, p, strbuf_text(&job), e);
  strbuf_fini(&job);
  if (rc == 0) remove_folder(folder);
  return rc;
}

static void nap(void) {
  const struct timespec t = {POLL_NS / 1000000000, POLL_NS % 1000000000};
  nanosleep(&t, NULL);
}

static void show(const lab_t *l, const char *what, uint32_t before, progress_t *shown) {
  char text[160];
  if (!progress_due(shown)) return;
  uint32_t runs = l->executed - before;
  snprintf(text, sizeof text, "%s: %u runs from Slurm", what, runs);
  uint32_t permille =
      l->missing_count ? (uint32_t)((uint64_t)runs * 1000 / l->missing_count) : 1001;
  progress_show(shown, &(progress_state_t){.what = text, .permille = permille, .runs = runs});
}

/* Until the array has ended, merging what its tasks have finished. */
static int wait_for(lab_t *l, const char *folder, const char *what, err_t *e) {
  uint32_t silent = 0, before = l->executed;
  progress_t shown;
  int rc = GMMU_OK;
  progress_begin(&shown);
  for (bool active = true; rc == 0 && active;) {
    err_t why = {0};
    bool asked = is_active(folder, &active, &why) == 0;
    silent = asked ? 0 : silent + 1;
    if (!asked) active = true;
    if (silent > SILENT_POLLS) *e = why, rc = why.code;
    if (rc == 0) rc = merge_all(l, folder, false, e);
    show(l, what, before, &shown);
    if (rc == 0 && stop_asked()) rc = interrupted(e);
    if (rc == 0 && active) nap();
  }
  progress_end(&shown);
  return rc;
}

/* Its plan cannot be used: what its tasks have finished is taken, and the rest is the user's. */
static int complete_without(lab_t *l, const char *folder, err_t *e) {
  err_t why = {0};
  strbuf_t text;
  int rc = merge_all(l, folder, false, &why);
  if (rc < 0) *e = why;
  if (rc < 0) return rc;
  strbuf_init(&text);
  strbuf_printf(&text,
                "%.200s; what its tasks have finished is in the store; remove the folder to go on",
                e->text);
  snprintf(e->text, sizeof e->text, "%s", strbuf_text(&text));
  strbuf_fini(&text);
  return e->code;
}

static int complete(lab_t *l, const char *folder, const char *what, bool wait, err_t *e) {
  char plan[PATH_BYTES];
  slurm_plan_t p = {0};
  path_in(folder, "plan", plan);
  int rc = plan_open(&p, folder, e);
  if (rc < 0 && access(plan, F_OK) < 0) {
    rc = GMMU_OK; /* removed by another sweep, which has all that was in it */
  } else if (rc < 0) {
    rc = rc == GMMU_EINTERRUPTED ? rc : complete_without(l, folder, e);
  } else {
    rc = wait ? wait_for(l, folder, what, e) : merge_all(l, folder, false, e);
    if (rc == 0 && wait) rc = finish(l, folder, &p, e);
  }
  slurm_plan_fini(&p);
  return rc;
}

/* One that is being submitted is its maker's. */
static int collect(lab_t *l, const char *folder, bool wait, err_t *e) {
  char plan[PATH_BYTES];
  path_in(folder, "plan", plan);
  if (!claim(l, folder)) return GMMU_OK;
  bool planned = access(plan, F_OK) == 0;
  if (!planned) remove_folder(folder); /* its maker was killed */
  leave(l, folder);
  return planned ? complete(l, folder, "an earlier sweep", wait, e) : GMMU_OK;
}

int slurm_collect(lab_t *l, bool wait, err_t *e) {
  char home[PATH_BYTES], real[PATH_MAX];
  int rc = GMMU_OK;
  home_of(l, home);
  DIR *d = realpath(home, real) ? opendir(real) : NULL;
  if (!d) return GMMU_OK;
  for (const struct dirent *f; rc == 0 && (f = readdir(d));) {
    char folder[PATH_BYTES + 256];
    if (strncmp(f->d_name, "gmmu-", 5)) continue;
    snprintf(folder, sizeof folder, "%s/%s", real, f->d_name);
    rc = collect(l, folder, wait, e);
  }
  closedir(d);
  if (rc == 0) rmdir(real);
  return rc;
}

/* ---- executing ------------------------------------------------------------------------------- */

static int execute(void *ctx, lab_t *l, const char *what, err_t *e) {
  const slurm_options_t *o = ctx;
  char folder[PATH_BYTES];
  uint32_t most = o->tasks ? o->tasks : SLURM_TASKS;
  uint32_t tasks = l->missing_count < most ? l->missing_count : most;
  int rc = make_claimed(l, folder, e);
  if (rc < 0) return rc;
  rc = write_plan(l, tasks, folder, e);
  if (rc == 0) rc = write_script(folder, e);
  if (rc == 0) rc = submit(o, tasks, folder, e);
  if (rc < 0) remove_folder(folder);
  leave(l, folder);
  if (rc < 0) return rc;
  rc = complete(l, folder, what, true, e);
  if (rc == 0) {
    char home[PATH_BYTES];
    home_of(l, home);
    rmdir(home);
  }
  return rc;
}

void slurm_serve(const slurm_options_t *o, lab_t *l) {
  lab_set_execute(l, execute, (void *)(uintptr_t)o);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static bool number_of(const char *variable, uint32_t *out) {
  const char *text = getenv(variable);
  char *end;
  unsigned long v = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : ULONG_MAX;
  if (v > UINT32_MAX || *end) return false;
  *out = (uint32_t)v;
  return true;
}

/* Notes this task's runs; one that is another here than where it was submitted ends all. */
static int note_share(lab_t *l, slurm_plan_t *p, uint32_t task, err_t *e) {
  lab_run_t r;
  char key[STORE_KEY_BYTES], own[STORE_KEY_BYTES];
  int rc;
  lab_begin(l);
  for (uint32_t i = 0; (rc = slurm_plan_next(p, &r, key, e)) == 1; i++) {
    if (i % p->tasks != task) continue;
    rc = lab_key(l, &r, own, e);
    if (rc < 0) return rc;
    if (strcmp(key, own))
      return err_set(e, GMMU_EINVAL,
                     "on this host gmmu or its applications differ from where this was submitted");
    lab_run(l, &r);
  }
  if (rc == 0 && lab_error(l)) *e = *lab_error(l), rc = e->code;
  return rc;
}

static int work(const char *folder, slurm_plan_t *p, uint32_t task, err_t *e) {
  char part[PATH_BYTES], whole[PATH_BYTES];
  uint32_t parallel = 1;
  lab_t *l = NULL;
  numbered(folder, "part", task, part);
  numbered(folder, "task", task, whole);
  number_of("SLURM_CPUS_PER_TASK", &parallel);
  int rc = lab_open(part, STORE_WRITE, parallel, &l, e);
  if (rc < 0) return rc;
  lab_set_brief(l, true);
  lab_set_retry(l, LAB_RETRY_NONE);
  rc = note_share(l, p, task, e);
  if (rc == 0 && lab_missing(l)) rc = lab_execute(l, "task", e);
  lab_close(l);
  if (rc == 0 && rename(part, whole) < 0)
    rc = err_set(e, GMMU_EIO, "%s: %s", whole, strerror(errno));
  return rc;
}

int slurm_task(const char *folder, err_t *e) {
  slurm_plan_t p = {0};
  uint32_t task;
  if (!number_of("SLURM_ARRAY_TASK_ID", &task))
    return err_set(e, GMMU_EINVAL,
                   "this is for tasks of a Slurm array: SLURM_ARRAY_TASK_ID is not set");
  int rc = plan_open(&p, folder, e);
  if (rc == 0) rc = work(folder, &p, task, e);
  slurm_plan_fini(&p);
  return rc;
}
