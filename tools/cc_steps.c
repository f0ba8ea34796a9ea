/* A .cu file becomes an object in three steps: clang compiles its device part to PTX, the PTX is
 * put into a fat binary, and clang compiles the host part around that. Everything in between lies
 * in one temporary folder, which goes when the work ends, well or not. */
#include "base/file.h"
#include "cc.h"
#include "stop.h"
#include "where.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOURCE_LIMIT_BYTES (64u << 20)
#define PTX_LIMIT_BYTES    (512u << 20)

typedef struct {
  const cc_job_t *job;
  const char *clang;
  char dir[PATH_MAX]; /* temporary; empty: there is none yet */
  char headers[PATH_MAX];
  words_t made; /* files in dir */
} work_t;

static int fail(int code, const char *fmt, const char *what) {
  err_t e = {0};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  err_set(&e, code, fmt, what);
#pragma GCC diagnostic pop
  return cli_fail(&e);
}

/* ---- commands -------------------------------------------------------------------------------- */

static void show(const words_t *w) {
  for (uint32_t i = 0; i < w->count; i++)
    fprintf(stderr, "%s%s", i ? " " : "", w->at[i][0] ? w->at[i] : "''");
  fputc('\n', stderr);
}

static int wait_for(pid_t pid) {
  int state;
  while (waitpid(pid, &state, 0) < 0)
    if (errno != EINTR) return CLI_FAILED;
  if (stop_asked()) return CLI_INTERRUPTED;
  return WIFEXITED(state) && WEXITSTATUS(state) == 0 ? CLI_DONE : CLI_FAILED;
}

/* Runs the command to its end; its messages are the user's. */
static int execute(const work_t *w, const words_t *command) {
  if (command->failed) return fail(GMMU_ENOMEM, "no memory for the command of %s", w->clang);
  if (w->job->verbose) show(command);
  if (w->job->dry) return CLI_DONE;
  pid_t pid = fork();
  if (pid < 0) return fail(GMMU_EIO, "cannot start %s", w->clang);
  if (pid == 0) {
    signal(SIGPIPE, SIG_DFL);
    execvp(command->at[0], command->at);
    _exit(127);
  }
  return wait_for(pid);
}

static bool in_path(const char *name) {
  char file[PATH_MAX];
  const char *path = getenv("PATH");
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    snprintf(file, sizeof file, "%.*s/%s", (int)n, p, name);
    if (access(file, X_OK) == 0) return true;
    p += n + (p[n] == ':');
  }
  return false;
}

/* Debian names a version's program after it, and has one without a number for its default. */
static const char *find_clang(void) {
  static const char *const names[] = {"clang",    "clang-14", "clang-15", "clang-16",
                                      "clang-17", "clang-18", "clang-19", NULL};
  const char *own = getenv("GMMU_CLANG");
  if (own && *own) return own;
  for (const char *const *n = names; *n; n++)
    if (in_path(*n)) return *n;
  return NULL;
}

/* ---- temporary files ------------------------------------------------------------------------- */

