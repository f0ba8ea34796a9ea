#ifndef GMMU_WALKER_H
#define GMMU_WALKER_H
/* The page-table walker: threads that each follow one walk, a queue before them, and an optional
 * page-walk cache of page-table entries. Every level is one read of an 8-byte entry, in the L2
 * cache or in DRAM, after the one before it has come back; or a read, or the whole walk, takes a
 * fixed time. */
#include "assoc/assoc.h"
#include "base/hist.h"
#include "base/opt.h"
#include "dram/dram_quota.h"
#include "engine/watch.h"
#include "gmmu/mm.h"
#include "walk/walkpolicy.h"

typedef struct {
  uint32_t threads;      /* walks under way at once */
  const char *policy;    /* which of those that wait is next: walkpolicy.h */
  uint32_t fixed_cycles; /* 0: real reads; else every walk takes this long */
  uint32_t read_cycles;  /* 0: reads through L2; else every read takes this long */
  uint32_t hop_cycles;   /* from the walker to an L2 slice, each way */
  bool pwc;              /* page-walk cache on */
  bool pwc_leaf;         /* it holds leaf entries too */
  uint32_t pwc_bytes, pwc_ways, pwc_line_bytes, pwc_latency_cycles;
  const char *pwc_replacement;
  uint32_t pwc_entries[MM_MAX_LEVELS]; /* of the arrays of levels, root first; all 0: one array */
  bool free_l2, free_dram; /* counterfactuals: a read costs no time there: l2_t.walk_free_* */
} walk_spec_t;
extern const opt_t walk_options[]; /* group "walk" */

#define WALK_STATS(X)                                                                              \
  X(walks, "walks", "page-table walks finished")                                                   \
  X(large_walks, "walks", "of them, walks that ended at a large page")                             \
  X(reads, "reads", "page-table entries asked for, all levels")                                    \
  X(pwc_hits, "reads", "answered by the page-walk cache")                                          \
  X(l2_hits, "reads", "answered by the L2 cache")                                                  \
  X(dram_reads, "reads", "that went to DRAM or joined a line on its way from there")               \
  X(queue_cycles, "cycles", "waited for a walker thread, summed over walks")                       \
  X(active_cycles, "walk-cycles",                                                                  \
    "walks under way, summed over cycles: over all cycles, the mean")                              \
  X(max_active, "walks", "most walks under way at once")                                           \
  X(warps_stalled, "warps", "distinct warps that waited for a walk, summed over walks")            \
  X(max_warps_stalled, "warps", "most warps that waited for one walk")
typedef struct {
#define X(n, u, h) uint64_t n;
  WALK_STATS(X)
#undef X
  hist_t latency, queue; /* cycles of a walk; in the queue */
  uint64_t level_reads[MM_MAX_LEVELS], level_hits[MM_MAX_LEVELS]; /* root first; hits: L2 cache */
  uint64_t level_pwc[MM_MAX_LEVELS], level_cycles[MM_MAX_LEVELS];
  uint64_t level_bypasses[MM_MAX_LEVELS]; /* reads that did not look into the L2 cache */
} walk_stats_t;

/* With mem.table=fs-hpt: where walks ended. */
#define HASHED_STATS(X)                                                                            \
  X(walks, "walks", "that found their page in the hashed table")                                   \
  X(probes, "places", "of the table that these would have looked at without its steps")            \
  X(radix, "walks", "that went on to the radix table, which has what found no place")              \
  X(absent, "walks", "that ended without a page")
typedef struct {
#define X(n, u, h) uint64_t n;
  HASHED_STATS(X)
#undef X
} hashed_stats_t;

typedef struct {
  uint32_t xlat;  /* the translation it serves */
  uint8_t app;    /* its application */
  uint32_t level; /* entries read so far */
  mm_walk_t path;
  uint64_t t_read;     /* the read under way began */
  bool timed;          /* it takes spec.read_cycles */
  walk_stats_t *stats; /* of app */
  uint32_t next;       /* free list */
  uint16_t sm;         /* where it runs, or WALK_IN_HARDWARE */
  bool issued;         /* there: its instructions up to the next read, or to its end, have issued */
} walk_thread_t;
#define WALK_IN_HARDWARE UINT16_MAX

#define PWC_NONE UINT8_MAX

/* spec.threads threads with their queue and page-walk cache: the whole GPU's, or a MIG instance's.
 */
