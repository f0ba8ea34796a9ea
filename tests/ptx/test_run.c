/* Behaviour of whole kernels: memory spaces, warps together, calls, checking. */
#include "base/strbuf.h"
#include "world.h"

#define REGS                                                                                       \
  ".reg .b32 %r<20>;\n.reg .b64 %rd<10>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<4>;\n.reg .pred "        \
  "%p<6>;\n"
/* Kernel of (u64 a): %rd1 = a, %rd2 = a + 4 * thread of the block, %r1 = that thread */
#define BEGIN                                                                                      \
  PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS                                            \
           "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 "   \
           "%rd2, %rd1, %rd2;\n"
#define KERNEL(body) BEGIN body "\nret;\n}\n"

static void every_thread_sees_its_place(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS
                        "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %ctaid.y;\nmov.u32 %r2, "
                        "%nctaid.x;\nmad.lo.s32 %r1, %r1, %r2, %ctaid.x;\n"
                        "mul.lo.u32 %r2, %ntid.x, %ntid.y;\nmul.lo.u32 %r1, %r1, %r2;\nmad.lo.u32 "
                        "%r3, %tid.y, %ntid.x, %tid.x;\n"
                        "add.u32 %r1, %r1, %r3;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd1, %rd1, "
                        "%rd2;\nmov.u32 %r4, %laneid;\nadd.u32 %r4, %r4, %r1;\n"
                        "st.global.u32 [%rd1], %r4;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4 * 6 * 50);
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, "k", &w->e);
  ptx_launch_t l = {
      .grid = {3, 2, 1}, .block = {10, 5, 1}, .dynamic_shared_bytes = 0, .params = &a};
  assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, NULL, &w->e), 0);
  for (uint32_t i = 0; i < 300; i++) assert_int_equal(read32(w, a + 4 * i), i + i % 50 % 32);
}

static void constants_and_globals_have_their_initial_values(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".const .u32 c[4] = {10, 20, 30, 40};\n.global .u32 g = 5;\n.visible "
                        ".entry k(.param .u64 a)\n{\n" REGS
                        "ld.param.u64 %rd1, [a];\nmov.u64 %rd3, c;\nld.const.u32 %r1, "
                        "[%rd3+8];\nld.const.v2.u32 {%r2, %r3}, [c+8];\n"
                        "ld.global.u32 %r4, [g];\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, "
                        "%r4;\nst.global.u32 [%rd1], %r1;\nst.global.u32 [g], %r1;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4), va, bytes;
  must_run(w, "k", 1, 1, &a);
  assert_int_equal(read32(w, a), 75);
  assert_int_equal(ptx_symbol(w->p, 0, "g", &va, &bytes, &w->e), 0);
  assert_int_equal(read32(w, va), 75);
}

static void blocks_of_a_grid_share_the_words_that_envreg_points_to(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS
                        "mov.u32 %r1, %envreg1;\nmov.u32 %r2, %envreg2;\n"
                        "cvt.u64.u32 %rd2, %r1;\ncvt.u64.u32 %rd3, %r2;\n"
                        "bfi.b64 %rd2, %rd2, %rd3, 32, 32;\natom.add.u32 %r3, [%rd2+4], 1;\n"
                        "ld.param.u64 %rd1, [a];\nmul.wide.u32 %rd3, %ctaid.x, 4;\n"
                        "add.s64 %rd1, %rd1, %rd3;\nst.global.u32 [%rd1], %r3;\nret;\n}\n");
  uint64_t a = must_alloc(w, 16);
  must_run(w, "k", 4, 1, &a);
  uint32_t seen = 0;
  for (uint32_t i = 0; i < 4; i++) seen |= 1u << read32(w, a + 4 * i);
  assert_int_equal(seen, 15);
}

static void dynamic_shared_memory_follows_the_static_part(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD
            ".extern .shared .align 4 .b8 dyn[];\n.visible .entry k(.param .u64 a)\n{\n" REGS
            ".shared .u32 s[4];\n"
            "ld.param.u64 %rd1, [a];\nmov.u32 %r1, dyn;\nmov.u32 %r2, %tid.x;\nshl.b32 %r2, %r2, "
            "2;\nadd.u32 %r3, %r1, %r2;\nst.shared.u32 [%r3], %r2;\n"
            "st.shared.u32 [s], 7;\nbar.sync 0;\nxor.b32 %r2, %r2, 124;\nadd.u32 %r3, %r1, "
            "%r2;\nld.shared.u32 %r4, [%r3];\nmul.wide.u32 %rd2, %tid.x, 4;\n"
            "add.s64 %rd1, %rd1, %rd2;\nst.global.u32 [%rd1], %r4;\nret;\n}\n");
  uint64_t a = must_alloc(w, 128);
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, "k", &w->e);
  assert_int_equal(ptx_kernel_info(k)->shared_bytes, 16);
  ptx_launch_t l = {
      .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 128, .params = &a};
  assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, NULL, &w->e), 0);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read32(w, a + 4 * i), 4 * (31 - i));
  l.dynamic_shared_bytes = 64;
  assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, &w->fault, &w->e), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_ILLEGAL_ADDRESS);
}

static void shared_memory_of_one_kernel_does_not_count_for_another(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".visible .entry one()\n{\n.shared .b8 s[1000];\n.reg .b32 "
                        "%r;\nld.shared.b32 %r, [s];\nret;\n}\n"
                        ".visible .entry two()\n{\n.shared .b8 s[64];\n.reg .b32 %r;\nld.shared.b8 "
                        "%r, [s];\nret;\n}\n");
  assert_int_equal(ptx_kernel_info(ptx_kernel(w->p, -1, "one", &w->e))->shared_bytes, 1000);
  assert_int_equal(ptx_kernel_info(ptx_kernel(w->p, -1, "two", &w->e))->shared_bytes, 64);
}

