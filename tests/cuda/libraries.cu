/* link: -lcuda */
/* Modules that a program loads while it runs, as libraries of the driver and of the runtime: their
 * kernels and variables, several at once, and what is not in them. */
#include "driver_check.h"

static const char image[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                            ".visible .global .align 4 .u32 hits = 7;\n"
                            ".visible .entry twice(.param .u64 p, .param .u32 n) {\n"
                            "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %d<4>;\n"
                            "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
                            "  mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 ret;\n"
                            "  mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %d1, %d2;\n"
                            "  ld.global.u32 %r3, [%d3]; add.u32 %r4, %r3, %r3;\n"
                            "  st.global.u32 [%d3], %r4; atom.global.add.u32 %r5, [hits], 1;\n"
                            "  ret;\n}\n";

static int hits_of(CUdeviceptr p) {
  int v;
  DRIVER(cuMemcpyDtoH(&v, p, sizeof v));
  return v;
}

int main() {
  std::vector<int> v(64), expect(64);
  for (int i = 0; i < 64; i++) v[i] = i * 3, expect[i] = i < 40 ? i * 6 : i * 3;
  int *d = to_device(v), n = 40;
  void *args[] = {&d, &n};

  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  CUdeviceptr hits;
  size_t bytes = 0;
  int most = 0;
  const char *name = NULL;
  DRIVER(cuLibraryLoadData(&library, image, NULL, NULL, 0, NULL, NULL, 0));
  DRIVER(cuLibraryGetKernel(&kernel, library, "twice"));
  DRIVER(cuKernelGetFunction(&function, kernel));
  DRIVER(cuKernelGetName(&name, kernel));
  DRIVER(cuKernelGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
  want(strcmp(name, "twice") == 0 && most >= 64, "what is known of a kernel");
  DRIVER(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, args, NULL));
  DRIVER(cuCtxSynchronize());
  same("driver", to_host(d, 64), expect);
  DRIVER(cuLibraryGetGlobal(&hits, &bytes, library, "hits"));
  want(bytes == 4 && hits_of(hits) == 47, "a variable of the driver's library");
  want(cuLibraryGetKernel(&kernel, library, "thrice") == CUDA_ERROR_NOT_FOUND, "no such kernel");
  want(cuLibraryGetGlobal(&hits, &bytes, library, "misses") == CUDA_ERROR_NOT_FOUND,
       "no such variable");

  /* the same image once more: variables of its own */
  cudaLibrary_t again;
  cudaKernel_t twice;
  void *where = NULL;
  CUDA(cudaLibraryLoadData(&again, image, NULL, NULL, 0, NULL, NULL, 0));
  CUDA(cudaLibraryGetKernel(&twice, again, "twice"));
  CUDA(
      cudaKernelSetAttributeForDevice(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024, 0));
  for (int launch = 0; launch < 2; launch++)
    CUDA(cudaLaunchKernel((const void *)twice, dim3(1), dim3(64), args, 1024, 0));
  CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) expect[i] *= 4;
  same("runtime", to_host(d, 64), expect);
  CUDA(cudaLibraryGetGlobal(&where, &bytes, again, "hits"));
  want(bytes == 4 && hits_of((CUdeviceptr)where) == 87, "a variable of the runtime's library");
  want(cudaLibraryGetKernel(&twice, again, "thrice") == cudaErrorSymbolNotFound &&
           cudaGetLastError() == cudaErrorSymbolNotFound,
       "no such kernel by the runtime");
  want(cudaLibraryLoadFromFile(&again, "/nonexistent.ptx", NULL, NULL, 0, NULL, NULL, 0) ==
           cudaErrorFileNotFound,
       "no such file");
  cudaGetLastError();
  CUDA(cudaLibraryUnload(again));
  DRIVER(cuLibraryUnload(library));
  return pass("libraries", expect);
}
