#ifndef GMMU_CUDA_PIPELINE_H
#define GMMU_CUDA_PIPELINE_H
#include "cuda_pipeline_primitives.h"
#endif
