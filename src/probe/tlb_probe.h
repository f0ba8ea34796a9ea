#ifndef GMMU_PROBE_TLB_PROBE_H
#define GMMU_PROBE_TLB_PROBE_H
/* Finds a device's TLBs by timing: levels, what an entry covers, entries, sets and ways, the cost
 * of a miss, and how far each of these is to be trusted. Times are in hundredths of a cycle. */
#include "probe/measure.h"

#define PROBE_LEVELS 8

typedef struct {
  uint32_t sets, ways; /* with LRU; sets 0: not known */
  uint32_t victims;    /* entries beside the sets, for what these displaced */
  bool folded;         /* upper page-number bits are part of the set index */
} shape_t;

typedef struct {
  uint64_t reach_bytes; /* that one entry covers */
  uint32_t entries;     /* pages that fit, each in an entry of its own */
  shape_t shape;
  int64_t hit, miss;   /* an access whose translation is here, and one whose is not */
  uint32_t confidence; /* percent */
  /* What the confidence rests on. */
  bool random_agrees; /* the same entries in random order */
  bool half_agrees;   /* twice the pages at half the stride fit, and not one more */
  bool shape_fits;    /* sets and ways explain how misses grow */
} probe_level_t;

/* A point of a curve. */
typedef struct {
  uint64_t stride;
  uint32_t count;
  int64_t mean, low;
} probe_point_t;

typedef struct {
  probe_level_t level[PROBE_LEVELS];
  uint32_t levels;
  int64_t base, noise;  /* an access that hits everywhere; how much one time varies */
  uint32_t lines;       /* so many lines stay in the data cache whatever their pages */
  uint32_t data_pages;  /* the data cache failed at so many pages; 0: nowhere */
  uint64_t bytes;       /* range that was looked at */
  uint32_t confidence;  /* of the number of levels, in percent */
  bool prefetch;        /* sequential order is faster than random: random was used */
  bool tails;           /* curves have more points where the memory ends */
  uint64_t accesses;    /* made in all */
  probe_point_t *point; /* owned */
  uint32_t points;
} tlb_probe_t;

typedef struct {
  uint32_t sm;                                   /* where it runs */
  uint64_t max_bytes;                            /* of the buffer; 0: all */
  void (*progress)(void *ctx, const char *what); /* may be NULL */
  void *ctx;
} tlb_probe_options_t;

/* What is found is in *out even when less than everything was; tlb_probe_fini() frees it. */
int tlb_probe(device_t *d, const tlb_probe_options_t *o, tlb_probe_t *out, err_t *e);
void tlb_probe_fini(tlb_probe_t *p);
/* Levels up to this reach show, if there are any, whose entries cover as much as the largest that
 * were found: three points of a curve must lie behind a level, in the memory and with lines that
 * stay in the data cache. */
uint64_t tlb_probe_seen(const tlb_probe_t *p);

/* How many of the n pages 0, step, 2 * step ..., touched in turn, miss in every round. */
uint32_t shape_misses(const shape_t *s, uint32_t n, uint32_t step);

typedef struct {
  uint32_t count, step;
  int64_t misses; /* hundredths */
} shape_point_t;
/* What becomes of the entries at twice the stride: half of the sets stay empty if the lowest bits
 * of the page number choose the set, and none if there is but one set or more bits choose. */
typedef enum { INDEX_UNKNOWN, INDEX_HALVES, INDEX_STAYS } index_t;

/* The shape of so many entries that explains the points best. Returns the mean difference in
 * thousandths of all accesses. */
uint32_t shape_fit(uint32_t entries, index_t index, const shape_point_t *p, uint32_t points,
                   shape_t *out);
#endif
