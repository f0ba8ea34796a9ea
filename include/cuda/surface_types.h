#ifndef GMMU_CUDA_SURFACE_TYPES_H
#define GMMU_CUDA_SURFACE_TYPES_H
#include "driver_types.h"
#endif
