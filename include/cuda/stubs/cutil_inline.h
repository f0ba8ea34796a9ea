#ifndef GMMU_CUDA_CUTIL_INLINE_H
#define GMMU_CUDA_CUTIL_INLINE_H
#include "cutil.h"
#endif
