#ifndef GMMU_FGPU_H
#define GMMU_FGPU_H
/* Fractional GPUs in software: kernels that stay on some of the SMs, after the scheme of Jain et
 * al., "Fractional GPUs" (RTAS 2019), section IV. For any CUDA compiler; nothing to link.
 *
 * A launch fills the whole GPU with persistent blocks, as many as occupancy allows. A block on an
 * SM outside the partition ends at once; the others draw the numbers of the grid's blocks from a
 * queue in global memory, one at a time, and run them, until it is empty. A kernel becomes one by
 * three lines; its body stays as it was, because the parameter and the loop's variable take the
 * place of CUDA's own names:
 *
 *   __global__ void add(fgpu_grid gridDim, const float *a, const float *b, float *c) {
 *     for (fgpu_block blockIdx(gridDim); blockIdx.next();) {
 *       unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
 *       c[i] = a[i] + b[i];
 *     }
 *   }
 *   fgpu f;
 *   fgpu_open(&f, 0, 2);                               // the first half
 *   fgpu_launch(&f, add, blocks, threads, 0, a, b, c);
 *
 * In the loop `return` and `break` are forbidden: threads that are done with a block `continue`,
 * and only where no other thread of it has a __syncthreads() ahead.
 *
 * Invariant: every number below the grid's blocks is drawn once, and the block that drew it runs it
 * to its end before it draws again. So when a launch has ended and the queue is past its end, all
 * of the grid is done. That a block starts on the partition's SMs is not promised by anybody: a
 * launch that found them taken is repeated, and goes on where the queue stands. */
#include <cuda_runtime.h>
#include <dlfcn.h>

enum {
  FGPU_QUEUES = 256, /* a launch has one of its own; all are emptied when they are used up */
  FGPU_TRIES = 16    /* launches until the partition is given up as not ours */
};
#define FGPU_BLOCKS_MAX 0xf0000000u /* each block draws once more than it runs */

/* ---- in kernels ------------------------------------------------------------------------------ */

/* The first parameter of a kernel: the grid that was asked for, and where it may run. */
struct fgpu_grid {
  unsigned x, y, z;
  unsigned blocks; /* x y z */
  unsigned first_sm, sms;
  unsigned *queue; /* the number to draw next */
  __host__ __device__ operator dim3() const { return dim3(x, y, z); }
};

static __device__ __forceinline__ unsigned fgpu_sm() {
  unsigned __sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(__sm));
  return __sm;
}

/* The block that runs now. All threads of a persistent block have the same one. */
class fgpu_block {
public:
  unsigned x, y, z;

  explicit __device__ __forceinline__ fgpu_block(const fgpu_grid &__g)
      : x(0), y(0), z(0), __grid(__g), __turn(0), first(true) {}
  __device__ __forceinline__ operator uint3() const { return make_uint3(x, y, z); }

  /* The next one; false: there are no more, or this is no SM of the partition. One barrier: threads
   * still read drawn[turn] while the first one writes the other, and it writes drawn[turn] again
   * only behind the next barrier. */
  __device__ __forceinline__ bool next() {
    __shared__ unsigned __drawn[2];
    __turn ^= 1;
    if (!(threadIdx.x | threadIdx.y | threadIdx.z)) __drawn[__turn] = __draw();
    /* Not barrier 0: threads that left the body early must not stand for others in it. */
    asm volatile("bar.sync 15;" ::: "memory");
    unsigned __n = __drawn[__turn];
    if (__n >= __grid.blocks) return false;
    __place(__n);
    return true;
  }

private:
  const fgpu_grid &__grid;
  unsigned __turn;
  bool first;

  /* One thread decides for all, once: %smid may change under a block that is moved. */
  __device__ __forceinline__ unsigned __draw() {
    if (first && fgpu_sm() - __grid.first_sm >= __grid.sms) return __grid.blocks;
    first = false;
    return atomicAdd(__grid.queue, 1u);
  }
  /* x fastest, then y, then z, as CUDA counts them. */
  __device__ __forceinline__ void __place(unsigned __n) {
    x = __n;
    if (__grid.x == __grid.blocks) return;
    unsigned __row = __n / __grid.x;
    x = __n - __row * __grid.x, z = __row / __grid.y, y = __row - z * __grid.y;
  }
};

