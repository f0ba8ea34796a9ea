/* The channel: from decision to decision, never cycle by cycle.
 *
 * Every bank has at most one next command: that of the request the policy's rules put first within
 * the bank (its candidate). `when` holds, by kind of command (column, activate, precharge), the
 * earliest time each bank may issue it: the later of what the bank itself allows and of what all
 * banks share (`shared`: tCCD and turn-around, tRRD and tFAW, the bus of row commands). The next
 * decision is at the least over the banks, found for all of them together (dram_lanes.h).
 *
 * A candidate changes only when its bank's column command issues, when an access enters that goes
 * before it, when the served buffer switches between reads and writes, or at a refresh: a
 * precharge or activate is for the candidate, which stays.
 *
 * Times are command cycles except where a name says core. Those inside are relative to `base`,
 * which moves along (what is past becomes 0); only seen, outside, refresh_due and limit count from
 * the beginning.
 *
 * Invariants: when[kind] of a bank is set for the kind of its next command only. The floor is not
 * below the time of any decision taken. A line holds only accesses that have been seen, and only
 * while its queue is full. */
#include "dram/dram.h"
#include "base/inline.h"
#include "dram/dram_clock.h"
#include "dram/dram_lanes.h"
#include "dram/dram_log.h"
#include "dram/dram_window.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NEVER     UINT64_MAX
#define BASE_MOVE 8192 /* lanes reach 32767: leaves room for what lies ahead, see dram_spec.h */

enum { COLUMN, ACTIVATE, PRECHARGE, IDLE }; /* a bank's next command; IDLE: none */
enum { HIT, MISS, CONFLICT };               /* what a request met */

/* What a column command, by direction (0 read, 1 write), keeps busy; from the last of its train. */
typedef struct {
  uint32_t same, other; /* to the next column command of the same and of the other direction */
  uint32_t precharge;
  uint32_t end;      /* of its data */
  uint32_t end_core; /* the same in whole core cycles, rounded down */
} column_time_t;

/* The counters by name, and as an array for what is counted by number. */
typedef union {
  dram_stats_t named;
  struct {
    uint64_t accesses[2], bytes[2]; /* by direction */
    uint64_t outcome[3];
    uint64_t queue_cycles;
  } by;
} counters_t;
_Static_assert(offsetof(dram_stats_t, write_bytes) == offsetof(counters_t, by.bytes[1]), "order");
_Static_assert(offsetof(dram_stats_t, row_hits) == offsetof(counters_t, by.outcome), "order");
_Static_assert(sizeof(counters_t) == sizeof(dram_stats_t), "order");

struct dram {
  lanes_t when[IDLE + 1]; /* by kind; the last is never looked at */
  uint64_t base;          /* of all relative times */
  uint32_t shared[IDLE];  /* by kind; COLUMN: of the direction being served */
  uint32_t col_turned;    /* earliest column command of the other direction */
  int16_t floor;          /* no decision before this: it is past, or the scheduler passed */
  int16_t next;           /* decision, or LANE_NEVER; and the banks ready then */
  int16_t stop;           /* from here on look outside, at the limit and at the base first */
  uint32_t ready;
  uint64_t outside;            /* next arrival or refresh */
  uint64_t limit, wake_core;   /* decided up to here; see dram_wake() */
  const column_time_t *column; /* of the direction */
  uint32_t direction;          /* 0 reads, 1 writes are being served */
  uint32_t serving;            /* the queues of the direction, as bits */
  uint32_t writes_queue;       /* index of the write buffer */
  uint32_t spacing;            /* of the column commands of a train */
  uint32_t command_cycles;     /* a command fills the bus: 1, or 0 with two buses */
  uint32_t yields;             /* bit per queue: the scheduler's */
  bool may_pass;               /* the scheduler's */
  bool extras; /* a column command has more to do: log, closed_row or the scheduler's served() */
  const dram_sched_ops_t *ops;
  void *state;
  dram_log_t *log;
  uint32_t inside[2]; /* reads and writes in the window */
  uint32_t waiting;   /* everywhere, for a decision */
  dram_req_t *unused;
  dram_list_t issued;                              /* column command issued, not yet handed out */
  dram_list_t arrivals;                            /* not yet seen, in order of time */
  dram_list_t line[DRAM_LANES];                    /* seen, waiting for a slot of each queue */
  uint64_t lead[DRAM_LANES];                       /* of row hits, as a difference of orders */
  uint32_t used[DRAM_LANES], capacity[DRAM_LANES]; /* of the window */
  uint64_t pushes, refresh_due;
  uint8_t kind[DRAM_BANKS_MAX]; /* of that command */
  uint32_t faw[4];              /* the last activates, plus tFAW; faw_next is the oldest */
  uint32_t faw_next;
  uint32_t burst_cycles, burst_bytes;
  column_time_t time[2];
  dram_clock_t clock;
  dram_rows_t rows;
  dram_spec_t spec;
  dram_candidates_t candidate;
  dram_bank_t bank[DRAM_BANKS_MAX];
  counters_t stats[GMMU_MAX_APPS][DRAM_CLASSES];
  dram_queue_stats_t queue_stats[GMMU_MAX_APPS][DRAM_QUEUES];
  dram_req_t *pool;
  uint32_t max_waiting;
};

