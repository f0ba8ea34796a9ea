#ifndef GMMU_GPU_MACHINE_H
#define GMMU_GPU_MACHINE_H
/* The assembled machine; shared between the files of this room only.
 *
 * A cycle has four phases, always in this order, so that a block that slept and one that was ticked
 * see the same world:
 *   1. DRAM channels hand out what is complete in this cycle, in channel order
 *   2. events of this cycle, in the order they were scheduled
 *   3. SMs that are awake, in order of their number
 *   4. blocks that ended make room for new ones; applications go on to their next command
 */
#include "cache/l1.h"
#include "cache/l2.h"
#include "dram/dram.h"
#include "dram/dram_quota.h"
#include "engine/engine.h"
#include "engine/request.h"
#include "gmmu/mm.h"
#include "gpu/addrmap.h"
#include "gpu/colours.h"
#include "gpu/gpu.h"
#include "gpu/mapped.h"
#include "gpu/moves.h"
#include "gpu/observe.h"
#include "gpu/paging.h"
#include "gpu/series.h"
#include "gpu/trace.h"
#include "gpu/turns.h"
#include "link/link.h"
#include "noc/noc.h"
#include "sm/sm.h"
#include "tlb/fill.h"
#include "tlb/peer.h"
#include "tlb/xlat.h"
#include "walk/walk.h"

#define L1_PLAIN_WAYS 4
#define L2_PLAIN_WAYS 16

#define GPU_MAX_SMS 256 /* request_t.sm has eight bits */
#define SM_WORDS    (GPU_MAX_SMS / 64)

typedef enum {
  EV_L2_ARRIVE,   /* request: at a slice's crossbar port */
  EV_L2_ENTER,    /* request: inside the slice */
  EV_L2_REPLY,    /* request: data is at the slice's output */
  EV_L2_DRAIN,    /* slice: look at its queue again */
  EV_SM_ARRIVE,   /* request: at the SM's crossbar port */
  EV_SM_ENTER,    /* request: inside the SM */
  EV_TLB_ARRIVE,  /* translation: at the TLB of its level */
  EV_TLB_LOOKUP,  /* translation: has the port */
  EV_TLB_ANSWER,  /* translation: found in the TLB of its level */
  EV_TLB_RETRY,   /* translation: a miss register may be free */
  EV_TLB_PASSED,  /* SM: it needs no miss register after all */
  EV_PEER_ARRIVE, /* translation: at a port of a peer's TLB */
  EV_PEER_PROBE,  /* translation: has that port */
  EV_PEER_ANSWER, /* translation: a peer's answer is back */
  EV_WALK_QUEUE,  /* translation: at the walker */
  EV_WALK_NEXT,   /* walk thread: the entry of this level is there */
  EV_WALK_REPLY,  /* request: a page-table entry has been read */
  EV_LAUNCH,      /* application: its kernel starts */
  EV_TURN,        /* application: its turn begins */
  EV_NOT_THERE,   /* translation: without TLBs to miss, its page is not there */
  EV_FAULT,       /* far-fault register: the driver has found the page */
  EV_PAGE_IN,     /* transit: its pages are there, or have room now */
  EV_MOVED,       /* pages that moved by bulk copies, and shoot-downs, are done */
  EV_HOST_ASK,    /* request: of mapped host memory, at the link's port */
  EV_HOST_BACK    /* request: its answer is at the host's port */
} event_kind_t;

typedef struct {
  dram_t *dram;
  uint32_t inside, capacity; /* accesses between push and completion */
  uint64_t next;             /* cycle in which it must decide, or data is complete */
  uint64_t bit;              /* in masks of channels */
  uint32_t delay;            /* from the decision in L2: all take it, so they come in order */
  bool special;              /* there is more to do for an access: see dram_special() */
  uint64_t padding[3];       /* to a power of two: channels are found by a shift */
} channel_t;
_Static_assert(sizeof(channel_t) == 64, "channels are found by a shift");

