/* Register allocation: virtual registers to slots of the frame.
 *
 * Liveness over blocks gives each register the hull of the places where it is live; a scan in
 * program order hands out the lowest free slot. Three pools, so that a slot's lanes never change
 * width: predicates, 32-bit and 64-bit. Lanes are independent and writes are masked, so liveness of
 * one thread is enough even when the warp diverges. A guarded write does not end a life.
 *
 * Places: instruction i reads at 2i and writes at 2i + 1, so a result may take over the slot of an
 * operand that dies there (results are written after all operands have been read).
 *
 * Scoreboard numbers: 64-bit slot j is the pair 2j, 2j + 1, 32-bit slots follow, all modulo 240;
 * predicates share 240 .. 254. */
#include "ptx/code.h"
#include <stdlib.h>
#include <string.h>

#define DATA_NUMBERS PTX_DATA_NUMBERS
#define PRED_NUMBERS 15u
#define SET_LIMIT    ((uint64_t)1 << 28) /* bits; above, registers live everywhere */

bool pinst_has_result(const pinst_t *in) {
  switch (in->op) {
  case OP_st:
  case OP_sust:
  case OP_red:
  case OP_bra:
  case OP_brx:
  case OP_call:
  case OP_prefetch:
  case OP_prefetchu:
  case OP_membar:
  case OP_fence:
  case OP_nanosleep:
  case OP_pmevent: return false;
  case OP_bar:
  case OP_barrier: return in->mod[G_BAR] == BAR_RED;
  case OP_cp:
  case OP_stmatrix: return false;
  case OP_wmma: return in->mod[G_WMMA] != WMMA_STORE;
  case OP_mbarrier:
    return in->mod[G_MBARRIER] != MBARRIER_INIT && in->mod[G_MBARRIER] != MBARRIER_INVAL;
  default: return in->operands > 0;
  }
}

static void operand_regs(const poperand_t *o, bool def, preg_fn fn, void *ctx) {
  if (o->kind == O_VEC)
    for (uint32_t i = 0; i < o->count; i++) operand_regs(&o->elem[i], def, fn, ctx);
  if ((o->kind == O_REG || o->kind == O_MEM) && o->reg != NO_REG)
    fn(ctx, o->reg, def && o->kind == O_REG);
  if (o->kind == O_REG && o->reg2 != NO_REG) fn(ctx, o->reg2, def);
}

void pinst_regs(const pinst_t *in, preg_fn fn, void *ctx) {
  bool result = pinst_has_result(in);
  if (in->guarded) fn(ctx, in->guard, false);
  for (uint32_t i = result; i < in->operands; i++) operand_regs(&in->operand[i], false, fn, ctx);
  for (uint32_t i = 0; i < in->args; i++) operand_regs(&in->arg[i], false, fn, ctx);
  if (result) operand_regs(&in->operand[0], true, fn, ctx);
  for (uint32_t i = 0; i < in->results; i++) operand_regs(&in->result[i], true, fn, ctx);
}

typedef struct {
  const pfunc_t *f;
  const pcfg_t *g;
  uint32_t *first, *last; /* [regs] hull of the places */
  uint32_t *block;        /* [regs] the only block that mentions it, or PC_NONE: several */
  uint32_t *global;       /* [regs] number among registers that cross blocks */
  uint32_t globals, words;
  uint64_t *in, *use, *def; /* [blocks][words] */
  uint32_t at, now;         /* place and block while visiting */
  bool guarded;
} live_t;

static void widen(live_t *l, uint32_t reg, uint32_t place) {
  if (place < l->first[reg]) l->first[reg] = place;
  if (place > l->last[reg]) l->last[reg] = place;
}

static void see(void *ctx, uint32_t reg, bool def) {
  live_t *l = ctx;
  widen(l, reg, 2 * l->at + def);
  if (l->block[reg] == PC_EXIT) l->block[reg] = l->now;
  if (l->block[reg] != l->now) l->block[reg] = PC_NONE;
}

