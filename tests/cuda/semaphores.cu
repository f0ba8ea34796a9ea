/* cuda::counting_semaphore and cuda::binary_semaphore: no more threads inside than there are
 * permits, and none is lost. */
#include "check.h"
#include <cuda/atomic>
#include <cuda/semaphore>
#include <new>

enum { PERMITS = 3, BLOCKS = 12, TURNS = 4 };
typedef cuda::binary_semaphore<cuda::thread_scope_device> lock_t;
typedef cuda::counting_semaphore<cuda::thread_scope_device, PERMITS> permits_t;
struct shared {
  int unprotected, inside, most, none;
};

__global__ void make(lock_t *lock, permits_t *permits) {
  new (lock) lock_t(1);
  new (permits) permits_t(PERMITS);
}
__global__ void use(lock_t *lock, permits_t *permits, shared *s) {
  for (int i = 0; i < TURNS; i++) {
    permits->acquire();
    int now = atomicAdd(&s->inside, 1) + 1;
    atomicMax(&s->most, now);
    lock->acquire();
    int v = *(volatile int *)&s->unprotected;
    *(volatile int *)&s->unprotected = v + 1;
    lock->release();
    atomicSub(&s->inside, 1);
    permits->release();
  }
}
__global__ void rest(permits_t *permits, shared *s) {
  int n = 0;
  while (permits->try_acquire()) n++;
  s->none = n;
  permits->release(2);
  permits->acquire(), permits->acquire();
}

int main() {
  lock_t *lock;
  permits_t *permits;
  CUDA(cudaMalloc((void **)&lock, sizeof *lock));
  CUDA(cudaMalloc((void **)&permits, sizeof *permits));
  shared *s = device_zeros<shared>(1);
  make<<<1, 1>>>(lock, permits);
  use<<<BLOCKS, 1>>>(lock, permits, s);
  rest<<<1, 1>>>(permits, s);
  LAUNCHED();
  shared r = to_host(s, 1)[0];
  want(r.unprotected == BLOCKS * TURNS, "every turn counted");
  want(r.inside == 0 && r.most >= 1 && r.most <= PERMITS, "no more inside than permits");
  want(r.none == PERMITS, "all permits are back");
  want(permits_t::max() >= PERMITS, "max()");
  return pass("semaphores");
}
