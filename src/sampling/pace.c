/* How fast warps go on while time stands still: as they last did with time.
 *
 *   a warp, from one access to the next:  its instructions, each with the wait for results before
 *                                         it, and the wait for memory
 *   a scheduler:                          an instruction a cycle
 *   a load/store unit:                    as many pages a cycle as it took
 *
 * If warps ask for more, the SM serves them in the order in which it does with time: the load/store
 * unit its schedulers in the order of their numbers, and a scheduler its warps by its policy. So
 * under GTO young warps stand still until old ones end, and where the load/store unit is what
 * everybody waits for, those of the last scheduler fall behind those of the first. */
#include "gpu/machine.h"

/* The load/store unit stands still for want of a TLB MSHR. */
static bool waits_for_lsu(uint32_t reason) { return reason == STALL_TLB1; }
static bool waits_for_memory(uint32_t reason) {
  return stall_kinds[reason] != STALLED_BY_OTHER && !waits_for_lsu(reason) &&
         reason != STALL_STRUCTURAL;
}

static pace_sums_t pace_sums(const gpu_t *g, uint32_t a) {
  const sm_stats_t *st = &g->cores.stats[a];
  pace_sums_t s = {.instructions = st->warp_instructions,
                   .accesses = st->loads + st->stores + st->atomics,
                   .pages = st->pages,
                   .results = st->stall[STALL_ALU],
                   .unit = st->stall[STALL_STRUCTURAL]};
  for (uint32_t i = 0; i < STALLS; i++) {
    s.memory += waits_for_memory(i) ? st->stall[i] : 0;
    s.lsu += waits_for_lsu(i) ? st->stall[i] : 0;
  }
  return s;
}

static uint64_t pace_sms(const gpu_t *g, uint32_t a) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < g->spec.core.sms; i++)
    n += g->cores.sm[i].resident && (g->cores.sm[i].shared || g->cores.sm[i].owner == a);
  return n;
}

/* A load/store unit takes a page for each port of the first-level TLB. */
static uint64_t pace_most(const gpu_t *g) {
  return PACE_FINE * later(1, g->spec.tlb_level[0].ports);
}

/* Of a machine of which nothing is known: a result is waited for half the time, memory as long as
 * it takes if nobody else is there, and the load/store unit is always free. */
static void pace_guess(gpu_t *g) {
  for (uint32_t a = 0; a < g->share.apps; a++)
    g->sampling.pace[a] =
        (pace_t){.between = PACE_ONE * (2 + g->spec.sm.int_latency) / 2, .taken = pace_most(g)};
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
  uint64_t memory = now.memory - before->memory, unit = now.unit - before->unit;
  p->memory = m ? PACE_ONE * memory / m : 0;
  /* Who waits for any unit waits for its scheduler in those cycles in which that issues, else for
   * the load/store unit. That takes as much as it did if all waited for it, and the more, the more
   * of them waited for something else. */
  uint64_t slots = cycles * sms * g->spec.sm.schedulers;
  uint64_t scheduler = estimate_part(unit, earlier(n, slots), slots);
  uint64_t lsu = now.lsu - before->lsu + unit - scheduler, other = memory + scheduler;
  uint64_t took = later(1, PACE_FINE * (now.pages - before->pages) / (cycles * sms));
  p->taken = earlier(pace_most(g), took + took * other / later(lsu, 1));
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

/* Of an SM's load/store unit. */
ALWAYS_INLINE uint64_t pace_of_lsu(const gpu_t *g, const sm_t *s) {
  const pace_t *p = g->sampling.pace;
  if (!s->shared) return p[s->owner].taken;
  uint64_t sum = 0;
  for (uint32_t a = 0; a < g->share.apps; a++) sum += p[a].taken;
  return earlier(sum, pace_most(g));
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
    uint64_t mean = cycles * p->stretch + (far ? p->queue : 0);
    wait += (uint64_t)((__extension__(unsigned __int128)(g->sampling.chance >> 33) * mean) >> 30);
  }
  return later(g->sampling.clock, w->not_before + wait / PACE_ONE);
}
