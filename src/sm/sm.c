/* Blocks come and go, warps wait and wake. Invariants (sm_check): ages are 0 .. resident-1; a
 * runnable warp is either ready or once in the timing ring, any other warp in neither; the calendar
 * knows every cycle in which the ring has a warp; a warp that is not done wants exactly the unit of
 * its next instruction. */
#include "sm/sm.h"
#include "base/pow2.h"
#include "sm/sm_internal.h"
#include <stddef.h>
#include <string.h>

const opt_t sm_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(sm_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(warps, "warps", 1, SM_MAX_WARPS, 64, "warps", "warps an SM holds"),
    U32(ctas, "blocks", 1, SM_MAX_CTAS, 32, "blocks", "thread blocks an SM holds"),
    U32(threads, "threads", 32, 2048, 2048, "threads", "threads an SM holds"),
    U32(registers, "registers", 1024, 1 << 20, 65536, "registers", "32-bit registers of an SM"),
    U32(shared_bytes, "shared", 0, 1 << 20, 98304, "bytes", "shared memory of an SM"),
    U32(schedulers, "schedulers", 1, SM_MAX_SCHEDULERS, 2, "",
        "each issues one instruction per cycle"),
    {"scheduler", OPT_NAME, offsetof(sm_spec_t, scheduler), 0, 0, 0, "", "warp scheduler",
     sched_name, "gto"},
    {"fair", OPT_BOOL, offsetof(sm_spec_t, fair), 0, 1, 0, "",
     "a scheduler whose warp took shared memory comes after the others; else the first always goes "
     "first",
     NULL, NULL},
    U32(depth, "depth", 0, 32, 0, "cycles",
        "before the unit and behind it: added to the latency of every result of a unit"),
    U32(int_latency, "int_latency", 1, 60, 6, "cycles", "integer result"),
    U32(mul_latency, "mul_latency", 0, 60, 0, "cycles",
        "integer product; 0: as any other integer result"),
    U32(fp32_latency, "fp32_latency", 1, 60, 6, "cycles", "single precision result"),
    U32(fp64_latency, "fp64_latency", 1, 60, 48, "cycles", "double precision result"),
    U32(sfu_latency, "sfu_latency", 1, 60, 20, "cycles", "special function result"),
    U32(tensor_latency, "tensor_latency", 0, 60, 0, "cycles",
        "matrix product; 0: the special function units compute them"),
    U32(branch_latency, "branch_latency", 1, 60, 6, "cycles", "branch to the next instruction"),
    U32(const_latency, "const_latency", 1, 60, 6, "cycles", "load from constant memory"),
    U32(shared_latency, "shared_latency", 1, 60, 24, "cycles", "load from shared memory"),
    U32(int_interval, "int_interval", 1, 60, 1, "cycles",
        "between two warps in the arithmetic units"),
    U32(fp32_interval, "fp32_interval", 0, 60, 0, "cycles",
        "between two warps in the single precision units; 0: integers and they share one unit"),
    U32(fp64_interval, "fp64_interval", 1, 60, 16, "cycles",
        "between two warps in the double units"),
    U32(sfu_interval, "sfu_interval", 1, 60, 4, "cycles",
        "between two warps in the special function units"),
    U32(tensor_interval, "tensor_interval", 1, 60, 1, "cycles",
        "between two warps in the tensor units"),
    U32(branch_interval, "branch_interval", 1, 60, 1, "cycles",
        "between two branches of a scheduler"),
    U32(const_interval, "const_interval", 0, 60, 0, "cycles",
        "between two constant loads, or one and an integer, in the arithmetic units; 0: such loads "
        "need none"),
    U32(unit_queue, "unit_queue", 0, 8, 0, "instructions",
        "of a scheduler that may wait before a unit, issued"),
    U32(lsu_latency, "lsu_latency", 1, 60, 4, "cycles",
        "issue of a memory instruction to its TLB look-up"),
    U32(lsu_queue, "lsu_queue", 1, 64, 8, "instructions",
        "memory instructions before their look-ups"),
    U32(lsu_insts, "lsu_loads", 1, 4096, 256, "loads", "loads under way"),
    U32(lsu_lines, "lsu_lines", COALESCE_MAX, 65536, 2048, "lines", "lines under way"),
#undef U32
    {0},
};

