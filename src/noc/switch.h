#ifndef GMMU_NOC_SWITCH_H
#define GMMU_NOC_SWITCH_H
/* One network of a crossbar whose inputs have queues: in every pass an output takes one packet from
 * one input, and an input gives one packet. With one queue per input (fifo) only its first packet
 * can pass, so it holds up those behind it that go elsewhere; with a queue for each output (voq)
 * none does. Outputs ask their inputs in turn.
 *
 * A queue holds requests; one of n packets passes in n passes, between which the output may take
 * packets of others. The first `turns` requests of a queue give packets in turn: as sectors that
 * the banks of an L1 hand over, each bank for itself. */
#include "engine/request.h"

typedef struct {
  uint32_t first, last; /* those that give packets in turn: a ring, linked by `next` */
  uint32_t count;       /* of them */
  request_list_t rest;  /* those behind them */
} switch_queue_t;

typedef struct {
  uint64_t free_at; /* it has handed on what it took, from this cycle on */
  uint32_t turn;    /* the input that is asked first */
  uint32_t wanted;  /* inputs that want it */
} switch_output_t;

typedef struct {
  uint64_t at; /* the cycle in which a packet came to the queue, which was empty */
  uint32_t queue;
} switch_fresh_t;

typedef struct {
  uint32_t inputs, outputs;
  uint32_t per_input;      /* queues of an input: one, or one for each output */
  uint32_t turns;          /* requests of a queue that take turns; 1: none does */
  uint32_t words;          /* of a set of inputs */
  switch_queue_t *queue;   /* [input * per_input + k] */
  switch_output_t *output; /* [output] */
  uint64_t *wants;         /* [output * words]: inputs whose queue has a packet for it in front */
  uint64_t *asked;         /* outputs that an input wants, a bit each */
  uint32_t *packets;       /* [input]: in its queues */
  uint64_t *used;          /* [words]: inputs that gave a packet in this pass */
  switch_fresh_t
      *fresh; /* queues that were empty before this cycle: what came passes in the next */
  uint32_t fresh_count, waiting; /* requests in all queues */
} switch_t;

/* 0, or GMMU_ENOMEM. switch_fini() ends either. */
int switch_init(switch_t *x, uint32_t inputs, uint32_t outputs, bool queue_per_output,
                uint32_t turns);
void switch_fini(switch_t *x);
#endif
