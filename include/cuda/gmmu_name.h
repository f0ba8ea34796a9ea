#ifndef GMMU_NAME_H
#define GMMU_NAME_H
/* gmmu_name(pointer, "edges"): what gmmu calls the array that the pointer lies in, from now on
 * (`gmmu run --by array`). For any CUDA compiler, in C and C++; nothing to link: under another
 * CUDA runtime it does nothing. */
#include <dlfcn.h>

static inline void gmmu_name(const void *__gmmu_pointer, const char *__gmmu_name) {
  void *__gmmu_found = dlsym((void *)0, "cudaGmmuName");
  int (*__gmmu_call)(const void *, const char *);
  __builtin_memcpy(&__gmmu_call, &__gmmu_found, sizeof __gmmu_call);
  if (__gmmu_found) __gmmu_call(__gmmu_pointer, __gmmu_name);
}
#endif
