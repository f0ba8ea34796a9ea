/* How fast warps go on while time stands still: as they last did with time.
 *
 *   a warp, from one access to the next:  its instructions, each with the wait for results before
 *                                         it, and the wait for memory
 *   an SM, in a cycle:                    what it issued, and never more than its schedulers can
 *
 * If warps ask for more than the SM issues, the scheduler's policy says who goes on: under GTO the
 * oldest, so that young ones stand still until these end, as with time. */
#include "gpu/machine.h"

/* What a warp waits for while its SM is busy with others; in STALL_TLB1, with their look-ups. */
static bool waits_for_sm(uint32_t reason) {
  return reason == STALL_STRUCTURAL || reason == STALL_TLB1;
}
static bool waits_for_memory(uint32_t reason) {
  return stall_kinds[reason] != STALLED_BY_OTHER && !waits_for_sm(reason);
}

static pace_sums_t pace_sums(const gpu_t *g, uint32_t a) {
  const sm_stats_t *st = &g->cores.stats[a];
  pace_sums_t s = {.instructions = st->warp_instructions,
                   .accesses = st->loads + st->stores + st->atomics,
                   .results = st->stall[STALL_ALU]};
  for (uint32_t i = 0; i < STALLS; i++) {
    s.memory += waits_for_memory(i) ? st->stall[i] : 0;
    s.sm += waits_for_sm(i) ? st->stall[i] : 0;
  }
  return s;
}

static uint64_t pace_sms(const gpu_t *g, uint32_t a) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    n += g->cores.sm[i].resident && (g->cores.sm[i].shared || g->cores.sm[i].owner == a);
  return n;
}

/* Of a machine of which nothing is known: a result is waited for half the time, memory as long as
 * it takes if nobody else is there, and schedulers always issue. */
static void pace_guess(gpu_t *g) {
  for (uint32_t a = 0; a < g->share.apps; a++)
    g->sampling.pace[a] = (pace_t){.between = PACE_ONE * (2 + g->spec.sm.int_latency) / 2,
                                   .issued = PACE_ONE * g->spec.sm.schedulers};
}

/* Instructions with time before the first skip, at least. */
static uint64_t pace_least(const gpu_t *g) {
  const sampling_spec_t *x = &g->spec.sampling;
  if (!x->warm || g->sampling.launches) return 0;
  return earlier(x->skip / BEGIN_PART, 4ull * g->spec.core.sms * g->spec.sm.warps);
}

/* After `cycles` with time, of which `before` tells what was done before them. */
static void pace_learn(gpu_t *g, uint32_t a, uint64_t cycles, const pace_sums_t *before) {
  pace_sums_t now = pace_sums(g, a);
  pace_t *p = &g->sampling.pace[a];
  uint64_t n = now.instructions - before->instructions, m = now.accesses - before->accesses;
  uint64_t sms = pace_sms(g, a);
  if (!n || !cycles || !sms) return;
  p->between = PACE_ONE + PACE_ONE * (now.results - before->results) / n;
  uint64_t memory = now.memory - before->memory, sm = now.sm - before->sm;
  p->memory = m ? PACE_ONE * memory / m : 0;
  /* As much as it did if all waited for the SM, and the more, the more of them waited for memory.
   */
  p->issued = later(1, PACE_ONE * n / (cycles * sms));
  p->issued =
      earlier(PACE_ONE * g->spec.sm.schedulers, p->issued + p->issued * memory / later(sm, 1));
}

/* Accesses of this skip wait as long as those before it, on the average. What is more than they
 * would take alone they spend in queues, in which all that L1 does not answer stand. */
static void pace_fit(gpu_t *g) {
  for (uint32_t a = 0; a < g->share.apps; a++) {
    pace_t *p = &g->sampling.pace[a];
    uint64_t want = p->memory * p->accesses, alone = p->alone * PACE_ONE;
    p->stretch = p->memory && want < alone ? want / p->alone : PACE_ONE;
    p->queue = p->far && want > alone ? (want - alone) / p->far : 0;
  }
}

ALWAYS_INLINE uint64_t pace_of_sm(const gpu_t *g, const sm_t *s) {
  const pace_t *p = g->sampling.pace;
  if (!s->shared) return p[s->owner].issued;
  uint64_t sum = 0;
  for (uint32_t a = 0; a < g->share.apps; a++) sum += p[a].issued;
  return earlier(sum, PACE_ONE * s->schedulers);
}

/* When the warp's turn comes again, after `did` instructions of which the last is an access that
 * takes `cycles` alone (0: it is none). Its cycles count for anything up to twice, else warps
 * that start together would stay together. Who had to wait for the SM waits so much less for
 * memory: it came later to the end of a queue that all stand in. */
ALWAYS_INLINE uint64_t pace_next(gpu_t *g, const warp_t *w, uint32_t did, uint32_t cycles) {
  pace_t *p = &g->sampling.pace[w->app];
  uint64_t wait = did * p->between;
  if (cycles) {
    g->sampling.chance = g->sampling.chance * 6364136223846793005ull + 1442695040888963407ull;
    bool far = cycles > g->sampling.l1_cycles + 1;
    p->alone += cycles;
    p->accesses++;
    p->far += far;
    wait += ((g->sampling.chance >> 33) * cycles >> 30) * p->stretch + (far ? p->queue : 0);
  }
  return later(g->sampling.clock, w->not_before + wait / PACE_ONE);
}
