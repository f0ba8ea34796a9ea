#ifndef GMMU_CUDA_CURAND_KERNEL_H
#define GMMU_CUDA_CURAND_KERNEL_H
/* Random numbers in kernels: the generators XORWOW (Marsaglia 2003, the default), Philox4x32-10
 * (Salmon et al. 2011) and MRG32k3a (L'Ecuyer 1999), seeded and spaced as cuRAND documents them, so
 * that the integers and uniform numbers are cuRAND's own. Normal ones come from the same integers
 * by the same formula. */
#include "device_functions.h"
#include "gmmu_math.h"
#include "vector_functions.h"
#if defined __CUDA__

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t, curandState_t, curandState;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

/* ---- XORWOW ---------------------------------------------------------------------------------- */

GMMU_DEV void gmmu_xorwow_step(unsigned int *__v) {
  unsigned int __t = __v[0] ^ (__v[0] >> 2);
  __v[0] = __v[1], __v[1] = __v[2], __v[2] = __v[3], __v[3] = __v[4];
  __v[4] = (__v[4] ^ (__v[4] << 4)) ^ (__t ^ (__t << 1));
}

/* A step is a linear map of 160 bits with the characteristic polynomial p, so n steps are a sum of
 * fewer than 160: those of x^n mod p. Words have their lowest power in bit 0; x^160 is left out. */
static const __device__ unsigned int gmmu_xorwow_p[5] = {0x00060001, 0x08610030, 0x00062121,
                                                         0x0f3c0035, 0x00000f0e};