static int make_dir(work_t *w) {
  const char *tmp = getenv("TMPDIR");
  snprintf(w->dir, sizeof w->dir, "%s/gmmu-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (mkdtemp(w->dir)) return CLI_DONE;
  int status = fail(GMMU_EIO, "cannot make the temporary folder %s", w->dir);
  w->dir[0] = 0;
  return status;
}

static void remove_dir(work_t *w) {
  for (uint32_t i = 0; i < w->made.count; i++) unlink(w->made.at[i]);
  if (w->dir[0]) rmdir(w->dir);
  words_fini(&w->made);
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int stem_bytes(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? (int)(dot - path) : (int)strlen(path);
}

/* A temporary name for input i; with --keep it lies in the working folder, named after the input.
 */
static const char *temporary(work_t *w, uint32_t i, const char *suffix) {
  static const char none[] = "";
  const char *base = base_of(w->job->input.at[i]);
  uint32_t before = w->made.count;
  if (w->job->keep)
    words_addf(&w->made, "%.*s%s", stem_bytes(base), base, suffix);
  else
    words_addf(&w->made, "%s/%u%s", w->dir, i, suffix);
  return w->made.count > before ? w->made.at[before] : none;
}

/* ---- one .cu file ---------------------------------------------------------------------------- */

static void common_options(const work_t *w, words_t *c) {
  words_add(c, w->clang);
  words_add(c, "--driver-mode=g++");
  words_addf(c, "--cuda-gpu-arch=sm_%u", w->job->arch);
  words_split(c, "--cuda-path=/nonexistent,-nocudainc,-nocudalib,-fdeclspec,-O2,-D__CUDACC__,"
                 "-D__NVCC__,-Wno-unknown-cuda-version,-Wno-unknown-pragmas,-Wno-unused-command-"
                 "line-argument");
  /* Which launch sequence clang emits depends on the SDK it believes in. */
  words_split(c, "-Xclang,-target-sdk-version=11.0");
  words_append(c, &w->job->both);
  words_add(c, "-isystem");
  words_add(c, w->headers);
  words_add(c, "-idirafter"); /* the program's own helper headers come first */
  words_addf(c, "%s/stubs", w->headers);
  words_split(c, "-include,cuda_runtime.h");
}

/* The file that clang is to read: `path` itself, or a mended copy that says where it is from. */
static int readable_source(work_t *w, uint32_t i, const char **source) {
  const char *path = w->job->input.at[i];
  strbuf_t text, copy;
  err_t e = {0};
  strbuf_init(&text);
  strbuf_init(&copy);
  int status = CLI_DONE;
  *source = path;
  if (file_read(path, SOURCE_LIMIT_BYTES, &text, &e) < 0) status = cli_fail(&e);
  size_t size;
  char *mended = status ? NULL : cc_mend(strbuf_text(&text), &size);
  if (mended) {
    strbuf_printf(&copy, "#line 1 \"%s\"\n", path);
    strbuf_add(&copy, mended, size);
    *source = temporary(w, i, ".mended.cu");
    status = cli_output(*source, &copy);
    free(mended);
  }
  strbuf_fini(&text);
  strbuf_fini(&copy);
  return status;
}

static void add_source(const work_t *w, words_t *c, uint32_t i, const char *source,
                       const char *output) {
  const char *path = w->job->input.at[i];
  const char *base = base_of(path);
  if (source != path) { /* #include "x.h" starts where the user's file is */
    words_add(c, "-iquote");
    words_addf(c, "%.*s", base == path ? 1 : (int)(base - path), base == path ? "." : path);
  }
  words_split(c, "-x,cuda");
  words_add(c, source);
  words_add(c, "-o");
  words_add(c, output);
}

static int compile_device(const work_t *w, uint32_t i, const char *source, const char *ptx) {
  words_t c = {0};
  common_options(w, &c);
  /* Warnings come once, from the host's part, which checks device functions too. */
  words_split(&c, "--cuda-device-only,-S,-w");
  words_append(&c, &w->job->device);
  add_source(w, &c, i, source, ptx);
  int status = execute(w, &c);
  words_fini(&c);
  return status;
}

static int compile_host(const work_t *w, uint32_t i, const char *source, const char *fatbin,
                        const char *object) {
  words_t c = {0};
  common_options(w, &c);
  words_split(&c, "--cuda-host-only,-c,-Xclang,-fcuda-include-gpubinary,-Xclang");
  words_add(&c, fatbin);
  words_append(&c, &w->job->host);
  add_source(w, &c, i, source, object);
  int status = execute(w, &c);
  words_fini(&c);
  return status;
}

/* What clang wrote, put right, to where it is wanted. */
static int mend_ptx(const work_t *w, const char *from, const char *to) {
  strbuf_t text, mended;
  err_t e = {0};
  if (w->job->dry) return CLI_DONE;
  strbuf_init(&text);
  strbuf_init(&mended);
  int status = file_read(from, PTX_LIMIT_BYTES, &text, &e) < 0 ? cli_fail(&e) : CLI_DONE;
  if (!status) cc_mend_ptx(strbuf_text(&text), &mended);
  if (!status) status = cli_output(strcmp(to, "-") != 0 ? to : NULL, &mended);
  strbuf_fini(&text);
  strbuf_fini(&mended);
  return status;
}

static int wrap(const work_t *w, const char *ptx, const char *fatbin) {
  strbuf_t text;
  err_t e = {0};
  size_t size;
  uint8_t *image = NULL;
  if (w->job->dry) return CLI_DONE;
  strbuf_init(&text);
  int status = file_read(ptx, PTX_LIMIT_BYTES, &text, &e) < 0 ? cli_fail(&e) : CLI_DONE;
  if (!status) image = cc_fatbin(strbuf_text(&text), text.size, w->job->arch, &size);
  if (!status && !image) status = fail(GMMU_ENOMEM, "no memory for the fat binary of %s", ptx);
  if (!status && file_write(fatbin, (const char *)image, size, &e) < 0) status = cli_fail(&e);
  free(image);
  strbuf_fini(&text);
  return status;
}

static int build_cuda(work_t *w, uint32_t i, const char *output) {
  const char *source;
  int status = readable_source(w, i, &source);
  if (status) return status;
  const char *raw = temporary(w, i, ".raw.ptx");
  status = compile_device(w, i, source, raw);
  if (status || w->job->goal == CC_PTX) return status ? status : mend_ptx(w, raw, output);
  const char *ptx = temporary(w, i, ".ptx"), *fatbin = temporary(w, i, ".fatbin");
  status = mend_ptx(w, raw, ptx);
  if (!status) status = wrap(w, ptx, fatbin);
  return status ? status : compile_host(w, i, source, fatbin, output);
}

/* ---- other files, and the program ------------------------------------------------------------ */

/* A C or C++ source, compiled as what its name says. */
static int build_plain(const work_t *w, uint32_t i, const char *output) {
  const char *path = w->job->input.at[i];
  words_t c = {0};
  words_add(&c, w->clang);
  words_split(&c, "-O2,-c");
  words_append(&c, &w->job->both);
  words_append(&c, &w->job->host);
  words_add(&c, "-isystem");
  words_add(&c, w->headers);
  words_add(&c, path);
  words_add(&c, "-o");
  words_add(&c, output);
  int status = execute(w, &c);
  words_fini(&c);
  return status;
}

/* prog.cu becomes prog.o or prog.ptx in the working folder, unless -o says otherwise. */
static int build_one(work_t *w, uint32_t i, char *output, size_t size) {
  const cc_job_t *j = w->job;
  const char *path = j->input.at[i], *base = base_of(path);
  if (j->goal == CC_PROGRAM)
    snprintf(output, size, "%s", temporary(w, i, ".o"));
  else if (j->output)
    snprintf(output, size, "%s", j->output);
  else
    snprintf(output, size, "%.*s.%s", stem_bytes(base), base, j->goal == CC_PTX ? "ptx" : "o");
  return cc_is_cuda(path) ? build_cuda(w, i, output) : build_plain(w, i, output);
}

/* The library the program asks for; 12 has the structures of our headers. */
static int add_cudart(const work_t *w, words_t *c) {
  char dir[PATH_MAX];
  err_t e = {0};
  if (where_is(WHERE_CUDART, dir, sizeof dir, &e) < 0) return cli_fail(&e);
  words_addf(c, "-L%s", dir);
  words_addf(c, "-Wl,-rpath-link,%s", dir);
  words_add(c, "-l:libcudart.so.12");
  (void)w;
  return CLI_DONE;
}

static int link_program(const work_t *w, const words_t *object) {
  const cc_job_t *j = w->job;
  words_t c = {0};
  uint32_t next = 0;
  words_add(&c, w->clang);
  words_add(&c, "--driver-mode=g++");
  for (uint32_t i = 0; i < j->link.count; i++)
    words_add(&c, j->link.at[i][0] ? j->link.at[i] : object->at[next++]);
  for (uint32_t i = 0; i < j->host.count; i++) /* -fopenmp is the linker's business too */
    if (strncmp(j->host.at[i], "-f", 2) == 0) words_add(&c, j->host.at[i]);
  int status = add_cudart(w, &c);
  words_add(&c, "-o");
  words_add(&c, j->output ? j->output : "a.out");
  if (!status) status = execute(w, &c);
  words_fini(&c);
  return status;
}

static int build_all(work_t *w) {
  const cc_job_t *j = w->job;
  char output[PATH_MAX];
  words_t object = {0};
  int status = CLI_DONE;
  for (uint32_t i = 0; i < j->input.count && !status; i++) {
    if (cc_is_source(j->input.at[i])) {
      status = build_one(w, i, output, sizeof output);
      words_add(&object, output);
    } else {
      words_add(&object, j->input.at[i]);
    }
  }
  if (!status && j->goal == CC_PROGRAM) status = link_program(w, &object);
  words_fini(&object);
  return status;
}

int cc_build(const cc_job_t *j) {
  work_t w = {.job = j, .clang = find_clang()};
  err_t e = {0};
  if (!w.clang)
    return fail(GMMU_ENOENT, "no clang found (clang, clang-14 .. clang-19): apt install %s",
                "clang");
  if (where_is(WHERE_HEADERS, w.headers, sizeof w.headers, &e) < 0) return cli_fail(&e);
  stop_listen();
  signal(SIGPIPE, SIG_IGN); /* a reader that has gone away must not leave the folder behind */
  int status = j->keep ? CLI_DONE : make_dir(&w);
  if (!status) status = build_all(&w);
  if (j->keep) words_fini(&w.made);
  remove_dir(&w);
  return status;
}
