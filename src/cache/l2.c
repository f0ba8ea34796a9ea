#include "cache/l2.h"
#include <stddef.h>
#include <string.h>

const opt_t l2_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(l2_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    {"bytes", OPT_SIZE, offsetof(l2_spec_t, bytes), 4096, 1 << 30, 2097152, "bytes",
     "size of all slices together", NULL, NULL},
    U32(slices, "slices", 1, 16, 2, "slices", "per memory channel"),
    U32(ways, "ways", 1, 1024, 16, "ways", "associativity"),
    U32(latency_cycles, "latency", 1, 1000, 10, "cycles",
        "hit, from the slice's input to its output"),
    U32(ports, "ports", 1, 8, 2, "requests/cycle", "requests a slice looks up per cycle"),
    U32(mshrs, "mshrs", 1, 4096, 128, "lines", "lines under way, per slice"),
    U32(merges, "merges", 1, 4096, 64, "requests", "that may join one line under way"),
    U32(dram_hop_cycles, "dram_hop", 0, 1000, 0, "cycles", "from a slice to its channel's queue"),
#undef U32
    {"replacement", OPT_NAME, offsetof(l2_spec_t, replacement), 0, 0, 0, "", "replacement policy",
     repl_name, "lru"},
    {"policy", OPT_NAME, offsetof(l2_spec_t, policy), 0, 0, 0, "", "insertion policy",
     l2_policy_name, "all"},
    {0},
};

int l2_slice_init(l2_slice_t *s, const l2_spec_t *spec, uint32_t slices, uint32_t line_bytes,
                  uint64_t memory_bytes, err_t *e) {
  memset(s, 0, sizeof *s);
  s->queue = REQUEST_LIST_EMPTY;
  uint64_t sets = spec->bytes / slices / line_bytes / spec->ways;
  if (!sets || (sets & (sets - 1)) || sets * spec->ways * line_bytes * slices != spec->bytes)
    return err_set(e, GMMU_ERANGE,
                   "an L2 of %llu bytes over %u slices of %u ways has no power of two of sets",
                   (unsigned long long)spec->bytes, slices, spec->ways);
  uint32_t below = (uint32_t)__builtin_ctz(spec->slices); /* lines alternate between the slices */
  int rc = cache_init(&s->array, (uint32_t)sets, spec->ways, below, memory_bytes / line_bytes,
                      spec->replacement, e);
  if (rc == 0 && mshr_init(&s->mshr, spec->mshrs, spec->merges) < 0)
    rc = err_set(e, GMMU_ENOMEM, "out of memory for an L2 slice");
  return rc;
}

void l2_slice_fini(l2_slice_t *s) {
  cache_fini(&s->array);
  mshr_fini(&s->mshr);
}