/* ---- on the host ----------------------------------------------------------------------------- */

/* A part of the GPU; several may be open. Its launches are in one stream, one after the other. */
struct fgpu {
  unsigned first_sm, sms, all_sms;
  cudaStream_t stream;
  unsigned long long colours; /* of the pages of fgpu_malloc(), a bit each; 0: any */
  unsigned *queue;            /* [FGPU_QUEUES] on the device */
  unsigned used;              /* of them */
  unsigned long long launches, repeated;
};

static inline cudaError_t fgpu_close(fgpu *f) {
  cudaError_t error = f->queue ? cudaFree(f->queue) : cudaSuccess;
  cudaError_t __other = f->stream ? cudaStreamDestroy(f->stream) : cudaSuccess;
  f->queue = 0, f->stream = 0;
  return error != cudaSuccess ? error : __other;
}

/* SMs of the current device. */
static inline cudaError_t fgpu_count_sms(unsigned *sms) {
  int device = 0, __all = 0;
  cudaError_t error = cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&__all, cudaDevAttrMultiProcessorCount, device);
  *sms = (unsigned)__all;
  return error;
}

/* ---- memory ---- */

/* Page colours are a driver's. NVIDIA's has none; gmmu's has them with mem.manager=coloured, and
 * these calls for them in its libcudart: count, and a bit for each that this process may have. */
static inline cudaError_t fgpu_count_colours(unsigned *__count, unsigned long long *__own) {
  typedef cudaError_t (*__call_t)(unsigned *, unsigned long long *);
  __call_t __call = (__call_t)dlsym(RTLD_DEFAULT, "cudaGmmuColours");
  *__count = 0, *__own = 0;
  return __call ? __call(__count, __own) : cudaSuccess;
}

/* The process's allocations are of these colours from now on. */
static inline cudaError_t fgpu_use_colours(unsigned long long colours) {
  typedef cudaError_t (*__call_t)(unsigned long long);
  __call_t __call = (__call_t)dlsym(RTLD_DEFAULT, "cudaGmmuSetColours");
  if (!colours) return cudaSuccess;
  return __call ? __call(colours) : cudaErrorNotSupported;
}

/* In pages of the partition's colours, which nobody has whose colours are others. */
template <typename __T> static inline cudaError_t fgpu_malloc(fgpu *f, __T **__p, size_t bytes) {
  cudaError_t error = fgpu_use_colours(f->colours);
  return error == cudaSuccess ? cudaMalloc((void **)__p, bytes) : error;
}
static inline cudaError_t fgpu_free(void *__p) { return cudaFree(__p); }

/* ---- partitions ---- */

/* SMs first_sm .. first_sm + sms - 1, and colours, a bit each (0: any). */
static inline cudaError_t fgpu_open_part(fgpu *f, unsigned first_sm, unsigned sms,
                                         unsigned long long colours) {
  *f = fgpu();
  cudaError_t error = fgpu_count_sms(&f->all_sms);
  if (error != cudaSuccess) return error;
  if (!sms || first_sm >= f->all_sms || sms > f->all_sms - first_sm) return cudaErrorInvalidValue;
  f->first_sm = first_sm, f->sms = sms, f->colours = colours, f->used = FGPU_QUEUES;
  error = cudaStreamCreate(&f->stream);
  if (error == cudaSuccess) error = fgpu_malloc(f, &f->queue, FGPU_QUEUES * sizeof *f->queue);
  if (error != cudaSuccess) fgpu_close(f);
  return error;
}

/* The same share of the colours, of those that this process may have. With fewer colours than parts
 * memory is not partitioned: none, which is any. */
