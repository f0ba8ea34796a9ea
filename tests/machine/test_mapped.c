/* Mapped host memory: its time against the link's formula, and that it is nobody else's. */
#include "formula.h"
#include "help.h"

static const script_command_t host_only[] = {{CMD_ALLOC_HOST, VA, MB}, {CMD_LAUNCH, 0, 0}};

static script_t *script(const program_t *p, const script_command_t *c, uint32_t commands,
                        uint32_t blocks) {
  return script_new(&(script_spec_t){.program = p,
                                     .programs = 1,
                                     .blocks = blocks,
                                     .warps = 1,
                                     .command = c,
                                     .commands = commands},
                    1024);
}

static uint64_t port_cycles(const gpu_spec_t *s, uint64_t bytes) {
  return (bytes * s->core.clock_mhz + s->link.bandwidth_mbs - 1) / s->link.bandwidth_mbs;
}

/* A read on the link that meets no other. */
static uint64_t f_link_read(const gpu_spec_t *s, uint64_t bytes) {
  uint64_t read = ((uint64_t)s->link.read_ns * s->core.clock_mhz + 999) / 1000;
  return port_cycles(s, s->link.header_bytes) + read + port_cycles(s, s->link.header_bytes + bytes);
}

static void a_read_takes_the_links_time(void **state) {
  gpu_spec_t spec = lab_spec();
  script_op_t ops[] = {LOAD_CG(1, R_NO, VA), LOAD_CG(2, 1, VA), LOAD_CG(3, 2, VA + LINE),
                       ALU(4, 3)};
  ops[2].mask = 0xff; /* one sector */
  const program_t p = PROGRAM(ops);
  (void)state;
  script_t *s = script(&p, host_only, 2, 1);
  gpu_t *g = run_script(&spec, s);
  for (uint32_t i = 1; i < 3; i++) {
    uint64_t bytes = i == 1 ? 128 : 32;
    assert_int_equal(script_when(s, 0, i + 1) - script_when(s, 0, i),
                     f_to_l1(&spec) + f_l1_to_slice(&spec) + f_link_read(&spec, bytes) +
                         f_slice_to_register(&spec, bytes));
  }
  assert_int_equal(g->link.stats[0].transfers_in, 3);
  assert_int_equal(g->link.stats[0].bytes_in, 128 + 128 + 32 + 3 * spec.link.header_bytes);
  assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 0);
  gpu_free(g);
  script_free(s);
}

static void stores_are_posted_and_atomics_come_back(void **state) {
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD(1, R_NO, VA), STORE_AT(1, VA, 0, 0), ATOMIC(2, 1, VA + LINE),
                             ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  (void)state;
  script_t *s = script(&p, host_only, 2, 1);
  gpu_t *g = run_script(&spec, s);
  const link_stats_t *l = &g->link.stats[0];
  assert_int_equal(l->transfers_out, 4); /* two reads ask, two packets carry data */
  assert_int_equal(l->bytes_out, 2 * 128 + 4 * spec.link.header_bytes);
  assert_int_equal(l->transfers_in, 2);
  assert_true(script_when(s, 0, 2) - script_when(s, 0, 1) < spec.link.read_ns / 2);
  assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 0);
  gpu_free(g);
  script_free(s);
}

static void memory_of_the_device_stays_there(void **state) {
  gpu_spec_t spec = lab_spec();
  const script_command_t commands[] = {
      {CMD_ALLOC, VA + MB, MB}, {CMD_ALLOC_HOST, VA, MB}, {CMD_LAUNCH, 0, 0}};
  const script_op_t ops[] = {LOAD_CG(1, R_NO, VA + MB - LINE), LOAD_CG(2, 1, VA + MB), ALU(3, 2)};
  const program_t p = PROGRAM(ops);
  (void)state;
  script_t *s = script(&p, commands, 3, 1);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->link.stats[0].transfers_in, 1);
  assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 1);
  gpu_free(g);
  script_free(s);
}

