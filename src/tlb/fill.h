#ifndef GMMU_TLB_FILL_H
#define GMMU_TLB_FILL_H
/* TLB fill policies: who may put a translation into a shared TLB, and where it goes instead.
 * A policy may keep a small buffer of its own that is probed beside the TLB (a bypass cache). Any
 * function may be NULL: then every fill is allowed, nothing is probed, nothing is told. */
#include "base/policy.h"
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

/* Options of `tokens`. */
typedef struct {
  uint32_t initial_percent; /* of an application's warps, after its first epoch */
  uint32_t band_percent;    /* change of the miss rate, in points, that changes nothing */
  uint32_t step_percent;    /* of the warps, given or taken at the end of an epoch */
  bool climb;               /* go on while the miss rate falls, turn when it rises */
  uint32_t buffer_entries;  /* of the buffer beside each TLB of the last level */
} tokens_spec_t;
extern const opt_t tokens_options[]; /* group "tokens" */

typedef struct {
  uint32_t sms, warps, apps, levels;
  uint32_t instances;         /* TLBs of the last level */
  uint32_t large_pages_shift; /* log2 of the base pages under one of its entries for large pages;
                                 0: it has none, a large page takes an entry per base page */
  const tokens_spec_t *tokens;
} fill_env_t;

/* What a policy that limits who fills has to tell of an application. */
#define FILL_STATS(X)                                                                              \
  X(tokens, "warps",                                                                               \
    "that may fill the last TLB level, at the end; all it uses while there is no limit")           \
  X(token_cycles, "warp-cycles", "warps that may fill it, summed over cycles: over all, the mean") \
  X(warps, "warps", "warp slots it used in the last whole epoch")                                  \
  X(raised, "epochs", "at whose end its share was raised, or could be no larger")                  \
  X(lowered, "epochs", "at whose end it was lowered, or could be no smaller")                      \
  X(unchanged, "epochs", "at whose end its share stayed, of those with a rate to compare")         \
  X(displaced, "entries", "of the buffer beside the TLB that its own displaced")
typedef struct {
#define X(n, u, h) uint64_t n;
  FILL_STATS(X)
#undef X
} fill_stats_t;

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
  /* A block began or ended: the warp slots of the SM that the application has now. */
  void (*slots)(void *state, asid_t asid, uint32_t sm, uint64_t mask);
  void (*stats)(const void *state, uint32_t app, uint64_t now, fill_stats_t *out);
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
} fill_ops_t;

extern const fill_ops_t fill_tokens; /* whom others name; the table has them all */
extern const fill_ops_t *fill_all[]; /* NULL-terminated */
const fill_ops_t *fill_find(const char *name);
const char *fill_name(uint32_t i);
#endif
