/* The reader of kernel traces: versions, address modes, odd values, errors with their line. */
#include "help.h"

static void a_stride_is_kept_as_one(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i =
      trace_first(&x, HEAD V3 BODY("0050 ffffffff 1 R8 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4"));
  assert_int_equal(i->row.cls, IC_LOAD);
  assert_int_equal(i->row.space, SPACE_GLOBAL);
  assert_int_equal(i->row.width, 4);
  assert_int_equal(i->row.dst, 8);
  assert_int_equal(i->row.src[0], 2);
  assert_int_equal(i->pc, 0x50);
  assert_int_equal(i->op.mode, ADDR_STRIDE);
  assert_int_equal(i->op.base, 0x7f0000000000);
  assert_int_equal(i->op.stride, 4);
  trace_close(&x);
}

static void a_stride_counts_from_the_first_active_lane(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i =
      trace_first(&x, HEAD V3 BODY("0050 000000f0 1 R8 LDG.E.64 1 R2 8 1 0x7f0000001000 8"));
  assert_int_equal(trace_address(&i->op, 4), 0x7f0000001000);
  assert_int_equal(trace_address(&i->op, 7), 0x7f0000001018);
  assert_int_equal(i->row.dsts, 2);
  trace_close(&x);
}

static void differences_count_from_the_previous_active_lane(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i = trace_first(
      &x, HEAD V3 BODY("0060 0000001b 1 R9 LDG.E.SYS 1 R2 4 2 0x7f0040001000 512 -256 4096"));
  assert_int_equal(i->op.mode, ADDR_LIST);
  assert_int_equal(i->op.lane[0], 0x7f0040001000);
  assert_int_equal(i->op.lane[1], 0x7f0040001200);
  assert_int_equal(i->op.lane[3], 0x7f0040001100);
  assert_int_equal(i->op.lane[4], 0x7f0040002100);
  trace_close(&x);
}

static void a_list_has_an_address_per_active_lane(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i = trace_first(
      &x, HEAD V3 BODY("0060 00000301 0 STG.E.U8 2 R2 R9 4 0 0x7f0040001000 0x10 0x7f0040001111"));
  assert_int_equal(i->row.cls, IC_STORE);
  assert_int_equal(i->row.width, 1);
  assert_int_equal(i->op.lane[8], 0x10);
  assert_int_equal(i->op.lane[9], 0x7f0040001111);
  trace_close(&x);
}

static void addresses_with_one_distance_become_a_stride(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i =
      trace_first(&x, HEAD V3 BODY("0060 0000000f 1 R9 LDG.E 1 R2 4 2 0x1000 -8 -8 -8"));
  assert_int_equal(i->op.mode, ADDR_STRIDE);
  assert_int_equal(i->op.stride, -8);
  assert_int_equal(trace_address(&i->op, 3), 0x1000 - 24);
  trace_close(&x);
}

static void tracers_below_3_name_block_and_warp_in_front(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i = trace_first(
      &x, HEAD "-accelsim tracer version = 2\n" BODY("0 0 0 0 0010 ffffffff 1 R1 IADD3 2 R2 R3 0"));
  assert_int_equal(i->pc, 0x10);
  assert_int_equal(i->row.cls, IC_INT);
  assert_int_equal(x.notes.of[NOTE_OWNER].count, 0);
  trace_close(&x);
  trace_first(&x, HEAD "-accelsim tracer version = 2\n" BODY("1 0 0 0 0010 ffffffff 0 NOP 0 0"));
  assert_int_equal(x.notes.of[NOTE_OWNER].count, 1);
  trace_close(&x);
}

static void line_info_puts_a_line_number_in_front(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i =
      trace_first(&x, HEAD "-accelsim tracer version = 4\n-enable lineinfo = 1\n" BODY(
                          "77 0010 ffffffff 1 R1 FFMA 3 R2 R3 R4 0"));
  assert_int_equal(i->pc, 0x10);
  assert_int_equal(i->row.line, 77);
  assert_int_equal(i->row.cls, IC_FP32);
  trace_close(&x);
}

static void tracers_from_5_on_end_with_an_immediate(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i =
      trace_first(&x, HEAD "-accelsim tracer version = 5\n" BODY(
                          "00a0 ffffffff 1 R12 LDG.E.128.SYS 1 R2 16 1 0x7f580face400 16 0"));
  assert_int_equal(i->row.width, 16);
  assert_int_equal(i->row.dsts, 4);
  assert_int_equal(i->op.stride, 16);
  assert_int_equal(x.notes.of[NOTE_EXTRA].count, 0);
  trace_close(&x);
}