static void generic_addresses_reach_every_space(void **state) {
  world_t *w = *state;
  must_load(w,
            KERNEL(".shared .u32 s[64];\n.local .u32 l[4];\nmov.u64 %rd3, s;\ncvta.shared.u64 "
                   "%rd4, %rd3;\nmul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd4, %rd4, %rd5;\n"
                   "st.u32 [%rd4], %r1;\ncvta.to.shared.u64 %rd6, %rd4;\nld.shared.u32 %r2, "
                   "[%rd6];\nmov.u64 %rd7, l;\ncvta.local.u64 %rd7, %rd7;\nadd.u32 %r2, %r2, 100;\n"
                   "st.u32 [%rd7+4], %r2;\nld.local.u32 %r3, [l+4];\nst.u32 [%rd2], %r3;\n"
                   "isspacep.shared %p1, %rd4;\nisspacep.local %p2, %rd7;\nisspacep.global %p3, "
                   "%rd2;\nand.pred %p1, %p1, %p2;\nand.pred %p1, %p1, %p3;\n"
                   "@%p1 st.u32 [%rd2+256], 1;\natom.add.u32 %r5, [%rd4], 1;\nld.shared.u32 %r6, "
                   "[%rd6];\nst.global.u32 [%rd2+512], %r6;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 64, &a);
  for (uint32_t i = 0; i < 64; i++) {
    assert_int_equal(read32(w, a + 4 * i), i + 100);
    assert_int_equal(read32(w, a + 256 + 4 * i), 1);
    assert_int_equal(read32(w, a + 512 + 4 * i), i + 1);
  }
}

static void narrow_loads_extend_and_narrow_stores_cut(void **state) {
  world_t *w = *state;
  must_load(
      w,
      KERNEL(".reg .b16 %h<4>;\nmov.u32 %r2, 0x1234f6f5;\nst.global.b8 [%rd1], %r2;\nld.global.s8 "
             "%r3, [%rd1];\nst.global.u32 [%rd1+4], %r3;\nld.global.u8 %rd3, [%rd1];\n"
             "st.global.u64 [%rd1+8], %rd3;\nst.global.b16 [%rd1+16], %r2;\nld.global.s16 %rd4, "
             "[%rd1+16];\nst.global.u64 [%rd1+24], %rd4;\nld.global.s8 %h1, [%rd1];\ncvt.s32.s16 "
             "%r4, %h1;\n"
             "st.global.u32 [%rd1+32], %r4;\nst.global.b32 [%rd1+36], %rd4;"));
  uint64_t a = must_alloc(w, 64), v;
  must_run(w, "k", 1, 1, &a);
  assert_int_equal(read32(w, a + 4), 0xfffffff5);
  devmem_read(w->mem, a + 8, &v, 8, &w->e);
  assert_int_equal(v, 0xf5);
  devmem_read(w->mem, a + 24, &v, 8, &w->e);
  assert_int_equal(v, 0xfffffffffffff6f5u);
  assert_int_equal(read32(w, a + 32), 0xfffffff5);
  assert_int_equal(read32(w, a + 36), 0xfffff6f5);
}

/* --- atomics --- */

/* 32 threads do it to one word; the word afterwards. */
static uint32_t one_atomic(const char *inst, uint32_t start) {
  char text[2000];
  void *state;
  assert_int_equal(world_setup(&state), 0);
  world_t *w = state;
  snprintf(text, sizeof text, "%scvt.rn.f32.u32 %%f1, %%r1;\n%s\nret;\n}\n", BEGIN, inst);
  must_load(w, text);
  uint64_t a = must_alloc(w, 4);
  write32(w, a, start);
  must_run(w, "k", 1, 32, &a);
  uint32_t v = read32(w, a);
  world_teardown(&state);
  return v;
}

static void atomics_do_what_they_say(void **state) {
  (void)state;
  static const struct {
    const char *inst;
    uint32_t start, want;
  } t[] = {{"atom.global.add.u32 %r5, [%rd1], %r1;", 5, 5 + 496},
           {"atom.global.add.s32 %r5, [%rd1], -1;", 5, 5 - 32},
           {"atom.global.min.s32 %r5, [%rd1], %r1;", 0xffffff00, 0xffffff00},
           {"atom.global.min.u32 %r5, [%rd1], %r1;", 0xffffff00, 0},
           {"atom.global.max.s32 %r5, [%rd1], %r1;", 0xffffff00, 31},
           {"atom.global.max.u32 %r5, [%rd1], %r1;", 0xffffff00, 0xffffff00},
           {"atom.global.and.b32 %r5, [%rd1], 0xfffffff0;", 0x1ff, 0x1f0},
           {"atom.global.or.b32 %r5, [%rd1], %r1;", 0x100, 0x11f},
           {"atom.global.xor.b32 %r5, [%rd1], %r1;", 0x100, 0x100},
           {"atom.global.inc.u32 %r5, [%rd1], 9;", 3, (3 + 32) % 10},
           {"atom.global.dec.u32 %r5, [%rd1], 9;", 3, 1},
           {"atom.global.exch.b32 %r5, [%rd1], %r1;", 3, 31},
           {"atom.global.cas.b32 %r5, [%rd1], %r1, 77;", 20, 77},
           {"atom.global.add.f32 %f5, [%rd1], %f1; mov.b32 %r5, %f5;", 0x3f800000, 0x43f88000},
           {"atom.global.add.noftz.f16x2 %r5, [%rd1], 0x3c003c00;", 0x3c000000, 0x50205000},
           {"red.global.add.u32 [%rd1], 2;", 0, 64}};
  for (uint32_t i = 0; i < sizeof t / sizeof *t; i++) {
    uint32_t got = one_atomic(t[i].inst, t[i].start);
    if (got != t[i].want) print_error("%s: %x, not %x\n", t[i].inst, got, t[i].want);
    assert_int_equal(got, t[i].want);
  }
}

static void wide_atomics_work(void **state) {
  world_t *w = *state;
  must_load(w,
            KERNEL(".shared .u32 s;\ncvt.u64.u32 %rd3, %r1;\nred.global.add.u64 [%rd1], "
                   "%rd3;\natom.global.max.s64 %rd4, [%rd1+8], %rd3;\ncvt.rn.f64.u32 %fd1, "
                   "%r1;\natom.global.add.f64 %fd2, [%rd1+16], %fd1;\n"
                   "atom.global.cas.b64 %rd5, [%rd1+24], 0, %rd3;\natom.shared.add.u32 %r2, [s], "
                   "1;\nbar.sync 0;\nld.shared.u32 %r3, [s];\nst.global.u32 [%rd1+32], %r3;"));
  uint64_t a = must_alloc(w, 64), v[5];
  must_run(w, "k", 1, 64, &a);
  devmem_read(w->mem, a, v, sizeof v, &w->e);
  double sum;
  memcpy(&sum, &v[2], 8);
  assert_int_equal(v[0], 2016);
  assert_int_equal(v[1], 63);
  assert_true(sum == 2016);
  assert_int_equal(v[3], 1);
  assert_int_equal((uint32_t)v[4], 64);
}

/* --- together --- */

static void barriers_hold_everyone(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL(".shared .u32 s[256];\nmov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\nadd.u32 %r2, "
                      "%r2, %r3;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\nmov.u32 %r4, s;\nsub.u32 "
                      "%r5, 1020, %r3;\nadd.u32 %r4, %r4, %r5;\n"
                      "ld.shared.u32 %r6, [%r4];\nst.global.u32 [%rd2], %r6;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 256, &a);
  for (uint32_t i = 0; i < 256; i++) assert_int_equal(read32(w, a + 4 * i), 255 - i);
}

static void exited_threads_do_not_hold_a_barrier(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("setp.ge.u32 %p1, %r1, 40;\n@%p1 exit;\nbar.sync 0;\nsetp.ge.u32 %p2, %r1, "
                      "7;\n@%p2 ret;\nbar.sync 0;\nst.global.u32 [%rd2], 1;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 128, &a);
  for (uint32_t i = 0; i < 128; i++) assert_int_equal(read32(w, a + 4 * i), i < 7);
}

static void named_barriers_pair_producers_with_consumers(void **state) {
  world_t *w = *state;
  /* warps 0 and 1 produce, 2 and 3 consume, through barrier 1 of 128 threads */
  must_load(w,
            KERNEL(".shared .u32 s[64];\nsetp.lt.u32 %p1, %r1, 64;\nmov.u32 %r2, s;\nand.b32 %r3, "
                   "%r1, 63;\nshl.b32 %r4, %r3, 2;\nadd.u32 %r2, %r2, %r4;\n@!%p1 bra CONSUME;\n"
                   "add.u32 %r5, %r1, 1000;\nst.shared.u32 [%r2], %r5;\nbar.arrive 1, 128;\nbra "
                   "END;\nCONSUME:\nbar.sync 1, 128;\nld.shared.u32 %r5, [%r2];\nst.global.u32 "
                   "[%rd2], %r5;\nEND:"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 128, &a);
  for (uint32_t i = 64; i < 128; i++) assert_int_equal(read32(w, a + 4 * i), 1000 + i - 64);
}

static void barrier_reductions_see_every_thread(void **state) {
  world_t *w = *state;
  must_load(
      w,
      KERNEL("setp.lt.u32 %p1, %r1, 50;\nbar.red.popc.u32 %r2, 0, %p1;\nst.global.u32 [%rd2], "
             "%r2;\nbar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, !%p1;\nselp.u32 %r3, 1, "
             "0, %p2;\n"
             "selp.u32 %r4, 2, 0, %p3;\nadd.u32 %r3, %r3, %r4;\nst.global.u32 [%rd2+512], %r3;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 100, &a);
  for (uint32_t i = 0; i < 100; i++) {
    assert_int_equal(read32(w, a + 4 * i), 50);
    assert_int_equal(read32(w, a + 512 + 4 * i), 2);
  }
}

static void warp_votes_matches_and_reductions(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("and.b32 %r2, %r1, 3;\nmatch.any.sync.b32 %r3, %r2, -1;\nst.global.u32 "
                      "[%rd2], %r3;\nmatch.all.sync.b32 %r4|%p1, %r2, -1;\nselp.u32 %r5, 1, 0, "
                      "%p1;\nadd.u32 %r4, %r4, %r5;\n"
                      "st.global.u32 [%rd2+128], %r4;\nredux.sync.add.s32 %r6, %r1, "
                      "-1;\nst.global.u32 [%rd2+256], %r6;\nsetp.eq.u32 %p2, %r2, "
                      "1;\nvote.sync.ballot.b32 %r7, %p2, -1;\nst.global.u32 [%rd2+384], %r7;\n"
                      "@%p2 activemask.b32 %r8;\n@!%p2 mov.u32 %r8, 0;\nst.global.u32 [%rd2+512], "
                      "%r8;\nvote.sync.uni.pred %p3, %p2, -1;\nselp.u32 %r9, 1, 0, "
                      "%p3;\nst.global.u32 [%rd2+640], %r9;\n"
                      "redux.sync.min.u32 %r6, %r1, -1;\nshfl.down.b32 %r10, %r1, 1, 31;\nadd.u32 "
                      "%r10, %r10, %r6;\nst.global.u32 [%rd2+768], %r10;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 32, &a);
  for (uint32_t i = 0; i < 32; i++) {
    assert_int_equal(read32(w, a + 4 * i), 0x11111111u << (i & 3));
    assert_int_equal(read32(w, a + 128 + 4 * i), 0);
    assert_int_equal(read32(w, a + 256 + 4 * i), 496);
    assert_int_equal(read32(w, a + 384 + 4 * i), 0x22222222);
    assert_int_equal(read32(w, a + 512 + 4 * i), (i & 3) == 1 ? 0x22222222 : 0);
    assert_int_equal(read32(w, a + 640 + 4 * i), 0);
    assert_int_equal(read32(w, a + 768 + 4 * i), i == 31 ? 31 : i + 1);
  }
}

static void sync_operations_wait_for_diverged_members(void **state) {
  world_t *w = *state;
  /* both halves come to the same shuffle on different ways, with work of different length */
  must_load(w, KERNEL("setp.lt.u32 %p1, %r1, 16;\nmov.u32 %r3, 0;\n@%p1 bra A;\nmov.u32 %r2, "
                      "5;\nB1: add.u32 %r3, %r3, 1;\nsub.u32 %r2, %r2, 1;\nsetp.ne.u32 %p2, %r2, "
                      "0;\n@%p2 bra B1;\nbra M;\nA: mov.u32 %r3, 100;\n"
                      "M: shfl.sync.idx.b32 %r4, %r3, 0, 31, -1;\nshfl.sync.idx.b32 %r5, %r3, 31, "
                      "31, -1;\nadd.u32 %r4, %r4, %r5;\nst.global.u32 [%rd2], %r4;"));
  uint64_t a = must_alloc(w, 128);
  must_run(w, "k", 1, 32, &a);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read32(w, a + 4 * i), 105);
}

static void lanes_of_a_warp_can_wait_for_each_other(void **state) {
  world_t *w = *state; /* a lock that each lane takes in turn, released after the loop */
  must_load(w, KERNEL("L: atom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.s32 %p1, %r2, 0;\n@%p1 "
                      "bra L;\nld.volatile.global.u32 %r3, [%rd1+4];\nadd.u32 %r3, %r3, "
                      "1;\nst.volatile.global.u32 [%rd1+4], %r3;\n"
                      "membar.gl;\nst.volatile.global.u32 [%rd1], 0;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 4, 64, &a);
  assert_int_equal(read32(w, a + 4), 256);
}

static void blocks_can_wait_for_each_other(void **state) {
  world_t *w = *state; /* a barrier of the whole grid */
  must_load(
      w, KERNEL("bar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra W;\natom.global.add.u32 %r2, "
                "[%rd1], 1;\nL: ld.volatile.global.u32 %r3, [%rd1];\nsetp.lt.u32 %p2, %r3, "
                "%nctaid.x;\n@%p2 bra L;\nW: bar.sync 0;\n"
                "mad.lo.u32 %r4, %ctaid.x, 64, %r1;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd3, "
                "%rd1, %rd3;\nld.volatile.global.u32 %r5, [%rd1];\nst.global.u32 [%rd3+64], %r5;"));
  uint64_t a = must_alloc(w, 64 + 4 * 64 * 30);
  must_run(w, "k", 30, 64, &a);
  for (uint32_t i = 0; i < 30 * 64; i++) assert_int_equal(read32(w, a + 64 + 4 * i), 30);
}

static void racing_warps_move_in_step(void **state) {
  world_t *w = *state; /* 8 warps add to the same words without atomics, as some benchmarks do */
  must_load(w, KERNEL("and.b32 %r2, %r1, 31;\nmul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd3, %rd1, "
                      "%rd3;\nmov.u32 %r3, 100;\nL: ld.global.u32 %r4, [%rd3];\nadd.u32 %r4, %r4, "
                      "1;\nst.global.u32 [%rd3], %r4;\nsub.u32 %r3, %r3, 1;\n"
                      "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;"));
  uint64_t a = must_alloc(w, 1024);
  must_run(w, "k", 1, 256, &a);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read32(w, a + 4 * i), 100);
}

/* --- calls --- */

static void indirect_calls_reach_the_function_of_each_lane(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD
            ".func (.param .b32 r) dbl(.param .b32 x)\n{\n.reg .b32 %r;\nld.param.b32 %r, "
            "[x];\nshl.b32 %r, %r, 1;\nst.param.b32 [r], %r;\nret;\n}\n"
            ".func (.param .b32 r) inc(.param .b32 x)\n{\n.reg .b32 %r;\nld.param.b32 %r, "
            "[x];\nadd.u32 %r, %r, 1;\nst.param.b32 [r], %r;\nret;\n}\n"
            ".global .u64 table[2] = {dbl, inc};\n.visible .entry k(.param .u64 a)\n{\n" REGS
            "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 "
            "%rd2, %rd1, %rd2;\nand.b32 %r2, %r1, 1;\nmul.wide.u32 %rd3, %r2, 8;\nmov.u64 %rd4, "
            "table;\nadd.s64 %rd3, %rd3, %rd4;\n"
            "ld.global.u64 %rd5, [%rd3];\n{\n.param .b32 p0; .param .b32 v;\nst.param.b32 [p0], "
            "%r1;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (v), %rd5, (p0), "
            "P;\nld.param.b32 %r3, [v];\n}\n"
            "st.global.u32 [%rd2], %r3;\nret;\n}\n");
  uint64_t a = must_alloc(w, 128);
  must_run(w, "k", 1, 32, &a);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(read32(w, a + 4 * i), i & 1 ? i + 1 : 2 * i);
}

static void recursion_keeps_registers_and_locals_apart(void **state) {
  world_t *w =
      *state; /* sum of 1..n, with the partial sums in local arrays reached through pointers */
  must_load(w, PTX_HEAD ".func (.param .b32 r) sum(.param .b32 n, .param .b64 up)\n{\n.local .u32 "
                        "mine[2];\n.reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.reg .pred "
                        "%p;\nld.param.b32 %r1, [n];\nld.param.b64 %rd1, [up];\n"
                        "st.local.u32 [mine], %r1;\nmov.u32 %r2, 0;\nsetp.eq.u32 %p, %r1, 0;\n@%p "
                        "bra END;\nmov.u64 %rd2, mine;\ncvta.local.u64 %rd2, %rd2;\nsub.u32 %r3, "
                        "%r1, 1;\n{\n.param .b32 a0; .param .b64 a1; .param .b32 v;\n"
                        "st.param.b32 [a0], %r3;\nst.param.b64 [a1], %rd2;\ncall (v), sum, (a0, "
                        "a1);\nld.param.b32 %r2, [v];\n}\nld.local.u32 %r4, [mine];\nadd.u32 %r2, "
                        "%r2, %r4;\nld.local.u32 %r5, [mine+4];\nadd.u32 %r2, %r2, %r5;\n"
                        "END: st.u32 [%rd1+4], 1000;\nst.param.b32 [r], %r2;\nret;\n}\n.visible "
                        ".entry k(.param .u64 a)\n{\n.local .u32 top[2];\n" REGS
                        "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, "
                        "4;\nadd.s64 %rd2, %rd1, %rd2;\nmov.u64 %rd3, top;\ncvta.local.u64 %rd3, "
                        "%rd3;\n{\n.param .b32 a0; .param .b64 a1; .param .b32 v;\n"
                        "st.param.b32 [a0], %r1;\nst.param.b64 [a1], %rd3;\ncall (v), sum, (a0, "
                        "a1);\nld.param.b32 %r2, [v];\n}\nst.global.u32 [%rd2], %r2;\nret;\n}\n");
  uint64_t a = must_alloc(w, 256);
  must_run(w, "k", 1, 40, &a);
  for (uint32_t i = 0; i < 40; i++)
    assert_int_equal(read32(w, a + 4 * i), i * (i + 1) / 2 + 1000 * i);
}

static void endless_recursion_is_a_fault(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".func f()\n{\n.local .b8 l[100];\ncall f;\nret;\n}\n.visible .entry "
                        "k()\n{\ncall f;\nret;\n}\n");
  assert_int_equal(world_run(w, "k", 1, 32, NULL), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_STACK);
  assert_says(w, "calls are nested too deeply");
}

static void modules_find_each_others_names(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".extern .global .u32 shared_value;\n.extern .func (.param .b32 r) "
                        "helper(.param .b32 x);\n.visible .entry k(.param .u64 a)\n{\n" REGS
                        "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [shared_value];\n{\n.param "
                        ".b32 p; .param .b32 v;\nst.param.b32 [p], %r1;\ncall (v), helper, "
                        "(p);\nld.param.b32 %r2, [v];\n}\nst.global.u32 [%rd1], %r2;\nret;\n}\n");
  assert_null(ptx_kernel(w->p, -1, "k", &w->e));
  must_load(w, PTX_HEAD ".visible .global .u32 shared_value = 20;\n.visible .func (.param .b32 r) "
                        "helper(.param .b32 x)\n{\n.reg .b32 %r;\nld.param.b32 %r, [x];\nadd.u32 "
                        "%r, %r, 1;\nst.param.b32 [r], %r;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4);
  must_run(w, "k", 1, 1, &a);
  assert_int_equal(read32(w, a), 21);
}

static void same_names_in_two_modules_stay_apart(void **state) {
  world_t *w = *state;
  must_load(
      w, PTX_HEAD
      ".global .u32 v = 1;\n.visible .entry k(.param .u64 a)\n{\n" REGS
      "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [v];\nst.global.u32 [%rd1], %r1;\nret;\n}\n");
  must_load(
      w, PTX_HEAD
      ".global .u32 v = 2;\n.visible .entry k(.param .u64 a)\n{\n" REGS
      "ld.param.u64 %rd1, [a];\nld.global.u32 %r1, [v];\nst.global.u32 [%rd1], %r1;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4);
  for (int m = 0; m < 2; m++) {
    const ptx_kernel_t *k = ptx_kernel(w->p, m, "k", &w->e);
    ptx_launch_t l = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .dynamic_shared_bytes = 0, .params = &a};
    assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, NULL, &w->e), 0);
    assert_int_equal(read32(w, a), m + 1);
  }
}

/* --- printf, clock --- */

static void collect(void *ctx, const char *text, size_t size) { strbuf_add(ctx, text, size); }

static void kernels_print(void **state) {
  world_t *w = *state;
  strbuf_t out;
  strbuf_init(&out);
  w->options.print = collect, w->options.print_ctx = &out;
  must_load(
      w, PTX_HEAD
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 "
      "fmt[30] = {37,53,100,32,37,46,50,102,32,37,115,32,37,108,108,120,32,37,99,37,37,10,0};\n"
      ".global .align 1 .b8 word[3] = {104,105,0};\n.visible .entry k()\n{\n.local .align 8 .b8 "
      "buf[40];\n" REGS "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 ret;\nst.local.u32 "
      "[buf], %r1;\nmov.f64 %fd1, 0d3FF8000000000000;\nst.local.f64 [buf+8], "
      "%fd1;\nmov.u64 %rd1, word;\ncvta.global.u64 %rd1, %rd1;\n"
      "st.local.u64 [buf+16], %rd1;\nst.local.u64 [buf+24], 0x123456789ab;\nst.local.u32 [buf+32], "
      "90;\nmov.u64 %rd2, buf;\ncvta.local.u64 %rd2, %rd2;\nmov.u64 %rd3, fmt;\n{\n.param .b64 p0; "
      ".param .b64 p1; .param .b32 v;\n"
      "st.param.b64 [p0], %rd3;\nst.param.b64 [p1], %rd2;\ncall.uni (v), vprintf, (p0, "
      "p1);\n}\nret;\n}\n");
  must_run(w, "k", 1, 32, NULL);
  assert_string_equal(strbuf_text(&out),
                      "    0 1.50 hi 123456789ab Z%\n    1 1.50 hi 123456789ab Z%\n");
  strbuf_fini(&out);
}

static void the_clock_goes_on(void **state) {
  world_t *w = *state;
  must_load(w,
            KERNEL("mov.u64 %rd3, %clock64;\nmov.u32 %r2, %clock;\nadd.u32 %r3, %r2, 1;\nmov.u64 "
                   "%rd4, %clock64;\nsub.u64 %rd5, %rd4, %rd3;\nst.global.u64 [%rd1], %rd5;"));
  uint64_t a = must_alloc(w, 8);
  must_run(w, "k", 1, 1, &a);
  assert_int_equal(read32(w, a), 3);
}

/* clang writes xor.pred p, p, -1 for a negation. */
static void predicates_may_be_constants(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD
            ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<6>;\n.reg .b32 %r<4>;\n.reg .b64 "
            "%rd<4>;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
            "add.s64 %rd2, %rd1, %rd2;\nsetp.lt.u32 %p1, %r1, 2;\nxor.pred %p2, %p1, -1;\n"
            "and.pred %p3, 0, %p1;\nor.pred %p4, %p1, 1;\nselp.u32 %r2, 1, 0, %p2;\n"
            "selp.u32 %r3, 2, 0, %p3;\nadd.u32 %r2, %r2, %r3;\nselp.u32 %r3, 4, 0, %p4;\n"
            "add.u32 %r2, %r2, %r3;\nst.global.u32 [%rd2], %r2;\nret;\n}\n");
  uint64_t a = must_alloc(w, 16);
  must_run(w, "k", 1, 4, &a);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(read32(w, a + 4 * i), i < 2 ? 4 : 5);
}

/* --- textures --- */

static void textures_are_read_point_by_point(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD
            ".global .texref old;\n.visible .entry k(.param .u64 a, .param .u64 t)\n{\n" REGS
            "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [t];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 "
            "%rd3, %r1, 16;\nadd.s64 %rd3, %rd1, %rd3;\nsub.u32 %r2, %r1, 1;\ntex.1d.v4.u32.s32 "
            "{%r3,%r4,%r5,%r6}, [%rd2, {%r2}];\n"
            "cvt.rn.f32.s32 %f1, %r2;\nadd.f32 %f1, %f1, 0f3f000000;\nmov.f32 %f2, "
            "0f3fc00000;\ntex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [old, {%f1,%f2}];\nst.global.u32 "
            "[%rd3], %r3;\nst.global.u32 [%rd3+4], %r4;\n"
            "st.global.f32 [%rd3+8], %f3;\nret;\n}\n");
  uint64_t a = must_alloc(w, 128), t1 = must_alloc(w, 32), t2 = must_alloc(w, 512), handle;
  uint16_t texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  devmem_write(w->mem, t1, texels, sizeof texels, &w->e);
  float row[4] = {1, 2, 3, 4};
  devmem_write(w->mem, t2 + 256, row, sizeof row, &w->e);
  ptx_texture_t one = {.va = t1,
                       .width = 4,
                       .channels = 2,
                       .channel_bits = 16,
                       .kind = PTX_TEX_UNSIGNED,
                       .address = {PTX_TEX_CLAMP, PTX_TEX_CLAMP}};
  ptx_texture_t two = {.va = t2,
                       .width = 4,
                       .height = 2,
                       .pitch_bytes = 256,
                       .channels = 1,
                       .channel_bits = 32,
                       .kind = PTX_TEX_FLOAT,
                       .address = {PTX_TEX_CLAMP, PTX_TEX_CLAMP}};
  assert_int_equal(ptx_texture_new(w->p, &one, &handle, &w->e), 0);
  assert_int_equal(ptx_texture_bind(w->p, -1, "old", &two, &w->e), 0);
  uint64_t params[2] = {a, handle};
  must_run(w, "k", 1, 6, params);
  static const uint32_t x[6] = {0, 1, 3, 5, 7, 0}, y[6] = {0, 2, 4, 6, 8, 0};
  static const float f[6] = {1, 1, 2, 3, 4, 4};
  for (uint32_t i = 0; i < 6; i++) {
    uint32_t bits;
    memcpy(&bits, &f[i], 4);
    assert_int_equal(read32(w, a + 16 * i), x[i]);
    assert_int_equal(read32(w, a + 16 * i + 4), y[i]);
    assert_int_equal(read32(w, a + 16 * i + 8), bits);
  }
  assert_int_equal(ptx_texture_free(w->p, handle, &w->e), 0);
  assert_int_equal(world_run(w, "k", 1, 1, params), GMMU_EFAULT);
  assert_says(w, "is not a texture");
}

static void surfaces_are_read_and_written(void **state) {
  world_t *w = *state;
  must_load(w,
            PTX_HEAD ".visible .entry k(.param .u64 a, .param .u64 s, .param .u64 x)\n{\n" REGS
                     "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [s];\nld.param.u32 %r7, [x];\n"
                     "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd3, %rd1, %rd3;\n"
                     "shl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r7;\n"
                     "suld.b.2d.b32.clamp {%r3}, [%rd2, {%r2, 1}];\n"
                     "suld.b.2d.b32.zero %r4, [%rd2, {%r2, 2}];\n"
                     "sust.b.2d.b32.trap [%rd2, {%r2, 0}], {%r1};\n"
                     "st.global.u32 [%rd3], %r3;\nst.global.u32 [%rd3+4], %r4;\nret;\n}\n");
  uint64_t a = must_alloc(w, 64), t = must_alloc(w, 512), handle;
  uint32_t row[4] = {5, 6, 7, 8};
  devmem_write(w->mem, t + 256, row, sizeof row, &w->e);
  ptx_texture_t s = {.va = t,
                     .width = 4,
                     .height = 2,
                     .pitch_bytes = 256,
                     .channels = 1,
                     .channel_bits = 32,
                     .kind = PTX_TEX_SIGNED,
                     .surface = 1};
  assert_int_equal(ptx_texture_new(w->p, &s, &handle, &w->e), 0);
  uint64_t params[3] = {a, handle, 0};
  must_run(w, "k", 1, 4, params);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(read32(w, a + 8 * i), row[i]);
    assert_int_equal(read32(w, a + 8 * i + 4), 0);
    assert_int_equal(read32(w, t + 4 * i), i);
  }
  assert_int_equal(world_run(w, "k", 1, 5, params), GMMU_EFAULT);
  assert_says(w, "surface access");
  params[2] = 2;
  assert_int_equal(world_run(w, "k", 1, 1, params), GMMU_EFAULT);
  assert_says(w, "is not aligned");
  s.linear = 1; /* integers cannot be filtered */
  assert_int_equal(ptx_texture_new(w->p, &s, &handle, &w->e), GMMU_EINVAL);
}

/* --- checking --- */

static void count_warning(void *ctx, const err_t *e) {
  uint32_t *n = ctx;
  assert_int_equal(e->code, GMMU_EFAULT);
  assert_non_null(strstr(e->text, *n < 3 * 28 ? "past the end of 'a'" : "of shared memory"));
  ++*n;
}

/* 32 lanes of one word each, over an array of 4 words and over 16 bytes of shared memory. */
static const char outside_ptx[] = PTX_HEAD
    ".visible .entry k(.param .u64 a, .param .u64 o)\n{\n.reg .b32 %r<8>;\n.reg .b64 "
    "%rd<8>;\n.shared .align 4 .b8 s[16];\n"
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [o];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n"
    "ld.global.u32 %r2, [%rd4];\n"
    "st.global.u32 [%rd4], 9;\n"
    "atom.global.add.u32 %r3, [%rd4], 1;\n"
    "shl.b32 %r4, %r1, 2;\nmov.u32 %r6, s;\nadd.u32 %r4, %r4, %r6;\nst.shared.u32 [%r4], "
    "5;\nld.shared.u32 %r5, [%r4];\n"
    "shl.b32 %r3, %r3, 8;\nshl.b32 %r5, %r5, 16;\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r2, %r2, "
    "%r5;\nst.global.u32 [%rd5], %r2;\nret;\n}\n";

static void outside_their_bounds_lanes_read_zero_and_write_nothing(void **state) {
  world_t *w = *state;
  uint64_t a, o, params[2];
  uint32_t word[4] = {1, 2, 3, 4}, got[32], warnings = 0;
  must_load(w, outside_ptx);
  assert_int_equal(devmem_alloc(w->mem, 128, 4, "o", &o, &w->e), 0);
  assert_int_equal(devmem_alloc(w->mem, 16, 4, "a", &a, &w->e), 0); /* nothing is behind it */
  for (uint32_t how = PTX_BOUNDS_WARN; how <= PTX_BOUNDS_IGNORE; how++) {
    assert_int_equal(devmem_write(w->mem, a, word, 16, &w->e), 0);
    params[0] = a, params[1] = o;
    ptx_launch_t l = {
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 0, .params = params};
    ptx_options_t options = {
        .bounds = (ptx_bounds_t)how, .warn = count_warning, .warn_ctx = &warnings};
    const ptx_kernel_t *k = ptx_kernel(w->p, -1, "k", &w->e);
    assert_non_null(k);
    assert_int_equal(ptx_run(w->p, k, &l, &options, &w->stats, &w->fault, &w->e), 0);
    assert_int_equal(warnings, 5 * 28); /* five accesses of 28 lanes; ignored ones are not told */
    assert_int_equal(devmem_read(w->mem, o, got, sizeof got, &w->e), 0);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(got[i], i < 4 ? (i + 1) | 0x50900 : 0);
    assert_int_equal(devmem_read(w->mem, a, got, 16, &w->e), 0);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(got[i], 10);
  }
}

static void an_access_outside_is_named_with_its_place(void **state) {
  world_t *w = *state;
  must_load(
      w,
      KERNEL(
          "mul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd3, %rd1, %rd3;\nst.global.u32 [%rd3+12], %r1;"));
  uint64_t a = must_alloc(w, 100);
  assert_int_equal(world_run(w, "k", 2, 32, &a), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_ILLEGAL_ADDRESS);
  assert_int_equal(w->fault.address, a + 100);
  assert_int_equal(w->fault.thread[0], 11);
  assert_int_equal(w->fault.line, 17);
  assert_says(w,
              "kernel 'k', block (0,0,0), thread (11,0,0), line 17: st.global.u32 [%rd3+12], %r1;");
  assert_says(w, "4-byte store");
  assert_says(w, "0 bytes past the end of 'buffer'");
}

static void an_access_that_straddles_the_end_is_not_inside(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+96];"));
  uint64_t a = must_alloc(w, 100);
  assert_int_equal(world_run(w, "k", 1, 1, &a), GMMU_EFAULT);
  assert_int_equal(w->fault.address, a + 96);
  assert_says(w, "16-byte load");
  assert_says(w, "its last 12 bytes are past the end of 'buffer'");
}

