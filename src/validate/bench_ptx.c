/* PTX of the microbenchmarks. All have the parameters of bench_params_t, begin with HEAD and end
 * with TAIL: thread 0 of a block writes the clock before and after into the block's slot. Between
 * the two a block waits for all its threads, and TAIL's store needs what was computed last, so the
 * clock is read when the work is done. */
#include "validate/bench.h"
#include <stddef.h>

#define MODULE ".version 6.0\n.target sm_30\n.address_size 64\n"
#define HEAD(name)                                                                                 \
  ".visible .entry " name "(.param .u64 p_a, .param .u64 p_b, .param .u64 p_c, .param .u64 "       \
  "p_out, .param .u32 p_count, .param .u32 p_warm, .param .u32 p_stride, .param .u32 p_mask)\n"    \
  "{\n"                                                                                            \
  "  .reg .pred %p<4>;\n"                                                                          \
  "  .reg .b32 %r<24>;\n"                                                                          \
  "  .reg .b64 %d<24>;\n"                                                                          \
  "  .reg .f32 %f<16>;\n"                                                                          \
  "  .reg .f64 %g<4>;\n"                                                                           \
  "  ld.param.u64 %d1, [p_a];\n"                                                                   \
  "  ld.param.u64 %d2, [p_b];\n"                                                                   \
  "  ld.param.u64 %d3, [p_c];\n"                                                                   \
  "  ld.param.u64 %d4, [p_out];\n"                                                                 \
  "  ld.param.u32 %r1, [p_count];\n"                                                               \
  "  ld.param.u32 %r2, [p_warm];\n"                                                                \
  "  ld.param.u32 %r3, [p_stride];\n"                                                              \
  "  ld.param.u32 %r4, [p_mask];\n"                                                                \
  "  mov.u32 %r5, %tid.x;\n"                                                                       \
  "  mov.u32 %r6, %ctaid.x;\n"                                                                     \
  "  mov.u32 %r7, %ntid.x;\n"                                                                      \
  "  mad.lo.u32 %r8, %r6, %r7, %r5;\n" /* number of the thread */                                  \
  "  mul.wide.u32 %d5, %r6, 16;\n"                                                                 \
  "  add.u64 %d4, %d4, %d5;\n" /* the block's slot */                                              \
  "  setp.eq.u32 %p3, %r5, 0;\n"                                                                   \
  "  mov.u32 %r9, 0;\n"
#define START                                                                                      \
  "  bar.sync 0;\n"                                                                                \
  "  mov.u64 %d6, %clock64;\n"
/* %r9 is what was computed. */
#define TAIL                                                                                       \
  "  setp.eq.u32 %p2, %r9, 0x7fffffff;\n"                                                          \
  "  bar.sync 0;\n"                                                                                \
  "  @%p2 add.u64 %d6, %d6, 0;\n"                                                                  \
  "  mov.u64 %d7, %clock64;\n"                                                                     \
  "  @%p3 st.global.u64 [%d4], %d6;\n"                                                             \
  "  @%p3 st.global.u64 [%d4+8], %d7;\n"                                                           \
  "  ret;\n"                                                                                       \
  "}\n"

#define X4(x) x x x x

/* 16 * count of an instruction, each of which waits for the one before. What the loop needs goes
 * between them, so that it takes no time of its own. */
#define LOOP(op)                                                                                   \
  "NEXT:\n"                                                                                        \
  "  sub.u32 %r1, %r1, 1;\n" X4("  " op "\n") "  setp.ne.u32 %p1, %r1, 0;\n" X4("  " op "\n")      \
      X4("  " op "\n") X4("  " op "\n") "  @%p1 bra NEXT;\n"

/* A ring of addresses from a on: `warm` loads, then 16 * count with a clock. One thread; if b is
 * given, mask + 1 loads at stride from there come first, which fill the TLB. */
