/* The channel: from decision to decision, never cycle by cycle.
 *
 * Every bank has at most one next command: that of the request the policy's rules put first within
 * the bank (its candidate). `when` holds, by kind of command (column, activate, precharge), the
 * earliest time each bank may issue it: the later of what the bank itself allows and of what all
 * banks share (`shared`: tCCD and turn-around, tRRD and tFAW, the bus of row commands). The next
 * decision is at the least over the banks, found for all of them together (dram_perbank.h).
 *
 * Reads and writes have a buffer each, and one direction is served until it is time to turn. With
 * one queue for both (`one_queue`) a bank's candidate may be either: the direction stays that of
 * reads, and column commands of writes are a kind of their own (TURNED).
 *
 * Bank groups (`parted`): what the banks of one group share on top is in `group`, and an access of
 * several bursts issues them one by one, so that other groups use the bus in between. Without
 * groups an access is one train of bursts.
 *
 * A candidate changes only when its bank's column command issues, when an access enters that goes
 * before it, when the served buffer switches between reads and writes, or at a refresh: a
 * precharge or activate is for the candidate, which stays.
 *
 * Times are command cycles except where a name says core. Those inside are relative to `base`,
 * which moves along (what is past becomes 0); only seen, outside, refresh_due, limit and horizon
 * count from the beginning.
 *
 * What is called for every access or decision is compiled once per plain_t: `plain` is a constant
 * wherever it is passed on, see set_plain().
 *
 * Invariants: when[kind] of a bank is set for the kind of its next command only. A line holds only
 * accesses that have been seen, and only while its queue is full. */
#include "dram/dram.h"
#include "base/inline.h"
#include "dram/dram_door.h"
#include "dram/dram_log.h"
#include "dram/dram_perbank.h"
#include "dram/dram_window.h"
#include <assert.h>
#include <string.h>

#define NEVER     UINT64_MAX
#define BASE_MOVE 8192 /* times reach 32767: leaves room for what lies ahead, see dram_spec.h */

/* Plain channels compare numbers of 16 bits, which must be less than 32768 apart. A column command
 * takes a cycle at least, so between two moves of the base no more than that many leave; as many
 * and those that find room may come. */
#define AGE_MAX     16384
#define HIT_LEAD    (DRAM_HIT_LEAD * DRAM_BANKS_MAX) /* as a difference of orders */
#define WAITING_MAX (32767 - AGE_MAX - BASE_MOVE - 1)

/* What most machines have, and is compiled without the questions: one queue of reads, hits first,
 * nothing more to do at a column command; up to 8 or 16 banks; one command bus or two (HBM); or
 * up to 16 banks in groups, also with one queue for reads and writes. NOT_PLAIN is any channel, and
 * the truth of what the others do. */
typedef enum { NOT_PLAIN, PLAIN_8, PLAIN_16, PLAIN_16_DUAL, PLAIN_PARTED, PLAIN_ONE_QUEUE } plain_t;

/* A bank's next command. COLUMN is of the direction being served, TURNED of the other one: only
 * with one_queue a bank may have it. IDLE: none. */
enum { COLUMN, ACTIVATE, PRECHARGE, TURNED, IDLE };
enum { HIT, MISS, CONFLICT }; /* what a request met */

/* What a column command, by direction (0 read, 1 write), keeps busy; from the last of its train. */
typedef struct {
  uint32_t same, other; /* to the next column command of the same and of the other direction, */
  uint32_t same_group, other_group; /* and within a bank group */
  uint32_t precharge;
  uint32_t end; /* of its data */
} column_time_t;

/* The next decision. While the channel decides it is kept in registers, and brought up to date when
 * an access that enters changes a single bank. */
typedef struct {
  int32_t at;     /* or PERBANK_NEVER, */
  uint32_t ready; /* and the banks that are ready then */
} decision_t;

struct dram {
  dram_door_t door;         /* first: see dram_door() */
  perbank_t when[IDLE + 1]; /* by kind; the last is never looked at */
  perbank_t age;            /* of the candidates, if plain */
  uint64_t base;            /* of all relative times */
  uint32_t shared[IDLE];    /* by kind */
  int32_t stop;             /* from here on look outside, at the limit and at the base first */
  decision_t next;
  uint64_t limit, horizon;               /* decided up to here; see set_horizon() */
  column_time_t column;                  /* of the direction */
  uint32_t direction;                    /* 0 reads, 1 writes are being served */
  uint32_t serving;                      /* the queues of the direction, as bits */
  uint32_t few;                          /* with no more left it may be time to turn */
  uint32_t calm_from, calm_span;         /* plain: how many may be left without anything to do */
  uint32_t writes_queue;                 /* index of the write buffer */
  uint32_t spacing;                      /* of the column commands of a train */
  uint32_t command_cycles;               /* from one to the next: 1, or 0 with two buses */
  bool parted;                           /* there are bank groups, or commands of several cycles */
  uint32_t group_mask;                   /* bank & this: its group */
  uint32_t group[IDLE][DRAM_GROUPS_MAX]; /* as `shared`, of a group's banks */
  perbank_t in_group[DRAM_GROUPS_MAX];   /* all bits of a group's banks */
  uint32_t yields;                       /* bit per queue: the scheduler's */
  bool may_pass;                         /* the scheduler's */
  plain_t plain;                         /* see set_plain() */
  bool aged;   /* an access was overtaken by thousands: it cannot be plain */
  bool extras; /* a column command has more to do: log, closed_row or the scheduler's served() */
  const dram_sched_ops_t *ops;
  void *state;
  dram_log_t *log;
  dram_list_t line[DRAM_ALL_QUEUES]; /* seen, waiting for a slot of each queue */
  dram_order_t hits_until;           /* while all orders are below this, hits go first */
  dram_order_t look_again;           /* from this order on: it may have grown */
  uint64_t lead[DRAM_ALL_QUEUES];    /* of row hits, as a difference of orders */
  uint32_t used[DRAM_ALL_QUEUES], capacity[DRAM_ALL_QUEUES]; /* of the window */
  uint64_t refresh_due;
  uint32_t refresh_bank;        /* bank_refresh: the next */
  uint8_t kind[DRAM_BANKS_MAX]; /* of that command */
  dram_times_t after_activate;  /* what it adds to a bank's times */
  bool has_faw;                 /* four tRRD are less than tFAW */
  uint32_t faw[4];              /* if so: the last activates, plus tFAW; faw_next is the oldest */
  uint32_t faw_next;
  uint32_t burst_cycles;
  column_time_t time[2];
  dram_clock_t clock;
  dram_rows_t rows;
  dram_spec_t spec;
  dram_candidates_t candidate;
  dram_bank_t bank[DRAM_BANKS_MAX];
  dram_queue_stats_t queue_stats[GMMU_MAX_APPS][DRAM_QUEUES];
  dram_req_t *pool;
  uint32_t max_waiting;
};