static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static __attribute__((noinline)) void record(dram_log_t *log, dram_cmd_t c) {
  if (log->count < log->capacity) log->cmd[log->count] = c;
  log->count++;
}

static inline void note(dram_t *d, uint32_t t, dram_cmd_kind_t cmd, const dram_access_t *a) {
  if (__builtin_expect(d->log != NULL, 0))
    record(d->log, (dram_cmd_t){d->base + t, a->row, a->id, a->bursts, (uint8_t)cmd, a->bank});
}

static inline void set_outside(dram_t *d) {
  const dram_req_t *r = d->arrivals.head;
  d->outside = r ? least(d->refresh_due, r->seen) : d->refresh_due;
}

/* --- banks by kind ---------------------------------------------------------------------------- */

/* A constraint shared by all commands of a kind, which only ever moves on. */
static inline void share(dram_t *d, uint32_t kind, uint32_t when) {
  d->shared[kind] = when;
  lanes_raise(&d->when[kind], d->spec.banks, (int16_t)when);
}

/* The next command of bank b, which has none, is of `kind`, not before `when`. */
static inline void place(dram_t *d, uint32_t b, uint32_t kind, uint32_t when) {
  when = later(when, d->shared[kind]);
  assert(when < LANE_NEVER);
  d->kind[b] = (uint8_t)kind;
  d->when[kind].at[b] = (int16_t)when;
}

static inline void unplace(dram_t *d, uint32_t b, uint32_t kind) {
  d->when[kind].at[b] = LANE_NEVER;
}

static uint32_t allowed(const dram_t *d, uint32_t b) {
  const dram_bank_t *bank = &d->bank[b];
  uint32_t own = d->kind[b] == COLUMN ? bank->col : d->kind[b] == ACTIVATE ? bank->act : bank->pre;
  return later(own, d->shared[d->kind[b]]);
}

static void rebase(uint32_t *t, uint64_t by) { *t = *t > by ? *t - (uint32_t)by : 0; }
static void rebase_lane(int16_t *t, uint64_t by) {
  if (*t != LANE_NEVER) *t = (int16_t)((uint64_t)*t > by ? (uint64_t)*t - by : 0);
}

/* It is `now`, counted from the beginning, and far from the base: move it. */
static __attribute__((noinline)) void move_base(dram_t *d, uint64_t now) {
  uint64_t by = now - d->base;
  d->base = now;
  for (uint32_t k = 0; k < IDLE; k++) rebase(&d->shared[k], by);
  for (uint32_t i = 0; i < 4; i++) rebase(&d->faw[i], by);
  rebase(&d->col_turned, by);
  rebase_lane(&d->floor, by), rebase_lane(&d->next, by);
  for (uint32_t b = 0; b < d->spec.banks; b++) {
    rebase(&d->bank[b].act, by), rebase(&d->bank[b].pre, by), rebase(&d->bank[b].col, by);
    if (d->kind[b] != IDLE) d->when[d->kind[b]].at[b] = (int16_t)allowed(d, b);
  }
}

/* --- candidates ------------------------------------------------------------------------------- */

_Static_assert(offsetof(dram_req_t, a) == 0, "an access is the beginning of its request");

/* For which the next command of bank b is. */
static inline dram_req_t *chosen(const dram_t *d, uint32_t b) {
  return (dram_req_t *)(uintptr_t)d->candidate.access[b];
}

static inline void set_candidate(dram_t *d, uint32_t b, const dram_req_t *r) {
  d->candidate.order[b] = r->order;
  d->candidate.access[b] = &r->a;
  d->candidate.queue[b] = r->queue;
}