#define CHASE(name, load)                                                                          \
  MODULE HEAD(name) "PAGE:\n"                                                                      \
                    "  setp.eq.u32 %p1, %r4, 0;\n"                                                 \
                    "  @%p1 bra WARM;\n"                                                           \
                    "  ld.global.cg.u32 %r10, [%d2];\n"                                            \
                    "  add.u32 %r9, %r9, %r10;\n"                                                  \
                    "  cvt.u64.u32 %d8, %r3;\n"                                                    \
                    "  add.u64 %d2, %d2, %d8;\n"                                                   \
                    "  sub.u32 %r4, %r4, 1;\n"                                                     \
                    "  bra PAGE;\n"                                                                \
                    "WARM:\n"                                                                      \
                    "  setp.eq.u32 %p1, %r2, 0;\n"                                                 \
                    "  @%p1 bra TIME;\n"                                                           \
                    "  " load "\n"                                                                 \
                    "  sub.u32 %r2, %r2, 1;\n"                                                     \
                    "  bra WARM;\n"                                                                \
                    "TIME:\n"                                                                      \
                    "  cvt.u32.u64 %r9, %d1;\n"                                                    \
                    "  setp.eq.u32 %p2, %r9, 0x7fffffff;\n" START                                  \
                    LOOP(load) "  cvt.u32.u64 %r9, %d1;\n" TAIL

/* The same in shared memory, whose ring (of 64 words) it writes itself; 32-bit addresses. */
#define SHARED_CHASE                                                                               \
  MODULE ".shared .align 16 .b8 ring[256];\n" HEAD(                                                \
      "v_shared") "  mov.u32 %r10, ring;\n"                                                        \
                  "  mov.u32 %r11, 0;\n"                                                           \
                  "LINK:\n"                                                                        \
                  "  add.u32 %r12, %r11, 4;\n"                                                     \
                  "  and.b32 %r12, %r12, 255;\n"                                                   \
                  "  add.u32 %r13, %r10, %r11;\n"                                                  \
                  "  add.u32 %r14, %r10, %r12;\n"                                                  \
                  "  st.shared.u32 [%r13], %r14;\n"                                                \
                  "  mov.u32 %r11, %r12;\n"                                                        \
                  "  setp.ne.u32 %p1, %r11, 0;\n"                                                  \
                  "  @%p1 bra LINK;\n" START LOOP(                                                 \
                      "ld.shared.u32 %r10, [%r10];") "  mov.u32 %r9, %r10;\n" TAIL

/* 16 * count dependent instructions. */
#define CHAIN(name, before, op, after)                                                             \
  MODULE HEAD(name)                                                                                \
  before START LOOP(op)                                                                            \
  after TAIL
#define FLOATS                                                                                     \
  "  mov.f32 %f1, 0f3f800000;\n  mov.f32 %f2, 0f3f800000;\n  mov.f32 %f3, 0f00000000;\n"
#define DOUBLES "  mov.f64 %g1, 0d3ff0000000000000;\n  mov.f64 %g2, 0d3ff0000000000000;\n"
#define OF_F    "  mov.b32 %r9, %f1;\n"
#define OF_G    "  cvt.rzi.s32.f64 %r9, %g1;\n"
#define OF_R    "  mov.u32 %r9, %r10;\n"

/* All threads go through memory together, 16 bytes each: count steps of stride bytes, from the
 * thread's own place on, modulo mask + 1 bytes. */
#define STREAM(name, body)                                                                         \
  MODULE HEAD(name) "  shl.b32 %r10, %r8, 4;\n" START "NEXT:\n"                                    \
                    "  and.b32 %r11, %r10, %r4;\n"                                                 \
                    "  cvt.u64.u32 %d8, %r11;\n"                                                   \
                    "  add.u64 %d9, %d1, %d8;\n"                                                   \
                    "  add.u64 %d10, %d2, %d8;\n"                                                  \
                    "  add.u64 %d11, %d3, %d8;\n" body "  add.u32 %r10, %r10, %r3;\n"              \
                    "  sub.u32 %r1, %r1, 1;\n"                                                     \
                    "  setp.ne.u32 %p1, %r1, 0;\n"                                                 \
                    "  @%p1 bra NEXT;\n"                                                           \
                    "  mov.b32 %r9, %f1;\n" TAIL
#define LOAD(how, first, at) "  ld.global" how ".v4.f32 {" first "}, [" at "];\n"
#define STORE(first, at)     "  st.global.v4.f32 [" at "], {" first "};\n"
#define A                    "%f1, %f2, %f3, %f4"
#define B                    "%f5, %f6, %f7, %f8"

