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
  x->wanted = calloc(outputs, sizeof *x->wanted);
  x->turn = calloc(outputs, sizeof *x->turn);
  x->out_free = calloc(outputs, sizeof *x->out_free);
  x->packets = calloc(inputs, sizeof *x->packets);
  x->used = calloc(x->words, sizeof *x->used);
  if (!x->queue || !x->fresh || !x->wants || !x->wanted || !x->turn || !x->out_free ||
      !x->packets || !x->used)
    return GMMU_ENOMEM;
  for (size_t i = 0; i < queues; i++) x->queue[i].list = x->queue[i].rest = REQUEST_LIST_EMPTY;
  return GMMU_OK;
}

void switch_fini(switch_t *x) {
  free(x->queue);
  free(x->fresh);
  free(x->wants);
  free(x->wanted);
  free(x->turn);
  free(x->out_free);
  free(x->packets);
  free(x->used);
  *x = (switch_t){0};
}

/* ---- where a request goes ---- */

ALWAYS_INLINE bool switch_is_reply(const noc_t *n, const switch_t *x) { return x == &n->replies; }
ALWAYS_INLINE uint32_t switch_output(const noc_t *n, const switch_t *x, const request_t *r) {
  return switch_is_reply(n, x) ? r->sm : r->slice;
}
ALWAYS_INLINE uint32_t switch_packets(const noc_t *n, const switch_t *x, const request_t *r) {
  uint32_t f = switch_is_reply(n, x) ? packet_flits_back(n, r) : packet_flits_out(n, r);
  return f ? f : 1;
}

/* The first request of the queue of input `i` asks its output; or no longer does. */
static void switch_ask(const noc_t *n, switch_t *x, uint32_t i, const switch_queue_t *q) {
  uint32_t o = switch_output(n, x, &noc_pool(n)->at[q->list.head]);
  x->wants[o * x->words + i / 64] |= 1ull << i % 64;
  x->wanted[o]++;
}
static void switch_unask(switch_t *x, uint32_t i, uint32_t o) {
  x->wants[o * x->words + i / 64] &= ~(1ull << i % 64);
  x->wanted[o]--;
}

/* Packets that a request still has to give while others have their turn: in a field that is set in
 * L2, or that only L2 needs. */
static uint32_t *switch_left(const noc_t *n, const switch_t *x, uint32_t id) {
  request_t *r = &noc_pool(n)->at[id];
  return switch_is_reply(n, x) ? &r->local : &r->t_ret;
}

/* ---- into a queue ---- */

static void switch_push(noc_t *n, switch_t *x, uint32_t input, uint32_t id) {
  uint64_t now = noc_ev(n)->now;
  const request_t *r = &noc_pool(n)->at[id];
  uint32_t k = input * x->per_input + (x->per_input > 1 ? switch_output(n, x, r) : 0);
  switch_queue_t *q = &x->queue[k];
  uint32_t packets = switch_packets(n, x, r);
  if (q->list.head == REQ_NONE) {
    q->left = packets;
    x->fresh[x->fresh_count++] = (switch_fresh_t){.at = now, .queue = k};
  }
  if (x->turns > 1) *switch_left(n, x, id) = packets;
  bool waits = x->turns > 1 && q->count == x->turns;
  request_append(noc_pool(n), waits ? &q->rest : &q->list, id);
  q->count += !waits;
  x->packets[input] += packets;
  x->waiting++;
  if (n->ticking) return;
  n->ticking = true;
  message_send(noc_ev(n), FROM_CROSSBAR, now + 1, EV_NOC_PASS, 0);
}

void noc_enter(noc_t *n, uint32_t id) {
  uint32_t sm = noc_pool(n)->at[id].sm;
  switch_push(n, &n->requests, sm, id);
  if (n->requests.packets[sm] > n->spec.buffer_flits) n->sm_out[sm].free_at = NOC_CLOSED;
}
void noc_reply(noc_t *n, uint32_t id) {
  switch_push(n, &n->replies, noc_pool(n)->at[id].slice, id);
}

/* ---- through ---- */

/* Queues that were empty, and got something before this cycle, ask from now on. */
static void switch_freshen(const noc_t *n, switch_t *x, uint64_t now) {
  uint32_t k = 0;
  for (; k < x->fresh_count && x->fresh[k].at < now; k++)
    switch_ask(n, x, x->fresh[k].queue / x->per_input, &x->queue[x->fresh[k].queue]);
  for (uint32_t i = k; i < x->fresh_count; i++) x->fresh[i - k] = x->fresh[i];
  x->fresh_count -= k;
}

/* One of those behind takes turns from now on. */
static void switch_admit(const noc_t *n, switch_queue_t *q) {
  uint32_t id = q->rest.head;
  q->rest.head = noc_pool(n)->at[id].next;
  request_append(noc_pool(n), &q->list, id);
  q->count++;
}

