#ifndef GMMU_TYPES_H
#define GMMU_TYPES_H
/* Addresses and page numbers are distinct types: mixing them is the bug of this field.
 * A page number counts base pages; the base page size belongs to the address space's geometry. */
#include <stdint.h>

typedef struct {
  uint64_t v;
} vaddr_t; /* virtual byte address */
typedef struct {
  uint64_t v;
} paddr_t; /* physical byte address */
typedef struct {
  uint64_t v;
} vpn_t; /* virtual page number, in base pages */
typedef struct {
  uint64_t v;
} ppn_t; /* physical page number, in base pages */

typedef uint8_t asid_t;  /* address space = application; index into per-application arrays */
#define GMMU_MAX_APPS 16 /* address spaces of one machine */
#endif
