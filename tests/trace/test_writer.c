/* The recorder's contract: what it refuses, what it leaves on disk, what it counts. */
#include "fixture.h"
#include "trace/gmt_format.h"

static const inst_t rows[] = {
    {IC_INT, 0, 0, 0, 1, 1, {2, 3, REG_NONE, REG_NONE}, 1},
    {IC_LOAD, SPACE_GLOBAL, 4, 0, 2, 1, {1, REG_NONE, REG_NONE, REG_NONE}, 2},
    {IC_STORE, SPACE_SHARED, 4, 0, REG_NONE, 0, {1, 2, REG_NONE, REG_NONE}, 3},
    {IC_EXIT, 0, 0, 0, REG_NONE, 0, {REG_NONE, REG_NONE, REG_NONE, REG_NONE}, 4},
};

static command_t launch_of(uint32_t blocks, uint32_t threads) {
  command_t c = {.kind = CMD_LAUNCH};
  c.launch = (launch_t){.name = "k",
                        .inst = rows,
                        .inst_count = 4,
                        .grid = {blocks, 1, 1},
                        .block = {threads, 1, 1},
                        .regs_per_thread = 32};
  return c;
}

static gmt_writer_t *started(fixture_t *f, const command_t *c) {
  gmt_writer_t *w;
  must(gmt_writer_new(f->path, NULL, &w, &f->e), &f->e);
  must(gmt_writer_command(w, c, &f->e), &f->e);
  return w;
}

static void exec(fixture_t *f, gmt_writer_t *w, uint32_t block, uint32_t warp, uint32_t index) {
  warp_op_t op = {.mask = UINT32_MAX};
  if (index == 1 || index == 2) op.mode = ADDR_STRIDE, op.base = 8192, op.stride = 4;
  must(gmt_writer_inst(w, block, warp, index, &op, &f->e), &f->e);
}

static void whole_block(fixture_t *f, gmt_writer_t *w, uint32_t cta) {
  uint32_t b;
  must(gmt_writer_cta_begin(w, cta, &b, &f->e), &f->e);
  for (uint32_t i = 0; i < 4; i++) exec(f, w, b, 0, i);
  must(gmt_writer_cta_end(w, b, &f->e), &f->e);
}

static void nothing_is_under_the_name_before_the_close(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 32);
  gmt_writer_t *w = started(f, &c);
  whole_block(f, w, 0);
  assert_int_not_equal(access(f->path, F_OK), 0);
  must(gmt_writer_close(w, &f->e), &f->e);
  assert_int_equal(access(f->path, R_OK), 0);
  must(gmt_verify(f->path, &f->e), &f->e);
}

static void an_abandoned_recording_keeps_the_old_file(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 32);
  gmt_writer_t *w = started(f, &c);
  whole_block(f, w, 0);
  must(gmt_writer_close(w, &f->e), &f->e);
  gmt_writer_abort(started(f, &c));
  must(gmt_verify(f->path, &f->e), &f->e); /* teardown sees that nothing else is left */
}

static void two_recordings_of_one_name_do_not_meet(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 32);
  gmt_writer_t *a = started(f, &c), *b = started(f, &c);
  whole_block(f, a, 0), whole_block(f, b, 0);
  must(gmt_writer_close(a, &f->e), &f->e);
  must(gmt_writer_close(b, &f->e), &f->e);
  must(gmt_verify(f->path, &f->e), &f->e);
}

static void a_directory_that_is_not_there_is_an_error(void **state) {
  fixture_t *f = *state;
  gmt_writer_t *w;
  assert_int_equal(gmt_writer_new("nowhere/at/all.gmt", NULL, &w, &f->e), GMMU_EIO);
  assert_null(w);
  assert_string_equal(f->e.file, "nowhere/at/all.gmt");
}

/* The close reports the failure and removes the file. */
static void must_fail_at_close(fixture_t *f, gmt_writer_t *w, int code, const char *text) {
  assert_int_equal(gmt_writer_close(w, &f->e), code);
  assert_non_null(strstr(f->e.text, text));
  assert_int_not_equal(access(f->path, F_OK), 0);
}

static void a_missing_block_is_an_error(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(3, 32);
  gmt_writer_t *w = started(f, &c);
  whole_block(f, w, 2), whole_block(f, w, 0);
  must_fail_at_close(f, w, GMMU_EINVAL, "block 1 of 3 was not recorded");
}

static void a_block_recorded_twice_is_an_error(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(2, 32);
  gmt_writer_t *w = started(f, &c);
  whole_block(f, w, 0), whole_block(f, w, 1), whole_block(f, w, 1);
  must_fail_at_close(f, w, GMMU_EINVAL, "block 1 was recorded twice");
}

