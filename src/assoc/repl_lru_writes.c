/* Least recently used, but an entry that a write brought in is spared once: when it is its turn to
 * go it becomes the most recently used one instead, and is then like any other. Found on the GTX
 * 1080 (Fractional GPUs, appendix A): "data that is cached on a write miss is less likely to be
 * evicted than data that is cached on a read miss"; how the chip does that is not known.
 * State: a ring of ways per set through a head node, the tail next to go, and a flag per way.
 * Invariant: a victim is found after at most as many turns as the set has ways, since each turn
 * takes away a flag. */
#include "assoc/repl.h"
#include <stdbool.h>

typedef struct {
  uint16_t prev, next;
  bool spared; /* not yet used up */
} node_t;

typedef struct {
  uint32_t ways;
  node_t node[]; /* ways + 1 per set; the last is the head */
} lruw_t;

static size_t lruw_state_bytes(uint32_t sets, uint32_t ways) {
  return sizeof(lruw_t) + sizeof(node_t) * (ways + 1) * sets;
}

static node_t *lruw_ring(lruw_t *s, uint32_t set) { return s->node + (size_t)set * (s->ways + 1); }

static void lruw_init(void *state, uint32_t sets, uint32_t ways) {
  lruw_t *s = state;
  s->ways = ways;
  for (uint32_t set = 0; set < sets; set++)
    for (uint32_t w = 0; w <= ways; w++)
      lruw_ring(s, set)[w] =
          (node_t){(uint16_t)(w ? w - 1 : ways), (uint16_t)(w < ways ? w + 1 : 0), false};
}

/* The way becomes the most recently used. */
static void lruw_hit(void *state, uint32_t set, uint32_t way) {
  lruw_t *s = state;
  node_t *r = lruw_ring(s, set), *n = &r[way], *head = &r[s->ways];
  r[n->prev].next = n->next;
  r[n->next].prev = n->prev;
  n->prev = (uint16_t)s->ways;
  n->next = head->next;
  r[head->next].prev = (uint16_t)way;
  head->next = (uint16_t)way;
}

static void lruw_fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {
  lruw_hit(state, set, way);
  lruw_ring(state, set)[way].spared = hint & FILL_WRITE;
}

static uint32_t lruw_victim(void *state, uint32_t set, uint32_t hint) {
  lruw_t *s = state;
  node_t *r = lruw_ring(s, set);
  uint32_t way = r[s->ways].prev;
  while (r[way].spared) {
    r[way].spared = false;
    lruw_hit(state, set, way);
    way = r[s->ways].prev;
  }
  lruw_fill(state, set, way, hint);
  return way;
}

const repl_ops_t repl_lru_writes = {
    .name = "lru-writes",
    .help = "lru, but an entry that a write brought in is spared once",
    .state_bytes = lruw_state_bytes,
    .init = lruw_init,
    .hit = lruw_hit,
    .fill = lruw_fill,
    .victim = lruw_victim,
};