/* Banks that are compared together; times of banks that are not there are PERBANK_NEVER. */
ALWAYS_INLINE uint32_t plain_banks(const dram_t *d, plain_t plain) {
  return plain == NOT_PLAIN ? d->spec.banks : plain == PLAIN_8 ? PERBANK_WIDTH : 2 * PERBANK_WIDTH;
}
ALWAYS_INLINE bool plain_parted(const dram_t *d, plain_t plain) {
  return plain == NOT_PLAIN ? d->parted : plain >= PLAIN_PARTED;
}
/* Cycles of the command bus that a command takes. */
ALWAYS_INLINE uint32_t plain_command(const dram_t *d, plain_t plain) {
  return plain == NOT_PLAIN || plain >= PLAIN_PARTED ? d->command_cycles : plain != PLAIN_16_DUAL;
}
ALWAYS_INLINE bool plain_one_queue(const dram_t *d, plain_t plain) {
  return plain == NOT_PLAIN ? d->spec.one_queue : plain == PLAIN_ONE_QUEUE;
}
/* Kinds of commands that banks may have. */
ALWAYS_INLINE uint32_t plain_kinds(plain_t plain) {
  return plain == NOT_PLAIN || plain == PLAIN_ONE_QUEUE ? IDLE : TURNED;
}
/* The queue that an access waits in. */
ALWAYS_INLINE uint32_t plain_queue(const dram_req_t *r, plain_t plain) {
  return plain == NOT_PLAIN ? r->queue : plain == PLAIN_ONE_QUEUE ? 0 : r->a.write;
}
/* Of the direction being served: as plain_queue() of a candidate. */
ALWAYS_INLINE uint32_t plain_served(const dram_t *d, const dram_req_t *r, plain_t plain) {
  return plain == NOT_PLAIN ? r->queue : plain == PLAIN_ONE_QUEUE ? 0 : d->direction;
}
/* In masks of queues. */
ALWAYS_INLINE uint32_t queue_bit(uint32_t queue, plain_t plain) {
  return plain ? queue + 1 : 1u << queue; /* plain: 0 or 1 */
}
static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint32_t later(uint32_t a, uint32_t b) { return a > b ? a : b; }

static __attribute__((noinline)) void record(dram_log_t *log, dram_cmd_t c) {
  if (log->count < log->capacity) log->cmd[log->count] = c;
  log->count++;
}

static inline void note(dram_t *d, uint32_t t, dram_cmd_kind_t cmd, const dram_access_t *a) {
  uint16_t bursts = d->parted ? 1 : a->bursts;
  if (__builtin_expect(d->log != NULL, 0))
    record(d->log, (dram_cmd_t){d->base + t, a->row, a->id, bursts, (uint8_t)cmd, a->bank});
}

static inline void set_outside(dram_t *d) {
  const dram_req_t *r = d->door.arrivals.head;
  d->door.outside = r ? least(d->refresh_due, r->seen) : d->refresh_due;
}

/* --- banks by kind ---------------------------------------------------------------------------- */

/* A constraint shared by all commands of a kind, which only ever moves on. */
ALWAYS_INLINE void share(dram_t *d, uint32_t kind, uint32_t when, plain_t plain) {
  d->shared[kind] = when;
  perbank_raise(&d->when[kind], plain_banks(d, plain), (int16_t)when);
}

/* The same, and one for the banks of b's group on top. */
ALWAYS_INLINE void share_group(dram_t *d, uint32_t b, uint32_t kind, uint32_t all, uint32_t group,
                               plain_t plain) {
  uint32_t g = b & d->group_mask;
  d->shared[kind] = all;
  d->group[kind][g] = group;
  perbank_raise_some(&d->when[kind], plain_banks(d, plain), (int16_t)all, &d->in_group[g],
                     (int16_t)group);
}

/* For which the next command of bank b is. */
static inline dram_req_t *chosen(const dram_t *d, uint32_t b) {
  return (dram_req_t *)(uintptr_t)d->candidate.access[b];
}

/* The kind of an access's column command. */
ALWAYS_INLINE uint32_t column_of(const dram_t *d, const dram_req_t *r, plain_t plain) {
  return plain_one_queue(d, plain) && r->a.write ? TURNED : COLUMN;
}
ALWAYS_INLINE bool is_column(uint32_t kind, plain_t plain) {
  return kind == COLUMN || (plain_kinds(plain) == IDLE && kind == TURNED);
}

/* What all banks share for a command of this kind, and the group of bank b. */
static uint32_t floor_of(const dram_t *d, uint32_t b, uint32_t kind) {
  uint32_t all = d->shared[kind];
  return d->parted ? later(all, d->group[kind][b & d->group_mask]) : all;
}

/* The next command of bank b, which has none, is of `kind`, not before `when`. Returns when. With
 * one bus all precharges share is that. */
ALWAYS_INLINE uint32_t place(dram_t *d, uint32_t b, uint32_t kind, uint32_t when, plain_t plain) {
  bool parted = plain_parted(d, plain);
  if (!plain)
    when = later(when, floor_of(d, b, kind));
  else if (!plain_command(d, plain) || parted || kind != PRECHARGE)
    when = later(when, d->shared[kind]);
  if (plain && parted) when = later(when, d->group[kind][b & d->group_mask]);
  assert(when < PERBANK_NEVER);
  d->kind[b] = (uint8_t)kind;
  d->when[kind].at[b] = (int16_t)when;
  return when;
}

static inline void unplace(dram_t *d, uint32_t b, uint32_t kind) {
  d->when[kind].at[b] = PERBANK_NEVER;
}

static uint32_t allowed(const dram_t *d, uint32_t b) {
  const dram_bank_t *bank = &d->bank[b];
  const uint32_t own[IDLE] = {bank->col, bank->act, bank->pre, bank->col};
  return later(own[d->kind[b]], floor_of(d, b, d->kind[b]));
}

static void rebase(uint32_t *t, uint64_t by) { *t = *t > by ? *t - (uint32_t)by : 0; }
static int32_t rebased_time(int32_t t, uint64_t by) {
  return t == PERBANK_NEVER ? t : (uint64_t)t > by ? t - (int32_t)by : 0;
}

/* With one queue an access's age is its number among all. */
ALWAYS_INLINE uint16_t number_of(dram_order_t order) { return (uint16_t)(order / DRAM_BANKS_MAX); }
ALWAYS_INLINE uint16_t next_number(const dram_t *d) { return number_of(d->door.order); }

/* Is an access in the window so old that, when the base moves the next time, its number might no
 * longer be told from a new one? */
static bool numbers_far_apart(const dram_t *d) {
  bool far = false;
  for (uint32_t b = 0; b < d->spec.banks; b++)
    for (uint32_t q = 0; q < 2; q++) {
      const dram_waiting_t *waiting = &d->bank[b].waiting[q];
      const dram_req_t *hit = waiting->hits.head, *other = waiting->others.head;
      uint16_t next = d->spec.one_queue ? next_number(d) : d->door.pushed[q];
      far |= hit && (uint16_t)(next - hit->age) > AGE_MAX;
      far |= other && (uint16_t)(next - other->age) > AGE_MAX;
    }
  return far;
}

/* It is `now`, counted from the beginning, and far from the base: move it. Returns the next
 * decision's new time. */
NEVER_INLINE int32_t move_base(dram_t *d, uint64_t now, int32_t next) {
  uint64_t by = now - d->base;
  d->base = now;
  for (uint32_t k = 0; k < IDLE; k++) rebase(&d->shared[k], by);
  for (uint32_t i = 0; i < 4; i++) rebase(&d->faw[i], by);
  for (uint32_t g = 0; d->parted && g <= d->group_mask; g++)
    for (uint32_t k = 0; k < IDLE; k++) rebase(&d->group[k][g], by);
  d->aged |= d->ops == &dram_frfcfs && numbers_far_apart(d);
  for (uint32_t b = 0; b < d->spec.banks; b++) {
    rebase(&d->bank[b].act, by), rebase(&d->bank[b].pre, by), rebase(&d->bank[b].col, by);
    if (d->kind[b] != IDLE) d->when[d->kind[b]].at[b] = (int16_t)allowed(d, b);
  }
  return rebased_time(next, by);
}

