#ifndef GMMU_DRAM_CHANNEL_H
#define GMMU_DRAM_CHANNEL_H
/* The memory channels as the machine sees them: an access goes in with channel_push(), and comes
 * out of the loop channels_due(), channel_run(), channel_take(). A calendar of 64 cycles tells
 * which channels have something to decide or to hand out, 64 channels to a word. */
#include "base/hist.h"
#include "base/json.h"
#include "dram/dram.h"
#include "dram/dram_door.h"
#include "dram/dram_quota.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "engine/watch.h"
#include "map/addrmap.h"

typedef struct {
  dram_t *dram;
  uint32_t inside, capacity; /* accesses between push and completion */
  uint64_t next;             /* cycle in which it must decide, or data is complete */
  uint64_t *due, bit;        /* its words of the calendar, by cycle modulo 64; its bit in them */
  uint32_t delay;            /* from channel_push(): all take it, so they come in order */
  bool special;              /* there is more to do for an access: see push_special() */
  uint32_t lookup;           /* of L2, if reads may bypass it: others are pushed after it */
  uint64_t padding;          /* to a cache line of the host */
} channel_t;
_Static_assert(sizeof(channel_t) == 64, "a channel fills one cache line");
#define CHANNEL_WORDS (DRAM_CHANNELS_MAX / 64)

typedef struct {
  channel_t *channel;
  channel_t **of_slice; /* [slice]: the channel behind it */
  uint32_t channels, words;
  uint64_t next;                   /* the first cycle in which one may be due */
  uint64_t due[CHANNEL_WORDS][64]; /* by cycle modulo 64: bit per channel that may be due then */
  uint64_t slots;                  /* those that are not 0 */
  uint8_t bursts[256];             /* of an access, by the sectors that travel */
  dram_quotas_t quota;
  WATCH(watch, const dram_access_t *a, uint32_t bytes); /* an access is counted */
  hist_t *latency; /* [app * CLASSES + class], core cycles from queue to data */
} channels_t;      /* ports: ev, pool, map, walker (its quotas) */

/* Of an application, over all channels; brings what is counted by time up to `until`. */
void channels_sum(const channels_t *d, uint32_t app, dram_class_t cls, dram_stats_t *out);
void channels_count(channels_t *d, uint64_t until);
void channels_bus_json(const channels_t *d, json_t *j);
/* Before a run: reads may bypass L2, and others take its look-up's cycles to get here. */
void channels_note_bypass(channels_t *d);
/* Messages: an access leaves L2; MASK's quotas; a line of a page that moves. */
void channels_push(channels_t *d, uint32_t request);
void channels_quota(channels_t *d, uint32_t which);
void channels_copy(channels_t *d, uint32_t request);
/* Like channel_push(), for callers that do not know the channel. */
void channel_read(channels_t *d, request_t *r, uint32_t id, uint8_t sectors);
void channel_write(channels_t *d, request_t *r, uint32_t id, uint8_t sectors);
#endif