/* In the first queue with requests: does the oldest hit go before the oldest of the others? */
static inline bool hit_goes_first(const dram_t *d, const dram_lane_t *lane, uint32_t queue) {
  const dram_req_t *hit = lane->hits.head, *other = lane->others.head;
  return hit && (!other || hit->order <= other->order + d->lead[queue]);
}

static uint64_t lane_oldest(const dram_lane_t *lane) {
  uint64_t hit = lane->hits.head ? lane->hits.head->order : NEVER;
  return lane->others.head ? least(hit, lane->others.head->order) : hit;
}

/* Several queues have requests for the bank: the first goes first, unless it yields to one that has
 * waited for too long. */
COLD uint32_t first_queue(const dram_t *d, const dram_bank_t *bank, uint32_t queues) {
  uint32_t first = (uint32_t)__builtin_ctz(queues);
  if (!(d->yields >> first & 1)) return first;
  uint64_t order = lane_oldest(&bank->lane[first]);
  for (uint32_t m = queues & (queues - 1); m; m &= m - 1) {
    uint32_t q = (uint32_t)__builtin_ctz(m);
    if (lane_oldest(&bank->lane[q]) + DRAM_HIT_LEAD * DRAM_BANKS_MAX < order) return q;
  }
  return first;
}

/* The candidate and next command of bank b, which has none. */
static inline void pick(dram_t *d, uint32_t b) {
  const dram_bank_t *bank = &d->bank[b];
  uint32_t queues = bank->has & d->serving;
  d->kind[b] = IDLE;
  d->candidate.hits &= ~bank->bit;
  if (!queues) {
    d->candidate.queue[b] = DRAM_NO_QUEUE;
    return;
  }
  uint32_t q = (uint32_t)__builtin_ctz(queues);
  if (queues & (queues - 1)) q = first_queue(d, bank, queues);
  const dram_lane_t *lane = &bank->lane[q];
  if (hit_goes_first(d, lane, q)) {
    set_candidate(d, b, lane->hits.head);
    d->candidate.hits |= bank->bit;
    place(d, b, COLUMN, bank->col);
    return;
  }
  set_candidate(d, b, lane->others.head);
  if (bank->row == DRAM_NO_ROW)
    place(d, b, ACTIVATE, bank->act);
  else
    place(d, b, PRECHARGE, bank->pre);
}

static void pick_all(dram_t *d) {
  for (uint32_t b = 0; b < d->spec.banks; b++) unplace(d, b, d->kind[b]), pick(d, b);
}

static __attribute__((noinline)) void serve(dram_t *d, uint32_t direction) {
  uint32_t writes = 1u << d->writes_queue;
  if (d->direction != direction) {
    uint32_t turned = d->col_turned;
    d->col_turned = d->shared[COLUMN], d->shared[COLUMN] = turned;
  }
  d->direction = direction;
  d->column = &d->time[direction];
  d->serving = direction ? writes : writes - 1;
  pick_all(d);
}

/* --- entering --------------------------------------------------------------------------------- */

/* Does the access that just entered go before its bank's candidate? */
static inline bool goes_first(const dram_t *d, const dram_req_t *r, bool hit) {
  uint32_t b = r->a.bank, kind = d->kind[b], queue = d->candidate.queue[b];
  return kind == IDLE || r->queue < queue || (hit && kind != COLUMN && r->queue == queue);
}

/* Does it make the channel turn to the other direction? */
static inline bool turns(const dram_t *d, bool write) {
  uint32_t writes = d->inside[1];
  return write ? writes >= d->spec.write_high || !d->inside[0] : writes <= d->spec.write_low;
}

/* Returns whether a candidate changed. */
static inline bool enter(dram_t *d, dram_req_t *r, int16_t t) {
  bool hit = rows_add(&d->rows, &d->bank[r->a.bank], r);
  d->used[r->queue]++;
  d->inside[r->a.write]++;
  if (d->direction != r->a.write) {
    if (!turns(d, r->a.write)) return false;
    d->floor = t;
    serve(d, r->a.write);
    return true;
  }
  if (!goes_first(d, r, hit)) return false;
  d->floor = t;
  unplace(d, r->a.bank, d->kind[r->a.bank]);
  pick(d, r->a.bank);
  return true;
}

