/* Events: a point of simulated time. Work before it is done when it is recorded. */
#include "cudart/rt.h"
#include <stdlib.h>

enum { EVENT_NO_TIMING = 2, EVENT_FLAGS = 7 };

void events_forget(rt_t *rt) {
  while (rt->events) {
    cuda_event_t e = rt->events;
    rt->events = e->next;
    frontier_forget(&e->front);
    free(e);
  }
}

static cuda_error_t event_check(const rt_t *rt, cuda_event_t e) {
  cuda_event_t k = rt->events;
  if (rt->status) return rt->status;
  while (k && k != e) k = k->next;
  return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

API(cudaEventCreateWithFlags, cuda_event_t *out, unsigned flags) {
  rt_t *rt = rt_enter();
  if (!out || (flags & ~(unsigned)EVENT_FLAGS)) return rt_leave(rt, cudaErrorInvalidValue);
  cuda_event_t e = rt->status ? NULL : calloc(1, sizeof *e);
  if (!e) return rt_leave(rt, rt->status ? rt->status : cudaErrorMemoryAllocation);
  e->next = rt->events, e->flags = flags;
  *out = rt->events = e;
  return rt_leave(rt, cudaSuccess);
}

API(cudaEventCreate, cuda_event_t *out) { return cudaEventCreateWithFlags(out, 0); }

API(cudaEventDestroy, cuda_event_t e) {
  rt_t *rt = rt_enter();
  cuda_event_t *at = &rt->events;
  while (*at && *at != e) at = &(*at)->next;
  if (!*at) return rt_leave(rt, cudaErrorInvalidResourceHandle);
  *at = e->next;
  frontier_forget(&e->front);
  free(e);
  return rt_leave(rt, cudaSuccess);
}

cuda_error_t event_record(rt_t *rt, cuda_event_t e, cuda_stream_t stream) {
  wire_answer_t answer;
  cuda_error_t error = event_check(rt, e);
  if (!error) error = stream_check(rt, stream);
  if (!error) e->capture = stream_capture(stream);
  frontier_forget(&e->front);
  if (!error && e->capture)
    return frontier_join(&e->front, &stream->front) ? cudaSuccess : cudaErrorMemoryAllocation;
  if (!error) error = wire_ask(rt, WIRE_TIME, 0, 0, 0, 0, &answer);
  if (!error) e->time_ns = answer.r[0], e->recorded = true, e->at = *order_of(rt, stream);
  return error;
}

API(cudaEventRecordWithFlags, cuda_event_t e, cuda_stream_t stream, unsigned flags) {
  (void)flags;
  rt_t *rt = rt_enter();
  return rt_leave(rt, event_record(rt, e, stream));
}
ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags);

API(cudaEventRecord, cuda_event_t e, cuda_stream_t stream) {
  return cudaEventRecordWithFlags(e, stream, 0);
}
ALIAS(cudaEventRecord_ptsz, cudaEventRecord);

API(cudaEventSynchronize, cuda_event_t e) {
  rt_t *rt = rt_enter();
  cuda_error_t error = event_check(rt, e);
  if (!error) order_host_waits(rt, &e->at);
  return rt_leave(rt, error);
}
ALIAS(cudaEventQuery, cudaEventSynchronize);

API(cudaEventElapsedTime, float *ms, cuda_event_t from, cuda_event_t to) {
  rt_t *rt = rt_enter();
  cuda_error_t error = ms ? event_check(rt, from) : cudaErrorInvalidValue;
  if (!error) error = event_check(rt, to);
  if (!error && (!from->recorded || !to->recorded || ((from->flags | to->flags) & EVENT_NO_TIMING)))
    error = cudaErrorInvalidResourceHandle;
  if (!error) *ms = (float)((double)(int64_t)(to->time_ns - from->time_ns) / 1e6);
  return rt_leave(rt, error);
}
ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);
