/* Kind hash: memory modules, banks and sets as reverse engineering publishes them, lists of address
 * bits whose XOR is one bit of a number. The lists name banks and sets of the whole chip; their
 * spaces both contain the functions of the module, and what is left of each tells banks and sets
 * inside a module apart.
 *
 * A line is named by its module and a local number, both linear in the address. The low bits of the
 * local number are the set, those above are address bits: so a look-up finds its set as with the
 * other kinds. Bank and row are linear in the local number. Numbers of banks and sets are counted
 * anew inside each module, which permutes them and changes nothing else.
 *
 * Row and column: the address bits that are no pivot of the bank functions complete them to a
 * one-to-one map. The lowest of these are the column, the rest the row (for the GTX 1080: bits
 * below 10 and bit 14, which no bank function has, make its 2 KB).
 *
 * Invariant: all n functions of the n bits of a line number are independent, so no two lines
 * share a place and every place has a line. */
#include "base/pow2.h"
#include "map/addrmap.h"
#include <stdlib.h>

typedef struct {
  uint32_t line_shift, bits;     /* of a line, of its number */
  uint32_t modules, banks, sets; /* log2; banks and sets of the whole chip */
  uint32_t own;                  /* log2 of the modules the map is over; the rest are folded */
  gf2_space_t module, bank, set; /* of line numbers */
} hash_t;

static uint32_t log2_of(uint64_t x) { return (uint32_t)__builtin_ctzll(x); }

static int refuse(err_t *e, const char *key, const char *what) {
  err_set(e, GMMU_ERANGE, "%s", what);
  return err_for_key(e, key);
}

/* An address function as one of line numbers; bits above the memory, which are always 0, left out.
 */
static uint64_t of_line(const hash_t *h, uint64_t mask) {
  return mask >> h->line_shift & ((1ull << h->bits) - 1);
}

static int below_line(const hash_t *h, uint32_t function, const char *key, err_t *e) {
  err_set(e, GMMU_ERANGE, "function %u has a bit below %u, inside a line of %u bytes", function + 1,
          h->line_shift, 1u << h->line_shift);
  return err_for_key(e, key);
}

/* The functions as a space of line numbers. */
static int read_list(const hash_t *h, const bitlist_t *l, const char *key, uint32_t want,
                     const char *of, gf2_space_t *s, err_t *e) {
  gf2_init(s);
  if (l->count != want) {
    err_set(e, GMMU_ERANGE, "%u functions, but %llu %s need %u", l->count, 1ull << want, of, want);
    return err_for_key(e, key);
  }
  for (uint32_t i = 0; i < l->count; i++) {
    uint64_t f = of_line(h, l->mask[i]);
    if (l->mask[i] & ((1u << h->line_shift) - 1)) return below_line(h, i, key, e);
    if (gf2_add(s, f)) continue;
    err_set(e, GMMU_ERANGE,
            "function %u %s, so the map is not one-to-one: two lines would share a place", i + 1,
            f ? "is a sum of those before it (below the size of the memory)"
              : "has no bit below the size of the memory");
    return err_for_key(e, key);
  }
  return GMMU_OK;
}

static int read_modules(hash_t *h, const bitlist_t *l, err_t *e) {
  if (l->count) {
    int rc = read_list(h, l, "map.module", h->modules, "channels", &h->module, e);
    if (rc < 0) return rc;
  } else {
    gf2_meet(&h->bank, &h->set, &h->module);
    if (h->module.rank != h->modules) {
      err_set(
          e, GMMU_ERANGE,
          "bank and set functions have %u in common, but %llu channels need %u: give map.module",
          h->module.rank, 1ull << h->modules, h->modules);
      return err_for_key(e, "map.bank");
    }
  }
  if (!gf2_within(&h->module, &h->bank))
    return refuse(e, "map.module",
                  "a module function is not a sum of bank functions: a bank would "
                  "lie in two modules");
  if (!gf2_within(&h->module, &h->set))
    return refuse(e, "map.module",
                  "a module function is not a sum of set functions: a set would "
                  "lie in two modules");
  return GMMU_OK;
}

static int check_shape(const addrmap_t *m, uint32_t channels, uint32_t sets, uint64_t memory_bytes,
                       err_t *e) {
  if (memory_bytes & (memory_bytes - 1))
    return refuse(e, "mem.bytes", "map.kind=hash needs a power of two");
  if (channels & (channels - 1))
    return refuse(e, "dram.channels",
                  "map.kind=hash needs a power of two: an XOR of bits cannot name another number");
  if (m->channels & (m->channels - 1))
    return refuse(e, "map.partition",
                  "map.kind=hash: every application must get a power of two of the modules");
  if (m->slices != 1)
    return refuse(e, "l2.slices", "map.kind=hash: a module has one slice; set it to 1");
  if (!sets || (sets & (sets - 1)))
    return refuse(e, "l2.bytes", "map.kind=hash needs a power of two of sets");
  uint32_t need = log2_of(channels) + m->bank_bits + m->row_shift;
  if (need > log2_of(memory_bytes) - m->line_shift)
    return refuse(e, "mem.bytes", "not a row for every bank");
  return GMMU_OK;
}

