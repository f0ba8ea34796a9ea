/* libnvrtc: compiles CUDA C++ at run time, with `gmmu cc` (clang and our headers). gmmu tells the
 * programs that it starts where it is. Each program's files lie in a temporary folder while it is
 * compiled. */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define API(name, ...)                                                                             \
  EXPORT int name(__VA_ARGS__);                                                                    \
  int name(__VA_ARGS__)

enum {
  OK,
  NO_MEMORY,
  CREATION_FAILED,
  INVALID_INPUT,
  INVALID_PROGRAM,
  INVALID_OPTION,
  COMPILATION,
  BUILTIN_FAILED,
  NO_NAMES_AFTER,
  NO_NAMES_BEFORE,
  NAME_INVALID,
  INTERNAL
};

typedef struct {
  char *text, *lowered;
} name_t;
typedef struct {
  char *source, *name;
  char **header, **header_name;
  int headers;
  name_t *names;
  size_t count;
  bool compiled;
  char *ptx, *log;
} program_t;

API(nvrtcVersion, int *major, int *minor) {
  if (!major || !minor) return INVALID_INPUT;
  *major = NVRTC_MAJOR, *minor = 0;
  return OK;
}

EXPORT const char *nvrtcGetErrorString(int error);
const char *nvrtcGetErrorString(int error) {
  static const char *const names[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION",
                                      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                      "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                      "NVRTC_ERROR_INTERNAL_ERROR"};
  bool known = error >= 0 && error < (int)(sizeof names / sizeof *names);
  return known ? names[error] : "NVRTC_ERROR unknown";
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86};
enum { ARCHS = sizeof archs / sizeof *archs };
API(nvrtcGetNumSupportedArchs, int *n) {
  *n = ARCHS;
  return OK;
}
API(nvrtcGetSupportedArchs, int *list) {
  memcpy(list, archs, sizeof archs);
  return OK;
}

/* ---- programs -------------------------------------------------------------------------------- */

API(nvrtcDestroyProgram, program_t **at) {
  program_t *p = at ? *at : NULL;
  if (!p) return INVALID_PROGRAM;
  for (int i = 0; i < p->headers; i++) free(p->header[i]), free(p->header_name[i]);
  for (size_t i = 0; i < p->count; i++) free(p->names[i].text), free(p->names[i].lowered);
  free(p->header), free(p->header_name), free(p->names);
  free(p->source), free(p->name), free(p->ptx), free(p->log);
  free(p);
  *at = NULL;
  return OK;
}

API(nvrtcCreateProgram, program_t **out, const char *source, const char *name, int headers,
    const char *const *header, const char *const *header_name) {
  if (!out || !source || headers < 0 || (headers && (!header || !header_name)))
    return INVALID_INPUT;
  program_t *p = calloc(1, sizeof *p);
  if (!p) return NO_MEMORY;
  p->source = strdup(source), p->name = strdup(name ? name : "default_program");
  p->header = calloc((size_t)headers + 1, sizeof *p->header);
  p->header_name = calloc((size_t)headers + 1, sizeof *p->header_name);
  bool ok = p->source && p->name && p->header && p->header_name;
  for (; ok && p->headers < headers; p->headers++) {
    p->header[p->headers] = strdup(header[p->headers]);
    p->header_name[p->headers] = strdup(header_name[p->headers]);
    ok = p->header[p->headers] && p->header_name[p->headers];
  }
  if (!ok) nvrtcDestroyProgram(&p);
  *out = p;
  return ok ? OK : NO_MEMORY;
}

API(nvrtcAddNameExpression, program_t *p, const char *text) {
  if (!p || !text) return INVALID_INPUT;
  if (p->compiled) return NO_NAMES_AFTER;
  name_t *n = realloc(p->names, (p->count + 1) * sizeof *n);
  if (!n) return NO_MEMORY;
  p->names = n;
  n[p->count] = (name_t){strdup(text), NULL};
  return n[p->count++].text ? OK : NO_MEMORY;
}

API(nvrtcGetLoweredName, program_t *p, const char *text, const char **lowered) {
  if (!p || !text || !lowered) return INVALID_INPUT;
  if (!p->compiled) return NO_NAMES_BEFORE;
  for (size_t i = 0; i < p->count; i++)
    if (strcmp(p->names[i].text, text) == 0 && p->names[i].lowered) {
      *lowered = p->names[i].lowered;
      return OK;
    }
  return NAME_INVALID;
}

/* ---- compiling ------------------------------------------------------------------------------- */

/* What the compiler said, PTX: a whole file as text. */
static char *slurp(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  struct stat s;
  if (f && fstat(fileno(f), &s) == 0 && (text = malloc((size_t)s.st_size + 1)))
    text[fread(text, 1, (size_t)s.st_size, f)] = 0;
  if (f) fclose(f);
  return text;
}

/* A header's name may have folders, none of which leads out of ours. */
static bool write_file(const char *dir, const char *name, const char *text, const program_t *more) {
  char path[4096];
  if (strstr(name, "..") || name[0] == '/') return false;
  int n = snprintf(path, sizeof path, "%s/%s", dir, name);
  if (n < 0 || n >= (int)sizeof path) return false;
  for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0700);
  }
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fputs(text, f);
  /* Address and name of each expression: the compiler instantiates it, and its PTX has the name. */
  for (size_t i = 0; more && i < more->count; i++)
    fprintf(f,
            "\nextern \"C\" __device__ __attribute__((used)) const void *const volatile "
            "gmmu_name_%zu = (const void *)(%s);\n",
            i, more->names[i].text);
  return fclose(f) == 0;
}

