#include "formula.h"

static uint64_t max2(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t divide_up(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

uint64_t f_flits(const gpu_spec_t *s, uint64_t bytes) {
  return divide_up(s->noc.header_bytes + bytes, s->noc.flit_bytes);
}
uint64_t f_hop(const gpu_spec_t *s, uint64_t bytes) {
  return s->noc.latency_cycles + f_flits(s, bytes);
}

uint64_t f_to_l1(const gpu_spec_t *s) {
  return s->sm.lsu_latency + (s->tlb.levels ? s->tlb_level[0].latency_cycles : 0);
}
uint64_t f_l1_hit(const gpu_spec_t *s) { return f_to_l1(s) + s->l1.latency_cycles; }
uint64_t f_l1_to_slice(const gpu_spec_t *s) { return s->l1.latency_cycles + f_hop(s, 0); }
uint64_t f_slice_to_register(const gpu_spec_t *s, uint64_t bytes) { return f_hop(s, bytes); }
uint64_t f_l2_hit(const gpu_spec_t *s, uint64_t bytes) {
  return f_to_l1(s) + f_l1_to_slice(s) + s->l2.latency_cycles + f_slice_to_register(s, bytes);
}

uint64_t f_edge_after(const gpu_spec_t *s, uint64_t core) {
  return core * s->dram.clock_mhz / s->core.clock_mhz + 1;
}
uint64_t f_core_of(const gpu_spec_t *s, uint64_t edge) {
  return divide_up(edge * s->core.clock_mhz, s->dram.clock_mhz);
}
uint64_t f_bursts(const gpu_spec_t *s, uint64_t bytes) {
  return divide_up(bytes, s->dram.bus_bytes * s->dram.burst_length);
}
static uint64_t data_edges(const gpu_spec_t *s) {
  return divide_up(s->dram.burst_length, s->dram.data_rate);
}
uint64_t f_burst_spacing(const gpu_spec_t *s) { return max2(s->dram.tccd, data_edges(s)); }

void f_dram_init(f_dram_t *d) {
  for (uint32_t i = 0; i < 32; i++) d->row[i] = UINT64_MAX, d->activated[i] = d->column[i] = 0;
}

uint64_t f_dram_read(f_dram_t *d, const gpu_spec_t *s, uint64_t at, uint64_t pa, uint64_t bytes) {
  const dram_spec_t *p = &s->dram;
  uint64_t n = pa / p->row_bytes, b = n % p->banks, row = n / p->banks;
  uint64_t t = f_edge_after(s, at);
  if (p->unlimited) return f_core_of(s, t + p->trcd + p->tcl + data_edges(s));
  if (d->row[b] != row) {
    if (d->row[b] != UINT64_MAX) { /* close the other row first */
      t = max2(t, max2(d->activated[b] + p->tras, d->column[b] + p->trtp));
      t = max2(t + p->trp, d->activated[b] + p->trc);
    }
    d->row[b] = row;
    d->activated[b] = t;
    t += p->trcd;
  }
  t += (f_bursts(s, bytes) - 1) * f_burst_spacing(s);
  d->column[b] = t;
  return f_core_of(s, t + p->tcl + data_edges(s));
}
