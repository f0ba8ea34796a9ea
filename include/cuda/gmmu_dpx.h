#ifndef GMMU_DPX_H
#define GMMU_DPX_H
/* Smaller and larger of sums and of three, for dynamic programming (DPX); in halves of a word, too.
 * They are instructions from sm_90 on and a few of them here, as for older GPUs. */
#define GMMU_DPX                                                                                   \
  static __inline__ __host__ __device__ __attribute__((__always_inline__, __unused__))
GMMU_DPX int gmmu_dpx_max(int __a, int __b) { return __a > __b ? __a : __b; }
GMMU_DPX int gmmu_dpx_min(int __a, int __b) { return __a < __b ? __a : __b; }
GMMU_DPX unsigned int gmmu_dpx_umax(unsigned int __a, unsigned int __b) {
  return __a > __b ? __a : __b;
}
GMMU_DPX unsigned int gmmu_dpx_umin(unsigned int __a, unsigned int __b) {
  return __a < __b ? __a : __b;
}
GMMU_DPX int gmmu_dpx_relu(int __a) { return __a > 0 ? __a : 0; }
/* sums wrap */
GMMU_DPX int gmmu_dpx_add(int __a, int __b) { return (int)((unsigned int)__a + (unsigned int)__b); }
GMMU_DPX int gmmu_dpx_low(unsigned int __a) { return (short)(__a & 0xffffu); }
GMMU_DPX int gmmu_dpx_high(unsigned int __a) { return (short)(__a >> 16); }
GMMU_DPX unsigned int gmmu_dpx_pack(int __high, int __low) {
  return (unsigned int)__high << 16 | ((unsigned int)__low & 0xffffu);
}
/* of both halves of a, b and c: __e is an expression in __x, __y and __z */
#define GMMU_DPX_S16(name, __e)                                                                    \
  GMMU_DPX int gmmu##name(int __x, int __y, int __z) { return (void)__z, (__e); }                  \
  GMMU_DPX unsigned int name(unsigned int __a, unsigned int __b, unsigned int __c) {               \
    return gmmu_dpx_pack(gmmu##name(gmmu_dpx_high(__a), gmmu_dpx_high(__b), gmmu_dpx_high(__c)),   \
                         gmmu##name(gmmu_dpx_low(__a), gmmu_dpx_low(__b), gmmu_dpx_low(__c)));     \
  }
#define GMMU_DPX_U16(name, __e)                                                                    \
  GMMU_DPX unsigned int gmmu##name(unsigned int __x, unsigned int __y, unsigned int __z) {         \
    return (void)__z, (__e);                                                                       \
  }                                                                                                \
  GMMU_DPX unsigned int name(unsigned int __a, unsigned int __b, unsigned int __c) {               \
    return gmmu##name(__a >> 16, __b >> 16, __c >> 16) << 16 |                                     \
           gmmu##name(__a & 0xffffu, __b & 0xffffu, __c & 0xffffu);                                \
  }
