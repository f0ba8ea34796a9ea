/* A .cu file becomes an object in three steps: clang compiles its device part to PTX, the PTX is
 * put into a fat binary, and clang compiles the host part around that. Everything in between lies
 * in one temporary folder, which goes when the work ends, well or not. */
#define _GNU_SOURCE /* pipe2 */
#include "base/file.h"
#include "base/foreign.h"
#include "base/stop.h"
#include "base/where.h"
#include "cc/cc.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SOURCE_LIMIT_BYTES (64u << 20)
#define PTX_LIMIT_BYTES    (512u << 20)
#define MESSAGES_PAUSE_MS  100
#define MESSAGES_BYTES     (256u << 10) /* of a compiler, that are looked through */
#define WAIT_PAUSE_NS      5000000      /* between two looks whether to stop */

typedef struct {
  const cc_job_t *job;
  const cc_tell_t *tell;
  err_t *e;
  const char *clang;
  char dir[PATH_MAX]; /* temporary; empty: there is none yet */
  char headers[PATH_MAX];
  words_t made; /* files in dir */
} work_t;

/* The compiler has said itself what is wrong: the error has no text. */
#define SAID GMMU_EINVAL

/* ---- commands -------------------------------------------------------------------------------- */

static void show(const cc_tell_t *tell, const words_t *w) {
  strbuf_t line;
  strbuf_init(&line);
  for (uint32_t i = 0; i < w->count; i++) {
    const char *word = w->at[i][0] ? w->at[i] : "''";
    strbuf_str(&line, i ? " " : "");
    strbuf_foreign(&line, word, strlen(word), "");
  }
  strbuf_str(&line, "\n");
  tell->text(tell->ctx, strbuf_text(&line), line.size);
  strbuf_fini(&line);
}

/* The compiler may wait for something that never comes, a pipe, and the signal that asks us to stop
 * need not have reached it. */
static int wait_for(pid_t pid, const char *name, err_t *e) {
  struct timespec pause = {.tv_nsec = WAIT_PAUSE_NS};
  int state;
  for (pid_t ended; (ended = waitpid(pid, &state, WNOHANG)) != pid; nanosleep(&pause, NULL)) {
    if (ended < 0 && errno != EINTR) return SAID;
    if (stop_asked()) kill(pid, SIGTERM);
  }
  if (stop_asked()) return GMMU_EINTERRUPTED;
  if (WIFEXITED(state)) return WEXITSTATUS(state) == 0 ? GMMU_OK : SAID;
  return err_set(e, GMMU_EIO, "%s was ended by signal %d (%s)", name, WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
}

/* What the compiler says goes on to the user as it comes, and is kept. One that says nothing may be
 * waiting for ever: whether to stop is asked all the time. */
static void pass_messages(const cc_tell_t *tell, int from, bool quiet, strbuf_t *said) {
  struct pollfd p = {.fd = from, .events = POLLIN};
  char part[4096];
  while (!stop_asked()) {
    if (poll(&p, 1, MESSAGES_PAUSE_MS) <= 0) continue;
    ssize_t n = read(from, part, sizeof part);
    if (n <= 0) return;
    if (!quiet) tell->text(tell->ctx, part, (size_t)n);
    if (said->size < MESSAGES_BYTES) strbuf_add(said, part, (size_t)n);
  }
}

static void become(const words_t *command, int messages) {
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN); /* compiler and linker then say that a file is too large */
  dup2(messages, 2);
  execvp(command->at[0], command->at);
  _exit(127);
}

/* One sentence if the messages name a library or a part of CUDA that is not here. */
static void explain(const cc_tell_t *tell, const char *said) {
  strbuf_t sentence;
  strbuf_init(&sentence);
  if (cc_explain(said, &sentence)) tell->say(tell->ctx, strbuf_text(&sentence));
  strbuf_fini(&sentence);
}

/* Runs the command to its end and keeps its messages; they are the user's too, unless it is quiet.
 */
