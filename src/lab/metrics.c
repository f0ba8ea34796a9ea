/* A speed-up is the quotient of two quotients; its four counters are multiplied crosswise in 128
 * bits, so the only rounding is the last one. */
#include "lab/metrics.h"

__extension__ typedef unsigned __int128 wide_t;

/* Counters are below 2^56 or so: their product, times a million, may not fit, and then loses low
 * bits on both sides alike. */
static micro_t wide_ratio(wide_t num, wide_t den) {
  while (num >> 107) num >>= 1, den >>= 1;
  if (!den) return 0;
  wide_t scaled = num * (wide_t)MICRO, value = scaled / den, rest = scaled % den;
  return (micro_t)(value + (rest >= den - rest));
}

micro_t micro_ratio(uint64_t num, uint64_t den) { return wide_ratio(num, den); }

static uint64_t magnitude(micro_t v) { return v < 0 ? -(uint64_t)v : (uint64_t)v; }

static micro_t with_sign(micro_t v, bool negative) { return negative ? -v : v; }

micro_t micro_mul(micro_t a, micro_t b) {
  wide_t product = (wide_t)magnitude(a) * magnitude(b);
  return with_sign(wide_ratio(product, (wide_t)MICRO * (wide_t)MICRO), (a < 0) != (b < 0));
}

micro_t micro_div(micro_t a, micro_t b) {
  return with_sign(wide_ratio(magnitude(a), magnitude(b)), (a < 0) != (b < 0));
}

micro_t micro_mean(const micro_t *v, uint32_t count) {
  micro_t sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += v[i];
  return count ? with_sign(wide_ratio(magnitude(sum), (wide_t)count * (wide_t)MICRO), sum < 0) : 0;
}

static bool is_speed(ipc_t v) { return v.instructions && v.cycles; }

static micro_t quotient(ipc_t a, ipc_t b) {
  return wide_ratio((wide_t)a.instructions * b.cycles, (wide_t)a.cycles * b.instructions);
}

bool sharing_metrics(const ipc_t shared[], const ipc_t alone[], uint32_t apps, sharing_t *out) {
  *out = (sharing_t){.apps = apps};
  for (uint32_t a = 0; a < apps; a++) {
    if (!is_speed(shared[a]) || !is_speed(alone[a])) return false;
    out->ipc[a] = micro_ratio(shared[a].instructions, shared[a].cycles);
    out->speedup[a] = quotient(shared[a], alone[a]);
    out->slowdown[a] = quotient(alone[a], shared[a]);
    out->weighted_speedup += out->speedup[a];
    out->throughput += out->ipc[a];
    if (out->slowdown[a] > out->unfairness) out->unfairness = out->slowdown[a];
  }
  return true;
}