/* --- candidates ------------------------------------------------------------------------------- */

/* The candidate of bank b is of this queue; DRAM_NO_QUEUE: it has none. */
ALWAYS_INLINE void set_queue(dram_candidates_t *c, uint32_t b, uint32_t queue) {
  uint32_t was = c->queue[b];
  if (was == queue) return;
  if (was != DRAM_NO_QUEUE) c->of[was] &= ~(1u << b);
  if (queue != DRAM_NO_QUEUE) c->of[queue] |= 1u << b;
  c->queue[b] = (uint8_t)queue;
}

ALWAYS_INLINE void set_candidate(dram_t *d, uint32_t b, const dram_req_t *r, plain_t plain) {
  d->candidate.access[b] = &r->a;
  d->age.at[b] = (int16_t)r->age;
  if (plain) return; /* for a scheduler that is asked: */
  d->candidate.order[b] = r->order;
  set_queue(&d->candidate, b, r->queue);
}

/* In the first queue with requests: does the oldest hit go before the oldest of the others? */
static inline bool hit_goes_first(const dram_t *d, const dram_waiting_t *waiting, uint32_t queue) {
  const dram_req_t *hit = waiting->hits.head, *other = waiting->others.head;
  return hit && (!other || hit->order <= other->order + d->lead[queue]);
}

static uint64_t waiting_oldest(const dram_waiting_t *waiting) {
  uint64_t hit = waiting->hits.head ? waiting->hits.head->order : NEVER;
  return waiting->others.head ? least(hit, waiting->others.head->order) : hit;
}

/* Several queues have requests for the bank: the first goes first, unless it yields to one that has
 * waited for too long. */
NEVER_INLINE uint32_t first_queue(const dram_t *d, const dram_bank_t *bank, uint32_t queues) {
  uint32_t first = (uint32_t)__builtin_ctz(queues);
  if (!(d->yields >> first & 1)) return first;
  uint64_t order = waiting_oldest(&bank->waiting[first]);
  for (uint32_t m = queues & (queues - 1); m; m &= m - 1) {
    uint32_t q = (uint32_t)__builtin_ctz(m);
    if (waiting_oldest(&bank->waiting[q]) + HIT_LEAD < order) return q;
  }
  return first;
}

ALWAYS_INLINE void set_idle(dram_t *d, const dram_bank_t *bank, uint32_t b, plain_t plain) {
  d->kind[b] = IDLE;
  d->candidate.hits &= ~bank->bit;
  if (!plain) set_queue(&d->candidate, b, DRAM_NO_QUEUE);
}

/* For a request of the bank's open row, and for one of another row. Returns when. */
ALWAYS_INLINE uint32_t place_hit(dram_t *d, const dram_bank_t *bank, uint32_t b,
                                 const dram_req_t *r, plain_t plain) {
  set_candidate(d, b, r, plain);
  d->candidate.hits |= bank->bit;
  return place(d, b, column_of(d, r, plain), bank->col, plain);
}

ALWAYS_INLINE uint32_t place_other(dram_t *d, const dram_bank_t *bank, uint32_t b,
                                   const dram_req_t *r, bool open, plain_t plain) {
  set_candidate(d, b, r, plain);
  if (open) return place(d, b, PRECHARGE, bank->pre, plain);
  return place(d, b, ACTIVATE, bank->act, plain);
}

/* The candidate and next command of bank b, which has none. */
static void pick(dram_t *d, uint32_t b) {
  const dram_bank_t *bank = &d->bank[b];
  uint32_t queues = bank->has & d->serving;
  d->candidate.hits &= ~bank->bit;
  if (!queues) {
    set_idle(d, bank, b, NOT_PLAIN);
    return;
  }
  uint32_t q = (uint32_t)__builtin_ctz(queues);
  if (queues & (queues - 1)) q = first_queue(d, bank, queues);
  const dram_waiting_t *waiting = &bank->waiting[q];
  if (hit_goes_first(d, waiting, q))
    place_hit(d, bank, b, waiting->hits.head, NOT_PLAIN);
  else
    place_other(d, bank, b, waiting->others.head, bank->row != DRAM_NO_ROW, NOT_PLAIN);
}

static void pick_all(dram_t *d) {
  for (uint32_t b = 0; b < d->spec.banks; b++) unplace(d, b, d->kind[b]), pick(d, b);
}

/* Column commands are of this direction from now on. */
static void turn(dram_t *d, uint32_t direction) {
  if (d->direction != direction) {
    uint32_t turned = d->shared[TURNED];
    d->shared[TURNED] = d->shared[COLUMN], d->shared[COLUMN] = turned;
    for (uint32_t g = 0; d->parted && g <= d->group_mask; g++) {
      turned = d->group[TURNED][g];
      d->group[TURNED][g] = d->group[COLUMN][g], d->group[COLUMN][g] = turned;
    }
  }
  d->direction = direction;
  d->column = d->time[direction];
}

NEVER_INLINE void serve(dram_t *d, uint32_t direction) {
  uint32_t writes = 1u << d->writes_queue;
  turn(d, direction);
  d->serving = direction ? writes : writes - 1;
  d->few = direction ? d->spec.write_low : 0;
  d->calm_from = d->few + 1;
  d->calm_span =
      d->capacity[direction] > d->calm_from ? d->capacity[direction] - 1 - d->calm_from : 0;
  d->hits_until = d->look_again = 0; /* others wait now */
  pick_all(d);
}

/* --- entering --------------------------------------------------------------------------------- */

/* Does the access that just entered go before its bank's candidate? */
ALWAYS_INLINE bool goes_first(const dram_t *d, const dram_req_t *r, bool hit, uint32_t kind,
                              plain_t plain) {
  bool passes = hit && !is_column(kind, plain);
  if (plain) return passes;
  uint32_t queue = d->candidate.queue[r->a.bank];
  return r->queue < queue || (passes && r->queue == queue);
}

static uint32_t reads_inside(const dram_t *d) {
  uint32_t n = 0;
  for (uint32_t q = 0; q < d->writes_queue; q++) n += d->used[q];
  return n;
}

/* An access of the other direction entered: does it make the channel turn? */
ALWAYS_INLINE bool turns(const dram_t *d, bool write, plain_t plain) {
  uint32_t writes = d->used[plain ? 1 : d->writes_queue];
  if (!write) return writes <= d->spec.write_low;
  return writes >= d->spec.write_high || !(plain ? d->used[0] : reads_inside(d));
}

/* What an access that enters changes: no next command, that of a bank which had none, or others. */
typedef enum { NOTHING, ONE_MORE, OTHERS } change_t;

NEVER_INLINE change_t overtake(dram_t *d, uint32_t b) {
  unplace(d, b, d->kind[b]);
  pick(d, b);
  return OTHERS;
}