static bool bit(const uint64_t *set, uint32_t i) { return set[i / 64] >> (i % 64) & 1; }
static void set_bit(uint64_t *set, uint32_t i) { set[i / 64] |= (uint64_t)1 << (i % 64); }

static void see_global(void *ctx, uint32_t reg, bool def) {
  live_t *l = ctx;
  uint32_t n = l->global[reg];
  if (n == PC_NONE) return;
  uint64_t *d = l->def + (size_t)l->now * l->words, *u = l->use + (size_t)l->now * l->words;
  if (!def && !bit(d, n)) set_bit(u, n);
  if (def && !l->guarded) set_bit(d, n);
}

static void each_inst(live_t *l, preg_fn fn) {
  for (l->now = 0; l->now < l->g->blocks; l->now++)
    for (l->at = l->g->start[l->now]; l->at < l->g->start[l->now + 1] && l->at < l->f->insts;
         l->at++) {
      l->guarded = l->f->inst[l->at].guarded;
      pinst_regs(&l->f->inst[l->at], fn, l);
    }
}

/* A register used in one block only, but before it is written there, lives around a loop or is
 * never set: treat it as crossing blocks. */
typedef struct {
  live_t *l;
  uint8_t *written;
} local_t;
static void see_local(void *ctx, uint32_t reg, bool def) {
  local_t *c = ctx;
  if (def && !c->l->guarded) c->written[reg] = 1;
  if (!def && !c->written[reg]) c->l->block[reg] = PC_NONE;
}

static void number_globals(live_t *l, uint8_t *written) {
  local_t c = {l, written};
  for (uint32_t i = 0; i < l->f->insts; i++) {
    l->guarded = l->f->inst[i].guarded;
    pinst_regs(&l->f->inst[i], see_local, &c);
  }
  for (uint32_t r = 0; r < l->f->regs; r++)
    l->global[r] = l->block[r] == PC_NONE ? l->globals++ : PC_NONE;
}

/* live-in = use | (live-out & ~def), to the fixed point, from the last block up. */
static void flow(live_t *l) {
  const pcfg_t *g = l->g;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = g->blocks; b-- > 0;) {
      uint64_t *in = l->in + (size_t)b * l->words;
      for (uint32_t w = 0; w < l->words; w++) {
        uint64_t out = 0;
        for (uint32_t i = g->succ_at[b]; i < g->succ_at[b + 1]; i++)
          if (g->succ[i] < g->blocks) out |= l->in[(size_t)g->succ[i] * l->words + w];
        uint64_t v = l->use[(size_t)b * l->words + w] | (out & ~l->def[(size_t)b * l->words + w]);
        if (v != in[w]) in[w] = v, changed = true;
      }
    }
  }
}

static void widen_over_blocks(live_t *l) {
  const pcfg_t *g = l->g;
  uint32_t *reg_of = calloc(l->globals + 1, sizeof *reg_of);
  if (!reg_of) return;
  for (uint32_t r = 0; r < l->f->regs; r++)
    if (l->global[r] != PC_NONE) reg_of[l->global[r]] = r;
  for (uint32_t b = 0; b < g->blocks; b++)
    for (uint32_t w = 0; w < l->words; w++) {
      uint64_t in = l->in[(size_t)b * l->words + w], out = 0;
      for (uint32_t i = g->succ_at[b]; i < g->succ_at[b + 1]; i++)
        if (g->succ[i] < g->blocks) out |= l->in[(size_t)g->succ[i] * l->words + w];
      for (; in; in &= in - 1)
        widen(l, reg_of[w * 64 + (uint32_t)__builtin_ctzll(in)], 2 * g->start[b]);
      for (; out; out &= out - 1)
        widen(l, reg_of[w * 64 + (uint32_t)__builtin_ctzll(out)], 2 * g->start[b + 1] - 1);
    }
  free(reg_of);
}