static void freed_and_misaligned_accesses_are_told_apart(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("ld.global.u32 %r2, [%rd2];"));
  uint64_t a = must_alloc(w, 128), odd = a + 2;
  assert_int_equal(world_run(w, "k", 1, 1, &odd), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_MISALIGNED);
  devmem_release(w->mem, a, &w->e);
  assert_int_equal(world_run(w, "k", 1, 1, &a), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_FREED);
  assert_says(w, "inside freed 'buffer'");
  uint64_t null = 0;
  assert_int_equal(world_run(w, "k", 1, 1, &null), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_ILLEGAL_ADDRESS);
}

static void inactive_lanes_do_not_fault(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("mov.u64 %rd3, 1;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u64 %rd3, %rd1;\n@%p1 "
                      "st.global.u32 [%rd3], 9;\n@!%p1 div.u32 %r2, %r1, 0;"));
  uint64_t a = must_alloc(w, 4);
  must_run(w, "k", 1, 32, &a);
  assert_int_equal(read32(w, a), 9);
}

static void spaces_have_their_bounds(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL(".shared .u32 s[4];\nst.shared.u32 [s+16], %r1;"));
  uint64_t a = must_alloc(w, 4);
  assert_int_equal(world_run(w, "k", 1, 1, &a), GMMU_EFAULT);
  assert_says(w, "of shared memory, which has 16 bytes");
}