static void generic_addresses_find_their_window(void **state) {
  (void)state;
  static const struct {
    const char *line;
    uint8_t space;
  } at[] = {
      {HEAD V3 BODY("00a0 ffffffff 1 R1 LD.E 1 R2 4 1 0x7e0000000100 4"), SPACE_SHARED},
      {HEAD V3 BODY("00a0 ffffffff 1 R1 LD.E 1 R2 4 1 0x7e8000000100 0"), SPACE_LOCAL},
      {HEAD V3 BODY("00a0 ffffffff 1 R1 LD.E 1 R2 4 1 0x7f0000000000 4"), SPACE_GLOBAL},
  };
  for (size_t k = 0; k < 3; k++) {
    trace_t x;
    assert_int_equal(trace_first(&x, at[k].line)->row.space, at[k].space);
    trace_close(&x);
  }
}

static void an_exit_in_the_middle_is_a_branch(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i =
      trace_first(&x, HEAD V3 BODY("0010 0000000f 0 EXIT 0 0\n0020 fffffff0 0 EXIT 0 0"));
  assert_int_equal(i->row.cls, IC_BRANCH);
  assert_int_equal(traceg_next(&x.t, &x.e), TRACEG_INST);
  assert_int_equal(i->row.cls, IC_EXIT);
  trace_close(&x);
}

static void unknown_opcodes_are_counted_integer_operations(void **state) {
  (void)state;
  trace_t x;
  const traceg_inst_t *i = trace_first(&x, HEAD V3 BODY("0010 1 1 R1 FROB.X 1 R2 0"));
  assert_int_equal(i->row.cls, IC_INT);
  assert_string_equal(x.ops.at[0].name, "FROB.X");
  assert_false(x.ops.at[0].op.known);
  assert_int_equal(x.ops.at[0].count, 1);
  trace_close(&x);
}

static void wrong_counts_of_instructions_are_noted(void **state) {
  (void)state;
  trace_t x;
  assert_int_equal(trace_all(&x, HEAD V3 BODY("0010 1 0 NOP 0 0\n0020 1 0 EXIT 0 0")), 0);
  assert_int_equal(x.notes.of[NOTE_COUNT].count, 1);
  assert_string_equal(x.notes.of[NOTE_COUNT].where, "t:16");
  trace_close(&x);
}

static void nonsense_that_does_not_matter_is_noted(void **state) {
  (void)state;
  trace_t x;
  trace_first(&x, "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                  "-shmem = 99999999\n-nregs = 21955\n-binary version = 0\n-colour = red\n" BODY(
                      "0010 1 1 R300 MOV 5 R1 R2 R3 R4 R5 0"));
  assert_int_equal(x.t.header.regs, 0);
  assert_int_equal(x.t.header.shared_bytes, 0);
  static const note_t all[] = {NOTE_REGISTERS, NOTE_SHARED,  NOTE_BINARY,  NOTE_HEADER,
                               NOTE_VERSION,   NOTE_SOURCES, NOTE_REGISTER};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    assert_int_equal(x.notes.of[all[k]].count, 1);
  trace_close(&x);
}

static void memory_without_addresses_is_arithmetic(void **state) {
  (void)state;
  trace_t x;
  assert_int_equal(trace_first(&x, HEAD V3 BODY("0010 1 1 R1 LDG.E 1 R2 0"))->row.cls, IC_INT);
  assert_int_equal(x.notes.of[NOTE_NO_ADDRESS].count, 1);
  trace_close(&x);
}

