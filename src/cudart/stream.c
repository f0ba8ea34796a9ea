/* Streams. All work is done in the order it is asked for, so waiting for one has nothing to wait
 * for; what its work may run beside is in order.c. */
#include "cudart/rt.h"
#include <stdlib.h>
#include <string.h>

/* cudaStreamLegacy and cudaStreamPerThread are handles too. */
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2, LOWEST_PRIORITY = 0, HIGHEST_PRIORITY = -5 };

typedef void (*callback_t)(cuda_stream_t stream, cuda_error_t status, void *data);
typedef void (*host_function_t)(void *data);

static bool is_default(cuda_stream_t s) { return (uintptr_t)s <= STREAM_PER_THREAD; }

cuda_error_t stream_check(const rt_t *rt, cuda_stream_t s) {
  cuda_stream_t k = rt->streams;
  if (rt->status) return rt->status;
  if (is_default(s)) return cudaSuccess;
  while (k && k != s) k = k->next;
  return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

bool stream_is_default(cuda_stream_t s) { return is_default(s); }
cuda_graph_t stream_capture(cuda_stream_t s) { return is_default(s) ? NULL : s->capture; }

uint64_t stream_id(cuda_stream_t s) { return is_default(s) ? 0 : s->id; }

void streams_forget(rt_t *rt) {
  while (rt->streams) {
    cuda_stream_t s = rt->streams;
    rt->streams = s->next;
    frontier_forget(&s->front);
    free(s);
  }
}

static int clamp_priority(int p) {
  return p > LOWEST_PRIORITY ? LOWEST_PRIORITY : p < HIGHEST_PRIORITY ? HIGHEST_PRIORITY : p;
}

API(cudaStreamCreateWithPriority, cuda_stream_t *out, unsigned flags, int priority) {
  rt_t *rt = rt_enter();
  if (!out || flags > 1) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_stream_t s = rt->status ? NULL : malloc(sizeof *s);
  if (!s) return rt_leave(rt, rt->status ? rt->status : cudaErrorMemoryAllocation);
  *s = (struct cuda_stream){.next = rt->streams,
                            .id = ++rt->stream_ids,
                            .flags = flags,
                            .priority = clamp_priority(priority)};
  *out = rt->streams = s;
  return rt_leave(rt, cudaSuccess);
}

API(cudaStreamCreateWithFlags, cuda_stream_t *out, unsigned flags) {
  return cudaStreamCreateWithPriority(out, flags, LOWEST_PRIORITY);
}

API(cudaStreamCreate, cuda_stream_t *out) { return cudaStreamCreateWithPriority(out, 0, 0); }

API(cudaStreamDestroy, cuda_stream_t s) {
  rt_t *rt = rt_enter();
  cuda_stream_t *at = &rt->streams;
  while (*at && *at != s) at = &(*at)->next;
  if (!*at) return rt_leave(rt, cudaErrorInvalidResourceHandle);
  if (!(s->flags & STREAM_NON_BLOCKING)) order_join(&rt->legacy, &s->tail);
  *at = s->next;
  frontier_forget(&s->front);
  free(s);
  return rt_leave(rt, cudaSuccess);
}

API(cudaStreamSynchronize, cuda_stream_t s) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, s);
  if (!error && stream_capture(s)) s->broken = true, error = cudaErrorStreamCaptureUnsupported;
  if (!error) order_host_waits(rt, order_of(rt, s));
  return rt_leave(rt, error);
}
ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize);
ALIAS(cudaStreamQuery, cudaStreamSynchronize);
ALIAS(cudaStreamQuery_ptsz, cudaStreamSynchronize);

API(cudaStreamWaitEvent, cuda_stream_t s, cuda_event_t event, unsigned flags) {
  (void)flags;
  rt_t *rt = rt_enter();
  cuda_error_t error = event ? stream_check(rt, s) : cudaErrorInvalidResourceHandle;
  if (!error && event->capture && !is_default(s)) { /* it joins in */
    s->capture = event->capture;
    if (!frontier_join(&s->front, &event->front)) error = cudaErrorMemoryAllocation;
  }
  if (!error && !event->capture) order_join(order_of(rt, s), &event->at);
  return rt_leave(rt, error);
}
ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent);

