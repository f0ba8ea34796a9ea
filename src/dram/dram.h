#ifndef GMMU_DRAM_H
#define GMMU_DRAM_H
/* One DRAM channel: banks, row buffers, a command bus, a data bus, and real timing constraints.
 *
 * Time inside is counted in DRAM command-clock cycles; edge n falls on core cycle ceil(n * q / p)
 * where p/q is DRAM clock over core clock. The channel works lazily: dram_push() only notes an
 * arrival, dram_run(until) takes every decision that falls before or on core cycle `until` and
 * hands out the accesses whose data moved, with the core cycle at which they are complete.
 * Decisions at time t see only requests that have arrived by t, so the result does not depend on
 * how often dram_run() is called; it may be called late, by at most dram_lag(), without anybody
 * noticing. */
#include "base/opt.h"
#include "gmmu/err.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

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
  uint32_t trefi, trfc;                                                        /* 0: no refresh */
  bool closed_row;       /* precharge after each column access with no row hit waiting */
  const char *scheduler; /* a name of dram_sched_all[] */
} dram_spec_t;
extern const opt_t dram_options[]; /* group "dram" */

typedef enum {
  DRAM_DATA,
  DRAM_WALK,
  DRAM_CLASSES
} dram_class_t; /* for statistics: data, translation */

typedef struct {
  uint32_t id; /* the caller's; comes back unchanged */
  uint32_t row;
  uint16_t bursts; /* >= 1: consecutive column accesses of one row */
  uint8_t bank;
  uint8_t write;
  uint8_t app;
  uint8_t cls;   /* dram_class_t */
  uint8_t level; /* page-walk depth, 1 = root; 0 for data */
} dram_access_t;

typedef struct {
  uint32_t id;
  uint8_t write;
  uint64_t done; /* core cycle at which the last byte has moved */
} dram_done_t;

/* Counters per application and class; see dram_stats_list in dram.c for names, units and help. */
typedef struct {
  uint64_t reads, writes, read_bytes, write_bytes;
  uint64_t row_hits, row_misses,
      row_conflicts;     /* bank open on the row / closed / open on another */
  uint64_t queue_cycles; /* core cycles from arrival to column command, summed */
} dram_stats_t;

typedef struct dram dram_t;

/* `core_mhz` gives the clock ratio. `max_waiting`: the most accesses ever inside at once. */
int dram_new(const dram_spec_t *spec, uint32_t core_mhz, uint32_t max_waiting, dram_t **out,
             err_t *e);
void dram_free(dram_t *d);
/* The access arrives at core cycle `at`; calls come with non-decreasing `at`. */
void dram_push(dram_t *d, uint64_t at, const dram_access_t *a);
/* Decide everything up to and including core cycle `until`; completed accesses go to out[] in order
 * of decision, at most `room`; returns how many. Fewer than room means all was decided. */
uint32_t dram_run(dram_t *d, uint64_t until, dram_done_t *out, uint32_t room);
/* The core cycle at or before which dram_run() must be called again: the next possible decision
 * plus the lag; UINT64_MAX when nothing waits. */
uint64_t dram_wake(const dram_t *d);
uint32_t dram_lag(const dram_t *d);     /* core cycles between a decision and its earliest `done` */
uint32_t dram_waiting(const dram_t *d); /* accesses pushed and not yet handed out */
const dram_stats_t *dram_stats(const dram_t *d, uint8_t app, dram_class_t cls);
uint64_t dram_busy(const dram_t *d); /* DRAM cycles in which the data bus moved data */
int dram_check(const dram_t *d, err_t *e);

/* ---- schedulers: one file each, dram_<name>.c, and one entry in dram_sched_all[]
 * ------------------ */

/* The request a bank would serve next, offered to the scheduler when its next command may issue
 * now. */
typedef struct {
  uint32_t order; /* age: smaller arrived earlier; unique */
  uint8_t bank;
  uint8_t row_hit; /* a column access to the open row */
  uint8_t cls;     /* dram_class_t */
  uint8_t app;
  uint8_t queue; /* what enqueue() returned */
} dram_candidate_t;

typedef struct {
  const char *name, *help;
  /* Queues inside the scheduling window, most important first. Within a bank a request of an
   * earlier queue goes before one of a later queue; within a queue row hits go first if row_first
   * says so, else the oldest. */
  uint32_t queues;
  uint32_t capacity[4]; /* entries of each queue; 0: as many as spec->queue */
  bool row_first[4];
  size_t (*state_bytes)(const dram_spec_t *);               /* NULL: no state */
  uint32_t (*enqueue)(void *state, const dram_access_t *a); /* which queue; NULL: queue 0 */
  /* Which of the n >= 1 candidates issues now, or -1 to let this cycle pass. `oldest` is the order
   * of the oldest request of all, ready or not. */
  int (*choose)(void *state, const dram_candidate_t *c, uint32_t n, uint32_t oldest);
  void (*served)(void *state,
                 const dram_access_t *a); /* column access issued; NULL: nothing to do */
} dram_sched_ops_t;
extern const dram_sched_ops_t dram_frfcfs, dram_fcfs;
extern const dram_sched_ops_t *const dram_sched_all[]; /* NULL-terminated */
const dram_sched_ops_t *dram_sched_find(const char *name);
#endif
