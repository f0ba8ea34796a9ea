#ifndef GMMU_TIMELINE_H
#define GMMU_TIMELINE_H
/* A window of cycles, in full: what every warp did, every look-up, walk, line and DRAM command, as
 * a file for Perfetto or Chrome (timeline_json.c). Nothing of it changes what is simulated.
 *
 * What is noted is a span: something that was somewhere from one cycle to another. Lines,
 * translations and walks are noted when they end, with the stamps they carry, so they may have
 * begun before the window. Spans of one line, and of the translation it started, have one number in
 * common (`flow`), by which its way through the machine is found again.
 *
 * Memory is bounded: when there is no room for another span the window ends there, and says so. */
#include "base/strbuf.h"
#include "dram/dram_clock.h"
#include "dram/dram_log.h"
#include "gmmu/err.h"
#include "gpu/gpu.h"
#include "observe/origins.h"
#include "sm/sm.h"

/* Where a span is drawn. A line and a walk are followed by their parts, which lie inside. */
typedef enum {
  PLACE_WARP, /* unit: SM, index: slot */
  PLACE_LINE, /* unit: SM */
  PLACE_TLB,  /* unit: instance, index: level */
  PLACE_WALK, /* unit: walker thread */
  PLACE_L2,   /* unit: slice */
  PLACE_DRAM, /* unit: channel, index: bank, or their number: all banks */
  PLACE_PART  /* of the span before it that is no part */
} place_kind_t;

#define SPAN_KINDS(X)                                                                              \
  X(ISSUE, "issue", PLACE_WARP)                                                                    \
  X(READY, "ready", PLACE_WARP)                                                                    \
  X(ALU, "alu", PLACE_WARP)                                                                        \
  X(MEMORY, "memory", PLACE_WARP)                                                                  \
  X(BARRIER, "barrier", PLACE_WARP)                                                                \
  X(LOAD, "load", PLACE_LINE)                                                                      \
  X(STORE, "store", PLACE_LINE)                                                                    \
  X(ATOMIC, "atomic", PLACE_LINE)                                                                  \
  X(IN_LSU, "lsu", PLACE_PART)                                                                     \
  X(IN_TLB1, "l1tlb", PLACE_PART)                                                                  \
  X(IN_TLB2, "l2tlb", PLACE_PART)                                                                  \
  X(IN_WALK_QUEUE, "walk_queue", PLACE_PART)                                                       \
  X(IN_WALK_L2, "walk_l2", PLACE_PART)                                                             \
  X(IN_WALK_DRAM, "walk_dram", PLACE_PART)                                                         \
  X(IN_FAULT, "fault", PLACE_PART)                                                                 \
  X(IN_L1, "l1", PLACE_PART)                                                                       \
  X(IN_L2, "l2", PLACE_PART)                                                                       \
  X(IN_DRAM, "dram", PLACE_PART)                                                                   \
  X(IN_BACK, "back", PLACE_PART)                                                                   \
  X(LOOK_HIT, "hit", PLACE_TLB)                                                                    \
  X(LOOK_MISS, "miss", PLACE_TLB)                                                                  \
  X(LEVEL, "translation", PLACE_TLB)                                                               \
  X(WALK, "walk", PLACE_WALK)                                                                      \
  X(WALK_READ, "read", PLACE_PART)                                                                 \
  X(L2_HIT, "hit", PLACE_L2)                                                                       \
  X(L2_MISS, "miss", PLACE_L2)                                                                     \
  X(L2_JOINED, "joined", PLACE_L2)                                                                 \
  X(L2_BYPASS, "bypass", PLACE_L2)                                                                 \
  X(DRAM_ACT, "activate", PLACE_DRAM)                                                              \
  X(DRAM_PRE, "precharge", PLACE_DRAM)                                                             \
  X(DRAM_READ, "read", PLACE_DRAM)                                                                 \
  X(DRAM_WRITE, "write", PLACE_DRAM)                                                               \
  X(DRAM_REFRESH, "refresh", PLACE_DRAM)
typedef enum {
#define X(n, s, p) SPAN_##n,
  SPAN_KINDS(X)
#undef X
      SPANS,
  SPAN_NONE = SPANS
} span_kind_t;

typedef struct {
  uint64_t begin, end; /* [begin, end) */
  uint64_t value;      /* virtual address; DRAM: row; WALK_READ: its cycles in DRAM */
  uint32_t flow;       /* 0: none */
  uint32_t request;    /* PLACE_L2: in the pool, by which DRAM commands are found */
  origin_t origin;     /* who asked for it; zero where attribution is off or does not know */
  uint16_t unit;
  uint8_t kind, app, index; /* span_kind_t; index: see place_kind_t; of a part: level of a read */
} span_t;

/* A request between its look-up and its end. */
typedef struct {
  uint64_t issued, looked, va;
  uint32_t flow; /* 0: it was looked up before the window */
  uint8_t slot;
} timeline_line_t;

/* A warp: what it has been doing since when, and what it does from the cycle after the last look
 * on. */
typedef struct {
  uint64_t since, looked;
  uint8_t kind, then;           /* span_kind_t, or SPAN_NONE */
  uint8_t app, then_app, state; /* whose; warp_state_t at the last look */
} timeline_warp_t;

typedef struct {
  timeline_window_t window;
  bool on;         /* in the window */
  bool changed;    /* `on` has: blocks have to hear who watches them */
  uint64_t next;   /* cycle in which it begins, or ends; or DRAM commands are noted from */
  uint64_t cut_at; /* there was no room from this cycle on; UINT64_MAX: there was */
  bool full;
  span_t *span;
  uint32_t count, flows;
  timeline_line_t *line; /* [request] */
  uint32_t *flow_of;     /* [translation]: that of the line it was started for */
  timeline_warp_t *warp; /* [SM * warps + slot] */
  dram_log_t *log;       /* [channel] */
  dram_cmd_t *cmd;       /* of all of them */
  dram_clock_t clock;
} timeline_t; /* ports: ev, pool, xlat, tlb, walker, cores, dram, observe, attribution, memory,
                 share, spec */

/* Note a window of a run; before its first cycle. */
int timeline_open(timeline_t *t, const timeline_window_t *window, err_t *e);
void timeline_fini(timeline_t *t);
/* As JSON, after the run: see docs/observe.md. */
int timeline_json(const timeline_t *t, strbuf_t *out, err_t *e);

/* ---- the machine's side; but for the first, only in the window ---- */
void timeline_boundary(timeline_t *t); /* in the cycle `next` */
void timeline_stop(timeline_t *t);     /* the end of the window or of the run */
void timeline_cycle(timeline_t *t);    /* after the SMs' phase of every cycle */
void timeline_turns(timeline_t *t);    /* after turns_attend() */
void timeline_lookup(timeline_t *t, const sm_t *s, const group_t *gr, bool hit);
void timeline_translation(timeline_t *t, uint32_t xlat); /* it is known to the first level */
void timeline_walk(timeline_t *t, uint32_t thread);      /* it has its last entry */
void timeline_l2(timeline_t *t, uint32_t request, span_kind_t how);
void timeline_line(timeline_t *t, uint32_t request); /* its way is over */
#endif
