/* Pseudo-random: a counter through a mixing function, so that every run makes the same choices. */
#include "assoc/repl.h"
#include "base/rng.h"

typedef struct {
  rng_t rng;
  uint32_t ways;
} random_t;

static size_t random_state_bytes(uint32_t sets, uint32_t ways) {
  (void)sets, (void)ways;
  return sizeof(random_t);
}
static void random_init(void *state, uint32_t sets, uint32_t ways) {
  (void)sets;
  *(random_t *)state = (random_t){.ways = ways};
}
static void random_hit(void *state, uint32_t set, uint32_t way) {
  (void)state, (void)set, (void)way;
}
static void random_fill(void *state, uint32_t set, uint32_t way, uint32_t hint) {
  (void)state, (void)set, (void)way, (void)hint;
}
static uint32_t random_victim(void *state, uint32_t set, uint32_t hint) {
  (void)set, (void)hint;
  random_t *s = state;
  return rng_below(&s->rng, s->ways);
}

const repl_ops_t repl_random = {
    .name = "random",
    .help = "evict a pseudo-random entry (the same one in every run)",
    .state_bytes = random_state_bytes,
    .init = random_init,
    .hit = random_hit,
    .fill = random_fill,
    .victim = random_victim,
};