static int read_spec(hash_t *h, const addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels,
                     uint32_t sets, uint64_t memory_bytes, err_t *e) {
  int rc = check_shape(m, channels, sets, memory_bytes, e);
  if (rc < 0) return rc;
  h->line_shift = m->line_shift;
  h->bits = log2_of(memory_bytes) - m->line_shift;
  h->modules = log2_of(channels);
  h->own = log2_of(m->channels);
  h->banks = h->modules + m->bank_bits;
  h->sets = h->modules + log2_of(sets);
  rc = read_list(h, &spec->bank, "map.bank", h->banks, "banks", &h->bank, e);
  if (rc == 0) rc = read_list(h, &spec->set, "map.set", h->sets, "sets", &h->set, e);
  return rc == 0 ? read_modules(h, &spec->module, e) : rc;
}

/* ---- tables ---- */

/* The functions of a list that tell apart what lies inside a module, as they were written. */
static uint32_t inside(const hash_t *h, const gf2_space_t *s, const bitlist_t *list,
                       uint64_t out[GF2_DIM]) {
  uint64_t prefer[BITLIST_MAX];
  for (uint32_t i = 0; i < list->count; i++) prefer[i] = of_line(h, list->mask[i]);
  return gf2_complement(s, &h->module, prefer, list->count, out);
}

/* The module's functions in the order given, or as they were found. */
static void module_rows(const hash_t *h, const bitlist_t *l, uint64_t *out) {
  for (uint32_t i = 0; i < h->modules; i++)
    out[i] = l->count ? of_line(h, l->mask[i]) : h->module.row[i];
}

/* Bit k of the result is function k of x. */
static uint64_t values(const uint64_t *f, uint32_t count, uint64_t x) {
  uint64_t v = 0;
  for (uint32_t k = 0; k < count; k++) v |= (uint64_t)gf2_parity(f[k] & x) << k;
  return v;
}

static uint32_t add_units(uint64_t bits, uint64_t *f) {
  uint32_t n = 0;
  for (; bits; bits &= bits - 1) f[n++] = bits & -bits;
  return n;
}

/* f: the functions of the local number, then of the module. Returns how many the first are. Modules
 * that are not the map's own are part of the local number. */
static uint32_t place_functions(const hash_t *h, const addrmap_spec_t *spec, uint64_t f[GF2_DIM]) {
  uint64_t width = (1ull << h->bits) - 1;
  uint32_t n = inside(h, &h->set, &spec->set, f);
  n += add_units(width & ~gf2_pivots(&h->set), f + n);
  uint64_t module[GF2_DIM];
  module_rows(h, &spec->module, module);
  for (uint32_t i = h->own; i < h->modules; i++) f[n++] = module[i];
  for (uint32_t i = 0; i < h->own; i++) f[n + i] = module[i];
  return n;
}

static void init_place(addrmap_hash_t *t, const hash_t *h, const uint64_t *f, uint32_t local) {
  uint64_t image[GF2_DIM];
  for (uint32_t i = 0; i < h->bits; i++)
    image[i] = values(f, local, 1ull << i) | values(f + local, h->own, 1ull << i) << 32;
  gf2_map_init(&t->place, image, h->bits);
}

/* Bank and row of the line of module 0 that has this local bit alone; see the top for others. */
static bool init_dram(addrmap_hash_t *t, const hash_t *h, const addrmap_spec_t *spec,
                      const uint64_t *f, uint32_t local, uint32_t column_bits) {
  uint64_t width = (1ull << h->bits) - 1, bank[GF2_DIM], row[GF2_DIM], line[GF2_DIM];
  uint64_t image[GF2_DIM], left = width & ~gf2_pivots(&h->bank);
  uint32_t banks = inside(h, &h->bank, &spec->bank, bank);
  for (uint32_t i = 0; i < column_bits; i++) left &= left - 1;
  uint32_t rows = add_units(left, row);
  for (uint32_t i = h->own; i < h->modules; i++) row[rows++] = f[local - h->modules + i];
  if (!gf2_invert(f, h->bits, line)) return false;
  for (uint32_t i = 0; i < local; i++)
    image[i] = values(row, rows, line[i]) | values(bank, banks, line[i]) << 32;
  gf2_map_init(&t->dram, image, local);
  return true;
}

int addrmap_init_hash(addrmap_t *m, const addrmap_spec_t *spec, uint32_t channels, uint32_t sets,
                      uint64_t memory_bytes, err_t *e) {
  hash_t h;
  uint64_t f[GF2_DIM];
  int rc = read_spec(&h, m, spec, channels, sets, memory_bytes, e);
  if (rc < 0) return rc;
  m->hash = calloc(1, sizeof *m->hash);
  if (!m->hash) return err_set(e, GMMU_ENOMEM, "out of memory for the address map");
  uint32_t local = place_functions(&h, spec, f);
  init_place(m->hash, &h, f, local);
  if (!init_dram(m->hash, &h, spec, f, local, m->row_shift))
    return err_set(e, GMMU_ECHECK, "the address map is not one-to-one");
  m->channel_shift = UINT32_MAX; /* the way to the tables */
  return GMMU_OK;
}
