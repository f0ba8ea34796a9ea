#ifndef GMMU_SHARE_H
#define GMMU_SHARE_H
/* The applications: their host commands, kernels and blocks, and who may use which SM. */
#include "base/json.h"
#include "gmmu/err.h"
#include "gmmu/stream.h"
#include "gpu/gpu.h"
#include "share/mig.h"
#include "sm/cores.h"

typedef enum {
  KERNEL_NONE,
  KERNEL_WAITS, /* for others, or for room among those in flight */
  KERNEL_COMES, /* its launch takes time: it starts by message */
  KERNEL_HELD,  /* it has started, but it is not its turn */
  KERNEL_RUNS
} kernel_state_t;

/* A kernel whose launch has been asked for, and has not ended. */
typedef struct {
  kernel_state_t state;
  bool due;        /* KERNEL_COMES: it starts in phase 4 of this cycle */
  uint64_t number; /* of the launches of this execution */
  uint64_t after[LAUNCH_MAX_AFTER];
  launch_t launch;
  code_t code;
  source_t *source; /* the application's, or of a launch that was detached, which it then owns */
  uint64_t blocks, next_block, blocks_running;
} kernel_t;

typedef struct {
  char name[64];
  source_t *source;
  uint32_t first_sm, sms;
  uint32_t part_of, part_whole;      /* share.mode=threads: its part of every SM, as a fraction */
  sm_part_t part;                    /* that part, in what an SM has */
  kernel_t *kernel[REQUEST_KERNELS]; /* by place; made when first needed */
  uint8_t order[REQUEST_KERNELS];    /* the places of those under way, the oldest first */
  uint32_t running;                  /* how many are under way */
  uint32_t started;                  /* those of them in KERNEL_RUNS or KERNEL_HELD */
  bool alone;                        /* the program goes on when the last of them has ended */
  command_t command;                 /* what the program does next */
  bool asked;                        /* `command` is known */
  uint64_t blocks_done, launches;    /* in all */
  uint64_t numbered;                 /* launches of this execution */
  bool once;                         /* app_spec_t.once */
  bool finished;                     /* ended and not started again */
  uint32_t runs;
  uint64_t run_start,
      run_instructions; /* of the execution under way: cycle, instructions at its start */
  uint64_t complete_cycles, complete_instructions; /* summed over complete executions */
  uint64_t first_start;                            /* no kernel starts before (share.stagger) */
  uint64_t first_end;                              /* cycle at which it first finished */
  bool launched_any;                               /* in this execution */
} app_t;

/* The applications. */
typedef struct {
  app_t app[GMMU_MAX_APPS];
  uint32_t apps;
  mig_instance_t mig[GMMU_MAX_APPS]; /* share.mode=mig; else zeroes */
  const app_spec_t *given;       /* what they were asked to be; only while the machine is built */
  uint32_t lines[GMMU_MAX_APPS]; /* lines under way */
  uint32_t stores[GMMU_MAX_APPS][REQUEST_KERNELS]; /* of them, stores of kernels that overlap */
  bool parts; /* share.mode=threads: SMs belong to all, each application has a part of each */
  uint64_t attention[SM_WORDS]; /* SMs with ended blocks */
  uint32_t ended[GPU_MAX_SMS];  /* a bit for each of its blocks that ended, as messages said */
  bool any_ended, due;          /* phase 4 has something to do */
  struct {
    WATCH(command, uint32_t app, const command_t *c);
    WATCH(ended, uint32_t app);
  } watch;
  bool over; /* every application is where the run ends */
} share_t;

int share_start(share_t *h, err_t *e);
void share_head_json(const share_t *h, uint32_t app, json_t *j); /* the first members of apps[] */
/* Phase 4: ended blocks make room for new ones, applications go on to their next command. */
void share_attend(share_t *h, const gpu_limits_t *limits);
/* Messages: a kernel starts; blocks of an SM have ended. */
void share_launch_due(share_t *h, uint32_t kernel);
void share_ended(share_t *h, uint32_t sm);
void share_tell_ended(share_t *h, uint32_t sm); /* sends the latter */
void share_turn(share_t *h, uint32_t app); /* its turn begins: blocks start where there is room */
bool share_finished_once(const share_t *h, const gpu_limits_t *limits); /* those it waits for */
uint32_t share_awaited(const share_t *h, const gpu_limits_t *limits);
#endif
