#ifndef GMMU_CUDA_HELPER_TIMER_H
#define GMMU_CUDA_HELPER_TIMER_H
/* Stop watches in the manner of the samples, in host time: milliseconds. */
#include <stdlib.h>
#include <time.h>
struct StopWatchInterface {
  double start, total;
  int runs;
};
static inline double gmmu_milliseconds() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}
static inline bool sdkCreateTimer(StopWatchInterface **w) {
  return (*w = (StopWatchInterface *)calloc(1, sizeof **w)) != NULL;
}
static inline bool sdkStartTimer(StopWatchInterface **w) {
  (*w)->start = gmmu_milliseconds();
  return true;
}
static inline bool sdkStopTimer(StopWatchInterface **w) {
  (*w)->total += gmmu_milliseconds() - (*w)->start, (*w)->runs++;
  return true;
}
static inline bool sdkResetTimer(StopWatchInterface **w) {
  (*w)->total = 0, (*w)->runs = 0, (*w)->start = gmmu_milliseconds();
  return true;
}
static inline float sdkGetTimerValue(StopWatchInterface **w) { return (float)(*w)->total; }
static inline float sdkGetAverageTimerValue(StopWatchInterface **w) {
  return (*w)->runs ? (float)((*w)->total / (*w)->runs) : 0;
}
static inline bool sdkDeleteTimer(StopWatchInterface **w) {
  free(*w);
  *w = NULL;
  return true;
}
#endif