/* The next arrival is seen. Returns whether a candidate changed. */
static inline bool arrive(dram_t *d) {
  dram_req_t *r = list_take(&d->arrivals);
  int16_t t = (int16_t)(r->seen - d->base);
  set_outside(d);
  if (d->ops->enqueue && !r->a.write) {
    uint32_t queue = d->ops->enqueue(d->state, &r->a);
    rows_queue(r, queue & ~(uint32_t)DRAM_TURN);
    r->turn = queue & DRAM_TURN;
    assert(r->queue < d->writes_queue);
  }
  if (d->used[r->queue] < d->capacity[r->queue]) return enter(d, r, t);
  list_put(&d->line[r->queue], r);
  return false;
}

/* --- commands --------------------------------------------------------------------------------- */

/* With one bus the floor keeps a cycle to one command; with two, row commands need this. */
static inline void row_command(dram_t *d, uint32_t t) {
  if (d->command_cycles) return;
  share(d, PRECHARGE, t + 1);
  share(d, ACTIVATE, later(d->shared[ACTIVATE], t + 1));
}

static inline void precharge(dram_t *d, uint32_t b, uint32_t t) {
  dram_bank_t *bank = &d->bank[b];
  note(d, t, DRAM_CMD_PRE, &chosen(d, b)->a);
  chosen(d, b)->outcome = CONFLICT;
  rows_close(&d->rows, bank);
  bank->act = later(bank->act, t + d->spec.trp);
  row_command(d, t);
  unplace(d, b, PRECHARGE);
  place(d, b, ACTIVATE, bank->act);
}

static inline void activate(dram_t *d, uint32_t b, uint32_t t) {
  dram_bank_t *bank = &d->bank[b];
  dram_req_t *r = chosen(d, b);
  note(d, t, DRAM_CMD_ACT, &r->a);
  if (r->outcome == HIT) r->outcome = MISS;
  rows_open(&d->rows, bank, r);
  bank->act = t + d->spec.trc;
  bank->pre = t + d->spec.tras;
  bank->col = t + d->spec.trcd;
  d->faw[d->faw_next] = t + d->spec.tfaw;
  d->faw_next = (d->faw_next + 1) & 3;
  unplace(d, b, ACTIVATE);
  share(d, ACTIVATE, later(t + d->spec.trrd, d->faw[d->faw_next]));
  row_command(d, t);
  d->candidate.hits |= bank->bit;
  place(d, b, COLUMN, bank->col);
}

/* What a train of column commands that starts at t keeps busy. Returns the end of its data. */
static inline uint32_t occupy(dram_t *d, const dram_access_t *a, dram_bank_t *bank, uint32_t t) {
  const column_time_t *c = d->column;
  uint32_t last = t + (a->bursts - 1u) * d->spacing;
  share(d, COLUMN, last + c->same);
  d->col_turned = last + c->other;
  bank->pre = later(bank->pre, last + c->precharge);
  return last + c->end;
}

/* closed_row: the precharge rides on the column command and happens as soon as the bank allows. */
static void close_with_column(dram_t *d, const dram_access_t *a) {
  dram_bank_t *bank = &d->bank[a->bank];
  note(d, bank->pre, DRAM_CMD_AUTO_PRE, a);
  rows_close(&d->rows, bank);
  bank->act = later(bank->act, bank->pre + d->spec.trp);
}

static __attribute__((noinline)) void column_extras(dram_t *d, const dram_access_t *a, uint32_t t) {
  note(d, t, a->write ? DRAM_CMD_WRITE : DRAM_CMD_READ, a);
  if (d->ops->served) d->ops->served(d->state, a);
  if (d->spec.closed_row && !d->bank[a->bank].hit) close_with_column(d, a);
}

/* After a column command: most often there is another hit, and the bank stays where it is. No
 * earlier queue can have a request, or the command would have been for that, if none yields. */
static inline void pick_again(dram_t *d, uint32_t b, uint32_t queue) {
  const dram_lane_t *lane = &d->bank[b].lane[queue];
  if (!d->yields && hit_goes_first(d, lane, queue)) {
    set_candidate(d, b, lane->hits.head);
    return;
  }
  unplace(d, b, COLUMN);
  pick(d, b);
}

/* A slot of `queue` is free: serve the other direction if it is time, let the next one in. */
static inline void leave(dram_t *d, uint32_t queue) {
  uint32_t left = --d->inside[d->direction];
  d->used[queue]--;
  if (d->direction == 0) {
    if (left == 0 && d->inside[1]) serve(d, 1);
  } else if (left == 0 || (d->inside[0] && left <= d->spec.write_low)) {
    serve(d, 0);
  }
  if (d->line[queue].head) enter(d, list_take(&d->line[queue]), d->floor);
}

