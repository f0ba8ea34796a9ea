#ifndef GMMU_CUDA_HELPER_STRING_H
#define GMMU_CUDA_HELPER_STRING_H
/* Arguments in the manner of the samples: -name or --name=value. */
#include <stdlib.h>
#include <string.h>
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
/* What follows "name" in an argument: "" or "=value"; NULL if no argument is so called. */
static inline const char *gmmu_argument(int argc, const char **argv, const char *name) {
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i] + strspn(argv[i], "-");
    size_t n = strlen(name);
    if (a > argv[i] && strncmp(a, name, n) == 0 && (!a[n] || a[n] == '=')) return a + n;
  }
  return NULL;
}
static inline bool checkCmdLineFlag(int argc, const char **argv, const char *name) {
  return gmmu_argument(argc, argv, name) != NULL;
}
static inline int getCmdLineArgumentInt(int argc, const char **argv, const char *name) {
  const char *v = gmmu_argument(argc, argv, name);
  return v && *v ? atoi(v + 1) : 0;
}
static inline float getCmdLineArgumentFloat(int argc, const char **argv, const char *name) {
  const char *v = gmmu_argument(argc, argv, name);
  return v && *v ? (float)atof(v + 1) : 0;
}
static inline bool getCmdLineArgumentString(int argc, const char **argv, const char *name,
                                            char **out) {
  const char *v = gmmu_argument(argc, argv, name);
  *out = v && *v ? const_cast<char *>(v + 1) : NULL;
  return *out != NULL;
}
static inline char *sdkFindFilePath(const char *name, const char *) { return strdup(name); }
#endif