const char *const stall_names[STALLS] = {
#define X(n, s, k, h) s,
    STALL_LIST(X)
#undef X
};
const char *const stall_help[STALLS] = {
#define X(n, s, k, h) h,
    STALL_LIST(X)
#undef X
};
const stall_kind_t stall_kinds[STALLS] = {
#define X(n, s, k, h) k,
    STALL_LIST(X)
#undef X
};

static int sm_allocate(sm_t *s, arrays_t *a, err_t *e) {
  int rc = lookups_init(&s->look, pow2_at_least(s->spec->lsu_queue * COALESCE_MAX), a);
  s->load = arrays_take(a, s->spec->lsu_insts * sizeof *s->load);
  s->reg_file = sm_reg_file(a);
  if (rc < 0 || !s->load || !s->reg_file) return err_set(e, GMMU_ENOMEM, "out of memory for an SM");
  for (uint32_t i = 0; i < s->spec->lsu_insts; i++) s->load[i].next_free = i + 1;
  return GMMU_OK;
}

uint64_t *sm_reg_file(arrays_t *a) { return arrays_take(a, SM_REG_FILE * sizeof(uint64_t)); }

void warp_init(warp_t *w, const sm_spec_t *spec, uint32_t slot, uint64_t *reg_file) {
  w->slot = (uint8_t)slot;
  w->scheduler = (uint8_t)(slot % spec->schedulers);
  w->age = SCHED_GONE;
  w->reg_at = reg_file + (size_t)slot * SM_REG_LINE;
}

/* A result comes by the timing ring, which has room for so many cycles. */
static int check_latencies(const sm_spec_t *p, err_t *e) {
  const struct {
    uint32_t latency, interval;
  } unit[] = {{p->int_latency, p->int_interval},
              {p->mul_latency, p->int_interval},
              {p->fp32_latency, p->int_interval},
              {p->fp32_latency, p->fp32_interval},
              {p->fp64_latency, p->fp64_interval},
              {p->sfu_latency, p->sfu_interval},
              {p->const_latency, p->const_interval},
              {p->tensor_latency, p->tensor_interval},
              {p->shared_latency, 0}};
  for (uint32_t i = 0; i < sizeof unit / sizeof *unit; i++) {
    uint32_t wait = unit[i].interval > 1 ? p->unit_queue * unit[i].interval : 0;
    if (p->depth + wait + unit[i].latency >= SM_RING)
      return err_set(e, GMMU_ERANGE,
                     "sm.depth %u, %u cycles before a unit (sm.unit_queue) and its latency %u are "
                     "together above %u cycles",
                     p->depth, wait, unit[i].latency, SM_RING - 1);
  }
  return GMMU_OK;
}

int sm_init(sm_t *s, const sm_spec_t *spec, uint32_t id, uint32_t page_shift, uint32_t line_shift,
            request_pool_t *pool, sm_stats_t *stats, uint32_t *app_lines,
            uint32_t (*stores)[REQUEST_KERNELS], sm_calendar_t *calendar, arrays_t *a, err_t *e) {
  memset(s, 0, sizeof *s);
  s->id = id;
  s->calendar = calendar;
  s->calendar_bit = 1ull << (id & 63);
  s->spec = spec;
  s->page_shift = page_shift;
  s->line_shift = line_shift;
  s->pool = pool;
  s->stats = stats;
  s->app_lines = app_lines;
  s->stores = stores;
  s->memory_at = UINT64_MAX;
  s->schedulers = spec->schedulers;
  s->fair = spec->fair;
  bool more = spec->fp32_interval || spec->tensor_latency || spec->branch_interval > 1;
  s->units = more ? UNIT_MEM : UNIT_FP32;
  const sched_ops_t *sched = sched_find(spec->scheduler);
  if (!sched) return err_set(e, GMMU_ENOENT, "no warp scheduler \"%s\"", spec->scheduler);
  s->pick = sched->pick;
  s->choose = sched->choose;
  s->greedy = sched == &sched_gto;
  s->plain = s->greedy && !s->fair;
  memset(s->last, SCHED_GONE, sizeof s->last);
  int rc = check_latencies(spec, e);
  if (rc == 0) rc = sm_allocate(s, a, e);
  for (uint32_t i = 0; rc == 0 && i < spec->warps; i++)
    warp_init(&s->warp[i], spec, i, s->reg_file);
  return rc;
}