static int liveness(live_t *l) {
  uint32_t regs = l->f->regs;
  uint8_t *written = calloc(regs + 1, 1);
  if (!written) return GMMU_ENOMEM;
  for (uint32_t r = 0; r < regs; r++) l->first[r] = UINT32_MAX, l->block[r] = PC_EXIT;
  each_inst(l, see);
  number_globals(l, written);
  free(written);
  l->words = (l->globals + 63) / 64;
  uint64_t words = (uint64_t)l->words * l->g->blocks;
  if (words * 64 > SET_LIMIT) { /* absurdly large: every shared register lives everywhere */
    for (uint32_t r = 0; r < regs; r++)
      if (l->global[r] != PC_NONE) widen(l, r, 0), widen(l, r, 2 * l->f->insts + 1);
    return 0;
  }
  l->in = calloc(words + 1, 8), l->use = calloc(words + 1, 8), l->def = calloc(words + 1, 8);
  if (l->in && l->use && l->def) {
    each_inst(l, see_global);
    flow(l);
    widen_over_blocks(l);
  }
  int r = l->in && l->use && l->def ? 0 : GMMU_ENOMEM;
  free(l->in), free(l->use), free(l->def);
  return r;
}

/* Parameters and results in registers are written and read by callers: they live throughout. */
static void pin_interface(live_t *l) {
  const pfunc_t *f = l->f;
  for (uint32_t i = 0; i < f->params + f->results; i++) {
    const pvar_t *v = i < f->params ? f->param[i] : f->result[i - f->params];
    if (v->space == SP_REG) widen(l, v->reg, 0), widen(l, v->reg, 2 * f->insts + 1);
  }
}

/* --- the scan --- */

typedef struct {
  uint64_t *used; /* bit set of slots */
  uint32_t words, top, live, peak;
} slots_t;

static uint32_t take_slot(slots_t *s) {
  for (uint32_t w = 0; w < s->words; w++)
    if (~s->used[w]) {
      uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(~s->used[w]);
      set_bit(s->used, i);
      if (i + 1 > s->top) s->top = i + 1;
      s->live++;
      return i;
    }
  return 0; /* not reached: there are as many slots as registers */
}

/* n neighbours, so that a vector's registers are numbered one after the other. */
static uint32_t take_run(slots_t *s, uint32_t n) {
  uint32_t i = 0, run = 0;
  for (; i < s->words * 64; i++) {
    run = bit(s->used, i) ? 0 : run + 1;
    if (run == n) break;
  }
  i = i + 1 - n;
  for (uint32_t k = 0; k < n; k++) set_bit(s->used, i + k);
  if (i + n > s->top) s->top = i + n;
  s->live += n;
  return i;
}

static uint32_t pool_of(const pfunc_t *f, uint32_t reg) {
  return f->reg[reg].type == T_PRED ? 0 : type_wide(f->reg[reg].type) ? 2 : 1;
}

typedef struct {
  const pfunc_t *f;
  const live_t *l;
  slots_t pool[3];
  uint32_t *slot, *starts, *start_next, *ends, *end_next;
} scan_t;

static void link_places(scan_t *s, uint32_t places) {
  for (uint32_t i = 0; i < places; i++) s->starts[i] = s->ends[i] = PC_NONE;
  for (uint32_t r = s->f->regs; r-- > 0;) {
    if (s->l->first[r] == UINT32_MAX) continue;
    s->start_next[r] = s->starts[s->l->first[r]], s->starts[s->l->first[r]] = r;
    s->end_next[r] = s->ends[s->l->last[r]], s->ends[s->l->last[r]] = r;
  }
}

/* The registers of a vector result that all start here get neighbouring slots. */
static void take_vector(scan_t *s, const pinst_t *in, uint32_t place) {
  if (!pinst_has_result(in) || in->operand[0].kind != O_VEC) return;
  const poperand_t *o = &in->operand[0];
  for (uint32_t i = 0; i < o->count; i++) {
    uint32_t r = o->elem[i].reg;
    if (o->elem[i].kind != O_REG || s->l->first[r] != place || s->slot[r] != PC_NONE) return;
    if (pool_of(s->f, r) != pool_of(s->f, o->elem[0].reg)) return;
    for (uint32_t k = 0; k < i; k++)
      if (o->elem[k].reg == r) return;
  }
  uint32_t at = take_run(&s->pool[pool_of(s->f, o->elem[0].reg)], o->count);
  for (uint32_t i = 0; i < o->count; i++) s->slot[o->elem[i].reg] = at + i;
}