static void traps_and_failed_assertions_stop_the_kernel(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("setp.eq.u32 %p1, %r1, 2;\n@%p1 trap;"));
  uint64_t a = must_alloc(w, 4);
  assert_int_equal(world_run(w, "k", 1, 32, &a), GMMU_EFAULT);
  assert_int_equal(w->fault.kind, PTX_FAULT_TRAP);
  assert_int_equal(w->fault.thread[0], 2);
}

static void a_lost_barrier_is_reported_with_positions(void **state) {
  world_t *w = *state;
  must_load(
      w, KERNEL("setp.lt.u32 %p1, %r1, 32;\n@%p1 bra A;\nbar.sync 1;\nbra E;\nA: bar.sync 2;\nE:"));
  uint64_t a = must_alloc(w, 4);
  assert_int_equal(world_run(w, "k", 1, 64, &a), GMMU_ESTUCK);
  assert_int_equal(w->fault.kind, PTX_FAULT_STUCK);
  assert_says(w, "1 warp at line 19: A: bar.sync 2;");
  assert_says(w, "1 warp at line 17: bar.sync 1;");
}

static void cache_hints_change_nothing(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("ld.global.L1::evict_last.L2::cache_hint.b32 %r2, [%rd1], %rd1;\n"
                      "atom.global.add.L2::cache_hint.u32 %r3, [%rd1], 5, %rd1;\n"
                      "applypriority.global.L2::evict_normal [%rd1], 128;\n"
                      "add.u32 %r2, %r2, %r3;\n"
                      "st.global.L1::no_allocate.L2::cache_hint.b32 [%rd1+4], %r2, %rd1;"));
  uint64_t a = must_alloc(w, 8);
  uint32_t v[2] = {7, 0};
  devmem_write(w->mem, a, v, 8, &w->e);
  assert_int_equal(world_run(w, "k", 1, 1, &a), 0);
  devmem_read(w->mem, a, v, 8, &w->e);
  assert_int_equal(v[0], 12);
  assert_int_equal(v[1], 14);
}