static inline void column(dram_t *d, uint32_t b, uint32_t t) {
  dram_req_t *r = chosen(d, b);
  uint32_t queue = r->queue;
  r->issued = d->base + t;
  r->done = clock_core(&d->clock, d->base + occupy(d, &r->a, &d->bank[b], t));
  rows_take(&d->bank[b], r);
  if (d->extras) column_extras(d, &r->a, t);
  list_put(&d->issued, r);
  d->waiting--;
  pick_again(d, b, queue);
  leave(d, queue);
}

/* --- refresh ---------------------------------------------------------------------------------- */

/* From the due time on nothing else issues: open banks are precharged together as soon as all of
 * them allow it, then all banks are refreshed together. */
static __attribute__((noinline)) void refresh(dram_t *d) {
  static const dram_access_t none = {0};
  uint32_t t = later((uint32_t)(d->refresh_due - d->base), d->shared[PRECHARGE]), idle = 0;
  bool open = false;
  t = later(t, d->shared[COLUMN]);
  for (uint32_t b = 0; b < d->spec.banks; b++) {
    dram_bank_t *bank = &d->bank[b];
    idle = later(idle, bank->act);
    if (bank->row == DRAM_NO_ROW) continue;
    open = true;
    t = later(t, bank->pre);
    rows_close(&d->rows, bank);
  }
  if (open) note(d, t, DRAM_CMD_PRE_ALL, &none);
  t = later(open ? t + d->spec.trp : t, idle);
  note(d, t, DRAM_CMD_REFRESH, &none);
  for (uint32_t b = 0; b < d->spec.banks; b++) d->bank[b].act = t + d->spec.trfc;
  d->refresh_due += d->spec.trefi;
  d->floor = (int16_t)(t + 1);
  pick_all(d);
  set_outside(d);
}

/* --- deciding --------------------------------------------------------------------------------- */

static dram_order_t oldest(const dram_t *d) {
  uint64_t order = NEVER;
  for (uint32_t b = 0; b < d->spec.banks; b++)
    for (uint32_t m = d->bank[b].has & d->serving; m; m &= m - 1) {
      const dram_lane_t *lane = &d->bank[b].lane[__builtin_ctz(m)];
      if (lane->hits.head) order = least(order, lane->hits.head->order);
      if (lane->others.head) order = least(order, lane->others.head->order);
    }
  return order;
}

/* The scheduler passed at t: when does the next bank become ready? */
static int16_t next_ready(const dram_t *d, int16_t t) {
  int16_t next = LANE_NEVER;
  for (uint32_t b = 0; b < d->spec.banks; b++) {
    int16_t ready = d->when[d->kind[b]].at[b];
    if (ready > t && ready < next) next = ready;
  }
  return next;
}

/* The scheduler's choice among the ready banks, or -1. */
static inline int choose(dram_t *d, uint32_t ready) {
  if (!(ready & (ready - 1)) && !d->may_pass) return __builtin_ctz(ready);
  if (d->ops->wants_oldest) d->candidate.oldest = oldest(d);
  int b = d->ops->choose(d->state, &d->candidate, ready);
  assert(b >= -1 && b < DRAM_BANKS_MAX && (b < 0 ? d->ops->may_pass : ready >> b & 1));
  return b;
}

static inline void decide(dram_t *d, int16_t t, uint32_t ready) {
  int b = choose(d, ready);
  if (b < 0) {
    d->floor = next_ready(d, t);
    return;
  }
  d->floor = (int16_t)(t + (int)d->command_cycles);
  uint32_t kind = d->kind[b];
  if (kind == COLUMN)
    column(d, (uint32_t)b, (uint32_t)t);
  else if (kind == ACTIVATE)
    activate(d, (uint32_t)b, (uint32_t)t);
  else
    precharge(d, (uint32_t)b, (uint32_t)t);
}

/* No access completes before the core cycle this returns. Data moves in the order of the column
 * commands, so only the first of those matters. */
static uint64_t next_done(const dram_t *d) {
  uint64_t end = NEVER;
  if (d->next != LANE_NEVER) {
    uint64_t first = (uint64_t)d->next;
    if (!(d->ready & d->candidate.hits))
      first = least(first + d->spec.trcd, (uint64_t)lanes_least(&d->when[COLUMN], d->spec.banks));
    end = d->base + first;
    end = (end > d->limit ? end : d->limit + 1) + d->column->end;
  }
  if (d->waiting && d->outside < NEVER)
    end = least(end, d->outside + least(d->time[0].end, d->time[1].end));
  return end == NEVER ? NEVER : clock_core(&d->clock, end);
}