ALWAYS_INLINE change_t enter(dram_t *d, dram_req_t *r, uint32_t *when, plain_t plain) {
  uint32_t b = r->a.bank, direction = r->a.write, queue = plain_queue(r, plain);
  dram_bank_t *bank = &d->bank[b];
  KEEP(bank);
  bool hit = rows_add(&d->rows, bank, queue, queue_bit(queue, plain), r);
  d->used[queue]++;
  if (plain_parted(d, plain)) r->moved = 0;
  if (plain_one_queue(d, plain)) {
    r->age = number_of(r->order);
  } else if (d->direction != direction) {
    if (!turns(d, direction, plain)) return NOTHING;
    serve(d, direction);
    return OTHERS;
  }
  uint32_t kind = d->kind[b];
  if (kind == IDLE) {
    *when = hit ? place_hit(d, bank, b, r, plain)
                : place_other(d, bank, b, r, bank->row != DRAM_NO_ROW, plain);
    return ONE_MORE;
  }
  return goes_first(d, r, hit, kind, plain) ? overtake(d, b) : NOTHING;
}

/* No decision comes before the floor: it is past, or the scheduler passed. */
ALWAYS_INLINE decision_t next_decision(const dram_t *d, int32_t floor, plain_t plain) {
  decision_t n;
  n.at = perbank_next(d->when, plain_kinds(plain), plain_banks(d, plain), (int16_t)floor, &n.ready);
  return n;
}

/* A bank that had no command has one at `when`. */
ALWAYS_INLINE decision_t or_sooner(decision_t n, uint32_t bit, uint32_t when) {
  if ((int32_t)when < n.at) return (decision_t){(int32_t)when, bit};
  if ((int32_t)when == n.at) n.ready |= bit;
  return n;
}

/* The scheduler puts the access, which is seen now, into a queue. */
NEVER_INLINE void enqueue(dram_t *d, dram_req_t *r) {
  uint32_t queue = d->ops->enqueue(d->state, &r->a);
  r->queue = (uint8_t)(queue & ~(uint32_t)DRAM_TURN);
  r->turn = queue & DRAM_TURN;
  assert(r->queue < d->writes_queue);
}

/* The next arrival is seen. Returns what is the next decision now. */
ALWAYS_INLINE decision_t arrive(dram_t *d, decision_t n, plain_t plain) {
  dram_req_t *r = list_take(&d->door.arrivals);
  uint32_t t = (uint32_t)(r->seen - d->base), when = 0;
  set_outside(d);
  if (!plain && d->ops->enqueue && !r->a.write) enqueue(d, r);
  uint32_t queue = plain_queue(r, plain);
  if (d->used[queue] >= d->capacity[queue]) {
    list_put(&d->line[queue], r);
    return n;
  }
  change_t change = enter(d, r, &when, plain);
  if (change == NOTHING) return n;
  if (plain && change == ONE_MORE) return or_sooner(n, d->bank[r->a.bank].bit, later(when, t));
  return next_decision(d, (int32_t)t, plain);
}

/* --- commands --------------------------------------------------------------------------------- */

/* With one bus the floor keeps a cycle to one command; commands of several cycles need this, */
ALWAYS_INLINE void fill_bus(dram_t *d, uint32_t kind, uint32_t t, plain_t plain) {
  uint32_t until = t + (kind == ACTIVATE ? d->spec.activate_cycles : d->spec.command_cycles);
  if (until == t + 1) return;
  for (uint32_t k = 0; k < plain_kinds(plain); k++) share(d, k, later(d->shared[k], until), plain);
  d->shared[TURNED] = later(d->shared[TURNED], until);
}
/* and row commands with two. */
ALWAYS_INLINE void row_command(dram_t *d, uint32_t t, uint32_t cycles, plain_t plain) {
  if (plain_command(d, plain)) return;
  if (!plain_parted(d, plain)) cycles = 1;
  share(d, PRECHARGE, t + cycles, plain);
  if (t + cycles > d->shared[ACTIVATE]) share(d, ACTIVATE, t + cycles, plain);
}

ALWAYS_INLINE void precharge(dram_t *d, uint32_t b, dram_req_t *r, uint32_t t, plain_t plain) {
  dram_bank_t *bank = &d->bank[b];
  KEEP(bank);
  if (!plain) note(d, t, DRAM_CMD_PRE, &r->a);
  r->outcome = CONFLICT;
  rows_close(&d->rows, bank);
  bank->act = later(bank->act, t + d->spec.trp);
  row_command(d, t, d->spec.command_cycles, plain);
  unplace(d, b, PRECHARGE);
  place(d, b, ACTIVATE, bank->act, plain);
}

/* The earliest next activate as far as tFAW is concerned. */
NEVER_INLINE uint32_t four_activates(dram_t *d, uint32_t t) {
  d->faw[d->faw_next] = t + d->spec.tfaw;
  d->faw_next = (d->faw_next + 1) & 3;
  return d->faw[d->faw_next];
}

ALWAYS_INLINE void activate(dram_t *d, uint32_t b, dram_req_t *r, uint32_t t, plain_t plain) {
  dram_bank_t *bank = &d->bank[b];
  uint32_t queue = plain_served(d, r, plain), next = t + d->spec.trrd;
  KEEP(bank);
  if (!plain) note(d, t, DRAM_CMD_ACT, &r->a);
  if (r->outcome == HIT) r->outcome = MISS;
  rows_open(&d->rows, bank, queue, queue_bit(queue, plain), r);
  bank->times = t + d->after_activate;
  unplace(d, b, ACTIVATE);
  if (d->has_faw) next = later(next, four_activates(d, t));
  if (plain_parted(d, plain))
    share_group(d, b, ACTIVATE, next, t + later(d->spec.trrd, d->spec.trrd_l), plain);
  else
    share(d, ACTIVATE, next, plain);
  row_command(d, t, d->spec.activate_cycles, plain);
  d->candidate.hits |= bank->bit;
  place(d, b, column_of(d, r, plain), bank->col, plain);
}

/* What a train of column commands that starts at t, or with groups one of them, keeps busy. Returns
 * the end of its data. */