static uint32_t scan(scan_t *s) {
  uint32_t peak = 0;
  for (uint32_t place = 0; place < 2 * s->f->insts + 2; place++) {
    if ((place & 1) && place / 2 < s->f->insts) take_vector(s, &s->f->inst[place / 2], place);
    for (uint32_t r = s->starts[place]; r != PC_NONE; r = s->start_next[r])
      if (s->slot[r] == PC_NONE) s->slot[r] = take_slot(&s->pool[pool_of(s->f, r)]);
    uint32_t live = s->pool[1].live + 2 * s->pool[2].live;
    if (live > peak) peak = live;
    for (uint32_t r = s->ends[place]; r != PC_NONE; r = s->end_next[r]) {
      slots_t *p = &s->pool[pool_of(s->f, r)];
      p->used[s->slot[r] / 64] &= ~((uint64_t)1 << (s->slot[r] % 64));
      p->live--;
    }
  }
  return peak;
}

static void lay_out(const scan_t *s, pregmap_t *m) {
  uint32_t preds = (s->pool[0].top * 4 + 127) & ~127u, n64 = s->pool[2].top;
  uint32_t at32 = preds, at64 = preds + s->pool[1].top * 128;
  m->frame_bytes = at64 + n64 * 256;
  m->numbers = 2 * n64 + s->pool[1].top;
  for (uint32_t r = 0; r < s->f->regs; r++) {
    uint32_t k = s->slot[r], pool = pool_of(s->f, r);
    m->offset[r] = OPERAND_NONE;
    if (k == PC_NONE) continue;
    m->offset[r] = pool == 0 ? k * 4 : pool == 1 ? at32 + k * 128 : at64 + k * 256;
    m->number[r] = (uint8_t)(pool == 0   ? DATA_NUMBERS + k % PRED_NUMBERS
                             : pool == 1 ? (2 * n64 + k) % DATA_NUMBERS
                                         : 2 * k % DATA_NUMBERS);
  }
}

int pregmap_build(const pfunc_t *f, const pcfg_t *g, pregmap_t *m) {
  size_t regs = (size_t)f->regs + 1, places = 2 * (size_t)f->insts + 4;
  uint32_t *work = calloc(7 * regs + 2 * places, sizeof *work);
  live_t l = {.f = f, .g = g};
  scan_t s = {.f = f, .l = &l};
  *m = (pregmap_t){.offset = calloc(regs, 4), .number = calloc(regs, 1)};
  bool ok = work && m->offset && m->number;
  for (uint32_t i = 0; i < 3; i++) {
    s.pool[i].words = (f->regs + 63) / 64 + 1;
    s.pool[i].used = calloc(s.pool[i].words, 8);
    ok = ok && s.pool[i].used;
  }
  if (ok) {
    l.first = work, l.last = work + regs, l.block = work + 2 * regs, l.global = work + 3 * regs;
    s.slot = work + 4 * regs, s.start_next = work + 5 * regs, s.end_next = work + 6 * regs;
    s.starts = work + 7 * regs, s.ends = s.starts + places;
    memset(s.slot, 0xff, regs * 4);
    for (uint32_t r = 0; r < f->regs; r++) s.slot[r] = PC_NONE;
    ok = liveness(&l) == 0;
    pin_interface(&l);
  }
  if (ok) {
    link_places(&s, 2 * f->insts + 2);
    m->regs_per_thread = scan(&s);
    lay_out(&s, m);
  }
  for (uint32_t i = 0; i < 3; i++) free(s.pool[i].used);
  free(work);
  if (!ok) pregmap_fini(m);
  return ok ? 0 : GMMU_ENOMEM;
}

void pregmap_fini(pregmap_t *m) {
  free(m->offset), free(m->number);
  *m = (pregmap_t){0};
}
