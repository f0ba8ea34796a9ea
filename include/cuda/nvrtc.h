#ifndef GMMU_CUDA_NVRTC_H
#define GMMU_CUDA_NVRTC_H
/* Compilation at run time: see libnvrtc of ours. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
const char *nvrtcGetErrorString(nvrtcResult __result);
nvrtcResult nvrtcVersion(int *__major, int *__minor);
nvrtcResult nvrtcGetNumSupportedArchs(int *__count);
nvrtcResult nvrtcGetSupportedArchs(int *__list);
nvrtcResult nvrtcCreateProgram(nvrtcProgram *__program, const char *__source, const char *__name,
                               int __headers, const char *const *__texts,
                               const char *const *__names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram *__program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram __program, int __count, const char *const *__options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram __program, size_t *__bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram __program, char *__to);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram __program, size_t *__bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram __program, char *__to);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram __program, size_t *__bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram __program, char *__to);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram __program, const char *const __name);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram __program, const char *const __name,
                                const char **__lowered);
#ifdef __cplusplus
}
#endif
#endif