typedef struct {
  char name[64];
  source_t *source;
  uint32_t first_sm, sms;
  uint32_t part_of, part_whole; /* share.mode=threads: of / whole of every SM may be its own, */
  sm_part_t part;               /* which is that much */
  launch_t launch;
  code_t code;                                 /* of the launch */
  uint64_t blocks, next_block, blocks_running; /* of the current launch */
  uint64_t blocks_done, launches;              /* in all */
  bool running, waiting_launch;                /* a kernel is under way; it will start by event */
  bool launch_due;                             /* in phase 4 of this cycle */
  bool launch_held;                            /* it has started, but it is not its turn */
  bool finished;                               /* ended and not started again */
  uint32_t runs;
  uint64_t run_start,
      run_instructions; /* of the execution under way: cycle, instructions at its start */
  uint64_t complete_cycles, complete_instructions; /* summed over complete executions */
  uint64_t first_end;                              /* cycle at which it first finished */
  bool launched_any;                               /* in this execution */
} app_t;

struct gpu {
  gpu_spec_t spec;
  engine_t ev;
  request_pool_t pool;
  addrmap_t map;
  uint16_t first_slice[GMMU_MAX_APPS]; /* map.partition: of its channels; else 0 */
  uint32_t page_shift, large_pages_shift;

  app_t app[GMMU_MAX_APPS];
  uint32_t apps;
  uint32_t app_lines[GMMU_MAX_APPS]; /* lines under way */
  mm_t *mm;
  mm_actions_t actions;
  colours_t colours;
  bool sm_shared; /* share.mode=threads: SMs belong to all, each application has a part of each */

  sm_t *sm;
  l1_t *l1;
  bool l1_plain, l2_plain; /* rows of the usual length; one port; for L2, no hooks */
  noc_port_t *sm_out, *sm_in, *slice_in, *slice_out;
  uint8_t flits[256], bursts[256];  /* of a packet, of a DRAM access, by the sectors that travel */
  uint8_t ask[256];                 /* flits that ask for sectors, or acknowledge them */
  sm_stats_t *sm_stats;             /* [app] */
  cache_stats_t *l1_stats;          /* [app] */
  uint64_t *l1_evicted_by;          /* [evictor * apps + victim] */
  sm_calendar_t calendar[SM_WORDS]; /* when SMs are to be ticked */
  uint64_t attention[SM_WORDS];     /* those with ended blocks */
  uint32_t sm_words;                /* words of those masks in use */
  bool any_ended, apps_attention;   /* phase 4 has something to do */
  turns_t turns;                    /* of the applications, if they share time */
  bool issue_stopped;               /* a turn ends, or pages move */

  tlb_level_t level[TLB_MAX_LEVELS];
  uint32_t levels;
  bool translate; /* TLBs are looked up; false: ideal, or no TLBs */
  xlat_pool_t xlat;
  const fill_ops_t *fill;
  void *fill_state;
  bool fill_hooks, peer_hooks, l2_hooks; /* the policy has something to say: see gpu_note_hooks() */
  bool tracing;                          /* in the window of the trace */
  bool look_hooks, walk_hooks;           /* somebody watches first-level look-ups, and walks */
  bool walk_short; /* nobody does, reads go to L2 only, without a way, and a table tells where */
  const peer_ops_t *peer;
  void *peer_state;
  bool peer_takes, peer_watch; /* the policy has copies to take; the oracle looks */
  tlb_port_t *peer_port;       /* [first-level TLB * PEER_PORTS + port] */
  peer_stats_t *peer_stats;    /* [app] */
  struct {
    uint64_t misses, neighbour; /* seen by the oracle; of these, a neighbour had the page */
  } * peer_seen;                /* [first-level TLB] */
  walker_t walker;

  l2_slice_t *slice;
  uint32_t slices, slices_blocked;
  const l2_policy_t *l2_policy;
  void *l2_policy_state;
  cache_stats_t *l2_stats; /* [app * CLASSES + class] */
  uint64_t *l2_evicted_by; /* [evictor * apps + victim] */
  hist_t *dram_latency;    /* [app * CLASSES + class], core cycles from queue to data */
  dram_quota_t quota;
  channel_t *channel;
  uint32_t channels;
  uint64_t channels_next;
  uint64_t channel_due[64]; /* by cycle modulo 64: bit per channel that may be due then */
  uint64_t channel_slots;   /* those that are not 0 */