/* ---- blocks ---- */

static uint32_t launch_registers(const launch_t *l) {
  return l->regs_per_thread * launch_warps(l) * WARP_LANES;
}

uint32_t sm_occupancy(const sm_spec_t *spec, const launch_t *l) {
  uint32_t warps = launch_warps(l), n = spec->ctas;
  if (!warps) return 0;
#define LIMIT(have, need)                                                                          \
  if ((need) && (have) / (need) < n) n = (have) / (need)
  LIMIT(spec->warps, warps);
  LIMIT(spec->threads, launch_threads(l));
  LIMIT(spec->registers, launch_registers(l));
  LIMIT(spec->shared_bytes, l->shared_bytes);
#undef LIMIT
  return n;
}

bool sm_fits(const sm_t *s, const launch_t *l) {
  const sm_spec_t *p = s->spec;
  return s->ctas_used < p->ctas && s->resident + launch_warps(l) <= p->warps &&
         s->threads_used + launch_threads(l) <= p->threads &&
         s->registers_used + launch_registers(l) <= p->registers &&
         s->shared_used + l->shared_bytes <= p->shared_bytes;
}

uint32_t sm_room(const sm_t *s, const launch_t *l) {
  const sm_spec_t *p = s->spec;
  sm_spec_t left = {.warps = p->warps - s->resident,
                    .ctas = p->ctas - s->ctas_used,
                    .threads = p->threads - s->threads_used,
                    .registers = p->registers - s->registers_used,
                    .shared_bytes = p->shared_bytes - s->shared_used};
  return sm_occupancy(&left, l);
}

sm_part_t sm_part(const sm_spec_t *spec, uint32_t of, uint32_t whole) {
#define PART(x) ((uint32_t)((uint64_t)(x)*of / whole))
  return (sm_part_t){.warps = PART(spec->warps),
                     .ctas = PART(spec->ctas),
                     .threads = PART(spec->threads),
                     .registers = PART(spec->registers),
                     .shared_bytes = PART(spec->shared_bytes)};
#undef PART
}

bool sm_fits_part(const sm_t *s, const launch_t *l, uint8_t app, const sm_part_t *part) {
  sm_part_t has = {.warps = launch_warps(l),
                   .ctas = 1,
                   .threads = launch_threads(l),
                   .registers = launch_registers(l),
                   .shared_bytes = l->shared_bytes};
  for (uint32_t i = 0; i < SM_MAX_CTAS; i++) {
    const cta_t *c = &s->cta[i];
    if (!c->used || c->app != app) continue;
    has.ctas++;
    has.warps += (uint32_t)__builtin_popcountll(c->warps);
    has.threads += c->threads;
    has.registers += c->registers;
    has.shared_bytes += c->shared_bytes;
  }
  return has.ctas == 1 ||
         (has.warps <= part->warps && has.ctas <= part->ctas && has.threads <= part->threads &&
          has.registers <= part->registers && has.shared_bytes <= part->shared_bytes);
}

static uint32_t free_cta(const sm_t *s) {
  uint32_t c = 0;
  while (s->cta[c].used) c++;
  return c;
}

/* What the warp before it in the slot has left in the scoreboard goes. */
ALWAYS_INLINE void clear_registers(const sm_t *s, warp_t *w, uint32_t registers) {
  uint32_t lines = registers / SM_REG_LINE + 1;
  for (uint32_t i = w->clean; i < lines; i++)
    memset(w->reg_at + i * SM_MAX_WARPS * SM_REG_LINE, 0, SM_REG_LINE * sizeof *w->reg_at);
  if (s->skips && lines > w->clean) w->clean = (uint8_t)lines;
}

void sm_skip(sm_t *s, bool on) {
  s->skips = on;
  for (uint32_t i = 0; i < s->spec->warps; i++) s->warp[i].clean = 0;
}

