#ifndef GMMU_CUDA_SM_60_ATOMIC_FUNCTIONS_H
#define GMMU_CUDA_SM_60_ATOMIC_FUNCTIONS_H
#include "device_atomic_functions.h"
#endif
