/* The crossbar with input queues (noc.queue): a request enters by noc_enter() or noc_reply(), its
 * packets pass one by one, and with the last one it is at its slice or SM. The crossbar is ticked
 * by its own message, in each cycle while a request waits. */
#include "noc/switch.h"
#include "base/inline.h"
#include "engine/messages.h"
#include "noc/packet.h"

int switch_init(switch_t *x, uint32_t inputs, uint32_t outputs, bool queue_per_output,
                uint32_t turns) {
  *x = (switch_t){.turns = turns,
                  .inputs = inputs,
                  .outputs = outputs,
                  .per_input = queue_per_output ? outputs : 1,
                  .words = (inputs + 63) / 64};
  size_t queues = (size_t)inputs * x->per_input;
  x->queue = calloc(queues, sizeof *x->queue);
  x->fresh = calloc(queues, sizeof *x->fresh);
  x->wants = calloc((size_t)outputs * x->words, sizeof *x->wants);
  x->output = calloc(outputs, sizeof *x->output);
  x->asked = calloc((outputs + 63) / 64, sizeof *x->asked);
  x->packets = calloc(inputs, sizeof *x->packets);
  x->used = calloc(x->words, sizeof *x->used);
  if (!x->queue || !x->fresh || !x->wants || !x->output || !x->asked || !x->packets || !x->used)
    return GMMU_ENOMEM;
  for (size_t i = 0; i < queues; i++) x->queue[i].rest = REQUEST_LIST_EMPTY;
  return GMMU_OK;
}

void switch_fini(switch_t *x) {
  free(x->queue);
  free(x->fresh);
  free(x->wants);
  free(x->output);
  free(x->asked);
  free(x->packets);
  free(x->used);
  *x = (switch_t){0};
}

/* ---- where a request goes ----
 *
 * The work per packet is compiled twice, for requests and for replies: `reply` is a constant. */

ALWAYS_INLINE uint32_t switch_output(const request_t *r, bool reply) {
  return reply ? r->sm : r->slice;
}
ALWAYS_INLINE uint32_t switch_packets(const noc_t *n, const request_t *r, bool reply) {
  uint32_t f = reply ? packet_flits_back(n, r) : packet_flits_out(n, r);
  return f ? f : 1;
}
/* Packets that a request still has to give: in a field that is set in L2, or that only L2 needs. */
ALWAYS_INLINE uint32_t *switch_left(request_t *r, bool reply) {
  return reply ? &r->local : &r->t_ret;
}

/* The first request of a queue of input `i` asks output `o`; or no longer does. */
ALWAYS_INLINE void switch_ask(switch_t *x, uint32_t i, uint32_t o) {
  x->wants[o * x->words + i / 64] |= 1ull << i % 64;
  x->output[o].wanted++;
  x->asked[o / 64] |= 1ull << o % 64;
}
ALWAYS_INLINE void switch_unask(switch_t *x, uint32_t i, uint32_t o) {
  x->wants[o * x->words + i / 64] &= ~(1ull << i % 64);
  if (--x->output[o].wanted == 0) x->asked[o / 64] &= ~(1ull << o % 64);
}

/* ---- into a queue ---- */

/* The request takes turns with those that are there. */
ALWAYS_INLINE void switch_admit(request_pool_t *pool, switch_queue_t *q, uint32_t id) {
  if (!q->count++) q->first = q->last = id;
  pool->at[id].next = q->first;
  pool->at[q->last].next = id;
  q->last = id;
}

