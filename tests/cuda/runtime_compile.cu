/* link: -lnvrtc -lcuda */
/* NVRTC: a template compiled at run time, found by its expression; a header; an error and its log.
 */
#include "check.h"
#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char source[] = "#include \"value.h\"\n"
                             "template <class T> __global__ void add(T *x, T by, int n) {\n"
                             "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "  if (i < n) x[i] += by * VALUE * SCALE;\n"
                             "}\n";
int main() {
  const char *header = "#define VALUE 2\n", *header_name = "value.h";
  const char *options[] = {"--gpu-architecture=compute_80", "-DSCALE=3", "-std=c++14"};
  nvrtcProgram program;
  want(nvrtcCreateProgram(&program, source, "add.cu", 1, &header, &header_name) == NVRTC_SUCCESS,
       "a program");
  want(nvrtcAddNameExpression(program, "add<int>") == NVRTC_SUCCESS, "an expression");
  nvrtcResult result = nvrtcCompileProgram(program, 3, options);
  size_t bytes;
  nvrtcGetProgramLogSize(program, &bytes);
  std::string log(bytes, 0), ptx;
  nvrtcGetProgramLog(program, &log[0]);
  if (result != NVRTC_SUCCESS) printf("%s\n%s\n", nvrtcGetErrorString(result), log.c_str());
  want(result == NVRTC_SUCCESS, "compiled");
  const char *lowered;
  want(nvrtcGetLoweredName(program, "add<int>", &lowered) == NVRTC_SUCCESS, "its name");
  want(nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS, "its size");
  ptx.resize(bytes);
  nvrtcGetPTX(program, &ptx[0]);
  CUmodule module;
  CUfunction f;
  want(cuInit(0) == CUDA_SUCCESS && cuModuleLoadData(&module, ptx.data()) == CUDA_SUCCESS,
       "loaded");
  want(cuModuleGetFunction(&f, module, lowered) == CUDA_SUCCESS, "found");
  want(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS, "destroyed");
  int n = 300, by = 7;
  std::vector<int> x(n), expect(n);
  for (int i = 0; i < n; i++) x[i] = i, expect[i] = i + 42;
  int *d = to_device(x);
  void *args[] = {&d, &by, &n};
  want(cuLaunchKernel(f, 3, 1, 1, 128, 1, 1, 0, 0, args, 0) == CUDA_SUCCESS, "launched");
  std::vector<int> got = to_host(d, n);
  same("sums", got, expect);

  nvrtcProgram bad;
  nvrtcCreateProgram(&bad, "__global__ void k() { nothing(); }", "bad.cu", 0, 0, 0);
  want(nvrtcCompileProgram(bad, 0, 0) == NVRTC_ERROR_COMPILATION, "an error");
  nvrtcGetProgramLogSize(bad, &bytes);
  log.resize(bytes);
  nvrtcGetProgramLog(bad, &log[0]);
  want(log.find("nothing") != std::string::npos, "the log names it");
  nvrtcDestroyProgram(&bad);
  return pass("runtime_compile", got);
}