static void errors_name_their_line(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t line;
    const char *say;
  } wrong[] = {
      {"", 0, "ends in its header"},
      {"kernel\n", 1, "-key = value"},
      {"-grid dim = 1\n", 1, "(x,y,z)"},
      {"-grid dim = (0,1,1)\n-block dim = (1,1,1)\n#\n", 3, "cannot be launched"},
      {"-grid dim = (4000000000,4000000000,4000000000)\n-block dim = (1,1,1)\n#\n", 3, "launched"},
      {"-grid dim = (67108864,67108864,1)\n-block dim = (1,1,1)\n#\n", 3, "2^26"},
      {HEAD V3 "#\n0010 1 0 NOP 0 0\n", 11, "outside a warp"},
      {HEAD V3 "#\nwarp = 0\n", 11, "outside a thread block"},
      {HEAD V3 "#\nthread block = 1,0,0\n", 11, "outside the grid"},
      {HEAD V3 "#\nthread block = 0,0,0\nwarp = 1\n", 12, "of a block of 1 warps"},
      {HEAD V3 "#\nthread block = 0,0,0\n", 11, "ends inside thread block 0,0,0"},
      {HEAD V3 "#\nthread block = 0,0,0\nthread block = 0,0,0\n", 12, "#END_TB is missing"},
      {HEAD V3 "#\nhello\n", 11, "cannot read"},
      {HEAD V3 BODY("0010"), 14, "active mask"},
      {HEAD V3 BODY("0010 1ffffffff 0 NOP 0 0"), 14, "active mask"},
      {HEAD V3 BODY("0010 1 99 R1"), 14, "number of registers"},
      {HEAD V3 BODY("0010 1 1"), 14, "a register"},
      {HEAD V3 BODY("0010 1 0"), 14, "an opcode"},
      {HEAD V3 BODY("0010 1 0 NOP 0"), 14, "access width"},
      {HEAD V3 BODY("0010 1 1 R1 LDG 1 R2 4 7 0x0"), 14, "address mode"},
      {HEAD V3 BODY("0010 3 1 R1 LDG 1 R2 4 0 0x0"), 14, "per active lane"},
      {HEAD V3 BODY("0010 3 1 R1 LDG 1 R2 4 2 0x0"), 14, "per active lane"},
      {HEAD V3 BODY("0010 3 1 R1 LDG 1 R2 4 1 0x0"), 14, "a stride"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    trace_t x;
    if (trace_all(&x, wrong[k].text) != GMMU_EFORMAT || !strstr(x.e.text, wrong[k].say) ||
        x.e.line != wrong[k].line)
      fail_msg("case %zu: %d, line %u: %s", k, x.rc, x.e.line, x.e.text);
    trace_close(&x);
  }
}

/* Whatever a byte becomes, the reader ends, and tells where if it fails. */
static void any_byte_may_be_wrong(void **state) {
  (void)state;
  const char *whole =
      HEAD V3 BODY("0050 000000ff 1 R8 LDG.E.SYS 1 R2 4 2 0x7f0000000000 4 4 4 4 4 8 -4\n"
                   "0060 000000ff 0 EXIT 0 0");
  size_t size = strlen(whole);
  char text[1024];
  for (size_t k = 0; k < size * 8; k++) {
    trace_t x;
    memcpy(text, whole, size + 1);
    text[k / 8] = (char)(text[k / 8] ^ 1 << k % 8);
    if (!text[k / 8]) continue;
    int rc = trace_all(&x, text);
    assert_true(rc == 0 || (rc == GMMU_EFORMAT && x.e.line));
    trace_close(&x);
  }
}

static void any_length_may_be_cut(void **state) {
  (void)state;
  const char *whole = HEAD V3 BODY("0050 000000ff 0 EXIT 0 0");
  char text[1024];
  for (size_t n = 0; n < strlen(whole) - 1; n++) {
    trace_t x;
    memcpy(text, whole, n);
    text[n] = 0;
    int rc = trace_all(&x, text);
    if (rc == 0) assert_true(strlen(whole) - n > strlen(BODY("0050 000000ff 0 EXIT 0 0")) - 12);
    if (rc < 0) assert_int_equal(rc, GMMU_EFORMAT);
    trace_close(&x);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stride_is_kept_as_one),
      cmocka_unit_test(a_stride_counts_from_the_first_active_lane),
      cmocka_unit_test(differences_count_from_the_previous_active_lane),
      cmocka_unit_test(a_list_has_an_address_per_active_lane),
      cmocka_unit_test(addresses_with_one_distance_become_a_stride),
      cmocka_unit_test(tracers_below_3_name_block_and_warp_in_front),
      cmocka_unit_test(line_info_puts_a_line_number_in_front),
      cmocka_unit_test(tracers_from_5_on_end_with_an_immediate),
      cmocka_unit_test(generic_addresses_find_their_window),
      cmocka_unit_test(an_exit_in_the_middle_is_a_branch),
      cmocka_unit_test(unknown_opcodes_are_counted_integer_operations),
      cmocka_unit_test(wrong_counts_of_instructions_are_noted),
      cmocka_unit_test(nonsense_that_does_not_matter_is_noted),
      cmocka_unit_test(memory_without_addresses_is_arithmetic),
      cmocka_unit_test(errors_name_their_line),
      cmocka_unit_test(any_byte_may_be_wrong),
      cmocka_unit_test(any_length_may_be_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