/* Options of nvrtc that nvcc does not have, or that say what is so here. */
static bool meaningless(const char *option) {
  static const char *const list[] = {"--device-as-default-execution-space",
                                     "-default-device",
                                     "--device-c",
                                     "-dc",
                                     "--relocatable-device-code",
                                     "-rdc",
                                     "--builtin-move-forward",
                                     "--builtin-initializer-list",
                                     "--extra-device-vectorization",
                                     "--no-source-include",
                                     "-no-source-include",
                                     "-pch",
                                     "--pch",
                                     "--split-compile",
                                     "--dopt",
                                     "-dopt",
                                     "--minimal",
                                     "-minimal"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strncmp(option, list[i], strlen(list[i])) == 0) return true;
  return false;
}

static int run(const char *gmmu, const char *dir, int count, const char *const *option) {
  char **argv = calloc((size_t)count + 12, sizeof *argv), file[4096], ptx[4096], log[4096];
  int n = 0, state = -1;
  if (!argv) return -1;
  snprintf(file, sizeof file, "%s/program.cu", dir);
  snprintf(ptx, sizeof ptx, "%s/program.ptx", dir);
  snprintf(log, sizeof log, "%s/log", dir);
  const char *const fixed[] = {gmmu, "cc", "--ptx", "-I", dir, file, "-o", ptx};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[n++] = (char *)(uintptr_t)fixed[i];
  for (int i = 0; i < count; i++)
    if (!meaningless(option[i])) argv[n++] = (char *)(uintptr_t)option[i];
  pid_t pid = fork();
  if (pid == 0) {
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) dup2(fd, 1), dup2(fd, 2);
    execv(gmmu, argv);
    _exit(127);
  }
  while (pid > 0 && waitpid(pid, &state, 0) < 0 && errno == EINTR) {
  }
  free(argv);
  return pid > 0 && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/* "gmmu_name_0 = f;" or "= generic(f);" of the PTX. The variables stay in it: they hurt nobody. */
static void find_names(program_t *p) {
  for (size_t i = 0; i < p->count; i++) {
    char key[40];
    snprintf(key, sizeof key, "gmmu_name_%zu = ", i);
    char *at = strstr(p->ptx, key);
    if (!at) continue;
    at += strlen(key);
    if (strncmp(at, "generic(", 8) == 0) at += 8;
    p->names[i].lowered = strndup(at, strcspn(at, ");\n "));
  }
}

static void remove_dir(const char *dir) {
  pid_t pid = fork();
  if (pid == 0) {
    execlp("rm", "rm", "-rf", dir, (char *)NULL);
    _exit(127);
  }
  while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
  }
}

API(nvrtcCompileProgram, program_t *p, int count, const char *const *option) {
  const char *gmmu = getenv("GMMU_SELF"), *tmp = getenv("TMPDIR");
  char dir[3072], path[4096];
  if (!p) return INVALID_PROGRAM;
  free(p->log), free(p->ptx);
  p->log = p->ptx = NULL;
  if (!gmmu) {
    p->log = strdup("this libnvrtc compiles with gmmu: start the program with `gmmu run -- ...`\n");
    return INTERNAL;
  }
  snprintf(dir, sizeof dir, "%s/gmmu-nvrtc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(dir)) return INTERNAL;
  bool ok = write_file(dir, "program.cu", p->source, p);
  for (int i = 0; ok && i < p->headers; i++)
    ok = write_file(dir, p->header_name[i], p->header[i], NULL);
  int status = ok ? run(gmmu, dir, count, option) : -1;
  snprintf(path, sizeof path, "%s/log", dir);
  p->log = slurp(path);
  snprintf(path, sizeof path, "%s/program.ptx", dir);
  if (status == 0) p->ptx = slurp(path);
  remove_dir(dir);
  p->compiled = p->ptx != NULL;
  if (p->ptx) find_names(p);
  return p->ptx ? OK : status == 2 ? INVALID_OPTION : status < 0 ? INTERNAL : COMPILATION;
}

/* ---- results --------------------------------------------------------------------------------- */

API(nvrtcGetPTXSize, program_t *p, size_t *bytes) {
  if (!p || !p->ptx) return INVALID_PROGRAM;
  *bytes = strlen(p->ptx) + 1;
  return OK;
}
API(nvrtcGetPTX, program_t *p, char *to) {
  if (!p || !p->ptx) return INVALID_PROGRAM;
  memcpy(to, p->ptx, strlen(p->ptx) + 1);
  return OK;
}
/* Modules are loaded from PTX; whoever asks for machine code gets the same. */
API(nvrtcGetCUBINSize, program_t *p, size_t *bytes) { return nvrtcGetPTXSize(p, bytes); }
API(nvrtcGetCUBIN, program_t *p, char *to) { return nvrtcGetPTX(p, to); }
API(nvrtcGetProgramLogSize, program_t *p, size_t *bytes) {
  if (!p) return INVALID_PROGRAM;
  *bytes = (p->log ? strlen(p->log) : 0) + 1;
  return OK;
}
API(nvrtcGetProgramLog, program_t *p, char *to) {
  if (!p) return INVALID_PROGRAM;
  memcpy(to, p->log ? p->log : "", (p->log ? strlen(p->log) : 0) + 1);
  return OK;
}
