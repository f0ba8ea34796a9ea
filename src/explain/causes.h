#ifndef GMMU_CAUSES_H
#define GMMU_CAUSES_H
/* The twelve causes of what translation costs, each with the machine that lacks it: settings that
 * remove this cause and nothing else. docs/explain.md has a section on each. */
#include "base/strbuf.h"
#include "gpu/spec.h"

typedef enum {
  CAUSE_L1_REACH,
  CAUSE_L2_REACH,
  CAUSE_L2_PORTS,
  CAUSE_L1_MSHRS,
  CAUSE_L2_MSHRS,
  CAUSE_THREADS,
  CAUSE_WALK_L2,
  CAUSE_WALK_DRAM,
  CAUSE_BANDWIDTH,
  CAUSE_FAULTS,
  CAUSE_LINK,
  CAUSE_HIDDEN, /* nothing: translation is hidden behind other work */
  CAUSES
} cause_t;

#define CAUSE_SETTINGS 16
#define CAUSE_BYTES    48

typedef struct {
  char at[CAUSE_SETTINGS][CAUSE_BYTES]; /* "key=value" */
  uint32_t count;
  const char *none; /* why there are none: this machine has nothing to remove */
} cause_settings_t;

typedef struct {
  const char *key;     /* "l1-reach" */
  const char *name;    /* "the reach of the L1 TLB" */
  const char *without; /* the machine without it: "L1 TLBs that hold every page" */
} cause_info_t;
extern const cause_info_t cause_info[CAUSES];

/* What removes the cause from this machine. Of CAUSE_HIDDEN: nothing. */
void cause_remove(cause_t cause, const gpu_spec_t *spec, cause_settings_t *out);
/* What to try next on a machine that one could build: arguments of `gmmu run`, with a blank before
 * each, " -s l2tlb.entries=1024,2048". `design` is the machine's. */
void cause_next(cause_t cause, const gpu_spec_t *spec, const char *design, strbuf_t *out);
#endif
