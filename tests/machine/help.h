#ifndef GMMU_TESTS_MACHINE_HELP_H
#define GMMU_TESTS_MACHINE_HELP_H
/* A small machine whose latencies are all different, and how to run programs on it. Every function
 * fails the test if something goes wrong. */
#include "gpu/gpu.h"
#include "gpu/machine.h"
#include "script.h"
#include "unit.h"

#define KB    UINT64_C(1024)
#define MB    (KB * 1024)
#define VA    UINT64_C(0x10000000) /* where scripts put their data; 2 MB aligned */
#define LINE  128u
#define PAGE4 (4 * KB)

/* One SM, one channel, one L2 slice, 4 KB pages, two TLB levels; checks on. No two latencies are
 * equal, so that a path which takes a wrong one has another length. */
gpu_spec_t lab_spec(void);
void set(gpu_spec_t *s, const char *key, const char *value);
void setn(gpu_spec_t *s, const char *key, uint64_t value);
/* All of "key=value key=value". */
void put_all(gpu_spec_t *s, const char *settings);
/* Pages of 2 MB: everything a small test touches is one page, and physical addresses are known. */
void one_page(gpu_spec_t *s);
/* No translation at all. */
void no_tlbs(gpu_spec_t *s);

gpu_t *machine(const gpu_spec_t *spec, source_t *const *sources, uint32_t count);
/* To its natural end without relaunches; then settled and checked, and nothing left under way. */
void finish(gpu_t *g);
void nothing_left(const gpu_t *g);
/* One allocation of so many bytes at VA and one launch, with a note of SCRIPT_TIMES issues. */
#define SCRIPT_TIMES 4096
script_t *script_of(const program_t *p, uint32_t blocks, uint32_t warps, uint64_t bytes);
/* Such commands, which must stay; no notes. */
script_t *script_told(const program_t *p, uint32_t blocks, uint32_t warps,
                      const script_command_t *command, uint32_t commands);
/* A machine that runs one script to its end; the caller frees both. */
gpu_t *run_script(const gpu_spec_t *spec, script_t *s);
/* The same from a generator's text; the caller frees the machine. */
gpu_t *run_generator(const gpu_spec_t *spec, const char *text);
/* Like the function above, for two generators side by side, or one if the other is NULL. */
gpu_t *run_generators(const gpu_spec_t *spec, const char *first, const char *second);
/* The same, and what the settings promise must happen: pages come over the link, pages go and TLBs
 * are told, pages of several sizes are translated. */
gpu_t *run_weather(const gpu_spec_t *spec, const char *first, const char *second);
source_t *generator(const char *text);
/* The statistics as text; the caller frees it. */
char *stats_text(const gpu_t *g);
/* Two programs for mosaic in a memory of four large frames: one for tables, two half-empty ones of
 * the mover, one of the taker, whose large allocation can only be had by moving pages of the mover.
 */
script_t *mover(void);
script_t *taker(void); /* takes 2 MB */
script_t *taker_of(uint64_t bytes);
/* Both on the machine, to their end, while Mosaic's compaction moves pages. */
void run_pages_that_move(gpu_spec_t *spec);
dram_stats_t dram_total(const gpu_t *g, uint32_t app, dram_class_t cls);
uint64_t test_seed(void);
#endif
