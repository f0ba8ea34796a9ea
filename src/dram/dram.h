#ifndef GMMU_DRAM_H
#define GMMU_DRAM_H
/* One DRAM channel: banks, row buffers, a command bus, a data bus, and real timing constraints.
 *
 * Time inside is counted in DRAM command-clock cycles; edge n falls on core cycle ceil(n * q / p)
 * where p/q is DRAM clock over core clock. The channel works lazily: dram_push() only notes an
 * arrival, dram_run(until) takes every decision that falls before or on core cycle `until`, and
 * dram_take() hands out the accesses whose data has moved. A decision sees exactly the accesses
 * pushed at an earlier core cycle (the input register), so neither the order of events within a
 * core cycle nor how often dram_run() is called changes a result. It may be called late, by at most
 * dram_lag(), without anybody noticing, and for a time ahead, as far as no access can come any
 * more.
 *
 * Banks may be in groups, within which commands keep further apart (tCCD_L, tRRD_L, tWTR_L). A
 * pseudo channel of HBM is a channel of its own whose commands take twice the cycles of the bus,
 * since the other half is its twin's.
 *
 * Reads and writes wait in separate buffers. Reads are served until write_high writes wait or no
 * read does; then writes are, until no more than write_low wait (none, while no read waits). A
 * read never takes data from a waiting write, nor waits for it: the model is of time only.
 *
 * Waiting room: an access enters its queue (one of the scheduler's for a read, the write buffer
 * for a write) at the first edge that sees it if there is room, else it waits behind the earlier
 * ones of the same queue; a slot is free again from the column command of the access that held it,
 * and the next in line takes it in the same command cycle, to be served from the next one on. */
#include "base/arrays.h"
#include "base/counters.h"
#include "base/opt.h"
#include "base/policy.h"
#include "base/stat.h"
#include "gmmu/err.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

#define DRAM_BANKS_MAX    32
#define DRAM_GROUPS_MAX   8
#define DRAM_CHANNELS_MAX 256

typedef struct {
  uint32_t channels;                /* of the whole machine (for docs and the address map) */
  uint32_t banks;                   /* per channel, power of two, 1 .. 32 */
  uint32_t row_bytes;               /* per bank */
  uint32_t clock_mhz;               /* command clock */
  uint32_t bus_bytes, burst_length; /* bytes moved per burst = bus_bytes * burst_length */
  uint32_t data_rate;               /* transfers per command clock and pin: GDDR5 4, HBM 2 */
  uint32_t queue, write_queue;      /* scheduling window; write buffer */
  uint32_t write_high, write_low;   /* drain writes from high down to low */
  uint32_t trcd, trp, tcl, tcwl, tras, trc, tccd, trrd, tfaw, trtp, twr, twtr; /* command cycles */
  uint32_t groups;                 /* of banks: number & (groups - 1) is a bank's; 1: no groups */
  uint32_t tccd_l, trrd_l, twtr_l; /* within a group; not below the others */
  uint32_t command_cycles, activate_cycles; /* of its bus that a command fills; an activate */
  uint32_t turnaround;                      /* idle data-bus cycles between a read and a write */
  uint32_t trefi, trfc;                     /* 0: no refresh */
  bool bank_refresh;                        /* one bank every trefi / banks, not all every trefi */
  bool unlimited;                           /* no access waits for another: see run_unlimited() */
  bool unlimited_walks;  /* that, for page-table reads alone: they pass the others by */
  bool closed_row;       /* precharge with a column access after which no waiting access hits */
  bool one_queue;        /* writes wait among the reads, in `queue` */
  bool dual_command;     /* row and column commands have a bus each (HBM) */
  const char *scheduler; /* a name of dram_sched_all[] */
  const char *standard;  /* a name of dram_standard_name(), where what is not given comes from */
  uint64_t given;        /* bit per option that was set since the standard was named */
  uint32_t golden, silver, normal; /* scheduler mask: entries of its queues */
  uint32_t thresh_max;             /* its quotas together, see dram_quota.h */
  bool live_walks;                 /* they follow the walks under way, not an epoch's most */
} dram_spec_t;
extern const opt_t dram_options[]; /* group "dram" */

/* Standards (dram_standard.c). Option `name` was set: if it is the standard, all that the standard
 * gives takes its values; if it is the clock, what it gives and nobody has set since does again. */
