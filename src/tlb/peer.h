#ifndef GMMU_TLB_PEER_H
#define GMMU_TLB_PEER_H
/* Peer look-up: on a miss, ask the first-level TLBs of other SMs before the next level.
 * The owner asks next() for the peer to try; after `latency` cycles it looks into that TLB and, on
 * a miss, asks again with attempt + 1 until next() says PEER_NONE. All functions but next may be
 * NULL. */
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

#define PEER_NONE UINT32_MAX

typedef struct {
  uint32_t tlbs, entries; /* first-level TLBs, entries of each */
} peer_env_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const peer_env_t *env);
  void (*init)(void *state, const peer_env_t *env);
  uint32_t (*next)(void *state, uint64_t now, uint32_t tlb, asid_t asid, vpn_t vpn,
                   uint32_t attempt, uint32_t *latency);
  bool (*keep)(void *state, uint32_t tlb, asid_t asid, vpn_t vpn); /* store a remote hit locally? */
  void (*filled)(void *state, uint32_t tlb, asid_t asid, vpn_t vpn);  /* that TLB took an entry */
  void (*evicted)(void *state, uint32_t tlb, asid_t asid, vpn_t vpn); /* that TLB lost an entry */
} peer_ops_t;

extern const peer_ops_t peer_none;
extern const peer_ops_t *const peer_all[]; /* NULL-terminated */
const peer_ops_t *peer_find(const char *name);
const char *peer_name(uint32_t i);
#endif