/* What comes from outside up to `end`, until a candidate changes; returns whether one did. */
static inline bool from_outside(dram_t *d, uint64_t end) {
  bool changed = false;
  while (!changed && d->outside <= end) {
    if (d->outside > d->base + BASE_MOVE) move_base(d, d->outside);
    if (d->arrivals.head && d->arrivals.head->seen <= d->outside)
      changed = arrive(d);
    else
      refresh(d), changed = true;
  }
  return changed;
}

static inline int16_t next_decision(dram_t *d) {
  return d->next = lanes_next(d->when, d->spec.banks, d->floor, &d->ready);
}

static inline void set_stop(dram_t *d) {
  d->stop = (int16_t)least(least(d->outside, d->limit + 1) - d->base, BASE_MOVE + 1);
}

/* The next decision is not before `stop`: do what comes before it. Returns whether the decision is
 * to be taken, that is, not behind the limit. */
static bool pass_stop(dram_t *d) {
  for (;;) {
    uint64_t t = d->next == LANE_NEVER ? NEVER : d->base + (uint64_t)d->next;
    if (d->outside <= t && from_outside(d, least(t, d->limit))) {
      next_decision(d);
      continue;
    }
    if (t > d->limit) return false;
    if (d->next > BASE_MOVE) move_base(d, t);
    set_stop(d);
    return true;
  }
}

uint64_t dram_run(dram_t *d, uint64_t until) {
  uint64_t limit = clock_last_edge(&d->clock, until);
  d->limit = limit > d->limit ? limit : d->limit;
  for (set_stop(d); d->next < d->stop || pass_stop(d); next_decision(d))
    decide(d, d->next, d->ready);
  return d->wake_core = next_done(d);
}

uint64_t dram_push(dram_t *d, uint64_t at, const dram_access_t *a) {
  dram_req_t *r = d->unused;
  assert(r && a->bank < d->spec.banks && a->row != DRAM_NO_ROW);
  assert(a->bursts > 0 && a->bursts <= dram_row_bursts(&d->spec));
  assert(a->app < GMMU_MAX_APPS && a->cls < DRAM_CLASSES && a->write <= 1);
  d->unused = r->next;
  r->a = *a;
  r->seen = clock_last_edge(&d->clock, at) + 1;
  r->order = d->pushes++ * DRAM_BANKS_MAX + a->bank;
  assert(r->seen > d->limit || d->limit == 0);
  r->slot = rows_slot(a);
  rows_queue(r, a->write ? d->writes_queue : 0);
  r->outcome = HIT;
  r->counted = false;
  list_put(&d->arrivals, r);
  d->outside = least(d->outside, r->seen);
  d->waiting++;
  return d->wake_core = least(d->wake_core, at + d->time[a->write].end_core + 1);
}

/* --- handing out ------------------------------------------------------------------------------ */

COLD void count_queue(dram_t *d, const dram_req_t *r) {
  dram_queue_stats_t *s = &d->queue_stats[r->a.app][r->queue];
  s->reads++;
  s->queue_cycles += r->issued - r->seen;
  s->turns += r->turn;
}

static inline void count(dram_t *d, dram_req_t *r) {
  counters_t *s = &d->stats[r->a.app][r->a.cls];
  s->by.accesses[r->a.write]++;
  s->by.bytes[r->a.write] += r->a.bursts * d->burst_bytes;
  s->by.outcome[r->outcome]++;
  s->by.queue_cycles += r->issued - r->seen;
  r->counted = true;
  if (d->writes_queue > 1 && !r->a.write) count_queue(d, r);
}

void dram_count(dram_t *d, uint64_t core) {
  uint64_t wake = d->wake_core, limit = clock_last_edge(&d->clock, core);
  dram_run(d, core);
  d->wake_core = wake;
  for (dram_req_t *r = d->issued.head; r && r->issued <= limit; r = r->next)
    if (!r->counted) count(d, r);
}

uint64_t dram_first(const dram_t *d) { return d->issued.head ? d->issued.head->done : NEVER; }

uint64_t dram_take(dram_t *d, dram_done_t *out) {
  dram_req_t *r = list_take(&d->issued);
  if (!r->counted) count(d, r);
  *out = (dram_done_t){.id = r->a.id, .write = r->a.write, .done = r->done};
  r->next = d->unused, d->unused = r;
  return dram_first(d);
}

