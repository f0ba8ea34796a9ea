#ifndef GMMU_CUDA_HELPER_TIMER_H
#define GMMU_CUDA_HELPER_TIMER_H
/* Stop watches in the manner of the samples, in host time: milliseconds. */
#include <stdlib.h>
#include <time.h>
struct StopWatchInterface {
  double __start, __total;
  int __runs;
};
static inline double gmmu_milliseconds() {
  struct timespec __t;
  clock_gettime(CLOCK_MONOTONIC, &__t);
  return (double)__t.tv_sec * 1e3 + (double)__t.tv_nsec * 1e-6;
}
static inline bool sdkCreateTimer(StopWatchInterface **w) {
  return (*w = (StopWatchInterface *)calloc(1, sizeof **w)) != NULL;
}
static inline bool sdkStartTimer(StopWatchInterface **w) {
  (*w)->__start = gmmu_milliseconds();
  return true;
}
static inline bool sdkStopTimer(StopWatchInterface **w) {
  (*w)->__total += gmmu_milliseconds() - (*w)->__start, (*w)->__runs++;
  return true;
}
static inline bool sdkResetTimer(StopWatchInterface **w) {
  (*w)->__total = 0, (*w)->__runs = 0, (*w)->__start = gmmu_milliseconds();
  return true;
}
static inline float sdkGetTimerValue(StopWatchInterface **w) { return (float)(*w)->__total; }
static inline float sdkGetAverageTimerValue(StopWatchInterface **w) {
  return (*w)->__runs ? (float)((*w)->__total / (*w)->__runs) : 0;
}
static inline bool sdkDeleteTimer(StopWatchInterface **w) {
  free(*w);
  *w = NULL;
  return true;
}
#endif
