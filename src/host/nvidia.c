#include "host/nvidia.h"
#include <string.h>

/* A library, its headers and its functions begin with the same letters; where they do not, there is
 * a row each. */
static const struct {
  const char *begins, *name;
} library[] = {
    {"cublas", "cuBLAS"},     {"cufft", "cuFFT"},
    {"curand", "cuRAND"},     {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"}, {"cutensor", "cuTENSOR"},
    {"cudnn", "cuDNN"},       {"nccl", "NCCL"},
    {"npp", "NPP"},           {"nvjpeg", "nvJPEG"},
    {"nvgraph", "nvGRAPH"},   {"nvJitLink", "nvJitLink"},
    {"nvml", "NVML"},         {"nvidia-ml", "NVML"},
    {"cupti", "CUPTI"},       {"cufile", "cuFile"},
    {"nvToolsExt", "NVTX"},   {"nvtx", "NVTX"},
    {"cutlass", "CUTLASS"},   {"cudadevrt", "dynamic parallelism"},
};

static const struct {
  const char *begins, *name;
} feature[] = {
    {"cudaIpc", "memory that processes share"},
    {"cudaExternal", "memory of graphics libraries"},
    {"cudaImportExternal", "memory of graphics libraries"},
    {"cudaMallocMipmappedArray", "mip-mapped arrays"},
    {"cudaBindSurface", "surface references; surface objects are there"},
    {"surface", "surface references; surface objects are there"},
    {"cuda_fp8", "8-bit floats"},
    {"__nv_fp8", "8-bit floats"},
    {"cudaLibraryEnumerate", "lists of a library's kernels"},
    {"cudaLibraryGetKernelCount", "lists of a library's kernels"},
    {"cudaGraphCond", "graph nodes that depend on a condition"},
    {"cudaLaunchCooperativeKernelMultiDevice", "more than one device"},
    {"cudaLaunchParams", "more than one device"},
    {"this_multi_grid", "more than one device"},
    {"multi_grid_group", "more than one device"},
    {"this_cluster", "clusters of blocks"},
    {"cluster_group", "clusters of blocks"},
    {"cudaOccupancyMaxActiveClusters", "clusters of blocks"},
    {"cudaOccupancyMaxPotentialClusterSize", "clusters of blocks"},
};

static bool begins(const char *word, const char *with) {
  return strncmp(word, with, strlen(with)) == 0;
}

const char *nvidia_library(const char *word) {
  if (begins(word, "lib")) word += 3;
  for (size_t i = 0; i < sizeof library / sizeof *library; i++)
    if (begins(word, library[i].begins)) return library[i].name;
  return NULL;
}

bool nvidia_has_some(const char *name) {
  static const char *const some[] = {"cuBLAS", "cuFFT", "cuRAND"};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++)
    if (strcmp(name, some[i]) == 0) return true;
  return false;
}

const char *nvidia_feature(const char *identifier) {
  for (size_t i = 0; i < sizeof feature / sizeof *feature; i++)
    if (begins(identifier, feature[i].begins)) return feature[i].name;
  return NULL;
}

bool nvidia_is_driver(const char *identifier) {
  return identifier[0] == 'c' && identifier[1] == 'u' && identifier[2] >= 'A' &&
         identifier[2] <= 'Z';
}

bool nvidia_is_runtime(const char *identifier) {
  return begins(identifier, "cuda") && identifier[4] >= 'A' && identifier[4] <= 'Z';
}
