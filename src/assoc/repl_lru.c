/* Least recently used, exact.
 * Up to 16 ways: one 64-bit word per set, a nibble per way in order of use, most recent lowest.
 * More ways: a doubly linked ring per set through a head node; the tail is the victim. */
#include "assoc/repl.h"

typedef struct {
  uint32_t ways, linked;
  uint64_t order[]; /* packed words, or (prev, next) pairs of 16 bits, ways + 1 per set */
} lru_t;

typedef struct {
  uint16_t prev, next;
} link_t;

static size_t lru_state_bytes(uint32_t sets, uint32_t ways) {
  size_t per_set = ways <= 16 ? sizeof(uint64_t) : sizeof(link_t) * (ways + 1);
  return sizeof(lru_t) + per_set * sets;
}

static link_t *lru_ring(lru_t *s, uint32_t set) {
  return (link_t *)s->order + (size_t)set * (s->ways + 1);
}

static void lru_init(void *state, uint32_t sets, uint32_t ways) {
  lru_t *s = state;
  s->ways = ways;
  s->linked = ways > 16;
  for (uint32_t set = 0; set < sets; set++) {
    if (!s->linked) {
      s->order[set] = REPL_PACKED_START;
      continue;
    }
    link_t *r = lru_ring(s, set); /* node `ways` is the head; 0 is the most recent at first */
    for (uint32_t w = 0; w <= ways; w++)
      r[w] = (link_t){(uint16_t)(w ? w - 1 : ways), (uint16_t)(w < ways ? w + 1 : 0)};
  }
}

static void lru_touch_linked(lru_t *s, uint32_t set, uint32_t way) {
  link_t *r = lru_ring(s, set), n = r[way];
  uint32_t head = s->ways;
  if (n.prev == head) return;
  r[n.prev].next = n.next;
  r[n.next].prev = n.prev;
  r[way] = (link_t){(uint16_t)head, r[head].next};
  r[r[head].next].prev = (uint16_t)way;
  r[head].next = (uint16_t)way;
}

static void lru_hit(void *state, uint32_t set, uint32_t way) {
  lru_t *s = state;
  if (s->linked)
    lru_touch_linked(s, set, way);
  else
    s->order[set] = repl_packed_use(s->order[set], way);
}

static void lru_fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {
  (void)hint;
  lru_hit(state, set, way);
}

static uint32_t lru_victim(void *state, uint32_t set, uint32_t hint) {
  (void)hint;
  lru_t *s = state;
  if (!s->linked) return repl_packed_turn(&s->order[set], s->ways);
  uint32_t way = lru_ring(s, set)[s->ways].prev;
  lru_touch_linked(s, set, way);
  return way;
}

static uint64_t *lru_packed(void *state) {
  lru_t *s = state;
  return s->linked ? NULL : s->order;
}

const repl_ops_t repl_lru = {
    .name = "lru",
    .help = "evict the least recently used entry",
    .state_bytes = lru_state_bytes,
    .init = lru_init,
    .hit = lru_hit,
    .fill = lru_fill,
    .victim = lru_victim,
    .packed = lru_packed,
};
