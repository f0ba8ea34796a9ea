#ifndef GMMU_ATTRIBUTION_H
#define GMMU_ATTRIBUTION_H
/* Attribution (observe.origins): TLB misses, walks, far faults, DRAM bytes and stalled warp-cycles
 * by array, by kernel and by line. Nothing of it changes what is simulated; when it is off, it
 * listens to nobody.
 *
 * In the JSON each application has three lists, the costliest first (stalled warp-cycles, then
 * walks). Rows without any count are left out; sums over a list are the application's totals.
 *
 *   "by_array":  [{"name": "edges", "bytes": 67108864, "allocations": 1, COUNTERS}]
 *   "by_kernel": [{"name": "gather<int>", "symbol": "_Z6gatherIiEvPT_", "launches": 3, COUNTERS}]
 *   "by_line":   [{"name": "gather.cu:12", "kernel": "gather<int>", "file": "gather.cu", "line":
 * 12, "ptx_lines": [57, 61], "arrays": ["edges"], COUNTERS}]
 *
 * COUNTERS are those of ORIGIN_COUNTERS in observe/origins.h, and "stall": {"l1tlb": .., "l2tlb":
 * .., "walk_queue": .., "walk_l2": .., "walk_dram": .., "fault": .., "l1": .., "l2": .., "dram":
 * ..} in warp-cycles. An array without a name is called "cudaMalloc #3, 64 MB". What has no origin
 * is "other". A line that the program has no source for is "gather<int>, PTX line 57"; its "file"
 * and "line" are null.
 *
 * What is counted for whom:
 * - A look-up, a miss and a walk count for the instruction that started them, and for the array of
 *   its first line.
 * - A warp that waits for a load: the load's last line, whose time was the warp's.
 * - A warp whose memory instruction cannot issue, because the look-ups of its SM wait for a miss
 *   register (reason l1tlb): the look-ups that waited meanwhile, each for its time, as far back as
 *   BLOCKERS changes go.
 * - Bytes from DRAM: the line that fetched them. Bytes written: the store that wrote the line last.
 */
#include "base/json.h"
#include "base/stat.h"
#include "dram/dram.h"
#include "gmmu/stream.h"
#include "observe/origins.h"
#include "sm/sm.h"

/* A line of L2 that was written to, and by whom last. */
typedef struct {
  uint64_t key; /* slice and line, + 1; 0: none */
  origin_t by;
  uint8_t app;
} dirty_line_t;

/* Who has kept an SM's look-ups waiting for an MSHR, in the order of time; neighbours of
 * the same origin are one. */
#define BLOCKERS 64
typedef struct {
  struct {
    uint64_t end; /* blocked cycles of the SM up to its end, see lookups_blocked() */
    origin_t of;
    uint8_t app;
  } by[BLOCKERS]; /* a ring */
  uint32_t last, count;
} blockage_t;

typedef struct {
  bool on;
  origins_t app[GMMU_MAX_APPS];
  origin_t *of;        /* [request] */
  blockage_t *blocked; /* [SM] */
  dirty_line_t *dirty; /* a hash table with as many places again as L2 has lines */
  uint64_t dirty_mask;
} attribution_t; /* ports: ev, pool, xlat, walker, memory, share, cores, tlb, dram, paging, spec
                  */

extern const stat_desc_t origin_list[]; /* of origin_counts_t */
/* The members by_array, by_kernel and by_line of an application's object. */
void attribution_json(const attribution_t *t, uint32_t app, json_t *j);

/* ---- for the timeline; only where attribution is on ---- */
origin_t attribution_of_group(attribution_t *t, const group_t *gr); /* of its first line */
origin_t attribution_of_xlat(const attribution_t *t, uint32_t xlat);
origin_t attribution_of_request(const attribution_t *t, uint32_t request);
/* What people call its array, its kernel and its line; "other" of row 0. */
void attribution_name_array(const attribution_t *t, uint32_t app, origin_t of, strbuf_t *out);
void attribution_name_line(const attribution_t *t, uint32_t app, origin_t of, strbuf_t *out);
void attribution_name_kernel(const attribution_t *t, uint32_t app, origin_t of, strbuf_t *out);
#endif
