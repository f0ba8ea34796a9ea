/* Special registers in asm as nvcc takes them, with one percent sign or two; loads and stores with
 * hints, of every type. */
#include "check.h"

__device__ unsigned lane() {
  unsigned r;
  asm("mov.u32 %0, %laneid;" : "=r"(r));
  return r;
}
__device__ __forceinline__ unsigned sm() {
  unsigned r;
  asm volatile("mov.u32 %0, %smid;" : "=r"(r));
  return r;
}
#define REGISTER(name, text)                                                                       \
  __device__ unsigned name() {                                                                     \
    unsigned r;                                                                                    \
    asm("mov.u32 %0, %" text ";" : "=r"(r));                                                       \
    return r;                                                                                      \
  }
REGISTER(below, "%lanemask_lt")
__global__ void registers(unsigned *out) {
  unsigned x, y, both;
  __asm__ __volatile__("{ .reg .u32 t;\n\t" /* several literals, a comment: between them */
                       "mov.u32 t, %tid.x;\n\t"
                       "add.u32 %0, t, %%ntid.x; }"
                       : "=r"(x));
  asm("{ .reg .u32 own; mov.u32 own, %ctaid.x; }"); /* no operands: its text stands as it is */
  asm("mad.lo.u32 %0, %1, %2, %clock;" : "=r"(y) : "r"(0u), "r"(0u));
  asm("add.u32 %0, %1, %%laneid;" : "=r"(both) : "r"(100u));
  unsigned *o = out + 6 * threadIdx.x;
  o[0] = lane(), o[1] = sm() < 4096, o[2] = below(), o[3] = x, o[4] = y != 0xffffffffu, o[5] = both;
}

template <class T> __global__ void hints(const T *in, T *out) {
  int i = threadIdx.x;
  __stwb(out + i, __ldlu(in + i));
  __stcs(out + 32 + i, __ldcs(in + i));
  __stcg(out + 64 + i, __ldcg(in + i));
  __stwt(out + 96 + i, __ldcv(in + i));
}
template <class T> static void check(const char *what) {
  std::vector<unsigned char> bytes(32 * sizeof(T)), expect;
  for (auto &b : bytes) b = (unsigned char)(random_u32() & 0x3f);
  for (int k = 0; k < 4; k++) expect.insert(expect.end(), bytes.begin(), bytes.end());
  unsigned char *in = to_device(bytes), *out = device_zeros<unsigned char>(128 * sizeof(T));
  hints<<<1, 32>>>((const T *)in, (T *)out);
  LAUNCHED();
  same(what, to_host(out, expect.size()), expect);
}

int main() {
  unsigned *d = device_zeros<unsigned>(6 * 64);
  registers<<<1, 64>>>(d);
  LAUNCHED();
  std::vector<unsigned> expect;
  for (unsigned t = 0; t < 64; t++) {
    unsigned l = t % 32, e[] = {l, 1, (1u << l) - 1, t + 64, 1, 100 + l};
    expect.insert(expect.end(), e, e + 6);
  }
  same("registers", to_host(d, 6 * 64), expect);
#define CHECK(T) check<T>(#T)
  CHECK(signed char);
  CHECK(unsigned char);
  CHECK(short);
  CHECK(unsigned short);
  CHECK(int);
  CHECK(unsigned);
  CHECK(long);
  CHECK(unsigned long);
  CHECK(long long);
  CHECK(unsigned long long);
  CHECK(float);
  CHECK(double);
  CHECK(char2);
  CHECK(uchar2);
  CHECK(short2);
  CHECK(ushort2);
  CHECK(int2);
  CHECK(uint2);
  CHECK(longlong2);
  CHECK(float2);
  CHECK(double2);
  CHECK(char4);
  CHECK(uchar4);
  CHECK(short4);
  CHECK(ushort4);
  CHECK(int4);
  CHECK(uint4);
  CHECK(float4);
  return pass("asm_registers", expect);
}
