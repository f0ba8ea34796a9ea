#ifndef GMMU_CUDA_CUDA_OCCUPANCY_H
#define GMMU_CUDA_CUDA_OCCUPANCY_H
/* The calculator that programs carry with them: the runtime's answers are in cuda_runtime_api.h. */
#include "cuda_runtime.h"
#endif