void dram_spec_given(dram_spec_t *s, const char *name);
const char *dram_standard_name(uint32_t i); /* NULL behind the last; "none" is the first */
const char *dram_standard_help(uint32_t i);
bool dram_standard_gives(const opt_t *o); /* is the option one of those that standards set? */

typedef enum {
  DRAM_DATA,
  DRAM_WALK,
  DRAM_CLASSES
} dram_class_t; /* for statistics: data, translation */

typedef struct {
  uint32_t id;     /* the caller's; comes back unchanged */
  uint32_t row;    /* below UINT32_MAX */
  uint16_t bursts; /* >= 1, up to a row: consecutive column accesses of one row */
  uint8_t bank;
  uint8_t write;
  uint8_t app;
  uint8_t cls; /* dram_class_t */
  union {
    uint16_t level; /* DRAM_WALK: page-walk depth, 1 = root */
    uint16_t quota; /* DRAM_DATA: its application's, if the scheduler wants_quota; else 0 */
  };
} dram_access_t;

typedef struct {
  uint32_t id;
  uint8_t write;
  uint64_t done; /* core cycle at which the last byte has moved */
} dram_done_t;

/* Counters per application and class, declared in dram_stats_list. An access is a conflict if a
 * row had to be closed for it, else a miss if its row had to be opened for it, else a hit. */
typedef struct {
  uint64_t reads, writes, read_bytes, write_bytes;
  uint64_t row_hits, row_misses, row_conflicts;
  uint64_t queue_cycles; /* command cycles from the first that sees it to its column command; with
                            bank groups to the last of its bursts' */
} dram_stats_t;
extern const stat_desc_t dram_stats_list[];

/* Per application and queue of the scheduler, if it has more than one. */
#define DRAM_QUEUE_STATS(X)                                                                        \
  X(reads, "accesses", "reads of this queue whose column command has issued")                      \
  X(queue_cycles, "command cycles", "waiting from arrival to column command, summed")              \
  X(turns, "turns", "turns in the silver queue that began with one of them")
typedef struct {
#define X(n, u, h) uint64_t n;
  DRAM_QUEUE_STATS(X)
#undef X
} dram_queue_stats_t;
extern const stat_desc_t dram_queue_stats_list[];

typedef struct dram dram_t;

/* `core_mhz` gives the clock ratio. `max_waiting`: the most accesses ever inside at once. *out
 * lies among `a`; nothing is allocated after this. */
int dram_new(const dram_spec_t *spec, uint32_t core_mhz, uint32_t max_waiting, arrays_t *a,
             dram_t **out, err_t *e);
/* The access arrives at core cycle `at`; calls come with non-decreasing `at`, not below the
 * `until` of a dram_run() before. Returns dram_wake(). */
uint64_t dram_push(dram_t *d, uint64_t at, const dram_access_t *a);
/* Decide everything up to and including core cycle `until`, which may lie ahead of the present as
 * long as no later dram_push() comes with an earlier `at`. Returns dram_wake(). */
uint64_t dram_run(dram_t *d, uint64_t until);
/* The core cycle at or before which dram_run() must be called again: what is not decided yet
 * completes no earlier. Later than the last `until`; a push may lower it; UINT64_MAX when nothing
 * waits for a decision. */
uint64_t dram_wake(const dram_t *d);
/* `done` of the first access that is decided and not handed out; UINT64_MAX if there is none. */
uint64_t dram_first(const dram_t *d);
/* Hands out that access, of which there must be one: they come in order of decision, which is also
 * the order of `done` (with unlimited_walks: for who takes no access before it is done). Returns
 * dram_first() after it. */
uint64_t dram_take(dram_t *d, dram_done_t *out);
uint32_t dram_lag(const dram_t *d);     /* core cycles between a decision and its earliest `done` */
uint32_t dram_waiting(const dram_t *d); /* accesses pushed and not yet handed out */
/* An access is counted when it is handed out; this decides up to core cycle `core` and counts all
 * that had their column command by then. dram_wake() stays, so nobody else need know. */
void dram_count(dram_t *d, uint64_t core);
/* From now on somebody hears of every access when it is counted, with its bytes; NULL: nobody. */
typedef void (*dram_watch_fn)(void *ctx, const dram_access_t *a, uint32_t bytes);
void dram_watch(dram_t *d, dram_watch_fn watch, void *ctx);
const dram_stats_t *dram_stats(const dram_t *d, uint8_t app, dram_class_t cls);
const dram_queue_stats_t *dram_queue_stats(const dram_t *d, uint8_t app, uint32_t queue);
void dram_counters(dram_t *d, counters_t *c); /* all of these */
void *dram_scheduler_state(const dram_t *d);  /* NULL: it has none */
uint64_t dram_busy(const dram_t *d);          /* DRAM cycles in which the data bus moved data */
int dram_check(const dram_t *d, err_t *e);

