/* PTX of the questions. All lists are in shared memory before the first load of a question, and
 * all times stay there until the end, so that nothing but the question's own loads comes to the
 * caches meanwhile. Lanes without an entry of their own load the last one again, which is the same
 * line of the same instruction. Volatile loads go past L1; whatever uses a loaded value waits.
 *
 * Registers: r1 lane, r2 times, r3 the question's number, r10 .. r15, r26 its row, r9 what was
 * loaded; d1 row, d2 list, d3 buffer, d4 out, d5 the next entry (generic: shared or global memory).
 */
#include "probe/kernel.h"

/* The address of entry r21, in `to`. */
#define ADDRESS(to)                                                                                \
  "mad.wide.u32 %d10, %r21, 4, %d5;\n"                                                             \
  "ld.u32 %r23, [%d10];\n"                                                                         \
  "mad.wide.u32 " to ", %r23, 16, %d3;\n"
/* What lane and j load when the clock runs, and whether there is anything. */
#define PREPARE(j, pred, to)                                                                       \
  "setp.gt.u32 " pred ", %r26, " j ";\n"                                                           \
  "add.u32 %r21, %r1, " j ";\n"                                                                    \
  "min.u32 %r21, %r21, %r22;\n" ADDRESS(to)
#define TIMED(pred, value, from) "@" pred " ld.volatile.global.u32 " value ", [" from "];\n"
#define ARRIVED(pred, value)     "@" pred " xor.b32 %r30, %r30, " value ";\n"

