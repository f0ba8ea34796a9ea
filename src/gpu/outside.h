#ifndef GMMU_GPU_OUTSIDE_H
#define GMMU_GPU_OUTSIDE_H
/* Mechanisms outside the tree, in plug-ins (gmmu/plugin.h, kind "mechanism"): they hear what
 * happens to translations, keep state, start walks ahead of time, and have options and counters
 * like a mechanism of the tree. This header is their whole contract; it is installed.
 *
 * A machine has the mechanism if the option <name>.on is true, which the machine adds to the
 * options by itself; where it is false, nothing is called and nothing is counted. The rules are
 * those of the tree: what a function does follows from its arguments, the options and the state
 * alone, and it allocates nothing. */
#include "base/opt.h"
#include "base/stat.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct outside outside_t;

/* A page of an application, and the SM that asked for it first. */
typedef struct {
  uint16_t sm;
  asid_t asid; /* also the application's number */
  vpn_t vpn;   /* in base pages */
} outside_page_t;

/* What the machine does for a mechanism. */
typedef struct {
  uint64_t (*now)(const outside_t *m); /* the cycle */
  /* Starts the walk of a page that nobody waits for; its translation goes into the last TLB level.
   * False if it is there or under way already, not in the page table, or finds no MSHR. */
  bool (*fetch)(outside_t *m, const outside_page_t *page);
  /* Calls arrived() with `what` (below 2^20) after `delay` cycles, one or more. False: too many are
   * under way (OUTSIDE_MESSAGES), and it will not come. */
  bool (*send)(outside_t *m, uint32_t delay, uint32_t what);
} outside_calls_t;
#define OUTSIDE_MESSAGES 64
#define OUTSIDE_WHAT     (1u << 20)

/* A mechanism of one machine; the state is zero at first. */
struct outside {
  const outside_calls_t *calls;
  const void *options; /* values of the row's options */
  void *state, *counters;
  size_t counters_bytes;
  uint32_t sms, apps, levels; /* levels of TLBs, the SMs' own included */
};
/* The counters of an application, as the row's list describes them. */
static inline void *outside_counters(const outside_t *m, uint32_t app) {
  return (char *)m->counters + app * m->counters_bytes;
}

/* A structure that the mechanism adds to the chip, for `gmmu cost`. */
typedef struct {
  const char *what, *where;
  uint64_t bits, count; /* of one of them; how many the chip has */
  char formula[160];    /* how these come about, with the numbers */
} outside_storage_t;
#define OUTSIDE_STORAGE 4 /* most structures of a mechanism */

/* Functions may be NULL: then nothing is told. */
typedef struct {
  const char *name, *help; /* small letters and digits: the group of its options and counters */
  const opt_t *options;    /* of a struct of options_bytes; ends with a NULL name. NULL: none */
  size_t options_bytes;
  const stat_desc_t *counters; /* of an application: uint64_t alone; ends with a NULL name */
  size_t counters_bytes;
  size_t state_bytes;
  void (*init)(outside_t *m);
  void (*looked_up)(outside_t *m, const outside_page_t *page); /* in an SM's TLB; hit or not */
  /* A request reached TLB level `level` (1: behind the SMs' own) and missed there. Misses that join
   * one under way in the level before are no request: of 32 warps that miss a page at once in an
   * SM's TLB one is told. Requests of several SMs are told one by one, also if they join in this
   * level. */
  void (*missed)(outside_t *m, const outside_page_t *page, uint32_t level);
  void (*walked)(outside_t *m, const outside_page_t *page, uint64_t cycles);
  void (*arrived)(outside_t *m, uint32_t what); /* what was sent */
  void (*epoch)(outside_t *m, uint64_t now);    /* every run.epoch cycles */
  bool (*check)(const outside_t *m);            /* its invariants; with --check */
  /* Structure i of its storage, from 0 on; false: there are no more. `m` has the options and the
   * machine's sizes; neither state, counters nor calls. */
  bool (*storage)(const outside_t *m, uint32_t i, outside_storage_t *s);
} mechanism_ops_t;
#endif