static void warp_begin(sm_t *s, warp_t *w, uint64_t now, const code_t *code, uint32_t first) {
  w->code = code->at;
  w->loads = 0;
  w->age = (uint8_t)s->resident;
  w->bit = 1ull << w->age;
  s->by_age[s->resident++] = w;
  s->mine[w->scheduler] |= w->bit;
  clear_registers(s, w, code->registers);
  s->stats[s->owner].stall[STALL_EMPTY] += now + 1 - s->empty_since[w->slot];
  w->charged = now + 1;
  w->state = WARP_DONE;
  s->empty_since[w->slot] = now + 1;
  if (first == STREAM_END) return;
  w->in = &w->code[first];
  s->wants[w->in->unit] |= w->bit;
  warp_prepare(s, w, now, now + 1);
}

int sm_start(sm_t *s, uint64_t now, const launch_t *l, const code_t *code, source_t *src,
             uint8_t app, uint32_t cta_index, err_t *e) {
  uint32_t warps = launch_warps(l), slot[SM_MAX_WARPS], source_slot[SM_MAX_WARPS],
           first[SM_MAX_WARPS], n = 0;
  for (uint32_t i = 0; n < warps; i++)
    if (s->warp[i].state == WARP_EMPTY) {
      source_slot[n] = s->id * s->spec->warps + i;
      slot[n++] = i;
    }
  int rc = src->ops->cta_begin(src, now, cta_index, warps, source_slot, first, e);
  if (rc < 0) return rc;
  uint32_t c = free_cta(s);
  s->cta[c] = (cta_t){.since = now + 1,
                      .app = app,
                      .kernel = (uint8_t)l->place,
                      .used = 1,
                      .threads = launch_threads(l),
                      .registers = launch_registers(l),
                      .shared_bytes = l->shared_bytes};
  for (uint32_t i = 0; i < warps; i++) {
    warp_t *w = &s->warp[slot[i]];
    w->src = src;
    w->step = src->ops->step;
    w->source_slot = source_slot[i];
    w->stats = &s->stats[app];
    w->app = app;
    w->store = (uint16_t)(l->overlaps ? OWNER_STORE + l->place : OWNER_NONE);
    w->who = (request_t){.sm = (uint16_t)s->id, .app = app}.what;
    w->cta = (uint8_t)c;
    s->cta[c].warps |= 1ull << slot[i];
    if (first[i] != STREAM_END) s->cta[c].live++, s->cta[c].open++;
    warp_begin(s, w, now, code, first[i]);
  }
  s->ctas_used++;
  s->threads_used += s->cta[c].threads;
  s->registers_used += s->cta[c].registers;
  s->shared_used += s->cta[c].shared_bytes;
  if (s->shared_used > s->shared_most) s->shared_most = s->shared_used;
  if (!s->cta[c].live) s->ended |= 1u << c, s->rare = true;
  return GMMU_OK;
}

void clear_masks(sm_t *s) {
  s->ready = 0;
  memset(s->wants, 0, sizeof s->wants);
  memset(s->mine, 0, sizeof s->mine);
  memset(s->ring, 0, sizeof s->ring);
}

/* Renumber the ages of the warps that stay, keeping their order, and rebuild the masks that use
 * them. */
static void renumber(sm_t *s, uint64_t leaving) {
  uint32_t n = 0, resident = s->resident;
  uint64_t ready = s->ready;
  const warp_t *last[SM_MAX_SCHEDULERS];
  for (uint32_t k = 0; k < SM_MAX_SCHEDULERS; k++)
    last[k] = s->last[k] == SCHED_GONE ? NULL : s->by_age[s->last[k]];
  clear_masks(s);
  for (uint32_t a = 0; a < resident; a++) {
    warp_t *w = s->by_age[a];
    if (leaving >> w->slot & 1) {
      w->state = WARP_EMPTY;
      w->age = SCHED_GONE;
      continue;
    }
    w->age = (uint8_t)n;
    w->bit = 1ull << n;
    s->by_age[n] = w;
    s->mine[w->scheduler] |= w->bit;
    if (w->state != WARP_DONE) s->wants[w->in->unit] |= w->bit;
    if (ready >> a & 1)
      s->ready |= w->bit;
    else if (w->state == WARP_RUNNABLE)
      ring_put(s, w, w->ready_at);
    n++;
  }
  s->resident = n;
  for (uint32_t k = 0; k < SM_MAX_SCHEDULERS; k++)
    if (last[k]) s->last[k] = last[k]->age; /* SCHED_GONE if it left */
}

