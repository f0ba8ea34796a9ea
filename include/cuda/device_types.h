#ifndef GMMU_CUDA_DEVICE_TYPES_H
#define GMMU_CUDA_DEVICE_TYPES_H
#include "driver_types.h"
#endif