static void a_spin_without_end_is_reported(void **state) {
  world_t *w = *state;
  must_load(
      w, KERNEL("L: ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;"));
  uint64_t a = must_alloc(w, 4);
  assert_int_equal(world_run(w, "k", 5000, 64, &a), GMMU_ESTUCK);
  assert_says(w, "makes no progress");
  assert_says(w, "block (");
  assert_in_range(w->stats.warp_insts, 1, 2000000);
}

static void a_spin_on_local_memory_is_reported(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS
                        ".local .u32 l[2];\nld.param.u64 %rd1, [a];\nL: ld.global.u32 %r2, "
                        "[%rd1];\nst.local.u32 [l], %r2;\nld.local.u32 %r3, [l];\nsetp.eq.u32 "
                        "%p1, %r3, 0;\n@%p1 bra L;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4);
  assert_int_equal(world_run(w, "k", 2, 64, &a), GMMU_ESTUCK);
}

#define COUNT(n)                                                                                   \
  "mov.u32 %r5, 0;\nC: add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, " n ";\n@%p2 bra C;\n"

static void a_long_loop_without_stores_is_not_stuck(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL(COUNT("400000") "st.global.u32 [%rd1], %r5;"));
  uint64_t a = must_alloc(w, 4);
  must_run(w, "k", 1, 32, &a);
  assert_int_equal(read32(w, a), 400000);
}