/* x^(2^(67 + k)) mod p: 2^k sequences, which are 2^67 numbers apart. */
static const __device__ unsigned int gmmu_xorwow_sequence[64][5] = {
    {0x26294934, 0x77bbc248, 0x1a87dad0, 0x930052d4, 0x947e6dd2},
    {0x5f39c379, 0x95e20ba6, 0x20e9ff72, 0x1244ce5e, 0xe8fd228f},
    {0xa7474d19, 0x37c549e0, 0x140877d2, 0x24c43924, 0xcd52ebec},
    {0xe0360ec5, 0xb1c96c24, 0xdbb91766, 0x666ff5dc, 0xf19a7e52},
    {0xfcc8f692, 0x35aa698a, 0x04ebbf85, 0x448304b0, 0x082f3fd5},
    {0x48c289bd, 0xe851cf98, 0x845ad581, 0xfd70752a, 0x2c3e63f6},
    {0xe502f5b3, 0x77859d31, 0x97e1cbb3, 0xea09047a, 0x61d5f37e},
    {0xb89326d0, 0x5a8655a9, 0xfb6e98f5, 0x02102162, 0x7e6fcf6f},
    {0xb3a15db4, 0xc6df3330, 0x1a8be751, 0xf1e4b221, 0x6bb61c05},
    {0x133de1d0, 0x361e4422, 0xc6131fcf, 0xd9719f45, 0x9658a164},
    {0x19e2bee8, 0xf8974218, 0x4e65536a, 0xa2570336, 0xe9b88082},
    {0x7863644b, 0x2a21ce84, 0x112e86f1, 0xed01ce0e, 0xba143e84},
    {0x0e2cae2e, 0xd1011279, 0x58923768, 0x2bf650ba, 0xc985bcda},
    {0x213a286a, 0x6596b510, 0x6fc10eae, 0x38a13547, 0x11c7749e},
    {0x146281e7, 0xa45b4452, 0xafa8c695, 0x74a0ac94, 0x4b250e0a},
    {0x2306bc52, 0x790f3b4c, 0x2fe473b9, 0xbc81d7c0, 0x093efe98},
    {0x89658c8b, 0xf3914315, 0xa73fe84b, 0x3c5fadb6, 0xadba8dd6},
    {0x09e49814, 0x09caf5ed, 0x6b2460d9, 0x1b9981c1, 0x2d1fefc3},
    {0x82161afc, 0x9bb13c55, 0xfd20d7fb, 0x306d90b9, 0x92bf386f},
    {0x96d32350, 0x0e081864, 0x69faa798, 0xe7faecf5, 0xf1f951be},
    {0x3e9058c1, 0x71da9705, 0xe2cb1f2b, 0x73456536, 0xbd6501b6},
    {0x990ffc6e, 0xbfdd1b5d, 0xc83e520b, 0xe972936a, 0xac79abb9},
    {0xb1321eb5, 0xb06d01a2, 0x51532012, 0x8fb59962, 0x141d3b0b},
    {0x3257dfe1, 0xd8a3d601, 0x3a58c735, 0x845f36e4, 0x0112c611},
    {0xa0ffe9a4, 0xf57be00e, 0xe706880c, 0x191211ef, 0xee5664fb},
    {0x9a3385b8, 0xc540c30a, 0xb241d1e0, 0x00626569, 0x6b355fe9},
    {0xe129d45d, 0xac3e698b, 0xd61f79fd, 0x7a72a28b, 0x7f4942be},
    {0x612501bb, 0xae7b767d, 0xaa66c165, 0x09bfaf8e, 0x3e55c16d},
    {0x874e26a7, 0x33bc5a47, 0xad95cba5, 0x67651c39, 0xf1f07dca},
    {0xb5ed0732, 0x30e7a573, 0x5c056714, 0x2304f8fa, 0xebc584e1},
    {0x4b324c2e, 0x2bdcc5a0, 0x53eb4240, 0xcac4fbc1, 0x13e529e7},
    {0xe1683e38, 0xa2339994, 0x7308a647, 0xc7c3f0b1, 0x4a3dcd33},
    {0x5fe4b704, 0xd77445c3, 0xb80eeb3c, 0x6720fc6d, 0x7da33f71},
    {0xea0715d2, 0x435bf5e0, 0x8b125b82, 0x2bf15174, 0x451636c0},
    {0x27786b0d, 0x55a8b8bb, 0xad73d087, 0x548172a6, 0xb8dcb607},
    {0xedbc74ac, 0x9333668e, 0x5330ec7e, 0x139bc173, 0x8df22694},
    {0x1e9372dd, 0xe081adcc, 0xf9650df2, 0x0ad599e4, 0x21aeba83},
    {0x81e94b95, 0x02bd032f, 0x4241ada2, 0x7cf446d1, 0x585759bb},
    {0x552ec26f, 0x2663dad8, 0x25bf8d5e, 0x538f9e9b, 0x804bfd4c},
    {0xaed86880, 0x7cc53d77, 0x2379080d, 0x66b5ba47, 0x271e9c90},
    {0xab750c90, 0x454415ef, 0xd94a347c, 0xd23c81be, 0x551c7096},
    {0x3024c55f, 0x9b3a9b08, 0xcef11c55, 0x3019557d, 0x08303d6d},
    {0xbc6d2665, 0xc1fd8153, 0xd43c38c9, 0xd70344cc, 0x279357c0},
    {0x685d57df, 0xda26a2f1, 0x5174006a, 0xe55bf1f1, 0x5f20a739},
    {0x88aced61, 0x3925e5e8, 0xc8af3caa, 0xefa299b1, 0xbc1538f8},
    {0x2b0ca967, 0xf25d1aba, 0x4062850b, 0x683d0590, 0xabd1b043},
    {0xc3051a0a, 0x11a68894, 0x0ec32c75, 0xb9e1af76, 0x45d20f13},
    {0xbd2198a4, 0xc68fea4b, 0x09de877e, 0x2b15c9cf, 0x7b2e8734},
    {0x54f062f0, 0xcf7989d8, 0x443e496b, 0x17d83e81, 0xa2be8639},
    {0x6cb408db, 0x56912973, 0xebc71d0f, 0x21fbfabc, 0xf266d5dc},
    {0x267af43c, 0x14dfd913, 0x2dbb25b6, 0x227b1a06, 0x24402bc6},
    {0xac63df96, 0x4e3cf79b, 0xe20e3c11, 0x1a5771cf, 0xc0e37c49},
    {0xad66cdfe, 0x7cfa6a50, 0x8fca746a, 0x7b18f04b, 0x28eeb28f},
    {0xef049d6f, 0xf7192531, 0xabc5f1de, 0x1ea75f09, 0x3be64a78},
    {0x37abb017, 0x7735fb03, 0x557fb7cd, 0x520ea993, 0x69e4a18d},
    {0xc83c8e40, 0x9fb2f16f, 0xf95170a2, 0x401ffac4, 0x6b70bfeb},
    {0x53140fdd, 0x0dfb37a9, 0x88772b05, 0x20be07e3, 0x128c07bd},
    {0x5df0aeb5, 0x9f52cccd, 0x0e8b1551, 0x06935a9c, 0x648b1463},
    {0x1e72e926, 0x829ca1d2, 0x084c2bd7, 0xcea065e7, 0xd2b401bf},
    {0x0b97fcd4, 0xd9a6c1c6, 0x705a959a, 0x0cc8d909, 0xe38aca23},
    {0x93d21898, 0x97c7960e, 0xb2899f9d, 0xd528a53d, 0x04f33fca},
    {0x0942240e, 0xc18f6e56, 0x9551c4dd, 0x61c8179b, 0xead20f15},
    {0x06e1a24f, 0x4a7295af, 0x5534bfe6, 0x452ec8f1, 0x79685920},
    {0xa0bcccfe, 0x2de5181c, 0x33c9d258, 0xaf27908d, 0xcfd04995},
};

