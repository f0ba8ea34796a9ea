#ifndef GMMU_CUDA_DEVICE_DOUBLE_FUNCTIONS_H
#define GMMU_CUDA_DEVICE_DOUBLE_FUNCTIONS_H
#include "device_functions.h"
#endif