/* The first request has more packets, but it is the next one's turn. */
static void switch_rotate(const noc_t *n, switch_t *x, uint32_t i, uint32_t o, switch_queue_t *q) {
  uint32_t id = q->list.head;
  *switch_left(n, x, id) = q->left;
  switch_unask(x, i, o);
  q->list.head = noc_pool(n)->at[id].next;
  request_append(noc_pool(n), &q->list, id);
  q->left = *switch_left(n, x, q->list.head);
  switch_ask(n, x, i, q);
}

/* The last packet of the first request of the queue has passed to output `o`, which hands it on in
 * cycle `at`. */
static void switch_passed(noc_t *n, switch_t *x, uint32_t i, uint32_t o, switch_queue_t *q,
                          uint64_t at) {
  uint32_t id = q->list.head;
  const request_t *r = &noc_pool(n)->at[id];
  q->list.head = r->next;
  q->count--;
  x->waiting--;
  switch_unask(x, i, o);
  if (q->rest.head != REQ_NONE) switch_admit(n, q);
  if (q->list.head != REQ_NONE) {
    q->left = x->turns > 1 ? *switch_left(n, x, q->list.head)
                           : switch_packets(n, x, &noc_pool(n)->at[q->list.head]);
    switch_ask(n, x, i, q);
  }
  at = message_at(noc_ev(n), at + n->spec.latency_cycles);
  if (switch_is_reply(n, x))
    message_send(noc_ev(n), FROM_SLICE(r->slice), at, EV_SM_ENTER, id);
  else
    message_send(noc_ev(n), FROM_SM(r->sm), at, EV_L2_ENTER, id);
}

static void switch_take(noc_t *n, switch_t *x, uint32_t i, uint32_t o) {
  uint64_t now = noc_ev(n)->now, at = x->out_free[o] > now ? x->out_free[o] : now;
  switch_queue_t *q = &x->queue[i * x->per_input + (x->per_input > 1 ? o : 0)];
  x->out_free[o] = at + 1;
  x->packets[i]--;
  if (--q->left == 0)
    switch_passed(n, x, i, o, q, at);
  else if (x->turns > 1 && q->count > 1)
    switch_rotate(n, x, i, o, q);
  if (switch_is_reply(n, x) || n->sm_out[i].free_at != NOC_CLOSED ||
      x->packets[i] > n->spec.buffer_flits)
    return;
  n->sm_out[i].free_at = 0;
  message_send(noc_ev(n), FROM_CROSSBAR, now + 1, EV_NOC_OPEN, i);
}

/* The next input, from `turn` on, that wants the output and has given nothing in this pass. */
static uint32_t switch_pick(const switch_t *x, uint32_t o) {
  const uint64_t *wants = &x->wants[o * x->words];
  uint32_t from = x->turn[o], w = from / 64;
  uint64_t m = wants[w] & ~x->used[w] & ~0ull << from % 64;
  for (uint32_t k = 0; k <= x->words; k++) {
    if (m) return w * 64 + (uint32_t)__builtin_ctzll(m);
    w = w + 1 < x->words ? w + 1 : 0;
    m = wants[w] & ~x->used[w];
  }
  return x->inputs;
}

/* Outputs take turns at being first: with queues per output, they compete for an input. */
static void switch_pass(noc_t *n, switch_t *x, uint64_t now) {
  uint32_t o = (uint32_t)(now % x->outputs);
  for (uint32_t w = 0; w < x->words; w++) x->used[w] = 0;
  for (uint32_t k = 0; k < x->outputs; k++, o = o + 1 < x->outputs ? o + 1 : 0) {
    if (!x->wanted[o]) continue;
    uint32_t i = switch_pick(x, o);
    if (i == x->inputs) continue;
    if (!n->spec.wide_inputs) x->used[i / 64] |= 1ull << i % 64;
    x->turn[o] = i + 1 < x->inputs ? i + 1 : 0;
    switch_take(n, x, i, o);
  }
}

void noc_pass(noc_t *n, uint32_t none) {
  (void)none;
  uint64_t now = noc_ev(n)->now;
  switch_freshen(n, &n->requests, now);
  switch_freshen(n, &n->replies, now);
  for (uint32_t k = 0; k < n->spec.speedup; k++) {
    if (n->requests.waiting) switch_pass(n, &n->requests, now);
    if (n->replies.waiting) switch_pass(n, &n->replies, now);
  }
  n->ticking = n->requests.waiting || n->replies.waiting;
  if (n->ticking) message_send(noc_ev(n), FROM_CROSSBAR, now + 1, EV_NOC_PASS, 0);
}