static __device__ __noinline__ void gmmu_xorwow_jump(unsigned int *__v,
                                                     const unsigned int *__steps) {
  unsigned int __sum[5] = {0, 0, 0, 0, 0}, __at[5];
  for (int __k = 0; __k < 5; __k++) __at[__k] = __v[__k];
  for (int __i = 0; __i < 160; __i++) {
    unsigned int __mask = 0u - (__steps[__i >> 5] >> (__i & 31) & 1u);
    for (int __k = 0; __k < 5; __k++) __sum[__k] ^= __at[__k] & __mask;
    gmmu_xorwow_step(__at);
  }
  for (int __k = 0; __k < 5; __k++) __v[__k] = __sum[__k];
}

/* steps = steps^2 mod p: twice as many of them. */
static __device__ __noinline__ void gmmu_xorwow_twice(unsigned int *__steps) {
  unsigned int __r[5] = {0, 0, 0, 0, 0};
  for (int __i = 159; __i >= 0; __i--) { /* Horner's rule in x^2 */
    for (int __n = 0; __n < 2; __n++) {
      unsigned int __over = 0u - (__r[4] >> 31);
      for (int __k = 4; __k > 0; __k--)
        __r[__k] = (__r[__k] << 1 | __r[__k - 1] >> 31) ^ (gmmu_xorwow_p[__k] & __over);
      __r[0] = (__r[0] << 1) ^ (gmmu_xorwow_p[0] & __over);
    }
    __r[0] ^= __steps[__i >> 5] >> (__i & 31) & 1u;
  }
  for (int __k = 0; __k < 5; __k++) __steps[__k] = __r[__k];
}

