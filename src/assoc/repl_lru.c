/* Least recently used, exact.
 * Up to 16 ways: one 64-bit word per set, a nibble per way in order of use, most recent lowest.
 * More ways: a ring per set; the way before the most recent one is the victim. */
#include "assoc/repl.h"

typedef struct {
  uint32_t ways, linked;
  repl_ring_t ring; /* what follows as rings: links of all sets, then where each begins */
  uint64_t order[]; /* or packed words */
} lru_t;

static size_t lru_state_bytes(uint32_t sets, uint32_t ways) {
  size_t per_set = ways <= 16 ? sizeof(uint64_t) : sizeof(repl_link_t) * ways + sizeof(uint16_t);
  return sizeof(lru_t) + per_set * sets;
}

/* Way 0 is the most recent at first. */
static void lru_init_ring(repl_ring_t *r, uint32_t set) {
  repl_link_t *l = &r->link[(size_t)set * r->ways];
  uint32_t last = r->ways - 1;
  for (uint32_t w = 0; w <= last; w++)
    l[w] = (repl_link_t){(uint16_t)(w ? w - 1 : last), (uint16_t)(w < last ? w + 1 : 0)};
}

static void lru_init(void *state, uint32_t sets, uint32_t ways) {
  lru_t *s = state;
  s->ways = ways;
  s->linked = ways > 16;
  s->ring.ways = ways;
  s->ring.link = (repl_link_t *)s->order;
  s->ring.first = (uint16_t *)(s->ring.link + (size_t)sets * ways);
  for (uint32_t set = 0; set < sets; set++)
    if (s->linked)
      lru_init_ring(&s->ring, set);
    else
      s->order[set] = REPL_PACKED_START;
}

void repl_ring_move(repl_ring_t *r, uint32_t set, uint32_t way) {
  repl_link_t *l = &r->link[(size_t)set * r->ways], n = l[way];
  uint32_t first = r->first[set], last = l[first].prev;
  r->first[set] = (uint16_t)way;
  if (way == last) return; /* the ring has only turned */
  l[n.prev].next = n.next;
  l[n.next].prev = n.prev;
  l[way] = (repl_link_t){(uint16_t)last, (uint16_t)first};
  l[last].next = l[first].prev = (uint16_t)way;
}

static void lru_hit(void *state, uint32_t set, uint32_t way) {
  lru_t *s = state;
  if (s->linked)
    repl_ring_use(&s->ring, set, way);
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
  return s->linked ? repl_ring_turn(&s->ring, set) : repl_packed_turn(&s->order[set], s->ways);
}

static uint64_t *lru_packed(void *state) {
  lru_t *s = state;
  return s->linked ? NULL : s->order;
}

static repl_ring_t *lru_ring(void *state) {
  lru_t *s = state;
  return s->linked ? &s->ring : NULL;
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
    .ring = lru_ring,
};
