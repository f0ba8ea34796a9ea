/* Functions of the driver by their names, through the runtime; and what is refused by name: memory
 * of another process. */
#include "check.h"

int main() {
  typedef int (*count_t)(int *);
  typedef int (*alloc_t)(unsigned long long *, size_t);
  typedef int (*fill_t)(unsigned long long, unsigned char, size_t);
  void *count, *alloc, *fill, *none = &count;
  cudaDriverEntryPointQueryResult found;
  CUDA(cudaFree(0));
  CUDA(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &count, 12000, cudaEnableDefault,
                                        &found));
  want(found == cudaDriverEntryPointSuccess && count, "cuDeviceGetCount");
  CUDA(cudaGetDriverEntryPointByVersion("cuMemAlloc", &alloc, 12000, cudaEnableDefault, &found));
  CUDA(cudaGetDriverEntryPointByVersion("cuMemsetD8", &fill, 12000, cudaEnableDefault, &found));
  CUDA(cudaGetDriverEntryPointByVersion("cuNothing", &none, 12000, cudaEnableDefault, &found));
  want(found == cudaDriverEntryPointSymbolNotFound && !none, "a name that is not there");
  int devices = 0;
  unsigned long long p = 0;
  want(((count_t)count)(&devices) == 0 && devices == 1, "one device");
  want(((alloc_t)alloc)(&p, 256) == 0 && p, "memory");
  want(((fill_t)fill)(p, 7, 256) == 0, "filled");
  std::vector<unsigned char> v = to_host((unsigned char *)p, 256);
  same("its contents", v, std::vector<unsigned char>(256, 7));
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
  want(cudaIpcGetMemHandle(&memory, (void *)p) == cudaErrorNotSupported, "memory of others");
  want(cudaIpcGetEventHandle(&event, 0) == cudaErrorNotSupported, "events of others");
  cudaGetLastError();
  return pass("entry_points");
}
