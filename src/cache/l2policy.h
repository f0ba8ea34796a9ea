#ifndef GMMU_CACHE_L2POLICY_H
#define GMMU_CACHE_L2POLICY_H
/* L2 insertion policies: does a request look into the L2 cache, and does its data stay there?
 * Functions may be NULL: then everything looks and fills. */
#include "base/policy.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
  L2_NORMAL,
  L2_NO_FILL,
  L2_BYPASS
} l2_decision_t; /* BYPASS neither looks nor fills */

typedef enum {
  L2_HIT,      /* all it wanted was there */
  L2_JOINED,   /* it was under way, for another request */
  L2_BYPASSED, /* it did not look: policies are not told */
  L2_MISSED
} l2_outcome_t;

typedef struct {
  uint8_t app;
  uint8_t level; /* walk depth, 1 = root; 0 for data */
  bool write;
  uint32_t set; /* of all slices: where it would be looked for */
} l2_view_t;

/* Options of `walk-bypass`. */
typedef struct {
  uint32_t sample_sets; /* one set in so many takes walks of a level that bypasses */
  uint32_t min_looks;   /* fewer requests of an epoch tell nothing */
  bool joined;          /* who joins a line under way has hit */
} l2_bypass_spec_t;
extern const opt_t l2_bypass_options[]; /* group "l2bypass" */

typedef struct {
  uint32_t apps, slices, levels;
  const l2_bypass_spec_t *bypass;
} l2_env_t;

typedef struct {
  const char *name, *help;
  size_t (*state_bytes)(const l2_env_t *env);
  void (*init)(void *state, const l2_env_t *env);
  l2_decision_t (*decide)(void *state, const l2_view_t *v);
  void (*outcome)(void *state, const l2_view_t *v, l2_outcome_t o); /* of those that looked */
  void (*epoch)(void *state, uint64_t now);
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
} l2_policy_t;

extern const l2_policy_t l2_walk_bypass;   /* whom others name; the table has them all */
extern const l2_policy_t *l2_policy_all[]; /* NULL-terminated */
const l2_policy_t *l2_policy_find(const char *name);
const char *l2_policy_name(uint32_t i);
#endif
