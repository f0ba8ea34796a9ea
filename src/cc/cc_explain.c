/* What a failed compiler or linker missed: the file, library, function or type that it names in an
 * error. */
#include "cc/cc.h"
#include "host/nvidia.h"
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 120

/* What stands before the next of `close`; false if it is nothing, or too long. */
static bool name_at(const char *p, const char *close, char name[NAME_BYTES]) {
  size_t n = strcspn(p, close);
  if (!n || n >= NAME_BYTES || !p[n]) return false;
  memcpy(name, p, n);
  name[n] = 0;
  return true;
}

static bool is_toolkit(const char *file) {
  return strncmp(file, "thrust/", 7) == 0 || strncmp(file, "cub/", 4) == 0 ||
         strncmp(file, "cuda/", 5) == 0;
}

/* A sentence about the name; false if it is none of NVIDIA's. `missing`: it was not found, rather
 * than misspelt or used wrongly. */
static bool explain(const char *name, bool missing, strbuf_t *out) {
  const char *library = nvidia_library(name), *feature = nvidia_feature(name);
  bool some = library && nvidia_has_some(library);
  if (some && !missing) return false;
  if (some)
    strbuf_printf(out, "%s is of %s, " NVIDIA_SOME_ADVICE "in its header", name, library);
  else if (library)
    strbuf_printf(out, "%s belongs to %s; " NVIDIA_ADVICE, name, library);
  else if (feature)
    strbuf_printf(out, "%s: gmmu has no %s", name, feature);
  else if (is_toolkit(name))
    strbuf_printf(out,
                  "<%s> comes with the CUDA toolkit: build the program with nvcc -cudart shared "
                  "-arch=compute_80, and run that",
                  name);
  else if (nvidia_is_driver(name))
    strbuf_printf(out, "%s is of the driver API (-lcuda), " NVIDIA_DRIVER_ADVICE, name);
  else if (missing && nvidia_is_runtime(name))
    strbuf_printf(out, "%s is of the CUDA runtime, " NVIDIA_SOME_ADVICE "in docs/cuda-runtime.md",
                  name);
  else
    return false;
  return true;
}

static bool says(const char *line, const char *word) {
  const char *at = strstr(line, word);
  return at && at < line + strcspn(line, "\n");
}

/* The quoted names of an error, clang's ('x') and the linker's (`x'); libraries have a dash. */
static bool explain_line(const char *line, strbuf_t *out) {
  char name[NAME_BYTES];
  if (says(line, "reference to __global__ function")) {
    strbuf_str(out, "gmmu has no dynamic parallelism: a kernel cannot launch kernels");
    return true;
  }
  static const char *const not_found[] = {"undeclared identifier", "unknown type name",
                                          "undefined reference", "file not found", "cannot find"};
  bool missing = false;
  for (size_t i = 0; i < sizeof not_found / sizeof *not_found; i++)
    missing = missing || (says(line, not_found[i]) && !says(line, "did you mean"));
  for (const char *p = line, *end = line + strcspn(line, "\n"); p < end; p++) {
    bool dash = strncmp(p, " -l", 3) == 0;
    if (!dash && *p != '\'' && *p != '`') continue;
    if (name_at(p + (dash ? 3 : 1), dash ? " :\n" : "'\n", name) && explain(name, missing, out))
      return true;
  }
  return false;
}

bool cc_explain(const char *said, strbuf_t *out) {
  for (const char *line = said; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if ((says(line, "error") || says(line, "undefined reference") || says(line, "cannot find")) &&
        explain_line(line, out))
      return true;
  return false;
}