/* On a shared SM: the slots were the block's up to and including this cycle, and are nobody's from
 * then on. */
static void charge_block(sm_t *s, const cta_t *c, uint64_t now) {
  sm_stats_t *st = &s->stats[c->app];
  for (uint64_t m = c->warps; m; m &= m - 1) {
    uint32_t slot = (uint32_t)__builtin_ctzll(m);
    st->stall[STALL_EMPTY] += now + 1 - s->empty_since[slot];
    st->slot_cycles += now + 1 - c->since;
    s->empty_since[slot] = now + 1;
  }
}

void sm_collect(sm_t *s, uint64_t now, uint32_t cta) {
  cta_t *c = &s->cta[cta];
  if (s->shared) charge_block(s, c, now);
  s->ended &= ~(1u << cta);
  renumber(s, c->warps);
  s->stats[c->app].blocks++;
  s->ctas_used--;
  s->threads_used -= c->threads;
  s->registers_used -= c->registers;
  s->shared_used -= c->shared_bytes;
  *c = (cta_t){0};
}

/* ---- time ---- */

void sm_wake_memory(sm_t *s, uint64_t now, uint64_t warps) {
  for (; warps; warps &= warps - 1)
    s->by_age[__builtin_ctzll(warps)]->blocked_before = lookups_blocked(&s->look, now);
}

/* When the first warp that is ready for unit `u` can issue, if that is before `t`. */
static uint64_t unit_next(const sm_t *s, unit_t u, uint64_t now, uint64_t t) {
  uint64_t m = s->ready & s->wants[u];
  for (uint32_t k = 0; m && k < s->spec->schedulers; k++)
    if (m & s->mine[k]) t = earlier(t, later(s->unit[k][u].open, now + 1));
  return t;
}

/* When a unit other than the load/store unit takes one of the ready warps, none of which can issue
 * without one. True if it is the next cycle. */
bool sm_wait_for_units(const sm_t *s, uint64_t now) {
  uint64_t t = UINT64_MAX;
  for (unit_t u = UNIT_ALU; u < UNIT_MEM; u++) t = unit_next(s, u, now, t);
  if (s->ready & s->wants[UNIT_SHARED]) t = earlier(t, later(s->shared_free, now + 1));
  if (t == UINT64_MAX) return false;
  sm_calendar_enter(s, earlier(t, now + SM_RING - 1));
  return t == now + 1;
}

/* ---- checks ---- */

static uint32_t times_in(const uint64_t *mask, uint32_t masks, uint32_t age) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < masks; i++) n += (uint32_t)(mask[i] >> age & 1);
  return n;
}

static bool warp_place_ok(const sm_t *s, const warp_t *w) {
  uint32_t places = times_in(&s->ready, 1, w->age) + times_in(s->ring, SM_RING, w->age);
  if (places != (w->state == WARP_RUNNABLE)) return false;
  if (w->state == WARP_DONE) return true;
  return times_in(s->wants, UNITS, w->age) == 1 && (s->wants[w->in->unit] >> w->age & 1);
}

bool sm_check(const sm_t *s) {
  for (uint32_t a = 0; a < s->resident; a++)
    if (s->by_age[a]->age != a || s->by_age[a]->bit != 1ull << a || !warp_place_ok(s, s->by_age[a]))
      return false;
  for (uint32_t i = 0; i < s->spec->warps; i++)
    if ((s->warp[i].state == WARP_EMPTY) != (s->warp[i].age == SCHED_GONE)) return false;
  for (uint32_t i = 0; i < SM_RING; i++)
    if (s->ring[i] && !(s->calendar->due[i] & s->calendar_bit)) return false;
  return s->loads_used <= s->spec->lsu_insts && s->lines_used <= s->spec->lsu_lines;
}