static int run(const work_t *w, const words_t *command, bool quiet, strbuf_t *said) {
  int messages[2];
  if (command->failed)
    return err_set(w->e, GMMU_ENOMEM, "no memory for the command of %s", w->clang);
  if (w->job->verbose) show(w->tell, command);
  if (w->job->dry) return GMMU_OK;
  if (pipe2(messages, O_CLOEXEC) < 0) return err_set(w->e, GMMU_EIO, "cannot start %s", w->clang);
  pid_t pid = fork();
  if (pid == 0) become(command, messages[1]);
  close(messages[1]);
  if (pid > 0) pass_messages(w->tell, messages[0], quiet, said);
  close(messages[0]);
  return pid < 0 ? err_set(w->e, GMMU_EIO, "cannot start %s", w->clang)
                 : wait_for(pid, command->at[0], w->e);
}

/* If the messages name something of CUDA's that is not here, one sentence of ours comes last. */
static int execute(const work_t *w, const words_t *command) {
  strbuf_t said;
  strbuf_init(&said);
  int status = run(w, command, false, &said);
  if (status == SAID) explain(w->tell, strbuf_text(&said));
  strbuf_fini(&said);
  return status;
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
  if (mkdtemp(w->dir)) return GMMU_OK;
  int status = err_set(w->e, GMMU_EIO, "cannot make the temporary folder %s", w->dir);
  w->dir[0] = 0;
  return status;
}

static void remove_dir(work_t *w) {
  for (uint32_t i = 0; i < w->made.count; i++) unlink(w->made.at[i]);
  if (w->dir[0]) rmdir(w->dir);
  words_fini(&w->made);
}