static __inline__ __device__ void skipahead(unsigned long long __n, curandStateXORWOW_t *__s) {
  unsigned int __steps[5] = {2, 0, 0, 0, 0};
  __s->d += 362437u * (unsigned int)__n;
  for (; __n; __n >>= 1) {
    if (__n & 1) gmmu_xorwow_jump(__s->v, __steps);
    if (__n > 1) gmmu_xorwow_twice(__steps);
  }
}
static __inline__ __device__ void skipahead_sequence(unsigned long long __n,
                                                     curandStateXORWOW_t *__s) {
  for (int __k = 0; __n; __k++, __n >>= 1)
    if (__n & 1) gmmu_xorwow_jump(__s->v, gmmu_xorwow_sequence[__k]);
}
static __inline__ __device__ void curand_init(unsigned long long __seed,
                                              unsigned long long __sequence,
                                              unsigned long long __offset,
                                              curandStateXORWOW_t *__s) {
  unsigned int __a = 1099087573u * ((unsigned int)__seed ^ 0xaad26b49u);
  unsigned int __b = 2591861531u * ((unsigned int)(__seed >> 32) ^ 0xf7dcefddu);
  __s->d = 6615241u + __a + __b;
  __s->v[0] = 123456789u + __a, __s->v[1] = 362436069u ^ __a, __s->v[2] = 521288629u + __b;
  __s->v[3] = 88675123u ^ __b, __s->v[4] = 5783321u + __a;
  skipahead_sequence(__sequence, __s);
  skipahead(__offset, __s);
  __s->boxmuller_flag = __s->boxmuller_flag_double = 0;
  __s->boxmuller_extra = 0, __s->boxmuller_extra_double = 0;
}
GMMU_DEV unsigned int curand(curandStateXORWOW_t *__s) {
  gmmu_xorwow_step(__s->v);
  __s->d += 362437u;
  return __s->v[4] + __s->d;
}

/* ---- Philox ---------------------------------------------------------------------------------- */

GMMU_DEV uint4 gmmu_philox(uint4 __c, uint2 __k) {
  for (int __i = 0; __i < 10; __i++) {
    unsigned int __h0 = __umulhi(0xD2511F53u, __c.x), __l0 = 0xD2511F53u * __c.x;
    unsigned int __h1 = __umulhi(0xCD9E8D57u, __c.z), __l1 = 0xCD9E8D57u * __c.z;
    __c = make_uint4(__h1 ^ __c.y ^ __k.x, __l1, __h0 ^ __c.w ^ __k.y, __l0);
    __k.x += 0x9E3779B9u, __k.y += 0xBB67AE85u;
  }
  return __c;
}
/* Adds to the 64 upper or to all 128 bits of the counter. */
GMMU_DEV void gmmu_philox_upper(curandStatePhilox4_32_10_t *__s, unsigned long long __n) {
  unsigned long long __v = ((unsigned long long)__s->ctr.w << 32 | __s->ctr.z) + __n;
  __s->ctr.z = (unsigned int)__v, __s->ctr.w = (unsigned int)(__v >> 32);
}
GMMU_DEV void gmmu_philox_add(curandStatePhilox4_32_10_t *__s, unsigned long long __n) {
  unsigned long long __old = (unsigned long long)__s->ctr.y << 32 | __s->ctr.x, __v = __old + __n;
  __s->ctr.x = (unsigned int)__v, __s->ctr.y = (unsigned int)(__v >> 32);
  if (__v < __old) gmmu_philox_upper(__s, 1);
}
GMMU_DEV void skipahead(unsigned long long __n, curandStatePhilox4_32_10_t *__s) {
  unsigned int __at = __s->STATE + (unsigned int)(__n & 3);
  __s->STATE = __at & 3;
  gmmu_philox_add(__s, (__n >> 2) + (__at >> 2));
  __s->output = gmmu_philox(__s->ctr, __s->key);
}
GMMU_DEV void skipahead_sequence(unsigned long long __n, curandStatePhilox4_32_10_t *__s) {
  gmmu_philox_upper(__s, __n);
  __s->output = gmmu_philox(__s->ctr, __s->key);
}
GMMU_DEV void curand_init(unsigned long long __seed, unsigned long long __sequence,
                          unsigned long long __offset, curandStatePhilox4_32_10_t *__s) {
  __s->ctr = make_uint4(0, 0, 0, 0);
  __s->key = make_uint2((unsigned int)__seed, (unsigned int)(__seed >> 32));
  __s->STATE = 0;
  __s->boxmuller_flag = __s->boxmuller_flag_double = 0;
  __s->boxmuller_extra = 0, __s->boxmuller_extra_double = 0;
  skipahead_sequence(__sequence, __s);
  skipahead(__offset, __s);
}
GMMU_DEV unsigned int curand(curandStatePhilox4_32_10_t *__s) {
  unsigned int __at = __s->STATE++;
  unsigned int __v = __at == 0   ? __s->output.x
                     : __at == 1 ? __s->output.y
                     : __at == 2 ? __s->output.z
                                 : __s->output.w;
  if (__s->STATE == 4) {
    __s->STATE = 0;
    gmmu_philox_add(__s, 1);
    __s->output = gmmu_philox(__s->ctr, __s->key);
  }
  return __v;
}
GMMU_DEV uint4 curand4(curandStatePhilox4_32_10_t *__s) {
  uint4 __a = __s->output;
  gmmu_philox_add(__s, 1);
  uint4 __b = __s->output = gmmu_philox(__s->ctr, __s->key);
  switch (__s->STATE) {
  case 0: return __a;
  case 1: return make_uint4(__a.y, __a.z, __a.w, __b.x);
  case 2: return make_uint4(__a.z, __a.w, __b.x, __b.y);
  default: return make_uint4(__a.w, __b.x, __b.y, __b.z);
  }
}

