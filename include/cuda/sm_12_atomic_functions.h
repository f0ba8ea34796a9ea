#ifndef GMMU_CUDA_SM_12_ATOMIC_FUNCTIONS_H
#define GMMU_CUDA_SM_12_ATOMIC_FUNCTIONS_H
#include "device_atomic_functions.h"
#endif
