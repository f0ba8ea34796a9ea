#ifndef GMMU_TESTS_DRAM_HELP_H
#define GMMU_TESTS_DRAM_HELP_H
/* A channel with its command log, run to the end, for tests. Core and command clock are equal
 * unless a test says otherwise, so that core cycles are command cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* after the four headers cmocka wants before it */
#include <cmocka.h>

#include "dram/dram.h"
#include "dram/dram_log.h"
#include "dram/dram_spec.h"

#define MHZ 1000

typedef struct {
  dram_spec_t spec;
  arrays_t arrays; /* holds */
  dram_t *dram;
  dram_log_t log;
  dram_done_t *done; /* what was handed out */
  uint32_t done_count, capacity;
  uint64_t now; /* core cycle */
} bench_t;

dram_spec_t default_spec(void); /* the options' defaults at MHZ */
/* A channel for `capacity` accesses and as many completions. */
void bench_open(bench_t *b, const dram_spec_t *spec, uint32_t core_mhz, uint32_t capacity);
/* The same with a scheduler of the test's own. */
void bench_open_with(bench_t *b, const dram_spec_t *spec, const dram_sched_ops_t *ops,
                     uint32_t core_mhz, uint32_t capacity);
void bench_close(bench_t *b);
void bench_push(bench_t *b, uint64_t at, dram_access_t a);
void bench_run(bench_t *b);   /* run up to `now` and take what is decided */
void bench_drain(bench_t *b); /* run until nothing waits, at dram_wake() only; checks invariants */

/* The time of the n-th command (from 0) of a kind, of a bank (-1: any). Fails the test if absent.
 */
uint64_t when_command(const bench_t *b, dram_cmd_kind_t cmd, int bank, uint32_t n);
/* Command cycles from seeing to completion of the access with this id. */
uint64_t done_at(const bench_t *b, uint32_t id);
/* The position of an access among the completed ones. */
uint32_t place_of(const bench_t *b, uint32_t id);
dram_stats_t total(const dram_t *d); /* over applications and classes */
uint64_t test_seed(void);            /* GMMU_SEED, default 1 */

/* NULL, or what is wrong with the log under the spec: written from the data sheet's definitions,
 * without regard to how the channel works. */
const char *legal_log(const dram_spec_t *s, const dram_cmd_t *cmd, uint32_t count);
#endif
