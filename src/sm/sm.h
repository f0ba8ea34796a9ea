#ifndef GMMU_SM_H
#define GMMU_SM_H
/* A streaming multiprocessor: resident blocks, warps with a scoreboard, schedulers, and the queues
 * of its load/store unit. What happens to a memory access after the queue (TLB, L1, crossbar) is
 * decided by those blocks.
 *
 * Masks: a warp has a slot (fixed while it lives) and an age number (its place among the resident
 * warps, oldest first). All masks of the issue stage are in age order, so that "the oldest" is a
 * count of trailing zeros. A warp that cannot issue costs nothing until something wakes it.
 *
 * Every cycle in which a warp does not issue is charged to one reason; the reasons and the issued
 * instructions together are exactly slots x cycles. */
#include "base/inline.h"
#include "base/opt.h"
#include "engine/lookups.h"
#include "engine/request.h"
#include "engine/watch.h"
#include "gmmu/mm.h"
#include "gmmu/stream.h"
#include "gmmu/types.h"
#include "sm/coalesce.h"
#include "sm/sched.h"
#include <stdbool.h>

#define SM_MAX_WARPS      64
#define SM_MAX_CTAS       32
#define SM_MAX_SCHEDULERS 4
#define SM_RING           64 /* longest fixed latency + 1 */
/* The scoreboard of an SM: eight registers of a warp, a cache line of the host, lie side by side,
 * then the same eight of the next warp, and so on. So kernels of few registers touch little of it.
 * SM_REG_PLACE is where a register is, from the warp's first one; REG_NONE comes before all others.
 */
#define SM_REG_LINE   8u
#define SM_REG_LINES  32u /* 255 registers and REG_NONE, */
#define SM_REG_FILE   (SM_REG_LINES * SM_MAX_WARPS * SM_REG_LINE)
#define SM_REG_POS(r) ((uint8_t)((r) + 1u))
#define SM_REG_PLACE(r)                                                                            \
  ((uint16_t)(SM_REG_POS(r) / SM_REG_LINE * SM_MAX_WARPS * SM_REG_LINE +                           \
              SM_REG_POS(r) % SM_REG_LINE))
#define REG_PENDING   UINT64_MAX
#define WHOLE_BYTES   (4 * WARP_LANES) /* what a warp of words accesses: the usual line, */
#define WHOLE_SECTORS (uint8_t)((1u << WHOLE_BYTES / SECTOR_BYTES) - 1) /* and all its sectors */
#define WHOLE_ATOMIC  (WHOLE_BYTES / SECTOR_BYTES << 1 | 1)             /* `level` of its atomic */
#define SM_OPERANDS   8 /* registers an instruction can name: 4 read, 4 written */

typedef struct {
  uint32_t warps, ctas, threads, registers, shared_bytes; /* capacity of one SM */
  uint32_t schedulers;
  bool fair; /* they take turns at shared memory */
  const char *scheduler;
  uint32_t depth; /* cycles that a result takes before its unit and behind it */
  uint32_t int_latency, mul_latency, fp32_latency, fp64_latency, sfu_latency, tensor_latency,
      branch_latency, const_latency, shared_latency;
  /* Cycles before the unit takes the next warp. fp32 0: single precision uses the integer unit;
   * tensor_latency 0: matrix products use the special function unit. */
  uint32_t int_interval, fp32_interval, fp64_interval, sfu_interval, tensor_interval,
      branch_interval, const_interval;
  uint32_t
      unit_queue; /* instructions of a scheduler that may have issued before their unit is free */
  uint32_t lsu_latency; /* issue to TLB look-up */
  uint32_t lsu_queue;   /* memory instructions waiting for their look-ups */
  uint32_t lsu_insts;   /* and the memory instructions among it */
  uint32_t lsu_lines;   /* lines under way */
} sm_spec_t;
extern const opt_t sm_options[]; /* group "sm" */

/* What a reason is of. */
typedef enum { STALLED_BY_OTHER, STALLED_BY_TRANSLATION, STALLED_BY_DATA } stall_kind_t;

