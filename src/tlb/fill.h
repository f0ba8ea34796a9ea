#ifndef GMMU_TLB_FILL_H
#define GMMU_TLB_FILL_H
/* TLB fill policies: who may put a translation into a shared TLB, and where it goes instead.
 * A policy may keep a small buffer of its own that is probed beside the TLB (a bypass cache). Any
 * function may be NULL: then every fill is allowed, nothing is probed, nothing is told. */
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  uint32_t level;    /* 0: the SM's own TLB, 1: the next one, ... */
  uint32_t instance; /* which TLB of that level */
  uint16_t sm;       /* of the warp that missed first */
  uint8_t warp;      /* its place in the SM */
  asid_t asid;
  vpn_t vpn;
} fill_ctx_t;

typedef struct {
  uint32_t sms, warps, apps, levels;
} fill_env_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const fill_env_t *env);
  void (*init)(void *state, const fill_env_t *env);
  bool (*allow)(void *state, const fill_ctx_t *c); /* may this fill go in? */
  void (*denied)(void *state, const fill_ctx_t *c, ppn_t ppn, bool large); /* it went elsewhere */
  bool (*probe)(void *state, const fill_ctx_t *c, ppn_t *ppn,
                bool *large);                                    /* the buffer beside the TLB */
  void (*looked_up)(void *state, const fill_ctx_t *c, bool hit); /* every look-up, for miss rates */
  void (*epoch)(void *state, uint64_t now);                      /* every run.epoch_cycles */
  void (*invalidate)(void *state, asid_t asid, vpn_t vpn, uint64_t pages); /* page-table change */
} fill_ops_t;

extern const fill_ops_t fill_all_levels;
extern const fill_ops_t *const fill_all[]; /* NULL-terminated */
const fill_ops_t *fill_find(const char *name);
const char *fill_name(uint32_t i);
#endif
