/* A job of the compiler: its inputs, its output and the options of each step. */
#include "cc/cc.h"
#include <string.h>

void cc_job_fini(cc_job_t *j) {
  words_fini(&j->input);
  words_fini(&j->both);
  words_fini(&j->device);
  words_fini(&j->host);
  words_fini(&j->link);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && strcmp(text + n - m, end) == 0;
}

bool cc_is_cuda(const char *path) { return ends_with(path, ".cu"); }

bool cc_is_source(const char *path) {
  static const char *const suffix[] = {".cu", ".c", ".cc", ".cpp", ".cxx", ".C", NULL};
  for (const char *const *s = suffix; *s; s++)
    if (ends_with(path, *s)) return true;
  return false;
}
