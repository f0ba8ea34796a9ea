#ifndef GMMU_GPU_STATS_H
#define GMMU_GPU_STATS_H
/* What a run measured: as JSON, and as numbers for tables. Names, units, help and order are
 * what the rows declare (component.h). */
#include "base/json.h"
#include "base/stat.h"
#include "base/table.h"
#include "gpu/component.h"
#include "gpu/gpu.h"
#include "sampling/sampling.h"

/* Group `i` of the rows' counters, NULL behind the last. */
const stat_group_t *gpu_stat_group(uint32_t i);
/* The counter of a path in the JSON, "apps[].l2tlb.misses", NULL if none is declared so. */
const stat_desc_t *gpu_stat_find(const char *path);
/* Unit and help of a counter as its block declares them, though another list may repeat it; NULL if
 * what it names does not exist. */
const char *gpu_stat_unit(const stat_desc_t *d);
bool gpu_stat_help(const stat_desc_t *d, strbuf_t *out);

/* The members of one JSON object (begin and end are the caller's): cycles, applications, matrices,
 * series. After gpu_settle(). */
void gpu_stats_json(const gpu_t *g, json_t *j);
void gpu_config_json(const gpu_spec_t *spec, json_t *j); /* every option, one object */
/* Whether every option has the same value in both. */
bool gpu_same_machine(const gpu_spec_t *a, const gpu_spec_t *b);
/* Every counter with unit and help. */
void gpu_stats_list(table_style_t style, strbuf_t *out);

/* Every stall reason in its declared order, an array of name, help and `kind`: translation, data or
 * other. */
void gpu_stalls_json(json_t *j);

/* The figures of one application that tables show. */
typedef struct {
  uint32_t first_sm, sms;
  uint32_t chip_sms;             /* SMs of the GPU */
  uint32_t part_of, part_whole;  /* of / whole of each of them is its own; 0 / 0: all of it */
  uint64_t instructions, cycles; /* of the whole run */
  uint64_t complete_instructions, complete_cycles; /* of complete executions; 0 if none */
  uint64_t l1tlb_lookups, l1tlb_misses, l2tlb_lookups, l2tlb_misses, walks, walk_cycles;
  uint64_t l1tlb_primary, l2tlb_primary; /* of the misses, those that started a request */
  uint64_t l1tlb_remote;                 /* misses answered by a peer, merged ones included */
  uint64_t l1tlb_cycles; /* of all look-ups that were answered, to the translation */
  bool peers;            /* the first-level TLBs share */
  uint64_t walk_queue_cycles, walk_active_cycles, warps_stalled;
  uint64_t token_cycles; /* warps that may fill the last TLB level, summed over cycles */
  uint64_t l1_accesses, l1_hits, l2_accesses, l2_hits, dram_bytes; /* of data; bytes: of all */
  uint64_t dram_data_bytes, walk_dram_bytes;                       /* of data; of page tables */
  uint64_t row_accesses, row_hits;                                 /* of data, in DRAM */
  uint64_t link_bytes;                                             /* over the link, both ways */
  uint64_t l1tlb_evictions, further_evictions; /* of translations, in the levels behind together */
  uint64_t fetches, fetch_cycles; /* data reads of DRAM; cycles for which L2 had an MSHR for them */
  uint64_t slot_cycles, translation_stalls, memory_stalls; /* warp-cycles */
  uint64_t warp_cycles;   /* those of the slots in which a warp could have issued */
  uint64_t stall[STALLS]; /* warp-cycles by reason; with instructions they add up to slot_cycles */
  uint32_t windows;       /* with sample.*: of the run; all of the above is theirs */
  uint64_t skipped;       /* instructions, */
  estimate_t estimate[WINDOW_RATIOS_COUNT]; /* and what the windows tell of the whole */
  uint64_t unseen, all;   /* instructions of kernels that no window met; of all kernels */
  char unseen_kernel[64]; /* that of them with the most */
} gpu_summary_t;
void gpu_summary(const gpu_t *g, uint32_t app, gpu_summary_t *out);

/* What tables and charts show of them: a part over a whole (figures.def). */
typedef enum {
#define FIGURE(name, ...) FIGURE_##name,
#include "gpu/figures.def"
#undef FIGURE
  FIGURES
} figure_id_t;
typedef struct {
  const char *name, *column, *title;
  bool percent;
  size_t part, whole;                   /* offsets in gpu_summary_t */
  const char *point_part, *point_whole; /* fields of the time series */
  const char *help;
} figure_t;
extern const figure_t figures[FIGURES];
/* part / whole is the figure, of the run so far; a percentage has its factor in the part. */
uint64_t figure_part(const figure_t *f, const gpu_summary_t *s);
uint64_t figure_whole(const figure_t *f, const gpu_summary_t *s);
/* Those of the time series, in their declared order: an array of name, title, help, part, whole and
 * whether it is a share. */
void gpu_figures_json(json_t *j);

/* How far a run is, 0 .. 1000, for people who wait. With limits it is the share of the nearest one
 * and *kernel is 0. Without, it is that of the application that is least far in its first
 * execution, by warp instructions; if its source does not know how many there are, it is the share
 * of the blocks of its current kernel, and *kernel is that kernel's number, from 1. */
uint32_t gpu_progress_permille(const gpu_t *g, const gpu_limits_t *limits, uint64_t *kernel);
#endif
