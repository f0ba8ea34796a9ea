/* Which launches a launch waits for. One that waits for all does not overlap; whatever comes behind
 * waits for it anyway, so nothing before it is remembered. */
#include "import/streams.h"
#include <string.h>

static uint32_t find(const streams_t *s, uint64_t handle) {
  uint32_t i = 0;
  while (i < s->streams && s->handle[i] != handle) i++;
  return i;
}

bool streams_full(const streams_t *s, uint64_t handle) {
  return handle && find(s, handle) == LAUNCH_MAX_AFTER;
}

void streams_wait(streams_t *s) {
  memcpy(s->ends, s->last, s->streams * sizeof *s->ends);
  s->end_count = s->streams;
  s->waited = s->launches;
}

/* It waits for all before it, and all behind for it. */
static void alone(streams_t *s) {
  s->streams = s->end_count = 0;
  s->waited = s->launches;
}

void streams_launch(streams_t *s, uint64_t handle, launch_t *l) {
  uint32_t n = 0, i = find(s, handle);
  uint64_t number = s->launches++;
  if (!handle || i == LAUNCH_MAX_AFTER) {
    alone(s);
    return;
  }
  bool known = i < s->streams;
  if (known && s->last[i] >= s->waited) /* what it waits for waited for the others */
    s->after[n++] = s->last[i];
  else
    for (; n < s->end_count; n++) s->after[n] = s->ends[n];
  if (!known) s->handle[s->streams++] = handle;
  s->last[i] = number;
  l->overlaps = true, l->stream = i + 1, l->after = s->after, l->afters = n;
}