ALWAYS_INLINE void switch_push(noc_t *n, switch_t *x, uint32_t input, uint32_t id, bool reply) {
  uint64_t now = noc_ev(n)->now;
  request_t *r = &noc_pool(n)->at[id];
  uint32_t k = input * x->per_input + (x->per_input > 1 ? switch_output(r, reply) : 0);
  uint32_t packets = switch_packets(n, r, reply);
  switch_queue_t *q = &x->queue[k];
  if (!q->count) x->fresh[x->fresh_count++] = (switch_fresh_t){.at = now, .queue = k};
  *switch_left(r, reply) = packets;
  if (q->count < x->turns)
    switch_admit(noc_pool(n), q, id);
  else
    request_append(noc_pool(n), &q->rest, id);
  x->packets[input] += packets;
  x->waiting++;
  if (n->ticking) return;
  n->ticking = true;
  message_send(noc_ev(n), FROM_CROSSBAR, now + 1, EV_NOC_PASS, 0);
}

void noc_enter(noc_t *n, uint32_t id) {
  uint32_t sm = noc_pool(n)->at[id].sm;
  switch_push(n, &n->requests, sm, id, false);
  if (n->requests.packets[sm] > n->spec.buffer_flits) n->sm_out[sm].free_at = NOC_CLOSED;
}
void noc_reply(noc_t *n, uint32_t id) {
  switch_push(n, &n->replies, noc_pool(n)->at[id].slice, id, true);
}

/* ---- through ---- */

/* Queues that were empty, and got something before this cycle, ask from now on. */
ALWAYS_INLINE void switch_freshen(const noc_t *n, switch_t *x, uint64_t now, bool reply) {
  uint32_t k = 0;
  for (; k < x->fresh_count && x->fresh[k].at < now; k++) {
    uint32_t queue = x->fresh[k].queue;
    switch_ask(x, queue / x->per_input,
               switch_output(&noc_pool(n)->at[x->queue[queue].first], reply));
  }
  for (uint32_t i = k; i < x->fresh_count; i++) x->fresh[i - k] = x->fresh[i];
  x->fresh_count -= k;
}

/* The last packet of the first request of a queue of input `i` has passed to output `o`, which
 * hands it on in cycle `at`. */
ALWAYS_INLINE void switch_passed(noc_t *n, switch_t *x, uint32_t i, uint32_t o, switch_queue_t *q,
                                 uint64_t at, bool reply) {
  request_pool_t *pool = noc_pool(n);
  uint32_t id = q->first;
  const request_t *r = &pool->at[id];
  x->waiting--;
  switch_unask(x, i, o);
  q->first = r->next;
  pool->at[q->last].next = q->first;
  q->count--;
  if (q->rest.head != REQ_NONE) {
    uint32_t next = q->rest.head;
    q->rest.head = pool->at[next].next;
    switch_admit(pool, q, next);
  }
  if (q->count) switch_ask(x, i, switch_output(&pool->at[q->first], reply));
  at = message_at(noc_ev(n), at + n->spec.latency_cycles);
  bool far = bridge_is_far(&n->bridge, r);
  if (reply)
    message_send(noc_ev(n), FROM_SLICE(r->slice), at, far ? EV_NOC_RETURN : EV_SM_ENTER, id);
  else
    message_send(noc_ev(n), FROM_SM(r->sm), at, far ? EV_NOC_CROSS : EV_L2_ENTER, id);
}

/* The input's queue was full and has room. */
NEVER_INLINE void switch_open(noc_t *n, uint32_t i) {
  n->sm_out[i].free_at = 0;
  message_send(noc_ev(n), FROM_CROSSBAR, noc_ev(n)->now + 1, EV_NOC_OPEN, i);
}

/* Output `o` takes a packet of input `i`: of the first request of its queue, behind which the next
 * one has its turn. */
