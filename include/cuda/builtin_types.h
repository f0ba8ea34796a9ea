#ifndef GMMU_CUDA_BUILTIN_TYPES_H
#define GMMU_CUDA_BUILTIN_TYPES_H
#include "driver_types.h"
#include "vector_types.h"
#endif