/* ---- schedulers: one file each, dram_<name>.c, and one entry in dram_sched_all[] --------------
 */

#define DRAM_QUEUES   4    /* of a scheduler, at most */
#define DRAM_NO_QUEUE 0xff /* of a bank without a candidate */
#define DRAM_TURN     0x80 /* enqueue() adds it to the queue: with this access a turn begins */

/* A row hit may overtake accesses to other rows that arrived up to this many accesses before it,
 * so nothing starves. A guess, far beyond what a window of a few hundred entries needs. */
#define DRAM_HIT_LEAD 1024ull

/* An age as schedulers see it: smaller arrived earlier, unique; `n` accesses apart is
 * n * DRAM_BANKS_MAX, and the remainder is the bank, so the least of several names its bank. */
typedef uint64_t dram_order_t;

/* The request each bank would serve next, by bank: all reads, or all writes. */
typedef struct {
  dram_order_t order[DRAM_BANKS_MAX];
  const dram_access_t *access[DRAM_BANKS_MAX]; /* whose it is, what it is for */
  uint8_t queue[DRAM_BANKS_MAX]; /* its queue; `queues` for a write; or DRAM_NO_QUEUE */
  uint32_t of[DRAM_QUEUES + 1];  /* bit per bank: the same by queue */
  uint32_t hits;       /* bit per bank: the next command is a column access to the open row */
  dram_order_t oldest; /* of the buffer being served, candidate or not; only if wants_oldest */
} dram_candidates_t;

/* The oldest candidate of the banks in `mask` (not 0). */
static inline dram_order_t dram_oldest(const dram_candidates_t *c, uint32_t mask) {
  dram_order_t oldest = UINT64_MAX;
  do {
    dram_order_t order = c->order[__builtin_ctz(mask)];
    oldest = order < oldest ? order : oldest;
  } while (mask &= mask - 1);
  return oldest;
}
static inline int dram_bank_of(dram_order_t order) { return (int)(order % DRAM_BANKS_MAX); }

typedef struct {
  const char *name, *help;
  /* Queues inside the scheduling window, most important first. Within a bank a request of an
   * earlier queue goes before one of a later queue (if the earlier one yields: unless it arrived
   * DRAM_HIT_LEAD accesses after it); within a queue row hits go first (by DRAM_HIT_LEAD) if
   * row_first says so, else the oldest. The write buffer behaves as one more queue with the
   * row_first of the last. */
  uint32_t queues;
  const char *queue_name[DRAM_QUEUES];                           /* if there are several */
  uint32_t (*capacity)(const dram_spec_t *spec, uint32_t queue); /* NULL: spec->queue for each */
  bool row_first[DRAM_QUEUES], yields[DRAM_QUEUES];
  bool may_pass;     /* choose() may return -1; if not, a lone candidate issues without asking */
  bool wants_oldest; /* choose() uses `oldest` */
  bool wants_quota;  /* enqueue() uses dram_access_t.quota */
  size_t (*state_bytes)(const dram_spec_t *);         /* NULL: no state; zeroed at creation */
  void (*init)(void *state, const dram_spec_t *spec); /* NULL: zeroes will do */
  /* Which queue, for reads; NULL: 0. Called once, in order of arrival, when the access is first
   * seen: state that depends on accesses alone is the same however the channel is called. */
  uint32_t (*enqueue)(void *state, const dram_access_t *a);
  /* Which bank issues now: one of those in `ready` (at least one), whose next command may issue;
   * or -1 for none: then it is asked again when another bank becomes ready or a candidate changes
   * (so a scheduler that passes while nothing of that kind can come is stuck).
   * The answer may depend on the arguments and the state only. */
  int (*choose)(void *state, const dram_candidates_t *c, uint32_t ready);
  void (*served)(void *state, const dram_access_t *a); /* column access issued; NULL: no matter */
  const policy_own_t *own; /* of a plug-in: its options and counters; NULL: none */
} dram_sched_ops_t;
extern const dram_sched_ops_t dram_frfcfs, dram_mask; /* whom others name; the table has them all */
extern const dram_sched_ops_t *dram_sched_all[];      /* NULL-terminated */
const dram_sched_ops_t *dram_sched_find(const char *name);
#endif