  moves_t moves;   /* of pages, by compaction */
  paging_t paging; /* if pages come when touched, */
  mapped_t mapped; /* memory of the host, */
  link_t link;     /* over this */

  series_t series;
  observe_t observe;
  trace_t *trace; /* NULL: none is made */
  uint64_t next_series, next_epoch;
  uint64_t next_boundary; /* the first of them, or the end of a turn */
  uint64_t last_progress; /* cycle of the last issued instruction, to report a stuck machine */
  int failed;             /* code of an error found inside a cycle */
  err_t error;
  bool over, settled;
};

/* ---- flow_data.c: L1, crossbar, L2, DRAM ---- */
void flow_l1(gpu_t *g, sm_t *s);
void flow_l2_arrive(gpu_t *g, uint32_t request);
void flow_l2_enter(gpu_t *g, uint32_t request);
void flow_l2_walk(gpu_t *g, uint32_t request); /* the same, for a page-table read */
void flow_l2_drain(gpu_t *g, uint32_t slice);
void flow_l2_reply(gpu_t *g, uint32_t request);
void flow_sm_arrive(gpu_t *g, uint32_t request);
void flow_sm_enter(gpu_t *g, uint32_t request);
void flow_channels(gpu_t *g);
void flow_dram_line(gpu_t *g, uint32_t request); /* a whole line, to its channel: REQ_COPY_* */
/* ---- flow_xlat.c: TLB levels, walker ---- */
void flow_lookups(gpu_t *g, sm_t *s); /* sets look_at, and l1_at for those that hit */
void flow_tlb_arrive(gpu_t *g, uint32_t xlat);
void flow_tlb_lookup(gpu_t *g, uint32_t xlat);
void flow_tlb_answer(gpu_t *g, uint32_t xlat);
void flow_tlb_retry(gpu_t *g, uint32_t xlat);
void flow_tlb_passed(gpu_t *g, uint32_t sm);
void flow_next_level(gpu_t *g, uint32_t xlat, uint64_t at); /* of the one it missed */
void flow_peer_answer(gpu_t *g, uint32_t xlat);
void flow_walk_queue(gpu_t *g, uint32_t xlat);
void flow_walk_next(gpu_t *g, uint32_t thread);
void flow_walk_reply(gpu_t *g, uint32_t request);
void flow_retarget(gpu_t *g);                    /* pages of running applications have moved */
void flow_fault_answer(gpu_t *g, uint32_t xlat); /* its page is there now */
void flow_report_unmapped(gpu_t *g, asid_t asid, vpn_t vpn);
void flow_settle_translations(gpu_t *g); /* gives waiting requests their share of time so far */
/* ---- flow_peer.c: other SMs' TLBs; only with a policy for them ---- */
void flow_peer_ask(gpu_t *g, uint32_t xlat, uint64_t at);
void flow_peer_join(gpu_t *g, uint32_t xlat);
void flow_peer_arrive(gpu_t *g, uint32_t xlat);
void flow_peer_probe(gpu_t *g, uint32_t xlat);
bool flow_peer_keeps(gpu_t *g, const xlat_t *x); /* may a peer's answer go into the own TLB? */
void flow_peer_filled(gpu_t *g, const xlat_t *x, const tlb_victim_t *v);
void flow_peer_evicted(gpu_t *g, uint32_t tlb, const tlb_victim_t *v);
void flow_peer_answered(gpu_t *g, const xlat_t *x, uint64_t lookups);
/* The oracle: who holds a page that is looked up? */
void flow_peer_watch(gpu_t *g, uint32_t tlb, asid_t asid, vpn_t vpn);
/* After a policy was put in place: remember which questions it wants to be asked. */
void gpu_note_hooks(gpu_t *g);
/* ---- moves.c ---- */
void moves_note_turn(gpu_t *g); /* after turns.phase has changed */
/* ---- run.c ---- */
void gpu_note_boundary(gpu_t *g); /* after next_series, next_epoch or turns.end has changed */
/* ---- apps.c: programs and blocks ---- */
int apps_start(gpu_t *g, err_t *e);
void apps_attend(gpu_t *g, const gpu_limits_t *limits);
void apps_launch(gpu_t *g, uint32_t app);
void apps_turn(gpu_t *g, uint32_t app); /* its turn begins: blocks start where there is room */
void apps_drop_translations(gpu_t *g, uint32_t app, vpn_t vpn, uint64_t pages);
bool apps_finished_once(const gpu_t *g, const gpu_limits_t *limits); /* those it waits for */
uint32_t apps_awaited(const gpu_t *g, const gpu_limits_t *limits);