/* The same address, first the host's, then the device's, then the host's again. */
static void freed_memory_is_the_hosts_no_more(void **state) {
  gpu_spec_t spec = lab_spec();
  const script_command_t commands[] = {
      {CMD_ALLOC_HOST, VA, MB}, {CMD_LAUNCH, 0, 0}, {CMD_FREE, VA, 0},        {CMD_ALLOC, VA, MB},
      {CMD_LAUNCH, 0, 0},       {CMD_FREE, VA, 0},  {CMD_ALLOC_HOST, VA, MB}, {CMD_LAUNCH, 0, 0}};
  const script_op_t ops[] = {LOAD_CG(1, R_NO, VA), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  (void)state;
  script_t *s = script(&p, commands, 8, 1);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->link.stats[0].transfers_in, 2);
  assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 1);
  gpu_free(g);
  script_free(s);
}

static void many_reads_are_as_fast_as_the_link(void **state) {
  gpu_spec_t spec = lab_spec();
  const script_op_t ops[] = {LOAD_AT(1, R_NO, VA, 16 * LINE, LINE)};
  const program_t p = PROGRAM_N(ops, 16);
  (void)state;
  setn(&spec, "link.bandwidth", 2000);
  script_t *s = script(&p, host_only, 2, 64);
  gpu_t *g = run_script(&spec, s);
  uint64_t bytes = 64 * 16 * (128ull + spec.link.header_bytes);
  assert_int_equal(g->link.stats[0].bytes_in, bytes);
  assert_in_range(gpu_cycles(g), port_cycles(&spec, bytes),
                  port_cycles(&spec, bytes) + 4 * f_link_read(&spec, 128));
  gpu_free(g);
  script_free(s);
}

/* Pages that the manager coalesces, or that come when touched, change nothing about it. */
static void every_manager_keeps_it_with_the_host(void **state) {
  (void)state;
  for (uint32_t i = 0; mm_manager_all[i]; i++) {
    gpu_spec_t spec = lab_spec();
    set(&spec, "mem.manager", mm_manager_name(mm_manager_all[i]));
    const script_command_t commands[] = {
        {CMD_ALLOC_HOST, VA, 4 * MB}, {CMD_ALLOC, VA + 4 * MB, 4 * MB}, {CMD_LAUNCH, 0, 0}};
    const script_op_t ops[] = {LOAD_CG(1, R_NO, VA + 2 * MB), LOAD_CG(2, 1, VA + 6 * MB),
                               ALU(3, 2)};
    const program_t p = PROGRAM(ops);
    script_t *s = script(&p, commands, 3, 1);
    gpu_t *g = run_script(&spec, s);
    assert_int_equal(g->link.stats[0].transfers_in, 1);
    assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 1);
    gpu_free(g);
    script_free(s);
  }
}

/* Two ranges of the host in one page: it stays the host's until the second is gone. */
static void a_page_of_two_ranges_stays_with_the_second(void **state) {
  gpu_spec_t spec = lab_spec();
  const uint64_t b = VA + PAGE4 / 2;
  const script_command_t commands[] = {{CMD_ALLOC_HOST, VA, PAGE4 / 2},
                                       {CMD_ALLOC_HOST, b, PAGE4 / 2},
                                       {CMD_FREE, VA, 0},
                                       {CMD_LAUNCH, 0, 0},
                                       {CMD_ALLOC, VA, PAGE4 / 2},
                                       {CMD_FREE, b, 0},
                                       {CMD_ALLOC, b, PAGE4 / 2},
                                       {CMD_LAUNCH, 0, 0}};
  const script_op_t ops[] = {LOAD_CG(1, R_NO, VA + PAGE4 / 2), ALU(2, 1)};
  const program_t p = PROGRAM(ops);
  (void)state;
  set(&spec, "run.check", "true");
  script_t *s = script(&p, commands, 8, 1);
  gpu_t *g = run_script(&spec, s);
  assert_int_equal(g->link.stats[0].transfers_in, 1); /* then the device's: nobody has it else */
  assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 1);
  gpu_free(g);
  script_free(s);
}

/* Four large frames: one for tables, two with 300 pages of the first program, those of the second
 * of them the host's. The first 300 go; then a large page of the second program can only be had by
 * moving some of the host's pages, whose frames are only their names. */
