/* Divergence: hand-written control flow, compared thread by thread with the scalar reference, and
 * the number of warp instructions where it shows whether lanes met again. */
#include "scalar.h"
#include "world.h"

#define THREADS 70u
#define BEGIN                                                                                      \
  PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<6>;\n.reg "      \
           ".pred %p<8>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"                         \
           "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\nmov.u32 %r9, 0;\n"
#define END       "st.global.u32 [%rd2], %r9;\nret;\n}\n"
#define ADD(n)    "add.u32 %r9, %r9, " #n ";\n"
#define BIT(p, b) "and.b32 %r8, %r1, " #b ";\nsetp.ne.u32 " p ", %r8, 0;\n"

static void agree(world_t *w, const char *text) {
  must_load(w, text);
  uint64_t a = must_alloc(w, 4 * THREADS);
  uint32_t slow[THREADS] = {0};
  char why[200];
  pmodule_t *m;
  must_run(w, "k", 1, THREADS, &a);
  assert_int_equal(pmodule_parse("flow", text, strlen(text), &m, &w->e), 0);
  scalar_launch_t l = {{1, 1, 1},       {THREADS, 1, 1}, (const uint8_t *)&a, a, sizeof slow,
                       (uint8_t *)slow, 1000000};
  if (scalar_run(m, "k", &l, why, sizeof why) < 0) fail_msg("%s", why);
  pmodule_free(m);
  for (uint32_t i = 0; i < THREADS; i++) assert_int_equal(read32(w, a + 4 * i), slow[i]);
}

static void nested_ifs(void **state) {
  agree(
      *state,
      BEGIN BIT("%p1", 1)
          BIT("%p2", 2)
              BIT("%p3", 4) "@%p1 bra A;\n" ADD(1) "@%p2 bra B;\n" ADD(10) "bra C;\nB:\n" ADD(100) "@%p3 bra C;\n" ADD(
                  1000) "C:\n" ADD(10000) "bra E;\nA:\n" ADD(5) "@%p3 bra E;\n" ADD(50) "E:\n" ADD(7)
                  END);
}

static void loops_with_different_trip_counts_and_early_exit(void **state) {
  agree(*state,
        BEGIN "mov.u32 %r2, 0;\nL:\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra X;\nadd.u32 %r9, %r9, "
              "%r2;\nadd.u32 %r2, %r2, 1;\nmul.lo.u32 %r3, %r2, 7;\nadd.u32 %r3, %r3, %r1;\n"
              "and.b32 %r3, %r3, 31;\nsetp.eq.u32 %p2, %r3, 13;\n@%p2 bra X;\nand.b32 %r4, %r2, "
              "3;\nsetp.eq.u32 %p3, %r4, 2;\n@%p3 bra L;\n" ADD(1000) "bra L;\nX:\n" ADD(3) END);
}

static void nested_loops_with_break_of_the_outer(void **state) {
  agree(*state, BEGIN
        "mov.u32 %r2, 0;\nO:\nsetp.gt.u32 %p1, %r2, 6;\n@%p1 bra X;\nadd.u32 %r2, %r2, 1;\nmov.u32 "
        "%r3, 0;\nI:\nadd.u32 %r3, %r3, 1;\nadd.u32 %r9, %r9, %r3;\nxor.b32 %r4, %r1, %r9;\n"
        "and.b32 %r4, %r4, 63;\nsetp.eq.u32 %p2, %r4, 17;\n@%p2 bra X;\nand.b32 %r5, %r1, "
        "7;\nsetp.lt.u32 %p3, %r3, %r5;\n@%p3 bra I;\nbra O;\nX:\n" ADD(9) END);
}

static void break_inside_switch_inside_loop(void **state) {
  agree(*state, BEGIN "mov.u32 %r2, 0;\nT: .branchtargets C0, C1, C2, C3;\nL:\nadd.u32 %r2, %r2, "
                      "1;\nadd.u32 %r3, %r1, %r2;\nand.b32 %r3, %r3, 3;\nbrx.idx %r3, "
                      "T;\nC0:\n" ADD(1) "bra D;\nC1:\n" ADD(10) "C2:\n" ADD(
                          100) "bra D;\nC3:\n" ADD(1000) "and.b32 %r4, %r1, "
                                                         "5;\nsetp.eq.u32 %p1, "
                                                         "%r4, 5;\n@%p1 bra "
                                                         "X;\nD:\n" ADD(3) "setp."
                                                                           "lt.u32 "
                                                                           "%p2, "
                                                                           "%r2, "
                                                                           "9;\n@%"
                                                                           "p2 bra "
                                                                           "L;\nX:"
                                                                           "\n" END);
}

static void calls_from_both_sides_of_a_branch(void **state) {
  agree(*state,
        PTX_HEAD ".func (.reg .u32 y) twice(.reg .u32 x)\n{\n.reg .pred %p;\nsetp.gt.u32 %p, x, "
                 "40;\nmov.u32 y, 1;\n@%p ret;\nadd.u32 y, x, x;\nret;\n}\n"
                 ".func (.reg .u32 y) inc(.reg .u32 x)\n{\n.reg .b32 %r;\ncall (%r), twice, "
                 "(x);\nadd.u32 y, %r, 1;\n}\n"
                 ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<10>;\n.reg .b64 %rd<3>;\n.reg "
                 ".pred %p<4>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, "
                 "%r1, 4;\nadd.s64 %rd2, %rd1, %rd2;\n"
                 "mov.u32 %r9, 0;\n" BIT("%p1", 1)
                     BIT("%p2", 6) "@%p1 bra A;\ncall (%r9), inc, (%r1);\nbra B;\nA:\n@%p2 call "
                                   "(%r9), twice, (%r1);\nB:\nadd.u32 %r9, %r9, 5;\n" END);
}