static void a_long_loop_over_local_memory_is_not_stuck(void **state) {
  world_t *w = *state;
  must_load(w, PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n" REGS
                        ".local .u32 l[2];\nld.param.u64 %rd1, [a];\nmov.u32 %r2, 0;\nst.local.u32 "
                        "[l], %r2;\nL: ld.local.u32 %r2, [l];\nadd.u32 %r2, %r2, 1;\nst.local.u32 "
                        "[l], %r2;\nmov.u32 %r3, 0;\nsetp.lt.u32 %p1, %r2, 200000;\nmov.u32 %r2, "
                        "0;\n@%p1 bra L;\nld.local.u32 %r2, [l];\nst.global.u32 [%rd1], "
                        "%r2;\nret;\n}\n");
  uint64_t a = must_alloc(w, 4);
  must_run(w, "k", 1, 32, &a);
  assert_int_equal(read32(w, a), 200000);
}

/* The second block waits for the first, which is long silent. */
static void waiting_for_a_slow_block_is_not_stuck(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("mov.u32 %r6, %ctaid.x;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 bra S;\n"
                      "L: ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p3, %r2, 0;\n@%p3 bra "
                      "L;\nst.global.u32 [%rd1+4], %r2;\nbra E;\nS:\n" COUNT(
                          "300000") "st.global.u32 [%rd1], 7;\nE:"));
  uint64_t a = must_alloc(w, 8);
  must_run(w, "k", 40, 64, &a);
  assert_int_equal(read32(w, a + 4), 7);
}

