/* Every exchange between lanes: shuffles of all kinds and widths, votes, matches, under divergence.
 */
#include "check.h"

__global__ void shuffles(int *out, double *dout) {
  int t = threadIdx.x, lane = t & 31;
  out[t] = __shfl_sync(~0u, lane * 10, (lane + 5) & 31);
  out[64 + t] = __shfl_up_sync(~0u, lane, 3);
  out[128 + t] = __shfl_down_sync(~0u, lane, 4, 8);
  out[192 + t] = __shfl_xor_sync(~0u, lane * lane, 9);
  dout[t] = __shfl_sync(~0u, lane * 0.25, 31 - lane);
  long long wide = __shfl_down_sync(~0u, (long long)lane << 40, 1, 16);
  out[256 + t] = (int)(wide >> 38);
}
__global__ void votes(unsigned *out) {
  int t = threadIdx.x, lane = t & 31, all;
  out[t] = __ballot_sync(~0u, lane % 3 == 0);
  out[64 + t] =
      __any_sync(~0u, lane == 40) * 4 + __all_sync(~0u, lane < 32) * 2 + __any_sync(~0u, lane == 7);
  out[128 + t] = __match_any_sync(~0u, lane / 5);
  out[192 + t] = __match_all_sync(~0u, t / 32, &all) + all;
  if (lane & 1)
    out[256 + t] = __popc(__activemask()) ? __ballot_sync(0xaaaaaaaau, lane > 16) : 0;
  else
    out[256 + t] = __shfl_xor_sync(0x55555555u, lane, 2);
  __syncwarp();
  out[320 + t] =
      __reduce_add_sync(~0u, (unsigned)lane) + __reduce_max_sync(~0u, (unsigned)lane * 3);
}
__global__ void counts(int *out) {
  int t = threadIdx.x;
  out[t] = __syncthreads_count(t % 4 == 0) + 1000 * __syncthreads_or(t == 9) +
           2000 * __syncthreads_and(t < 50);
}

int main() {
  std::vector<int> a(320), c(64);
  std::vector<double> d(64);
  std::vector<unsigned> v(384);
  for (int t = 0; t < 64; t++) {
    int l = t & 31;
    a[t] = ((l + 5) & 31) * 10, a[64 + t] = l < 3 ? l : l - 3;
    a[128 + t] = (l & 7) < 4 ? l + 4 : l, a[192 + t] = (l ^ 9) * (l ^ 9), d[t] = (31 - l) * 0.25;
    a[256 + t] = ((l & 15) == 15 ? l : l + 1) * 4;
    for (int k = 0; k < 32; k += 3) v[t] |= 1u << k;
    v[64 + t] = 3;
    for (int k = 0; k < 32; k++) v[128 + t] |= (unsigned)(k / 5 == l / 5) << k;
    v[192 + t] = 0;
    v[256 + t] = l & 1 ? 0xaaaa0000u : (unsigned)(l ^ 2);
    v[320 + t] = 496 + 93;
    c[t] = 16 + 1000;
  }
  int *di = device_zeros<int>(320), *dc = device_zeros<int>(64);
  double *dd = device_zeros<double>(64);
  unsigned *du = device_zeros<unsigned>(384);
  shuffles<<<1, 64>>>(di, dd);
  votes<<<1, 64>>>(du);
  counts<<<1, 64>>>(dc);
  LAUNCHED();
  same("shuffles", to_host(di, 320), a);
  same("shuffles of doubles", to_host(dd, 64), d);
  same("votes", to_host(du, 384), v);
  same("counts", to_host(dc, 64), c);
  return pass("warp", v);
}