static void a_block_that_did_not_end_is_an_error(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 32);
  gmt_writer_t *w = started(f, &c);
  uint32_t b;
  must(gmt_writer_cta_begin(w, 0, &b, &f->e), &f->e);
  must_fail_at_close(f, w, GMMU_EINVAL, "1 blocks have not ended");
}

static void the_first_failure_stays(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 32);
  gmt_writer_t *w = started(f, &c);
  uint32_t b;
  warp_op_t op = {.mask = 1};
  must(gmt_writer_cta_begin(w, 0, &b, &f->e), &f->e);
  assert_int_equal(gmt_writer_inst(w, b, 0, 4, &op, &f->e), GMMU_ERANGE);
  assert_int_equal(gmt_writer_cta_end(w, b, &f->e), GMMU_ERANGE);
  must_fail_at_close(f, w, GMMU_ERANGE, "kernel k has no instruction 4");
}

static int launch_error(fixture_t *f, const command_t *c) {
  gmt_writer_t *w;
  must(gmt_writer_new(f->path, NULL, &w, &f->e), &f->e);
  int rc = gmt_writer_command(w, c, &f->e);
  gmt_writer_abort(w);
  return rc;
}

static void launches_beyond_the_limits_are_refused(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 2049);
  assert_int_equal(launch_error(f, &c), GMMU_ERANGE);
  c = launch_of(0, 32);
  assert_int_equal(launch_error(f, &c), GMMU_ERANGE);
  c = launch_of((1u << 26) + 1, 32);
  assert_int_equal(launch_error(f, &c), GMMU_ERANGE);
  c = launch_of(65536, 32), c.launch.grid[1] = 65536, c.launch.grid[2] = 65536;
  assert_int_equal(launch_error(f, &c), GMMU_ERANGE);
  inst_t odd = rows[1];
  odd.width = 3;
  c = launch_of(1, 32), c.launch.inst = &odd, c.launch.inst_count = 1;
  assert_int_equal(launch_error(f, &c), GMMU_EINVAL);
  assert_non_null(strstr(f->e.text, "width"));
}

static void blocks_in_flight_are_limited(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(100000, 1024);
  gmt_writer_t *w = started(f, &c);
  uint32_t b, n = 0;
  while (gmt_writer_cta_begin(w, n, &b, &f->e) == 0) n++;
  assert_int_equal(n, 32768 / 32);
  gmt_writer_abort(w);
}

static void a_program_without_launches_replays(void **state) {
  fixture_t *f = *state;
  command_t c = {.kind = CMD_COPY_IN, .va = UINT64_MAX, .bytes = 1ull << 63}, d;
  gmt_writer_t *w = started(f, &c);
  must(gmt_writer_close(w, &f->e), &f->e);
  source_t *s = opened(f, 0, 1);
  must(s->ops->next_command(s, 0, &d, &f->e), &f->e);
  assert_int_equal(d.kind, CMD_COPY_IN);
  assert_true(d.va == c.va && d.bytes == c.bytes);
  must(s->ops->next_command(s, 0, &d, &f->e), &f->e);
  assert_int_equal(d.kind, CMD_END);
  s->ops->free(s);
}

static void many_commands_need_several_units(void **state) {
  fixture_t *f = *state;
  command_t c = {.kind = CMD_ALLOC}, d;
  gmt_writer_t *w;
  must(gmt_writer_new(f->path, NULL, &w, &f->e), &f->e);
  for (uint32_t i = 0; i < 50000; i++) {
    c.va = rng_mix(i), c.bytes = i;
    must(gmt_writer_command(w, &c, &f->e), &f->e);
  }
  must(gmt_writer_close(w, &f->e), &f->e);
  source_t *s = opened(f, 0, 1);
  for (uint32_t i = 0; i < 50000; i++) {
    must(s->ops->next_command(s, 0, &d, &f->e), &f->e);
    assert_true(d.kind == CMD_ALLOC && d.va == rng_mix(i) && d.bytes == i);
  }
  must(s->ops->next_command(s, 0, &d, &f->e), &f->e);
  assert_int_equal(d.kind, CMD_END);
  s->ops->free(s);
}

static void totals_are_per_kernel(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_TRIAD, .seed = 1, .launches = 3, .blocks = 16, .threads = 128};
  s.length = 8;
  record(f, &s);
  gmt_info_t i;
  must(gmt_info(f->path, &i, &f->e), &f->e);
  assert_int_equal(i.kernels, 2); /* triad0, triad1, triad0 */
  assert_int_equal(i.commands, 2 + 3 * 3);
  gmt_kernel_info_t *k = &i.kernel[0];
  assert_string_equal(k->name, "triad0");
  assert_int_equal(k->launches, 2);
  assert_int_equal(k->blocks, 32);
  assert_int_equal(k->warp_insts, 2 * 64 * (3 + 8 * 13 + 1));
  assert_int_equal(k->mem_insts, 2 * 64 * 8 * 3);
  assert_int_equal(k->inst_count, 17);
  /* three arrays of 64 warps * 8 iterations * 128 bytes, page-aligned */
  assert_int_equal(k->footprint_bytes, 3 * 64 * 8 * 128);
  assert_in_range(k->stored_bytes, 1, i.file_bytes);
  assert_int_equal(i.kernel[1].launches, 1);
  gmt_info_fini(&i);
}