/* ---- MRG32k3a -------------------------------------------------------------------------------- */

/* L'Ecuyer 1999: two recurrences of order three, modulo 2^32 - 209 and 2^32 - 22853. */
struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

/* x mod 2^32 - c: 2^32 counts c. */
GMMU_DEV unsigned int gmmu_mrg_mod(unsigned long long __x, unsigned int __c) {
  for (int __i = 0; __i < 3; __i++) __x = (__x >> 32) * __c + (unsigned int)__x;
  unsigned long long __m = (1ULL << 32) - __c;
  return (unsigned int)(__x >= __m ? __x - __m : __x);
}
/* The matrices of both recurrences: of one step, of 2^76 (a subsequence) and of 2^127 (a sequence).
 */
static const __device__ unsigned int gmmu_mrg_matrix[3][2][9] = {
    {{0u, 1u, 0u, 0u, 0u, 1u, 4294156359u, 1403580u, 0u},
     {0u, 1u, 0u, 0u, 0u, 1u, 4293573854u, 0u, 527612u}},
    {{82758667u, 1871391091u, 4127413238u, 3672831523u, 69195019u, 1871391091u, 3672091415u,
      3528743235u, 69195019u},
     {1511326704u, 3759209742u, 1610795712u, 4292754251u, 1511326704u, 3889917532u, 3859662829u,
      4292754251u, 3708466080u}},
    {{2427906178u, 3580155704u, 949770784u, 226153695u, 1230515664u, 3580155704u, 1988835001u,
      986791581u, 1230515664u},
     {1464411153u, 277697599u, 1610723613u, 32183930u, 1464411153u, 1022607788u, 2824425944u,
      32183930u, 2093834863u}},
};
GMMU_DEV void gmmu_mrg_times(unsigned int *__r, const unsigned int *__a, const unsigned int *__b,
                             int __columns, unsigned int __c) {
  unsigned int __t[9];
  for (int __i = 0; __i < 3; __i++)
    for (int __j = 0; __j < __columns; __j++) {
      unsigned long long __sum = 0;
      for (int __k = 0; __k < 3; __k++)
        __sum +=
            gmmu_mrg_mod((unsigned long long)__a[3 * __i + __k] * __b[__columns * __k + __j], __c);
      __t[__columns * __i + __j] = gmmu_mrg_mod(__sum, __c);
    }
  for (int __i = 0; __i < 3 * __columns; __i++) __r[__i] = __t[__i];
}
/* n times the steps of matrix `which`. */
static __device__ __noinline__ void gmmu_mrg_jump(unsigned long long __n, int __which,
                                                  curandStateMRG32k3a_t *__s) {
  for (int __half = 0; __half < 2; __half++) {
    unsigned int __c = __half ? 22853u : 209u, *__v = __half ? __s->s2 : __s->s1, __a[9];
    for (int __i = 0; __i < 9; __i++) __a[__i] = gmmu_mrg_matrix[__which][__half][__i];
    for (unsigned long long __left = __n; __left; __left >>= 1) {
      if (__left & 1) gmmu_mrg_times(__v, __a, __v, 1, __c);
      if (__left > 1) gmmu_mrg_times(__a, __a, __a, 3, __c);
    }
  }
}
static __inline__ __device__ void skipahead(unsigned long long __n, curandStateMRG32k3a_t *__s) {
  gmmu_mrg_jump(__n, 0, __s);
}
static __inline__ __device__ void skipahead_subsequence(unsigned long long __n,
                                                        curandStateMRG32k3a_t *__s) {
  gmmu_mrg_jump(__n, 1, __s);
}
static __inline__ __device__ void skipahead_sequence(unsigned long long __n,
                                                     curandStateMRG32k3a_t *__s) {
  gmmu_mrg_jump(__n, 2, __s);
}
static __inline__ __device__ void curand_init(unsigned long long __seed,
                                              unsigned long long __subsequence,
                                              unsigned long long __offset,
                                              curandStateMRG32k3a_t *__s) {
  unsigned int __x[2] = {(unsigned int)__seed ^ 0x55555555u,
                         (unsigned int)(__seed >> 32) ^ 0xaaaaaaaau};
  for (int __i = 0; __i < 3; __i++) {
    unsigned long long __a = __seed ? __x[__i & 1] : 1u, __b = __seed ? __x[~__i & 1] : 1u;
    __s->s1[__i] = gmmu_mrg_mod(__a * 12345u, 209u);
    __s->s2[__i] = gmmu_mrg_mod(__b * 12345u, 22853u);
  }
  skipahead_subsequence(__subsequence, __s);
  skipahead(__offset, __s);
  __s->boxmuller_flag = __s->boxmuller_flag_double = 0;
  __s->boxmuller_extra = 0, __s->boxmuller_extra_double = 0;
}
/* 1 .. 2^32 - 209 */
GMMU_DEV double curand_MRG32k3a(curandStateMRG32k3a_t *__s) {
  unsigned int *__u = __s->s1, *__v = __s->s2;
  unsigned int __p =
      gmmu_mrg_mod(1403580ULL * __u[1] + 810728ULL * (unsigned int)(0u - 209u - __u[0]), 209u);
  unsigned int __q =
      gmmu_mrg_mod(527612ULL * __v[2] + 1370589ULL * (unsigned int)(0u - 22853u - __v[0]), 22853u);
  __u[0] = __u[1], __u[1] = __u[2], __u[2] = __p;
  __v[0] = __v[1], __v[1] = __v[2], __v[2] = __q;
  return __p > __q ? (double)(__p - __q) : (double)__p - (double)__q + 4294967087.0;
}
GMMU_DEV unsigned int curand(curandStateMRG32k3a_t *__s) {
  return (unsigned int)(curand_MRG32k3a(__s) * 1.000000048662);
}

