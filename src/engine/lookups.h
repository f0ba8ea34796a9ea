#ifndef GMMU_LOOKUPS_H
#define GMMU_LOOKUPS_H
/* Look-ups of one SM on their way from its load/store unit, which puts them in, to the stage of the
 * first-level TLB, which takes them out in order. */
#include "engine/request.h"
#include "gmmu/types.h"
#include <stdbool.h>

/* The lines of one page of one warp instruction, waiting for a TLB look-up. */
typedef struct {
  request_list_t lines;
  uint64_t ready; /* first cycle of the look-up */
  vpn_t vpn;
  asid_t asid;
  uint8_t slot;
  uint8_t order; /* log2 of the base pages of the page, whose first is vpn */
  bool last;     /* of its instruction */
  bool missed;   /* looked up before, and its page has not come in since: no use looking again */
  bool waited;   /* for an MSHR, which others have taken */
} group_t;

typedef struct {
  group_t *group; /* ring; */
  uint32_t head, count, mask;
  uint64_t at;      /* when the stage has work; UINT64_MAX: after an answer */
  uint64_t port_at; /* the first group has a port of the TLB in this cycle; 0: it has not asked */
  bool blocked;     /* the first group waits for a TLB MSHR */
  uint64_t blocked_since, blocked_cycles; /* since when; cycles of all earlier such waits */
} lookups_t;

/* For up to `groups` of them, a power of two. */
static inline int lookups_init(lookups_t *l, uint32_t groups, arrays_t *a) {
  *l = (lookups_t){
      .group = arrays_take(a, groups * sizeof *l->group), .mask = groups - 1, .at = UINT64_MAX};
  return l->group ? GMMU_OK : GMMU_ENOMEM;
}

/* The stage stops, or goes on, at cycle `now`. */
static inline void lookups_block(lookups_t *l, uint64_t now) {
  l->blocked = true;
  l->blocked_since = now;
}
static inline void lookups_unblock(lookups_t *l, uint64_t now) {
  l->blocked = false;
  l->blocked_cycles += now - l->blocked_since;
}
/* Cycles before `now` in which it was stopped. */
static inline uint64_t lookups_blocked(const lookups_t *l, uint64_t now) {
  return l->blocked_cycles + (l->blocked ? now - l->blocked_since : 0);
}
#endif
