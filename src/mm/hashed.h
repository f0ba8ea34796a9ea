#ifndef GMMU_MM_HASHED_H
#define GMMU_MM_HASHED_H
/* A hashed page table of fixed size beside the radix tables, as in FS-HPT (PACT'24): a walk reads
 * where its entry lies, then the entry. What the table has no place for is only in the radix table
 * of its space, which is complete in any case: the rest of mm never asks this one.
 *
 * Entries of `cluster` adjacent pages lie in one bucket, at its hash or up to `probes` buckets
 * behind it. How far behind is the cluster's step. Steps of HASHED_GROUP adjacent clusters lie in
 * one line of the step table, which has a tag: of two groups with the same line the later one is
 * not hashed. */
#include "mm/manager.h"

#define HASHED_GROUP 32 /* clusters of a line: 4 bits each, and a tag of 8 bytes */
#define HASHED_LINE  32 /* bytes of a line */
#define STEP_RADIX   14 /* the cluster has pages, but no bucket */
#define STEP_NONE    15 /* it has no pages */

typedef struct {
  uint64_t key;   /* group + 1; 0: free */
  uint32_t count; /* clusters with pages */
  uint8_t step[HASHED_GROUP];
} hashed_line_t;

struct mm_hashed {
  uint32_t buckets, lines, cluster_shift, probes;
  uint32_t order;        /* log2 of the base pages of a page */
  uint64_t at, steps_at; /* where table and steps lie in memory */
  uint32_t frames;       /* which both take */
  uint64_t *owner;       /* [bucket]: cluster + 1; 0: free */
  uint8_t *used;         /* [bucket]: pages */
  hashed_line_t *line;
};

/* Of a spec with a hashed table: checked, made, and its frames taken. */
int hashed_check_spec(const mm_spec_t *s, const mm_manager_ops_t *ops, const geo_t *g, err_t *e);
int hashed_init(mm_t *m,
                const mm_spec_t *s); /* 0, GMMU_ENOMEM or GMMU_ENOSPACE; fini in any case */
void hashed_fini(mm_t *m);
/* The page at vpn is about to be mapped; it was unmapped. */
void hashed_map(mm_t *m, asid_t asid, uint64_t vpn);
void hashed_unmap(mm_t *m, asid_t asid, uint64_t vpn);
/* The entries that a walk reads here. True if it ends here: the page is, or would be, in this
 * table; else the radix table has to be walked, too. */
bool hashed_walk(const mm_t *m, asid_t asid, uint64_t vpn, mm_walk_t *out);
int hashed_check(const mm_t *m, err_t *e);
#endif
