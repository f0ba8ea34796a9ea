/* The one rt_t of the process, its lock, and each thread's last error.
 * A child of fork() has a copy of the connection that is not its own: it may not ask anything. */
#define _GNU_SOURCE /* PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP */
#include "cudart/rt.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The interface of NVIDIA's library has no context argument, so this is the one global. The lock is
 * recursive: what is not supported may be found out, and told, with or without it. */
static rt_t the_runtime = {
    .lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, .socket = -1, .memory = -1};
static _Thread_local cuda_error_t last_error;

static void before_fork(void) { pthread_mutex_lock(&the_runtime.lock); }
static void in_parent(void) { pthread_mutex_unlock(&the_runtime.lock); }
static void in_child(void) {
  the_runtime.lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
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

/* gmmu tells the user when the program has ended; without gmmu there is nobody else to tell. */
static void tell_absent(const char *what) {
  rt_t *rt = rt_enter();
  wire_answer_t answer;
  struct iovec v = {(void *)(uintptr_t)what, strlen(what)};
  if (rt->status || wire_call(rt, WIRE_ABSENT, (const uint64_t[4]){0}, &v, 1, &answer))
    rt_say("%s is not supported", what);
  rt_leave_quietly(rt, cudaSuccess);
}

cuda_error_t rt_unsupported(bool *said, const char *what) {
  if (!__atomic_exchange_n(said, true, __ATOMIC_RELAXED)) tell_absent(what);
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