#define STALL_LIST(X)                                                                              \
  X(ALU, "alu", STALLED_BY_OTHER, "waits for the result of an arithmetic instruction")             \
  X(TLB1, "l1tlb", STALLED_BY_TRANSLATION, "its last line is in the first-level TLB")              \
  X(TLB2, "l2tlb", STALLED_BY_TRANSLATION, "on the way to, or in, a shared TLB")                   \
  X(WALK_QUEUE, "walk_queue", STALLED_BY_TRANSLATION, "waits for a walker thread")                 \
  X(WALK_L2, "walk_l2", STALLED_BY_TRANSLATION,                                                    \
    "the walk reads the L2 cache or the page-walk cache")                                          \
  X(WALK_DRAM, "walk_dram", STALLED_BY_TRANSLATION, "the walk reads DRAM")                         \
  X(FAULT, "fault", STALLED_BY_TRANSLATION, "the page is being brought in")                        \
  X(L1, "l1", STALLED_BY_DATA, "in the L1 cache or its queue")                                     \
  X(L2, "l2", STALLED_BY_DATA, "in the crossbar or the L2 cache")                                  \
  X(DRAM, "dram", STALLED_BY_DATA, "in a DRAM channel or its queue")                               \
  X(BARRIER, "barrier", STALLED_BY_OTHER, "waits for the other warps of its block")                \
  X(STRUCTURAL, "structural", STALLED_BY_OTHER,                                                    \
    "could issue, but another warp did or a unit was busy")                                        \
  X(EMPTY, "empty", STALLED_BY_OTHER, "no warp in the slot")                                       \
  X(TURN, "turn", STALLED_BY_OTHER, "another application has the SM, or it changes hands")         \
  X(COMPACT, "compact", STALLED_BY_OTHER, "no SM issues anything while compaction moves pages")
typedef enum {
#define X(n, s, k, h) STALL_##n,
  STALL_LIST(X)
#undef X
      STALLS
} stall_t;
extern const char *const stall_names[STALLS], *const stall_help[STALLS];
extern const stall_kind_t stall_kinds[STALLS];

#define SM_STATS(X)                                                                                \
  X(warp_instructions, "warp instructions", "instructions issued, one per warp")                   \
  X(thread_instructions, "thread instructions", "the same, one per active lane")                   \
  X(loads, "warp instructions", "loads from global, local or texture memory")                      \
  X(stores, "warp instructions", "stores to them")                                                 \
  X(atomics, "warp instructions", "atomics and reductions")                                        \
  X(shared_accesses, "warp instructions", "accesses to shared memory")                             \
  X(bank_conflict_cycles, "cycles", "extra passes through the banks of shared memory")             \
  X(barriers, "warp instructions", "barriers")                                                     \
  X(lines, "lines", "lines asked for by the coalescer")                                            \
  X(pages, "look-ups", "distinct pages of an access, one TLB look-up each")                        \
  X(blocks, "blocks", "thread blocks finished")                                                    \
  X(slot_cycles, "warp-cycles",                                                                    \
    "warp slots times cycles: what the stall reasons add up to; where applications share SMs, "    \
    "the "                                                                                         \
    "slots of its blocks")
typedef struct {
#define X(n, u, h) uint64_t n;
  SM_STATS(X)
#undef X
  uint64_t stall[STALLS];
} sm_stats_t;

/* UNIT_ANY is a unit that takes a warp in every cycle, so that nobody ever waits for it. */
typedef enum {
  UNIT_ANY,
  UNIT_ALU,
  UNIT_FP64,
  UNIT_SFU,
  UNIT_FP32,
  UNIT_TENSOR,
  UNIT_BRANCH,
  UNIT_MEM,
  UNIT_SHARED,
  UNITS
} unit_t;
typedef enum { /* a runnable warp is ready or, until its ready_at, in the timing ring */
               WARP_EMPTY,
               WARP_RUNNABLE,
               WARP_MEMORY,
               WARP_BARRIER,
               WARP_HELD, /* goes on at its ready_at, by a message (sampling/restart.c) */
               WARP_DONE
} warp_state_t;