/* A second number of a pair waits in the state: flag 1, a normal one; flag 2, a log-normal one. */

/* ---- distributions --------------------------------------------------------------------------- */

#define GMMU_2POW32_INV        2.3283064e-10f
#define GMMU_2POW32_INV_2PI    1.46291807e-09f
#define GMMU_2POW53_INV_DOUBLE 1.1102230246251565e-16
GMMU_DEV float gmmu_uniform(unsigned int __x) {
  return __x * GMMU_2POW32_INV + GMMU_2POW32_INV / 2;
}
GMMU_DEV double gmmu_uniform(unsigned int __x, unsigned int __y) {
  unsigned long long __z = (unsigned long long)__x ^ ((unsigned long long)__y << 21);
  return __z * GMMU_2POW53_INV_DOUBLE + GMMU_2POW53_INV_DOUBLE / 2;
}
GMMU_DEV float2 gmmu_normal(unsigned int __x, unsigned int __y) {
  float __v = __y * GMMU_2POW32_INV_2PI + GMMU_2POW32_INV_2PI / 2;
  float __r = sqrtf(-2.0f * logf(gmmu_uniform(__x)));
  float2 __p;
  __sincosf(__v, &__p.x, &__p.y);
  return make_float2(__p.x * __r, __p.y * __r);
}
GMMU_DEV double2 gmmu_normal(unsigned int __x0, unsigned int __x1, unsigned int __y0,
                             unsigned int __y1) {
  unsigned long long __z = (unsigned long long)__y0 ^ ((unsigned long long)__y1 << 21);
  double __v = __z * (GMMU_2POW53_INV_DOUBLE * 2) + GMMU_2POW53_INV_DOUBLE;
  double __r = sqrt(-2.0 * log(gmmu_uniform(__x0, __x1)));
  double2 __p;
  sincospi(__v, &__p.x, &__p.y);
  return make_double2(__p.x * __r, __p.y * __r);
}

