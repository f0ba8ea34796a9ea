#ifndef GMMU_MESSAGES_H
#define GMMU_MESSAGES_H
/* What blocks send each other, and themselves: EV_L2_ARRIVE and so on, in the order of
 * messages.def. A message is an event of the wheel, with the number of what it is about. */
#include "base/inline.h"
#include "engine/block.h"

typedef enum {
#define MESSAGE(name, sender, to, block, handler, payload, least, help) EV_##name,
#include "engine/messages.def"
#undef MESSAGE
  MESSAGES
} message_t;
_Static_assert(MESSAGES <= 1u << (32 - EVENT_ID_BITS), "an event has room for its kind");

#define MESSAGE(name, sender, to, block, handler, payload, least, help)                            \
  _Static_assert((least) >= 1, #name " would arrive in the cycle in which it is sent");
#include "engine/messages.def"
#undef MESSAGE

/* Block `from` sends message `m` about `id`, which is received in cycle `at`. */
ALWAYS_INLINE void message_send(engine_t *ev, sender_t from, uint64_t at, message_t m,
                                uint32_t id) {
  static const uint8_t least[MESSAGES] = {
#define MESSAGE(name, sender, to, block, handler, payload, least, help) least,
#include "engine/messages.def"
#undef MESSAGE
  };
  assert(at > ev->now && at - ev->now >= least[m]);
  (void)least;
  engine_schedule(ev, from, at, m, id);
}

/* The later of `at` and the next cycle: for delays that an option may set to 0. */
static inline uint64_t message_at(const engine_t *ev, uint64_t at) {
  return at > ev->now ? at : ev->now + 1;
}
#endif
