#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "cudart/blas/kernels.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include BLAS_STAMP /* it changes with the PTX: then this is compiled again */

/* The text of blas.ptx, with a NUL behind it. */
__asm__(".section .rodata\n"
        ".hidden gmmu_blas_ptx\n.globl gmmu_blas_ptx\n.balign 8\n"
        "gmmu_blas_ptx:\n.incbin \"" BLAS_PTX "\"\n.byte 0\n"
        ".hidden gmmu_blas_end\n.globl gmmu_blas_end\ngmmu_blas_end:\n.previous\n");
extern const char gmmu_blas_ptx[], gmmu_blas_end[];

enum { REGION_BYTES = 16, IMAGE_BYTES = 64, MAX_KERNELS = 128, ARCH = 70 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  void **handle;
  struct {
    uint32_t magic, version;
    const void *fatbin, *more;
  } wrapper;
  char kernel[MAX_KERNELS][40]; /* names; a name's address is what the runtime knows it by */
  unsigned kernels;
} all;

any_function_t runtime(const char *name) {
  any_function_t f;
  void *symbol = dlsym(RTLD_DEFAULT, name);
  if (!symbol) {
    void *lib = dlopen("libcudart.so.13", RTLD_NOW | RTLD_GLOBAL);
    if (lib) symbol = dlsym(lib, name);
  }
  if (!symbol) {
    fprintf(stderr, "gmmu: there is no libcudart with %s\n", name);
    abort();
  }
  memcpy(&f, &symbol, sizeof f);
  return f;
}

static void put(uint8_t *to, uint64_t v, size_t bytes) { memcpy(to, &v, bytes); }

/* A fat binary with one image, as nvcc and `gmmu cc` write it. */
static int load(void) {
  size_t bytes = (size_t)(gmmu_blas_end - gmmu_blas_ptx), payload = (bytes + 7) & ~(size_t)7;
  uint8_t *b = calloc(1, REGION_BYTES + IMAGE_BYTES + payload), *image = b + REGION_BYTES;
  if (!b) return 2;
  put(b, 0xBA55ED50u, 4), put(b + 4, 1, 2), put(b + 6, REGION_BYTES, 2);
  put(b + 8, IMAGE_BYTES + payload, 8);
  put(image, 1, 2), put(image + 2, 0x0101, 2), put(image + 4, IMAGE_BYTES, 4);
  put(image + 8, payload, 8), put(image + 26, 6, 2), put(image + 28, ARCH, 4),
      put(image + 40, 0x11, 8);
  memcpy(image + IMAGE_BYTES, gmmu_blas_ptx, bytes);
  all.wrapper.magic = 0x466243B1u, all.wrapper.version = 1, all.wrapper.fatbin = b;
  all.handle = ((void **(*)(void *))runtime("__cudaRegisterFatBinary"))(&all.wrapper);
  ((void (*)(void **))runtime("__cudaRegisterFatBinaryEnd"))(all.handle);
  return all.handle ? 0 : 2;
}

static const char *find(const char *name) {
  for (unsigned i = 0; i < all.kernels; i++)
    if (strcmp(all.kernel[i], name) == 0) return all.kernel[i];
  if (all.kernels == MAX_KERNELS || (!all.handle && load())) return NULL;
  char *k = all.kernel[all.kernels++];
  snprintf(k, sizeof all.kernel[0], "%s", name);
  any_function_t any = runtime("__cudaRegisterFunction");
  ((void (*)(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
             int *))any)(all.handle, k, k, k, -1, NULL, NULL, NULL, NULL, NULL);
  return k;
}

int kernel_launch(const char *name, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                  void *stream, void **args) {
  typedef struct {
    unsigned x, y, z;
  } dims_t;
  pthread_mutex_lock(&lock);
  const char *k = find(name);
  pthread_mutex_unlock(&lock);
  if (!k) return 2;
  return CALL(cudaLaunchKernel, (const void *, dims_t, dims_t, void **, size_t, void *))(
      k, (dims_t){gx, gy, gz}, (dims_t){bx, by, 1}, args, 0, stream);
}

int not_there(int *said, const char *name, int error) {
  if (!*said)
    fprintf(stderr, "gmmu: %s is not supported: write it as a kernel of the program\n", name);
  *said = 1;
  return error;
}