/* What issuing an instruction means; those from OP_BARRIER on stop the warp. */
typedef enum { OP_PLAIN, OP_MEMORY, OP_SHARED, OP_BARRIER, OP_EXIT } op_kind_t;

/* An instruction as the issue stage wants it, with what the preset says about its class. */
typedef struct {
  uint8_t kind;            /* op_kind_t */
  uint8_t unit;            /* unit_t */
  uint8_t latency_cycles;  /* to the result, depth included */
  uint8_t interval_cycles; /* before the unit takes the next warp; 0: it does not become busy */
  uint8_t ahead_cycles;    /* it may issue so long before the unit is free */
  uint8_t gap_cycles;      /* before the warp's next instruction: 1, more after a branch */
  uint8_t dsts;            /* as in inst_t; */
  uint8_t regs;            /* distinct registers it names */
  uint8_t width_bytes;     /* memory: per lane, */
  uint8_t request;         /* req_kind_t, */
  uint8_t request_full;    /* sectors whose complete overwriting matters: all of a store's, */
  uint8_t dst;             /* the first register written, as in inst_t, and its place */
  uint16_t dst_place;
  uint16_t place[SM_OPERANDS]; /* of those it names, filled up with that of REG_NONE */
  uint32_t index;              /* in the launch's table, and its place; */
  uint64_t whole_line; /* and the request of a whole line, the first of its group: its `what` */
} decoded_t;

/* The instructions of one launch. */
typedef struct {
  decoded_t *at;
  uint32_t capacity;
  uint32_t registers; /* highest register number named + 1 */
} code_t;

typedef struct {
  /* two lines of the host's cache */
  _Alignas(64) const decoded_t *in; /* the next instruction, once its last one has issued */
  const decoded_t *code;
  source_t *src;
  uint32_t (*step)(source_t *, uint64_t, uint32_t, warp_op_t *); /* of src */
  /* [SM_REG_PLACE] cycle from which its value can be used; REG_PENDING: under way. REG_NONE stands
   * for no register and is never later than the current cycle. */
  uint64_t *reg_at;
  sm_stats_t *stats;
  uint64_t charged;  /* every cycle before this one has been charged */
  uint64_t ready_at; /* the next instruction's operands are there from this cycle on */
  uint32_t source_slot;
  uint16_t loads;   /* under way */
  uint16_t store;   /* owner of its stores: OWNER_NONE, or of its kernel's */
  uint16_t answers; /* to its slot: loads that ended, and stores; modulo 65536 */
  uint8_t app, cta, slot, age, state, scheduler, barrier;
  uint8_t clean; /* lines of its registers that no instruction has written: see sm_skip() */
  uint64_t bit;  /* of its age */
  uint64_t who;  /* what of its requests: the SM and the application */
  uint64_t blocked_before; /* blocked_cycles of the SM when it became ready for memory */
  uint64_t not_before;     /* first cycle of the next instruction, were it not for memory */
} warp_t;

typedef struct {
  uint64_t since; /* first cycle */
  uint64_t warps; /* slots */
  uint32_t live;  /* warps that have not exited: who a barrier waits for */
  uint32_t open;  /* warps that have not exited or have loads under way */
  uint32_t threads, registers, shared_bytes;
  uint8_t app, used;
  uint8_t kernel; /* which of the application's in flight */
} cta_t;

/* A load under way. */
typedef struct {
  uint64_t t_issue;
  warp_t *warp;
  const decoded_t *in;
  uint32_t remaining; /* lines */
  uint32_t next_free;
} load_t;

/* When up to 64 SMs have something to do, in the next 63 cycles: whoever arranges something for a
 * later cycle enters the SM there. Being called without need does no harm. */
typedef struct {
  uint64_t awake;        /* bit per SM: at once; once SMs are called, in the next cycle */
  uint64_t due[SM_RING]; /* by cycle modulo 64: bit per SM; */
  uint64_t used;         /* those that are not 0, and perhaps some before the current cycle */
} sm_calendar_t;