uint64_t dram_wake(const dram_t *d) { return d->wake_core; }

uint32_t dram_lag(const dram_t *d) {
  return (uint32_t)least(d->time[0].end_core, d->time[1].end_core);
}

static uint32_t length(const dram_t *d, const dram_req_t *r) {
  uint32_t n = 0;
  for (; r && n <= d->max_waiting; r = r->next) n++;
  return n;
}

uint32_t dram_waiting(const dram_t *d) { return d->waiting + length(d, d->issued.head); }

const dram_stats_t *dram_stats(const dram_t *d, uint8_t app, dram_class_t cls) {
  return &d->stats[app][cls].named;
}

const dram_queue_stats_t *dram_queue_stats(const dram_t *d, uint8_t app, uint32_t queue) {
  return &d->queue_stats[app][queue];
}

uint64_t dram_busy(const dram_t *d) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < GMMU_MAX_APPS * DRAM_CLASSES; i++) {
    const dram_stats_t *s = &d->stats[i / DRAM_CLASSES][i % DRAM_CLASSES].named;
    bytes += s->read_bytes + s->write_bytes;
  }
  return bytes / d->burst_bytes * d->burst_cycles;
}

void dram_set_log(dram_t *d, dram_log_t *log) {
  d->log = log;
  d->extras = log || d->spec.closed_row || d->ops->served;
}

/* --- creation --------------------------------------------------------------------------------- */

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void derive(dram_t *d) {
  const dram_spec_t *s = &d->spec;
  uint32_t burst = (s->burst_length + s->data_rate - 1) / s->data_rate;
  uint32_t spacing = larger(s->tccd, burst);
  uint32_t read_end = s->tcl + burst, write_end = s->tcwl + burst;
  uint32_t turned = read_end + s->turnaround; /* first data of a write after a read */
  d->burst_cycles = burst;
  d->burst_bytes = s->bus_bytes * s->burst_length;
  d->spacing = spacing;
  d->command_cycles = !s->dual_command;
  d->time[0] = (column_time_t){.same = spacing,
                               .other = larger(spacing, turned > s->tcwl ? turned - s->tcwl : 0),
                               .precharge = s->trtp,
                               .end = read_end};
  d->time[1] = (column_time_t){.same = spacing,
                               .other = larger(spacing, write_end + s->twtr),
                               .precharge = write_end + s->twr,
                               .end = write_end};
  for (uint32_t w = 0; w < 2; w++) d->time[w].end_core = d->time[w].end * d->clock.q / d->clock.p;
  d->refresh_due = s->trefi ? s->trefi : NEVER;
}

static void set_queues(dram_t *d) {
  uint32_t n = 0;
  bool row_first = false;
  for (; n < d->ops->queues && n < DRAM_QUEUES; n++) {
    row_first = d->ops->row_first[n];
    d->capacity[n] = d->ops->capacity ? d->ops->capacity(&d->spec, n) : d->spec.queue;
    d->yields |= (uint32_t)d->ops->yields[n] << n;
    d->lead[n] = row_first ? DRAM_HIT_LEAD * DRAM_BANKS_MAX : 0;
  }
  d->writes_queue = n;
  d->capacity[n] = d->spec.write_queue;
  d->lead[n] = row_first ? DRAM_HIT_LEAD * DRAM_BANKS_MAX : 0;
}

static void set_idle(dram_t *d) {
  for (uint32_t b = 0; b < d->spec.banks; b++) d->kind[b] = IDLE;
  memset(d->candidate.queue, DRAM_NO_QUEUE, sizeof d->candidate.queue);
  rows_init(d->bank, d->spec.banks);
  for (uint32_t k = 0; k <= IDLE; k++)
    for (uint32_t b = 0; b < LANES_MAX; b++) d->when[k].at[b] = LANE_NEVER;
  for (uint32_t i = d->max_waiting; i-- > 0;) d->pool[i].next = d->unused, d->unused = &d->pool[i];
  for (uint32_t q = 0; q < DRAM_LANES; q++) list_init(&d->line[q]);
  list_init(&d->arrivals);
  list_init(&d->issued);
  d->wake_core = NEVER;
  d->next = LANE_NEVER;
  dram_set_log(d, NULL);
  set_outside(d);
  serve(d, 0);
}

