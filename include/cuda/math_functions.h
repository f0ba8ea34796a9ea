#ifndef GMMU_CUDA_MATH_FUNCTIONS_H
#define GMMU_CUDA_MATH_FUNCTIONS_H
#include "cuda_runtime.h"
#endif