struct sm;
/* Who hears of a warp's waiting time for memory. */
typedef struct {
  /* Warp-cycles by reason [STALLS], for `request` of an application. */
  WATCH(charged, uint32_t request, uint8_t app, const uint64_t *stall);
  /* STALL_TLB1 for want of an MSHR: the warp could not issue. */
  WATCH(blocked, const struct sm *s, const warp_t *w, uint64_t cycles);
} sm_watch_t;

/* When a unit of a scheduler takes another warp. */
typedef struct {
  uint64_t free; /* the unit is, from this cycle on; */
  uint64_t open; /* an instruction may issue for it */
} sm_unit_t;

/* What every cycle of an SM reads comes first, in five lines of the host's cache: a machine has
 * more SMs than fit there, so they are fetched while the SM before is called. */
#define SM_HOT_LINES 5
typedef struct sm {
  _Alignas(64) uint64_t ready; /* warps that wait for nothing but their turn, */
  uint64_t turn;               /* of them, those that may issue in this cycle */
  uint64_t memory_at;          /* when look-ups, or L1, are looked at again */
  uint64_t units_open;         /* all units take an instruction, from this cycle on */
  sm_calendar_t *calendar;     /* the owner's; */
  uint64_t calendar_bit;       /* this SM's in it */
  const sm_spec_t *spec;
  bool rare;     /* a block has ended or a source has failed since the owner looked */
  bool stirred;  /* a finished line changed what the SM can do: it must be ticked */
  bool plain;    /* greedy, not fair, and no walk was ever here: issue is short */
  bool greedy;   /* the policy is GTO */
  bool fair;     /* schedulers take turns */
  bool shared;   /* by several applications at once: each is charged for the slots of its blocks */
  uint8_t owner; /* application whose SM this is; empty slots are charged to it */
  uint64_t wants[UNITS];            /* warps by the unit of their next instruction */
  uint64_t mine[SM_MAX_SCHEDULERS]; /* warps of each scheduler */
  uint8_t last[SM_MAX_SCHEDULERS];  /* age of the warp that issued last, or SCHED_GONE */
  uint32_t schedulers;
  uint32_t lsu_insts; /* memory instructions among `look` */
  uint32_t load_free, loads_used;
  uint32_t lines_used;
  lookups_t look; /* what goes to the stage of the first-level TLB */
  load_t *load;
  uint32_t *app_lines;                 /* [app] lines under way in the whole machine, */
  uint32_t (*stores)[REQUEST_KERNELS]; /* [app] and of them stores of kernels among others */
  request_pool_t *pool;
  const mm_t *sizes; /* of pages, if they have several; else NULL */
  uint32_t page_shift, line_shift;
  uint32_t id;
  /* issue */
  uint32_t units; /* those from this one on up to UNIT_MEM nobody has to wait for */
  sm_unit_t unit[SM_MAX_SCHEDULERS][UNIT_MEM];
  uint64_t ring[SM_RING]; /* warps that get ready, by cycle modulo 64 */
  warp_t *by_age[SM_MAX_WARPS];
  uint64_t shared_free;
  uint64_t walks_until; /* before it the first scheduler issues instructions of walks */
  uint32_t first;       /* of the schedulers, if they take turns (fair) */
  uint32_t resident;
  uint32_t (*pick)(uint64_t eligible, uint32_t last); /* the policy, if it is not greedy, */
  uint32_t (*choose)(const policy_mine_t *mine, uint64_t eligible, uint32_t last); /* or this */
  const policy_mine_t *policy; /* what it is called with */
  sm_stats_t *stats;           /* [app], shared by all SMs */
  uint64_t *reg_file;
  bool skips;              /* see sm_skip() */
  const sm_watch_t *watch; /* NULL: nobody */
  /* resources of resident blocks */
  uint32_t threads_used, registers_used, shared_used, ctas_used;
  uint32_t shared_most; /* of shared_used, since whoever asks has set it back */
  uint32_t ended;       /* bit per block that ended and was not collected yet */
  bool failed;          /* a source failed; failed_src tells */
  source_t *failed_src;
  cta_t cta[SM_MAX_CTAS];
  warp_t warp[SM_MAX_WARPS];
  uint64_t empty_since[SM_MAX_WARPS];
  _Alignas(64) warp_op_t op;
  coalesced_t co;
} sm_t;