static inline cudaError_t fgpu_share_colours(unsigned __part, unsigned __parts,
                                             unsigned long long *__mask) {
  unsigned colours = 0;
  unsigned long long __own = 0;
  cudaError_t error = fgpu_count_colours(&colours, &__own);
  *__mask = 0;
  if (error != cudaSuccess || colours < __parts) return error;
  for (unsigned __c = colours * __part / __parts; __c < colours * (__part + 1) / __parts; __c++)
    *__mask |= __own & 1ull << __c;
  return *__mask ? cudaSuccess : cudaErrorInvalidValue;
}

/* Part number `part` of `parts`, which differ by one SM at most. */
static inline cudaError_t fgpu_open(fgpu *f, unsigned __part, unsigned __parts) {
  unsigned __all = 0;
  unsigned long long colours = 0;
  *f = fgpu();
  cudaError_t error = fgpu_count_sms(&__all);
  if (error == cudaSuccess && (__part >= __parts || __parts > __all)) error = cudaErrorInvalidValue;
  if (error == cudaSuccess) error = fgpu_share_colours(__part, __parts, &colours);
  if (error != cudaSuccess) return error;
  unsigned first = __all * __part / __parts, end = __all * (__part + 1) / __parts;
  return fgpu_open_part(f, first, end - first, colours);
}

/* ---- launches ---- */

/* The grid with a queue of its own. Launches of a stream follow each other: when the queues are
 * used up, nobody draws from one any more. */
static inline cudaError_t fgpu_prepare(fgpu *f, dim3 __grid, fgpu_grid *__out) {
  unsigned long long blocks = (unsigned long long)__grid.x * __grid.y;
  if (!blocks || !__grid.z || blocks > FGPU_BLOCKS_MAX / __grid.z)
    return cudaErrorInvalidConfiguration;
  if (f->used == FGPU_QUEUES) {
    cudaError_t error = cudaMemsetAsync(f->queue, 0, FGPU_QUEUES * sizeof *f->queue, f->stream);
    if (error != cudaSuccess) return error;
    f->used = 0;
  }
  __out->x = __grid.x, __out->y = __grid.y, __out->z = __grid.z,
  __out->blocks = (unsigned)(blocks * __grid.z);
  __out->first_sm = f->first_sm, __out->sms = f->sms, __out->queue = f->queue + f->used++;
  return cudaSuccess;
}

/* Whether the launch came to its end, and the grid to its own. */
static inline cudaError_t fgpu_drained(fgpu *f, const fgpu_grid *__grid, bool *__drained) {
  unsigned __drawn = 0;
  cudaError_t error =
      cudaMemcpyAsync(&__drawn, __grid->queue, sizeof __drawn, cudaMemcpyDeviceToHost, f->stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(f->stream);
  *__drained = __drawn >= __grid->blocks;
  return error;
}

template <typename __T> struct fgpu_as { typedef __T type; }; /* conversions as in any call */

/* Runs the kernel for every block of the grid, on the partition's SMs, and waits for it.
 * cudaErrorLaunchOutOfResources if no block ever came to one of them. */
template <typename... __P>
static inline cudaError_t fgpu_launch(fgpu *f, void (*__kernel)(fgpu_grid, __P...), dim3 __grid,
                                      dim3 __block, size_t __shared,
                                      typename fgpu_as<__P>::type... __a) {
  fgpu_grid __g;
  int __per_sm = 0, __threads = (int)(__block.x * __block.y * __block.z);
  cudaError_t error =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&__per_sm, __kernel, __threads, __shared);
  if (error == cudaSuccess && !__per_sm) error = cudaErrorLaunchOutOfResources;
  if (error == cudaSuccess) error = fgpu_prepare(f, __grid, &__g);
  bool __drained = false;
  for (int __i = 0; error == cudaSuccess && !__drained && __i < FGPU_TRIES; __i++) {
    __kernel<<<(unsigned)__per_sm * f->all_sms, __block, __shared, f->stream>>>(__g, __a...);
    error = cudaGetLastError();
    if (error == cudaSuccess) error = fgpu_drained(f, &__g, &__drained);
    f->launches += !__i, f->repeated += __i > 0;
  }
  return error == cudaSuccess && !__drained ? cudaErrorLaunchOutOfResources : error;
}
#endif
