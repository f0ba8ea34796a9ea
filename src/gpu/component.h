#ifndef GMMU_GPU_COMPONENT_H
#define GMMU_GPU_COMPONENT_H
/* A row of the machine: a block or a mechanism with everything that the machine, its readers and
 * its docs want of it. Whatever goes over all blocks goes over the rows (components.def, and behind
 * them mechanisms.def): building, taking down, who listens to whom, epochs, the end of a run,
 * checks, options, statistics, storage. A field that is NULL means there is none. */
#include "assoc/assoc.h"
#include "base/counters.h"
#include "base/json.h"
#include "base/opt.h"
#include "base/stat.h"
#include "cache/l2policy.h"
#include "cost/cost.h"
#include "engine/request.h"
#include "gpu/mechanism.h"
#include "gpu/outside.h"
#include "sm/sm.h"

/* Blocks are built stage by stage, within one in the order of the rows. */
typedef enum {
  STAGE_APPS,      /* who is there */
  STAGE_MAP,       /* where addresses lie */
  STAGE_MEMORY,    /* who gets which */
  STAGE_BLOCKS,    /* the chip */
  STAGE_OBSERVERS, /* what needs to know it */
  STAGES
} stage_t;

/* Options, and where in the gpu_spec_t their values are; ends with a NULL prefix. A mechanism has
 * one group, whose values lie in its own part of the spec. */
typedef struct {
  const char *prefix, *help;
  const opt_t *list;
  size_t offset;
} option_group_t;

/* Counters, and the place they have in the JSON; ends with a NULL path. */
typedef struct {
  const char *path; /* "apps[].l1tlb" */
  const char *help;
  const stat_desc_t *list;
} stat_group_t;

/* Whom a row listens to: NULL, or a function that is told. */
typedef struct {
#define HOOK(name, list, ...) void (*name)(void *block, __VA_ARGS__);
#include "gpu/hooks.def"
#undef HOOK
} hooks_t;

typedef struct {
  const char *name;
  stage_t stage;
  size_t bytes; /* of a mechanism's state, which the machine allocates */
  const option_group_t *options;
  int (*init)(void *block, err_t *e); /* fini() follows in any case; the block was all zeroes */
  void (*fini)(void *block);
  /* After building: policy_give() for each of its policies that can be a plug-in's. */
  void (*policies)(void *block, mechanisms_t *m);
  /* Whom it listens to from now on, NULL: nobody. Asked after building, and when a timeline begins
   * or ends; then, if all have said, ready() lets blocks choose their fast paths. */
  const hooks_t *(*hooks)(const void *block);
  void (*ready)(void *block);
  void (*epoch)(void *block);                /* every run.epoch cycles */
  void (*settle)(void *block);               /* the end of a run: from the last row to the first */
  int (*check)(const void *block, err_t *e); /* invariants; after settle() also sums */
  const stat_group_t *stats;
  void (*counters)(void *block, counters_t *c); /* where they lie, for a run in windows */
  void (*app_json)(const void *block, uint32_t app, json_t *j); /* members of apps[] */
  void (*evictions_json)(const void *block, json_t *j);         /* members of evictor_x_victim */
  void (*json)(const void *block, json_t *j);                   /* members of the whole */
  const cost_row_t *cost; /* the storage it adds; ends with a NULL mechanism */
} component_t;

/* ---- outside.c: mechanisms of plug-ins ---- */
int outside_add(const mechanism_ops_t *ops, err_t *e); /* checks it, and enters it as a row */
/* The same of a policy's options and counters. */
int outside_add_policy(const char *name, const char *help, const policy_own_t *own, err_t *e);
void outside_drop(uint32_t count); /* those from number `count` on */
uint32_t outside_count(void);
const component_t *outside_row(uint32_t i);
/* Whether a machine of this spec has it. */
bool outside_on(const mechanism_ops_t *ops, const gpu_spec_t *s);

/* What a policy has of its own in this machine; NULL: nothing. From now on it is in the statistics.
 */
const policy_mine_t *policy_mine(mechanisms_t *m, const policy_own_t *own);
static inline void policy_give(mechanisms_t *m, const policy_own_t *own, void *state) {
  const policy_mine_t *mine = policy_mine(m, own);
  if (mine && own->give) own->give(state, mine);
}
static inline void policy_give_assoc(mechanisms_t *m, const assoc_t *a) {
  if (a->repl) policy_give(m, a->repl->own, a->repl_state);
}

static inline int component_no_memory(err_t *e, const char *what) {
  return err_set(e, GMMU_ENOMEM, "out of memory for %s", what);
}
static inline int component_bad(err_t *e, const char *what, uint32_t index) {
  return err_set(e, GMMU_ECHECK, "%s %u: an invariant does not hold", what, index);
}
/* In a check of application `a`: what is counted twice is the same. */
#define CHECK_SAME(e, a, x, y)                                                                     \
  if ((x) != (y))                                                                                  \
  return err_set(e, GMMU_ECHECK, "application %u: %s is %llu, %s is %llu", a, #x,                  \
                 (unsigned long long)(x), #y, (unsigned long long)(y))
#endif
