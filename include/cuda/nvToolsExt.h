#ifndef GMMU_CUDA_NVTOOLSEXT_OLD_H
#define GMMU_CUDA_NVTOOLSEXT_OLD_H
#include "nvtx3/nvToolsExt.h"
#endif