GMMU_DEV double curand_uniform_double(curandStateXORWOW_t *__s) {
  unsigned int __x = curand(__s), __y = curand(__s);
  return gmmu_uniform(__x, __y);
}
GMMU_DEV double
curand_uniform_double(curandStatePhilox4_32_10_t *__s) { /* of 32 bits, as cuRAND's */
  return (curand(__s) + 1.0) * 2.3283064365386963e-10;
}

/* Generators of 32-bit words. */
#define GMMU_WORDS(__S)                                                                            \
  GMMU_DEV float curand_uniform(__S *__s) { return gmmu_uniform(curand(__s)); }                    \
  GMMU_DEV float2 curand_normal2(__S *__s) {                                                       \
    unsigned int __x = curand(__s), __y = curand(__s);                                             \
    return gmmu_normal(__x, __y);                                                                  \
  }                                                                                                \
  GMMU_DEV double2 curand_normal2_double(__S *__s) {                                               \
    unsigned int __x0 = curand(__s), __x1 = curand(__s), __y0 = curand(__s), __y1 = curand(__s);   \
    return gmmu_normal(__x0, __x1, __y0, __y1);                                                    \
  }
GMMU_WORDS(curandStateXORWOW_t)
GMMU_WORDS(curandStatePhilox4_32_10_t)
#undef GMMU_WORDS

/* MRG32k3a gives fractions. */
GMMU_DEV double curand_uniform_double(curandStateMRG32k3a_t *__s) {
  return curand_MRG32k3a(__s) * 2.3283065498378288e-10;
}
GMMU_DEV float curand_uniform(curandStateMRG32k3a_t *__s) {
  return (float)curand_uniform_double(__s);
}
GMMU_DEV float2 curand_normal2(curandStateMRG32k3a_t *__s) {
  float __x = curand_uniform(__s), __y = curand_uniform(__s) * 6.2831855f;
  float __r = sqrtf(-2.0f * logf(__x));
  float2 __p;
  __sincosf(__y, &__p.x, &__p.y);
  return make_float2(__p.x * __r, __p.y * __r);
}
GMMU_DEV double2 curand_normal2_double(curandStateMRG32k3a_t *__s) {
  double __x = curand_uniform_double(__s), __y = curand_uniform_double(__s) * 2.0;
  double __r = sqrt(-2.0 * log(__x));
  double2 __p;
  sincospi(__y, &__p.x, &__p.y);
  return make_double2(__p.x * __r, __p.y * __r);
}

