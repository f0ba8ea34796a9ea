#ifndef GMMU_CUDA_STD_H
#define GMMU_CUDA_STD_H
/* cuda::std is the host's library here: clang takes its constexpr functions for the device, too. */
namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
#endif
