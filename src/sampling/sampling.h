#ifndef GMMU_SAMPLING_H
#define GMMU_SAMPLING_H
/* A run in windows: skip (forward.c), warm (cycles that do not count), measure, and again. Windows
 * of a regular distance are a systematic sample of the whole run, those anywhere in their period a
 * stratified one; each statistic below is a ratio, whose mean over the windows has an interval. */
#include "base/counters.h"
#include "base/estimate.h"
#include "cache/l2.h"
#include "gmmu/types.h"
#include "sm/sm.h"
#include "tlb/xlat.h"
#include <stdbool.h>

#define SAMPLING_WINDOWS 10000 /* at most */
#define SETTLE_PART      4  /* of `skip`: no more than this part is spent on settling after it, */
#define BEGIN_PART       16 /* and of the first one this part on learning the pace */

typedef struct {
  const char *unit; /* of the next three: "instructions" of all warps, or "launches" that end */
  uint64_t skip, warm, measure;
  uint32_t windows; /* 0: until the run ends */
  uint32_t seed;    /* 0: windows at a regular distance; else anywhere in their period */
} sampling_spec_t;

/* What is kept of every window and application. */
#define WINDOW_STATS(X)                                                                            \
  X(cycles, "cycles", "of the window")                                                             \
  X(warp_instructions, "warp instructions", "issued")                                              \
  X(l1tlb_misses, "look-ups", "not answered at once in the first-level TLBs")                      \
  X(l2tlb_misses, "look-ups", "not answered at once in the second-level TLBs")                     \
  X(walks, "walks", "finished")                                                                    \
  X(l2_misses, "requests", "data, not in the L2 cache")                                            \
  X(dram_bytes, "bytes", "read and written in DRAM")
typedef struct {
#define X(n, u, h) uint64_t n;
  WINDOW_STATS(X)
#undef X
} window_t;

/* Estimates: `scale` times one of these over another (base/estimate.h). */
#define WINDOW_RATIOS(X)                                                                           \
  X(ipc, warp_instructions, cycles, 1, "warp instructions per cycle")                              \
  X(l1tlb_mpki, l1tlb_misses, warp_instructions, 1000, "L1 TLB misses per 1000 instructions")      \
  X(l2tlb_mpki, l2tlb_misses, warp_instructions, 1000, "L2 TLB misses per 1000 instructions")      \
  X(walks_pki, walks, warp_instructions, 1000, "walks per 1000 instructions")                      \
  X(l2_mpki, l2_misses, warp_instructions, 1000, "L2 data misses per 1000 instructions")           \
  X(dram_bytes_pki, dram_bytes, warp_instructions, 1000, "DRAM bytes per 1000 instructions")
enum {
#define X(n, num, den, scale, h) RATIO_##n,
  WINDOW_RATIOS(X)
#undef X
      WINDOW_RATIOS_COUNT
};
/* Of an application, with time (pace.c): instructions, memory accesses, and warp-cycles that waited
 * for results and data. */
typedef struct {
  uint64_t instructions, accesses, results, data;
} pace_sums_t;
#define PACE_ONE 256u
typedef struct {           /* in PACE_ONEs: */
  uint64_t between;        /* cycles of an instruction, */
  uint64_t data;           /* of the wait for an access's data; 0: not known, */
  uint64_t stretch, queue; /* what a cycle of an access counts for, and what it waits in queues */
  uint64_t alone, accesses, far; /* of this skip: cycles of accesses alone; those behind L1 */
} pace_t;
/* What an access takes. */
typedef struct {
  uint32_t data;    /* cycles of its data alone; 0: it is no access */
  uint64_t arrived; /* all its pages have, by the clock of rounds; 0: the first level has them */
} forward_wait_t;
/* An SM in a skip. */
typedef struct {
  tlb_t *first;           /* its TLB of the first level, and that of the second */
  tlb_instance_t *last;   /* (forward_note_tlbs()), */
  uint32_t tlb, last_tlb; /* and their numbers */
  uint16_t sm;
  uint64_t clock, ready;            /* when it last went on, and its mask of warps then */
  uint64_t due;                     /* none of these goes on before; UINT64_MAX: none at all */
  uint64_t pages;                   /* of its last access */
  int64_t lsu;                      /* pages its load/store unit may take, */
  int64_t issue[SM_MAX_SCHEDULERS]; /* and instructions that each of its schedulers may issue */
} forward_sm_t;

/* The page that was last used of a first-level TLB. */
typedef struct {
  uint64_t page;
  ppn_t ppn;
  uint32_t app, order;
} forward_page_t;

/* The read of a level that a walk did last, by an application. */
typedef struct {
  uint64_t pa;
  uint32_t app;
  l2_spot_t spot;
} forward_read_t;

/* A walk in a skip (walks.c); those that end one after the other; a walker unit; and all of them.
 */
typedef struct {
  uint64_t key, end;    /* of the page, as in xlat_t; by the clock of rounds */
  vpn_t vpn;            /* as in xlat_t, whoever missed first: */
  ppn_t ppn;            /* these, */
  uint32_t chain, next; /* in its bucket; in its queue, or free */
  uint16_t last, sm;    /* the last TLB; */
  asid_t asid;
  uint8_t warp, order;
  bool large;
} forward_walk_t;
typedef struct {
  uint32_t head, tail, count;
} forward_queue_t;
/* MSHRs taken for pages that another TLB has, by the round in which they are free; after `round`.
 */
