#ifndef GMMU_ADDRMAP_H
#define GMMU_ADDRMAP_H
/* Where a physical address lives: memory channel, L2 slice and set, DRAM bank and row.
 * `fine`: consecutive 256-byte pieces go to consecutive channels. `frame`: a 2 MB frame stays in
 * one channel. Inside a channel, lines alternate between its slices, and rows between its banks.
 * Channels, and slices of a channel, are as many as one likes.
 * `poly`: 256-byte pieces go to the slice that is the remainder of their number, as a polynomial
 * over GF(2), by an irreducible one (Rau, ISCA 1991), as in GPGPU-Sim: no stride meets few slices.
 * `hash`: a channel is a memory module; module, bank and L2 set are XORs of address bits, as
 * listed; see addrmap_hash.c.
 *
 * With `partition` the map is one over the channels of one application, and whoever asks adds the
 * first of them: all of an application's addresses, page tables included, then lie there, those of
 * any two lines apart, and sequential ones as close as before. With MIG applications have different
 * numbers of channels, and a map each. */
#include "base/inline.h"
#include "base/opt.h"
#include "engine/request.h"
#include "gf2/gf2.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

#define ADDRMAP_LOW_BIT 6  /* below it is the smallest line */
#define ADDRMAP_TOP_BIT 39 /* of a physical address: mem.bytes goes up to 1 TB */

typedef struct {
  const char *kind; /* "fine", "frame", "poly" or "hash" */
  bool channel_xor; /* channel number XOR folded upper bits, for what lies a power of two apart */
  bool bank_xor;    /* the same for banks, by low row bits */
  bool partition;   /* every application has channels, and so L2 slices, of its own */
  bitlist_t module, bank, set; /* kind hash; no module: what bank and set functions share */
} addrmap_spec_t;
extern const opt_t addrmap_options[]; /* group "map" */

/* Kind hash: two linear maps in tables. */
typedef struct {
  gf2_map_t place; /* line of the address -> module << 32 | local */
  gf2_map_t dram;  /* local -> bank << 32 | row */
} addrmap_hash_t;

typedef struct addrmap {
  uint32_t chunk_shift;      /* log2 of the lines that stay in one channel */
  uint32_t fold_mask;        /* of the folded bits that go into the channel number */
  uint32_t channels, slices; /* channels it spreads over; slices per channel */
  uint32_t channel_shift;    /* if channels and slices are powers of two; else UINT32_MAX */
  uint32_t poly;             /* the polynomial of kind poly; 0: another kind */
  uint32_t set_shift;        /* bits of a local line number below those of its L2 set */
  uint32_t line_shift;       /* log2 of a line's bytes, */
  uint32_t row_shift;        /* of the lines in a row */
  uint32_t bank_bits;
  uint32_t bank_mask, bank_fold;       /* of bank bits, and of row bits that are folded into them */
  uint16_t first_slice[GMMU_MAX_APPS]; /* partition, MIG: of its channels; else 0 */
  struct addrmap
      *of_app; /* owned; [GMMU_MAX_APPS] MIG: each its own; NULL: this one is everybody's */
  addrmap_hash_t *hash; /* owned; NULL for the other kinds */
  uint64_t *table;      /* owned; of addrmap_place(), if the map is linear and has been tabulated */
} addrmap_t;

/* Where a line lives; the two together name it as its address does. */
typedef struct {
  uint32_t slice; /* of the whole machine: channel * slices + k */
  uint32_t local; /* number of the line inside its channel */
} place_t;

int addrmap_init(addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels, uint32_t slices,
                 uint32_t banks, uint32_t row_bytes, uint32_t line_bytes, err_t *e);

/* Then, if the kind is hash: for a chip of `channels`, each with a slice of `sets` sets, and
 * `memory_bytes` in all. Refuses functions that do not make a one-to-one map. If the map is over
 * fewer channels than the chip has, the first of the functions choose one, the others a row. */
int addrmap_init_hash(addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels, uint32_t sets,
                      uint64_t memory_bytes, err_t *e);
/* At last, for speed: from now on places inside `memory_bytes`, and no others, are looked up. */
int addrmap_tabulate(addrmap_t *m, uint64_t memory_bytes, err_t *e);
void addrmap_fini(addrmap_t *m);

/* Of a line, from first principles. */
place_t addrmap_work_out(const addrmap_t *m, uint64_t line);

/* Unless it divides by the number of channels or slices, the map is linear: a line's place is the
 * XOR of the places of its bits, or of three parts of its number. */
#define ADDRMAP_PART_BITS 9 /* of the lower two */
#define ADDRMAP_PART      (1u << ADDRMAP_PART_BITS)
static inline place_t addrmap_look_up(const addrmap_t *m, uint64_t line) { /* it has a table */
  const uint64_t *low = m->table, *middle = low + ADDRMAP_PART, *high = middle + ADDRMAP_PART;
  uint64_t p = low[line % ADDRMAP_PART] ^ middle[line / ADDRMAP_PART % ADDRMAP_PART] ^
               high[line / ADDRMAP_PART / ADDRMAP_PART];
  return (place_t){(uint32_t)(p >> 32), (uint32_t)p};
}
static inline place_t addrmap_place_line(const addrmap_t *m, uint64_t line) {
  return FAST(m->table) ? addrmap_look_up(m, line) : addrmap_work_out(m, line);
}
static inline place_t addrmap_place(const addrmap_t *m, uint64_t pa) {
  return addrmap_place_line(m, pa >> m->line_shift);
}
/* Of an application's memory. */
static inline place_t addrmap_place_of(const addrmap_t *m, uint32_t app, uint64_t pa) {
  if (FAST(m->table) || !m->of_app) return addrmap_place(m, pa);
  return addrmap_place(&m->of_app[app], pa);
}
/* The request goes to that place of its application's memory. */
static inline void addrmap_settle(const addrmap_t *m, request_t *r, place_t p) {
  r->slice = (uint16_t)(m->first_slice[r->app] + p.slice);
  r->local = p.local;
}
/* The channel behind a slice, from first principles; DRAM has a table. */
static inline uint32_t addrmap_channel(const addrmap_t *m, uint32_t slice) {
  return slice / m->slices;
}
/* L2 set of a line, for a power of two of sets per slice. The lines of a slice are every
 * slices-th of its channel: without the powers of two in that number they meet all sets in turn. */
static inline uint32_t addrmap_set(const addrmap_t *m, uint32_t local, uint32_t sets) {
  return local >> m->set_shift & (sets - 1);
}
/* Where a line of a channel lies, unless the kind is hash. */
static inline void addrmap_bank(const addrmap_t *m, uint32_t local, uint8_t *bank, uint32_t *row) {
  uint32_t r = local >> m->row_shift, above = r >> m->bank_bits;
  *row = above;
  *bank = (uint8_t)((r ^ (above & m->bank_fold)) & m->bank_mask);
}
static inline void addrmap_dram(const addrmap_t *m, uint32_t local, uint8_t *bank, uint32_t *row) {
  if (!m->hash) {
    addrmap_bank(m, local, bank, row);
    return;
  }
  uint64_t p = gf2_map(&m->hash->dram, local);
  *bank = (uint8_t)(p >> 32);
  *row = (uint32_t)p;
}
#endif
