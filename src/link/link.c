/* Invariant: free_at[way] is the end of the last transfer of that direction, exactly; transfers of
 * a direction never overlap. */
#include "link/link.h"
#include <stddef.h>

const opt_t link_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(link_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(bandwidth_mbs, "bandwidth", 1, 1000000, 8000, "MB/s",
        "each direction; with link.fault it fits Mosaic's two measured far faults"),
    U32(fault_ns, "fault", 0, 100000000, 54500, "ns",
        "of a far fault, without the transfer: 55 us for 4 KB and 318 us for 2 MB on a GTX 1080"),
    U32(read_ns, "read", 0, 100000000, 1000, "ns",
        "of a read of mapped host memory, without its time in the ports (a guess)"),
    U32(header_bytes, "header", 0, 256, 24, "bytes",
        "of a packet of mapped host memory (a guess: PCIe 3.0 header, checksum and framing)"),
#undef U32
    {0},
};

#define X(n, u, h) {#n, offsetof(link_stats_t, n), u, h},
const stat_desc_t link_stats_list[] = {LINK_STATS(X){0}};
#undef X

void link_init(link_t *l, const link_spec_t *spec, uint32_t core_mhz) {
  *l = (link_t){.spec = *spec, .core_mhz = core_mhz};
  l->fault_cycles = (uint32_t)link_cycles(spec->fault_ns, core_mhz);
  l->read_cycles = (uint32_t)link_cycles(spec->read_ns, core_mhz);
}

uint64_t link_move(link_t *l, link_way_t way, uint64_t now, uint64_t bytes, uint32_t app) {
  uint64_t rate = l->spec.bandwidth_mbs, at = now * rate, begin = l->free_at[way];
  link_stats_t *s = &l->stats[app];
  if (begin < at) begin = at;
  l->free_at[way] = begin + bytes * l->core_mhz;
  *(way == LINK_IN ? &s->transfers_in : &s->transfers_out) += 1;
  *(way == LINK_IN ? &s->bytes_in : &s->bytes_out) += bytes;
  *(way == LINK_IN ? &s->wait_in_cycles : &s->wait_out_cycles) += (begin - at) / rate;
  return (l->free_at[way] + rate - 1) / rate;
}
