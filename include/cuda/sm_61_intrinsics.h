#ifndef GMMU_CUDA_SM_61_INTRINSICS_H
#define GMMU_CUDA_SM_61_INTRINSICS_H
#include "sm_30_intrinsics.h"
#endif