ALWAYS_INLINE uint32_t occupy(dram_t *d, const dram_access_t *a, uint32_t b, uint32_t t,
                              plain_t plain) {
  dram_bank_t *bank = &d->bank[b];
  bool parted = plain_parted(d, plain), one_queue = plain_one_queue(d, plain);
  bool turned = one_queue && a->write;
  const column_time_t *c = one_queue ? &d->time[a->write] : &d->column;
  uint32_t last = parted ? t : t + (a->bursts - 1u) * d->spacing;
  uint32_t same = turned ? TURNED : COLUMN, other = turned ? COLUMN : TURNED;
  if (parted) {
    share_group(d, b, same, last + c->same, last + c->same_group, plain);
    if (one_queue) share_group(d, b, other, last + c->other, last + c->other_group, plain);
    d->group[other][b & d->group_mask] = last + c->other_group;
  } else {
    share(d, same, last + c->same, plain);
    if (one_queue) share(d, other, last + c->other, plain);
  }
  d->shared[other] = last + c->other;
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

/* After a column command of this kind: most often there is another hit, and the bank stays where it
 * is. No earlier queue can have a request, or the command would have been for that, if none yields.
 */
ALWAYS_INLINE void pick_again(dram_t *d, const dram_bank_t *bank, const dram_waiting_t *waiting,
                              uint32_t b, uint32_t queue, uint32_t kind, plain_t plain) {
  if ((plain || !d->yields) && hit_goes_first(d, waiting, queue)) {
    const dram_req_t *next = waiting->hits.head;
    set_candidate(d, b, next, plain);
    if (plain_one_queue(d, plain) && column_of(d, next, plain) != kind) {
      unplace(d, b, kind);
      place(d, b, column_of(d, next, plain), bank->col, plain);
    }
    return;
  }
  unplace(d, b, kind);
  if (!plain) {
    pick(d, b);
    return;
  }
  set_idle(d, bank, b, plain);
  if (waiting->others.head) place_other(d, bank, b, waiting->others.head, true, plain);
}

/* Few are left of the direction being served: turn to the other one if it is time. */
NEVER_INLINE void few_left(dram_t *d) {
  if (d->spec.one_queue) return;
  uint32_t reads = reads_inside(d), writes = d->used[d->writes_queue];
  if (d->direction == 0 && reads == 0 && writes)
    serve(d, 1);
  else if (d->direction == 1 && (writes == 0 || (reads && writes <= d->spec.write_low)))
    serve(d, 0);
}

/* There were so many, or are so few, that another may come in, or the other direction be served. */
ALWAYS_INLINE void leave_rare(dram_t *d, uint32_t queue, uint32_t left, plain_t plain) {
  uint32_t when;
  bool line = left + 1 == d->capacity[queue] && d->line[queue].head;
  if (left <= d->few) few_left(d);
  if (line) enter(d, list_take(&d->line[queue]), &when, plain);
}
NEVER_INLINE void leave_rare_plain(dram_t *d, uint32_t queue, uint32_t left) {
  if (d->plain == PLAIN_PARTED)
    leave_rare(d, queue, left, PLAIN_PARTED);
  else if (d->plain == PLAIN_ONE_QUEUE)
    leave_rare(d, queue, left, PLAIN_ONE_QUEUE);
  else
    leave_rare(d, queue, left, d->plain);
}

/* A slot of `queue` is free: serve the other direction if it is time, let the next one in. */
ALWAYS_INLINE void leave(dram_t *d, uint32_t queue, plain_t plain) {
  uint32_t left = --d->used[queue];
  if (!plain)
    leave_rare(d, queue, left, NOT_PLAIN);
  else if (left - d->calm_from >= d->calm_span)
    leave_rare_plain(d, queue, left);
}

ALWAYS_INLINE void column(dram_t *d, uint32_t b, dram_req_t *r, uint32_t t, plain_t plain) {
  if (plain_parted(d, plain) && ++r->moved < r->a.bursts) { /* not the last: it stays */
    occupy(d, &r->a, b, t, plain);
    if (!plain) note(d, t, r->a.write ? DRAM_CMD_WRITE : DRAM_CMD_READ, &r->a);
    return;
  }
  r->issued = d->base + t;
  r->done = clock_core(&d->clock, d->base + occupy(d, &r->a, b, t, plain));
  dram_bank_t *bank = &d->bank[b];
  uint32_t queue = plain_served(d, r, plain);
  KEEP(bank);
  dram_waiting_t *waiting = &bank->waiting[queue];
  KEEP(waiting);
  rows_take(bank, waiting, queue_bit(queue, plain), r);
  if (!plain && d->extras) column_extras(d, &r->a, t);
  pick_again(d, bank, waiting, b, queue, column_of(d, r, plain), plain);
  list_put(&d->door.issued, r);
  leave(d, queue, plain);
}

/* --- refresh ---------------------------------------------------------------------------------- */

/* bank_refresh: the banks take turns. The one that is due is precharged as soon as it allows it,
 * and refreshed; the others go on. Its two commands take no cycle of the bus. Returns the cycle in
 * which it was due. */
static int32_t refresh_bank(dram_t *d) {
  uint32_t due = (uint32_t)(d->refresh_due - d->base), b = d->refresh_bank;
  dram_bank_t *bank = &d->bank[b];
  const dram_access_t none = {.bank = (uint8_t)b};
  if (bank->row != DRAM_NO_ROW) {
    uint32_t pre = later(due, bank->pre);
    note(d, pre, DRAM_CMD_AUTO_PRE, &none);
    rows_close(&d->rows, bank);
    bank->act = later(bank->act, pre + d->spec.trp);
  }
  uint32_t t = later(due, bank->act);
  note(d, t, DRAM_CMD_REFRESH_BANK, &none);
  bank->act = t + d->spec.trfc;
  unplace(d, b, d->kind[b]);
  pick(d, b);
  d->refresh_bank = (b + 1) & (d->spec.banks - 1);
  d->refresh_due += d->spec.trefi / d->spec.banks;
  set_outside(d);
  return (int32_t)due;
}

/* From the due time on nothing else issues: open banks are precharged together as soon as all of
 * them allow it, then all banks are refreshed together. Returns the next cycle. */
NEVER_INLINE int32_t refresh(dram_t *d) {
  static const dram_access_t none = {0};
  if (d->spec.bank_refresh) return refresh_bank(d);
  uint32_t t = later((uint32_t)(d->refresh_due - d->base), d->shared[PRECHARGE]), idle = 0;
  bool open = false;
  t = later(t, d->spec.one_queue ? (uint32_t)least(d->shared[COLUMN], d->shared[TURNED])
                                 : d->shared[COLUMN]);
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
  pick_all(d);
  set_outside(d);
  return (int32_t)t + 1;
}

/* --- deciding --------------------------------------------------------------------------------- */

static dram_order_t oldest(const dram_t *d) {
  uint64_t order = NEVER;
  for (uint32_t b = 0; b < d->spec.banks; b++)
    for (uint32_t m = d->bank[b].has & d->serving; m; m &= m - 1) {
      const dram_waiting_t *waiting = &d->bank[b].waiting[__builtin_ctz(m)];
      if (waiting->hits.head) order = least(order, waiting->hits.head->order);
      if (waiting->others.head) order = least(order, waiting->others.head->order);
    }
  return order;
}

/* The scheduler passed at t: when does the next bank become ready? */
static int16_t next_ready(const dram_t *d, int16_t t) {
  int16_t next = PERBANK_NEVER;
  for (uint32_t b = 0; b < d->spec.banks; b++) {
    int16_t ready = d->when[d->kind[b]].at[b];
    if (ready > t && ready < next) next = ready;
  }
  return next;
}

/* What a plain channel does not keep up to date. */
static void tell_scheduler(dram_t *d) {
  for (uint32_t b = 0; b < d->spec.banks; b++) {
    const dram_req_t *r = chosen(d, b);
    set_queue(&d->candidate, b, d->kind[b] == IDLE ? DRAM_NO_QUEUE : r->queue);
    if (r) d->candidate.order[b] = r->order;
  }
}

/* Accesses of the direction being served that wait, or come, are not older than this. */
static dram_order_t eldest(const dram_t *d) {
  const dram_req_t *next = d->door.arrivals.head;
  return least(oldest(d), next ? next->order : d->door.order);
}

/* There are hits and others, and there may be an access so old that orders decide. */
NEVER_INLINE uint32_t choose_by_order(dram_t *d, uint32_t ready) {
  uint64_t hit = NEVER, other = NEVER;
  for (uint32_t m = ready; m; m &= m - 1) {
    uint32_t b = (uint32_t)__builtin_ctz(m);
    uint64_t *kind = d->candidate.hits >> b & 1 ? &hit : &other;
    *kind = least(*kind, chosen(d, b)->order);
  }
  if (d->door.order > d->look_again) {
    d->hits_until = eldest(d) + HIT_LEAD;
    d->look_again = d->door.order + HIT_LEAD / 8;
  }
  return (uint32_t)dram_bank_of(hit <= other + HIT_LEAD ? hit : other);
}

/* What dram_frfcfs says, for plain channels: column commands first, unless another may be too old;
 * and then the oldest, by number. */
ALWAYS_INLINE uint32_t choose_plain(dram_t *d, uint32_t ready, plain_t plain) {
  uint32_t hits = ready & d->candidate.hits;
  if (hits && hits != ready && d->door.order > d->hits_until) return choose_by_order(d, ready);
  uint16_t next = plain_one_queue(d, plain) ? next_number(d) : d->door.pushed[d->direction];
  return perbank_first(&d->age, plain_banks(d, plain), hits ? hits : ready, (int16_t)next);
}

#ifndef NDEBUG
static int ask_scheduler(dram_t *d, uint32_t ready) {
  tell_scheduler(d);
  return d->ops->choose(d->state, &d->candidate, ready);
}
#endif

/* The scheduler's choice among the ready banks, or -1. */
ALWAYS_INLINE int choose(dram_t *d, uint32_t ready, plain_t plain) {
  if (!(ready & (ready - 1)) && (plain || !d->may_pass)) return __builtin_ctz(ready);
  if (plain) {
    int b = (int)choose_plain(d, ready, plain);
    assert(b == ask_scheduler(d, ready));
    return b;
  }
  if (d->ops->wants_oldest) d->candidate.oldest = oldest(d);
  int b = d->ops->choose(d->state, &d->candidate, ready);
  assert(b >= -1 && b < DRAM_BANKS_MAX && (b < 0 ? d->ops->may_pass : ready >> b & 1));
  return b;
}

/* Returns the floor of the next decision. */
ALWAYS_INLINE int32_t decide(dram_t *d, decision_t n, plain_t plain) {
  int chose = choose(d, n.ready, plain);
  if (!plain && chose < 0) return next_ready(d, (int16_t)n.at);
  uint32_t b = (uint32_t)chose, kind = d->kind[b], t = (uint32_t)n.at;
  dram_req_t *r = chosen(d, b);
  if (is_column(kind, plain))
    column(d, b, r, t, plain);
  else if (kind == ACTIVATE)
    activate(d, b, r, t, plain);
  else
    precharge(d, b, r, t, plain);
  if (plain_parted(d, plain) && d->command_cycles) fill_bus(d, kind, t, plain);
  return n.at + (int32_t)plain_command(d, plain);
}

static bool any_inside(const dram_t *d) {
  uint32_t n = 0;
  for (uint32_t q = 0; q < DRAM_ALL_QUEUES; q++) n |= d->used[q];
  return n != 0;
}

/* No access completes before the core cycle this returns. Data moves in the order of the column
 * commands, so only the first of those matters. */
static uint64_t next_done(const dram_t *d) {
  uint64_t end = NEVER;
  if (d->next.at != PERBANK_NEVER) {
    uint64_t first = (uint64_t)d->next.at;
    if (!(d->next.ready & d->candidate.hits)) {
      uint64_t column = (uint64_t)perbank_least(&d->when[COLUMN], d->spec.banks);
      if (d->spec.one_queue)
        column = least(column, (uint64_t)perbank_least(&d->when[TURNED], d->spec.banks));
      first = least(first + d->spec.trcd, column);
    }
    end = d->base + first;
    end = (end > d->limit ? end : d->limit + 1) +
          (d->spec.one_queue ? least(d->time[0].end, d->time[1].end) : d->column.end);
  }
  if (d->door.outside < NEVER && (d->door.arrivals.head || any_inside(d)))
    end = least(end, d->door.outside + least(d->time[0].end, d->time[1].end));
  return end == NEVER ? NEVER : clock_core(&d->clock, end);
}

/* From the horizon on the limit is passed, a refresh is due or the base has to be moved. */
ALWAYS_INLINE void set_horizon(dram_t *d) {
  d->horizon = least(least(d->limit, d->base + BASE_MOVE) + 1, d->refresh_due);
}

ALWAYS_INLINE void set_stop(dram_t *d) {
  d->stop = (int32_t)(least(d->door.outside, d->horizon) - d->base);
}

static uint64_t time_of(const dram_t *d, decision_t n) {
  return n.at == PERBANK_NEVER ? NEVER : d->base + (uint64_t)n.at;
}

/* What comes next is a refresh, or lies far from the base. */
NEVER_INLINE decision_t pass_far(dram_t *d, decision_t n) {
  uint64_t t = time_of(d, n), outside = d->door.outside;
  bool first = outside <= least(t, d->limit);
  uint64_t now = first ? outside : t;
  if (now > d->base + BASE_MOVE) n.at = move_base(d, now, n.at);
  if (first) {
    const dram_req_t *r = d->door.arrivals.head;
    n = r && r->seen <= outside ? arrive(d, n, NOT_PLAIN) : next_decision(d, refresh(d), NOT_PLAIN);
  }
  set_horizon(d);
  return n;
}

/* The next decision is not before `stop`: do what comes before it. Returns whether the decision is
 * to be taken, that is, not behind the limit. */
ALWAYS_INLINE bool pass_stop(dram_t *d, decision_t *n, plain_t plain) {
  do {
    uint64_t outside = d->door.outside;
    if (outside < d->horizon)
      *n = arrive(d, *n, plain);
    else if (outside > d->limit && time_of(d, *n) > d->limit)
      return false;
    else
      *n = pass_far(d, *n);
    set_stop(d);
  } while (n->at >= d->stop);
  return true;
}

ALWAYS_INLINE void run(dram_t *d, plain_t plain) {
  decision_t n = d->next;
  int32_t floor;
  for (set_horizon(d), set_stop(d); n.at < d->stop || pass_stop(d, &n, plain);
       n = next_decision(d, floor, plain))
    floor = decide(d, n, plain);
  d->next = n;
}

NEVER_INLINE void set_plain(dram_t *d) {
  bool plain = FAST(d->ops == &dram_frfcfs && d->spec.banks <= 2 * PERBANK_WIDTH &&
                    d->max_waiting <= WAITING_MAX && !d->extras && !d->aged && !d->spec.unlimited &&
                    (!d->spec.one_queue || d->parted));
  d->plain = !plain                           ? NOT_PLAIN
             : d->spec.one_queue              ? PLAIN_ONE_QUEUE
             : d->parted                      ? PLAIN_PARTED
             : !d->command_cycles             ? PLAIN_16_DUAL
             : d->spec.banks <= PERBANK_WIDTH ? PLAIN_8
                                              : PLAIN_16;
  if (!plain) tell_scheduler(d);
}

/* spec.unlimited: banks and buses are always free, and each access opens its row. A write takes the
 * time of a read, so that accesses complete in the order in which they came. */
static uint64_t done_unlimited(const dram_t *d, const dram_req_t *r) {
  return clock_core(&d->clock, r->seen + d->spec.trcd + later(d->time[0].end, d->time[1].end));
}

static void issue_unlimited(const dram_t *d, dram_req_t *r) {
  r->issued = r->seen;
  r->outcome = MISS;
  r->done = done_unlimited(d, r);
}

NEVER_INLINE uint64_t run_unlimited(dram_t *d) {
  for (dram_req_t *r; (r = d->door.arrivals.head) && r->seen <= d->limit;) {
    list_take(&d->door.arrivals);
    issue_unlimited(d, r);
    list_put(&d->door.issued, r);
  }
  set_outside(d);
  const dram_req_t *first = d->door.arrivals.head;
  return first ? done_unlimited(d, first) : NEVER;
}

NEVER_INLINE void run_16(dram_t *d) { run(d, PLAIN_16); }
NEVER_INLINE void run_16_dual(dram_t *d) { run(d, PLAIN_16_DUAL); }
NEVER_INLINE void run_parted(dram_t *d) { run(d, PLAIN_PARTED); }
NEVER_INLINE void run_one_queue(dram_t *d) { run(d, PLAIN_ONE_QUEUE); }
NEVER_INLINE void run_any(dram_t *d) { run(d, NOT_PLAIN); }

/* spec.unlimited_walks: those that have arrived go from the door past all others. */
static dram_list_t take_walks(dram_t *d) {
  dram_list_t stay = {0}, walks = {0};
  while (d->door.arrivals.head) {
    dram_req_t *r = list_take(&d->door.arrivals);
    bool walk = r->a.cls == DRAM_WALK && r->seen <= d->limit;
    if (walk) issue_unlimited(d, r);
    list_put(walk ? &walks : &stay, r);
  }
  d->door.arrivals = stay;
  set_outside(d);
  return walks;
}

/* Does a, which was issued by the same or an earlier run, complete before b? A walk is the last of
 * its cycle, so that it does not matter into how many runs the decisions are divided. */
static bool completes_first(const dram_req_t *a, const dram_req_t *b) {
  if (a->done != b->done) return a->done < b->done;
  return a->a.cls != DRAM_WALK || b->a.cls == DRAM_WALK;
}

/* Puts accesses, which are in the order in which they complete, among those that are issued. */
static void merge_issued(dram_t *d, dram_list_t more) {
  dram_list_t all = {0}, rest[2] = {d->door.issued, more};
  for (dram_req_t *r; rest[0].head || rest[1].head; list_put(&all, r)) {
    const dram_req_t *a = rest[0].head, *b = rest[1].head;
    r = list_take(&rest[a && (!b || completes_first(a, b)) ? 0 : 1]);
  }
  d->door.issued = all;
}

NEVER_INLINE void run_past_walks(dram_t *d) {
  dram_list_t walks = take_walks(d), before = d->door.issued;
  d->door.issued = (dram_list_t){0};
  run_any(d);
  dram_list_t data = d->door.issued;
  d->door.issued = before;
  merge_issued(d, data);
  merge_issued(d, walks);
}

uint64_t dram_run(dram_t *d, uint64_t until) {
  uint64_t limit = clock_last_edge(&d->clock, until);
  d->limit = limit > d->limit ? limit : d->limit;
  if (__builtin_expect(d->plain == PLAIN_8, 1))
    run(d, PLAIN_8);
  else if (d->plain == PLAIN_16_DUAL)
    run_16_dual(d);
  else if (d->plain == PLAIN_PARTED)
    run_parted(d);
  else if (d->plain == PLAIN_ONE_QUEUE)
    run_one_queue(d);
  else if (d->plain == PLAIN_16)
    run_16(d);
  else if (d->spec.unlimited_walks && !d->spec.unlimited)
    run_past_walks(d);
  else if (d->spec.unlimited)
    return d->door.wake = run_unlimited(d);
  else
    run_any(d);
  if (d->aged && d->plain) set_plain(d);
  return d->door.wake = next_done(d);
}

bool dram_welcome(const dram_door_t *door, const dram_req_t *r) {
  const dram_t *d = (const dram_t *)(const void *)door;
  const dram_access_t *a = &r->a;
  return a->bank < d->spec.banks && a->row != DRAM_NO_ROW && a->bursts > 0 &&
         a->bursts <= dram_row_bursts(&d->spec) && a->app < GMMU_MAX_APPS &&
         a->cls < DRAM_CLASSES && a->write <= 1 && (r->seen > d->limit || d->limit == 0);
}

uint64_t dram_push(dram_t *d, uint64_t at, const dram_access_t *a) {
  dram_req_t *r = door_room(&d->door);
  r->a = *a;
  return door_push(&d->door, r, at, a->write);
}

/* --- handing out ------------------------------------------------------------------------------ */

static void count_queue(dram_door_t *door, const dram_req_t *r) {
  dram_queue_stats_t *s = &((dram_t *)(void *)door)->queue_stats[r->a.app][r->queue];
  s->reads++;
  s->queue_cycles += r->issued - r->seen;
  s->turns += r->turn;
}

void dram_count_aside(dram_door_t *door, const dram_req_t *r) {
  if (door->several_queues && !r->a.write) count_queue(door, r);
  if (door->watch) door->watch(door->watch_ctx, &r->a, r->a.bursts * door->burst_bytes);
}

void dram_watch(dram_t *d, dram_watch_fn watch, void *ctx) {
  d->door.watch = watch;
  d->door.watch_ctx = ctx;
  d->door.aside = watch || d->door.several_queues;
}

void dram_count(dram_t *d, uint64_t core) {
  uint64_t wake = d->door.wake, limit = clock_last_edge(&d->clock, core);
  dram_run(d, core);
  d->door.wake = wake;
  for (dram_req_t *r = d->door.issued.head; r && r->issued <= limit; r = r->next)
    if (!r->counted) door_count(&d->door, r), r->counted = true;
}

uint64_t dram_first(const dram_t *d) { return door_first(&d->door); }

uint64_t dram_take(dram_t *d, dram_done_t *out) {
  const dram_req_t *r = door_take(&d->door);
  *out = (dram_done_t){.id = r->a.id, .write = r->a.write, .done = r->done};
  return dram_first(d);
}

uint64_t dram_wake(const dram_t *d) { return d->door.wake; }

uint32_t dram_lag(const dram_t *d) {
  return (uint32_t)least(d->door.soonest[0], d->door.soonest[1]) - 1;
}

static uint32_t length(const dram_t *d, const dram_req_t *r) {
  uint32_t n = 0;
  for (; r && n <= d->max_waiting; r = r->next) n++;
  return n;
}

uint32_t dram_waiting(const dram_t *d) {
  uint32_t n = length(d, d->door.arrivals.head) + length(d, d->door.issued.head);
  for (uint32_t q = 0; q < DRAM_ALL_QUEUES; q++) n += d->used[q] + length(d, d->line[q].head);
  return n;
}

const dram_stats_t *dram_stats(const dram_t *d, uint8_t app, dram_class_t cls) {
  return &d->door.stats[app][cls].named;
}

const dram_queue_stats_t *dram_queue_stats(const dram_t *d, uint8_t app, uint32_t queue) {
  return &d->queue_stats[app][queue];
}

void dram_counters(dram_t *d, counters_t *c) {
  counters_add(c, d->door.stats, sizeof d->door.stats);
  counters_add(c, d->queue_stats, sizeof d->queue_stats);
}

uint64_t dram_busy(const dram_t *d) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < GMMU_MAX_APPS * DRAM_CLASSES; i++) {
    const dram_stats_t *s = &d->door.stats[i / DRAM_CLASSES][i % DRAM_CLASSES].named;
    bytes += s->read_bytes + s->write_bytes;
  }
  return bytes / d->door.burst_bytes * d->burst_cycles;
}