static int build(dram_t *d) {
  d->pool = calloc(d->max_waiting, sizeof *d->pool);
  if (!d->pool) return GMMU_ENOMEM;
  if (d->ops->state_bytes) {
    d->state = calloc(1, d->ops->state_bytes(&d->spec));
    if (!d->state) return GMMU_ENOMEM;
    if (d->ops->init) d->ops->init(d->state, &d->spec);
  }
  set_queues(d);
  set_idle(d);
  return 0;
}

int dram_new(const dram_spec_t *spec, uint32_t core_mhz, uint32_t max_waiting, dram_t **out,
             err_t *e) {
  *out = NULL;
  int code = dram_spec_check(spec, e);
  if (code) return code;
  return dram_new_with(spec, dram_sched_find(spec->scheduler), core_mhz, max_waiting, out, e);
}

int dram_new_with(const dram_spec_t *spec, const dram_sched_ops_t *ops, uint32_t core_mhz,
                  uint32_t max_waiting, dram_t **out, err_t *e) {
  *out = NULL;
  if (core_mhz == 0 || core_mhz > DRAM_MHZ_MAX || max_waiting == 0)
    return err_set(e, GMMU_ERANGE, "core clock %u MHz or %u accesses", core_mhz, max_waiting);
  dram_t *d = calloc(1, sizeof *d);
  if (!d) return err_set(e, GMMU_ENOMEM, "DRAM channel");
  d->spec = *spec;
  d->ops = ops;
  d->may_pass = ops->may_pass;
  d->clock = clock_of(spec->clock_mhz, core_mhz);
  d->max_waiting = max_waiting;
  derive(d);
  if (build(d)) {
    dram_free(d);
    return err_set(e, GMMU_ENOMEM, "DRAM channel of %u accesses", max_waiting);
  }
  *out = d;
  return 0;
}

void dram_free(dram_t *d) {
  if (!d) return;
  free(d->pool);
  free(d->state);
  free(d);
}

/* --- checking --------------------------------------------------------------------------------- */

static bool in_place(const dram_t *d, uint32_t b) {
  bool right = true;
  for (uint32_t k = 0; k < IDLE; k++)
    right &= d->when[k].at[b] == (k == d->kind[b] ? (int16_t)allowed(d, b) : LANE_NEVER);
  return right;
}

static int check_bank(const dram_t *d, uint32_t b, err_t *e) {
  const dram_bank_t *bank = &d->bank[b];
  uint32_t kind = d->kind[b];
  bool waits = (bank->has & d->serving) != 0;
  if (waits != (kind != IDLE) || !in_place(d, b))
    return err_set(e, GMMU_ECHECK, "bank %u: wrong next command", b);
  if (!waits) return 0;
  const dram_req_t *r = chosen(d, b);
  const dram_lane_t *lane = &bank->lane[r->queue];
  bool right = r == (kind == COLUMN ? lane->hits.head : lane->others.head);
  if (kind != COLUMN) right &= (bank->row == DRAM_NO_ROW) == (kind == ACTIVATE);
  if (!right || d->candidate.order[b] != r->order || d->candidate.access[b] != &r->a)
    return err_set(e, GMMU_ECHECK, "bank %u: wrong candidate", b);
  return 0;
}

static int check_counts(const dram_t *d, err_t *e) {
  uint32_t inside = length(d, d->arrivals.head), reads = 0;
  for (uint32_t q = 0; q < DRAM_LANES; q++) {
    uint32_t line = length(d, d->line[q].head);
    inside += line + d->used[q];
    if (q < d->writes_queue) reads += d->used[q];
    if (d->used[q] > d->capacity[q] || (line && d->used[q] < d->capacity[q]))
      return err_set(e, GMMU_ECHECK, "queue %u: %u of %u used", q, d->used[q], d->capacity[q]);
  }
  if (inside != d->waiting || reads != d->inside[0] || d->used[d->writes_queue] != d->inside[1])
    return err_set(e, GMMU_ECHECK, "%u accesses found, %u counted", inside, d->waiting);
  if (length(d, d->unused) + length(d, d->issued.head) + inside != d->max_waiting)
    return err_set(e, GMMU_ECHECK, "requests lost");
  return 0;
}

int dram_check(const dram_t *d, err_t *e) {
  int code = check_counts(d, e);
  if (!code) code = rows_check(&d->rows, d->bank, d->spec.banks, d->used, e);
  for (uint32_t b = 0; !code && b < d->spec.banks; b++) code = check_bank(d, b, e);
  return code;
}