static void waiting_for_the_clock_is_not_stuck(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL("L: mov.u64 %rd3, %clock64;\nshr.u64 %rd3, %rd3, 18;\nsetp.eq.u64 %p1, %rd3, "
                      "0;\n@%p1 bra L;\nst.global.u32 [%rd1], 3;"));
  uint64_t a = must_alloc(w, 4);
  must_run(w, "k", 1, 32, &a);
  assert_int_equal(read32(w, a), 3);
}

static void a_kernel_that_lacks_something_does_not_hinder_the_others(void **state) {
  world_t *w = *state;
  must_load(w,
            PTX_HEAD ".extern .func missing();\n.extern .global .u32 gone;\n"
                     ".visible .entry k(.param .u64 a)\n{\n" REGS
                     "ld.param.u64 %rd1, [a];\nst.global.u32 [%rd1], 5;\nret;\n}\n"
                     ".visible .entry calls()\n{\ncall missing;\nret;\n}\n"
                     ".visible .entry reads()\n{\n" REGS "ld.global.u32 %r1, [gone];\nret;\n}\n");
  uint64_t a = must_alloc(w, 4);
  must_run(w, "k", 1, 1, &a);
  assert_int_equal(read32(w, a), 5);
  assert_int_equal(world_run(w, "calls", 1, 1, NULL), GMMU_ENOENT);
  assert_says(w, "function 'missing' is used but nowhere defined");
  assert_int_equal(world_run(w, "reads", 1, 1, NULL), GMMU_ENOENT);
  assert_says(w, "variable 'gone' is used but nowhere defined");
  must_load(w, PTX_HEAD ".visible .func missing()\n{\nret;\n}\n.visible .global .u32 gone = 1;\n");
  must_run(w, "calls", 1, 1, NULL);
  must_run(w, "reads", 1, 1, NULL);
}

