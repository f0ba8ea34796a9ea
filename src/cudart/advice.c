/* Advice on managed memory: kept for cudaMemRangeGetAttribute, and otherwise without effect,
 * because there is one memory. What is asked of a range is what the last advice on all of it said.
 */
#include "cudart/rt.h"
#include <stdlib.h>
#include <string.h>

enum { READ_MOSTLY = 1, PREFERRED, ACCESSED_BY, PREFETCHED }; /* cudaMemRangeAttribute */
enum { NO_DEVICE = -2 };                                      /* cudaInvalidDeviceId */

struct advice {
  advice_t *next;
  const char *first, *end;
  int about, value;
};

static void note(rt_t *rt, const void *p, size_t bytes, int about, int value) {
  advice_t *a = malloc(sizeof *a), **at = &rt->advice;
  if (!a) return;
  *a = (advice_t){NULL, p, (const char *)p + bytes, about, value};
  while (*at) { /* what it says anew is forgotten, so that loops of advice stay short */
    advice_t *old = *at;
    if (old->about == about && old->first >= a->first && old->end <= a->end)
      *at = old->next, free(old);
    else
      at = &old->next;
  }
  a->next = rt->advice, rt->advice = a;
}

/* cudaMemoryAdvise: 1 and 2, 3 and 4, 5 and 6 set and take back one thing each. */
void advice_given(rt_t *rt, const void *p, size_t bytes, int advice, int device) {
  bool set = advice & 1;
  int about = (advice + 1) / 2;
  note(rt, p, bytes, about, about == READ_MOSTLY ? set : set ? device : NO_DEVICE);
}

void advice_prefetched(rt_t *rt, const void *p, size_t bytes, int device) {
  note(rt, p, bytes, PREFETCHED, device);
}

void advice_freed(rt_t *rt, const void *p) {
  for (advice_t **at = &rt->advice; *at;) {
    advice_t *a = *at;
    if (a->first == p)
      *at = a->next, free(a);
    else
      at = &a->next;
  }
}

void advice_forget(rt_t *rt) {
  while (rt->advice) advice_freed(rt, rt->advice->first);
}

static cuda_error_t attribute(rt_t *rt, int *out, size_t room, int about, const void *p,
                              size_t bytes) {
  if (!out || room < sizeof *out || room % sizeof *out || about < READ_MOSTLY || about > PREFETCHED)
    return cudaErrorInvalidValue;
  cuda_error_t error = memory_is_managed(rt, p, bytes);
  if (error) return error;
  const advice_t *a = rt->advice;
  while (a &&
         !(a->about == about && a->first <= (const char *)p && a->end >= (const char *)p + bytes))
    a = a->next;
  *out = a ? a->value : about == READ_MOSTLY ? 0 : NO_DEVICE;
  for (size_t i = 1; i < room / sizeof *out; i++) out[i] = NO_DEVICE; /* a list of devices */
  return cudaSuccess;
}

API(cudaMemRangeGetAttribute, void *out, size_t room, int about, const void *p, size_t bytes) {
  rt_t *rt = rt_enter();
  return rt_leave(rt, attribute(rt, out, room, about, p, bytes));
}

API(cudaMemRangeGetAttributes, void **out, const size_t *room, const int *about, size_t count,
    const void *p, size_t bytes) {
  rt_t *rt = rt_enter();
  cuda_error_t error = out && room && about && count ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < count; i++)
    error = attribute(rt, out[i], room[i], about[i], p, bytes);
  return rt_leave(rt, error);
}
