#include "device.h"
#include "../base/unit.h"
#include "gpu/spec.h"

/* ---- where an address lies ---- */

static uint64_t channel3(const device_t *d, uint64_t pa) {
  return d->kind == THREE_CHANNELS ? (pa >> 10) % 3 : 0;
}
static uint64_t bank_of(const device_t *d, uint64_t pa) {
  if (d->kind == CARRIES) return ((pa >> 12) + (pa >> 18) + (pa >> 23)) & 63;
  return gf2_map(&d->bank_of, pa) | channel3(d, pa) << 32;
}
static uint64_t set_of(const device_t *d, uint64_t pa) {
  return gf2_map(&d->set_of, pa) | channel3(d, pa) << 32;
}
/* The row is whatever bank and column do not tell; only whether it differs matters. */
static bool other_row(const device_t *d, uint64_t a, uint64_t b) {
  gf2_space_t banks;
  gf2_span(&banks, d->bank.mask, d->bank.count);
  return (a ^ b) & ~gf2_pivots(&banks) & ~d->columns;
}

/* ---- times ---- */

static uint32_t noisy(device_t *d, uint32_t cycles) {
  if (d->jitter) cycles += rng_below(&d->noise, 2 * d->jitter + 1) - d->jitter;
  if (rng_below(&d->noise, 1000) < d->outlier_permille)
    cycles =
        rng_below(&d->noise, 2) ? cycles + 50 + rng_below(&d->noise, 2000) : cycles - cycles / 3;
  return cycles;
}

static int pairs(void *ctx, const oracle_pair_t *p, uint32_t count, uint32_t *cycles, err_t *e) {
  (void)e;
  device_t *d = ctx;
  for (uint32_t i = 0; i < count; i++) {
    bool conflict =
        d->kind != FLAT && bank_of(d, p[i].a) == bank_of(d, p[i].b) && other_row(d, p[i].a, p[i].b);
    cycles[i] = noisy(d, conflict ? 562 : 505);
  }
  return 0;
}

/* Distinct lines of the target's set since it was touched last; its sector must have been, too. */
static bool is_there(const device_t *d, const oracle_chain_t *c, uint64_t *seen) {
  uint64_t line = c->target / d->line_bytes, set = set_of(d, c->target);
  uint32_t others = 0;
  bool sector = false;
  for (uint32_t i = 0; i < c->count; i++) {
    uint64_t pa = c->touch[i], l = pa / d->line_bytes;
    if (l == line) {
      if (others >= d->ways) sector = false;
      sector |= pa / d->sector_bytes == c->target / d->sector_bytes;
      others = 0;
    } else if (others < d->ways && set_of(d, pa) == set) {
      bool again = false;
      for (uint32_t k = 0; k < others; k++) again |= seen[k] == l;
      if (!again) seen[others++] = l;
    }
  }
  return sector && others < d->ways;
}

static int chains(void *ctx, const oracle_chain_t *c, uint32_t count, uint32_t *cycles, err_t *e) {
  (void)e;
  device_t *d = ctx;
  uint64_t seen[256];
  for (uint32_t i = 0; i < count; i++) cycles[i] = noisy(d, is_there(d, &c[i], seen) ? 227 : 480);
  return 0;
}

/* All loads of a burst miss. Those of a module go in waves of as many as it has registers. */
static uint32_t most_in_module(const device_t *d, const oracle_burst_t *b) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < b->count; i++) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < b->count; k++) {
      bool same = true;
      for (uint32_t f = 0; f < d->module.rank; f++)
        same &= !gf2_parity(d->module.row[f] & (b->at[i] ^ b->at[k]));
      n += same;
    }
    if (n > most) most = n;
  }
  return most;
}

static int bursts(void *ctx, const oracle_burst_t *b, uint32_t count, uint32_t *cycles, err_t *e) {
  (void)e;
  device_t *d = ctx;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t n = most_in_module(d, &b[i]), waves = (n - 1) / d->mshrs;
    if (d->loads) waves += (b[i].count - 1) / d->loads;
    cycles[i] = noisy(d, 480 + 3 * n + 300 * waves);
  }
  return 0;
}