void dram_set_log(dram_t *d, dram_log_t *log) {
  d->log = log;
  d->extras = log || d->spec.closed_row || d->ops->served || d->spec.unlimited_walks;
  set_plain(d);
}

/* --- creation --------------------------------------------------------------------------------- */

static void derive(dram_t *d) {
  const dram_spec_t *s = &d->spec;
  uint32_t burst = (s->burst_length + s->data_rate - 1) / s->data_rate;
  uint32_t spacing = later(later(s->tccd, burst), s->command_cycles);
  uint32_t spacing_group = later(spacing, s->tccd_l);
  uint32_t read_end = s->tcl + burst, write_end = s->tcwl + burst;
  uint32_t turned = read_end + s->turnaround; /* first data of a write after a read */
  d->burst_cycles = burst;
  d->door.burst_bytes = s->bus_bytes * s->burst_length;
  d->spacing = spacing;
  d->command_cycles = !s->dual_command;
  d->parted = s->groups > 1 || s->command_cycles > 1 || s->activate_cycles > 1;
  d->group_mask = s->groups - 1;
  d->time[0] = (column_time_t){.same = spacing,
                               .same_group = spacing_group,
                               .other = later(spacing, turned > s->tcwl ? turned - s->tcwl : 0),
                               .precharge = s->trtp,
                               .end = read_end};
  d->time[1] = (column_time_t){.same = spacing,
                               .same_group = spacing_group,
                               .other = later(spacing, write_end + s->twtr),
                               .precharge = write_end + s->twr,
                               .end = write_end};
  d->time[0].other_group = later(spacing_group, d->time[0].other);
  d->time[1].other_group = later(spacing_group, write_end + later(s->twtr, s->twtr_l));
  for (uint32_t w = 0; w < 2; w++)
    d->door.soonest[w] = d->time[w].end * d->clock.q / d->clock.p + 1;
  d->door.edges = d->clock.edges;
  d->after_activate = (dram_times_t){s->trc, s->tras, s->trcd};
  d->has_faw = s->tfaw > 4 * s->trrd;
  d->refresh_due = !s->trefi ? NEVER : s->bank_refresh ? s->trefi / s->banks : s->trefi;
}

