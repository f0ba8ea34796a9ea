#ifndef GMMU_TESTS_MACHINE_POLICIES_H
#define GMMU_TESTS_MACHINE_POLICIES_H
/* Policies of the tests' own, one for each kind of hook. They are put into a machine between its
 * creation and its run, so that the tables of the product hold only real ones; the machine frees
 * their state. */
#include "help.h"

/* TLB fill: only the first level is filled; what the others may not have goes, if there is a
 * buffer, into one of SIDE entries beside them. */
#define SIDE 8
typedef struct {
  struct {
    bool used, large;
    asid_t asid;
    uint64_t vpn, ppn;
  } entry[SIDE];
  uint32_t next;
  uint64_t allowed, lookups, hits, epochs, invalidated;
} side_t;
side_t *use_side(gpu_t *g, bool buffer);

/* Peers: ask the TLB to the left, once. */
#define PEER_CYCLES 41
typedef struct {
  uint32_t tlbs;
  bool keep; /* store a remote hit locally */
  uint64_t filled, evicted;
} left_t;
left_t *use_left(gpu_t *g, bool keep);

/* L2: one decision for data, one for walks; counts what it is asked and told, by level. */
typedef struct {
  uint64_t decided[8], told[8];
  uint64_t joined[8]; /* of those told */
  uint64_t writes;
  l2_decision_t data, walks;
} watch_t;
watch_t *use_watch(gpu_t *g, l2_decision_t data, l2_decision_t walks);
#endif
