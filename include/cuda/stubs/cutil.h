#ifndef GMMU_CUDA_CUTIL_H
#define GMMU_CUDA_CUTIL_H
/* The helper library of CUDA 2 to 4, as far as benchmarks of that time use it. */
#include "helper_cuda.h"
#include "helper_string.h"
#include "helper_timer.h"

#define CUDA_SAFE_CALL(__call)         gmmu_check((__call), #__call, __FILE__, __LINE__)
#define CUDA_SAFE_CALL_NO_SYNC(__call) gmmu_check((__call), #__call, __FILE__, __LINE__)
#define cutilSafeCall(__call)          gmmu_check((__call), #__call, __FILE__, __LINE__)
#define cutilSafeCallNoSync(__call)    gmmu_check((__call), #__call, __FILE__, __LINE__)
#define cutilCheckMsg(text)            gmmu_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define CUT_CHECK_ERROR(text)          gmmu_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define cutilCheckError(__call)        gmmu_cut(__call, #__call, __FILE__, __LINE__)
#define CUT_SAFE_CALL(__call)          gmmu_cut(__call, #__call, __FILE__, __LINE__)
#define CUT_SAFE_MALLOC(__p)           gmmu_cut((__p) != NULL, #__p, __FILE__, __LINE__)
#define CUT_DEVICE_INIT(...)           (void)cudaSetDevice(0)
#define CUT_EXIT(...)                  exit(EXIT_SUCCESS)
#define cutilDeviceInit(...)           (void)cudaSetDevice(0)
#define cutilExit(...)                 exit(EXIT_SUCCESS)
#define cutilThreadSynchronize()       cudaDeviceSynchronize()
#define cutGetMaxGflopsDeviceId()      0
#define CUTTrue                        true
#define CUTFalse                       false
typedef bool CUTBoolean;
static inline void gmmu_cut(bool __ok, const char *__what, const char *__file, int line) {
  if (__ok) return;
  fprintf(stderr, "%s:%d: %s failed\n", __file, line, __what);
  exit(EXIT_FAILURE);
}

/* Timers have numbers here. */
enum { GMMU_TIMERS = 64 };
static StopWatchInterface gmmu_timer[GMMU_TIMERS];
static inline bool cutCreateTimer(unsigned int *__t) {
  static unsigned int __used;
  *__t = __used++ % GMMU_TIMERS;
  return true;
}
static inline bool cutStartTimer(unsigned int __t) {
  StopWatchInterface *w = &gmmu_timer[__t];
  return sdkStartTimer(&w);
}
static inline bool cutStopTimer(unsigned int __t) {
  StopWatchInterface *w = &gmmu_timer[__t];
  return sdkStopTimer(&w);
}
static inline bool cutResetTimer(unsigned int __t) {
  StopWatchInterface *w = &gmmu_timer[__t];
  return sdkResetTimer(&w);
}
static inline float cutGetTimerValue(unsigned int __t) { return (float)gmmu_timer[__t].__total; }
static inline float cutGetAverageTimerValue(unsigned int __t) {
  return gmmu_timer[__t].__runs ? (float)(gmmu_timer[__t].__total / gmmu_timer[__t].__runs) : 0;
}
static inline bool cutDeleteTimer(unsigned int) { return true; }
static inline bool cutCheckCmdLineFlag(int __argc, const char **__argv, const char *name) {
  return checkCmdLineFlag(__argc, __argv, name);
}
static inline bool cutGetCmdLineArgumenti(int __argc, const char **__argv, const char *name,
                                          int *__v) {
  const char *__a = gmmu_argument(__argc, __argv, name);
  if (__a && *__a) *__v = atoi(__a + 1);
  return __a && *__a;
}
#endif