API(cudaStreamGetFlags, cuda_stream_t s, unsigned *flags) {
  rt_t *rt = rt_enter();
  cuda_error_t error = flags ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error) *flags = is_default(s) ? 0 : s->flags;
  return rt_leave(rt, error);
}
ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags);

API(cudaStreamGetPriority, cuda_stream_t s, int *priority) {
  rt_t *rt = rt_enter();
  cuda_error_t error = priority ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error) *priority = is_default(s) ? 0 : s->priority;
  return rt_leave(rt, error);
}
ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority);

API(cudaStreamGetId, cuda_stream_t s, unsigned long long *id) {
  rt_t *rt = rt_enter();
  cuda_error_t error = id ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error) *id = stream_id(s);
  return rt_leave(rt, error);
}
ALIAS(cudaStreamGetId_ptsz, cudaStreamGetId);

API(cudaStreamGetDevice, cuda_stream_t s, int *device) {
  rt_t *rt = rt_enter();
  cuda_error_t error = device ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error) *device = 0;
  return rt_leave(rt, error);
}
ALIAS(cudaStreamGetDevice_ptsz, cudaStreamGetDevice);

/* --- attributes: policies of caches and of waiting, kept for whoever asks --- */

static cuda_error_t attribute_check(const rt_t *rt, cuda_stream_t s, int id, const void *value) {
  bool ok = value && id > 0 && id < STREAM_ATTRIBUTES;
  return ok ? stream_check(rt, s) : cudaErrorInvalidValue;
}

API(cudaStreamSetAttribute, cuda_stream_t s, int id, const void *value) {
  rt_t *rt = rt_enter();
  cuda_error_t error = attribute_check(rt, s, id, value);
  if (error || is_default(s)) return rt_leave(rt, error);
  s->attribute[id].set = true;
  memcpy(s->attribute[id].value, value, STREAM_VALUE_BYTES);
  return rt_leave(rt, cudaSuccess);
}
ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute);

API(cudaStreamGetAttribute, cuda_stream_t s, int id, void *value) {
  rt_t *rt = rt_enter();
  cuda_error_t error = attribute_check(rt, s, id, value);
  if (!error) memset(value, 0, STREAM_VALUE_BYTES);
  if (!error && !is_default(s) && s->attribute[id].set)
    memcpy(value, s->attribute[id].value, STREAM_VALUE_BYTES);
  return rt_leave(rt, error);
}
ALIAS(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute);

API(cudaStreamCopyAttributes, cuda_stream_t to, cuda_stream_t from) {
  rt_t *rt = rt_enter();
  cuda_error_t error = stream_check(rt, to);
  if (!error) error = stream_check(rt, from);
  if (!error && !is_default(to) && !is_default(from))
    memcpy(to->attribute, from->attribute, sizeof to->attribute);
  return rt_leave(rt, error);
}
ALIAS(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes);

API(cudaDeviceGetStreamPriorityRange, int *least, int *greatest) {
  rt_t *rt = rt_enter();
  if (least) *least = LOWEST_PRIORITY;
  if (greatest) *greatest = HIGHEST_PRIORITY;
  return rt_leave(rt, cudaSuccess);
}

/* Callbacks run at once, without the lock: what they would wait for is done. */
API(cudaStreamAddCallback, cuda_stream_t s, callback_t callback, void *data, unsigned flags) {
  rt_t *rt = rt_enter();
  cuda_error_t error = callback && !flags ? stream_check(rt, s) : cudaErrorInvalidValue;
  cuda_error_t status = rt->sticky;
  rt_leave(rt, error);
  if (!error) callback(s, status, data);
  return error;
}
ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);

API(cudaLaunchHostFunc, cuda_stream_t s, host_function_t function, void *data) {
  rt_t *rt = rt_enter();
  cuda_error_t error = function ? stream_check(rt, s) : cudaErrorInvalidValue;
  if (!error && stream_capture(s)) return rt_leave(rt, capture_host(s, function, data));
  rt_leave(rt, error);
  if (!error) function(data);
  return error;
}
ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);
