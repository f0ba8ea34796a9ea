#ifndef GMMU_CUDA_CUDA_PROFILER_API_H
#define GMMU_CUDA_CUDA_PROFILER_API_H
/* cudaProfilerStart() and cudaProfilerStop() are among the others. */
#include "cuda_runtime_api.h"
#endif
