#ifndef GMMU_MM_FORMAT_H
#define GMMU_MM_FORMAT_H
/* Formats of page tables: which bits of an address index a level, how many bytes an entry has, and
 * which pages an entry can map. */
#include "gmmu/mm.h"
#include "mm/pt.h"

typedef struct {
  const char *name, *help;
  uint32_t levels; /* 0: as mm_spec_t has them */
  struct {
    uint8_t shift;        /* log2 of the bytes that an entry covers */
    uint8_t bits;         /* of the index */
    uint8_t entry;        /* bytes of an entry */
  } level[MM_MAX_LEVELS]; /* leaf first */
  uint8_t medium; /* log2 of the bytes of a page between the leaf's and level 1's; 0: none */
  bool dual;      /* see geo_t */
  uint8_t huge;   /* log2 of the bytes of a page above level 1's; 0: none */
} format_t;

/* NULL: x86-4. NULL if there is none of the name. */
const format_t *format_find(const char *name);
/* The geometry of a spec whose numbers are in range; `mixed`: with pages of more than two sizes.
 * GMMU_ERANGE if the format has no such pages. */
int format_geometry(const mm_spec_t *s, bool mixed, geo_t *out, err_t *e);
#endif
