#ifndef GMMU_GPU_SPEC_H
#define GMMU_GPU_SPEC_H
/* The whole configuration of a machine: one plain struct, described by option tables. A GPU preset
 * sets it first, then a design, then `-s key=value`. */
#include "base/opt.h"
#include "cache/l1.h"
#include "cache/l2.h"
#include "dram/dram.h"
#include "gpu/mechanism.h"
#include "link/link.h"
#include "map/addrmap.h"
#include "noc/noc.h"
#include "paging/uvm.h"
#include "sampling/sampling.h"
#include "sm/sm.h"
#include "tlb/fill.h"
#include "tlb/peer.h"
#include "tlb/speculate.h"
#include "tlb/xlat.h"
#include "walk/walker.h"

typedef struct {
  uint32_t sms, clock_mhz;
  uint64_t disabled; /* bit per place on the chip whose SM is deactivated */
  uint32_t swapped;  /* SM from which on two groups of the first TLB have changed places; 0: none */
  uint32_t launch_cycles; /* from a kernel's launch to its first block */
  uint32_t capability;    /* 10 * major + minor: what programs are told */
  bitlist_t gpcs;         /* SMs of each GPC: a number in each list */
  uint32_t mig;           /* slices of GPCs that MIG divides the chip into; 0: none */
  uint32_t line_bytes;    /* of L1 and L2: a power of two */
} core_spec_t;

typedef struct {
  uint32_t levels;       /* 0: no TLBs at all, addresses arrive translated */
  bool ideal;            /* every first-level look-up hits */
  const char *fill;      /* fill policy */
  const char *peer;      /* peer look-up */
  const char *speculate; /* before translation */
  const char *victim;    /* who keeps what the first level displaces */
  const char *format;    /* of entries */
} tlb_system_spec_t;

typedef struct {
  const char *manager;
  uint64_t memory_bytes, base_bytes, large_bytes, huge_bytes, align_bytes;
  const char *format; /* of page tables */
  const char *table;  /* "radix" or "fs-hpt" */
  uint32_t va_bits, level_bits;
  const char *cac;                             /* compaction: a name of cac_variants */
  uint32_t splinter_below;                     /* percent */
  uint32_t fragment_index, fragment_occupancy; /* percent */
  uint64_t fragment_seed;
  bitlist_t colours;         /* of each application; none: equal shares */
  bool colour_tables;        /* page tables, too, lie in them */
  uint32_t bulk_copy_ns;     /* of a page */
  uint32_t shootdown_cycles; /* of a compaction, of an eviction */
  const char *paging;        /* "preload", "demand" or "uvm" */
  uint32_t faults;           /* far-fault registers */
  const char *prefetch;      /* "none", "block" or "tree" */
  const char *evict;         /* "none", "lru" or "tree" */
} memory_spec_t;

/* How applications share the SMs; turns are explained in share/turns.h. */
typedef struct {
  const char *mode;        /* "space", "time", "threads" or "mig" */
  uint32_t threads;        /* percent of an SM that one application may have; 0: equal shares */
  uint32_t quantum_cycles; /* of a turn */
  const char *cost;        /* of a change: "state" or "fixed" */
  uint32_t switch_cycles;  /* if fixed */
  bool flush_l1, flush_tlbs;
  uint32_t stagger_cycles;   /* from one application's first launch to the next one's */
  uint32_t kernels;          /* of one application at once */
  bitlist_t mig;             /* instances: a number in each list, 3 of 3g */
  bool mig_tlb, mig_walkers; /* which the instances share */
} share_spec_t;

typedef struct {
  uint32_t series_cycles; /* time series: one point per this many cycles */
  uint32_t epoch_cycles;  /* policies: epoch() is called this often */
  bool check;             /* verify every translation and access while running */
} run_spec_t;

typedef struct {
  uint32_t walks; /* of each application, kept as a sample; 0: none */
  bool pages;     /* a map of its pages over time */
  bool memory;    /* who has which frames, at the end */
  bool origins;   /* counters by array, kernel and line */
} observe_spec_t;

typedef struct {
  core_spec_t core;
  sm_spec_t sm;
  tlb_system_spec_t tlb;
  tlb_spec_t tlb_level[TLB_MAX_LEVELS];
  tokens_spec_t tokens;
  star_spec_t star;
  colt_spec_t colt;
  depot_spec_t depot;
  peer_spec_t peer;
  cast_spec_t cast;
  scratch_spec_t scratch;
  walk_spec_t walk;
  dws_spec_t dws;
  simt_spec_t simt;
  marching_spec_t marching;
  latpc_spec_t latpc;
  intlb_spec_t intlb;
  soft_spec_t soft;
  l1_spec_t l1;
  noc_spec_t noc;
  l2_spec_t l2;
  l2_bypass_spec_t l2_bypass;
  addrmap_spec_t map;
  dram_spec_t dram;
  memory_spec_t memory;
  mm_hashed_spec_t hpt;
  uvm_spec_t uvm;
  link_spec_t link;
  share_spec_t share;
  run_spec_t run;
  observe_spec_t observe;
  sampling_spec_t sampling;
  mechanism_spec_t mechanism[MECHANISMS + OUTSIDE_MOST];
} gpu_spec_t;

#define GPU_GROUPS 64 /* and room for more */
/* The option groups of `spec`; `groups` ends with a NULL prefix. */
void gpu_spec_groups(gpu_spec_t *spec, opt_group_t groups[GPU_GROUPS]);
void gpu_spec_init(gpu_spec_t *spec); /* every option at its default */
int gpu_spec_set(gpu_spec_t *spec, const char *key, const char *value, err_t *e);
/* Applies a preset file: `kind` is "gpu" or "design"; a name, or a path if it has a slash or ends
 * in .yaml. Names are those of presets/, compiled in (presets.h). */
int gpu_spec_load(gpu_spec_t *spec, const char *kind, const char *name, err_t *e);

/* With gpu.gpcs: the SMs of a GPC; the GPC of an SM. */
uint32_t gpu_spec_gpc_sms(const gpu_spec_t *spec, uint32_t gpc);
uint32_t gpu_spec_gpc(const gpu_spec_t *spec, uint32_t sm);
/* TLBs of a level: by the places of SMs, also of those that are disabled. */
uint32_t gpu_spec_tlbs(const gpu_spec_t *spec, uint32_t level);
/* Translations that may be under way at once: the MSHRs of first-level TLBs, and those fetched. */
uint32_t gpu_spec_misses(const gpu_spec_t *spec);
/* Walks that may be under way at once, whoever the walkers are shared by. */
uint32_t gpu_spec_walks(const gpu_spec_t *spec);
/* What is allowed but hardly meant, as a sentence for whoever typed it; "" if there is nothing. The
 * machine does as it is told. */
void gpu_spec_doubt(const gpu_spec_t *spec, char *out, size_t size);
#endif