/* Tick the SM in this cycle (before phase 3) or, from phase 3 on, in the next one. */
static inline void wake_sm(gpu_t *g, uint32_t sm) {
  g->calendar[sm >> 6].awake |= 1ull << (sm & 63);
}
/* The same, and there is something to do for its look-ups, or its L1. */
static inline void wake_lookups(gpu_t *g, uint32_t sm) {
  g->sm[sm].look_at = g->sm[sm].memory_at = g->ev.now;
  wake_sm(g, sm);
}
static inline void wake_l1(gpu_t *g, uint32_t sm) {
  g->sm[sm].l1_at = g->sm[sm].memory_at = g->ev.now;
  wake_sm(g, sm);
}
/* What the fill policy has to tell of an application; zeroes if it has nothing. */
static inline fill_stats_t gpu_fill_stats(const gpu_t *g, uint32_t app) {
  fill_stats_t s = {0};
  if (g->fill->stats) g->fill->stats(g->fill_state, app, g->ev.now, &s);
  return s;
}
/* A line's way is over: the SM and the application hear of it. */
static inline void app_line_done(gpu_t *g, uint32_t sm, uint32_t request) {
  sm_t *s = &g->sm[sm];
  if (g->tracing) trace_line(g, request);
  if (sm_line_done(s, g->ev.now, request) == 0) g->apps_attention = true;
  if (!s->stirred) return;
  s->stirred = false;
  wake_sm(g, sm);
}
static inline void fail(gpu_t *g, int code) {
  if (!g->failed) g->failed = code;
}
/* Where the request goes in L2 and DRAM, by its physical line or address. */
static inline void put_place(const gpu_t *g, request_t *r, place_t p) {
  r->slice = (uint16_t)(g->first_slice[r->app] + p.slice);
  r->local = p.local;
}
static inline void settle_line(const gpu_t *g, request_t *r, uint64_t line) {
  put_place(g, r, addrmap_place_line(&g->map, line));
}
static inline void settle_place(const gpu_t *g, request_t *r, uint64_t pa) {
  put_place(g, r, addrmap_place(&g->map, pa));
}
/* When the SM's crossbar port takes another packet of L1, which gets there after the look-up: time
 * in the look-up is no time in the port's buffer. */
static inline uint64_t port_ahead(const gpu_t *g) {
  return (uint64_t)g->spec.l1.latency_cycles + g->spec.noc.buffer_flits;
}
static inline uint64_t port_opens(const gpu_t *g, const sm_t *s) {
  uint64_t ahead = port_ahead(g), free_at = g->sm_out[s->id].free_at;
  return free_at > ahead ? free_at - ahead : 0;
}
/* When the SM's L1 has work again by itself; UINT64_MAX: when an answer comes. */
static inline uint64_t flow_l1_next(const gpu_t *g, const sm_t *s) {
  uint64_t now = g->ev.now;
  if (s->replays.head == REQ_NONE && s->hits.head == REQ_NONE) return UINT64_MAX;
  if (s->l1_blocked) { /* the port drains by itself; a miss register comes free by an answer */
    uint64_t opens = port_opens(g, s);
    return opens > now ? opens : UINT64_MAX;
  }
  if (s->replays.head != REQ_NONE) return now + 1;
  uint64_t at = now + (uint64_t)(int64_t)(int32_t)(g->pool.at[s->hits.head].t_xlat - (uint32_t)now);
  return at > now ? at : now + 1;
}
#endif