static void bad_launches_are_refused(void **state) {
  world_t *w = *state;
  must_load(w, KERNEL(""));
  uint64_t a = 0;
  const ptx_kernel_t *k = ptx_kernel(w->p, -1, "k", &w->e);
  ptx_launch_t l = {
      .grid = {1, 1, 1}, .block = {1025, 1, 1}, .dynamic_shared_bytes = 0, .params = &a};
  assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, NULL, &w->e), GMMU_EINVAL);
  l.block[0] = 0;
  assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, NULL, &w->e), GMMU_EINVAL);
  l.block[0] = 1, l.params = NULL;
  assert_int_equal(ptx_run(w->p, k, &l, NULL, NULL, NULL, &w->e), GMMU_EINVAL);
  assert_null(ptx_kernel(w->p, -1, "kk", &w->e));
  err_format(&w->e, w->text, sizeof w->text);
  assert_says(w, "did you mean 'k'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      WORLD_TEST(every_thread_sees_its_place),
      WORLD_TEST(constants_and_globals_have_their_initial_values),
      WORLD_TEST(blocks_of_a_grid_share_the_words_that_envreg_points_to),
      WORLD_TEST(dynamic_shared_memory_follows_the_static_part),
      WORLD_TEST(shared_memory_of_one_kernel_does_not_count_for_another),
      WORLD_TEST(generic_addresses_reach_every_space),
      WORLD_TEST(narrow_loads_extend_and_narrow_stores_cut),
      WORLD_TEST(atomics_do_what_they_say),
      WORLD_TEST(wide_atomics_work),
      WORLD_TEST(barriers_hold_everyone),
      WORLD_TEST(exited_threads_do_not_hold_a_barrier),
      WORLD_TEST(named_barriers_pair_producers_with_consumers),
      WORLD_TEST(barrier_reductions_see_every_thread),
      WORLD_TEST(warp_votes_matches_and_reductions),
      WORLD_TEST(sync_operations_wait_for_diverged_members),
      WORLD_TEST(lanes_of_a_warp_can_wait_for_each_other),
      WORLD_TEST(blocks_can_wait_for_each_other),
      WORLD_TEST(racing_warps_move_in_step),
      WORLD_TEST(indirect_calls_reach_the_function_of_each_lane),
      WORLD_TEST(recursion_keeps_registers_and_locals_apart),
      WORLD_TEST(endless_recursion_is_a_fault),
      WORLD_TEST(modules_find_each_others_names),
      WORLD_TEST(same_names_in_two_modules_stay_apart),
      WORLD_TEST(kernels_print),
      WORLD_TEST(the_clock_goes_on),
      WORLD_TEST(predicates_may_be_constants),
      WORLD_TEST(textures_are_read_point_by_point),
      WORLD_TEST(surfaces_are_read_and_written),
      WORLD_TEST(an_access_outside_is_named_with_its_place),
      WORLD_TEST(an_access_that_straddles_the_end_is_not_inside),
      WORLD_TEST(outside_their_bounds_lanes_read_zero_and_write_nothing),
      WORLD_TEST(freed_and_misaligned_accesses_are_told_apart),
      WORLD_TEST(inactive_lanes_do_not_fault),
      WORLD_TEST(spaces_have_their_bounds),
      WORLD_TEST(traps_and_failed_assertions_stop_the_kernel),
      WORLD_TEST(a_lost_barrier_is_reported_with_positions),
      WORLD_TEST(cache_hints_change_nothing),
      WORLD_TEST(a_spin_without_end_is_reported),
      WORLD_TEST(a_spin_on_local_memory_is_reported),
      WORLD_TEST(a_long_loop_without_stores_is_not_stuck),
      WORLD_TEST(a_long_loop_over_local_memory_is_not_stuck),
      WORLD_TEST(waiting_for_a_slow_block_is_not_stuck),
      WORLD_TEST(waiting_for_the_clock_is_not_stuck),
      WORLD_TEST(a_kernel_that_lacks_something_does_not_hinder_the_others),
      WORLD_TEST(bad_launches_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