static void set_queues(dram_t *d) {
  uint32_t n = 0;
  bool row_first = false;
  for (; n < d->ops->queues && n < DRAM_QUEUES; n++) {
    row_first = d->ops->row_first[n];
    d->capacity[n] = d->ops->capacity ? d->ops->capacity(&d->spec, n) : d->spec.queue;
    d->yields |= (uint32_t)d->ops->yields[n] << n;
    d->lead[n] = row_first ? HIT_LEAD : 0;
  }
  d->writes_queue = n;
  for (uint32_t w = 0; w < 2; w++) {
    dram_req_t fresh = {.queue = (uint8_t)(w && !d->spec.one_queue ? n : 0), .outcome = HIT};
    d->door.fresh[w] = fresh.status;
  }
  d->door.several_queues = d->door.aside = n > 1;
  d->capacity[n] = d->spec.write_queue;
  d->lead[n] = row_first ? HIT_LEAD : 0;
}

static void set_empty(dram_t *d) {
  for (uint32_t b = 0; b < d->spec.banks; b++) d->kind[b] = IDLE;
  memset(d->candidate.queue, DRAM_NO_QUEUE, sizeof d->candidate.queue);
  rows_init(d->bank, d->spec.banks);
  for (uint32_t k = 0; k <= IDLE; k++)
    for (uint32_t b = 0; b < PERBANK_MAX; b++) d->when[k].at[b] = PERBANK_NEVER;
  for (uint32_t b = 0; b < d->spec.banks; b++) d->in_group[b & d->group_mask].at[b] = -1;
  for (uint32_t i = d->max_waiting; i-- > 0;)
    d->pool[i].next = d->door.unused, d->door.unused = &d->pool[i];
  d->door.wake = NEVER;
  d->next = (decision_t){.at = PERBANK_NEVER};
  dram_set_log(d, NULL);
  set_outside(d);
  serve(d, 0);
}

