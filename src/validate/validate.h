#ifndef GMMU_VALIDATE_H
#define GMMU_VALIDATE_H
/* Microbenchmarks of a simulated GPU beside what was published of the chip. Numbers are in
 * thousandths, so that the same input gives the same bytes everywhere. */
#include "gmmu/err.h"
#include "gpu/spec.h"
#include <stdbool.h>
#include <stdint.h>

#define VALIDATE_THOUSAND 1000ull

/* name, what it measures, unit */
#define VALIDATE_METRICS(X)                                                                        \
  X(L1, "latency, L1", "cycles")                                                                   \
  X(L2, "latency, L2", "cycles")                                                                   \
  X(DRAM, "latency, DRAM", "cycles")                                                               \
  X(SHARED, "latency, shared memory", "cycles")                                                    \
  X(FFMA, "dependent FP32 multiply-add", "cycles")                                                 \
  X(IADD, "dependent integer add", "cycles")                                                       \
  X(IMAD, "dependent integer multiply-add", "cycles")                                              \
  X(DFMA, "dependent FP64 multiply-add", "cycles")                                                 \
  X(RSQRT, "dependent reciprocal square root", "cycles")                                           \
  X(L1_READ, "bandwidth, L1, one SM", "bytes/cycle")                                               \
  X(L2_READ, "bandwidth, L2", "bytes/cycle")                                                       \
  X(DRAM_READ, "DRAM read", "% of peak")                                                           \
  X(DRAM_COPY, "DRAM copy", "% of peak")                                                           \
  X(DRAM_TRIAD, "DRAM triad", "% of peak")                                                         \
  X(GATHER, "random 32-byte gathers", "G/s")                                                       \
  X(ATOMIC, "latency, dependent atomics", "cycles")                                                \
  X(ATOMIC_ONE, "atomics to one address", "per cycle")                                             \
  X(ATOMIC_MANY, "atomics to many addresses", "per cycle")                                         \
  X(TAIL, "one block more than fit", "of a full launch")                                           \
  X(TLB1, "L1 TLB, reach", "KB")                                                                   \
  X(TLB1_MISS, "L1 TLB, a miss", "cycles")                                                         \
  X(TLB2, "L2 TLB, reach", "KB")                                                                   \
  X(TLB2_MISS, "L2 TLB, a miss", "cycles")                                                         \
  X(TLB3, "L3 TLB, reach", "KB")                                                                   \
  X(TLB3_MISS, "L3 TLB, a miss", "cycles")

typedef enum {
#define X(id, name, unit) VALIDATE_##id,
  VALIDATE_METRICS(X)
#undef X
      VALIDATE_COUNT
} validate_metric_t;

/* What was published of a chip: one number, or the band of several tools. */
typedef struct {
  const char *gpu; /* the preset */
  validate_metric_t metric;
  uint32_t low, high; /* thousandths */
  bool judged;        /* of the chip itself or its generation, and measured */
  const char *source;
} published_t;
extern const published_t published_all[]; /* ends with a NULL gpu */
const published_t *published_find(const char *gpu, validate_metric_t m);
/* Presets with published figures, in order; NULL behind the last. */
const char *published_gpu(uint32_t i);

typedef enum { VERDICT_NONE, VERDICT_HOLDS, VERDICT_OFF } verdict_t;

typedef struct {
  const char *name, *unit;
  uint64_t value;               /* thousandths */
  bool known;                   /* it was measured */
  const published_t *published; /* NULL: no source gives it */
  verdict_t verdict;
} validate_row_t;

typedef struct {
  validate_row_t row[VALIDATE_COUNT];
  uint64_t peak; /* of DRAM, in MB/s */
} validate_t;

typedef struct {
  bool tlb;                                      /* ask for the TLBs, too: some seconds */
  void (*progress)(void *ctx, const char *what); /* may be NULL */
  void *ctx;
  bool (*stop)(void); /* may be NULL: true ends it, GMMU_EINTERRUPTED */
} validate_options_t;

/* `gpu` is the name that published figures are looked up by. */
int validate_gpu(const gpu_spec_t *spec, const char *gpu, const validate_options_t *o,
                 validate_t *out, err_t *e);
const char *validate_name(uint32_t metric); /* of the JSON: "latency_l1" */

/* Latencies and TLB costs hold within 10 % of the band, DRAM copy and triad between 80 and 95 % of
 * peak or within 10 % of what was published, reaches if they are equal. The rest has no verdict. */
verdict_t validate_judge(validate_metric_t m, uint64_t value, const published_t *p);
#endif
