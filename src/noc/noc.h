#ifndef GMMU_NOC_H
#define GMMU_NOC_H
/* The crossbar: two networks, requests and replies, with a port for every SM and every L2 slice.
 *
 * A packet of f flits leaves its source port in f cycles (one flit per cycle, in order of arrival),
 * crosses in `latency` cycles and enters its destination port, which also takes one flit per cycle,
 * as it arrives. Unloaded, a hop takes latency + f cycles. Both reservations are made when the
 * packet is at the port, never earlier: that is what keeps "next free time" right.
 *
 * That is a crossbar whose packets meet only at their ports (noc.queue=none). With input queues
 * they pass by noc/switch.c, where a hop takes as long if nobody else is there. Where the chip has
 * partitions, what goes from one to another then crosses a link: noc/bridge.h. */
#include "base/opt.h"
#include "noc/bridge.h"
#include "noc/switch.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint32_t flit_bytes, header_bytes;
  uint32_t latency_cycles;
  uint32_t buffer_flits; /* that may wait at an SM's source port before its L1 stops */
  bool sector_packets; /* each sector of a line is asked for and answered by a packet of its own */
  bool write_ack;      /* a store is over when a packet without data has come back */
  const char *queue;   /* at inputs: see noc_queue_name() */
  uint32_t turns;      /* lines at an SM's input whose packets take turns; 1: one after the other */
  bool wide_inputs;    /* an input gives a packet to each output in a cycle, not one in all */
  uint32_t speedup;    /* packets that an input gives and an output takes per cycle, with queues */
  uint32_t partitions; /* of SMs and slices; 1: the chip is one */
  uint32_t far_cycles; /* from one to another, each way, beside what near takes */
  uint32_t link_bytes; /* per cycle, from one to another; 0: any number */
  uint32_t walker;     /* the partition in which the walker stands */
} noc_spec_t;
extern const opt_t noc_options[]; /* group "noc" */
const char *noc_queue_name(uint32_t i);

typedef struct {
  uint64_t free_at; /* the port is busy before this cycle */
  uint64_t flits;   /* carried, for statistics */
} noc_port_t;

static inline uint32_t noc_flits(const noc_spec_t *s, uint32_t payload_bytes) {
  return (s->header_bytes + payload_bytes + s->flit_bytes - 1) / s->flit_bytes;
}
/* A packet is at its source port at cycle t: when would it have fully entered an idle destination
 * port? */
static inline uint64_t noc_send(const noc_spec_t *s, noc_port_t *src, uint64_t t, uint32_t flits) {
  uint64_t start = src->free_at > t ? src->free_at : t;
  src->free_at = start + flits;
  src->flits += flits;
  return start + s->latency_cycles + flits;
}
/* It is due now: when has it fully entered its destination port? now, or later if the port was
 * busy. */
static inline uint64_t noc_receive(noc_port_t *dst, uint64_t now, uint32_t flits) {
  uint64_t done = dst->free_at + flits > now ? dst->free_at + flits : now;
  dst->free_at = done;
  dst->flits += flits;
  return done;
}

/* The whole crossbar. */
typedef struct {
  noc_spec_t spec;
  noc_port_t *sm_out, *sm_in, *slice_in, *slice_out;
  uint8_t flits[256]; /* of a packet, by the sectors that travel */
  uint8_t ask[256];   /* flits that ask for sectors, or acknowledge them */
  bool queued;        /* inputs have queues: requests and replies pass by these */
  bool special;       /* it has queues or partitions: not the fast path */
  bool ticking;       /* the crossbar has sent itself the message for its next cycle */
  switch_t requests, replies;
  bridge_t bridge;
} noc_t;                            /* ports: ev, pool, share */
#define NOC_CLOSED (UINT64_MAX / 2) /* free_at of sm_out whose queue is full */

/* Messages: a request is at its SM's input; a cycle of the crossbar. */
void noc_enter(noc_t *n, uint32_t request);
void noc_pass(noc_t *n, uint32_t none);
/* An answer is at its slice's input. */
void noc_reply(noc_t *n, uint32_t request);
/* Messages: a request, or its answer, is at the link to another partition. */
void noc_cross(noc_t *n, uint32_t request);
void noc_return(noc_t *n, uint32_t request);
#endif
