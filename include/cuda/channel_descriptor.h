#ifndef GMMU_CUDA_CHANNEL_DESCRIPTOR_H
#define GMMU_CUDA_CHANNEL_DESCRIPTOR_H
#include "cuda_runtime.h"
#endif