static void a_kernel_name_has_any_length(void **state) {
  fixture_t *f = *state;
  static char name[70001];
  memset(name, 'n', sizeof name - 1);
  command_t c = launch_of(1, 32);
  c.launch.name = name;
  gmt_writer_t *w = started(f, &c);
  whole_block(f, w, 0);
  must(gmt_writer_close(w, &f->e), &f->e);
  gmt_info_t i;
  must(gmt_info(f->path, &i, &f->e), &f->e);
  assert_string_equal(i.kernel[0].name, name);
  gmt_info_fini(&i);
}

static void only_translated_spaces_count_in_the_footprint(void **state) {
  fixture_t *f = *state;
  command_t c = launch_of(1, 32);
  gmt_writer_t *w = started(f, &c);
  uint32_t b;
  warp_op_t op = {.mask = 0x80000001, .mode = ADDR_STRIDE, .base = 4094, .stride = 8192};
  must(gmt_writer_cta_begin(w, 0, &b, &f->e), &f->e);
  must(gmt_writer_inst(w, b, 0, 1, &op, &f->e), &f->e); /* two lanes, each across two pages */
  op.base = 1 << 30;
  must(gmt_writer_inst(w, b, 0, 2, &op, &f->e), &f->e); /* shared */
  op.mode = ADDR_LIST, op.mask = 2, op.lane[1] = 1 << 20, op.lane[0] = 1 << 25;
  must(gmt_writer_inst(w, b, 0, 1, &op, &f->e), &f->e); /* one lane */
  must(gmt_writer_cta_end(w, b, &f->e), &f->e);
  must(gmt_writer_close(w, &f->e), &f->e);
  gmt_info_t i;
  must(gmt_info(f->path, &i, &f->e), &f->e);
  assert_int_equal(i.kernel[0].footprint_bytes, 5 * 4096);
  gmt_info_fini(&i);
}

static void assert_size(fixture_t *f, synth_kind_t kind, uint64_t max_centibytes) {
  synth_spec_t s = {.kind = kind, .seed = 1, .launches = 1, .blocks = 120, .threads = 256};
  s.length = 60;
  record(f, &s);
  gmt_info_t i;
  must(gmt_info(f->path, &i, &f->e), &f->e);
  uint64_t centibytes = i.file_bytes * 100 / i.kernel[0].warp_insts;
  gmt_info_fini(&i);
  if (centibytes > max_centibytes)
    fail_msg("kind %u: %lu/100 bytes per warp instruction", kind, centibytes);
}

/* Asked for: 4 bytes. The bounds are what the coding reaches, with some room. */
static void usual_kernels_take_less_than_a_byte_per_instruction(void **state) {
  assert_size(*state, SYNTH_TRIAD, 5);
  assert_size(*state, SYNTH_SHORT, 90);
  assert_size(*state, SYNTH_DIVERGE, 90);
}

/* 32 random addresses of 26 bits in every tenth instruction are 10.4 bytes per instruction. */
static void random_gathers_take_little_more_than_their_entropy(void **state) {
  assert_size(*state, SYNTH_GATHER, 1250);
}

static void numbers_of_every_length_come_back(void **state) {
  (void)state;
  uint8_t buf[32] = {0};
  for (int bits = 0; bits <= 64; bits++)
    for (int d = -1; d <= 1; d++) {
      uint64_t v = (bits == 64 ? 0 : 1ull << bits) + (uint64_t)d, got;
      uint8_t *end = put_var(buf, v);
      assert_ptr_equal(get_var(buf, &got), end);
      assert_true(got == v);
      assert_true(unzigzag(zigzag(v)) == v);
    }
  assert_ptr_equal(put_var(buf, 127), buf + 1);
  assert_ptr_equal(put_var(buf, 128), buf + 2);
  assert_ptr_equal(put_var(buf, UINT64_MAX), buf + 9);
}

static void a_source_that_does_not_end_is_stopped(void **state) {
  fixture_t *f = *state;
  synth_spec_t s = {.kind = SYNTH_TRIAD, .launches = 1, .blocks = 1, .threads = 32};
  s.length = 1u << 30;
  source_t *in = synth_new(&s);
  assert_int_equal(gmt_record_source(in, f->path, NULL, 100000, &f->e), GMMU_ESTUCK);
  assert_int_not_equal(access(f->path, F_OK), 0);
  in->ops->free(in);
}

