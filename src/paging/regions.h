#ifndef GMMU_REGIONS_H
#define GMMU_REGIONS_H
/* What demand paging remembers of virtual memory. A region is an aligned large page's worth of an
 * address space: for each of its base pages, whether it is in GPU memory, on its way there, written
 * to since it came; and for the regions with pages in GPU memory, in which order they were last
 * used. What goes in is what the memory manager's actions say; which pages to bring or to evict
 * follows from it.
 *
 * Prefetching and eviction by halves ("tree", as UVM drivers do it) see a region as a binary tree
 * whose leaves are blocks of 64 KB. */
#include "gmmu/err.h"
#include "gmmu/types.h"
#include <stdbool.h>
#include <stdint.h>

#define REGION_NONE        UINT32_MAX
#define REGION_BLOCK_BYTES 65536u /* UVM: leaves of the tree, and the least that is prefetched */

typedef enum { PAGES_HERE, PAGES_COMING, PAGES_DIRTY, PAGES_SCRATCH, PAGE_SETS } page_set_t;

typedef struct {
  uint64_t key;          /* of its first page: tlb_page_key() */
  uint32_t older, newer; /* in order of last use, while `here` is not 0 */
  uint32_t here;         /* pages in GPU memory */
} region_t;

typedef struct {
  region_t *at;
  uint64_t *bits;           /* [(region * PAGE_SETS + set) * words]: bit per page */
  uint64_t *used;           /* [region * blocks]: clock of a block's last use */
  uint32_t *slot;           /* hash table: region + 1; 0 if free */
  uint32_t count, capacity; /* slots: 2 * capacity */
  uint32_t oldest, newest;
  uint32_t pages_shift, block_shift; /* log2 of the pages of a region, of a block */
  uint32_t words, blocks;
  uint64_t clock;
} regions_t;

/* Pages vpn .. vpn+pages-1 of one region. */
typedef struct {
  uint32_t region;
  uint32_t first, pages; /* inside it */
} pages_t;

void regions_init(regions_t *r, uint32_t pages_shift, uint32_t base_shift);
void regions_fini(regions_t *r);
/* From now on there are regions for these pages. Allocates. */
int regions_add(regions_t *r, asid_t asid, vpn_t vpn, uint64_t pages);
/* The region of a page, or REGION_NONE. */
uint32_t regions_find(const regions_t *r, asid_t asid, vpn_t vpn);
asid_t regions_asid(const regions_t *r, uint32_t region);
vpn_t regions_vpn(const regions_t *r, pages_t p); /* of its first page */

bool regions_has(const regions_t *r, page_set_t s, asid_t asid, vpn_t vpn);
/* Puts pages into the set, or takes them out; those in no region are passed over. */
void regions_put(regions_t *r, page_set_t s, asid_t asid, vpn_t vpn, uint64_t pages, bool in);
/* How many of the pages are in the set. */
uint32_t regions_count(const regions_t *r, page_set_t s, pages_t p);
/* A page in GPU memory is used. */
void regions_use(regions_t *r, asid_t asid, vpn_t vpn);

/* What to bring beside the page of a fault: its block; with `tree`, then every enclosing node more
 * than half of which is here or coming. */
pages_t regions_wanted(const regions_t *r, asid_t asid, vpn_t vpn, bool tree);
/* What NVIDIA's driver brings for the pages `faulted` of a region, of which `valid` exist: their
 * 64-KB blocks, and for each page the largest node of the binary tree over single pages of which
 * more than `percent` are here, coming, faulted on or in those blocks. Sets are bits, a word for 64
 * pages; `out` has all of it. */
void regions_tree(const regions_t *r, uint32_t region, const uint64_t *faulted,
                  const uint64_t *valid, uint32_t percent, uint64_t *out);
/* What to evict: the region used least recently; with `tree`, its block used least recently, then
 * every enclosing node less than half of which stays. False if nothing is in GPU memory. */
bool regions_victim(const regions_t *r, bool tree, pages_t *out);
bool regions_check(const regions_t *r);
#endif
