#ifndef GMMU_CUDA_NVTOOLSEXT_H
#define GMMU_CUDA_NVTOOLSEXT_H
/* Marks for NVIDIA's profilers. Without one of them attached NVTX does nothing and answers
 * NVTX_NO_PUSH_POP_TRACKING or zero; here none is. */
#include <stdint.h>
#include <wchar.h>
#define NVTX_VERSION              3
#define NVTX_SUCCESS              0
#define NVTX_FAIL                 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define GMMU_NVTX(type, name, value, ...)                                                          \
  static inline __attribute__((__unused__)) type name(__VA_ARGS__) { return value; }
#define GMMU_NVTX_VOID(name, ...)                                                                  \
  static inline __attribute__((__unused__)) void name(__VA_ARGS__) {}
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunused-parameter"
#endif
GMMU_NVTX_VOID(nvtxInitialize, const void *__reserved)
GMMU_NVTX(int, nvtxRangePushA, NVTX_NO_PUSH_POP_TRACKING, const char *__message)
GMMU_NVTX(int, nvtxRangePushW, NVTX_NO_PUSH_POP_TRACKING, const wchar_t *__message)
GMMU_NVTX(int, nvtxRangePushEx, NVTX_NO_PUSH_POP_TRACKING, const nvtxEventAttributes_t *__event)
GMMU_NVTX(int, nvtxRangePop, NVTX_NO_PUSH_POP_TRACKING, void)
GMMU_NVTX(nvtxRangeId_t, nvtxRangeStartA, 0, const char *__message)
GMMU_NVTX(nvtxRangeId_t, nvtxRangeStartW, 0, const wchar_t *__message)
GMMU_NVTX(nvtxRangeId_t, nvtxRangeStartEx, 0, const nvtxEventAttributes_t *__event)
GMMU_NVTX_VOID(nvtxRangeEnd, nvtxRangeId_t __range)
GMMU_NVTX_VOID(nvtxMarkA, const char *__message)
GMMU_NVTX_VOID(nvtxMarkW, const wchar_t *__message)
GMMU_NVTX_VOID(nvtxMarkEx, const nvtxEventAttributes_t *__event)
GMMU_NVTX_VOID(nvtxNameCategoryA, uint32_t __category, const char *__called)
GMMU_NVTX_VOID(nvtxNameOsThreadA, uint32_t __id, const char *__called)
GMMU_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, 0, const char *__called)
GMMU_NVTX_VOID(nvtxDomainDestroy, nvtxDomainHandle_t __domain)
GMMU_NVTX_VOID(nvtxDomainMarkEx, nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event)
GMMU_NVTX(int, nvtxDomainRangePushEx, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainHandle_t __domain,
          const nvtxEventAttributes_t *__event)
GMMU_NVTX(int, nvtxDomainRangePop, NVTX_NO_PUSH_POP_TRACKING, nvtxDomainHandle_t __domain)
GMMU_NVTX(nvtxRangeId_t, nvtxDomainRangeStartEx, 0, nvtxDomainHandle_t __domain,
          const nvtxEventAttributes_t *__event)
GMMU_NVTX_VOID(nvtxDomainRangeEnd, nvtxDomainHandle_t __domain, nvtxRangeId_t __range)
GMMU_NVTX(nvtxStringHandle_t, nvtxDomainRegisterStringA, 0, nvtxDomainHandle_t __domain,
          const char *__string)
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#undef GMMU_NVTX
#undef GMMU_NVTX_VOID
#define nvtxRangePush    nvtxRangePushA
#define nvtxRangeStart   nvtxRangeStartA
#define nvtxMark         nvtxMarkA
#define nvtxDomainCreate nvtxDomainCreateA
#endif
