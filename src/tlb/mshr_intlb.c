/* In-TLB MSHRs (SoftWalker, MICRO'25): where every MSHR of a TLB is taken, a miss takes an entry of
 * the TLB itself, in the set of its page, until its translation is put in there. A set whose ways
 * are all taken so has no place for another miss, nor for a translation.
 *
 * Invariant: the entries taken are those that `pinned` counts; of[xlat] is ASSOC_NONE if the
 * translation has one of the TLB's own MSHRs. */
#include "tlb/mshr.h"
#include "tlb/tlb.h"

const opt_t intlb_options[] = {
    {"entries", OPT_U32, offsetof(intlb_spec_t, entries), 1, 1 << 20, 1024, "entries",
     "of a TLB that misses may take, at most", NULL, NULL}, /* reported */
    {0},
};

typedef struct {
  mshr_env_t env;
  uint32_t own, pinned; /* misses in MSHRs, and in entries of the TLB */
  uint32_t of[];        /* [xlat]: its entry */
} intlb_t;

static size_t intlb_bytes(const mshr_env_t *env) {
  return sizeof(intlb_t) + env->xlats * sizeof(uint32_t);
}
static void intlb_init(void *state, const mshr_env_t *env) { ((intlb_t *)state)->env = *env; }

static bool intlb_room(const void *state, asid_t asid, vpn_t vpn, const page_group_t *g,
                       uint32_t due) {
  const intlb_t *s = state;
  (void)g, (void)due;
  return s->own < s->env.mshrs ||
         (s->pinned < s->env.intlb->entries && tlb_room(s->env.array, asid, vpn));
}

static void intlb_take(void *state, uint32_t xlat, asid_t asid, vpn_t vpn, const page_group_t *g) {
  intlb_t *s = state;
  (void)g;
  if (s->own < s->env.mshrs) {
    s->own++;
    s->of[xlat] = ASSOC_NONE;
    return;
  }
  tlb_victim_t victim;
  s->of[xlat] = tlb_pin(s->env.array, asid, vpn, &victim);
  s->pinned++;
  s->env.stats[asid].ways++;
  if (!victim.any) return;
  s->env.stats[asid].displaced++;
  s->env.displaced(s->env.owner, asid, victim.asid);
}

static void intlb_give(void *state, uint32_t xlat) {
  intlb_t *s = state;
  if (s->of[xlat] == ASSOC_NONE) {
    s->own--;
    return;
  }
  tlb_unpin(s->env.array, s->of[xlat]);
  s->pinned--;
}

static bool intlb_fills(void *state, asid_t asid, vpn_t vpn) {
  intlb_t *s = state;
  bool room = tlb_room(s->env.array, asid, vpn);
  s->env.stats[asid].unfilled += !room;
  return room;
}

static bool intlb_check(const void *state, uint32_t under_way) {
  const intlb_t *s = state;
  return s->own + s->pinned == under_way && s->own <= s->env.mshrs &&
         s->pinned == tlb_pins(s->env.array);
}

const mshr_ops_t tlb_mshr_intlb = {
    .name = "intlb",
    .help = "where every MSHR is taken, a miss takes an entry of the TLB (in-TLB MSHRs)",
    .behind = true,
    .state_bytes = intlb_bytes,
    .init = intlb_init,
    .room = intlb_room,
    .take = intlb_take,
    .give = intlb_give,
    .fills = intlb_fills,
    .check = intlb_check,
};