/* count loads of 4 bytes of random sectors below (mask + 1) * 32 bytes, by every thread */
#define GATHER                                                                                     \
  MODULE HEAD("v_gather") START "NEXT:\n"                                                          \
                                "  mad.lo.u32 %r8, %r8, 1664525, 1013904223;\n"                    \
                                "  shr.u32 %r10, %r8, 8;\n"                                        \
                                "  xor.b32 %r10, %r10, %r8;\n"                                     \
                                "  and.b32 %r10, %r10, %r4;\n"                                     \
                                "  mul.wide.u32 %d8, %r10, 32;\n"                                  \
                                "  add.u64 %d9, %d1, %d8;\n"                                       \
                                "  ld.global.cg.u32 %r11, [%d9];\n"                                \
                                "  sub.u32 %r1, %r1, 1;\n"                                         \
                                "  setp.ne.u32 %p1, %r1, 0;\n"                                     \
                                "  @%p1 bra NEXT;\n"                                               \
                                "  mov.u32 %r9, %r11;\n" TAIL

/* count atomic additions of every thread, to the word `stride` bytes times its number on */
#define ADD                                                                                        \
  MODULE HEAD("v_add") "  mul.wide.u32 %d8, %r8, %r3;\n"                                           \
                       "  add.u64 %d9, %d1, %d8;\n" START "NEXT:\n"                                \
                       "  atom.global.add.u32 %r10, [%d9], 1;\n"                                   \
                       "  sub.u32 %r1, %r1, 1;\n"                                                  \
                       "  setp.ne.u32 %p1, %r1, 0;\n"                                              \
                       "  @%p1 bra NEXT;\n"                                                        \
                       "  mov.u32 %r9, %r10;\n" TAIL

/* A load of every page, by one thread of each block: `warm` of them, at stride from a on. */
#define TOUCH                                                                                      \
  MODULE HEAD("v_touch") START "  @!%p3 bra DONE;\n"                                               \
                               "  cvt.u64.u32 %d8, %r3;\n"                                         \
                               "NEXT:\n"                                                           \
                               "  ld.global.cg.u32 %r10, [%d1];\n"                                 \
                               "  add.u32 %r9, %r9, %r10;\n"                                       \
                               "  add.u64 %d1, %d1, %d8;\n"                                        \
                               "  sub.u32 %r2, %r2, 1;\n"                                          \
                               "  setp.ne.u32 %p1, %r2, 0;\n"                                      \
                               "  @%p1 bra NEXT;\n"                                                \
                               "DONE:\n" TAIL

#define MULTIPLY_ADD                                                                               \
  "  fma.rn.f32 %f1, %f1, %f5, %f5;\n"                                                             \
  "  fma.rn.f32 %f2, %f2, %f6, %f6;\n"                                                             \
  "  fma.rn.f32 %f3, %f3, %f7, %f7;\n"                                                             \
  "  fma.rn.f32 %f4, %f4, %f8, %f8;\n"

const char *const bench_ptx[] = {
    CHASE("v_load", "ld.global.u64 %d1, [%d1];"),
    CHASE("v_atomic", "atom.global.or.b64 %d1, [%d1], 0;"),
    SHARED_CHASE,
    CHAIN("v_ffma", FLOATS, "fma.rn.f32 %f1, %f1, %f2, %f3;", OF_F),
    CHAIN("v_iadd", "  mov.u32 %r10, 1;\n", "add.s32 %r10, %r10, %r5;", OF_R),
    CHAIN("v_imad", "  mov.u32 %r10, 1;\n", "mad.lo.s32 %r10, %r10, %r7, %r5;", OF_R),
    CHAIN("v_dfma", DOUBLES, "fma.rn.f64 %g1, %g1, %g2, %g2;", OF_G),
    CHAIN("v_rsqrt", FLOATS, "rsqrt.approx.f32 %f1, %f1;", OF_F),
    STREAM("v_read_l1", LOAD(".ca", A, "%d9")),
    STREAM("v_read", LOAD(".cg", A, "%d9")),
    STREAM("v_copy", LOAD(".cg", A, "%d9") STORE(A, "%d11")),
    STREAM("v_triad", LOAD(".cg", A, "%d9") LOAD(".cg", B, "%d10") MULTIPLY_ADD STORE(A, "%d11")),
    GATHER,
    TOUCH,
    ADD,
    NULL};