#define GMMU_DPX_BOTH(__which)                                                                     \
  GMMU_DPX int __viadd##__which##_s32(int __a, int __b, int __c) {                                 \
    return gmmu_dpx_##__which(gmmu_dpx_add(__a, __b), __c);                                        \
  }                                                                                                \
  GMMU_DPX int __viadd##__which##_s32_relu(int __a, int __b, int __c) {                            \
    return gmmu_dpx_relu(gmmu_dpx_##__which(gmmu_dpx_add(__a, __b), __c));                         \
  }                                                                                                \
  GMMU_DPX unsigned int __viadd##__which##_u32(unsigned int __a, unsigned int __b,                 \
                                               unsigned int __c) {                                 \
    return gmmu_dpx_u##__which(__a + __b, __c);                                                    \
  }                                                                                                \
  GMMU_DPX int __vi##__which##3_s32(int __a, int __b, int __c) {                                   \
    return gmmu_dpx_##__which(gmmu_dpx_##__which(__a, __b), __c);                                  \
  }                                                                                                \
  GMMU_DPX int __vi##__which##3_s32_relu(int __a, int __b, int __c) {                              \
    return gmmu_dpx_relu(gmmu_dpx_##__which(gmmu_dpx_##__which(__a, __b), __c));                   \
  }                                                                                                \
  GMMU_DPX unsigned int __vi##__which##3_u32(unsigned int __a, unsigned int __b,                   \
                                             unsigned int __c) {                                   \
    return gmmu_dpx_u##__which(gmmu_dpx_u##__which(__a, __b), __c);                                \
  }                                                                                                \
  GMMU_DPX int __vi##__which##_s32_relu(int __a, int __b) {                                        \
    return gmmu_dpx_relu(gmmu_dpx_##__which(__a, __b));                                            \
  }                                                                                                \
  GMMU_DPX_S16(__viadd##__which##_s16x2, gmmu_dpx_##__which((short)gmmu_dpx_add(__x, __y), __z))   \
  GMMU_DPX_S16(__viadd##__which##_s16x2_relu,                                                      \
               gmmu_dpx_relu(gmmu_dpx_##__which((short)gmmu_dpx_add(__x, __y), __z)))              \
  GMMU_DPX_U16(__viadd##__which##_u16x2, gmmu_dpx_u##__which((__x + __y) & 0xffffu, __z))          \
  GMMU_DPX_S16(__vi##__which##3_s16x2, gmmu_dpx_##__which(gmmu_dpx_##__which(__x, __y), __z))      \
  GMMU_DPX_S16(__vi##__which##3_s16x2_relu,                                                        \
               gmmu_dpx_relu(gmmu_dpx_##__which(gmmu_dpx_##__which(__x, __y), __z)))               \
  GMMU_DPX_U16(__vi##__which##3_u16x2, gmmu_dpx_u##__which(gmmu_dpx_u##__which(__x, __y), __z))    \
  GMMU_DPX unsigned int __vi##__which##_s16x2_relu(unsigned int __a, unsigned int __b) {           \
    return __vi##__which##3_s16x2_relu(__a, __b, __b);                                             \
  }
GMMU_DPX_BOTH(max)
GMMU_DPX_BOTH(min)
#undef GMMU_DPX_BOTH
#undef GMMU_DPX_S16
#undef GMMU_DPX_U16
/* and whether the first was it; an equal one counts */
#define GMMU_DPX_TOLD(__which, __op)                                                               \
  GMMU_DPX int __vib##__which##_s32(int __a, int __b, bool *__p) {                                 \
    return (*__p = __a __op __b) ? __a : __b;                                                      \
  }                                                                                                \
  GMMU_DPX unsigned int __vib##__which##_u32(unsigned int __a, unsigned int __b, bool *__p) {      \
    return (*__p = __a __op __b) ? __a : __b;                                                      \
  }                                                                                                \
  GMMU_DPX unsigned int __vib##__which##_s16x2(unsigned int __a, unsigned int __b, bool *__high,   \
                                               bool *__low) {                                      \
    return gmmu_dpx_pack(__vib##__which##_s32(gmmu_dpx_high(__a), gmmu_dpx_high(__b), __high),     \
                         __vib##__which##_s32(gmmu_dpx_low(__a), gmmu_dpx_low(__b), __low));       \
  }                                                                                                \
  GMMU_DPX unsigned int __vib##__which##_u16x2(unsigned int __a, unsigned int __b, bool *__high,   \
                                               bool *__low) {                                      \
    return __vib##__which##_u32(__a >> 16, __b >> 16, __high) << 16 |                              \
           __vib##__which##_u32(__a & 0xffffu, __b & 0xffffu, __low);                              \
  }
GMMU_DPX_TOLD(max, >=)
GMMU_DPX_TOLD(min, <=)
#undef GMMU_DPX_TOLD
#undef GMMU_DPX
#endif
