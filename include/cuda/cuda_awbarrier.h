#ifndef GMMU_CUDA_AWBARRIER_H
#define GMMU_CUDA_AWBARRIER_H
#include "cuda_pipeline_primitives.h"
#endif