typedef struct {
  uint32_t active;                 /* threads in use */
  uint32_t queue_head, queue_tail; /* of xlats, linked through xlat_t.next */
  assoc_t pwc[MM_MAX_LEVELS];      /* of each level; or the first is that of all: walker_t.pwc_of */
  void *state;                     /* of the policy */
} walk_unit_t;

/* With a policy, threads are walks from their arrival on, and walkers are counted apart. */
typedef struct {
  const walk_policy_t *ops;   /* NULL: one queue, in order of arrival */
  walk_view_t *view;          /* [walk] */
  uint32_t *walker;           /* [walk]: of all units; WALK_NONE: it waits */
  uint32_t *under_way;        /* [walker]: walks that it has begun */
  walk_policy_stats_t *stats; /* [app] */
  soft_spec_t soft;           /* walks on SMs: their options */
  uint32_t hardware;          /* walkers of a unit with a lower number are hardware */
  uint32_t crossbar_cycles;   /* each way, of reads by walks on SMs */
} walk_schedule_t;

typedef struct {
  walk_spec_t spec;
  walk_thread_t *thread; /* [walks] of all units */
  uint32_t walks;
  walk_schedule_t schedule;
  uint32_t free_head, active, queued;
  walk_unit_t *unit; /* [units]: one, or one for each application */
  uint32_t units;
  walk_unit_t *unit_of[GMMU_MAX_APPS];
  uint32_t pwc_line_shift;
  uint8_t pwc_of[MM_MAX_LEVELS]; /* the array that holds entries of a level, or PWC_NONE */
  walk_stats_t *stats;           /* [app] */
  hashed_stats_t *hashed;        /* [app]; NULL: page tables are radix trees */
  uint32_t *app_active;          /* [app] walks under way */
  uint64_t *app_since;           /* [app] since when */
  uint32_t apps;
  uint32_t line_mask; /* bytes of a line less one */
  dram_quota_t quota; /* MASK's, for the channels */
  bool pages_come;    /* a page that is not there is brought: NOT_THERE */
  bool fast; /* nobody watches, reads go to L2 only, without a way, and a table tells where */
  struct {
    WATCH(used, asid_t asid, vpn_t vpn);
    /* `thread` has its entry of `level`, for which it waited so long in DRAM; or had it from the
     * page-walk cache. */
    WATCH(read, uint32_t thread, uint32_t level, uint32_t dram_cycles, bool pwc_hit);
    WATCH(walked, uint32_t thread); /* before its answer goes out */
  } watch;
} walker_t; /* ports: ev, pool, xlat, memory, map, tlb */

/* `own`: every application has a unit for itself. `misses`: translations that may be under way. */
int walker_init(walker_t *w, const walk_spec_t *spec, uint32_t apps, bool own, uint32_t misses,
                err_t *e);
/* With a policy: its state in each unit; `env` has its options. */
int walker_init_policy(walker_t *w, const walk_env_t *env, err_t *e);
void walker_fini(walker_t *w);
/* Brings active_cycles up to `now`; call before the number of an application's walks changes. */
void walker_count(walker_t *w, uint8_t app, uint64_t now);
uint32_t walker_take(walker_t *w, uint8_t app, uint64_t now); /* a free thread must exist */
void walker_give(walker_t *w, uint32_t thread, uint8_t app, uint64_t now);
static inline walk_unit_t *walker_unit(const walker_t *w, uint8_t app) { return w->unit_of[app]; }
/* Each level has an array of its own. */
static inline bool walk_pwc_split(const walk_spec_t *s) {
  for (uint32_t l = 0; l < MM_MAX_LEVELS; l++)
    if (s->pwc_entries[l]) return true;
  return false;
}
/* The page-walk cache: look up, and fill, the entry of a level, which it holds, at physical address
 * `entry`. */
bool walker_pwc_lookup(walker_t *w, uint8_t app, uint32_t level, paddr_t entry);
void walker_pwc_fill(walker_t *w, uint8_t app, uint32_t level, paddr_t entry);
/* Page-table frames of these applications, a bit each, were freed. */
void walker_pwc_flush(walker_t *w, uint32_t apps);

/* Messages: a translation at the walker; a thread's next entry; a page-table read is answered. */
void walker_queue(walker_t *w, uint32_t xlat);
void walker_next(walker_t *w, uint32_t thread);
void walker_reply(walker_t *w, uint32_t request);
void walker_retarget(walker_t *w); /* pages of running applications have moved */
#endif