static int write_file(const work_t *w, const char *path, const strbuf_t *text) {
  if (text->failed) return err_set(w->e, GMMU_ENOMEM, "no memory for %s", path);
  return file_write(path, strbuf_text(text), text->size, w->e);
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

/* ---- folders of headers ---------------------------------------------------------------------- */

/* NVIDIA's toolkit: its headers are for another compiler, and its structures those of another
 * version of the library. */
static bool is_toolkit(const char *folder) {
  char file[PATH_MAX];
  snprintf(file, sizeof file, "%s/crt/host_defines.h", folder);
  return access(file, F_OK) == 0;
}

/* The user's options; a toolkit's folder is looked at last, after ours. */
static void add_user_options(const work_t *w, words_t *c) {
  const words_t *u = &w->job->both;
  for (uint32_t i = 0; i < u->count; i++) {
    bool apart = strcmp(u->at[i], "-isystem") == 0 && i + 1 < u->count;
    const char *folder = apart ? u->at[i + 1] : u->at[i] + 2;
    if ((apart || strncmp(u->at[i], "-I", 2) == 0) && is_toolkit(folder)) {
      words_add(c, "-idirafter");
      words_add(c, folder);
      i += apart;
    } else {
      words_add(c, u->at[i]);
    }
  }
}

/* ---- one .cu file ---------------------------------------------------------------------------- */

static void common_options(const work_t *w, words_t *c) {
  words_add(c, w->clang);
  if (isatty(2)) words_add(c, "-fcolor-diagnostics"); /* it writes to a pipe */
  words_add(c, "--driver-mode=g++");
  words_addf(c, "--cuda-gpu-arch=sm_%u", w->job->arch);
  words_split(c, "--cuda-path=/"
                 "nonexistent,-nocudainc,-nocudalib,-fdeclspec,-O2,-gline-tables-only,-D__CUDACC__,"
                 "-D__NVCC__,-D__CUDACC_VER_MAJOR__=12,-D__CUDACC_VER_MINOR__=0,-D__CUDACC_VER_"
                 "BUILD__=0,-Wno-unknown-cuda-version,-Wno-unknown-pragmas,-Wno-unused-command-"
                 "line-argument");
  words_add(c, "-std=gnu++17"); /* as nvcc 12 and 13, unless the user says otherwise */
  /* Old sources: what is only a warning for nvcc and gcc. */
  words_split(c, "-Wno-error=reserved-user-defined-literal,-Wno-error=c++11-narrowing,"
                 "-Wno-error=register");
  /* Which launch sequence clang emits depends on the SDK it believes in. */
  words_split(c, "-Xclang,-target-sdk-version=11.0");
  add_user_options(w, c);
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
  strbuf_init(&text);
  strbuf_init(&copy);
  *source = path;
  int status = file_read(path, SOURCE_LIMIT_BYTES, &text, w->e);
  if (!status) strbuf_printf(&copy, "#line 1 \"%s\"\n", path);
  if (!status && cc_mend(strbuf_text(&text), &copy)) {
    *source = temporary(w, i, ".mended.cu");
    status = write_file(w, *source, &copy);
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

static void device_command(const work_t *w, words_t *c, uint32_t i, const char *source,
                           const char *ptx, const char *more) {
  common_options(w, c);
  words_split(c, "--cuda-device-only,-S,-gline-directives-only");
  if (w->job->rdc) words_add(c, "-fgpu-rdc"); /* instantiations are seen by other files */
  if (w->job->rdc) words_add(c, "-cuid=0");   /* else names depend on where temporary files lie */
  words_append(c, &w->job->device);
  words_split(c, more);
  add_source(w, c, i, source, ptx);
}

/* Quietly; *undefined: it has variables that may be used before they are set. */
static int try_device(const work_t *w, uint32_t i, const char *source, const char *ptx,
                      const char *more, bool *undefined) {
  words_t c = {0};
  strbuf_t said;
  strbuf_init(&said);
  device_command(w, &c, i, source, ptx, more);
  int status = run(w, &c, true, &said);
  *undefined = strstr(strbuf_text(&said), "uninitialized]") != NULL;
  strbuf_fini(&said);
  words_fini(&c);
  return status;
}

/* A variable that one lane sets and a shuffle hands to the others is undefined in these. clang
 * concludes from such an argument of a function that the lanes without it do not exist, and drops
 * the condition. Where its own analysis finds such a variable, it is told to conclude nothing; not
 * always, because other programs' code would become another. Its name for that differs by version.
 *
 * Warnings come once, from the host's part, which checks device functions too; errors from a second
 * try, which shows them. */
static int compile_device(const work_t *w, uint32_t i, const char *source, const char *ptx) {
  static const char *const conclude_nothing[] = {"-w,-Xclang,-disable-noundef-analysis",
                                                 "-w,-Xclang,-no-enable-noundef-analysis"};
  bool undefined, again;
  int status = try_device(w, i, source, ptx,
                          "-Wno-everything,-Wuninitialized,-Wsometimes-uninitialized,"
                          "-Wconditional-uninitialized",
                          &undefined);
  for (int k = 0; status == GMMU_OK && undefined && k < 2; k++)
    if (try_device(w, i, source, ptx, conclude_nothing[k], &again) == GMMU_OK) return GMMU_OK;
  if (status == GMMU_OK && !undefined) return GMMU_OK;
  if (status != GMMU_OK && status != SAID) return status;
  words_t c = {0};
  device_command(w, &c, i, source, ptx, "-w");
  status = execute(w, &c);
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
  strbuf_t text, plain, mended;
  if (w->job->dry) return GMMU_OK;
  strbuf_init(&text);
  strbuf_init(&plain);
  strbuf_init(&mended);
  int status = file_read(from, PTX_LIMIT_BYTES, &text, w->e);
  if (!status && w->job->rdc) cc_mend_statics(strbuf_text(&text), &plain);
  if (!status) cc_mend_ptx(strbuf_text(w->job->rdc ? &plain : &text), &mended);
  if (!status)
    status = strcmp(to, "-") == 0 ? w->tell->ptx(w->tell->ctx, &mended, w->e)
                                  : write_file(w, to, &mended);
  strbuf_fini(&text);
  strbuf_fini(&plain);
  strbuf_fini(&mended);
  return status;
}

static int wrap(const work_t *w, const char *ptx, const char *fatbin) {
  strbuf_t text;
  size_t size;
  uint8_t *image = NULL;
  if (w->job->dry) return GMMU_OK;
  strbuf_init(&text);
  int status = file_read(ptx, PTX_LIMIT_BYTES, &text, w->e);
  if (!status) image = cc_fatbin(strbuf_text(&text), text.size, w->job->arch, &size);
  if (!status && !image)
    status = err_set(w->e, GMMU_ENOMEM, "no memory for the fat binary of %s", ptx);
  if (!status) status = file_write(fatbin, (const char *)image, size, w->e);
  free(image);
  strbuf_fini(&text);
  return status;
}

/* ---- -rdc ------------------------------------------------------------------------------------ */

/* gmmu resolves names across modules when they are loaded, so device code needs no linker. What is
 * left is the host's part: clang without -fgpu-rdc keeps the variable that stands for a __device__
 * one to its file, where those of the program share one. (With the option it asks for symbols that
 * NVIDIA's device linker makes, and clang 14 loses static variables.) */

/* Whether a mangled name has internal linkage: static, or in a nameless namespace. */
static bool is_internal(const char *name) {
  const char *p = name + 3;
  if (strncmp(name, "_ZL", 3) == 0 || strncmp(name, "_ZZ", 3) == 0) return true;
  if (strncmp(name, "_ZN", 3) != 0) return false;
  for (;;) {
    if (*p == 'L') return true;
    char *id;
    unsigned long n = *p >= '1' && *p <= '9' ? strtoul(p, &id, 10) : 0;
    if (!n || n > strlen(id)) return false;
    if (strncmp(id, "_GLOBAL__N_1", n) == 0) return true;
    p = id + n;
  }
}

/* Adds --globalize-symbol=NAME for each variable that the PTX has and others may name. */
static void add_variables(const char *ptx, words_t *c) {
  for (const char *line = ptx; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, ".visible .global ", 17) != 0 && strncmp(line, ".visible .const ", 16) != 0)
      continue;
    size_t size = strcspn(line, "[=;\n"); /* the name is the last word before any of these */
    while (size && line[size - 1] == ' ') size--;
    size_t start = size;
    while (start && line[start - 1] != ' ') start--;
    char name[1024];
    if (size - start >= sizeof name) continue;
    memcpy(name, line + start, size - start);
    name[size - start] = 0;
    if (!is_internal(name)) words_addf(c, "--globalize-symbol=%s", name);
  }
}

static int share_variables(const work_t *w, const char *ptx, const char *object) {
  strbuf_t text;
  words_t c = {0};
  if (w->job->dry) return GMMU_OK;
  strbuf_init(&text);
  int status = file_read(ptx, PTX_LIMIT_BYTES, &text, w->e);
  words_add(&c, "objcopy");
  if (!status) add_variables(strbuf_text(&text), &c);
  bool any = c.count > 1;
  words_add(&c, object);
  if (!status && any && !in_path("objcopy"))
    status = err_set(w->e, GMMU_ENOENT, "-rdc needs objcopy: apt install %s", "binutils");
  if (!status && any) status = execute(w, &c);
  words_fini(&c);
  strbuf_fini(&text);
  return status;
}

/* -dlink: an object without anything in it, for build files that link it. */
static int link_device(const work_t *w) {
  words_t c = {0};
  words_add(&c, w->clang);
  words_split(&c, "-c,-x,c,/dev/null,-o");
  words_add(&c, w->job->output ? w->job->output : "a_dlink.o");
  int status = execute(w, &c);
  words_fini(&c);
  return status;
}

/* A copy of the source in which every variable has a note: clang keeps a variable with one. */
static int keeping_source(work_t *w, uint32_t i, const char *source, const char **copy) {
  strbuf_t text, more;
  strbuf_init(&text);
  strbuf_init(&more);
  int status = file_read(source, SOURCE_LIMIT_BYTES, &text, w->e);
  strbuf_printf(&more,
                "#pragma clang attribute push(__attribute__((annotate(\"kept\"))), apply_to = "
                "variable(is_global))\n#line 1 \"%s\"\n",
                w->job->input.at[i]);
  strbuf_add(&more, strbuf_text(&text), text.size);
  strbuf_str(&more, "\n#pragma clang attribute pop\n");
  *copy = temporary(w, i, ".kept.cu");
  if (!status) status = write_file(w, *copy, &more);
  strbuf_fini(&text);
  strbuf_fini(&more);
  return status;
}

typedef struct {
  const char *raw, *ptx, *fatbin;
} device_files_t;

/* The device part of `device`, and the host part of `host` around it. */
static int build_parts(const work_t *w, uint32_t i, const char *device, const char *host,
                       const device_files_t *f, const char *output) {
  int status = compile_device(w, i, device, f->raw);
  if (!status) status = mend_ptx(w, f->raw, f->ptx);
  if (!status) status = wrap(w, f->ptx, f->fatbin);
  if (!status) status = compile_host(w, i, host, f->fatbin, output);
  return status;
}

static int loses_variables(const work_t *w, const char *ptx, const char *output, bool *loses) {
  strbuf_t object, text;
  *loses = false;
  if (w->job->dry) return GMMU_OK;
  strbuf_init(&object);
  strbuf_init(&text);
  int status = file_read(output, PTX_LIMIT_BYTES, &object, w->e);
  if (!status) status = file_read(ptx, PTX_LIMIT_BYTES, &text, w->e);
  if (!status) *loses = cc_loses_variables(strbuf_text(&object), object.size, strbuf_text(&text));
  strbuf_fini(&object);
  strbuf_fini(&text);
  return status;
}

static int build_cuda(work_t *w, uint32_t i, const char *output) {
  const char *source;
  bool loses;
  int status = readable_source(w, i, &source);
  if (status) return status;
  device_files_t f = {.raw = temporary(w, i, ".raw.ptx")};
  if (w->job->goal == CC_PTX) {
    status = compile_device(w, i, source, f.raw);
    return status ? status : mend_ptx(w, f.raw, output);
  }
  f.ptx = temporary(w, i, ".ptx"), f.fatbin = temporary(w, i, ".fatbin");
  status = build_parts(w, i, source, source, &f, output);
  if (!status) status = loses_variables(w, f.ptx, output, &loses);
  if (!status && loses) {
    const char *kept;
    status = keeping_source(w, i, source, &kept);
    if (!status) status = build_parts(w, i, kept, source, &f, output);
  }
  return status || !w->job->rdc ? status : share_variables(w, f.ptx, output);
}

/* ---- other files, and the program ------------------------------------------------------------ */

/* A C or C++ source, compiled as what its name says. */
static int build_plain(const work_t *w, uint32_t i, const char *output) {
  const char *path = w->job->input.at[i];
  words_t c = {0};
  words_add(&c, w->clang);
  words_split(&c, "-O2,-c");
  add_user_options(w, &c);
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
  if (where_is(WHERE_CUDART, dir, sizeof dir, w->e) < 0) return w->e->code;
  words_addf(c, "-L%s", dir);
  words_addf(c, "-Wl,-rpath-link,%s", dir);
  words_add(c, "-l:libcudart.so.12");
  return GMMU_OK;
}

static bool has_word(const words_t *w, const char *word) {
  for (uint32_t i = 0; i < w->count; i++)
    if (strcmp(w->at[i], word) == 0) return true;
  return false;
}

/* gcc's OpenMP beside clang's: threads of one that the other numbers. */
static bool second_openmp(const cc_job_t *j, const char *word) {
  return strcmp(word, "-lgomp") == 0 && has_word(&j->host, "-fopenmp");
}

static int link_program(const work_t *w, const words_t *object) {
  const cc_job_t *j = w->job;
  words_t c = {0};
  uint32_t next = 0;
  words_add(&c, w->clang);
  words_add(&c, "--driver-mode=g++");
  for (uint32_t i = 0; i < j->link.count; i++)
    if (!second_openmp(j, j->link.at[i]))
      words_add(&c, j->link.at[i][0] ? j->link.at[i] : object->at[next++]);
  words_append(&c, &j->host); /* -fopenmp is the linker's business too */
  words_add(&c, "-Wno-unused-command-line-argument");
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
  int status = GMMU_OK;
  for (uint32_t i = 0; i < j->input.count && !status; i++) {
    if (!j->dry) status = file_check_regular(j->input.at[i], w->e); /* clang opens it, too */
    if (status < 0) break;
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

int cc_build(const cc_job_t *j, const cc_tell_t *tell, err_t *e) {
  work_t w = {.job = j, .tell = tell, .e = e, .clang = find_clang()};
  if (!w.clang)
    return err_set(e, GMMU_ENOENT,
                   "no clang found (clang, clang-14 .. clang-19): apt install clang");
  if (where_is(WHERE_HEADERS, w.headers, sizeof w.headers, e) < 0) return e->code;
  stop_listen();
  signal(SIGPIPE, SIG_IGN); /* a reader that has gone away must not leave the folder behind */
  int status = j->keep ? GMMU_OK : make_dir(&w);
  if (!status) status = j->goal == CC_DEVICE_LINK ? link_device(&w) : build_all(&w);
  if (j->keep) words_fini(&w.made);
  remove_dir(&w);
  return status;
}
