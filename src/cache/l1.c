#include "cache/l1.h"
#include <stddef.h>
#include <string.h>

const opt_t l1_options[] = {
#define U32(f, n, lo, hi, d, u, h)                                                                 \
  { n, OPT_U32, offsetof(l1_spec_t, f), lo, hi, d, u, h, NULL, NULL }
    {"bytes", OPT_SIZE, offsetof(l1_spec_t, bytes), 512, 1 << 20, 16384, "bytes", "size, per SM",
     NULL, NULL},
    U32(ways, "ways", 1, 1024, 4, "ways", "associativity"),
    U32(latency_cycles, "latency", 1, 1000, 1, "cycles",
        "hit, from the cache's input to the registers"),
    U32(ports, "ports", 1, 8, 1, "lines/cycle", "lines looked up per cycle"),
    U32(mshrs, "mshrs", 1, 4096, 64, "lines", "lines under way"),
    U32(merges, "merges", 1, 4096, 64, "requests", "that may join one line under way"),
    {"flush_at_launch", OPT_BOOL, offsetof(l1_spec_t, flush_at_launch), 0, 1, 1, "",
     "a kernel starts with an empty L1", NULL, NULL},
#undef U32
    {"replacement", OPT_NAME, offsetof(l1_spec_t, replacement), 0, 0, 0, "", "replacement policy",
     repl_name, "lru"},
    {0},
};

int l1_init(l1_t *c, const l1_spec_t *spec, uint32_t line_bytes, uint64_t memory_bytes, err_t *e) {
  memset(c, 0, sizeof *c);
  c->line_shift = (uint32_t)__builtin_ctz(line_bytes);
  uint64_t sets = spec->bytes / line_bytes / spec->ways;
  if (!sets || (sets & (sets - 1)) || sets * spec->ways * line_bytes != spec->bytes)
    return err_set(e, GMMU_ERANGE,
                   "an L1 of %llu bytes and %u ways of %u-byte lines has no power of two of sets",
                   (unsigned long long)spec->bytes, spec->ways, line_bytes);
  int rc = cache_init(&c->array, (uint32_t)sets, spec->ways, 0, memory_bytes >> c->line_shift,
                      spec->replacement, e);
  if (rc == 0 && mshr_init(&c->mshr, spec->mshrs, spec->merges) < 0)
    rc = err_set(e, GMMU_ENOMEM, "out of memory for an L1 cache");
  return rc;
}

void l1_fini(l1_t *c) {
  cache_fini(&c->array);
  mshr_fini(&c->mshr);
}
