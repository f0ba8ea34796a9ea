#include "map/addrmap.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"fine", "frame", "poly", "hash", NULL};
static const char *kind_name(uint32_t i) { return kinds[i < 4 ? i : 4]; }

#define BITS(f, h)                                                                                 \
  {                                                                                                \
#f, OPT_BITS, offsetof(addrmap_spec_t, f), ADDRMAP_LOW_BIT, ADDRMAP_TOP_BIT, 0, "", h, NULL,   \
        NULL                                                                                       \
  }
const opt_t addrmap_options[] = {
    {"kind", OPT_NAME, offsetof(addrmap_spec_t, kind), 0, 0, 0, "",
     "fine: 256-byte pieces over the channels; frame: 2 MB in one channel; poly: 256-byte pieces "
     "by "
     "a polynomial hash; hash: by bit lists",
     kind_name, "fine"},
    {"channel_xor", OPT_BOOL, offsetof(addrmap_spec_t, channel_xor), 0, 1, 1, "",
     "channel number XOR folded upper address bits", NULL, NULL},
    {"bank_xor", OPT_BOOL, offsetof(addrmap_spec_t, bank_xor), 0, 1, 1, "",
     "bank number XOR low row bits", NULL, NULL},
    {"partition", OPT_BOOL, offsetof(addrmap_spec_t, partition), 0, 1, 0, "",
     "channels, and with them L2 slices, divided equally between the applications", NULL, NULL},
    BITS(module, "hash: functions of the channel; none: what bank and set functions share"),
    BITS(bank, "hash: functions of the DRAM bank, of all channels together"),
    BITS(set, "hash: functions of the L2 set, of all slices together"),
    {0},
};

/* Irreducible, of the degree that the number of slices, a power of two, has; 0: too many. */
static uint32_t polynomial(uint32_t slices) {
  static const uint32_t of_degree[] = {1, 3, 7, 11, 19, 37, 67, 137, 285, 529, 1033};
  uint32_t degree = (uint32_t)__builtin_ctz(slices);
  return degree < sizeof of_degree / sizeof *of_degree ? of_degree[degree] : 0;
}

static bool pow2(uint32_t x) { return x && !(x & (x - 1)); }

int addrmap_init(addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels, uint32_t slices,
                 uint32_t banks, uint32_t row_bytes, uint32_t line_bytes, err_t *e) {
  uint32_t line_shift = (uint32_t)__builtin_ctz(line_bytes);
  if (!channels || !slices || !pow2(banks) || !pow2(row_bytes) || row_bytes < 256)
    return err_set(e, GMMU_ERANGE, "banks (%u) and row bytes (%u >= 256) must be powers of two",
                   banks, row_bytes);
  *m = (addrmap_t){.chunk_shift = (strcmp(spec->kind, "frame") == 0 ? 21 : 8) - line_shift,
                   .fold_mask = !spec->channel_xor ? 0
                                : pow2(channels)   ? channels - 1
                                                   : 0xff,
                   .channels = channels,
                   .slices = slices,
                   .channel_shift = pow2(channels) && pow2(slices)
                                        ? (uint32_t)__builtin_ctz(channels)
                                        : UINT32_MAX,
                   .set_shift = (uint32_t)__builtin_ctz(slices),
                   .line_shift = line_shift,
                   .row_shift = (uint32_t)__builtin_ctz(row_bytes) - line_shift,
                   .bank_bits = (uint32_t)__builtin_ctz(banks),
                   .bank_mask = banks - 1,
                   .bank_fold = spec->bank_xor ? banks - 1 : 0};
  if (strcmp(spec->kind, "poly") != 0) return GMMU_OK;
  bool possible = m->channel_shift != UINT32_MAX && slices <= 2;
  m->poly = possible ? polynomial(channels * slices) : 0;
  if (!m->poly) /* with more slices, sets would be met unevenly */
    return err_set(e, GMMU_ERANGE,
                   "map.kind=poly needs a power of two of channels with one or two slices each, "
                   "not %u with %u",
                   channels, slices);
  return GMMU_OK;
}

/* The remainder of x by the polynomial, both over GF(2). */
static uint32_t remainder_of(uint64_t x, uint32_t poly) {
  uint32_t degree = 31 - (uint32_t)__builtin_clz(poly);
  while (x >> degree) x ^= (uint64_t)poly << (63 - (uint32_t)__builtin_clzll(x) - degree);
  return (uint32_t)x;
}

