/* PTX of the chase. Times are kept in shared memory until the chase is over, so that nothing but
 * the chase touches pages meanwhile. The store between load and clock needs what was loaded: the
 * clock is read after the load's answer. Volatile loads go past L1 and keep their order. */
#include "probe/kernel.h"

const char kernel_ptx[] =
    ".version 6.0\n"
    ".target sm_30\n"
    ".address_size 64\n"
    ".extern .shared .align 16 .b8 samples[];\n"
    ".visible .entry gmmu_chase(.param .u64 p_table, .param .u32 p_rows)\n"
    "{\n"
    "  .reg .pred %p<3>;\n"
    "  .reg .b16 %h<2>;\n"
    "  .reg .b32 %r<16>;\n"
    "  .reg .b64 %d<8>;\n"
    "  ld.param.u64 %d1, [p_table];\n"
    "  ld.param.u32 %r1, [p_rows];\n"
    "  cvta.to.global.u64 %d1, %d1;\n"
    "  mov.u32 %r2, %smid;\n"
    "  mov.u32 %r3, 0;\n"
    "ROW:\n" /* the first row of this SM that is free */
    "  setp.ge.u32 %p1, %r3, %r1;\n"
    "  @%p1 bra END;\n"
    "  ld.volatile.global.u32 %r4, [%d1];\n"
    "  setp.eq.u32 %p1, %r4, %r2;\n"
    "  setp.eq.u32 %p2, %r4, 0xffffffff;\n"
    "  or.pred %p1, %p1, %p2;\n"
    "  @!%p1 bra SKIP;\n"
    "  atom.global.exch.b32 %r5, [%d1+4], 1;\n"
    "  setp.eq.u32 %p1, %r5, 0;\n"
    "  @%p1 bra WALK;\n"
    "SKIP:\n"
    "  add.u64 %d1, %d1, 32;\n"
    "  add.u32 %r3, %r3, 1;\n"
    "  bra ROW;\n"
    "WALK:\n"
    "  ld.volatile.global.u64 %d2, [%d1+8];\n"
    "  ld.volatile.global.u32 %r6, [%d1+16];\n"
    "  ld.volatile.global.u32 %r7, [%d1+20];\n"
    "  ld.volatile.global.u64 %d3, [%d1+24];\n"
    "  mov.u32 %r8, samples;\n"
    "WARM:\n"
    "  setp.eq.u32 %p1, %r6, 0;\n"
    "  @%p1 bra CLOCK;\n"
    "  ld.volatile.global.u64 %d2, [%d2];\n"
    "  sub.u32 %r6, %r6, 1;\n"
    "  bra WARM;\n"
    "CLOCK:\n"
    "  cvt.u32.u64 %r11, %d2;\n" /* the last load is over when the clock starts */
    "  st.volatile.shared.u32 [%r8], %r11;\n"
    "  mov.u32 %r9, %r8;\n"
    "  mov.u32 %r10, %r7;\n"
    "TIME:\n"
    "  setp.eq.u32 %p1, %r10, 0;\n"
    "  @%p1 bra GIVE;\n"
    "  mov.u64 %d4, %clock64;\n"
    "  ld.volatile.global.u64 %d2, [%d2];\n"
    "  cvt.u32.u64 %r11, %d2;\n"
    "  st.volatile.shared.u32 [%r8], %r11;\n"
    "  mov.u64 %d5, %clock64;\n"
    "  sub.u64 %d5, %d5, %d4;\n"
    "  min.u64 %d5, %d5, 65535;\n"
    "  cvt.u16.u64 %h1, %d5;\n"
    "  st.volatile.shared.u16 [%r9+16], %h1;\n"
    "  add.u32 %r9, %r9, 2;\n"
    "  sub.u32 %r10, %r10, 1;\n"
    "  bra TIME;\n"
    "GIVE:\n" /* eight times per store */
    "  add.u32 %r7, %r7, 7;\n"
    "  shr.u32 %r7, %r7, 3;\n"
    "  mov.u32 %r9, %r8;\n"
    "COPY:\n"
    "  setp.eq.u32 %p1, %r7, 0;\n"
    "  @%p1 bra END;\n"
    "  ld.shared.v4.u32 {%r12, %r13, %r14, %r15}, [%r9+16];\n"
    "  st.global.v4.u32 [%d3], {%r12, %r13, %r14, %r15};\n"
    "  add.u32 %r9, %r9, 16;\n"
    "  add.u64 %d3, %d3, 16;\n"
    "  sub.u32 %r7, %r7, 1;\n"
    "  bra COPY;\n"
    "END:\n"
    "  ret;\n"
    "}\n";

uint32_t kernel_shared(const chase_t *c, uint32_t chases, uint32_t passes) {
  uint32_t need = 0;
  bool crowded = false;
  for (uint32_t i = 0; i < chases; i++) {
    uint32_t bytes = 2 * c[i].count * (c[i].timed < passes ? c[i].timed : passes);
    if (bytes > need) need = bytes;
    for (uint32_t k = 0; k < i; k++) crowded |= c[k].sm == c[i].sm && c[i].sm != DEVICE_ANY_SM;
  }
  return crowded ? (need + 16 + 127) / 128 * 128 : KERNEL_SHARED_BYTES;
}