/* clang-format off: the formatter takes pieces of text apart */
const char ask_ptx[] =
    ".version 6.0\n"
    ".target sm_30\n"
    ".address_size 64\n"
    ".extern .shared .align 16 .b8 kept[];\n"
    ".visible .entry gmmu_ask(.param .u64 p_table, .param .u64 p_list, .param .u64 p_buffer,\n"
    ".param .u64 p_out, .param .u32 p_questions)\n"
    "{\n"
    ".reg .pred %p<8>;\n"
    ".reg .b32 %r<40>;\n"
    ".reg .b64 %d<24>;\n"
    "ld.param.u64 %d1, [p_table];\n"
    "ld.param.u64 %d2, [p_list];\n"
    "ld.param.u64 %d3, [p_buffer];\n"
    "ld.param.u64 %d4, [p_out];\n"
    "ld.param.u32 %r4, [p_questions];\n"
    "cvta.to.global.u64 %d1, %d1;\n"
    "cvta.to.global.u64 %d3, %d3;\n"
    "cvta.to.global.u64 %d4, %d4;\n"
    "mov.u32 %r1, %tid.x;\n"
    "mov.u32 %r25, kept;\n"
    "add.u32 %r2, %r25, 16;\n"  /* the first 16 bytes are scratch */
    "add.u32 %r5, %r2, 4096;\n" /* the list, behind the times of 1024 questions */
    "cvt.u64.u32 %d6, %r5;\n"
    "cvta.shared.u64 %d6, %d6;\n"
    "mov.u32 %r3, 0;\n"
    "mov.u32 %r9, 0;\n"
    "mov.u32 %r24, 0;\n"

    "QUESTION:\n"
    "setp.ge.u32 %p1, %r3, %r4;\n"
    "@%p1 bra GIVE;\n"
    "ld.volatile.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d1];\n"
    "ld.volatile.global.v4.u32 {%r14, %r15, %r26, %r27}, [%d1+16];\n"
    "add.u32 %r6, %r11, %r12;\n"
    "add.u32 %r6, %r6, %r13;\n"
    "add.u32 %r6, %r6, %r14;\n"
    "add.u32 %r6, %r6, %r15;\n"
    "add.u32 %r6, %r6, %r26;\n"
    "mul.wide.u32 %d5, %r10, 4;\n"
    "add.u64 %d5, %d5, %d2;\n"
    "setp.gt.u32 %p1, %r6, 11260;\n" /* ASK_ROOM */
    "@%p1 bra START;\n"
    "add.u32 %r6, %r6, 3;\n" /* four entries per lane and turn */
    "shr.u32 %r6, %r6, 2;\n"
    "cvta.to.global.u64 %d7, %d5;\n"
    "mov.u32 %r7, %r1;\n"
    "STAGE:\n"
    "setp.ge.u32 %p1, %r7, %r6;\n"
    "@%p1 bra STAGED;\n"
    "mul.wide.u32 %d8, %r7, 16;\n"
    "add.u64 %d8, %d8, %d7;\n"
    "ld.volatile.global.v4.u32 {%r30, %r31, %r32, %r33}, [%d8];\n"
    "shl.b32 %r8, %r7, 4;\n"
    "add.u32 %r8, %r8, %r5;\n"
    "st.shared.v4.u32 [%r8], {%r30, %r31, %r32, %r33};\n"
    "add.u32 %r7, %r7, 32;\n"
    "bra STAGE;\n"
    "STAGED:\n"
    "bar.sync 0;\n"
    "mov.u64 %d5, %d6;\n"

    "START:\n"
    "mov.u32 %r16, 0;\n"
    "PHASE:\n" /* warm, stored, first, rest, ready: r11 entries, 32 at a time; `first` one at a time
                */
    "setp.eq.u32 %p2, %r16, 2;\n"
    "setp.eq.u32 %p3, %r16, 1;\n"
    "selp.u32 %r17, 1, 32, %p2;\n"
    "selp.u32 %r18, 0, %r1, %p2;\n"
    "sub.u32 %r22, %r11, 1;\n"
    "mov.u32 %r20, 0;\n"
    "LOAD:\n"
    "setp.ge.u32 %p1, %r20, %r11;\n"
    "@%p1 bra LOADED;\n"
    "add.u32 %r21, %r20, %r18;\n"
    "min.u32 %r21, %r21, %r22;\n" ADDRESS(
        "%d11") "@%p3 st.volatile.global.v4.u32 [%d11], {%r9, %r9, %r9, %r9};\n"
                "@!%p3 ld.volatile.global.u32 %r24, [%d11];\n"
                "xor.b32 %r9, %r9, %r24;\n"
                "add.u32 %r20, %r20, %r17;\n"
                "bra LOAD;\n"
                "LOADED:\n"
                "mul.wide.u32 %d10, %r11, 4;\n"
                "add.u64 %d5, %d5, %d10;\n"
                "mov.u32 %r11, %r12;\n"
                "mov.u32 %r12, %r13;\n"
                "mov.u32 %r13, %r14;\n"
                "mov.u32 %r14, %r15;\n"
                "add.u32 %r16, %r16, 1;\n"
                "setp.lt.u32 %p1, %r16, 5;\n"
                "@%p1 bra PHASE;\n"

                "sub.u32 %r22, %r26, 1;\n" PREPARE("0", "%p4", "%d12") PREPARE("32", "%p5", "%d13")
                    PREPARE("64", "%p6", "%d14") PREPARE(
                        "96", "%p7",
                        "%d15") "st.volatile.shared.u32 [%r25], %r9;\n" /* everything has arrived */
                                "@%p5 bra MANY;\n"
                                "mov.u64 %d16, %clock64;\n"
                                "ld.volatile.global.u32 %r30, [%d12];\n"
                                "st.volatile.shared.u32 [%r25], %r30;\n"
                                "mov.u64 %d17, %clock64;\n"
                                "bra ANSWER;\n"
                                "MANY:\n"
                                "mov.u64 %d16, %clock64;\n" TIMED("%p4", "%r30", "%d12")
                                    TIMED("%p5", "%r31", "%d13") TIMED("%p6", "%r32", "%d14") TIMED(
                                        "%p7", "%r33", "%d15") ARRIVED("%p5", "%r31")
                                        ARRIVED("%p6", "%r32") ARRIVED(
                                            "%p7",
                                            "%r33") "st.volatile.shared.u32 [%r25], %r30;\n"
                                                    "mov.u64 %d17, %clock64;\n"
                                                    "ANSWER:\n"
                                                    "sub.u64 %d17, %d17, %d16;\n"
                                                    "cvt.u32.u64 %r30, %d17;\n"
                                                    "shl.b32 %r8, %r3, 2;\n"
                                                    "add.u32 %r8, %r8, %r2;\n"
                                                    "st.shared.u32 [%r8], %r30;\n" /* all lanes have
                                                                                      read the same
                                                                                      two clocks */
                                                    "add.u64 %d1, %d1, 32;\n"
                                                    "add.u32 %r3, %r3, 1;\n"
                                                    "bar.sync 0;\n"
                                                    "bra QUESTION;\n"

                                                    "GIVE:\n"
                                                    "mov.u32 %r7, %r1;\n"
                                                    "COPY:\n"
                                                    "setp.ge.u32 %p1, %r7, %r4;\n"
                                                    "@%p1 bra END;\n"
                                                    "shl.b32 %r8, %r7, 2;\n"
                                                    "add.u32 %r8, %r8, %r2;\n"
                                                    "ld.shared.u32 %r30, [%r8];\n"
                                                    "mul.wide.u32 %d8, %r7, 4;\n"
                                                    "add.u64 %d8, %d8, %d4;\n"
                                                    "st.global.u32 [%d8], %r30;\n"
                                                    "add.u32 %r7, %r7, 32;\n"
                                                    "bra COPY;\n"
                                                    "END:\n"
                                                    "ret;\n"
                                                    "}\n";
/* clang-format on */
