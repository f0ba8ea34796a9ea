#ifndef GMMU_CUDA_SM_20_INTRINSICS_H
#define GMMU_CUDA_SM_20_INTRINSICS_H
#include "sm_30_intrinsics.h"
#endif