ALWAYS_INLINE void switch_take(noc_t *n, switch_t *x, uint32_t i, uint32_t o, uint64_t now,
                               bool reply) {
  switch_queue_t *q = &x->queue[i * x->per_input + (x->per_input > 1 ? o : 0)];
  KEEP(q);
  switch_output_t *out = &x->output[o];
  request_t *r = &noc_pool(n)->at[q->first];
  uint64_t at = out->free_at > now ? out->free_at : now;
  uint32_t packets = --x->packets[i];
  out->free_at = at + 1;
  if (--*switch_left(r, reply) == 0) {
    switch_passed(n, x, i, o, q, at, reply);
  } else if (q->count > 1) {
    q->last = q->first;
    q->first = r->next;
    uint32_t next = switch_output(&noc_pool(n)->at[q->first], reply);
    if (next != o) {
      switch_unask(x, i, o);
      switch_ask(x, i, next);
    }
  }
  if (!reply && n->sm_out[i].free_at == NOC_CLOSED && packets <= n->spec.buffer_flits)
    switch_open(n, i);
}

/* The next input, from the output's turn on, that wants it and has given nothing in this pass. */
ALWAYS_INLINE uint32_t switch_pick(const switch_t *x, uint32_t o) {
  const uint64_t *wants = &x->wants[o * x->words];
  uint32_t from = x->output[o].turn, w = from / 64;
  uint64_t m = wants[w] & ~x->used[w] & ~0ull << from % 64;
  for (uint32_t k = 0; !m; k++) {
    if (k == x->words) return x->inputs;
    w = w + 1 < x->words ? w + 1 : 0;
    m = wants[w] & ~x->used[w];
  }
  return w * 64 + (uint32_t)__builtin_ctzll(m);
}

/* The first output from `o` on that an input wants, or one that is not below `end`. */
ALWAYS_INLINE uint32_t switch_next(const switch_t *x, uint32_t o, uint32_t end) {
  uint32_t w = o / 64;
  uint64_t m = o < end ? x->asked[w] & ~0ull << o % 64 : 0;
  while (!m) {
    if (++w * 64 >= end) return end;
    m = x->asked[w];
  }
  return w * 64 + (uint32_t)__builtin_ctzll(m);
}

/* A packet for each output from `o` up to `end`. Where an input gives a packet, its next one may be
 * for an output that comes later, and passes, too, if inputs are wide. */
ALWAYS_INLINE void switch_pass_some(noc_t *n, switch_t *x, uint32_t o, uint32_t end, uint64_t now,
                                    bool reply) {
  for (; (o = switch_next(x, o, end)) < end; o++) {
    uint32_t i = switch_pick(x, o);
    if (i == x->inputs) continue;
    if (!n->spec.wide_inputs) x->used[i / 64] |= 1ull << i % 64;
    x->output[o].turn = i + 1 < x->inputs ? i + 1 : 0;
    switch_take(n, x, i, o, now, reply);
  }
}

/* Outputs take turns at being first: with queues per output, they compete for an input. */
ALWAYS_INLINE void switch_pass(noc_t *n, switch_t *x, uint64_t now, bool reply) {
  uint32_t first = (uint32_t)(now % x->outputs);
  for (uint32_t w = 0; w < x->words; w++) x->used[w] = 0;
  switch_pass_some(n, x, first, x->outputs, now, reply);
  switch_pass_some(n, x, 0, first, now, reply);
}
NEVER_INLINE void pass_requests(noc_t *n, uint64_t now) {
  switch_pass(n, &n->requests, now, false);
}
NEVER_INLINE void pass_replies(noc_t *n, uint64_t now) { switch_pass(n, &n->replies, now, true); }

void noc_pass(noc_t *n, uint32_t none) {
  (void)none;
  uint64_t now = noc_ev(n)->now;
  switch_freshen(n, &n->requests, now, false);
  switch_freshen(n, &n->replies, now, true);
  for (uint32_t k = 0; k < n->spec.speedup; k++) {
    if (n->requests.waiting) pass_requests(n, now);
    if (n->replies.waiting) pass_replies(n, now);
  }
  n->ticking = n->requests.waiting || n->replies.waiting;
  if (n->ticking) message_send(noc_ev(n), FROM_CROSSBAR, now + 1, EV_NOC_PASS, 0);
}
