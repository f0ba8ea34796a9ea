#ifndef GMMU_CUDA_HELPER_STRING_H
#define GMMU_CUDA_HELPER_STRING_H
/* Arguments in the manner of the samples: -name or --name=value. */
#include <stdlib.h>
#include <string.h>
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
/* What follows "name" in an argument: "" or "=value"; NULL if no argument is so called. */
static inline const char *gmmu_argument(int __argc, const char **__argv, const char *name) {
  for (int __i = 1; __i < __argc; __i++) {
    const char *__a = __argv[__i] + strspn(__argv[__i], "-");
    size_t __n = strlen(name);
    if (__a > __argv[__i] && strncmp(__a, name, __n) == 0 && (!__a[__n] || __a[__n] == '='))
      return __a + __n;
  }
  return NULL;
}
static inline bool checkCmdLineFlag(int __argc, const char **__argv, const char *name) {
  return gmmu_argument(__argc, __argv, name) != NULL;
}
static inline int getCmdLineArgumentInt(int __argc, const char **__argv, const char *name) {
  const char *__v = gmmu_argument(__argc, __argv, name);
  return __v && *__v ? atoi(__v + 1) : 0;
}
static inline float getCmdLineArgumentFloat(int __argc, const char **__argv, const char *name) {
  const char *__v = gmmu_argument(__argc, __argv, name);
  return __v && *__v ? (float)atof(__v + 1) : 0;
}
static inline bool getCmdLineArgumentString(int __argc, const char **__argv, const char *name,
                                            char **__out) {
  const char *__v = gmmu_argument(__argc, __argv, name);
  *__out = __v && *__v ? const_cast<char *>(__v + 1) : NULL;
  return *__out != NULL;
}
static inline char *sdkFindFilePath(const char *name, const char *) { return strdup(name); }
#endif