#define WALKS_ROUND  128 /* cycles */
#define WALKS_ROUNDS 64  /* more are not looked ahead */
typedef struct {
  uint64_t round;
  uint32_t count;
  uint16_t ends[WALKS_ROUNDS];
} forward_held_t;
typedef struct {
  forward_queue_t queue;
  uint32_t turn;                 /* the thread that is free first; */
  uint64_t *busy;                /* [thread]: until then */
  uint64_t cycles;               /* of a walk */
  uint64_t walks, cycles_before; /* with time, when they were last learned */
} forward_unit_t;
typedef struct {
  forward_walk_t *at;
  uint64_t *waits;           /* [walk * words]: a bit for each first-level TLB that waits for it */
  uint32_t *bucket, *misses; /* by a page's hash; [first-level TLB]: what it waits for */
  uint16_t *sm_of;           /* [first-level TLB]: an SM that uses it */
  forward_unit_t *unit, *unit_of[GMMU_MAX_APPS];
  forward_held_t *held; /* [first-level TLB] */
  uint32_t words, shift, free, count, units;
  bool usual;         /* tlb_warm_usual() */
  uint64_t first_end; /* of all */
  uint64_t drops;     /* of the TLBs, when these began */
} forward_walks_t;

/* What each kernel of an application did, by name; the last place has all further names. Kernels
 * that run at once count as the oldest of them. */
#define SAMPLING_KERNELS 32
typedef struct {
  char name[SAMPLING_KERNELS][64];
  uint64_t instructions[SAMPLING_KERNELS]; /* in all */
  uint32_t count, now;                     /* kernels; the one that runs, */
  uint64_t launch;                         /* the number of its launch and one more, */
  uint32_t run;                            /* of this execution */
  uint64_t position; /* of the application, up to which all has been counted */
} sampling_kernels_t;

/* SAMPLING_BEGINS: some of the first skip has time, so that the pace is known. SAMPLING_WAITS: the
 * machine has settled, and the window's place has not come yet. */
typedef enum {
  SAMPLING_BEGINS,
  SAMPLING_SKIPS,
  SAMPLING_WARMS,
  SAMPLING_WAITS,
  SAMPLING_MEASURES
} sampling_phase_t;

typedef struct {
  bool on;
  bool launches; /* the unit */
  bool again;    /* some was skipped: more follows in the next cycle */
  bool shown;    /* the run is over, and counters are those of the windows */
  sampling_phase_t phase;
  uint64_t target;  /* the phase ends when so much has been done */
  uint64_t begin;   /* cycle in which the window began */
  uint64_t stopped; /* SMs have not issued since this cycle */
  uint64_t most;    /* then the phase ends in any case */
  uint64_t lead;    /* what settling took at the most; 0: not known yet */
  bool skipped;     /* something was, before this window */
  /* the skip: */
  uint64_t clock;  /* of its rounds (forward.c) */
  uint64_t chance; /* of what an access takes */
  uint64_t pages;  /* of the last one */
  pace_t pace[GMMU_MAX_APPS];
  pace_sums_t before[GMMU_MAX_APPS]; /* when time last began */
  forward_walks_t walks;
  forward_sm_t *sm;                    /* [SM] */
  forward_page_t *page;                /* [first-level TLB] */
  forward_read_t read[MM_MAX_LEVELS];  /* [level] of walks */
  bool caches;                         /* are kept warm, too */
  uint64_t cached, fills;              /* instructions meanwhile, and lines that L2 took */
  uint64_t tail, tail_before;          /* they are for the last so many; in the skip before */
  uint64_t line_cycles, line_accesses; /* what lines of accesses took, behind their translation, */
  uint32_t line_mean;                  /* on the average, when they last were not kept warm */
  uint64_t forwarded_before;           /* skipped before this skip */
  uint32_t l1_cycles, l2_cycles, dram_cycles; /* of an access, if nobody else is there */
  /* and after it (restart.c): */
  uint64_t begun;               /* what had been done when the warm phase began */
  uint64_t drain;               /* when it last began to stop: since then nobody issues, */
  bool drains;                  /* and something is still under way */
  uint64_t lines_before;        /* under way then */
  uint32_t settled;             /* of all warp slots, so many have settled since the last skip */
  uint16_t *answers;            /* [slot] warp_t.answers then */
  uint64_t left[GMMU_MAX_APPS]; /* instructions to skip still, */
  uint64_t forwarded[GMMU_MAX_APPS]; /* and those skipped so far */
  uint64_t timed[GMMU_MAX_APPS];     /* instructions with time, when it was last skipped */
  window_t start[GMMU_MAX_APPS];     /* counters when the window, or a kernel in it, began */
  window_t *window;                  /* [window * apps + app] */
  window_t *piece;                   /* [(app * SAMPLING_KERNELS + kernel) * room + window] */
  uint64_t *member;                  /* [2 * room] for estimates.c */
  sampling_kernels_t *kernels;       /* [app] */
  uint32_t windows, room, apps;
  uint64_t cycles; /* of all windows */
  counters_t counters;
  err_t checked; /* what gpu_check() said before counters became those of the windows */
} sampling_t;

/* Of all windows (estimates.c). A kernel with so many has an error of its own: Cochran, Sampling
 * Techniques, asks for about twenty in each stratum that is made after the sample. */
#define SAMPLING_ALONE 20
void sampling_estimate(const sampling_t *s, uint32_t app, uint32_t ratio, estimate_t *out);
extern const char *const window_ratio_name[WINDOW_RATIOS_COUNT];
extern const char *const window_ratio_help[WINDOW_RATIOS_COUNT];
/* Instructions of kernels that no window met; *name: the one with the most, or NULL. Up to so many
 * permille do not matter (a guess). */
#define SAMPLING_UNSEEN_PERMILLE 10
uint64_t sampling_unseen(const sampling_t *s, uint32_t app, const char **name);
/* Instructions of all kernels; of one, in windows. */
uint64_t sampling_instructions(const sampling_t *s, uint32_t app);
uint64_t sampling_measured(const sampling_t *s, uint32_t app, uint32_t kernel);
#endif
