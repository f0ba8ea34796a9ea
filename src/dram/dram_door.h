#ifndef GMMU_DRAM_DOOR_H
#define GMMU_DRAM_DOOR_H
/* What is done for every access that comes and goes: dram_push() and dram_take() for the machine,
 * inline. An access is described where it will wait:
 *   dram_req_t *r = door_room(door);  r->a = (dram_access_t){...};  door_push(door, r, at, write);
 * The door is the beginning of its channel. */
#include "base/inline.h"
#include "dram/dram_clock.h"
#include "dram/dram_req.h"
#include <assert.h>

/* The counters by name, and as an array for what is counted by number. */
typedef union {
  dram_stats_t named;
  struct {
    uint64_t accesses[2], bytes[2]; /* by direction */
    uint64_t outcome[3];
    uint64_t queue_cycles;
  } by;
} dram_counters_t;
_Static_assert(offsetof(dram_stats_t, write_bytes) == offsetof(dram_counters_t, by.bytes[1]), "");
_Static_assert(offsetof(dram_stats_t, row_hits) == offsetof(dram_counters_t, by.outcome), "");
_Static_assert(sizeof(dram_counters_t) == sizeof(dram_stats_t), "");

typedef struct {
  dram_req_t *unused;
  dram_list_t arrivals; /* not yet seen, in order of time */
  dram_list_t issued;   /* column command issued, not yet handed out */
  uint64_t outside;     /* command cycle of the next arrival or refresh */
  uint64_t wake;        /* see dram_wake() */
  dram_order_t order;   /* of the next access to bank 0 */
  clock_ratio_t edges;  /* command cycles per core cycle */
  uint32_t soonest[2];  /* by direction: core cycles from arrival to the end of data, at least */
  uint32_t fresh[2];    /* by direction: status of an access that comes */
  uint16_t pushed[2];   /* reads and writes; the lower bits */
  bool several_queues;  /* of the scheduler, whose reads are counted by queue, too */
  bool aside;           /* they are, or somebody hears of every access: dram_count_aside() */
  dram_watch_fn watch;  /* NULL: nobody */
  void *watch_ctx;
  uint32_t burst_bytes;
  dram_counters_t stats[GMMU_MAX_APPS][DRAM_CLASSES];
} dram_door_t;

static inline dram_door_t *dram_door(dram_t *d) { return (dram_door_t *)d; }

/* Is the access one that may come now? For assertions. */
bool dram_welcome(const dram_door_t *d, const dram_req_t *r);
void dram_count_aside(dram_door_t *d, const dram_req_t *r);

/* Where the next access is to be described. */
ALWAYS_INLINE dram_req_t *door_room(dram_door_t *d) {
  assert(d->unused);
  return d->unused;
}

/* dram_push() of the access in the room; `write` is its own, a constant where that is known. */
ALWAYS_INLINE uint64_t door_push(dram_door_t *d, dram_req_t *r, uint64_t at, uint32_t write) {
  uint64_t wake = at + d->soonest[write];
  r->seen = clock_scale(&d->edges, at) + 1;
  assert(dram_welcome(d, r) && r->a.write == write);
  r->order = d->order + r->a.bank;
  d->order += DRAM_BANKS_MAX;
  r->age = d->pushed[write]++;
  r->slot = rows_slot(&r->a);
  r->status = d->fresh[write];
  d->unused = r->next;
  list_put(&d->arrivals, r);
  if (r->seen < d->outside) d->outside = r->seen;
  if (wake < d->wake) d->wake = wake;
  return d->wake;
}

ALWAYS_INLINE void door_count(dram_door_t *d, const dram_req_t *r) {
  dram_counters_t *s = &d->stats[r->a.app][r->a.cls];
  KEEP(s);
  s->by.accesses[r->a.write]++;
  s->by.bytes[r->a.write] += r->a.bursts * d->burst_bytes;
  s->by.outcome[r->outcome]++;
  s->by.queue_cycles += r->issued - r->seen;
  if (d->aside) dram_count_aside(d, r);
}

/* dram_first() */
ALWAYS_INLINE uint64_t door_first(const dram_door_t *d) {
  return d->issued.head ? d->issued.head->done : UINT64_MAX;
}

/* dram_take(); what it returns holds until the next push. */
ALWAYS_INLINE const dram_req_t *door_take(dram_door_t *d) {
  dram_req_t *r = list_take(&d->issued);
  if (!r->counted) door_count(d, r);
  r->next = d->unused, d->unused = r;
  return r;
}
#endif