/* The blocks that an application has on an SM, while another one has its turn there. What is not in
 * here, the load/store unit above all, stays with the SM and has nothing to do at a change; masks
 * follow from the warps. */
typedef struct {
  warp_t warp[SM_MAX_WARPS];
  cta_t cta[SM_MAX_CTAS];
  uint64_t empty_since[SM_MAX_WARPS];
  uint64_t *reg_file;
  uint32_t threads_used, registers_used, shared_used, ctas_used;
  uint8_t last[SM_MAX_SCHEDULERS], owner;
} sm_context_t;

/* `stats`, `app_lines` and `stores` are arrays by application that outlive the SM; so do the
 * calendar and `look`.
 */
int sm_init(sm_t *s, const sm_spec_t *spec, uint32_t id, uint32_t page_shift, uint32_t line_shift,
            request_pool_t *pool, sm_stats_t *stats, uint32_t *app_lines,
            uint32_t (*stores)[REQUEST_KERNELS], sm_calendar_t *calendar, arrays_t *a, err_t *e);

/* Blocks of `l` that one SM holds at once; 0 if one does not fit. */
uint32_t sm_occupancy(const sm_spec_t *spec, const launch_t *l);
bool sm_fits(const sm_t *s, const launch_t *l);
uint32_t sm_room(const sm_t *s, const launch_t *l); /* blocks that still fit */
/* What one application may have of an SM that several share. */
typedef struct {
  uint32_t warps, ctas, threads, registers, shared_bytes;
} sm_part_t;
sm_part_t sm_part(const sm_spec_t *spec, uint32_t of, uint32_t whole); /* of / whole of an SM */
/* Would the block, which the SM has room for, be within the application's part? A single one always
 * is, however large. */
bool sm_fits_part(const sm_t *s, const launch_t *l, uint8_t app, const sm_part_t *part);
/* From now on, or no longer, warps go on without time: nobody writes registers, so those of a slot
 * are cleared for its first block alone. */
void sm_skip(sm_t *s, bool on);
/* Decodes the launch's table into `c`, which starts zeroed and grows as needed; no warp may be
 * using it. The owner ends it with sm_code_fini(). */
int sm_decode(code_t *c, const sm_spec_t *spec, const launch_t *l, err_t *e);
void sm_code_fini(code_t *c);
/* Starts block `cta_index` of the launch, whose instructions are `c`, at cycle `now`; sm_fits()
 * must hold. A launch that overlaps has its stores counted. */
int sm_start(sm_t *s, uint64_t now, const launch_t *l, const code_t *c, source_t *src, uint8_t app,
             uint32_t cta_index, err_t *e);
/* Frees the place of an ended block (a bit of `ended`). */
void sm_collect(sm_t *s, uint64_t now, uint32_t cta);

/* The load/store unit takes another memory instruction. */
static inline bool sm_lsu_free(const sm_t *s) {
  return s->lsu_insts < s->spec->lsu_queue && s->loads_used < s->spec->lsu_insts &&
         s->lines_used + COALESCE_MAX <= s->spec->lsu_lines;
}

/* The SM is called in cycle `at`, one of the next 63. */
static inline void sm_calendar_enter(const sm_t *s, uint64_t at) {
  uint64_t slot = at & (SM_RING - 1);
  s->calendar->due[slot] |= s->calendar_bit;
  s->calendar->used |= 1ull << slot;
}

/* A group is ready for its look-up then; those before it may be earlier. */
static inline void sm_lookup_due(sm_t *s, uint64_t at) {
  if (at < s->look.at) s->look.at = at;
  if (at < s->memory_at) s->memory_at = at;
  sm_calendar_enter(s, at);
}

