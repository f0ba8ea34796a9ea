#ifndef GMMU_CUDA_CUTIL_H
#define GMMU_CUDA_CUTIL_H
/* The helper library of CUDA 2 to 4, as far as benchmarks of that time use it. */
#include "helper_cuda.h"
#include "helper_string.h"
#include "helper_timer.h"

#define CUDA_SAFE_CALL(call)         gmmu_check((call), #call, __FILE__, __LINE__)
#define CUDA_SAFE_CALL_NO_SYNC(call) gmmu_check((call), #call, __FILE__, __LINE__)
#define cutilSafeCall(call)          gmmu_check((call), #call, __FILE__, __LINE__)
#define cutilSafeCallNoSync(call)    gmmu_check((call), #call, __FILE__, __LINE__)
#define cutilCheckMsg(text)          gmmu_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define CUT_CHECK_ERROR(text)        gmmu_check(cudaGetLastError(), text, __FILE__, __LINE__)
#define cutilCheckError(call)        gmmu_cut(call, #call, __FILE__, __LINE__)
#define CUT_SAFE_CALL(call)          gmmu_cut(call, #call, __FILE__, __LINE__)
#define CUT_SAFE_MALLOC(p)           gmmu_cut((p) != NULL, #p, __FILE__, __LINE__)
#define CUT_DEVICE_INIT(...)         (void)cudaSetDevice(0)
#define CUT_EXIT(...)                exit(EXIT_SUCCESS)
#define cutilDeviceInit(...)         (void)cudaSetDevice(0)
#define cutilExit(...)               exit(EXIT_SUCCESS)
#define cutilThreadSynchronize()     cudaDeviceSynchronize()
#define cutGetMaxGflopsDeviceId()    0
#define CUTTrue                      true
#define CUTFalse                     false
typedef bool CUTBoolean;
static inline void gmmu_cut(bool ok, const char *what, const char *file, int line) {
  if (ok) return;
  fprintf(stderr, "%s:%d: %s failed\n", file, line, what);
  exit(EXIT_FAILURE);
}

/* Timers have numbers here. */
enum { GMMU_TIMERS = 64 };
static StopWatchInterface gmmu_timer[GMMU_TIMERS];
static inline bool cutCreateTimer(unsigned int *t) {
  static unsigned int used;
  *t = used++ % GMMU_TIMERS;
  return true;
}
static inline bool cutStartTimer(unsigned int t) {
  StopWatchInterface *w = &gmmu_timer[t];
  return sdkStartTimer(&w);
}
static inline bool cutStopTimer(unsigned int t) {
  StopWatchInterface *w = &gmmu_timer[t];
  return sdkStopTimer(&w);
}
static inline bool cutResetTimer(unsigned int t) {
  StopWatchInterface *w = &gmmu_timer[t];
  return sdkResetTimer(&w);
}
static inline float cutGetTimerValue(unsigned int t) { return (float)gmmu_timer[t].total; }
static inline float cutGetAverageTimerValue(unsigned int t) {
  return gmmu_timer[t].runs ? (float)(gmmu_timer[t].total / gmmu_timer[t].runs) : 0;
}
static inline bool cutDeleteTimer(unsigned int) { return true; }
static inline bool cutCheckCmdLineFlag(int argc, const char **argv, const char *name) {
  return checkCmdLineFlag(argc, argv, name);
}
static inline bool cutGetCmdLineArgumenti(int argc, const char **argv, const char *name, int *v) {
  const char *a = gmmu_argument(argc, argv, name);
  if (a && *a) *v = atoi(a + 1);
  return a && *a;
}
#endif