/* The bits of a piece's number, from the lowest on: channel, slice, and `above`, of which the
 * lowest are the column of a row, with the line in the piece. The slice is also the lowest of the
 * bank. */
static place_t work_out_poly(const addrmap_t *m, uint64_t chunk, uint32_t in_chunk) {
  uint32_t sub = (uint32_t)__builtin_ctz(m->slices),
           column = m->row_shift > m->chunk_shift ? m->row_shift - m->chunk_shift : 0;
  uint64_t above = chunk >> m->channel_shift >> sub;
  uint32_t low = (uint32_t)(chunk >> m->channel_shift) & (m->slices - 1);
  uint32_t index = ((uint32_t)chunk & (m->channels - 1)) << sub | low;
  uint32_t hash = remainder_of(above << m->channel_shift << sub, m->poly);
  uint64_t inside = above >> column << sub | low;
  inside = inside << column | (above & ((1ull << column) - 1));
  return (place_t){index ^ hash, (uint32_t)(inside << m->chunk_shift) | in_chunk};
}

/* All bits of x, folded onto its low ones. */
static uint64_t fold(uint64_t x) {
  x ^= x >> 24;
  x ^= x >> 12;
  x ^= x >> 6;
  return x ^ x >> 3;
}

/* Inside its channel a line keeps its place in its chunk. For one local line every channel is met
 * once. */
place_t addrmap_work_out(const addrmap_t *m, uint64_t line) {
  uint32_t in_chunk = m->chunk_shift, channel;
  uint64_t chunk = line >> in_chunk, inside;
  if (m->poly) return work_out_poly(m, chunk, (uint32_t)line & ((1u << in_chunk) - 1));
  if (m->channel_shift != UINT32_MAX) {
    inside = chunk >> m->channel_shift;
    channel = ((uint32_t)chunk & (m->channels - 1)) ^ ((uint32_t)fold(inside) & m->fold_mask);
  } else if (m->hash) {
    uint64_t p = gf2_map(&m->hash->place, line);
    return (place_t){(uint32_t)(p >> 32), (uint32_t)p};
  } else {
    inside = chunk / m->channels;
    channel = (uint32_t)((chunk + (fold(inside) & m->fold_mask)) % m->channels);
  }
  uint32_t local = (uint32_t)(inside << in_chunk | (line & ((1u << in_chunk) - 1)));
  return (place_t){channel * m->slices + local % m->slices, local};
}

/* The places of the `size` lines that have only the bits from `shift` on. */
static void tabulate(const addrmap_t *m, uint64_t *t, uint32_t shift, uint64_t size) {
  t[0] = 0;
  for (uint64_t i = 1; i < size; i++) {
    place_t p = addrmap_work_out(m, (i & -i) << shift);
    t[i] = t[i & (i - 1)] ^ ((uint64_t)p.slice << 32 | p.local);
  }
}

int addrmap_tabulate(addrmap_t *m, uint64_t memory_bytes, err_t *e) {
  if (m->channel_shift == UINT32_MAX && !m->hash) return GMMU_OK; /* it divides */
  uint64_t lines = memory_bytes >> m->line_shift, high = 1;
  while (high * ADDRMAP_PART * ADDRMAP_PART < lines) high *= 2;
  m->table = malloc((2 * ADDRMAP_PART + high) * sizeof *m->table);
  if (!m->table) return err_set(e, GMMU_ENOMEM, "out of memory for the address map");
  tabulate(m, m->table, 0, ADDRMAP_PART);
  tabulate(m, m->table + ADDRMAP_PART, ADDRMAP_PART_BITS, ADDRMAP_PART);
  tabulate(m, m->table + 2 * ADDRMAP_PART, 2 * ADDRMAP_PART_BITS, high);
  return GMMU_OK;
}

void addrmap_fini(addrmap_t *m) {
  for (uint32_t a = 0; m->of_app && a < GMMU_MAX_APPS; a++) addrmap_fini(&m->of_app[a]);
  free(m->of_app);
  free(m->hash);
  free(m->table);
  m->of_app = NULL;
  m->hash = NULL;
  m->table = NULL;
}
