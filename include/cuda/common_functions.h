#ifndef GMMU_CUDA_COMMON_FUNCTIONS_H
#define GMMU_CUDA_COMMON_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
