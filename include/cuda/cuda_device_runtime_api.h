#ifndef GMMU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#define GMMU_CUDA_CUDA_DEVICE_RUNTIME_API_H
#include "cuda_runtime_api.h"
#endif
