#ifndef GMMU_LINK_H
#define GMMU_LINK_H
/* The link between GPU and host (PCIe): two directions, each with its own bandwidth and a queue in
 * order of arrival.
 *
 * A transfer of n bytes that is at the port of its direction begins when those before it are
 * through, and occupies the direction for n / bandwidth. A port is reserved when the transfer is
 * there, never earlier: whoever has to wait first (for the driver, for the host's memory) comes
 * back with an event. That is what keeps "next free time" right.
 *
 * Pages: a far fault waits for fault_cycles (the driver hears of it, finds the page, sets up the
 * copy), then link_move(). Unloaded that is 54.5 us + bytes / 8 GB/s.
 *
 * Mapped host memory (zero-copy), 32 to 256 bytes at a time:
 *   read:  at = link_ask(now), an event at `at`, done = link_answer(at, bytes)
 *   write: done = link_post(now, bytes); nobody need wait for it
 * A packet has a header beside its data. Unloaded, a read takes
 * header / bandwidth + read_cycles + (header + bytes) / bandwidth. */
#include "base/opt.h"
#include "base/stat.h"
#include "gmmu/types.h"
#include <stdint.h>

typedef struct {
  uint32_t bandwidth_mbs; /* each direction, 10^6 bytes per second */
  uint32_t fault_ns;      /* of a far fault: all but the transfer itself */
  uint32_t read_ns;       /* of a zero-copy read: all but its packets' time in the ports */
  uint32_t header_bytes;  /* of a packet of mapped host memory; pages have none */
} link_spec_t;
extern const opt_t link_options[]; /* group "link" */

typedef enum { LINK_IN, LINK_OUT, LINK_WAYS } link_way_t; /* to the GPU, to the host */

#define LINK_STATS(X)                                                                              \
  X(transfers_in, "transfers", "to the GPU: pages and answers of mapped host memory")              \
  X(bytes_in, "bytes", "of them, headers included")                                                \
  X(wait_in_cycles, "cycles", "that transfers to the GPU waited for others, summed")               \
  X(transfers_out, "transfers", "to the host: evicted pages, reads and writes of mapped memory")   \
  X(bytes_out, "bytes", "of them, headers included")                                               \
  X(wait_out_cycles, "cycles", "that transfers to the host waited for others, summed")
typedef struct {
#define X(n, u, h) uint64_t n;
  LINK_STATS(X)
#undef X
} link_stats_t;
extern const stat_desc_t link_stats_list[];

/* Time inside is counted in 1 / bandwidth_mbs of a core cycle: a byte takes core_mhz of them, so
 * nothing is rounded but the cycle that is returned. */
typedef struct {
  link_spec_t spec;
  uint32_t core_mhz;
  uint32_t fault_cycles, read_cycles; /* of the spec, at this clock, rounded up */
  uint64_t free_at[LINK_WAYS];        /* in those units */
  link_stats_t stats[GMMU_MAX_APPS];
} link_t;

void link_init(link_t *l, const link_spec_t *spec, uint32_t core_mhz);
/* `bytes` of application `app` are at the port at core cycle `now`, which never decreases for one
 * direction: the cycle in which the last of them is through. */
uint64_t link_move(link_t *l, link_way_t way, uint64_t now, uint64_t bytes, uint32_t app);

/* A read of mapped host memory leaves: when its answer is at the host's port. */
static inline uint64_t link_ask(link_t *l, uint64_t now, uint32_t app) {
  return link_move(l, LINK_OUT, now, l->spec.header_bytes, app) + l->read_cycles;
}
static inline uint64_t link_answer(link_t *l, uint64_t now, uint32_t bytes, uint32_t app) {
  return link_move(l, LINK_IN, now, (uint64_t)l->spec.header_bytes + bytes, app);
}
static inline uint64_t link_post(link_t *l, uint64_t now, uint32_t bytes, uint32_t app) {
  return link_move(l, LINK_OUT, now, (uint64_t)l->spec.header_bytes + bytes, app);
}
/* ns at a clock of `mhz`, in its cycles, rounded up. */
static inline uint64_t link_cycles(uint64_t ns, uint32_t mhz) { return (ns * mhz + 999) / 1000; }
#endif
