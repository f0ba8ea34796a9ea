#ifndef GMMU_CUDA_AWBARRIER_PRIMITIVES_H
#define GMMU_CUDA_AWBARRIER_PRIMITIVES_H
#include "cuda_pipeline_primitives.h"
#endif
