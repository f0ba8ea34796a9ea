#ifndef GMMU_PROBE_DEVICE_H
#define GMMU_PROBE_DEVICE_H
/* A device on which probe kernels run: a simulated GPU, this computer's processor, a real GPU.
 *
 * It has one large buffer, of which only what is touched costs memory, and it runs chases: rings of
 * dependent loads (each reads the address of the next), each by one thread on one SM. A chase goes
 * round a few times, and then on with a clock. What a time means is the probe's business. */
#include "gmmu/err.h"
#include "gpu/spec.h"
#include "probe/told.h"
#include <stdbool.h>
#include <stdint.h>

#define DEVICE_ANY_SM UINT32_MAX

typedef struct {
  char name[128];
  uint32_t sms;        /* 1: there is nothing to share */
  uint64_t bytes;      /* of the buffer; it begins at a multiple of DEVICE_ALIGN or of its size */
  uint32_t line_bytes; /* of the data cache */
  uint32_t grain;      /* accesses of one time; 0: a whole pass */
  uint32_t step_bytes; /* smallest page it may have */
  uint64_t page_bytes; /* that memory is given out in, as drivers tell; 0: not known */
  told_t told;         /* what a processor says of itself; of no concern to the probes */
  bool contiguous;     /* offset 0 is at a physical address that all others are counted from, a
                          multiple of a power of two as large as the buffer */
} device_info_t;
#define DEVICE_ALIGN (1ull << 30)

/* One chase. Stages run one after the other, in ascending order; the chases of a stage run at the
 * same time and must not touch the same bytes. Addresses bypass the L1 data cache of a GPU. */
typedef struct {
  uint32_t sm, stage;
  const uint64_t *at; /* [count] offsets in the buffer, in order: distinct multiples of 8 */
  uint32_t count;
  uint32_t warm, timed; /* passes without and then with a clock */
  int64_t *time; /* out: [timed][device_samples()] cycles of `grain` accesses, or of a pass */
} chase_t;

/* A question about loads of one warp: at[] has the offsets of its six parts, one behind the other.
 * Those of `warm` are loaded, those of `stored` overwritten (DEVICE_GRANULE bytes each), then those
 * of `first` loaded each after the other, `rest` in any order and many at a time, `ready`;
 * everything has arrived when the clock starts, and all of `timed` are loaded at once. A device has
 * nothing of the buffer in its caches when a call begins, and keeps what one question leaves there
 * for the next. */
typedef struct {
  const uint64_t *at; /* multiples of DEVICE_GRANULE */
  uint32_t warm, stored, first, rest, ready, timed;
  uint32_t *cycles; /* out: until the last of `timed` has arrived */
} question_t;
#define DEVICE_GRANULE 16u
#define DEVICE_TIMED   128u /* loads at once, at most */
/* Offsets of questions are below this: an entry of a list has 32 bits, and some are left over. */
#define DEVICE_REACH (((uint64_t)DEVICE_GRANULE << 32) - (256ull << 20))

static inline uint32_t question_loads(const question_t *q) {
  return q->warm + q->stored + q->first + q->rest + q->ready + q->timed;
}

typedef struct device device_t;
typedef struct {
  const char *name;
  const char *help;
  int (*run)(device_t *d, const chase_t *c, uint32_t chases, err_t *e);
  int (*ask)(device_t *d, const question_t *q, uint32_t count, err_t *e); /* NULL: it cannot */
  /* No time, but what a machine counted in the last run, to explain times with: how long a load
   * that missed held an MSHR of L2, on average, in hundredths of a cycle; 0 if none did.
   * NULL: it cannot tell. */
  int64_t (*held)(device_t *d);
  void (*free)(device_t *d);
} device_ops_t;

struct device { /* first member of every device */
  const device_ops_t *ops;
  device_info_t info;
  bool uneven;        /* lines of the data cache are near or far: measure_lines() found out */
  int64_t near;       /* cycles of a near line */
  bool (*stop)(void); /* may be NULL: true ends a probe before its next run, GMMU_EINTERRUPTED */
};

static inline uint32_t device_samples(const device_t *d, uint32_t count) {
  return d->info.grain ? (count + d->info.grain - 1) / d->info.grain : 1;
}
/* Times of the last pass of a chase may stand for fewer accesses than `grain`: those left over. */
int device_run(device_t *d, const chase_t *c, uint32_t chases, err_t *e);
int device_ask(device_t *d, const question_t *q, uint32_t count, err_t *e);
void device_free(device_t *d); /* NULL is allowed */

/* What a simulated device adds to its times, which are otherwise the same in every run. */
typedef struct {
  uint32_t jitter_cycles;  /* uniform in -jitter .. jitter */
  uint32_t outlier_ppm;    /* of a million accesses, so many take */
  uint32_t outlier_cycles; /* so much longer */
  uint64_t seed;
} device_noise_t;

int device_sim_new(const gpu_spec_t *spec, const char *name, const device_noise_t *noise,
                   device_t **out, err_t *e);
/* Pages of 4 KB or 2 MB; at most `bytes` of buffer, 0: a choice of its own. */
int device_cpu_new(uint64_t page_bytes, uint64_t bytes, device_t **out, err_t *e);
int device_cuda_new(uint32_t ordinal, uint64_t bytes, device_t **out, err_t *e);

/* A device as it is typed: "sim:PRESET" (or a YAML file), "cpu", "cpu:2M", "cuda", "cuda:1". */
typedef struct {
  const char *const *setting; /* "key=value" of the simulated GPU's options */
  uint32_t settings;
  device_noise_t noise;
  uint64_t bytes; /* at most, of the buffer; 0: no limit. A simulated GPU has its own. */
} device_options_t;
int device_open(const char *name, const device_options_t *o, device_t **out, err_t *e);
/* The simulated GPU of the preset, under a design (NULL: none), with the settings. */
int device_sim_spec(const char *preset, const char *design, const device_options_t *o,
                    gpu_spec_t *spec, err_t *e);
#endif