#define GMMU_DISTRIBUTIONS(__S)                                                                    \
  GMMU_DEV float curand_normal(__S *__s) {                                                         \
    if (__s->boxmuller_flag == 1) {                                                                \
      __s->boxmuller_flag = 0;                                                                     \
      return __s->boxmuller_extra;                                                                 \
    }                                                                                              \
    float2 __v = curand_normal2(__s);                                                              \
    __s->boxmuller_extra = __v.y, __s->boxmuller_flag = 1;                                         \
    return __v.x;                                                                                  \
  }                                                                                                \
  GMMU_DEV double curand_normal_double(__S *__s) {                                                 \
    if (__s->boxmuller_flag_double == 1) {                                                         \
      __s->boxmuller_flag_double = 0;                                                              \
      return __s->boxmuller_extra_double;                                                          \
    }                                                                                              \
    double2 __v = curand_normal2_double(__s);                                                      \
    __s->boxmuller_extra_double = __v.y, __s->boxmuller_flag_double = 1;                           \
    return __v.x;                                                                                  \
  }                                                                                                \
  GMMU_DEV float2 curand_log_normal2(__S *__s, float __mean, float __stddev) {                     \
    float2 __v = curand_normal2(__s);                                                              \
    return make_float2(expf(__mean + __stddev * __v.x), expf(__mean + __stddev * __v.y));          \
  }                                                                                                \
  GMMU_DEV float curand_log_normal(__S *__s, float __mean, float __stddev) {                       \
    if (__s->boxmuller_flag == 2) {                                                                \
      __s->boxmuller_flag = 0;                                                                     \
      return __s->boxmuller_extra;                                                                 \
    }                                                                                              \
    float2 __v = curand_log_normal2(__s, __mean, __stddev);                                        \
    __s->boxmuller_extra = __v.y, __s->boxmuller_flag = 2;                                         \
    return __v.x;                                                                                  \
  }                                                                                                \
  GMMU_DEV double2 curand_log_normal2_double(__S *__s, double __mean, double __stddev) {           \
    double2 __v = curand_normal2_double(__s);                                                      \
    return make_double2(exp(__mean + __stddev * __v.x), exp(__mean + __stddev * __v.y));           \
  }                                                                                                \
  GMMU_DEV double curand_log_normal_double(__S *__s, double __mean, double __stddev) {             \
    if (__s->boxmuller_flag_double == 2) {                                                         \
      __s->boxmuller_flag_double = 0;                                                              \
      return __s->boxmuller_extra_double;                                                          \
    }                                                                                              \
    double2 __v = curand_log_normal2_double(__s, __mean, __stddev);                                \
    __s->boxmuller_extra_double = __v.y, __s->boxmuller_flag_double = 2;                           \
    return __v.x;                                                                                  \
  }                                                                                                \
  /* Poisson's numbers are right in distribution; which ones cuRAND draws is not told. A large     \
   * mean is a sum of small ones, a very large one nearly normal. */                               \
  static __inline__ __device__ unsigned int curand_poisson(__S *__s, double __lambda) {            \
    unsigned int __n = 0;                                                                          \
    if (__lambda > 4000) {                                                                         \
      double __v = sqrt(__lambda) * curand_normal_double(__s) + __lambda + 0.5;                    \
      return __v < 0 ? 0 : (unsigned int)__v;                                                      \
    }                                                                                              \
    for (; __lambda > 0; __lambda -= 16) {                                                         \
      float __p = 1, __least = expf(-(float)(__lambda < 16 ? __lambda : 16));                      \
      while ((__p *= curand_uniform(__s)) > __least) __n++;                                        \
    }                                                                                              \
    return __n;                                                                                    \
  }
GMMU_DISTRIBUTIONS(curandStateXORWOW_t)
GMMU_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
GMMU_DISTRIBUTIONS(curandStateMRG32k3a_t)
#undef GMMU_DISTRIBUTIONS

GMMU_DEV float4 curand_uniform4(curandStatePhilox4_32_10_t *__s) {
  uint4 __v = curand4(__s);
  return make_float4(gmmu_uniform(__v.x), gmmu_uniform(__v.y), gmmu_uniform(__v.z),
                     gmmu_uniform(__v.w));
}
GMMU_DEV float4 curand_normal4(curandStatePhilox4_32_10_t *__s) {
  uint4 __v = curand4(__s);
  float2 __a = gmmu_normal(__v.x, __v.y), __b = gmmu_normal(__v.z, __v.w);
  return make_float4(__a.x, __a.y, __b.x, __b.y);
}
GMMU_DEV double2 curand_uniform2_double(curandStatePhilox4_32_10_t *__s) {
  uint4 __v = curand4(__s);
  return make_double2(gmmu_uniform(__v.x, __v.y), gmmu_uniform(__v.z, __v.w));
}
#undef GMMU_2POW32_INV
#undef GMMU_2POW32_INV_2PI
#undef GMMU_2POW53_INV_DOUBLE
#endif
#endif