static void exits_before_a_barrier(void **state) {
  agree(*state,
        BEGIN BIT("%p1", 8) BIT("%p2", 16) "@%p1 exit;\nbar.sync 0;\n" ADD(1) "@!%p2 bra A;\n" BIT(
            "%p3", 2) "@%p3 ret;\n" ADD(20) "A:\nbar.sync 0;\n" ADD(300) END);
}

static void exit_inside_a_loop(void **state) {
  agree(
      *state, BEGIN
      "mov.u32 %r2, 0;\nL:\nadd.u32 %r2, %r2, 1;\nadd.u32 %r9, %r9, %r2;\nst.global.u32 [%rd2], "
      "%r9;\nsetp.eq.u32 %p1, %r2, %r1;\n@%p1 exit;\nsetp.lt.u32 %p2, %r2, 20;\n@%p2 bra L;\n" END);
}

static void branch_to_the_next_instruction(void **state) {
  agree(*state,
        BEGIN BIT("%p1", 1) "@%p1 bra N;\nN:\n" ADD(1) "@!%p1 bra M;\nbra M;\nM:\n" ADD(2) END);
}

static void flow_without_structure(void **state) {
  agree(*state,
        BEGIN BIT("%p1", 1) BIT("%p2", 2) BIT("%p3", 4) "mov.u32 %r2, 0;\n@%p1 bra B;\nA:\n" ADD(
            1) "add.u32 %r2, %r2, 1;\nsetp.gt.u32 %p4, %r2, 5;\n@%p4 bra E;\n@%p2 bra "
               "C;\nB:\n" ADD(10) "add.u32 %r2, %r2, 2;\nsetp.gt.u32 %p4, %r2, 7;\n@%p4 bra "
                                  "E;\n@%p3 bra A;\nC:\n" ADD(100) "add.u32 %r2, %r2, "
                                                                   "3;\nsetp.le.u32 %p4, %r2, "
                                                                   "9;\n@%p4 bra B;\nE:\n" END);
}

static uint64_t insts(world_t *w, const char *text) {
  must_load(w, text);
  uint64_t a = must_alloc(w, 128);
  w->stats = (ptx_stats_t){0};
  must_run(w, "k", 1, 32, &a);
  return w->stats.warp_insts;
}

static void lanes_meet_again_after_an_if(void **state) {
  /* 5 of BEGIN, 2 + branch, one side each, then 10 together and 2 of END */
  uint64_t n =
      insts(*state, BEGIN BIT("%p1", 1) "@%p1 bra A;\n" ADD(1) "bra B;\nA:\n" ADD(2) "B:\n" ADD(1)
                        ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) END);
  assert_int_equal(n, 5 + 3 + 2 + 1 + 10 + 2);
}

static void an_exit_does_not_keep_the_others_apart(void **state) {
  uint64_t n = insts(
      *state, BEGIN BIT("%p1", 1) BIT("%p2", 2) "@%p1 bra A;\n@!%p2 bra C;\nexit;\nC:\n" ADD(
                  1) "bra B;\nA:\n" ADD(2) "B:\n" ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) ADD(1) END);
  assert_int_equal(n, 5 + 4 + 1 + 1 + 1 + 2 + 1 + 6 + 2);
}

static void lanes_leave_a_loop_together(void **state) {
  /* 32 rounds of 4, plus the last test; the code behind runs once */
  uint64_t n = insts(*state, BEGIN "L:\nsetp.gt.u32 %p1, %r9, %r1;\n@%p1 bra X;\n" ADD(
                                 1) "bra L;\nX:\n" ADD(1) ADD(1) ADD(1) END);
  assert_int_equal(n, 5 + 32 * 4 + 2 + 3 + 2);
}

static void calls_meet_at_the_return(void **state) {
  uint64_t n = insts(*state, PTX_HEAD
                     ".func (.reg .u32 y) f(.reg .u32 x)\n{\n.reg .pred %p;\nsetp.gt.u32 %p, x, "
                     "10;\nmov.u32 y, 1;\n@%p ret;\nadd.u32 y, x, x;\nret;\n}\n" BEGIN
                     "call (%r9), f, (%r1);\n" ADD(1) ADD(1) END);
  assert_int_equal(n, 5 + 1 + 5 + 2 + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {WORLD_TEST(nested_ifs),
                                     WORLD_TEST(loops_with_different_trip_counts_and_early_exit),
                                     WORLD_TEST(nested_loops_with_break_of_the_outer),
                                     WORLD_TEST(break_inside_switch_inside_loop),
                                     WORLD_TEST(calls_from_both_sides_of_a_branch),
                                     WORLD_TEST(exits_before_a_barrier),
                                     WORLD_TEST(exit_inside_a_loop),
                                     WORLD_TEST(branch_to_the_next_instruction),
                                     WORLD_TEST(flow_without_structure),
                                     WORLD_TEST(lanes_meet_again_after_an_if),
                                     WORLD_TEST(an_exit_does_not_keep_the_others_apart),
                                     WORLD_TEST(lanes_leave_a_loop_together),
                                     WORLD_TEST(calls_meet_at_the_return)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
