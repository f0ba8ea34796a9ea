/* What a launch has to wait for: the order that streams, events, the legacy default stream and the
 * waiting host demand. gmmu hears it with each launch; work itself is done in the order it is asked
 * for, which is one of those allowed.
 *
 * A point in that order is the last launch of each place before it. Launches of one place follow
 * each other: a stream has a place, the legacy stream the first; with more streams than places some
 * share one, and so wait more than they would have to. */
#include "cudart/rt.h"
#include <string.h>

void order_join(order_t *to, const order_t *from) {
  for (unsigned i = 0; i < ORDER_PLACES; i++)
    if (from->last[i] > to->last[i]) to->last[i] = from->last[i];
}

static bool is_blocking(cuda_stream_t s) { return !(s->flags & STREAM_NON_BLOCKING); }

static unsigned place_of(cuda_stream_t s) {
  return stream_is_default(s) ? 0 : 1 + (unsigned)((s->id - 1) % (ORDER_PLACES - 1));
}

/* Work in the legacy stream comes after all of every stream that waits for it. */
static order_t *legacy(rt_t *rt) {
  for (cuda_stream_t s = rt->streams; s; s = s->next)
    if (is_blocking(s)) order_join(&rt->legacy, &s->tail);
  return &rt->legacy;
}

order_t *order_of(rt_t *rt, cuda_stream_t s) {
  if (stream_is_default(s)) return legacy(rt);
  if (is_blocking(s)) order_join(&s->tail, &rt->legacy);
  return &s->tail;
}

void order_host_waits(rt_t *rt, const order_t *o) { order_join(&rt->host, o); }

void order_host_waits_all(rt_t *rt) {
  order_join(&rt->host, legacy(rt));
  for (cuda_stream_t s = rt->streams; s; s = s->next) order_join(&rt->host, &s->tail);
}

/* Beside streams that do not wait for it, a kernel of the legacy stream may run. */
static bool may_overlap(const rt_t *rt, cuda_stream_t s) {
  if (!stream_is_default(s)) return true;
  for (s = rt->streams; s; s = s->next)
    if (!is_blocking(s)) return true;
  return false;
}

void order_launch(rt_t *rt, cuda_stream_t s, wire_launch_t *l) {
  order_t *o = order_of(rt, s);
  order_join(o, &rt->host);
  unsigned place = place_of(s);
  if (rt->last.last[place] > o->last[place]) o->last[place] = rt->last.last[place];
  l->overlaps = may_overlap(rt, s);
  for (unsigned i = 0; l->overlaps && i < ORDER_PLACES; i++)
    if (o->last[i] > rt->alone) l->after[l->afters++] = o->last[i] - 1;
}

void order_launched(rt_t *rt, cuda_stream_t s, const wire_launch_t *l, uint64_t number) {
  order_of(rt, s)->last[place_of(s)] = rt->last.last[place_of(s)] = number + 1;
  if (!l->overlaps) rt->alone = number + 1; /* whatever comes later waits for it anyway */
}

void order_forget(rt_t *rt) {
  memset(&rt->host, 0, sizeof rt->host);
  memset(&rt->legacy, 0, sizeof rt->legacy);
}
