#include "help.h"
#include <stdio.h>
#include <string.h>

dram_spec_t default_spec(void) {
  dram_spec_t spec;
  opt_group_t groups[] = {{"dram", "", dram_options, &spec}, {NULL, NULL, NULL, NULL}};
  memset(&spec, 0, sizeof spec);
  opt_defaults(groups);
  spec.clock_mhz = MHZ;
  return spec;
}

void bench_open(bench_t *b, const dram_spec_t *spec, uint32_t core_mhz, uint32_t capacity) {
  bench_open_with(b, spec, dram_sched_find(spec->scheduler), core_mhz, capacity);
}

void bench_open_with(bench_t *b, const dram_spec_t *spec, const dram_sched_ops_t *ops,
                     uint32_t core_mhz, uint32_t capacity) {
  err_t e;
  *b = (bench_t){.spec = *spec, .capacity = capacity};
  assert_int_equal(dram_spec_check(spec, &e), 0);
  assert_int_equal(dram_new_with(spec, ops, core_mhz, capacity, &b->arrays, &b->dram, &e), 0);
  b->done = calloc(capacity, sizeof *b->done);
  b->log.capacity = 8 * capacity + 4096;
  b->log.cmd = calloc(b->log.capacity, sizeof *b->log.cmd);
  assert_non_null(b->done);
  assert_non_null(b->log.cmd);
  dram_set_log(b->dram, &b->log);
}

void bench_close(bench_t *b) {
  arrays_free(&b->arrays);
  free(b->done);
  free(b->log.cmd);
}

void bench_push(bench_t *b, uint64_t at, dram_access_t a) {
  if (a.bursts == 0) a.bursts = 1;
  dram_push(b->dram, at, &a);
}

void bench_run(bench_t *b) {
  dram_run(b->dram, b->now);
  while (dram_first(b->dram) != UINT64_MAX) {
    assert_true(b->done_count < b->capacity);
    dram_take(b->dram, &b->done[b->done_count++]);
  }
}

void bench_drain(bench_t *b) {
  err_t e;
  while (dram_waiting(b->dram)) {
    b->now = dram_wake(b->dram);
    assert_true(b->now != UINT64_MAX);
    bench_run(b);
    assert_int_equal(dram_check(b->dram, &e), 0);
  }
  assert_true(dram_wake(b->dram) == UINT64_MAX);
}

uint64_t when_command(const bench_t *b, dram_cmd_kind_t cmd, int bank, uint32_t n) {
  for (uint32_t i = 0; i < b->log.count; i++) {
    const dram_cmd_t *c = &b->log.cmd[i];
    if (c->cmd == cmd && (bank < 0 || c->bank == bank) && n-- == 0) return c->t;
  }
  fail_msg("no such command: kind %d bank %d", (int)cmd, bank);
  return 0;
}

uint32_t place_of(const bench_t *b, uint32_t id) {
  for (uint32_t i = 0; i < b->done_count; i++)
    if (b->done[i].id == id) return i;
  fail_msg("access %u not done", id);
  return 0;
}

uint64_t done_at(const bench_t *b, uint32_t id) { return b->done[place_of(b, id)].done; }

dram_stats_t total(const dram_t *d) {
  dram_stats_t sum = {0};
  for (uint8_t app = 0; app < GMMU_MAX_APPS; app++)
    for (int cls = 0; cls < DRAM_CLASSES; cls++)
      for (const stat_desc_t *s = dram_stats_list; s->name; s++)
        *(uint64_t *)(void *)((char *)&sum + s->offset) +=
            stat_value(dram_stats(d, app, (dram_class_t)cls), s);
  return sum;
}

uint64_t test_seed(void) {
  const char *s = getenv("GMMU_SEED");
  return s ? strtoull(s, NULL, 0) : 1;
}
