/* The one rt_t of the process, its lock, and each thread's last error.
 * A child of fork() has a copy of the connection that is not its own: it may not ask anything. */
#include "cudart/rt.h"
#include <stdarg.h>
#include <stdio.h>

/* The interface of NVIDIA's library has no context argument, so this is the one global. */
static rt_t the_runtime = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1, .memory = -1};
static _Thread_local cuda_error_t last_error;

static void before_fork(void) { pthread_mutex_lock(&the_runtime.lock); }
static void in_parent(void) { pthread_mutex_unlock(&the_runtime.lock); }
static void in_child(void) {
  pthread_mutex_init(&the_runtime.lock, NULL);
  if (the_runtime.tried && the_runtime.status == cudaSuccess)
    wire_abandon(&the_runtime, cudaErrorNotSupported);
}

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(before_fork, in_parent, in_child);
}

rt_t *rt_lock(void) {
  pthread_mutex_lock(&the_runtime.lock);
  return &the_runtime;
}

rt_t *rt_enter(void) {
  rt_t *rt = rt_lock();
  if (!rt->tried) {
    rt->tried = true;
    rt->status = wire_connect(rt);
  }
  return rt;
}

cuda_error_t rt_leave_quietly(rt_t *rt, cuda_error_t error) {
  pthread_mutex_unlock(&rt->lock);
  return error;
}

cuda_error_t rt_leave(rt_t *rt, cuda_error_t error) {
  if (error == cudaSuccess) error = rt->status ? rt->status : rt->sticky;
  if (error != cudaSuccess) last_error = error;
  return rt_leave_quietly(rt, error);
}

void rt_error_set(cuda_error_t error) { last_error = error; }

void rt_say(const char *format, ...) {
  char line[512];
  va_list ap;
  va_start(ap, format);
  vsnprintf(line, sizeof line, format, ap);
  va_end(ap);
  fprintf(stderr, "gmmu: %s\n", line);
}

cuda_error_t rt_unsupported(bool *said, const char *what) {
  if (!__atomic_exchange_n(said, true, __ATOMIC_RELAXED)) rt_say("%s is not supported", what);
  last_error = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}

API(cudaPeekAtLastError, void) {
  rt_t *rt = rt_lock();
  return rt_leave_quietly(rt, rt->sticky ? rt->sticky : last_error);
}

API(cudaGetLastError, void) {
  rt_t *rt = rt_lock();
  cuda_error_t error = rt->sticky ? rt->sticky : last_error;
  last_error = cudaSuccess;
  return rt_leave_quietly(rt, error);
}
