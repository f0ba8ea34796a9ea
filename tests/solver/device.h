#ifndef GMMU_TESTS_SOLVER_DEVICE_H
#define GMMU_TESTS_SOLVER_DEVICE_H
/* A GPU as a formula: banks, rows and L2 sets of an address by bit lists or by something else, an
 * exact LRU cache of sectored lines, and noise. */
#include "base/bitlist.h"
#include "base/rng.h"
#include "gf2/gf2.h"
#include "solver/solver.h"

typedef enum {
  LINEAR,
  THREE_CHANNELS, /* a third of the lines, by a remainder, besides the lists */
  CARRIES,        /* the banks' number is a sum, not an XOR */
  FLAT            /* times do not depend on banks at all */
} device_kind_t;

typedef struct {
  device_kind_t kind;
  bitlist_t bank, set;
  uint32_t bits, row_bytes, line_bytes, sector_bytes, ways;
  uint32_t mshrs, loads; /* misses under way in a module; in all modules, 0: no limit */
  uint32_t outlier_permille, jitter;
  gf2_map_t bank_of, set_of; /* of a line; filled by device_oracle() */
  gf2_space_t module;
  uint64_t columns; /* address bits inside a row */
  rng_t noise;
} device_t;

/* `d` must outlive it. */
oracle_t device_oracle(device_t *d, uint64_t seed);
/* Random bit lists, sizes and counts; independent functions, banks and sets with some in common. */
device_t device_random(rng_t *r);
device_t device_preset(const char *gpu);
#endif
