#include "noc/noc.h"
#include <stddef.h>

const char *noc_queue_name(uint32_t i) {
  static const char *const name[] = {"none", "fifo", "voq"};
  return i < sizeof name / sizeof *name ? name[i] : NULL;
}

const opt_t noc_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(noc_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    U32(flit_bytes, "flit", 8, 256, 32, "bytes", "width of a port: bytes per cycle"),
    U32(header_bytes, "header", 0, 64, 8, "bytes", "address and command of a packet"),
    U32(latency_cycles, "latency", 0, 1000, 8, "cycles", "through the crossbar, one way"),
    U32(buffer_flits, "buffer", 1, 4096, 64, "flits",
        "may wait at an SM's port before its L1 stops"),
#undef U32
    {"sector_packets", OPT_BOOL, offsetof(noc_spec_t, sector_packets), 0, 1, 0, "",
     "a packet per sector instead of one per line", NULL, NULL},
    {"write_ack", OPT_BOOL, offsetof(noc_spec_t, write_ack), 0, 1, 0, "",
     "stores are acknowledged by packets", NULL, NULL},
    {"queue", OPT_NAME, offsetof(noc_spec_t, queue), 0, 0, 0, "",
     "at inputs: none (packets meet at ports alone), one per input (fifo), or one for each output "
     "(voq)",
     noc_queue_name, "none"},
    {"turns", OPT_U32, offsetof(noc_spec_t, turns), 1, 1024, 1, "lines",
     "at an SM's input whose packets pass in turn, with queues; 1: a line's follow each other",
     NULL, NULL},
    {"wide_inputs", OPT_BOOL, offsetof(noc_spec_t, wide_inputs), 0, 1, 0, "",
     "an input may give packets to several outputs in a cycle, with queues; else one packet", NULL,
     NULL},
    {"speedup", OPT_U32, offsetof(noc_spec_t, speedup), 1, 8, 1, "packets",
     "that an input gives and an output takes per cycle, with queues", NULL, NULL},
    {"partitions", OPT_U32, offsetof(noc_spec_t, partitions), 1, PARTITIONS_MAX, 1, "partitions",
     "of the chip, each with equal parts of the GPCs (or SMs), L2 slices and channels; 1: none",
     NULL, NULL},
    {"far", OPT_U32, offsetof(noc_spec_t, far_cycles), 1, 1000, 67, "cycles",
     "between two partitions, each way, beside what the way within one takes (mt4g, A100: 67)",
     NULL, NULL},
    {"link", OPT_U32, offsetof(noc_spec_t, link_bytes), 0, 65536, 0, "bytes/cycle",
     "width of the link from one partition to another; 0: no limit", NULL, NULL},
    {"walker", OPT_U32, offsetof(noc_spec_t, walker), 0, PARTITIONS_MAX - 1, 0, "partition",
     "in which the page-table walker stands", NULL, NULL},
    {0},
};