static int build(dram_t *d, arrays_t *a) {
  d->pool = arrays_take(a, d->max_waiting * sizeof *d->pool);
  if (!d->pool) return GMMU_ENOMEM;
  if (d->ops->state_bytes) {
    d->state = arrays_take(a, d->ops->state_bytes(&d->spec));
    if (!d->state) return GMMU_ENOMEM;
    if (d->ops->init) d->ops->init(d->state, &d->spec);
  }
  set_queues(d);
  set_empty(d);
  return 0;
}

void *dram_scheduler_state(const dram_t *d) { return d->state; }

int dram_new(const dram_spec_t *spec, uint32_t core_mhz, uint32_t max_waiting, arrays_t *a,
             dram_t **out, err_t *e) {
  *out = NULL;
  int code = dram_spec_check(spec, e);
  if (code) return code;
  return dram_new_with(spec, dram_sched_find(spec->scheduler), core_mhz, max_waiting, a, out, e);
}

int dram_new_with(const dram_spec_t *spec, const dram_sched_ops_t *ops, uint32_t core_mhz,
                  uint32_t max_waiting, arrays_t *a, dram_t **out, err_t *e) {
  *out = NULL;
  if (core_mhz == 0 || core_mhz > DRAM_MHZ_MAX || max_waiting == 0)
    return err_set(e, GMMU_ERANGE, "core clock %u MHz or %u accesses", core_mhz, max_waiting);
  dram_t *d = arrays_take(a, sizeof *d);
  if (!d) return err_set(e, GMMU_ENOMEM, "DRAM channel");
  d->spec = *spec;
  d->ops = ops;
  d->may_pass = ops->may_pass;
  d->clock = clock_of(spec->clock_mhz, core_mhz);
  d->max_waiting = max_waiting;
  derive(d);
  if (build(d, a)) return err_set(e, GMMU_ENOMEM, "DRAM channel of %u accesses", max_waiting);
  *out = d;
  return 0;
}

/* --- checking --------------------------------------------------------------------------------- */

static bool in_place(const dram_t *d, uint32_t b) {
  bool right = true;
  for (uint32_t k = 0; k < IDLE; k++)
    right &= d->when[k].at[b] == (k == d->kind[b] ? (int16_t)allowed(d, b) : PERBANK_NEVER);
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
  const dram_waiting_t *waiting = &bank->waiting[r->queue];
  bool column = is_column(kind, NOT_PLAIN);
  bool right = r == (column ? waiting->hits.head : waiting->others.head);
  if (column) right &= kind == column_of(d, r, NOT_PLAIN);
  if (!column) right &= (bank->row == DRAM_NO_ROW) == (kind == ACTIVATE);
  right &= d->plain ? d->age.at[b] == (int16_t)r->age
                    : d->candidate.order[b] == r->order && d->candidate.of[r->queue] >> b & 1;
  if (!right) return err_set(e, GMMU_ECHECK, "bank %u: wrong candidate", b);
  return 0;
}

static int check_counts(const dram_t *d, err_t *e) {
  uint32_t inside = length(d, d->door.arrivals.head);
  for (uint32_t q = 0; q < DRAM_ALL_QUEUES; q++) {
    uint32_t line = length(d, d->line[q].head);
    inside += line + d->used[q];
    if (d->used[q] > d->capacity[q] || (line && d->used[q] < d->capacity[q]))
      return err_set(e, GMMU_ECHECK, "queue %u: %u of %u used", q, d->used[q], d->capacity[q]);
  }
  if (length(d, d->door.unused) + length(d, d->door.issued.head) + inside != d->max_waiting)
    return err_set(e, GMMU_ECHECK, "requests lost");
  return 0;
}

int dram_check(const dram_t *d, err_t *e) {
  int code = check_counts(d, e);
  if (!code) code = rows_check(&d->rows, d->bank, d->spec.banks, d->used, e);
  for (uint32_t b = 0; !code && b < d->spec.banks; b++) code = check_bank(d, b, e);
  return code;
}