/* ---- devices ---- */

static void fill_map(gf2_map_t *m, const bitlist_t *l, uint32_t bits) {
  uint64_t image[64];
  for (uint32_t b = 0; b < bits; b++) {
    image[b] = 0;
    for (uint32_t i = 0; i < l->count; i++) image[b] |= (l->mask[i] >> b & 1) << i;
  }
  gf2_map_init(m, image, bits);
}

oracle_t device_oracle(device_t *d, uint64_t seed) {
  gf2_space_t banks;
  gf2_span(&banks, d->bank.mask, d->bank.count);
  uint64_t left = ((1ull << d->bits) - 1) & ~gf2_pivots(&banks);
  d->columns = 0;
  for (uint32_t n = d->row_bytes; n > 1; n /= 2, left &= left - 1) d->columns |= left & -left;
  fill_map(&d->bank_of, &d->bank, d->bits);
  fill_map(&d->set_of, &d->set, d->bits);
  gf2_space_t sets;
  gf2_span(&sets, d->set.mask, d->set.count);
  gf2_meet(&banks, &sets, &d->module);
  d->noise = (rng_t){seed};
  return (oracle_t){.bytes = 1ull << d->bits,
                    .granule_bytes = 4,
                    .ctx = d,
                    .pairs = pairs,
                    .chains = chains,
                    .bursts = bursts};
}

/* A function with its lowest bit where it is told. */
static uint64_t function(rng_t *r, uint32_t lowest, uint32_t bits) {
  return 1ull << lowest | (rng_next(r) & rng_next(r) & ((1ull << bits) - (2ull << lowest)));
}

static void mix(rng_t *r, bitlist_t *l) {
  for (uint32_t i = 0; i < 3 * l->count; i++) {
    uint32_t a = rng_below(r, l->count), b = rng_below(r, l->count);
    if (a != b) l->mask[a] ^= l->mask[b];
  }
}

device_t device_random(rng_t *r) {
  uint32_t line_shift = 6 + rng_below(r, 3), modules = rng_below(r, 5);
  device_t d = {.bits = 30 + rng_below(r, 5),
                .line_bytes = 1u << line_shift,
                .sector_bytes = 32u << rng_below(r, line_shift - 4),
                .ways = 4 + rng_below(r, 29),
                .mshrs = 4 + rng_below(r, 60),
                .row_bytes = 1024u << rng_below(r, 3),
                .outlier_permille = 10,
                .jitter = 4 + rng_below(r, 9)};
  uint32_t bit = line_shift + 2;
  for (uint32_t i = 0; i < modules; i++)
    d.bank.mask[i] = d.set.mask[i] = function(r, bit + i, d.bits);
  d.bank.count = d.set.count = modules;
  bit += modules;
  for (uint32_t i = 2 + rng_below(r, 4); i; i--)
    d.bank.mask[d.bank.count++] = function(r, bit++ + 1, d.bits);
  for (uint32_t i = 0; i < 2; i++) d.set.mask[d.set.count++] = function(r, line_shift + i, d.bits);
  for (uint32_t i = 2 + rng_below(r, 4); i; i--)
    d.set.mask[d.set.count++] = function(r, bit++ + 1, d.bits);
  mix(r, &d.bank);
  mix(r, &d.set);
  return d;
}

device_t device_preset(const char *gpu) {
  gpu_spec_t s;
  err_t e = {0};
  gpu_spec_init(&s);
  if (gpu_spec_load(&s, "gpu", gpu, &e) < 0) fail_msg("%s: %s", gpu, e.text);
  return (device_t){.bank = s.map.bank,
                    .set = s.map.set,
                    .bits = (uint32_t)__builtin_ctzll(s.memory.memory_bytes),
                    .row_bytes = s.dram.row_bytes,
                    .line_bytes = 128,
                    .sector_bytes = 32,
                    .ways = s.l2.ways,
                    .mshrs = s.l2.mshrs,
                    .outlier_permille = 10,
                    .jitter = 12};
}