#define X (VA + 64 * MB)
#define Y (VA + 128 * MB)

static void pages_that_move_stay_with_the_host(void **state) {
  gpu_spec_t spec = lab_spec();
  const script_command_t one[] = {{CMD_ALLOC, X, 300 * PAGE4},
                                  {CMD_ALLOC_HOST, Y, 300 * PAGE4},
                                  {CMD_FREE, X, 0},
                                  {CMD_LAUNCH, 0, 0}};
  const script_command_t two[] = {{CMD_ALLOC, VA, PAGE4},
                                  {CMD_LAUNCH, 0, 0},
                                  {CMD_ALLOC, VA + 64 * MB, 2 * MB},
                                  {CMD_LAUNCH, 0, 0}};
  const script_op_t loads[] = {LOAD_CG(1, 1, VA)}, all[] = {LOAD_AT(1, 1, Y, 0, PAGE4)};
  const program_t p = PROGRAM_N(all, 300), q = PROGRAM_N(loads, 4);
  (void)state;
  set(&spec, "mem.manager", "mosaic"), set(&spec, "mem.bytes", "8M");
  set(&spec, "run.check", "true"), setn(&spec, "gpu.sms", 2);
  script_t *a = script(&p, one, 4, 1), *b = script(&q, two, 4, 1);
  source_t *src[2] = {script_source(a), script_source(b)};
  gpu_t *g = machine(&spec, src, 2);
  finish(g);
  assert_int_equal(mm_counts(g->memory.mm).compacted, 1);
  assert_true(g->paging.stats[0].migrated > 0);
  assert_int_equal(g->link.stats[0].transfers_in, 300);
  assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 0); /* of the first */
  assert_int_equal(g->link.stats[1].transfers_in, 0);
  gpu_free(g);
  script_free(a), script_free(b);
}

/* Pages come and go in a memory of two large frames; the host's stay what they are. */
static void paging_beside_it_changes_nothing(void **state) {
  gpu_spec_t spec = lab_spec();
  const script_command_t commands[] = {
      {CMD_ALLOC, X, 16 * MB}, {CMD_ALLOC_HOST, Y, 16 * PAGE4}, {CMD_LAUNCH, 0, 0}};
  const script_op_t ops[] = {LOAD_AT(1, 1, X, 0, 64 * KB), LOAD_CG(1, 1, Y + 9 * PAGE4)};
  const program_t p = PROGRAM_N(ops, 250);
  (void)state;
  for (uint32_t i = 0; mm_manager_all[i]; i++) {
    set(&spec, "mem.manager", mm_manager_name(mm_manager_all[i]));
    set(&spec, "mem.bytes", "8M"), set(&spec, "mem.paging", "demand");
    set(&spec, "mem.prefetch", "block");
    set(&spec, "mem.evict", "lru"), set(&spec, "run.check", "true"), setn(&spec, "link.fault", 10);
    script_t *s = script(&p, commands, 3, 1);
    gpu_t *g = run_script(&spec, s);
    const paging_stats_t *st = &g->paging.stats[0];
    uint64_t moves = st->faults; /* each a transfer, too */
    assert_true(st->evicted > 0);
    assert_true(g->link.stats[0].transfers_in >= 250 + moves);
    assert_int_equal(g->l2.stats[CLASS_DATA].accesses, 250); /* the other half of the loads */
    gpu_free(g);
    script_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_read_takes_the_links_time),
                                     cmocka_unit_test(stores_are_posted_and_atomics_come_back),
                                     cmocka_unit_test(memory_of_the_device_stays_there),
                                     cmocka_unit_test(freed_memory_is_the_hosts_no_more),
                                     cmocka_unit_test(many_reads_are_as_fast_as_the_link),
                                     cmocka_unit_test(every_manager_keeps_it_with_the_host),
                                     cmocka_unit_test(a_page_of_two_ranges_stays_with_the_second),
                                     cmocka_unit_test(pages_that_move_stay_with_the_host),
                                     cmocka_unit_test(paging_beside_it_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
