#ifndef GMMU_ADDRMAP_H
#define GMMU_ADDRMAP_H
/* Where a physical address lives: memory channel, L2 slice and set, DRAM bank and row.
 * `fine`: consecutive 256-byte pieces go to consecutive channels. `frame`: a 2 MB frame stays in
 * one channel. Inside a channel, lines alternate between its slices, and rows between its banks. */
#include "base/opt.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
  const char *kind; /* "fine" or "frame" */
  bool channel_xor; /* channel number XOR folded upper bits, for what lies a power of two apart */
  bool bank_xor;    /* the same for banks, by low row bits */
} addrmap_spec_t;
extern const opt_t addrmap_options[]; /* group "map" */

typedef struct {
  uint32_t chunk_shift;      /* log2 of the bytes that stay in one channel */
  uint32_t channels, slices; /* slices per channel */
  uint32_t channel_shift;    /* if channels is a power of two, else UINT32_MAX */
  uint32_t slice_shift;      /* slices is a power of two */
  uint32_t row_shift, bank_bits;
  bool channel_xor, bank_xor;
} addrmap_t;

typedef struct {
  uint32_t slice; /* of the whole machine: channel * slices + k */
  uint64_t local; /* byte address inside the channel */
} place_t;

int addrmap_init(addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels, uint32_t slices,
                 uint32_t banks, uint32_t row_bytes, err_t *e);

/* All bits of x, folded onto its low ones. */
static inline uint64_t addrmap_fold(uint64_t x) {
  x ^= x >> 24;
  x ^= x >> 12;
  x ^= x >> 6;
  return x ^ x >> 3;
}

/* The address inside its channel. */
static inline uint64_t addrmap_local(const addrmap_t *m, uint64_t pa) {
  uint64_t chunk = pa >> m->chunk_shift, low = pa & ((1ull << m->chunk_shift) - 1);
  chunk = m->channel_shift != UINT32_MAX ? chunk >> m->channel_shift : chunk / m->channels;
  return chunk << m->chunk_shift | low;
}
/* Its L2 slice, and with it the channel. For one local address every channel is met once. */
static inline uint32_t addrmap_slice(const addrmap_t *m, uint64_t pa) {
  uint64_t local = addrmap_local(m, pa), chunk = pa >> m->chunk_shift;
  uint64_t fold = m->channel_xor ? addrmap_fold(local >> m->chunk_shift) : 0;
  uint32_t channel = m->channel_shift != UINT32_MAX
                         ? (uint32_t)(chunk ^ fold) & (m->channels - 1)
                         : (uint32_t)((chunk + (fold & 0xff)) % m->channels);
  return channel << m->slice_shift | ((uint32_t)(local >> 7) & (m->slices - 1));
}
/* L2 set of a place, for a power of two of sets per slice. */
static inline uint32_t addrmap_set(const addrmap_t *m, const place_t *p, uint32_t sets) {
  return (uint32_t)(p->local >> 7 >> m->slice_shift) & (sets - 1);
}
static inline void addrmap_dram(const addrmap_t *m, const place_t *p, uint8_t *bank,
                                uint32_t *row) {
  uint64_t r = p->local >> m->row_shift;
  uint32_t mask = (1u << m->bank_bits) - 1, b = (uint32_t)r & mask;
  *row = (uint32_t)(r >> m->bank_bits);
  if (m->bank_xor) b ^= *row & mask;
  *bank = (uint8_t)b;
}
#endif
