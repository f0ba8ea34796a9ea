/* How fast warps go on while time stands still: as they last did with time.
 *
 *   a warp, from one access to the next:  its instructions, each with the wait for results before
 *                                         it, its translations (walks.c), and the wait for data
 *   a scheduler:                          an instruction a cycle
 *   a load/store unit:                    as many pages a cycle as the first-level TLB has ports,
 *                                         while that has an MSHR
 *
 * If warps ask for more, the SM serves them in the order in which it does with time: the load/store
 * unit its schedulers in the order of their numbers, and a scheduler its warps by its policy. So
 * under GTO young warps stand still until old ones end, and where the load/store unit is what
 * everybody waits for, those of the last scheduler fall behind those of the first. */
#include "gpu/machine.h"

static pace_sums_t pace_sums(const gpu_t *g, uint32_t a) {
  const sm_stats_t *st = &g->cores.stats[a];
  pace_sums_t s = {.instructions = st->warp_instructions,
                   .accesses = st->loads + st->stores + st->atomics,
                   .results = st->stall[STALL_ALU]};
  for (uint32_t i = 0; i < STALLS; i++)
    s.data += stall_kinds[i] == STALLED_BY_DATA ? st->stall[i] : 0;
  return s;
}

/* Pages that a load/store unit takes in a cycle, at most. */
static uint64_t pace_most(const gpu_t *g) {
  uint32_t ports = g->spec.tlb_level[0].ports;
  return ports ? ports : WARP_LANES;
}

/* Of a machine of which nothing is known: a result is waited for half the time, and data as long as
 * it takes if nobody else is there. */
static void pace_guess(gpu_t *g) {
  for (uint32_t a = 0; a < g->share.apps; a++)
    g->sampling.pace[a] = (pace_t){.between = PACE_ONE * (2 + g->spec.sm.int_latency) / 2};
}

/* Instructions with time before the first skip, at least. */
static uint64_t pace_least(const gpu_t *g) {
  const sampling_spec_t *x = &g->spec.sampling;
  if (!x->warm || g->sampling.launches) return 0;
  return earlier(x->skip / BEGIN_PART, 4ull * g->spec.core.sms * g->spec.sm.warps);
}

/* What was done with time, since `before`. */
static void pace_learn(gpu_t *g, uint32_t a, const pace_sums_t *before) {
  pace_sums_t now = pace_sums(g, a);
  pace_t *p = &g->sampling.pace[a];
  uint64_t n = now.instructions - before->instructions, m = now.accesses - before->accesses;
  if (!n) return;
  p->between = PACE_ONE + PACE_ONE * (now.results - before->results) / n;
  p->data = m ? PACE_ONE * (now.data - before->data) / m : 0;
}

/* Accesses of this skip wait as long for data as those before it, on the average. What is more than
 * they would take alone they spend in queues, in which all that L1 does not answer stand. */
static void pace_fit(gpu_t *g) {
  for (uint32_t a = 0; a < g->share.apps; a++) {
    pace_t *p = &g->sampling.pace[a];
    uint64_t want = p->data * p->accesses, alone = p->alone * PACE_ONE;
    p->stretch = p->data && want < alone ? want / p->alone : PACE_ONE;
    p->queue = p->far && want > alone ? (want - alone) / p->far : 0;
  }
}

/* When the warp's turn comes again, after `did` instructions of which the last is an access that
 * takes `x`. The cycles of its data count for anything up to twice, else warps that start together
 * would stay together. Who had to wait for the SM waits so much less for data: it came later to the
 * end of a queue that all stand in. Its pages arrive when they do. */
ALWAYS_INLINE uint64_t pace_next(gpu_t *g, const warp_t *w, uint32_t did, forward_wait_t x) {
  pace_t *p = &g->sampling.pace[w->app];
  uint64_t wait = did * p->between, from = w->not_before;
  if (x.data) {
    g->sampling.chance = g->sampling.chance * 6364136223846793005ull + 1442695040888963407ull;
    bool far = x.data > g->sampling.l1_cycles + 1;
    p->alone += x.data;
    p->accesses++;
    p->far += far;
    uint64_t mean = x.data * p->stretch + (far ? p->queue : 0);
    wait += (uint64_t)((__extension__(unsigned __int128)(g->sampling.chance >> 33) * mean) >> 30);
    from = later(from, x.arrived);
  }
  return later(g->sampling.clock, from + wait / PACE_ONE);
}
