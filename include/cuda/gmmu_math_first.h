/* Device math must be seen before the C++ library's headers; gmmu_math.h says why. */
#pragma GCC system_header
#include "gmmu_math.h"
