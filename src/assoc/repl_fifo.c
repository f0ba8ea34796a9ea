/* First in, first out: a cursor per set walks the ways in the order in which they were filled. */
#include "assoc/repl.h"

typedef struct {
  uint32_t ways;
  uint32_t next[];
} fifo_t;

static size_t fifo_state_bytes(uint32_t sets, uint32_t ways) {
  (void)ways;
  return sizeof(fifo_t) + sizeof(uint32_t) * sets;
}
static void fifo_init(void *state, uint32_t sets, uint32_t ways) {
  (void)sets;
  ((fifo_t *)state)->ways = ways;
}
static void fifo_hit(void *state, uint32_t set, uint32_t way) { (void)state, (void)set, (void)way; }
static void fifo_fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {
  (void)hint;
  fifo_t *s = state;
  if (way == s->next[set]) s->next[set] = way + 1 == s->ways ? 0 : way + 1;
}
static uint32_t fifo_victim(void *state, uint32_t set, uint32_t hint) {
  uint32_t way = ((fifo_t *)state)->next[set];
  fifo_fill(state, set, way, hint);
  return way;
}

const repl_ops_t repl_fifo = {
    .name = "fifo",
    .help = "evict the entry filled longest ago",
    .state_bytes = fifo_state_bytes,
    .init = fifo_init,
    .hit = fifo_hit,
    .fill = fifo_fill,
    .victim = fifo_victim,
};