/* The parts of one cycle, in this order; the owner does TLB and L1 work between wake and issue. */
void sm_wake_memory(sm_t *s, uint64_t now, uint64_t warps); /* of sm_wake_timed() */
static inline void sm_wake_timed(sm_t *s, uint64_t now) {
  uint64_t due = s->ring[now & (SM_RING - 1)];
  if (!due) return;
  s->ring[now & (SM_RING - 1)] = 0;
  s->ready |= due;
  if (due & s->wants[UNIT_MEM]) sm_wake_memory(s, now, due & s->wants[UNIT_MEM]);
}
bool sm_wait_for_units(const sm_t *s, uint64_t now); /* of sm_stays_awake() */
/* At the end of a cycle: has the SM warps to issue in the next one? The load/store unit takes one
 * then, or after an answer; those that wait for another unit are in the calendar. */
static inline bool sm_stays_awake(const sm_t *s, uint64_t now) {
  if (!s->ready) return false;
  if (s->ready & s->wants[UNIT_ANY]) return true;
  if ((s->ready & s->wants[UNIT_MEM]) && sm_lsu_free(s)) return true;
  return (s->ready & ~s->wants[UNIT_MEM]) && sm_wait_for_units(s, now);
}

void sm_load_done(sm_t *s, uint64_t now, uint32_t load, const request_t *r); /* of sm_line_done() */
/* A line of a load has arrived, or a store has taken effect: the request is given back, but its
 * stamps stay until it is taken again. Returns the lines its application still has under way, 0
 * also if it was the last store of its kernel. */
ALWAYS_INLINE uint32_t sm_line_done(sm_t *s, uint64_t now, uint32_t request) {
  const request_t *r = &s->pool->at[request];
  if ((s->ready & s->wants[UNIT_MEM]) &&
      (s->loads_used == s->spec->lsu_insts || s->lines_used + COALESCE_MAX > s->spec->lsu_lines))
    s->stirred = true;
  uint32_t left = --s->app_lines[r->app];
  s->lines_used--;
  request_give(s->pool, request);
  if (request_awaited(r)) {
    if (--s->load[r->owner].remaining == 0) sm_load_done(s, now, r->owner, r);
  } else if (r->owner != OWNER_NONE && --s->stores[r->app][r->owner - OWNER_STORE] == 0) {
    left = 0;
  }
  return left;
}
/* Charges to warp `w` the cycles [w->charged, to) by where request `r` of its load was at each
 * time. */
void sm_charge_memory(sm_t *s, warp_t *w, const request_t *r, uint64_t t_issue, uint64_t to);
/* At the end of a run: charges every cycle before `now` that is still open. */
void sm_settle(sm_t *s, uint64_t now);
bool sm_check(const sm_t *s);

/* ---- turns of several applications on one SM: sm_park.c ---- */

/* A context without blocks, of application `owner`. */
int sm_context_init(sm_context_t *c, const sm_spec_t *spec, uint8_t owner, arrays_t *a, err_t *e);
/* Nothing is under way: no line, no look-up, no result that comes by itself, no block that ended.
 */
static inline bool sm_quiet(const sm_t *s) {
  uint64_t timed = 0;
  if (s->lines_used || s->ended || s->loads_used) return false;
  for (uint32_t i = 0; i < SM_RING; i++) timed |= s->ring[i];
  return !timed;
}
/* Charges the cycles before `now` of an SM that has issued nothing since cycle `stopped`, but not
 * those of warps that wait for memory. */
void sm_leave(sm_t *s, uint64_t stopped, uint64_t now);
/* The SM has issued nothing since cycle `stopped`, and goes on in cycle `now`: charges its warps,
 * but not those that wait for memory. */
void sm_pause(sm_t *s, uint64_t stopped, uint64_t now);
/* The blocks of the SM, which is quiet, and those of the context change places. */
void sm_exchange(sm_t *s, sm_context_t *c);
/* They go on in cycle `now`: until then it was the turn of others. */
void sm_return(sm_t *s, uint64_t now);
/* The end of a run, for a context; as sm_settle(). */
void sm_context_settle(sm_context_t *c, const sm_spec_t *spec, sm_stats_t *stats, uint64_t now);
bool sm_context_check(const sm_context_t *c, const sm_spec_t *spec);
#endif
