#ifndef GMMU_CUDA_CUDA_GL_INTEROP_H
#define GMMU_CUDA_CUDA_GL_INTEROP_H
/* Programs that draw what they compute include this; the calls are there and answer
 * cudaErrorNotSupported. Most of these programs have a way without a window, too. */
#include "cuda_runtime_api.h"
typedef unsigned int GLuint; /* as GL/gl.h has them, which need not be installed */
typedef unsigned int GLenum;
enum cudaGLDeviceList {
  cudaGLDeviceListAll = 1,
  cudaGLDeviceListCurrentFrame = 2,
  cudaGLDeviceListNextFrame = 3
};
enum cudaGLMapFlags {
  cudaGLMapFlagsNone = 0,
  cudaGLMapFlagsReadOnly = 1,
  cudaGLMapFlagsWriteDiscard = 2
};
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaGLGetDevices(unsigned int *__count, int *__devices, unsigned int __room,
                             enum cudaGLDeviceList __list);
cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **__resource, GLuint __buffer,
                                         unsigned int flags);
cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **__resource, GLuint __image,
                                        GLenum __target, unsigned int flags);
/* of CUDA 2 and 3 */
cudaError_t cudaGLSetGLDevice(int device);
cudaError_t cudaGLRegisterBufferObject(GLuint __buffer);
cudaError_t cudaGLUnregisterBufferObject(GLuint __buffer);
cudaError_t cudaGLMapBufferObject(void **__p, GLuint __buffer);
cudaError_t cudaGLUnmapBufferObject(GLuint __buffer);
cudaError_t cudaGLSetBufferObjectMapFlags(GLuint __buffer, unsigned int flags);
cudaError_t cudaGLMapBufferObjectAsync(void **__p, GLuint __buffer, cudaStream_t stream);
cudaError_t cudaGLUnmapBufferObjectAsync(GLuint __buffer, cudaStream_t stream);
#ifdef __cplusplus
}
#endif
#endif
