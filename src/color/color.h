#ifndef GMMU_COLOR_H
#define GMMU_COLOR_H
/* Page colours: which physical pages share no memory module, so that tenants who get pages of
 * different colours meet in no L2 set, bank, controller or bus.
 *
 * A module function is one that both the bank and the set depend on. It tells pages apart if it has
 * no bit inside a page. So with pages of 2^s bytes there are 2^k colours, k the dimension of the
 * module functions without a bit below s (Fractional GPUs, V-E and V-G). */
#include "base/bitlist.h"
#include "gf2/gf2.h"
#include <stdbool.h>

#define COLOR_TENANTS_MAX 64

/* Functions as published, and sizes; a size that is not known is 0. */
typedef struct {
  bitlist_t module, bank, set; /* no module functions: what bank and set functions share */
  uint64_t memory_bytes, l2_bytes, bandwidth_mb_s;
} color_chip_t;

typedef struct {
  color_chip_t chip;
  gf2_space_t module, bank, set;
} color_t;

/* The colours of pages of one size. */
typedef struct {
  uint64_t page_bytes;
  uint32_t colors;
  gf2_space_t functions; /* bit i of a page's colour is the parity under row i */
} color_pages_t;

/* A tenant's colours are first .. first + count - 1. */
typedef struct {
  uint32_t share, first, count;
} color_tenant_t;

/* Checks the functions: independent, and those of the module in both other spaces. */
int color_init(color_t *c, const color_chip_t *chip, err_t *e);
/* `page_bytes` is a power of two. */
void color_pages(const color_t *c, uint64_t page_bytes, color_pages_t *out);
/* The largest page with at least `colors` colours; 0 if none of 4 KB or more has. */
uint64_t color_largest_page(const color_t *c, uint32_t colors);
static inline uint32_t color_of(const color_pages_t *p, uint64_t address) {
  uint32_t color = 0;
  for (uint32_t i = 0; i < p->functions.rank; i++)
    color |= gf2_parity(p->functions.row[i] & address) << i;
  return color;
}
/* Deals the colours out in proportion to the shares: each tenant gets one at least, then the rest
 * goes by largest remainder, the earlier tenant first. An error if there are fewer colours than
 * tenants. */
int color_deal(const color_pages_t *p, const uint32_t *shares, uint32_t count,
               color_tenant_t *tenants, err_t *e);
#endif