static void command(fixture_t *f, source_t *s, command_kind_t kind, uint64_t va, const char *name) {
  command_t c = {0};
  must(s->ops->next_command(s, 0, &c, &f->e), &f->e);
  assert_int_equal(c.kind, kind);
  if (kind != CMD_LAUNCH) assert_int_equal(c.va, va);
  if (name)
    assert_string_equal(c.name, name);
  else
    assert_null(c.name);
}

static void names_and_places_come_back(void **state) {
  static const inst_where_t where[] = {{5, 1, 70000}, {6, 2, 3}, {70001, 0, 0}, {8, 9, 9}};
  static const char *const file[] = {"a.cu", "dir/b.h"};
  fixture_t *f = *state;
  gmt_writer_t *w;
  char longest[300];
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = 0;
  command_t launch = launch_of(1, 32);
  command_t edges = {.kind = CMD_ALLOC, .va = 4096, .bytes = 64, .name = "edges"},
            plain = {.kind = CMD_ALLOC, .va = 8192, .bytes = 64},
            named = {.kind = CMD_NAME, .va = 8200, .bytes = 8, .name = longest};
  launch.launch.where = where, launch.launch.file = file, launch.launch.files = 2;
  must(gmt_writer_new(f->path, NULL, &w, &f->e), &f->e);
  must(gmt_writer_command(w, &edges, &f->e), &f->e);
  must(gmt_writer_command(w, &plain, &f->e), &f->e);
  must(gmt_writer_command(w, &named, &f->e), &f->e);
  must(gmt_writer_command(w, &launch, &f->e), &f->e);
  whole_block(f, w, 0);
  must(gmt_writer_close(w, &f->e), &f->e);
  must(gmt_verify(f->path, &f->e), &f->e);
  source_t *s = opened(f, 0, 1);
  must(s->ops->rewind(s, &f->e), &f->e);
  command(f, s, CMD_ALLOC, 4096, NULL);
  command(f, s, CMD_NAME, 4096, "edges");
  command(f, s, CMD_ALLOC, 8192, NULL);
  longest[GMT_MAX_NAME] = 0;
  command(f, s, CMD_NAME, 8200, longest);
  command_t c = {0};
  must(s->ops->next_command(s, 0, &c, &f->e), &f->e);
  assert_int_equal(c.launch.files, 2);
  assert_string_equal(c.launch.file[1], "dir/b.h");
  assert_memory_equal(c.launch.where, where, 3 * sizeof *where);
  assert_int_equal(c.launch.where[3].line, 8);
  assert_int_equal(c.launch.where[3].file, 0); /* there was no such file */
  s->ops->free(s);
}

/* Only machine code has a version of its own, and what is recorded again keeps it. */
static void machine_code_keeps_its_sm_version(void **state) {
  fixture_t *f = *state;
  for (uint32_t machine = 0; machine <= 90; machine += 90) {
    command_t c = launch_of(1, 32);
    source_t *s;
    gmt_info_t info;
    c.launch.machine = machine;
    gmt_writer_t *w = started(f, &c);
    whole_block(f, w, 0);
    must(gmt_writer_close(w, &f->e), &f->e);
    must(gmt_open(f->path, &s, &f->e), &f->e);
    must(gmt_record_source(s, f->other, NULL, 0, &f->e), &f->e);
    s->ops->free(s);
    must(gmt_open(f->other, &s, &f->e), &f->e);
    assert_int_equal(gmt_machine(s), machine);
    s->ops->free(s);
    must(gmt_info(f->other, &info, &f->e), &f->e);
    assert_int_equal(info.version, machine ? 3 : 2);
    gmt_info_fini(&info);
  }
}

int main(void) {
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
  const struct CMUnitTest tests[] = {
      T(nothing_is_under_the_name_before_the_close),
      T(an_abandoned_recording_keeps_the_old_file),
      T(two_recordings_of_one_name_do_not_meet),
      T(a_directory_that_is_not_there_is_an_error),
      T(a_missing_block_is_an_error),
      T(a_block_recorded_twice_is_an_error),
      T(a_block_that_did_not_end_is_an_error),
      T(the_first_failure_stays),
      T(launches_beyond_the_limits_are_refused),
      T(blocks_in_flight_are_limited),
      T(a_program_without_launches_replays),
      T(many_commands_need_several_units),
      T(totals_are_per_kernel),
      T(a_kernel_name_has_any_length),
      T(only_translated_spaces_count_in_the_footprint),
      T(usual_kernels_take_less_than_a_byte_per_instruction),
      T(random_gathers_take_little_more_than_their_entropy),
      T(numbers_of_every_length_come_back),
      T(a_source_that_does_not_end_is_stopped),
      T(names_and_places_come_back),
      T(machine_code_keeps_its_sm_version),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
